//! Merges and mutations of parts under way, for `system.merges`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use gristmill_introspect::gauges::Held;
use gristmill_introspect::{Gauge, QueryContext};
use gristmill_types::measure::batch_bytes;
use parking_lot::Mutex;

use crate::manifest::PartEntry;
use crate::table::Core;

/// Why parts are rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Mutation,
    Regular,
    TtlDelete,
    TtlDrop,
    TtlRecompress,
}

impl Reason {
    /// As `system.merges` has it: empty of a mutation.
    pub fn merge_type(self) -> &'static str {
        match self {
            Reason::Mutation => "",
            Reason::Regular => "Regular",
            Reason::TtlDelete => "TTLDelete",
            Reason::TtlDrop => "TTLDrop",
            Reason::TtlRecompress => "TTLRecompress",
        }
    }

    /// As `system.part_log` has it.
    pub fn merge_reason(self) -> &'static str {
        match self {
            Reason::Mutation => "NotAMerge",
            Reason::Regular => "RegularMerge",
            Reason::TtlDelete => "TTLDeleteMerge",
            Reason::TtlDrop => "TTLDropMerge",
            Reason::TtlRecompress => "TTLRecompressMerge",
        }
    }
}

/// How a merge brings its columns together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// All columns of a row at once.
    Horizontal,
    /// The columns that decide the order first, then the others one after another.
    Vertical,
}

impl Algorithm {
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Horizontal => "Horizontal",
            Algorithm::Vertical => "Vertical",
        }
    }
}

/// One that is under way.
#[derive(Debug)]
pub struct Running {
    pub database: String,
    pub table: String,
    pub parts: Vec<Arc<PartEntry>>,
    /// Of the parts' objects.
    pub paths: Vec<String>,
    /// The name that the new part will have, where nothing comes between.
    pub result: String,
    pub reason: Reason,
    pub context: Arc<QueryContext>,
    begun: Instant,
    algorithm: OnceLock<Algorithm>,
    result_path: OnceLock<String>,
    rows_read: AtomicU64,
    bytes_read: AtomicU64,
    rows_written: AtomicU64,
    bytes_written: AtomicU64,
    columns_written: AtomicU64,
}

impl Running {
    pub fn elapsed(&self) -> Duration {
        self.context.env.instant().saturating_duration_since(self.begun)
    }

    /// `None`: not decided yet, or no merge.
    pub fn algorithm(&self) -> Option<Algorithm> {
        self.algorithm.get().copied()
    }

    pub fn decide(&self, algorithm: Algorithm) {
        let _ = self.algorithm.set(algorithm);
    }

    /// Where the new part is written; empty before.
    pub fn result_path(&self) -> &str {
        self.result_path.get().map_or("", String::as_str)
    }

    pub fn writes_to(&self, path: String) {
        let _ = self.result_path.set(path);
    }

    /// Whole rows that came out of the source parts.
    pub fn read(&self, batch: &RecordBatch) {
        self.rows_read.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
        self.read_columns(batch);
    }

    /// Columns of rows that count already.
    pub fn read_columns(&self, batch: &RecordBatch) {
        self.bytes_read.fetch_add(batch_bytes(batch), Ordering::Relaxed);
    }

    pub fn wrote_rows(&self, rows: u64) {
        self.rows_written.fetch_add(rows, Ordering::Relaxed);
    }

    pub fn wrote_bytes(&self, bytes: u64) {
        self.bytes_written.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn wrote_columns(&self, columns: u64) {
        self.columns_written.fetch_add(columns, Ordering::Relaxed);
    }

    pub fn rows_read(&self) -> u64 {
        self.rows_read.load(Ordering::Relaxed)
    }

    /// As values in memory.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    pub fn rows_written(&self) -> u64 {
        self.rows_written.load(Ordering::Relaxed)
    }

    /// As values in memory.
    pub fn bytes_written(&self) -> u64 {
        self.bytes_written.load(Ordering::Relaxed)
    }

    /// Columns that a vertical merge gathered.
    pub fn columns_written(&self) -> u64 {
        self.columns_written.load(Ordering::Relaxed)
    }

    /// From 0 to 1.
    pub fn progress(&self) -> f64 {
        let all: u64 = self.parts.iter().map(|part| part.uncompressed_bytes).sum();
        (self.bytes_read() as f64 / all.max(1) as f64).min(1.0)
    }
}

#[derive(Debug, Default)]
pub struct MergeList(Mutex<Vec<Arc<Running>>>);

impl MergeList {
    pub fn snapshot(&self) -> Vec<Arc<Running>> {
        self.0.lock().clone()
    }
}

/// Takes its entry out of the list when it is dropped.
#[derive(Debug)]
pub struct Listed {
    core: Arc<Core>,
    pub running: Arc<Running>,
    /// The part that is written.
    _temporary: Held,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.core.environment.merges.0.lock().retain(|other| !Arc::ptr_eq(other, &self.running));
    }
}

/// Puts an entry into the list.
pub fn begin(core: &Arc<Core>, context: &Arc<QueryContext>, parts: &[Arc<PartEntry>], reason: Reason) -> Listed {
    let (database, table) = core.names();
    let running = Arc::new(Running {
        database,
        table,
        paths: parts.iter().map(|part| core.store.location(&part.key)).collect(),
        parts: parts.to_vec(),
        result: result_name(parts, reason),
        reason,
        begun: context.env.instant(),
        context: context.clone(),
        algorithm: OnceLock::new(),
        result_path: OnceLock::new(),
        rows_read: AtomicU64::new(0),
        bytes_read: AtomicU64::new(0),
        rows_written: AtomicU64::new(0),
        bytes_written: AtomicU64::new(0),
        columns_written: AtomicU64::new(0),
    });
    core.environment.merges.0.lock().push(running.clone());
    Listed { core: core.clone(), running, _temporary: Gauge::PartsTemporary.hold() }
}

/// The name of what becomes of the parts.
pub fn result_name(parts: &[Arc<PartEntry>], reason: Reason) -> String {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return String::new() };
    let level = parts.iter().map(|part| part.level).max().unwrap_or_default() + u32::from(reason != Reason::Mutation);
    let mutation = parts.iter().map(|part| part.mutation).max().unwrap_or_default();
    let suffix = if mutation == 0 { String::new() } else { format!("_{mutation}") };
    format!("{}_{}_{}_{level}{suffix}", first.partition_id, first.min_block, last.max_block)
}
