//! A scan whose streams are segments (`segments`), each in the order of a prefix of the sorting key: parts that meet are
//! merged, parts that do not are read one after the other, and a part alone is compared with nothing. Read backwards, the
//! last granules of a part are decoded first and their rows are turned round.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::sorts::streaming_merge::StreamingMergeBuilder;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties};
use futures::stream::{BoxStream, StreamExt};
use futures::{TryStreamExt, future};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use super::exec::MergeTreeScan;
use super::segments::{Segment, SegmentKeys, merged_at_once};
use super::stream::stream;
use super::unit::PartSelection;
use crate::index::runs;

/// Granules that are turned round at a time, at most.
const TURNED_GRANULES_MAX: usize = 8;
/// Bytes of them, as values in memory, about.
const TURNED_BYTES: u64 = 16 << 20;

/// How the segments of a scan are read.
#[derive(Debug)]
pub struct Reading {
    /// From the last row to the first.
    pub backwards: bool,
    /// By what rows are told from those of other segments.
    pub keys: Option<Arc<SegmentKeys>>,
    /// How many of the first rows are wanted.
    pub rows: Option<usize>,
    /// Segments that are read at the same time.
    pub at_once: usize,
}

pub struct OrderedScan {
    scan: MergeTreeScan,
    /// `None`: the rows of a segment come in any order.
    order: Option<LexOrdering>,
    /// By stream.
    segments: Arc<Vec<Segment>>,
    reading: Arc<Reading>,
    properties: Arc<PlanProperties>,
}

impl OrderedScan {
    pub fn new(scan: &MergeTreeScan, order: Option<LexOrdering>, segments: Vec<Segment>, reading: Reading) -> OrderedScan {
        let schema = scan.schema();
        let equivalence = match &order {
            Some(order) => EquivalenceProperties::new_with_orderings(schema, [order.clone()]),
            None => EquivalenceProperties::new(schema),
        };
        let properties = PlanProperties::new(
            equivalence,
            Partitioning::UnknownPartitioning(segments.len().max(1)),
            scan.properties().emission_type,
            scan.properties().boundedness,
        );
        OrderedScan {
            scan: scan.again(),
            order,
            segments: Arc::new(segments),
            reading: Arc::new(reading),
            properties: Arc::new(properties),
        }
    }

    pub fn scan(&self) -> &MergeTreeScan {
        &self.scan
    }

