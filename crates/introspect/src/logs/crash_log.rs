//! `system.crash_log`: defects that the process met and survived, and the signal that ended the server before it.

use std::sync::Arc;

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct CrashEntry {
    pub event_time_nanos: u64,
    /// That ended the process; 0: none did.
    pub signal: i32,
    pub signal_code: i32,
    pub fault_address: Option<u64>,
    pub thread_id: u64,
    /// Of the query that the thread worked for; empty where it was none.
    pub query_id: String,
    pub query: String,
    /// What was wrong, and where.
    pub description: String,
    /// The calls that led there, as addresses of the program's file.
    pub trace: Arc<[u64]>,
}

impl LogEntry for CrashEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.query_id, &self.query, &self.description]) + size_of_val(&*self.trace)
    }
}

static LOG: Log<CrashEntry> = Log::new("crash_log", 100);

pub fn crash_log() -> &'static Log<CrashEntry> {
    &LOG
}
