//! Text formats through the file functions: compression, patterns, inference, parts of one file on many threads, mistakes.

use std::io::Write;
use std::path::Path;

use crate::support::{Query, query};
use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{col, lit};
use futures::StreamExt;
use gristmill_base::ErrorCode;
use gristmill_formats::Compression;
use gristmill_introspect::Event;
use gristmill_objstore::testing::{TestServer, s3_server};
use gristmill_sources::SharedInput;
use tempfile::TempDir;

fn put(path: &Path, bytes: impl AsRef<[u8]>) -> String {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::File::create(path).expect("a file").write_all(bytes.as_ref()).expect("written");
    path.to_str().expect("a path").to_string()
}

fn compressed(codec: Compression, text: &str) -> Vec<u8> {
    let mut encoder = codec.encoder(None);
    let mut out = Vec::new();
    encoder.write(text.as_bytes(), &mut out).expect("encodes");
    encoder.finish(&mut out).expect("ends");
    out
}

fn csv(rows: std::ops::Range<i64>) -> String {
    rows.map(|i| format!("{i},\"name {i}\n\",{}.5\n", i * 2)).collect()
}

/// The rows of a column of whole numbers, sorted.
fn numbers(batch: &RecordBatch, name: &str) -> Vec<i64> {
    let mut values = batch.column_by_name(name).expect("a column").as_primitive::<Int64Type>().values().to_vec();
    values.sort_unstable();
    values
}

