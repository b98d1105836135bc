//! Futures and tasks that work for a tally.

use std::any::Any;
use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::common::runtime::{JoinSetTracer, set_join_set_tracer};
use futures::future::BoxFuture;

use super::{CURRENT, Tally, current, current_part, enter, enter_part};
use crate::operator_time::{self, StreamTime};
use crate::spending::{Spending, Wait, Woken};

/// A future that works for a tally whenever it is polled, and when it is dropped; its time is that of the operator which
/// made it, and of the part of the work within which it was made.
pub struct Counted<F> {
    tally: Option<Arc<Tally>>,
    part: Option<Arc<Tally>>,
    operator: Option<Arc<StreamTime>>,
    /// A part of the work has none: what the whole of it is polled by has.
    woken: Option<Woken>,
    /// `None` only while it is dropped.
    future: Option<Pin<Box<F>>>,
}

/// `future` works for the tally; for whichever its poller works for, where there is none. It is polled by a task that does other
/// things, too.
pub fn counted<F: Future>(tally: Option<Arc<Tally>>, future: F) -> Counted<F> {
    let woken = tally.clone().map(Woken::within_task);
    counted_by(tally, woken, future)
}

/// The same of all that a task does, which is spawned now.
pub fn counted_task<F: Future>(tally: Option<Arc<Tally>>, future: F) -> Counted<F> {
    let woken = tally.clone().map(Woken::of_task);
    counted_by(tally, woken, future)
}

fn counted_by<F: Future>(tally: Option<Arc<Tally>>, woken: Option<Woken>, future: F) -> Counted<F> {
    let part = match &tally {
        Some(tally) if Arc::as_ptr(tally) == CURRENT.with(Cell::get) => current_part(),
        _ => None,
    };
    Counted { tally, part, operator: operator_time::current(), woken, future: Some(Box::pin(future)) }
}

/// `future` is a part of the work for the tally that the calling thread works for.
pub fn counted_for_part<F: Future>(part: Arc<Tally>, future: F) -> Counted<F> {
    let operator = operator_time::current();
    Counted { tally: current(), part: Some(part), operator, woken: None, future: Some(Box::pin(future)) }
}

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Counted { tally, part, operator, woken, future } = &mut *self;
        let _entered = tally.as_ref().map(enter);
        let _part = part.as_ref().map(enter_part);
        let _frame = operator.as_ref().map(operator_time::enter);
        match (future, woken) {
            (Some(future), Some(woken)) => woken.poll(context, |context| future.as_mut().poll(context)),
            (Some(future), None) => future.as_mut().poll(context),
            (None, _) => Poll::Pending,
        }
    }
}

impl<F> Drop for Counted<F> {
    fn drop(&mut self) {
        let _entered = self.tally.as_ref().map(enter);
        let _part = self.part.as_ref().map(enter_part);
        drop(self.future.take());
        drop(self.woken.take());
    }
}

/// Has the tasks and computations that DataFusion spawns work for whoever spawned them. To be called once a process.
pub fn count_tasks_of_datafusion() {
    struct ToSpawner;

    type Value = Box<dyn Any + Send>;

    impl JoinSetTracer for ToSpawner {
        fn trace_future(&self, future: BoxFuture<'static, Value>) -> BoxFuture<'static, Value> {
            match current() {
                Some(tally) => Box::pin(counted_task(Some(tally), future)),
                None => future,
            }
        }

        fn trace_block(&self, block: Box<dyn FnOnce() -> Value + Send>) -> Box<dyn FnOnce() -> Value + Send> {
            let (operator, part) = (operator_time::current(), current_part());
            match current() {
                Some(tally) => {
                    let waiting = Spending::waiting(&tally, Wait::Thread);
                    Box::new(move || {
                        let _entered = enter(&tally);
                        drop(waiting);
                        let _part = part.as_ref().map(enter_part);
                        let _frame = operator.as_ref().map(operator_time::enter);
                        block()
                    })
                }
                None => block,
            }
        }
    }

    // An error says that it was set already.
    let _ = set_join_set_tracer(&ToSpawner);
}
