//! `system.asynchronous_insert_log`: what became of each INSERT that went through the queue of asynchronous inserts.

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct AsyncInsertEntry {
    pub event_time_micros: i64,
    pub query: String,
    pub database: String,
    pub table: String,
    pub format: String,
    pub query_id: String,
    pub bytes: u64,
    pub rows: u64,
    /// Empty: its rows are in the table.
    pub exception: String,
    pub flush_time_micros: i64,
    pub flush_query_id: String,
    /// How long the first rows of a block waited for others.
    pub timeout_ms: u64,
}

impl LogEntry for AsyncInsertEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.query, &self.database, &self.table, &self.query_id, &self.exception, &self.flush_query_id])
    }
}

static LOG: Log<AsyncInsertEntry> = Log::new("asynchronous_insert_log", 10_000);

pub fn async_insert_log() -> &'static Log<AsyncInsertEntry> {
    &LOG
}
