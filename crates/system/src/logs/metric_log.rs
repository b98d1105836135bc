//! `system.metric_log`: how all events grew and how metrics stood, each second.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::Result;
use gristmill_base::env::system_env;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::metric_log::{MetricEntry, metric_log};
use gristmill_introspect::{Counters, Event};
use gristmill_types::{Column, Columns, SqlType};
use parking_lot::Mutex;

use super::{Declared, event_columns, moment};
use crate::Known;
use crate::metrics::current;
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str =
    "hostname LowCardinality(String), event_date Date, event_time DateTime, event_time_microseconds DateTime64(6)";

const EVERY: Duration = Duration::from_secs(1);

fn events() -> Vec<u64> {
    let counters = Counters::server();
    Event::ALL.iter().map(|event| counters.get(*event)).collect()
}

pub fn add(all: &mut Vec<Arc<dyn LogSource>>, known: &Known) -> Result<()> {
    let host = hostname();
    let mut columns = gristmill_types::parse::structure(STRUCTURE)?.0.to_vec();
    columns.extend(event_columns());
    columns.extend(current(known).into_iter().map(|metric| {
        let mut column = Column::new(format!("CurrentMetric_{}", metric.name), SqlType::Int64);
        column.comment = metric.description.to_string();
        column
    }));
    let log = Declared::of_columns(metric_log(), Columns::new(columns), move |entries, rows| {
        for entry in entries {
            let mut row: Vec<Cell> = vec![(&host).into()];
            row.extend(moment(entry.event_time_micros));
            row.extend(entry.events.iter().map(|value| Cell::Unsigned(*value)));
            row.extend(entry.metrics.iter().map(|value| Cell::Signed(*value)));
            rows.push_all(row)?;
        }
        Ok(())
    })?;
    let (known, before, env) = (known.clone(), Mutex::new(events()), system_env());
    let collect = move || {
        let now = events();
        let before = std::mem::replace(&mut *before.lock(), now.clone());
        metric_log().add(|| MetricEntry {
            event_time_micros: env.now_micros(),
            events: now.iter().zip(before).map(|(now, before)| now.saturating_sub(before)).collect(),
            metrics: current(&known).into_iter().map(|metric| metric.value).collect(),
        });
    };
    all.push(Arc::new(log.collecting(EVERY, collect)));
    Ok(())
}
