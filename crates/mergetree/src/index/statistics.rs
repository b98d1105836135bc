//! Leaves out granules by the least and greatest value of each column in them. Pages end where granules do, so Parquet's
//! page index is a min-max index over every column, which costs nothing more to have.
//!
//! Only types whose order is the same in Parquet and here take part. Floats do not: Parquet's bounds leave NaN out. Of
//! whatever may be NULL it is known besides whether a granule has a NULL, and whether it has anything else.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, new_null_array};
use gristmill_base::Result;
use gristmill_types::SqlType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;

use super::condition::{Condition, End, Slot, SlotValues};
use super::interval::Dim;
use super::order::NULL_BYTE;
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

/// Whether it is known of a column where it is NULL, though no bounds are.
pub fn counts_nulls(kind: &SqlType) -> bool {
    kind.is_nullable() && !kind.arrow().is_nested() && !matches!(kind, SqlType::LowCardinality(_))
}

/// Least and greatest value by granule; NULL where unknown.
#[derive(Debug)]
pub struct Bounds {
    pub least: ArrayRef,
    pub greatest: ArrayRef,
    /// By granule.
    nulls: Vec<Nulls>,
}

/// How many values of a granule are NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nulls {
    None,
    Unknown,
    All,
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
    let granules = part.granules();
    let (least, greatest) = match is_supported(&column.kind) {
        true => (
            from_storage(&column.kind, &converter.data_page_mins(columns, offsets, &groups)?)?,
            from_storage(&column.kind, &converter.data_page_maxes(columns, offsets, &groups)?)?,
        ),
        false => {
            let unknown = new_null_array(&column.kind.arrow(), granules);
            (unknown.clone(), unknown)
        }
    };
    let nulls = match column.kind.is_nullable() {
        false => vec![Nulls::None; granules],
        true => {
            let counts = converter.data_page_null_counts(columns, offsets, &groups)?;
            let rows = converter.data_page_row_counts(offsets, metadata.row_groups(), &groups)?;
            match rows.filter(|rows| rows.len() == counts.len()) {
                Some(rows) => counts.iter().zip(&rows).map(|(nulls, rows)| Nulls::of(nulls, rows)).collect(),
                None => vec![Nulls::Unknown; granules],
            }
        }
    };
    let lengths = [least.len(), greatest.len(), nulls.len()];
    Ok(lengths.iter().all(|length| *length == granules).then_some(Bounds { least, greatest, nulls }))
}

impl Nulls {
    fn of(nulls: Option<u64>, rows: Option<u64>) -> Nulls {
        match (nulls, rows) {
            (Some(0), _) => Nulls::None,
            (Some(nulls), Some(rows)) if nulls == rows => Nulls::All,
            _ => Nulls::Unknown,
        }
    }
}

/// A slot's bounds, normalised.
struct SlotBounds {
    least: SlotValues,
    greatest: SlotValues,
    known: Vec<bool>,
    nulls: Vec<Nulls>,
}

impl SlotBounds {
    /// Of a granule, by its place among those that the bounds are of.
    fn range<'a>(&'a self, slot: &'a Slot, at: usize) -> Dim<'a> {
        let ends = || (Some(End::closed(&self.least, at)), Some(End::closed(&self.greatest, at)));
        match (self.known[at], self.nulls[at]) {
            // NULL sorts behind all values: the bounds, which are NULL, say just that.
            (_, Nulls::All) => {
                let (least, greatest) = ends();
                slot.range(least, greatest, false)
            }
            (true, nulls) => {
                let (least, greatest) = ends();
                slot.range(least, greatest, nulls == Nulls::Unknown)
            }
            (false, Nulls::None) if slot.function.is_none() => {
                Dim { high: Some(NULL), high_open: true, null: false, ..Dim::ANY }
            }
            (false, _) => Dim::ANY,
        }
    }
}

const NULL: &[u8] = &[NULL_BYTE];

/// Those of the chosen granules in which a row may pass. `places`: the column that each base of the condition is; `bounds`
/// of a column, in all granules of the part.
pub fn narrow(
    condition: &Condition,
    places: &[usize],
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
                nulls: all.nulls[first..first + granules].to_vec(),
            })
        })
        .collect();
    let mut narrowed: Vec<Range<usize>> = Vec::with_capacity(chosen.len());
    for granule in chosen.into_iter().flatten() {
        let mask = condition.check(&|slot| match &slots[slot] {
            Some(bounds) => bounds.range(&condition.slots[slot], granule - first),
            None => Dim::ANY,
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