    /// As EXPLAIN calls it.
    pub fn read_type(&self) -> &'static str {
        if self.reading.backwards { "InReverseOrder" } else { "InOrder" }
    }

    /// The rows of parts that are merged with one another.
    fn group(&self, parts: &[PartSelection], segment: &Segment, task: &TaskContext) -> Result<SendableRecordBatchStream> {
        let context = QueryContext::of(task)?;
        let mut streams: Vec<SendableRecordBatchStream> = Vec::with_capacity(parts.len());
        for part in parts {
            let rows = match self.reading.backwards {
                false => self.forwards(part, &context),
                true => self.backwards(part, &context),
            };
            let rows = match (&segment.range, &self.reading.keys) {
                (Some(range), Some(keys)) => {
                    let (range, keys, backwards) = (range.clone(), keys.clone(), self.reading.backwards);
                    let within = move |batch| future::ready(keys.within(batch, &range, backwards));
                    let kept = rows.and_then(within);
                    kept.try_filter(|batch| future::ready(batch.num_rows() > 0)).boxed()
                }
                _ => rows,
            };
            let rows = rows.map_err(DataFusionError::from);
            streams.push(Box::pin(RecordBatchStreamAdapter::new(self.scan.schema(), rows)));
        }
        if streams.len() == 1
            && let Some(only) = streams.pop()
        {
            return Ok(only);
        }
        let order = self.order.as_ref().ok_or_else(|| Error::logical("Parts are merged in no order"))?;
        let merged = StreamingMergeBuilder::new()
            .with_streams(streams)
            .with_schema(self.scan.schema())
            .with_expressions(order)
            .with_metrics(BaselineMetrics::new(&ExecutionPlanMetricsSet::new(), 0))
            .with_batch_size(task.session_config().batch_size())
            .with_fetch(self.reading.rows)
            .with_reservation(MemoryConsumer::new("MergeTreeOrderedScan").register(task.memory_pool()))
            .build()?;
        Ok(merged)
    }

    /// Streams that are read at the same time.
    fn streams(&self) -> usize {
        self.reading.at_once * merged_at_once(&self.segments).max(1)
    }

    fn forwards(&self, part: &PartSelection, context: &Arc<QueryContext>) -> BoxStream<'static, Result<RecordBatch>> {
        let shared = self.scan.shared_of(part.clone(), self.streams(), self.reading.rows);
        stream(shared, context.clone()).boxed()
    }

    fn backwards(&self, part: &PartSelection, context: &Arc<QueryContext>) -> BoxStream<'static, Result<RecordBatch>> {
        let pieces: Vec<_> =
            from_the_end(part).into_iter().map(|piece| self.scan.shared_of(piece, self.streams(), None)).collect();
        let context = context.clone();
        let turned = futures::stream::iter(pieces).then(move |piece| {
            let context = context.clone();
            async move {
                let batches: Vec<RecordBatch> = stream(piece, context).try_collect().await?;
                let turned = batches.iter().rev().map(turned).collect::<Result<Vec<_>>>()?;
                Ok::<_, Error>(futures::stream::iter(turned.into_iter().map(Ok)))
            }
        });
        turned.try_flatten().boxed()
    }
}

/// Pieces of a part from its end on, which begin small.
fn from_the_end(part: &PartSelection) -> Vec<PartSelection> {
    let granules: Vec<usize> = part.granules.iter().flat_map(Clone::clone).collect();
    let granule_bytes = part.entry.uncompressed_bytes / part.entry.granules.max(1);
    let most = ((TURNED_BYTES / granule_bytes.max(1)) as usize).clamp(1, TURNED_GRANULES_MAX);
    let (mut pieces, mut left, mut wanted) = (Vec::new(), granules.as_slice(), 1);
    while !left.is_empty() {
        let (rest, now) = left.split_at(left.len().saturating_sub(wanted));
        pieces.push(part.only(runs::of(now.iter().copied())));
        left = rest;
        wanted = (wanted * 2).min(most);
    }
    pieces
}

fn turned(batch: &RecordBatch) -> Result<RecordBatch> {
    let places = UInt32Array::from_iter_values((0..batch.num_rows() as u32).rev());
    Ok(take_record_batch(batch, &places)?)
}

impl fmt::Debug for OrderedScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for OrderedScan {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.order {
            Some(order) => write!(f, "in order of [{order}], ")?,
            None => write!(f, "by ranges of the key, ")?,
        }
        write!(f, "segments={}, merged={}, ", self.segments.len(), merged_at_once(&self.segments))?;
        self.scan.fmt_as(kind, f)
    }
}

impl ExecutionPlan for OrderedScan {
    fn name(&self) -> &str {
        "MergeTreeOrderedScan"
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

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        self.scan.check_partitions(&context)?;
        // Of a limit the first rows are read: how many that are is seen on the way.
        if self.reading.rows.is_none() {
            self.scan.check_rows(&context)?;
        }
        let mut streams = Vec::new();
        if let Some(segment) = self.segments.get(partition) {
            for group in &segment.groups {
                streams.push(self.group(group, segment, &task)?);
            }
        }
        let metrics = BaselineMetrics::new(&self.scan.metrics, partition);
        let batches = futures::stream::iter(streams).flatten().map_ok(move |batch| batch.record_output(&metrics));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.scan.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.scan.metrics.clone_inner())
    }
}
