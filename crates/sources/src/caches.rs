//! What a process remembers about files that it read: decoded footers, inferred structures. Bounded in bytes, keyed by
//! where the file is and by its ETag (or size and time), so a file that changed is another entry.

use std::sync::Arc;

use gristmill_introspect::CacheReport;
use gristmill_types::Columns;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::listings::Listings;
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

/// An inferred structure, and when it was found (seconds since the Unix epoch).
#[derive(Clone, Debug)]
pub struct KeptSchema {
    pub columns: Columns,
    pub seconds: u64,
}

#[derive(Clone)]
struct ByMemory;

impl Weighter<FileKey, Arc<Footer>> for ByMemory {
    fn weight(&self, key: &FileKey, footer: &Arc<Footer>) -> u64 {
        (key.place.len() + key.version.len()) as u64 + footer.memory_bytes
    }
}

impl Weighter<SchemaKey, KeptSchema> for ByMemory {
    fn weight(&self, key: &SchemaKey, kept: &KeptSchema) -> u64 {
        (key.file.place.len() + key.settings.len() + 64 * kept.columns.len() + 256) as u64
    }
}

/// Bytes that listings may take.
const LISTING_BYTES: u64 = 32 << 20;

/// Files up to this long may be kept whole.
const WHOLE_FILE_BYTES_MAX: usize = 64 << 10;

/// One a process; it lives in the engine.
pub struct SourceCaches {
    footers: Cache<FileKey, Arc<Footer>, ByMemory>,
    schemas: Cache<SchemaKey, KeptSchema, ByMemory>,
    pub listings: Listings,
}

impl std::fmt::Debug for SourceCaches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SourceCaches({} footers, {} bytes)", self.footers.len(), self.footers.weight())
    }
}

impl Default for SourceCaches {
    fn default() -> Self {
        SourceCaches::new(128 << 20, 16 << 20)
    }
}

impl SourceCaches {
    /// Bytes that footers and structures may take in all.
    pub fn new(footer_bytes: u64, schema_bytes: u64) -> Self {
        SourceCaches {
            footers: Cache::with_weighter((footer_bytes / 16_384) as usize, footer_bytes, ByMemory),
            schemas: Cache::with_weighter((schema_bytes / 1024) as usize, schema_bytes, ByMemory),
            listings: Listings::new(LISTING_BYTES),
        }
    }

    pub fn footer(&self, key: &FileKey) -> Option<Arc<Footer>> {
        self.footers.get(key)
    }

    /// Whether a small file is kept whole beside its footer: as long as there is plenty of room.
    pub fn keeps_whole(&self, file_bytes: usize) -> bool {
        file_bytes <= WHOLE_FILE_BYTES_MAX && self.footers.weight() < self.footers.capacity() / 4
    }

    pub fn keep_footer(&self, key: FileKey, footer: Arc<Footer>) {
        self.footers.insert(key, footer);
    }

    pub fn schema(&self, key: &SchemaKey) -> Option<Columns> {
        self.schemas.get(key).map(|kept| kept.columns)
    }

    /// `seconds`: now, since the Unix epoch.
    pub fn keep_schema(&self, key: SchemaKey, columns: Columns, seconds: u64) {
        self.schemas.insert(key, KeptSchema { columns, seconds });
    }

    /// The structures that are remembered.
    pub fn schemas(&self) -> Vec<(SchemaKey, KeptSchema)> {
        self.schemas.iter().collect()
    }

    /// SYSTEM DROP … CACHE
    pub fn clear(&self) {
        self.footers.clear();
        self.schemas.clear();
        self.listings.clear();
    }

    /// What each of them holds, by the name that it has in `system.caches`.
    pub fn reports(&self) -> [(&'static str, CacheReport); 3] {
        let (footers, schemas) = (&self.footers, &self.schemas);
        [
            (
                "ParquetMetadata",
                CacheReport {
                    bytes: footers.weight(),
                    entries: footers.len() as u64,
                    hits: footers.hits(),
                    misses: footers.misses(),
                    limit: footers.capacity(),
                },
            ),
            (
                "Schema",
                CacheReport {
                    bytes: schemas.weight(),
                    entries: schemas.len() as u64,
                    hits: schemas.hits(),
                    misses: schemas.misses(),
                    limit: schemas.capacity(),
                },
            ),
            ("ObjectListing", self.listings.report()),
        ]
    }

    /// Number of footers and bytes they take.
    pub fn footers_held(&self) -> (usize, u64) {
        (self.footers.len(), self.footers.weight())
    }
}
