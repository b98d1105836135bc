//! One process after another works on a table and is killed at a write that chance chooses: in the middle of an insert, a
//! merge, a mutation, a drop. After each kill the table is opened anew and holds exactly what the statements before made
//! of it, with the one that was under way done or not done (I-1, I-2, M-1, M-3), its state is sound, and once swept, what
//! lies in the folder is what is named (M-4).
//!
//! `GRISTMILL_KILLS`: how many (in all shares). `GRISTMILL_KILLS_SEED`: the seed of the only table to be tried.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_catalog::{MutationRequest, OptimizeRequest, PartChoice, PartitionChoice, RowChange, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_mergetree::{MemoryStore, MergeTree, PartStore, gc, invariants};
use gristmill_types::{Columns, SqlType};
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::faulty_store::{Fault, Faulty, FaultyStore};

/// Kills of one table, until another one begins empty.
const KILLS_OF_A_TABLE: u64 = 40;
const PARTITIONS: i64 = 3;
const FINAL: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

fn spec() -> TableSpec {
    let columns = Columns::of([("p", SqlType::Int64), ("n", SqlType::Int64), ("v", SqlType::Int64)]);
    let spec = TableSpec::new(columns, &["n"], &["p"]).expect("spec").with_setting("old_parts_lifetime", 0);
    let spec = spec.with_setting("lightweight_mutation_projection_mode", "rebuild");
    spec.with_projection("by_v", &["v", "n"], &["v"]).with_projection("sums", &["p", "sum(v)", "count()"], &["p"])
}

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

#[derive(Clone, Debug)]
enum Statement {
    /// Rows `from..to`.
    Insert(i64, i64),
    Merge,
    Sweep,
    /// `v = v * 3 + number` in every second row.
    Update(i64),
    /// Rows of a class, by a mutation or at once.
    Delete(i64, bool),
    Drop(i64),
    Detach(i64),
    Attach,
    DropDetached,
    Truncate,
    /// Of what parts have of a projection, or lack.
    Project(bool),
}

/// `v` by `n`, of the rows that are there and of those that were detached.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    rows: BTreeMap<i64, i64>,
    detached: BTreeMap<i64, i64>,
}

impl Model {
    fn after(&self, statement: &Statement) -> Model {
        let mut next = self.clone();
        match statement {
            Statement::Insert(from, to) => next.rows.extend((*from..*to).map(|n| (n, 0))),
            Statement::Merge | Statement::Sweep | Statement::Project(_) => {}
            Statement::Update(number) => {
                next.rows.iter_mut().filter(|(n, _)| *n % 2 == 0).for_each(|(_, v)| *v = updated(*v, *number));
            }
            Statement::Delete(class, _) => next.rows.retain(|n, _| n % 7 != *class),
            Statement::Drop(partition) => next.rows.retain(|n, _| n % PARTITIONS != *partition),
            Statement::Detach(partition) => {
                next.detached.extend(self.rows.iter().filter(|(n, _)| *n % PARTITIONS == *partition));
                next.rows.retain(|n, _| n % PARTITIONS != *partition);
            }
            Statement::Attach => next.rows.append(&mut next.detached),
            Statement::DropDetached => next.detached.clear(),
            Statement::Truncate => next.rows.clear(),
        }
        next
    }
}

/// Values stay small, so that they never overflow.
fn updated(v: i64, number: i64) -> i64 {
    (v * 3 + number) % 1_000_003
}

fn chosen(chance: &mut StdRng, next: &mut i64) -> Statement {
    match chance.random_range(0..100) {
        0..40 => {
            let from = *next;
            *next += chance.random_range(1..9);
            Statement::Insert(from, *next)
        }
        40..55 => Statement::Merge,
        55..58 => Statement::Project(chance.random()),
        58..66 => Statement::Sweep,
        66..76 => Statement::Update(chance.random_range(0..1000)),
        76..81 => Statement::Delete(chance.random_range(0..7), false),
        81..86 => Statement::Delete(chance.random_range(0..7), true),
        86..90 => Statement::Drop(chance.random_range(0..PARTITIONS)),
        90..94 => Statement::Detach(chance.random_range(0..PARTITIONS)),
        94..97 => Statement::Attach,
        97..99 => Statement::DropDetached,
        _ => Statement::Truncate,
    }
}

