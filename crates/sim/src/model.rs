//! What must be there: every row of an acknowledged insert once, of an insert in doubt all or none, of the load exactly
//! what its ledger says, and all of it as the changes left it that were acknowledged since (`journal`). Looked at from
//! outside, by a process that meets no faults.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use gristmill_base::{Error, Result};
use gristmill_catalog::Table;
use gristmill_mergetree::testing::select;
use gristmill_mergetree::{PartStore, invariants};

use crate::definition::Definition;
use crate::journal::{FILES, GROUPS, Source};
use crate::process::Process;
use crate::world::World;

fn broken(what: String) -> Error {
    Error::logical(what)
}

/// Rows by their number `n`: `v` of each time the row is there.
async fn rows(process: &Process, definition: &Definition) -> Result<BTreeMap<i64, Vec<i64>>> {
    let names: Vec<&str> = ["n", "v"].into_iter().chain(definition.added.iter().map(|added| added.name.as_str())).collect();
    let mut rows: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let query = format!("SELECT {} FROM t", names.join(", "));
    for batch in select(process.table(), &process.context("")?, &query).await? {
        let column = |at: usize| batch.column(at).as_primitive::<Int64Type>().values();
        for at in 0..batch.num_rows() {
            let row = column(0)[at];
            rows.entry(row).or_default().push(column(1)[at]);
            for (place, added) in definition.added.iter().enumerate() {
                let (found, expected) = (column(2 + place)[at], added.value(row));
                if found != expected {
                    return Err(broken(format!("column {} of row {row} is {found}, not {expected}", added.name)));
                }
            }
        }
    }
    Ok(rows)
}

/// Looks at the table from outside. Errors: the promise that was broken.
pub async fn check(world: &Arc<World>) -> Result<()> {
    let process = Process::outside(world).await?;
    check_rows(world, &process).await
}

async fn check_rows(world: &Arc<World>, process: &Process) -> Result<()> {
    invariants::check_state(&process.table().core().manifest.current())?;
    let mut rows = rows(process, process.definition()).await?;
    if let Some((row, there)) = rows.iter().find(|(_, there)| there.len() > 1) {
        return Err(broken(format!("I-3 is broken: row {row} is there {} times", there.len())));
    }
    let ledger = process.table().load_ledger();
    let mut loaded = BTreeSet::new();
    for file in 0..FILES {
        let done = ledger.iter().find(|row| row.path == format!("file{file}")).map(|row| row.progress.done.clone());
        loaded.extend(done.unwrap_or_default().iter().map(|group| (file, group)));
    }
    let journal = world.journal.lock();
    for (source, acknowledged) in journal.sources() {
        // Whether the rows were committed for certain, or not at all for certain.
        let (brought, not_brought) = match source {
            Source::Insert(_) => (acknowledged, false),
            Source::Group(file, group) => (loaded.contains(&(file, group)), !loaded.contains(&(file, group))),
        };
        let (mut there, mut missing) = (0, 0);
        for row in source.rows() {
            let found = rows.remove(&row).map(|values| values[0]);
            let fate = journal.fate(source, row);
            if let Some(value) = found {
                let (unset, foreign) = (fate.set & !value, value & !(fate.set | fate.perhaps_set));
                if fate.gone {
                    return Err(broken(format!("row {row} of {source:?} is there and was removed")));
                }
                if unset != 0 || foreign != 0 {
                    let text =
                        format!("row {row} of {source:?} has v = {value:b}: {unset:b} is missing, {foreign:b} too much");
                    return Err(broken(text));
                }
            }
            if !fate.gone && !fate.perhaps_gone {
                there += u32::from(found.is_some());
                missing += u32::from(found.is_none());
            } else if found.is_some() {
                there += u32::from(not_brought);
            }
        }
        if there > 0 && missing > 0 {
            return Err(broken(format!("I-2 is broken: {there} rows of {source:?} are there, {missing} are not")));
        }
        // A table that was emptied knows nothing of its loads, whose rows are gone.
        if brought && missing > 0 {
            return Err(broken(format!("I-1 is broken: {source:?} was acknowledged and is not there")));
        }
        if not_brought && there > 0 {
            return Err(broken(format!("I-4 is broken: rows of {source:?} are there, which the ledger does not tell of")));
        }
    }
    for (file, group) in loaded {
        if journal.sources().all(|(source, _)| source != Source::Group(file, group)) {
            return Err(broken(format!("I-4 is broken: the ledger tells of group {group} of file {file}")));
        }
    }
    for (file, group) in &world.loaded.lock().clone() {
        let source = Source::Group(*file, *group);
        let is_told = ledger.iter().any(|row| row.path == format!("file{file}") && row.progress.done.contains(*group));
        if !is_told && !journal.dropped_since(source) {
            return Err(broken(format!("I-1 is broken: {source:?} was acknowledged and the ledger does not tell of it")));
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
    let process = Process::outside(world).await?;
    process.finish_mutations().await?;
    let open = world.journal.lock().in_doubt();
    for number in open {
        process.bring(number).await?;
    }
    process.load(u64::from(FILES * GROUPS)).await?;
    world.pass(Duration::from_secs(3 * 3600));
    process.sweep().await?;
    check_rows(world, &process).await?;
    let listed = world.objects.list(&process.context("")?, "parts/").await?;
    let objects: BTreeSet<String> = listed.into_iter().map(|object| object.key).collect();
    let state = process.table().core().manifest.current();
    let named = state.parts.values().flat_map(|part| part.objects()).filter(|key| key.starts_with("parts/"));
    let live: BTreeSet<String> = named.map(str::to_string).collect();
    match objects == live {
        true => Ok(()),
        false => Err(broken(format!("M-4 is broken: {} objects lie there, {} are named", objects.len(), live.len()))),
    }
}
