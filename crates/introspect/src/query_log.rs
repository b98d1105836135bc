//! One entry at the start of a query and one at its end, as `system.query_log` shows them.

use std::sync::Arc;
use std::sync::LazyLock;

use gristmill_base::Error;

use crate::client::Client;
use crate::context::QueryContext;
use crate::log_store::LogStore;
use crate::normalized::normalized_hash;
use crate::used::{Use, Used};

/// Values of the `type` column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryLogType {
    QueryStart = 1,
    QueryFinish = 2,
    ExceptionBeforeStart = 3,
    ExceptionWhileProcessing = 4,
}

#[derive(Debug, Clone)]
pub struct QueryLogEntry {
    pub kind: QueryLogType,
    pub event_time_micros: i64,
    pub query_start_time_micros: i64,
    pub query_duration_ms: u64,
    pub read_rows: u64,
    pub read_bytes: u64,
    pub written_rows: u64,
    pub written_bytes: u64,
    pub result_rows: u64,
    pub result_bytes: u64,
    pub memory_usage: u64,
    /// Price of the requests to object storage.
    pub cost_usd: f64,
    pub current_database: String,
    pub query: String,
    /// `Select`, `Insert`, `Create`, …
    pub query_kind: &'static str,
    pub databases: Vec<String>,
    pub tables: Vec<String>,
    /// Of those that it read.
    pub projections: Vec<String>,
    pub used: UsedNames,
    /// Alike in queries that differ in their literals alone.
    pub normalized_query_hash: u64,
    pub exception_code: i32,
    pub exception: String,
    pub user: String,
    pub client: Arc<Client>,
    pub query_id: String,
    pub profile_events: Vec<(&'static str, u64)>,
    pub settings: Vec<(String, String)>,
}

/// What a query used, by name.
#[derive(Debug, Clone, Default)]
pub struct UsedNames {
    pub aggregate_functions: Vec<String>,
    pub aggregate_function_combinators: Vec<String>,
    pub columns: Vec<String>,
    pub data_type_families: Vec<String>,
    pub formats: Vec<String>,
    pub functions: Vec<String>,
    pub missing_privileges: Vec<String>,
    pub partitions: Vec<String>,
    pub privileges: Vec<String>,
    pub storages: Vec<String>,
    pub table_functions: Vec<String>,
    pub views: Vec<String>,
}

impl UsedNames {
    fn of(used: &Used) -> UsedNames {
        UsedNames {
            aggregate_functions: used.names(Use::AggregateFunction),
            aggregate_function_combinators: used.names(Use::AggregateFunctionCombinator),
            columns: used.names(Use::Column),
            data_type_families: used.names(Use::DataTypeFamily),
            formats: used.names(Use::Format),
            functions: used.names(Use::Function),
            missing_privileges: used.names(Use::MissingPrivilege),
            partitions: used.names(Use::Partition),
            privileges: used.names(Use::Privilege),
            storages: used.names(Use::Storage),
            table_functions: used.names(Use::TableFunction),
            views: used.names(Use::View),
        }
    }
}

static LOG: LazyLock<LogStore<QueryLogEntry>> = LazyLock::new(|| LogStore::new(100_000));

pub fn query_log() -> &'static LogStore<QueryLogEntry> {
    &LOG
}

impl QueryLogEntry {
    /// What is known of the query now.
    pub fn of(
        kind: QueryLogType,
        query_kind: &'static str,
        tables: &[(String, String)],
        context: &Arc<QueryContext>,
        error: Option<&Error>,
    ) -> Self {
        let progress = context.progress.snapshot();
        let mut databases: Vec<String> = tables.iter().map(|(database, _)| database.clone()).collect();
        databases.sort();
        databases.dedup();
        let started = kind == QueryLogType::QueryStart;
        QueryLogEntry {
            kind,
            event_time_micros: context.env.now_micros(),
            query_start_time_micros: context.start.as_micros() as i64,
            query_duration_ms: if started { 0 } else { context.elapsed().as_millis() as u64 },
            read_rows: progress.read_rows,
            read_bytes: progress.read_bytes,
            written_rows: progress.written_rows,
            written_bytes: progress.written_bytes,
            result_rows: progress.result_rows,
            result_bytes: progress.result_bytes,
            memory_usage: context.memory.peak_bytes(),
            cost_usd: context.cost_usd(),
            current_database: context.database.clone(),
            query: context.query.clone(),
            query_kind,
            databases,
            tables: tables.iter().map(|(database, table)| format!("{database}.{table}")).collect(),
            projections: context.projections.lock().iter().cloned().collect(),
            used: UsedNames::of(&context.used),
            normalized_query_hash: normalized_hash(context.query.as_bytes(), false),
            exception_code: error.map_or(0, |error| error.code().0),
            exception: error.map_or_else(String::new, ToString::to_string),
            user: context.user.clone(),
            client: context.client.clone(),
            query_id: context.query_id.clone(),
            profile_events: context.counters.nonzero().into_iter().map(|(event, value)| (event.name(), value)).collect(),
            settings: context.settings.shown(),
        }
    }
}
