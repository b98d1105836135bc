//! Listings that were read a moment ago. A dashboard sends ten queries over one pattern at once, and an interactive user one
//! after another: for `object_listing_cache_ms` (one second unless set; 0 turns it off) they share one listing.
//!
//! A file that another process writes may therefore be seen that much later. What this process writes to the endpoint is seen
//! at once: any write makes the endpoint's listings old. A file that was replaced is told by its ETag, as ever. Only
//! complete listings of object stores are kept: a folder is listed faster than it is looked up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::Result;
use gristmill_introspect::{CacheReport, Event, QueryContext};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::object::files::{Files, ListQuery};

#[derive(Clone, PartialEq, Eq, Hash)]
struct ListingKey {
    /// The store, with its credentials: what one user may list is not another's.
    store: u64,
    pattern: String,
    skips_empty: bool,
}

#[derive(Clone)]
struct Kept {
    files: Files,
    at: Instant,
    /// What the endpoint's count of writes was when the listing began.
    writes: u64,
}

#[derive(Clone)]
struct ByMemory;

impl Weighter<ListingKey, Kept> for ByMemory {
    fn weight(&self, key: &ListingKey, kept: &Kept) -> u64 {
        let files = kept.files.known().iter().map(|file| (file.key.len() + file.path.len()) as u64 + 160);
        key.pattern.len() as u64 + 64 + files.sum::<u64>()
    }
}

pub struct Listings {
    kept: Cache<ListingKey, Kept, ByMemory>,
}

impl Listings {
    pub fn new(bytes: u64) -> Self {
        Listings { kept: Cache::with_weighter(1_000, bytes, ByMemory) }
    }

    pub fn report(&self) -> CacheReport {
        CacheReport {
            bytes: self.kept.weight(),
            entries: self.kept.len() as u64,
            hits: self.kept.hits(),
            misses: self.kept.misses(),
            limit: self.kept.capacity(),
        }
    }

    /// The files of a pattern, from memory where they were listed just now.
    pub async fn files(&self, query: &ListQuery, context: &Arc<QueryContext>) -> Result<Files> {
        let lifetime = Duration::from_millis(context.settings.object_listing_cache_ms);
        if lifetime.is_zero() || !query.store.is_remote() {
            return query.run(context).await;
        }
        let key =
            ListingKey { store: query.store.id(), pattern: query.glob.as_str().to_string(), skips_empty: query.skips_empty };
        let (now, writes) = (context.env.instant(), query.store.writes());
        if let Some(kept) = self.kept.get(&key)
            && kept.writes == writes
            && now.saturating_duration_since(kept.at) < lifetime
        {
            context.counters.add(Event::ObjectListingCacheHits, 1);
            return Ok(kept.files.unopened());
        }
        context.counters.add(Event::ObjectListingCacheMisses, 1);
        let files = query.run(context).await?;
        if files.is_complete() {
            self.kept.insert(key, Kept { files: files.unopened(), at: context.env.instant(), writes });
        }
        Ok(files)
    }

    pub fn clear(&self) {
        self.kept.clear();
    }
}
