//! Which columns get a dictionary. A dictionary must be read whole for a single granule, so it pays only where it stays
//! small: decided from a sample of the block, before anything is encoded, because a column that gives up half-way keeps
//! both the dictionary and pages without it.

use std::collections::HashSet;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;
use gristmill_types::SqlType;

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
        SqlType::Nullable(inner) | SqlType::SimpleAggregateFunction(_, inner) => by_type(inner),
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
