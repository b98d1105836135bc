//! Within which bounds an expression's values lie in each granule of a part: from the sparse index where the expression
//! rises with the first column of the primary key, else from the page index where it rises with another column.

use std::sync::Arc;

use arrow::array::Array;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::row::Rows;
use datafusion::common::DFSchema;
use datafusion::logical_expr::{Expr, ExprSchemable, ident};
use gristmill_types::SqlType;

use super::analyze::physical;
use super::condition::{Slot, VALUE};
use super::expression::rising_function;
use super::order::KeyOrder;
use super::statistics;
use crate::layout::Layout;
use crate::part::OpenPart;

/// Normalised values (see `order`), ascending whatever the key's direction.
pub struct ValueBounds {
    least: Rows,
    greatest: Option<Rows>,
    known: Vec<bool>,
    /// The values follow the order of the part's rows: `Some(true)` where they fall.
    pub along_key: Option<bool>,
}

impl ValueBounds {
    /// Bounds of an expression over the table's columns. `None`: nothing is known of it.
    pub fn of(expr: &Expr, layout: &Arc<Layout>, part: &OpenPart) -> Option<ValueBounds> {
        let schema = DFSchema::try_from(layout.schema.as_ref().clone()).ok()?;
        if let Some((key, values)) = layout.primary().first().zip(part.index.keys.first())
            && let Some(slot) = slot(expr, &key.logical, &key.kind, &schema)
            && let Some(rows) = slot.rows(values)
        {
            let known = vec![true; part.granules()];
            return Some(ValueBounds { least: rows, greatest: None, known, along_key: Some(key.descending) });
        }
        let [column] = expr.column_refs().into_iter().collect::<Vec<_>>()[..] else { return None };
        let place = layout.columns.index_of(&column.name)?;
        let kind = &layout.columns.0[place].kind;
        let slot = slot(expr, &ident(&column.name), kind, &schema).filter(|_| statistics::is_supported(kind))?;
        let bounds = statistics::bounds(part, layout, place).ok().flatten()?;
        let known = (0..part.granules()).map(|at| bounds.least.is_valid(at) && bounds.greatest.is_valid(at)).collect();
        let (least, greatest) = (slot.rows(&bounds.least)?, slot.rows(&bounds.greatest)?);
        Some(ValueBounds { least, greatest: Some(greatest), known, along_key: None })
    }

    /// The bound of a granule's values that is nearer to the beginning of the order asked for; `None` where unknown.
    pub fn nearest(&self, granule: usize, descending: bool) -> Option<&[u8]> {
        if !*self.known.get(granule)? {
            return None;
        }
        Some(match &self.greatest {
            Some(greatest) if descending => greatest.row(granule).data(),
            Some(_) => self.least.row(granule).data(),
            // A granule ends with, at most, what the next begins with.
            None => self.least.row(granule + usize::from(descending != (self.along_key == Some(true)))).data(),
        })
    }
}

/// The expression as a rising function of a base.
fn slot(expr: &Expr, base: &Expr, kind: &SqlType, schema: &DFSchema) -> Option<Slot> {
    let function = rising_function(expr, base, schema)?;
    if matches!(function, Expr::Column(_)) {
        let data_type = kind.arrow();
        return Some(Slot { base: 0, function: None, order: KeyOrder::of_type(&data_type)?, data_type });
    }
    let value = Field::new(VALUE, kind.arrow(), true);
    let over_value = DFSchema::try_from(Schema::new(vec![value])).ok()?;
    let data_type: DataType = function.get_type(&over_value).ok()?;
    let function = Some(physical(&function, &over_value)?);
    Some(Slot { base: 0, function, order: KeyOrder::of_type(&data_type)?, data_type })
}
