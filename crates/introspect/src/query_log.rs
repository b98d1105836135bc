//! One entry at the start of a query and one at its end, as `system.query_log` shows them.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gristmill_access::rights::identifier;
use gristmill_base::Error;

use crate::client::Client;
use crate::context::QueryContext;
use crate::errors;
use crate::logs::{Log, LogEntry, texts_bytes};
use crate::normalized::normalized_hash;
use crate::settings::Settings;
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
    /// Alike in queries that are carried out alike; 0: there was no plan.
    pub plan_hash: u64,
    pub current_database: String,
    pub query: String,
    /// With `log_formatted_queries`.
    pub formatted_query: String,
    pub log_comment: String,
    /// `Select`, `Insert`, `Create`, …
    pub query_kind: &'static str,
    pub databases: Vec<String>,
    /// With their databases.
    pub tables: Vec<String>,
    /// Of those that it read.
    pub projections: Vec<String>,
    pub used: UsedNames,
    /// Alike in queries that differ in their literals alone.
    pub normalized_query_hash: u64,
    pub exception_code: i32,
    pub exception: String,
    /// Where the error began, as addresses of the program's file; empty where its text is not wanted.
    pub trace: Vec<u64>,
    pub user: String,
    pub client: Arc<Client>,
    pub query_id: String,
    /// The kernel's ids of threads that worked for it.
    pub thread_ids: Vec<u32>,
    /// Threads that worked for it at the same time, at most.
    pub threads_peak: u32,
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
            missing_privileges: missing_privileges(used),
            partitions: used.names(Use::Partition),
            privileges: privileges(used),
            storages: used.names(Use::Storage),
            table_functions: used.names(Use::TableFunction),
            views: used.names(Use::View),
        }
    }
}

/// Rights that were asked about and are there: of tables that are read, on the columns that are read of them, where it is known.
fn privileges(used: &Used) -> Vec<String> {
    let columns = used.names(Use::Column);
    let of_table = |table: &String| {
        let (database, name) = table.split_once('.').unwrap_or(("", table));
        let read = columns.iter().filter_map(|column| column.strip_prefix(table)?.strip_prefix('.'));
        let read: Vec<String> = read.map(identifier).collect();
        let read = if read.is_empty() { String::new() } else { format!("({})", read.join(", ")) };
        format!("SELECT{read} ON {}.{}", identifier(database), identifier(name))
    };
    let tables = used.names(Use::TableAskedAbout);
    let all: BTreeSet<String> = tables.iter().map(of_table).chain(used.names(Use::Privilege)).collect();
    all.into_iter().collect()
}

/// Rights that were asked about and are not there: of tables of which nothing may be read, on the columns that were wanted, where
/// these are known.
fn missing_privileges(used: &Used) -> Vec<String> {
    let mut all: BTreeSet<String> = used.names(Use::MissingPrivilege).into_iter().collect();
    for table in used.names(Use::TableDenied) {
        let (database, name) = table.split_once('.').unwrap_or(("", &table));
        let on = format!(" ON {}.{}", identifier(database), identifier(name));
        if !all.iter().any(|right| right.starts_with("SELECT(") && right.ends_with(&on)) {
            all.insert(format!("SELECT{on}"));
        }
    }
    all.into_iter().collect()
}

impl UsedNames {
    fn heap_bytes(&self) -> usize {
        let lists = [
            &self.aggregate_functions,
            &self.aggregate_function_combinators,
            &self.columns,
            &self.data_type_families,
            &self.formats,
            &self.functions,
            &self.missing_privileges,
            &self.partitions,
            &self.privileges,
            &self.storages,
            &self.table_functions,
            &self.views,
        ];
        texts_bytes(lists.into_iter().flatten())
    }
}

static LOG: Log<QueryLogEntry> = Log::new("query_log", 100_000);

pub fn query_log() -> &'static Log<QueryLogEntry> {
    &LOG
}

