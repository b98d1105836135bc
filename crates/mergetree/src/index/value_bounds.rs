//! Within which bounds an expression's values lie in each granule of a part: from the sparse index where the expression
//! rises with the first column of the primary key, else from the page index where it rises with another column.

use std::sync::Arc;

use arrow::array::Array;
use datafusion::common::DFSchema;
use datafusion::logical_expr::{Expr, ident};
use gristmill_types::SqlType;

use super::analyze::slot_of;
use super::condition::{Slot, SlotValues};
use super::expression::{Chain, monotonic_function};
use super::statistics;
use crate::layout::Layout;
use crate::part::OpenPart;

/// Normalised values (see `order`), ascending whatever the key's direction.
pub struct ValueBounds {
    least: SlotValues,
    greatest: Option<SlotValues>,
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
            && let Some(rows) = slot.values(values)
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
        let (least, greatest) = (slot.values(&bounds.least)?, slot.values(&bounds.greatest)?);
        Some(ValueBounds { least, greatest: Some(greatest), known, along_key: None })
    }

    /// The bound of a granule's values that is nearer to the beginning of the order asked for; `None` where unknown.
    pub fn nearest(&self, granule: usize, descending: bool) -> Option<&[u8]> {
        if !*self.known.get(granule)? {
            return None;
        }
        Some(match &self.greatest {
            Some(greatest) if descending => greatest.value(granule),
            Some(_) => self.least.value(granule),
            // A granule ends with, at most, what the next begins with.
            None => self.least.value(granule + usize::from(descending != (self.along_key == Some(true)))),
        })
    }
}

/// The expression as a rising function of a base.
fn slot(expr: &Expr, base: &Expr, kind: &SqlType, schema: &DFSchema) -> Option<Slot> {
    let chain = monotonic_function(expr, base, schema).filter(Chain::rises)?;
    match chain.function {
        Expr::Column(_) => Slot::of_base(0, kind.arrow()),
        _ => slot_of(0, &kind.arrow(), &chain),
    }
}
