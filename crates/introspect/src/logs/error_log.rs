//! `system.error_log`: how many errors of each code there were between two looks at `errors`.

use super::{Log, LogEntry, texts_bytes};
use crate::errors::Errors;

#[derive(Debug)]
pub struct ErrorEntry {
    pub event_time_micros: i64,
    pub code: i32,
    /// Since the look before.
    pub count: u64,
    pub last: Errors,
}

impl LogEntry for ErrorEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.last.last_message, &self.last.last_query_id]) + size_of::<u64>() * self.last.last_trace.len()
    }
}

static LOG: Log<ErrorEntry> = Log::new("error_log", 10_000);

pub fn error_log() -> &'static Log<ErrorEntry> {
    &LOG
}
