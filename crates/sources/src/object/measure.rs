//! Bytes of a block as ClickHouse counts them for progress: the values themselves, not the buffers that several blocks may
//! share.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::DataType;

pub fn block_bytes(block: &RecordBatch) -> u64 {
    block.columns().iter().map(|column| array_bytes(column.as_ref())).sum()
}

fn array_bytes(array: &dyn Array) -> u64 {
    let rows = array.len() as u64;
    let own = match array.data_type() {
        DataType::Null => 0,
        DataType::Boolean => rows,
        DataType::BinaryView => {
            // Lengths are the low half of each view; eight bytes more for the offset that ClickHouse keeps.
            let lengths = array.as_binary_view().views().iter().map(|view| u64::from(*view as u32)).sum::<u64>();
            lengths + 8 * rows
        }
        DataType::FixedSizeBinary(width) => rows * *width as u64,
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let offsets = list.value_offsets();
            let (from, to) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
            array_bytes(list.values().slice(from, to - from).as_ref()) + 8 * rows
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let offsets = map.value_offsets();
            let (from, to) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
            array_bytes(&map.entries().slice(from, to - from)) + 8 * rows
        }
        DataType::Struct(_) => array.as_struct().columns().iter().map(|column| array_bytes(column.as_ref())).sum(),
        other => other.primitive_width().map_or_else(|| array.get_array_memory_size() as u64, |width| rows * width as u64),
    };
    own + if array.null_count() > 0 { rows } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, BinaryViewArray, Int32Array};

    use super::*;

    #[test]
    fn slices_count_only_what_is_in_them() {
        let text = BinaryViewArray::from_iter_values(["a", "a longer text than fits a view", ""]);
        let numbers = Int32Array::from(vec![Some(1), None, Some(3)]);
        let block = RecordBatch::try_from_iter_with_nullable([
            ("t", Arc::new(text) as ArrayRef, false),
            ("n", Arc::new(numbers) as ArrayRef, true),
        ])
        .expect("a block");
        assert_eq!(block_bytes(&block), (1 + 30 + 3 * 8) + (3 * 4 + 3));
        assert_eq!(block_bytes(&block.slice(0, 1)), 9 + 4);
    }
}
