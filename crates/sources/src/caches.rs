//! What a process remembers about files that it read: decoded footers, inferred structures. Bounded in bytes, keyed by
//! where the file is and by its ETag (or size and time), so a file that changed is another entry.

use std::sync::Arc;

use gristmill_types::Columns;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::object::parquet::footer::Footer;

/// A version of a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FileKey {
    /// Endpoint, bucket and key.
    pub place: String,
    pub version: String,
}

/// A file's structure depends on how it was looked at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SchemaKey {
    pub file: FileKey,
    pub format: String,
    /// The settings that have a say, as text.
    pub settings: String,
}

#[derive(Clone)]
struct ByMemory;

impl Weighter<FileKey, Arc<Footer>> for ByMemory {
    fn weight(&self, key: &FileKey, footer: &Arc<Footer>) -> u64 {
        (key.place.len() + key.version.len()) as u64 + footer.memory_bytes
    }
}

impl Weighter<SchemaKey, Columns> for ByMemory {
    fn weight(&self, key: &SchemaKey, columns: &Columns) -> u64 {
        (key.file.place.len() + key.settings.len() + 64 * columns.len() + 256) as u64
    }
}

/// One a process; it lives in the engine.
pub struct SourceCaches {
    footers: Cache<FileKey, Arc<Footer>, ByMemory>,
    schemas: Cache<SchemaKey, Columns, ByMemory>,
}

impl std::fmt::Debug for SourceCaches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SourceCaches({} footers, {} bytes)", self.footers.len(), self.footers.weight())
    }
}

impl Default for SourceCaches {
    fn default() -> Self {
        SourceCaches::new(256 << 20, 16 << 20)
    }
}

impl SourceCaches {
    /// Bytes that footers and structures may take in all.
    pub fn new(footer_bytes: u64, schema_bytes: u64) -> Self {
        SourceCaches {
            footers: Cache::with_weighter((footer_bytes / 16_384) as usize, footer_bytes, ByMemory),
            schemas: Cache::with_weighter((schema_bytes / 1024) as usize, schema_bytes, ByMemory),
        }
    }

    pub fn footer(&self, key: &FileKey) -> Option<Arc<Footer>> {
        self.footers.get(key)
    }

    pub fn keep_footer(&self, key: FileKey, footer: Arc<Footer>) {
        self.footers.insert(key, footer);
    }

    pub fn schema(&self, key: &SchemaKey) -> Option<Columns> {
        self.schemas.get(key)
    }

    pub fn keep_schema(&self, key: SchemaKey, columns: Columns) {
        self.schemas.insert(key, columns);
    }

    /// SYSTEM DROP … CACHE
    pub fn clear(&self) {
        self.footers.clear();
        self.schemas.clear();
    }

    /// Number of footers and bytes they take.
    pub fn footers_held(&self) -> (usize, u64) {
        (self.footers.len(), self.footers.weight())
    }
}
