//! `system.processors_profile_log`: the operators of each query's plan, with what they took and gave.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::processors_log::processors_log;

use super::{Declared, moment};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), id UInt64, parent_ids Array(UInt64), plan_step UInt64, plan_step_name String, \
    plan_step_description String, plan_group UInt64, initial_query_id String, query_id String, name LowCardinality(String), \
    elapsed_us UInt64, input_wait_elapsed_us UInt64, output_wait_elapsed_us UInt64, input_rows UInt64, input_bytes UInt64, \
    output_rows UInt64, output_bytes UInt64, processor_uniq_id String, step_uniq_id String";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(processors_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, second, micros] = moment(entry.event_time_micros);
            let of_plan = format!("{}_{}_{}", entry.name, entry.plan_id, entry.id);
            rows.push([
                (&host).into(),
                day,
                second,
                micros,
                entry.id.into(),
                Cell::Numbers(entry.parent_id.iter().map(|id| *id as i64).collect()),
                entry.id.into(),
                (&entry.name).into(),
                (&entry.description).into(),
                entry.plan_id.into(),
                (&entry.query_id).into(),
                (&entry.query_id).into(),
                (&entry.name).into(),
                entry.elapsed_micros.into(),
                entry.input_wait_micros.into(),
                entry.output_wait_micros.into(),
                entry.input_rows.into(),
                entry.input_bytes.into(),
                entry.output_rows.into(),
                entry.output_bytes.into(),
                (&of_plan).into(),
                of_plan.into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
