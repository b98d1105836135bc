//! Listing a prefix with several requests at a time.
//!
//! A store gives a listing a page at a time, each after the one before: ten million keys are ten thousand round trips one
//! after another. But it gives the page after any key at once. So a listing begins as one range of keys, and a range
//! that has brought some pages and goes on is split: its front half goes on where it is, and the back half is listed
//! beside it, and is split in its turn.
//!
//! Where to split is a guess at the middle between the last key seen and the end of the range, as if keys were numbers whose
//! digits are the characters seen so far. Where the end is not known, it is guessed as well: the keys that share what the
//! first key and the last one seen share. That is too near, never too far, so what is split off is hardly ever empty, and
//! grows by a digit at a time.
//!
//! Pages come in no set order. What is held is one page for each range being listed.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::{BoxStream, FuturesUnordered};
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use gristmill_base::Result;
use gristmill_base::runtime::{self, Task};
use gristmill_introspect::QueryContext;

use crate::backend::{Page, PageRequest};
use crate::store::{ObjectInfo, Store};

/// Pages of a range before it is split for the first time: a short listing stays as few requests as it can be.
const PAGES_BEFORE_SPLIT: u32 = 3;
/// Ranges that are listed at a time.
const RANGES_MAX: usize = 16;
/// Characters that a guess is made of.
const DIGITS: usize = 6;

/// Keys after the last one listed and before `until`.
struct KeyRange {
    request: PageRequest,
    until: Option<String>,
    pages: u32,
}

struct Listing {
    store: Store,
    context: Arc<QueryContext>,
    fetching: FuturesUnordered<BoxFuture<'static, Result<(KeyRange, Page)>>>,
    alphabet: BTreeSet<char>,
    first_key: Option<String>,
    failed: bool,
}

/// Every object under a prefix, in no set order.
pub(crate) fn list(
    store: &Store,
    context: &Arc<QueryContext>,
    request: PageRequest,
) -> BoxStream<'static, Result<ObjectInfo>> {
    let listing = Listing {
        store: store.clone(),
        context: context.clone(),
        fetching: FuturesUnordered::new(),
        alphabet: BTreeSet::new(),
        first_key: None,
        failed: false,
    };
    listing.fetch(KeyRange { request, until: None, pages: 0 });
    stream::unfold(listing, |mut listing| async move {
        if listing.failed {
            return None;
        }
        let objects = match listing.fetching.next().await? {
            Ok((range, page)) => Ok(listing.came(range, page)),
            Err(error) => {
                listing.failed = true;
                Err(error)
            }
        };
        Some((objects.map(|objects| stream::iter(objects.into_iter().map(Ok))), listing))
    })
    .try_flatten()
    .boxed()
}

impl Listing {
    /// Asks for the next page of a range, whether or not anybody waits for it yet.
    fn fetch(&self, range: KeyRange) {
        let (store, context) = (self.store.clone(), self.context.clone());
        let page = async move {
            let page = store.list_page(&context, &range.request).await?;
            Ok((range, page))
        };
        let task = Task::on(&runtime::io(), page);
        self.fetching.push(async move { task.join().await? }.boxed());
    }

    /// Takes a page: its objects that lie in the range; the rest of the range is asked for.
    fn came(&mut self, mut range: KeyRange, page: Page) -> Vec<ObjectInfo> {
        let mut objects = page.objects;
        // Alike keys have alike characters: some of them tell the alphabet.
        let prefix_bytes = range.request.prefix.len();
        for object in objects.iter().step_by(97).chain(objects.last()) {
            self.alphabet.extend(object.key.get(prefix_bytes..).unwrap_or("").chars());
        }
        let last = objects.last().map(|object| object.key.clone());
        if let Some(until) = &range.until {
            objects.truncate(objects.partition_point(|object| object.key < *until));
        }
        if self.first_key.is_none() {
            self.first_key = objects.first().map(|object| object.key.clone());
        }
        let passed_end = last.as_ref().zip(range.until.as_ref()).is_some_and(|(last, until)| last >= until);
        let (Some(token), Some(last), false) = (page.next, last, passed_end) else {
            return objects;
        };
        range.request.token = Some(token);
        range.pages += 1;
        if range.pages >= PAGES_BEFORE_SPLIT
            && self.fetching.len() + 1 < RANGES_MAX
            && let Some(middle) = self.middle(&last, range.until.as_deref())
        {
            let back = PageRequest { token: None, start_after: Some(middle.clone()), ..range.request.clone() };
            // Keys equal to the middle belong to the front: the back half begins after it.
            let front_until = format!("{middle}\0");
            let until = range.until.replace(front_until);
            self.fetch(KeyRange { request: back, until, pages: 1 });
            range.pages = 1;
        }
        self.fetch(range);
        objects
    }

