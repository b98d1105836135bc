//! What every store must do, run against each kind of store.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use gristmill_base::ErrorCode;
use gristmill_base::error::ErrorKind;
use gristmill_introspect::QueryContext;

use super::query;
use super::s3::bucket;
use crate::{Glob, ListEntry, PutOutcome, Store, find};

#[tokio::test(flavor = "multi_thread")]
async fn memory_does_what_a_store_must_do() {
    everything(&Store::memory()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_do_what_a_store_must_do() {
    let folder = tempfile::tempdir().expect("folder");
    everything(&Store::local(folder.path().join("not/there/yet"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_does_what_a_store_must_do() {
    let (_server, store) = bucket().await;
    everything(&store).await;
}

async fn everything(store: &Store) {
    let ctx = query(&[("s3_list_object_keys_size", "7")]);
    reads(store, &ctx).await;
    odd_keys(store, &ctx).await;
    listings(store, &ctx).await;
    globs(store, &ctx).await;
    conditional_writes(store, &ctx).await;
    uploads(store, &ctx).await;
    copies(store, &ctx).await;
    deletions(store, &ctx).await;
    if store.is_remote() {
        assert!(ctx.counters.nonzero().iter().any(|(event, _)| event.name() == "S3GetObject"));
    }
    assert_eq!(ctx.memory.used_bytes(), 0, "everything that was accounted for was given back");
}

fn pattern(length: usize) -> Bytes {
    (0..length).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect::<Vec<_>>().into()
}

async fn keys(store: &Store, ctx: &Arc<QueryContext>, prefix: &str) -> Vec<String> {
    store.list(ctx, prefix, None).map_ok(|info| info.key).try_collect().await.expect("listing")
}

async fn reads(store: &Store, ctx: &Arc<QueryContext>) {
    // Longer than one piece, so that pieces are fetched beside each other.
    let object = pattern(20 << 20);
    let written = store.put(ctx, "reads/object", object.clone()).await.expect("put");
    let info = store.head(ctx, "reads/object").await.expect("head");
    assert_eq!(info.size, Some(object.len() as u64));
    assert!(info.last_modified.is_some());
    assert_eq!(info.etag, written.etag);
    let etag = info.etag.as_deref();

    let length = object.len() as u64;
    let ranges = [5..9, 0..length, length - 1..length, 7..7, 1000..3_000_000, 5_000_000..5_000_001];
    let got = store.get_ranges(ctx, "reads/object", &ranges, etag).await.expect("ranges");
    for (range, bytes) in ranges.iter().zip(&got) {
        assert!(bytes == &object[range.start as usize..range.end as usize], "{range:?}");
    }
    assert_eq!(store.get_range(ctx, "reads/object", 3..6, None).await.expect("range"), object.slice(3..6));
    assert!(store.get(ctx, "reads/object").await.expect("whole") == object);

    for size in [None, Some(length)] {
        let (tail, info) = store.get_suffix(ctx, "reads/object", 100, size).await.expect("suffix");
        assert_eq!(tail, object.slice(object.len() - 100..));
        assert_eq!(info.size, Some(length));
        assert_eq!(info.etag.as_deref(), etag);
    }
    store.put(ctx, "reads/short", Bytes::from_static(b"abc")).await.expect("put");
    let (tail, info) = store.get_suffix(ctx, "reads/short", 100, None).await.expect("suffix");
    assert_eq!((&tail[..], info.size), (&b"abc"[..], Some(3)));

    store.put(ctx, "reads/empty", Bytes::new()).await.expect("put");
    assert_eq!(store.get(ctx, "reads/empty").await.expect("empty"), Bytes::new());
    let (tail, info) = store.get_suffix(ctx, "reads/empty", 100, None).await.expect("suffix of nothing");
    assert_eq!((tail.len(), info.size), (0, Some(0)));

    let error = store.get_range(ctx, "reads/short", 1..9, None).await.expect_err("shorter");
    assert!(error.message().contains("reads/short") && error.message().contains("shorter"), "{error}");
    store.put(ctx, "reads/object", Bytes::from_static(b"another")).await.expect("put");
    let error = store.get_range(ctx, "reads/object", 0..3, etag).await.expect_err("replaced");
    assert!(error.message().contains("replaced while it was being read"), "{error}");
    assert_eq!(error.kind(), ErrorKind::User);

    assert!(!store.exists(ctx, "reads/missing").await.expect("exists"));
    assert!(store.exists(ctx, "reads/short").await.expect("exists"));
    for error in [
        store.get(ctx, "reads/missing").await.expect_err("missing"),
        store.get_range(ctx, "reads/missing", 0..1, None).await.expect_err("missing"),
        store.head(ctx, "reads/missing").await.expect_err("missing"),
        store.get_suffix(ctx, "reads/missing", 1, None).await.expect_err("missing"),
    ] {
        let code = if store.is_remote() { ErrorCode::S3_ERROR } else { ErrorCode::FILE_DOESNT_EXIST };
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains("reads/missing"), "{error}");
    }
}

async fn odd_keys(store: &Store, ctx: &Arc<QueryContext>) {
    let names = ["a b+c", "ü/ß é", "100%", "a%20b", "q?x=1&y=2#z", "tilde~(1)", "star*{a,b}[0]", "'quoted\"\\", "@:;,=$!"];
    for name in names {
        let key = format!("odd/{name}");
        store.put(ctx, &key, Bytes::from(name.to_string())).await.expect(name);
        assert_eq!(store.get(ctx, &key).await.expect(name), name.as_bytes());
        assert_eq!(store.head(ctx, &key).await.expect(name).size, Some(name.len() as u64));
    }
    let mut wanted: Vec<String> = names.iter().map(|name| format!("odd/{name}")).collect();
    wanted.sort();
    assert_eq!(keys(store, ctx, "odd/").await, wanted);
}

async fn listings(store: &Store, ctx: &Arc<QueryContext>) {
    let mut wanted: Vec<String> = (0..25).map(|i| format!("list/{}/{i:02}", i % 4)).collect();
    wanted.extend(["list/a".to_string(), "list/a-b".to_string(), "list/a.d".to_string(), "lisu".to_string()]);
    wanted.push("list/a.d0/x".to_string());
    for key in &wanted {
        store.put(ctx, key, Bytes::from_static(b"x")).await.expect("put");
    }
    wanted.sort();
    let under = |prefix: &str| wanted.iter().filter(|key| key.starts_with(prefix)).cloned().collect::<Vec<_>>();
    for prefix in ["list/", "list/1/", "list/1/0", "list/a", "lis", "list/nothing", "nothing/at/all"] {
        assert_eq!(keys(store, ctx, prefix).await, under(prefix), "{prefix}");
    }
    let infos: Vec<crate::ObjectInfo> = store.list(ctx, "list/1/", None).try_collect().await.expect("listing");
    for listed in &infos {
        let mut told = store.head(ctx, &listed.key).await.expect("head");
        // Some servers list without ETags.
        told.etag = told.etag.filter(|_| listed.etag.is_some());
        assert_eq!(listed, &told, "a listing tells what HEAD tells");
    }

    let entries: Vec<ListEntry> = store.list_folder(ctx, "list/").try_collect().await.expect("listing");
    let folders: Vec<&str> = entries
        .iter()
        .filter_map(|entry| match entry {
            ListEntry::Folder(folder) => Some(folder.as_str()),
            ListEntry::Object(_) => None,
        })
        .collect();
    assert_eq!(folders, ["list/0/", "list/1/", "list/2/", "list/3/", "list/a.d0/"]);
    let direct: Vec<String> =
        store.list(ctx, "list/", Some("/")).map_ok(|info| info.key).try_collect().await.expect("listing");
    assert_eq!(direct, ["list/a", "list/a-b", "list/a.d"]);

    let after: Vec<ListEntry> =
        store.list_entries(ctx, "list/", false, Some("list/2/10")).try_collect().await.expect("listing");
    assert_eq!(after.len(), under("list/").iter().filter(|key| key.as_str() > "list/2/10").count());
}

async fn globs(store: &Store, ctx: &Arc<QueryContext>) {
    for year in [2020, 2021] {
        for month in [11, 12] {
            for file in ["a.csv", "b.csv", "c.tsv"] {
                let key = format!("glob/year={year}/month={month}/{file}");
                store.put(ctx, &key, Bytes::from_static(b"x")).await.expect("put");
            }
        }
    }
    for (pattern, count) in [
        ("glob/year=2020/month=12/a.csv", 1),
        ("glob/year={2020..2021}/month=12/{a,b}.csv", 4),
        ("glob/year=*/month=12/*.csv", 4),
        ("glob/year=2021/*/*", 6),
        ("glob/**", 12),
        ("glob/**.tsv", 4),
        ("glob/*", 0),
        ("glob/year=202{0,1}/month=1?/?.csv", 8),
        ("glob/{year=2020,year=20*}/month=11/a.csv", 2),
        ("nothing/*", 0),
    ] {
        let glob = Glob::parse(pattern).expect(pattern);
        let found: Vec<_> = find(store, ctx, &glob).map(|info| info.expect(pattern).key).collect().await;
        assert_eq!(found.len(), count, "{pattern}: {found:?}");
        assert!(found.iter().all(|key| glob.matches(key)), "{pattern}: {found:?}");
    }
}

async fn conditional_writes(store: &Store, ctx: &Arc<QueryContext>) {
    let writers = (0..16).map(|i| {
        let (store, ctx) = (store.clone(), ctx.clone());
        tokio::spawn(async move { store.put_if_absent(&ctx, "once/only", Bytes::from(format!("writer {i}"))).await })
    });
    let mut created = Vec::new();
    for (i, writer) in writers.collect::<Vec<_>>().into_iter().enumerate() {
        match writer.await.expect("task").expect("put") {
            PutOutcome::Created(_) => created.push(i),
            PutOutcome::AlreadyExists => {}
        }
    }
    let there = store.get(ctx, "once/only").await.expect("get");
    // The server that stands in for S3 checks before it writes, so two of its writers may both be told yes.
    if !store.is_remote() {
        assert_eq!(created.len(), 1);
    }
    assert!(created.iter().any(|i| there == format!("writer {i}")), "{there:?}, {created:?}");
    let again = store.put_if_absent(ctx, "once/only", Bytes::from_static(b"late")).await.expect("put");
    assert_eq!(again, PutOutcome::AlreadyExists);
    assert_eq!(store.get(ctx, "once/only").await.expect("get"), there);
}

async fn uploads(store: &Store, ctx: &Arc<QueryContext>) {
    let settings = [("s3_min_upload_part_size", "5242880"), ("s3_max_inflight_parts_for_one_file", "2")];
    let small = query(&settings);
    let object = pattern(23 << 20);
    let mut upload = store.upload(&small, "up/long");
    // Pieces of odd lengths, among them one longer than a part.
    let mut left = object.clone();
    for length in [1, 3 << 20, 6 << 20, 11 << 20, 777_777].into_iter().chain(std::iter::repeat(500_000)) {
        if left.is_empty() {
            break;
        }
        upload.write(left.split_to(length.min(left.len()))).await.expect("write");
        assert!(!store.exists(ctx, "up/long").await.expect("exists"), "nothing is visible before the end");
    }
    assert_eq!(upload.bytes(), object.len() as u64);
    let info = upload.finish().await.expect("finish");
    assert_eq!(info.size, Some(object.len() as u64));
    assert!(store.get(ctx, "up/long").await.expect("get") == object);
    assert!(small.memory.peak_bytes() > 0 && small.memory.used_bytes() == 0);

    let mut upload = store.upload(&small, "up/short");
    upload.write(Bytes::from_static(b"ab")).await.expect("write");
    upload.write(Bytes::from_static(b"c")).await.expect("write");
    upload.finish().await.expect("finish");
    assert_eq!(&store.get(ctx, "up/short").await.expect("get")[..], b"abc");
    store.upload(&small, "up/empty").finish().await.expect("finish");
    assert_eq!(store.head(ctx, "up/empty").await.expect("head").size, Some(0));

    let mut upload = store.upload(&small, "up/given-up");
    upload.write(object.slice(..12 << 20)).await.expect("write");
    upload.abort().await.expect("abort");
    let mut upload = store.upload(&small, "up/dropped");
    upload.write(object.slice(..12 << 20)).await.expect("write");
    drop(upload);
    assert_eq!(keys(store, ctx, "up/").await, ["up/empty", "up/long", "up/short"]);

    // Parts wait for one another rather than break the limit of memory.
    let narrow = query(&[settings[0], ("max_memory_usage", "12000000"), ("s3_max_inflight_parts_for_one_file", "100")]);
    let mut upload = store.upload(&narrow, "up/narrow");
    for start in (0..object.len()).step_by(1 << 20) {
        upload.write(object.slice(start..start + (1 << 20))).await.expect("write");
    }
    upload.finish().await.expect("finish");
    assert!(store.get(ctx, "up/narrow").await.expect("get") == object);
    assert!(narrow.memory.peak_bytes() <= 12_000_000);
}

async fn copies(store: &Store, ctx: &Arc<QueryContext>) {
    let object = pattern(3 << 20);
    let length = object.len() as u64;
    store.put(ctx, "copies/from", object.clone()).await.expect("put");
    store.copy(ctx, "copies/from", "copies/a folder/to", length).await.expect("copy");
    store.copy(ctx, "copies/from", "copies/a folder/to", length).await.expect("the same once more");
    store.delete(ctx, "copies/from").await.expect("delete");
    assert!(store.get(ctx, "copies/a folder/to").await.expect("get") == object);
    let error = store.copy(ctx, "copies/from", "copies/never", length).await.expect_err("the object is gone");
    assert!(error.to_string().contains("copies/from"), "{error}");
    assert_eq!(keys(store, ctx, "copies/").await, ["copies/a folder/to"]);
    store.delete(ctx, "copies/a folder/to").await.expect("delete");
}

async fn deletions(store: &Store, ctx: &Arc<QueryContext>) {
    let names: Vec<String> = (0..20).map(|i| format!("gone/{i}")).collect();
    for name in &names {
        store.put(ctx, name, Bytes::from_static(b"x")).await.expect("put");
    }
    store.delete(ctx, "gone/0").await.expect("delete");
    store.delete(ctx, "gone/0").await.expect("deleting what is gone is no error");
    store.delete_many(ctx, &names[..19]).await.expect("delete many");
    assert_eq!(keys(store, ctx, "gone/").await, ["gone/19"]);
    store.delete_many(ctx, &[]).await.expect("nothing to delete");
}
