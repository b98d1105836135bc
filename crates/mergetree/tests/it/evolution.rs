//! A table is read as it is now, whatever it was when its parts were written; rows are changed once and for all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::{MutationRequest, OptimizeRequest, PartChoice, PartitionChoice, RowChange, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_mergetree::{MemoryStore, MergeTree, PartStore, gc, invariants};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};
use proptest::prelude::*;

const FINAL: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

fn spec(names: &[&str]) -> TableSpec {
    TableSpec::new(Columns::of(names.iter().map(|name| (*name, SqlType::Int64))), &["k"], &[])
        .expect("spec")
        .with_setting("index_granularity", 3)
}

fn batch(columns: &Columns, rows: &[Vec<i64>]) -> RecordBatch {
    let column = |at: usize| Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row[at]))) as ArrayRef;
    RecordBatch::try_new(columns.arrow(), (0..columns.len()).map(column).collect()).expect("fits")
}

/// Rows of a query whose columns are all Int64.
async fn rows(table: &MergeTree, query: &str) -> Vec<Vec<i64>> {
    let batches = select(table, &settings(), query).await.expect("reads");
    let row = |batch: &RecordBatch, row: usize| {
        batch.columns().iter().map(|column| column.as_primitive::<Int64Type>().value(row)).collect()
    };
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |at| row(batch, at))).collect()
}

fn with(columns: &Columns, name: &str, default: &str) -> Columns {
    let mut column = Column::new(name, SqlType::Int64);
    if !default.is_empty() {
        column.default = Some((DefaultKind::Default, default.to_string()));
    }
    Columns::new(columns.iter().cloned().chain([column]).collect())
}

fn without(columns: &Columns, name: &str) -> Columns {
    Columns::new(columns.iter().filter(|column| column.name != name).cloned().collect())
}

fn renamed(columns: &Columns, from: &str, to: &str) -> Columns {
    let rename = |column: &Column| match column.name == from {
        true => Column { name: to.to_string(), ..column.clone() },
        false => column.clone(),
    };
    Columns::new(columns.iter().map(rename).collect())
}

impl Changes for TableSpec {}

/// What ALTER does to a description.
trait Changes: Into<TableSpec> + Sized {
    fn adding(self, name: &str, default: &str) -> TableSpec {
        let mut spec: TableSpec = self.into();
        spec.column_keys.renew(name, &spec.columns.clone());
        spec.with_columns(with(&spec.columns, name, default)).expect("spec")
    }

    fn dropping(self, name: &str) -> TableSpec {
        let mut spec: TableSpec = self.into();
        spec.column_keys.drop(name);
        spec.with_columns(without(&spec.columns, name)).expect("spec")
    }

    fn renaming(self, from: &str, to: &str) -> TableSpec {
        let mut spec: TableSpec = self.into();
        spec.column_keys.rename(from, to);
        spec.with_columns(renamed(&spec.columns, from, to)).expect("spec")
    }

    fn clearing(self, name: &str) -> TableSpec {
        let mut spec: TableSpec = self.into();
        spec.column_keys.renew(name, &spec.columns.clone());
        spec
    }
}

fn mutation(change: RowChange, at_once: bool) -> MutationRequest {
    MutationRequest { changes: vec![change], commands: vec!["(a change)".to_string()], partition: None, at_once }
}

fn update(column: &str, value: &str, condition: &str) -> MutationRequest {
    let assignments = vec![(column.to_string(), value.to_string())];
    mutation(RowChange::Update { assignments, condition: condition.to_string() }, false)
}

fn delete(condition: &str, at_once: bool) -> MutationRequest {
    mutation(RowChange::Delete { condition: condition.to_string() }, at_once)
}

async fn mutate(table: &MergeTree, request: MutationRequest) -> Result<()> {
    let id = table.mutate(&settings(), request).await?;
    table.finish_mutation(&settings(), &id).await
}

fn objects(table: &MergeTree) -> BTreeMap<String, String> {
    let state = table.core().manifest.current();
    state.parts.values().map(|part| (part.name.clone(), part.key.clone())).collect()
}

