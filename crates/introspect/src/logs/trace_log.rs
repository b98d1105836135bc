//! `system.trace_log`: samples of stacks. Names and lines of their addresses are looked up when a row is made.

use std::sync::Arc;

use super::{Log, LogEntry};

#[derive(Clone, Debug)]
pub struct TraceEntry {
    pub event_time_nanos: u64,
    /// `Real`, `CPU`, `Memory`, `MemorySample`, `MemoryPeak`, `ProfileEvent`.
    pub trace_type: &'static str,
    pub cpu_id: u64,
    pub thread_id: u64,
    pub thread_name: String,
    pub query_id: Arc<str>,
    /// Addresses, the innermost first: those of the program as its file has them.
    pub trace: Arc<[u64]>,
    /// Of memory, in bytes; negative where it is given back.
    pub size: i64,
    /// Of what was allocated or is freed; 0: there is no such thing.
    pub address: u64,
    /// That was counted, and by how much; empty: the sample is of something else.
    pub event: &'static str,
    pub increment: i64,
}

impl LogEntry for TraceEntry {
    fn heap_bytes(&self) -> usize {
        self.thread_name.len() + self.query_id.len() + size_of::<u64>() * self.trace.len()
    }
}

static LOG: Log<TraceEntry> = Log::new("trace_log", 10_000);

pub fn trace_log() -> &'static Log<TraceEntry> {
    &LOG
}
