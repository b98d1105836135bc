//! A pool that refuses an operator what goes beyond a limit of its own, and asks the query's for the rest.
//!
//! It refuses once for each batch that the operator takes in, and only who holds something already: so what an operator needs for
//! spilling, and for merging what it spilled, is the query's to refuse.

use std::fmt::{self, Display};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use futures::Stream;

/// Of one stream of an operator.
#[derive(Debug)]
pub struct SpillingPool {
    query: Arc<dyn MemoryPool>,
    most: usize,
    used: AtomicUsize,
    /// A batch came in since the last refusal.
    may_refuse: AtomicBool,
}

impl SpillingPool {
    pub fn new(query: Arc<dyn MemoryPool>, most: usize) -> Arc<SpillingPool> {
        Arc::new(SpillingPool { query, most, used: AtomicUsize::new(0), may_refuse: AtomicBool::new(false) })
    }
}

/// What a sort sets aside for merging is not what it has to merge.
fn counts(consumer: &MemoryConsumer) -> bool {
    !consumer.name().contains("Merge")
}

impl Display for SpillingPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes before the disk", self.used.load(Relaxed), self.most)
    }
}

impl MemoryPool for SpillingPool {
    fn name(&self) -> &str {
        "before the disk"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.query.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.query.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.query.grow(reservation, additional);
        if counts(reservation.consumer()) {
            self.used.fetch_add(additional, Relaxed);
        }
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.query.shrink(reservation, shrink);
        if counts(reservation.consumer()) {
            self.used.fetch_sub(shrink, Relaxed);
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let counts = counts(reservation.consumer());
        let is_beyond = || self.used.load(Relaxed).saturating_add(additional) > self.most;
        if counts && reservation.size() > 0 && is_beyond() && self.may_refuse.swap(false, Relaxed) {
            let text = format!("{} bytes may be kept before the disk", self.most);
            return Err(DataFusionError::ResourcesExhausted(text));
        }
        self.query.try_grow(reservation, additional)?;
        if counts {
            self.used.fetch_add(additional, Relaxed);
        }
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.query.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.query.memory_limit()
    }
}

/// The rows that an operator takes in, which tell its pool when it may refuse.
pub struct TakenIn {
    pub rows: SendableRecordBatchStream,
    pub pool: Arc<SpillingPool>,
}

impl Stream for TakenIn {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.rows.as_mut().poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(_))) => self.pool.may_refuse.store(true, Relaxed),
            Poll::Ready(_) => self.pool.may_refuse.store(false, Relaxed),
            Poll::Pending => {}
        }
        polled
    }
}

impl RecordBatchStream for TakenIn {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}
