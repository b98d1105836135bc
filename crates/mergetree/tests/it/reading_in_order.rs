//! ORDER BY a prefix of the sorting key sorts nothing: the plan has no operator that sorts, rows come in the order all the
//! same, and with LIMIT little is read.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::Int64Type;
use arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::displayable;
use gristmill_catalog::Table;
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::testing::{TableSpec, context, insert, select, session};
use gristmill_mergetree::{MemoryStore, MergeTree};
use gristmill_types::{Columns, SqlType};

const ROWS: i64 = 20_000;

fn columns() -> Columns {
    Columns::of([("g", SqlType::Int64), ("k", SqlType::Int64), ("v", SqlType::Int64)])
}

/// `ORDER BY (g, k)`, `g = k / 1000`, granules of 100 rows; a part for each list of `k`.
async fn table(parts: &[Vec<i64>]) -> Arc<MergeTree> {
    let spec = TableSpec::new(columns(), &["g", "k"], &[]).expect("spec").with_setting("index_granularity", 100);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for rows in parts {
        let of = |value: &dyn Fn(i64) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|k| value(*k))))
        };
        let arrays = vec![of(&|k| k / 1000), of(&|k| k), of(&|k| k * 7919 % 1000)];
        let batch = RecordBatch::try_new(columns().arrow(), arrays).expect("fits");
        insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
    }
    table
}

async fn one_part() -> Arc<MergeTree> {
    table(&[(0..ROWS).collect()]).await
}

/// Ten parts, none of which meets another.
async fn disjoint() -> Arc<MergeTree> {
    table(&(0..10).map(|part| (part * 2000..(part + 1) * 2000).collect()).collect::<Vec<_>>()).await
}

/// Three that meet everywhere.
async fn overlapping() -> Arc<MergeTree> {
    table(&(0..3).map(|part| (0..ROWS).filter(|k| k / 10 % 3 == part).collect()).collect::<Vec<_>>()).await
}

async fn plan(table: &MergeTree, query: &str, settings: &[(&str, &str)]) -> String {
    let context = context(settings).expect("settings");
    let session = session(&context);
    session.register_table("t", table.read(&context).await.expect("pins")).expect("registers");
    let plan = session.sql(query).await.expect("parses").create_physical_plan().await.expect("plans");
    displayable(plan.as_ref()).indent(false).to_string()
}

async fn run(table: &MergeTree, query: &str, settings: &[(&str, &str)]) -> (RecordBatch, Arc<QueryContext>) {
    let context = context(settings).expect("settings");
    let batches = select(table, &context, query).await.expect("runs");
    let schema = batches.first().expect("a batch").schema();
    (concat_batches(&schema, &batches).expect("one schema"), context)
}

fn shown(rows: &RecordBatch) -> String {
    pretty_format_batches(std::slice::from_ref(rows)).expect("shown").to_string()
}

fn numbers(batch: &RecordBatch, column: usize) -> Vec<i64> {
    batch.column(column).as_primitive::<Int64Type>().values().to_vec()
}

const SORTED: [(&str, &str); 3] =
    [("optimize_read_in_order", "0"), ("use_top_k_dynamic_filtering", "0"), ("use_query_condition_cache", "0")];

