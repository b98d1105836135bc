//! A LIMIT that counts from the last row, or takes a part of all.

use std::collections::VecDeque;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::row::{OwnedRow, RowConverter, Rows, SortField};
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::StreamExt;
use gristmill_sql::lower::places::Place;

pub(super) struct Slice {
    skip: Place,
    rows: Option<Place>,
    /// Columns by which rows are ties.
    ties: Option<Vec<usize>>,
    reservation: MemoryReservation,
}

impl Slice {
    pub fn new(skip: Place, rows: Option<Place>, ties: Option<Vec<usize>>, reservation: MemoryReservation) -> Slice {
        Slice { skip, rows, ties, reservation }
    }

    /// How many of the last rows are wanted at most. `None`: any row may be.
    fn of_last(&self) -> Option<usize> {
        match (self.skip, self.rows, &self.ties) {
            (Place::First(_), Some(Place::Last(rows)), None) => Some(rows),
            (Place::Last(skip), Some(Place::Last(rows)), None) => skip.checked_add(rows),
            _ => None,
        }
    }

    /// The rows that are given. Errors: those of the input and of memory.
    pub async fn of(self, mut input: SendableRecordBatchStream) -> Result<Vec<RecordBatch>> {
        let mut batches: VecDeque<RecordBatch> = VecDeque::new();
        // Rows that came, and of those the ones that are kept.
        let (mut all, mut held) = (0, 0);
        while let Some(batch) = input.next().await {
            let batch = batch?;
            all += batch.num_rows();
            held += batch.num_rows();
            self.reservation.try_grow(batch.get_array_memory_size())?;
            batches.push_back(batch);
            let Some(most) = self.of_last() else { continue };
            while let Some(first) = batches.front()
                && held - first.num_rows() >= most
            {
                held -= first.num_rows();
                self.reservation.shrink(first.get_array_memory_size().min(self.reservation.size()));
                batches.pop_front();
            }
        }
        let (mut start, mut end) = Place::range(self.skip, self.rows, all);
        let gone = all - held;
        if let Some(keys) = &self.ties
            && start < end
        {
            (start, end) = self.with_ties(&batches, keys, start, end, all)?;
        }
        Ok(cut(batches, start.saturating_sub(gone), end.saturating_sub(gone)))
    }

    /// The range with the rows beside it that sort as the one at its end.
    fn with_ties(
        &self,
        batches: &VecDeque<RecordBatch>,
        keys: &[usize],
        start: usize,
        end: usize,
        all: usize,
    ) -> Result<(usize, usize)> {
        let Some(first) = batches.front() else { return Ok((start, end)) };
        if keys.is_empty() {
            return Ok((start, end));
        }
        let schema = first.schema();
        let fields = keys.iter().map(|key| SortField::new(schema.field(*key).data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        let mut compared: Vec<Rows> = Vec::with_capacity(batches.len());
        for batch in batches {
            let columns: Vec<ArrayRef> = keys.iter().map(|key| batch.column(*key).clone()).collect();
            compared.push(converter.convert_columns(&columns)?);
        }
        let key = |mut row: usize| -> Option<OwnedRow> {
            for rows in &compared {
                if row < rows.num_rows() {
                    return Some(rows.row(row).owned());
                }
                row -= rows.num_rows();
            }
            None
        };
        let from_the_end = matches!(self.rows, Some(Place::Last(_)));
        let (mut start, mut end) = (start, end);
        if from_the_end {
            let (lowest, _) = Place::range(self.skip, None, all);
            let edge = key(start);
            while start > lowest && key(start - 1) == edge {
                start -= 1;
            }
        } else {
            let edge = key(end - 1);
            while end < all && key(end) == edge {
                end += 1;
            }
        }
        Ok((start, end))
    }
}

/// The rows from `start` up to `end`.
fn cut(batches: VecDeque<RecordBatch>, mut start: usize, end: usize) -> Vec<RecordBatch> {
    let mut left = end.saturating_sub(start);
    let mut out = Vec::new();
    for batch in batches {
        let rows = batch.num_rows();
        if start >= rows {
            start -= rows;
            continue;
        }
        let taken = left.min(rows - start);
        if taken == 0 {
            break;
        }
        out.push(batch.slice(start, taken));
        (start, left) = (0, left - taken);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::Int64Type;
    use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, UnboundedMemoryPool};
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;

    use super::*;

    async fn given(skip: Place, rows: Option<Place>, ties: bool, batches: &[&[i64]]) -> Vec<i64> {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let batches: Vec<RecordBatch> = batches
            .iter()
            .map(|values| {
                let column: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
                RecordBatch::try_from_iter([("k", column)]).expect("a batch")
            })
            .collect();
        let schema = batches[0].schema();
        let input = Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter(batches.into_iter().map(Ok))));
        let slice = Slice::new(skip, rows, ties.then(|| vec![0]), MemoryConsumer::new("test").register(&pool));
        let rows = slice.of(input).await.expect("rows");
        rows.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
    }

    #[tokio::test]
    async fn rows_are_cut_out_over_batches() {
        let batches: &[&[i64]] = &[&[1, 2], &[], &[3, 4, 5], &[6]];
        let (first, last) = (Place::First, Place::Last);
        assert_eq!(given(first(0), Some(last(2)), false, batches).await, [5, 6]);
        assert_eq!(given(last(1), Some(last(3)), false, batches).await, [3, 4, 5]);
        assert_eq!(given(last(2), None, false, batches).await, [1, 2, 3, 4]);
        assert_eq!(given(first(5), Some(last(3)), false, batches).await, [6]);
        assert_eq!(given(last(9), Some(first(3)), false, batches).await, Vec::<i64>::new());
        assert_eq!(given(Place::Part(0.5_f64.to_bits()), Some(first(2)), false, batches).await, [4, 5]);
    }

    #[tokio::test]
    async fn ties_go_on_where_the_count_ends() {
        let batches: &[&[i64]] = &[&[1, 1], &[1, 2, 2], &[2, 3]];
        let (first, last) = (Place::First, Place::Last);
        assert_eq!(given(first(0), Some(last(2)), true, batches).await, [2, 2, 2, 3]);
        assert_eq!(given(last(1), Some(last(1)), true, batches).await, [2, 2, 2]);
        assert_eq!(given(first(4), Some(last(2)), true, batches).await, [2, 2, 3]);
        assert_eq!(given(last(5), Some(first(1)), true, batches).await, [1, 1, 1]);
    }
}
