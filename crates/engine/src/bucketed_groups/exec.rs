//! The operator: holds the states of its stream, parts them into buckets, and has DataFusion's aggregation merge each.
//!
//! Where memory is refused, or a quarter of the query's is held, all goes to that aggregation at once, which spills. Where many states of the same groups come
//! (partial aggregation gives up on rows whose keys look all different at first), held ones are merged from time to time.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::utils::memory::RecordBatchMemoryCounter;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};

use super::parting::{Parted, bucket, joined};
use crate::rest_of_stream::{Ran, aggregate_of, over};

const BITS_MAX: u32 = 10;
/// Rows of a batch of a bucket.
const BATCH_ROWS: usize = 16 << 10;
/// Rows that are parted at a time: fewer make many small pieces, more leave the processor's second cache.
const PARTED_ROWS: usize = 64 << 10;

/// How many states make a difference.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Fewer are merged as they are: the table of their groups is in the cache, or nearly.
    pub buckets_from: usize,
    /// Those of a bucket: with keys and hash table some hundred bytes each, in a processor's second cache.
    pub bucket: usize,
    /// Those that are held before it is tried whether merging them leaves fewer.
    pub reduce_from: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { buckets_from: 256 << 10, bucket: 12 << 10, reduce_from: 8 << 20 }
    }
}

/// Stands for the aggregation that it holds, and gives what that would.
#[derive(Debug)]
pub struct BucketedAggregate {
    aggregate: Arc<AggregateExec>,
    sizes: Sizes,
    metrics: ExecutionPlanMetricsSet,
    /// Aggregations that all states went to at once: they may have spilled.
    ran: Arc<Ran>,
}

impl BucketedAggregate {
    pub fn new(aggregate: AggregateExec, sizes: Sizes) -> Self {
        let (metrics, ran) = (ExecutionPlanMetricsSet::new(), Arc::default());
        BucketedAggregate { aggregate: Arc::new(aggregate), sizes, metrics, ran }
    }
}

impl DisplayAs for BucketedAggregate {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BucketedAggregate: ")?;
        self.aggregate.fmt_as(form, f)
    }
}

impl ExecutionPlan for BucketedAggregate {
    fn name(&self) -> &str {
        "BucketedAggregate"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.aggregate.properties()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.aggregate.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.aggregate.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.aggregate.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let aggregate = self.aggregate.clone().replace_children(children, options)?;
        match aggregate.downcast_ref::<AggregateExec>() {
            Some(aggregate) => Ok(Arc::new(BucketedAggregate::new(aggregate.clone(), self.sizes))),
            None => Ok(aggregate),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.aggregate.input().execute(partition, task.clone())?;
        let reservation = MemoryConsumer::new(format!("BucketedAggregate[{partition}]")).register(task.memory_pool());
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let (aggregate, ran) = (self.aggregate.clone(), self.ran.clone());
        let merging = Merging { aggregate, sizes: self.sizes, partition, task, metrics, ran };
        let merged = futures::stream::once(async move {
            let states = hold(&merging, input, reservation).await?;
            merging.merged(states)
        });
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let counted = merged.try_flatten().inspect_ok(move |batch| metrics.record_output(batch.num_rows()));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.ran.with_spills(self.metrics.clone_inner()))
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.aggregate.statistics_from_inputs(inputs, args)
    }
}

/// The states of a stream.
struct States {
    held: Vec<RecordBatch>,
    rows: usize,
    /// Those behind the ones that are held, where there is no memory to hold them.
    rest: Option<SendableRecordBatchStream>,
    reservation: MemoryReservation,
}

/// Reads the stream to its end, or to that of the memory: where that is limited, a quarter of it may be held.
async fn hold(merging: &Merging, mut input: SendableRecordBatchStream, reservation: MemoryReservation) -> Result<States> {
    let most = match merging.task.memory_pool().memory_limit() {
        MemoryLimit::Finite(bytes) => bytes / 4,
        _ => usize::MAX,
    };
    let (mut held, mut rows, mut reduce_from) = (Vec::new(), 0, merging.sizes.reduce_from);
    // Batches of texts share the pages that these lie in: each counts once.
    let mut bytes = RecordBatchMemoryCounter::new();
    while let Some(batch) = input.next().await.transpose()? {
        bytes.count_batch(&batch);
        rows += batch.num_rows();
        held.push(batch);
        if rows >= reduce_from {
            held = merging.reduced(held, rows).await?;
            rows = held.iter().map(RecordBatch::num_rows).sum();
            reduce_from = (rows * 2).max(merging.sizes.reduce_from);
            bytes = RecordBatchMemoryCounter::new();
            held.iter().for_each(|batch| {
                bytes.count_batch(batch);
            });
        }
        if bytes.memory_usage() > most || reservation.try_resize(bytes.memory_usage()).is_err() {
            return Ok(States { held, rows, rest: Some(input), reservation });
        }
    }
    Ok(States { held, rows, rest: None, reservation })
}

