//! `system.query_metric_log`: what each query that runs for long has counted, again and again.

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct QueryMetricEntry {
    pub event_time_micros: i64,
    pub query_id: String,
    pub memory_bytes: u64,
    pub peak_memory_bytes: u64,
    /// What each event, in their order, grew by since the query's entry before.
    pub events: Vec<u64>,
}

impl LogEntry for QueryMetricEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.query_id]) + size_of::<u64>() * self.events.len()
    }
}

static LOG: Log<QueryMetricEntry> = Log::new("query_metric_log", 10_000);

pub fn query_metric_log() -> &'static Log<QueryMetricEntry> {
    &LOG
}
