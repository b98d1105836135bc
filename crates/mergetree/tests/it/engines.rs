//! Each engine against a plain model: rows inserted in any blocks, parts merged in any order, FINAL and the last merge all
//! give what the model gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int8Array, Int64Array, RecordBatch, UInt8Array, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use gristmill_base::ErrorCode;
use gristmill_catalog::{OptimizeRequest, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::merge::task::{Claim, MergeOptions, merge};
use gristmill_mergetree::testing::{TableSpec, context, insert, select, select_final};
use gristmill_mergetree::{MemoryStore, MergeTree};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

/// Key, version, is_deleted, sign, value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    k: i64,
    v: i64,
    d: i64,
    s: i64,
    x: i64,
}

fn columns() -> Columns {
    Columns::of([
        ("k", SqlType::Int64),
        ("v", SqlType::UInt64),
        ("d", SqlType::UInt8),
        ("s", SqlType::Int8),
        ("x", SqlType::Int64),
        ("m", SqlType::SimpleAggregateFunction("max".to_string(), Box::new(SqlType::Int64))),
    ])
}

fn batch(rows: &[Row]) -> RecordBatch {
    let k: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.k)));
    let v: ArrayRef = Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.v as u64)));
    let d: ArrayRef = Arc::new(UInt8Array::from_iter_values(rows.iter().map(|row| row.d as u8)));
    let s: ArrayRef = Arc::new(Int8Array::from_iter_values(rows.iter().map(|row| row.s as i8)));
    let x: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.x)));
    RecordBatch::try_new(columns().arrow(), vec![k, v, d, s, x.clone(), x]).expect("fits")
}

fn rows(batches: &[RecordBatch]) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<ArrayRef> =
            batch.columns().iter().map(|column| cast(column, &DataType::Int64).expect("a number")).collect();
        let at = |column: usize, row: usize| columns[column].as_primitive::<Int64Type>().value(row);
        let row = |row| Row { k: at(0, row), v: at(1, row), d: at(2, row), s: at(3, row), x: at(4, row) };
        rows.extend((0..batch.num_rows()).map(row));
    }
    rows.sort_unstable();
    rows
}

const ALL: &str = "SELECT k, v, d, s, x FROM t";
const LAST: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

fn settings(optimize_on_insert: bool) -> Arc<QueryContext> {
    let on_insert = if optimize_on_insert { "1" } else { "0" };
    context(&[("max_threads", "3"), ("max_block_size", "5"), ("optimize_on_insert", on_insert)]).expect("settings")
}

/// What happens to a table before it is read.
#[derive(Clone, Debug)]
struct History {
    inserts: Vec<Vec<Row>>,
    optimize_on_insert: bool,
    /// Whether merges are vertical where the engine allows it.
    vertical: bool,
    /// After which insert how many parts from which one on are merged.
    merges: Vec<(usize, usize, usize)>,
}

fn history(inserts: impl Strategy<Value = Vec<Vec<Row>>>) -> impl Strategy<Value = History> {
    let merges = proptest::collection::vec((0..8usize, 0..6usize, 2..4usize), 0..6);
    (inserts, any::<bool>(), any::<bool>(), merges).prop_map(|(inserts, optimize_on_insert, vertical, merges)| History {
        inserts,
        optimize_on_insert,
        vertical,
        merges,
    })
}

async fn merge_some(table: &MergeTree, context: &Arc<QueryContext>, from: usize, count: usize) {
    let state = table.core().manifest.current();
    let parts: Vec<_> = state.parts.values().skip(from).take(count).cloned().collect();
    if parts.len() < 2 {
        return;
    }
    let claim = Claim::take(table.core(), parts).expect("nobody else merges");
    let options = MergeOptions { deduplicate: None, cleanup: false, lanes: 1, yields: false };
    assert!(merge(&claim, context, &options).await.expect("merges"));
}

