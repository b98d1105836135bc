//! Merges keep every row, in order, and what they replaced goes when nobody reads it.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, BinaryViewArray, Float64Array, Int64Array, RecordBatch};
use arrow::compute::concat_batches;
use gristmill_base::ErrorCode;
use gristmill_base::env::system_env;
use gristmill_catalog::{OptimizeRequest, PartitionChoice, Table};
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::merge::task::{Claim, MergeOptions, merge};
use gristmill_mergetree::testing::{TableSpec, context, insert, select, session};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment, ObjectFolder, PartStore, gc};
use gristmill_objstore::Store;
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

fn columns() -> Columns {
    Columns::of([("k", SqlType::Float64), ("s", SqlType::String), ("n", SqlType::Int64)])
}

fn batch(rows: &[(f64, &str, i64)]) -> RecordBatch {
    let k: ArrayRef = Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.0)));
    let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(rows.iter().map(|row| row.1.as_bytes())));
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.2)));
    RecordBatch::try_new(columns().arrow(), vec![k, s, n]).expect("fits")
}

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

const FINAL: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

/// All rows as text, in the order in which they are read.
async fn all(table: &MergeTree) -> Vec<String> {
    let batches = select(table, &settings(), "SELECT k, s, n FROM t").await.expect("reads");
    let rows = concat_batches(&columns().arrow(), &batches).expect("one schema");
    (0..rows.num_rows()).map(|row| format!("{:?}", rows.slice(row, 1).columns())).collect()
}

fn active(table: &MergeTree) -> Vec<String> {
    table.parts().into_iter().filter(|part| part.active).map(|part| part.name).collect()
}

async fn objects(store: &Arc<MemoryStore>, prefix: &str) -> usize {
    store.list(&settings(), prefix).await.expect("lists").len()
}

/// The spec of a table that is merged vertically, however few its rows and columns are, in small row groups.
fn vertically(spec: TableSpec) -> TableSpec {
    spec.with_setting("vertical_merge_algorithm_min_rows_to_activate", 0)
        .with_setting("vertical_merge_algorithm_min_columns_to_activate", 1)
        .with_setting("max_rows_in_row_group", 21)
}

/// Merges some neighbours, where there are two.
async fn merge_some(table: &MergeTree, from: usize, count: usize) {
    let state = table.core().manifest.current();
    let parts: Vec<_> = state.parts.values().skip(from).take(count).cloned().collect();
    if parts.len() > 1 {
        let claim = Claim::take(table.core(), parts).expect("nobody else merges");
        let options = MergeOptions { deduplicate: None, cleanup: false, lanes: 2, yields: true };
        assert!(merge(&claim, &settings(), &options).await.expect("merges"));
    }
}

