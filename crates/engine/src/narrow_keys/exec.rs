//! The operator: reads all rows of a stream into one accumulator a function, then gives a row a group: states where the
//! aggregation goes on elsewhere, results where it does not.
//!
//! When memory for the states is refused, those of an aggregation that goes on elsewhere are given at once and begin
//! anew; others fail. When a row comes whose keys have no code, the states are given, and the rest of the stream is left
//! to the hash table: the keys turned out to be wide.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, Statistics, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateOutputMode};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};

use super::codes::KeyCodes;
use crate::accumulators::Accumulators;
use crate::pieces::pieces;
use crate::rest_of_stream::aggregate_of;

/// No group has this code yet.
const NONE: u32 = u32::MAX;

/// Stands for the aggregation that it holds, and gives what that would.
#[derive(Debug)]
pub struct NarrowKeyAggregate {
    aggregate: Arc<AggregateExec>,
    codes: KeyCodes,
    metrics: ExecutionPlanMetricsSet,
}

impl NarrowKeyAggregate {
    /// Fails where the keys are not narrow.
    pub fn new(aggregate: AggregateExec) -> Result<Self> {
        let keys = aggregate.group_expr().input_exprs();
        let Some(codes) = KeyCodes::new(&keys, &aggregate.input().schema())? else {
            return internal_err!("The keys of a GROUP BY are not narrow");
        };
        Ok(NarrowKeyAggregate { aggregate: Arc::new(aggregate), codes, metrics: ExecutionPlanMetricsSet::new() })
    }
}

impl DisplayAs for NarrowKeyAggregate {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NarrowKeyAggregate: ")?;
        self.aggregate.fmt_as(form, f)
    }
}

impl ExecutionPlan for NarrowKeyAggregate {
    fn name(&self) -> &str {
        "NarrowKeyAggregate"
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
            Some(aggregate) => Ok(Arc::new(NarrowKeyAggregate::new(aggregate.clone())?)),
            None => Ok(aggregate),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.aggregate.input().execute(partition, task.clone())?;
        let reservation = MemoryConsumer::new(format!("NarrowKeyAggregate[{partition}]")).register(task.memory_pool());
        let groups = Groups::new(&self.aggregate, self.codes.clone(), reservation)?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batch_size = task.session_config().batch_size();
        let aggregate = self.aggregate.clone();
        let state = Stage::Grouping(input, Box::new(groups));
        let batches = futures::stream::try_unfold(state, move |stage| {
            let (metrics, aggregate, task) = (metrics.clone(), aggregate.clone(), task.clone());
            async move {
                let (mut input, mut groups) = match stage {
                    Stage::Grouping(input, groups) => (input, groups),
                    Stage::Hashing(mut rest) => {
                        return Ok(rest.next().await.transpose()?.map(|batch| (batch, Stage::Hashing(rest))));
                    }
                    Stage::Done => return Ok::<_, DataFusionError>(None),
                };
                while let Some(batch) = input.next().await.transpose()? {
                    let _time = metrics.elapsed_compute().timer();
                    if !groups.add(&batch)? {
                        let rest = hashed(&aggregate, batch, input, partition, task)?;
                        return Ok(Some((groups.take()?, Stage::Hashing(rest))));
                    }
                    if let Some(early) = groups.make_room()? {
                        return Ok(Some((early, Stage::Grouping(input, groups))));
                    }
                }
                let _time = metrics.elapsed_compute().timer();
                let all = groups.take()?;
                metrics.record_output(all.num_rows());
                Ok(Some((all, Stage::Done)))
            }
        });
        let cut = batches.map_ok(move |batch| futures::stream::iter(pieces(batch, batch_size).map(Ok)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), cut.try_flatten())))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.aggregate.statistics_from_inputs(inputs, args)
    }
}

enum Stage {
    Grouping(SendableRecordBatchStream, Box<Groups>),
    Hashing(SendableRecordBatchStream),
    Done,
}

/// The aggregation of the rest of a stream by a hash table.
fn hashed(
    aggregate: &Arc<AggregateExec>,
    first: RecordBatch,
    input: SendableRecordBatchStream,
    partition: usize,
    task: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let stream = futures::stream::iter([Ok(first)]).chain(input);
    let stream = Box::pin(RecordBatchStreamAdapter::new(aggregate.input().schema(), stream));
    aggregate_of(aggregate, stream, partition, task)
}