#[tokio::test(flavor = "multi_thread")]
async fn an_order_of_the_key_is_not_sorted() {
    let queries = [
        "SELECT * FROM t ORDER BY g, k",
        "SELECT k, v FROM t ORDER BY g, k",
        "SELECT k, v + 1 FROM t ORDER BY g DESC, k DESC",
        "SELECT k, v FROM t WHERE v < 100 ORDER BY g, k",
        "SELECT k, v FROM t WHERE v < 100 ORDER BY g DESC, k DESC",
        "SELECT k, v FROM t ORDER BY g, k LIMIT 50 OFFSET 1950",
        "SELECT k FROM t WHERE v = 77 ORDER BY g, k LIMIT 5",
        "SELECT k FROM t WHERE v = 77 ORDER BY g DESC, k DESC LIMIT 5 OFFSET 2",
        "SELECT k FROM t ORDER BY g, k LIMIT 19990 OFFSET 5",
        // One value of the first key: the second is the order.
        "SELECT k, v FROM t WHERE g = 7 ORDER BY k",
        "SELECT k, v FROM t WHERE g = 7 ORDER BY k DESC LIMIT 3",
        "SELECT g, k FROM t WHERE g = 7 AND v > 500 ORDER BY k, g",
        "SELECT k, row_number() OVER (ORDER BY g, k) FROM t ORDER BY g, k",
    ];
    for (name, table) in [("one", one_part().await), ("disjoint", disjoint().await), ("overlapping", overlapping().await)] {
        for query in queries {
            for threads in ["1", "4"] {
                let settings = [("max_threads", threads), ("use_query_condition_cache", "0")];
                let plan = plan(&table, query, &settings).await;
                // A tenth of the granules of three parts is too little to be merged.
                if name != "overlapping" || !query.contains("g = 7") {
                    assert!(!plan.contains("SortExec") && plan.contains("SequenceExec"), "{name}: {query}\n{plan}");
                    assert_eq!(plan.contains("merged=1,"), name != "overlapping", "{name}: {query}\n{plan}");
                }
                let (found, _) = run(&table, query, &settings).await;
                let (sorted, _) = run(&table, query, &SORTED).await;
                assert_eq!(shown(&found), shown(&sorted), "{name}: {query}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_goes_on_behind_the_key_is_sorted_segment_by_segment() {
    for table in [one_part().await, disjoint().await, overlapping().await] {
        for query in ["SELECT g, v, k FROM t ORDER BY g, v, k", "SELECT g, v, k FROM t WHERE v > 10 ORDER BY g, v DESC, k"] {
            let plan = plan(&table, query, &[("max_threads", "4")]).await;
            let sequence = plan.find("SequenceExec").expect("segments are given one after the other");
            assert!(plan.find("SortExec").is_some_and(|sort| sort > sequence), "{plan}");
            assert!(!plan.contains("SortPreservingMergeExec") && !plan.contains("segments=1,"), "{plan}");
            let (found, _) = run(&table, query, &[("max_threads", "4")]).await;
            let (sorted, _) = run(&table, query, &SORTED).await;
            assert_eq!(shown(&found), shown(&sorted), "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_orders_are_sorted() {
    let table = one_part().await;
    for query in [
        "SELECT k FROM t ORDER BY k",
        "SELECT k FROM t ORDER BY v, k",
        "SELECT k FROM t ORDER BY g, k DESC",
        "SELECT k FROM t ORDER BY g + 1, k",
        "SELECT k FROM t WHERE g > 7 ORDER BY k",
    ] {
        let plan = plan(&table, query, &[]).await;
        assert!(plan.contains("SortExec"), "{query}\n{plan}");
        let (found, _) = run(&table, query, &[]).await;
        let (sorted, _) = run(&table, query, &SORTED).await;
        assert_eq!(shown(&found), shown(&sorted), "{query}");
    }
    let off = plan(&table, "SELECT k FROM t ORDER BY g, k", &[("optimize_read_in_order", "0")]).await;
    assert!(off.contains("SortExec"), "{off}");
}

/// Merging as many parts as there are granules would save nothing.
#[tokio::test(flavor = "multi_thread")]
async fn many_small_parts_are_sorted() {
    let small = table(&(0..30).map(|part| (0..3000).filter(|k| k % 30 == part).collect()).collect::<Vec<_>>()).await;
    let plan = plan(&small, "SELECT k FROM t ORDER BY g, k", &[]).await;
    assert!(plan.contains("SortExec"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_reads_what_it_needs() {
    let settings = [("max_threads", "1"), ("use_query_condition_cache", "0")];
    let cases: [(Arc<MergeTree>, &str, Vec<i64>, u64); 6] = [
        (one_part().await, "SELECT k FROM t ORDER BY g, k LIMIT 3", vec![0, 1, 2], 100),
        (one_part().await, "SELECT k FROM t ORDER BY g DESC, k DESC LIMIT 2", vec![ROWS - 1, ROWS - 2], 100),
        (one_part().await, "SELECT k FROM t WHERE g = 7 ORDER BY k LIMIT 2", vec![7000, 7001], 200),
        (disjoint().await, "SELECT k FROM t ORDER BY g, k LIMIT 3", vec![0, 1, 2], 100),
        (disjoint().await, "SELECT k FROM t ORDER BY g, k LIMIT 1 OFFSET 150", vec![150], 200),
        (overlapping().await, "SELECT k FROM t ORDER BY g, k LIMIT 3", vec![0, 1, 2], 600),
    ];
    for (table, query, expected, most) in cases {
        let (found, context) = run(&table, query, &settings).await;
        assert_eq!(numbers(&found, 0), expected, "{query}");
        let read = context.counters.get(Event::SelectedRows);
        assert!((1..=most).contains(&read), "{query} read {read} rows");
    }
}

/// Borders between segments are read for both sides: about one granule of each part a segment.
#[tokio::test(flavor = "multi_thread")]
async fn little_is_read_twice() {
    let query = "SELECT k FROM t ORDER BY g, k";
    for (table, most) in [(one_part().await, ROWS), (disjoint().await, ROWS), (overlapping().await, ROWS * 5 / 4)] {
        let (_, context) = run(&table, query, &[("max_threads", "2")]).await;
        let read = context.counters.get(Event::SelectedRows) as i64;
        assert!((ROWS..=most).contains(&read), "{read} rows were read");
    }
}

/// What is read ahead is bounded by the query's memory.
#[tokio::test(flavor = "multi_thread")]
async fn an_order_needs_little_memory() {
    let table = overlapping().await;
    let settings = [("max_threads", "4"), ("max_memory_usage", "8000000"), ("max_block_size", "100")];
    let (found, _) = run(&table, "SELECT k FROM t ORDER BY g, k", &settings).await;
    assert_eq!(numbers(&found, 0), (0..ROWS).collect::<Vec<_>>());
}
