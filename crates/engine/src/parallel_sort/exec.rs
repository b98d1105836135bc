//! The operator: takes the rows of its streams in, run by run, and gives them in order, stretch by stretch.
//!
//! Where memory is refused, or a third of the query's is held, all goes to DataFusion's sort, which spills.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::utils::memory::RecordBatchMemoryCounter;
use datafusion::common::{Result, Statistics};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use gristmill_base::runtime::{self, Task};

use super::runs::{Keys, Run, Stretch, merged, stretches};
use crate::changed_task::changed;
use crate::rest_of_stream::{Ran, over_all, over_others};

/// How much is done at a time.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Of a run: the numbers that stand for its rows are in the processor's last cache.
    pub run_rows: usize,
    /// Of a stretch, which is merged at once.
    pub stretch_rows: usize,
    /// Of a stretch whose rows are wide.
    pub stretch_bytes: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { run_rows: 256 << 10, stretch_rows: 64 << 10, stretch_bytes: 16 << 20 }
    }
}

/// Stands for a sort, or for one of each stream and the merge of them, and gives what they would.
#[derive(Debug)]
pub struct ParallelSort {
    /// The sort, or what merges its streams.
    whole: Arc<dyn ExecutionPlan>,
    sort: Arc<SortExec>,
    /// Whether all streams become one.
    merges: bool,
    keys: Arc<Keys>,
    sizes: Sizes,
    metrics: ExecutionPlanMetricsSet,
    /// Sorts that all rows went to: they may have spilled.
    ran: Arc<Ran>,
}

impl ParallelSort {
    /// Of `sort`, or of `whole`, which merges its streams. `None`: its keys do not fit.
    pub fn of(whole: Arc<dyn ExecutionPlan>, sort: &SortExec, merges: bool, sizes: Sizes) -> Option<Self> {
        let keys = Arc::new(Keys::of(sort.expr(), &sort.input().schema())?);
        let (sort, metrics, ran) = (Arc::new(sort.clone()), ExecutionPlanMetricsSet::new(), Arc::default());
        Some(ParallelSort { whole, sort, merges, keys, sizes, metrics, ran })
    }
}

impl DisplayAs for ParallelSort {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParallelSort: expr=[{}], merges_streams=[{}]", self.sort.expr(), self.merges)
    }
}

impl ExecutionPlan for ParallelSort {
    fn name(&self) -> &str {
        "ParallelSort"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.whole.properties()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        // A merge has one stream of many, the sort below it says what it wants of them.
        self.sort.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.sort.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.sort.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let sort: Arc<dyn ExecutionPlan> = self.sort.clone().replace_children(children, options)?;
        let whole = match self.merges {
            true => self.whole.clone().replace_children(vec![sort.clone()], options)?,
            false => sort.clone(),
        };
        let sorted = sort.downcast_ref::<SortExec>();
        match sorted.and_then(|sort| Self::of(whole.clone(), sort, self.merges, self.sizes)) {
            Some(again) => Ok(Arc::new(again)),
            None => Ok(whole),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.sort.input();
        let partitions = match self.merges {
            true => 0..input.properties().partitioning.partition_count(),
            false => partition..partition + 1,
        };
        let streams = partitions.map(|number| input.execute(number, task.clone())).collect::<Result<Vec<_>>>()?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let (whole, sort, ran) = (self.whole.clone(), self.sort.clone(), self.ran.clone());
        let (keys, sizes, merges) = (self.keys.clone(), self.sizes, self.merges);
        let sorting = Sorting { whole, sort, merges, keys, sizes, partition, task, metrics: metrics.clone(), ran };
        let sorted = futures::stream::once(async move {
            let taken = sorting.take_in(streams).await?;
            sorting.in_order(taken)
        });
        let counted = sorted.try_flatten().inspect_ok(move |batch| metrics.record_output(batch.num_rows()));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.ran.with_spills(self.metrics.clone_inner()))
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.sort.statistics_from_inputs(inputs, args)
    }
}

/// What was taken of a stream.
struct Taken {
    runs: Vec<Run>,
    /// Those that are no run yet.
    pending: Vec<RecordBatch>,
    /// What is behind them, where there was no memory for it.
    rest: Option<SendableRecordBatchStream>,
    /// That both take.
    bytes: usize,
    reservation: MemoryReservation,
}

