//! The operator: parts the rows of each input stream in a task of its own, then gives each output stream its share of the groups, one
//! part after the other.
//!
//! The first stream that has seen enough rows tells by their keys how all go on. Where keys repeat, where rows are few, and where
//! memory for the rows is refused, the operators that this one stands for take over: what was held goes to them first, then the
//! rest of the streams. An output stream has the groups that the exchange would have dealt to it, as what comes behind may count on that.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use arrow::array::RecordBatch;
use datafusion::common::hash_utils::create_hashes;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::repartition::REPARTITION_RANDOM_STATE;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties, ReplaceChildrenOptions,
};
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, StreamExt, TryStreamExt};
use gristmill_base::runtime::{self, Task};
use parking_lot::Mutex;

use crate::bucketed_groups::parting::{Parted, buckets, joined};
use crate::rest_of_stream::{Ran, aggregate_of, over_all};

/// Parts of an output stream are made of so many, as many at a time as have rows for one.
const PARTS: usize = 512;
/// Rows of a part that is grouped at once: with keys, states and hash table in a processor's second cache.
const PART_ROWS: usize = 12 << 10;
/// Rows that are parted at a time: fewer make many small pieces, more leave the processor's second cache.
const PARTED_ROWS: usize = 64 << 10;
/// Rows of a batch that is grouped.
const BATCH_ROWS: usize = 16 << 10;

/// Stands for the merging aggregation that it holds, and gives what that would.
#[derive(Debug)]
pub struct PartedAggregate {
    whole: Arc<dyn ExecutionPlan>,
    exchange: Arc<dyn ExecutionPlan>,
    partial: Arc<AggregateExec>,
    /// Groups rows at once.
    single: Arc<AggregateExec>,
    run: Mutex<Option<Run>>,
    metrics: ExecutionPlanMetricsSet,
    /// The operators that took over.
    ran: Arc<Ran>,
}

/// The rows of all streams, once they are there, for all output streams.
type Rows = Shared<BoxFuture<'static, std::result::Result<Arc<Outcome>, Arc<DataFusionError>>>>;

struct Run {
    rows: Rows,
    /// So many output streams have it.
    begun: usize,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
}

impl PartedAggregate {
    /// `whole` merges what `exchange` gives it, which has its rows from `partial`. `None`: one step would have another schema than both.
    pub fn of(
        whole: Arc<dyn ExecutionPlan>,
        exchange: Arc<dyn ExecutionPlan>,
        partial: &AggregateExec,
    ) -> Result<Option<PartedAggregate>> {
        let single = AggregateExec::try_new(
            AggregateMode::Single,
            partial.group_expr().clone(),
            partial.aggr_expr().to_vec(),
            partial.filter_expr().to_vec(),
            partial.input().clone(),
            partial.input_schema(),
        )?;
        if single.schema() != whole.schema() {
            return Ok(None);
        }
        let (partial, single) = (Arc::new(partial.clone()), Arc::new(single));
        let (run, metrics, ran) = (Mutex::default(), ExecutionPlanMetricsSet::new(), Arc::default());
        Ok(Some(PartedAggregate { whole, exchange, partial, single, run, metrics, ran }))
    }

    fn partitions(&self) -> usize {
        self.whole.properties().partitioning.partition_count()
    }

    /// Begun with the first output stream; behind the last one it is theirs alone, and ends with them.
    fn rows(&self, task: &Arc<TaskContext>) -> Result<Rows> {
        let mut run = self.run.lock();
        let (rows, begun) = match run.take() {
            Some(run) => (run.rows, run.begun + 1),
            None => (self.begin(task)?, 1),
        };
        if begun < self.partitions() {
            *run = Some(Run { rows: rows.clone(), begun });
        }
        Ok(rows)
    }

    fn begin(&self, task: &Arc<TaskContext>) -> Result<Rows> {
        let input = self.partial.input();
        let inputs = input.output_partitioning().partition_count();
        let streams = (0..inputs).map(|number| input.execute(number, task.clone())).collect::<Result<Vec<_>>>()?;
        let options = &task.session_config().options().execution;
        let taking = Taking {
            whole: self.whole.clone(),
            exchange: self.exchange.clone(),
            partial: self.partial.clone(),
            partitions: self.partitions(),
            probe_rows: options.skip_partial_aggregation_probe_rows_threshold.max(1),
            probe_ratio: options.skip_partial_aggregation_probe_ratio_threshold,
            way: Arc::default(),
            metrics: BaselineMetrics::new(&self.metrics, 0),
        };
        let (task, ran) = (task.clone(), self.ran.clone());
        let rows = async move { taking.all(streams, &task, &ran).await.map(Arc::new).map_err(Arc::new) };
        Ok(rows.boxed().shared())
    }
}

impl DisplayAs for PartedAggregate {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartedAggregate: ")?;
        self.partial.fmt_as(form, f)
    }
}

