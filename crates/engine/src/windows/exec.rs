//! The operator: gathers rows until no function needs more of them for a result, and computes all of these at once.
//!
//! Where every function only looks back, that is after each batch, or where the last peers of a batch begin; else where its last partition
//! does. A partition that takes a third of the query's memory goes to DataFusion's operator, with all rows behind it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::utils::memory::RecordBatchMemoryCounter;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_expr_common::sort_expr::OrderingRequirements;
use datafusion::physical_expr_common::utils::evaluate_expressions_to_arrays;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, InputOrderMode,
    PlanProperties, ReplaceChildrenOptions,
};
use futures::StreamExt;

use super::chunk::{Chunk, Piece, joined, last_of, starts};
use super::functions::{End, Function, State};
use crate::rest_of_stream::{Ran, over};

/// Stands for DataFusion's operator over the same functions, and gives what it would.
pub struct VectorizedWindow {
    whole: Arc<dyn ExecutionPlan>,
    windows: Arc<Windows>,
    metrics: ExecutionPlanMetricsSet,
    /// Operators that rows were handed over to.
    ran: Arc<Ran>,
}

/// What is computed.
struct Windows {
    /// The expressions of PARTITION BY and those of ORDER BY.
    keys: Vec<Arc<dyn PhysicalExpr>>,
    /// How many of them are of PARTITION BY.
    parted_by: usize,
    functions: Vec<Function>,
    cut: End,
    /// As they are shown.
    names: Vec<String>,
}

/// The functions of DataFusion's operators, where rows come sorted by all keys.
fn functions_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    if let Some(bounded) = plan.downcast_ref::<BoundedWindowAggExec>() {
        let fits = bounded.input_order_mode == InputOrderMode::Sorted && bounded.state_observer().is_none();
        return fits.then(|| bounded.window_expr());
    }
    plan.downcast_ref::<WindowAggExec>().map(WindowAggExec::window_expr)
}

impl VectorizedWindow {
    /// `None`: another operator, or one with a function or a frame that is not computed by columns.
    pub fn of(plan: &Arc<dyn ExecutionPlan>) -> Option<VectorizedWindow> {
        let exprs = functions_of(plan)?;
        let first = exprs.first()?;
        let alike = |other: &Arc<dyn WindowExpr>| {
            other.partition_by() == first.partition_by() && other.order_by() == first.order_by()
        };
        if !exprs.iter().all(alike) {
            return None;
        }
        let functions = exprs.iter().map(Function::of).collect::<Option<Vec<_>>>()?;
        let cut = functions.iter().map(Function::cut).max()?;
        let ordered_by = first.order_by().iter().map(|key| key.expr.clone());
        let keys = first.partition_by().iter().cloned().chain(ordered_by).collect();
        let names = exprs.iter().map(|expr| format!("{}: {}", expr.name(), expr.get_window_frame())).collect();
        let windows = Arc::new(Windows { keys, parted_by: first.partition_by().len(), functions, cut, names });
        let (metrics, ran) = (ExecutionPlanMetricsSet::new(), Arc::default());
        Some(VectorizedWindow { whole: plan.clone(), windows, metrics, ran })
    }
}

impl fmt::Debug for VectorizedWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorizedWindow").field("whole", &self.whole).finish_non_exhaustive()
    }
}

impl DisplayAs for VectorizedWindow {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VectorizedWindow: wdw=[{}]", self.windows.names.join(", "))
    }
}