fn batch(from: i64, to: i64) -> RecordBatch {
    let column = |value: &dyn Fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((from..to).map(value))) as ArrayRef;
    let columns = vec![column(&|n| n % PARTITIONS), column(&|n| n), column(&|_| 0)];
    RecordBatch::try_new(spec().columns.arrow(), columns).expect("fits")
}

async fn run(table: &MergeTree, statement: &Statement) -> Result<()> {
    let context = settings();
    let mutation = |change: RowChange, at_once: bool| MutationRequest {
        changes: vec![change],
        commands: vec!["(a change)".to_string()],
        partition: None,
        at_once,
    };
    let partition = |partition: &i64| PartitionChoice::Id(partition.to_string());
    match statement {
        Statement::Insert(from, to) => insert(table, &context, vec![batch(*from, *to)]).await,
        Statement::Merge => table.optimize(&context, FINAL).await,
        Statement::Sweep => {
            gc::sweep(table.core()).await?;
            gc::list(table.core(), &context).await
        }
        Statement::Update(number) => {
            let assignments = vec![("v".to_string(), format!("(v * 3 + {number}) % 1000003"))];
            let update = RowChange::Update { assignments, condition: "n % 2 = 0".to_string() };
            let id = table.mutate(&context, mutation(update, false)).await?;
            table.finish_mutation(&context, &id).await
        }
        Statement::Delete(class, at_once) => {
            let delete = RowChange::Delete { condition: format!("n % 7 = {class}") };
            let id = table.mutate(&context, mutation(delete, *at_once)).await?;
            table.finish_mutation(&context, &id).await
        }
        Statement::Drop(which) => table.drop_partitions(&context, &[partition(which)]).await,
        Statement::Detach(which) => table.detach(&context, &PartChoice::Partition(partition(which))).await,
        Statement::Attach => table.attach(&context, &PartChoice::Partition(PartitionChoice::All)).await,
        Statement::DropDetached => table.drop_parts(&context, &PartChoice::Partition(PartitionChoice::All), true).await,
        Statement::Truncate => table.truncate(&context).await,
        Statement::Project(wanted) => {
            let name = "by_v".to_string();
            let change = match wanted {
                true => RowChange::MaterializeProjection { name },
                false => RowChange::ClearProjection { name },
            };
            let id = table.mutate(&context, mutation(change, false)).await?;
            table.finish_mutation(&context, &id).await
        }
    }
}

/// What is there, and what the last statement that began may have made of it.
struct Life {
    before: Model,
    after: Model,
    under_way: Option<Statement>,
}

/// A process that works until it is killed.
async fn live(store: Arc<dyn PartStore>, life: &Mutex<Life>, chance: &mut StdRng, next: &mut i64) -> Result<()> {
    let table = spec().open(store).await?;
    loop {
        let statement = chosen(chance, next);
        {
            let mut life = life.lock();
            life.after = life.before.after(&statement);
            life.under_way = Some(statement.clone());
        }
        run(&table, &statement).await?;
        let mut life = life.lock();
        life.before = life.after.clone();
        life.under_way = None;
    }
}

async fn found(table: &MergeTree) -> BTreeMap<i64, i64> {
    let found = found_by(table, &settings()).await;
    // What projections hold is what their parts hold.
    let by_projection = context(&[("max_threads", "1"), ("preferred_optimize_projection_name", "by_v")]).expect("settings");
    assert_eq!(found_by(table, &by_projection).await, found);
    found
}

async fn found_by(table: &MergeTree, settings: &Arc<QueryContext>) -> BTreeMap<i64, i64> {
    let batches = select(table, settings, "SELECT n, v FROM t WHERE v >= 0").await.expect("reads");
    let mut found = BTreeMap::new();
    for batch in &batches {
        let column = |at: usize| batch.column(at).as_primitive::<Int64Type>().values().to_vec();
        for (n, v) in column(0).into_iter().zip(column(1)) {
            assert_eq!(found.insert(n, v), None, "row {n} is there twice");
        }
    }
    found
}