/// One of so many of the memory's bytes that a stream of a sort that spills may have is what one of its batches takes. It holds
/// two batches of each file that it merges, twice, and the merge of the streams two of each and their keys.
const BATCHES_OF_MEMORY: usize = 64;
/// What a stream of a sort that spills has at least, where there are several that become one: with less, each would have hardly a
/// batch, and what merges them nothing.
const SPILLING_STREAM_BYTES: usize = 32 << 20;

/// Streams of rows as so many.
fn in_lanes(streams: Vec<SendableRecordBatchStream>, lanes: usize) -> Vec<SendableRecordBatchStream> {
    let Some(schema) = streams.first().map(|stream| stream.schema()) else { return streams };
    let mut of_lane: Vec<Vec<SendableRecordBatchStream>> = (0..lanes).map(|_| Vec::new()).collect();
    streams.into_iter().enumerate().for_each(|(at, stream)| of_lane[at % lanes].push(stream));
    let joined = of_lane.into_iter().map(futures::stream::select_all);
    joined.map(|lane| Box::pin(RecordBatchStreamAdapter::new(schema.clone(), lane)) as SendableRecordBatchStream).collect()
}

impl Taken {
    fn rows(&self) -> usize {
        let of_runs: usize = self.runs.iter().map(Run::rows).sum();
        of_runs + self.pending.iter().map(RecordBatch::num_rows).sum::<usize>()
    }
}

#[derive(Clone)]
struct Sorting {
    whole: Arc<dyn ExecutionPlan>,
    sort: Arc<SortExec>,
    merges: bool,
    keys: Arc<Keys>,
    sizes: Sizes,
    partition: usize,
    task: Arc<TaskContext>,
    metrics: BaselineMetrics,
    ran: Arc<Ran>,
}

