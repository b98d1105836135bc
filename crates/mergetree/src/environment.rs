//! What all MergeTree tables of a process share: the cache of opened parts and the pool of background merges.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use gristmill_base::env::{Env, system_env};
use gristmill_base::{Error, Result, machine};
use gristmill_catalog::{
    AggregateExpression, ColumnExpression, CompiledProjection, ExpressionCompiler, KeyExpression, ProjectionDefinition,
    SkipIndexDefinition, Wanted,
};
use gristmill_introspect::memory::MemoryAccount;
use gristmill_introspect::{CacheReport, QueryContext, Settings};
use gristmill_types::{Columns, SqlType};
use parking_lot::Mutex;

use crate::index::skip::SkipIndexCache;
use crate::merge::list::MergeList;
use crate::merge::pool::MergePool;
use crate::part::OpenPart;
use crate::read::condition_cache::ConditionCache;
use crate::read::granule_cache::GranuleCache;

#[derive(Clone, Debug)]
pub struct EnvironmentOptions {
    /// Bytes of headers, indexes and footers kept in memory.
    pub part_cache_bytes: u64,
    /// Bytes of decoded granules kept in memory (`use_uncompressed_cache`); 0: none.
    pub uncompressed_cache_size: u64,
    /// Bytes of what is remembered of conditions that no row of a granule fulfils; 0: nothing.
    pub query_condition_cache_size: u64,
    /// Bytes of skip indexes kept in memory.
    pub skip_index_cache_bytes: u64,
    /// Threads for merges and mutations.
    pub background_pool_size: usize,
    /// Merges and mutations at the same time, for each of these threads.
    pub background_merges_mutations_concurrency_ratio: f64,
    /// Other processes may write to the same tables.
    pub shared: bool,
    /// Whether merges and the sweeper start by themselves.
    pub background: bool,
}

/// Decoded granules take this share of what the process may hold at most.
const GRANULES_MEMORY_SHARE: u64 = 8;

impl Default for EnvironmentOptions {
    fn default() -> Self {
        let cores = machine::cores();
        EnvironmentOptions {
            part_cache_bytes: 512 << 20,
            uncompressed_cache_size: MemoryAccount::process().limit_bytes() / GRANULES_MEMORY_SHARE,
            query_condition_cache_size: 100 << 20,
            skip_index_cache_bytes: 256 << 20,
            background_pool_size: cores.clamp(1, 16),
            background_merges_mutations_concurrency_ratio: 2.0,
            shared: false,
            background: true,
        }
    }
}

#[derive(Debug)]
pub struct MergeTreeEnvironment {
    pub options: EnvironmentOptions,
    pub env: Arc<dyn Env>,
    pub parts: PartCache,
    pub granules: Arc<GranuleCache>,
    pub conditions: Arc<ConditionCache>,
    pub skip_indexes: SkipIndexCache,
    pub pool: Arc<MergePool>,
    /// Merges and mutations of parts under way.
    pub merges: MergeList,
    ttl_merges: Arc<AtomicU64>,
    compiler: OnceLock<Arc<dyn ExpressionCompiler>>,
}

impl MergeTreeEnvironment {
    pub fn new(options: EnvironmentOptions, env: Arc<dyn Env>) -> Arc<Self> {
        Arc::new(MergeTreeEnvironment {
            parts: PartCache::new(options.part_cache_bytes),
            granules: Arc::new(GranuleCache::new(options.uncompressed_cache_size)),
            conditions: Arc::new(ConditionCache::new(options.query_condition_cache_size)),
            skip_indexes: SkipIndexCache::new(options.skip_index_cache_bytes),
            pool: MergePool::new(options.background_pool_size, options.background_merges_mutations_concurrency_ratio),
            merges: MergeList::default(),
            ttl_merges: Arc::default(),
            compiler: OnceLock::new(),
            options,
            env,
        })
    }

    /// Says how expressions of definitions are understood; once, before a table is opened.
    pub fn set_compiler(&self, compiler: Arc<dyn ExpressionCompiler>) {
        let _ = self.compiler.set(compiler);
    }

    /// See `ExpressionCompiler`.
    pub fn compile(
        &self,
        text: &str,
        wanted: Wanted<'_>,
        columns: &Columns,
        context: &QueryContext,
    ) -> Result<ColumnExpression> {
        let compiler = self.compiler.get().ok_or_else(|| Error::logical("Nobody here understands expressions"))?;
        compiler.compile(text, wanted, columns, context)
    }

    /// See `ExpressionCompiler::compile_index`.
    pub fn compile_index(&self, text: &str, stored: &Columns) -> Result<Vec<KeyExpression>> {
        let compiler = self.compiler.get().ok_or_else(|| Error::logical("Nobody here understands expressions"))?;
        compiler.compile_index(text, stored)
    }

