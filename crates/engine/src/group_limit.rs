//! `GROUP BY k LIMIT n` without an order: any `n` groups will do, so the first `n` keys that are met are kept, and rows of
//! other keys are left out before they are grouped (ClickHouse: `optimize_trivial_group_by_limit_query`). The groups that
//! come out are whole: a key is admitted with its first row, or never.
//!
//! Keys are known by a hash of 64 bits. Where two keys share one, both are admitted, and the limit above leaves one out.

use std::fmt;
use std::sync::{Arc, OnceLock};

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use datafusion::common::config::ConfigOptions;
use datafusion::common::hash_utils::{RandomState, create_hashes};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{HashSet, Result};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputOrderMode, PhysicalExpr, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::TryStreamExt;
use parking_lot::Mutex;

/// More groups than that are most of them, or too many to look every row up among them.
const GROUPS_MAX: usize = 10_000;
/// Bits that tell of most keys at once that they are not among those admitted.
const FILTER_BITS: usize = 1 << 16;

#[derive(Debug)]
pub struct LimitGroups;

impl PhysicalOptimizerRule for LimitGroups {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|plan| {
            let Some(groups) = limit(&plan).filter(|groups| *groups <= GROUPS_MAX) else { return Ok(Transformed::no(plan)) };
            Ok(match below_limit(&plan, groups)? {
                Some(limited) => Transformed::new(limited, true, TreeNodeRecursion::Jump),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "LimitGroups"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Rows of its input that a plan gives at most, whichever they are.
fn limit(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    if let Some(limit) = plan.downcast_ref::<GlobalLimitExec>() {
        return limit.fetch().map(|fetch| fetch.saturating_add(limit.skip()));
    }
    let keeps_rows =
        plan.downcast_ref::<LocalLimitExec>().is_some() || plan.downcast_ref::<CoalescePartitionsExec>().is_some();
    plan.fetch().filter(|_| keeps_rows)
}

/// The plan with an aggregation below that groups rows of so many keys only. `None`: there is something between them.
fn below_limit(plan: &Arc<dyn ExecutionPlan>, groups: usize) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let [input] = plan.children()[..] else { return Ok(None) };
    let replaced = match input.downcast_ref::<AggregateExec>() {
        Some(aggregate) if aggregate.mode().input_mode() == AggregateInputMode::Raw => limited(aggregate, groups)?,
        // Of states that were made below. (A filter of results between them would be HAVING.)
        Some(aggregate) if aggregate.group_expr().is_single() => below_limit(input, groups)?,
        Some(_) => None,
        None => {
            let keeps_rows = limit(input).is_some_and(|rows| rows >= groups)
                || input.downcast_ref::<ProjectionExec>().is_some()
                || input.downcast_ref::<RepartitionExec>().is_some()
                || (input.downcast_ref::<CoalescePartitionsExec>().is_some() && input.fetch().is_none());
            if keeps_rows { below_limit(input, groups)? } else { None }
        }
    };
    let over =
        |input| plan.clone().replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute));
    replaced.map(over).transpose()
}

fn limited(aggregate: &AggregateExec, groups: usize) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let keys = aggregate.group_expr();
    // Without functions it stops by itself, and so it does in order.
    if !keys.is_single()
        || keys.is_empty()
        || aggregate.aggr_expr().is_empty()
        || *aggregate.input_order_mode() != InputOrderMode::Linear
    {
        return Ok(None);
    }
    let input: Arc<dyn ExecutionPlan> = Arc::new(RowsOfGroups::new(keys.input_exprs(), groups, aggregate.input().clone()));
    let aggregate: Arc<dyn ExecutionPlan> = Arc::new(aggregate.clone());
    aggregate.replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute)).map(Some)
}

/// Gives rows of the first keys that any of its streams meets.
pub struct RowsOfGroups {
    keys: Vec<Arc<dyn PhysicalExpr>>,
    groups: usize,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    admitted: Arc<Admitted>,
}

/// Hashes of the keys that are grouped.
#[derive(Default)]
struct Admitted {
    growing: Mutex<HashSet<u64>>,
    /// There will be no others.
    all: OnceLock<Known>,
}

struct Known {
    hashes: HashSet<u64>,
    /// By the lowest bits of a hash, whether one of the hashes has them.
    filter: Vec<u64>,
}

impl Known {
    fn of(hashes: HashSet<u64>) -> Known {
        let mut filter = vec![0; FILTER_BITS / 64];
        for hash in &hashes {
            let bit = *hash as usize % FILTER_BITS;
            filter[bit / 64] |= 1 << (bit % 64);
        }
        Known { hashes, filter }
    }

    fn has(&self, hash: u64) -> bool {
        let bit = hash as usize % FILTER_BITS;
        self.filter[bit / 64] >> (bit % 64) & 1 == 1 && self.hashes.contains(&hash)
    }
}

