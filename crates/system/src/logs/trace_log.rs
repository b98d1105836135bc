//! `system.trace_log`: samples of stacks.

use std::sync::Arc;

use gristmill_base::{Result, runtime};
use gristmill_catalog::LogSource;
use gristmill_functions::session::DIALECT_REVISION;
use gristmill_introspect::logs::trace_log::trace_log;
use gristmill_introspect::profiler;

use super::{Declared, moment};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), timestamp_ns UInt64, revision UInt32, \
    trace_type Enum8('Real' = 0, 'CPU' = 1, 'Memory' = 2, 'MemorySample' = 3, 'MemoryPeak' = 4, 'ProfileEvent' = 5, \
    'JemallocSample' = 6, 'MemoryAllocatedWithoutCheck' = 7, 'Instrumentation' = 8), cpu_id UInt64, thread_id UInt64, \
    thread_name LowCardinality(String), query_id String, trace Array(UInt64), size Int64, ptr UInt64, \
    event LowCardinality(String), increment Int64, symbols Array(LowCardinality(String)), lines Array(LowCardinality(String))";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    let log = Declared::of(trace_log(), STRUCTURE, move |entries, rows| {
        // The first names make the whole table of symbols be read.
        let shown = runtime::aside(|| {
            let shown: Vec<_> = entries.iter().map(|entry| profiler::shown(entry)).collect();
            profiler::symbols::close();
            shown
        });
        for (entry, shown) in entries.iter().zip(shown) {
            let texts = |texts: &[Arc<str>]| Cell::Texts(texts.iter().map(ToString::to_string).collect());
            let [day, second, micros] = moment((entry.event_time_nanos / 1000) as i64);
            rows.push([
                (&host).into(),
                day,
                second,
                micros,
                entry.event_time_nanos.into(),
                u64::from(DIALECT_REVISION).into(),
                entry.trace_type.into(),
                entry.cpu_id.into(),
                entry.thread_id.into(),
                (&entry.thread_name).into(),
                entry.query_id.to_string().into(),
                Cell::Numbers(shown.trace.iter().map(|address| *address as i64).collect()),
                entry.size.into(),
                entry.address.into(),
                entry.event.into(),
                entry.increment.into(),
                texts(&shown.symbols),
                texts(&shown.lines),
            ])?;
        }
        Ok(())
    })?;
    // Samples that nobody has walked yet belong to it.
    all.push(Arc::new(log.completed_by(profiler::collect)));
    Ok(())
}
