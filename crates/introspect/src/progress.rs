//! How far a query is: what it read and wrote so far and how much there is in all, as far as known.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
pub struct Progress {
    pub read_rows: AtomicU64,
    /// Bytes as they lie in memory, as ClickHouse counts them.
    pub read_bytes: AtomicU64,
    pub total_rows_to_read: AtomicU64,
    /// Bytes of the files to read; where no row count is known, the share done is told by these.
    pub total_bytes_to_read: AtomicU64,
    /// Bytes of those files that were taken in.
    pub file_bytes_read: AtomicU64,
    pub written_rows: AtomicU64,
    pub written_bytes: AtomicU64,
    pub result_rows: AtomicU64,
    pub result_bytes: AtomicU64,
    /// One more than the rows that a LIMIT was taken from; 0: there was none.
    before_limit: AtomicU64,
}

/// A copy of the numbers at one moment.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct ProgressSnapshot {
    pub read_rows: u64,
    pub read_bytes: u64,
    pub total_rows_to_read: u64,
    pub total_bytes_to_read: u64,
    pub file_bytes_read: u64,
    pub written_rows: u64,
    pub written_bytes: u64,
    pub result_rows: u64,
    pub result_bytes: u64,
}

impl Progress {
    pub fn read(&self, rows: u64, bytes: u64) {
        self.read_rows.fetch_add(rows, Ordering::Relaxed);
        self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn wrote(&self, rows: u64, bytes: u64) {
        self.written_rows.fetch_add(rows, Ordering::Relaxed);
        self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A LIMIT was taken from so many rows, or more.
    pub fn limit_was_applied(&self, rows: u64) {
        self.before_limit.store(rows.saturating_add(1), Ordering::Relaxed);
    }

    /// `None`: there was no LIMIT, or the query has not ended.
    pub fn rows_before_limit(&self) -> Option<u64> {
        self.before_limit.load(Ordering::Relaxed).checked_sub(1)
    }

    pub fn snapshot(&self) -> ProgressSnapshot {
        let get = |value: &AtomicU64| value.load(Ordering::Relaxed);
        // What an INSERT wrote is its result, as ClickHouse counts.
        let or_written = |result: &AtomicU64, written: &AtomicU64| match get(result) {
            0 => get(written),
            result => result,
        };
        ProgressSnapshot {
            read_rows: get(&self.read_rows),
            read_bytes: get(&self.read_bytes),
            total_rows_to_read: get(&self.total_rows_to_read),
            total_bytes_to_read: get(&self.total_bytes_to_read),
            file_bytes_read: get(&self.file_bytes_read),
            written_rows: get(&self.written_rows),
            written_bytes: get(&self.written_bytes),
            result_rows: or_written(&self.result_rows, &self.written_rows),
            result_bytes: or_written(&self.result_bytes, &self.written_bytes),
        }
    }
}

impl ProgressSnapshot {
    /// Share done from 0 to 1, where anything is known about the whole.
    pub fn share(&self) -> Option<f64> {
        let share = if self.total_rows_to_read > 0 {
            self.read_rows as f64 / self.total_rows_to_read as f64
        } else if self.total_bytes_to_read > 0 {
            self.file_bytes_read as f64 / self.total_bytes_to_read as f64
        } else {
            return None;
        };
        Some(share.min(1.0))
    }
}
