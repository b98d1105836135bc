//! `system.query_thread_log`: what each thread did for a query.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_functions::session::DIALECT_REVISION;
use gristmill_introspect::logs::threads_log::threads_log;

use super::{Declared, moment, second};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), query_start_time DateTime, query_start_time_microseconds DateTime64(6), \
    query_duration_ms UInt64, read_rows UInt64, read_bytes UInt64, written_rows UInt64, written_bytes UInt64, memory_usage Int64, \
    peak_memory_usage Int64, thread_name LowCardinality(String), thread_id UInt64, master_thread_id UInt64, \
    current_database LowCardinality(String), query String, normalized_query_hash UInt64, is_initial_query UInt8, \
    connection_address IPv6, connection_port UInt16, \
    user LowCardinality(String), query_id String, address IPv6, port UInt16, initial_user LowCardinality(String), \
    initial_query_id String, initial_address IPv6, initial_port UInt16, initial_query_start_time DateTime, \
    initial_query_start_time_microseconds DateTime64(6), authenticated_user LowCardinality(String), interface \
    Enum8('Unknown' = 0, 'TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, 'PostgreSQL' = 5, 'Local' = 6, \
    'TCP_Interserver' = 7, 'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10), is_secure UInt8, \
    os_user LowCardinality(String), client_hostname LowCardinality(String), client_name LowCardinality(String), \
    client_revision UInt32, client_version_major UInt32, client_version_minor UInt32, client_version_patch UInt32, \
    http_method Enum8('UNKNOWN' = 0, 'GET' = 1, 'POST' = 2, 'OPTIONS' = 3, 'PUT' = 4, 'DELETE' = 5, 'HEAD' = 6), \
    http_user_agent LowCardinality(String), http_referer String, forwarded_for String, quota_key String, revision UInt32, \
    ProfileEvents Map(LowCardinality(String), UInt64)";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(threads_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, at_second, micros] = moment(entry.event_time_micros);
            let events = entry.profile_events.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            let client = &entry.client;
            let address = || Cell::from(client.address.map(|address| address.ip()));
            let port = || Cell::from(client.address.map_or(0, |address| u64::from(address.port())));
            rows.push([
                (&host).into(),
                day,
                at_second,
                micros,
                second(entry.query_start_time_micros),
                entry.query_start_time_micros.into(),
                entry.query_duration_ms.into(),
                entry.read_rows.into(),
                entry.read_bytes.into(),
                entry.written_rows.into(),
                entry.written_bytes.into(),
                entry.memory.into(),
                entry.memory_peak.into(),
                (&entry.thread_name).into(),
                entry.thread_id.into(),
                entry.master_thread_id.into(),
                (&entry.current_database).into(),
                (&entry.query).into(),
                entry.normalized_query_hash.into(),
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
                second(entry.query_start_time_micros),
                entry.query_start_time_micros.into(),
                (&entry.user).into(),
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
                u64::from(DIALECT_REVISION).into(),
                Cell::Counts(events),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
