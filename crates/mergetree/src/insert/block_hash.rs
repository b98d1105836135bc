//! The hash by which a block that comes again is known (`non_replicated_deduplication_window`): of its values, row by row in
//! the order in which they came, before they are sorted, parted by partition or merged by the engine. Two blocks that are
//! the same to the table may be different rows that were inserted, and none of these may be lost: (1, 1), (1, 2) and then
//! (1, 2) leave one row in a ReplacingMergeTree, yet the second INSERT is no repetition of the first.
//!
//! Columns that the INSERT does not give do not count: a default may be `rand()` or `now()`, and the same rows would be others
//! with every INSERT. Where it gives a column that is not kept (EPHEMERAL), all that are kept may follow from it, and count.
//!
//! How the values lie in memory, and what lies under a NULL, does not count.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;
use xxhash_rust::xxh3::Xxh3;

/// Rows whose keys of other types are made at a time.
const ROWS_AT_ONCE: usize = 8192;

/// `given`: the names of the columns that the INSERT gives, where it is known. Never 0.
pub fn block_hash(block: &RecordBatch, given: Option<&Vec<String>>) -> Result<u128> {
    let mut hash = Xxh3::new();
    hash.update(&(block.num_rows() as u64).to_le_bytes());
    for name in given.into_iter().flatten() {
        hash.update(&(name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    let these = given.and_then(|given| given.iter().map(|name| block.column_by_name(name)).collect::<Option<Vec<_>>>());
    for column in these.unwrap_or_else(|| block.columns().iter().collect()) {
        add(&mut hash, column)?;
    }
    Ok(hash.digest128().max(1))
}

fn add(hash: &mut Xxh3, array: &ArrayRef) -> Result<()> {
    if array.null_count() > 0 {
        (0..array.len()).for_each(|row| hash.update(&[u8::from(array.is_valid(row))]));
    }
    match array.data_type() {
        DataType::BinaryView => {
            for value in array.as_binary_view().iter().flatten() {
                hash.update(&(value.len() as u64).to_le_bytes());
                hash.update(value);
            }
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (0..list.len()).for_each(|row| hash.update(&(list.value_length(row) as u32).to_le_bytes()));
            let offsets = list.value_offsets();
            let (first, last) = (offsets[0] as usize, offsets[list.len()] as usize);
            add(hash, &list.values().slice(first, last - first))?;
        }
        DataType::Map(..) => {
            let map = array.as_map();
            (0..map.len()).for_each(|row| hash.update(&(map.value_length(row) as u32).to_le_bytes()));
            let offsets = map.value_offsets();
            let (first, last) = (offsets[0] as usize, offsets[map.len()] as usize);
            for column in map.entries().columns() {
                add(hash, &column.slice(first, last - first))?;
            }
        }
        DataType::Struct(_) => {
            for column in array.as_struct().columns() {
                add(hash, column)?;
            }
        }
        kind if array.null_count() == 0 && kind.primitive_width().is_some() => {
            let (data, width) = (array.to_data(), kind.primitive_width().unwrap_or_default());
            let from = data.offset() * width;
            hash.update(&data.buffers()[0].as_slice()[from..from + data.len() * width]);
        }
        kind => {
            let converter = RowConverter::new(vec![SortField::new(kind.clone())])?;
            for from in (0..array.len()).step_by(ROWS_AT_ONCE) {
                let piece = array.slice(from, ROWS_AT_ONCE.min(array.len() - from));
                for row in &converter.convert_columns(&[piece])? {
                    hash.update(row.as_ref());
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryViewArray, BooleanArray, Int64Array, ListArray};
    use arrow::compute::concat;
    use arrow::datatypes::{Field, Int64Type, Schema};

    use super::*;

    fn hash_of(columns: Vec<ArrayRef>) -> u128 {
        let field = |(at, column): (usize, &ArrayRef)| Field::new(format!("c{at}"), column.data_type().clone(), true);
        let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
        block_hash(&RecordBatch::try_new(Arc::new(schema), columns).expect("a block"), None).expect("a hash")
    }

    /// Of a block of columns c0 and c1, of which these were given.
    fn hash_of_given(columns: [ArrayRef; 2], given: &[&str]) -> u128 {
        let field = |(at, column): (usize, &ArrayRef)| Field::new(format!("c{at}"), column.data_type().clone(), true);
        let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
        let given = given.iter().map(|name| name.to_string()).collect();
        block_hash(&RecordBatch::try_new(Arc::new(schema), columns.to_vec()).expect("a block"), Some(&given))
            .expect("a hash")
    }

    #[test]
    fn what_came_by_defaults_does_not_count() {
        let (first, again) = ([numbers(&[1]), numbers(&[5])], [numbers(&[1]), numbers(&[6])]);
        assert_eq!(hash_of_given(first.clone(), &["c0"]), hash_of_given(again.clone(), &["c0"]));
        assert_ne!(hash_of_given(first.clone(), &["c0", "c1"]), hash_of_given(again.clone(), &["c0", "c1"]));
        // An EPHEMERAL column is not in the block.
        assert_ne!(hash_of_given(first, &["c0", "e"]), hash_of_given(again, &["c0", "e"]));
    }

    fn numbers(values: &[i64]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    fn texts(values: &[&str]) -> ArrayRef {
        Arc::new(BinaryViewArray::from_iter_values(values))
    }

    #[test]
    fn other_rows_have_another_hash() {
        let lists = |of: &[Option<&[i64]>]| -> ArrayRef {
            let of = of.iter().map(|list| list.map(|list| list.iter().map(|value| Some(*value)).collect::<Vec<_>>()));
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(of))
        };
        let blocks = [
            hash_of(vec![numbers(&[1, 2])]),
            hash_of(vec![numbers(&[2, 1])]),
            hash_of(vec![numbers(&[1])]),
            hash_of(vec![Arc::new(Int64Array::from(vec![Some(1), None]))]),
            hash_of(vec![Arc::new(BooleanArray::from(vec![true, false]))]),
            hash_of(vec![texts(&["ab", "c"])]),
            hash_of(vec![texts(&["a", "bc"])]),
            hash_of(vec![lists(&[Some(&[1, 2]), Some(&[])])]),
            hash_of(vec![lists(&[Some(&[1]), Some(&[2])])]),
        ];
        for (at, block) in blocks.iter().enumerate() {
            assert!(!blocks[..at].contains(block), "block {at}");
        }
    }

    #[test]
    fn the_same_rows_have_the_same_hash_wherever_they_lie() {
        let whole =
            hash_of(vec![numbers(&[5, 1, 2]).slice(1, 2), texts(&["x", "long enough for a buffer", "y"]).slice(1, 2)]);
        let text = concat(&[&texts(&["long enough for a buffer"]), &texts(&["y"])]).expect("joined");
        assert_eq!(whole, hash_of(vec![numbers(&[1, 2]), text]));
        // What lies under a NULL is nobody's business.
        let null =
            |under: i64| -> ArrayRef { Arc::new(Int64Array::new(vec![1, under].into(), Some(vec![true, false].into()))) };
        assert_eq!(hash_of(vec![null(7)]), hash_of(vec![null(8)]));
    }
}
