//! A real S3 server: pages, credentials, missing buckets, what is counted.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use gristmill_base::error::ErrorKind;
use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode};
use gristmill_introspect::Event;
use tempfile::TempDir;

use super::query;
use crate::testing::{TestServer, s3_server};
use crate::{Credentials, Glob, Location, Store, find};

pub struct Bucket {
    pub server: TestServer,
    pub folder: TempDir,
}

pub async fn bucket() -> (Bucket, Store) {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("bucket")).expect("bucket");
    let server = s3_server(folder.path()).await.expect("server");
    let store = open(&server, "bucket", &keys(&server)).expect("store");
    (Bucket { server, folder }, store)
}

fn keys(server: &TestServer) -> Credentials {
    Credentials::Keys { id: server.access_key.clone(), secret: Secret::new(&*server.secret_key), token: None }
}

fn open(server: &TestServer, bucket: &str, credentials: &Credentials) -> gristmill_base::Result<Store> {
    let location = Location::parse_s3(&format!("{}/{bucket}/key", server.url))?;
    Store::open(&location, credentials, &[], &query(&[]).settings)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_of_many_pages_is_whole_and_counted() {
    let (bucket, store) = bucket().await;
    let data = bucket.folder.path().join("bucket/many");
    std::fs::create_dir(&data).expect("folder");
    for i in 0..2500 {
        std::fs::write(data.join(format!("{i:04}")), b"x").expect("file");
    }
    let ctx = query(&[]);
    let names: Vec<String> = store.list(&ctx, "many/", None).map_ok(|info| info.key).try_collect().await.expect("listing");
    assert_eq!(names, (0..2500).map(|i| format!("many/{i:04}")).collect::<Vec<_>>());
    assert_eq!(ctx.counters.get(Event::S3ListObjects), 3);
    assert_eq!(bucket.server.requests("list-type=2"), 3);

    let none = query(&[]);
    let glob = Glob::parse("many/000{0..9}").expect("pattern");
    let found: Vec<_> = find(&store, &none, &glob).try_collect().await.expect("names");
    assert_eq!(found.len(), 10);
    assert_eq!(none.counters.nonzero(), [], "names that are known are not listed");

    let narrow = query(&[]);
    let glob = Glob::parse("many/00{1,2}*").expect("pattern");
    assert_eq!(find(&store, &narrow, &glob).count().await, 20);
    assert_eq!(narrow.counters.get(Event::S3ListObjects), 2, "one listing for each branch, of what it needs");
}

#[tokio::test(flavor = "multi_thread")]
async fn near_ranges_are_one_request_and_a_long_one_is_several() {
    let (_bucket, store) = bucket().await;
    let ctx = query(&[]);
    store.put(&ctx, "o", Bytes::from(vec![7; 20 << 20])).await.expect("put");
    assert_eq!(ctx.counters.get(Event::S3PutObject), 1);
    assert_eq!(ctx.counters.get(Event::WriteBufferFromS3Bytes), 20 << 20);
    store.get_ranges(&ctx, "o", &[0..10, 100..200, 90_000..90_001], None).await.expect("near");
    assert_eq!(ctx.counters.get(Event::S3GetObject), 1);
    assert_eq!(ctx.counters.get(Event::ReadBufferFromS3Bytes), 90_001);
    store.get_range(&ctx, "o", 0..20 << 20, None).await.expect("long");
    assert_eq!(ctx.counters.get(Event::S3GetObject), 1 + 2);
    assert_eq!(ctx.counters.get(Event::S3ReadRequestsCount), 3);

    let set = query(&[("max_download_buffer_size", "5242880"), ("max_download_threads", "2")]);
    store.get_range(&set, "o", 0..20 << 20, None).await.expect("as it was set");
    assert_eq!(set.counters.get(Event::S3GetObject), 4);
    assert_eq!(ctx.counters.get(Event::S3ReadRequestsErrors), 0);
    assert!(ctx.counters.get(Event::S3ReadMicroseconds) > 0);
}

fn assert_no_secret(error: &Error) {
    let text = format!("{error} {error:?}");
    assert!(!text.contains("gristmill-secret") && !text.contains("wrong-secret"), "{text}");
    assert!(!text.contains("Signature="), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_name_the_cause_and_are_not_tried_again() {
    let (bucket, _) = bucket().await;
    let server = &bucket.server;
    let with = |id: &str, secret: &str| Credentials::Keys { id: id.into(), secret: Secret::new(secret), token: None };
    for (credentials, code) in [
        (with(&server.access_key, "wrong-secret"), "SignatureDoesNotMatch"),
        (with("nobody", "wrong-secret"), "NotSignedUp"),
        (Credentials::Anonymous, "AccessDenied"),
    ] {
        let ctx = query(&[]);
        let store = open(server, "bucket", &credentials).expect("store");
        let error = store.get_range(&ctx, "some/key", 0..1, None).await.expect_err("refused");
        assert_eq!(error.code(), ErrorCode::S3_ERROR, "{error}");
        assert!(error.message().contains(code) && error.message().contains("some/key"), "{error}");
        assert_eq!(error.kind(), ErrorKind::User);
        assert_eq!(ctx.counters.get(Event::S3GetObject), 1);
        assert_eq!(ctx.counters.get(Event::S3ReadRequestsErrors), 1);
        assert_no_secret(&error);
    }
    let ctx = query(&[]);
    let store = open(server, "no-such-bucket", &keys(server)).expect("store");
    for error in [
        store.get(&ctx, "k").await.expect_err("no bucket"),
        store.list(&ctx, "k", None).try_collect::<Vec<_>>().await.expect_err("no bucket"),
    ] {
        assert_eq!(error.code(), ErrorCode::S3_ERROR);
        assert!(error.message().contains("no-such-bucket"), "{error}");
        assert_no_secret(&error);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_place_is_opened_once() {
    let (bucket, store) = bucket().await;
    let again = open(&bucket.server, "bucket", &keys(&bucket.server)).expect("store");
    assert!(store.is_same(&again));
    let other = open(&bucket.server, "bucket", &Credentials::Anonymous).expect("store");
    assert!(!store.is_same(&other), "other credentials are another store");
    assert!(!format!("{store:?}").contains("gristmill-secret"), "A-1");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_dropped_leaves_no_parts() {
    let (bucket, store) = bucket().await;
    let ctx = query(&[("s3_min_upload_part_size", "5242880")]);
    let mut upload = store.upload(&ctx, "half");
    upload.write(Bytes::from(vec![1; 11 << 20])).await.expect("write");
    drop(upload);
    for _ in 0..200 {
        if bucket.server.requests("DELETE /bucket/half?uploadId=") > 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("the upload was not aborted");
}
