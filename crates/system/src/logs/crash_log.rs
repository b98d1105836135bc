//! `system.crash_log`: defects that the process met and survived, and the signal that ended the server before it.

use std::sync::Arc;

use gristmill_base::{Result, runtime};
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::crash_log::crash_log;
use gristmill_introspect::profiler;

use super::{Declared, day, second};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, timestamp_ns UInt64, \
    signal Int32, signal_code Int32, fault_address Nullable(UInt64), thread_id UInt64, query_id String, query String, \
    trace Array(UInt64), trace_full Array(String), signal_description String, version String, architecture String";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(crash_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            // The first names make the program's table of functions be read.
            let calls = runtime::aside(|| profiler::stack_text(&entry.trace));
            let micros = (entry.event_time_nanos / 1000) as i64;
            rows.push([
                (&host).into(),
                day(micros),
                second(micros),
                entry.event_time_nanos.into(),
                i64::from(entry.signal).into(),
                i64::from(entry.signal_code).into(),
                entry.fault_address.into(),
                entry.thread_id.into(),
                (&entry.query_id).into(),
                (&entry.query).into(),
                Cell::Numbers(entry.trace.iter().map(|address| *address as i64).collect()),
                calls.lines().map(str::to_string).collect::<Vec<_>>().into(),
                (&entry.description).into(),
                env!("CARGO_PKG_VERSION").into(),
                std::env::consts::ARCH.into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