async fn count_and_sum(q: &Query, arguments: &[&str], column: &str) -> (i64, i64) {
    let frame = q.frame("file", arguments).await.expect("opened");
    let totals = frame.aggregate(vec![], vec![count(lit(1)), sum(col(column))]).expect("totals");
    let rows = q.rows(totals).await.expect("rows");
    (rows.column(0).as_primitive::<Int64Type>().value(0), rows.column(1).as_primitive::<Int64Type>().value(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_file_is_cut_into_parts_and_every_row_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = 60_000i64;
    let path = put(&folder.path().join("big.csv"), csv(0..rows));
    let q = query(&[]);
    let (count, sum) = count_and_sum(&q, &[&path, "CSV", "id Int64, name String, x Float64"], "id").await;
    assert_eq!((count, sum), (rows, rows * (rows - 1) / 2));
    assert_eq!(q.context.memory.used_bytes(), 0);
    assert_eq!(q.context.progress.snapshot().read_rows, rows as u64);
    let size = std::fs::metadata(&path).expect("a file").len();
    assert_eq!(q.context.progress.file_bytes_read.load(std::sync::atomic::Ordering::Relaxed), size);

    let sequential = query(&[("input_format_parallel_parsing", "0")]);
    let again = count_and_sum(&sequential, &[&path, "CSV", "id Int64, name String, x Float64"], "id").await;
    assert_eq!(again, (count, sum));
}

#[tokio::test(flavor = "multi_thread")]
async fn formats_and_compressions_are_told_by_the_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let json: String = (0..500).map(|i| format!("{{\"id\":{i},\"name\":\"n{i}\"}}\n")).collect();
    let tsv: String = (0..500).map(|i| format!("{i}\tn{i}\n")).collect();
    let csv: String = std::iter::once("id,name\n".to_string()).chain((0..500).map(|i| format!("{i},n{i}\n"))).collect();
    for (name, codec, text, id) in [
        ("a.jsonl.gz", Compression::Gzip, &json, "id"),
        ("a.json.zst", Compression::Zstd, &json, "id"),
        ("a.tsv.bz2", Compression::Bz2, &tsv, "c1"),
        ("a.csv.xz", Compression::Xz, &csv, "id"),
        ("a.csv.br", Compression::Brotli, &csv, "id"),
        ("a.csv.lz4", Compression::Lz4, &csv, "id"),
        ("a.csv", Compression::None, &csv, "id"),
    ] {
        let path = put(&folder.path().join(name), compressed(codec, text));
        let q = query(&[]);
        assert_eq!(count_and_sum(&q, &[&path], id).await, (500, 499 * 250), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_read_many_files_with_their_virtual_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    for day in 1..=20 {
        put(&folder.path().join(format!("day={day:02}/part.csv")), format!("id,v\n{day},1\n{day},2\n"));
    }
    let pattern = format!("{}/*/*.csv", folder.path().display());
    let q = query(&[]);
    let table = q.table("file", &[&pattern]).await.expect("opened");
    assert_eq!(table.definition().columns.structure(), "id Nullable(Int64), v Nullable(Int64), day Int64");
    let frame = q.session.read_table(table.read(&q.context).await.expect("a provider")).expect("a frame");
    let found = frame
        .filter(col("day").gt(lit(10i64)).and(col("v").eq(lit(2i64))))
        .expect("a filter")
        .select_columns(&["id", "day", "_path", "_file", "_size"])
        .expect("columns");
    let rows = q.rows(found).await.expect("rows");
    assert_eq!(numbers(&rows, "id"), (11..=20).collect::<Vec<_>>());
    assert_eq!(numbers(&rows, "day"), (11..=20).collect::<Vec<_>>());
    assert!(rows.column(2).as_binary_view().iter().flatten().all(|path| path.ends_with(b"/part.csv")));
    assert!(rows.column(3).as_binary_view().iter().flatten().all(|file| file == b"part.csv"));
    assert_eq!(rows.column(4).as_primitive::<arrow::datatypes::UInt64Type>().value(0), 15);
    // The filter over the folder left out ten files before they were read.
    assert_eq!(q.count(Event::EngineFileLikeReadFiles), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_gives_the_first_rows_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = put(&folder.path().join("big.csv"), csv(0..60_000));
    let q = query(&[]);
    let frame = q.frame("file", &[&path, "CSV", "id Int64, name String, x Float64"]).await.expect("opened");
    let rows = q.rows(frame.limit(0, Some(10)).expect("a limit")).await.expect("rows");
    assert_eq!(numbers(&rows, "id"), (0..10).collect::<Vec<_>>());
    assert!(q.context.progress.snapshot().read_rows < 60_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_and_streams_that_cannot_be_cut_are_read_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let meta = r#"{"meta":[{"name":"id","type":"Int64"}],"data":["#;
    let data: Vec<String> = (0..2000).map(|i| format!("{{\"id\":{i}}}")).collect();
    let document = put(&folder.path().join("doc.json"), format!("{meta}{}],\"rows\":2000}}", data.join(",")));
    let array = put(&folder.path().join("array.jsonl"), format!("[{}]", data.join(",")));
    for path in [&document, &array] {
        let q = query(&[]);
        assert_eq!(count_and_sum(&q, &[path], "id").await, (2000, 1999 * 1000), "{path}");
    }
    let q = query(&[]);
    let lines = q.frame("file", &[&document, "LineAsString"]).await.expect("opened");
    assert_eq!(q.rows(lines).await.expect("rows").num_rows(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_in_a_json_file_are_cut_like_those_of_other_formats() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text: String = (0..30_000).map(|i| format!("{{\"id\":{i},\"name\":\"}}\\n{{ {i}\"}}\n")).collect();
    let path = put(&folder.path().join("rows.json"), &text);
    let q = query(&[]);
    assert_eq!(count_and_sum(&q, &[&path], "id").await, (30_000, 29_999 * 15_000));
    text.push_str("{\"id\":\"x\"}\n");
    put(&folder.path().join("rows.json"), &text);
    let frame = q.frame("file", &[&path, "auto", "id Int64"]).await.expect("opened");
    let error = q.rows(frame).await.expect_err("a mistake");
    assert!(error.message().contains("(at row 30001)") && error.message().contains("format JSONEachRow"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_is_told_with_its_file_and_its_row_in_the_whole_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = csv(0..60_000);
    text.push_str("oops,\"x\",1\n");
    text.push_str(&csv(0..10));
    let path = put(&folder.path().join("wrong.csv"), text);
    let q = query(&[]);
    let frame = q.frame("file", &[&path, "CSV", "id Int64, name String, x Float64"]).await.expect("opened");
    let error = q.rows(frame).await.expect_err("a mistake");
    assert!(error.message().contains("(at row 60001)"), "{error}");
    assert!(error.message().contains("wrong.csv") && error.message().contains("column 'id'"), "{error}");

    let lenient = query(&[("input_format_allow_errors_num", "1")]);
    let frame = lenient.frame("file", &[&path, "CSV", "id Int64, name String, x Float64"]).await.expect("opened");
    assert_eq!(lenient.rows(frame).await.expect("rows").num_rows(), 60_010);
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_and_foreign_data_are_errors_that_name_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let gzip = compressed(Compression::Gzip, &csv(0..5000));
    let cut = put(&folder.path().join("cut.csv.gz"), &gzip[..gzip.len() / 2]);
    let foreign = put(&folder.path().join("foreign.csv.gz"), "a,b\n1,2\n3,4\nno gzip at all, only text");
    let structure = "id Int64, name String, x Float64";
    for (path, codes) in [
        (&cut, [ErrorCode::CANNOT_READ_ALL_DATA, ErrorCode::CANNOT_DECOMPRESS]),
        (&foreign, [ErrorCode::CANNOT_DECOMPRESS, ErrorCode::CANNOT_READ_ALL_DATA]),
    ] {
        let q = query(&[]);
        let frame = q.frame("file", &[path, "CSV", structure]).await.expect("opened");
        let error = q.rows(frame).await.expect_err("damaged");
        assert!(codes.contains(&error.code()), "{error}");
        assert!(error.message().contains(path.rsplit('/').next().expect("a name")), "{error}");
    }
    let missing = format!("{}/missing.csv", folder.path().display());
    let q = query(&[]);
    let read = async {
        let frame = q.frame("file", &[&missing, "CSV", structure]).await?;
        q.rows(frame).await
    };
    let error = read.await.expect_err("no such file");
    assert_eq!(error.code(), ErrorCode::FILE_DOESNT_EXIST, "{error}");
    assert!(error.message().contains("missing.csv"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_budget_changes_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    for i in 0..12 {
        put(&folder.path().join(format!("{i}.csv")), csv(0..3000));
    }
    let pattern = format!("{}/*.csv", folder.path().display());
    let q = query(&[("object_read_memory_bytes", "1")]);
    let (count, _) = count_and_sum(&q, &[&pattern, "CSV", "id Int64, name String, x Float64"], "id").await;
    assert_eq!(count, 36_000);
    assert_eq!(q.context.memory.used_bytes(), 0);
}

async fn bucket() -> (TempDir, TestServer) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("bucket")).expect("a bucket");
    let server = s3_server(folder.path()).await.expect("a server");
    (folder, server)
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_fetched_in_ranges_and_stay_in_order() {
    let (folder, server) = bucket().await;
    // Larger than what a stream is taken for, so that most of it comes in ranges.
    let line = "x".repeat(2000);
    let text: String = (0..12_000).map(|i| format!("{i}\t{line}\n")).collect();
    put(&folder.path().join("bucket/large.tsv"), &text);
    let url = format!("{}/bucket/large.tsv", server.url);
    let q = query(&[("max_threads", "1")]);
    let frame =
        q.frame("s3", &[&url, &server.access_key, &server.secret_key, "TSV", "id Int64, x String"]).await.expect("opened");
    let rows = q.rows(frame.select_columns(&["id", "_size"]).expect("columns")).await.expect("rows");
    let ids = rows.column(0).as_primitive::<Int64Type>().values();
    assert!(ids.iter().copied().eq(0..12_000));
    assert_eq!(rows.column(1).as_primitive::<arrow::datatypes::UInt64Type>().value(0), text.len() as u64);
    assert!(q.count(Event::S3GetObject) >= 3, "a stream and ranges: {}", q.count(Event::S3GetObject));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_formats_over_s3() {
    let (folder, server) = bucket().await;
    put(&folder.path().join("bucket/a/1.csv.gz"), compressed(Compression::Gzip, "id,name\n1,one\n2,two\n"));
    put(&folder.path().join("bucket/a/2.csv.gz"), compressed(Compression::Gzip, "id,name\n3,three\n"));
    put(&folder.path().join("bucket/b/x.tsv.zst"), compressed(Compression::Zstd, "1\tone\n2\ttwo\n"));
    put(&folder.path().join("bucket/b/x.jsonl"), "{\"id\":1,\"o\":{\"x\":1}}\n{\"id\":2,\"o\":{\"x\":2}}\n");
    let keys = [server.access_key.as_str(), server.secret_key.as_str()];
    for (key, structure, rows) in [
        ("a/*.csv.gz", "id Nullable(Int64), name Nullable(String)", 3),
        ("a/{1,2}.csv.gz", "id Nullable(Int64), name Nullable(String)", 3),
        ("b/x.tsv.zst", "c1 Nullable(Int64), c2 Nullable(String)", 2),
        ("b/x.jsonl", "id Nullable(Int64), o Nullable(Tuple(x Nullable(Int64)))", 2),
    ] {
        let q = query(&[]);
        let url = format!("{}/bucket/{key}", server.url);
        let table = q.table("s3", &[&url, keys[0], keys[1]]).await.expect("opened");
        assert_eq!(table.definition().columns.structure(), structure, "{key}");
        let frame = q.session.read_table(table.read(&q.context).await.expect("a provider")).expect("a frame");
        assert_eq!(q.rows(frame).await.expect("rows").num_rows(), rows, "{key}");
    }
    let q = query(&[]);
    let none = format!("{}/bucket/none.csv", server.url);
    let read = async {
        let frame = q.frame("s3", &[&none, keys[0], keys[1], "CSV", "id Int64"]).await?;
        q.rows(frame).await
    };
    let error = read.await.expect_err("no such key");
    assert!(error.message().contains("none.csv"), "{error}");
    assert_eq!(error.code(), ErrorCode::S3_ERROR, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_of_the_statement_is_read_once() {
    let input = |text: &'static str| {
        let chunks = text.as_bytes().chunks(5).map(|chunk| Ok(bytes::Bytes::from_static(chunk)));
        futures::stream::iter(chunks.collect::<Vec<_>>()).boxed()
    };
    let mut q = query(&[]);
    q.hints.input = Some(SharedInput::new(input("1,a\n2,b\n"), Some(gristmill_formats::Format::Csv), Compression::None));
    let frame = q.frame("input", &["id Int64, name String"]).await.expect("opened");
    let rows = q.rows(frame).await.expect("rows");
    assert_eq!(numbers(&rows, "id"), vec![1, 2]);
    let again = q.frame("input", &["id Int64, name String"]).await.expect("opened");
    assert!(q.rows(again).await.expect_err("read already").message().contains("only once"));

    let mut q = query(&[]);
    q.hints.input = Some(SharedInput::new(input("{\"id\":7}\n{\"id\":8}\n"), None, Compression::None));
    let frame = q.frame("file", &["-", "JSONEachRow"]).await.expect("inferred");
    assert_eq!(numbers(&q.rows(frame).await.expect("rows"), "id"), vec![7, 8]);
}