impl LogEntry for QueryLogEntry {
    fn heap_bytes(&self) -> usize {
        let texts = [&self.query, &self.formatted_query, &self.exception, &self.query_id, &self.log_comment];
        let lists = [&self.databases, &self.tables, &self.projections];
        texts_bytes(texts)
            + self.used.heap_bytes()
            + texts_bytes(lists.into_iter().flatten())
            + texts_bytes(self.settings.iter().flat_map(|(name, value)| [name, value]))
            + self.profile_events.len() * size_of::<(&str, u64)>()
            + self.trace.len() * size_of::<u64>()
    }
}

impl QueryLogType {
    /// Whether settings want such an entry of a query: `log_queries`, `log_queries_min_type`,
    /// `log_queries_min_query_duration_ms`, `log_queries_probability`.
    pub fn is_wanted(self, context: &QueryContext) -> bool {
        let settings = &context.settings;
        let min_type = match settings.log_queries_min_type.as_str() {
            "QUERY_FINISH" => QueryLogType::QueryFinish,
            "EXCEPTION_BEFORE_START" => QueryLogType::ExceptionBeforeStart,
            "EXCEPTION_WHILE_PROCESSING" => QueryLogType::ExceptionWhileProcessing,
            _ => QueryLogType::QueryStart,
        };
        let min_ms = settings.log_queries_min_query_duration_ms;
        let ran = matches!(self, QueryLogType::QueryFinish | QueryLogType::ExceptionWhileProcessing);
        settings.log_queries
            && self as u8 >= min_type as u8
            && (min_ms == 0 || ran && context.elapsed().as_millis() as u64 >= min_ms)
            && is_of_sample(context)
    }
}

/// Both entries of a query are kept, or neither: chance is what its id and its beginning make of it.
fn is_of_sample(context: &QueryContext) -> bool {
    let share = context.settings.log_queries_probability;
    if share >= 1.0 {
        return true;
    }
    let mut hasher = std::hash::DefaultHasher::new();
    (&context.query_id, context.start).hash(&mut hasher);
    (hasher.finish() as f64) < share * u64::MAX as f64
}

/// The beginning of a query, up to `log_queries_cut_to_length` bytes, at the border of a character.
fn cut(query: &str, settings: &Settings) -> String {
    let most = usize::try_from(settings.log_queries_cut_to_length).unwrap_or(usize::MAX);
    query[..query.floor_char_boundary(most)].to_string()
}

impl QueryLogEntry {
    /// What the query counted so far, where its settings want that.
    pub(crate) fn events(context: &QueryContext) -> Vec<(&'static str, u64)> {
        match context.settings.log_profile_events {
            true => context.counters.nonzero().into_iter().map(|(event, value)| (event.name(), value)).collect(),
            false => Vec::new(),
        }
    }