impl ExecutionPlan for PartedAggregate {
    fn name(&self) -> &str {
        "PartedAggregate"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.whole.properties()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.partial.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.partial.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.partial.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let partial = self.partial.clone().replace_children(children, options)?;
        let anew = || ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let exchange = self.exchange.clone().replace_children(vec![partial.clone()], anew())?;
        let whole = self.whole.clone().replace_children(vec![exchange.clone()], anew())?;
        let again = match partial.downcast_ref::<AggregateExec>() {
            Some(partial) => Self::of(whole.clone(), exchange, partial)?,
            None => None,
        };
        Ok(again.map_or(whole, |again| Arc::new(again)))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let rows = self.rows(&task)?;
        let (single, metrics) = (self.single.clone(), BaselineMetrics::new(&self.metrics, partition));
        let groups = futures::stream::once(async move {
            match &*rows.await.map_err(DataFusionError::Shared)? {
                Outcome::HandedOver(plan) => plan.execute(partition, task),
                Outcome::Parted(parted) => Ok(parted.groups(&single, partition, task)),
            }
        });
        let counted = groups.try_flatten().inspect_ok(move |batch| metrics.record_output(batch.num_rows()));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.ran.with_spills(self.metrics.clone_inner()))
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.single.statistics_from_inputs(inputs, args)
    }
}

/// What became of the rows.
enum Outcome {
    Parted(PartedRows),
    /// The operators that go on with them.
    HandedOver(Arc<dyn ExecutionPlan>),
}

/// Those of all streams, by output stream and part.
#[derive(Clone)]
struct PartedRows {
    rows: Arc<Vec<Parted>>,
    /// Held as long as they are.
    _reservations: Arc<Vec<MemoryReservation>>,
}

impl PartedRows {
    fn groups(&self, single: &Arc<AggregateExec>, partition: usize, task: Arc<TaskContext>) -> SendableRecordBatchStream {
        let all = partition * PARTS..(partition + 1) * PARTS;
        let rows: usize = self.rows.iter().map(|parted| parted.rows_of(&all)).sum();
        let count = (rows / PART_ROWS).next_power_of_two().clamp(1, PARTS);
        let (this, single, schema) = (self.clone(), single.clone(), single.schema());
        let groups = futures::stream::iter(0..count).map(move |at| {
            let first = all.start + at * (PARTS / count);
            let batches: Vec<_> = buckets(&this.rows, first..first + PARTS / count, BATCH_ROWS).collect();
            let rows = RecordBatchStreamAdapter::new(single.input().schema(), futures::stream::iter(batches));
            aggregate_of(&single, Box::pin(rows), partition, task.clone())
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, groups.try_flatten()))
    }
}

/// How the streams go on.
#[derive(Default)]
struct Way(AtomicU8);

impl Way {
    const PARTING: u8 = 1;
    const HANDING_OVER: u8 = 2;

    fn is_open(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    fn is_parting(&self) -> bool {
        self.0.load(Relaxed) == Self::PARTING
    }

    fn is_handing_over(&self) -> bool {
        self.0.load(Relaxed) == Self::HANDING_OVER
    }

    /// The first stream to say it decides.
    fn decide(&self, parts: bool) {
        let way = if parts { Self::PARTING } else { Self::HANDING_OVER };
        let _ = self.0.compare_exchange(0, way, Relaxed, Relaxed);
    }

    fn hand_over(&self) {
        self.0.store(Self::HANDING_OVER, Relaxed);
    }
}

/// What was taken of a stream.
struct Taken {
    parted: Vec<Parted>,
    pending: Vec<RecordBatch>,
    /// What is behind them, where others go on.
    rest: Option<SendableRecordBatchStream>,
    reservation: MemoryReservation,
}

/// How rows are taken in.
#[derive(Clone)]
struct Taking {
    whole: Arc<dyn ExecutionPlan>,
    exchange: Arc<dyn ExecutionPlan>,
    partial: Arc<AggregateExec>,
    /// Output streams.
    partitions: usize,
    /// How many rows tell whether keys repeat, and the share of different ones from which they do not.
    probe_rows: usize,
    probe_ratio: f64,
    way: Arc<Way>,
    metrics: BaselineMetrics,
}

impl Taking {
    async fn all(self, streams: Vec<SendableRecordBatchStream>, task: &Arc<TaskContext>, ran: &Arc<Ran>) -> Result<Outcome> {
        // A quarter of the memory, of all streams together.
        let most = match task.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => bytes / 4 / streams.len().max(1),
            _ => usize::MAX,
        };
        let mut tasks = Vec::with_capacity(streams.len());
        for (number, stream) in streams.into_iter().enumerate() {
            let consumer = MemoryConsumer::new(format!("PartedAggregate[{number}]")).with_can_spill(true);
            let reservation = consumer.register(task.memory_pool());
            let taking = self.clone();
            let take = async move { taking.take(stream, reservation, most).await };
            tasks.push(Task::on(&runtime::cpu(), take));
        }
        let mut taken = Vec::with_capacity(tasks.len());
        for task in tasks {
            taken.push(task.join().await??);
        }
        if !self.way.is_parting() {
            let plan = self.handed_over(taken)?;
            ran.add(&plan);
            return Ok(Outcome::HandedOver(plan));
        }
        let (mut rows, mut reservations) = (Vec::new(), Vec::new());
        for stream in taken {
            rows.extend(stream.parted);
            // Streams that ended before it was decided.
            if !stream.pending.is_empty() {
                self.part(stream.pending, &mut rows)?;
            }
            reservations.push(stream.reservation);
        }
        Ok(Outcome::Parted(PartedRows { rows: Arc::new(rows), _reservations: Arc::new(reservations) }))
    }

