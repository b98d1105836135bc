//! Listing a prefix with several requests at a time, where a store cannot begin a listing after any key (Azure): folder by
//! folder.
//!
//! One request a folder would be dear where folders are small, and a listing that is one page long should be one request. So a
//! folder is listed flat at first. Only when a page of keys was not enough, and all of its keys lie in one folder below,
//! folders down there hold pages of keys: then the folder's own entries are asked for, and every folder among them is
//! listed in the same way, several at a time. Otherwise the flat listing goes on. The page that told it is read again in
//! its folder: to go on behind it would need the store's order of keys, which is not the same everywhere (with a
//! hierarchical namespace, `a/x` comes before `a-b/x`).
//!
//! Objects come in no set order. What waits is the names of at most a page of folders a level.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::{BoxStream, FuturesUnordered};
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use crate::backend::PageRequest;
use crate::store::{ObjectInfo, Store};

/// Folders that are listed at a time.
const FOLDERS_AT_ONCE: usize = 16;

/// Objects that were found, and what is to be listed for the others.
type Found = (Vec<ObjectInfo>, Vec<PageRequest>);

struct Listing {
    store: Store,
    context: Arc<QueryContext>,
    /// The last one is taken first: depth before width keeps the list short.
    waiting: Vec<PageRequest>,
    fetching: FuturesUnordered<BoxFuture<'static, Result<Found>>>,
}

/// Every object under the request's prefix, in no set order.
pub(crate) fn list(
    store: &Store,
    context: &Arc<QueryContext>,
    request: PageRequest,
) -> BoxStream<'static, Result<ObjectInfo>> {
    let fetching = FuturesUnordered::new();
    let listing = Listing { store: store.clone(), context: context.clone(), waiting: vec![request], fetching };
    stream::try_unfold(listing, |mut listing| async move {
        while listing.fetching.len() < FOLDERS_AT_ONCE
            && let Some(request) = listing.waiting.pop()
        {
            let step = step(listing.store.clone(), listing.context.clone(), request);
            let task = Task::on(&runtime::io(), step);
            listing.fetching.push(async move { task.join().await? }.boxed());
        }
        let Some(found) = listing.fetching.next().await else { return Ok::<_, Error>(None) };
        let (objects, more) = found?;
        listing.waiting.extend(more);
        Ok(Some((stream::iter(objects.into_iter().map(Ok)), listing)))
    })
    .try_flatten()
    .boxed()
}

/// The next page of a folder, or what the folder consists of.
async fn step(store: Store, context: Arc<QueryContext>, request: PageRequest) -> Result<Found> {
    let page = store.list_page(&context, &request).await?;
    let Some(token) = page.next else { return Ok((page.objects, Vec::new())) };
    let keys = page.objects.iter().map(|object| object.key.as_str());
    if request.token.is_none() && are_in_one_folder(&request.prefix, keys) {
        let own = store.list_page(&context, &PageRequest { delimited: true, ..request.clone() }).await?;
        if own.next.is_none() {
            let folders = own.prefixes.into_iter().map(|prefix| PageRequest { prefix, ..request.clone() });
            return Ok((own.objects, folders.collect()));
        }
    }
    Ok((page.objects, vec![PageRequest { token: Some(token), ..request }]))
}

/// Whether all keys go on with the same folder's name after the prefix.
fn are_in_one_folder<'a>(prefix: &str, keys: impl Iterator<Item = &'a str>) -> bool {
    let mut folders = keys.map(|key| key.get(prefix.len()..)?.split_once('/').map(|(folder, _)| folder));
    let Some(Some(first)) = folders.next() else { return false };
    folders.all(|folder| folder == Some(first))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    /// The keys that a listing brings, and how many requests it took.
    async fn listed(keys: &[String], keys_max: usize) -> (Vec<String>, Vec<PageRequest>) {
        let (store, context) = (Store::memory(), QueryContext::background("test"));
        for key in keys {
            store.put(&context, key, Bytes::new()).await.expect("put");
        }
        let (mut found, mut requests) = (Vec::new(), Vec::new());
        let mut waiting = vec![PageRequest { prefix: "d/".to_string(), keys_max, ..PageRequest::default() }];
        while let Some(request) = waiting.pop() {
            requests.push(request.clone());
            let (objects, more) = step(store.clone(), context.clone(), request).await.expect("a page");
            found.extend(objects.into_iter().map(|object| object.key));
            waiting.extend(more);
        }
        (found, requests)
    }

    fn keys(folders: usize, files: usize) -> Vec<String> {
        let of = |folder| (0..files).map(move |file| format!("d/{folder:03}/{file:03}"));
        (0..folders).flat_map(of).collect()
    }

    #[tokio::test]
    async fn large_folders_are_listed_beside_each_other() {
        let (found, requests) = listed(&keys(4, 30), 10).await;
        assert_eq!(found.len(), 120);
        let folders: Vec<&str> = requests.iter().filter(|r| r.token.is_none()).map(|r| r.prefix.as_str()).collect();
        assert_eq!(folders, ["d/", "d/003/", "d/002/", "d/001/", "d/000/"], "each from its beginning");
    }

    #[tokio::test]
    async fn small_folders_are_listed_flat() {
        let (found, requests) = listed(&keys(40, 3), 10).await;
        assert_eq!((found.len(), requests.len()), (120, 12), "a request a page");
        assert!(requests.iter().all(|request| request.prefix == "d/"));
    }

    #[tokio::test]
    async fn a_short_listing_is_one_request() {
        let (found, requests) = listed(&keys(1, 10), 10).await;
        assert_eq!((found.len(), requests.len()), (10, 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_key_comes_once_whatever_keys_look_like(
            keys in prop::collection::btree_set("[a-c/-]{0,7}", 0..300),
            keys_max in 1usize..12,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let keys: Vec<String> = keys.into_iter().map(|key| format!("d/{key}x")).collect();
            let mut found = runtime.block_on(async {
                let (store, context) = (Store::memory(), QueryContext::background("test"));
                for key in &keys {
                    store.put(&context, key, Bytes::new()).await.expect("put");
                }
                let request = PageRequest { prefix: "d/".to_string(), keys_max, ..PageRequest::default() };
                list(&store, &context, request).map_ok(|object| object.key).try_collect::<Vec<_>>().await
            }).expect("listed");
            found.sort();
            let mut keys = keys;
            keys.sort();
            prop_assert_eq!(found, keys);
        }
    }
}
