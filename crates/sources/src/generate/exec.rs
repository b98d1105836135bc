//! The physical node of a sequence: partitions are runs of neighbouring positions, each streamed in blocks.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use gristmill_introspect::QueryContext;

use super::Sequence;

/// From this many rows on a sequence is shared out between partitions. Below, one stream keeps the order that people
/// expect of `SELECT … FROM numbers(…) LIMIT …`.
pub const ROWS_WORTH_SHARING: u64 = 4 << 20;

/// Rows that nobody will ever read to the end.
const ENDLESS: u64 = u64::MAX;

#[derive(Debug)]
pub struct SequenceExec {
    sequence: Arc<dyn Sequence>,
    projection: Vec<usize>,
    /// All positions to give.
    rows: Range<u64>,
    partitions: Vec<Range<u64>>,
    properties: Arc<PlanProperties>,
    /// What a LIMIT cut the rows to.
    limit: Option<usize>,
    metrics: ExecutionPlanMetricsSet,
}

impl SequenceExec {
    pub fn new(
        sequence: Arc<dyn Sequence>,
        projection: Vec<usize>,
        narrowed: Range<u64>,
        limit: Option<usize>,
        threads: usize,
    ) -> DataFusionResult<Self> {
        let all = 0..sequence.rows().unwrap_or(ENDLESS);
        let start = narrowed.start.min(all.end);
        let end =
            narrowed.end.min(all.end).min(start.saturating_add(limit.map_or(ENDLESS, |limit| limit as u64))).max(start);
        let rows = start..end;
        let partitions = share(&rows, threads, sequence.eager_partitions() && limit.is_none());
        let columns = sequence.columns();
        let schema = Arc::new(columns.arrow().project(&projection)?);
        let mut equivalence = EquivalenceProperties::new(schema.clone());
        if let Some(index) = sequence.ascending().and_then(|column| projection.iter().position(|&i| i == column)) {
            let column = Arc::new(Column::new(schema.field(index).name(), index)) as Arc<dyn PhysicalExpr>;
            equivalence.add_ordering([PhysicalSortExpr::new_default(column)]);
        }
        let properties = PlanProperties::new(
            equivalence,
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            // Also where there is no end: such a query runs until it is cancelled, or out of its limits.
            Boundedness::Bounded,
        );
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        Ok(SequenceExec { sequence, projection, rows, partitions, properties, limit, metrics })
    }
}

impl SequenceExec {
    /// `None`: no end.
    pub fn rows(&self) -> Option<u64> {
        (self.rows.end != ENDLESS).then(|| self.rows.end - self.rows.start)
    }
}

/// Runs of about the same length.
fn share(rows: &Range<u64>, threads: usize, eager: bool) -> Vec<Range<u64>> {
    let count = rows.end - rows.start;
    let runs = if eager || (count >= ROWS_WORTH_SHARING && rows.end != ENDLESS) { threads.max(1) as u64 } else { 1 };
    let runs = runs.min(count.div_ceil(8192)).max(1);
    let length = count / runs;
    (0..runs)
        .map(|i| {
            let start = rows.start + i * length;
            start..if i + 1 == runs { rows.end } else { start + length }
        })
        .collect()
}

impl DisplayAs for SequenceExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SequenceExec: {}, rows {}..", self.sequence.describe(), self.rows.start)?;
        if self.rows.end == ENDLESS { Ok(()) } else { write!(f, "{}", self.rows.end) }
    }
}

impl ExecutionPlan for SequenceExec {
    fn name(&self) -> &str {
        "SequenceExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        if partition == 0 && self.rows.end != ENDLESS {
            let total = self.rows.end - self.rows.start;
            context.progress.total_rows_to_read.fetch_add(total, std::sync::atomic::Ordering::Relaxed);
        }
        let sequence = self.sequence.clone();
        let projection = self.projection.clone();
        let block_rows = (task.session_config().batch_size() as u64).max(1);
        let rows = self.partitions[partition].clone();
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let blocks = futures::stream::try_unfold(rows.start, move |at| {
            let end = rows.end.min(at.saturating_add(block_rows));
            let next = || {
                // Asked at the end too: the last block may have been the one too many.
                if !context.may_read()? || at >= end {
                    return Ok::<_, datafusion::error::DataFusionError>(None);
                }
                let block = sequence.block(at..end, &projection)?;
                context.read(block.num_rows() as u64, gristmill_types::measure::batch_bytes(&block));
                Ok(Some((block.record_output(&metrics), end)))
            };
            let block = next();
            let context = context.clone();
            async move {
                context.pace().await;
                // Made-up rows never wait: without this a long run would keep its thread from all other tasks.
                tokio::task::consume_budget().await;
                block
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), blocks)))
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> DataFusionResult<Arc<Statistics>> {
        let rows = args.partition().map_or(&self.rows, |partition| &self.partitions[partition]);
        let mut statistics = Statistics::new_unknown(&self.schema());
        if rows.end != ENDLESS {
            statistics.num_rows = Precision::Exact((rows.end - rows.start) as usize);
        }
        Ok(Arc::new(statistics))
    }

    fn supports_limit_pushdown(&self) -> bool {
        false
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let limit = limit?;
        let exec =
            SequenceExec::new(self.sequence.clone(), self.projection.clone(), self.rows.clone(), Some(limit), 1).ok()?;
        Some(Arc::new(exec))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_all_rows_once_and_few_rows_are_one_run() {
        assert_eq!(share(&(5..100), 4, false), vec![5..100]);
        let runs = share(&(0..10_000_001), 4, false);
        assert_eq!(runs.len(), 4);
        assert_eq!(runs[0].start, 0);
        assert_eq!(runs[3].end, 10_000_001);
        assert!(runs.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(share(&(0..0), 4, true), vec![0..0]);
    }
}
