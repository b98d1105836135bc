//! The wrapper of an operator that spills sooner: it runs it over a pool that refuses.

use std::sync::Arc;

use datafusion::common::{Result, internal_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;

use super::pool::{SpillingPool, TakenIn};
use crate::changed_task::changed;
use crate::rest_of_stream::{Ran, over};
use crate::transparent::Wrapper;

/// Goes to disk from so many bytes on.
pub struct SpillsSooner {
    bytes: u64,
    /// What was run in the place of the operator.
    ran: Ran,
}

impl SpillsSooner {
    pub fn beyond(bytes: u64) -> Self {
        SpillsSooner { bytes, ran: Ran::default() }
    }
}

/// The task over another pool.
fn with_pool(task: &TaskContext, pool: Arc<SpillingPool>) -> Arc<TaskContext> {
    let runtime = RuntimeEnv { memory_pool: pool, ..task.runtime_env().as_ref().clone() };
    changed(task, task.session_config().clone(), Arc::new(runtime))
}

impl Wrapper for SpillsSooner {
    fn again(&self) -> Self {
        SpillsSooner::beyond(self.bytes)
    }

    fn execute(
        &self,
        inner: &Arc<dyn ExecutionPlan>,
        partition: usize,
        task: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let [input] = inner.children()[..] else { return internal_err!("An operator that spills has one input") };
        let streams = input.properties().partitioning.partition_count().max(1) as u64;
        let pool = SpillingPool::new(task.memory_pool().clone(), (self.bytes / streams).max(1) as usize);
        let rows = Box::pin(TakenIn { rows: input.execute(partition, task.clone())?, pool: pool.clone() });
        let plan = over(inner, input, rows)?;
        // A sort made over another input counts where the first does.
        if !inner.is::<SortExec>() {
            self.ran.add(&plan);
        }
        plan.execute(partition, with_pool(&task, pool))
    }

    fn metrics(&self, inner: &Arc<dyn ExecutionPlan>) -> Option<MetricsSet> {
        Some(self.ran.with(inner.metrics().unwrap_or_default()))
    }
}