fn any_rows() -> impl Strategy<Value = Vec<(f64, String, i64)>> {
    let key = prop_oneof![Just(f64::NAN), Just(-0.0), Just(0.0), Just(1.0), -2.0..2.0f64];
    proptest::collection::vec((key, "[a-b]{0,2}", 0i64..1000), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_merge_is_a_stable_sort_of_all_rows(
        inserts in proptest::collection::vec(any_rows(), 1..8),
        key in 0..4usize,
        at_once in 2..5usize,
        vertical in any::<bool>(),
        merges in proptest::collection::vec((0..6usize, 2..4usize), 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let keys: [&[&str]; 4] = [&["k", "s"], &["s"], &["n"], &[]];
            let spec = TableSpec::new(columns(), keys[key], &[]).expect("spec").with_setting("index_granularity", 7);
            let merged = spec.clone().with_setting("max_parts_to_merge_at_once", at_once);
            let merged = if vertical { vertically(merged) } else { merged };
            let table = merged.open(MemoryStore::new()).await.expect("opens");
            let sorted = spec.open(MemoryStore::new()).await.expect("opens");
            let batches: Vec<RecordBatch> = inserts
                .iter()
                .map(|rows| batch(&rows.iter().map(|(k, s, n)| (*k, s.as_str(), *n)).collect::<Vec<_>>()))
                .collect();
            for batch in &batches {
                insert(&table, &settings(), vec![batch.clone()]).await.expect("inserts");
            }
            // One INSERT of everything is sorted stably as one block.
            insert(&sorted, &settings(), batches).await.expect("inserts");
            for (from, count) in merges {
                merge_some(&table, from, count).await;
            }
            table.optimize(&settings(), FINAL).await.expect("merges");
            assert_eq!(active(&table).len(), 1);
            assert_eq!(all(&table).await, all(&sorted).await);
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn optimize_names_the_part_by_its_blocks_and_spares_other_partitions() {
    let spec = TableSpec::new(columns(), &["k"], &["n"]).expect("spec");
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    for _ in 0..3 {
        insert(&table, &settings(), vec![batch(&[(1.0, "a", 7), (2.0, "b", 8)])]).await.expect("inserts");
    }
    let one = OptimizeRequest { partition: Some(PartitionChoice::Id("7".to_string())), ..OptimizeRequest::default() };
    table.optimize(&settings(), one).await.expect("merges");
    assert_eq!(active(&table), ["7_1_5_1", "8_2_2_0", "8_4_4_0", "8_6_6_0"]);
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(active(&table), ["7_1_5_2", "8_2_6_1"], "one part is written anew, too");
    let spares = context(&[("optimize_skip_merged_partitions", "1")]).expect("settings");
    table.optimize(&spares, FINAL).await.expect("merges");
    assert_eq!(active(&table), ["7_1_5_2", "8_2_6_1"]);
    // What was merged stays so when the table is opened again, and other inserts come after it.
    let reopened = spec.open(store).await.expect("opens again");
    insert(&reopened, &settings(), vec![batch(&[(1.0, "a", 7)])]).await.expect("inserts");
    assert_eq!(active(&reopened), ["7_1_5_2", "7_7_7_0", "8_2_6_1"]);
    assert_eq!(reopened.total_rows(), Some(7));
    reopened.drop_partitions(&settings(), &[PartitionChoice::Id("7".to_string())]).await.expect("drops");
    assert_eq!(active(&reopened), ["8_2_6_1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deduplicate_leaves_one_of_equal_rows() {
    let table = TableSpec::new(columns(), &["k"], &[]).expect("spec").open(MemoryStore::new()).await.expect("opens");
    for _ in 0..2 {
        insert(&table, &settings(), vec![batch(&[(1.0, "a", 7), (1.0, "b", 7), (1.0, "a", 7)])]).await.expect("inserts");
    }
    table.optimize(&settings(), OptimizeRequest { deduplicate: true, ..FINAL }).await.expect("merges");
    assert_eq!(table.total_rows(), Some(2));
    assert_eq!(all(&table).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_part_stays_while_it_is_read_and_goes_then() {
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec").with_setting("old_parts_lifetime", 0);
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    for n in 0..3 {
        insert(&table, &settings(), vec![batch(&[(1.0, "a", n)])]).await.expect("inserts");
    }
    let reader = table.read(&settings()).await.expect("pins");
    table.optimize(&settings(), FINAL).await.expect("merges");
    gc::sweep(table.core()).await.expect("sweeps");
    assert_eq!(objects(&store, "parts/").await, 4, "the reader's version is kept");
    drop(reader);
    gc::sweep(table.core()).await.expect("sweeps");
    assert_eq!(objects(&store, "parts/").await, 1);
    assert_eq!(all(&table).await.len(), 3);
    table.drop_data().await.expect("drops");
    assert_eq!(objects(&store, "").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_whose_version_another_process_swept_takes_the_newest() {
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec").with_setting("old_parts_lifetime", 0);
    let store = MemoryStore::new();
    let process = || {
        let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
        spec.open_in(store.clone(), MergeTreeEnvironment::new(options, system_env()))
    };
    let (here, there) = (process().await.expect("opens"), process().await.expect("opens"));
    for n in 0..3 {
        insert(&there, &settings(), vec![batch(&[(1.0, "a", n)])]).await.expect("inserts");
    }
    let settings = settings();
    let session = session(&settings);
    session.register_table("t", here.read(&settings).await.expect("pins")).expect("registers");
    there.optimize(&settings, FINAL).await.expect("merges");
    gc::sweep(there.core()).await.expect("sweeps");
    assert_eq!(objects(&store, "parts/").await, 1);
    for (query, rows) in [("SELECT n FROM t", 3), ("SELECT n FROM t WHERE n > 0", 2)] {
        let batches = session.sql(query).await.expect("plans").collect().await.expect("reads");
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), rows, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_no_version_names_goes_after_its_grace() {
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec");
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&[(1.0, "a", 1)])]).await.expect("inserts");
    store.put_if_absent(&settings(), "parts/all_0_left.parquet", "left by a kill".into()).await.expect("puts");
    gc::list(table.core(), &settings()).await.expect("sweeps");
    assert_eq!(objects(&store, "parts/").await, 2, "an insert may still be about to name it");
    let impatient = spec.with_setting("orphan_grace_seconds", 0).open(store.clone()).await.expect("opens");
    tokio::time::sleep(Duration::from_millis(5)).await;
    gc::list(impatient.core(), &settings()).await.expect("sweeps");
    assert_eq!(objects(&store, "parts/").await, 1);
    assert_eq!(all(&table).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_table_leaves_no_folder_on_the_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("store/table");
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec");
    let table = spec.open(ObjectFolder::new(Store::local(&root), "")).await.expect("opens");
    insert(&table, &settings(), vec![batch(&[(1.0, "a", 1)])]).await.expect("inserts");
    assert!(root.join("parts").exists());
    assert_eq!(all(&table).await.len(), 1);
    table.drop_data().await.expect("drops");
    assert!(!root.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn merges_run_by_themselves_and_stop_when_told() {
    let environment = MergeTreeEnvironment::new(EnvironmentOptions::default(), system_env());
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec");
    let table = spec.open_in(MemoryStore::new(), environment).await.expect("opens");
    for n in 0..40 {
        insert(&table, &settings(), vec![batch(&[(n as f64, "a", n)])]).await.expect("inserts");
    }
    let mut tries = 0;
    while active(&table).len() > 10 {
        tries += 1;
        assert!(tries < 1000, "parts are not merged: {:?}", active(&table));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    table.shutdown().await;
    let stopped = active(&table);
    for n in 0..20 {
        insert(&table, &settings(), vec![batch(&[(n as f64, "a", n)])]).await.expect("inserts");
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(active(&table).len(), stopped.len() + 20);
    assert_eq!(all(&table).await.len(), 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn inserts_are_slowed_down_and_then_refused_when_merges_fall_behind() {
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec");
    let spec = spec.with_setting("parts_to_delay_insert", 3).with_setting("parts_to_throw_insert", 5);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    let context = settings();
    for n in 0..5 {
        insert(&table, &context, vec![batch(&[(1.0, "a", n)])]).await.expect("inserts");
    }
    assert!(context.counters.get(Event::DelayedInserts) > 0);
    let refused = insert(&table, &context, vec![batch(&[(1.0, "a", 9)])]).await.expect_err("too many");
    assert_eq!(refused.code(), ErrorCode::TOO_MANY_PARTS);
    // An insert may say otherwise for itself.
    let patient = gristmill_mergetree::testing::context(&[("parts_to_throw_insert", "6")]).expect("context");
    insert(&table, &patient, vec![batch(&[(1.0, "a", 9)])]).await.expect("inserts");
    let strict = gristmill_mergetree::testing::context(&[("parts_to_throw_insert", "1")]).expect("context");
    let refused = insert(&table, &strict, vec![batch(&[(1.0, "a", 9)])]).await.expect_err("too many");
    assert_eq!(refused.code(), ErrorCode::TOO_MANY_PARTS);
    table.optimize(&context, FINAL).await.expect("merges");
    insert(&table, &context, vec![batch(&[(1.0, "a", 9)])]).await.expect("inserts again");
}