/// The groups of one stream.
struct Groups {
    schema: SchemaRef,
    keys: Vec<Arc<dyn PhysicalExpr>>,
    gives_states: bool,
    accumulators: Accumulators,
    codes: KeyCodes,
    /// By code, the number of its group.
    group_of: Vec<u32>,
    /// By group, its keys; by batch that brought new ones, then by key.
    found: Vec<Vec<ArrayRef>>,
    count: usize,
    reservation: MemoryReservation,
    // Kept between batches.
    row_codes: Vec<u32>,
    row_groups: Vec<usize>,
}

impl Groups {
    fn new(aggregate: &AggregateExec, codes: KeyCodes, reservation: MemoryReservation) -> Result<Self> {
        let keys = aggregate.group_expr().input_exprs();
        reservation.try_grow(codes.count() * size_of::<u32>())?;
        Ok(Groups {
            schema: aggregate.schema(),
            gives_states: aggregate.mode().output_mode() == AggregateOutputMode::Partial,
            accumulators: Accumulators::new(aggregate)?,
            keys,
            group_of: vec![NONE; codes.count()],
            codes,
            found: Vec::new(),
            count: 0,
            reservation,
            row_codes: Vec::new(),
            row_groups: Vec::new(),
        })
    }

    /// False: a row's keys have no code. Nothing of the batch was taken then.
    fn add(&mut self, batch: &RecordBatch) -> Result<bool> {
        if batch.num_rows() == 0 {
            return Ok(true);
        }
        let values = |expr: &Arc<dyn PhysicalExpr>| expr.evaluate(batch)?.into_array(batch.num_rows());
        let keys = self.keys.iter().map(values).collect::<Result<Vec<_>>>()?;
        if !self.codes.of(&keys, &mut self.row_codes)? {
            return Ok(false);
        }
        self.row_groups.clear();
        let mut new: Vec<u32> = Vec::new();
        for (row, code) in self.row_codes.iter().enumerate() {
            let group = &mut self.group_of[*code as usize];
            if *group == NONE {
                *group = (self.count + new.len()) as u32;
                new.push(row as u32);
            }
            self.row_groups.push(*group as usize);
        }
        if !new.is_empty() {
            self.count += new.len();
            let new = UInt32Array::from(new);
            let keys = keys.iter().map(|keys| arrow::compute::take(keys, &new, None));
            self.found.push(keys.collect::<std::result::Result<_, _>>()?);
        }
        self.accumulators.update(batch, &self.row_groups, self.count)?;
        Ok(true)
    }

    fn bytes(&self) -> usize {
        let keys = self.found.iter().flatten().map(|keys| keys.get_array_memory_size()).sum::<usize>();
        let rows = self.row_codes.capacity() * size_of::<u32>() + self.row_groups.capacity() * size_of::<usize>();
        self.group_of.len() * size_of::<u32>() + keys + rows + self.accumulators.bytes()
    }

    /// Accounts for the states. Where there is no memory for them, they are given if that is possible.
    fn make_room(&mut self) -> Result<Option<RecordBatch>> {
        match self.reservation.try_resize(self.bytes()) {
            Err(_) if self.gives_states && self.count > 0 => {
                let states = self.take()?;
                self.reservation.try_resize(self.bytes())?;
                Ok(Some(states))
            }
            Err(error) => Err(error),
            Ok(()) => Ok(None),
        }
    }

    /// A row a group; there are none afterwards.
    fn take(&mut self) -> Result<RecordBatch> {
        let found = std::mem::take(&mut self.found);
        if found.is_empty() {
            return Ok(RecordBatch::new_empty(self.schema.clone()));
        }
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for key in 0..self.keys.len() {
            let pieces: Vec<_> = found.iter().map(|keys| keys[key].as_ref()).collect();
            columns.push(arrow::compute::concat(&pieces)?);
        }
        match self.gives_states {
            true => columns.extend(self.accumulators.states()?.into_iter().flatten()),
            false => columns.extend(self.accumulators.results()?),
        }
        self.group_of.fill(NONE);
        self.count = 0;
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}
