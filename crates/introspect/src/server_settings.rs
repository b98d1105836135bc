//! Settings of the server, which no session changes: what a configuration and flags say beside users and profiles.
//!
//! One declaration each, under ClickHouse's names: `system.server_settings` and `getServerSetting` read it. Whoever puts a
//! value into force tells it here (`set`); until then the default holds.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use crate::settings::nearest;

/// One setting of the server, as it is declared.
#[derive(Debug)]
pub struct ServerSetting {
    pub name: &'static str,
    /// ClickHouse's word for its type.
    pub kind: &'static str,
    pub default: &'static str,
    pub description: &'static str,
    /// A configuration that is read again may say another value.
    pub is_changeable: bool,
}

const fn declared(
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    description: &'static str,
) -> ServerSetting {
    ServerSetting { name, kind, default, description, is_changeable: false }
}

/// What is read again with the configuration.
const fn changeable(setting: ServerSetting) -> ServerSetting {
    ServerSetting { is_changeable: true, ..setting }
}

/// Every setting, by name.
pub const DECLARED: &[ServerSetting] = &[
    declared(
        "calibrate_when_idle_seconds",
        "UInt64",
        "60",
        "Seconds without a query after which the server measures its machine, once, for EXPLAIN LIMIT. 0: only when it is asked to. \
         (Gristmill's own.)",
    ),
    declared(
        "config_reload_interval_ms",
        "UInt64",
        "2000",
        "Milliseconds after which files of the configuration are looked after, whether they changed. 0: they are not.",
    ),
    changeable(declared(
        "database_atomic_delay_before_drop_table_sec",
        "UInt64",
        "480",
        "Seconds that UNDROP TABLE may bring a dropped table back, whose data stays so long. 0: it goes at once.",
    )),
    declared("default_database", "String", "default", "The database of clients that name none."),
    changeable(declared("default_profile", "String", "default", "The profile of settings that everybody has.")),
    declared("default_session_timeout", "UInt32", "60", "Seconds that a session over HTTP is kept without a request."),
    declared("display_name", "String", "", "How prompts and tools call the server. Empty: as the machine is called."),
    declared("enable_http_stacktrace", "Bool", "1", "Whether stacktrace=1 in a URL has errors told with their stack."),
    declared("keep_alive_timeout", "Seconds", "30", "Seconds that an HTTP connection waits for the next request."),
    declared("listen_try", "Bool", "0", "Whether the server does without addresses that it cannot listen on."),
    changeable(declared(
        "max_concurrent_insert_queries",
        "UInt64",
        "0",
        "INSERTs that run at the same time; others are refused. 0: any number.",
    )),
    changeable(declared(
        "max_concurrent_queries",
        "UInt64",
        "100",
        "Queries that run at the same time; others are refused. 0: any number.",
    )),
    changeable(declared(
        "max_concurrent_select_queries",
        "UInt64",
        "0",
        "SELECTs that run at the same time; others are refused. 0: any number.",
    )),
    declared("max_connections", "Int32", "4096", "Connections that are open at a time; more wait. 0: any number."),
    changeable(declared(
        "max_partition_size_to_drop",
        "UInt64",
        "50000000000",
        "Bytes of a partition or part that may be dropped, unless a query says otherwise. 0: any number.",
    )),
    declared("max_server_memory_usage", "UInt64", "0", "Bytes of memory that all queries together may use."),
    declared(
        "max_server_memory_usage_to_ram_ratio",
        "Double",
        "0",
        "The same as a share of the machine's memory; the lesser of the two holds. 0: no share.",
    ),
    declared("max_session_timeout", "UInt32", "3600", "Seconds of session_timeout that a request over HTTP may ask for."),
    changeable(declared(
        "max_table_size_to_drop",
        "UInt64",
        "50000000000",
        "Bytes of a table that may be dropped, unless a query says otherwise. 0: any number.",
    )),
    declared("path", "String", "./data", "The folder where tables last."),
    declared("query_condition_cache_size", "UInt64", "104857600", "Bytes of what is remembered of conditions and granules."),
    declared("shutdown_wait_unfinished", "UInt64", "10", "Seconds that running queries have when the server is to end."),
    declared("timezone", "String", "", "The zone of dates and times whose type names none. Empty: that of the machine."),
    declared("uncompressed_cache_size", "UInt64", "0", "Bytes of decoded granules kept in memory."),
    declared("user_files_path", "String", "", "The only folder whose files statements read and write. Empty: any."),
];

static VALUES: RwLock<BTreeMap<&'static str, String>> = RwLock::new(BTreeMap::new());

/// The declaration of a name.
pub fn find(name: &str) -> Option<&'static ServerSetting> {
    DECLARED.iter().find(|setting| setting.name == name)
}

/// The declared name that is nearest to another.
pub fn nearest_name(name: &str) -> Option<&'static str> {
    nearest(name, DECLARED.iter().map(|setting| setting.name))
}

/// A value is in force from now on. Names that are not declared are left alone.
pub fn set(name: &str, value: impl ToString) {
    if let Some(setting) = find(name) {
        VALUES.write().insert(setting.name, value.to_string());
    }
}

/// The default holds again.
pub fn unset(name: &str) {
    VALUES.write().remove(name);
}

impl ServerSetting {
    /// The value in force.
    pub fn value(&self) -> String {
        VALUES.read().get(self.name).cloned().unwrap_or_else(|| self.default.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_holds_until_a_value_is_told() {
        let setting = find("shutdown_wait_unfinished").expect("declared");
        assert_eq!(setting.value(), "10");
        set("shutdown_wait_unfinished", 7);
        assert_eq!(setting.value(), "7");
        unset("shutdown_wait_unfinished");
        assert_eq!(setting.value(), "10");
        set("no_such_setting", 1);
        assert!(find("no_such_setting").is_none());
        assert_eq!(nearest_name("max_connection"), Some("max_connections"));
    }

    #[test]
    fn they_are_declared_in_the_order_of_their_names() {
        assert!(DECLARED.is_sorted_by_key(|setting| setting.name));
    }
}
