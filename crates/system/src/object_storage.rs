//! What the process knows of object storage: `system.object_storage_requests` (how the requests to each endpoint went, by
//! class), `system.object_storage_prices` (the shipped list prices) and `system.schema_inference_cache`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_objstore::endpoint::{Endpoint, EndpointReport};
use gristmill_objstore::prices;

use crate::Known;
use crate::rows::{Cell, Rows, table};

const REQUESTS: &str = "endpoint String, request LowCardinality(String), requests UInt64, errors UInt64, throttled UInt64, \
    retried UInt64, hedged UInt64, hedges_won UInt64, bytes UInt64, first_byte_p50_microseconds UInt64, \
    first_byte_p90_microseconds UInt64, first_byte_p99_microseconds UInt64, \
    first_byte_histogram Map(String, UInt64), bytes_per_second UInt64, in_flight UInt64, in_flight_max UInt64";

const PRICES: &str = "host String, usd_per_1000_reads Float64, usd_per_1000_writes Float64, usd_per_gb_egress Float64";

const SCHEMAS: &str = "storage String, source String, format String, additional_format_info String, \
    registration_time DateTime, schema Nullable(String), number_of_rows Nullable(UInt64), schema_inference_mode Nullable(String)";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    all.push(table("system", "object_storage_requests", "SystemObjectStorageRequests", REQUESTS, |_, rows| {
        Endpoint::reports().iter().try_for_each(|report| requests(report, rows))
    })?);
    all.push(table("system", "object_storage_prices", "SystemObjectStoragePrices", PRICES, |_, rows| {
        let dollars = |nanodollars: u64, times: f64| Cell::Float(nanodollars as f64 * times / 1e9);
        prices::list_prices().try_for_each(|(host, price)| {
            rows.push([host.into(), dollars(price.read, 1e3), dollars(price.write, 1e3), dollars(price.egress_gb, 1.0)])
        })
    })?);
    let sources = known.sources.clone();
    all.push(table("system", "schema_inference_cache", "SystemSchemaInferenceCache", SCHEMAS, move |_, rows| {
        for (key, kept) in sources.schemas() {
            let (endpoint, path) = key.file.place.split_once('\n').unwrap_or(("", &key.file.place));
            let columns: Vec<String> =
                kept.columns.iter().map(|column| format!("{} {}", column.name, column.kind)).collect();
            let union = key.settings.contains("schema_inference_mode=union");
            rows.push([
                storage(endpoint).into(),
                path.replace('\n', "/").trim_start_matches('/').into(),
                key.format.into(),
                key.settings.into(),
                kept.seconds.into(),
                columns.join(", ").into(),
                Cell::None,
                if union { "UNION" } else { "DEFAULT" }.into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}

fn requests(report: &EndpointReport, rows: &mut Rows) -> Result<()> {
    let (endpoint, history) = (&report.endpoint, report.endpoint.class(report.class));
    let count = |value: &std::sync::atomic::AtomicU64| Cell::Unsigned(value.load(Ordering::Relaxed));
    let quantile = |share: f64| Cell::Unsigned(history.first_byte.quantile(share).unwrap_or(0));
    let histogram = history.first_byte.buckets().into_iter().map(|(bound, count)| (bound.to_string(), count)).collect();
    rows.push([
        (&endpoint.name).into(),
        report.class.name().into(),
        count(&history.sent),
        count(&history.failed),
        count(&history.throttled),
        count(&history.retried),
        count(&history.hedged),
        count(&history.hedges_won),
        count(&history.bytes),
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        Cell::Counts(histogram),
        endpoint.bytes_per_second().unwrap_or(0).into(),
        endpoint.limiter.in_flight().into(),
        endpoint.limiter.limit().into(),
    ])
}

/// ClickHouse's word for where a file lies.
fn storage(endpoint: &str) -> &'static str {
    match endpoint {
        endpoint if !endpoint.contains("://") => "File",
        endpoint if endpoint.contains("blob.core.windows.net") => "Azure",
        _ => "S3",
    }
}
