//! GROUP BY of keys with few possible values: bytes, short integers, enumerations, dates, flags, alone or together.
//!
//! A hash table asks of every row what an array answers at once: which group is this. Where the keys of a row fit into
//! 17 bits together, the code of its keys is a place in an array that holds the number of the group, and no key is
//! hashed or compared. A wide integer is taken for narrow until a large value comes. The rule puts the operator in the place of the aggregations that read rows; those that merge the
//! states of several streams see one row a group and stay DataFusion's.

mod codes;
mod exec;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateOutputMode};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

pub use exec::NarrowKeyAggregate;

#[derive(Debug)]
pub struct GroupNarrowKeysByArray;

impl PhysicalOptimizerRule for GroupNarrowKeysByArray {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| match plan.downcast_ref::<AggregateExec>() {
            Some(aggregate) if fits(aggregate)? => {
                let narrow: Arc<dyn ExecutionPlan> = Arc::new(NarrowKeyAggregate::new(aggregate.clone())?);
                Ok(Transformed::yes(narrow))
            }
            _ => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "GroupNarrowKeysByArray"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether it reads rows in any order, by keys that are narrow, into states that are kept for all groups together.
fn fits(aggregate: &AggregateExec) -> Result<bool> {
    let keys = aggregate.group_expr();
    let reads_rows = aggregate.mode().input_mode() == AggregateInputMode::Raw;
    if !reads_rows
        || !keys.is_single()
        || keys.is_empty()
        || aggregate.limit_options().is_some()
        || *aggregate.input_order_mode() != InputOrderMode::Linear
        || !aggregate.aggr_expr().iter().all(|function| function.groups_accumulator_supported())
    {
        return Ok(false);
    }
    let schema = aggregate.input().schema();
    // States can be given early, and merged with those of a hash table; results cannot.
    let gives_states = aggregate.mode().output_mode() == AggregateOutputMode::Partial;
    Ok(codes::KeyCodes::new(&keys.input_exprs(), &schema)?.is_some_and(|codes| gives_states || !codes.are_partial()))
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, AsArray, BooleanArray, Int8Array, Int64Array, RecordBatch, UInt16Array};
    use arrow::datatypes::Int64Type;
    use arrow::util::pretty::pretty_format_batches;
    use datafusion::datasource::MemTable;
    use datafusion::execution::memory_pool::GreedyMemoryPool;
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::execution::{SessionStateBuilder, TaskContext};
    use datafusion::physical_plan::common::collect;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    /// Batches of some rows in which every key occurs with and without NULLs.
    fn rows() -> Vec<RecordBatch> {
        let batch = |from: i64| {
            let range = || (from..from + 1000).map(|row| row.wrapping_mul(0x9e37_79b9) >> 7);
            let columns: [(&str, ArrayRef, bool); 4] = [
                ("a", Arc::new(Int8Array::from_iter(range().map(|v| (v % 11 != 0).then_some(v as i8)))), true),
                ("b", Arc::new(BooleanArray::from_iter(range().map(|v| (v % 3 != 0).then_some(v % 2 == 0)))), true),
                ("c", Arc::new(UInt16Array::from_iter_values(range().map(|v| (v % 700) as u16 * 93))), false),
                ("v", Arc::new(Int64Array::from_iter(range().map(|v| (v % 5 != 0).then_some(v)))), true),
            ];
            RecordBatch::try_from_iter_with_nullable(columns).expect("a batch")
        };
        (0..20).map(|number| batch(number * 1000)).collect()
    }

    fn session(with_rule: bool, threads: usize, memory: usize) -> SessionContext {
        let pool = Arc::new(GreedyMemoryPool::new(memory));
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc().expect("a runtime");
        let config = SessionConfig::new().with_target_partitions(threads).with_batch_size(512);
        let mut state = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
        if with_rule {
            state = state.with_physical_optimizer_rule(Arc::new(GroupNarrowKeysByArray));
        }
        let session = SessionContext::new_with_state(state.build());
        let pieces: Vec<Vec<RecordBatch>> = rows().chunks(5).map(<[RecordBatch]>::to_vec).collect();
        let table = MemTable::try_new(rows()[0].schema(), pieces).expect("a table");
        session.register_table("t", Arc::new(table)).expect("registered");
        session
    }

    /// The rows of a query, which the operator is to run or not.
    async fn answer(query: &str, with_rule: bool, runs: bool, threads: usize) -> Result<String> {
        let session = session(with_rule, threads, usize::MAX);
        let plan = session.sql(query).await?.create_physical_plan().await?;
        let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
        assert_eq!(shown.contains("NarrowKeyAggregate"), runs, "{shown}");
        Ok(pretty_format_batches(&session.sql(query).await?.collect().await?)?.to_string())
    }

    #[tokio::test]
    async fn the_groups_are_those_of_a_hash_table() {
        for keys in ["a", "b", "c", "a, b"] {
            for functions in ["count(*), sum(v), avg(v)", "min(v), max(v) FILTER (WHERE v % 3 = 0)", "1"] {
                let query = format!("SELECT {keys}, {functions} FROM t GROUP BY {keys} ORDER BY {keys}");
                for threads in [1, 4] {
                    let expected = answer(&query, false, false, threads).await.expect("grouped by hash");
                    assert_eq!(answer(&query, true, true, threads).await.expect("grouped"), expected, "{query}");
                }
            }
        }
    }

    #[tokio::test]
    async fn keys_that_turn_out_wide_go_on_in_a_hash_table() {
        for keys in ["v", "v - 20000", "v % 70000", "v % 60000"] {
            let query = format!("SELECT {keys} AS k, count(*), sum(v) FROM t GROUP BY k ORDER BY k");
            let expected = answer(&query, false, false, 4).await.expect("grouped by hash");
            assert_eq!(answer(&query, true, true, 4).await.expect("grouped"), expected, "{query}");
        }
    }

    #[tokio::test]
    async fn wide_keys_stay_in_a_hash_table() {
        for query in ["SELECT a, v, count(*) FROM t GROUP BY a, v", "SELECT b, c, count(*) FROM t GROUP BY b, c"] {
            answer(query, true, false, 4).await.expect("grouped by hash");
        }
    }

    /// States that memory is refused for are given early, and merged by what follows.
    #[tokio::test]
    async fn states_go_on_early_where_memory_is_short() {
        let session = session(true, 4, usize::MAX);
        let plan = session.sql("SELECT a, count(*), sum(v) FROM t GROUP BY a").await.expect("planned");
        let mut node = plan.create_physical_plan().await.expect("planned");
        while node.name() != "NarrowKeyAggregate" {
            node = node.children()[0].clone();
        }
        let mut early = 0;
        for memory in (10_000..40_000).step_by(1000) {
            let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(GreedyMemoryPool::new(memory)));
            let task = TaskContext::default().with_runtime(runtime.build_arc().expect("a runtime"));
            let Ok(batches) = collect(node.execute(0, Arc::new(task)).expect("runs")).await else { continue };
            let counts: i64 = batches.iter().flat_map(|batch| batch.column(1).as_primitive::<Int64Type>().values()).sum();
            assert_eq!(counts, 5000, "of 5 batches of 1000 rows, in {memory} bytes");
            let groups: usize = batches.iter().map(RecordBatch::num_rows).sum();
            early += usize::from(groups > 257);
        }
        assert!(early > 0, "states were never given early");
    }
}
