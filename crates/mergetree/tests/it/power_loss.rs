//! I-1: what was acknowledged is there after a loss of power, which takes every object that was not synced.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use gristmill_catalog::{OptimizeRequest, PartitionChoice, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_mergetree::{MemoryStore, MergeTree, PartStore};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

fn columns() -> Columns {
    Columns::of([("k", SqlType::Int64)])
}

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1"), ("insert_deduplicate", "0")]).expect("settings")
}

fn batch(keys: &[i64]) -> RecordBatch {
    let keys: ArrayRef = Arc::new(Int64Array::from(keys.to_vec()));
    RecordBatch::try_new(columns().arrow(), vec![keys]).expect("fits")
}

async fn all(table: &MergeTree) -> Vec<i64> {
    let batches = select(table, &settings(), "SELECT k FROM t ORDER BY k").await.expect("reads");
    let keys = |batch: &RecordBatch| batch.column(0).as_any().downcast_ref::<Int64Array>().expect("keys").values().to_vec();
    batches.iter().flat_map(keys).collect()
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<i64>),
    Merge,
    LosePower,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => prop::collection::vec(-5..5i64, 1..6).prop_map(Step::Insert),
        1 => Just(Step::Merge),
        1 => Just(Step::LosePower),
    ];
    prop::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_acknowledged_row_is_there_after_a_loss_of_power(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let spec = TableSpec::new(columns(), &["k"], &["k"]).expect("spec");
            let mut store = MemoryStore::new();
            let mut table = spec.open(store.clone()).await.expect("opens");
            let mut expected = Vec::new();
            for step in steps.into_iter().chain([Step::LosePower]) {
                match step {
                    Step::Insert(keys) => {
                        insert(&table, &settings(), vec![batch(&keys)]).await.expect("inserts");
                        expected.extend(keys);
                        expected.sort_unstable();
                    }
                    Step::Merge => {
                        let request = OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() };
                        table.optimize(&settings(), request).await.expect("merges");
                    }
                    Step::LosePower => {
                        store = store.after_power_loss();
                        table = spec.open(store.clone()).await.expect("opens again");
                    }
                }
                assert_eq!(all(&table).await, expected);
            }
        });
    }
}

#[tokio::test]
async fn a_frozen_copy_is_whole_after_a_loss_of_power() {
    let store = MemoryStore::new();
    let table = TableSpec::new(columns(), &["k"], &["k"]).expect("spec").open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![batch(&[1, 2, 3])]).await.expect("inserts");
    table.freeze(&settings(), &PartitionChoice::All, Some("copy")).await.expect("freezes");
    let left = store.after_power_loss().list(&settings(), "shadow/copy/parts/").await.expect("lists");
    assert_eq!(left.len(), 3, "a part of each partition");
}

#[tokio::test]
async fn the_store_of_tests_loses_what_was_not_synced() {
    let store = MemoryStore::new();
    let context = settings();
    for key in ["parts/a", "parts/b"] {
        let mut upload = store.upload(&context, key).await.expect("begins");
        upload.write(bytes::Bytes::from_static(b"rows")).await.expect("writes");
        upload.finish().await.expect("ends");
    }
    store.sync(&context, &["parts/a".to_string()]).await.expect("synced");
    let left = store.after_power_loss();
    assert!(left.read_whole(&context, "parts/a").await.expect("reads").is_some());
    assert!(left.read_whole(&context, "parts/b").await.expect("reads").is_none());
}
