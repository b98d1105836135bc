//! Conditions asked of the bounds of units: the same analysis as of key columns (`index::analyze`), over the index's
//! expressions.

use arrow::array::Array;
use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;

use super::chunk::{Chunk, Units};
use super::definition::{SkipIndex, holds_floats};
use crate::index::analyze::{Base, analyze};
use crate::index::condition::{Condition, End};
use crate::index::interval::Dim;

#[derive(Debug)]
pub struct MinMaxCondition {
    condition: Condition,
    /// The expression that each base of the condition is.
    places: Vec<usize>,
    nullable: Vec<bool>,
}

/// The expressions of an index as bases of a condition, with their places. One whose values may be equal and sort apart,
/// somewhere inside, is none: floats themselves are looked after.
pub fn bases(index: &SkipIndex) -> (Vec<usize>, Vec<Base>) {
    let expressions = index.expressions.iter().enumerate();
    expressions
        .filter(|(_, expression)| expression.kind.is_float() || !holds_floats(&expression.kind.arrow()))
        .map(|(place, expression)| {
            let base =
                Base { expr: expression.logical.clone(), data_type: expression.kind.arrow(), text: expression.text.clone() };
            (place, base)
        })
        .unzip()
}

impl MinMaxCondition {
    /// `None`: the bounds can leave nothing out.
    pub fn new(index: &SkipIndex, columns: &DFSchema, filters: &[Expr]) -> Option<MinMaxCondition> {
        let (places, bases) = bases(index);
        let condition = analyze(&bases, columns, filters);
        let nullable = index.expressions.iter().map(|expression| expression.kind.is_nullable()).collect();
        (!condition.is_unknown()).then_some(MinMaxCondition { condition, places, nullable })
    }

    pub fn text(&self) -> String {
        self.condition.text()
    }

    /// By unit, whether a row may pass.
    pub fn check(&self, chunk: &Chunk) -> Vec<bool> {
        let Units::MinMax(bounds) = &chunk.data else { return vec![true; chunk.units] };
        let slots: Vec<_> = self
            .condition
            .slots
            .iter()
            .map(|slot| {
                let place = self.places[slot.base];
                let (least, greatest) = &bounds[place];
                let known: Vec<bool> = (0..chunk.units).map(|unit| least.is_valid(unit)).collect();
                Some((slot.values(least)?, slot.values(greatest)?, known, self.nullable[place]))
            })
            .collect();
        let may_pass = |unit: usize| {
            let mask = self.condition.check(&|slot| match &slots[slot] {
                // Without a value all are NULL, which sorts behind all values: the bounds are NULL, and say just that.
                Some((least, greatest, known, nullable)) if known[unit] || *nullable => {
                    let (least, greatest) = (End::closed(least, unit), End::closed(greatest, unit));
                    self.condition.slots[slot].range(Some(least), Some(greatest), *nullable && known[unit])
                }
                _ => Dim::ANY,
            });
            mask.can_be_true
        };
        (0..chunk.units).map(may_pass).collect()
    }
}
