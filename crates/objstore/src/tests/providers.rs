//! Azure, GCS and plain HTTP, against a server that shows what is sent.

use bytes::Bytes;
use futures::TryStreamExt;
use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode};
use gristmill_introspect::Event;

use super::faulty_server::{Action, FaultyServer, object, xml_error};
use super::query;
use crate::{Credentials, Glob, Location, Store, find};

const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

fn answer(body: &str) -> Action {
    Action::Answer { status: 200, headers: vec![("ETag", "\"1\"".into())], body: body.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn azure_reads_writes_and_lists() {
    const PAGE: &str = "<?xml version=\"1.0\"?><EnumerationResults><Blobs><Blob><Name>dir/a.csv</Name><Properties>\
        <Creation-Time>Sat, 21 Nov 2026 00:00:00 GMT</Creation-Time><Last-Modified>Sat, 21 Nov 2026 00:00:00 GMT</Last-Modified>\
        <Etag>0x1</Etag><Content-Length>7</Content-Length><Content-Type>x</Content-Type></Properties></Blob></Blobs><NextMarker/></EnumerationResults>";
    let server = FaultyServer::start(|_, request| match request.method.as_str() {
        "GET" if request.path.contains("comp=list") => answer(PAGE),
        "GET" if request.path.contains("missing") => xml_error(404, "BlobNotFound"),
        "GET" | "HEAD" => object(request, b"a,b\n1,2", "\"0x1\""),
        _ => Action::Answer { status: 201, headers: vec![("ETag", "\"0x2\"".into())], body: vec![] },
    })
    .await;
    let account = format!("{}/devstoreaccount1", server.url);
    let location = Location::parse_azure(&account, "container", "dir/*.csv").expect("location");
    let ctx = query(&[]);
    let store = |credentials: &Credentials| Store::open(&location, credentials, &[], &ctx.settings).expect("store");
    let keyed = store(&Credentials::AzureKey { account: "devstoreaccount1".into(), key: Secret::new(KEY) });

    let found: Vec<_> = find(&keyed, &ctx, &Glob::parse("dir/*.csv").expect("glob")).try_collect().await.expect("find");
    assert_eq!((found[0].key.as_str(), found[0].size), ("dir/a.csv", Some(7)));
    assert_eq!(&keyed.get_range(&ctx, "dir/a.csv", 4..7, None).await.expect("get")[..], b"1,2");
    let (tail, info) = keyed.get_suffix(&ctx, "dir/a.csv", 3, None).await.expect("suffix");
    assert_eq!((&tail[..], info.size), (&b"1,2"[..], Some(7)));
    keyed.put(&ctx, "new", Bytes::from_static(b"x")).await.expect("put");
    let requests = server.received();
    assert!(requests[0].path.starts_with("/devstoreaccount1/container?"), "{}", requests[0].path);
    assert!(
        requests.iter().all(|r| r.header("authorization").is_some_and(|a| a.starts_with("SharedKey devstoreaccount1:")))
    );
    assert_eq!(ctx.counters.get(Event::AzureListObjects), 1);
    assert_eq!(ctx.counters.get(Event::AzureGetObject), 2);
    assert_eq!(ctx.counters.get(Event::AzurePutObject), 1);

    let error = keyed.get(&ctx, "missing").await.expect_err("missing");
    assert_eq!(error.code(), ErrorCode::AZURE_BLOB_STORAGE_ERROR);
    assert!(error.message().contains("BlobNotFound") && !error.message().contains(KEY), "{error}");

    let text =
        format!("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={KEY};BlobEndpoint={account};");
    assert_eq!(Location::parse_azure(&text, "container", "dir/*.csv").expect("location"), location);
    store(&Credentials::AzureConnectionString(Secret::new(text))).get(&ctx, "dir/a.csv").await.expect("connection string");
    store(&Credentials::AzureSas(Secret::new("?sv=2024&sig=a%2Bb"))).get(&ctx, "dir/a.csv").await.expect("SAS");
    let last = server.received().pop().expect("request");
    assert!(last.path.contains("sig=a%2Bb") && last.header("authorization").is_none(), "{}", last.path);
}

#[tokio::test(flavor = "multi_thread")]
async fn gcs_speaks_to_emulators_and_takes_hmac_keys() {
    let server = FaultyServer::start(|_, request| object(request, b"hello", "\"1\"")).await;
    let ctx = query(&[]);
    let location = Location::parse_gcs(&format!("{}/bucket/dir/key", server.url)).expect("location");
    for credentials in [
        Credentials::Anonymous,
        Credentials::Environment,
        Credentials::Keys { id: "GOOG1".into(), secret: Secret::new("s3cret"), token: None },
        Credentials::Bearer(Secret::new("t0ken")),
    ] {
        let store = Store::open(&location, &credentials, &[], &ctx.settings).expect("store");
        assert_eq!(&store.get(&ctx, &location.key).await.expect("get")[..], b"hello");
    }
    let requests = server.received();
    assert!(requests.iter().all(|request| request.path.replace("%2F", "/") == "/bucket/dir/key"), "{requests:?}");
    let authorization = |i: usize| requests[i].header("authorization").unwrap_or("");
    assert!(authorization(2).starts_with("AWS4-HMAC-SHA256 Credential=GOOG1/"));
    assert_eq!(authorization(3), "Bearer t0ken");
    assert_eq!(ctx.counters.get(Event::GCSGetObject), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn http_sends_urls_as_written_and_copes_with_plain_servers() {
    // A server without ranges and ETags.
    let server = FaultyServer::start(|_, request| match request.path.as_str() {
        "/a%20b?x=1&y=%2F" => answer("0123456789"),
        "/private" if request.header("authorization") == Some("Basic dXNlcjpwYXNz") => answer("secret data"),
        "/private" => Action::Answer { status: 401, headers: vec![], body: vec![] },
        "/token" if request.header("x-token") == Some("abc") => answer("by header"),
        _ => Action::Answer { status: 404, headers: vec![], body: b"<html>".to_vec() },
    })
    .await;
    let ctx = query(&[]);
    let open = |url: &str, headers: &[(String, Secret)]| {
        let location = Location::parse_http(url).expect("location");
        (Store::open(&location, &Credentials::Anonymous, headers, &ctx.settings).expect("store"), location.key)
    };
    let (store, key) = open(&format!("{}/a%20b?x=1&y=%2F", server.url), &[]);
    assert_eq!(&store.get(&ctx, &key).await.expect("whole")[..], b"0123456789");
    assert_eq!(&store.get_range(&ctx, &key, 2..5, None).await.expect("range")[..], b"234");
    let (tail, info) = store.get_suffix(&ctx, &key, 3, None).await.expect("tail");
    assert_eq!((&tail[..], info.size), (&b"789"[..], Some(10)));
    assert_eq!(ctx.counters.get(Event::ReadWriteBufferFromHTTPRequestsSent), 3);

    let (host, user) = (server.url.trim_start_matches("http://"), "user:pass@");
    let (store, key) = open(&format!("http://{user}{host}/private"), &[]);
    assert_eq!(&store.get(&ctx, &key).await.expect("user")[..], b"secret data");
    assert!(!format!("{store:?}").contains("pass"), "A-1");
    let refused = |error: Error, status: &str| {
        assert_eq!(error.code(), ErrorCode::RECEIVED_ERROR_FROM_REMOTE_IO_SERVER);
        assert!(error.message().contains(status), "{error}");
    };
    let (store, key) = open(&format!("{}/private", server.url), &[]);
    refused(store.get(&ctx, &key).await.expect_err("no user"), "401");
    refused(store.get(&ctx, "nothing").await.expect_err("missing"), "404");
    let (store, key) = open(&format!("{}/token", server.url), &[("X-Token".into(), Secret::new("abc"))]);
    assert_eq!(&store.get(&ctx, &key).await.expect("header")[..], b"by header");

    let glob = Glob::parse("part-*.csv").expect("glob");
    let error = find(&store, &ctx, &glob).try_collect::<Vec<_>>().await.expect_err("no listing");
    assert!(error.message().contains("{1..9}"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_presigned_url_is_read_as_it_is() {
    let server = FaultyServer::start(|_, request| object(request, b"x", "\"1\"")).await;
    let url = format!("{}/bucket/key?X-Amz-Algorithm=AWS4&X-Amz-Signature=abc", server.url);
    let location = Location::parse_s3(&url).expect("location");
    let ctx = query(&[]);
    let store = Store::open(&location, &Credentials::Environment, &[], &ctx.settings).expect("store");
    store.get(&ctx, &location.key).await.expect("get");
    assert_eq!(server.received()[0].path, "/bucket/key?X-Amz-Algorithm=AWS4&X-Amz-Signature=abc");
    assert!(!store.display(&location.key).contains("abc"), "A-1");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_of_a_call_are_sent_and_signed() {
    let server = FaultyServer::start(|_, request| object(request, b"x", "\"1\"")).await;
    let location = Location::parse_s3(&format!("{}/bucket/key", server.url)).expect("location");
    let credentials =
        Credentials::Keys { id: "id".into(), secret: Secret::new("secret"), token: Some(Secret::new("session")) };
    let headers = [("x-amz-request-payer".to_string(), Secret::new("requester"))];
    let ctx = query(&[]);
    Store::open(&location, &credentials, &headers, &ctx.settings).expect("store").get(&ctx, "key").await.expect("get");
    let request = server.received().remove(0);
    assert_eq!(request.header("x-amz-request-payer"), Some("requester"));
    assert_eq!(request.header("x-amz-security-token"), Some("session"));
    let signed = request.header("authorization").and_then(|text| text.split("SignedHeaders=").nth(1)?.split(',').next());
    let signed: Vec<&str> = signed.unwrap_or_default().split(';').collect();
    assert!(signed.contains(&"x-amz-request-payer") && signed.contains(&"x-amz-security-token"), "{request:?}");
    let bad = [("bad header".to_string(), Secret::new("x"))];
    let error = Store::open(&location, &credentials, &bad, &ctx.settings).expect_err("bad name");
    assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
}
