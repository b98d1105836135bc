//! Servers and folders that are odd, or mean no good.

use bytes::Bytes;
use futures::StreamExt;
use gristmill_base::redact::Secret;

use super::faulty_server::{Action, FaultyServer, object, xml_error};
use super::query;
use crate::{Credentials, Glob, Location, Store, find};

async fn matches(store: &Store, pattern: &str) -> Vec<String> {
    let glob = Glob::parse(pattern).expect(pattern);
    let mut keys: Vec<String> =
        find(store, &query(&[]), &glob).map(|info| info.expect(pattern).key).collect::<Vec<_>>().await;
    keys.sort();
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_keys_spoil_no_listing_and_are_refused_by_name() {
    let server = FaultyServer::start(|_, _| {
        let object = |key: &str, size: u64| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2024-01-02T03:04:05.000Z</LastModified><ETag>\"e\"</ETag>\
                 <Size>{size}</Size></Contents>"
            )
        };
        let objects = [object("d//e.csv", 5), object("d/", 0), object("d/f.csv", 5), object("d/g.csv", 5)].concat();
        let body =
            format!("<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>{objects}</ListBucketResult>");
        Action::Answer { status: 200, headers: vec![], body: body.into_bytes() }
    })
    .await;
    let location = Location::parse_s3(&format!("{}/bucket/d/", server.url)).expect("location");
    let store = Store::open(&location, &Credentials::Anonymous, &[], &query(&[]).settings).expect("store");
    assert_eq!(matches(&store, "d/*.csv").await, ["d/f.csv", "d/g.csv"]);
    assert_eq!(matches(&store, "d*").await, [""; 0]);
    // It is not left out in silence: whoever reads it is told.
    assert_eq!(matches(&store, "d/**.csv").await, ["d//e.csv", "d/f.csv", "d/g.csv"]);
    let error = store.get_range(&query(&[]), "d//e.csv", 0..1, None).await.expect_err("no such key can be asked for");
    assert!(error.message().contains("d//e.csv cannot be used"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_are_shown_to_the_host_that_they_were_given_for_alone() {
    let elsewhere = FaultyServer::start(|_, request| object(request, b"abc", "\"e\"")).await;
    let target = elsewhere.url.clone();
    let server = FaultyServer::start(move |_, request| match request.path.as_str() {
        "/within" => Action::Answer { status: 302, headers: vec![("Location", "/away".to_string())], body: vec![] },
        _ => Action::Answer { status: 307, headers: vec![("Location", format!("{target}/there?x=1"))], body: vec![] },
    })
    .await;
    let location = Location::parse_http(&format!("{}/within", server.url)).expect("location");
    let headers = [("x-api-key".to_string(), Secret::new("hidden")), ("authorization".to_string(), Secret::new("hidden"))];
    let store = Store::open(&location, &Credentials::Anonymous, &headers, &query(&[]).settings).expect("store");
    let bytes = store.get_range(&query(&[]), "within", 1..3, None).await.expect("the answer of the other host");
    assert_eq!(&bytes[..], b"bc");
    assert!(server.received().len() == 2);
    assert!(server.received().iter().all(|request| request.header("x-api-key") == Some("hidden")));
    let [request] = &elsewhere.received()[..] else { panic!("one request") };
    assert_eq!((request.path.as_str(), request.header("range")), ("/there?x=1", Some("bytes=1-2")));
    assert!(request.header("x-api-key").is_none() && request.header("authorization").is_none());

    let error = store.put(&query(&[]), "within", Bytes::from_static(b"x")).await.expect_err("a write is not sent on");
    assert!(error.message().contains("the server sends on to"), "{error}");
    assert_eq!(elsewhere.received().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_gone_is_no_success() {
    // An older object of the same length lies there, and somebody ended the upload.
    let older = vec![7; 6 << 20];
    let server = FaultyServer::start(move |_, request| match request.method.as_str() {
        "POST" if request.path.contains("uploads") => {
            let body = b"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>".to_vec();
            Action::Answer { status: 200, headers: vec![], body }
        }
        "POST" => xml_error(404, "NoSuchUpload"),
        "PUT" => Action::Answer { status: 200, headers: vec![("ETag", "\"p\"".into())], body: vec![] },
        _ => object(request, &older, "\"e\""),
    })
    .await;
    let location = Location::parse_s3(&format!("{}/bucket/key", server.url)).expect("location");
    let ctx = query(&[("s3_min_upload_part_size", "5242880")]);
    let store = Store::open(&location, &Credentials::Anonymous, &[], &ctx.settings).expect("store");
    let mut upload = store.upload(&ctx, "key");
    upload.write(vec![8; 6 << 20].into()).await.expect("write");
    let error = upload.finish().await.expect_err("nothing was written");
    assert!(error.message().contains("NoSuchUpload"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_lead_back_up_are_not_followed() {
    let folder = tempfile::tempdir().expect("folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("a/b")).expect("folders");
    std::fs::create_dir_all(path("c")).expect("folders");
    for file in ["a/1.csv", "a/b/2.csv", "c/3.csv"] {
        std::fs::write(path(file), "1").expect("a file");
    }
    for (target, link) in [("a", "a/b/loop"), ("a", "a/b/again"), (".", "a/top"), ("c", "a/b/aside"), ("nowhere", "a/dead")]
    {
        std::os::unix::fs::symlink(path(target), path(link)).expect("a link");
    }
    let store = Store::local(folder.path());
    assert_eq!(matches(&store, "**.csv").await, ["a/1.csv", "a/b/2.csv", "a/b/aside/3.csv", "c/3.csv"]);
    assert_eq!(matches(&store, "a/*/*.csv").await, ["a/b/2.csv"]);
    assert_eq!(matches(&store, "a/b/aside/*").await, ["a/b/aside/3.csv"]);
}
