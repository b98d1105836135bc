//! `system.metrics`: how things stand now.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_introspect::processes;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const STRUCTURE: &str = "metric String, value Int64, description String, name String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let known = known.clone();
    all.push(table("system", "metrics", "SystemMetrics", STRUCTURE, move |_, rows| {
        let running = processes::snapshot();
        let memory: u64 = running.iter().map(|query| query.memory.held_bytes()).sum();
        let pool = &known.mergetree.pool;
        let tables = known.databases.upgrade().map_or_else(Vec::new, |databases| every(&databases));
        let databases = known.databases.upgrade().map_or(0, |databases| databases.database_names().len());
        let parts: usize = tables.iter().map(|table| table.parts().iter().filter(|part| part.active).count()).sum();
        for (name, value, description) in [
            ("AttachedDatabase", databases as u64, "Databases in the catalog."),
            ("AttachedTable", tables.len() as u64, "Tables that can be read."),
            ("BackgroundMergesAndMutationsPoolSize", pool.places() as u64, "Merges that may run at the same time."),
            ("BackgroundMergesAndMutationsPoolTask", pool.taken() as u64, "Merges that run or are about to."),
            ("MemoryTracking", memory, "Bytes of memory that the running queries account for."),
            ("PartCacheBytes", known.mergetree.parts.bytes(), "Bytes of headers and indexes of parts kept in memory."),
            ("PartsActive", parts as u64, "Parts that tables consist of now."),
            ("Query", running.len() as u64, "Queries that run now."),
        ] {
            rows.push([name.into(), Cell::Unsigned(value), description.into(), name.into()])?;
        }
        Ok(())
    })?);
    Ok(())
}
