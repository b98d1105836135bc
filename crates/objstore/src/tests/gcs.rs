//! GCS's XML API as Google documents it: put-object-upload, post-object-multipart, put-object-multipart,
//! post-object-complete, delete-multipart. No emulator at hand knows its writes, so a server here does; what emulators do
//! know, the end-to-end tests ask of fake-gcs-server.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use gristmill_base::redact::Secret;
use gristmill_introspect::Event;
use parking_lot::Mutex;

use super::faulty_server::{Action, FaultyServer, Received, object, xml_error};
use super::query;
use crate::{Credentials, Location, PutOutcome, Store};

#[derive(Default)]
struct Bucket {
    objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, BTreeMap<usize, Vec<u8>>>,
}

fn answer(status: u16, body: String) -> Action {
    let headers = vec![("ETag", "\"1\"".into()), ("x-goog-generation", "1".into())];
    Action::Answer { status, headers, body: body.into_bytes() }
}

impl Bucket {
    fn act(&mut self, request: &Received) -> Action {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        if request.header("authorization") != Some("Bearer t0ken") {
            return xml_error(401, "AuthenticationRequired");
        }
        match (request.method.as_str(), value("uploadId")) {
            ("POST", None) if query.starts_with("uploads") => {
                let id = format!("upload{}", self.uploads.len());
                self.uploads.insert(id.clone(), BTreeMap::new());
                answer(
                    200,
                    format!(
                        "<?xml version='1.0' encoding='UTF-8'?><InitiateMultipartUploadResult \
                         xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Bucket>bucket</Bucket><Key>k</Key>\
                         <UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                    ),
                )
            }
            ("PUT", Some(id)) => {
                let number = value("partNumber").and_then(|number| number.parse().ok()).expect("a part number");
                self.uploads.get_mut(id).expect("an upload").insert(number, request.body.clone());
                let headers = vec![("ETag", format!("\"part{number}\""))];
                Action::Answer { status: 200, headers, body: vec![] }
            }
            ("POST", Some(id)) => {
                let parts = self.uploads.remove(id).expect("an upload");
                let body = String::from_utf8_lossy(&request.body);
                for number in parts.keys() {
                    let part = format!("<ETag>\"part{number}\"</ETag><PartNumber>{number}</PartNumber>");
                    assert!(body.contains(&part), "{body}");
                }
                self.objects.insert(path.to_string(), parts.into_values().flatten().collect());
                answer(
                    200,
                    "<CompleteMultipartUploadResult><Location>x</Location><Bucket>bucket</Bucket><Key>k</Key>\
                     <ETag>\"whole\"</ETag></CompleteMultipartUploadResult>"
                        .to_string(),
                )
            }
            ("DELETE", Some(id)) => {
                self.uploads.remove(id);
                answer(204, String::new())
            }
            ("PUT", None) => {
                let only_new = request.header("x-goog-if-generation-match") == Some("0");
                if only_new && self.objects.contains_key(path) {
                    return xml_error(412, "PreconditionFailed");
                }
                self.objects.insert(path.to_string(), request.body.clone());
                answer(200, String::new())
            }
            _ => match self.objects.get(path) {
                Some(bytes) => object(request, bytes, "\"1\""),
                None => xml_error(404, "NoSuchKey"),
            },
        }
    }
}

async fn bucket() -> (Arc<Mutex<Bucket>>, FaultyServer, Store) {
    let bucket: Arc<Mutex<Bucket>> = Arc::default();
    let inside = bucket.clone();
    let server = FaultyServer::start(move |_, request| inside.lock().act(request)).await;
    let location = Location::parse_gcs(&format!("{}/bucket/key", server.url)).expect("location");
    let bearer = Credentials::Bearer(Secret::new("t0ken"));
    let store = Store::open(&location, &bearer, &[], &query(&[]).settings).expect("store");
    (bucket, server, store)
}

#[tokio::test(flavor = "multi_thread")]
async fn long_objects_go_in_parts_side_by_side() {
    let (bucket, _server, store) = bucket().await;
    let ctx = query(&[("s3_min_upload_part_size", "5242880")]);
    let whole: Vec<u8> = (0..(17u32 << 20)).map(|i| (i % 251) as u8).collect();
    let mut upload = store.upload(&ctx, "long");
    for piece in whole.chunks(3 << 20) {
        upload.write(Bytes::copy_from_slice(piece)).await.expect("write");
    }
    assert!(bucket.lock().objects.is_empty(), "nothing is visible before the end");
    let info = upload.finish().await.expect("finish");
    assert_eq!(info.size, Some(17 << 20));
    assert!(store.get(&ctx, "long").await.expect("get") == whole);
    assert_eq!(ctx.counters.get(Event::WriteBufferFromS3Bytes), 17 << 20);

    let mut upload = store.upload(&ctx, "given-up");
    upload.write(Bytes::from(whole)).await.expect("write");
    upload.abort().await.expect("abort");
    assert!(bucket.lock().uploads.is_empty() && bucket.lock().objects.len() == 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_writers_one_creates() {
    let (_bucket, _server, store) = bucket().await;
    let ctx = query(&[]);
    let first = store.put_if_absent(&ctx, "new", Bytes::from_static(b"one")).await.expect("put");
    assert!(matches!(first, PutOutcome::Created(_)));
    let second = store.put_if_absent(&ctx, "new", Bytes::from_static(b"two")).await.expect("put");
    assert_eq!(second, PutOutcome::AlreadyExists);
    assert_eq!(&store.get(&ctx, "new").await.expect("get")[..], b"one");
    store.put(&ctx, "new", Bytes::from_static(b"three")).await.expect("replace");
    assert_eq!(&store.get(&ctx, "new").await.expect("get")[..], b"three");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_presigned_url_is_written_with_a_put() {
    let server = FaultyServer::start(|_, _| answer(200, String::new())).await;
    let url = format!("{}/bucket/key?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=abc", server.url);
    let location = Location::parse_gcs(&url).expect("location");
    let ctx = query(&[]);
    let store = Store::open(&location, &Credentials::Environment, &[], &ctx.settings).expect("store");
    store.put(&ctx, &location.key, Bytes::from_static(b"x")).await.expect("put");
    let request = server.received().remove(0);
    assert_eq!((request.method.as_str(), &request.body[..]), ("PUT", &b"x"[..]));
}
