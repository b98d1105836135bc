//! The process is killed at every write to the store, and the store's answers get lost: acknowledged rows are all there
//! afterwards, no insert is there in part, and no row is there twice (I-1, I-2, I-3, M-1 to M-4).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::env::system_env;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::{
    Groups, LoadRequest, LoadedGroups, MutationRequest, OptimizeRequest, PartChoice, PartitionChoice, RowChange, Table,
    TtlAction, TtlRule,
};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment, PartStore, gc, invariants};
use gristmill_types::{Columns, SqlType};

use crate::faulty_store::{Fault, Faulty, FaultyStore};

fn spec() -> TableSpec {
    let columns = Columns::of([("p", SqlType::Int64), ("n", SqlType::Int64)]);
    TableSpec::new(columns, &["n"], &["p"]).expect("spec").with_setting("old_parts_lifetime", 0)
}

/// Rows of one insert: three to each of two partitions.
const ROWS: i64 = 6;

fn batch(number: i64) -> RecordBatch {
    let n: Vec<i64> = (number * ROWS..(number + 1) * ROWS).collect();
    let p: ArrayRef = Arc::new(Int64Array::from_iter_values(n.iter().map(|n| n % 2)));
    RecordBatch::try_new(spec().columns.arrow(), vec![p, Arc::new(Int64Array::from(n))]).expect("fits")
}

fn settings(token: Option<i64>) -> Arc<QueryContext> {
    let token = token.map(|token| token.to_string()).unwrap_or_default();
    context(&[("max_threads", "1"), ("insert_deduplication_token", &token)]).expect("settings")
}

const FINAL: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

/// What was begun and what was acknowledged, by the numbers of the inserts.
#[derive(Default)]
struct Journal {
    begun: AtomicUsize,
    acknowledged: AtomicUsize,
}

const INSERTS: usize = 5;

/// Inserts, merges, sweeps. `retries`: an insert that failed is repeated under its token.
async fn work(store: Arc<dyn PartStore>, journal: &Journal, retries: bool) -> Result<()> {
    let table = spec().open(store).await?;
    for number in 0..INSERTS {
        journal.begun.store(number + 1, Ordering::SeqCst);
        let mut done = insert(&table, &settings(Some(number as i64)), vec![batch(number as i64)]).await;
        if retries && done.is_err() {
            done = insert(&table, &settings(Some(number as i64)), vec![batch(number as i64)]).await;
        }
        done?;
        journal.acknowledged.store(number + 1, Ordering::SeqCst);
        if number % 2 == 1 {
            let merged = table.optimize(&settings(None), FINAL).await;
            let swept = gc::sweep(table.core()).await;
            if !retries {
                merged.and(swept)?;
            }
        }
    }
    Ok(())
}

async fn rows(table: &MergeTree) -> Vec<i64> {
    let batches = select(table, &settings(None), "SELECT n FROM t").await.expect("reads");
    let mut rows: Vec<i64> =
        batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect();
    rows.sort_unstable();
    rows
}

fn first(inserts: usize) -> Vec<i64> {
    (0..inserts as i64 * ROWS).collect()
}

