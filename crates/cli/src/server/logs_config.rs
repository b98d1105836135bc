//! Elements of logs in the configuration of a server, in ClickHouse's form: `<query_log><ttl>…</ttl></query_log>`, and
//! `<query_log remove="1"/>` for one that is not to be.

use std::time::Duration;

use gristmill_base::{Result, ResultExt};
use gristmill_engine::{LogConfig, LogsConfig};
use gristmill_introspect::logs::QueueLimits;

use crate::config_tree::{Node, invalid};

/// Logs that there are.
const LOGS: &[&str] = &[
    "asynchronous_insert_log",
    "asynchronous_metric_log",
    "blob_storage_log",
    "crash_log",
    "error_log",
    "filesystem_cache_log",
    "metric_log",
    "opentelemetry_span_log",
    "part_log",
    "processors_profile_log",
    "query_limit_log",
    "query_log",
    "query_metric_log",
    "query_thread_log",
    "query_views_log",
    "session_log",
    "text_log",
    "trace_log",
];

/// What is read of an element.
const KNOWN: &[&str] = &[
    "database",
    "table",
    "flush_interval_milliseconds",
    "max_size_rows",
    "max_size_bytes",
    "buffer_size_rows_flush_threshold",
    "collect_interval_milliseconds",
    "partition_by",
    "order_by",
    "ttl",
    "settings",
    "engine",
    "level",
    "symbolize",
    // The queue grows as it needs to.
    "reserved_size_rows",
];

pub fn is_log(name: &str) -> bool {
    LOGS.contains(&name)
}

/// What a file says of logs. Error: INVALID_CONFIG_PARAMETER.
pub fn read(root: &Node) -> Result<LogsConfig> {
    let mut config = LogsConfig::default();
    for node in root.children.iter().filter(|node| is_log(&node.name)) {
        if node.remove {
            config.removed.insert(node.name.clone());
            config.logs.remove(&node.name);
            continue;
        }
        let of_log = log(node).context(|| format!("in <{}>", node.name))?;
        config.removed.remove(&node.name);
        config.logs.insert(node.name.clone(), of_log);
    }
    Ok(config)
}

fn log(node: &Node) -> Result<LogConfig> {
    let unknown: Vec<&str> =
        node.children.iter().map(|child| child.name.as_str()).filter(|name| !KNOWN.contains(name)).collect();
    if !unknown.is_empty() {
        tracing::warn!("These elements of <{}> mean nothing here: {}", node.name, unknown.join(", "));
    }
    for (element, only) in [("database", "system"), ("table", node.name.as_str())] {
        if let Some(other) = node.text(&[element]).filter(|other| other != only) {
            return Err(invalid(format!("<{element}> is {other}, and the log is in system.{}: leave it out", node.name)));
        }
    }
    let defaults = LogConfig::default();
    let millis = |name: &str| -> Result<Option<Duration>> { Ok(node.number(&[name])?.map(Duration::from_millis)) };
    let rows_max = node.number(&["max_size_rows"])?.unwrap_or(defaults.limits.rows_max);
    let config = LogConfig {
        flush_interval: millis("flush_interval_milliseconds")?.unwrap_or(defaults.flush_interval),
        limits: QueueLimits {
            rows_max,
            bytes_max: node.number(&["max_size_bytes"])?.unwrap_or(defaults.limits.bytes_max),
            rows_due: node.number(&["buffer_size_rows_flush_threshold"])?.unwrap_or(rows_max / 2).max(1),
        },
        collect_interval: millis("collect_interval_milliseconds")?,
        partition_by: node.text(&["partition_by"]),
        order_by: node.text(&["order_by"]),
        // An empty one says that rows stay.
        ttl: node.child("ttl").map(|ttl| ttl.text.trim().to_string()),
        settings: node.text(&["settings"]),
        engine: node.text(&["engine"]),
        symbolize: node.text(&["symbolize"]).map_or(defaults.symbolize, |text| text == "1" || text == "true"),
    };
    config.check()?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_tree::parsed;

    fn of(text: &str) -> Result<LogsConfig> {
        read(&parsed(&format!("<clickhouse>{text}</clickhouse>"))?)
    }

    #[test]
    fn elements_of_clickhouse_are_read() {
        let config = of("<query_log><database>system</database><table>query_log</table><partition_by>toMonday(event_date)\
            </partition_by><ttl>event_date + INTERVAL 7 DAY DELETE</ttl><flush_interval_milliseconds>500\
            </flush_interval_milliseconds><max_size_rows>100</max_size_rows></query_log><metric_log>\
            <collect_interval_milliseconds>5000</collect_interval_milliseconds><ttl/></metric_log><trace_log remove=\"1\"/>")
        .expect("reads");
        let query_log = &config.logs["query_log"];
        assert_eq!(query_log.flush_interval, Duration::from_millis(500));
        assert_eq!((query_log.limits.rows_max, query_log.limits.rows_due), (100, 50));
        assert_eq!(query_log.ttl.as_deref(), Some("event_date + INTERVAL 7 DAY DELETE"));
        assert_eq!(query_log.partition_by.as_deref(), Some("toMonday(event_date)"));
        let metric_log = &config.logs["metric_log"];
        assert_eq!((metric_log.collect_interval, metric_log.ttl.as_deref()), (Some(Duration::from_secs(5)), Some("")));
        assert!(config.removed.contains("trace_log") && config.removed.len() == 1);
    }

    #[test]
    fn names_stand_beside_addresses_where_that_is_said() {
        let says = |text: &str| of(&format!("<trace_log>{text}</trace_log>")).expect("reads").logs["trace_log"].symbolize;
        assert!(!says("") && says("<symbolize>true</symbolize>") && !says("<symbolize>false</symbolize>"));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for text in [
            "<query_log><flush_interval_milliseconds>soon</flush_interval_milliseconds></query_log>",
            "<query_log><flush_interval_milliseconds>0</flush_interval_milliseconds></query_log>",
            "<query_log><database>logs</database></query_log>",
            "<query_log><engine>ENGINE = Memory</engine><ttl>event_date + INTERVAL 1 DAY</ttl></query_log>",
        ] {
            let error = of(text).expect_err(text).to_string();
            assert!(error.contains("in <query_log>"), "{error}");
        }
    }
}
