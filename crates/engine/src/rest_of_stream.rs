//! An operator of DataFusion's over a stream that is there already, in the place of its input.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{MetricValue, MetricsSet};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use parking_lot::Mutex;

/// What the aggregation gives for the rows of a stream, which has the schema of its input.
pub fn aggregate_of(
    aggregate: &Arc<AggregateExec>,
    rows: SendableRecordBatchStream,
    partition: usize,
    task: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let plan: Arc<dyn ExecutionPlan> = aggregate.clone();
    over(&plan, aggregate.input(), rows)?.execute(partition, task)
}

/// The operator over one stream in the place of its input, whichever of its streams is run, and once.
pub fn over(
    operator: &Arc<dyn ExecutionPlan>,
    input: &Arc<dyn ExecutionPlan>,
    rows: SendableRecordBatchStream,
) -> Result<Arc<dyn ExecutionPlan>> {
    over_all(operator, input, vec![rows])
}

/// The operator over all streams of its input, to be run once.
pub fn over_all(
    operator: &Arc<dyn ExecutionPlan>,
    input: &Arc<dyn ExecutionPlan>,
    rows: Vec<SendableRecordBatchStream>,
) -> Result<Arc<dyn ExecutionPlan>> {
    over_streams(operator, rows, input.properties().clone(), ChildrenPropertiesMode::Keep)
}

/// The operator over other streams than its input has, whose rows have no order and lie anywhere, to be run once.
pub fn over_others(
    operator: &Arc<dyn ExecutionPlan>,
    input: &Arc<dyn ExecutionPlan>,
    rows: Vec<SendableRecordBatchStream>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let of_rows = EquivalenceProperties::new(input.schema());
    let partitioning = Partitioning::UnknownPartitioning(rows.len());
    let properties = PlanProperties::new(of_rows, partitioning, EmissionType::Incremental, Boundedness::Bounded);
    over_streams(operator, rows, Arc::new(properties), ChildrenPropertiesMode::Recompute)
}

fn over_streams(
    operator: &Arc<dyn ExecutionPlan>,
    rows: Vec<SendableRecordBatchStream>,
    properties: Arc<PlanProperties>,
    of_operator: ChildrenPropertiesMode,
) -> Result<Arc<dyn ExecutionPlan>> {
    let streams = rows.into_iter().map(|rows| Mutex::new(Some(rows))).collect();
    let rest: Arc<dyn ExecutionPlan> = Arc::new(RestOfStream { streams, properties });
    operator.clone().replace_children(vec![rest], ReplaceChildrenOptions::new(of_operator))
}

/// Operators that were run in the place of one, which counts what they count.
#[derive(Debug, Default)]
pub struct Ran(Mutex<Vec<Arc<dyn ExecutionPlan>>>);

impl Ran {
    pub fn add(&self, plan: &Arc<dyn ExecutionPlan>) {
        self.0.lock().push(plan.clone());
    }

    /// With all that they count.
    pub fn with(&self, own: MetricsSet) -> MetricsSet {
        self.added(own, |_| true)
    }

    /// With what they spilled and held in memory: the rest is counted already.
    pub fn with_spills(&self, own: MetricsSet) -> MetricsSet {
        self.added(own, |value| {
            matches!(
                value,
                MetricValue::SpillCount(_)
                    | MetricValue::SpilledBytes(_)
                    | MetricValue::SpilledRows(_)
                    | MetricValue::PeakMemoryUsage { .. }
            )
        })
    }

    fn added(&self, mut own: MetricsSet, is_wanted: impl Fn(&MetricValue) -> bool) -> MetricsSet {
        let of_others: Vec<MetricsSet> = self.0.lock().iter().filter_map(|plan| plan.metrics()).collect();
        let wanted = of_others.iter().flat_map(|set| set.iter()).filter(|metric| is_wanted(metric.value()));
        wanted.for_each(|metric| own.push(metric.clone()));
        own
    }
}

/// Streams as a plan, to be run once; a single one is that of any number.
struct RestOfStream {
    streams: Vec<Mutex<Option<SendableRecordBatchStream>>>,
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

    fn execute(&self, number: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let stream = self.streams.get(if self.streams.len() == 1 { 0 } else { number });
        match stream.and_then(|stream| stream.lock().take()) {
            Some(stream) => Ok(stream),
            None => internal_err!("The rest of a stream is read twice"),
        }
    }
}
