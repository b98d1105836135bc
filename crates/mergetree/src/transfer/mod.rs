//! Partitions from one table into another: ALTER TABLE … REPLACE PARTITION FROM, ATTACH PARTITION FROM, MOVE PARTITION TO
//! TABLE.
//!
//! The parts become parts of the other table (`part`), and one commit there makes them visible, in the place of the
//! partition's own parts where they replace these. A MOVE then takes them out of the table that they came from, by a
//! commit of its own: a crash between the two leaves the rows in both tables, never in neither.

mod part;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{KeyExpression, PartitionChoice, Transfer};
use gristmill_introspect::QueryContext;

use crate::insert::partition;
use crate::layout::Layout;
use crate::manifest::v1::Operation;
use crate::manifest::{Change, Commit, PartEntry, RowsChange, State};
use crate::mutate;
use crate::table::Core;
use part::Tables;

/// Rows of one table must be rows of the other, in its order; their columns may stand in another.
pub fn check_alike(to: &Layout, from: &Layout) -> Result<()> {
    let columns = |layout: &Layout| -> Vec<(String, String)> {
        let mut columns: Vec<_> =
            layout.columns.iter().map(|column| (column.name.clone(), column.kind.to_string())).collect();
        columns.sort_unstable();
        columns
    };
    if columns(to) != columns(from) {
        return Err(Error::new(ErrorCode::INCOMPATIBLE_COLUMNS, "Tables have different structure"));
    }
    let wrong = |what: &str| Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Tables have different {what}")));
    let key = |keys: &[KeyExpression]| -> Vec<(String, bool)> {
        keys.iter().map(|key| (key.text.clone(), key.descending)).collect()
    };
    if key(&to.sorting) != key(&from.sorting) {
        return wrong("ordering");
    }
    if key(&to.partition) != key(&from.partition) {
        return wrong("partition key");
    }
    if to.primary_key_length != from.primary_key_length {
        return wrong("primary key");
    }
    let projections = |layout: &Layout| -> BTreeSet<String> {
        let shown = layout.projections.iter().map(|projection| &projection.definition);
        shown.map(|definition| format!("{} {}", definition.name, definition.query())).collect()
    };
    // Parts may lack what the table has besides, until it is materialized.
    if !projections(from).is_subset(&projections(to)) {
        return wrong("projections");
    }
    Ok(())
}

/// Carries a partition over.
pub async fn transfer(
    to: &Arc<Core>,
    from: &Arc<Core>,
    context: &Arc<QueryContext>,
    choice: &PartitionChoice,
    what: Transfer,
) -> Result<()> {
    check_alike(&to.layout, &from.layout)?;
    if to.store.location("") == from.store.location("") {
        return match what {
            // A partition in the place of itself.
            Transfer::Replace => Ok(()),
            _ => Err(Error::new(ErrorCode::BAD_ARGUMENTS, "A partition is carried from a table to itself")),
        };
    }
    let chosen = partition::chosen_id(&from.layout, choice)?;
    let wanted = |part: &PartEntry| chosen.as_ref().is_none_or(|id| part.partition_id == *id);
    // Nobody here merges or changes the parts meanwhile.
    let held = mutate::hold(from, context, &wanted).await?;
    let state = from.pin(context).await?;
    let parts: Vec<Arc<PartEntry>> = held
        .parts()
        .into_iter()
        .filter_map(|part| state.parts.values().find(|known| known.key == part.key).cloned())
        .collect();
    if let Some(part) = parts.iter().find(|part| state.next_mutation(part).is_some()) {
        return Err(Error::new(
            ErrorCode::UNFINISHED,
            format!(
                "Part {} has a mutation before it: wait for it (system.mutations), or end it with KILL MUTATION",
                part.name
            ),
        ));
    }
    if parts.is_empty() {
        return match what {
            Transfer::Replace => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Source table {} has no parts in that partition: refusing REPLACE PARTITION because it would silently \
                     drop the destination partition's data; DROP PARTITION drops it",
                    from.name()
                ),
            )),
            _ => Ok(()),
        };
    }
    let mut written: Vec<PartEntry> = Vec::with_capacity(parts.len());
    let tables = Tables::new(to, from, state);
    let carrying: Vec<_> = parts.iter().map(|part| tables.carry(context, part)).collect();
    let mut carried = stream::iter(carrying).buffer_unordered(context.threads());
    while let Some(part) = carried.next().await {
        match part {
            Ok(part) => written.push(part),
            Err(error) => {
                drop(carried);
                discard(to, &written).await;
                return Err(error);
            }
        }
    }
    drop(carried);
    written.sort_by_key(|part| part.min_block);
    match commit(to, context, &written, what).await {
        Ok(Commit::Done(_)) => {}
        Ok(Commit::Nothing) => {
            discard(to, &written).await;
            let text = format!("Table {} was altered or dropped meanwhile: repeat the statement", to.name());
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        Ok(Commit::Unknown(error)) => return Err(error),
        Err(error) => {
            discard(to, &written).await;
            return Err(error);
        }
    }
    to.wake_merger();
    if what == Transfer::Move { take_out(from, context, &parts).await } else { Ok(()) }
}

async fn discard(core: &Core, written: &[PartEntry]) {
    for part in written {
        core.discard_all(part.objects()).await;
    }
}

fn change(operation: Operation, added: Vec<Arc<PartEntry>>, removed: Vec<String>) -> Change {
    Change {
        operation,
        added,
        removed,
        insert_id: None,
        block_hashes: Vec::new(),
        ledger: None,
        keeps_rows: false,
        rows: RowsChange::default(),
    }
}

async fn commit(to: &Arc<Core>, context: &Arc<QueryContext>, written: &[PartEntry], what: Transfer) -> Result<Commit> {
    let partitions: HashSet<&str> = written.iter().map(|part| part.partition_id.as_str()).collect();
    let decide = |state: &State| {
        if to.is_outdated() {
            return Ok(None);
        }
        let replaced = state
            .parts
            .values()
            .filter(|part| what == Transfer::Replace && partitions.contains(part.partition_id.as_str()))
            .map(|part| part.name.clone())
            .collect();
        let added = written.iter().zip(state.next_block..).map(|(part, block)| {
            let part = PartEntry { min_block: block, max_block: block, ..part.clone() };
            Arc::new(part.mutated(0))
        });
        Ok(Some(change(Operation::Attach, added.collect(), replaced)))
    };
    to.manifest.commit(context, decide).await
}

/// The second half of a MOVE: the rows are in the other table now.
async fn take_out(from: &Arc<Core>, context: &Arc<QueryContext>, parts: &[Arc<PartEntry>]) -> Result<()> {
    let keys: HashSet<&str> = parts.iter().map(|part| part.key.as_str()).collect();
    let decide = |state: &State| {
        let there = state.parts.values().filter(|part| keys.contains(part.key.as_str()));
        let removed: Vec<String> = there.map(|part| part.name.clone()).collect();
        if removed.len() != keys.len() {
            return Err(Error::new(
                ErrorCode::NO_SUCH_DATA_PART,
                format!(
                    "Another process changed parts of {} while they were moved: their rows are in both tables, delete them \
                     from one",
                    from.name()
                ),
            ));
        }
        Ok(Some(change(Operation::Truncate, Vec::new(), removed)))
    };
    match from.manifest.commit(context, decide).await? {
        Commit::Unknown(error) => Err(error.with_context("it is unknown whether the moved parts left the first table")),
        _ => Ok(()),
    }
}
