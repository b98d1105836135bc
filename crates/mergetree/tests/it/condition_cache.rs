//! What no row of a granule fulfilled is remembered for the next query, and for nothing else: not for other rows, other
//! conditions, or a column that has become another.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::Int64Type;
use gristmill_catalog::{MutationRequest, OptimizeRequest, RowChange, Table};
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_mergetree::{MemoryStore, MergeTree, MergeTreeEnvironment};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

fn columns() -> Columns {
    Columns::of([("k", SqlType::Int64), ("v", SqlType::Int64), ("w", SqlType::Int64)])
}

fn spec() -> TableSpec {
    TableSpec::new(columns(), &["k"], &[]).expect("spec").with_setting("index_granularity", 10)
}

/// A thousand numbers in a scattered order: bounds of granules of ten rows leave out next to none.
fn rows(from: i64, to: i64) -> RecordBatch {
    let of = |value: &dyn Fn(i64) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values((from..to).map(value))) };
    let arrays = vec![of(&|k| k), of(&|k| k * 7919 % 1000), of(&|k| k * 4241 % 1000)];
    RecordBatch::try_new(columns().arrow(), arrays).expect("fits")
}

fn settings(more: &[(&str, &str)]) -> Arc<QueryContext> {
    context(&[&[("max_threads", "2")][..], more].concat()).expect("settings")
}

async fn table() -> Arc<MergeTree> {
    let table = spec().open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(&[]), vec![rows(0, 1000)]).await.expect("inserts");
    table
}

/// The sum of `k`, and granules that were read for it.
async fn sum_with(table: &MergeTree, condition: &str, more: &[(&str, &str)]) -> (i64, u64, Arc<QueryContext>) {
    let context = settings(more);
    let query = format!("SELECT coalesce(sum(k), -1) FROM t WHERE {condition}");
    let batches = select(table, &context, &query).await.expect("runs");
    let sum = batches[0].column(0).as_primitive::<Int64Type>().value(0);
    let marks = context.counters.get(Event::SelectedMarks);
    (sum, marks, context)
}

async fn sum(table: &MergeTree, condition: &str) -> (i64, u64) {
    let (sum, marks, _) = sum_with(table, condition, &[]).await;
    (sum, marks)
}

const ONE: &str = "v = 77";

