//! The scan of `SELECT … FROM t FINAL` as a node of the physical plan: rows as the last merge would leave them.
//!
//! Streams take layers (`layers`) from one queue. A layer's parts are read side by side, merged by the sorting key and
//! made fewer by the engine's rule as they come; memory is a few granules a part. Conditions on key columns are computed
//! while parts are read, since they hold of all rows of a key or of none; all others stand above, as a row that fails them
//! may still replace one that passes.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, OnceLock};

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties};
use futures::stream::{BoxStream, StreamExt};
use futures::{TryStreamExt, future};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

use super::exec::MergeTreeScan;
use super::filter::ScanFilter;
use super::layers::Layer;
use super::output::Output;
use super::stream::{ScanShared, stream};
use super::unit::{PartSelection, UnitLimits};
use crate::manifest::State;
use crate::merge::rows::MergedRows;
use crate::merge::rules::{self, Purpose, Rule, Shape};
use crate::table::Core;

/// Bytes (as values in memory) that a stream holds of all parts of its layer together, about.
const READ_BYTES: u64 = 128 << 20;

/// What the scan reads and how rows are merged.
#[derive(Debug)]
pub struct FinalRows {
    pub core: Arc<Core>,
    /// the version read; held so that its objects stay.
    pub state: Arc<State>,
    /// Conditions on columns of the sorting key.
    pub filters: Vec<ScanFilter>,
    /// Columns that are read: those that are wanted and those that the merge needs.
    pub carried: Vec<Output>,
    pub shape: Arc<Shape>,
    /// Of the carried columns, those that come out.
    pub projection: Vec<usize>,
}

pub struct FinalScan {
    rows: Arc<FinalRows>,
    layers: Arc<Vec<Layer>>,
    /// The same without merging: what is shown and counted of a scan.
    scan: MergeTreeScan,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    /// Layers not begun yet; made when the first stream starts.
    queue: OnceLock<Arc<Mutex<VecDeque<Layer>>>>,
}

impl FinalScan {
    /// `schema`: of the projection.
    pub fn new(rows: FinalRows, layers: Vec<Layer>, scan: MergeTreeScan, schema: SchemaRef, streams: usize) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(streams.min(layers.len()).max(1)),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        FinalScan {
            rows: Arc::new(rows),
            layers: Arc::new(layers),
            scan,
            schema,
            properties: Arc::new(properties),
            queue: OnceLock::new(),
        }
    }

    pub fn scan(&self) -> &MergeTreeScan {
        &self.scan
    }

    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }
}

impl fmt::Debug for FinalScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for FinalScan {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FINAL, layers={}, ", self.layers.len())?;
        self.scan.fmt_as(kind, f)
    }
}

impl ExecutionPlan for FinalScan {
    fn name(&self) -> &str {
        "MergeTreeFinalScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        self.scan.apply_expressions(f)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(FinalScan {
            rows: self.rows.clone(),
            layers: self.layers.clone(),
            scan: self.scan.again(),
            schema: self.schema.clone(),
            properties: self.properties.clone(),
            queue: OnceLock::new(),
        }))
    }

    fn execute(&self, _partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        self.scan.check_partitions(&context)?;
        self.scan.check_rows(&context)?;
        let queue = self.queue.get_or_init(|| Arc::new(Mutex::new(self.layers.iter().cloned().collect())));
        let reader = Reader {
            rows: self.rows.clone(),
            queue: queue.clone(),
            streams: self.properties.partitioning.partition_count() as u64,
            schema: self.schema.clone(),
            context,
            current: None,
        };
        let batches = futures::stream::try_unfold(reader, |mut reader| async move {
            Ok::<_, Error>(reader.next_batch().await?.map(|batch| (batch, reader)))
        });
        let batches = batches.map_err(DataFusionError::from);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches)))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        if args.partition().is_none() {
            let rows = self.scan.parts().iter().map(|part| part.rows).sum::<u64>();
            statistics.num_rows = Precision::Inexact(rows as usize);
        }
        Ok(Arc::new(statistics))
    }
}

/// A layer under way.
struct Current {
    merged: MergedRows,
    rule: Box<dyn Rule>,
}

struct Reader {
    rows: Arc<FinalRows>,
    queue: Arc<Mutex<VecDeque<Layer>>>,
    streams: u64,
    schema: SchemaRef,
    context: Arc<QueryContext>,
    current: Option<Current>,
}

impl Reader {
    async fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let target = self.context.settings.block_rows();
        loop {
            self.context.check()?;
            let mut current = match self.current.take() {
                Some(current) => current,
                None => {
                    let next = self.queue.lock().pop_front();
                    let Some(layer) = next else { return Ok(None) };
                    open(&self.rows, &self.context, self.streams, layer).await?
                }
            };
            let batch = match current.merged.next(target).await? {
                Some(merged) => {
                    let decided = current.rule.push(&merged.rows, &merged.begins)?;
                    self.current = Some(current);
                    decided
                }
                None => current.rule.finish()?,
            };
            if batch.num_rows() > 0 {
                return self.projected(&batch).map(Some);
            }
        }
    }

    fn projected(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.rows.projection.iter().map(|place| batch.column(*place).clone()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

/// Begins to read and merge a layer, one of `streams` that are read at the same time.
async fn open(rows: &Arc<FinalRows>, context: &Arc<QueryContext>, streams: u64, layer: Layer) -> Result<Current> {
    let layer = Arc::new(layer);
    let bytes = READ_BYTES / 2 / (layer.parts.len() as u64 * streams).max(1);
    let limits = UnitLimits { granules: 16, bytes: bytes.max(1), streams: 1 };
    let parts = layer.parts.iter().map(|part| rows_of_part(rows, context, &layer, part, limits)).collect();
    let merged = MergedRows::open(rows.shape.clone(), parts, 1, true).await?;
    let rule = rules::rule(&rows.shape, Purpose::Show)?;
    let rule = rule.ok_or_else(|| Error::logical("FINAL of a table whose engine merges no rows"))?;
    Ok(Current { merged, rule })
}

/// The layer's rows of one part, in their order.
fn rows_of_part(
    rows: &Arc<FinalRows>,
    context: &Arc<QueryContext>,
    layer: &Arc<Layer>,
    part: &PartSelection,
    limits: UnitLimits,
) -> BoxStream<'static, Result<RecordBatch>> {
    let output = (rows.carried.clone(), rows.shape.schema.clone());
    let only = Arc::new(vec![part.clone()]);
    let shared = ScanShared::new(&rows.core, &rows.state, only, rows.filters.clone(), output, limits);
    let (layer, shape) = (layer.clone(), rows.shape.clone());
    stream(shared, context.clone()).and_then(move |batch| future::ready(layer.within(&shape, batch))).boxed()
}
