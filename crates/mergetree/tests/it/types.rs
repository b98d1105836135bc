//! Every type comes back out of a part as it went in; a folder written by an earlier program opens for ever.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, RecordBatch};
use arrow::compute::concat_batches;
use gristmill_catalog::{Groups, LoadRequest, LoadedGroups, OptimizeRequest, PartitionChoice, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, golden, insert, objects, select, store_of, write_golden};
use gristmill_mergetree::{MemoryStore, MergeTree, PartStore};
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::{Columns, SqlType};

/// Types, and values of them as text; the same number each.
const VALUES: &[(&str, [&str; 3])] = &[
    ("Bool", ["true", "false", "true"]),
    ("Int8", ["-128", "0", "127"]),
    ("Int16", ["-32768", "0", "32767"]),
    ("Int32", ["-2147483648", "0", "2147483647"]),
    ("Int64", ["-9223372036854775808", "0", "9223372036854775807"]),
    ("Int128", ["-170141183460469231731687303715884105728", "0", "1"]),
    ("Int256", ["-57896044618658097711785492504343953926634992332820282019728792003956564819968", "0", "7"]),
    ("UInt8", ["0", "1", "255"]),
    ("UInt16", ["0", "1", "65535"]),
    ("UInt32", ["0", "1", "4294967295"]),
    ("UInt64", ["0", "1", "18446744073709551615"]),
    ("UInt128", ["0", "1", "340282366920938463463374607431768211455"]),
    ("UInt256", ["0", "1", "115792089237316195423570985008687907853269984665640564039457584007913129639935"]),
    ("Float32", ["-0", "nan", "1.5"]),
    ("Float64", ["inf", "-nan", "1e300"]),
    ("Decimal(9, 2)", ["-9999999.99", "0", "1.25"]),
    ("Decimal(38, 10)", ["-1.0000000001", "0", "1"]),
    ("Decimal(76, 20)", ["-1.00000000000000000001", "0", "1"]),
    ("String", ["", "text", "\u{1F980}"]),
    ("FixedString(4)", ["ab", "", "abcd"]),
    (
        "UUID",
        [
            "61f0c404-5cb3-11e7-907b-a6006ad3dba0",
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
    ),
    ("IPv4", ["0.0.0.0", "127.0.0.1", "255.255.255.255"]),
    ("IPv6", ["::", "::1", "2001:db8::ff"]),
    ("Date", ["1970-01-01", "2024-02-29", "2149-06-06"]),
    ("Date32", ["1900-01-01", "2024-02-29", "2299-12-31"]),
    ("DateTime('UTC')", ["1970-01-01 00:00:00", "2024-02-29 12:00:01", "2106-02-07 06:28:15"]),
    ("DateTime64(3, 'UTC')", ["1900-01-01 00:00:00.001", "2024-02-29 12:00:01.999", "2299-12-31 23:59:59.000"]),
    ("DateTime64(6, 'UTC')", ["1900-01-01 00:00:00.000001", "2024-02-29 12:00:01", "2299-12-31 23:59:59"]),
    ("DateTime64(8, 'UTC')", ["1900-01-01 00:00:00.00000001", "2024-02-29 12:00:01", "2299-12-31 23:59:59"]),
    ("DateTime64(9, 'UTC')", ["1970-01-01 00:00:00.000000001", "2024-02-29 12:00:01", "2200-01-01 00:00:00"]),
    ("Enum8('a' = -1, 'b' = 2)", ["a", "b", "a"]),
    ("Enum16('x' = 1000, 'y' = -1000)", ["x", "y", "x"]),
    ("LowCardinality(String)", ["low", "low", "card"]),
    ("Array(Int32)", ["[]", "[1]", "[1,-2,3]"]),
    ("Array(Array(String))", ["[]", "[[],['a']]", "[['b','c']]"]),
    ("Array(Nullable(Int64))", ["[NULL]", "[1,NULL]", "[]"]),
    ("Tuple(Int8, String)", ["(1,'a')", "(-1,'')", "(0,'b')"]),
    ("Tuple(a UInt8, b Array(DateTime('UTC')))", ["(1,[])", "(2,['2024-01-01 00:00:00'])", "(3,[])"]),
    ("Map(String, UInt64)", ["{}", "{'a':1}", "{'b':2,'c':3}"]),
];

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(BinaryViewArray::from_iter_values(values.iter().map(|value| value.as_bytes())))
}

