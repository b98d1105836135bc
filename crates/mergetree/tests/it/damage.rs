//! A flipped byte anywhere in a part is found and named, and the rest of the table can be read.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::{PartChoice, PartitionChoice, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::manifest::PartEntry;
use gristmill_mergetree::part::OpenPart;
use gristmill_mergetree::testing::{TableSpec, context, insert, objects, select, store_of};
use gristmill_mergetree::{MemoryStore, MergeTree};
use gristmill_types::{Column, Columns, SqlType};

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1"), ("use_query_condition_cache", "0")]).expect("settings")
}

/// `k` as it is, without compression: nothing else than a checksum could tell that a number is another. `s` has a
/// dictionary, `t` none.
fn spec() -> TableSpec {
    let mut k = Column::new("k", SqlType::Int64);
    k.codec = "NONE".to_string();
    let low_cardinality = SqlType::LowCardinality(Box::new(SqlType::String));
    let columns = vec![k, Column::new("s", low_cardinality), Column::new("t", SqlType::String)];
    TableSpec::new(Columns::new(columns), &["k"], &[]).expect("spec").with_setting("index_granularity", 20)
}

fn rows(table: &MergeTree, from: i64, count: i64) -> RecordBatch {
    let numbers = || from..from + count;
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(numbers())),
        Arc::new(BinaryViewArray::from_iter_values(numbers().map(|k| format!("one of three: {}", k % 3)))),
        Arc::new(BinaryViewArray::from_iter_values(numbers().map(|k| format!("text {k}")))),
    ];
    RecordBatch::try_new(table.core().layout.schema.clone(), arrays).expect("fits")
}

/// The objects of a table of two parts, of so many rows from 0 on and a hundred from 5000 on, and the first part.
async fn two_parts(rows_of_first: i64) -> (BTreeMap<String, Vec<u8>>, Arc<PartEntry>, Arc<OpenPart>) {
    let store = MemoryStore::new();
    let table = spec().open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![rows(&table, 0, rows_of_first)]).await.expect("inserts");
    insert(&table, &settings(), vec![rows(&table, 5000, 100)]).await.expect("inserts");
    let part = table.core().manifest.current().parts.values().next().expect("a part").clone();
    let open = table.core().open_part(&settings(), &part).await.expect("opens");
    (objects(&settings(), &store).await.expect("reads"), part, open)
}

async fn opened(objects: BTreeMap<String, Vec<u8>>) -> Arc<MergeTree> {
    spec().open(store_of(&settings(), objects).await.expect("puts")).await.expect("opens")
}

async fn sum(table: &MergeTree, query: &str) -> Result<i64> {
    let batches = select(table, &settings(), query).await?;
    Ok(batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().iter().flatten()).sum())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_byte_anywhere_in_a_part_is_found_and_named() {
    let (whole, part, _) = two_parts(100).await;
    let everything = "SELECT sum(k) + sum(length(s)) + sum(length(t)) FROM t";
    let expected = sum(opened(whole.clone()).await.as_ref(), everything).await.expect("reads");
    let mut found = 0;
    // Every byte but the magic word that nobody looks at: its place says what is read.
    for at in (4..part.bytes as usize).step_by(3) {
        let mut damaged = whole.clone();
        damaged.get_mut(&part.key).expect("the part")[at] ^= 0x10;
        let table = opened(damaged).await;
        match sum(&table, everything).await {
            Err(error) => {
                assert!(error.to_string().contains(&part.key), "byte {at}: {error}");
                found += 1;
            }
            Ok(sum) => assert_eq!(sum, expected, "byte {at} changed the answer"),
        }
    }
    // What is not read (headers of what is passed over) may be whatever it is.
    assert!(found > part.bytes / 3 * 9 / 10, "{found} of {}", part.bytes / 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_damaged_can_be_read() {
    let (mut damaged, part, open) = two_parts(2000).await;
    let page = open.metadata.metadata().offset_index().expect("an index")[0][0].page_locations()[80].clone();
    damaged.get_mut(&part.key).expect("the part")[page.offset as usize + page.compressed_page_size as usize - 9] ^= 1;
    let table = opened(damaged).await;
    let error = sum(&table, "SELECT sum(k) FROM t").await.expect_err("damage goes unnoticed");
    assert_eq!(error.code(), ErrorCode::CHECKSUM_DOESNT_MATCH, "{error}");
    assert!(error.to_string().contains("column k, row group 0"), "{error}");
    assert_eq!(sum(&table, "SELECT count(t) FROM t WHERE length(t) > 0").await.expect("another column"), 2100);
    assert_eq!(sum(&table, "SELECT min(k) FROM t WHERE k >= 5000").await.expect("another part"), 5000);
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_of_the_manifest_hides_no_row() {
    let (whole, ..) = two_parts(100).await;
    let versions: Vec<&String> = whole.keys().filter(|key| key.starts_with("manifest/")).collect();
    assert_eq!(versions.len(), 2, "{versions:?}");
    for version in versions {
        for at in (0..whole[version].len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged.get_mut(version).expect("the version")[at] ^= 0x10;
            let table = opened(damaged).await;
            assert_eq!(sum(&table, "SELECT count(k) FROM t").await.expect("reads"), 200, "{version}, byte {at}");
            insert(&table, &settings(), vec![rows(&table, 9000, 10)]).await.expect("inserts");
            assert_eq!(sum(&table, "SELECT count(k) FROM t").await.expect("reads"), 210, "{version}, byte {at}");
        }
    }
}

/// What CHECK TABLE says of each part.
async fn checked(objects: BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let table = opened(objects).await;
    let everything = PartChoice::Partition(PartitionChoice::All);
    let parts = table.check(&settings(), &everything).await.expect("looks at all parts");
    parts.into_iter().map(|part| part.damage.map_or(String::new(), |error| format!("{}: {error}", part.name))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn check_table_names_the_part_with_a_flipped_byte() {
    let (whole, part, open) = two_parts(100).await;
    assert_eq!(checked(whole.clone()).await, ["", ""]);
    // Every byte counts: of the magic word, of the pages and of the tail.
    let first = open.metadata.metadata().row_group(0).column(0).byte_range().0;
    for at in (0..4).chain((first as usize..part.bytes as usize).step_by(11)) {
        let mut damaged = whole.clone();
        damaged.get_mut(&part.key).expect("the part")[at] ^= 0x10;
        let found = checked(damaged).await;
        assert!(found[0].contains(&part.name) && found[0].contains(&part.key), "byte {at}: {found:?}");
        assert_eq!(found[1], "");
    }
    // A part that is gone, or cut off.
    let mut gone = whole.clone();
    gone.remove(&part.key);
    assert!(checked(gone).await[0].contains(&part.key));
    let mut short = whole;
    short.get_mut(&part.key).expect("the part").truncate(1000);
    assert!(checked(short).await[0].contains(&part.key));
}

#[tokio::test(flavor = "multi_thread")]
async fn check_table_names_the_version_of_the_manifest_of_which_a_copy_is_damaged() {
    let (whole, ..) = two_parts(100).await;
    for version in whole.keys().filter(|key| key.starts_with("manifest/")) {
        for at in (0..whole[version].len()).step_by(13) {
            let mut damaged = whole.clone();
            damaged.get_mut(version).expect("the version")[at] ^= 0x10;
            let found = checked(damaged).await;
            assert!(found.len() == 3 && found[2].contains(version), "{version}, byte {at}: {found:?}");
            assert_eq!(found[..2], ["", ""]);
        }
    }
}
