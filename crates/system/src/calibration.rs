//! `system.calibration`: what was measured of the machine, and what traffic told of object stores. No rows: nothing was
//! measured yet (SYSTEM CALIBRATE).

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_calibration::{EndpointSeen, Resource};
use gristmill_catalog::Table;

use crate::Known;
use crate::query_log::MICROS;
use crate::rows::{Cell, Rows, table};

const STRUCTURE: &str = "resource LowCardinality(String), level String, size UInt64, value Float64, unit LowCardinality(String), \
    form LowCardinality(String), measured_at Nullable(DateTime), description String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let calibrations = known.calibrations.clone();
    all.push(table("system", "calibration", "SystemCalibration", STRUCTURE, move |_, rows| {
        if let Some(known) = calibrations.known() {
            let when = known.measured_at_micros.div_euclid(MICROS);
            for figure in &known.figures {
                rows.push([
                    figure.resource.name().into(),
                    (&figure.level).into(),
                    figure.size.into(),
                    Cell::Float(figure.value),
                    figure.resource.unit().into(),
                    known.form.name().into(),
                    when.into(),
                    description(figure.resource, known.disk_is_direct).into(),
                ])?;
            }
        }
        calibrations.endpoints().iter().try_for_each(|endpoint| of_endpoint(endpoint, rows))
    })?);
    Ok(())
}

fn description(resource: Resource, disk_is_direct: bool) -> String {
    let is_of_disk = matches!(resource, Resource::DiskSequential | Resource::DiskRandom);
    let note =
        if is_of_disk && !disk_is_direct { " It may have been the page cache: there is no O_DIRECT here." } else { "" };
    format!("{}{note}", resource.description())
}

fn of_endpoint(endpoint: &EndpointSeen, rows: &mut Rows) -> Result<()> {
    let mut push = |resource: &str, level: &str, value: Option<u64>, unit: &str, description: &str| match value {
        Some(value) => rows.push([
            resource.into(),
            format!("{} {level}", endpoint.name).trim_end().into(),
            0u64.into(),
            Cell::Float(value as f64),
            unit.into(),
            "learned".into(),
            Cell::None,
            description.into(),
        ]),
        None => Ok(()),
    };
    let first_byte = "Until an answer to a GET began, as traffic showed it.";
    push("object_storage_first_byte", "p50", Some(endpoint.first_byte_p50_micros), "us", first_byte)?;
    push("object_storage_first_byte", "p90", Some(endpoint.first_byte_p90_micros), "us", first_byte)?;
    push("object_storage_first_byte", "p99", Some(endpoint.first_byte_p99_micros), "us", first_byte)?;
    let pace = "Bodies of answers on one connection, as traffic showed it.";
    push("object_storage_bandwidth", "", endpoint.bytes_per_second, "bytes/s", pace)?;
    push("object_storage_in_flight", "", Some(endpoint.in_flight_max), "requests", "Most requests in flight that went well.")
}
