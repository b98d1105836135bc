//! The promises of the engine, by number, and their checks. `check_change` runs before every commit in every build: a
//! change that would break a promise is refused with its number. `check_state` runs in debug builds and tests.
//!
//! - M-1 a merge keeps the row multiset, engine rules aside (here: its count).
//! - M-2 the manifest only grows in version; a version is never rewritten.
//! - M-3 a row is visible exactly when its part is in the manifest: names and objects are named once.
//! - M-4 no object that any live version names is deleted.
//! - M-5 block ranges of the parts of a partition do not overlap; a merge takes a contiguous range.
//! - M-6 parts are merged only where they went through the same mutations.
//! - I-1 an acknowledged insert survives kill -9 and power loss. I-2 an insert is visible whole or not at all.
//! - I-3 one id commits once.
//! - I-4 under one load id each row group of a file is committed once, all of one version of the file.
//! - R-1 a query reads one manifest version from start to end.

use std::collections::HashSet;
use std::sync::Arc;

use gristmill_base::{Error, Result};

use crate::manifest::state::is_token;
use crate::manifest::v1::Operation;
use crate::manifest::{Change, PartEntry, State};

fn broken(number: &str, what: String) -> Error {
    Error::logical(format!("{number} would be broken: {what}"))
}

/// Whether the change may follow the state.
pub fn check_change(base: &State, change: &Change) -> Result<()> {
    let removed: HashSet<&str> = change.removed.iter().map(String::as_str).collect();
    let leaving: Vec<&Arc<PartEntry>> = base.parts.values().filter(|part| removed.contains(part.name.as_str())).collect();
    if leaving.len() != removed.len() {
        return Err(broken("M-3", "a part that is removed is not there".to_string()));
    }
    if change.keeps_rows {
        let rows = |parts: &mut dyn Iterator<Item = &Arc<PartEntry>>| parts.map(|part| part.rows).sum::<u64>();
        let (before, after) = (rows(&mut leaving.iter().copied()), rows(&mut change.added.iter()));
        if before != after {
            return Err(broken("M-1", format!("{before} rows were merged into {after}")));
        }
    }
    let mut next = leaving.iter().map(|part| base.next_mutation(part));
    if change.operation == Operation::Merge
        && let Some(first) = next.next()
        && next.any(|other| other != first)
    {
        return Err(broken("M-6", "a part is merged with one that a mutation has yet to change".to_string()));
    }
    if !change.rows.passed.is_empty() {
        let known: HashSet<&str> = base.parts.values().map(|part| part.name.as_str()).collect();
        if let Some((name, _)) = change.rows.passed.iter().find(|(name, _)| !known.contains(name.as_str())) {
            return Err(broken("M-3", format!("part {name}, which is not there, went through a mutation")));
        }
    }
    let projected = &change.rows.projected;
    if let Some(changed) = projected.iter().find(|changed| base.part_named(&changed.part).is_none()) {
        return Err(broken("M-3", format!("part {}, which is not there, gets a projection", changed.part)));
    }
    for deleted in &change.rows.deleted {
        let rows = |part: &Arc<PartEntry>| {
            let before = part.deleted.as_ref().map_or(0, |deleted| deleted.rows);
            (before..part.stored_rows()).contains(&deleted.deleted.rows)
        };
        if !base.part_named(&deleted.part).is_some_and(rows) || removed.contains(deleted.part.as_str()) {
            return Err(broken("M-3", format!("rows of part {}, which it does not have, are deleted", deleted.part)));
        }
    }
    if let Some(id) = change.insert_id.as_ref().filter(|id| base.has_insert(id)) {
        return Err(broken("I-3", format!("the insert {id} was committed before")));
    }
    if let Some(block) = change.block_hashes.iter().find(|block| is_token(block) && base.has_block(block)) {
        return Err(broken("I-3", format!("the insert of {block} was committed before")));
    }
    if let Some(ledger) = &change.ledger {
        base.ledger.check(ledger).map_err(|what| broken("I-4", what))?;
    }
    let mut keys = HashSet::new();
    for part in &change.added {
        if let Some(object) = part.objects().find(|object| !keys.insert(*object)) {
            return Err(broken("M-3", format!("object {object} is named twice")));
        }
        let overlapping = base
            .parts
            .range(
                (Arc::from(part.partition_id.as_str()), i64::MIN)..=(Arc::from(part.partition_id.as_str()), part.max_block),
            )
            .rev()
            .map(|(_, other)| other)
            .take_while(|other| other.max_block >= part.min_block)
            .find(|other| !removed.contains(other.name.as_str()));
        if let Some(other) = overlapping {
            return Err(broken("M-5", format!("part {} overlaps {}", part.name, other.name)));
        }
    }
    Ok(())
}

/// Whether a state is sound in itself.
pub fn check_state(state: &State) -> Result<()> {
    let mut keys = HashSet::new();
    let mut names = HashSet::new();
    let mut last: Option<&Arc<PartEntry>> = None;
    for ((partition, min_block), part) in &state.parts {
        let named_twice = part.objects().find(|object| !keys.insert(*object)).is_some();
        if named_twice || !names.insert(part.name.as_str()) {
            return Err(broken("M-3", format!("part {} ({}) is named twice", part.name, part.key)));
        }
        if **partition != *part.partition_id || *min_block != part.min_block || part.max_block >= state.next_block {
            return Err(broken("M-5", format!("part {} stands in the wrong place", part.name)));
        }
        if let Some(before) = last.filter(|before| before.partition_id == part.partition_id)
            && before.max_block >= part.min_block
        {
            return Err(broken("M-5", format!("part {} overlaps {}", part.name, before.name)));
        }
        last = Some(part);
    }
    if let Some(part) = state.detached.iter().find(|part| part.objects().any(|object| !keys.insert(object))) {
        return Err(broken("M-3", format!("object {} is detached and also live", part.key)));
    }
    let of_parts = state.removed.iter().flat_map(|removed| removed.part.objects());
    let mut removed = of_parts.chain(state.removed_objects.iter().map(|removed| removed.key.as_str()));
    if let Some(object) = removed.find(|object| keys.contains(object)) {
        return Err(broken("M-4", format!("object {object} is both live and removed")));
    }
    let rows: u64 = state.parts.values().map(|part| part.rows).sum();
    if rows != state.rows {
        return Err(broken("M-3", format!("{rows} rows in parts, {} counted", state.rows)));
    }
    Ok(())
}
