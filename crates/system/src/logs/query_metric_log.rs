//! `system.query_metric_log`: what each query that runs has counted, again and again while it runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::query_metric_log::{QueryMetricEntry, query_metric_log};
use gristmill_introspect::{Counters, Event, QueryContext, processes};
use gristmill_types::Columns;
use parking_lot::Mutex;

use super::{Declared, event_columns, moment};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "query_id String, hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), memory_usage UInt64, peak_memory_usage UInt64";

const EVERY: Duration = Duration::from_secs(1);

/// A query at its last entry.
struct Seen {
    elapsed: Duration,
    events: Vec<u64>,
}

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    let mut columns = gristmill_types::parse::structure(STRUCTURE)?.0.to_vec();
    columns.extend(event_columns());
    let log = Declared::of_columns(query_metric_log(), Columns::new(columns), move |entries, rows| {
        for entry in entries {
            let mut row: Vec<Cell> = vec![(&entry.query_id).into(), (&host).into()];
            row.extend(moment(entry.event_time_micros));
            row.extend([Cell::Unsigned(entry.memory_bytes), Cell::Unsigned(entry.peak_memory_bytes)]);
            row.extend(entry.events.iter().map(|value| Cell::Unsigned(*value)));
            rows.push_all(row)?;
        }
        Ok(())
    })?;
    let seen: Mutex<HashMap<String, Seen>> = Mutex::default();
    let collect = move || {
        let running = processes::snapshot();
        let mut seen = seen.lock();
        seen.retain(|id, _| running.iter().any(|context| context.query_id == *id));
        for context in running {
            look_at(&context, &mut seen);
        }
    };
    all.push(Arc::new(log.collecting(EVERY, collect)));
    Ok(())
}

fn look_at(context: &Arc<QueryContext>, seen: &mut HashMap<String, Seen>) {
    let (elapsed, every) = (context.elapsed(), context.settings.query_metric_log_interval);
    let before = seen.get(&context.query_id);
    let since = elapsed.saturating_sub(before.map_or(Duration::ZERO, |before| before.elapsed));
    let is_due = match u64::try_from(every) {
        Ok(0) => false,
        Ok(millis) => since >= Duration::from_millis(millis),
        Err(_) => true,
    };
    if !is_due {
        return;
    }
    let counters: &Counters = &context.counters;
    let events: Vec<u64> = Event::ALL.iter().map(|event| counters.get(*event)).collect();
    let grown = match before {
        Some(before) => events.iter().zip(&before.events).map(|(now, before)| now.saturating_sub(*before)).collect(),
        None => events.clone(),
    };
    query_metric_log().add(|| QueryMetricEntry {
        event_time_micros: context.env.now_micros(),
        query_id: context.query_id.clone(),
        memory_bytes: context.memory.held_bytes(),
        peak_memory_bytes: context.memory.peak_bytes(),
        events: grown,
    });
    seen.insert(context.query_id.clone(), Seen { elapsed, events });
}
