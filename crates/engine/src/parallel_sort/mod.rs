//! ORDER BY without a limit, on all cores, from the first row read to the last one given.
//!
//! DataFusion sorts each batch by itself and merges hundreds of them, one row at a time, then merges the streams on one core.
//! The rule puts an operator in the place of both: rows are sorted in runs while others are still read, by numbers made of their keys
//! that need no indirection, and then merged in ranges, each wherever a core is free (`runs`).

mod exec;
mod runs;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};

pub use exec::{ParallelSort, Sizes};

#[derive(Debug, Default)]
pub struct SortInParallel {
    pub sizes: Sizes,
}

impl PhysicalOptimizerRule for SortInParallel {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        // From the top, so that a merge is seen before the sort below it.
        plan.transform_down(|plan| {
            Ok(match self.parallel(&plan)? {
                Some(sorted) => Transformed::yes(sorted),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "SortInParallel"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl SortInParallel {
    fn parallel(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let whole =
            |plan: &Arc<dyn ExecutionPlan>| plan.downcast_ref::<SortExec>().filter(|sort| sort.fetch().is_none()).cloned();
        let as_plan = |sort: Option<ParallelSort>| sort.map(|sort| Arc::new(sort) as Arc<dyn ExecutionPlan>);
        if let Some(sort) = whole(plan) {
            return Ok(as_plan(ParallelSort::of(plan.clone(), &sort, false, self.sizes)));
        }
        let merge = plan.downcast_ref::<SortPreservingMergeExec>().filter(|merge| merge.fetch().is_none());
        let Some(below) = merge.map(SortPreservingMergeExec::input) else { return Ok(None) };
        if let Some(sort) = whole(below) {
            return Ok(as_plan(ParallelSort::of(plan.clone(), &sort, true, self.sizes)));
        }
        // Columns that are only sorted by are left out between both: behind the merge then.
        let Some(projection) = below.downcast_ref::<ProjectionExec>().filter(|projection| chooses(projection)) else {
            return Ok(None);
        };
        let Some(sort) = whole(projection.input()) else { return Ok(None) };
        let merge = SortPreservingMergeExec::new(sort.expr().clone(), projection.input().clone());
        let anew = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        match as_plan(ParallelSort::of(Arc::new(merge), &sort, true, self.sizes)) {
            Some(sorted) => Ok(Some(below.clone().replace_children(vec![sorted], anew)?)),
            None => Ok(None),
        }
    }
}

/// Whether a projection computes nothing.
fn chooses(projection: &ProjectionExec) -> bool {
    projection.expr().iter().all(|column| column.expr.is::<Column>())
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, BinaryViewArray, Float64Array, Int64Array, RecordBatch};
    use arrow::util::pretty::pretty_format_batches;
    use datafusion::datasource::MemTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::execution::memory_pool::GreedyMemoryPool;
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::physical_plan::{collect, displayable};
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    /// Streams of batches: numbers, few of them; texts with and without a view's room, some NULL; floats of both zeroes and NaN;
    /// and a number that no other row has.
    fn streams(count: i64) -> Vec<Vec<RecordBatch>> {
        let batch = |from: i64| {
            let row = |at: i64| (from * 100 + at) * 7919 % 10_007;
            let few: ArrayRef = Arc::new(Int64Array::from_iter_values((0..100).map(|at| row(at) % 5 - 2)));
            let text = |n: i64| match n % 3 {
                0 => format!("{n}"),
                1 => format!("https://example.com/a/long/way/{}", n % 50),
                _ => format!("https://example.com/a/long/way/{}\0", n % 50),
            };
            let texts = (0..100).map(|at| (row(at) % 11 != 0).then(|| text(row(at))));
            let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter(texts));
            let float = |n: i64| match n % 7 {
                0 => 0.0,
                1 => -0.0,
                2 => f64::NAN,
                _ => n as f64 / 16.0 - 200.0,
            };
            let floats: ArrayRef = Arc::new(Float64Array::from_iter_values((0..100).map(|at| float(row(at)))));
            let own: ArrayRef = Arc::new(Int64Array::from_iter_values((0..100).map(|at| from * 100 + at)));
            let columns = [("few", few, false), ("t", texts, true), ("f", floats, false), ("own", own, false)];
            RecordBatch::try_from_iter_with_nullable(columns).expect("fits")
        };
        (0..count).map(|stream| (0..20).map(|at| batch(stream * 20 + at)).collect()).collect()
    }

    /// The rows, the plan, and the files that were spilled.
    async fn ask(query: &str, count: i64, rule: Option<SortInParallel>, memory_bytes: usize) -> (String, String, usize) {
        let config = SessionConfig::new().with_target_partitions(count as usize).with_batch_size(64);
        let config = config.with_sort_spill_reservation_bytes(10_000);
        let pool = Arc::new(GreedyMemoryPool::new(memory_bytes));
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc().expect("a runtime");
        let mut builder = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
        if let Some(rule) = rule {
            builder = builder.with_physical_optimizer_rule(Arc::new(rule));
        }
        let session = SessionContext::new_with_state(builder.build());
        let streams = streams(count);
        let table = MemTable::try_new(streams[0][0].schema(), streams).expect("a table");
        session.register_table("t", Arc::new(table)).expect("registered");
        let plan = session.sql(query).await.expect("plans").create_physical_plan().await.expect("plans");
        let batches = collect(plan.clone(), session.task_ctx()).await.expect("runs");
        let spilled = spilled(&plan);
        let rows = pretty_format_batches(&batches).expect("prints").to_string();
        (rows, displayable(plan.as_ref()).indent(false).to_string(), spilled)
    }

    fn spilled(plan: &Arc<dyn ExecutionPlan>) -> usize {
        let own = plan.metrics().and_then(|metrics| metrics.spill_count()).unwrap_or(0);
        own + plan.children().into_iter().map(spilled).sum::<usize>()
    }

    fn small() -> Option<SortInParallel> {
        Some(SortInParallel { sizes: Sizes { run_rows: 500, stretch_rows: 70, stretch_bytes: 1 << 20 } })
    }

    #[tokio::test]
    async fn rows_come_in_the_order_of_the_whole() {
        for order in [
            "own",
            "own DESC",
            "few, own DESC",
            "few DESC, t ASC NULLS LAST, own",
            "t DESC NULLS FIRST, own",
            "t ASC NULLS FIRST, own DESC",
            "t DESC NULLS LAST, few, own",
            "own % 13, own + few, own",
            "f, own",
            "f DESC, own",
            "f + 0.0 DESC, own",
        ] {
            let query = format!("SELECT own, few, t, f FROM t ORDER BY {order}");
            for count in [1, 3] {
                let (want, _, _) = ask(&query, count, None, usize::MAX).await;
                for rule in [small(), Some(SortInParallel::default())] {
                    let (got, plan, spilled) = ask(&query, count, rule, usize::MAX).await;
                    assert!(plan.contains("ParallelSort") && !plan.contains("SortPreservingMerge"), "{plan}");
                    assert_eq!((got, spilled), (want.clone(), 0), "{order} of {count} streams");
                }
            }
        }
    }

    #[tokio::test]
    async fn windows_are_sorted_stream_by_stream() {
        let query = "SELECT own, sum(own) OVER (PARTITION BY few ORDER BY own) AS s FROM t ORDER BY own";
        let (want, _, _) = ask(query, 3, None, usize::MAX).await;
        let (got, plan, _) = ask(query, 3, small(), usize::MAX).await;
        assert_eq!(plan.matches("ParallelSort").count(), 2, "{plan}");
        assert_eq!(got, want);
    }

    #[tokio::test]
    async fn what_does_not_fit_is_spilled() {
        let query = "SELECT own, few FROM t ORDER BY few, own";
        let (want, _, none) = ask(query, 1, None, usize::MAX).await;
        let (got, plan, spilled) = ask(query, 1, small(), 100_000).await;
        assert!(plan.contains("ParallelSort"), "{plan}");
        assert_eq!(got, want);
        assert!(none == 0 && spilled > 0);
    }

    #[tokio::test]
    async fn many_streams_with_little_memory_are_spilled_together() {
        let query = "SELECT own, few FROM t ORDER BY few, own";
        let (want, _, _) = ask(query, 12, None, usize::MAX).await;
        let (got, plan, spilled) = ask(query, 12, small(), 200_000).await;
        assert!(plan.contains("merges_streams=[true]"), "{plan}");
        assert_eq!(got, want);
        assert!(spilled > 0);
    }
}
