//! ALTER TABLE … FREEZE: a copy of parts as they are now, beside the table's data.
//!
//! The copy is a folder of its own, `shadow/<name>/`, with the parts' objects and a manifest of one version that names
//! them: a table of the same definition opens on it. The manifest is written last, so a copy that has one is whole. On a
//! disk the objects are second names of the same files and take no room until the table drops its own; a bucket copies
//! them by itself.

use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::PartitionChoice;
use gristmill_introspect::QueryContext;

use crate::insert::partition;
use crate::manifest::v1::record::{key, version_of};
use crate::manifest::v1::{Operation, Record, Snapshot};
use crate::manifest::{PartEntry, State};
use crate::store::Put;
use crate::table::Core;

const FOLDER: &str = "shadow/";
const MANIFEST: &str = "manifest/";
/// Objects that are copied at the same time: each is a round trip.
const COPIED_AT_ONCE: usize = 16;

fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("'{name}' is no name for a copy: letters, digits, '_', '-' and '.' may stand in it"),
        ));
    }
    Ok(())
}

/// The least number that no copy has as its name.
async fn next_name(core: &Core, context: &Arc<QueryContext>) -> Result<String> {
    let objects = core.store.list(context, FOLDER).await?;
    let numbers =
        objects.iter().filter_map(|object| object.key.strip_prefix(FOLDER)?.split_once('/')?.0.parse::<u64>().ok());
    Ok((numbers.max().unwrap_or_default() + 1).to_string())
}

/// Copies the parts of a partition, or all; gives the copy's name. A copy that is there gets partitions that it does not have.
/// Errors: DIRECTORY_ALREADY_EXISTS where it has one of the parts; BAD_ARGUMENTS where others of their partition.
pub async fn freeze(
    core: &Core,
    context: &Arc<QueryContext>,
    choice: &PartitionChoice,
    name: Option<&str>,
) -> Result<String> {
    let name = match name {
        Some(name) => name.to_string(),
        None => next_name(core, context).await?,
    };
    check_name(&name)?;
    let folder = format!("{FOLDER}{name}/");
    let before = newest(core, context, &folder).await?;
    let chosen = partition::chosen_id(&core.layout, choice)?;
    // Pinned: the objects stay while they are copied.
    let state = core.pin(context).await?;
    let wanted = |part: &&Arc<PartEntry>| chosen.as_ref().is_none_or(|id| part.partition_id == *id);
    let mut parts: Vec<Arc<PartEntry>> = state.parts.values().filter(wanted).cloned().collect();
    let kept = match &before {
        Some((_, record)) => kept_of(record, &parts, &state, &name)?,
        None => Vec::new(),
    };
    let objects: Vec<(&str, u64)> = parts.iter().flat_map(|part| part.sized_objects()).collect();
    let copies: Vec<String> = objects.iter().map(|(key, _)| format!("{folder}{key}")).collect();
    let copying = objects.iter().zip(&copies);
    let copying = copying.map(|((key, bytes), to)| core.store.copy(context, core.store.as_ref(), key, *bytes, to));
    let copying: Vec<_> = copying.collect();
    stream::iter(copying).buffer_unordered(COPIED_AT_ONCE).try_collect::<()>().await?;
    // I-1: no commit of the table names the copies.
    core.store.sync(context, &copies).await?;
    parts.extend(kept);
    let version = before.map_or(1, |(version, _)| version + 1);
    let snapshot =
        Snapshot { parts, next_block: state.next_block, mutations: state.mutations.clone(), ..Snapshot::default() };
    let record = Record {
        version,
        commit_id: context.env.uuid().to_string(),
        time_ms: context.env.now_ms(),
        operation: Operation::Attach,
        added: Vec::new(),
        removed: Vec::new(),
        insert_id: None,
        block_hashes: Vec::new(),
        ledger: None,
        detached: Vec::new(),
        retrieved: Vec::new(),
        begun: None,
        passed: Vec::new(),
        names_passed: false,
        projected: Vec::new(),
        deleted: Vec::new(),
        killed: Vec::new(),
        snapshot: Some(snapshot),
    };
    match core.store.put_if_absent(context, &format!("{folder}{}", key(version)), record.encode()?).await? {
        Put::Created => Ok(name),
        Put::Exists => Err(changed_meanwhile(&folder)),
    }
}