#[tokio::test]
async fn a_column_that_is_dropped_and_added_again_is_a_new_one() {
    let before = spec(&["k", "a"]);
    let table = before.open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&before.columns, &[vec![1, 10], vec![2, 20]])]).await.expect("inserts");
    let after = before.dropping("a").adding("b", "k + 100").adding("a", "b * 2");
    let table = after.alter(&table).expect("alters");
    insert(&table, &settings(), vec![batch(&after.columns, &[vec![3, 7, 8]])]).await.expect("inserts");
    let expected = [vec![1, 101, 202], vec![2, 102, 204], vec![3, 7, 8]];
    assert_eq!(rows(&table, "SELECT k, b, a FROM t ORDER BY k").await, expected);
    assert_eq!(rows(&table, "SELECT k FROM t WHERE a = 204").await, [[2]]);
    assert_eq!(rows(&table, "SELECT k FROM t WHERE a = 20").await, Vec::<Vec<i64>>::new());
    assert_eq!(rows(&table, "SELECT a FROM t WHERE b >= 102 ORDER BY a").await, [[204]]);
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(rows(&table, "SELECT k, b, a FROM t ORDER BY k").await, expected);
}

#[tokio::test]
async fn a_writer_that_began_before_an_alter_may_commit_after_it() {
    let before = spec(&["k", "a"]);
    let table = before.open(MemoryStore::new()).await.expect("opens");
    let writer = table.write(&settings()).await.expect("begins");
    let mut lane = writer.lane().await.expect("a lane");
    lane.write(batch(&before.columns, &[vec![1, 10]])).await.expect("writes");
    let after = before.renaming("a", "c").adding("a", "5");
    let table = after.alter(&table).expect("alters");
    lane.finish().await.expect("ends");
    writer.commit().await.expect("commits");
    assert_eq!(rows(&table, "SELECT k, c, a FROM t").await, [[1, 10, 5]]);
}

#[tokio::test]
async fn a_merge_by_the_old_columns_does_not_lose_the_new_ones() {
    let before = spec(&["k", "a"]);
    let old = before.open(MemoryStore::new()).await.expect("opens");
    insert(&old, &settings(), vec![batch(&before.columns, &[vec![1, 10]])]).await.expect("inserts");
    let after = before.adding("b", "0");
    let table = after.alter(&old).expect("alters");
    insert(&table, &settings(), vec![batch(&after.columns, &[vec![2, 20, 200]])]).await.expect("inserts");
    // The statement that had the table from before goes on with the columns of now.
    old.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(objects(&table).len(), 1);
    assert_eq!(rows(&table, "SELECT k, a, b FROM t ORDER BY k").await, [[1, 10, 0], [2, 20, 200]]);
}

#[tokio::test]
async fn a_mutation_leaves_parts_alone_that_it_does_not_concern() {
    let spec = spec(&["k", "a"]);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for first in [0, 10, 20] {
        let numbers: Vec<Vec<i64>> = (first..first + 5).map(|n| vec![n, n]).collect();
        insert(&table, &settings(), vec![batch(&spec.columns, &numbers)]).await.expect("inserts");
    }
    let before = objects(&table);
    mutate(&table, update("a", "a + 1000", "k = 12 OR a = 21")).await.expect("mutates");
    let after = objects(&table);
    // Its object stays; its name says that it went through.
    assert_eq!(before.get("all_1_1_0"), after.get("all_1_1_0_4"));
    assert_eq!(after.keys().collect::<Vec<_>>(), ["all_1_1_0_4", "all_2_2_0_4", "all_3_3_0_4"]);
    assert_eq!(rows(&table, "SELECT k FROM t WHERE a > 1000 ORDER BY k").await, [[12], [21]]);
    // Deleted to the last row, a part goes.
    mutate(&table, delete("k < 10", false)).await.expect("mutates");
    assert_eq!(objects(&table).len(), 2);
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(rows(&table, "SELECT count(*), sum(a) FROM t").await, [[10, 60 + 110 + 2000]]);
}

