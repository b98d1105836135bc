//! Decoded granules kept in memory (ClickHouse's cache of uncompressed blocks): one column of one granule of one part an
//! entry, as Arrow values that own their bytes. A part never changes and its object's name is never used again, so an entry
//! is never out of date.
//!
//! What stays is decided by S3-FIFO (J. Yang et al., "FIFO Queues are All You Need for Cache Eviction", 2023): what is read
//! once passes through a small queue and pushes nothing out that is read again and again.

use arrow::array::{Array, ArrayRef};
use gristmill_introspect::CacheReport;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use xxhash_rust::xxh3::xxh3_128;

/// Bytes of an entry, about: for how many entries there is room at first.
const ENTRY_BYTES: u64 = 64 << 10;
/// Of an entry beside its values.
const OVERHEAD: u64 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GranuleKey {
    /// See `part_id`.
    pub part: u128,
    /// Its place in the part.
    pub column: u32,
    pub granule: u32,
}

/// What stands for a part's object: the hash of where it lies.
pub fn part_id(location: &str) -> u128 {
    xxh3_128(location.as_bytes())
}

#[derive(Clone, Debug)]
struct ByMemory;

impl Weighter<GranuleKey, ArrayRef> for ByMemory {
    fn weight(&self, _key: &GranuleKey, values: &ArrayRef) -> u64 {
        values.get_array_memory_size() as u64 + OVERHEAD
    }
}

pub struct GranuleCache {
    limit: u64,
    kept: Cache<GranuleKey, ArrayRef, ByMemory>,
}

impl std::fmt::Debug for GranuleCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GranuleCache({:?})", self.report())
    }
}

impl GranuleCache {
    /// `limit`: bytes that it may take; 0: it keeps nothing.
    pub fn new(limit: u64) -> GranuleCache {
        let entries = (limit / ENTRY_BYTES).max(1) as usize;
        GranuleCache { limit, kept: Cache::with_weighter(entries, limit, ByMemory) }
    }

    pub fn is_off(&self) -> bool {
        self.limit == 0
    }

    pub fn get(&self, key: GranuleKey) -> Option<ArrayRef> {
        self.kept.get(&key)
    }

    /// `values` must own no more than their bytes.
    pub fn put(&self, key: GranuleKey, values: ArrayRef) {
        self.kept.insert(key, values);
    }

    pub fn clear(&self) {
        self.kept.clear();
    }

    pub fn report(&self) -> CacheReport {
        CacheReport {
            bytes: self.kept.weight(),
            entries: self.kept.len() as u64,
            hits: self.kept.hits(),
            misses: self.kept.misses(),
            limit: self.limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int64Array;

    use super::*;

    #[test]
    fn it_never_takes_more_than_it_may() {
        let cache = GranuleCache::new(1 << 20);
        for granule in 0..1000 {
            let key = GranuleKey { part: part_id("file:///a"), column: 0, granule };
            cache.put(key, Arc::new(Int64Array::from_iter_values(0..1000)));
        }
        let report = cache.report();
        assert!(report.bytes <= report.limit, "{report:?}");
        assert!(report.entries > 50, "{report:?}");
        cache.clear();
        assert_eq!((cache.report().bytes, cache.report().entries), (0, 0));
    }
}
