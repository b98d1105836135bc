//! Projections read instead of their table: the same rows, fewer granules; parts with and without; what merges and mutations
//! make of their data; and that other objects than parts are kept, synced and swept with them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, ident, lit};
use futures::TryStreamExt;
use gristmill_catalog::{MutationRequest, OptimizeRequest, RowChange, Table};
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::projection::Contents;
use gristmill_mergetree::read::read_states;
use gristmill_mergetree::testing::{TableSpec, context, golden, insert, objects, select, session, store_of, write_golden};
use gristmill_mergetree::{MemoryStore, MergeTree, PartStore, gc, invariants};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

const FINAL: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

fn spec() -> TableSpec {
    let columns = Columns::of([("k", SqlType::Int64), ("u", SqlType::Int64), ("v", SqlType::Int64)]);
    TableSpec::new(columns, &["k"], &[]).expect("spec").with_setting("index_granularity", 8)
}

fn projected() -> TableSpec {
    spec().with_projection("by_u", &["u", "v"], &["u"]).with_projection("sums", &["v", "sum(u)", "count()"], &["v"])
}

/// `k` from 0, `u` scattered, `v` of few values.
fn rows(from: i64, to: i64) -> RecordBatch {
    let column = |value: &dyn Fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((from..to).map(value))) as ArrayRef;
    let columns = vec![column(&|n| n), column(&|n| n * 7919 % 10_007), column(&|n| n % 5)];
    RecordBatch::try_new(spec().columns.arrow(), columns).expect("fits")
}

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

async fn filled(spec: &TableSpec, ranges: &[(i64, i64)]) -> Arc<MergeTree> {
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for (from, to) in ranges {
        insert(&table, &settings(), vec![rows(*from, *to)]).await.expect("inserts");
    }
    table
}

fn numbers(batches: &[RecordBatch]) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            all.push(batch.columns().iter().map(|column| number(column, row)).collect());
        }
    }
    all.sort_unstable();
    all
}

fn number(column: &ArrayRef, row: usize) -> i64 {
    let column = arrow::compute::cast(column, &arrow::datatypes::DataType::Int64).expect("a number");
    column.as_primitive::<Int64Type>().value(row)
}

/// Rows of a query, and the granules that it read.
async fn asked(table: &MergeTree, query: &str) -> (Vec<Vec<i64>>, u64) {
    let context = settings();
    let found = select(table, &context, query).await.expect("reads");
    (numbers(&found), context.counters.get(Event::SelectedMarks))
}

/// `sum(u)` and `count()` by `v`, where `v` is at least `least`.
async fn sums(table: &MergeTree, least: i64, context: &Arc<QueryContext>) -> Vec<Vec<i64>> {
    let layout = table.core().layout.clone();
    let projection = layout.projection("sums").expect("declared");
    let Contents::Aggregate { aggregates, .. } = &projection.contents else { panic!("no states") };
    let plain: Vec<Expr> = aggregates.iter().map(|aggregate| aggregate.plain.clone()).collect();
    let source = provider_as_source(table.read(context).await.expect("pins"));
    let plan = LogicalPlanBuilder::scan("t", source, None).expect("a scan");
    let plan = plan.filter(ident("v").gt_eq(lit(least))).expect("a filter");
    let plan = plan.aggregate(vec![ident("v")], plain).expect("aggregates").build().expect("a plan");
    let plan = read_states(plan).await.expect("rewrites");
    let session = session(context);
    let frame = session.execute_logical_plan(plan).await.expect("plans");
    let found: Vec<RecordBatch> = frame.execute_stream().await.expect("runs").try_collect().await.expect("reads");
    numbers(&found)
}

fn expected_sums(rows: &[RecordBatch], least: i64) -> Vec<Vec<i64>> {
    let mut sums: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for batch in rows {
        for row in 0..batch.num_rows() {
            let sum = sums.entry(number(batch.column(2), row)).or_default();
            *sum = (sum.0 + number(batch.column(1), row), sum.1 + 1);
        }
    }
    sums.into_iter().filter(|(v, _)| *v >= least).map(|(v, (sum, count))| vec![v, sum, count]).collect()
}

async fn mutate(table: &MergeTree, change: RowChange) {
    let request = MutationRequest { changes: vec![change], commands: vec![String::new()], partition: None, at_once: false };
    let id = table.mutate(&settings(), request).await.expect("begins");
    table.finish_mutation(&settings(), &id).await.expect("ends");
}

