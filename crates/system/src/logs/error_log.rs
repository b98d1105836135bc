//! `system.error_log`: how many errors of each code there were, each second that had some.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::env::system_env;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::LogSource;
use gristmill_introspect::errors;
use gristmill_introspect::logs::error_log::{ErrorEntry, error_log};
use parking_lot::Mutex;

use super::{Declared, day, second};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, code Int32, \
    error LowCardinality(String), value UInt64, remote UInt8, last_error_time DateTime, last_error_message String, \
    last_error_query_id String, last_error_trace Array(UInt64)";

const EVERY: Duration = Duration::from_secs(1);

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    let log = Declared::of(error_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            rows.push([
                (&host).into(),
                day(entry.event_time_micros),
                second(entry.event_time_micros),
                i64::from(entry.code).into(),
                ErrorCode(entry.code).name().into(),
                entry.count.into(),
                false.into(),
                second(entry.last.last_time_micros),
                (&entry.last.last_message).into(),
                (&entry.last.last_query_id).into(),
                Cell::Numbers(entry.last.last_trace.iter().map(|address| *address as i64).collect()),
            ])?;
        }
        Ok(())
    })?;
    let (before, env) = (Mutex::new(BTreeMap::<i32, u64>::new()), system_env());
    let collect = move || {
        let mut before = before.lock();
        for (code, last) in errors::all() {
            let count = last.count - before.insert(code, last.count).unwrap_or(0);
            if count > 0 {
                error_log().add(|| ErrorEntry { event_time_micros: env.now_micros(), code, count, last });
            }
        }
    };
    all.push(Arc::new(log.collecting(EVERY, collect).before_flush()));
    Ok(())
}
