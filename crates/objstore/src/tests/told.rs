//! What is told of requests: the log of reads, the counters of local files, and what is in flight.

use std::sync::Arc;

use gristmill_introspect::logs::blob_log::{BlobEntry, BlobEvent, blob_log};
use gristmill_introspect::{Event, Gauge, QueryContext};

use super::faulty_server::{Action, FaultyServer, object, xml_error};
use super::query;
use crate::{Credentials, Location, Store};

const READS: (&str, &str) = ("enable_blob_storage_log_for_read_operations", "1");

fn open(server: &FaultyServer) -> Store {
    let location = Location::parse_s3(&format!("{}/bucket/key", server.url)).expect("location");
    Store::open(&location, &Credentials::Anonymous, &[], &query(&[]).settings).expect("store")
}

fn logged(ctx: &QueryContext) -> Vec<Arc<BlobEntry>> {
    blob_log().snapshot().into_iter().filter(|entry| entry.query_id == ctx.query_id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_are_logged_where_they_are_asked_for() {
    let content: Vec<u8> = vec![7; 1000];
    let server = FaultyServer::start(move |number, request| match number {
        0 => xml_error(503, "SlowDown"),
        _ => object(request, &content, "\"v1\""),
    })
    .await;
    let store = open(&server);
    let ctx = query(&[READS]);
    store.get_range(&ctx, "a/key", 0..100, None).await.expect("read");
    store.head(&ctx, "a/key").await.expect("known");
    let told = logged(&ctx);
    let of = |entry: &Arc<BlobEntry>| (entry.event, entry.data_size, entry.error_code, entry.remote_path.clone());
    let reads: Vec<_> = told.iter().map(of).collect();
    let path = "a/key".to_string();
    assert_eq!(reads, [(BlobEvent::Read, 0, 503, path.clone()), (BlobEvent::Read, 100, 0, path)]);
    assert!(told[0].error.contains("SlowDown") && told[1].error.is_empty() && told[1].elapsed_micros > 0, "{told:?}");
    assert_eq!(told[1].bucket, "bucket");
    for settings in [&[][..], &[READS, ("enable_blob_storage_log", "0")][..]] {
        let ctx = query(settings);
        store.get_range(&ctx, "a/key", 0..100, None).await.expect("read");
        assert!(logged(&ctx).is_empty(), "{settings:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_broke_is_logged_with_what_came() {
    let server = FaultyServer::start(move |_, _| Action::Cut {
        headers: vec![("etag", "\"v1\"".to_string()), ("content-range", "bytes 0-99/1000".to_string())],
        status: 206,
        says: 100,
        body: vec![7; 40],
    })
    .await;
    let ctx = query(&[READS, ("s3_retry_attempts", "1")]);
    open(&server).get_range(&ctx, "a/key", 0..100, None).await.expect_err("it is cut short");
    let told = logged(&ctx);
    assert!(!told.is_empty() && told.iter().all(|entry| entry.data_size == 40 && !entry.error.is_empty()), "{told:?}");
    assert!(ctx.counters.get(Event::ReadBufferFromS3RequestsErrors) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_count_while_they_are_in_flight() {
    let server = FaultyServer::start(|_, _| Action::Stall).await;
    let store = open(&server);
    let ctx = query(&[]);
    let asking = tokio::spawn({
        let (store, ctx) = (store.clone(), ctx.clone());
        async move { store.get_range(&ctx, "key", 0..100, None).await }
    });
    while server.received().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(Gauge::S3Requests.get() > 0);
    asking.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn system_calls_on_files_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::local(folder.path());
    let ctx = query(&[]);
    store.put(&ctx, "file", bytes::Bytes::from(vec![1; 1000])).await.expect("written");
    store.get_range(&ctx, "file", 0..500, None).await.expect("read");
    store.get(&ctx, "file").await.expect("read");
    let get = |event| ctx.counters.get(event);
    assert!(get(Event::WriteBufferFromFileDescriptorWrite) >= 1 && get(Event::FileSync) >= 1, "written and synced");
    assert!(get(Event::DirectorySync) >= 1 && get(Event::ReadBufferFromFileDescriptorRead) >= 2);
    assert_eq!(get(Event::ReadBufferFromFileDescriptorReadFailed), 0);
    let now = store.get_ranges_now(&ctx, "file", &[0..500]);
    let (hits, misses) = (get(Event::ThreadPoolReaderPageCacheHitBytes), get(Event::ThreadPoolReaderPageCacheMissBytes));
    assert_eq!((hits, misses), if now.is_some() { (500, 0) } else { (0, 500) });
}
