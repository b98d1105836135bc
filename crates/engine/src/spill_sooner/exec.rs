//! The wrapper of an operator that spills sooner: it is the operator to all who ask, and runs it over a pool that refuses.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};

use super::pool::{SpillingPool, TakenIn};
use crate::rest_of_stream::{Ran, over};

/// Goes to disk from so many bytes on.
pub struct SpillsSooner {
    inner: Arc<dyn ExecutionPlan>,
    bytes: u64,
    /// What was run in the place of the operator.
    ran: Ran,
}

impl SpillsSooner {
    pub fn new(inner: Arc<dyn ExecutionPlan>, bytes: u64) -> Self {
        SpillsSooner { inner, bytes, ran: Ran::default() }
    }
}

/// The task over another pool.
fn with_pool(task: &TaskContext, pool: Arc<SpillingPool>) -> Arc<TaskContext> {
    let runtime = RuntimeEnv { memory_pool: pool, ..task.runtime_env().as_ref().clone() };
    // Functions are looked up by their names where a plan is read from bytes, never where one runs.
    Arc::new(TaskContext::new(
        task.task_id(),
        task.session_id(),
        task.session_config().clone(),
        HashMap::new(),
        HashMap::new(),
        HashMap::new(),
        HashMap::new(),
        Arc::new(runtime),
    ))
}

impl fmt::Debug for SpillsSooner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl DisplayAs for SpillsSooner {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(kind, f)
    }
}

impl ExecutionPlan for SpillsSooner {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(self.inner.as_ref())
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
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
        let inner = self.inner.clone().replace_children(children, options)?;
        Ok(Arc::new(SpillsSooner::new(inner, self.bytes)))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SpillsSooner::new(self.inner.clone().reset_state()?, self.bytes)))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let [input] = self.inner.children()[..] else { return internal_err!("An operator that spills has one input") };
        let streams = input.properties().partitioning.partition_count().max(1) as u64;
        let pool = SpillingPool::new(task.memory_pool().clone(), (self.bytes / streams).max(1) as usize);
        let rows = Box::pin(TakenIn { rows: input.execute(partition, task.clone())?, pool: pool.clone() });
        let plan = over(&self.inner, input, rows)?;
        // A sort made over another input counts where the first does.
        if !self.inner.is::<SortExec>() {
            self.ran.add(&plan);
        }
        plan.execute(partition, with_pool(&task, pool))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.ran.with(self.inner.metrics().unwrap_or_default()))
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.inner.statistics_from_inputs(inputs, args)
    }

    fn fetch(&self) -> Option<usize> {
        self.inner.fetch()
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        self.inner.cardinality_effect()
    }
}
