//! What must be there: every row of an acknowledged insert once, of an insert in doubt all or none, and of the load exactly
//! what its ledger says. Looked at from outside, by a process that meets no faults.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use gristmill_base::{Error, Result};
use gristmill_catalog::Table;
use gristmill_mergetree::testing::select;
use gristmill_mergetree::{MergeTree, PartStore, invariants};

use crate::process;
use crate::world::World;

/// Rows of an insert, and of a row group.
pub const ROWS: i64 = 4;
/// Files of the load, and row groups of each.
pub const FILES: u32 = 12;
pub const GROUPS: u32 = 4;
/// The first row of the load; inserts have rows below it.
pub const LOADED_FROM: i64 = 1_000_000_000;

/// What processes were told.
#[derive(Debug, Default)]
pub struct Journal {
    /// By number: whether it was acknowledged.
    inserts: BTreeMap<i64, bool>,
    groups: BTreeSet<(u32, u32)>,
}

impl Journal {
    pub fn begin(&mut self) -> i64 {
        let number = self.inserts.len() as i64;
        self.inserts.insert(number, false);
        number
    }

    pub fn begun(&self) -> usize {
        self.inserts.len()
    }

    pub fn acknowledge(&mut self, number: i64) {
        self.inserts.insert(number, true);
    }

    pub fn unacknowledged(&self) -> Vec<i64> {
        self.inserts.iter().filter(|(_, acknowledged)| !**acknowledged).map(|(number, _)| *number).collect()
    }

    /// A step of the load was acknowledged.
    pub fn loaded(&mut self, file: u32, group: u32) {
        self.groups.insert((file, group));
    }
}

fn broken(what: String) -> Error {
    Error::logical(what)
}

async fn rows(world: &Arc<World>, table: &MergeTree) -> Result<BTreeMap<i64, u64>> {
    let context = process::context(&world.env(0), "")?;
    let mut rows: BTreeMap<i64, u64> = BTreeMap::new();
    for batch in select(table, &context, "SELECT n FROM t").await? {
        for row in batch.column(0).as_primitive::<Int64Type>().values() {
            *rows.entry(*row).or_default() += 1;
        }
    }
    Ok(rows)
}

/// Looks at the table from outside. Errors: the promise that was broken.
pub async fn check(world: &Arc<World>) -> Result<()> {
    let table = process::open(world.objects.clone(), world.env(0)).await?;
    invariants::check_state(&table.core().manifest.current())?;
    let mut rows = rows(world, &table).await?;
    if let Some((row, times)) = rows.iter().find(|(_, times)| **times > 1) {
        return Err(broken(format!("I-3 is broken: row {row} is there {times} times")));
    }
    let mut take = |from: i64| (from..from + ROWS).filter(|row| rows.remove(row).is_some()).count() as i64;
    let journal = world.journal.lock();
    for (number, acknowledged) in &journal.inserts {
        match (take(number * ROWS), acknowledged) {
            (ROWS, _) | (0, false) => {}
            (0, true) => return Err(broken(format!("I-1 is broken: insert {number} was acknowledged and is not there"))),
            (found, _) => return Err(broken(format!("I-2 is broken: {found} rows of insert {number} are there"))),
        }
    }
    let ledger = table.load_ledger();
    for file in 0..FILES {
        let path = format!("file{file}");
        let done = ledger.iter().find(|row| row.path == path).map(|row| row.progress.done.clone()).unwrap_or_default();
        for group in 0..GROUPS {
            let found = take(LOADED_FROM + (i64::from(file) * i64::from(GROUPS) + i64::from(group)) * ROWS);
            let told = if done.contains(group) { ROWS } else { 0 };
            if found != told {
                return Err(broken(format!(
                    "I-4 is broken: {found} rows of group {group} of {path}, the ledger tells {told}"
                )));
            }
            if told == 0 && journal.groups.contains(&(file, group)) {
                return Err(broken(format!("I-1 is broken: group {group} of {path} was acknowledged and is not there")));
            }
        }
    }
    match rows.first_key_value() {
        Some((row, _)) => Err(broken(format!("M-1 is broken: nobody brought row {row}"))),
        None => Ok(()),
    }
}

/// Brings what was left unfinished, lets time pass, sweeps, and looks at everything. Errors: the promise that was broken.
pub async fn check_end(world: &Arc<World>) -> Result<()> {
    check(world).await?;
    let env = world.env(0);
    let table = process::open(world.objects.clone(), env.clone()).await?;
    let open = world.journal.lock().unacknowledged();
    for number in open {
        process::bring(world, &table, &env, number).await?;
    }
    process::load(world, &table, &env, u64::MAX).await?;
    world.pass(Duration::from_secs(3 * 3600));
    process::sweep(&table, &env).await?;
    check(world).await?;
    let context = process::context(&env, "")?;
    let objects: BTreeSet<String> =
        world.objects.list(&context, "parts/").await?.into_iter().map(|object| object.key).collect();
    let live: BTreeSet<String> = table.core().manifest.current().parts.values().map(|part| part.key.clone()).collect();
    match objects == live {
        true => Ok(()),
        false => Err(broken(format!("M-4 is broken: {} objects lie there, {} are named", objects.len(), live.len()))),
    }
}