impl ExecutionPlan for VectorizedWindow {
    fn name(&self) -> &str {
        "VectorizedWindow"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.whole.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.whole.maintains_input_order()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.whole.required_input_ordering()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.whole.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.whole.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.whole.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let whole = self.whole.clone().replace_children(children, options)?;
        match Self::of(&whole) {
            Some(again) => Ok(Arc::new(again)),
            None => Ok(whole),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let [input] = self.whole.children()[..] else { return internal_err!("A window has one input") };
        let stream = input.execute(partition, task.clone())?;
        let reservation = MemoryConsumer::new(format!("VectorizedWindow[{partition}]")).register(task.memory_pool());
        let streams = input.properties().partitioning.partition_count().max(1);
        let most = match task.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => bytes / 3 / streams,
            _ => usize::MAX,
        };
        let handing = Handing { whole: self.whole.clone(), partition, task, ran: self.ran.clone(), most };
        let computing = Computing {
            states: self.windows.functions.iter().map(Function::state).collect(),
            windows: self.windows.clone(),
            schema: self.schema(),
            input: Some(stream),
            pending: Vec::new(),
            held: RecordBatchMemoryCounter::new(),
            last: None,
            ready: VecDeque::new(),
            handed: None,
            handing,
            reservation,
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let rows = futures::stream::try_unfold(computing, |mut computing| async move {
            let next = computing.next().await?;
            Ok(next.map(|batch| (batch, computing)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.ran.with_spills(self.metrics.clone_inner()))
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.whole.statistics_from_inputs(inputs, args)
    }
}

/// What rows are handed over to where there is no memory for them.
struct Handing {
    whole: Arc<dyn ExecutionPlan>,
    partition: usize,
    task: Arc<TaskContext>,
    ran: Arc<Ran>,
    /// Bytes that may be held.
    most: usize,
}

/// One stream of the operator.
struct Computing {
    windows: Arc<Windows>,
    schema: SchemaRef,
    states: Vec<State>,
    input: Option<SendableRecordBatchStream>,
    /// Rows that have no results yet.
    pending: Vec<Piece>,
    held: RecordBatchMemoryCounter,
    /// The keys of the last row that came.
    last: Option<Vec<ArrayRef>>,
    ready: VecDeque<RecordBatch>,
    /// Of the operator that takes the rest.
    handed: Option<SendableRecordBatchStream>,
    handing: Handing,
    reservation: MemoryReservation,
    metrics: BaselineMetrics,
}

impl Computing {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                self.metrics.record_output(batch.num_rows());
                return Ok(Some(batch));
            }
            if let Some(rest) = &mut self.handed {
                let batch = rest.next().await.transpose()?;
                self.metrics.record_output(batch.as_ref().map_or(0, RecordBatch::num_rows));
                return Ok(batch);
            }
            let Some(input) = &mut self.input else { return Ok(None) };
            match input.next().await.transpose()? {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => {
                    let elapsed = self.metrics.elapsed_compute().clone();
                    let timer = elapsed.timer();
                    self.take_in(batch)?;
                    timer.done();
                    self.hold()?;
                }
                None => {
                    self.input = None;
                    let elapsed = self.metrics.elapsed_compute().clone();
                    let _timer = elapsed.timer();
                    self.compute()?;
                }
            }
        }
    }

    fn take_in(&mut self, batch: RecordBatch) -> Result<()> {
        let keys = evaluate_expressions_to_arrays(&self.windows.keys, &batch)?;
        let parted_by = self.windows.parted_by;
        let last = self.last.as_deref();
        let partitions = starts(&keys[..parted_by], last.map(|last| &last[..parted_by]))?;
        let peers = starts(&keys, last)?;
        self.last = Some(last_of(&keys));
        let functions = self.windows.functions.iter();
        let arguments = functions.map(|function| evaluate_expressions_to_arrays(&function.arguments, &batch));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        self.held.count_batch(&batch);
        let piece = Piece::new(batch, arguments, partitions, peers);
        let end = match self.windows.cut {
            End::Row => Some(piece.rows()),
            End::Peers => piece.last_peers(),
            End::Partition => piece.last_partition(),
        };
        let Some(end) = end else {
            self.pending.push(piece);
            return Ok(());
        };
        let (done, rest) = piece.split(end);
        if done.rows() > 0 {
            self.pending.push(done);
        }
        self.compute()?;
        if rest.rows() > 0 {
            self.held.count_batch(&rest.batch);
            self.pending.push(rest);
        }
        Ok(())
    }

    /// Gives the pending rows with their results.
    fn compute(&mut self) -> Result<()> {
        let pieces = std::mem::take(&mut self.pending);
        self.held = RecordBatchMemoryCounter::new();
        if pieces.is_empty() {
            return Ok(());
        }
        let chunk = Chunk::of(&pieces);
        let functions = self.windows.functions.iter().zip(&mut self.states).enumerate();
        let results = functions.map(|(at, (function, state))| function.compute(&chunk, &joined(&pieces, at)?, state));
        let results = results.collect::<Result<Vec<_>>>()?;
        let mut from = 0;
        for piece in pieces {
            let rows = piece.rows();
            let mut columns = piece.batch.columns().to_vec();
            columns.extend(results.iter().map(|result| result.slice(from, rows)));
            from += rows;
            self.ready.push_back(RecordBatch::try_new(self.schema.clone(), columns)?);
        }
        Ok(())
    }

    /// Accounts for the pending rows, and hands them over where they are too many. Peers are not handed over: what came before them
    /// counts for them.
    fn hold(&mut self) -> Result<()> {
        let bytes = self.held.memory_usage();
        if self.windows.cut < End::Partition {
            return self.reservation.try_resize(bytes);
        }
        if bytes <= self.handing.most && self.reservation.try_resize(bytes).is_ok() {
            return Ok(());
        }
        self.reservation.free();
        let [input] = self.handing.whole.children()[..] else { return Ok(()) };
        let held = std::mem::take(&mut self.pending).into_iter().map(|piece| Ok(piece.batch));
        let rest = futures::stream::iter(self.input.take()).flatten();
        let rows = futures::stream::iter(held).chain(rest).boxed();
        let rows = Box::pin(RecordBatchStreamAdapter::new(input.schema(), rows));
        let operator = over(&self.handing.whole, input, rows)?;
        self.handing.ran.add(&operator);
        self.handed = Some(operator.execute(self.handing.partition, self.handing.task.clone())?);
        Ok(())
    }
}
