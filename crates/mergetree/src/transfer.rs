//! Partitions from one table into another: ALTER TABLE … REPLACE PARTITION FROM, ATTACH PARTITION FROM, MOVE PARTITION TO
//! TABLE.
//!
//! The parts are written anew under the other table's columns, and one commit there makes them visible, in the place of
//! the partition's own parts where they replace these. A MOVE then takes them out of the table that they came from, by a
//! commit of its own: a crash between the two leaves the rows in both tables, never in neither.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{KeyExpression, PartitionChoice, Transfer};
use gristmill_introspect::QueryContext;

use crate::insert::block::object_key;
use crate::insert::partition;
use crate::insert::writer::entry;
use crate::layout::Layout;
use crate::manifest::v1::Operation;
use crate::manifest::{Change, Commit, PartEntry, RowsChange, State};
use crate::mutate;
use crate::part::v1::encode::Codec;
use crate::part::{PartPlan, PartWriter, Sorted};
use crate::projection::build::Building;
use crate::projection::has_any;
use crate::read::evolve::traits_of;
use crate::read::stream::{Output, ScanShared, stream};
use crate::read::unit::{PartSelection, UnitLimits};
use crate::table::Core;

/// Bytes (as values in memory) that the reading of a part holds ahead, about.
const READ_BYTES: u64 = 64 << 20;

/// Rows of one table must be rows of the other, in its order.
fn check_alike(to: &Layout, from: &Layout) -> Result<()> {
    let columns = |layout: &Layout| -> Vec<(String, String)> {
        layout.columns.iter().map(|column| (column.name.clone(), column.kind.to_string())).collect()
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
    if projections(to) != projections(from) {
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
    for part in &parts {
        match write(to, from, &state, context, part).await {
            Ok(part) => written.push(part),
            Err(error) => {
                discard(to, &written).await;
                return Err(error);
            }
        }
    }
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

/// A part of one table as a part of the other, without a block number yet.
async fn write(
    to: &Arc<Core>,
    from: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
) -> Result<PartEntry> {
    let open = context.cancellable(from.open_part(context, part)).await?;
    let (text, dictionaries) = (0..from.layout.columns.len()).map(|place| traits_of(&open, &from.layout, place)).unzip();
    let plan = PartPlan {
        key: object_key(context, &part.partition_id, part.level),
        partition_id: part.partition_id.clone(),
        partition: part.partition.clone(),
        level: part.level,
        codec: from.layout.ttl.codec_of_part(part).unwrap_or(if part.level == 0 { Codec::Lz4 } else { Codec::Zstd }),
        granule_rows: open.header.granule_rows as usize,
        row_group_rows: open.header.row_group_rows as usize,
        text,
        dictionaries,
        lanes: context.threads(),
        hashed: false,
    };
    let whole = PartSelection::of(part.clone(), open.clone(), Vec::from([0..open.granules()]));
    let outputs = (0..from.layout.columns.len()).map(Output::Stored).collect();
    let limits = UnitLimits { granules: 16, bytes: READ_BYTES / 2, streams: 1 };
    let shared = ScanShared::of_merge(from, state, whole, (outputs, from.layout.schema.clone()), limits);
    let mut rows = stream(shared, context.clone()).boxed();
    let mut writer = PartWriter::create(context, &to.store, to.layout.clone(), plan).await?;
    let projections = to.layout.projections.iter().filter(|projection| has_any(part, &projection.definition.name));
    let projections = projections.cloned().collect();
    let building = Building { settings: to.settings.clone(), core: Some(to.clone()), projections };
    writer.build_projections(context, &to.store, building);
    let copied = async {
        while let Some(batch) = rows.next().await.transpose()? {
            context.check()?;
            let keys = to.layout.primary().iter().map(|key| key.evaluate(&batch)).collect::<Result<Vec<_>>>()?;
            let rows = batch.num_rows();
            writer.write(&Sorted { columns: batch.columns().to_vec(), keys, order: None, rows }).await?;
        }
        Ok::<(), Error>(())
    };
    if let Err(error) = copied.await {
        writer.abort().await;
        return Err(error);
    }
    let written = writer.finish().await?;
    let entry = entry(&written, part.ranges.clone(), 0, 0, context.env.now_ms());
    Ok(PartEntry { codec: part.codec.clone(), ..entry })
}
