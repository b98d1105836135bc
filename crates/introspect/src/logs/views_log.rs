//! `system.query_views_log`: what each materialized view did of an INSERT.

use uuid::Uuid;

use super::{Log, LogEntry, texts_bytes};
use crate::query_log::QueryLogType;

#[derive(Debug)]
pub struct ViewEntry {
    pub event_time_micros: i64,
    pub duration_ms: u64,
    pub initial_query_id: String,
    /// With its database.
    pub view_name: String,
    pub view_uuid: Uuid,
    pub view_query: String,
    pub view_target: String,
    pub read_rows: u64,
    pub read_bytes: u64,
    pub written_rows: u64,
    pub written_bytes: u64,
    pub peak_memory_usage: u64,
    pub status: QueryLogType,
    /// 0: none.
    pub exception_code: i32,
    pub exception: String,
    /// Where the error began, as addresses of the program's file; empty where its text is not wanted.
    pub trace: Vec<u64>,
    pub profile_events: Vec<(&'static str, u64)>,
}

impl LogEntry for ViewEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.initial_query_id, &self.view_name, &self.view_query, &self.view_target, &self.exception])
            + self.profile_events.len() * size_of::<(&str, u64)>()
            + self.trace.len() * size_of::<u64>()
    }
}

static LOG: Log<ViewEntry> = Log::new("query_views_log", 10_000);

pub fn views_log() -> &'static Log<ViewEntry> {
    &LOG
}
