//! `system.text_log`: the lines of the server's log.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_functions::session::DIALECT_REVISION;
use gristmill_introspect::logs::text_log::text_log;

use super::{Declared, moment};
use crate::query_log::{MICROS, hostname};

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), microseconds UInt32, thread_name LowCardinality(String), thread_id UInt64, \
    level Enum8('Fatal' = 1, 'Critical' = 2, 'Error' = 3, 'Warning' = 4, 'Notice' = 5, 'Information' = 6, 'Debug' = 7, \
    'Trace' = 8, 'Test' = 9), query_id String, logger_name LowCardinality(String), message String, \
    revision UInt32, source_file LowCardinality(String), source_line UInt64";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(text_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, second, micros] = moment(entry.event_time_micros);
            rows.push([
                (&host).into(),
                day,
                second,
                micros,
                (entry.event_time_micros.rem_euclid(MICROS) as u64).into(),
                (&entry.thread_name).into(),
                entry.thread_id.into(),
                entry.level.into(),
                (&entry.query_id).into(),
                entry.logger_name.into(),
                (&entry.message).into(),
                u64::from(DIALECT_REVISION).into(),
                entry.source_file.into(),
                u64::from(entry.source_line).into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
