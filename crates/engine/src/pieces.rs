//! Batches in pieces.

use arrow::array::RecordBatch;

/// A batch in some of at most so many rows; none of a batch without rows.
pub fn pieces(batch: RecordBatch, rows: usize) -> impl Iterator<Item = RecordBatch> {
    (0..batch.num_rows()).step_by(rows).map(move |start| batch.slice(start, rows.min(batch.num_rows() - start)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, UInt64Array};

    use super::*;

    #[test]
    fn a_block_is_cut_and_no_row_of_it_is_lost() {
        let numbers: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..10));
        let block = RecordBatch::try_from_iter([("n", numbers)]).expect("a block");
        let rows = |most| pieces(block.clone(), most).map(|piece| piece.num_rows());
        assert_eq!(rows(4).collect::<Vec<_>>(), [4, 4, 2]);
        assert_eq!(rows(10).collect::<Vec<_>>(), [10]);
    }
}
