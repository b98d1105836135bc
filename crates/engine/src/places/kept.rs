//! LIMIT BY: a count for each key that was seen, in the order of the rows.

use std::collections::HashMap;

use arrow::array::{ArrayRef, BooleanBuilder, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use arrow::row::{RowConverter, SortField};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;

/// What an entry of the table takes beside the bytes of its key.
const ENTRY_BYTES: usize = 48;

pub(super) struct Kept {
    converter: RowConverter,
    keys: Vec<usize>,
    skip: u64,
    rows: u64,
    /// Rows seen, by the bytes of their key.
    seen: HashMap<Box<[u8]>, u64>,
    reservation: MemoryReservation,
}

impl Kept {
    pub fn new(schema: &SchemaRef, keys: Vec<usize>, skip: u64, rows: u64, reservation: MemoryReservation) -> Result<Kept> {
        let fields = keys.iter().map(|key| SortField::new(schema.field(*key).data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        Ok(Kept { converter, keys, skip, rows, seen: HashMap::new(), reservation })
    }

    /// The rows of a batch that are given. Errors: those of memory.
    pub fn of(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns: Vec<ArrayRef> = self.keys.iter().map(|key| batch.column(*key).clone()).collect();
        let keys = match columns.is_empty() {
            true => None,
            false => Some(self.converter.convert_columns(&columns)?),
        };
        let mut wanted = BooleanBuilder::with_capacity(batch.num_rows());
        let mut grown = 0;
        let last = self.skip.saturating_add(self.rows);
        for row in 0..batch.num_rows() {
            let key = keys.as_ref().map_or(&[][..], |keys| keys.row(row).data());
            let place = match self.seen.get_mut(key) {
                Some(count) => {
                    *count += 1;
                    *count
                }
                None => {
                    grown += key.len() + ENTRY_BYTES;
                    self.seen.insert(key.into(), 1);
                    1
                }
            };
            wanted.append_value(place > self.skip && place <= last);
        }
        self.reservation.try_grow(grown)?;
        Ok(filter_record_batch(batch, &wanted.finish())?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::Int64Type;
    use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, UnboundedMemoryPool};

    use super::*;

    fn given(skip: u64, rows: u64, batches: &[&[i64]]) -> Vec<i64> {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let batches: Vec<RecordBatch> = batches
            .iter()
            .map(|values| {
                let column: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
                RecordBatch::try_from_iter([("k", column)]).expect("a batch")
            })
            .collect();
        let reservation = MemoryConsumer::new("test").register(&pool);
        let mut kept = Kept::new(&batches[0].schema(), vec![0], skip, rows, reservation).expect("a type with rows");
        let rows = batches.iter().map(|batch| kept.of(batch).expect("rows"));
        rows.flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
    }

    #[test]
    fn keys_are_counted_over_batches() {
        assert_eq!(given(0, 1, &[&[2, 1, 2], &[1, 3]]), [2, 1, 3]);
        assert_eq!(given(1, 1, &[&[2, 1, 2], &[1, 3, 1, 2]]), [2, 1]);
        assert_eq!(given(0, u64::MAX, &[&[5, 5], &[5]]), [5, 5, 5]);
        assert_eq!(given(u64::MAX, 2, &[&[5, 5]]), Vec::<i64>::new());
    }
}
