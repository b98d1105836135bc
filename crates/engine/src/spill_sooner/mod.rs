//! `max_bytes_before_external_sort` and `max_bytes_before_external_group_by`: a sort or an aggregation goes to disk from so many
//! bytes on, though the query may use more memory. Their ratios say the same as a share of the memory that it may use, where
//! they are set; else an operator spills when memory is refused it.
//!
//! DataFusion's operators spill when their memory pool refuses them more. The rule puts a wrapper around each that can; it runs
//! the operator over a pool of its own, which refuses what goes beyond the limit (`pool`), while the operator still takes rows in: when
//! it merges what it spilled, nothing is left to spill, and a refusal would be the end of the query. Streams of one operator
//! share the limit evenly.

mod exec;
mod pool;

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;

use self::exec::SpillsSooner;
use crate::bucketed_groups::BucketedAggregate;
use crate::transparent::Transparent;

/// Bytes from which on operators spill.
#[derive(Debug)]
pub struct SpillSooner {
    sort: Option<u64>,
    group_by: Option<u64>,
}

impl SpillSooner {
    /// `None`: nothing is said. `memory_bytes`: that the query may use; 0: any. Errors: BAD_ARGUMENTS.
    pub fn of(settings: &Settings, memory_bytes: u64) -> Result<Option<SpillSooner>> {
        let share = |name: &str, ratio: f64| -> Result<Option<u64>> {
            if !(0.0..1.0).contains(&ratio) {
                let text = format!("Setting {name} should be >= 0 and < 1 ({ratio})");
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
            let is_said = settings.is_changed(name) && ratio > 0.0 && memory_bytes > 0;
            Ok(is_said.then_some((memory_bytes as f64 * ratio) as u64))
        };
        let least = |bytes: u64, share: Option<u64>| Some(bytes).filter(|bytes| *bytes > 0).into_iter().chain(share).min();
        let of_sort = share("max_bytes_ratio_before_external_sort", settings.max_bytes_ratio_before_external_sort)?;
        let of_groups =
            share("max_bytes_ratio_before_external_group_by", settings.max_bytes_ratio_before_external_group_by)?;
        let sort = least(settings.max_bytes_before_external_sort, of_sort);
        let group_by = least(settings.max_bytes_before_external_group_by, of_groups);
        Ok((sort.is_some() || group_by.is_some()).then_some(SpillSooner { sort, group_by }))
    }

    /// Whether groups go to disk before memory is refused.
    pub fn spills_groups(&self) -> bool {
        self.group_by.is_some()
    }

    /// Whether rows that are sorted go to disk before memory is refused.
    pub fn spills_sorts(&self) -> bool {
        self.sort.is_some()
    }

    fn bytes_for(&self, plan: &Arc<dyn ExecutionPlan>) -> Option<u64> {
        if let Some(sort) = plan.downcast_ref::<SortExec>() {
            // One with a bound keeps no more rows than that.
            return self.sort.filter(|_| sort.fetch().is_none());
        }
        let spills = plan.is::<BucketedAggregate>() || plan.downcast_ref::<AggregateExec>().is_some_and(spills);
        self.group_by.filter(|_| spills)
    }
}

/// Aggregations by hash tables of one set of keys can; others report that they are out of memory.
fn spills(aggregate: &AggregateExec) -> bool {
    let keys = aggregate.group_expr();
    keys.is_single()
        && !keys.is_empty()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear
}

impl PhysicalOptimizerRule for SpillSooner {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            Ok(match self.bytes_for(&plan) {
                Some(bytes) => Transformed::yes(Transparent::around(plan, SpillsSooner::beyond(bytes))),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "SpillSooner"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch};
    use arrow::util::pretty::pretty_format_batches;
    use datafusion::datasource::MemTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::physical_plan::{collect, displayable};
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;
    use crate::bucketed_groups::GroupInBuckets;

    fn rows() -> Vec<Vec<RecordBatch>> {
        let batch = |from: i64| {
            let numbers: ArrayRef =
                Arc::new(Int64Array::from_iter_values((0..1000).map(|row| (row * 7919 + from) % 10_007)));
            let texts = (0..1000).map(|row| format!("a text that lies in a buffer {}", (row * 31 + from) % 5003));
            let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(texts));
            RecordBatch::try_from_iter([("n", numbers), ("s", texts)]).expect("fits")
        };
        (0..4).map(|part| (0..10).map(|at| batch(part * 100_003 + at * 17)).collect()).collect()
    }

