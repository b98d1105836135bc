//! `system.processors_profile_log`: the operators of each query's plan, with what they took and gave.

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct ProcessorEntry {
    pub event_time_micros: i64,
    /// Of the operator within the plan.
    pub id: u64,
    /// Of the operator that reads what this one gives; `None`: it is the plan's first.
    pub parent_id: Option<u64>,
    /// Tells the plans of a query apart.
    pub plan_id: u64,
    pub name: String,
    pub description: String,
    pub query_id: String,
    /// Times are summed over its streams.
    pub elapsed_micros: u64,
    pub input_wait_micros: u64,
    pub output_wait_micros: u64,
    pub input_rows: u64,
    pub input_bytes: u64,
    pub output_rows: u64,
    pub output_bytes: u64,
}

impl LogEntry for ProcessorEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.name, &self.description, &self.query_id])
    }
}

static LOG: Log<ProcessorEntry> = Log::new("processors_profile_log", 10_000);

pub fn processors_log() -> &'static Log<ProcessorEntry> {
    &LOG
}
