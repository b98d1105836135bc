//! `system.asynchronous_metrics`: what is measured of process, machine and tables, a file each. ClickHouse measures in the
//! background, each second; here it is done when somebody asks. What the system only counts up (bytes of disks and networks,
//! time of processors) is told as a second's worth, from the time since it was measured before (`rates`). `/metrics` of the
//! server shows the same.

mod machine;
mod of_tables;
mod process;
mod rates;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use gristmill_base::Result;
use gristmill_catalog::Table;

use self::of_tables::OfTables;
use crate::Known;
use crate::rows::{Cell, table};

const STRUCTURE: &str = "metric String, value Float64, description String, name String ALIAS metric";

/// One of them, under ClickHouse's name.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub name: Cow<'static, str>,
    pub value: f64,
    pub description: &'static str,
}

/// Metrics as they are found.
#[derive(Default)]
struct All(Vec<Measured>);

impl All {
    fn add(&mut self, name: impl Into<Cow<'static, str>>, value: f64, description: &'static str) {
        self.0.push(Measured { name: name.into(), value, description });
    }

    /// Where the system tells.
    fn add_some(&mut self, name: &'static str, value: Option<f64>, description: &'static str) {
        if let Some(value) = value {
            self.add(name, value, description);
        }
    }

    fn add_count(&mut self, name: &'static str, count: u64, description: &'static str) {
        self.add(name, count as f64, description);
    }
}

/// Every metric, by name. Those that the system does not tell are left out.
pub fn measured(known: &Known) -> Vec<Measured> {
    let begun = Instant::now();
    let mut all = All::default();
    machine::add(&mut all, &known.data_path);
    process::add(&mut all, known);
    if let Some(databases) = known.databases.upgrade() {
        OfTables::of(&databases).add(&mut all);
    }
    all.add(
        "AsynchronousMetricsCalculationTimeSpent",
        begun.elapsed().as_secs_f64(),
        "Seconds that it took to measure all of these.",
    );
    all.0.sort_by(|one, other| one.name.cmp(&other.name));
    all.0
}

pub fn add(tables: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    rates::begin();
    let known = known.clone();
    tables.push(table("system", "asynchronous_metrics", "SystemAsynchronousMetrics", STRUCTURE, move |_, rows| {
        measured(&known).into_iter().try_for_each(|metric| {
            let name: &str = &metric.name;
            rows.push([name.into(), Cell::Float(metric.value), metric.description.into()])
        })
    })?);
    Ok(())
}
