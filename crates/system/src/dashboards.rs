//! `system.dashboards`: the charts of the page `/dashboard`, each a query over the server's logs.
//!
//! As in ClickHouse a query takes `seconds` (how far back), `rounding` (seconds that one point stands for) and `from` and `to` (a
//! time, or empty: the end is now), and gives the moment `t` in seconds and a number. Tools that bring dashboards of their own
//! read the table by its columns.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use self::Shown::{Measured, Metrics, Queries};
use crate::rows::table;

const STRUCTURE: &str = "dashboard String, title String, query String";
const DASHBOARD: &str = "Overview";

/// What a chart shows.
enum Shown {
    /// An expression over a row of `system.metric_log`, which there is each second.
    Metrics(&'static str),
    /// An aggregate over values of the asynchronous metrics whose names are like this.
    Measured(&'static str, &'static str),
    /// An aggregate over the queries that ended, with how many seconds a point stands for as `{rounding:UInt32}`.
    Queries(&'static str),
}

const CHARTS: &[(&str, Shown)] = &[
    ("Queries/second", Metrics("avg(ProfileEvent_Query)")),
    ("CPU Usage (cores)", Metrics("avg(ProfileEvent_OSCPUVirtualTimeMicroseconds) / 1000000")),
    ("Queries Running", Metrics("avg(CurrentMetric_Query)")),
    ("Merges Running", Metrics("avg(CurrentMetric_Merge)")),
    ("Selected Bytes/second", Metrics("avg(ProfileEvent_SelectedBytes)")),
    ("IO Wait", Metrics("avg(ProfileEvent_OSIOWaitMicroseconds) / 1000000")),
    ("CPU Wait", Metrics("avg(ProfileEvent_OSCPUWaitMicroseconds) / 1000000")),
    ("OS CPU Usage (Userspace)", Measured("avg(value)", "OSUserTime")),
    ("OS CPU Usage (Kernel)", Measured("avg(value)", "OSSystemTime")),
    ("Read From Disk", Metrics("avg(ProfileEvent_OSReadBytes)")),
    ("Read From Filesystem", Metrics("avg(ProfileEvent_OSReadChars)")),
    ("Read From Object Storage", Metrics("avg(ProfileEvent_ReadBufferFromS3Bytes)")),
    ("Memory (tracked)", Metrics("avg(CurrentMetric_MemoryTracking)")),
    (
        "In-Memory Caches (bytes)",
        Metrics(
            "avg(CurrentMetric_MarkCacheBytes + CurrentMetric_UncompressedCacheBytes + CurrentMetric_ParquetMetadataCacheBytes \
             + CurrentMetric_SkippingIndexCacheBytes + CurrentMetric_QueryConditionCacheBytes)",
        ),
    ),
    ("Load Average (15 minutes)", Measured("avg(value)", "LoadAverage15")),
    ("Selected Rows/second", Metrics("avg(ProfileEvent_SelectedRows)")),
    ("Inserted Rows/second", Metrics("avg(ProfileEvent_InsertedRows)")),
    ("Total MergeTree Parts", Measured("max(value)", "TotalPartsOfMergeTreeTables")),
    ("Max Parts For Partition", Measured("max(value)", "MaxPartCountForPartition")),
    ("Concurrent network connections", Metrics("max(CurrentMetric_TCPConnection + CurrentMetric_HTTPConnection)")),
    ("Failed Queries/second", Queries("countIf(exception_code != 0) / {rounding:UInt32}")),
    ("Query Duration (95th percentile, ms)", Queries("quantile(0.95)(query_duration_ms)")),
];

impl Shown {
    fn query(&self) -> String {
        let (value, from, condition) = match self {
            Metrics(value) => (value, "metric_log", String::new()),
            Measured(value, metric) => (value, "asynchronous_metric_log", format!("\n    AND metric = '{metric}'")),
            Queries(value) => (value, "query_log", "\n    AND type != 'QueryStart'".to_string()),
        };
        format!(
            "WITH\n    toDateTimeOrDefault({{from:String}}, '', now() - {{seconds:UInt32}}) AS since,\n    \
             toDateTimeOrDefault({{to:String}}, '', now()) AS until\n\
             SELECT toStartOfInterval(event_time, INTERVAL {{rounding:UInt32}} SECOND)::INT AS t, {value}\n\
             FROM system.{from}\n\
             WHERE event_date BETWEEN toDate(since) AND toDate(until) AND event_time BETWEEN since AND until{condition}\n\
             GROUP BY t\nORDER BY t WITH FILL STEP {{rounding:UInt32}}"
        )
    }
}

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "dashboards", "SystemDashboards", STRUCTURE, |_, rows| {
        CHARTS.iter().try_for_each(|(title, shown)| rows.push([DASHBOARD.into(), (*title).into(), shown.query().into()]))
    })?);
    Ok(())
}