impl Sorting {
    /// Reads the streams side by side, to their ends or to that of the memory.
    async fn take_in(&self, streams: Vec<SendableRecordBatchStream>) -> Result<Vec<Taken>> {
        let is_full = Arc::new(AtomicBool::new(false));
        let most = match self.task.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => bytes / 3 / self.sort.input().properties().partitioning.partition_count().max(1),
            _ => usize::MAX,
        };
        let mut tasks = Vec::with_capacity(streams.len());
        for stream in streams {
            let consumer = MemoryConsumer::new(format!("ParallelSort[{}]", self.partition));
            let reservation = consumer.register(self.task.memory_pool());
            let (sorting, is_full) = (self.clone(), is_full.clone());
            let taking = async move { sorting.take_stream(stream, reservation, most, &is_full).await };
            tasks.push(Task::on(&runtime::cpu(), taking));
        }
        let mut taken = Vec::with_capacity(tasks.len());
        for task in tasks {
            taken.push(task.join().await??);
        }
        Ok(taken)
    }

    async fn take_stream(
        &self,
        mut stream: SendableRecordBatchStream,
        reservation: MemoryReservation,
        most: usize,
        is_full: &AtomicBool,
    ) -> Result<Taken> {
        // Batches of texts share the pages that these lie in: each counts once.
        let mut bytes = RecordBatchMemoryCounter::new();
        let (mut runs, mut pending): (Vec<Run>, Vec<RecordBatch>) = (Vec::new(), Vec::new());
        let (mut rows, mut of_runs) = (0, 0);
        while let Some(batch) = stream.next().await.transpose()? {
            if batch.num_rows() == 0 {
                continue;
            }
            bytes.count_batch(&batch);
            rows += batch.num_rows();
            pending.push(batch);
            if rows >= self.sizes.run_rows {
                rows = 0;
                runs.push(self.run(std::mem::take(&mut pending))?);
                of_runs += runs.last().map_or(0, Run::own_bytes);
            }
            let held = bytes.memory_usage() + of_runs;
            if held > most || reservation.try_resize(held).is_err() {
                is_full.store(true, Relaxed);
            }
            if is_full.load(Relaxed) {
                return Ok(Taken { runs, pending, rest: Some(stream), bytes: held, reservation });
            }
        }
        if !pending.is_empty() && !is_full.load(Relaxed) {
            runs.push(self.run(std::mem::take(&mut pending))?);
        }
        Ok(Taken { runs, pending, rest: None, bytes: bytes.memory_usage() + of_runs, reservation })
    }

    fn run(&self, batches: Vec<RecordBatch>) -> Result<Run> {
        let _timer = self.metrics.elapsed_compute().timer();
        Ok(Run::sorted(batches, &self.keys)?)
    }

    fn in_order(&self, taken: Vec<Taken>) -> Result<SendableRecordBatchStream> {
        if taken.iter().any(|stream| stream.rest.is_some()) {
            return self.spilling(taken);
        }
        let (mut runs, mut held): (Vec<Run>, Vec<MemoryReservation>) = (Vec::new(), Vec::new());
        for stream in taken {
            runs.extend(stream.runs);
            held.push(stream.reservation);
        }
        let rows: usize = runs.iter().map(Run::rows).sum();
        let bytes: usize = held.iter().map(MemoryReservation::size).sum();
        let of_stretch = self.sizes.stretch_bytes / (bytes / rows.max(1)).max(1);
        let timer = self.metrics.elapsed_compute().timer();
        let stretches = stretches(&runs, &self.keys, of_stretch.clamp(1, self.sizes.stretch_rows))?;
        timer.done();
        let lanes = self.task.session_config().target_partitions();
        let (runs, sorting) = (Arc::new(runs), self.clone());
        let jobs = futures::stream::iter(stretches).map(move |stretch| sorting.merge(runs.clone(), stretch));
        let batches = jobs.buffered(lanes.max(1)).map_ok(|batches| futures::stream::iter(batches.into_iter().map(Ok)));
        // Held until the last row is given.
        let batches = batches.try_flatten().inspect(move |_| {
            let _ = &held;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.sort.schema(), batches)))
    }

    /// Begun at once.
    fn merge(&self, runs: Arc<Vec<Run>>, stretch: Stretch) -> impl Future<Output = Result<Vec<RecordBatch>>> + Send + use<> {
        let (keys, metrics, schema) = (self.keys.clone(), self.metrics.clone(), self.sort.schema());
        let batch_rows = self.task.session_config().batch_size();
        let task = Task::on(&runtime::cpu(), async move {
            let _timer = metrics.elapsed_compute().timer();
            merged(&runs, &keys, &stretch, &schema, batch_rows)
        });
        async move { Ok(task.join().await??) }
    }

    /// All rows go to DataFusion's sort, which accounts for them from here on.
    fn spilling(&self, taken: Vec<Taken>) -> Result<SendableRecordBatchStream> {
        let input = self.sort.input();
        let partitions = input.properties().partitioning.partition_count().max(1);
        let lanes = match self.task.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) if self.merges => (bytes / SPILLING_STREAM_BYTES).clamp(1, partitions),
            _ => partitions,
        };
        let task = self.in_small_batches(&taken, lanes);
        let streams = taken.into_iter().map(|Taken { runs, pending, rest, reservation, .. }| {
            reservation.free();
            let held = runs.into_iter().flat_map(|run| run.batches).chain(pending).map(Ok);
            let rest = futures::stream::iter(rest).flatten();
            let rows = futures::stream::iter(held).chain(rest).boxed();
            Box::pin(RecordBatchStreamAdapter::new(input.schema(), rows)) as SendableRecordBatchStream
        });
        let streams: Vec<_> = streams.collect();
        let sort: Arc<dyn ExecutionPlan> = self.sort.clone();
        let (sort, mode) = match lanes < streams.len() {
            true => (over_others(&sort, input, in_lanes(streams, lanes))?, ChildrenPropertiesMode::Recompute),
            false => (over_all(&sort, input, streams)?, ChildrenPropertiesMode::Keep),
        };
        self.ran.add(&sort);
        let whole = match self.merges {
            true => self.whole.clone().replace_children(vec![sort], ReplaceChildrenOptions::new(mode))?,
            false => sort,
        };
        whole.execute(self.partition, task)
    }

    /// The task whose batches are as small as what merges many of them needs. The streams do not wait for each other with what
    /// they merge: those that came first would have all of the memory, and what merges the streams is refused the rest.
    fn in_small_batches(&self, taken: &[Taken], lanes: usize) -> Arc<TaskContext> {
        let config = self.task.session_config().clone();
        let MemoryLimit::Finite(limit) = self.task.memory_pool().memory_limit() else { return self.task.clone() };
        let rows: usize = taken.iter().map(Taken::rows).sum();
        let bytes: usize = taken.iter().map(|stream| stream.bytes).sum();
        let batch_rows = limit / lanes / BATCHES_OF_MEMORY / (bytes / rows.max(1)).max(1);
        let batch_rows = batch_rows.clamp(1, config.batch_size().max(1));
        changed(&self.task, config.with_batch_size(batch_rows), self.task.runtime_env())
    }
}
