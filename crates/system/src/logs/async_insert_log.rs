//! `system.asynchronous_insert_log`: what became of each INSERT that went through the queue of asynchronous inserts.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::async_insert_log::async_insert_log;

use super::{Declared, moment, second};
use crate::query_log::hostname;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), query String, database LowCardinality(String), table LowCardinality(String), \
    format LowCardinality(String), query_id String, bytes UInt64, rows UInt64, exception String, \
    status Enum8('Ok' = 0, 'ParsingError' = 1, 'FlushError' = 2), data_kind Enum8('Parsed' = 0, 'Preprocessed' = 1), \
    flush_time DateTime, flush_time_microseconds DateTime64(6), flush_query_id String, \
    timeout_milliseconds UInt64";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(async_insert_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, at, micros] = moment(entry.event_time_micros);
            rows.push([
                (&host).into(),
                day,
                at,
                micros,
                (&entry.query).into(),
                (&entry.database).into(),
                (&entry.table).into(),
                (&entry.format).into(),
                (&entry.query_id).into(),
                entry.bytes.into(),
                entry.rows.into(),
                (&entry.exception).into(),
                if entry.exception.is_empty() { "Ok" } else { "FlushError" }.into(),
                // Rows are parsed before they are put into the queue.
                "Preprocessed".into(),
                second(entry.flush_time_micros),
                entry.flush_time_micros.into(),
                (&entry.flush_query_id).into(),
                entry.timeout_ms.into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
