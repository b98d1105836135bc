//! What tells the rows of one INSERT apart from those of another: the blocks that a view writes do not, as the counts of
//! different rows may be equal. Two sums over the hashes of the rows, of the order and the cutting of which nothing
//! depends, and their number.

use arrow::array::RecordBatch;
use datafusion::common::hash_utils::{QualityRandomState, with_hashes};
use gristmill_base::Result;
use gristmill_functions::hash::int_hash_64;

const SEEDS: [u64; 2] = [1, 2];

#[derive(Debug, Default)]
pub(crate) struct Content {
    rows: u64,
    sums: [u64; 2],
}

impl Content {
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() == 0 {
            return Ok(());
        }
        self.rows += batch.num_rows() as u64;
        for (sum, seed) in self.sums.iter_mut().zip(SEEDS) {
            let added = with_hashes(batch.columns(), &QualityRandomState::with_seed(seed), |hashes| {
                // The hashes of a row's columns are put together by a sum: without another hash over it, values could change
                // places between rows.
                Ok(hashes.iter().fold(0u64, |sum, hash| sum.wrapping_add(int_hash_64(*hash))))
            })?;
            *sum = sum.wrapping_add(added);
        }
        Ok(())
    }

    pub fn id(&self) -> String {
        format!("{:016x}{:016x}_{}", self.sums[0], self.sums[1], self.rows)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array};

    use super::*;

    fn id(batches: &[&[(i64, i64)]]) -> String {
        let mut content = Content::default();
        for rows in batches {
            let column = |of: fn(&(i64, i64)) -> i64| Arc::new(rows.iter().map(of).collect::<Int64Array>()) as ArrayRef;
            let batch = RecordBatch::try_from_iter([("a", column(|row| row.0)), ("b", column(|row| row.1))]).unwrap();
            content.add(&batch).unwrap();
        }
        content.id()
    }

    #[test]
    fn rows_decide_and_not_how_they_came() {
        let one = id(&[&[(1, 2), (3, 4), (5, 6)]]);
        assert_eq!(id(&[&[(5, 6)], &[(3, 4), (1, 2)]]), one);
        for other in [id(&[&[(1, 2), (3, 4)]]), id(&[&[(1, 4), (3, 2), (5, 6)]]), id(&[&[(1, 2), (3, 4), (5, 7)]])] {
            assert_ne!(other, one);
        }
    }
}
