//! How merges are done: vertically, without comparing what is apart, in little memory, on time, and how they are told of.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch, TimestampSecondArray};
use arrow::compute::concat_batches;
use gristmill_base::ErrorCode;
use gristmill_base::env::system_env;
use gristmill_catalog::{OptimizeRequest, Table, TtlAction, TtlRule};
use gristmill_introspect::part_log::{PartEvent, PartLogEntry, part_log};
use gristmill_introspect::{Event, QueryContext, processes};
use gristmill_mergetree::manifest::PartEntry;
use gristmill_mergetree::merge::list::Reason;
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment, PartStore, gc};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

use crate::slow_store::SlowStore;

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

/// `k`, a time, and columns of which each has values of its own.
fn wide_columns(others: usize) -> Columns {
    let mut columns = vec![Column::new("k", SqlType::Int64), Column::new("t", SqlType::DateTime(None))];
    columns.extend((0..others).map(|at| Column::new(format!("c{at}"), SqlType::Int64)));
    columns.push(Column::new("s", SqlType::String));
    Columns::new(columns)
}

fn wide(columns: &Columns, keys: impl Iterator<Item = i64> + Clone) -> RecordBatch {
    let number =
        |value: &dyn Fn(i64) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(keys.clone().map(value))) };
    let mut arrays = vec![number(&|k| k)];
    arrays.push(Arc::new(TimestampSecondArray::from_iter_values(keys.clone().map(|k| 1_000_000_000 + k % 1000))));
    arrays.extend((0..columns.len() as i64 - 3).map(|at| number(&|k| k * 31 + at)));
    arrays.push(Arc::new(BinaryViewArray::from_iter_values(keys.map(|k| format!("a text that no view holds {k}")))));
    RecordBatch::try_new(columns.arrow(), arrays).expect("fits")
}

/// The last merge of the process, as `system.part_log` has it. (Each test is a process of its own.)
fn last_merge() -> Arc<PartLogEntry> {
    let merges = part_log().snapshot().into_iter().filter(|entry| entry.event == PartEvent::MergeParts);
    merges.last().expect("a merge")
}

fn count(entry: &PartLogEntry, event: Event) -> u64 {
    entry.profile_events.iter().find(|(name, _)| *name == event.name()).map_or(0, |(_, count)| *count)
}

/// All rows in the order of the key.
async fn rows(table: &MergeTree) -> RecordBatch {
    let schema = table.core().layout.schema.clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let query = format!("SELECT {} FROM t ORDER BY k, s", names.join(", "));
    let batches = select(table, &settings(), &query).await.expect("reads");
    concat_batches(batches[0].schema_ref(), &batches).expect("one schema")
}

fn only_part(table: &MergeTree) -> Arc<PartEntry> {
    let state = table.core().manifest.current();
    assert_eq!(state.parts.len(), 1);
    state.parts.values().next().cloned().expect("a part")
}