    /// See `ExpressionCompiler::compile_preprocessed`.
    pub fn compile_preprocessed(&self, index: &SkipIndexDefinition, stored: &Columns) -> Result<KeyExpression> {
        let compiler = self.compiler.get().ok_or_else(|| Error::logical("Nobody here understands expressions"))?;
        compiler.compile_preprocessed(index, stored)
    }

    /// See `ExpressionCompiler::compile_projection`.
    pub fn compile_projection(&self, definition: &ProjectionDefinition, columns: &Columns) -> Result<CompiledProjection> {
        let compiler = self.compiler.get().ok_or_else(|| Error::logical("Nobody here understands expressions"))?;
        compiler.compile_projection(definition, columns)
    }

    /// See `ExpressionCompiler`.
    pub fn compile_aggregates(
        &self,
        text: &str,
        kind: &SqlType,
        columns: &Columns,
        context: &QueryContext,
    ) -> Result<AggregateExpression> {
        let compiler = self.compiler.get().ok_or_else(|| Error::logical("Nobody here understands expressions"))?;
        compiler.compile_aggregates(text, kind, columns, context)
    }

    /// No background jobs: tests decide when merges run.
    pub fn for_tests() -> Arc<Self> {
        let options = EnvironmentOptions { background: false, ..EnvironmentOptions::default() };
        let environment = Self::new(options, system_env());
        environment.set_compiler(Arc::new(crate::testing::PlainSql));
        environment
    }

    /// A context for what a table does by itself, under the clock that its tables live by.
    pub fn context(&self, name: &str) -> Arc<QueryContext> {
        QueryContext::new(name, "", "default", "default", Arc::new(Settings::default()), self.env.clone())
    }

    /// As `context`, for one of many jobs of that name.
    pub fn job(&self, name: &str, id: &str) -> Arc<QueryContext> {
        QueryContext::new(name, id, "default", "default", Arc::new(Settings::default()), self.env.clone())
    }

    /// A place among the merges for a TTL, of which there are so many; they would else keep others from the pool.
    pub fn ttl_place(&self, most: u64) -> Option<TtlPlace> {
        let taken =
            self.ttl_merges.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count < most).then_some(count + 1));
        taken.ok().map(|_| TtlPlace(self.ttl_merges.clone()))
    }
}

/// Given back when dropped.
#[derive(Debug)]
pub struct TtlPlace(Arc<AtomicU64>);

impl Drop for TtlPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Opened parts, the longest unused going first when the bytes run out. Keys are unique per table and never reused.
#[derive(Debug)]
pub struct PartCache {
    bytes_max: u64,
    tick: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    inner: Mutex<CacheInner>,
}

#[derive(Debug, Default)]
struct CacheInner {
    parts: HashMap<String, (Arc<OpenPart>, u64)>,
    bytes: u64,
}

impl PartCache {
    fn new(bytes_max: u64) -> Self {
        let (tick, hits, misses) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        PartCache { bytes_max, tick, hits, misses, inner: Mutex::default() }
    }

    pub fn get(&self, location: &str) -> Option<Arc<OpenPart>> {
        let now = self.tick.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.inner.lock();
        let found = inner.parts.get_mut(location);
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        let (part, used) = found?;
        *used = now;
        Some(part.clone())
    }

    pub fn put(&self, location: String, part: Arc<OpenPart>) {
        let now = self.tick.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.inner.lock();
        inner.bytes += part.memory_bytes;
        if let Some((old, _)) = inner.parts.insert(location, (part, now)) {
            inner.bytes -= old.memory_bytes;
        }
        if inner.bytes > self.bytes_max {
            let mut by_age: Vec<(u64, String)> =
                inner.parts.iter().map(|(location, (_, used))| (*used, location.clone())).collect();
            by_age.sort_unstable();
            // A tenth at once: so that a full cache does not sort itself at every entry.
            let target = self.bytes_max / 10 * 9;
            for (_, location) in by_age {
                if inner.bytes <= target {
                    break;
                }
                if let Some((part, _)) = inner.parts.remove(&location) {
                    inner.bytes -= part.memory_bytes;
                }
            }
        }
    }

    pub fn remove(&self, location: &str) {
        let mut inner = self.inner.lock();
        if let Some((part, _)) = inner.parts.remove(location) {
            inner.bytes -= part.memory_bytes;
        }
    }

    /// Bytes held now.
    pub fn bytes(&self) -> u64 {
        self.inner.lock().bytes
    }

    pub fn clear(&self) {
        *self.inner.lock() = CacheInner::default();
    }

    pub fn report(&self) -> CacheReport {
        let inner = self.inner.lock();
        CacheReport {
            bytes: inner.bytes,
            entries: inner.parts.len() as u64,
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            limit: self.bytes_max,
        }
    }
}