/// Names of projections by part, in the order of the parts.
fn held(table: &MergeTree) -> Vec<Vec<String>> {
    let parts = table.parts().into_iter().filter(|part| part.active);
    parts.map(|part| part.projections.into_iter().map(|data| data.name).collect()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_by_another_key_reads_the_projection_in_that_order() {
    let query = "SELECT u, v FROM t WHERE u BETWEEN 100 AND 110";
    let with = filled(&projected(), &[(0, 3000), (3000, 6000)]).await;
    let without = filled(&spec(), &[(0, 3000), (3000, 6000)]).await;
    let (found, marks) = asked(&with, query).await;
    let (expected, all) = asked(&without, query).await;
    assert_eq!(found, expected);
    assert!(!found.is_empty() && marks <= 6 && all > 20, "{marks} granules of the projection, {all} of the table");
    // What the projection lacks is read from the table, and so is what is not less to read.
    let (found, marks) = asked(&with, "SELECT k FROM t WHERE u BETWEEN 100 AND 110").await;
    assert_eq!((found.len(), marks), (expected.len(), all));
    let (_, marks) = asked(&with, "SELECT u FROM t WHERE k < 8").await;
    assert!(marks <= 2, "{marks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_lack_a_projection_are_read_themselves() {
    let table = spec().open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![rows(0, 2000)]).await.expect("inserts");
    let table = projected().alter(&table).expect("alters");
    insert(&table, &settings(), vec![rows(2000, 4000)]).await.expect("inserts");
    assert_eq!(held(&table), [vec![], vec!["by_u".to_string(), "sums".to_string()]]);
    let plain = filled(&spec(), &[(0, 2000), (2000, 4000)]).await;
    for query in ["SELECT u, v FROM t WHERE u < 300", "SELECT u, sum(v) FROM t WHERE u > 9900 GROUP BY u"] {
        let ((found, marks), (expected, all)) = (asked(&table, query).await, asked(&plain, query).await);
        assert_eq!(found, expected, "{query}");
        assert!(marks < all, "{query} read {marks} granules of {all}");
    }
    let all = [rows(0, 2000), rows(2000, 4000)];
    assert_eq!(sums(&table, 2, &settings()).await, expected_sums(&all, 2));
    // A merge of both makes what one of them lacks.
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(held(&table), [["by_u", "sums"]]);
    assert_eq!(sums(&table, 0, &settings()).await, expected_sums(&all, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn states_are_read_instead_of_rows_and_merged_with_their_parts() {
    let table = filled(&projected(), &[(0, 3000), (3000, 5000)]).await;
    let all = [rows(0, 3000), rows(3000, 5000)];
    let read = settings();
    assert_eq!(sums(&table, 1, &read).await, expected_sums(&all, 1));
    assert_eq!(read.counters.get(Event::SelectedMarks), 2, "one granule of states a part");
    table.optimize(&settings(), FINAL).await.expect("merges");
    let part = table.parts().into_iter().find(|part| part.active).expect("a part");
    let rows: Vec<(String, u64)> = part.projections.iter().map(|data| (data.name.clone(), data.rows)).collect();
    assert_eq!(rows, [("by_u".to_string(), 5000), ("sums".to_string(), 5)]);
    assert_eq!(sums(&table, 1, &settings()).await, expected_sums(&all, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn mutations_make_projections_anew_and_materialize_writes_no_part() {
    let table = filled(&projected(), &[(0, 1000)]).await;
    mutate(&table, RowChange::Delete { condition: "u < 5000".to_string() }).await;
    let (found, _) = asked(&table, "SELECT u FROM t WHERE u < 5100").await;
    let (expected, _) = asked(&*filled(&spec(), &[(0, 1000)]).await, "SELECT u FROM t WHERE u >= 5000 AND u < 5100").await;
    assert_eq!(found, expected);
    let key = |table: &MergeTree| table.core().manifest.current().parts.values().next().expect("a part").key.clone();
    let before = key(&table);
    mutate(&table, RowChange::ClearProjection { name: "by_u".to_string() }).await;
    assert_eq!(held(&table), [["sums"]]);
    assert_eq!(asked(&table, "SELECT u FROM t WHERE u < 5100").await.0, expected);
    mutate(&table, RowChange::MaterializeProjection { name: "by_u".to_string() }).await;
    assert_eq!(held(&table), [["by_u", "sums"]]);
    assert_eq!(key(&table), before, "the part's rows are where they were");
    let (found, marks) = asked(&table, "SELECT u FROM t WHERE u < 5100").await;
    assert_eq!(found, expected);
    assert!(marks < 5, "{marks}");
    invariants::check_state(&table.core().manifest.current()).expect("sound");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_of_projections_go_with_their_parts() {
    let store = MemoryStore::new();
    let spec = projected().with_setting("old_parts_lifetime", 0).with_setting("orphan_grace_seconds", 0);
    let table = spec.open(store.clone()).await.expect("opens");
    // The first commits come before anything counts as left over.
    let quiet = projected().open(store.clone()).await.expect("opens");
    for from in [0, 500] {
        insert(&quiet, &settings(), vec![rows(from, from + 500)]).await.expect("inserts");
    }
    // What was written survives a loss of power, with the part.
    let left = projected().open(store.after_power_loss()).await.expect("opens");
    assert_eq!(asked(&left, "SELECT u FROM t WHERE u < 300").await, asked(&quiet, "SELECT u FROM t WHERE u < 300").await);
    drop(left);
    quiet.optimize(&settings(), FINAL).await.expect("merges");
    mutate(&quiet, RowChange::ClearProjection { name: "sums".to_string() }).await;
    drop((quiet, table));
    let table = spec.open(store.clone()).await.expect("opens");
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    gc::sweep(table.core()).await.expect("sweeps");
    gc::list(table.core(), &settings()).await.expect("sweeps");
    let state = table.core().manifest.current();
    let named: BTreeSet<String> = state.parts.values().flat_map(|part| part.objects()).map(str::to_string).collect();
    let mut there = BTreeSet::new();
    for folder in ["parts/", "projections/"] {
        there.extend(store.list(&settings(), folder).await.expect("lists").into_iter().map(|object| object.key));
    }
    assert_eq!((there.len(), there), (2, named));
    table.drop_data().await.expect("drops");
    assert!(store.list(&settings(), "").await.expect("lists").is_empty());
}

/// As `asked`, where projections that know the places of rows are asked however few rows there are.
async fn asked_by_places(table: &MergeTree, query: &str) -> (Vec<Vec<i64>>, u64) {
    let context = context(&[("max_threads", "1"), ("min_table_rows_to_use_projection_index", "0")]).expect("settings");
    let found = select(table, &context, query).await.expect("reads");
    (numbers(&found), context.counters.get(Event::SelectedMarks))
}

#[tokio::test(flavor = "multi_thread")]
async fn places_of_rows_leave_out_granules_of_the_table() {
    let query = "SELECT k, u, v FROM t WHERE u BETWEEN 100 AND 110 AND v < 4";
    let spec = spec().with_projection("places", &["_part_offset"], &["u"]);
    let table = filled(&spec, &[(0, 3000), (3000, 6000)]).await;
    let (expected, all) = asked(&table, query).await;
    let (found, marks) = asked_by_places(&table, query).await;
    assert_eq!(found, expected);
    assert!(!found.is_empty() && marks <= 14 && all > 20, "{marks} granules of both, {all} of the table");
    // Places are others after a merge, and after rows went.
    table.optimize(&settings(), FINAL).await.expect("merges");
    let (found, marks) = asked_by_places(&table, query).await;
    assert_eq!(found, expected);
    assert!(marks <= 14, "{marks}");
    mutate(&table, RowChange::Delete { condition: "u < 105".to_string() }).await;
    let left: Vec<Vec<i64>> = expected.into_iter().filter(|row| row[1] >= 105).collect();
    assert_eq!(asked_by_places(&table, query).await.0, left);
    // What leaves too many rows is not asked.
    let wide = "SELECT count(*) FROM t WHERE u > 200 AND k >= 0";
    assert_eq!(asked_by_places(&table, wide).await, asked(&table, wide).await);
}

/// Many runs of a projection become one object in its order.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_in_pieces_is_merged() {
    let columns = Columns::of([("k", SqlType::Int64), ("u", SqlType::Int64), ("v", SqlType::Int64)]);
    let plain = TableSpec::new(columns, &["k"], &[]).expect("spec");
    let table = plain.open(MemoryStore::new()).await.expect("opens");
    // More rows than a run holds.
    let count = (1 << 20) + 70_000;
    insert(&table, &settings(), vec![rows(0, count)]).await.expect("inserts");
    let spec =
        plain.with_projection("by_u", &["u", "v"], &["u"]).with_projection("sums", &["v", "sum(u)", "count()"], &["v"]);
    let table = spec.alter(&table).expect("alters");
    mutate(&table, RowChange::MaterializeProjection { name: "by_u".to_string() }).await;
    mutate(&table, RowChange::MaterializeProjection { name: "sums".to_string() }).await;
    let (found, marks) = asked(&table, "SELECT count(*), min(v), max(v) FROM t WHERE u = 77").await;
    let expected = (0..count).filter(|n| n * 7919 % 10_007 == 77).count() as i64;
    assert_eq!(found, [[expected, 0, 4]]);
    assert!(marks <= 2, "{marks}");
    assert_eq!(sums(&table, 0, &settings()).await, expected_sums(&[rows(0, count)], 0));
    let objects = table.core().store.list(&settings(), "projections/").await.expect("lists");
    assert_eq!(objects.len(), 2, "no run is left: {objects:?}");
}

/// Parts with and without projections, merged, cleared and changed in any order.
#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(i64),
    InsertWithout(i64),
    Merge,
    Delete(i64),
    Clear,
    Materialize,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..120_i64).prop_map(Step::Insert),
        2 => (1..120_i64).prop_map(Step::InsertWithout),
        1 => Just(Step::Merge),
        1 => (0..7_i64).prop_map(Step::Delete),
        1 => Just(Step::Clear),
        1 => Just(Step::Materialize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn projections_never_change_an_answer(steps in proptest::collection::vec(any_step(), 1..10), low in 0..10_000_i64, span in 0..4000_i64) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let with = projected();
            let mut table = with.open(MemoryStore::new()).await.expect("opens");
            let mut model: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
            let mut next = 0;
            for step in steps {
                match step {
                    Step::Insert(count) | Step::InsertWithout(count) => {
                        let makes = matches!(step, Step::Insert(_));
                        table = with.clone().with_setting("materialize_projections_on_insert", u8::from(makes)).alter(&table).expect("alters");
                        insert(&table, &settings(), vec![rows(next, next + count)]).await.expect("inserts");
                        model.extend((next..next + count).map(|n| (n, (n * 7919 % 10_007, n % 5))));
                        next += count;
                    }
                    Step::Merge => table.optimize(&settings(), FINAL).await.expect("merges"),
                    Step::Delete(class) => {
                        mutate(&table, RowChange::Delete { condition: format!("k % 7 = {class}") }).await;
                        model.retain(|k, _| k % 7 != class);
                    }
                    Step::Clear => mutate(&table, RowChange::ClearProjection { name: "by_u".to_string() }).await,
                    Step::Materialize => {
                        for name in ["by_u", "sums"] {
                            mutate(&table, RowChange::MaterializeProjection { name: name.to_string() }).await;
                        }
                    }
                }
                invariants::check_state(&table.core().manifest.current()).expect("sound");
            }
            let (found, _) = asked(&table, &format!("SELECT u, v FROM t WHERE u >= {low} AND u < {}", low + span)).await;
            let mut expected: Vec<Vec<i64>> =
                model.values().filter(|(u, _)| (low..low + span).contains(u)).map(|(u, v)| vec![*u, *v]).collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
            let mut by_v: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
            for (u, v) in model.values().filter(|(_, v)| *v >= 2) {
                let sum = by_v.entry(*v).or_default();
                *sum = (sum.0 + u, sum.1 + 1);
            }
            let expected: Vec<Vec<i64>> = by_v.into_iter().map(|(v, (sum, count))| vec![v, sum, count]).collect();
            assert_eq!(sums(&table, 2, &settings()).await, expected);
        });
    }
}

/// A table of version 1 with projections: inserted, merged, one of them cleared, inserted again.
#[tokio::test(flavor = "multi_thread")]
async fn projections_of_version_1_are_read_as_ever() {
    let store = store_of(&settings(), golden("v1-projections").expect("golden files")).await.expect("puts");
    let table = projected().open(store).await.expect("opens");
    assert_eq!(held(&table), [vec!["sums".to_string()], vec!["by_u".to_string(), "sums".to_string()]]);
    let all = [rows(0, 200), rows(200, 260)];
    let (found, _) = asked(&table, "SELECT u, v FROM t WHERE u < 300").await;
    let mut expected: Vec<Vec<i64>> = Vec::new();
    for batch in &all {
        expected.extend((0..batch.num_rows()).map(|row| vec![number(batch.column(1), row), number(batch.column(2), row)]));
    }
    expected.retain(|row| row[0] < 300);
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(sums(&table, 0, &settings()).await, expected_sums(&all, 0));
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_files() {
    let store = MemoryStore::new();
    let table = projected().open(store.clone()).await.expect("opens");
    for (from, to) in [(0, 100), (100, 200)] {
        insert(&table, &settings(), vec![rows(from, to)]).await.expect("inserts");
    }
    table.optimize(&settings(), FINAL).await.expect("merges");
    mutate(&table, RowChange::ClearProjection { name: "by_u".to_string() }).await;
    insert(&table, &settings(), vec![rows(200, 260)]).await.expect("inserts");
    write_golden("v1-projections", objects(&settings(), &store).await.expect("reads")).expect("writes");
}
