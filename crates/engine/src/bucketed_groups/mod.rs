//! GROUP BY with very many groups: rows are parted by a hash of their keys into buckets whose groups fit into the
//! processor's cache, and one bucket is grouped after the other.
//!
//! A hash table of ten million groups misses the cache with every row, again whenever it grows, and is fresh memory from
//! end to end. Parting the rows first reads and writes them once more, in order, and each table then lives where it is fast
//! (I. Müller et al., "Cache-Efficient Aggregation: Hashing Is Sorting", SIGMOD 2015). The rule puts the operator in the
//! place of the aggregations that merge the states of several streams; these it holds until all are there, so where they
//! are few the aggregation goes on as it would without it.

mod exec;
pub(crate) mod parting;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

pub use exec::{BucketedAggregate, Sizes};

#[derive(Debug, Default)]
pub struct GroupInBuckets {
    pub sizes: Sizes,
}

impl PhysicalOptimizerRule for GroupInBuckets {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| match plan.downcast_ref::<AggregateExec>() {
            Some(aggregate) if fits(aggregate) => {
                let bucketed: Arc<dyn ExecutionPlan> = Arc::new(BucketedAggregate::new(aggregate.clone(), self.sizes));
                Ok(Transformed::yes(bucketed))
            }
            _ => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "GroupInBuckets"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether it merges states that come in no order.
fn fits(aggregate: &AggregateExec) -> bool {
    let keys = aggregate.group_expr();
    *aggregate.mode() == AggregateMode::FinalPartitioned
        && keys.is_single()
        && !keys.is_empty()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch};
    use arrow::util::pretty::pretty_format_batches;
    use datafusion::datasource::MemTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::execution::memory_pool::GreedyMemoryPool;
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    const QUERY: &str = "SELECT k, text, count(*), sum(v), min(v), avg(v) FROM t GROUP BY k, text";

    /// Batches whose keys are different, and come again in other batches, NULL among them.
    fn rows() -> Vec<RecordBatch> {
        let batch = |from: i64| {
            let keys = (0..500).map(|row| (row % 41 != 0).then_some((row * 7 + from) % 900));
            let texts =
                (0..500).map(|row| (row % 13 != 0).then(|| format!("a key that does not fit into a view {}", row % 3)));
            let keys: ArrayRef = Arc::new(Int64Array::from_iter(keys));
            let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter(texts));
            let values: ArrayRef = Arc::new(Int64Array::from_iter_values((0..500).map(|row| row + from)));
            RecordBatch::try_from_iter_with_nullable([("k", keys, true), ("text", texts, true), ("v", values, false)])
                .expect("fits")
        };
        (0..12).map(|at| batch(at * 17)).collect()
    }

    /// The groups, a line each, in an order of the test's: a sort in the query would take from its memory. And the plan.
    async fn ask(rule: Option<GroupInBuckets>, memory_bytes: usize) -> (Vec<String>, String) {
        let mut config = SessionConfig::new().with_target_partitions(3).with_batch_size(100);
        config.options_mut().execution.skip_partial_aggregation_probe_rows_threshold = 10;
        config.options_mut().execution.skip_partial_aggregation_probe_ratio_threshold = 0.1;
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(GreedyMemoryPool::new(memory_bytes))).build_arc();
        let mut builder = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(runtime.expect("a runtime"))
            .with_default_features();
        if let Some(rule) = rule {
            builder = builder.with_physical_optimizer_rule(Arc::new(rule));
        }
        let session = SessionContext::new_with_state(builder.build());
        let rows = rows();
        let table = MemTable::try_new(rows[0].schema(), rows.chunks(4).map(<[_]>::to_vec).collect()).expect("a table");
        session.register_table("t", Arc::new(table)).expect("registered");
        let frame = session.sql(QUERY).await.expect("plans");
        let plan = frame.clone().create_physical_plan().await.expect("plans");
        let plan = datafusion::physical_plan::displayable(plan.as_ref()).indent(true).to_string();
        let batches = frame.collect().await.expect("runs");
        let printed = pretty_format_batches(&batches).expect("prints").to_string();
        let mut groups: Vec<_> = printed.lines().map(str::to_owned).collect();
        groups.sort_unstable();
        (groups, plan)
    }

    #[tokio::test]
    async fn groups_are_those_of_one_hash_table() {
        let (expected, plan) = ask(None, 1 << 30).await;
        assert!(!plan.contains("BucketedAggregate"), "{plan}");
        let sizes = |buckets_from, reduce_from| Sizes { buckets_from, bucket: 20, reduce_from };
        for (sizes, what) in [
            (Sizes::default(), "few states"),
            (sizes(100, usize::MAX), "in buckets"),
            (sizes(100, 300), "merged from time to time"),
        ] {
            let (found, plan) = ask(Some(GroupInBuckets { sizes }), 1 << 30).await;
            assert!(plan.contains("BucketedAggregate"), "{plan}");
            assert_eq!(found, expected, "{what}");
        }
    }

    #[tokio::test]
    async fn without_memory_to_hold_them_states_are_merged_as_they_come() {
        let (expected, _) = ask(None, 1 << 30).await;
        let sizes = Sizes { buckets_from: 100, bucket: 20, reduce_from: usize::MAX };
        let (found, _) = ask(Some(GroupInBuckets { sizes }), 1 << 20).await;
        assert_eq!(found, expected);
    }
}
