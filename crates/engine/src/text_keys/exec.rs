//! The operator: groups each input stream in a task of its own, then gives each output stream its share of the groups of all.
//!
//! It stands for three operators: the aggregation of each stream, the exchange by the hash of the key, and the aggregation that merges
//! states. Nothing is exchanged: the hash that chose a group's slot tells its output stream too, the one that the exchange would
//! have dealt it to, as what comes behind may count on that.
//!
//! When memory for the groups of a stream is refused, the three take over: the groups so far go to the exchange as states, those of the
//! other streams as soon as they are over or refused as well, and the merging aggregation spills.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_datafusion_err, internal_err};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties, ReplaceChildrenOptions,
};
use futures::{FutureExt, StreamExt, TryStreamExt};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::groups::Groups;
use super::merge::Buckets;
use super::outcome::{Decision, Outcome};
use crate::pieces::pieces;
use crate::rest_of_stream::{Ran, over_all};

/// Batches of states under way from a stream to the exchange.
const STATES_AHEAD: usize = 2;

/// Stands for the merging aggregation that it holds, and gives what that would.
#[derive(Debug)]
pub struct TextKeyAggregate {
    last: Arc<AggregateExec>,
    exchange: Arc<dyn ExecutionPlan>,
    partial: Arc<AggregateExec>,
    run: Mutex<Starting>,
    metrics: ExecutionPlanMetricsSet,
    /// The operators that took over.
    ran: Arc<Ran>,
}

impl TextKeyAggregate {
    /// `last` merges what `exchange` gives it, which has its rows from `partial`.
    pub fn new(last: AggregateExec, exchange: Arc<dyn ExecutionPlan>, partial: AggregateExec) -> Self {
        TextKeyAggregate {
            last: Arc::new(last),
            exchange,
            partial: Arc::new(partial),
            run: Mutex::default(),
            metrics: ExecutionPlanMetricsSet::new(),
            ran: Arc::default(),
        }
    }

    /// The run that all output streams share; begins it with the first of them.
    fn run(&self, task: &Arc<TaskContext>) -> Result<Arc<Run>> {
        let mut starting = self.run.lock();
        let run = match &*starting {
            Starting::Not => Arc::new(Run::new(self, task.clone())?),
            Starting::Begun(run, _) => run.clone(),
            Starting::Over => return internal_err!("An aggregation by a text is run twice"),
        };
        let begun = if let Starting::Begun(_, begun) = &*starting { begun + 1 } else { 1 };
        // Behind the last output stream it is theirs alone, and ends with them.
        *starting = match begun == self.last.properties().partitioning.partition_count() {
            true => Starting::Over,
            false => Starting::Begun(run.clone(), begun),
        };
        Ok(run)
    }
}

#[derive(Debug, Default)]
enum Starting {
    #[default]
    Not,
    /// With so many output streams.
    Begun(Arc<Run>, usize),
    Over,
}

impl DisplayAs for TextKeyAggregate {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextKeyAggregate: ")?;
        self.partial.fmt_as(form, f)
    }
}

impl ExecutionPlan for TextKeyAggregate {
    fn name(&self) -> &str {
        "TextKeyAggregate"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.last.properties()
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
        let last = self.last.clone().replace_children(vec![exchange.clone()], anew())?;
        match (last.downcast_ref::<AggregateExec>(), partial.downcast_ref::<AggregateExec>()) {
            (Some(last), Some(partial)) => Ok(Arc::new(TextKeyAggregate::new(last.clone(), exchange, partial.clone()))),
            _ => Ok(last),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let run = self.run(&task)?;
        let batch_rows = task.session_config().batch_size();
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let counting = metrics.clone();
        let results = futures::stream::once(async move { run.results(partition, metrics).await }).try_flatten();
        let pieces = results.map_ok(move |batch| {
            counting.record_output(batch.num_rows());
            futures::stream::iter(pieces(batch, batch_rows).map(Ok))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), pieces.try_flatten())))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.ran.with_spills(self.metrics.clone_inner()))
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        // The exchange between them changes no row.
        self.last.statistics_from_inputs(&[self.partial.statistics_from_inputs(inputs, args)?], args)
    }
}

/// What the streams of one run share.
struct Run {
    /// Input streams, until somebody asks for results; then the tasks that read them.
    reading: Mutex<Reading>,
    outcome: Arc<Outcome>,
    partitions: usize,
    last: Arc<AggregateExec>,
    /// The operators that take over where memory is short.
    fallback: Arc<dyn ExecutionPlan>,
    ran: Arc<Ran>,
    task: Arc<TaskContext>,
}