/// Opens the table as the next process does, and says what it holds now.
async fn opened_again(objects: &Arc<MemoryStore>, life: Life, what: &str) -> Model {
    let table = spec().open(objects.clone()).await.expect("opens again");
    invariants::check_state(&table.core().manifest.current()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let began: Vec<_> = table.mutations().into_iter().filter(|mutation| !mutation.is_done).collect();
    for mutation in &began {
        table.finish_mutation(&settings(), &mutation.id).await.unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    let found = found(&table).await;
    // What was detached is seen again once it is attached; here it is known from the manifest how much it is.
    let detached = table.core().manifest.current().detached.iter().map(|part| part.rows).sum::<u64>() as usize;
    let is = |model: &Model| model.rows == found && model.detached.len() == detached;
    assert!(began.is_empty() || is(&life.after), "{what}: a mutation that began was not made whole");
    let held = match (is(&life.after), is(&life.before)) {
        (true, _) => life.after,
        (false, true) => life.before,
        _ => panic!("{what}: {found:?} and {detached} detached rows are there, not {:?} or {:?}", life.before, life.after),
    };
    // Whatever has no name goes at once now that nobody works; before, a slow machine would be told that it took too long.
    drop(table);
    let table = spec().with_setting("orphan_grace_seconds", 0).open(objects.clone()).await.expect("opens again");
    tokio::time::sleep(Duration::from_millis(2)).await;
    gc::sweep(table.core()).await.expect("sweeps");
    gc::list(table.core(), &settings()).await.expect("sweeps");
    let mut there = BTreeSet::new();
    for folder in ["parts/", "projections/"] {
        there.extend(objects.list(&settings(), folder).await.expect("lists").into_iter().map(|object| object.key));
    }
    let state = table.core().manifest.current();
    let named: BTreeSet<String> =
        state.parts.values().chain(&state.detached).flat_map(|part| part.objects()).map(str::to_string).collect();
    assert_eq!(there, named, "{what}");
    held
}

/// A table through many lives. Gives the kinds of statements that were cut off.
async fn kills_of(seed: u64) -> BTreeSet<String> {
    let mut chance = StdRng::seed_from_u64(seed);
    let (objects, mut model, mut next) = (MemoryStore::new(), Model::default(), 0);
    let mut cut = BTreeSet::new();
    for kill in 0..KILLS_OF_A_TABLE {
        let fault = if chance.random() { Fault::KilledBefore } else { Fault::KilledAfter };
        let store = FaultyStore::new(objects.clone(), fault, chance.random_range(1..25));
        let life = Mutex::new(Life { before: model.clone(), after: model, under_way: None });
        let what = format!("seed {seed}, kill {kill}");
        tokio::select! {
            ended = live(Arc::new(Faulty(store.clone())), &life, &mut chance, &mut next) => {
                panic!("{what}: a life ended by itself in {:?}: {ended:?}", life.lock().under_way)
            }
            () = store.dead.notified() => {}
        }
        let life = life.into_inner();
        let what = format!("{what}, {fault:?} in {:?}", life.under_way);
        cut.extend(
            life.under_way.iter().map(|statement| format!("{statement:?}").split('(').next().unwrap_or("").to_string()),
        );
        model = opened_again(&objects, life, &what).await;
    }
    cut
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

async fn share(share: u64, shares: u64) {
    if let Some(seed) = number("GRISTMILL_KILLS_SEED") {
        kills_of(seed).await;
        return;
    }
    let kills = number("GRISTMILL_KILLS").unwrap_or(2_000);
    let mut cut = BTreeSet::new();
    for seed in (0..kills.div_ceil(KILLS_OF_A_TABLE)).filter(|seed| seed % shares == share) {
        cut.extend(kills_of(seed).await);
    }
    let expected = ["Insert", "Merge", "Update", "Delete", "Drop"];
    assert!(kills < 1_000 || expected.iter().all(|kind| cut.contains(*kind)), "only these were cut off: {cut:?}");
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_each_statement_done_or_not_done_0() {
    share(0, 4).await;
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_each_statement_done_or_not_done_1() {
    share(1, 4).await;
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_each_statement_done_or_not_done_2() {
    share(2, 4).await;
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_each_statement_done_or_not_done_3() {
    share(3, 4).await;
}
