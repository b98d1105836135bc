//! Bytes that values take, whoever owns the buffers: a slice of a shared buffer counts for its own rows only. Block
//! limits, granule sizes and the counts shown to users go by these, memory accounts by what is really held.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::DataType;

/// Bytes of the values of an array, as they lie in memory.
pub fn value_bytes(array: &ArrayRef) -> u64 {
    bytes_by(array, true)
}

/// `is_exact`: else some strings of long columns stand for the others.
fn bytes_by(array: &ArrayRef, is_exact: bool) -> u64 {
    let rows = array.len() as u64;
    let bytes = match array.data_type() {
        DataType::Null => 0,
        DataType::Boolean => rows,
        DataType::BinaryView => lengths(array.as_binary_view().views(), is_exact) + 8 * rows,
        DataType::Utf8View => lengths(array.as_string_view().views(), is_exact) + 8 * rows,
        DataType::Binary => {
            let offsets = array.as_binary::<i32>().value_offsets();
            (offsets[offsets.len() - 1] - offsets[0]) as u64 + 8 * rows
        }
        DataType::FixedSizeBinary(width) => rows * *width as u64,
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let offsets = list.value_offsets();
            let (from, to) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
            bytes_by(&list.values().slice(from, to - from), is_exact) + 8 * rows
        }
        DataType::Struct(_) => array.as_struct().columns().iter().map(|column| bytes_by(column, is_exact)).sum(),
        DataType::Map(..) => {
            let map = array.as_map();
            let offsets = map.value_offsets();
            let (from, to) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
            bytes_by(&map.keys().slice(from, to - from), is_exact)
                + bytes_by(&map.values().slice(from, to - from), is_exact)
                + 8 * rows
        }
        other => rows * other.primitive_width().unwrap_or(8) as u64,
    };
    bytes + if array.nulls().is_some() { rows } else { 0 }
}

pub fn batch_bytes(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(value_bytes).sum()
}

/// As `batch_bytes`, within some percent, in a time that does not grow with the rows: for counts that are made of every batch of every
/// operator. (One of sixteen rows, as it was, fetches a quarter of a column's cache lines anew: 2 % of ClickBench.)
pub fn batch_bytes_about(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(|column| bytes_by(column, false)).sum()
}

/// Views that lie in one cache line are looked at together.
const SAMPLED_RUN: usize = 4;
const SAMPLED_RUNS: usize = 64;
/// Shorter columns are looked at whole.
const SAMPLED_ROWS_MIN: usize = 4096;

/// The low 32 bits of a view are its length.
fn lengths(views: &[u128], is_exact: bool) -> u64 {
    let length = |view: &u128| u64::from(*view as u32);
    if is_exact || views.len() < SAMPLED_ROWS_MIN {
        return views.iter().map(length).sum();
    }
    let apart = views.len() / SAMPLED_RUNS;
    let sampled: u64 = views.chunks_exact(apart).flat_map(|part| &part[..SAMPLED_RUN]).map(length).sum();
    let looked_at = views.len() / apart * SAMPLED_RUN;
    (u128::from(sampled) * views.len() as u128 / looked_at as u128) as u64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryViewArray, Int32Array};

    use super::*;

    #[test]
    fn bytes_of_many_rows_are_about_those_of_all() {
        let texts = BinaryViewArray::from_iter_values((0..50_000).map(|n: u64| vec![b'x'; (n * 7919 % 101) as usize]));
        let block = RecordBatch::try_from_iter([("t", Arc::new(texts) as ArrayRef)]).expect("a block");
        let (exact, about) = (batch_bytes(&block) as f64, batch_bytes_about(&block) as f64);
        assert!((about / exact - 1.0).abs() < 0.1, "{about} of {exact}");
        let few = block.slice(7, 1000);
        assert_eq!(batch_bytes_about(&few), batch_bytes(&few));
    }

    #[test]
    fn slices_count_only_what_is_in_them() {
        let text = BinaryViewArray::from_iter_values(["a", "a longer text than fits a view", ""]);
        let numbers = Int32Array::from(vec![Some(1), None, Some(3)]);
        let block = RecordBatch::try_from_iter_with_nullable([
            ("t", Arc::new(text) as ArrayRef, false),
            ("n", Arc::new(numbers) as ArrayRef, true),
        ])
        .expect("a block");
        assert_eq!(batch_bytes(&block), (1 + 30 + 3 * 8) + (3 * 4 + 3));
        assert_eq!(batch_bytes(&block.slice(0, 1)), 9 + 4 + 1);
    }
}
