//! Parts taken out of a table and put back: ALTER TABLE … DETACH, ATTACH, DROP PART, DROP DETACHED.
//!
//! A detached part stays where it lies and is named by the manifest as what it is; nobody reads it and the sweeper
//! leaves it alone. Put back, it gets a block number as new rows do, and is no longer subject to mutations that were
//! asked for before: those it had before it when it was taken out are not made up for, as in ClickHouse.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{DetachedPartRow, PartChoice};
use gristmill_introspect::QueryContext;

use crate::check::check_part_name;
use crate::insert::partition;
use crate::manifest::v1::Operation;
use crate::manifest::{Change, Commit, PartEntry, RowsChange, State};
use crate::table::Core;

/// Which parts are meant, once the names of partitions are known.
enum Chosen {
    All,
    Partition(String),
    Part(String),
}

impl Chosen {
    fn of(core: &Core, choice: &PartChoice) -> Result<Chosen> {
        Ok(match choice {
            PartChoice::Part(name) => Chosen::Part(name.clone()),
            PartChoice::Partition(partition) => {
                partition::chosen_id(&core.layout, partition)?.map_or(Chosen::All, Chosen::Partition)
            }
        })
    }

    /// Of the table's parts. Errors: NO_SUCH_DATA_PART where one is named that is not there, BAD_DATA_PART_NAME where none could
    /// be called so. A partition may be empty.
    fn of_table(&self, state: &State) -> Result<Vec<Arc<PartEntry>>> {
        let missing = |name: &str| match check_part_name(name) {
            Ok(()) => Error::new(ErrorCode::NO_SUCH_DATA_PART, format!("No part {name} in the table")),
            Err(error) => error,
        };
        self.among(state.parts.values(), missing)
    }

    /// Of the detached parts. Errors: BAD_DATA_PART_NAME where one is named that is not there. A partition may be empty.
    fn detached(&self, state: &State) -> Result<Vec<Arc<PartEntry>>> {
        let missing = |name: &str| Error::new(ErrorCode::BAD_DATA_PART_NAME, format!("Detached part \"{name}\" not found"));
        self.among(state.detached.iter(), missing)
    }

    /// Errors: `missing` where a part is named that is none of these.
    fn among<'a>(
        &self,
        parts: impl Iterator<Item = &'a Arc<PartEntry>>,
        missing: impl FnOnce(&str) -> Error,
    ) -> Result<Vec<Arc<PartEntry>>> {
        let is_meant = |part: &&Arc<PartEntry>| match self {
            Chosen::All => true,
            Chosen::Partition(id) => part.partition_id == *id,
            Chosen::Part(name) => part.name == *name,
        };
        let found: Vec<_> = parts.filter(is_meant).cloned().collect();
        match self {
            Chosen::Part(name) if found.is_empty() => Err(missing(name)),
            _ => Ok(found),
        }
    }
}

fn change(operation: Operation, added: Vec<Arc<PartEntry>>, removed: Vec<String>, rows: RowsChange) -> Option<Change> {
    let is_empty = added.is_empty() && removed.is_empty() && rows.retrieved.is_empty();
    (!is_empty).then(|| Change {
        operation,
        added,
        removed,
        insert_id: None,
        block_hashes: Vec::new(),
        ledger: None,
        keeps_rows: false,
        rows,
    })
}

fn names(parts: &[Arc<PartEntry>]) -> Vec<String> {
    parts.iter().map(|part| part.name.clone()).collect()
}

async fn commit(
    core: &Core,
    context: &Arc<QueryContext>,
    decide: impl FnMut(&State) -> Result<Option<Change>> + Send,
) -> Result<()> {
    match core.manifest.commit(context, decide).await? {
        Commit::Unknown(error) => Err(error),
        _ => Ok(()),
    }
}

/// That a part that is chosen by its name is there: of the table, or of the detached ones.
pub async fn check(core: &Core, context: &Arc<QueryContext>, choice: &PartChoice, detached: bool) -> Result<()> {
    let chosen = Chosen::of(core, choice)?;
    let state = core.manifest.refresh(context).await?;
    let found = if detached { chosen.detached(&state) } else { chosen.of_table(&state) };
    found.map(|_| ())
}

/// Bytes of the table's parts that are chosen.
pub fn bytes_of(core: &Core, choice: &PartChoice) -> Result<u64> {
    let chosen = Chosen::of(core, choice)?.of_table(&core.manifest.current())?;
    Ok(chosen.iter().map(|part| part.bytes).sum())
}

pub async fn detach(core: &Core, context: &Arc<QueryContext>, choice: &PartChoice) -> Result<()> {
    let chosen = Chosen::of(core, choice)?;
    commit(core, context, |state| {
        let taken = names(&chosen.of_table(state)?);
        let rows = RowsChange { detached: taken.clone(), ..RowsChange::default() };
        Ok(change(Operation::Detach, Vec::new(), taken, rows))
    })
    .await
}

pub async fn attach(core: &Core, context: &Arc<QueryContext>, choice: &PartChoice) -> Result<()> {
    let chosen = Chosen::of(core, choice)?;
    commit(core, context, |state| {
        let parts = chosen.detached(state)?;
        let mut added = Vec::with_capacity(parts.len());
        for (block, part) in (state.next_block..).zip(&parts) {
            let entry = PartEntry { min_block: block, max_block: block, level: 0, mutation: 0, ..part.as_ref().clone() };
            added.push(Arc::new(entry.mutated(0)));
        }
        let rows = RowsChange { retrieved: names(&parts), ..RowsChange::default() };
        Ok(change(Operation::Attach, added, Vec::new(), rows))
    })
    .await?;
    core.wake_merger();
    Ok(())
}

/// Removes parts of the table, or detached ones.
pub async fn drop(core: &Core, context: &Arc<QueryContext>, choice: &PartChoice, detached: bool) -> Result<()> {
    let chosen = Chosen::of(core, choice)?;
    commit(core, context, |state| {
        if detached {
            let parts = chosen.detached(state)?;
            let rows = RowsChange { retrieved: names(&parts), ..RowsChange::default() };
            return Ok(change(Operation::Truncate, Vec::new(), Vec::new(), rows));
        }
        let parts = chosen.of_table(state)?;
        Ok(change(Operation::Truncate, Vec::new(), names(&parts), RowsChange::default()))
    })
    .await
}

/// For `system.detached_parts`.
pub fn rows(core: &Core) -> Vec<DetachedPartRow> {
    let row = |part: &Arc<PartEntry>| DetachedPartRow {
        partition_id: part.partition_id.clone(),
        name: part.name.clone(),
        bytes_on_disk: part.bytes + part.projections.values().map(|data| data.bytes).sum::<u64>(),
        modification_time: part.created_ms / 1000,
        path: core.store.location(&part.key),
        min_block_number: part.min_block,
        max_block_number: part.max_block,
        level: part.level,
    };
    core.manifest.current().detached.iter().map(row).collect()
}