/// A table that the history happened to.
async fn lived(spec: &TableSpec, history: &History) -> (Arc<MergeTree>, Arc<QueryContext>) {
    let spec = spec.clone().with_setting("index_granularity", 3).with_setting("max_rows_in_row_group", 9);
    let spec = spec.with_setting("enable_vertical_merge_algorithm", u8::from(history.vertical));
    let spec = spec.with_setting("vertical_merge_algorithm_min_rows_to_activate", 0);
    let spec = spec.with_setting("vertical_merge_algorithm_min_columns_to_activate", 1);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    let context = settings(history.optimize_on_insert);
    for (at, rows) in history.inserts.iter().enumerate() {
        insert(&table, &context, vec![batch(rows)]).await.expect("inserts");
        for (after, from, count) in &history.merges {
            if *after == at {
                merge_some(&table, &context, *from, *count).await;
            }
        }
    }
    (table, context)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
    runtime.block_on(test);
}

fn spec(engine: &str, arguments: &[&str]) -> TableSpec {
    TableSpec::new(columns(), &["k"], &[]).expect("spec").with_engine(engine, arguments)
}

fn any_row() -> impl Strategy<Value = Row> {
    // Few keys that meet often, or many that fill several layers.
    let key = prop_oneof![0..5i64, 0..200i64];
    (key, 0..4i64, 0..2i64, prop_oneof![Just(1i64), Just(-1)], -2..3i64).prop_map(|(k, v, d, s, x)| Row { k, v, d, s, x })
}

fn any_inserts() -> impl Strategy<Value = Vec<Vec<Row>>> {
    proptest::collection::vec(proptest::collection::vec(any_row(), 1..80), 1..8)
}

