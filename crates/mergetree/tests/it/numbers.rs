//! Columns of numbers whose pages have every form that the format knows: packed, compressed, plain.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampSecondArray, UInt32Array, UInt64Array};
use arrow::compute::concat_batches;
use gristmill_catalog::{OptimizeRequest, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::MemoryStore;
use gristmill_mergetree::testing::{TableSpec, context, golden, insert, objects, select, store_of, write_golden};
use gristmill_types::{Columns, SqlType};

const ROWS: u64 = 600;

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

fn spec() -> TableSpec {
    let columns = Columns::of([
        ("k", SqlType::UInt64),
        ("time", SqlType::DateTime(None)),
        ("random", SqlType::Int64),
        ("runs", SqlType::Int64),
        ("ends", SqlType::UInt32),
    ]);
    TableSpec::new(columns, &["k"], &[]).expect("spec").with_setting("index_granularity", 200)
}

/// Scatters a number over all bits.
pub fn scattered(row: u64) -> u64 {
    let once = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (once ^ (once >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn rows(from: u64, to: u64) -> RecordBatch {
    let signed = |value: &dyn Fn(u64) -> u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((from..to).map(|row| value(row) as i64)))
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(from..to)),
        Arc::new(TimestampSecondArray::from_iter_values((from..to).map(|row| 1_700_000_000 + (row * 37 % 1009) as i64))),
        signed(&scattered),
        signed(&|row| scattered(row / 4)),
        Arc::new(UInt32Array::from_iter_values((from..to).map(|row| [0, u32::MAX, 1 << 31][row as usize % 3]))),
    ];
    RecordBatch::try_new(spec().columns.arrow(), columns).expect("fits")
}

/// One part of an INSERT, with LZ4, and one of a merge, with ZSTD.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_every_form_are_read_as_ever() {
    let store = store_of(&settings(), golden("v2-numbers").expect("golden files")).await.expect("puts");
    let table = spec().open(store).await.expect("opens");
    let query = "SELECT k, time, random, runs, ends FROM t ORDER BY k";
    let found = select(&table, &settings(), query).await.expect("reads");
    let expected = rows(0, ROWS);
    assert_eq!(concat_batches(&expected.schema(), &found).expect("one schema"), expected);
    assert_eq!(table.parts().into_iter().filter(|part| part.active).count(), 2);
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_files() {
    let store = MemoryStore::new();
    let table = spec().open(store.clone()).await.expect("opens");
    for (from, to) in [(0, 200), (200, 400)] {
        insert(&table, &settings(), vec![rows(from, to)]).await.expect("inserts");
    }
    table.optimize(&settings(), OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() }).await.expect("merges");
    insert(&table, &settings(), vec![rows(400, ROWS)]).await.expect("inserts");
    write_golden("v2-numbers", objects(&settings(), &store).await.expect("reads")).expect("writes");
}
