//! `system.asynchronous_metric_log`: what is measured of process, machine and tables, each minute.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::Result;
use gristmill_base::env::system_env;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::metric_log::{AsyncMetricEntry, async_metric_log};

use super::{Declared, day, second};
use crate::Known;
use crate::asynchronous_metrics::measured;
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    metric LowCardinality(String), value Float64";

/// All tables are looked at for it.
const EVERY: Duration = Duration::from_secs(60);

pub fn add(all: &mut Vec<Arc<dyn LogSource>>, known: &Known) -> Result<()> {
    let host = hostname();
    let log = Declared::of(async_metric_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let micros = entry.event_time_micros;
            rows.push([(&host).into(), day(micros), second(micros), (&*entry.metric).into(), Cell::Float(entry.value)])?;
        }
        Ok(())
    })?;
    let (known, env) = (known.clone(), system_env());
    let collect = move || {
        let event_time_micros = env.now_micros();
        for metric in measured(&known) {
            async_metric_log().add(|| AsyncMetricEntry { event_time_micros, metric: metric.name, value: metric.value });
        }
    };
    all.push(Arc::new(log.by("event_date", "metric, event_date, event_time").collecting(EVERY, collect)));
    Ok(())
}
