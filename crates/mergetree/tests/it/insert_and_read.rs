//! What goes in comes out, sorted within each part, whole or not at all.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch, UInt16Array};
use arrow::util::pretty::pretty_format_batches;
use gristmill_base::ErrorCode;
use gristmill_catalog::{OptimizeRequest, Table};
use gristmill_introspect::Event;
use gristmill_mergetree::MemoryStore;
use gristmill_mergetree::testing::{TableSpec, context, insert, select};
use gristmill_types::{Columns, SqlType};

fn columns() -> Columns {
    Columns::of([("p", SqlType::UInt16), ("s", SqlType::String), ("n", SqlType::Int64)])
}

fn rows(values: impl Iterator<Item = i64>, partitions: i64) -> RecordBatch {
    let values: Vec<i64> = values.collect();
    let p: ArrayRef = Arc::new(UInt16Array::from_iter_values(values.iter().map(|n| (n % partitions) as u16)));
    let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(values.iter().map(|n| format!("a string {n:08}"))));
    let n: ArrayRef = Arc::new(Int64Array::from(values));
    RecordBatch::try_new(columns().arrow(), vec![p, s, n]).expect("columns fit")
}

async fn show(table: &gristmill_mergetree::MergeTree, query: &str) -> String {
    let context = context(&[]).expect("settings");
    let batches = select(table, &context, query).await.expect("query runs");
    pretty_format_batches(&batches).expect("shown").to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_back_and_each_partition_is_a_sorted_part() {
    let spec = TableSpec::new(columns(), &["s"], &["p"]).expect("spec");
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    let context = context(&[]).expect("settings");
    insert(&table, &context, vec![rows((0..30_000).rev(), 3)]).await.expect("inserts");
    let parts = table.parts();
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["0_3_3_0", "1_2_2_0", "2_1_1_0"]);
    assert_eq!(parts[0].rows, 10_000);
    assert_eq!(parts[0].marks, 2);
    assert_eq!(table.total_rows(), Some(30_000));
    assert_eq!(context.counters.get(Event::MergeTreeDataWriterBlocks), 3);
    let found = show(&table, "SELECT count(*) AS c, sum(n) AS s, min(n) AS a, max(n) AS b FROM t WHERE n % 2 = 0").await;
    assert_eq!(
        found,
        "+-------+-----------+---+-------+\n| c     | s         | a | b     |\n+-------+-----------+---+-------+\n\
         | 15000 | 224985000 | 0 | 29998 |\n+-------+-----------+---+-------+"
    );
    let found = show(&table, "SELECT \"_part\", \"_part_offset\", n FROM t WHERE n = 4 OR n = 29998 ORDER BY n").await;
    assert_eq!(
        found,
        "+----------------+--------------+-------+\n| _part          | _part_offset | n     |\n\
         +----------------+--------------+-------+\n| 315f325f325f30 | 1            | 4     |\n\
         | 315f325f325f30 | 9999         | 29998 |\n+----------------+--------------+-------+"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_partitions_in_a_block_are_refused_as_clickhouse_words_it() {
    let spec = TableSpec::new(columns(), &["s"], &["p"]).expect("spec");
    let store = MemoryStore::new();
    let table = spec.open(store).await.expect("opens");
    let refused = insert(&table, &context(&[]).expect("settings"), vec![rows(0..1000, 101)]).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::TOO_MANY_PARTS);
    assert!(refused.message().starts_with("Too many partitions for single INSERT block (more than 100)."), "{refused}");
    assert_eq!(table.total_rows(), Some(0));
    let raised = context(&[("max_partitions_per_insert_block", "1000")]).expect("settings");
    insert(&table, &raised, vec![rows(0..1000, 101)]).await.expect("inserts");
    assert_eq!(table.parts().len(), 101);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_commits_once_and_a_truncated_table_is_empty() {
    let spec = TableSpec::new(columns(), &["s"], &[]).expect("spec");
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    let context = context(&[("insert_deduplication_token", "load 1")]).expect("settings");
    for _ in 0..2 {
        insert(&table, &context, vec![rows(0..10, 1)]).await.expect("inserts");
    }
    assert_eq!(table.total_rows(), Some(10));
    let reopened = spec.open(store).await.expect("opens again");
    insert(&reopened, &context, vec![rows(0..10, 1)]).await.expect("inserts");
    assert_eq!(reopened.total_rows(), Some(10));
    reopened.truncate(&context).await.expect("truncates");
    assert_eq!(show(&reopened, "SELECT n FROM t").await, "++\n++");
    reopened.optimize(&context, OptimizeRequest::default()).await.expect("nothing to merge");
}
