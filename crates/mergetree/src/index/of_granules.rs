//! Conditions on granules of one part: by the sparse index, then by the bounds of columns.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::logical_expr::{Expr, ident};
use gristmill_catalog::KeyExpression;
use gristmill_types::SqlType;

use super::analyze::{Base, analyze};
use super::condition::Condition;
use super::statistics::Bounds;
use super::{granules, statistics};
use crate::layout::Layout;
use crate::part::OpenPart;

pub struct GranuleConditions {
    pub key: Condition,
    pub columns: Condition,
    /// The column that each base of `columns` is.
    pub places: Vec<usize>,
}

/// Granules of one part after each step.
pub struct Chosen {
    pub by_key: Vec<Range<usize>>,
    pub granules: Vec<Range<usize>>,
}

impl GranuleConditions {
    /// `filters`, over `schema`, must all hold.
    pub fn new(layout: &Layout, schema: &DFSchema, filters: &[Expr]) -> Self {
        let primary: Vec<Base> = layout.primary().iter().map(key_base).collect();
        let places = compared_columns(layout, filters);
        let compared: Vec<Base> =
            places.iter().map(|&place| column_base(&layout.columns.0[place].name, &layout.columns.0[place].kind)).collect();
        let (key, columns) = (analyze(&primary, schema, filters), analyze(&compared, schema, filters));
        GranuleConditions { key, columns, places }
    }

    /// Nothing can be left out.
    pub fn is_unknown(&self) -> bool {
        self.key.is_unknown() && self.columns.is_unknown()
    }

    pub fn choose(&self, part: &OpenPart, layout: &Arc<Layout>) -> Chosen {
        let by_key = self.by_key(part);
        let bounds = |place| statistics::bounds(part, layout, place).ok().flatten().map(Arc::new);
        Chosen { granules: self.by_columns(&bounds, by_key.clone()), by_key }
    }

    pub fn by_key(&self, part: &OpenPart) -> Vec<Range<usize>> {
        granules::choose(&self.key, &part.index)
    }

    /// Of these granules. `bounds`: of a column, in all granules of the part.
    pub fn by_columns(
        &self,
        bounds: &dyn Fn(usize) -> Option<Arc<Bounds>>,
        granules: Vec<Range<usize>>,
    ) -> Vec<Range<usize>> {
        statistics::narrow(&self.columns, &self.places, bounds, granules)
    }
}

pub fn key_base(key: &KeyExpression) -> Base {
    Base { expr: key.logical.clone(), data_type: key.kind.arrow(), text: key.text.clone() }
}

pub fn column_base(name: &str, kind: &SqlType) -> Base {
    Base { expr: ident(name), data_type: kind.arrow(), text: name.to_string() }
}

/// Columns that the filters speak of and whose bounds can be used. Where that is only the first column of the sorting
/// key, there are none: its bounds say no more than the sparse index.
fn compared_columns(layout: &Layout, filters: &[Expr]) -> Vec<usize> {
    let first = layout.primary().first().and_then(KeyExpression::column);
    let names: BTreeSet<&str> =
        filters.iter().flat_map(|filter| filter.column_refs()).map(|column| column.name.as_str()).collect();
    if names.iter().all(|name| first == Some(*name)) {
        return Vec::new();
    }
    let usable = |place: &usize| {
        let kind = &layout.columns.0[*place].kind;
        statistics::is_supported(kind) || statistics::counts_nulls(kind)
    };
    names.into_iter().filter_map(|name| layout.columns.index_of(name)).filter(usable).collect()
}