#[tokio::test]
async fn a_mutation_goes_on_after_a_restart_and_leaves_later_rows_alone() {
    let spec = spec(&["k", "a"]);
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&spec.columns, &[vec![1, 1], vec![2, 2]])]).await.expect("inserts");
    insert(&table, &settings(), vec![batch(&spec.columns, &[vec![3, 3]])]).await.expect("inserts");
    let id = table.mutate(&settings(), update("a", "a * 10", "k > 0")).await.expect("begins");
    insert(&table, &settings(), vec![batch(&spec.columns, &[vec![4, 4]])]).await.expect("inserts");
    drop(table);
    let table = spec.open(store).await.expect("opens again");
    let waiting = table.mutations();
    assert_eq!((waiting[0].id.as_str(), waiting[0].is_done, waiting[0].parts_to_do.len()), (id.as_str(), false, 2));
    // Rows that are changed and rows that are not do not become one part before the others are changed too.
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert!(table.mutations()[0].is_done);
    assert_eq!(rows(&table, "SELECT k, a FROM t ORDER BY k").await, [[1, 10], [2, 20], [3, 30], [4, 4]]);
    invariants::check_state(&table.core().manifest.current()).expect("sound");
}

#[tokio::test]
async fn a_mutation_that_fails_tells_why_and_can_be_killed() {
    let spec = spec(&["k", "a"]);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&spec.columns, &[vec![1, 0]])]).await.expect("inserts");
    let error = mutate(&table, update("a", "10 / a", "k = 1")).await.expect_err("divides by zero");
    assert_eq!(error.code(), ErrorCode::UNFINISHED);
    let shown = &table.mutations()[0];
    assert_eq!((shown.is_done, shown.latest_failed_part.as_str()), (false, "all_1_1_0"));
    assert!(shown.latest_fail_reason.to_lowercase().contains("zero"), "{}", shown.latest_fail_reason);
    assert!(table.kill_mutation(&settings(), &shown.id).await.expect("kills"));
    assert!(!table.kill_mutation(&settings(), &shown.id).await.expect("knows none"));
    assert!(table.mutations().is_empty());
    mutate(&table, update("a", "7", "k = 1")).await.expect("mutates");
    assert_eq!(rows(&table, "SELECT a FROM t").await, [[7]]);
}

#[tokio::test]
async fn a_delete_at_once_is_one_version_and_finishes_what_waits() {
    let spec = spec(&["k", "a"]);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for n in 0..4 {
        insert(&table, &settings(), vec![batch(&spec.columns, &[vec![n, n], vec![n + 10, n]])]).await.expect("inserts");
    }
    table.mutate(&settings(), update("a", "99", "k = 1")).await.expect("begins");
    let version = table.core().manifest.current().version;
    table.mutate(&settings(), delete("a = 99 OR k = 12", true)).await.expect("deletes");
    assert_eq!(table.core().manifest.current().version, version + 1);
    assert_eq!(rows(&table, "SELECT k FROM t ORDER BY k").await, [[0], [2], [3], [10], [11], [13]]);
    assert!(table.mutations().iter().all(|mutation| mutation.is_done));
}

#[derive(Clone, Debug)]
enum Op {
    Insert(usize),
    Add(usize, i64),
    Drop(usize),
    Clear(usize),
    Rename(usize, usize),
    Update(usize, i64, i64),
    Begin(usize, i64, i64),
    Delete(i64, bool),
    Merge,
    Reopen,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let name = 0..NAMES.len();
    let op = prop_oneof![
        4 => (1..6usize).prop_map(Op::Insert),
        3 => (name.clone(), 100..200i64).prop_map(|(name, default)| Op::Add(name, default)),
        2 => name.clone().prop_map(Op::Drop),
        1 => name.clone().prop_map(Op::Clear),
        2 => (name.clone(), name.clone()).prop_map(|(from, to)| Op::Rename(from, to)),
        2 => (name.clone(), 0..50i64, 2..4i64).prop_map(|(name, value, of)| Op::Update(name, value, of)),
        2 => (name, 0..50i64, 2..4i64).prop_map(|(name, value, of)| Op::Begin(name, value, of)),
        1 => (3..6i64, any::<bool>()).prop_map(|(of, at_once)| Op::Delete(of, at_once)),
        2 => Just(Op::Merge),
        1 => Just(Op::Reopen),
    ];
    proptest::collection::vec(op, 1..25)
}