impl Admitted {
    /// Which of the rows are of admitted keys, of which there are `groups` at most.
    fn admit(&self, hashes: &[u64], groups: usize) -> BooleanArray {
        if let Some(known) = self.all.get() {
            return hashes.iter().map(|hash| Some(known.has(*hash))).collect();
        }
        let mut growing = self.growing.lock();
        // Another stream may have closed them meanwhile: then this one finds all of them here, and no room.
        let passes =
            hashes.iter().map(|hash| Some(growing.contains(hash) || (growing.len() < groups && growing.insert(*hash))));
        let passes = passes.collect();
        if growing.len() >= groups {
            self.all.get_or_init(|| Known::of(growing.clone()));
        }
        passes
    }
}

impl RowsOfGroups {
    pub fn new(keys: Vec<Arc<dyn PhysicalExpr>>, groups: usize, input: Arc<dyn ExecutionPlan>) -> RowsOfGroups {
        let below = input.properties();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            below.partitioning.clone(),
            below.emission_type,
            below.boundedness,
        );
        RowsOfGroups { keys, groups, input, properties: Arc::new(properties), admitted: Arc::default() }
    }
}

impl fmt::Debug for RowsOfGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for RowsOfGroups {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowsOfGroups: groups={}", self.groups)
    }
}

impl ExecutionPlan for RowsOfGroups {
    fn name(&self) -> &str {
        "RowsOfGroups"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for key in &self.keys {
            if f(key)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| DataFusionError::Internal("RowsOfGroups has one input".to_string()))?;
        Ok(Arc::new(RowsOfGroups::new(self.keys.clone(), self.groups, input)))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(RowsOfGroups::new(self.keys.clone(), self.groups, self.input.clone())))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, task)?;
        let (keys, groups, admitted) = (self.keys.clone(), self.groups, self.admitted.clone());
        // All streams have to hash alike.
        let state = RandomState::with_seed(0);
        let rows = input.try_filter_map(move |batch: RecordBatch| {
            let kept = keys
                .iter()
                .map(|key| key.evaluate(&batch)?.into_array(batch.num_rows()))
                .collect::<Result<Vec<ArrayRef>>>()
                .and_then(|keys| {
                    let mut hashes = vec![0; batch.num_rows()];
                    create_hashes(&keys, &state, &mut hashes)?;
                    let passes = admitted.admit(&hashes, groups);
                    match passes.true_count() {
                        0 => Ok(None),
                        all if all == passes.len() => Ok(Some(batch)),
                        _ => Ok(Some(filter_record_batch(&batch, &passes)?)),
                    }
                });
            std::future::ready(kept)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.input.schema(), rows)))
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::Int64Type;
    use datafusion::datasource::MemTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::physical_plan::displayable;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    /// A thousand keys of ten rows each, in streams that have some of each.
    fn session() -> SessionContext {
        let batch = |part: i64| {
            let k: ArrayRef = Arc::new(Int64Array::from_iter_values((0..5000).map(|row| (row * 7 + part) % 1000)));
            RecordBatch::try_from_iter([("k", k)]).expect("fits")
        };
        let config = SessionConfig::new().with_target_partitions(2);
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let state = builder.with_physical_optimizer_rule(Arc::new(LimitGroups)).build();
        let session = SessionContext::new_with_state(state);
        let table = MemTable::try_new(batch(0).schema(), vec![vec![batch(0)], vec![batch(3)]]).expect("a table");
        session.register_table("t", Arc::new(table)).expect("registered");
        session
    }

    #[tokio::test]
    async fn groups_that_are_given_are_whole() {
        let session = session();
        for (query, limited) in [
            ("SELECT k, count(*) FROM t GROUP BY k LIMIT 7", Some(7)),
            ("SELECT k + 1, count(*) FROM t GROUP BY k + 1 LIMIT 3 OFFSET 4", Some(7)),
            ("SELECT k, count(*) FROM t GROUP BY k LIMIT 5000", Some(5000)),
            ("SELECT k, count(*) FROM t GROUP BY k HAVING count(*) > 5 LIMIT 7", None),
            ("SELECT k, count(*) FROM t GROUP BY k ORDER BY k LIMIT 7", None),
            ("SELECT k, count(*) FROM t GROUP BY k LIMIT 20000", None),
            ("SELECT DISTINCT k, 10 FROM t LIMIT 7", None),
        ] {
            let rows = session.sql(query).await.expect("a query");
            let plan = rows.clone().create_physical_plan().await.expect("a plan");
            let shown = displayable(plan.as_ref()).indent(false).to_string();
            let found =
                shown.split("RowsOfGroups: groups=").nth(1).and_then(|rest| rest.lines().next()?.parse::<usize>().ok());
            assert_eq!(found, limited, "{query}: {shown}");
            let batches = rows.collect().await.expect("rows");
            let counts = batches.iter().flat_map(|batch| batch.column(1).as_primitive::<Int64Type>().values().to_vec());
            assert!(counts.clone().all(|count| count == 10), "{query}");
            assert!(counts.count() >= 3, "{query}");
        }
    }
}
