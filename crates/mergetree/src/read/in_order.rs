//! GROUP BY in the order of the sorting key (`optimize_aggregation_in_order`). Where groups begin with a prefix of the sorting
//! key, or with what rises with it, the scan gives its rows in that order and says so: DataFusion's aggregation then gives a
//! group as soon as its last row is seen, and keeps a few groups in memory instead of all. With LIMIT it ends early.
//!
//! Each stream takes a share of the granules of one or more parts, which lie in the order of the key in each, and merges the
//! parts by the prefix alone. The price is that merge, which is why it is asked for by a setting.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::exec::MergeTreeScan;
use super::ordered_scan::{OrderedScan, Reading};
use super::segments::Segment;
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

/// The operator over another input.
pub(super) fn replaced(
    plan: &Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
    plan.clone().replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The input with its scan in order. `None`: it is no scan, or one without an order.
fn scan_in_order(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<MergeTreeScan>() {
        let ordered = by_key(scan)?;
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

/// The scan with streams each of which is in the order of a prefix of the sorting key. `None`: it does not read the first
/// column of the key.
fn by_key(scan: &MergeTreeScan) -> DataFusionResult<Option<OrderedScan>> {
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
    let at_once = shares.len();
    let segments = shares.into_iter().map(|share| Segment { groups: vec![share], range: None }).collect();
    let reading = Reading { backwards: false, keys: None, rows: None, at_once };
    Ok(Some(OrderedScan::new(scan, Some(order), segments, reading)))
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