/// What a merge makes is the same both ways: rows, and what the manifest tells of the part.
#[tokio::test(flavor = "multi_thread")]
async fn a_vertical_merge_makes_the_part_that_a_horizontal_one_makes() {
    let columns = wide_columns(12);
    let rule = TtlRule { expression: "t + INTERVAL '100 years'".to_string(), action: TtlAction::Delete { condition: None } };
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_setting("index_granularity", 100);
    let spec = spec.with_setting("max_rows_in_row_group", 500).with_ttl(rule);
    let spec = spec.with_skip_index("i", "(c3, s)", "set(0)", 2).with_skip_index("j", "c5", "minmax", 1);
    let mut made = Vec::new();
    for vertical in [true, false] {
        let spec = spec.clone().with_setting("vertical_merge_algorithm_min_rows_to_activate", 1000);
        let spec = spec.with_setting("vertical_merge_algorithm_min_columns_to_activate", if vertical { 10 } else { 12 });
        let table = spec.open(MemoryStore::new()).await.expect("opens");
        for part in 0..3 {
            insert(&table, &settings(), vec![wide(&columns, (0..700).map(|row| row * 3 + part))]).await.expect("inserts");
        }
        table.optimize(&settings(), FINAL).await.expect("merges");
        let (part, merge) = (only_part(&table), last_merge());
        assert_eq!(merge.merge_algorithm, if vertical { "Vertical" } else { "Horizontal" });
        // k, t, c3, c5 and s come first.
        assert_eq!(count(&merge, Event::GatheredColumns), if vertical { 10 } else { 0 });
        assert_eq!((merge.read_rows, merge.rows, merge.merged_from.len()), (2100, 2100, 3));
        assert_eq!(merge.read_bytes, merge.bytes_uncompressed);
        made.push((
            (part.rows, part.granules, part.uncompressed_bytes),
            (part.ttl.clone(), part.statistics.clone(), part.skip_indexes.clone()),
            rows(&table).await,
        ));
    }
    let horizontal = made.pop().expect("two");
    assert_eq!((&made[0].0, &made[0].1), (&horizontal.0, &horizontal.1));
    assert!(made[0].2 == horizontal.2, "the rows are others");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vertical_merge_writes_what_alter_made_of_the_columns() {
    let old = wide_columns(3);
    let default = Some((DefaultKind::Default, "c0 + c1".to_string()));
    let sum = Column { default, ..Column::new("sum", SqlType::Int64) };
    let new = Columns::new(old.iter().cloned().chain([sum]).collect());
    let spec = TableSpec::new(old.clone(), &["k"], &[]).expect("spec").with_setting("index_granularity", 10);
    let spec =
        spec.with_setting("max_rows_in_row_group", 30).with_setting("vertical_merge_algorithm_min_rows_to_activate", 1);
    let spec = spec.with_setting("vertical_merge_algorithm_min_columns_to_activate", 1);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![wide(&old, (0..100).map(|row| row * 2))]).await.expect("inserts");
    let table = spec.with_columns(new).expect("spec").alter(&table).expect("alters");
    insert(&table, &settings(), vec![with_sum(&table, &old)]).await.expect("inserts");
    let before = rows(&table).await;
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(last_merge().merge_algorithm, "Vertical");
    assert!(rows(&table).await == before, "the rows are others");
}

