//! `system.query_thread_log`: what each thread did for a query.

use std::sync::Arc;

use super::{Log, LogEntry, texts_bytes};
use crate::client::Client;
use crate::context::QueryContext;
use crate::events::Event;
use crate::normalized::normalized_hash;
use crate::spending::events_of;

#[derive(Debug)]
pub struct ThreadEntry {
    pub event_time_micros: i64,
    pub query_start_time_micros: i64,
    pub query_duration_ms: u64,
    pub read_rows: u64,
    pub read_bytes: u64,
    pub written_rows: u64,
    pub written_bytes: u64,
    /// Allocated less freed by the thread, in bytes, and the most that this was.
    pub memory: i64,
    pub memory_peak: i64,
    pub thread_name: String,
    /// The kernel's.
    pub thread_id: u64,
    /// That which worked for the query first.
    pub master_thread_id: u64,
    pub current_database: String,
    pub query: String,
    pub normalized_query_hash: u64,
    pub user: String,
    pub query_id: String,
    pub client: Arc<Client>,
    pub profile_events: Vec<(&'static str, u64)>,
}

impl LogEntry for ThreadEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.thread_name, &self.current_database, &self.query, &self.user, &self.query_id])
            + self.profile_events.len() * size_of::<(&str, u64)>()
    }
}

static LOG: Log<ThreadEntry> = Log::new("query_thread_log", 100_000);

pub fn threads_log() -> &'static Log<ThreadEntry> {
    &LOG
}

/// Notes what the threads of a query that ended did, where `log_query_threads` wants it.
pub fn query_ended(context: &QueryContext) {
    let Some(tally) = context.memory.tally().filter(|_| context.settings.log_query_threads && LOG.is_on()) else { return };
    let threads = tally.spending().threads();
    let master_thread_id = threads.first().map_or(0, |thread| u64::from(thread.id));
    for thread in threads {
        let spent = &thread.spent;
        // It may be attributed while the query runs, so only its end tells.
        let rest = [(Event::UnattributedTimeMicroseconds, spent.unattributed())];
        let told = events_of(spent).chain(rest.into_iter().filter(|(_, micros)| *micros > 0));
        LOG.add(|| ThreadEntry {
            event_time_micros: context.env.now_micros(),
            query_start_time_micros: context.start.as_micros() as i64,
            query_duration_ms: context.elapsed().as_millis() as u64,
            read_rows: spent.rows_read,
            read_bytes: spent.rows_read_bytes,
            written_rows: spent.rows_written,
            written_bytes: spent.rows_written_bytes,
            memory: thread.memory,
            memory_peak: thread.memory_peak,
            thread_name: name_of(thread.id),
            thread_id: thread.id.into(),
            master_thread_id,
            current_database: context.database.clone(),
            query: context.query.clone(),
            normalized_query_hash: normalized_hash(context.query.as_bytes(), false),
            user: context.user.clone(),
            query_id: context.query_id.clone(),
            client: context.client.clone(),
            profile_events: told.map(|(event, value)| (event.name(), value)).collect(),
        });
    }
}

/// Empty for a thread that is gone.
fn name_of(thread: u32) -> String {
    std::fs::read_to_string(format!("/proc/self/task/{thread}/comm"))
        .map_or_else(|_| String::new(), |name| name.trim_end().to_string())
}