/// The table as a plain list of rows, by column.
#[derive(Default)]
struct Model {
    rows: BTreeMap<i64, BTreeMap<String, i64>>,
    defaults: BTreeMap<String, i64>,
}

async fn run(ops: Vec<Op>) -> Result<()> {
    let store: Arc<dyn PartStore> = MemoryStore::new();
    let mut spec = spec(&["k"]);
    let mut table = spec.open(store.clone()).await?;
    let mut model = Model::default();
    let mut next = 0;
    for op in ops {
        // A mutation whose column an ALTER would take away is finished before, as the engine demands.
        if matches!(op, Op::Drop(_) | Op::Clear(_) | Op::Rename(..)) {
            for waiting in table.mutations().into_iter().filter(|mutation| !mutation.is_done) {
                table.finish_mutation(&settings(), &waiting.id).await?;
            }
        }
        match op {
            Op::Insert(count) => {
                let numbers: Vec<i64> = (next..next + count as i64).collect();
                next += count as i64;
                let value = |k: i64, name: &str| if name == "k" { k } else { k * 7 + name.len() as i64 };
                let row = |k: &i64| spec.columns.iter().map(|column| value(*k, &column.name)).collect();
                let rows: Vec<Vec<i64>> = numbers.iter().map(row).collect();
                insert(&table, &settings(), vec![batch(&spec.columns, &rows)]).await?;
                for k in numbers {
                    let cells = model.defaults.keys().map(|name| (name.clone(), value(k, name))).collect();
                    model.rows.insert(k, cells);
                }
            }
            Op::Add(name, default) if !model.defaults.contains_key(NAMES[name]) => {
                spec = spec.adding(NAMES[name], &default.to_string());
                table = spec.alter(&table)?;
                model.defaults.insert(NAMES[name].to_string(), default);
                model.rows.values_mut().for_each(|row| {
                    row.insert(NAMES[name].to_string(), default);
                });
            }
            Op::Drop(name) if model.defaults.contains_key(NAMES[name]) => {
                spec = spec.dropping(NAMES[name]);
                table = spec.alter(&table)?;
                model.defaults.remove(NAMES[name]);
                model.rows.values_mut().for_each(|row| {
                    row.remove(NAMES[name]);
                });
            }
            Op::Clear(name) if model.defaults.contains_key(NAMES[name]) => {
                spec = spec.clearing(NAMES[name]);
                table = spec.alter(&table)?;
                let default = model.defaults[NAMES[name]];
                model.rows.values_mut().for_each(|row| {
                    row.insert(NAMES[name].to_string(), default);
                });
            }
            Op::Rename(from, to) if model.defaults.contains_key(NAMES[from]) && !model.defaults.contains_key(NAMES[to]) => {
                let (from, to) = (NAMES[from], NAMES[to]);
                spec = spec.renaming(from, to);
                table = spec.alter(&table)?;
                let default = model.defaults.remove(from).unwrap_or_default();
                model.defaults.insert(to.to_string(), default);
                for row in model.rows.values_mut() {
                    let value = row.remove(from).unwrap_or_default();
                    row.insert(to.to_string(), value);
                }
            }
            Op::Update(name, value, of) | Op::Begin(name, value, of) if model.defaults.contains_key(NAMES[name]) => {
                let name = NAMES[name];
                let id =
                    table.mutate(&settings(), update(name, &format!("{name} + {value}"), &format!("k % {of} = 0"))).await?;
                if matches!(op, Op::Update(..)) {
                    table.finish_mutation(&settings(), &id).await?;
                }
                for (_, row) in model.rows.iter_mut().filter(|(k, _)| *k % of == 0) {
                    *row.entry(name.to_string()).or_default() += value;
                }
            }
            Op::Delete(of, at_once) => {
                let id = table.mutate(&settings(), delete(&format!("k % {of} = 1"), at_once)).await?;
                table.finish_mutation(&settings(), &id).await?;
                model.rows.retain(|k, _| k % of != 1);
            }
            Op::Merge => table.optimize(&settings(), FINAL).await?,
            Op::Reopen => table = spec.open(store.clone()).await?,
            _ => {}
        }
        invariants::check_state(&table.core().manifest.current())?;
    }
    for waiting in table.mutations().into_iter().filter(|mutation| !mutation.is_done) {
        table.finish_mutation(&settings(), &waiting.id).await?;
    }
    let names: Vec<&str> = spec.columns.iter().map(|column| column.name.as_str()).collect();
    let found = rows(&table, &format!("SELECT {} FROM t ORDER BY k", names.join(", "))).await;
    let expected: Vec<Vec<i64>> = model
        .rows
        .iter()
        .map(|(k, row)| names.iter().map(|name| if *name == "k" { *k } else { row[*name] }).collect())
        .collect();
    assert_eq!(found, expected);
    for name in model.defaults.keys() {
        let wanted: BTreeSet<i64> = model.rows.iter().filter(|(_, row)| row[name] > 60).map(|(k, _)| *k).collect();
        let found = rows(&table, &format!("SELECT k FROM t WHERE {name} > 60")).await;
        assert_eq!(found.into_iter().map(|row| row[0]).collect::<BTreeSet<_>>(), wanted, "{name}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn changes_of_columns_and_rows_in_any_order_give_the_rows_of_a_plain_list(ops in ops()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("starts");
        runtime.block_on(run(ops)).expect("works");
    }
}

#[tokio::test]
async fn null_and_text_survive_a_change_of_rows() {
    let columns = Columns::of([("k", SqlType::Int64), ("s", SqlType::String.nullable())]);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    let k: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let s: ArrayRef =
        Arc::new(arrow::array::BinaryViewArray::from(vec![Some(b"a".as_slice()), None, Some(b"\xff".as_slice())]));
    insert(&table, &settings(), vec![RecordBatch::try_new(columns.arrow(), vec![k, s]).expect("fits")])
        .await
        .expect("inserts");
    mutate(&table, delete("s IS NULL", false)).await.expect("mutates");
    let batches = select(&table, &settings(), "SELECT s FROM t ORDER BY k").await.expect("reads");
    let kept = arrow::compute::concat_batches(&batches[0].schema(), &batches).expect("one schema");
    let strings = kept.column(0).as_binary_view();
    assert_eq!((strings.len(), strings.value(0), strings.value(1)), (2, b"a".as_slice(), b"\xff".as_slice()));
}

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1_altered")
}

