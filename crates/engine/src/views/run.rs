//! What a view did of one INSERT, for `system.query_views_log`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use gristmill_base::allocations::Tally;
use gristmill_base::{Error, redact};
use gristmill_catalog::TableDefinition;
use gristmill_catalog::databases::full_name;
use gristmill_introspect::logs::views_log::{ViewEntry, views_log};
use gristmill_introspect::query_log::QueryLogType;
use gristmill_introspect::{QueryContext, errors};
use gristmill_types::measure::batch_bytes;
use sqlparser::ast::Query;

use super::query::Block;

#[derive(Debug, Default)]
pub struct ViewRun {
    micros: AtomicU64,
    read_rows: AtomicU64,
    read_bytes: AtomicU64,
    written_rows: AtomicU64,
    written_bytes: AtomicU64,
    logged: AtomicBool,
    /// What threads spent on it, and the memory that it took.
    pub part: Arc<Tally>,
}

impl ViewRun {
    /// A block went through the view.
    pub fn saw(&self, block: &Block, took: Duration) {
        self.read_rows.fetch_add(block.batches.iter().map(|batch| batch.num_rows() as u64).sum(), Relaxed);
        self.read_bytes.fetch_add(block.batches.iter().map(batch_bytes).sum(), Relaxed);
        self.took(took);
    }

    pub fn took(&self, took: Duration) {
        self.micros.fetch_add(took.as_micros() as u64, Relaxed);
    }

    pub fn wrote(&self, rows: u64, bytes: u64) {
        self.written_rows.fetch_add(rows, Relaxed);
        self.written_bytes.fetch_add(bytes, Relaxed);
    }

    /// It is over, with rows or with an error; the first of both is told. `context`: that of the statement, with the view's own
    /// counters.
    pub fn log(
        &self,
        view: &TableDefinition,
        query: &Arc<Query>,
        target: &TableDefinition,
        context: &Arc<QueryContext>,
        error: Option<&Error>,
    ) {
        let settings = &context.settings;
        if !settings.log_query_views || !settings.log_queries || self.logged.swap(true, Relaxed) {
            return;
        }
        views_log().add(|| ViewEntry {
            event_time_micros: context.env.now_micros(),
            duration_ms: self.micros.load(Relaxed) / 1000,
            initial_query_id: context.query_id.clone(),
            view_name: full_name(&view.database, &view.name),
            view_uuid: view.uuid,
            view_query: redact::logged(&query.to_string()),
            view_target: full_name(&target.database, &target.name),
            read_rows: self.read_rows.load(Relaxed),
            read_bytes: self.read_bytes.load(Relaxed),
            written_rows: self.written_rows.load(Relaxed),
            written_bytes: self.written_bytes.load(Relaxed),
            peak_memory_usage: self.part.peak_bytes(),
            status: match error {
                None => QueryLogType::QueryFinish,
                Some(_) => QueryLogType::ExceptionWhileProcessing,
            },
            exception_code: error.map_or(0, |error| error.code().0),
            exception: error.map_or_else(String::new, ToString::to_string),
            trace: errors::trace_logged(error, context),
            profile_events: match settings.log_profile_events {
                true => context.events_of_part(&self.part),
                false => Vec::new(),
            },
        });
    }
}