/// A column of each type, one Nullable of each that can be, and the row's number first.
fn everything() -> (Columns, RecordBatch) {
    let number: SqlType = "UInt32".parse().expect("a type");
    let options = CastOptions::default();
    let parse = |kind: &SqlType, values: &[&str]| {
        let parsed = cast(&texts(values), &SqlType::String, kind, &options);
        parsed.unwrap_or_else(|error| panic!("{kind}: {error}"))
    };
    let mut columns = vec![("number".to_string(), number.clone())];
    let mut arrays = vec![parse(&number, &["0", "1", "2"])];
    for (i, (name, values)) in VALUES.iter().enumerate() {
        let kind: SqlType = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let plain = parse(&kind, values);
        let nullable = kind.clone().nullable();
        if nullable != kind && !matches!(kind, SqlType::Tuple(_) | SqlType::LowCardinality(_)) {
            let mask = arrow::array::BooleanArray::from(vec![false, true, false]);
            let with_null = arrow::compute::nullif(&plain, &mask).expect("masks");
            columns.push((format!("n{i}"), nullable));
            arrays.push(with_null);
        }
        columns.push((format!("c{i}"), kind));
        arrays.push(plain);
    }
    let columns = Columns::of(columns.iter().map(|(name, kind)| (name.as_str(), kind.clone())));
    let batch = RecordBatch::try_new(columns.arrow(), arrays).expect("fits");
    (columns, batch)
}