/// Opens the table anew and checks everything that was promised.
async fn check(store: &Arc<MemoryStore>, journal: &Journal, what: &str) {
    let table = spec().with_setting("orphan_grace_seconds", 0).open(store.clone()).await.expect("opens again");
    invariants::check_state(&table.core().manifest.current()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let found = rows(&table).await;
    let (begun, acknowledged) = (journal.begun.load(Ordering::SeqCst), journal.acknowledged.load(Ordering::SeqCst));
    assert!(found == first(acknowledged) || found == first(begun), "{what}: {acknowledged} acknowledged, found {found:?}");
    // Life goes on: the insert in doubt is repeated under its token, parts are merged, what is left over is swept.
    if begun > acknowledged {
        let number = acknowledged as i64;
        insert(&table, &settings(Some(number)), vec![batch(number)]).await.expect("inserts");
    }
    table.optimize(&settings(None), FINAL).await.expect("merges");
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    gc::sweep(table.core()).await.expect("sweeps");
    gc::list(table.core(), &settings(None)).await.expect("sweeps");
    assert_eq!(rows(&table).await, first(begun), "{what}");
    let objects = store.list(&settings(None), "parts/").await.expect("lists");
    let live: BTreeSet<String> = table.core().manifest.current().parts.values().map(|part| part.key.clone()).collect();
    assert_eq!(objects.into_iter().map(|object| object.key).collect::<BTreeSet<_>>(), live, "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_write_loses_nothing_and_doubles_nothing() {
    for fault in [Fault::KilledBefore, Fault::KilledAfter] {
        for write in 1.. {
            assert!(write < 200, "the work never ends");
            let inner = MemoryStore::new();
            let store = FaultyStore::new(inner.clone(), fault, write);
            let journal = Journal::default();
            let killed = tokio::select! {
                done = work(Arc::new(Faulty(store.clone())), &journal, false) => done.map(|()| false),
                () = store.dead.notified() => Ok(true),
            };
            let killed = killed.expect("only a kill ends the work");
            check(&inner, &journal, &format!("{fault:?} at write {write}")).await;
            if !killed {
                assert!(write > 20, "the work has only {write} writes");
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_or_a_refused_write_is_survived() {
    for fault in [Fault::AnswerLost, Fault::Refused] {
        for write in 1.. {
            assert!(write < 200, "the work never ends");
            let inner = MemoryStore::new();
            let store = FaultyStore::new(inner.clone(), fault, write);
            let journal = Journal::default();
            let what = format!("{fault:?} at write {write}");
            work(Arc::new(Faulty(store.clone())), &journal, true).await.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(journal.acknowledged.load(Ordering::SeqCst), INSERTS);
            check(&inner, &journal, &what).await;
            if !store.met() {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_that_race_for_versions_each_get_their_own() {
    const WRITERS: usize = 4;
    const EACH: usize = 8;
    let store = MemoryStore::new();
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            // Each stands for a process of its own.
            let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
            let environment = MergeTreeEnvironment::new(options, system_env());
            let table = spec().with_setting("old_parts_lifetime", 480).open_in(store, environment).await.expect("opens");
            for number in 0..EACH {
                let number = (writer * EACH + number) as i64;
                insert(&table, &settings(None), vec![batch(number)]).await.expect("inserts");
                tokio::task::yield_now().await;
                if number % 3 == 0 {
                    table.optimize(&settings(None), FINAL).await.expect("merges");
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("ends well");
    }
    let table = spec().open(store).await.expect("opens");
    invariants::check_state(&table.core().manifest.current()).expect("sound");
    assert_eq!(rows(&table).await, first(WRITERS * EACH));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drop_concerns_what_another_process_inserted_before() {
    let store = MemoryStore::new();
    let process = async || {
        let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
        let environment = MergeTreeEnvironment::new(options, system_env());
        spec().open_in(store.clone(), environment).await.expect("opens")
    };
    // The second one has the table open since it was empty.
    let (one, other) = (process().await, process().await);
    insert(&one, &settings(None), vec![batch(0)]).await.expect("inserts");
    let partition = PartitionChoice::Id("0".to_string());
    other.drop_partitions(&settings(None), std::slice::from_ref(&partition)).await.expect("drops");
    assert_eq!(rows(&one).await, [1, 3, 5]);
    insert(&one, &settings(None), vec![batch(1)]).await.expect("inserts");
    other.detach(&settings(None), &PartChoice::Partition(partition)).await.expect("detaches");
    assert_eq!(rows(&one).await, [1, 3, 5, 7, 9, 11]);
}

fn change(number: i64, at_once: bool) -> MutationRequest {
    let change = match at_once {
        true => RowChange::Delete { condition: "n % 6 = 5".to_string() },
        false => RowChange::Update {
            assignments: vec![("v".to_string(), format!("v * 10 + {number}"))],
            condition: "n % 2 = 0".to_string(),
        },
    };
    MutationRequest { changes: vec![change], commands: vec![format!("(change {number})")], partition: None, at_once }
}

/// `v` beside `n`: what mutations change.
fn changed_spec() -> TableSpec {
    let columns = Columns::of([("p", SqlType::Int64), ("n", SqlType::Int64), ("v", SqlType::Int64)]);
    TableSpec::new(columns, &["n"], &["p"]).expect("spec").with_setting("old_parts_lifetime", 0)
}

fn changed_batch(number: i64) -> RecordBatch {
    let n: Vec<i64> = (number * ROWS..(number + 1) * ROWS).collect();
    let p: ArrayRef = Arc::new(Int64Array::from_iter_values(n.iter().map(|n| n % 2)));
    let v: ArrayRef = Arc::new(Int64Array::from(vec![0; n.len()]));
    RecordBatch::try_new(changed_spec().columns.arrow(), vec![p, Arc::new(Int64Array::from(n)), v]).expect("fits")
}

/// Two updates and a delete at once, with merges and the sweeper among them. The journal counts what was begun and what
/// was answered.
async fn change_rows(store: Arc<dyn PartStore>, journal: &Journal) -> Result<()> {
    let table = changed_spec().open(store).await?;
    for number in 1..=3 {
        journal.begun.store(number, Ordering::SeqCst);
        let id = table.mutate(&settings(None), change(number as i64, number == 3)).await?;
        journal.acknowledged.store(number, Ordering::SeqCst);
        table.finish_mutation(&settings(None), &id).await?;
        table.optimize(&settings(None), FINAL).await?;
        gc::sweep(table.core()).await?;
    }
    Ok(())
}

/// `(n, v)` after so many of the changes.
fn after(changes: usize) -> Vec<(i64, i64)> {
    let value = |n: i64| match (n % 2, changes) {
        (0, 1) => 1,
        (0, 2 | 3) => 12,
        _ => 0,
    };
    (0..2 * ROWS).filter(|n| changes < 3 || n % 6 != 5).map(|n| (n, value(n))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mutation_survives_a_kill_at_any_write_and_takes_place_once() {
    for fault in [Fault::KilledBefore, Fault::KilledAfter] {
        for write in 1.. {
            assert!(write < 200, "the work never ends");
            let what = format!("{fault:?} at write {write}");
            let inner = MemoryStore::new();
            let table = changed_spec().open(inner.clone()).await.expect("opens");
            for number in 0..2 {
                insert(&table, &settings(None), vec![changed_batch(number)]).await.expect("inserts");
            }
            drop(table);
            let store = FaultyStore::new(inner.clone(), fault, write);
            let journal = Journal::default();
            let killed = tokio::select! {
                done = change_rows(Arc::new(Faulty(store.clone())), &journal) => done.map(|()| false),
                () = store.dead.notified() => Ok(true),
            };
            let killed = killed.expect("only a kill ends the work");
            let table =
                changed_spec().with_setting("orphan_grace_seconds", 0).open(inner.clone()).await.expect("opens again");
            invariants::check_state(&table.core().manifest.current()).unwrap_or_else(|error| panic!("{what}: {error}"));
            for waiting in table.mutations().iter().filter(|mutation| !mutation.is_done) {
                table.finish_mutation(&settings(None), &waiting.id).await.unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            let batches = select(&table, &settings(None), "SELECT n, v FROM t").await.expect("reads");
            let mut found: Vec<(i64, i64)> = Vec::new();
            for batch in &batches {
                let column = |at: usize| batch.column(at).as_primitive::<Int64Type>().values().to_vec();
                found.extend(column(0).into_iter().zip(column(1)));
            }
            found.sort_unstable();
            let (begun, acknowledged) = (journal.begun.load(Ordering::SeqCst), journal.acknowledged.load(Ordering::SeqCst));
            assert!(found == after(acknowledged) || found == after(begun), "{what}: {acknowledged} answered, {found:?}");
            table.optimize(&settings(None), FINAL).await.expect("merges");
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            gc::sweep(table.core()).await.expect("sweeps");
            gc::list(table.core(), &settings(None)).await.expect("sweeps");
            let objects = inner.list(&settings(None), "parts/").await.expect("lists");
            assert_eq!(objects.len(), table.core().manifest.current().parts.len(), "{what}");
            if !killed {
                assert!(write > 10, "the work has only {write} writes");
                break;
            }
        }
    }
}

// TTL ------------------------------------------------------------------------------------------------------------------

/// Rows of which every third is long expired, and every sixth loses its value besides.
fn ttl_spec() -> TableSpec {
    let rule = TtlRule {
        expression: "CASE WHEN n % 3 = 0 THEN 1 ELSE 0 END".to_string(),
        action: TtlAction::Delete { condition: None },
    };
    changed_spec().with_ttl(rule).with_column_ttl("v", "CASE WHEN n % 6 = 1 THEN 1 ELSE 0 END")
}

async fn expire(store: Arc<dyn PartStore>, journal: &Journal) -> Result<()> {
    let table = ttl_spec().open(store).await?;
    for number in 0..INSERTS {
        journal.begun.store(number + 1, Ordering::SeqCst);
        let rows = changed_batch(number as i64);
        let seven: ArrayRef = Arc::new(Int64Array::from(vec![7; rows.num_rows()]));
        let rows = RecordBatch::try_new(rows.schema(), vec![rows.column(0).clone(), rows.column(1).clone(), seven])?;
        insert(&table, &settings(Some(number as i64)), vec![rows]).await?;
        journal.acknowledged.store(number + 1, Ordering::SeqCst);
        if number % 2 == 1 {
            table.optimize(&settings(None), FINAL).await?;
            gc::sweep(table.core()).await?;
        }
    }
    Ok(())
}

/// What is left of the rows of so many inserts.
fn left(inserts: usize) -> Vec<(i64, i64)> {
    let value = |n: i64| if n % 6 == 1 { 0 } else { 7 };
    (0..inserts as i64 * ROWS).filter(|n| n % 3 != 0).map(|n| (n, value(n))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_expires_goes_and_nothing_else_when_the_process_is_killed() {
    for fault in [Fault::KilledBefore, Fault::KilledAfter] {
        for write in 1.. {
            assert!(write < 200, "the work never ends");
            let what = format!("{fault:?} at write {write}");
            let inner = MemoryStore::new();
            let store = FaultyStore::new(inner.clone(), fault, write);
            let journal = Journal::default();
            let killed = tokio::select! {
                done = expire(Arc::new(Faulty(store.clone())), &journal) => done.map(|()| false),
                () = store.dead.notified() => Ok(true),
            };
            let killed = killed.expect("only a kill ends the work");
            let table = ttl_spec().with_setting("orphan_grace_seconds", 0).open(inner.clone()).await.expect("opens again");
            invariants::check_state(&table.core().manifest.current()).unwrap_or_else(|error| panic!("{what}: {error}"));
            table.optimize(&settings(None), FINAL).await.expect("merges");
            let batches = select(&table, &settings(None), "SELECT n, v FROM t").await.expect("reads");
            let mut found: Vec<(i64, i64)> = Vec::new();
            for batch in &batches {
                let column = |at: usize| batch.column(at).as_primitive::<Int64Type>().values().to_vec();
                found.extend(column(0).into_iter().zip(column(1)));
            }
            found.sort_unstable();
            let (begun, acknowledged) = (journal.begun.load(Ordering::SeqCst), journal.acknowledged.load(Ordering::SeqCst));
            assert!(found == left(acknowledged) || found == left(begun), "{what}: {acknowledged} acknowledged, {found:?}");
            if !killed {
                assert!(write > 20, "the work has only {write} writes");
                break;
            }
        }
    }
}

// Loads ----------------------------------------------------------------------------------------------------------------

/// Files of the load, each of so many row groups; the rows of a group are those of one insert.
const FILES: i64 = 3;
const GROUPS: u32 = 2;

fn load_request() -> LoadRequest {
    LoadRequest { id: "load".to_string(), query: "all rows".to_string(), is_token: false }
}

/// Brings what the ledger says is left, in steps of one row group; merges in between.
async fn load(store: Arc<dyn PartStore>, shared: bool) -> Result<()> {
    let options = EnvironmentOptions { shared, background: false, ..EnvironmentOptions::default() };
    let table = spec().open_in(store, MergeTreeEnvironment::new(options, system_env())).await?;
    let run = table.begin_load(&settings(None), &load_request()).await?;
    for file in 0..FILES {
        let path = format!("file{file}");
        let done = run.known(&path).unwrap_or_default().done;
        for group in Groups::first(GROUPS).without(&done).iter() {
            let writer = run.writer().await?;
            let mut lane = writer.lane().await?;
            lane.write(batch(file * i64::from(GROUPS) + i64::from(group))).await?;
            lane.finish().await?;
            let loaded = LoadedGroups {
                path: path.clone(),
                version: "1".to_string(),
                groups_total: GROUPS,
                groups: Groups::range(group, group + 1),
                rows: ROWS as u64,
                error: None,
            };
            writer.commit_step(vec![loaded], false).await?;
        }
        if file == 1 {
            table.optimize(&settings(None), FINAL).await?;
        }
    }
    Ok(())
}

/// What is there after a run that ended somehow: the rows that the ledger tells of, and after another run all of them.
async fn check_load(store: &Arc<MemoryStore>, what: &str) {
    let table = spec().open(store.clone()).await.expect("opens again");
    invariants::check_state(&table.core().manifest.current()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut told: Vec<i64> = Vec::new();
    for row in table.load_ledger() {
        let file: i64 = row.path.trim_start_matches("file").parse().expect("a number");
        let inserts = row.progress.done.iter().map(|group| file * i64::from(GROUPS) + i64::from(group));
        told.extend(inserts.flat_map(|number| number * ROWS..(number + 1) * ROWS));
    }
    assert_eq!(rows(&table).await, told, "{what}: the ledger tells of other rows");
    load(store.clone(), false).await.unwrap_or_else(|error| panic!("{what}: {error}"));
    let table = spec().open(store.clone()).await.expect("opens again");
    assert_eq!(rows(&table).await, first(FILES as usize * GROUPS as usize), "{what}");
    assert!(table.load_ledger().iter().all(|row| row.progress.is_whole()), "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_meets_a_fault_at_any_write_brings_every_row_once() {
    for fault in [Fault::KilledBefore, Fault::KilledAfter, Fault::AnswerLost, Fault::Refused] {
        for write in 1.. {
            assert!(write < 200, "the load never ends");
            let inner = MemoryStore::new();
            let store = FaultyStore::new(inner.clone(), fault, write);
            tokio::select! {
                // It may fail, and it may go on: what counts is what is there.
                _ = load(Arc::new(Faulty(store.clone())), false) => {}
                () = store.dead.notified() => {}
            }
            check_load(&inner, &format!("{fault:?} at write {write}")).await;
            if !store.met() {
                assert!(write > 15, "the load has only {write} writes");
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_run_one_load_at_a_time_bring_every_row_once() {
    for _ in 0..20 {
        let store = MemoryStore::new();
        let runs = (0..3).map(|_| tokio::spawn(load(store.clone(), true)));
        for run in runs.collect::<Vec<_>>() {
            if let Err(error) = run.await.expect("no panic") {
                assert_eq!(error.code(), ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING, "{error}");
            }
        }
        check_load(&store, "after a race").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_runs_once_at_a_time_in_a_process_and_keeps_its_query() {
    let table = spec().open(MemoryStore::new()).await.expect("opens");
    let run = table.begin_load(&settings(None), &load_request()).await.expect("begins");
    let code = |begun: Result<_>| begun.map(|_: Arc<dyn gristmill_catalog::TableLoad>| ()).expect_err("refused").code();
    let second = table.begin_load(&settings(None), &load_request()).await;
    assert_eq!(code(second), ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING);
    run.writer().await.expect("opens").commit_step(Vec::new(), true).await.expect("commits");
    drop(run);
    let other = LoadRequest { query: "other rows".to_string(), ..load_request() };
    assert_eq!(code(table.begin_load(&settings(None), &other).await), ErrorCode::BAD_ARGUMENTS);
    table.truncate(&settings(None)).await.expect("truncates");
    table.begin_load(&settings(None), &other).await.map(drop).expect("an empty table knows no loads");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_ends_with_its_load() {
    let table = spec().open(MemoryStore::new()).await.expect("opens");
    let request = LoadRequest { is_token: true, ..load_request() };
    for (ends, has_ended) in [(false, false), (true, false), (false, true)] {
        let run = table.begin_load(&settings(None), &request).await.expect("begins");
        assert_eq!(run.has_ended(), has_ended);
        if !has_ended {
            run.writer().await.expect("opens").commit_step(Vec::new(), ends).await.expect("commits");
        }
    }
}
