//! A change of rows that is seen whole: of each part it is written down which rows are deleted (`mask`), or it is rewritten
//! where that cannot be or does not pay, and one commit makes all of it true. Until then nobody merges the parts here;
//! where another process does, it begins again.
//!
//! Rows that are inserted while it runs stay as they are.

use std::collections::HashSet;
use std::sync::Arc;

use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{MutationRequest, RowChange};
use gristmill_introspect::QueryContext;

use super::part::{self, Mutated};
use super::{change, current, entry, hold, mask, newest};
use crate::manifest::{Commit, MutationEntry, PartEntry, RowsChange, State};
use crate::projection::Mode;
use crate::table::Core;

const TRIES: usize = 16;

/// A part, the numbers of the mutations that it went through as well, and what became of it.
struct Done {
    part: Arc<PartEntry>,
    numbers: Vec<i64>,
    mutated: Mutated,
}

pub async fn run(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    request: &MutationRequest,
    partition_id: Option<String>,
) -> Result<String> {
    for _ in 0..TRIES {
        let core = &newest(core)?;
        // What is deleted is counted by projections that stay.
        let deletes = |change: &RowChange| matches!(change, RowChange::Delete { .. });
        let projects = if request.changes.iter().all(deletes) { projects(core)? } else { true };
        let wanted = |part: &PartEntry| partition_id.as_ref().is_none_or(|id| part.partition_id == *id);
        let held = hold(core, context, &wanted).await?;
        let state = core.pin(context).await?;
        let Some(parts) = current(&state, &held.parts()) else { continue };
        let done = rewrite(core, &state, context, request, parts, projects).await?;
        match commit(core, context, request, &partition_id, &done).await {
            Ok(Commit::Done(state)) => {
                let last = state.mutations.last().map_or(0, |mutation| mutation.number);
                done.iter().for_each(|done| part::tell(core, context, &state, &done.part, &done.mutated, last));
                return Ok(super::id(last));
            }
            Ok(Commit::Nothing) => discard(core, &done).await,
            Ok(Commit::Unknown(error)) => {
                return Err(error.with_context("it is unknown whether the rows were changed: look, or repeat it"));
            }
            Err(error) => {
                discard(core, &done).await;
                return Err(error);
            }
        }
    }
    Err(Error::new(
        ErrorCode::TIMEOUT_EXCEEDED,
        format!("Parts of {} were merged by others faster than their rows could be changed: repeat it", core.name()),
    ))
}

/// Whether parts that are written anew keep their projections. Errors: SUPPORT_IS_DISABLED.
fn projects(core: &Core) -> Result<bool> {
    let mode = Mode::of_deletes(&core.settings)?;
    if mode == Mode::Throw && !core.layout.projections.is_empty() {
        return Err(Error::new(
            ErrorCode::SUPPORT_IS_DISABLED,
            format!(
                "DELETE query is not allowed for table {} because it has projections and setting \
                 lightweight_mutation_projection_mode is set to THROW. Change lightweight_mutation_projection_mode to 'drop' or \
                 'rebuild', drop all the projections before, or use ALTER TABLE … DELETE",
                core.name()
            ),
        ));
    }
    Ok(mode == Mode::Rebuild)
}

async fn rewrite(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    request: &MutationRequest,
    parts: Vec<Arc<PartEntry>>,
    projects: bool,
) -> Result<Vec<Done>> {
    let rewriting: Vec<_> = parts
        .into_iter()
        .map(|part| async move {
            let before: Vec<Arc<MutationEntry>> = state.mutations_of(&part).cloned().collect();
            let mut changes = part::changes_of(&before);
            changes.extend(request.changes.iter().cloned());
            let masked = match &changes[..] {
                [change @ RowChange::Delete { .. }] if !projects || part.projections.is_empty() => {
                    mask::delete(core, state, context, &part, change).await?
                }
                _ => None,
            };
            let mutated = match masked {
                Some(mutated) => mutated,
                None => part::rewrite(core, state, context, &part, &changes, projects).await?,
            };
            Ok::<_, Error>(Done { part, numbers: before.iter().map(|mutation| mutation.number).collect(), mutated })
        })
        .collect();
    let mut running = futures::stream::iter(rewriting).buffer_unordered(context.threads());
    let mut done = Vec::new();
    loop {
        match running.try_next().await {
            Ok(Some(next)) => done.push(next),
            Ok(None) => return Ok(done),
            Err(error) => {
                drop(running);
                discard(core, &done).await;
                return Err(error);
            }
        }
    }
}

async fn discard(core: &Core, done: &[Done]) {
    for done in done {
        part::discard(core, &done.mutated).await;
    }
}

async fn commit(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    request: &MutationRequest,
    partition_id: &Option<String>,
    done: &[Done],
) -> Result<Commit> {
    let parts: Vec<Arc<PartEntry>> = done.iter().map(|done| done.part.clone()).collect();
    let created_ms = context.start.as_millis() as u64;
    let decide = |state: &State| {
        if core.is_outdated() {
            return Ok(None);
        }
        let Some(known) = current(state, &parts) else { return Ok(None) };
        let unchanged = known
            .iter()
            .zip(done)
            .all(|(part, done)| state.mutations_of(part).map(|mutation| mutation.number).eq(done.numbers.iter().copied()));
        if !unchanged {
            return Ok(None);
        }
        let number = state.next_block;
        let begun = entry(request, partition_id.clone(), number, created_ms);
        let (mut added, mut removed, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut projected, mut deleted) = (Vec::new(), Vec::new());
        for (known, done) in known.iter().zip(done) {
            match &done.mutated {
                Mutated::Same => passed.push((known.name.clone(), number)),
                Mutated::Projected(changes) => {
                    passed.push((known.name.clone(), number));
                    projected.extend(part::projections_of(known, changes));
                }
                Mutated::Gone => removed.push(known.name.clone()),
                Mutated::Masked(rows, _) => deleted.push(part::masked(known, number, rows)),
                Mutated::Rewritten(written, _) => {
                    removed.push(known.name.clone());
                    added.push(Arc::new(written.mutated(number)));
                }
            }
        }
        // What was inserted meanwhile is not concerned; and has gone through no mutation that is still to come.
        let mine: HashSet<&str> = done.iter().map(|done| done.part.key.as_str()).collect();
        let is_other = |part: &&Arc<PartEntry>| begun.is_after(part) && !mine.contains(part.key.as_str());
        for part in state.parts.values().filter(is_other) {
            match state.next_mutation(part) {
                None => passed.push((part.name.clone(), number)),
                Some(_) if begun.concerns(part) => return Ok(None),
                // Of another partition: it goes through the others that it has before it.
                Some(_) => {}
            }
        }
        let rows = RowsChange { begun: Some(Arc::new(begun)), passed, projected, deleted, ..RowsChange::default() };
        Ok(Some(change(added, removed, rows)))
    };
    core.manifest.commit(context, decide).await
}