    /// The result and how many files were spilled.
    async fn run(query: &str, streams: usize, rule: Option<SpillSooner>) -> (String, usize) {
        let config = SessionConfig::new().with_target_partitions(streams).with_batch_size(500);
        let mut builder = SessionStateBuilder::new().with_config(config).with_default_features();
        builder = builder.with_physical_optimizer_rule(Arc::new(GroupInBuckets::default()));
        if let Some(rule) = rule {
            builder = builder.with_physical_optimizer_rule(Arc::new(rule));
        }
        let session = SessionContext::new_with_state(builder.build());
        let rows = rows();
        let table = MemTable::try_new(rows[0][0].schema(), rows).expect("a table");
        session.register_table("t", Arc::new(table)).expect("registered");
        let plan = session.sql(query).await.expect("plans").create_physical_plan().await.expect("plans");
        let batches = collect(plan.clone(), session.task_ctx()).await.expect("runs");
        let shown = displayable(plan.as_ref()).indent(false).to_string();
        assert!(!shown.contains("Spill"), "the operators look as ever: {shown}");
        (pretty_format_batches(&batches).expect("prints").to_string(), spilled(&plan))
    }

    fn spilled(plan: &Arc<dyn ExecutionPlan>) -> usize {
        let own = plan.metrics().and_then(|metrics| metrics.spill_count()).unwrap_or(0);
        own + plan.children().into_iter().map(spilled).sum::<usize>()
    }

    #[tokio::test]
    async fn what_goes_to_disk_comes_back_the_same() {
        for query in [
            "SELECT n, s FROM t ORDER BY s, n",
            "SELECT s, count(*) AS c, sum(n) AS m FROM t GROUP BY s ORDER BY s LIMIT 3000",
            "SELECT count(*) FROM (SELECT s, n FROM t GROUP BY s, n)",
        ] {
            for streams in [1, 3] {
                let (expected, none) = run(query, streams, None).await;
                assert_eq!(none, 0, "there is memory");
                for bytes in [1, 100_000] {
                    let rule = SpillSooner { sort: Some(bytes), group_by: Some(bytes) };
                    let (found, files) = run(query, streams, Some(rule)).await;
                    assert_eq!(found, expected, "{query} in {streams} streams over {bytes} bytes");
                    assert!(files > 0, "{query} in {streams} streams over {bytes} bytes");
                }
                let (_, files) = run(query, streams, Some(SpillSooner { sort: Some(1 << 40), group_by: None })).await;
                assert_eq!(files, 0, "{query}");
            }
        }
    }

    #[test]
    fn what_is_said_is_the_least_of_both() {
        let said = |settings: &[(&str, &str)]| {
            let mut all = Settings::default();
            settings.iter().for_each(|(name, value)| all.set(name, value).expect("sets"));
            SpillSooner::of(&all, 1000).map(|sooner| sooner.map(|sooner| (sooner.sort, sooner.group_by)))
        };
        assert_eq!(said(&[]).expect("right"), None, "then memory alone decides");
        assert_eq!(said(&[("max_bytes_before_external_sort", "700")]).expect("right"), Some((Some(700), None)));
        let both = [("max_bytes_before_external_sort", "700"), ("max_bytes_ratio_before_external_sort", "0.2")];
        assert_eq!(said(&both).expect("right"), Some((Some(200), None)));
        assert_eq!(said(&[("max_bytes_ratio_before_external_group_by", "0.3")]).expect("right"), Some((None, Some(300))));
        let error = said(&[("max_bytes_ratio_before_external_sort", "1.5")]).expect_err("no share");
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
    }
}