/// How states are merged.
#[derive(Clone)]
struct Merging {
    aggregate: Arc<AggregateExec>,
    sizes: Sizes,
    partition: usize,
    task: Arc<TaskContext>,
    metrics: BaselineMetrics,
    ran: Arc<Ran>,
}

impl Merging {
    fn merged(&self, states: States) -> Result<SendableRecordBatchStream> {
        let States { held, rows, rest, reservation } = states;
        if rest.is_some() || rows < self.sizes.buckets_from {
            // From here on the aggregation accounts for them.
            reservation.free();
            let rest = rest.into_iter().map(StreamExt::boxed);
            let rest = futures::stream::iter(rest).flatten();
            let states = futures::stream::iter(held.into_iter().map(Ok)).chain(rest).boxed();
            let states = RecordBatchStreamAdapter::new(self.aggregate.input().schema(), states);
            let plan: Arc<dyn ExecutionPlan> = self.aggregate.clone();
            let plan = over(&plan, self.aggregate.input(), Box::pin(states))?;
            self.ran.add(&plan);
            return plan.execute(self.partition, self.task.clone());
        }
        self.by_buckets(&self.aggregate, held, rows, reservation)
    }

    /// The groups of the states, one bucket after the other.
    fn by_buckets(
        &self,
        aggregate: &Arc<AggregateExec>,
        held: Vec<RecordBatch>,
        rows: usize,
        reservation: MemoryReservation,
    ) -> Result<SendableRecordBatchStream> {
        let keys = aggregate.group_expr().expr().len();
        let buckets = (rows / self.sizes.bucket.max(1)).next_power_of_two();
        let bits = buckets.trailing_zeros().clamp(1, BITS_MAX);
        let time = self.metrics.elapsed_compute().timer();
        let mut hashes = Vec::new();
        let parted = joined(held, PARTED_ROWS).map(|batch| Parted::new(&batch?, keys, bits, &mut hashes));
        let parted = Arc::new(parted.collect::<Result<Vec<_>>>()?);
        drop(time);
        let (merging, aggregate) = (self.clone(), aggregate.clone());
        let schema = aggregate.schema();
        let groups = futures::stream::iter(0..1_usize << bits).map(move |at| {
            // Held as long as buckets are left.
            let _held = &reservation;
            let batches: Vec<_> = bucket(&parted, at, BATCH_ROWS).collect();
            merging.merged_by(&aggregate, futures::stream::iter(batches).boxed())
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, groups.try_flatten())))
    }

    fn merged_by(
        &self,
        aggregate: &Arc<AggregateExec>,
        states: futures::stream::BoxStream<'static, Result<RecordBatch, DataFusionError>>,
    ) -> Result<SendableRecordBatchStream> {
        let states = Box::pin(RecordBatchStreamAdapter::new(aggregate.input().schema(), states));
        aggregate_of(aggregate, states, self.partition, self.task.clone())
    }

    /// States of the same groups, merged.
    async fn reduced(&self, held: Vec<RecordBatch>, rows: usize) -> Result<Vec<RecordBatch>> {
        let final_one = &self.aggregate;
        let reduce = AggregateExec::try_new(
            AggregateMode::PartialReduce,
            final_one.group_expr().clone(),
            final_one.aggr_expr().to_vec(),
            final_one.filter_expr().to_vec(),
            final_one.input().clone(),
            final_one.input_schema(),
        )?;
        let reservation = MemoryConsumer::new("BucketedAggregate").register(self.task.memory_pool());
        self.by_buckets(&Arc::new(reduce), held, rows, reservation)?.try_collect().await
    }
}
