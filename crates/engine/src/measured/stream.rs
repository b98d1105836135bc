//! A stream that is measured.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use futures::Stream;
use gristmill_base::operator_time::{self, OperatorTime, StreamTime};
use gristmill_introspect::operators::{Amount, StreamFigures};
use gristmill_types::measure::{batch_bytes, batch_bytes_about};

use super::told::Teller;

/// What is counted of one stream; others read it while it runs. Alone in its lines of the cache, as other streams are other cores'.
#[repr(align(64))]
pub(super) struct StreamCounts {
    pub partition: usize,
    pub time: Arc<StreamTime>,
    batches: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
    inputs_nanos: AtomicU64,
    pending_nanos: AtomicU64,
    output_wait_nanos: AtomicU64,
}

impl StreamCounts {
    /// `is_exact`: it is counted how many streams of the operator run at once.
    pub fn new(partition: usize, operator: Arc<OperatorTime>, is_exact: bool) -> Self {
        StreamCounts {
            partition,
            time: StreamTime::of(operator, is_exact),
            batches: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            inputs_nanos: AtomicU64::new(0),
            pending_nanos: AtomicU64::new(0),
            output_wait_nanos: AtomicU64::new(0),
        }
    }

    pub fn figures(&self) -> StreamFigures {
        let nanos = |count: &AtomicU64| Duration::from_nanos(count.load(Relaxed));
        StreamFigures {
            partition: self.partition,
            output: Amount {
                batches: self.batches.load(Relaxed),
                rows: self.rows.load(Relaxed),
                bytes: self.bytes.load(Relaxed),
            },
            elapsed: self.time.own(),
            whole: self.time.whole(),
            inputs: nanos(&self.inputs_nanos),
            pending: nanos(&self.pending_nanos),
            output_wait: nanos(&self.output_wait_nanos),
        }
    }
}

/// What a stream does while it is not polled.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    /// It was not polled yet, or is over.
    Nothing,
    WaitsForInput,
    WaitsForOutput,
}

pub(super) struct MeasuredStream {
    inner: SendableRecordBatchStream,
    counts: Arc<StreamCounts>,
    between: Between,
    /// Since when.
    since: u64,
    /// Whether bytes are those of every row.
    is_exact: bool,
    /// Tells the query's log of the operator, where anybody listens.
    teller: Option<Teller>,
}

impl MeasuredStream {
    pub fn new(inner: SendableRecordBatchStream, counts: Arc<StreamCounts>, is_exact: bool, teller: Option<Teller>) -> Self {
        MeasuredStream { inner, counts, between: Between::Nothing, since: 0, is_exact, teller }
    }
}

impl Stream for MeasuredStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let counts = &this.counts;
        let frame = operator_time::enter(&counts.time);
        let waited = frame.begun().saturating_sub(this.since);
        match this.between {
            Between::Nothing => {}
            Between::WaitsForInput => _ = counts.pending_nanos.fetch_add(waited, Relaxed),
            Between::WaitsForOutput => _ = counts.output_wait_nanos.fetch_add(waited, Relaxed),
        }
        let polled = this.inner.as_mut().poll_next(context);
        let closed = frame.close();
        counts.inputs_nanos.fetch_add(closed.within.as_nanos() as u64, Relaxed);
        this.since = closed.at;
        this.between = match &polled {
            Poll::Pending => Between::WaitsForInput,
            Poll::Ready(Some(Ok(batch))) => {
                counts.batches.fetch_add(1, Relaxed);
                counts.rows.fetch_add(batch.num_rows() as u64, Relaxed);
                let bytes = if this.is_exact { batch_bytes(batch) } else { batch_bytes_about(batch) };
                counts.bytes.fetch_add(bytes, Relaxed);
                Between::WaitsForOutput
            }
            Poll::Ready(_) => Between::Nothing,
        };
        if let Some(teller) = &mut this.teller {
            match &polled {
                Poll::Ready(Some(Ok(_))) => teller.gave_rows(),
                Poll::Ready(None) => teller.ended(),
                Poll::Ready(Some(Err(_))) | Poll::Pending => {}
            }
        }
        polled
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

impl RecordBatchStream for MeasuredStream {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }
}
