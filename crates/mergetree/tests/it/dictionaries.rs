//! Columns whose pages are places in a dictionary of the part, columns of few long runs, and columns whose dictionary grew too
//! large on the way.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch, UInt32Array, UInt64Array};
use arrow::compute::concat_batches;
use gristmill_catalog::{OptimizeRequest, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::MemoryStore;
use gristmill_mergetree::testing::{TableSpec, context, golden, insert, objects, select, store_of, write_golden};
use gristmill_types::{Columns, SqlType};

use crate::numbers::scattered;

const ROWS: u64 = 900;

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

fn spec() -> TableSpec {
    let columns = Columns::of([
        ("k", SqlType::UInt64),
        ("few", SqlType::String),
        ("low", SqlType::LowCardinality(Box::new(SqlType::String))),
        ("sparse", SqlType::String.nullable()),
        ("numbers", SqlType::Int64),
        ("runs", SqlType::UInt32),
        ("many", SqlType::String),
    ]);
    TableSpec::new(columns, &["k"], &[]).expect("spec").with_setting("index_granularity", 300)
}

fn rows(from: u64, to: u64) -> RecordBatch {
    let texts =
        |value: &dyn Fn(u64) -> String| -> ArrayRef { Arc::new(BinaryViewArray::from_iter_values((from..to).map(value))) };
    let sparse = (from..to).map(|row| row.is_multiple_of(50).then(|| format!("now and then {}", row % 3)));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(from..to)),
        // Short and long ones, which lie elsewhere in memory.
        texts(&|row| ["a", "", "of thirteen bytes", "\u{1F980}"][scattered(row) as usize % 4].to_string()),
        texts(&|row| format!("value {}", scattered(row) % 20)),
        Arc::new(BinaryViewArray::from_iter(sparse)),
        Arc::new(Int64Array::from_iter_values(
            (from..to).map(|row| [i64::MIN, -7, 1 << 40, i64::MAX][scattered(row) as usize % 4]),
        )),
        Arc::new(UInt32Array::from_iter_values((from..to).map(|row| (row / 200) as u32 * 1_000_000_007 % 1_000_003))),
        texts(&|row| format!("{:016x}", scattered(row))),
    ];
    RecordBatch::try_new(spec().columns.arrow(), columns).expect("fits")
}

/// One part of an INSERT, and one of a merge.
#[tokio::test(flavor = "multi_thread")]
async fn places_in_dictionaries_are_read_as_ever() {
    let store = store_of(&settings(), golden("v2-dictionaries").expect("golden files")).await.expect("puts");
    let table = spec().open(store).await.expect("opens");
    let query = "SELECT k, few, low, sparse, numbers, runs, many FROM t ORDER BY k";
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
    for (from, to) in [(0, 300), (300, 600)] {
        insert(&table, &settings(), vec![rows(from, to)]).await.expect("inserts");
    }
    table.optimize(&settings(), OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() }).await.expect("merges");
    insert(&table, &settings(), vec![rows(600, ROWS)]).await.expect("inserts");
    write_golden("v2-dictionaries", objects(&settings(), &store).await.expect("reads")).expect("writes");
}