/// `(k, c, b)` of a table that was `(k, a)`.
fn golden_spec() -> TableSpec {
    spec(&["k", "a"]).renaming("a", "c").adding("b", "5")
}

#[tokio::test]
async fn a_folder_of_an_altered_table_opens() {
    let store = MemoryStore::new();
    for folder in ["parts", "manifest"] {
        for entry in std::fs::read_dir(golden().join(folder)).expect("golden files are checked in") {
            let path = entry.expect("listed").path();
            let key = format!("{folder}/{}", path.file_name().expect("named").to_string_lossy());
            let data = std::fs::read(&path).expect("reads");
            store.put_if_absent(&settings(), &key, data.into()).await.expect("puts");
        }
    }
    let table = golden_spec().open(store).await.expect("opens");
    assert_eq!(rows(&table, "SELECT k, c, b FROM t ORDER BY k").await, [[1, 11, 5], [2, 20, 5], [3, 31, 32]]);
    let detached = table.detached_parts();
    assert_eq!((detached.len(), detached[0].name.as_str()), (1, "all_4_4_0"));
    let shown: Vec<(String, bool, usize)> =
        table.mutations().into_iter().map(|row| (row.id, row.is_done, row.parts_to_do.len())).collect();
    assert_eq!(shown, [("mutation_3.txt".to_string(), true, 0), ("mutation_5.txt".to_string(), false, 2)]);
    table.finish_mutation(&settings(), "mutation_5.txt").await.expect("goes on");
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(rows(&table, "SELECT k, c, b FROM t ORDER BY k").await, [[1, 11, 6], [2, 20, 6], [3, 31, 33]]);
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test]
#[ignore = "writes the golden files"]
async fn write_golden_files() {
    let (before, after) = (spec(&["k", "a"]), golden_spec());
    let store = MemoryStore::new();
    let table = before.open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&before.columns, &[vec![1, 10], vec![2, 20]])]).await.expect("inserts");
    let table = after.alter(&table).expect("alters");
    insert(&table, &settings(), vec![batch(&after.columns, &[vec![3, 31, 32]])]).await.expect("inserts");
    mutate(&table, update("c", "c + 1", "k = 1")).await.expect("mutates");
    insert(&table, &settings(), vec![batch(&after.columns, &[vec![4, 41, 42]])]).await.expect("inserts");
    table.detach(&settings(), &PartChoice::Part("all_4_4_0".to_string())).await.expect("detaches");
    table.mutate(&settings(), update("b", "b + 1", "k > 0")).await.expect("begins");
    for object in store.list(&settings(), "").await.expect("lists") {
        let path = golden().join(&object.key);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes the folder");
        let data = store.read_whole(&settings(), &object.key).await.expect("reads").expect("is there");
        std::fs::write(path, data).expect("writes");
    }
}