fn with_sum(table: &MergeTree, old: &Columns) -> RecordBatch {
    let batch = wide(old, (0..100).map(|row| row * 2 + 1));
    let mut arrays = batch.columns().to_vec();
    arrays.push(Arc::new(Int64Array::from_iter_values(0..100)));
    RecordBatch::try_new(table.core().layout.schema.clone(), arrays).expect("fits")
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_parts_that_are_apart_are_not_compared() {
    let columns = wide_columns(1);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_setting("index_granularity", 100);
    let apart = spec.open(MemoryStore::new()).await.expect("opens");
    // The later ones come first in the order of the key.
    for part in [3, 1, 4, 0, 2] {
        let keys = part * 1000..part * 1000 + 1000;
        insert(&apart, &settings(), vec![wide(&columns, keys)]).await.expect("inserts");
    }
    apart.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(count(&last_merge(), Event::MergeRowsNotCompared), 5000);
    let found = rows(&apart).await;
    assert_eq!(found.num_rows(), 5000);
    let mixed = spec.open(MemoryStore::new()).await.expect("opens");
    for part in 0..5 {
        insert(&mixed, &settings(), vec![wide(&columns, (0..1000).map(|row| row * 5 + part))]).await.expect("inserts");
    }
    mixed.optimize(&settings(), FINAL).await.expect("merges");
    assert!(count(&last_merge(), Event::MergeRowsNotCompared) < 1000);
    assert!(rows(&mixed).await == found, "the rows are others");
}

/// A granule of all columns of every part is 64 MB here, which a horizontal merge would hold.
#[tokio::test(flavor = "multi_thread")]
async fn a_merge_of_a_thousand_columns_stays_in_its_memory() {
    const BOUND: u64 = 40 << 20;
    let columns = wide_columns(1000);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let spec = spec.with_setting("vertical_merge_algorithm_min_rows_to_activate", 1);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for part in 0..8 {
        insert(&table, &settings(), vec![wide(&columns, (0..1000).map(|row| row * 8 + part))]).await.expect("inserts");
    }
    let merging = settings();
    table.optimize(&merging, FINAL).await.expect("merges");
    let (merge, peak) = (last_merge(), merging.memory.peak_bytes());
    assert_eq!((merge.merge_algorithm, merge.rows), ("Vertical", 8000));
    assert!(merge.bytes_uncompressed > 64_000_000, "{}", merge.bytes_uncompressed);
    assert!(peak > 0 && peak < BOUND, "{peak} bytes");
    assert_eq!(merging.memory.used_bytes(), 0);
}

/// The same parts, of which a horizontal merge holds some rows at a time.
#[tokio::test(flavor = "multi_thread")]
async fn a_horizontal_merge_of_wide_rows_decodes_few_at_a_time() {
    const BOUND: u64 = 64 << 20;
    let columns = wide_columns(1000);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let spec = spec.with_setting("vertical_merge_algorithm_min_rows_to_activate", 1_000_000);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for part in 0..8 {
        insert(&table, &settings(), vec![wide(&columns, (0..1000).map(|row| row * 8 + part))]).await.expect("inserts");
    }
    let merging = settings();
    table.optimize(&merging, FINAL).await.expect("merges");
    let (merge, peak) = (last_merge(), merging.memory.peak_bytes());
    assert_eq!((merge.merge_algorithm, merge.rows), ("Horizontal", 8000));
    assert!(peak > 0 && peak < BOUND, "{peak} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_were_merged_are_opened_no_longer() {
    let columns = wide_columns(1);
    let environment = MergeTreeEnvironment::for_tests();
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let table = spec.open_in(MemoryStore::new(), environment.clone()).await.expect("opens");
    for part in 0..5 {
        insert(&table, &settings(), vec![wide(&columns, part..part + 10)]).await.expect("inserts");
    }
    let before = rows(&table).await;
    assert_eq!(environment.parts.report().entries, 5);
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert!(rows(&table).await == before, "the rows are others");
    assert_eq!(environment.parts.report().entries, 1, "only the part that was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_parts_is_logged() {
    let columns = wide_columns(1);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_setting("old_parts_lifetime", 0);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    for part in 0..2 {
        insert(&table, &settings(), vec![wide(&columns, part..part + 10)]).await.expect("inserts");
    }
    table.optimize(&settings(), FINAL).await.expect("merges");
    gc::sweep(table.core()).await.expect("sweeps");
    let logged: Vec<(PartEvent, String, u64)> =
        part_log().snapshot().iter().map(|entry| (entry.event, entry.part_name.clone(), entry.rows)).collect();
    let event = |event, name: &str, rows| (event, name.to_string(), rows);
    let expected = [
        event(PartEvent::NewPart, "all_1_1_0", 10),
        event(PartEvent::NewPart, "all_2_2_0", 10),
        event(PartEvent::MergePartsStart, "all_1_2_1", 0),
        event(PartEvent::MergeParts, "all_1_2_1", 20),
        event(PartEvent::RemovePart, "all_1_1_0", 10),
        event(PartEvent::RemovePart, "all_2_2_0", 10),
    ];
    assert_eq!(logged, expected);
    let merge = last_merge();
    assert_eq!((merge.merge_reason, merge.table.as_str(), merge.error_code), ("RegularMerge", "t", 0));
    assert_eq!(merge.merged_from, ["all_1_1_0", "all_2_2_0"]);
    assert_eq!(count(&merge, Event::MergedRows), 20);
    // A merge that is stopped is told of, too.
    let stopped = settings();
    insert(&table, &settings(), vec![wide(&columns, 0..10)]).await.expect("inserts");
    stopped.cancel.cancel();
    table.optimize(&stopped, FINAL).await.expect_err("it is cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn merges_under_way_are_listed() {
    let columns = wide_columns(20);
    let store = SlowStore::new(Duration::ZERO);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let table = spec.open(store.clone()).await.expect("opens");
    for part in 0..3 {
        insert(&table, &settings(), vec![wide(&columns, part..part + 100)]).await.expect("inserts");
    }
    store.close();
    let merging = {
        let table = table.clone();
        tokio::spawn(async move { table.optimize(&settings(), FINAL).await })
    };
    let list = &table.core().environment.merges;
    while list.snapshot().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let merge = list.snapshot().remove(0);
    assert_eq!((merge.database.as_str(), merge.table.as_str(), merge.reason), ("default", "t", Reason::Regular));
    assert_eq!((merge.parts.len(), merge.result.as_str()), (3, "all_1_3_1"));
    store.open();
    merging.await.expect("ends").expect("merges");
    assert!(list.snapshot().is_empty());
    assert_eq!((merge.progress(), merge.rows_read(), merge.rows_written()), (1.0, 300, 300));
    assert!(merge.result_path().ends_with(".parquet"), "{}", merge.result_path());
}

/// The answer to an insert comes late, and another process has merged its part away by then: the part was no duplicate that
/// was left out, and its object stays as long as that of any merged part.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_was_merged_before_its_insert_heard_of_it_is_not_thrown_away() {
    let columns = wide_columns(1);
    let store = SlowStore::new(Duration::ZERO);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let process = async || {
        let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
        let environment = MergeTreeEnvironment::new(options, system_env());
        spec.open_in(store.clone(), environment).await.expect("opens")
    };
    let (first, second) = (process().await, process().await);
    insert(&first, &settings(), vec![wide(&columns, 0..10)]).await.expect("inserts");
    let answer = store.hold_answer();
    let inserting = {
        let (first, rows) = (first.clone(), wide(&columns, 10..20));
        tokio::spawn(async move { insert(&first, &settings(), vec![rows]).await })
    };
    let rows = async |table: &MergeTree| -> usize {
        select(table, &settings(), "SELECT k FROM t").await.expect("reads").iter().map(RecordBatch::num_rows).sum()
    };
    while rows(&second).await < 20 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let objects = async || store.list(&settings(), "").await.expect("lists").into_iter().map(|object| object.key);
    let parts: Vec<String> = objects().await.filter(|key| key.ends_with(".parquet")).collect();
    assert_eq!(parts.len(), 2);
    second.optimize(&settings(), FINAL).await.expect("merges");
    // The first process learns of the merge before it learns of its own insert.
    assert_eq!(rows(&first).await, 20);
    drop(answer);
    inserting.await.expect("ends").expect("inserts");
    let there: Vec<String> = objects().await.collect();
    assert!(parts.iter().all(|part| there.contains(part)), "{parts:?} of {there:?}");
}

/// Inserts come from several clients without a pause, each write to the store takes its time, and a query runs all the
/// while, so that merges are to give way: parts grow into debt, and never so many that an insert is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_steady_load_is_never_refused() {
    let columns = wide_columns(1);
    let options = EnvironmentOptions { background_pool_size: 2, ..EnvironmentOptions::default() };
    let environment = MergeTreeEnvironment::new(options, system_env());
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let spec = spec.with_setting("parts_to_delay_insert", 60).with_setting("parts_to_throw_insert", 120);
    let store = SlowStore::new(Duration::from_millis(2));
    let table = spec.open_in(store, environment).await.expect("opens");
    let query = settings();
    let _running = processes::start(&query, "Select").expect("runs");
    let clients: Vec<_> = (0..4i64)
        .map(|client| {
            let (table, columns) = (table.clone(), columns.clone());
            tokio::spawn(async move {
                let mut most = 0;
                for at in 0..100 {
                    let from = (at * 4 + client) * 10;
                    match insert(&table, &settings(), vec![wide(&columns, from..from + 10)]).await {
                        Err(error) if error.code() == ErrorCode::TOO_MANY_PARTS => panic!("{error}"),
                        done => done.expect("inserts"),
                    }
                    most = most.max(table.core().manifest.current().parts.len());
                }
                most
            })
        })
        .collect();
    let mut most = 0;
    for client in clients {
        most = most.max(client.await.expect("ends"));
    }
    assert!(most < 120, "{most} parts");
    assert_eq!(table.total_rows(), Some(4000));
    table.shutdown().await;
}
