//! GROUP BY in the order of the sorting key (`optimize_aggregation_in_order`). Where groups begin with a prefix of the sorting
//! key, or with what rises with it, the scan gives its rows in that order and says so: DataFusion's aggregation then gives a
//! group as soon as its last row is seen, and keeps a few groups in memory instead of all. With LIMIT it ends early.
//!
//! Each stream takes a share of the granules of one or more parts, which lie in the key's order in each, and merges the
//! parts by the prefix alone. The price is that merge, which is why it is asked for by a setting.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::streaming_merge::StreamingMergeBuilder;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputOrderMode, Partitioning, PhysicalExpr, PlanProperties,
};
use futures::TryStreamExt;
use gristmill_introspect::QueryContext;

use super::exec::MergeTreeScan;
use super::stream::stream;
use super::unit::PartSelection;

/// Puts scans in order below aggregations that gain by it. It stands before the rule that enforces requirements, which
/// then keeps the order.
#[derive(Debug)]
pub struct AggregateInOrder;

impl PhysicalOptimizerRule for AggregateInOrder {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let ordered = plan.transform_up(|plan| match in_order(&plan)? {
            Some(ordered) => Ok(Transformed::yes(ordered)),
            None => Ok(Transformed::no(plan)),
        })?;
        Ok(ordered.data)
    }

    fn name(&self) -> &str {
        "mergetree_aggregate_in_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The aggregation over a scan in order, where that lets it give groups before the end.
fn in_order(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    let Some(aggregate) = plan.downcast_ref::<AggregateExec>() else { return Ok(None) };
    if aggregate.group_expr().is_empty() || *aggregate.input_order_mode() != InputOrderMode::Linear {
        return Ok(None);
    }
    // DISTINCT with a limit ends early by itself, and DataFusion takes an order for that of a top-N.
    if aggregate.limit_options().is_some() {
        return Ok(None);
    }
    let Some(input) = scan_in_order(aggregate.input())? else { return Ok(None) };
    let ordered = replaced(plan, input)?;
    let gains = ordered.downcast_ref::<AggregateExec>().is_some_and(|aggregate| {
        matches!(aggregate.input_order_mode(), InputOrderMode::Sorted | InputOrderMode::PartiallySorted(_))
    });
    Ok(gains.then_some(ordered))
}

fn replaced(plan: &Arc<dyn ExecutionPlan>, input: Arc<dyn ExecutionPlan>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
    plan.clone().replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The input with its scan in order. `None`: it is no scan, or one without an order.
fn scan_in_order(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<MergeTreeScan>() {
        let ordered = OrderedScan::of(scan)?;
        return Ok(ordered.map(|ordered| Arc::new(ordered) as Arc<dyn ExecutionPlan>));
    }
    if plan.downcast_ref::<ProjectionExec>().is_none() && plan.downcast_ref::<FilterExec>().is_none() {
        return Ok(None);
    }
    let [input] = plan.children()[..] else { return Ok(None) };
    match scan_in_order(input)? {
        Some(input) => Ok(Some(replaced(plan, input)?)),
        None => Ok(None),
    }
}

/// A scan each of whose streams is in the order of a prefix of the sorting key.
pub struct OrderedScan {
    scan: MergeTreeScan,
    order: LexOrdering,
    /// By stream: runs of granules, each in order.
    shares: Vec<Vec<PartSelection>>,
    properties: Arc<PlanProperties>,
}

impl OrderedScan {
    /// `None`: the scan does not read the first column of the key.
    pub fn of(scan: &MergeTreeScan) -> DataFusionResult<Option<OrderedScan>> {
        let schema = scan.schema();
        let mut exprs = Vec::new();
        for key in &scan.core().layout.sorting {
            let columns = collect_columns(&key.physical);
            if columns.is_empty() || columns.iter().any(|column| schema.index_of(column.name()).is_err()) {
                break;
            }
            let expr = reassign_expr_columns(key.physical.clone(), &schema)?;
            let options = SortOptions { descending: key.descending, nulls_first: key.descending };
            exprs.push(PhysicalSortExpr { expr, options });
        }
        let Some(order) = LexOrdering::new(exprs) else { return Ok(None) };
        let streams = scan.properties().partitioning.partition_count();
        let shares = shares(scan.parts(), streams);
        let properties = PlanProperties::new(
            EquivalenceProperties::new_with_orderings(schema, [order.clone()]),
            Partitioning::UnknownPartitioning(shares.len().max(1)),
            scan.properties().emission_type,
            scan.properties().boundedness,
        );
        Ok(Some(OrderedScan { scan: scan.again(), order, shares, properties: Arc::new(properties) }))
    }

    pub fn scan(&self) -> &MergeTreeScan {
        &self.scan
    }
}

/// Cuts what is read into as many shares of about as many granules. A part is cut where a share is full.
fn shares(parts: &[PartSelection], wanted: usize) -> Vec<Vec<PartSelection>> {
    let marks: u64 = parts.iter().map(PartSelection::marks).sum();
    let each = marks.div_ceil(wanted.max(1) as u64).max(1) as usize;
    let mut shares: Vec<Vec<PartSelection>> = Vec::new();
    let (mut share, mut room) = (Vec::new(), each);
    for part in parts {
        let mut granules = Vec::new();
        let cut = |granules: &mut Vec<_>, share: &mut Vec<PartSelection>| {
            if !granules.is_empty() {
                share.push(part.only(std::mem::take(granules)));
            }
        };
        for range in &part.granules {
            let mut start = range.start;
            while start < range.end {
                let end = range.end.min(start + room);
                granules.push(start..end);
                room -= end - start;
                start = end;
                if room == 0 {
                    cut(&mut granules, &mut share);
                    shares.push(std::mem::take(&mut share));
                    room = each;
                }
            }
        }
        cut(&mut granules, &mut share);
    }
    if !share.is_empty() {
        shares.push(share);
    }
    shares
}

impl fmt::Debug for OrderedScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for OrderedScan {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in order of [{}], ", self.order)?;
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
        self.scan.check_rows(&context)?;
        let share = self.shares.get(partition).map_or(&[] as &[_], Vec::as_slice);
        let mut streams: Vec<SendableRecordBatchStream> = Vec::with_capacity(share.len());
        for part in share {
            let shared = self.scan.shared_of(part.clone(), share.len() * self.shares.len());
            let batches = stream(shared, context.clone()).map_err(DataFusionError::from);
            streams.push(Box::pin(RecordBatchStreamAdapter::new(self.scan.schema(), batches)));
        }
        if streams.len() == 1
            && let Some(only) = streams.pop()
        {
            return Ok(only);
        }
        if streams.is_empty() {
            let nothing = futures::stream::empty();
            return Ok(Box::pin(RecordBatchStreamAdapter::new(self.scan.schema(), nothing)));
        }
        StreamingMergeBuilder::new()
            .with_streams(streams)
            .with_schema(self.scan.schema())
            .with_expressions(&self.order)
            .with_metrics(BaselineMetrics::new(&ExecutionPlanMetricsSet::new(), partition))
            .with_batch_size(task.session_config().batch_size())
            .with_reservation(MemoryConsumer::new("MergeTreeOrderedScan").register(task.memory_pool()))
            .build()
    }
}

/// The scan in a node that is one in order.
pub fn scan_of(plan: &dyn Any) -> Option<&MergeTreeScan> {
    plan.downcast_ref::<OrderedScan>().map(OrderedScan::scan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TableSpec, context, insert};
    use crate::{MemoryStore, MergeTree};
    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use gristmill_catalog::Table;
    use gristmill_types::{Columns, SqlType};

    async fn parts() -> (Arc<MergeTree>, Vec<PartSelection>) {
        let columns = Columns::of([("k", SqlType::Int64)]);
        let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_setting("index_granularity", 10);
        let table = spec.open(MemoryStore::new()).await.expect("opens");
        for rows in [95, 40, 5] {
            let k: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
            let batch = RecordBatch::try_new(columns.arrow(), vec![k]).expect("fits");
            insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
        }
        let state = table.core().manifest.current();
        let whole = state.parts.values().map(|part| PartSelection::whole(part.clone())).collect();
        (table, whole)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn shares_are_alike_and_hold_everything_once() {
        let (table, parts) = parts().await;
        assert_eq!(table.parts().len(), 3);
        for wanted in 1..20 {
            let shares = shares(&parts, wanted);
            let marks: Vec<u64> = shares.iter().map(|share| share.iter().map(PartSelection::marks).sum()).collect();
            assert_eq!(marks.iter().sum::<u64>(), 15);
            assert!(marks.iter().all(|marks| *marks <= 15u64.div_ceil(wanted as u64)), "{wanted}: {marks:?}");
            let mut granules: Vec<(String, usize)> = Vec::new();
            for part in shares.iter().flatten() {
                granules.extend(part.granules.iter().flat_map(Clone::clone).map(|at| (part.entry.name.clone(), at)));
            }
            granules.sort_unstable();
            granules.dedup();
            assert_eq!(granules.len(), 15);
        }
    }
}
