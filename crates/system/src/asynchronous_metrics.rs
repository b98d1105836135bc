//! `system.asynchronous_metrics`: what is measured of process, machine and tables. ClickHouse measures in the background; here it is
//! done when somebody asks. `/metrics` of the server shows the same.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gristmill_base::{Result, machine};
use gristmill_catalog::databases::is_of_each_user;
use gristmill_catalog::{Databases, Table};
use gristmill_functions::session::uptime_seconds;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const STRUCTURE: &str = "metric String, value Float64, description String, name String";

/// One of them, under ClickHouse's name.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub name: &'static str,
    pub value: f64,
    pub description: &'static str,
}

/// Every metric, by name. Those that the system does not tell are left out.
pub fn measured(databases: &Databases, data_path: &Path) -> Vec<Measured> {
    let mut all = Vec::new();
    let mut add = |name, value: Option<f64>, description| {
        all.extend(value.map(|value| Measured { name, value, description }));
    };
    let disk = machine::filesystem(data_path).ok();
    let of_disk = |of: fn(machine::Filesystem) -> u64| disk.map(|disk| of(disk) as f64);
    add(
        "FilesystemMainPathAvailableBytes",
        of_disk(|disk| disk.available),
        "Bytes that may be written to the data folder's disk.",
    );
    add("FilesystemMainPathTotalBytes", of_disk(|disk| disk.capacity), "Bytes of the data folder's disk.");
    let used = of_disk(|disk| disk.capacity.saturating_sub(disk.free));
    add("FilesystemMainPathUsedBytes", used, "Bytes of the data folder's disk that are taken.");
    let load = machine::load_average();
    add("LoadAverage1", load.map(|load| load[0]), "Threads that computed or waited for a disk, over the last minute.");
    add("LoadAverage15", load.map(|load| load[2]), "The same over the last 15 minutes.");
    add("LoadAverage5", load.map(|load| load[1]), "The same over the last 5 minutes.");
    let tables = OfTables::of(databases);
    let count = |count: u64| Some(count as f64);
    add("MaxPartCountForPartition", count(tables.parts_of_partition), "Parts of the partition that has most.");
    let resident = machine::resident_bytes();
    add("MemoryResident", resident.map(|bytes| bytes as f64), "Bytes of memory that the process has, without mapped files.");
    add("NumberOfDatabases", count(tables.databases), "Databases, without those of the server itself.");
    add("NumberOfTables", count(tables.tables), "Tables in them.");
    add("NumberOfTablesSystem", count(tables.system_tables), "Tables of the server itself.");
    add("OSMemoryTotal", machine::memory_bytes().map(|bytes| bytes as f64), "Bytes of memory that the process may use.");
    add("TotalBytesOfMergeTreeTables", count(tables.bytes), "Bytes of all parts that tables consist of.");
    add("TotalPartsOfMergeTreeTables", count(tables.parts), "Parts that tables consist of.");
    add("TotalRowsOfMergeTreeTables", count(tables.rows), "Rows of these parts.");
    add("Uptime", Some(uptime_seconds() as f64), "Seconds since the process started.");
    all
}

/// Sums over the catalog.
#[derive(Default)]
struct OfTables {
    databases: u64,
    tables: u64,
    system_tables: u64,
    parts: u64,
    rows: u64,
    bytes: u64,
    parts_of_partition: u64,
}

impl OfTables {
    fn of(databases: &Databases) -> OfTables {
        let names = databases.database_names();
        let mut sums =
            OfTables { databases: names.iter().filter(|name| !is_of_each_user(name)).count() as u64, ..OfTables::default() };
        for table in every(databases) {
            if is_of_each_user(&table.definition().database) {
                sums.system_tables += 1;
                continue;
            }
            sums.tables += 1;
            let mut of_partitions: HashMap<String, u64> = HashMap::new();
            for part in table.parts().into_iter().filter(|part| part.active) {
                sums.parts += 1;
                sums.rows += part.rows;
                sums.bytes += part.bytes_on_disk;
                *of_partitions.entry(part.partition_id).or_default() += 1;
            }
            sums.parts_of_partition = of_partitions.into_values().max().unwrap_or(0).max(sums.parts_of_partition);
        }
        sums
    }
}

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let known = known.clone();
    all.push(table("system", "asynchronous_metrics", "SystemAsynchronousMetrics", STRUCTURE, move |_, rows| {
        let Some(databases) = known.databases.upgrade() else { return Ok(()) };
        measured(&databases, &known.data_path).into_iter().try_for_each(|metric| {
            rows.push([metric.name.into(), Cell::Float(metric.value), metric.description.into(), metric.name.into()])
        })
    })?);
    Ok(())
}
