//! `system.metrics`: how things stand now. Each has one declaration: here, where it can be looked up when somebody asks, else
//! in `gristmill_introspect::gauges`, where it is counted as it comes and goes. `/metrics` of the server shows the same.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::session::{DIALECT_REVISION, DIALECT_VERSION};
use gristmill_introspect::gauges::Gauge;
use gristmill_introspect::memory::MemoryAccount;
use gristmill_introspect::pending_inserts::{self, PendingTotals};
use gristmill_introspect::{CacheReport, QueryContext, processes};
use gristmill_mergetree::merge::list::{Reason, Running};

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const STRUCTURE: &str = "metric String, value Int64, description String, name String ALIAS metric";

/// One of them, under ClickHouse's name.
pub struct Metric {
    pub name: &'static str,
    pub description: &'static str,
    pub value: i64,
}

/// What values are looked up in: each looked at once.
struct Seen<'a> {
    known: &'a Known,
    queries: Vec<Arc<QueryContext>>,
    merges: Vec<Arc<Running>>,
    pending: PendingTotals,
    footers: CacheReport,
    databases: usize,
}

impl Seen<'_> {
    fn of(known: &Known) -> Seen<'_> {
        let [(_, footers), ..] = known.sources.reports();
        Seen {
            known,
            queries: processes::snapshot(),
            merges: known.mergetree.merges.snapshot(),
            pending: pending_inserts::totals(),
            footers,
            databases: known.databases.upgrade().map_or(0, |databases| databases.database_names().len()),
        }
    }

    /// Those of merges, or of mutations.
    fn merges(&self, mutations: bool) -> impl Iterator<Item = &Arc<Running>> {
        self.merges.iter().filter(move |merge| (merge.reason == Reason::Mutation) == mutations)
    }
}

