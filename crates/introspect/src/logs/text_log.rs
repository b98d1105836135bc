//! `system.text_log`: the lines of the server's log.

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct TextEntry {
    pub event_time_micros: i64,
    pub thread_name: String,
    pub thread_id: u64,
    /// As ClickHouse calls it: `Error`, `Warning`, `Information`, `Debug`, `Trace`.
    pub level: &'static str,
    pub query_id: String,
    pub logger_name: &'static str,
    pub message: String,
    pub source_file: &'static str,
    pub source_line: u32,
}

impl LogEntry for TextEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.thread_name, &self.query_id, &self.message])
    }
}

static LOG: Log<TextEntry> = Log::new("text_log", 10_000);

pub fn text_log() -> &'static Log<TextEntry> {
    &LOG
}
