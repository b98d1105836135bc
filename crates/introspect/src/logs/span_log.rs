//! `system.opentelemetry_span_log`: spans of traces.

use super::{Log, LogEntry, texts_bytes};
use uuid::Uuid;

#[derive(Debug)]
pub struct SpanEntry {
    pub trace_id: Uuid,
    pub span_id: u64,
    /// 0: none.
    pub parent_span_id: u64,
    pub operation_name: String,
    /// `INTERNAL`, `SERVER`, `CLIENT`, `PRODUCER`, `CONSUMER`.
    pub kind: &'static str,
    pub start_micros: u64,
    pub finish_micros: u64,
    pub attributes: Vec<(String, String)>,
}

impl LogEntry for SpanEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.operation_name]) + texts_bytes(self.attributes.iter().flat_map(|(name, value)| [name, value]))
    }
}

static LOG: Log<SpanEntry> = Log::new("opentelemetry_span_log", 10_000);

pub fn span_log() -> &'static Log<SpanEntry> {
    &LOG
}
