//! `system.opentelemetry_span_log`: spans of traces.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::opentelemetry::span_log;

use super::{Declared, day};
use crate::query_log::hostname;
use crate::rows::Cell;
use uuid::Uuid;

const STRUCTURE: &str = "hostname LowCardinality(String), trace_id UUID, span_id UInt64, parent_span_id UInt64, \
    operation_name LowCardinality(String), \
    kind Enum8('INTERNAL' = 0, 'SERVER' = 1, 'CLIENT' = 2, 'PRODUCER' = 3, 'CONSUMER' = 4), start_time_us UInt64, \
    finish_time_us UInt64, finish_date Date, status_code Enum8('UNSET' = 0, 'OK' = 1, 'ERROR' = 2), \
    status_message LowCardinality(String), attribute Map(LowCardinality(String), String)";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    let log = Declared::of(span_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let attribute = entry.attribute.iter().map(|(name, value)| (name.to_string(), value.clone()));
            rows.push([
                (&host).into(),
                Cell::Uuid(Uuid::from_u128(entry.trace_id)),
                entry.span_id.into(),
                entry.parent_span_id.into(),
                entry.operation_name.into(),
                entry.kind.name().into(),
                entry.start_time_us.into(),
                entry.finish_time_us.into(),
                day(entry.finish_time_us as i64),
                if entry.error.is_some() { "ERROR" } else { "UNSET" }.into(),
                entry.error.clone().unwrap_or_default().into(),
                Cell::Pairs(attribute.collect()),
            ])?;
        }
        Ok(())
    })?;
    all.push(Arc::new(log.by("finish_date", "finish_date, finish_time_us")));
    Ok(())
}
