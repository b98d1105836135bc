//! Chunks of indexes that were read, for the queries after: bounded by bytes, the least used going first.

use std::sync::Arc;

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
pub struct SkipIndexCache(Cache<Key, Arc<Chunk>, Bytes>);

impl SkipIndexCache {
    pub fn new(bytes_max: u64) -> Self {
        SkipIndexCache(Cache::with_weighter((bytes_max / CHUNK_BYTES).max(1) as usize, bytes_max, Bytes))
    }

    pub fn get(&self, object: &Arc<str>, index: &Arc<str>, chunk: usize) -> Option<Arc<Chunk>> {
        self.0.get(&(object.clone(), index.clone(), chunk as u32))
    }

    pub fn put(&self, object: &Arc<str>, index: &Arc<str>, chunk: usize, data: Arc<Chunk>) {
        self.0.insert((object.clone(), index.clone(), chunk as u32), data);
    }

    /// Bytes held now.
    pub fn bytes(&self) -> u64 {
        self.0.weight()
    }
}
