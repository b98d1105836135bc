use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch};
use arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::*;
use crate::bucketed_groups::GroupInBuckets;

/// Keys of which hardly any come again in the batch, but some in others; NULL among them.
fn rows() -> Vec<RecordBatch> {
    let batch = |from: i64| {
        let keys = (0..500).map(|row| (row % 97 != 0).then_some(row * 7 + from));
        let texts = (0..500).map(|row| (row % 13 != 0).then(|| format!("a key that does not fit into a view {}", row % 3)));
        let keys: ArrayRef = Arc::new(Int64Array::from_iter(keys));
        let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter(texts));
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values((0..500).map(|row| row + from)));
        RecordBatch::try_from_iter_with_nullable([("k", keys, true), ("text", texts, true), ("v", values, false)])
            .expect("fits")
    };
    (0..12).map(|at| batch(at * 170)).collect()
}

/// The groups, a line each, in an order of the test's: a sort in the query would take from its memory. And the plan.
async fn ask(query: &str, by_parts: bool, threads: usize, memory_bytes: usize) -> Result<(Vec<String>, String)> {
    let mut config = SessionConfig::new().with_target_partitions(threads).with_batch_size(100);
    config.options_mut().execution.skip_partial_aggregation_probe_rows_threshold = 300;
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(GreedyMemoryPool::new(memory_bytes))).build_arc()?;
    let builder = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
    let mut builder = builder.with_physical_optimizer_rule(Arc::new(GroupInBuckets::default()));
    if by_parts {
        builder = builder.with_physical_optimizer_rule(Arc::new(GroupManyByParts));
    }
    let session = SessionContext::new_with_state(builder.build());
    let rows = rows();
    let table = MemTable::try_new(rows[0].schema(), rows.chunks(4).map(<[_]>::to_vec).collect())?;
    session.register_table("t", Arc::new(table))?;
    let frame = session.sql(query).await?;
    let plan = frame.clone().create_physical_plan().await?;
    let plan = displayable(plan.as_ref()).indent(true).to_string();
    let printed = pretty_format_batches(&frame.collect().await?)?.to_string();
    let mut groups: Vec<_> = printed.lines().map(str::to_owned).collect();
    groups.sort_unstable();
    Ok((groups, plan))
}

const QUERY: &str =
    "SELECT k, text, count(*), sum(v), min(v), avg(v) FILTER (WHERE v % 2 = 0), count(DISTINCT v) FROM t GROUP BY k, text";

#[tokio::test]
async fn groups_are_those_of_three_operators() {
    for query in [
        QUERY,
        "SELECT k + 1 AS j, count(*) AS c FROM t GROUP BY j HAVING c > 1",
        "SELECT DISTINCT k, v FROM t",
        "SELECT k, count(*) FROM t WHERE v < 0 GROUP BY k",
        // Keys that come again.
        "SELECT text, count(*), max(v) FROM t GROUP BY text",
        "SELECT k % 10 AS j, sum(v) FROM t GROUP BY j",
    ] {
        for threads in [2, 3] {
            let (expected, plan) = ask(query, false, threads, 1 << 30).await.expect("runs");
            assert!(!plan.contains("PartedAggregate"), "{plan}");
            let (found, plan) = ask(query, true, threads, 1 << 30).await.expect("runs");
            assert!(plan.contains("PartedAggregate") && !plan.contains("RepartitionExec: partitioning=Hash"), "{plan}");
            assert_eq!(found, expected, "{query} in {threads} streams");
        }
    }
}

/// The side that is grouped meets one that the exchange has dealt.
#[tokio::test]
async fn a_group_comes_in_the_stream_that_the_exchange_would_have_dealt_it_to() {
    let query = "SELECT l.k, l.c, r.v FROM (SELECT k, count(*) AS c FROM t GROUP BY k) AS l JOIN t AS r ON l.k = r.k";
    let (expected, _) = ask(query, false, 3, 1 << 30).await.expect("runs");
    let (found, plan) = ask(query, true, 3, 1 << 30).await.expect("runs");
    assert!(plan.contains("PartedAggregate"), "{plan}");
    assert!(expected.len() > 1000);
    assert_eq!(found, expected);
}

/// Without the texts among the keys: where a stream of DataFusion's has spilled, each of its keys that is a text takes a block of 2 MiB,
/// which is more than there is.
#[tokio::test]
async fn without_memory_the_three_operators_take_over() {
    let query = "SELECT k, v % 2 AS odd, count(*), sum(v), max(text) FROM t GROUP BY k, odd";
    let (expected, _) = ask(query, false, 3, 1 << 30).await.expect("runs");
    for memory in [1 << 20, 3 << 19, 2 << 20, 4 << 20] {
        let (found, _) = ask(query, true, 3, memory).await.expect("runs");
        assert_eq!(found, expected, "{memory} bytes");
    }
}

#[tokio::test]
async fn an_error_of_a_stream_is_that_of_the_query() {
    let error = ask("SELECT k, sum(1 / (v - 500)) FROM t GROUP BY k", true, 3, 1 << 30).await.expect_err("fails");
    assert!(error.to_string().contains("Divide by zero"), "{error}");
}

/// A result that is not read to its end leaves no task behind, and one without rows has none.
#[tokio::test]
async fn some_groups_and_none() {
    let (found, _) = ask("SELECT k FROM t GROUP BY k LIMIT 3", true, 3, 1 << 30).await.expect("runs");
    assert_eq!(found.len(), 3 + 4, "{found:?}");
    let (found, _) = ask("SELECT k FROM t WHERE v < 0 GROUP BY k", true, 3, 1 << 30).await.expect("runs");
    assert!(found.len() <= 4, "{found:?}");
}
