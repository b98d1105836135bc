//! URLs as ClickHouse takes them.

use std::path::Path;

use gristmill_base::ErrorCode;

use crate::{Location, Provider};

#[track_caller]
fn s3(url: &str, endpoint: &str, bucket: &str, key: &str, virtual_hosted: bool) -> Location {
    let location = Location::parse_s3(url).expect(url);
    let got = (location.endpoint.as_str(), location.bucket.as_str(), location.key.as_str(), location.virtual_hosted);
    assert_eq!(got, (endpoint, bucket, key, virtual_hosted), "{url}");
    location
}

#[test]
fn the_bucket_is_in_the_host_or_first_in_the_path() {
    let at = s3("https://b.s3.eu-west-1.amazonaws.com/d/k.csv", "https://s3.eu-west-1.amazonaws.com", "b", "d/k.csv", true);
    assert_eq!(at.region.as_deref(), Some("eu-west-1"));
    let at = s3("https://s3.eu-west-1.amazonaws.com/b/d/k.csv", "https://s3.eu-west-1.amazonaws.com", "b", "d/k.csv", false);
    assert_eq!(at.region.as_deref(), Some("eu-west-1"));
    s3("https://b.s3.amazonaws.com/k", "https://s3.amazonaws.com", "b", "k", true);
    let at = s3("https://b.s3-us-west-2.amazonaws.com/k", "https://s3-us-west-2.amazonaws.com", "b", "k", true);
    assert_eq!(at.region.as_deref(), Some("us-west-2"));
    s3("https://b.with.dots.s3.amazonaws.com/k", "https://s3.amazonaws.com", "b.with.dots", "k", false);
    s3("http://localhost:11111/b/k", "http://localhost:11111", "b", "k", false);
    s3("http://127.0.0.1:9000/b/d/k", "http://127.0.0.1:9000", "b", "d/k", false);
    s3("https://minio.example.com/b/k", "https://minio.example.com", "b", "k", false);
    s3("https://b.oss-cn-beijing.aliyuncs.com/k", "https://oss-cn-beijing.aliyuncs.com", "b", "k", true);
    s3("s3://b/d/k", "https://s3.amazonaws.com", "b", "d/k", true);
    s3("oss://b/k", "https://oss.aliyuncs.com", "b", "k", true);
}

#[test]
fn google_storage_is_known_by_its_host() {
    for url in [
        "gs://b/d/k",
        "https://storage.googleapis.com/b/d/k",
        "https://b.storage.googleapis.com/d/k",
        "https://storage.cloud.google.com/b/d/k",
    ] {
        let at = s3(url, "https://storage.googleapis.com", "b", "d/k", false);
        assert_eq!(at.provider, Provider::Gcs, "{url}");
    }
    let emulator = Location::parse_gcs("http://localhost:4443/b/k").expect("location");
    assert_eq!((emulator.provider, emulator.endpoint.as_str()), (Provider::Gcs, "http://localhost:4443"));
}

#[test]
fn globs_and_encoded_characters_come_through() {
    s3("http://h:1/b/{a,b}/*_{01..12}.csv", "http://h:1", "b", "{a,b}/*_{01..12}.csv", false);
    s3("http://h:1/b/part-?.csv", "http://h:1", "b", "part-?.csv", false);
    s3("http://h:1/b/a%20b%2Bc+d.csv", "http://h:1", "b", "a b+c+d.csv", false);
    s3("http://h:1/b/100%.csv", "http://h:1", "b", "100%.csv", false);
    s3("http://h:1/b/ü#1.csv", "http://h:1", "b", "ü#1.csv", false);
    let at = s3("http://h:1/b/k.csv?versionId=v%2B1", "http://h:1", "b", "k.csv", false);
    assert_eq!(at.version_id.as_deref(), Some("v+1"));
    let http = Location::parse_http("https://h/x/{1..3}.csv?token=a#frag").expect("location");
    assert_eq!((http.endpoint.as_str(), http.key.as_str()), ("https://h", "x/{1..3}.csv?token=a"));
}

#[test]
fn what_is_no_location_is_refused_with_what_is_expected() {
    for url in ["", "bucket/key", "ftp://h/b/k", "https:///b/k", "http://h:1/", "s3://", "http://h:1/b*/k"] {
        let error = Location::parse_s3(url).expect_err(url);
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS, "{url}: {error}");
    }
    assert!(Location::parse_http("s3://b/k").is_err());
    assert!(Location::parse_azure("nonsense", "c", "p").is_err());
    assert!(Location::parse_azure("https://a.blob.core.windows.net", "", "p").is_err());
    let error = Location::parse_s3("ftp://user:hunter2@h/b").expect_err("scheme");
    assert!(!error.message().contains("hunter2"), "A-1: {error}");
}

#[test]
fn azure_takes_urls_and_connection_strings() {
    let at = |account: &str| {
        let location = Location::parse_azure(account, "c", "/d/k").expect(account);
        (location.endpoint, location.bucket, location.key)
    };
    let cloud = ("https://a.blob.core.windows.net".to_string(), "c".to_string(), "d/k".to_string());
    assert_eq!(at("https://a.blob.core.windows.net"), cloud);
    assert_eq!(at("https://a.blob.core.windows.net/"), cloud);
    assert_eq!(at("https://a.blob.core.windows.net/c?sv=1&sig=2"), cloud);
    assert_eq!(at("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=a2V5;EndpointSuffix=core.windows.net"), cloud);
    let emulator = ("http://127.0.0.1:10000/devstoreaccount1".to_string(), "c".to_string(), "d/k".to_string());
    assert_eq!(at("http://127.0.0.1:10000/devstoreaccount1"), emulator);
    assert_eq!(at("UseDevelopmentStorage=true"), emulator);
}

#[test]
fn paths_are_made_absolute() {
    let key = |path: &str| Location::parse_file(path, Path::new("/base/dir")).expect(path).key;
    assert_eq!(key("a/b.csv"), "base/dir/a/b.csv");
    assert_eq!(key("./../*.csv"), "base/*.csv");
    assert_eq!(key("/x//y/./z"), "x/y/z");
    assert_eq!(key("file:///x/{1..3}.csv"), "x/{1..3}.csv");
    assert_eq!(Location::parse_file("a", Path::new("/base")).expect("path").display("base/a"), "/base/a");
    assert!(Location::parse_file("", Path::new("/base")).is_err());
}
