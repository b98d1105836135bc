//! Rows in the order of their buckets.

use std::ops::Range;

use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use datafusion::common::Result;
use datafusion::common::hash_utils::{RandomState, create_hashes};

/// Not that by which rows are dealt to streams, nor that of hash tables: buckets of a stream would be alike.
const SEED: u64 = 0x6275_636b_6574_7321;
/// A batch of strings that keeps so many times the bytes it needs from being freed is copied.
const SPARE: usize = 3;

/// The rows of a batch, bucket after bucket.
pub struct Parted {
    rows: RecordBatch,
    /// Where each bucket begins, and the end.
    starts: Vec<u32>,
}

impl Parted {
    /// `keys`: so many of the first columns. `bits`: there are two to the power of it buckets.
    pub fn new(batch: &RecordBatch, keys: usize, bits: u32, hashes: &mut Vec<u64>) -> Result<Parted> {
        hashes.clear();
        hashes.resize(batch.num_rows(), 0);
        create_hashes(&batch.columns()[..keys], &RandomState::with_seed(SEED), hashes)?;
        Self::by(batch, hashes, 1 << bits, |hash| (hash >> (64 - bits)) as usize)
    }

    /// `bucket`: of a row's hash, below `buckets`.
    pub fn by(batch: &RecordBatch, hashes: &[u64], buckets: usize, bucket: impl Fn(u64) -> usize) -> Result<Parted> {
        // A counting sort.
        let mut starts = vec![0_u32; buckets + 1];
        for &hash in hashes {
            starts[bucket(hash) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0_u32; batch.num_rows()];
        for (row, &hash) in hashes.iter().enumerate() {
            let next = &mut next[bucket(hash)];
            order[*next as usize] = row as u32;
            *next += 1;
        }
        let rows = compact(&take_record_batch(batch, &UInt32Array::from(order))?)?;
        Ok(Parted { rows, starts })
    }

    fn of_buckets(&self, buckets: &Range<usize>) -> RecordBatch {
        let start = self.starts[buckets.start] as usize;
        self.rows.slice(start, self.rows_of(buckets))
    }

    /// How many rows these buckets have.
    pub fn rows_of(&self, buckets: &Range<usize>) -> usize {
        (self.starts[buckets.end] - self.starts[buckets.start]) as usize
    }

    /// All of them.
    pub fn into_rows(self) -> RecordBatch {
        self.rows
    }

    pub fn bytes(&self) -> usize {
        self.rows.get_array_memory_size() + size_of_val(&self.starts[..])
    }
}

/// A bucket's rows out of all batches, in batches of about so many rows.
pub fn bucket(parted: &[Parted], bucket: usize, batch_rows: usize) -> impl Iterator<Item = Result<RecordBatch>> {
    buckets(parted, bucket..bucket + 1, batch_rows)
}

/// Those of several buckets that follow one another.
pub fn buckets(parted: &[Parted], buckets: Range<usize>, batch_rows: usize) -> impl Iterator<Item = Result<RecordBatch>> {
    let pieces = parted.iter().map(move |parted| parted.of_buckets(&buckets));
    joined(pieces.filter(|piece| piece.num_rows() > 0), batch_rows)
}

/// Batches put together into some of about so many rows.
pub fn joined(
    pieces: impl IntoIterator<Item = RecordBatch>,
    batch_rows: usize,
) -> impl Iterator<Item = Result<RecordBatch>> {
    let mut pieces = pieces.into_iter();
    std::iter::from_fn(move || {
        let (mut next, mut rows) = (Vec::new(), 0);
        while rows < batch_rows {
            let Some(piece) = pieces.next() else { break };
            rows += piece.num_rows();
            next.push(piece);
        }
        match next.as_slice() {
            [] => None,
            [single] => Some(Ok(single.clone())),
            several => Some(concat_batches(&several[0].schema(), several).map_err(Into::into)),
        }
    })
}

/// Strings without the bytes of others that lie beside them.
fn compact(batch: &RecordBatch) -> Result<RecordBatch> {
    let column = |column: &ArrayRef| -> ArrayRef {
        let Some(views) = column.as_binary_view_opt() else { return column.clone() };
        let kept: usize = views.data_buffers().iter().map(|buffer| buffer.capacity()).sum();
        match kept > SPARE * views.total_buffer_bytes_used().max(4096) {
            true => std::sync::Arc::new(views.gc()),
            false => column.clone(),
        }
    };
    Ok(RecordBatch::try_new(batch.schema(), batch.columns().iter().map(column).collect())?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryViewArray, Int64Array};
    use arrow::datatypes::Int64Type;

    use super::*;

    #[test]
    fn every_row_is_in_one_bucket_and_rows_of_a_key_are_together() {
        let batch = |from: i64| {
            let keys: ArrayRef = Arc::new(Int64Array::from_iter_values((0..1000).map(|row| (row * 7 + from) % 300)));
            let rows: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + 1000));
            let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(
                (0..1000).map(|row| format!("a text that is not inlined {row}")),
            ));
            RecordBatch::try_from_iter([("k", keys), ("row", rows), ("text", texts)]).expect("fits")
        };
        let mut hashes = Vec::new();
        let parted: Vec<Parted> =
            [0, 1000].iter().map(|from| Parted::new(&batch(*from), 1, 4, &mut hashes).expect("parts")).collect();
        let (mut seen, mut bucket_of) = (vec![false; 2000], std::collections::BTreeMap::new());
        for at in 0..16 {
            for batch in bucket(&parted, at, 50).map(|batch| batch.expect("joins")) {
                let (keys, rows) =
                    (batch.column(0).as_primitive::<Int64Type>(), batch.column(1).as_primitive::<Int64Type>());
                for (key, row) in keys.values().iter().zip(rows.values()) {
                    assert!(!std::mem::replace(&mut seen[*row as usize], true), "row {row} twice");
                    assert_eq!(*bucket_of.entry(*key).or_insert(at), at, "key {key}");
                    assert_eq!(*key, ((row % 1000) * 7 + row / 1000 * 1000) % 300);
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen));
        let used: std::collections::BTreeSet<_> = bucket_of.values().collect();
        assert!(used.len() > 12, "{} of 16 buckets have keys", used.len());
    }
}
