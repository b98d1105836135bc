//! The databases `system` and `information_schema`: what the engine knows of itself, as tables. One file a table (or a
//! family of small ones); rows are made when a table is read.
//!
//! A table here has ClickHouse's columns, under the same names and types. Those that mean nothing in this system have the
//! default of their type (`whole`).

mod absent;
mod access;
mod asynchronous_inserts;
pub mod asynchronous_metrics;
mod build_options;
mod caches;
mod calibration;
mod columns;
mod completions;
mod constraints;
mod dashboards;
mod data_skipping_indices;
mod data_type_families;
mod databases;
mod detached_tables;
mod documentation;
mod dropped_tables;
mod errors;
mod events;
mod formats;
mod function_facts;
mod functions;
mod information_schema;
mod introspection;
mod kinds;
mod load_ledger;
mod logs;
mod merges;
pub mod metrics;
mod mutations;
mod names;
mod object_storage;
mod part_log;
mod parts;
mod processes;
mod projections;
mod query_condition_cache;
mod query_log;
mod rows;
mod sequences;
mod server;
mod settings;
mod tables;
mod whole;

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use gristmill_access::AccessControl;
use gristmill_base::Result;
use gristmill_calibration::Calibrations;
use gristmill_catalog::{Databases, LogSource};
use gristmill_functions::Registry;
use gristmill_functions::user_defined::UserFunctions;
use gristmill_mergetree::MergeTreeEnvironment;
use gristmill_sources::SourceCaches;

/// What the tables tell of.
#[derive(Clone)]
pub struct Known {
    /// Weak: the tables themselves are in these databases.
    pub databases: Weak<Databases>,
    pub registry: Arc<Registry>,
    pub user_functions: Arc<UserFunctions>,
    pub mergetree: Arc<MergeTreeEnvironment>,
    pub sources: Arc<SourceCaches>,
    pub access: Arc<AccessControl>,
    pub data_path: PathBuf,
    pub calibrations: Arc<Calibrations>,
    /// Names of the table engines.
    pub engines: &'static [&'static str],
}

/// Puts every system table but the logs into the databases, and gives the logs. Called once, when they are open and before a
/// statement runs.
pub fn register(databases: &Arc<Databases>, known: &Known) -> Result<Vec<Arc<dyn LogSource>>> {
    let mut all = Vec::new();
    sequences::add(&mut all)?;
    tables::add(&mut all, known)?;
    columns::add(&mut all, known)?;
    databases::add(&mut all, known)?;
    detached_tables::add(&mut all, known)?;
    dropped_tables::add(&mut all, known)?;
    parts::add(&mut all, known)?;
    merges::add(&mut all, known)?;
    mutations::add(&mut all, known)?;
    data_skipping_indices::add(&mut all, known)?;
    constraints::add(&mut all, known)?;
    projections::add(&mut all, known)?;
    load_ledger::add(&mut all, known)?;
    asynchronous_inserts::add(&mut all)?;
    settings::add(&mut all)?;
    functions::add(&mut all, known)?;
    formats::add(&mut all)?;
    events::add(&mut all)?;
    metrics::add(&mut all, known)?;
    dashboards::add(&mut all)?;
    asynchronous_metrics::add(&mut all, known)?;
    caches::add(&mut all, known)?;
    query_condition_cache::add(&mut all, known)?;
    processes::add(&mut all)?;
    introspection::add(&mut all)?;
    errors::add(&mut all)?;
    names::add(&mut all, known)?;
    build_options::add(&mut all)?;
    server::add(&mut all, known)?;
    kinds::add(&mut all)?;
    documentation::add(&mut all, known)?;
    object_storage::add(&mut all, known)?;
    calibration::add(&mut all, known)?;
    data_type_families::add(&mut all)?;
    absent::add(&mut all)?;
    completions::add(&mut all, known)?;
    access::add(&mut all, known)?;
    information_schema::add(&mut all, known)?;
    for table in all {
        databases.register_system(table);
    }
    logs::all(known)
}

/// Puts tables of the logs into the databases that show what the process keeps of them in memory. A log that is kept as a table,
/// by a server that had the same data, stays what it is.
pub fn register_logs_in_memory(databases: &Arc<Databases>, sources: &[Arc<dyn LogSource>]) {
    for source in sources {
        databases.register_system_unless_kept(logs::in_memory(source));
    }
}