async fn read(table: &MergeTree, columns: &Columns) -> RecordBatch {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let query = format!("SELECT {} FROM t ORDER BY number", names.join(", "));
    let batches = select(table, &settings(), &query).await.expect("reads");
    concat_batches(&columns.arrow(), &batches).expect("one schema")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_type_comes_back_from_a_part_and_from_a_merged_part() {
    let (columns, batch) = everything();
    let spec = TableSpec::new(columns.clone(), &["number"], &[]).expect("spec").with_setting("index_granularity", 2);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![batch.slice(0, 1), batch.slice(2, 1)]).await.expect("inserts");
    insert(&table, &settings(), vec![batch.slice(1, 1)]).await.expect("inserts");
    assert_eq!(read(&table, &columns).await, batch);
    table.optimize(&settings(), OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() }).await.expect("merges");
    assert_eq!(table.parts().iter().filter(|part| part.active).count(), 1);
    assert_eq!(read(&table, &columns).await, batch);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_type_that_has_an_order_can_be_the_sorting_key() {
    let (columns, batch) = everything();
    for column in columns.iter() {
        let Ok(spec) = TableSpec::new(columns.clone(), &[column.name.as_str()], &[]) else { continue };
        let Ok(table) = spec.with_setting("index_granularity", 1).open(MemoryStore::new()).await else {
            let unordered = column.kind.to_string();
            assert!(unordered.starts_with("Map"), "{unordered} has no order");
            continue;
        };
        insert(&table, &settings(), vec![batch.clone()]).await.unwrap_or_else(|error| panic!("{}: {error}", column.kind));
        assert_eq!(read(&table, &columns).await, batch, "sorted by {}", column.kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wide_rows_make_granules_of_fewer_rows() {
    let columns = Columns::of([("s", SqlType::String)]);
    let wide = "x".repeat(1 << 16);
    let s = texts(&[wide.as_str(); 64]);
    let spec = TableSpec::new(columns.clone(), &["s"], &[]).expect("spec").with_setting("index_granularity_bytes", 1 << 20);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![RecordBatch::try_new(columns.arrow(), vec![s]).expect("fits")]).await.expect("inserts");
    let marks = table.parts()[0].marks;
    assert!((4..=5).contains(&marks), "4 MiB of rows in granules of 1 MiB are {marks}");
}

fn golden_spec() -> (Columns, TableSpec) {
    let (columns, _) = everything();
    let c27 = columns.iter().find(|column| column.kind.to_string() == "Date").expect("a date").name.clone();
    let spec = TableSpec::new(columns.clone(), &["number"], &[c27.as_str()]).expect("spec");
    (columns, spec)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_version_1_opens() {
    let store = store_of(&settings(), golden("v1").expect("golden files")).await.expect("puts");
    let (columns, spec) = golden_spec();
    let table = spec.open(store).await.expect("opens");
    let names: Vec<String> = table.parts().into_iter().filter(|part| part.active).map(|part| part.name).collect();
    assert_eq!(names, ["19700101_1_1_0", "20240229_2_4_1", "21490606_3_3_0"]);
    let (_, batch) = everything();
    let expected =
        concat_batches(&batch.schema(), &[batch.slice(0, 1), batch.slice(1, 1), batch.slice(1, 1), batch.slice(2, 1)]);
    assert_eq!(read(&table, &columns).await, expected.expect("one schema"));
    assert!(table.core().manifest.current().has_insert("token"));
}

/// The manifest of a load that was interrupted, with a file that failed, and its ledger in a snapshot.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_version_1_with_a_ledger_opens() {
    let objects = golden("v1-ledger").expect("golden files");
    for versions in [3, 40] {
        let store = MemoryStore::new();
        for (key, data) in objects.iter().filter(|(key, _)| *key <= &format!("manifest/{versions:020}")) {
            store.put_if_absent(&settings(), key, data.clone().into()).await.expect("puts");
        }
        let columns = Columns::of([("n", SqlType::Int64)]);
        let table = TableSpec::new(columns, &["n"], &[]).expect("spec").open(store).await.expect("opens");
        let told: Vec<String> = table
            .load_ledger()
            .iter()
            .map(|row| {
                let (file, state) = (&row.progress, row.progress.state());
                format!(
                    "{} {} {} {state} {:?}/{} {}",
                    row.load_id,
                    row.path,
                    file.version,
                    file.done.ranges(),
                    file.groups_total,
                    file.rows
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "posts bucket/a.parquet 0a1b loaded [(0, 3)]/3 30",
                "posts bucket/b.parquet 2c3d partial [(0, 1), (2, 4)]/8 30",
                "posts bucket/c.csv 4e5f failed []/1 0",
            ]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_ledger() {
    let store = MemoryStore::new();
    let spec = TableSpec::new(Columns::of([("n", SqlType::Int64)]), &["n"], &[]).expect("spec");
    let table = spec.open(store.clone()).await.expect("opens");
    let request = LoadRequest { id: "posts".to_string(), query: "digest".to_string(), is_token: false };
    let run = table.begin_load(&settings(), &request).await.expect("begins");
    let file = |path: &str, version: &str, groups_total, groups: &[(u32, u32)], error: Option<&str>| LoadedGroups {
        path: format!("bucket/{path}"),
        version: version.to_string(),
        groups_total,
        groups: Groups::of_ranges(groups),
        rows: 10 * u64::from(Groups::of_ranges(groups).count()),
        error: error.map(str::to_string),
    };
    let first = vec![file("a.parquet", "0a1b", 3, &[(0, 2)], None), file("b.parquet", "2c3d", 8, &[(0, 1), (3, 4)], None)];
    let failed = Some("Cannot parse");
    let second = vec![file("a.parquet", "0a1b", 3, &[(2, 3)], None), file("c.csv", "4e5f", 1, &[], failed)];
    let third = vec![file("b.parquet", "2c3d", 8, &[(2, 3)], None)];
    for step in [first, second, third] {
        run.writer().await.expect("opens").commit_step(step, false).await.expect("commits");
    }
    // On to the next snapshot.
    for _ in 0..30 {
        run.writer().await.expect("opens").commit_step(Vec::new(), false).await.expect("commits");
    }
    // The first versions, of which one is a snapshot, and the second snapshot with one version after it.
    let kept = ["01", "02", "03", "32", "33"];
    let mut all = objects(&settings(), &store).await.expect("reads");
    all.retain(|key, _| key.starts_with("manifest/") && kept.iter().any(|end| key.ends_with(end)));
    write_golden("v1-ledger", all).expect("writes");
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_files() {
    let (_, spec) = golden_spec();
    let (_, batch) = everything();
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    let token = context(&[("max_threads", "1"), ("insert_deduplication_token", "token")]).expect("settings");
    insert(&table, &token, vec![batch.clone()]).await.expect("inserts");
    insert(&table, &settings(), vec![batch.slice(1, 1)]).await.expect("inserts");
    let partition = Some(PartitionChoice::Id("20240229".to_string()));
    table.optimize(&settings(), OptimizeRequest { partition, ..OptimizeRequest::default() }).await.expect("merges");
    write_golden("v1", objects(&settings(), &store).await.expect("reads")).expect("writes");
}
