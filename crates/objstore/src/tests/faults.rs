//! Servers that fail: the right answer after trying again, or a clear error, and never half an answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt;
use gristmill_base::ErrorCode;
use gristmill_base::error::ErrorKind;
use gristmill_introspect::Event;
use parking_lot::Mutex;

use super::faulty_server::{Action, FaultyServer, Received, object, object_parts, xml_error};
use super::query;
use crate::{Credentials, Location, PutOutcome, Store};

fn content() -> Vec<u8> {
    (0..1_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn open(server: &FaultyServer) -> Store {
    let location = Location::parse_s3(&format!("{}/bucket/key", server.url)).expect("location");
    Store::open(&location, &Credentials::Anonymous, &[], &query(&[]).settings).expect("store")
}

/// A server whose first requests meet a fault and that is well afterwards.
async fn recovering(faults: usize, fault: impl Fn(&Received) -> Action + Send + Sync + 'static) -> FaultyServer {
    FaultyServer::start(
        move |number, request| {
            if number < faults { fault(request) } else { object(request, &content(), "\"v1\"") }
        },
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_passes_is_tried_again() {
    type Fault = Box<dyn Fn(&Received) -> Action + Send + Sync>;
    let cut = |request: &Received| {
        let (status, headers, mut body) = object_parts(request, &content(), "\"v1\"");
        let says = body.len();
        body.truncate(says / 2);
        Action::Cut { headers, status, says, body }
    };
    let stall_within = |request: &Received| {
        let (status, headers, mut body) = object_parts(request, &content(), "\"v1\"");
        let says = body.len();
        body.truncate(says / 2);
        Action::StallAfter { headers, status, says, body }
    };
    let faults: Vec<(&str, Fault)> = vec![
        ("SlowDown", Box::new(|_| xml_error(503, "SlowDown"))),
        ("too many requests", Box::new(|_| xml_error(429, "TooManyRequests"))),
        ("internal error", Box::new(|_| xml_error(500, "InternalError"))),
        ("bad gateway", Box::new(|_| Action::Answer { status: 502, headers: vec![], body: vec![] })),
        ("reset", Box::new(|_| Action::Reset)),
        ("cut short", Box::new(cut)),
        ("no answer", Box::new(|_| Action::Stall)),
        ("stall in the middle", Box::new(stall_within)),
    ];
    for (name, fault) in faults {
        let server = recovering(3, fault).await;
        let ctx = query(&[("s3_request_timeout_ms", "150")]);
        let bytes = open(&server).get_range(&ctx, "key", 10..500_000, None).await.expect(name);
        assert!(bytes == content()[10..500_000], "{name}");
        assert_eq!(server.received().len(), 4, "{name}");
        assert_eq!(ctx.counters.get(Event::S3GetObject), 4, "{name}: every attempt is counted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_is_counted_and_lowers_the_limit_of_the_endpoint() {
    let server = recovering(2, |_| xml_error(503, "SlowDown")).await;
    let ctx = query(&[]);
    open(&server).get_range(&ctx, "key", 0..10, None).await.expect("read");
    assert_eq!(ctx.counters.get(Event::S3ReadRequestsThrottling), 2);
    assert_eq!(ctx.counters.get(Event::S3ReadRequestsErrors), 0);
    let limit = crate::endpoint::Endpoint::of(&server.url, 1024).limiter.limit();
    assert_eq!(limit, 64, "256, halved twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_takes_unusually_long_is_sent_a_second_time() {
    // The 31st request is never answered; all others are, at once.
    let server = FaultyServer::start(
        |number, request| {
            if number == 30 { Action::Stall } else { object(request, &content(), "\"v1\"") }
        },
    )
    .await;
    let store = open(&server);
    let ctx = query(&[]);
    for _ in 0..30 {
        store.get_range(&ctx, "key", 0..10, None).await.expect("read");
    }
    let bytes = store.get_range(&ctx, "key", 5..500, None).await.expect("the second request is answered");
    assert!(bytes == content()[5..500]);
    assert_eq!(ctx.counters.get(Event::ObjectStorageHedgedRequests), 1);
    assert_eq!(ctx.counters.get(Event::ObjectStorageHedgesWon), 1);
    assert_eq!(server.received().len(), 32);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_hedging_only_the_time_limit_ends_a_wait() {
    let server = FaultyServer::start(
        |number, request| {
            if number == 30 { Action::Stall } else { object(request, &content(), "\"v1\"") }
        },
    )
    .await;
    let store = open(&server);
    let ctx = query(&[("object_read_hedging", "0"), ("s3_request_timeout_ms", "1000")]);
    for _ in 0..31 {
        store.get_range(&ctx, "key", 0..10, None).await.expect("read");
    }
    assert_eq!(ctx.counters.get(Event::ObjectStorageHedgedRequests), 0);
    assert_eq!(ctx.counters.get(Event::S3ReadRequestRetryableErrors), 1, "it was given up and tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_would_cost_too_much_is_not_sent() {
    let server = recovering(0, |_| Action::Reset).await;
    let store = open(&server);
    // Half a dollar for a thousand reads: three of them are 0.0015 dollars.
    let ctx = query(&[("object_storage_prices", "* read=0.5"), ("max_query_cost_usd", "0.0016")]);
    for _ in 0..3 {
        store.get_range(&ctx, "key", 0..10, None).await.expect("read");
    }
    let error = store.get_range(&ctx, "key", 0..10, None).await.expect_err("too dear");
    assert_eq!(error.code(), ErrorCode::LIMIT_EXCEEDED);
    assert!(error.message().contains("max_query_cost_usd = 0.0016"), "{error}");
    assert_eq!(server.received().len(), 3);
    assert!((ctx.cost_usd() - 0.0015).abs() < 1e-9, "{}", ctx.cost_usd());
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_keep_to_the_rate_that_is_set() {
    let server = recovering(0, |_| Action::Reset).await;
    let store = open(&server);
    let ctx = query(&[("s3_max_get_rps", "1"), ("s3_max_get_burst", "1")]);
    for _ in 0..2 {
        store.get_range(&ctx, "key", 0..10, None).await.expect("read");
    }
    assert!(ctx.counters.get(Event::S3GetRequestThrottlerSleepMicroseconds) > 0, "the second waited");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_that_does_not_end_is_an_error_after_the_attempts_that_are_set() {
    let server = recovering(usize::MAX, |_| xml_error(503, "SlowDown")).await;
    let ctx = query(&[("s3_retry_attempts", "2")]);
    let error = open(&server).get_range(&ctx, "key", 0..10, None).await.expect_err("storm");
    assert_eq!(error.code(), ErrorCode::S3_ERROR);
    assert_eq!(error.kind(), ErrorKind::Transient);
    assert!(error.message().contains("SlowDown") && error.message().contains("tried 3 times"), "{error}");
    assert_eq!(server.received().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_server_is_given_up_and_a_cancelled_query_does_not_wait() {
    let server = recovering(usize::MAX, |_| Action::Stall).await;
    let store = open(&server);
    let ctx = query(&[("s3_retry_attempts", "1"), ("s3_request_timeout_ms", "100")]);
    let error = store.get_range(&ctx, "key", 0..10, None).await.expect_err("stalled");
    assert_eq!(error.code(), ErrorCode::S3_ERROR);
    assert!(error.message().contains("s3_request_timeout_ms"), "{error}");

    let ctx = query(&[]);
    let (cancel, reader) = (ctx.cancel.clone(), ctx.clone());
    let reading = tokio::spawn(async move { store.get_range(&reader, "key", 0..10, None).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    cancel.cancel();
    let error =
        tokio::time::timeout(Duration::from_secs(10), reading).await.expect("soon").expect("task").expect_err("cancelled");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_goes_on_where_it_broke() {
    // Each answer brings at most 300,000 bytes, then the connection ends.
    let server = FaultyServer::start(|_, request| {
        let (status, headers, mut body) = object_parts(request, &content(), "\"v1\"");
        let says = body.len();
        body.truncate(300_000);
        Action::Cut { headers, status, says, body }
    })
    .await;
    let ctx = query(&[]);
    let stream = open(&server).get_stream(&ctx, "key").await.expect("stream");
    assert_eq!(stream.info.size, Some(1_000_000));
    let chunks: Vec<Bytes> = stream.bytes.try_collect().await.expect("whole");
    assert!(chunks.concat() == content());
    let requests = server.received();
    let asked: Vec<_> = requests.iter().map(|request| (request.header("range"), request.header("if-match"))).collect();
    assert_eq!(
        asked,
        [
            (None, None),
            (Some("bytes=300000-"), Some("\"v1\"")),
            (Some("bytes=600000-"), Some("\"v1\"")),
            (Some("bytes=900000-"), Some("\"v1\"")),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_replaced_while_it_is_read_is_never_mixed() {
    let server = FaultyServer::start(|number, request| {
        if number == 0 {
            let (status, headers, mut body) = object_parts(request, &content(), "\"v1\"");
            let says = body.len();
            body.truncate(300_000);
            return Action::Cut { headers, status, says, body };
        }
        object(request, &vec![0; 1_000_000], "\"v2\"")
    })
    .await;
    let ctx = query(&[]);
    let stream = open(&server).get_stream(&ctx, "key").await.expect("stream");
    let error = stream.bytes.try_collect::<Vec<_>>().await.expect_err("replaced");
    assert!(error.message().contains("replaced while it was being read"), "{error}");
    assert_eq!(server.received().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_answer_was_lost_is_known_again_by_its_bytes() {
    for (holds, outcome) in [("mine", true), ("of another", false)] {
        let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
        let store = kept.clone();
        let server = FaultyServer::start(move |number, request| match (number, request.method.as_str()) {
            (0, "PUT") => {
                // It is written, by this one or by another, and the answer does not come through.
                *store.lock() = if holds == "mine" { request.body.clone() } else { holds.into() };
                Action::Reset
            }
            (_, "PUT") => {
                assert_eq!(request.header("if-none-match"), Some("*"));
                xml_error(412, "PreconditionFailed")
            }
            _ => object(request, &store.lock(), "\"v1\""),
        })
        .await;
        let ctx = query(&[]);
        let put = open(&server).put_if_absent(&ctx, "manifest/1", Bytes::from_static(b"mine")).await.expect("put");
        assert_eq!(matches!(put, PutOutcome::Created(_)), outcome, "{holds}: {put:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_that_meet_are_told_to_try_again() {
    let server = FaultyServer::start(|number, _| {
        if number < 2 {
            return xml_error(409, "ConditionalRequestConflict");
        }
        Action::Answer { status: 200, headers: vec![("ETag", "\"1\"".into())], body: vec![] }
    })
    .await;
    let put = open(&server).put_if_absent(&query(&[]), "manifest/1", Bytes::from_static(b"x")).await.expect("put");
    assert!(matches!(put, PutOutcome::Created(_)));
    assert_eq!(server.received().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_are_not_there_are_told_apart() {
    let ctx = query(&[("s3_retry_attempts", "1")]);
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
        listener.local_addr().expect("address")
    };
    for (url, code) in [
        (format!("http://{closed}/bucket/key"), ErrorCode::S3_ERROR),
        ("http://no-such-host.invalid/bucket/key".to_string(), ErrorCode::DNS_ERROR),
    ] {
        let location = Location::parse_s3(&url).expect("location");
        let store = Store::open(&location, &Credentials::Anonymous, &[], &ctx.settings).expect("store");
        let error = store.get_range(&ctx, "key", 0..1, None).await.expect_err("nobody there");
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.kind(), ErrorKind::Transient);
    }
}

/// What S3 does where a part's bytes had all arrived: the part is stored behind the abort, and the upload is there again.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_aborted_again_where_parts_were_on_their_way() {
    let aborts = Arc::new(Mutex::new(0));
    let counted = aborts.clone();
    let server = FaultyServer::start(move |_, request| match request.method.as_str() {
        "POST" => {
            let id = "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>half</Key><UploadId>u1</UploadId>\
                      </InitiateMultipartUploadResult>";
            Action::Answer { status: 200, headers: vec![], body: id.into() }
        }
        "PUT" => Action::Stall,
        _ => {
            *counted.lock() += 1;
            match *counted.lock() {
                // Gone; there again; gone for good.
                1 | 2 => Action::Answer { status: 204, headers: vec![], body: vec![] },
                _ => xml_error(404, "NoSuchUpload"),
            }
        }
    })
    .await;
    let ctx = query(&[("s3_min_upload_part_size", "5242880")]);
    let mut upload = open(&server).upload(&ctx, "half");
    upload.write(Bytes::from(vec![1; 6 << 20])).await.expect("the first part is sent beside");
    while !server.received().iter().any(|request| request.method == "PUT") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    upload.abort().await.expect("abort");
    gristmill_base::runtime::tidied(Duration::from_secs(60)).await;
    assert_eq!(*aborts.lock(), 3);
}