fn changed_meanwhile(folder: &str) -> Error {
    let text = format!("The copy in {folder} is being changed by another statement: repeat it");
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
}

/// The newest version of a copy's manifest.
async fn newest(core: &Core, context: &Arc<QueryContext>, folder: &str) -> Result<Option<(u64, Record)>> {
    let objects = core.store.list(context, &format!("{folder}{MANIFEST}")).await?;
    let versions = objects.iter().filter_map(|object| version_of(object.key.strip_prefix(folder)?));
    let Some(version) = versions.max() else { return Ok(None) };
    let data = core.store.read_whole(context, &format!("{folder}{}", key(version))).await?;
    data.map(|data| Ok((version, Record::decode(version, &data)?))).transpose()
}

fn snapshot_of(record: &Record, folder: &str) -> Result<Snapshot> {
    let missing = || Error::logical(format!("The manifest of the copy in {folder} is no snapshot"));
    record.snapshot.clone().ok_or_else(missing)
}

/// What a copy has, beside parts that come to it.
fn kept_of(record: &Record, added: &[Arc<PartEntry>], state: &State, name: &str) -> Result<Vec<Arc<PartEntry>>> {
    let snapshot = snapshot_of(record, name)?;
    if let Some(part) = added.iter().find(|part| snapshot.parts.iter().any(|known| known.key == part.key)) {
        let text = format!("The copy '{name}' has part {} already: UNFREEZE removes it, or give another name", part.name);
        return Err(Error::new(ErrorCode::DIRECTORY_ALREADY_EXISTS, text));
    }
    let refused = |why: String| Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("{why}: give the copy another name")));
    let is_there = |part: &&Arc<PartEntry>| snapshot.parts.iter().any(|known| known.partition_id == part.partition_id);
    if let Some(part) = added.iter().find(is_there) {
        return refused(format!("The copy '{name}' has partition {} as it was before", part.partition_id));
    }
    let mut mutations = snapshot.mutations.iter().chain(&state.mutations);
    if mutations.any(|mutation| mutation.finished_ms.is_none()) {
        return refused(format!("A mutation was, or is, under way where parts come to the copy '{name}'"));
    }
    Ok(snapshot.parts)
}

/// Removes a copy, or what it has of a partition. Where there is no such copy there is nothing to do, as in ClickHouse.
pub async fn unfreeze(core: &Core, context: &Arc<QueryContext>, choice: &PartitionChoice, name: &str) -> Result<()> {
    check_name(name)?;
    let folder = format!("{FOLDER}{name}/");
    if let Some(id) = partition::chosen_id(&core.layout, choice)? {
        return unfreeze_partition(core, context, &folder, &id).await;
    }
    // The manifest first: what is left of a copy is none.
    core.store.delete_prefix(context, &format!("{folder}{MANIFEST}")).await?;
    core.store.delete_prefix(context, &folder).await
}

/// The copy's next version lacks the partition; then its objects go.
async fn unfreeze_partition(core: &Core, context: &Arc<QueryContext>, folder: &str, id: &str) -> Result<()> {
    let Some((version, record)) = newest(core, context, folder).await? else { return Ok(()) };
    let snapshot = snapshot_of(&record, folder)?;
    let (gone, left): (Vec<_>, Vec<_>) = snapshot.parts.iter().cloned().partition(|part| part.partition_id == id);
    if gone.is_empty() {
        return Ok(());
    }
    if left.is_empty() {
        core.store.delete_prefix(context, &format!("{folder}{MANIFEST}")).await?;
        return core.store.delete_prefix(context, folder).await;
    }
    let next = Record {
        version: version + 1,
        commit_id: context.env.uuid().to_string(),
        time_ms: context.env.now_ms(),
        snapshot: Some(Snapshot { parts: left, ..snapshot }),
        ..record
    };
    if core.store.put_if_absent(context, &format!("{folder}{}", key(version + 1)), next.encode()?).await? == Put::Exists {
        return Err(changed_meanwhile(folder));
    }
    for object in gone.iter().flat_map(|part| part.objects()) {
        core.store.delete(context, &format!("{folder}{object}")).await?;
    }
    Ok(())
}
