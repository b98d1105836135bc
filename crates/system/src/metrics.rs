//! `system.metrics`: how things stand now.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_introspect::processes;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const STRUCTURE: &str = "metric String, value Int64, description String, name String";

/// One of them, under ClickHouse's name.
pub struct Metric {
    pub name: &'static str,
    pub description: &'static str,
    pub value: u64,
}

/// Those that are known at once, by name: they can be asked for each second.
pub fn current(known: &Known) -> Vec<Metric> {
    let running = processes::snapshot();
    let memory: u64 = running.iter().map(|query| query.memory.held_bytes()).sum();
    let pool = &known.mergetree.pool;
    let names = known.databases.upgrade().map_or_else(Vec::new, |databases| databases.database_names());
    [
        ("AttachedDatabase", names.len() as u64, "Databases in the catalog."),
        ("BackgroundMergesAndMutationsPoolSize", pool.places() as u64, "Merges that may run at the same time."),
        ("BackgroundMergesAndMutationsPoolTask", pool.taken() as u64, "Merges that run or are about to."),
        ("MemoryTracking", memory, "Bytes of memory that the running queries account for."),
        ("PartCacheBytes", known.mergetree.parts.bytes(), "Bytes of headers and indexes of parts kept in memory."),
        ("Query", running.len() as u64, "Queries that run now."),
    ]
    .map(|(name, value, description)| Metric { name, description, value })
    .into()
}

/// Those for which every table is looked at.
fn of_tables(known: &Known) -> [Metric; 2] {
    let tables = known.databases.upgrade().map_or_else(Vec::new, |databases| every(&databases));
    let parts: usize = tables.iter().map(|table| table.parts().iter().filter(|part| part.active).count()).sum();
    [
        ("AttachedTable", tables.len() as u64, "Tables that can be read."),
        ("PartsActive", parts as u64, "Parts that tables consist of now."),
    ]
    .map(|(name, value, description)| Metric { name, description, value })
}

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let known = known.clone();
    all.push(table("system", "metrics", "SystemMetrics", STRUCTURE, move |_, rows| {
        let mut metrics = current(&known);
        metrics.extend(of_tables(&known));
        metrics.sort_by_key(|metric| metric.name);
        for Metric { name, description, value } in metrics {
            rows.push([name.into(), Cell::Unsigned(value), description.into(), name.into()])?;
        }
        Ok(())
    })?);
    Ok(())
}
