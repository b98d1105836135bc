//! The branches of a UNION ALL one behind the other, as they are written.
//!
//! ClickHouse runs branches side by side and takes rows from whichever is ready, but those of few rows come out in the order of the
//! text. All branches are begun at once here, each puts up to `BATCHES_AHEAD` batches aside, and rows are taken from the first that
//! has not ended: branches that are no longer than that lose nothing. A longer one would wait for those before it, and cores idle
//! meanwhile, so that the order is kept only where every branch is known to be small, by its plan's own statistics.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PhysicalExpr, PlanProperties,
};
use futures::StreamExt;
use gristmill_base::runtime::{self, Task};

/// What every branch holds at most.
const ROWS_OF_SMALL: usize = 65_536;
const BATCHES_AHEAD: usize = 8;

/// Whether every branch is known to have few rows.
pub fn is_small(union: &UnionExec) -> Result<bool> {
    for branch in union.children() {
        let statistics = StatisticsContext::new().compute(branch.as_ref(), &StatisticsArgs::new())?;
        if statistics.num_rows.get_value().is_none_or(|rows| *rows > ROWS_OF_SMALL) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[derive(Debug)]
pub struct InTurnExec {
    union: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl InTurnExec {
    pub fn new(union: Arc<dyn ExecutionPlan>) -> InTurnExec {
        let below = union.properties();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(union.schema()),
            Partitioning::UnknownPartitioning(1),
            below.emission_type,
            below.boundedness,
        );
        InTurnExec { union, properties: Arc::new(properties) }
    }
}

impl DisplayAs for InTurnExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InTurnExec")
    }
}

impl ExecutionPlan for InTurnExec {
    fn name(&self) -> &str {
        "InTurnExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.union]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let union = children.pop().unwrap_or_else(|| self.union.clone());
        Ok(Arc::new(InTurnExec::new(union)))
    }

    fn execute(&self, _: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let count = self.union.output_partitioning().partition_count();
        let mut branches = Vec::with_capacity(count);
        for partition in 0..count {
            branches.push(begun(self.union.execute(partition, task.clone())?));
        }
        let rows = futures::stream::iter(branches).flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}

/// A stream that computes before it is asked.
fn begun(mut stream: SendableRecordBatchStream) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<RecordBatch>>(BATCHES_AHEAD);
    let task = Task::on(&runtime::cpu(), async move {
        while let Some(batch) = stream.next().await {
            let failed = batch.is_err();
            if sender.send(batch).await.is_err() || failed {
                return;
            }
        }
    });
    futures::stream::unfold((receiver, Some(task)), |(mut receiver, mut task)| async move {
        match receiver.recv().await {
            Some(batch) => Some((batch, (receiver, task))),
            None => {
                // The channel closes when the task ends: by its last row, or by a panic, which must not look like the end.
                let ended = task.take()?.join().await;
                ended.err().map(|error| (Err(error.into()), (receiver, None)))
            }
        }
    })
    .boxed()
}
