//! The leaf that hands out rows which are in memory, or are made when they are asked for.
//!
//! Large batches are cut into views of the query's block size without copying, columns that nobody asked for are left
//! out, and what is handed out is counted as read by the query.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, SchemaRef};
use async_trait::async_trait;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result as DataFusionResult, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use gristmill_base::Result;
use gristmill_introspect::QueryContext;

/// Makes rows of a fixed schema when they are read.
#[async_trait]
pub trait RowSource: Send + Sync + fmt::Debug {
    async fn rows(&self, context: &Arc<QueryContext>) -> Result<Vec<RecordBatch>>;
}

#[derive(Clone, Debug)]
pub enum Rows {
    /// One partition, made when the plan runs.
    Made(Arc<dyn RowSource>),
    /// Batches by partition.
    Held(Arc<Vec<Vec<RecordBatch>>>),
}

#[derive(Clone)]
pub struct RowsExec {
    /// `system.parts`, for EXPLAIN.
    table: String,
    rows: Rows,
    projection: Option<Vec<usize>>,
    /// Rows that each partition gives at most.
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl fmt::Debug for RowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsExec").field("table", &self.table).field("projection", &self.projection).finish_non_exhaustive()
    }
}

impl RowsExec {
    /// `schema`: that of the rows, before the projection.
    pub fn new(
        table: impl Into<String>,
        schema: &SchemaRef,
        rows: Rows,
        projection: Option<&Vec<usize>>,
        limit: Option<usize>,
    ) -> DataFusionResult<Self> {
        let schema = match projection {
            Some(columns) => Arc::new(schema.project(columns)?),
            None => schema.clone(),
        };
        let partitions = match &rows {
            Rows::Made(_) => 1,
            Rows::Held(partitions) => partitions.len().max(1),
        };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Ok(RowsExec {
            table: table.into(),
            rows,
            projection: projection.cloned(),
            limit,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }
}

impl DisplayAs for RowsExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowsExec: table={}", self.table)?;
        match self.limit {
            Some(limit) => write!(f, ", limit={limit}"),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for RowsExec {
    fn name(&self) -> &'static str {
        "RowsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        let block_rows = task.session_config().batch_size().max(1);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let (rows, projection, limit) = (self.rows.clone(), self.projection.clone(), self.limit);
        let made = context.clone();
        let batches = async move {
            Ok::<_, DataFusionError>(match rows {
                Rows::Made(source) => source.rows(&made).await?,
                Rows::Held(partitions) => partitions.get(partition).cloned().unwrap_or_default(),
            })
        };
        let paced = context.clone();
        let mut left = limit.unwrap_or(usize::MAX);
        let stream = futures::stream::once(batches)
            .map_ok(move |batches| futures::stream::iter(cut(batches, block_rows).map(Ok::<_, DataFusionError>)))
            .try_flatten()
            // To the row: DataFusion leaves out its own limit above a leaf that has one.
            .try_filter_map(move |batch: RecordBatch| {
                let taken = batch.num_rows().min(left);
                left -= taken;
                futures::future::ready(Ok((taken > 0).then(|| batch.slice(0, taken))))
            })
            .scan(false, move |is_over, batch| {
                let was_over = *is_over;
                let read = || {
                    context.check()?;
                    let batch = match &projection {
                        Some(columns) => batch?.project(columns)?,
                        None => batch?,
                    };
                    context.read(batch.num_rows() as u64, batch_bytes(&batch));
                    *is_over = !context.may_read()?;
                    Ok(batch.record_output(&metrics))
                };
                futures::future::ready((!was_over).then(read))
            })
            .then(move |batch| {
                let context = paced.clone();
                async move {
                    context.pace().await;
                    batch
                }
            });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), stream)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        if let (Rows::Held(partitions), None) = (&self.rows, self.limit) {
            let rows = |partition: &Vec<RecordBatch>| partition.iter().map(RecordBatch::num_rows).sum::<usize>();
            statistics.num_rows = Precision::Exact(match args.partition() {
                Some(partition) => partitions.get(partition).map_or(0, rows),
                None => partitions.iter().map(rows).sum(),
            });
        }
        Ok(Arc::new(statistics))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(RowsExec { limit, metrics: ExecutionPlanMetricsSet::new(), ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }
}

/// Views of at most `block_rows` rows.
fn cut(batches: Vec<RecordBatch>, block_rows: usize) -> impl Iterator<Item = RecordBatch> {
    batches.into_iter().flat_map(move |batch| {
        let rows = batch.num_rows();
        (0..rows).step_by(block_rows).map(move |from| batch.slice(from, block_rows.min(rows - from)))
    })
}

/// Bytes of the rows of a batch themselves, however large the buffers are that they lie in.
pub fn batch_bytes(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(array_bytes).sum()
}

fn array_bytes(array: &ArrayRef) -> u64 {
    let rows = array.len() as u64;
    match array.data_type() {
        DataType::BinaryView => array.as_binary_view().views().iter().map(|view| u64::from(*view as u32) + 9).sum(),
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let (from, to) = (list.value_offsets()[0] as usize, list.value_offsets()[list.len()] as usize);
            rows * 8 + array_bytes(&list.values().slice(from, to - from))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let (from, to) = (map.value_offsets()[0] as usize, map.value_offsets()[map.len()] as usize);
            let entries: ArrayRef = Arc::new(map.entries().slice(from, to - from));
            rows * 8 + array_bytes(&entries)
        }
        DataType::Struct(_) => array.as_struct().columns().iter().map(array_bytes).sum(),
        DataType::Boolean => rows,
        DataType::FixedSizeBinary(width) => rows * *width as u64,
        other => rows * other.primitive_width().unwrap_or(1) as u64,
    }
}
