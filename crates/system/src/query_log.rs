//! `system.query_log`: an entry when a query starts and one when it ends.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_functions::session::DIALECT_REVISION;
use gristmill_introspect::query_log::{QueryLogType, query_log};

use crate::logs::{Declared, stack_texts};
use crate::rows::Cell;

pub use gristmill_base::machine::hostname;

const STRUCTURE: &str = "hostname LowCardinality(String), \
    type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4), \
    event_date Date, event_time DateTime, event_time_microseconds DateTime64(6), query_start_time DateTime, \
    query_start_time_microseconds DateTime64(6), query_duration_ms UInt64, read_rows UInt64, read_bytes UInt64, \
    written_rows UInt64, written_bytes UInt64, result_rows UInt64, result_bytes UInt64, memory_usage UInt64, \
    current_database LowCardinality(String), query String, formatted_query String, normalized_query_hash UInt64, \
    query_kind LowCardinality(String), \
    databases Array(LowCardinality(String)), tables Array(LowCardinality(String)), \
    columns Array(LowCardinality(String)), partitions Array(LowCardinality(String)), \
    projections Array(LowCardinality(String)), views Array(LowCardinality(String)), exception_code Int32, \
    exception String, stack_trace String, \
    is_initial_query UInt8, connection_address IPv6, connection_port UInt16, \
    user LowCardinality(String), query_id String, address IPv6, port UInt16, \
    initial_user LowCardinality(String), initial_query_id String, initial_address IPv6, initial_port UInt16, \
    initial_query_start_time DateTime, initial_query_start_time_microseconds DateTime64(6), interface \
    Enum8('Unknown' = 0, 'TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, 'PostgreSQL' = 5, 'Local' = 6, \
    'TCP_Interserver' = 7, 'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10), is_secure UInt8, \
    os_user LowCardinality(String), client_hostname LowCardinality(String), client_name LowCardinality(String), \
    client_revision UInt32, client_version_major UInt32, client_version_minor UInt32, client_version_patch UInt32, \
    http_method Enum8('UNKNOWN' = 0, 'GET' = 1, 'POST' = 2, 'OPTIONS' = 3, 'PUT' = 4, 'DELETE' = 5, 'HEAD' = 6), \
    http_user_agent LowCardinality(String), http_referer String, forwarded_for String, \
    quota_key String, distributed_depth UInt64, revision UInt32, http_request_url String, log_comment String, \
    ProfileEvents Map(LowCardinality(String), UInt64), Settings Map(LowCardinality(String), LowCardinality(String)), \
    used_aggregate_functions Array(LowCardinality(String)), \
    used_aggregate_function_combinators Array(LowCardinality(String)), \
    used_data_type_families Array(LowCardinality(String)), used_formats Array(LowCardinality(String)), \
    used_functions Array(LowCardinality(String)), used_storages Array(LowCardinality(String)), \
    used_table_functions Array(LowCardinality(String)), used_row_policies Array(LowCardinality(String)), \
    used_privileges Array(LowCardinality(String)), missing_privileges Array(LowCardinality(String)), \
    thread_ids Array(UInt64), peak_threads_usage UInt64, authenticated_user LowCardinality(String), \
    query_cache_usage Enum8('Unknown' = 0, 'None' = 1, 'Write' = 2, 'Read' = 3), \
    asynchronous_read_counters Map(LowCardinality(String), UInt64), object_storage_cost_usd Float64, plan_hash UInt64";

pub const MICROS: i64 = 1_000_000;
pub const DAY_SECONDS: i64 = 86_400;

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(query_log(), STRUCTURE, move |entries, rows| {
        let stacks = stack_texts(entries.iter().map(|entry| &entry.trace[..]));
        for (entry, stack) in entries.iter().zip(stacks) {
            let (event, start) = (entry.event_time_micros, entry.query_start_time_micros);
            let events = entry.profile_events.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            let client = &entry.client;
            let address = || Cell::from(client.address.map(|address| address.ip()));
            let port = || Cell::from(client.address.map_or(0, |address| u64::from(address.port())));
            rows.push([
                (&host).into(),
                kind(entry.kind),
                event.div_euclid(MICROS * DAY_SECONDS).into(),
                event.div_euclid(MICROS).into(),
                event.into(),
                start.div_euclid(MICROS).into(),
                start.into(),
                entry.query_duration_ms.into(),
                entry.read_rows.into(),
                entry.read_bytes.into(),
                entry.written_rows.into(),
                entry.written_bytes.into(),
                entry.result_rows.into(),
                entry.result_bytes.into(),
                entry.memory_usage.into(),
                (&entry.current_database).into(),
                (&entry.query).into(),
                (&entry.formatted_query).into(),
                entry.normalized_query_hash.into(),
                entry.query_kind.into(),
                entry.databases.clone().into(),
                entry.tables.clone().into(),
                entry.used.columns.clone().into(),
                entry.used.partitions.clone().into(),
                entry.projections.clone().into(),
                entry.used.views.clone().into(),
                i64::from(entry.exception_code).into(),
                (&entry.exception).into(),
                stack.into(),
                true.into(),
                address(),
                port(),
                (&entry.user).into(),
                (&entry.query_id).into(),
                address(),
                port(),
                (&entry.user).into(),
                (&entry.query_id).into(),
                address(),
                port(),
                start.div_euclid(MICROS).into(),
                start.into(),
                client.interface_name().into(),
                client.is_secure.into(),
                (&client.os_user).into(),
                (&client.hostname).into(),
                (&client.name).into(),
                client.revision.into(),
                client.version.0.into(),
                client.version.1.into(),
                client.version.2.into(),
                client.http_method_name().into(),
                (&client.http_user_agent).into(),
                (&client.http_referer).into(),
                (&client.forwarded_for).into(),
                (&client.quota_key).into(),
                // Every query is the first of its kind.
                0u64.into(),
                u64::from(DIALECT_REVISION).into(),
                client.request_path().into(),
                (&entry.log_comment).into(),
                Cell::Counts(events),
                Cell::Pairs(entry.settings.clone()),
                entry.used.aggregate_functions.clone().into(),
                entry.used.aggregate_function_combinators.clone().into(),
                entry.used.data_type_families.clone().into(),
                entry.used.formats.clone().into(),
                entry.used.functions.clone().into(),
                entry.used.storages.clone().into(),
                entry.used.table_functions.clone().into(),
                // There are no row policies.
                Vec::<String>::new().into(),
                entry.used.privileges.clone().into(),
                entry.used.missing_privileges.clone().into(),
                Cell::Numbers(entry.thread_ids.iter().map(|id| i64::from(*id)).collect()),
                u64::from(entry.threads_peak).into(),
                (&entry.user).into(),
                // Results are not kept.
                "None".into(),
                Cell::Counts(Vec::new()),
                Cell::Float(entry.cost_usd),
                entry.plan_hash.into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}

pub fn kind(kind: QueryLogType) -> Cell {
    match kind {
        QueryLogType::QueryStart => "QueryStart",
        QueryLogType::QueryFinish => "QueryFinish",
        QueryLogType::ExceptionBeforeStart => "ExceptionBeforeStart",
        QueryLogType::ExceptionWhileProcessing => "ExceptionWhileProcessing",
    }
    .into()
}
