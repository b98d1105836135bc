//! `system.processes`: the queries that run now, the one that asks among them; `system.user_processes`: the same by user.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gristmill_access::Privileges;
use gristmill_access::rights::Object;
use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_introspect::normalized::normalized_hash;
use gristmill_introspect::{QueryContext, processes};

use crate::rows::{Cell, table};

const STRUCTURE: &str = "is_initial_query UInt8, user String, query_id String, address IPv6, port UInt16, \
    interface Enum8('Unknown' = 0, 'TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, 'PostgreSQL' = 5, 'Local' = 6, \
    'TCP_Interserver' = 7, 'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10), \
    client_name String, http_user_agent String, initial_user String, initial_query_id String, \
    elapsed Float64, is_cancelled UInt8, read_rows UInt64, read_bytes UInt64, total_rows_approx UInt64, \
    written_rows UInt64, written_bytes UInt64, memory_usage Int64, peak_memory_usage Int64, query String, \
    ProfileEvents Map(LowCardinality(String), UInt64), Settings Map(LowCardinality(String), LowCardinality(String)), \
    current_database String, insert_gear String, \
    initial_address IPv6, initial_port UInt16, os_user String, client_hostname String, client_revision UInt64, \
    client_version_major UInt64, client_version_minor UInt64, client_version_patch UInt64, \
    http_method Enum8('UNKNOWN' = 0, 'GET' = 1, 'POST' = 2, 'OPTIONS' = 3, 'PUT' = 4, 'DELETE' = 5, 'HEAD' = 6), \
    http_referer String, forwarded_for String, quota_key String, query_kind String, normalized_query_hash UInt64, \
    thread_ids Array(UInt64), peak_threads_usage UInt64, \
    `ProfileEvents.Names` Array(String) ALIAS mapKeys(ProfileEvents), \
    `ProfileEvents.Values` Array(UInt64) ALIAS mapValues(ProfileEvents), \
    `Settings.Names` Array(String) ALIAS mapKeys(Settings), `Settings.Values` Array(String) ALIAS mapValues(Settings)";

const OF_USERS: &str = "user String, memory_usage Int64, peak_memory_usage Int64, \
    ProfileEvents Map(LowCardinality(String), UInt64), \
    `ProfileEvents.Names` Array(String) ALIAS mapKeys(ProfileEvents), \
    `ProfileEvents.Values` Array(UInt64) ALIAS mapValues(ProfileEvents)";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "processes", "SystemProcesses", STRUCTURE, |context, rows| {
        for query in seen_by(context) {
            query.settle();
            let progress = query.progress.snapshot();
            let events = query.counters.nonzero().into_iter().map(|(event, value)| (event.name().to_string(), value));
            rows.push([
                true.into(),
                (&query.user).into(),
                (&query.query_id).into(),
                query.client.address.map(|address| address.ip()).into(),
                query.client.address.map_or(0, |address| u64::from(address.port())).into(),
                query.client.interface_name().into(),
                (&query.client.name).into(),
                (&query.client.http_user_agent).into(),
                (&query.user).into(),
                (&query.query_id).into(),
                Cell::Float(query.elapsed().as_secs_f64()),
                query.cancel.is_cancelled().into(),
                progress.read_rows.into(),
                progress.read_bytes.into(),
                query.progress.total_rows_to_read.load(Ordering::Relaxed).into(),
                progress.written_rows.into(),
                progress.written_bytes.into(),
                query.memory.held_bytes().into(),
                query.memory.peak_bytes().into(),
                (&query.query).into(),
                Cell::Counts(events.collect()),
                Cell::Pairs(query.settings.shown()),
                (&query.database).into(),
                query.insert_gear.shown().map(|gear| gear.to_string()).unwrap_or_default().into(),
                query.client.address.map(|address| address.ip()).into(),
                query.client.address.map_or(0, |address| u64::from(address.port())).into(),
                (&query.client.os_user).into(),
                (&query.client.hostname).into(),
                query.client.revision.into(),
                query.client.version.0.into(),
                query.client.version.1.into(),
                query.client.version.2.into(),
                query.client.http_method_name().into(),
                (&query.client.http_referer).into(),
                (&query.client.forwarded_for).into(),
                (&query.client.quota_key).into(),
                kind(&query.query).into(),
                normalized_hash(query.query.as_bytes(), false).into(),
                Cell::Numbers(query.thread_ids().into_iter().map(i64::from).collect()),
                u64::from(query.threads_peak()).into(),
            ])?;
        }
        Ok(())
    })?);
    all.push(table("system", "user_processes", "SystemUserProcesses", OF_USERS, |context, rows| {
        let mut users: BTreeMap<String, OfUser> = BTreeMap::new();
        for query in seen_by(context) {
            let user = users.entry(query.user.clone()).or_default();
            query.settle();
            user.held_bytes += query.memory.held_bytes();
            user.peak_bytes += query.memory.peak_bytes();
            for (event, value) in query.counters.nonzero() {
                *user.events.entry(event.name()).or_default() += value;
            }
        }
        users.into_iter().try_for_each(|(name, user)| {
            let events = user.events.into_iter().map(|(event, value)| (event.to_string(), value)).collect();
            rows.push([name.into(), user.held_bytes.into(), user.peak_bytes.into(), Cell::Counts(events)])
        })
    })?);
    Ok(())
}

/// Sums over the running queries of a user.
#[derive(Default)]
struct OfUser {
    held_bytes: u64,
    /// The peaks of the queries, which need not have come at one time.
    peak_bytes: u64,
    events: BTreeMap<&'static str, u64>,
}

/// The running queries that a user may know of: everybody's own; who may end those of others sees them too.
fn seen_by(context: &QueryContext) -> impl Iterator<Item = Arc<QueryContext>> {
    let kill = Privileges::known("KILL QUERY").unwrap_or_else(Privileges::all);
    let sees_all = context.rights().has(kill, &Object::EVERYTHING);
    processes::snapshot().into_iter().filter(move |query| sees_all || query.user == context.user)
}

/// The kind of a statement, by its first word.
fn kind(query: &str) -> &'static str {
    let word = query.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let word: String = word.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.to_ascii_uppercase().as_str() {
        "SELECT" | "WITH" | "FROM" | "VALUES" => "Select",
        "INSERT" => "Insert",
        "CREATE" => "Create",
        "ALTER" => "Alter",
        "DROP" | "TRUNCATE" | "DETACH" => "Drop",
        "DELETE" => "Delete",
        "UPDATE" => "Update",
        "OPTIMIZE" => "Optimize",
        "SYSTEM" => "System",
        "SET" => "Set",
        "USE" => "Use",
        "SHOW" => "Show",
        "EXPLAIN" => "Explain",
        "DESCRIBE" | "DESC" => "Describe",
        "KILL" => "KillQuery",
        "RENAME" => "Rename",
        _ => "",
    }
}