/// FINAL gives the rows, also under conditions on the key and on other columns, and counts them.
async fn check(table: &MergeTree, context: &Arc<QueryContext>, expected: &[Row]) {
    assert_eq!(rows(&select_final(table, context, ALL).await.expect("reads")), expected, "FINAL");
    for (condition, holds) in [
        ("k >= 3 AND k < 90", (|row: &Row| row.k >= 3 && row.k < 90) as fn(&Row) -> bool),
        ("x > 0", |row| row.x > 0),
        ("k = 1 AND v < 2", |row| row.k == 1 && row.v < 2),
    ] {
        let found = select_final(table, context, &format!("{ALL} WHERE {condition}")).await.expect("reads");
        let passed: Vec<Row> = expected.iter().filter(|row| holds(row)).copied().collect();
        assert_eq!(rows(&found), passed, "FINAL WHERE {condition}");
    }
    let counted = select_final(table, context, "SELECT count(*) FROM t").await.expect("counts");
    assert_eq!(counted[0].column(0).as_primitive::<Int64Type>().value(0), expected.len() as i64, "count");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn replacing_keeps_the_last_of_the_greatest_version(history in history(any_inserts()), versions in any::<bool>()) {
        run(async {
            let spec = spec("ReplacingMergeTree", if versions { &["v", "d"] } else { &[] });
            let mut model: BTreeMap<i64, Row> = BTreeMap::new();
            for row in history.inserts.iter().flatten() {
                let known = model.entry(row.k).or_insert(*row);
                if !versions || row.v >= known.v {
                    *known = *row;
                }
            }
            let mut expected: Vec<Row> = model.values().filter(|row| !versions || row.d == 0).copied().collect();
            expected.sort_unstable();
            let (table, context) = lived(&spec, &history).await;
            check(&table, &context, &expected).await;
            table.optimize(&context, LAST).await.expect("merges");
            let mut kept: Vec<Row> = model.values().copied().collect();
            kept.sort_unstable();
            assert_eq!(rows(&select(&table, &context, ALL).await.expect("reads")), kept, "what is deleted goes on saying so");
            check(&table, &context, &expected).await;
        });
    }

    #[test]
    fn summing_adds_up_and_drops_zeroes(history in history(any_inserts())) {
        run(async {
            // Values of the other columns follow the key, so that it does not matter whose stay.
            let same = |row: &Row| Row { v: row.k % 3, d: row.k % 2, s: 1, ..*row };
            let inserts = history.inserts.iter().map(|rows| rows.iter().map(same).collect()).collect();
            let history = History { inserts, ..history };
            let mut sums: BTreeMap<i64, Row> = BTreeMap::new();
            for row in history.inserts.iter().flatten() {
                sums.entry(row.k).and_modify(|sum| sum.x += row.x).or_insert(*row);
            }
            let mut expected: Vec<Row> = sums.values().filter(|sum| sum.x != 0).copied().collect();
            expected.sort_unstable();
            let (table, context) = lived(&spec("SummingMergeTree", &["x"]), &history).await;
            check(&table, &context, &expected).await;
            table.optimize(&context, LAST).await.expect("merges");
            assert_eq!(rows(&select(&table, &context, ALL).await.expect("reads")), expected);
        });
    }

    #[test]
    fn aggregating_aggregates(history in history(any_inserts())) {
        run(async {
            let columns = Columns::of([
                ("k", SqlType::Int64),
                ("m", SqlType::SimpleAggregateFunction("max".to_string(), Box::new(SqlType::Int64))),
                ("s", SqlType::SimpleAggregateFunction("sum".to_string(), Box::new(SqlType::Int64))),
                ("l", SqlType::SimpleAggregateFunction("anyLast".to_string(), Box::new(SqlType::Int64))),
            ]);
            let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_engine("AggregatingMergeTree", &[]);
            let table = spec.with_setting("index_granularity", 3).open(MemoryStore::new()).await.expect("opens");
            let context = settings(history.optimize_on_insert);
            let mut model: BTreeMap<i64, (i64, i64, i64)> = BTreeMap::new();
            for (at, inserted) in history.inserts.iter().enumerate() {
                let column = |value: fn(&Row) -> i64| -> ArrayRef {
                    Arc::new(Int64Array::from_iter_values(inserted.iter().map(value)))
                };
                let arrays = vec![column(|row| row.k), column(|row| row.x), column(|row| row.x), column(|row| row.x)];
                let batch = RecordBatch::try_new(columns.arrow(), arrays).expect("fits");
                insert(&table, &context, vec![batch]).await.expect("inserts");
                for row in inserted {
                    let known = model.entry(row.k).or_insert((i64::MIN, 0, 0));
                    *known = (known.0.max(row.x), known.1 + row.x, row.x);
                }
                for (_, from, count) in history.merges.iter().filter(|merge| merge.0 == at) {
                    merge_some(&table, &context, *from, *count).await;
                }
            }
            let expected: Vec<Row> =
                model.iter().map(|(k, (m, s, l))| Row { k: *k, v: *m, d: *s, s: *l, x: 0 }).collect();
            let query = "SELECT k, m, s, l, 0 FROM t";
            assert_eq!(rows(&select_final(&table, &context, query).await.expect("reads")), expected);
            table.optimize(&context, LAST).await.expect("merges");
            assert_eq!(rows(&select(&table, &context, query).await.expect("reads")), expected);
        });
    }

    #[test]
    fn coalescing_keeps_the_last_value_that_is_not_null(history in history(any_inserts())) {
        run(async {
            let nullable = SqlType::Int64.nullable();
            let columns = Columns::of([("k", SqlType::Int64), ("a", nullable.clone()), ("b", nullable), ("c", SqlType::Int64)]);
            let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_engine("CoalescingMergeTree", &[]);
            let table = spec.with_setting("index_granularity", 3).open(MemoryStore::new()).await.expect("opens");
            let context = settings(history.optimize_on_insert);
            let a = |row: &Row| (row.x % 3 != 0).then_some(row.x);
            let b = |row: &Row| (row.v % 2 == 0).then_some(row.v);
            let mut model: BTreeMap<i64, (Option<i64>, Option<i64>, i64)> = BTreeMap::new();
            for (at, inserted) in history.inserts.iter().enumerate() {
                let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(inserted.iter().map(|row| row.k)));
                let last: ArrayRef = Arc::new(Int64Array::from_iter_values(inserted.iter().map(|row| row.x)));
                let (first, second) = (Int64Array::from_iter(inserted.iter().map(a)), Int64Array::from_iter(inserted.iter().map(b)));
                let arrays: Vec<ArrayRef> = vec![keys, Arc::new(first), Arc::new(second), last];
                let batch = RecordBatch::try_new(columns.arrow(), arrays).expect("fits");
                insert(&table, &context, vec![batch]).await.expect("inserts");
                for row in inserted {
                    let known = model.entry(row.k).or_insert((None, None, 0));
                    *known = (a(row).or(known.0), b(row).or(known.1), row.x);
                }
                for (_, from, count) in history.merges.iter().filter(|merge| merge.0 == at) {
                    merge_some(&table, &context, *from, *count).await;
                }
            }
            let shown = |value: Option<i64>| value.unwrap_or(-1000);
            let expected: Vec<Row> =
                model.iter().map(|(k, (a, b, c))| Row { k: *k, v: shown(*a), d: shown(*b), s: *c, x: 0 }).collect();
            let query = "SELECT k, coalesce(a, -1000), coalesce(b, -1000), c, 0 FROM t";
            assert_eq!(rows(&select_final(&table, &context, query).await.expect("reads")), expected);
            table.optimize(&context, LAST).await.expect("merges");
            assert_eq!(rows(&select(&table, &context, query).await.expect("reads")), expected);
        });
    }

    #[test]
    fn collapsing_leaves_the_last_state_of_each_key(
        changes in proptest::collection::vec((0..12i64, proptest::option::of(1..50i64)), 1..120),
        cuts in proptest::collection::vec(1..20usize, 1..12),
        optimize_on_insert in any::<bool>(),
        vertical in any::<bool>(),
        merges in proptest::collection::vec((0..8usize, 0..6usize, 2..4usize), 0..6),
    ) {
        run(async {
            // A change takes the known state back and, where it is no deletion, writes the new one.
            let mut states: BTreeMap<i64, Row> = BTreeMap::new();
            let mut written = Vec::new();
            for (k, value) in changes {
                if let Some(old) = states.remove(&k) {
                    written.push(Row { s: -1, ..old });
                }
                if let Some(x) = value {
                    let row = Row { k, v: 0, d: 0, s: 1, x };
                    written.push(row);
                    states.insert(k, row);
                }
            }
            let mut inserts = Vec::new();
            let mut cuts = cuts.iter().cycle();
            while !written.is_empty() {
                let length = written.len().min(*cuts.next().expect("it goes round"));
                inserts.push(written.drain(..length).collect());
            }
            let history = History { inserts, optimize_on_insert, vertical, merges };
            let expected: Vec<Row> = states.into_values().collect();
            let (table, context) = lived(&spec("CollapsingMergeTree", &["s"]), &history).await;
            check(&table, &context, &expected).await;
            table.optimize(&context, LAST).await.expect("merges");
            assert_eq!(rows(&select(&table, &context, ALL).await.expect("reads")), expected);
        });
    }

    #[test]
    fn versioned_collapsing_takes_back_in_any_order(history in history(any_inserts())) {
        run(async {
            let same = |row: &Row| Row { d: 0, x: row.k * 10 + row.v, ..*row };
            let inserts = history.inserts.iter().map(|rows| rows.iter().map(same).collect()).collect();
            let history = History { inserts, ..history };
            let mut balances: BTreeMap<(i64, i64), (i64, Row)> = BTreeMap::new();
            for row in history.inserts.iter().flatten() {
                balances.entry((row.k, row.v)).or_insert((0, *row)).0 += row.s;
            }
            let left = |(balance, row): &(i64, Row)| {
                std::iter::repeat_n(Row { s: balance.signum(), ..*row }, balance.unsigned_abs() as usize)
            };
            let mut expected: Vec<Row> = balances.values().flat_map(left).collect();
            expected.sort_unstable();
            let (table, context) = lived(&spec("VersionedCollapsingMergeTree", &["s", "v"]), &history).await;
            check(&table, &context, &expected).await;
            table.optimize(&context, LAST).await.expect("merges");
            assert_eq!(rows(&select(&table, &context, ALL).await.expect("reads")), expected);
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_leaves_no_row_leaves_no_part() {
    let table = spec("CollapsingMergeTree", &["s"]).open(MemoryStore::new()).await.expect("opens");
    let context = settings(true);
    let row = Row { k: 1, v: 0, d: 0, s: 1, x: 5 };
    insert(&table, &context, vec![batch(&[row, Row { s: -1, ..row }])]).await.expect("inserts");
    assert_eq!(table.parts().len(), 0, "nothing is left of the block");
    insert(&table, &context, vec![batch(&[row])]).await.expect("inserts");
    insert(&table, &context, vec![batch(&[Row { s: -1, ..row }])]).await.expect("inserts");
    table.optimize(&context, LAST).await.expect("merges");
    assert_eq!(table.parts().iter().filter(|part| part.active).count(), 0);
    assert_eq!(table.total_rows(), Some(0));
    insert(&table, &context, vec![batch(&[row])]).await.expect("inserts again");
    assert_eq!(rows(&select(&table, &context, ALL).await.expect("reads")), [row]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cleanup_removes_what_says_that_a_key_is_deleted() {
    let spec = spec("ReplacingMergeTree", &["v", "d"]);
    let cleanup = OptimizeRequest { cleanup: true, ..LAST };
    let refused = spec.open(MemoryStore::new()).await.expect("opens").optimize(&settings(true), cleanup.clone()).await;
    assert_eq!(refused.expect_err("not allowed").code(), ErrorCode::SUPPORT_IS_DISABLED);
    let allowed = spec.with_setting("allow_experimental_replacing_merge_with_cleanup", 1);
    let table = allowed.open(MemoryStore::new()).await.expect("opens");
    let context = settings(true);
    let row = Row { k: 1, v: 1, d: 0, s: 1, x: 5 };
    insert(&table, &context, vec![batch(&[row, Row { k: 2, ..row }])]).await.expect("inserts");
    insert(&table, &context, vec![batch(&[Row { v: 2, d: 1, ..row }])]).await.expect("inserts");
    table.optimize(&context, LAST).await.expect("merges");
    assert_eq!(table.total_rows(), Some(2));
    table.optimize(&context, cleanup).await.expect("cleans up");
    assert_eq!(rows(&select(&table, &context, ALL).await.expect("reads")), [Row { k: 2, ..row }]);
}

/// Rows of a key that fill many batches are held back as the few that matter.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_many_rows_is_merged_across_batches() {
    let rows_of_key: Vec<Row> = (0..5000).map(|v| Row { k: 7, v, d: 0, s: 1, x: 1 }).collect();
    for (engine, argument, x) in
        [("ReplacingMergeTree", "v", 1), ("SummingMergeTree", "x", 10_000), ("CollapsingMergeTree", "s", 1)]
    {
        let table = spec(engine, &[argument]).open(MemoryStore::new()).await.expect("opens");
        let context = settings(false);
        for _ in 0..2 {
            insert(&table, &context, vec![batch(&rows_of_key)]).await.expect("inserts");
        }
        let found = rows(&select_final(&table, &context, ALL).await.expect("reads"));
        assert_eq!(found.iter().map(|row| (row.k, row.x)).collect::<Vec<_>>(), [(7, x)], "{engine}");
    }
}
