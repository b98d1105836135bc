//! Columns of logs that are computed of others: old clients ask for the keys and the values of maps by names of their own.

use gristmill_base::Result;
use gristmill_types::{Columns, DefaultKind};

/// Log, column, type and expression, as ClickHouse declares them.
const ALIASES: [(&str, &str, &str, &str); 14] = [
    ("query_log", "ProfileEvents.Names", "Array(LowCardinality(String))", "mapKeys(ProfileEvents)"),
    ("query_log", "ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
    ("query_log", "Settings.Names", "Array(LowCardinality(String))", "mapKeys(Settings)"),
    ("query_log", "Settings.Values", "Array(LowCardinality(String))", "mapValues(Settings)"),
    ("query_thread_log", "ProfileEvents.Names", "Array(LowCardinality(String))", "mapKeys(ProfileEvents)"),
    ("query_thread_log", "ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
    ("query_views_log", "ProfileEvents.Names", "Array(String)", "mapKeys(ProfileEvents)"),
    ("query_views_log", "ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
    ("part_log", "ProfileEvents.Names", "Array(String)", "mapKeys(ProfileEvents)"),
    ("part_log", "ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
    ("part_log", "name", "String", "part_name"),
    ("opentelemetry_span_log", "attribute.names", "Array(LowCardinality(String))", "mapKeys(attribute)"),
    ("opentelemetry_span_log", "attribute.values", "Array(String)", "mapValues(attribute)"),
    ("trace_log", "build_id", "String", "buildId()"),
];

pub fn of(log: &str) -> Result<Columns> {
    let of_log = ALIASES.iter().filter(|(table, ..)| *table == log);
    let mut columns = Vec::new();
    for (_, name, kind, expression) in of_log {
        for column in gristmill_types::parse::structure(&format!("`{name}` {kind}"))?.iter() {
            let mut column = column.clone();
            column.default = Some((DefaultKind::Alias, String::from(*expression)));
            columns.push(column);
        }
    }
    Ok(Columns::new(columns))
}
