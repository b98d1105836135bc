//! Which columns get a dictionary. A dictionary must be read whole for a single granule, so it pays only where it stays
//! small: decided from a sample of the block, before anything is encoded, because a column that gives up half-way keeps
//! both the dictionary and pages without it.
//!
//! Numbers that rise or stay near each other take fewer bytes as differences ([`super::delta_packing`]) than as places in a
//! dictionary, which say nothing of the values' order: a run of rows, in the order in which they are written, tells.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::chunk::{ZSTD_LEVEL, compress_zstd};
use super::delta_packing::pack;
use super::numbers::{Number, Width};

const SAMPLE_ROWS: usize = 2048;
/// A value must come back this often in the sample.
const REPEATS_MIN: usize = 8;
/// Bytes of a dictionary page, after which the encoder gives up by itself.
pub const DICTIONARY_BYTES_MAX: usize = 64 << 10;
/// The same for LowCardinality and enums, where the user said so.
pub const LOW_CARDINALITY_BYTES_MAX: usize = 1 << 20;

/// What the declared type alone decides.
pub fn by_type(kind: &SqlType) -> Option<bool> {
    match kind {
        SqlType::LowCardinality(_) | SqlType::Enum8(_) | SqlType::Enum16(_) => Some(true),
        SqlType::Nullable(inner)
        | SqlType::SimpleAggregateFunction(_, inner)
        | SqlType::Geometric(_, inner)
        | SqlType::Nested(inner) => by_type(inner),
        // Two values need no dictionary, and nested ones are sampled badly.
        SqlType::Bool | SqlType::Array(_) | SqlType::Map(..) | SqlType::Tuple(_) | SqlType::Nothing => Some(false),
        SqlType::AggregateFunction(..) => Some(false),
        _ => None,
    }
}

pub fn bytes_max(kind: &SqlType) -> usize {
    if by_type(kind) == Some(true) { LOW_CARDINALITY_BYTES_MAX } else { DICTIONARY_BYTES_MAX }
}

/// Looks at evenly spread values of the column as it is stored.
pub fn pays(kind: &SqlType, array: &ArrayRef) -> Result<bool> {
    if let Some(decided) = by_type(kind) {
        return Ok(decided);
    }
    if array.is_empty() {
        return Ok(false);
    }
    let step = array.len().div_ceil(SAMPLE_ROWS).max(1);
    let positions = (0..array.len()).step_by(step);
    if positions.len() < REPEATS_MIN {
        return Ok(false);
    }
    // Strings are looked at where they are: a copy of a sample of long ones would be as large as they are.
    if let Some(strings) = array.as_binary_view_opt() {
        return Ok(repeats(positions.len(), positions.map(|at| if strings.is_null(at) { &[] } else { strings.value(at) })));
    }
    let positions = UInt32Array::from_iter_values(positions.map(|at| at as u32));
    let sample = arrow::compute::take(array, &positions, None)?;
    let rows = RowConverter::new(vec![SortField::new(sample.data_type().clone())])?.convert_columns(&[sample])?;
    Ok(repeats(rows.num_rows(), rows.iter().map(|row| row.data())))
}

/// Whether so few values come so often, in a sample of so many rows.
fn repeats<'a>(rows: usize, values: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut distinct = HashSet::new();
    let mut bytes = 0;
    for value in values {
        if distinct.insert(value) {
            bytes += value.len();
            if distinct.len() * REPEATS_MIN > rows || bytes > DICTIONARY_BYTES_MAX / 2 {
                return false;
            }
        }
    }
    true
}

/// Whether places in a dictionary take fewer bytes than packed differences of a run of the column's values, as they are stored and
/// in their order.
pub fn beats_packing(run: &ArrayRef) -> Result<bool> {
    if run.null_count() > 0 {
        return Ok(true);
    }
    match Width::of(run.data_type()) {
        Some(Width::Narrow) => fewer_than_packed::<i32>(run),
        Some(Width::Wide) => fewer_than_packed::<i64>(run),
        None => Ok(true),
    }
}

fn fewer_than_packed<W: Number + Hash>(run: &ArrayRef) -> Result<bool> {
    let (mut values, mut packed) = (Vec::new(), Vec::new());
    W::extend(&mut values, run, 0..run.len())?;
    pack(&values, &mut packed);
    let mut known = HashMap::new();
    let mut places = Vec::with_capacity(values.len());
    for value in values {
        let next = known.len();
        // Those behind the 256th would take a second byte, at least.
        let Ok(place) = u8::try_from(*known.entry(value).or_insert(next)) else { return Ok(false) };
        places.push(place);
    }
    let mut compressed = vec![0; zstd::zstd_safe::compress_bound(packed.len().max(places.len()))];
    let packed = compress_zstd(&packed, &mut compressed, ZSTD_LEVEL)?.min(packed.len());
    Ok(compress_zstd(&places, &mut compressed, ZSTD_LEVEL)? < packed)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, StringArray};

    use super::*;

    fn beats(values: impl Iterator<Item = i64>) -> bool {
        beats_packing(&(std::sync::Arc::new(Int64Array::from_iter_values(values)) as ArrayRef)).expect("numbers")
    }

    #[test]
    fn few_values_without_an_order_get_a_dictionary() {
        let names = [7_000_000_000, -5, 123_456_789_012, 99];
        assert!(beats((0..8192_u32).map(|row| names[(row.wrapping_mul(2_654_435_761) >> 30) as usize])));
    }

    #[test]
    fn days_that_rise_within_each_key_are_packed() {
        // The downloads of a package are up to four days apart, those of the next begin anew.
        let mut day = 0;
        let days = (0..8192_u32).map(|row| {
            day = (day + i64::from(row.wrapping_mul(2_654_435_761) >> 30)) % 90;
            19_570 + day
        });
        assert!(!beats(days));
        assert!(!beats((0..8192).map(|row| row / 40)));
    }

    #[test]
    fn what_is_no_number_keeps_its_dictionary() {
        assert!(beats_packing(&(std::sync::Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef)).expect("texts"));
        assert!(beats_packing(&(std::sync::Arc::new(Int64Array::from(vec![Some(1), None])) as ArrayRef)).expect("NULL"));
    }
}