    /// What is known of the query now. `tables`: with their databases; an empty name stands for the database alone.
    pub fn of(
        kind: QueryLogType,
        query_kind: &'static str,
        tables: &[(String, String)],
        context: &Arc<QueryContext>,
        error: Option<&Error>,
    ) -> Self {
        let progress = context.progress.snapshot();
        let databases: BTreeSet<String> = tables.iter().map(|(database, _)| identifier(database)).collect();
        let named = tables.iter().filter(|(_, table)| !table.is_empty());
        let named: BTreeSet<String> =
            named.map(|(database, table)| format!("{}.{}", identifier(database), identifier(table))).collect();
        let started = kind == QueryLogType::QueryStart;
        let mut used = UsedNames::of(&context.used);
        if started {
            // As in ClickHouse: they are told when the query is over.
            (used.privileges, used.missing_privileges) = (Vec::new(), Vec::new());
        }
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
            plan_hash: context.plan_hash.load(Ordering::Relaxed),
            current_database: context.database.clone(),
            query: cut(&context.query, &context.settings),
            formatted_query: String::new(),
            log_comment: context.settings.log_comment.clone(),
            query_kind,
            databases: databases.into_iter().collect(),
            tables: named.into_iter().collect(),
            projections: context.projections.lock().iter().cloned().collect(),
            used,
            normalized_query_hash: normalized_hash(context.query.as_bytes(), false),
            exception_code: error.map_or(0, |error| error.code().0),
            exception: error.map_or_else(String::new, ToString::to_string),
            trace: errors::trace_logged(error, context),
            user: context.user.clone(),
            client: context.client.clone(),
            query_id: context.query_id.clone(),
            thread_ids: context.thread_ids(),
            threads_peak: context.threads_peak(),
            profile_events: Self::events(context),
            settings: if context.settings.log_query_settings { context.settings.shown() } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gristmill_base::env::system_env;

    use super::*;

    fn context(settings: &[(&str, &str)]) -> Arc<QueryContext> {
        let mut changed = Settings::default();
        for (name, value) in settings {
            changed.set(name, value).expect("a setting");
        }
        QueryContext::new("SELECT 'ä'", "", "default", "default", Arc::new(changed), system_env())
    }

    #[test]
    fn settings_say_which_entries_there_are() {
        use QueryLogType::{ExceptionBeforeStart, ExceptionWhileProcessing, QueryFinish, QueryStart};
        let wanted = |settings: &[(&str, &str)]| {
            let context = context(settings);
            std::thread::sleep(Duration::from_millis(2));
            [QueryStart, QueryFinish, ExceptionBeforeStart, ExceptionWhileProcessing].map(|kind| kind.is_wanted(&context))
        };
        assert_eq!(wanted(&[]), [true; 4]);
        assert_eq!(wanted(&[("log_queries", "0")]), [false; 4]);
        assert_eq!(wanted(&[("log_queries_min_type", "EXCEPTION_BEFORE_START")]), [false, false, true, true]);
        assert_eq!(wanted(&[("log_queries_min_query_duration_ms", "1")]), [false, true, false, true]);
        assert_eq!(wanted(&[("log_queries_min_query_duration_ms", "3600000")]), [false; 4]);
        assert_eq!(wanted(&[("log_queries_probability", "0")]), [false; 4]);
    }

    #[test]
    fn rights_and_tables_are_told_when_the_query_is_over() {
        let context = context(&[]);
        context.used.note(Use::TableAskedAbout, "db.t");
        context.used.note(Use::TableAskedAbout, "db.a-b");
        context.used.note(Use::Column, "db.t.b");
        context.used.note(Use::Column, "db.t.a");
        context.used.note(Use::Column, "db.t2.c");
        context.note_right(true, "INSERT(x) ON db.u");
        context.note_right(false, "DROP TABLE ON db.v");
        context.used.note(Use::TableDenied, "db.w");
        context.used.note(Use::TableDenied, "db.x");
        context.note_right(false, "SELECT(a, b) ON db.x");
        let tables =
            [("db", "u"), ("db", ""), ("other", ""), ("db", "u")].map(|(one, two)| (one.to_string(), two.to_string()));
        let of = |kind| QueryLogEntry::of(kind, "", &tables, &context, None);
        let begun = of(QueryLogType::QueryStart);
        assert!(begun.used.privileges.is_empty() && begun.used.missing_privileges.is_empty());
        let ended = of(QueryLogType::QueryFinish);
        assert_eq!(ended.used.privileges, ["INSERT(x) ON db.u", "SELECT ON db.`a-b`", "SELECT(a, b) ON db.t"]);
        let missing = ["DROP TABLE ON db.v", "SELECT ON db.w", "SELECT(a, b) ON db.x"];
        assert_eq!(ended.used.missing_privileges, missing);
        assert_eq!((ended.databases, ended.tables), (vec!["db".into(), "other".into()], vec!["db.u".into()]));
    }

    #[test]
    fn settings_say_what_an_entry_holds() {
        let of = |settings: &[(&str, &str)]| QueryLogEntry::of(QueryLogType::QueryStart, "", &[], &context(settings), None);
        let cut = of(&[("log_queries_cut_to_length", "9"), ("log_comment", "x")]);
        assert_eq!((cut.query.as_str(), cut.log_comment.as_str()), ("SELECT '", "x"), "no half of a character");
        assert_eq!(cut.settings.len(), 2);
        assert!(of(&[("log_query_settings", "0")]).settings.is_empty());
    }
}