#[tokio::test]
async fn a_detached_part_stays_until_it_is_put_back_or_dropped() {
    let spec = spec(&["k", "a"]).with_setting("old_parts_lifetime", 0).with_setting("orphan_grace_seconds", 0);
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    for n in 0..3 {
        insert(&table, &settings(), vec![batch(&spec.columns, &[vec![n, n]])]).await.expect("inserts");
    }
    for name in ["all_1_1_0", "all_2_2_0"] {
        table.detach(&settings(), &PartChoice::Part(name.to_string())).await.expect("detaches");
    }
    assert_eq!(rows(&table, "SELECT k FROM t").await, [[2]]);
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    gc::list(table.core(), &settings()).await.expect("sweeps");
    // Asked for while a part is aside, a mutation does not concern it.
    mutate(&table, update("a", "100", "k >= 0")).await.expect("mutates");
    table.attach(&settings(), &PartChoice::Part("all_2_2_0".to_string())).await.expect("attaches");
    table.drop_parts(&settings(), &PartChoice::Part("all_1_1_0".to_string()), true).await.expect("drops");
    let error = table.attach(&settings(), &PartChoice::Part("all_1_1_0".to_string())).await.expect_err("gone");
    assert_eq!(error.code(), ErrorCode::BAD_DATA_PART_NAME);
    assert_eq!(rows(&table, "SELECT k, a FROM t ORDER BY k").await, [[1, 1], [2, 100]]);
    let table = spec.open(store.clone()).await.expect("opens again");
    assert!(table.detached_parts().is_empty());
    gc::sweep(table.core()).await.expect("sweeps");
    gc::list(table.core(), &settings()).await.expect("sweeps");
    assert_eq!(store.list(&settings(), "parts/").await.expect("lists").len(), 2);
    assert_eq!(rows(&table, "SELECT k, a FROM t ORDER BY k").await, [[1, 1], [2, 100]]);
}

#[tokio::test]
async fn a_frozen_copy_is_a_table_of_its_own() {
    let spec = spec(&["k", "a"]);
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&spec.columns, &[vec![1, 10]])]).await.expect("inserts");
    let name = table.freeze(&settings(), &PartitionChoice::All, None).await.expect("copies");
    table.freeze(&settings(), &PartitionChoice::All, Some(&name)).await.expect_err("the name is taken");
    table.truncate(&settings()).await.expect("truncates");
    let copy = MemoryStore::new();
    let folder = format!("shadow/{name}/");
    for object in store.list(&settings(), &folder).await.expect("lists") {
        let data = store.read_whole(&settings(), &object.key).await.expect("reads").expect("there");
        copy.put_if_absent(&settings(), &object.key[folder.len()..], data).await.expect("puts");
    }
    assert_eq!(rows(&spec.open(copy).await.expect("opens"), "SELECT k, a FROM t").await, [[1, 10]]);
    table.unfreeze(&settings(), &PartitionChoice::All, &name).await.expect("removes");
    assert!(store.list(&settings(), "shadow/").await.expect("lists").is_empty());
}