enum Reading {
    Not(Vec<Stream>),
    Begun(#[expect(dead_code, reason = "they end when they are dropped")] Vec<SpawnedTask<()>>),
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
}

impl Run {
    fn new(operator: &TextKeyAggregate, task: Arc<TaskContext>) -> Result<Run> {
        let TextKeyAggregate { last, exchange, partial, metrics, ran, .. } = operator;
        let inputs = partial.input().output_partitioning().partition_count();
        let outcome = Arc::new(Outcome::new(inputs));
        let (mut streams, mut states) = (Vec::new(), Vec::new());
        for number in 0..inputs {
            let input = partial.input().execute(number, task.clone())?;
            // Counted among those that spill: what they leave free is for the operators that take over.
            let consumer = MemoryConsumer::new(format!("TextKeyAggregate[{number}]")).with_can_spill(true);
            let reservation = consumer.register(task.memory_pool());
            let groups = Groups::new(partial, reservation)?;
            let (to_exchange, from_stream) = mpsc::channel(STATES_AHEAD);
            let metrics = BaselineMetrics::new(metrics, number);
            let batch_rows = task.session_config().batch_size();
            streams.push(Stream { number, input, groups, outcome: outcome.clone(), to_exchange, metrics, batch_rows });
            let received =
                futures::stream::unfold(from_stream, async |mut from_stream| Some((from_stream.recv().await?, from_stream)));
            let received: SendableRecordBatchStream = Box::pin(RecordBatchStreamAdapter::new(partial.schema(), received));
            states.push(received);
        }
        let aggregation: Arc<dyn ExecutionPlan> = partial.clone();
        let exchange = over_all(exchange, &aggregation, states)?;
        let keep = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
        let fallback = last.clone().replace_children(vec![exchange], keep)?;
        let reading = Mutex::new(Reading::Not(streams));
        let partitions = last.properties().partitioning.partition_count();
        Ok(Run { reading, outcome, partitions, last: last.clone(), fallback, ran: ran.clone(), task })
    }

    /// Reading in tasks: an output stream is not to wait for the others to be polled.
    fn begin(&self) {
        let mut reading = self.reading.lock();
        if let Reading::Not(streams) = &mut *reading {
            let tasks = std::mem::take(streams).into_iter().map(|stream| SpawnedTask::spawn(stream.read())).collect();
            *reading = Reading::Begun(tasks);
        }
    }

    async fn results(self: Arc<Self>, partition: usize, metrics: BaselineMetrics) -> Result<SendableRecordBatchStream> {
        self.begin();
        let schema = self.last.schema();
        match self.outcome.decided().await? {
            Decision::Merge(streams) => {
                let time = metrics.elapsed_compute().timer();
                let buckets = Buckets::new(streams, partition, self.partitions);
                drop(time);
                let last = self.last.clone();
                let results = futures::stream::iter(0..buckets.count()).map(move |bucket| {
                    let _time = metrics.elapsed_compute().timer();
                    buckets.merged(bucket, &last)
                });
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, results)))
            }
            Decision::HandOver => {
                if partition == 0 {
                    self.ran.add(&self.fallback);
                }
                let rest = self.fallback.execute(partition, self.task.clone())?;
                // The tasks that read are the run's, and end with it.
                let rest = rest.inspect(move |_| {
                    let _ = &self;
                });
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rest)))
            }
        }
    }
}

/// An input stream and its groups.
struct Stream {
    number: usize,
    input: SendableRecordBatchStream,
    groups: Groups,
    outcome: Arc<Outcome>,
    /// Where states go when the others take over.
    to_exchange: mpsc::Sender<Result<RecordBatch>>,
    metrics: BaselineMetrics,
    batch_rows: usize,
}

impl Stream {
    async fn read(self) {
        let (outcome, to_exchange) = (self.outcome.clone(), self.to_exchange.clone());
        let read = AssertUnwindSafe(self.group()).catch_unwind().await;
        let read = read.unwrap_or_else(|_| Err(internal_datafusion_err!("An aggregation by a text panicked")));
        if let Err(error) = read {
            // Where the exchange is at work, it hands the error on.
            if let Err(error) = outcome.fail(error) {
                let _ = to_exchange.send(Err(error)).await;
            }
        }
    }

    async fn group(mut self) -> Result<()> {
        while let Some(batch) = self.input.next().await.transpose()? {
            let time = self.metrics.elapsed_compute().timer();
            self.groups.add(&batch)?;
            let has_room = self.groups.has_room();
            drop(time);
            if !has_room {
                self.outcome.hand_over();
                if let Some(states) = self.groups.take()? {
                    send(&self.to_exchange, states, self.batch_rows).await;
                }
            }
        }
        let time = self.metrics.elapsed_compute().timer();
        let finished = self.groups.finished()?;
        drop(time);
        if let Some(finished) = self.outcome.put(self.number, finished).await
            && let Some(states) = finished.into_batch()?
        {
            send(&self.to_exchange, states, self.batch_rows).await;
        }
        Ok(())
    }
}

async fn send(to_exchange: &mpsc::Sender<Result<RecordBatch>>, states: RecordBatch, batch_rows: usize) {
    for piece in pieces(states, batch_rows) {
        // Nobody wants them any more where that fails.
        if to_exchange.send(Ok(piece)).await.is_err() {
            return;
        }
    }
}