    /// A key about half way between the last one seen and the end; `None` where no key can be made up there.
    fn middle(&self, last: &str, until: Option<&str>) -> Option<String> {
        let alphabet: Vec<char> = self.alphabet.iter().copied().collect();
        if alphabet.len() < 2 {
            return None;
        }
        if let Some(until) = until {
            return between(last, until, &alphabet);
        }
        let first = self.first_key.as_deref()?;
        let mut shared = common_prefix(first, last);
        loop {
            // Behind everything that begins with what is shared.
            let end = format!("{shared}\u{10ffff}");
            if let Some(middle) = between(last, &end, &alphabet) {
                return Some(middle);
            }
            let (at, _) = shared.char_indices().next_back()?;
            shared = &shared[..at];
        }
    }
}

fn common_prefix<'a>(a: &'a str, b: &str) -> &'a str {
    let end = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    &a[..end.unwrap_or(a.len().min(b.len()))]
}

/// A text between two others, of which the first is the less.
fn between(from: &str, to: &str, alphabet: &[char]) -> Option<String> {
    let shared = common_prefix(from, to);
    let number = |text: &str| {
        let mut chars = text.get(shared.len()..).unwrap_or("").chars();
        (0..DIGITS).fold(0u128, |number, _| {
            let digit = chars.next().map_or(0, |c| alphabet.partition_point(|known| *known < c));
            number * alphabet.len() as u128 + digit as u128
        })
    };
    let mut middle = (number(from) + number(to)) / 2;
    let mut digits = Vec::with_capacity(DIGITS);
    for _ in 0..DIGITS {
        digits.push(alphabet[(middle % alphabet.len() as u128) as usize]);
        middle /= alphabet.len() as u128;
    }
    if middle > 0 {
        return None;
    }
    let text: String = shared.chars().chain(digits.into_iter().rev()).collect();
    (from < text.as_str() && text.as_str() < to).then_some(text)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    async fn store_of(keys: &[String]) -> (Store, Arc<QueryContext>) {
        let (store, context) = (Store::memory(), QueryContext::background("test"));
        for key in keys {
            store.put(&context, key, Bytes::new()).await.expect("put");
        }
        (store, context)
    }

    fn request(prefix: &str, keys_max: usize) -> PageRequest {
        PageRequest { prefix: prefix.to_string(), keys_max, ..PageRequest::default() }
    }

    #[test]
    fn the_middle_is_a_guess_by_the_characters_seen() {
        let digits: Vec<char> = ('0'..='9').collect();
        assert_eq!(between("a/0100", "a/0900", &digits).as_deref(), Some("a/0500000"));
        assert_eq!(between("a/3", "a/3", &digits), None);
        assert_eq!(between("a/9999999", "a/\u{10ffff}", &digits), None);
    }

    #[tokio::test]
    async fn a_long_listing_is_read_in_several_ranges_at_a_time() {
        let keys: Vec<String> = (0..2_000).map(|number| format!("data/part-{number:08}.parquet")).collect();
        let (store, context) = store_of(&keys).await;
        let mut listing = Box::pin(list(&store, &context, request("data/", 10)));
        let mut listed = Vec::new();
        let mut disorder = 0;
        while let Some(object) = listing.try_next().await.expect("listed") {
            disorder += usize::from(listed.last().is_some_and(|last| *last > object.key));
            listed.push(object.key);
        }
        assert!(disorder > 20, "pages of several ranges come mixed: {disorder}");
        listed.sort();
        assert_eq!(listed, keys);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_key_comes_once_whatever_keys_look_like(
            keys in prop::collection::btree_set("[a-cé0-9/]{0,7}", 0..300),
            keys_max in 1usize..12,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let mut keys: Vec<String> = keys.into_iter().map(|key| format!("p/{key}x")).collect();
            keys.sort();
            let mut listed = runtime.block_on(async {
                let (store, context) = store_of(&keys).await;
                list(&store, &context, request("p/", keys_max)).map_ok(|object| object.key).try_collect::<Vec<_>>().await
            }).expect("listed");
            listed.sort();
            prop_assert_eq!(listed, keys);
        }
    }
}
