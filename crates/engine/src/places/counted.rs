//! A LIMIT that counts all rows it was taken from: what is below does not end when enough are given.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures::{Stream, StreamExt};

/// `rows` rows behind the first `skip`; `came` counts all there are.
pub(super) fn limited(
    input: SendableRecordBatchStream,
    skip: usize,
    rows: usize,
    came: Arc<AtomicU64>,
) -> impl Stream<Item = Result<RecordBatch>> + Send {
    futures::stream::try_unfold((input, skip, rows, came), |(mut input, mut skip, mut left, came)| async move {
        while let Some(batch) = input.next().await {
            let batch = batch?;
            came.fetch_add(batch.num_rows() as u64, Relaxed);
            let start = skip.min(batch.num_rows());
            skip -= start;
            let taken = left.min(batch.num_rows() - start);
            left -= taken;
            if taken > 0 {
                return Ok(Some((batch.slice(start, taken), (input, skip, left, came))));
            }
        }
        Ok(None)
    })
}
