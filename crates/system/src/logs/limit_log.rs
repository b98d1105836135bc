//! `system.query_limit_log`: each query that was judged, with its stages, its resources and the changes that would help.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::limit::{Bound, LimitReport};
use gristmill_introspect::logs::limit_log::limit_log;

use super::{Declared, moment};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), query_id String, user String, query String, normalized_query_hash UInt64, \
    taken_microseconds UInt64, least_microseconds UInt64, ratio Float64, binds LowCardinality(String), \
    least_by LowCardinality(String), advice LowCardinality(String), change String, gain_microseconds UInt64, \
    stages.name Array(String), stages.operators Array(String), stages.rows_in Array(UInt64), stages.rows_out Array(UInt64), \
    stages.bytes Array(UInt64), stages.read_bytes Array(UInt64), stages.requests Array(UInt64), \
    stages.spilled_bytes Array(UInt64), stages.taken_microseconds Array(UInt64), stages.least_microseconds Array(UInt64), \
    stages.least_by Array(String), resources.name Array(String), resources.taken_microseconds Array(UInt64), \
    resources.least_microseconds Array(Int64), advices.rule Array(String), advices.reason Array(String), \
    advices.change Array(String), advices.gain_microseconds Array(UInt64), unknown Array(String)";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(limit_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, second, micros] = moment(entry.event_time_micros);
            let mut cells = vec![(&host).into(), day, second, micros];
            cells.extend(whole(entry));
            cells.extend(stages(entry));
            cells.extend(others(entry));
            rows.push_all(cells)?;
        }
        Ok(())
    })?));
    Ok(())
}

fn micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

fn name(bound: Option<Bound>) -> &'static str {
    bound.map_or("", Bound::name)
}

fn whole(entry: &LimitReport) -> Vec<Cell> {
    let best = entry.advice.first();
    vec![
        (&entry.query_id).into(),
        (&entry.user).into(),
        (&entry.query).into(),
        entry.normalized_query_hash.into(),
        micros(entry.taken).unsigned_abs().into(),
        micros(entry.least).unsigned_abs().into(),
        Cell::Float(entry.ratio()),
        entry.binds.name().into(),
        name(entry.least_by).into(),
        best.map_or("", |advice| advice.rule).into(),
        best.map_or_else(String::new, |advice| advice.change.clone()).into(),
        best.map_or(0, |advice| micros(advice.gain).unsigned_abs()).into(),
    ]
}

fn stages(entry: &LimitReport) -> Vec<Cell> {
    let stages = &entry.stages;
    let numbers = |of: fn(&gristmill_introspect::limit::StageLimit) -> i64| Cell::Numbers(stages.iter().map(of).collect());
    vec![
        stages.iter().map(|stage| stage.name.to_string()).collect::<Vec<_>>().into(),
        stages.iter().map(|stage| stage.operators.join(", ")).collect::<Vec<_>>().into(),
        numbers(|stage| stage.rows_in as i64),
        numbers(|stage| stage.rows_out as i64),
        numbers(|stage| stage.bytes as i64),
        numbers(|stage| stage.read_bytes as i64),
        numbers(|stage| stage.requests as i64),
        numbers(|stage| stage.spilled_bytes as i64),
        numbers(|stage| micros(stage.taken)),
        numbers(|stage| micros(stage.least)),
        stages.iter().map(|stage| name(stage.least_by).to_string()).collect::<Vec<_>>().into(),
    ]
}

fn others(entry: &LimitReport) -> Vec<Cell> {
    let resources = &entry.resources;
    let (advice, unknown) = (&entry.advice, entry.unknown.clone());
    vec![
        resources.iter().map(|resource| resource.bound.name().to_string()).collect::<Vec<_>>().into(),
        Cell::Numbers(resources.iter().map(|resource| micros(resource.taken)).collect()),
        // -1: it is not known.
        Cell::Numbers(resources.iter().map(|resource| resource.least.map_or(-1, micros)).collect()),
        advice.iter().map(|advice| advice.rule.to_string()).collect::<Vec<_>>().into(),
        advice.iter().map(|advice| advice.reason.clone()).collect::<Vec<_>>().into(),
        advice.iter().map(|advice| advice.change.clone()).collect::<Vec<_>>().into(),
        Cell::Numbers(advice.iter().map(|advice| micros(advice.gain)).collect()),
        unknown.into(),
    ]
}
