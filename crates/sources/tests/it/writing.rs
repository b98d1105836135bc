//! Writing into files and objects: what appears when, what is refused, and that it can be read again.

use std::sync::Arc;

use crate::support::{Query, query};
use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::{ErrorCode, Result};
use gristmill_objstore::testing::s3_server;

fn batch(rows: std::ops::Range<i64>) -> RecordBatch {
    let names: Vec<String> = rows.clone().map(|i| format!("name {i}")).collect();
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(rows)) as ArrayRef),
        ("name", Arc::new(BinaryViewArray::from_iter_values(names)) as ArrayRef),
    ])
    .expect("a batch")
}

/// A query that writes these columns.
fn writing(settings: &[(&str, &str)]) -> Query {
    let mut q = query(settings);
    q.hints.writing = Some(gristmill_types::parse::structure("id Int64, name String").expect("a structure"));
    q
}

async fn insert(q: &Query, function: &str, arguments: &[&str], batches: &[RecordBatch]) -> Result<()> {
    let writer = q.table(function, arguments).await?.write(&q.context).await?;
    let mut lane = writer.lane().await?;
    for batch in batches {
        lane.write(batch.clone()).await?;
    }
    lane.finish().await?;
    writer.commit().await
}

async fn ids(function: &str, arguments: &[&str]) -> Vec<i64> {
    let q = query(&[]);
    let frame = q.frame(function, arguments).await.expect("opened").select_columns(&["id"]).expect("a column");
    let rows = q.rows(frame).await.expect("rows");
    let mut ids = rows.column(0).as_primitive::<Int64Type>().values().to_vec();
    ids.sort_unstable();
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_can_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "a.parquet",
        "a.arrow",
        "a.arrows",
        "a.csv",
        "a.csv.gz",
        "a.tsv.zst",
        "a.jsonl",
        "a.json",
        "a.jsonl.xz",
        "a.CSVWithNames",
    ] {
        let path = format!("{}/{name}", folder.path().display());
        let structured = [path.as_str(), "auto", "id Int64, name String"];
        insert(&writing(&[]), "file", &structured, &[batch(0..100), batch(100..250)])
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(ids("file", &structured).await, (0..250).collect::<Vec<_>>(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_grows_where_its_format_can_and_is_left_alone_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = format!("{}/sub/folder/data.csv", folder.path().display());
    let arguments = [path.as_str(), "CSV", "id Int64, name String"];
    insert(&writing(&[]), "file", &arguments, &[batch(0..3)]).await.expect("a new file");
    insert(&writing(&[]), "file", &arguments, &[batch(3..5)]).await.expect("appends");
    assert_eq!(ids("file", &arguments).await, vec![0, 1, 2, 3, 4]);
    let replacing = [("engine_file_truncate_on_insert", "1")];
    insert(&writing(&replacing), "file", &arguments, &[batch(3..5)]).await.expect("replaced");
    assert_eq!(ids("file", &arguments).await, vec![3, 4]);

    let path = path.replace("data.csv", "data.parquet");
    let arguments = [path.as_str(), "Parquet", "id Int64, name String"];
    insert(&writing(&[]), "file", &arguments, &[batch(0..3)]).await.expect("a new file");
    let error = insert(&writing(&[]), "file", &arguments, &[batch(3..5)]).await.expect_err("it exists");
    assert_eq!(error.code(), ErrorCode::CANNOT_APPEND_TO_FILE);
    assert!(error.message().contains("engine_file_truncate_on_insert"), "{error}");
    assert_eq!(ids("file", &arguments).await, vec![0, 1, 2]);
    insert(&writing(&replacing), "file", &arguments, &[batch(3..5)]).await.expect("replaced");
    assert_eq!(ids("file", &arguments).await, vec![3, 4]);
    let beside = [("engine_file_allow_create_multiple_files", "1")];
    insert(&writing(&beside), "file", &arguments, &[batch(5..6)]).await.expect("beside");
    let beside = path.replace("data.parquet", "data.1.parquet");
    assert_eq!(ids("file", &[&beside, "Parquet", "id Int64, name String"]).await, vec![5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("bucket")).expect("a bucket");
    let server = s3_server(folder.path()).await.expect("a server");
    let keys = [server.access_key.as_str(), server.secret_key.as_str()];
    let url = format!("{}/bucket/out/data.parquet", server.url);
    let arguments = [url.as_str(), keys[0], keys[1]];
    insert(&writing(&[]), "s3", &arguments, &[batch(0..1000)]).await.expect("a new object");
    assert_eq!(ids("s3", &arguments).await, (0..1000).collect::<Vec<_>>());

    let error = insert(&writing(&[]), "s3", &arguments, &[batch(0..1)]).await.expect_err("it exists");
    assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
    assert!(error.message().contains("s3_truncate_on_insert") && !error.message().contains(keys[1]), "{error}");
    insert(&writing(&[("s3_create_new_file_on_insert", "1")]), "s3", &arguments, &[batch(7..8)]).await.expect("beside");
    assert_eq!(ids("s3", &[&url.replace("data.", "data.1."), keys[0], keys[1]]).await, vec![7]);
    insert(&writing(&[("s3_truncate_on_insert", "1")]), "s3", &arguments, &[batch(5..6)]).await.expect("replaced");
    assert_eq!(ids("s3", &arguments).await, vec![5]);

    // A writer that is aborted, or dropped, leaves nothing.
    for finishes in [true, false] {
        let other = format!("{}/bucket/out/other.csv", server.url);
        let q = writing(&[]);
        let writer =
            q.table("s3", &[&other, keys[0], keys[1]]).await.expect("opened").write(&q.context).await.expect("a writer");
        let mut lane = writer.lane().await.expect("a lane");
        lane.write(batch(0..10)).await.expect("rows");
        if finishes {
            lane.finish().await.expect("finished");
        } else {
            drop(lane);
        }
        writer.abort().await;
        drop(writer);
        let left: Vec<_> = std::fs::read_dir(folder.path().join("bucket/out")).expect("a folder").flatten().collect();
        assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("other")), "{left:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_written_is_refused_before_anything_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = async |name: &str, format: &str| {
        let path = format!("{}/{name}", folder.path().display());
        insert(&writing(&[]), "file", &[&path, format, "id Int64, name String"], &[batch(0..1)]).await
    };
    let pattern = write("*.csv", "CSV").await.expect_err("a pattern");
    assert!(pattern.message().contains("readonly"), "{pattern}");
    let no_output = write("x.json", "JSONAsString").await.expect_err("only for reading");
    assert!(no_output.message().contains("JSONAsString"), "{no_output}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