#[tokio::test(flavor = "multi_thread")]
async fn the_second_query_reads_the_granules_that_the_first_found_something_in() {
    let table = table().await;
    let (first, marks, context) = sum_with(&table, ONE, &[]).await;
    assert!(marks > 50, "{marks} granules are left by everything else");
    assert_eq!(context.counters.get(Event::QueryConditionCacheMisses), 1);
    let (second, marks, context) = sum_with(&table, ONE, &[]).await;
    assert_eq!((second, marks), (first, 1));
    assert_eq!(context.counters.get(Event::QueryConditionCacheHits), 1);
    assert_eq!(context.counters.get(Event::QueryConditionCacheMisses), 0);
    let (same, marks, context) = sum_with(&table, ONE, &[("use_query_condition_cache", "0")]).await;
    assert!(same == first && marks > 50);
    assert_eq!(context.counters.get(Event::QueryConditionCacheHits), 0);
    // By way of decoded granules, and in the order of the key.
    let kept = [("use_uncompressed_cache", "1")];
    assert_eq!(sum_with(&table, "v = 78", &kept).await.0, sum_with(&table, "v = 78", &kept).await.0);
    assert_eq!(sum(&table, "v = 78").await.1, 1);
    let ordered = "SELECT k FROM t WHERE v = 79 ORDER BY k";
    for marks in [None, Some(1)] {
        let context = settings(&[]);
        let found = select(&table, &context, ordered).await.expect("runs");
        assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
        assert!(marks.is_none_or(|marks| context.counters.get(Event::SelectedMarks) == marks));
    }
    // Nothing was there at all.
    assert_eq!(sum(&table, "v = w + 5000").await.0, -1);
    assert_eq!(sum(&table, "v = w + 5000").await, (-1, 0));
    table.core().environment.conditions.clear();
    assert!(sum(&table, ONE).await.1 > 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_are_known_alone_and_together() {
    let table = table().await;
    // Bounds of granules say nothing of remainders.
    let (first, marks) = sum(&table, "v % 100 = 7 AND w % 5 = 3").await;
    assert_eq!(marks, 100);
    let together = sum(&table, "w % 5 = 3 AND v % 100 = 7").await;
    assert_eq!(together.0, first);
    assert!(together.1 <= 10, "the order of conditions means nothing: {together:?}");
    // The step that was first saw all rows, so it is known by itself.
    let alone = [sum(&table, "v % 100 = 7").await.1, sum(&table, "w % 5 = 3").await.1];
    assert!(alone.iter().any(|granules| *granules < marks), "{alone:?} of {marks}");
    let more = "v % 100 = 7 AND k < 500";
    let (with, _) = sum(&table, more).await;
    let (plain, ..) = sum_with(&table, more, &[("use_query_condition_cache", "0")]).await;
    assert_eq!(with, plain);
}

/// A threshold leaves few rows of a granule, but its pages are decoded whole: the condition is asked of all of them.
#[tokio::test(flavor = "multi_thread")]
async fn what_stands_behind_a_threshold_is_remembered_too() {
    let table = table().await;
    let query = "SELECT k FROM t WHERE v % 100 = 7 ORDER BY w LIMIT 2";
    let run = async |more: &[(&str, &str)]| {
        let context = settings(more);
        let found = select(&table, &context, query).await.expect("runs");
        let rows = concat_batches(&found[0].schema(), &found).expect("one schema");
        (rows, context.counters.get(Event::SelectedMarks))
    };
    let (plain, all) = run(&[("use_query_condition_cache", "0"), ("use_top_k_dynamic_filtering", "0")]).await;
    let (first, marks) = run(&[]).await;
    assert_eq!((&first, marks), (&plain, all));
    let (second, marks) = run(&[]).await;
    assert_eq!(second, plain);
    assert!(marks < all * 3 / 4, "{marks} of {all}");
    // Only the condition was remembered, not what the threshold left out.
    let (expected, ..) = sum_with(&table, "v % 100 = 7", &[("use_query_condition_cache", "0")]).await;
    assert_eq!(sum(&table, "v % 100 = 7").await.0, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_come_later_are_found() {
    let table = table().await;
    let none = "v = w + 5000";
    assert_eq!((sum(&table, none).await.0, sum(&table, none).await.0), (-1, -1));
    // An insert.
    let arrays: Vec<ArrayRef> =
        [2000i64, 6000, 1000].map(|value| Arc::new(Int64Array::from(vec![value])) as ArrayRef).into();
    let row = RecordBatch::try_new(columns().arrow(), arrays).expect("fits");
    insert(&table, &settings(&[]), vec![row]).await.expect("inserts");
    assert_eq!(sum(&table, none).await, (2000, 1));
    // A change of rows: the parts are others.
    let change =
        RowChange::Update { assignments: vec![("w".to_string(), "v - 5000".to_string())], condition: "k = 5".to_string() };
    let request = MutationRequest { changes: vec![change], commands: Vec::new(), partition: None, at_once: false };
    let id = table.mutate(&settings(&[]), request).await.expect("begins");
    table.finish_mutation(&settings(&[]), &id).await.expect("mutates");
    assert_eq!(sum(&table, none).await.0, 2005);
    assert_eq!(sum(&table, none).await, (2005, 2));
    // A merge.
    let whole = OptimizeRequest {
        partition: None,
        to_one_part: true,
        deduplicate: false,
        deduplicate_by: Vec::new(),
        cleanup: false,
        dry_run: None,
    };
    table.optimize(&settings(&[]), whole).await.expect("merges");
    assert_eq!(sum(&table, none).await.0, 2005);
    assert_eq!(sum(&table, none).await, (2005, 2));
}

/// ALTER writes no part anew: the same object has other values under a name.
#[tokio::test(flavor = "multi_thread")]
async fn a_column_that_becomes_another_is_not_taken_for_what_it_was() {
    let environment = MergeTreeEnvironment::for_tests();
    let table = spec().open_in(MemoryStore::new(), environment).await.expect("opens");
    insert(&table, &settings(&[]), vec![rows(0, 1000)]).await.expect("inserts");
    let with_default = |default: &str| {
        let mut column = Column::new("x", SqlType::Int64);
        column.default = Some((DefaultKind::Default, default.to_string()));
        spec().with_columns(Columns::new(columns().iter().cloned().chain([column]).collect())).expect("spec")
    };
    let five = with_default("5").alter(&table).expect("alters");
    assert_eq!(sum(&five, "x = 6").await.0, -1);
    assert_eq!(sum(&five, "x = 6").await, (-1, 0));
    let six = with_default("6").alter(&five).expect("alters");
    assert_eq!(sum(&six, "x = 6").await, (499_500, 100));
}
