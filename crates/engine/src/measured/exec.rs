//! The wrapper of an operator.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use gristmill_base::operator_time::{self, OperatorTime};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Counters, QueryContext};
use gristmill_mergetree::read::late_rows::LateRows;
use parking_lot::Mutex;

use super::stream::{MeasuredStream, StreamCounts};
use super::told::{Teller, Told};
use crate::changed_task::changed;
use crate::transparent::{Transparent, Wrapper};

/// An operator whose streams are measured.
pub(super) type Measured = Transparent<Measuring>;

/// Its figures go on in what becomes of the operator: the term of a recursion is made anew for each step.
#[derive(Default)]
pub(super) struct Measuring {
    counts: Arc<OperatorCounts>,
}

/// What is counted of an operator.
#[derive(Default)]
pub(super) struct OperatorCounts {
    pub time: Arc<OperatorTime>,
    /// In the order in which they began: those of a recursion begin again and again.
    streams: Mutex<Vec<Arc<StreamCounts>>>,
    own: Mutex<Option<Own>>,
    /// What of it the query's log has.
    pub told: Told,
}

/// What an operator that reads tables and files runs under: the query's context with counters of its own.
struct Own {
    of: Arc<TaskContext>,
    task: Arc<TaskContext>,
    counters: Arc<Counters>,
}

/// The task of whoever reads the operator: its inputs do not count for it.
struct Outside(Arc<TaskContext>);

/// The task without an operator's own counters.
fn outside(task: Arc<TaskContext>) -> Arc<TaskContext> {
    match task.session_config().get_extension::<Outside>() {
        Some(outside) => outside.0.clone(),
        None => task,
    }
}

impl OperatorCounts {
    pub fn streams(&self) -> Vec<Arc<StreamCounts>> {
        self.streams.lock().clone()
    }

    pub fn counters(&self) -> Option<Arc<Counters>> {
        self.own.lock().as_ref().map(|own| own.counters.clone())
    }

    fn stream(&self, partition: usize, is_exact: bool) -> Arc<StreamCounts> {
        let mut streams = self.streams.lock();
        if let Some(known) = streams.iter().find(|stream| stream.partition == partition) {
            return known.clone();
        }
        let stream = Arc::new(StreamCounts::new(partition, self.time.clone(), is_exact));
        streams.push(stream.clone());
        stream
    }

    fn own_task(&self, task: &Arc<TaskContext>) -> Result<Arc<TaskContext>> {
        let mut own = self.own.lock();
        if let Some(known) = own.as_ref().filter(|known| Arc::ptr_eq(&known.of, task)) {
            return Ok(known.task.clone());
        }
        let context = QueryContext::of(task)?;
        let context = match own.as_ref() {
            Some(known) => context.with_counters(known.counters.clone()),
            None => context.of_work(),
        };
        let counters = context.counters.clone();
        let config = task.session_config().clone().with_extension(context).with_extension(Arc::new(Outside(task.clone())));
        let made = Own { of: task.clone(), counters, task: changed(task, config, task.runtime_env()) };
        Ok(own.insert(made).task.clone())
    }
}

impl Measuring {
    pub fn counts(&self) -> &OperatorCounts {
        &self.counts
    }
}

/// Whether an operator reads something, of which its counters tell.
fn is_source(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let is_empty = || plan.is::<PlaceholderRowExec>() || plan.is::<EmptyExec>();
    (plan.children().is_empty() && !is_empty()) || plan.is::<LateRows>()
}

impl Wrapper for Measuring {
    fn again(&self) -> Self {
        Measuring { counts: self.counts.clone() }
    }

    fn execute(
        &self,
        inner: &Arc<dyn ExecutionPlan>,
        partition: usize,
        task: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let task = outside(task);
        let context = QueryContext::of(&task)?;
        let is_exact = context.plans.are_wanted();
        let counts = self.counts.stream(partition, is_exact);
        let teller = context
            .is_told(Level::DEBUG)
            .then(|| Teller::new(Transparent::around(inner.clone(), self.again()), context.clone()));
        let task = if is_source(inner) { self.counts.own_task(&task)? } else { task };
        // Tasks that are spawned here work for it as well.
        let frame = operator_time::enter(&counts.time);
        let stream = inner.execute(partition, task);
        frame.close();
        Ok(Box::pin(MeasuredStream::new(stream?, counts, is_exact, teller)))
    }
}
