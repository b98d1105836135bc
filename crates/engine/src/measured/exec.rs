//! The wrapper of an operator.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::execution_plan::{CardinalityEffect, InvariantLevel};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};
use gristmill_base::operator_time::{self, OperatorTime};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Counters, QueryContext};
use gristmill_mergetree::read::late_rows::LateRows;
use parking_lot::Mutex;

use super::stream::{MeasuredStream, StreamCounts};
use super::told::{Teller, Told};

/// An operator whose streams are measured.
pub(super) struct Measured {
    inner: Arc<dyn ExecutionPlan>,
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

    fn stream(&self, partition: usize) -> Arc<StreamCounts> {
        let mut streams = self.streams.lock();
        if let Some(known) = streams.iter().find(|stream| stream.partition == partition) {
            return known.clone();
        }
        let stream = Arc::new(StreamCounts::new(partition, self.time.clone()));
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
        let made = Own {
            of: task.clone(),
            counters: context.counters.clone(),
            // Functions are looked up by their names where a plan is read from bytes, never where one runs.
            task: Arc::new(TaskContext::new(
                task.task_id(),
                task.session_id(),
                task.session_config().clone().with_extension(context).with_extension(Arc::new(Outside(task.clone()))),
                HashMap::new(),
                HashMap::new(),
                HashMap::new(),
                HashMap::new(),
                task.runtime_env(),
            )),
        };
        Ok(own.insert(made).task.clone())
    }
}

impl Measured {
    pub fn new(inner: Arc<dyn ExecutionPlan>) -> Self {
        Measured { inner, counts: Arc::default() }
    }

    pub fn inner(&self) -> &Arc<dyn ExecutionPlan> {
        &self.inner
    }

    pub fn counts(&self) -> &OperatorCounts {
        &self.counts
    }

    /// The operator with what has become of it: its figures go on. (The term of a recursion is made anew for each step.)
    fn with(&self, inner: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Arc::new(Measured { inner, counts: self.counts.clone() })
    }

    /// Whether it reads something, of which its counters tell.
    fn is_source(&self) -> bool {
        let is_empty = || self.inner.is::<PlaceholderRowExec>() || self.inner.is::<EmptyExec>();
        (self.inner.children().is_empty() && !is_empty()) || self.inner.is::<LateRows>()
    }
}

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl DisplayAs for Measured {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(kind, f)
    }
}

impl ExecutionPlan for Measured {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(self.inner.as_ref())
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn check_invariants(&self, check: InvariantLevel) -> Result<()> {
        self.inner.check_invariants(check)
    }

    fn dynamic_expressions_produced(&self) -> Vec<Arc<dyn PhysicalExpr>> {
        self.inner.dynamic_expressions_produced()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.inner.input_distribution_requirements()
    }

    fn required_input_ordering(&self) -> Vec<Option<datafusion::physical_expr::OrderingRequirements>> {
        self.inner.required_input_ordering()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.inner.maintains_input_order()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        self.inner.benefits_from_input_partitioning()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inner.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.with(self.inner.clone().replace_children(children, options)?))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.with(self.inner.clone().reset_state()?))
    }

    fn with_new_state(&self, state: Arc<dyn Any + Send + Sync>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(self.with(self.inner.with_new_state(state)?))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let counts = self.counts.stream(partition);
        let task = outside(task);
        let context = QueryContext::of(&task)?;
        let is_exact = context.plans.are_wanted();
        let teller = context.is_told(Level::DEBUG).then(|| {
            Teller::new(Arc::new(Measured { inner: self.inner.clone(), counts: self.counts.clone() }), context.clone())
        });
        let task = if self.is_source() { self.counts.own_task(&task)? } else { task };
        // Tasks that are spawned here work for it as well.
        let frame = operator_time::enter(&counts.time);
        let stream = self.inner.execute(partition, task);
        frame.close();
        Ok(Box::pin(MeasuredStream::new(stream?, counts, is_exact, teller)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.inner.metrics()
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.inner.statistics_from_inputs(inputs, args)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.inner.child_stats_requests(partition)
    }

    fn supports_limit_pushdown(&self) -> bool {
        self.inner.supports_limit_pushdown()
    }

    fn fetch(&self) -> Option<usize> {
        self.inner.fetch()
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        self.inner.cardinality_effect()
    }
}
