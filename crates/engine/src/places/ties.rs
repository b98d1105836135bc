//! LIMIT WITH TIES behind WITH FILL: rows in their order go through until enough are given and one sorts otherwise than the last of
//! them. What is below ends then, however long it would have gone on.

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures::{Stream, StreamExt};

pub(super) struct Ties {
    converter: RowConverter,
    keys: Vec<usize>,
    /// Rows that are still to be skipped and given.
    skip: usize,
    rows: usize,
    /// The keys of the last row, once it is given.
    last: Option<OwnedRow>,
    is_done: bool,
}

impl Ties {
    /// `keys`: the columns by which rows are ties. Errors: a column of a type that does not sort.
    pub fn new(schema: &SchemaRef, keys: Vec<usize>, skip: usize, rows: usize) -> Result<Ties> {
        let fields = keys.iter().map(|key| SortField::new(schema.field(*key).data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        Ok(Ties { converter, keys, skip, rows, last: None, is_done: rows == 0 })
    }

    /// The rows that are given, as they come.
    pub fn of(self, input: SendableRecordBatchStream) -> impl Stream<Item = Result<RecordBatch>> + Send {
        futures::stream::try_unfold((input, self), |(mut input, mut ties)| async move {
            while !ties.is_done {
                let Some(batch) = input.next().await else { break };
                let given = ties.cut(&batch?)?;
                if given.num_rows() > 0 {
                    return Ok(Some((given, (input, ties))));
                }
            }
            Ok(None)
        })
    }

    /// The rows of a batch that are given.
    fn cut(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let start = self.skip.min(batch.num_rows());
        self.skip -= start;
        let taken = self.rows.min(batch.num_rows() - start);
        self.rows -= taken;
        let mut end = start + taken;
        if self.rows == 0 {
            let columns: Vec<ArrayRef> = self.keys.iter().map(|key| batch.column(*key).clone()).collect();
            let keys = self.converter.convert_columns(&columns)?;
            if taken > 0 {
                self.last = Some(keys.row(end - 1).owned());
            }
            let is_tie = |row: usize| self.last.as_ref().is_some_and(|last| keys.row(row) == last.row());
            while end < batch.num_rows() && is_tie(end) {
                end += 1;
            }
            self.is_done = end < batch.num_rows();
        }
        Ok(batch.slice(start, end - start))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::{DataType, Field, Int64Type, Schema};

    use super::*;

    fn given(skip: usize, rows: usize, batches: &[&[i64]]) -> (Vec<i64>, bool) {
        let schema = Arc::new(Schema::new(vec![Field::new("k", DataType::Int64, false)]));
        let mut ties = Ties::new(&schema, vec![0], skip, rows).expect("a type that sorts");
        let mut out = Vec::new();
        for batch in batches {
            if ties.is_done {
                break;
            }
            let column: ArrayRef = Arc::new(Int64Array::from(batch.to_vec()));
            let batch = RecordBatch::try_from_iter([("k", column)]).expect("a batch");
            let batch = ties.cut(&batch).expect("rows");
            out.extend_from_slice(batch.column(0).as_primitive::<Int64Type>().values());
        }
        (out, ties.is_done)
    }

    #[test]
    fn ties_go_on_into_the_next_batch() {
        assert_eq!(given(0, 2, &[&[1, 2], &[2, 2, 3], &[3]]), (vec![1, 2, 2, 2], true));
        assert_eq!(given(1, 1, &[&[1, 2], &[2]]), (vec![2, 2], false));
        assert_eq!(given(3, 1, &[&[1, 2], &[2, 5, 5, 6]]), (vec![5, 5], true));
        assert_eq!(given(0, 0, &[&[1]]), (vec![], true));
        assert_eq!(given(0, 9, &[&[1], &[]]), (vec![1], false));
    }
}
