//! FINAL with conditions on columns that are not in the key: granules are left out by them, and what is shown stays the same.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, UInt64Array};
use arrow::datatypes::{Int64Type, UInt64Type};
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::testing::{TableSpec, context, insert, select_final};
use gristmill_mergetree::{MemoryStore, MergeTree};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

fn columns() -> Columns {
    Columns::of([("k", SqlType::Int64), ("v", SqlType::UInt64), ("x", SqlType::Int64), ("s", SqlType::Int8)])
}

fn spec(engine: &str, arguments: &[&str]) -> TableSpec {
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec").with_engine(engine, arguments);
    spec.with_setting("index_granularity", 4).with_skip_index("ix", "x", "set(0)", 1)
}

/// Key, version, value.
type Row = (i64, u64, i64);

fn batch(rows: &[Row]) -> RecordBatch {
    let signs = arrow::array::Int8Array::from_iter_values(rows.iter().map(|row| if row.1 % 3 == 0 { -1 } else { 1 }));
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0))),
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.1))),
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.2))),
        Arc::new(signs),
    ];
    RecordBatch::try_new(columns().arrow(), arrays).expect("fits")
}

fn settings(more: &[(&str, &str)]) -> Arc<QueryContext> {
    context(&[&[("max_threads", "2"), ("optimize_on_insert", "0")][..], more].concat()).expect("settings")
}

async fn table(spec: &TableSpec, inserts: &[Vec<Row>]) -> Arc<MergeTree> {
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for rows in inserts {
        insert(&table, &settings(&[]), vec![batch(rows)]).await.expect("inserts");
    }
    table
}

/// What is shown, and the granules that were read for it.
async fn shown(table: &MergeTree, condition: &str, more: &[(&str, &str)]) -> (Vec<Row>, u64) {
    let context = settings(more);
    let query = format!("SELECT k, v, x FROM t WHERE {condition}");
    let mut rows: Vec<Row> = Vec::new();
    for batch in select_final(table, &context, &query).await.expect("runs") {
        let (k, v) = (batch.column(0).as_primitive::<Int64Type>(), batch.column(1).as_primitive::<UInt64Type>());
        let x = batch.column(2).as_primitive::<Int64Type>();
        rows.extend((0..batch.num_rows()).map(|row| (k.value(row), v.value(row), x.value(row))));
    }
    rows.sort_unstable();
    (rows, context.counters.get(Event::SelectedRows))
}

const WHOLE: [(&str, &str); 1] = [("use_skip_indexes_if_final", "0")];

#[tokio::test(flavor = "multi_thread")]
async fn granules_are_left_out_by_conditions_on_what_is_shown() {
    let first = (0..1000).map(|k| (k, 1, k * 7919 % 1000)).collect();
    // Newer rows of a few keys, one of which had the value that is looked for.
    let replaced = 77 * 7919 % 1000;
    let table = table(&spec("ReplacingMergeTree", &["v"]), &[first, vec![(77, 2, 5000), (400, 2, 5001)]]).await;
    let (rows, read) = shown(&table, &format!("x = {replaced}"), &[]).await;
    assert_eq!(rows, vec![], "the row was replaced, by one in a granule that does not hold the value");
    assert!(read < 50, "{read} rows were read");
    let (rows, read) = shown(&table, "x = 5001", &[]).await;
    assert_eq!(rows, vec![(400, 2, 5001)]);
    assert!(read < 1000, "{read} rows were read");
    let (_, read) = shown(&table, "x = 5001", &WHOLE).await;
    assert!(read > 1000, "{read} rows were read");
    // What the setting is for: less is read, and what was replaced may be shown.
    let inexact = [("use_skip_indexes_if_final_exact_mode", "0")];
    assert_eq!(shown(&table, &format!("x = {replaced}"), &inexact).await.0, vec![(77, 1, replaced)]);
}

/// Values of merged rows are in no granule: their conditions leave nothing out.
#[tokio::test(flavor = "multi_thread")]
async fn sums_are_not_looked_for_among_what_they_are_made_of() {
    let rows = |x: i64| (0..50).map(|k| (k, 0, x + k)).collect::<Vec<Row>>();
    let table = table(&spec("SummingMergeTree", &["x"]), &[rows(100), rows(1000)]).await;
    assert_eq!(shown(&table, "x = 1100", &[]).await.0.len(), 1);
    assert_eq!(shown(&table, "x = 1100", &[]).await, shown(&table, "x = 1100", &WHOLE).await);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_shown_is_the_same(
        inserts in proptest::collection::vec(proptest::collection::vec((0i64..60, 0u64..6, 0i64..40), 1..80), 1..5),
        value in 0i64..40,
        which in 0..3usize,
        key in 0i64..60,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let engines: [(&str, &[&str]); 3] = [("ReplacingMergeTree", &["v"]), ("CollapsingMergeTree", &["s"]), ("VersionedCollapsingMergeTree", &["s", "v"])];
            let (engine, arguments) = engines[which];
            let table = table(&spec(engine, arguments), &inserts).await;
            for condition in [format!("x = {value}"), format!("x = {value} OR x = 3"), format!("x > {value} AND k < {key}"), format!("v = 2 AND x < {value}")] {
                let (found, _) = shown(&table, &condition, &[]).await;
                let (expected, _) = shown(&table, &condition, &WHOLE).await;
                assert_eq!(found, expected, "{condition} of {engine}");
            }
        });
    }
}
