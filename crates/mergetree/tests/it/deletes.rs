//! DELETE FROM writes down which rows are deleted and leaves the part's object alone; who reads the part leaves them out.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::ErrorCode;
use gristmill_catalog::{
    MutationRequest, OptimizeRequest, PartChoice, PartitionChoice, RowChange, Table, TtlAction, TtlRule,
};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, golden, insert, objects, select, store_of, write_golden};
use gristmill_mergetree::{MemoryStore, MergeTree};
use gristmill_types::{Column, Columns, SqlType};

/// Seconds since 1970 that no clock reaches soon.
const FAR: i64 = 4_000_000_000;

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

/// Granules of ten rows, codecs, and a TTL that nothing meets.
fn spec() -> TableSpec {
    let with_codec = |name: &str, codec: &str| Column { codec: codec.to_string(), ..Column::new(name, SqlType::Int64) };
    let columns = vec![
        with_codec("k", "Delta(8), LZ4"),
        with_codec("v", "ZSTD(3)"),
        Column::new("t", SqlType::Int64),
        Column::new("s", SqlType::String),
    ];
    let rule = TtlRule { expression: "t".to_string(), action: TtlAction::Delete { condition: None } };
    let spec = TableSpec::new(Columns::new(columns), &["k"], &[]).expect("spec").with_setting("index_granularity", 10);
    spec.with_ttl(rule)
}

fn rows(table: &MergeTree, from: i64, to: i64) -> RecordBatch {
    let number = |value: fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((from..to).map(value))) as ArrayRef;
    let texts = (from..to).map(|k| format!("text {}", k % 7));
    let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(texts));
    let arrays = vec![number(|k| k), number(|k| k % 10), number(|_| FAR), s];
    RecordBatch::try_new(table.core().layout.schema.clone(), arrays).expect("fits")
}

async fn filled(store: Arc<MemoryStore>, rows_in_part: i64) -> Arc<MergeTree> {
    let table = spec().open(store).await.expect("opens");
    insert(&table, &settings(), vec![rows(&table, 0, rows_in_part)]).await.expect("inserts");
    table
}

async fn delete(table: &MergeTree, condition: &str) {
    let changes = vec![RowChange::Delete { condition: condition.to_string() }];
    let commands = vec![format!("(DELETE WHERE {condition})")];
    table.mutate(&settings(), MutationRequest { changes, commands, partition: None, at_once: true }).await.expect("deletes");
}

async fn keys(table: &MergeTree, condition: &str) -> Vec<i64> {
    let query = format!("SELECT k FROM t WHERE {condition} ORDER BY k");
    let batches = select(table, &settings(), &query).await.expect("reads");
    batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
}

fn parts(table: &MergeTree) -> Vec<(String, u64, Option<u64>)> {
    let state = table.core().manifest.current();
    state.parts.values().map(|part| (part.key.clone(), part.rows, part.deleted.as_ref().map(|rows| rows.rows))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_part_stays_and_its_deleted_rows_are_left_out() {
    let table = filled(MemoryStore::new(), 100).await;
    let key = parts(&table)[0].0.clone();
    delete(&table, "v = 3").await;
    assert_eq!(parts(&table), [(key.clone(), 90, Some(10))]);
    delete(&table, "k < 12").await;
    assert_eq!(parts(&table), [(key.clone(), 79, Some(21))]);
    delete(&table, "k < 12").await;
    assert_eq!(parts(&table), [(key, 79, Some(21))], "nothing is left to delete");
    assert_eq!(keys(&table, "k < 26").await, [12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25]);
    assert_eq!(keys(&table, "v = 3").await, [0_i64; 0]);
    assert_eq!(keys(&table, "k >= 0").await.len(), 79);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_most_rows_go_the_part_is_written_anew_and_where_all_go_it_goes() {
    let table = filled(MemoryStore::new(), 100).await;
    let key = parts(&table)[0].0.clone();
    delete(&table, "k < 40").await;
    delete(&table, "k < 51").await;
    let after = parts(&table);
    assert!(after[0].0 != key && after[0].1 == 49 && after[0].2.is_none(), "{after:?}");
    delete(&table, "k >= 0").await;
    assert_eq!(parts(&table), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn merges_leave_deleted_rows_behind() {
    let table = filled(MemoryStore::new(), 100).await;
    insert(&table, &settings(), vec![rows(&table, 100, 150)]).await.expect("inserts");
    delete(&table, "v < 3").await;
    let request = OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() };
    table.optimize(&settings(), request).await.expect("merges");
    let after = parts(&table);
    assert!(after.len() == 1 && after[0].1 == 105 && after[0].2.is_none(), "{after:?}");
    assert_eq!(keys(&table, "k >= 0").await, (0..150).filter(|k| k % 10 >= 3).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_of_what_is_deleted_is_named_and_brings_no_row_back() {
    let store = MemoryStore::new();
    let table = filled(store.clone(), 100).await;
    delete(&table, "v = 3").await;
    let whole = objects(&settings(), &store).await.expect("reads");
    let key = whole.keys().find(|key| key.ends_with(".deleted")).expect("an object").clone();
    for at in 0..whole[&key].len() {
        let mut damaged = whole.clone();
        damaged.get_mut(&key).expect("the object")[at] ^= 0x10;
        let table = spec().open(store_of(&settings(), damaged).await.expect("puts")).await.expect("opens");
        let error = select(&table, &settings(), "SELECT sum(k) FROM t").await.expect_err("damage goes unnoticed");
        assert!(error.to_string().contains(&key), "byte {at}: {error}");
        let everything = PartChoice::Partition(PartitionChoice::All);
        let checked = table.check(&settings(), &everything).await.expect("looks at the part");
        assert!(checked[0].damage.is_some(), "byte {at}");
    }
    let mut gone = whole;
    gone.remove(&key);
    let table = spec().open(store_of(&settings(), gone).await.expect("puts")).await.expect("opens");
    let error = select(&table, &settings(), "SELECT sum(k) FROM t").await.expect_err("it is gone");
    assert_eq!(error.code(), ErrorCode::FILE_DOESNT_EXIST, "{error}");
}

/// A table of format 2 of the manifest: two parts with codecs and times of a TTL, of which rows were deleted twice.
#[tokio::test(flavor = "multi_thread")]
async fn deleted_rows_of_format_2_stay_deleted() {
    let objects = golden("v2-deletes").expect("golden files");
    let table = spec().open(store_of(&settings(), objects).await.expect("puts")).await.expect("opens");
    assert_eq!(keys(&table, "k >= 0").await, (12..60).filter(|k| k % 10 != 3).collect::<Vec<_>>());
    let ttl = table.parts().into_iter().filter(|part| part.active).map(|part| part.ttl.delete).collect::<Vec<_>>();
    assert_eq!(ttl, [(FAR as u64, FAR as u64); 2]);
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_files() {
    let store = MemoryStore::new();
    let table = filled(store.clone(), 40).await;
    insert(&table, &settings(), vec![rows(&table, 40, 60)]).await.expect("inserts");
    delete(&table, "v = 3").await;
    delete(&table, "k < 12").await;
    write_golden("v2-deletes", objects(&settings(), &store).await.expect("reads")).expect("writes");
}
