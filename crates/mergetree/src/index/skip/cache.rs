//! Chunks of indexes that were read, for the queries after: bounded by bytes, the least used going first.

use std::sync::Arc;

use gristmill_introspect::CacheReport;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::chunk::Chunk;

/// A chunk about this large is usual; it only sizes the cache's own tables.
const CHUNK_BYTES: u64 = 64 << 10;

/// A part's object, an index's key, and the number of the chunk. Objects never change and their names are never used again.
type Key = (Arc<str>, Arc<str>, u32);

#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<Key, Arc<Chunk>> for Bytes {
    fn weight(&self, key: &Key, chunk: &Arc<Chunk>) -> u64 {
        chunk.bytes + (key.0.len() + key.1.len()) as u64
    }
}

#[derive(Debug)]
pub struct SkipIndexCache {
    /// In bytes.
    limit: u64,
    chunks: Cache<Key, Arc<Chunk>, Bytes>,
}

impl SkipIndexCache {
    pub fn new(limit: u64) -> Self {
        SkipIndexCache { limit, chunks: Cache::with_weighter((limit / CHUNK_BYTES).max(1) as usize, limit, Bytes) }
    }

    pub fn get(&self, object: &Arc<str>, index: &Arc<str>, chunk: usize) -> Option<Arc<Chunk>> {
        self.chunks.get(&(object.clone(), index.clone(), chunk as u32))
    }

    pub fn put(&self, object: &Arc<str>, index: &Arc<str>, chunk: usize, data: Arc<Chunk>) {
        self.chunks.insert((object.clone(), index.clone(), chunk as u32), data);
    }

    pub fn clear(&self) {
        self.chunks.clear();
    }

    pub fn report(&self) -> CacheReport {
        CacheReport {
            bytes: self.chunks.weight(),
            entries: self.chunks.len() as u64,
            hits: self.chunks.hits(),
            misses: self.chunks.misses(),
            limit: self.limit,
        }
    }
}
