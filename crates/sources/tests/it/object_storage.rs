//! Functions over an S3 server in this process: listing, virtual columns, hive folders, number of requests, errors.

use std::sync::Arc;

use crate::support::{query, write_parquet};
use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, col, lit};
use gristmill_base::ErrorCode;
use gristmill_introspect::Event;
use gristmill_objstore::testing::{TestServer, s3_server};
use tempfile::TempDir;

fn batch(rows: std::ops::Range<i64>) -> RecordBatch {
    RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from_iter_values(rows)) as ArrayRef)]).expect("a batch")
}

fn text(value: &str) -> Expr {
    Expr::Literal(ScalarValue::BinaryView(Some(value.as_bytes().to_vec())), None)
}

/// `bucket/year=…/month=…/data.parquet`, two years of three months, ten rows each.
async fn posts() -> (TempDir, TestServer) {
    let folder = tempfile::tempdir().expect("a folder");
    for year in [2023, 2024] {
        for month in 1..=3 {
            let under = folder.path().join(format!("bucket/year={year}/month={month:02}"));
            std::fs::create_dir_all(&under).expect("folders");
            let start = i64::from(year * 100 + month) * 10;
            write_parquet(&under.join("data.parquet"), &batch(start..start + 10), 5, 5);
        }
    }
    let server = s3_server(folder.path()).await.expect("a server");
    (folder, server)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_listing_and_one_request_a_small_file_answer_a_query() {
    let (_folder, server) = posts().await;
    let url = format!("{}/bucket/*/*/*.parquet", server.url);
    let q = query(&[]);
    let frame = q.frame("s3", &[&url, &server.access_key, &server.secret_key]).await.expect("opened");
    let rows = q.rows(frame.select_columns(&["id"]).expect("columns")).await.expect("rows");
    assert_eq!(rows.num_rows(), 60);
    assert_eq!(q.count(Event::S3GetObject), 6);
    assert_eq!(q.count(Event::S3HeadObject), 0);
    assert_eq!(q.context.progress.snapshot().read_rows, 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_become_columns_and_filters_over_them_leave_out_files() {
    let (_folder, server) = posts().await;
    let url = format!("{}/bucket/**/*.parquet", server.url);
    let q = query(&[]);
    let table = q.table("s3", &[&url, &server.access_key, &server.secret_key]).await.expect("opened");
    assert_eq!(table.definition().columns.structure(), "id Int64, month Int64, year Int64");
    assert_eq!(
        table.virtual_columns().structure(),
        "_path LowCardinality(String), _file LowCardinality(String), _size Nullable(UInt64), _time Nullable(DateTime), \
         _etag LowCardinality(String)"
    );
    let before = q.count(Event::S3GetObject);
    let provider = table.read(&q.context).await.expect("a provider");
    let frame = q.session.read_table(provider).expect("a frame");
    let filter = col("year").eq(lit(2024i64)).and(col("month").gt(lit(1i64)));
    let found = frame
        .filter(filter)
        .expect("a filter")
        .select_columns(&["id", "month", "_path", "_file", "_size"])
        .expect("columns");
    let rows = q.rows(found).await.expect("rows");
    assert_eq!(rows.num_rows(), 20);
    assert_eq!(q.count(Event::S3GetObject) - before, 2);
    assert!(rows.column(1).as_primitive::<Int64Type>().values().iter().all(|month| *month > 1));
    assert!(rows.column(2).as_binary_view().iter().flatten().all(|path| path.starts_with(b"bucket/year=2024/month=0")));
    assert!(rows.column(3).as_binary_view().iter().flatten().all(|file| file == b"data.parquet"));
    assert!(rows.column(4).as_primitive::<UInt64Type>().value(0) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_in_braces_are_read_without_listing() {
    let (_folder, server) = posts().await;
    let url = format!("{}/bucket/year=2023/month={{01..02}}/data.parquet", server.url);
    let q = query(&[("use_hive_partitioning", "0")]);
    let frame = q.frame("s3", &[&url, &server.access_key, &server.secret_key, "Parquet", "id Int64"]).await.expect("opened");
    let rows = q.rows(frame.filter(col("_file").eq(text("data.parquet"))).expect("a filter")).await.expect("rows");
    assert_eq!(rows.num_rows(), 20);
    assert_eq!(q.count(Event::S3ListObjects), 0);
    // This server refuses a range that is longer than the object, which then takes a HEAD and another GET.
    assert_eq!(q.count(Event::S3GetObject) - q.count(Event::S3HeadObject), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_told_as_clickhouse_tells_it() {
    let (_folder, server) = posts().await;
    let keys = [server.access_key.as_str(), server.secret_key.as_str()];
    let nothing = format!("{}/bucket/nothing/*.parquet", server.url);

    let q = query(&[]);
    let error = q.table("s3", &[&nothing, keys[0], keys[1]]).await.expect_err("no files, no structure");
    assert_eq!(error.code(), ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE);

    let frame = q.frame("s3", &[&nothing, keys[0], keys[1], "Parquet", "id Int64"]).await.expect("a structure is enough");
    assert_eq!(q.rows(frame).await.expect("no rows").num_rows(), 0);

    let strict = query(&[("s3_throw_on_zero_files_match", "1")]);
    let error =
        strict.table("s3", &[&nothing, keys[0], keys[1], "Parquet", "id Int64"]).await.expect_err("asked to be strict");
    assert_eq!(error.code(), ErrorCode::FILE_DOESNT_EXIST);

    let error = q.table("s3x", &[]).await.expect_err("no such function");
    assert_eq!(error.code(), ErrorCode::UNKNOWN_FUNCTION);
    assert!(error.message().contains("'s3'"), "{error}");

    let wrong = format!("{}/bucket/**/*.parquet", server.url);
    let error = q.table("s3", &[&wrong, "gristmill", "not-the-secret"]).await.expect_err("wrong keys");
    assert_eq!(error.code(), ErrorCode::S3_ERROR);
    assert!(!error.message().contains("not-the-secret"), "{error}");
}
