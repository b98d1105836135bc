//! Writes what becomes of parts into `system.part_log`.

use std::sync::Arc;

use gristmill_base::Error;
use gristmill_catalog::databases::SYSTEM;
use gristmill_introspect::part_log::{PartEvent, PartLogEntry, part_log};
use gristmill_introspect::{Event, QueryContext};

use super::list::Running;
use crate::insert::block::InsertedPart;
use crate::manifest::{MutationEntry, PartEntry};
use crate::mutate;
use crate::projection::name_of;
use crate::table::Core;

/// Adds an entry. What becomes of parts of the server's own tables is not told: they are written because of what is told, so
/// that each entry would bring the next.
fn add(core: &Core, entry: impl FnOnce() -> PartLogEntry) {
    let (database, _) = core.names();
    if database != SYSTEM {
        part_log().add(entry);
    }
}

/// A part as an event names it.
fn entry(core: &Core, context: &QueryContext, event: PartEvent, name: &str, of: &PartEntry) -> PartLogEntry {
    let (database, table) = core.names();
    PartLogEntry {
        event,
        event_time_micros: context.env.now_micros(),
        duration_ms: 0,
        query_id: context.query_id.clone(),
        database,
        table,
        table_uuid: core.uuid,
        part_name: name.to_string(),
        partition_id: of.partition_id.clone(),
        partition: of.partition.clone(),
        path: String::new(),
        rows: 0,
        size_in_bytes: 0,
        bytes_uncompressed: 0,
        merge_reason: "NotAMerge",
        merge_algorithm: "Undecided",
        merged_from: Vec::new(),
        read_rows: 0,
        read_bytes: 0,
        peak_memory_usage: 0,
        error_code: 0,
        exception: String::new(),
        mutation_ids: Vec::new(),
        projections: Vec::new(),
        profile_events: Vec::new(),
    }
}

fn with_data(core: &Core, part: &PartEntry, entry: PartLogEntry) -> PartLogEntry {
    PartLogEntry {
        path: core.store.location(&part.key),
        rows: part.rows,
        size_in_bytes: part.bytes,
        bytes_uncompressed: part.uncompressed_bytes,
        projections: part.projections.keys().map(|key| name_of(key).to_string()).collect(),
        ..entry
    }
}

/// The mutations that the part goes through, up to the last of these, as `system.part_log` tells them. `last`: `None`, where it
/// has a number only when it is over (DELETE FROM), or did not come so far: those that are before it.
fn mutation_ids(core: &Core, part: &PartEntry, last: Option<i64>) -> Vec<String> {
    let state = core.manifest.current();
    let in_partition = |mutation: &MutationEntry| mutation.partition_id.as_ref().is_none_or(|id| *id == part.partition_id);
    let is_meant = |mutation: &&Arc<MutationEntry>| match last {
        Some(last) => mutation.is_after(part) && mutation.number <= last && in_partition(mutation),
        None => mutation.concerns(part),
    };
    let mut numbers: Vec<i64> =
        state.mutations.iter().filter(is_meant).map(|mutation| mutation.number).chain(last).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(mutate::id).collect()
}

/// An INSERT's part is visible, which was made so.
pub fn inserted(core: &Core, context: &QueryContext, part: &PartEntry, made: &InsertedPart) {
    add(core, || {
        let entry = entry(core, context, PartEvent::NewPart, &part.name, part);
        PartLogEntry {
            duration_ms: made.took.as_millis() as u64,
            profile_events: by_name(made.events.iter().copied()),
            ..with_data(core, part, entry)
        }
    });
}

fn by_name(events: impl IntoIterator<Item = (Event, u64)>) -> Vec<(&'static str, u64)> {
    events.into_iter().map(|(event, value)| (event.name(), value)).collect()
}

/// The object of a part that was replaced or dropped is gone.
pub fn removed(core: &Core, context: &QueryContext, part: &PartEntry) {
    add(core, || with_data(core, part, entry(core, context, PartEvent::RemovePart, &part.name, part)));
}

/// A merge or a mutation begins.
pub fn began(core: &Core, running: &Running) {
    let event = if is_merge(running) { PartEvent::MergePartsStart } else { PartEvent::MutatePartStart };
    let Some(first) = running.parts.first() else { return };
    add(core, || PartLogEntry {
        merge_reason: running.reason.merge_reason(),
        merged_from: running.parts.iter().map(|part| part.name.clone()).collect(),
        mutation_ids: if is_merge(running) { Vec::new() } else { mutation_ids(core, first, None) },
        ..entry(core, &running.context, event, &running.result, first)
    });
}

/// A mutation had nothing to change in a part's rows: it has another name from then on.
pub fn passed(core: &Core, context: &QueryContext, part: &PartEntry, mutation: i64) {
    let named = part.mutated(mutation);
    let event = |event: PartEvent| {
        let entry = entry(core, context, event, &named.name, part);
        let mutation_ids = mutation_ids(core, part, Some(mutation));
        PartLogEntry { merged_from: vec![part.name.clone()], mutation_ids, ..entry }
    };
    add(core, || event(PartEvent::MutatePartStart));
    add(core, || with_data(core, &named, event(PartEvent::MutatePart)));
}

/// It is over: with the part that came of it, or an error. Neither: no row is left, or it gave up.
pub fn ended(core: &Core, running: &Running, made: Option<&PartEntry>, error: Option<&Error>) {
    let event = if is_merge(running) { PartEvent::MergeParts } else { PartEvent::MutatePart };
    let Some(first) = running.parts.first() else { return };
    let (name, context): (&str, &Arc<QueryContext>) = (made.map_or(&running.result, |made| &made.name), &running.context);
    add(core, || {
        let entry = entry(core, context, event, name, first);
        let entry = match made {
            Some(made) => with_data(core, made, entry),
            None => entry,
        };
        let events = context.counters.nonzero();
        PartLogEntry {
            duration_ms: running.elapsed().as_millis() as u64,
            merge_reason: running.reason.merge_reason(),
            merge_algorithm: running.algorithm().map_or("Undecided", |algorithm| algorithm.name()),
            merged_from: running.parts.iter().map(|part| part.name.clone()).collect(),
            read_rows: running.rows_read(),
            read_bytes: running.bytes_read(),
            peak_memory_usage: context.memory.peak_bytes(),
            error_code: error.map_or(0, |error| error.code().0),
            exception: error.map_or_else(String::new, ToString::to_string),
            mutation_ids: match is_merge(running) {
                true => Vec::new(),
                false => mutation_ids(core, first, made.map(|made| made.mutation)),
            },
            profile_events: by_name(events),
            ..entry
        }
    });
}

fn is_merge(running: &Running) -> bool {
    running.reason != super::list::Reason::Mutation
}
