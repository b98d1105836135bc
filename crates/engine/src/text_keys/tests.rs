use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, BinaryViewArray, Int64Array, RecordBatch};
use arrow::util::pretty::pretty_format_batches;
use datafusion::common::hash_utils::{RandomState, create_hashes};
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};
use proptest::prelude::*;

use super::table::TextTable;
use super::*;

/// Texts that fit into a view and that do not, the empty one and NULL among them; most come again in other batches.
fn rows() -> Vec<RecordBatch> {
    let batch = |from: i64| {
        let texts = (0..700).map(|row| match (row * 7 + from) % 1100 {
            text if row % 41 == 0 => Some(format!("{}", text % 10)),
            text if row % 13 == 0 => (text % 2 == 0).then(String::new),
            text => Some(format!("a text that does not fit into a view {text}")),
        });
        let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter(texts));
        let values: ArrayRef = Arc::new(Int64Array::from_iter((0..700).map(|row| (row % 3 != 0).then_some(row + from))));
        RecordBatch::try_from_iter_with_nullable([("text", texts, true), ("v", values, true)]).expect("fits")
    };
    (0..12).map(|at| batch(at * 170)).collect()
}

/// The groups, a line each, in an order of the test's: a sort in the query would take from its memory. And the plan.
async fn ask(query: &str, by_text: bool, threads: usize, memory_bytes: usize) -> Result<(Vec<String>, String)> {
    let mut config = SessionConfig::new().with_target_partitions(threads).with_batch_size(100);
    config.options_mut().execution.skip_partial_aggregation_probe_ratio_threshold = 2.0;
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(GreedyMemoryPool::new(memory_bytes))).build_arc()?;
    let mut builder = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
    if by_text {
        builder = builder.with_physical_optimizer_rule(Arc::new(GroupByText));
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

const QUERY: &str = "SELECT text, count(*), count(v), sum(v), min(v), avg(v) FILTER (WHERE v % 2 = 0) FROM t GROUP BY text";

#[tokio::test]
async fn groups_are_those_of_three_operators() {
    let filtered = "SELECT text, avg(v) AS a FROM t GROUP BY text HAVING count(*) > 3 AND a > 100 ORDER BY text";
    for query in [QUERY, filtered, "SELECT DISTINCT text FROM t", "SELECT text, count(*) FROM t WHERE v < 0 GROUP BY text"] {
        for threads in [2, 3] {
            let (expected, plan) = ask(query, false, threads, 1 << 30).await.expect("runs");
            assert!(!plan.contains("TextKeyAggregate"), "{plan}");
            let (found, plan) = ask(query, true, threads, 1 << 30).await.expect("runs");
            assert!(plan.contains("TextKeyAggregate") && !plan.contains("RepartitionExec: partitioning=Hash"), "{plan}");
            assert_eq!(found, expected, "{query} in {threads} streams");
        }
    }
}

/// The side that is grouped meets one that the exchange has dealt.
#[tokio::test]
async fn a_group_comes_in_the_stream_that_the_exchange_would_have_dealt_it_to() {
    let query =
        "SELECT l.text, l.c, r.v FROM (SELECT text, count(*) AS c FROM t GROUP BY text) AS l JOIN t AS r ON l.text = r.text";
    let (expected, _) = ask(query, false, 3, 1 << 30).await.expect("runs");
    let (found, plan) = ask(query, true, 3, 1 << 30).await.expect("runs");
    assert!(plan.contains("TextKeyAggregate"), "{plan}");
    assert!(expected.len() > 1000);
    assert_eq!(found, expected);
}

#[tokio::test]
async fn without_memory_the_three_operators_take_over() {
    let (expected, _) = ask(QUERY, true, 3, 1 << 30).await.expect("runs");
    for memory in [300 << 10, 500 << 10, 1 << 20] {
        let (found, _) = ask(QUERY, true, 3, memory).await.expect("runs");
        assert_eq!(found, expected, "{memory} bytes");
    }
}

#[tokio::test]
async fn an_error_of_a_stream_is_that_of_the_query() {
    let error = ask("SELECT text, sum(1 / (v - 500)) FROM t GROUP BY text", true, 3, 1 << 30).await.expect_err("fails");
    assert!(error.to_string().contains("Divide by zero"), "{error}");
}

/// A result that is not read to its end leaves no task behind, and one without rows has none.
#[tokio::test]
async fn some_groups_and_none() {
    let (found, _) = ask("SELECT text FROM t GROUP BY text LIMIT 3", true, 3, 1 << 30).await.expect("runs");
    assert_eq!(found.len(), 3 + 4, "{found:?}");
    let (found, _) = ask("SELECT text FROM t WHERE v < 0 GROUP BY text", true, 3, 1 << 30).await.expect("runs");
    assert!(found.len() <= 4, "{found:?}");
}

proptest! {
    #[test]
    fn equal_texts_have_one_number(
        batches in prop::collection::vec(prop::collection::vec(prop::option::of("[ab]{0,20}"), 0..3000), 1..5),
    ) {
        let mut table = TextTable::default();
        let mut expected: HashMap<Option<String>, usize> = HashMap::new();
        let mut first: Vec<Option<String>> = Vec::new();
        let mut groups = Vec::new();
        for batch in batches {
            let texts: BinaryViewArray = batch.iter().map(|text| text.as_ref().map(String::as_bytes)).collect();
            let mut hashes = vec![0; texts.len()];
            create_hashes([&texts as &dyn Array], &RandomState::with_seed(1), &mut hashes).expect("hashes");
            // Others fall together.
            hashes.iter_mut().for_each(|hash| *hash &= 0xffff_0000_0000_ffff);
            table.number(&texts, &hashes, &mut groups);
            for (text, group) in batch.iter().zip(&groups) {
                let next = expected.len();
                let number = *expected.entry(text.clone()).or_insert_with(|| {
                    first.push(text.clone());
                    next
                });
                prop_assert_eq!(*group, number);
            }
            prop_assert_eq!(table.len(), expected.len());
        }
        let all: BinaryViewArray = first.iter().map(|text| text.as_ref().map(String::as_bytes)).collect();
        let texts = table.take();
        let some: Vec<u32> = (0..first.len() as u32).rev().step_by(3).collect();
        let expected: BinaryViewArray =
            some.iter().map(|group| first[*group as usize].as_ref().map(String::as_bytes)).collect();
        prop_assert_eq!(texts.of(&some), expected);
        prop_assert_eq!(texts.into_array(), all);
    }
}
