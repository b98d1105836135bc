//! Leaves out granules by the least and greatest value of each column in them. Pages end where granules do, so Parquet's
//! page index is a min-max index over every column, which costs nothing more to have.
//!
//! Only types whose order is the same in Parquet and here take part. Floats do not: Parquet's bounds leave NaN out.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use gristmill_base::Result;
use gristmill_types::SqlType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;

use super::condition::{Condition, End, SlotValues};
use super::interval::Dim;
use crate::layout::Layout;
use crate::part::OpenPart;
use crate::part::v1::schema::reading_schema;
use crate::part::v1::storage_type::from_storage;
use crate::read::evolve::FoundColumn;

/// Whether bounds of the column can be used.
pub fn is_supported(kind: &SqlType) -> bool {
    let plain = kind.plain();
    plain.integer_bits().is_some_and(|(bits, _)| bits <= 64)
        || matches!(
            plain,
            SqlType::String
                | SqlType::Date
                | SqlType::Date32
                | SqlType::DateTime(_)
                | SqlType::DateTime64(..)
                | SqlType::IPv4
                | SqlType::Bool
        )
}

/// Least and greatest value by granule; NULL where unknown.
#[derive(Debug)]
pub struct Bounds {
    pub least: ArrayRef,
    pub greatest: ArrayRef,
}

/// Of a column of the table in a part; `None` where they are not known.
pub fn bounds(part: &OpenPart, layout: &Arc<Layout>, place: usize) -> Result<Option<Bounds>> {
    // Bounds of a column that is computed or cast when read say nothing of what is read.
    let FoundColumn::Stored(place) = part.find_columns(layout).columns[place] else { return Ok(None) };
    let column = &part.columns.0[place];
    let metadata = part.metadata.metadata();
    let (Some(columns), Some(offsets)) = (metadata.column_index(), metadata.offset_index()) else { return Ok(None) };
    let parquet = reading_schema(&part.storage)?;
    let converter = StatisticsConverter::try_new(&column.name, &part.storage, &parquet)?;
    let groups: Vec<usize> = (0..metadata.num_row_groups()).collect();
    let least = from_storage(&column.kind, &converter.data_page_mins(columns, offsets, &groups)?)?;
    let greatest = from_storage(&column.kind, &converter.data_page_maxes(columns, offsets, &groups)?)?;
    Ok((least.len() == part.granules() && greatest.len() == part.granules()).then_some(Bounds { least, greatest }))
}

/// A slot's bounds, normalised.
struct SlotBounds {
    least: SlotValues,
    greatest: SlotValues,
    known: Vec<bool>,
    nullable: bool,
}

/// Those of the chosen granules in which a row may pass. `places`: the column that each base of the condition is; `bounds`
/// of a column, in all granules of the part.
pub fn narrow(
    condition: &Condition,
    places: &[usize],
    layout: &Layout,
    bounds: &dyn Fn(usize) -> Option<Arc<Bounds>>,
    chosen: Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let (Some(first), Some(last)) = (chosen.first(), chosen.last()) else { return chosen };
    if condition.is_unknown() {
        return chosen;
    }
    // Of a few granules in a large part only the bounds of these are brought into the condition's form.
    let (first, granules) = (first.start, last.end - first.start);
    let slots: Vec<Option<SlotBounds>> = condition
        .slots
        .iter()
        .map(|slot| {
            let place = *places.get(slot.base)?;
            let all = bounds(place)?;
            let (least, greatest) = (all.least.slice(first, granules), all.greatest.slice(first, granules));
            Some(SlotBounds {
                known: (0..granules).map(|at| least.is_valid(at) && greatest.is_valid(at)).collect(),
                least: slot.values(&least)?,
                greatest: slot.values(&greatest)?,
                nullable: layout.columns.0[place].kind.is_nullable(),
            })
        })
        .collect();
    let mut narrowed: Vec<Range<usize>> = Vec::with_capacity(chosen.len());
    for granule in chosen.into_iter().flatten() {
        let mask = condition.check(&|slot| match &slots[slot] {
            Some(bounds) if bounds.known[granule - first] => {
                let at = granule - first;
                let (least, greatest) = (End::closed(&bounds.least, at), End::closed(&bounds.greatest, at));
                condition.slots[slot].range(Some(least), Some(greatest), bounds.nullable)
            }
            _ => Dim::ANY,
        });
        if !mask.can_be_true {
            continue;
        }
        match narrowed.last_mut().filter(|last| last.end == granule) {
            Some(last) => last.end += 1,
            None => narrowed.push(granule..granule + 1),
        }
    }
    narrowed
}
