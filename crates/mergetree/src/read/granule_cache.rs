//! Decoded granules kept in memory (ClickHouse's cache of uncompressed blocks): one column of one granule of one part an
//! entry, as Arrow values that own their bytes. A part never changes and its object's name is never used again, so an entry
//! is never out of date.
//!
//! What is read once is only noted, and kept when it is read again (a doorkeeper, as in G. Einziger et al., "TinyLFU", 2017):
//! most queries are asked once, and keeping a granule copies it. What stays is decided by S3-FIFO (J. Yang et al., "FIFO
//! Queues are All You Need for Cache Eviction", 2023): what is read seldom passes through a small queue and pushes nothing
//! out that is read again and again.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use arrow::array::{Array, ArrayRef};
use gristmill_base::Result;
use gristmill_base::allocations;
use gristmill_introspect::CacheReport;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use xxhash_rust::xxh3::xxh3_128;

use crate::index::sparse::compact;

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

/// How columns of granules are best come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All are in memory.
    Kept,
    /// Each is in memory or was read before: what is missing is worth to be kept.
    Worth,
    Fresh,
}

pub struct GranuleCache {
    limit: u64,
    kept: Cache<GranuleKey, ArrayRef, ByMemory>,
    noted: Noted,
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
        GranuleCache { limit, kept: Cache::with_weighter(entries, limit, ByMemory), noted: Noted::default() }
    }

    pub fn is_off(&self) -> bool {
        self.limit == 0
    }

    pub fn get(&self, key: GranuleKey) -> Option<ArrayRef> {
        self.kept.get(&key)
    }

    /// Keeps a copy of the values that owns no more than their bytes, and gives it. It is no query's memory.
    pub fn put(&self, key: GranuleKey, values: &ArrayRef) -> Result<ArrayRef> {
        let _for_all = allocations::enter_none();
        let values = compact(values)?;
        self.kept.insert(key, values.clone());
        Ok(values)
    }

    pub fn way(&self, keys: impl Iterator<Item = GranuleKey>) -> Way {
        let mut way = Way::Kept;
        for key in keys {
            if !self.kept.contains_key(&key) {
                if !self.noted.has(&key) {
                    return Way::Fresh;
                }
                way = Way::Worth;
            }
        }
        way
    }

    /// These are read now.
    pub fn note(&self, keys: impl Iterator<Item = GranuleKey>) {
        keys.for_each(|key| self.noted.add(&key));
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub fn clear(&self) {
        self.kept.clear();
        self.noted.clear();
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

/// Keys that came by, most of them: a key has one place by its hash, where others may take its turn. A false "was here"
/// (one of two billion) keeps a granule too early.
#[derive(Default)]
struct Noted {
    hasher: BuildHasherDefault<DefaultHasher>,
    marks: OnceLock<Box<[AtomicU32]>>,
}

/// Keys that there is room for: as many columns of granules as a thousand columns of eight million rows have.
const NOTED_KEYS: usize = 1 << 20;

impl Noted {
    fn place_and_mark(&self, key: &GranuleKey) -> (usize, u32) {
        let hash = self.hasher.hash_one(key);
        // 0 stands for no key.
        (hash as usize % NOTED_KEYS, (hash >> 32) as u32 | 1)
    }

    fn has(&self, key: &GranuleKey) -> bool {
        let (place, mark) = self.place_and_mark(key);
        self.marks.get().is_some_and(|marks| marks[place].load(Relaxed) == mark)
    }

    fn add(&self, key: &GranuleKey) {
        let (place, mark) = self.place_and_mark(key);
        let marks = self.marks.get_or_init(|| {
            let _for_all = allocations::enter_none();
            (0..NOTED_KEYS).map(|_| AtomicU32::new(0)).collect()
        });
        marks[place].store(mark, Relaxed);
    }

    fn clear(&self) {
        self.marks.get().into_iter().flatten().for_each(|mark| mark.store(0, Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int64Array;

    use super::*;

    fn key(granule: u32) -> GranuleKey {
        GranuleKey { part: part_id("file:///a"), column: 0, granule }
    }

    #[test]
    fn what_is_read_again_is_worth_to_be_kept() {
        let cache = GranuleCache::new(1 << 20);
        let keys = || (0..3).map(key);
        assert_eq!(cache.way(keys()), Way::Fresh);
        cache.note(keys().skip(1));
        assert_eq!(cache.way(keys()), Way::Fresh, "one is new");
        cache.note(keys());
        assert_eq!(cache.way(keys()), Way::Worth);
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
        for key in keys() {
            cache.put(key, &values.slice(2, 3)).expect("copied");
        }
        assert_eq!(cache.way(keys()), Way::Kept);
        assert_eq!(&cache.get(key(0)).expect("kept"), &values.slice(2, 3));
        cache.clear();
        assert_eq!(cache.way(keys()), Way::Fresh);
    }

    #[test]
    fn it_never_takes_more_than_it_may() {
        let cache = GranuleCache::new(1 << 20);
        for granule in 0..1000 {
            let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
            cache.put(key(granule), &values).expect("copied");
        }
        let report = cache.report();
        assert!(report.bytes <= report.limit, "{report:?}");
        assert!(report.entries > 50, "{report:?}");
        cache.clear();
        assert_eq!((cache.report().bytes, cache.report().entries), (0, 0));
    }
}
