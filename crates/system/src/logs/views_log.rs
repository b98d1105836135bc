//! `system.query_views_log`: what each materialized view did of an INSERT.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::views_log::views_log;

use super::{Declared, moment, stack_texts};
use crate::query_log::{hostname, kind};
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), view_duration_ms UInt64, initial_query_id String, view_name String, view_uuid UUID, \
    view_type Enum8('Default' = 1, 'Materialized' = 2, 'Live' = 3, 'Window' = 4), view_query String, view_target String, \
    read_rows UInt64, read_bytes UInt64, written_rows UInt64, written_bytes UInt64, peak_memory_usage Int64, \
    ProfileEvents Map(LowCardinality(String), UInt64), \
    status Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4), \
    exception_code Int32, exception String, \
    stack_trace String";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(views_log(), STRUCTURE, move |entries, rows| {
        let stacks = stack_texts(entries.iter().map(|entry| &entry.trace[..]));
        for (entry, stack) in entries.iter().zip(stacks) {
            let [day, second, micros] = moment(entry.event_time_micros);
            let events = entry.profile_events.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            rows.push([
                (&host).into(),
                day,
                second,
                micros,
                entry.duration_ms.into(),
                (&entry.initial_query_id).into(),
                (&entry.view_name).into(),
                Cell::Uuid(entry.view_uuid),
                "Materialized".into(),
                (&entry.view_query).into(),
                (&entry.view_target).into(),
                entry.read_rows.into(),
                entry.read_bytes.into(),
                entry.written_rows.into(),
                entry.written_bytes.into(),
                entry.peak_memory_usage.into(),
                Cell::Counts(events),
                kind(entry.status),
                i64::from(entry.exception_code).into(),
                (&entry.exception).into(),
                stack.into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
