//! What each cache of the process tells of itself, for `system.caches`.

/// How full a cache is, and how well it serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    pub bytes: u64,
    pub entries: u64,
    /// Since the process began.
    pub hits: u64,
    pub misses: u64,
    /// Bytes that it may take.
    pub limit: u64,
}