    async fn take(
        &self,
        mut stream: SendableRecordBatchStream,
        reservation: MemoryReservation,
        most: usize,
    ) -> Result<Taken> {
        let (mut parted, mut pending) = (Vec::new(), Vec::new());
        let (mut rows, mut bytes, mut parted_bytes) = (0, 0, 0);
        while let Some(batch) = stream.next().await.transpose()? {
            rows += batch.num_rows();
            bytes += batch.get_array_memory_size();
            pending.push(batch);
            if self.way.is_open() && rows >= self.probe_rows {
                self.way.decide(self.is_many(&pending, rows)?);
            }
            if self.way.is_parting() && rows >= PARTED_ROWS {
                let before = parted.len();
                self.part(std::mem::take(&mut pending), &mut parted)?;
                parted_bytes += parted[before..].iter().map(Parted::bytes).sum::<usize>();
                (rows, bytes) = (0, 0);
            }
            let held = bytes + parted_bytes;
            if held > most || reservation.try_resize(held).is_err() {
                self.way.hand_over();
            }
            if self.way.is_handing_over() {
                return Ok(Taken { parted, pending, rest: Some(stream), reservation });
            }
        }
        if self.way.is_parting() && !pending.is_empty() {
            self.part(std::mem::take(&mut pending), &mut parted)?;
        }
        Ok(Taken { parted, pending, rest: None, reservation })
    }

    fn part(&self, batches: Vec<RecordBatch>, out: &mut Vec<Parted>) -> Result<()> {
        let _timer = self.metrics.elapsed_compute().timer();
        let mut hashes = Vec::new();
        let (partitions, places) = (self.partitions as u64, self.partitions * PARTS);
        for batch in joined(batches.into_iter().filter(|batch| batch.num_rows() > 0), PARTED_ROWS) {
            let batch = batch?;
            self.hash(&batch, &mut hashes)?;
            let place = |hash: u64| (hash % partitions) as usize * PARTS + (hash >> (64 - PARTS.trailing_zeros())) as usize;
            out.push(Parted::by(&batch, &hashes, places, place)?);
        }
        Ok(())
    }

    /// The hashes by which a `RepartitionExec` deals rows to streams.
    fn hash(&self, batch: &RecordBatch, hashes: &mut Vec<u64>) -> Result<()> {
        let rows = batch.num_rows();
        let key = |key: Arc<dyn PhysicalExpr>| key.evaluate(batch)?.into_array(rows);
        let keys = self.partial.group_expr().input_exprs().into_iter().map(key).collect::<Result<Vec<_>>>()?;
        hashes.clear();
        hashes.resize(rows, 0);
        create_hashes(&keys, REPARTITION_RANDOM_STATE.random_state(), hashes)?;
        Ok(())
    }

    /// Whether so many of the keys are different that grouping a stream by itself leaves nearly all. Counted by a map of bits (K. Whang,
    /// B. Vander-Zanden, H. Taylor, "A linear-time probabilistic counting algorithm for database applications", 1990).
    fn is_many(&self, batches: &[RecordBatch], rows: usize) -> Result<bool> {
        let bits = (rows * 8).next_power_of_two().max(64);
        let mut seen = vec![0_u64; bits / 64];
        let mut hashes = Vec::new();
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            self.hash(batch, &mut hashes)?;
            for hash in &hashes {
                let bit = (hash >> (64 - bits.trailing_zeros())) as usize;
                seen[bit / 64] |= 1 << (bit % 64);
            }
        }
        let free = bits - seen.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let different = -(bits as f64) * (free.max(1) as f64 / bits as f64).ln();
        Ok(different >= self.probe_ratio * rows as f64)
    }

    /// The operators that this one stands for, over what was taken and the rest.
    fn handed_over(&self, taken: Vec<Taken>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = self.partial.input();
        let streams = taken.into_iter().map(|Taken { parted, pending, rest, reservation }| {
            // From here on they account for the rows.
            reservation.free();
            let held = parted.into_iter().map(Parted::into_rows).chain(pending).map(Ok);
            let rest = futures::stream::iter(rest).flatten();
            let rows = futures::stream::iter(held).chain(rest);
            Box::pin(RecordBatchStreamAdapter::new(input.schema(), rows)) as SendableRecordBatchStream
        });
        let partial: Arc<dyn ExecutionPlan> = self.partial.clone();
        let partial = over_all(&partial, input, streams.collect())?;
        let keep = || ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
        let exchange = self.exchange.clone().replace_children(vec![partial], keep())?;
        self.whole.clone().replace_children(vec![exchange], keep())
    }
}
