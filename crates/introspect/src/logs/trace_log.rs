//! `system.trace_log`: samples of stacks.

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct TraceEntry {
    pub event_time_nanos: u64,
    /// `Real`, `CPU`, `Memory`, `MemorySample`, `MemoryPeak`.
    pub trace_type: &'static str,
    pub cpu_id: u64,
    pub thread_id: u64,
    pub thread_name: String,
    pub query_id: String,
    /// Addresses, the innermost first.
    pub trace: Vec<u64>,
    /// Of memory, in bytes; negative where it is given back.
    pub size: i64,
    pub symbols: Vec<String>,
    pub lines: Vec<String>,
}

impl LogEntry for TraceEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.thread_name, &self.query_id])
            + texts_bytes(&self.symbols)
            + texts_bytes(&self.lines)
            + size_of::<u64>() * self.trace.len()
    }
}

static LOG: Log<TraceEntry> = Log::new("trace_log", 10_000);

pub fn trace_log() -> &'static Log<TraceEntry> {
    &LOG
}
