//! `system.filesystem_cache_log`: what queries read of files in object storage, and whether a cache of this process had it.

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct CacheEntry {
    pub event_time_micros: i64,
    pub query_id: String,
    /// The whole name of the file.
    pub path: String,
    /// First byte and the one behind the last.
    pub range: (u64, u64),
    /// Whether it came out of a cache, and not from the store.
    pub is_cached: bool,
    /// Whether a cache was asked for it.
    pub was_attempted: bool,
}

impl LogEntry for CacheEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.query_id, &self.path])
    }
}

static LOG: Log<CacheEntry> = Log::new("filesystem_cache_log", 10_000);

pub fn cache_log() -> &'static Log<CacheEntry> {
    &LOG
}
