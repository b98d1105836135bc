//! An aggregation of DataFusion's over a stream that is there already, in the place of its input.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use parking_lot::Mutex;

/// What the aggregation gives for the rows of a stream, which has the schema of its input.
pub fn aggregate_of(
    aggregate: &Arc<AggregateExec>,
    rows: SendableRecordBatchStream,
    partition: usize,
    task: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let properties = aggregate.input().properties().clone();
    let rest: Arc<dyn ExecutionPlan> = Arc::new(RestOfStream { stream: Mutex::new(Some(rows)), properties });
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
    aggregate.clone().replace_children(vec![rest], options)?.execute(partition, task)
}

/// A stream as a plan, to be run once.
struct RestOfStream {
    stream: Mutex<Option<SendableRecordBatchStream>>,
    properties: Arc<PlanProperties>,
}

impl fmt::Debug for RestOfStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RestOfStream")
    }
}

impl DisplayAs for RestOfStream {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RestOfStream")
    }
}

impl ExecutionPlan for RestOfStream {
    fn name(&self) -> &str {
        "RestOfStream"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Some(stream) = self.stream.lock().take() else { return internal_err!("The rest of a stream is read twice") };
        Ok(stream)
    }
}