struct Declared {
    name: &'static str,
    description: &'static str,
    value: fn(&Seen<'_>) -> u64,
}

macro_rules! metrics {
    ($($name:ident, $description:literal, $value:expr;)*) => {
        const DECLARED: &[Declared] =
            &[$(Declared { name: stringify!($name), description: $description, value: $value }),*];
    };
}

metrics! {
    AsynchronousInsertQueueBytes, "Bytes of asynchronous inserts that wait to be written.", |seen| seen.pending.bytes;
    AsynchronousInsertQueueSize, "Groups of asynchronous inserts that will be written together, each into a part.",
        |seen| seen.pending.groups;
    AttachedDatabase, "Databases in the catalog.", |seen| seen.databases as u64;
    BackgroundMergesAndMutationsPoolSize, "Merges and mutations that may run at the same time.",
        |seen| seen.known.mergetree.pool.places() as u64;
    BackgroundMergesAndMutationsPoolTask, "Merges and mutations that run or are about to.",
        |seen| seen.known.mergetree.pool.taken() as u64;
    MarkCacheBytes, "Bytes of headers, sparse indexes and footers of parts kept in memory.",
        |seen| seen.known.mergetree.parts.report().bytes;
    MarkCacheFiles, "Parts whose headers, sparse indexes and footers are kept in memory.",
        |seen| seen.known.mergetree.parts.report().entries;
    MemoryTracking, "Bytes of memory that the process has allocated.", |_| MemoryAccount::process().held_bytes();
    Merge, "Merges in the background that run now.", |seen| seen.merges(false).count() as u64;
    MergeParts, "Parts that the running merges bring together.",
        |seen| seen.merges(false).map(|merge| merge.parts.len() as u64).sum();
    MergesMutationsMemoryTracking, "Bytes of memory that the running merges and mutations account for.",
        |seen| seen.merges.iter().map(|merge| merge.context.memory.held_bytes()).sum();
    NamedCollection, "Named collections.", |seen| seen.known.access.state().collections.len() as u64;
    ParquetMetadataCacheBytes, "Bytes of footers of Parquet files kept in memory.", |seen| seen.footers.bytes;
    ParquetMetadataCacheFiles, "Parquet files whose footers are kept in memory.", |seen| seen.footers.entries;
    PartMutation, "Mutations of parts that run now.", |seen| seen.merges(true).count() as u64;
    PendingAsyncInsert, "Asynchronous inserts that wait to be written.", |seen| seen.pending.inserts;
    Query, "Queries that run now.", |seen| seen.queries.len() as u64;
    QueryConditionCacheBytes, "Bytes of what is remembered of conditions that no row of a granule fulfils.",
        |seen| seen.known.mergetree.conditions.report().bytes;
    QueryConditionCacheEntries, "Conditions of parts of which it is remembered which granules hold no row that fulfils them.",
        |seen| seen.known.mergetree.conditions.report().entries;
    Revision, "The revision of ClickHouse's dialect that this is.", |_| u64::from(DIALECT_REVISION);
    SkippingIndexCacheBytes, "Bytes of skip indexes kept in memory. (Gristmill's own.)",
        |seen| seen.known.mergetree.skip_indexes.report().bytes;
    SkippingIndexCacheEntries, "Chunks of skip indexes kept in memory. (Gristmill's own.)",
        |seen| seen.known.mergetree.skip_indexes.report().entries;
    UncompressedCacheBytes, "Bytes of decoded granules kept in memory.", |seen| seen.known.mergetree.granules.report().bytes;
    UncompressedCacheCells, "Columns of granules kept decoded in memory.", |seen| seen.known.mergetree.granules.report().entries;
    VersionInteger, "The version of ClickHouse's dialect that this is, in one number: 26.9.2 is 26009002.",
        |_| version_integer();
}

fn version_integer() -> u64 {
    DIALECT_VERSION.split('.').take(3).fold(0, |sum, number| sum * 1000 + number.parse::<u64>().unwrap_or_default())
}

/// Those that are known at once, by name: they can be asked for each second.
pub fn current(known: &Known) -> Vec<Metric> {
    let seen = Seen::of(known);
    let looked_up = DECLARED.iter().map(|declared| Metric {
        name: declared.name,
        description: declared.description,
        value: i64::try_from((declared.value)(&seen)).unwrap_or(i64::MAX),
    });
    let counted =
        Gauge::ALL.iter().map(|gauge| Metric { name: gauge.name(), description: gauge.description(), value: gauge.get() });
    let mut all: Vec<Metric> = looked_up.chain(counted).collect();
    all.sort_by_key(|metric| metric.name);
    all
}

/// Those for which every table is looked at.
fn of_tables(known: &Known) -> [Metric; 5] {
    let tables = known.databases.upgrade().map_or_else(Vec::new, |databases| every(&databases));
    let is_view = |table: &Arc<dyn Table>| table.definition().engine_name().ends_with("View");
    let views = tables.iter().filter(|table| is_view(table)).count();
    let (mut active, mut outdated) = (0, 0);
    for part in tables.iter().flat_map(|table| table.parts()) {
        *if part.active { &mut active } else { &mut outdated } += 1;
    }
    [
        ("AttachedTable", tables.len() as i64, "Tables that can be read."),
        ("AttachedView", views as i64, "Views."),
        ("PartsActive", active, "Parts that tables consist of now."),
        ("PartsOutdated", outdated, "Parts that were replaced, and whose objects are there yet for queries that read them."),
        ("PartsWide", active + outdated, "Parts each of whose columns can be read by itself: all of them."),
    ]
    .map(|(name, value, description)| Metric { name, description, value })
}

/// All of them, by name.
pub fn all(known: &Known) -> Vec<Metric> {
    let mut metrics = current(known);
    metrics.extend(of_tables(known));
    metrics.sort_by_key(|metric| metric.name);
    metrics
}

pub fn add(tables: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let known = known.clone();
    tables.push(table("system", "metrics", "SystemMetrics", STRUCTURE, move |_, rows| {
        all(&known).into_iter().try_for_each(|Metric { name, description, value }| {
            rows.push([name.into(), Cell::Signed(value), description.into()])
        })
    })?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_one_number() {
        assert_eq!(version_integer() / 1_000_000, DIALECT_VERSION.split('.').next().unwrap().parse::<u64>().unwrap());
    }

    #[test]
    fn each_is_declared_once() {
        let mut names: Vec<_> = DECLARED.iter().map(|declared| declared.name).collect();
        names.extend(Gauge::ALL.iter().map(|gauge| gauge.name()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
