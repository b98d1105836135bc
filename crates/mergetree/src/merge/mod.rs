//! Merges: which (`selector`), how (`task`, over `sources`, `rows` and `rules`; `vertical`), when (`background`, `pool`, and
//! OPTIMIZE here); what is told of them (`list`, `log`).

pub mod background;
pub mod list;
pub mod log;
pub mod pool;
pub mod rows;
pub mod rules;
pub mod selector;
mod sources;
pub mod stop;
pub mod task;
mod vertical;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::OptimizeRequest;
use gristmill_introspect::{Counters, Event, QueryContext};

use crate::engine::MergingEngine;
use crate::insert::partition;
use crate::layout::{Layout, referenced_columns};
use crate::manifest::{PartEntry, State};
use crate::mutate;
use crate::projection::Mode;
use crate::table::Core;
use selector::Limits;
use task::{Claim, MergeOptions};

/// How long OPTIMIZE waits for a background merge before it looks again by itself.
const WAIT: Duration = Duration::from_millis(200);

/// OPTIMIZE TABLE. With FINAL or a partition: until each partition is one part. Otherwise: the cheapest merge there is.
/// Errors: NO_SUCH_COLUMN_IN_TABLE, THERE_IS_NO_COLUMN, SUPPORT_IS_DISABLED.
pub async fn optimize(core: &Arc<Core>, context: &Arc<QueryContext>, request: &OptimizeRequest) -> Result<()> {
    let deduplicate = request.deduplicate.then(|| compared(&core.layout, &request.deduplicate_by)).transpose()?;
    let cleanup = request.cleanup;
    if cleanup {
        check_cleanup(core, request.dry_run.is_some())?;
    }
    if request.deduplicate && !core.layout.projections.is_empty() && Mode::of_merges(&core.settings)? == Mode::Throw {
        return Err(Error::new(
            ErrorCode::SUPPORT_IS_DISABLED,
            format!(
                "OPTIMIZE DEDUPLICATE query is not supported for table {} as it has projections. Please drop all projections \
                 manually before running the query, or set setting 'deduplicate_merge_projection_mode' to 'drop' or \
                 'rebuild'",
                core.name()
            ),
        ));
    }
    core.stopped.check()?;
    let state = core.manifest.refresh(context).await?;
    if let Some(names) = &request.dry_run {
        let parts = named(core, &state, names)?;
        let options = MergeOptions { deduplicate, cleanup, lanes: context.threads(), yields: false };
        return task::try_out(core, context, &parts, &options).await;
    }
    if !request.to_one_part && request.partition.is_none() {
        let limits = Limits::of_optimize(&core.settings, context.env.now_ms());
        let chosen = choose(core, &state, &limits, &context.counters);
        let Some(claim) = chosen.and_then(|parts| Claim::take(core, parts)) else {
            return if context.settings.optimize_throw_if_noop { Err(nothing_to_merge(&state)) } else { Ok(()) };
        };
        // A row that says that its key is deleted may go only where no part stays that it is to replace.
        let options = MergeOptions { deduplicate, cleanup: false, lanes: context.threads(), yields: false };
        return task::merge(&claim, context, &options).await.map(|_| ());
    }
    let chosen = match &request.partition {
        Some(choice) => partition::chosen_id(&core.layout, choice)?,
        None => None,
    };
    let wanted = |part: &PartEntry| chosen.as_ref().is_none_or(|id| part.partition_id == *id);
    // Without FINAL a part is not written anew by itself.
    if !request.to_one_part && state.parts.values().filter(|part| wanted(part)).nth(1).is_none() {
        let why = "There is only one part inside partition";
        return if context.settings.optimize_throw_if_noop { Err(cannot_optimize(why)) } else { Ok(()) };
    }
    let partitions: BTreeSet<String> =
        state.parts.values().filter(|part| wanted(part)).map(|part| part.partition_id.clone()).collect();
    // Many partitions: one a thread. Few: one after the other, each by columns on all threads.
    let threads = context.threads();
    let (at_once, lanes) = if partitions.len() >= threads { (threads, 1) } else { (1, threads) };
    let options = &MergeOptions { deduplicate, cleanup, lanes, yields: false };
    let end = state.next_block;
    let merging: Vec<_> = partitions
        .into_iter()
        .map(|partition| async move { to_one_part(core, context, &partition, end, options).await })
        .collect();
    futures::stream::iter(merging).buffer_unordered(at_once).try_collect::<Vec<()>>().await?;
    Ok(())
}

fn nothing_to_merge(state: &State) -> Error {
    let why = match state.parts.is_empty() {
        true => "There are no parts that can be merged. (Collector returned empty ranges set)",
        false => "There is no need to merge parts according to merge selector algorithm",
    };
    cannot_optimize(why)
}

fn cannot_optimize(why: &str) -> Error {
    Error::new(ErrorCode::CANNOT_ASSIGN_OPTIMIZE, format!("Cannot OPTIMIZE table: {why}."))
}

/// Parts of one partition, by name, in the order of their blocks. Errors: BAD_DATA_PART_NAME, NO_SUCH_DATA_PART, BAD_ARGUMENTS.
fn named(core: &Core, state: &State, names: &[String]) -> Result<Vec<Arc<PartEntry>>> {
    let is_name = |name: &str| {
        // `<partition>_<first block>_<last block>_<level>[_<mutation>]`
        let numbers = name.split('_').skip(1);
        matches!(numbers.clone().count(), 3 | 4) && numbers.into_iter().all(|number| number.parse::<i64>().is_ok())
    };
    if let Some(name) = names.iter().find(|name| !is_name(name)) {
        return Err(Error::new(ErrorCode::BAD_DATA_PART_NAME, format!("Unexpected part name: {name}")));
    }
    let mut parts: Vec<Arc<PartEntry>> = Vec::with_capacity(names.len());
    for name in names {
        let Some(part) = state.parts.values().find(|part| part.name == *name) else {
            let text = format!("Part {name} not found in table {}", core.name());
            return Err(Error::new(ErrorCode::NO_SUCH_DATA_PART, text));
        };
        if let Some(first) = parts.first().filter(|first| first.partition_id != part.partition_id) {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "All parts for OPTIMIZE DRY RUN must belong to the same partition, but part {} belongs to partition {} while \
                     part {} belongs to partition {}",
                    part.name, part.partition_id, first.name, first.partition_id
                ),
            ));
        }
        parts.push(part.clone());
    }
    parts.sort_by_key(|part| part.min_block);
    parts.dedup_by(|a, b| a.name == b.name);
    Ok(parts)
}

/// The columns that DEDUPLICATE compares: those named, all where none are.
fn compared(layout: &Layout, names: &[String]) -> Result<Arc<[usize]>> {
    if names.is_empty() {
        return Ok((0..layout.columns.len()).collect());
    }
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        places.push(layout.columns.index_of(name).ok_or_else(|| {
            let known = layout.columns.names().join(", ");
            let text = format!("There is no column with name `{name}` in the table. There are columns: {known}.");
            Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text)
        })?);
    }
    let in_keys = layout.sorting.iter().chain(&layout.partition).flat_map(referenced_columns);
    for name in in_keys {
        if !names.contains(&name) {
            return Err(Error::new(
                ErrorCode::THERE_IS_NO_COLUMN,
                format!(
                    "DEDUPLICATE BY expression must include all columns used in table's ORDER BY, PRIMARY KEY, or PARTITION \
                     BY but '{name}' is missing. Expanded DEDUPLICATE BY columns expression: ['{}'].",
                    names.join("', '")
                ),
            ));
        }
    }
    Ok(places.into())
}

/// CLEANUP removes rows for good that tell replicas and late parts what is deleted: the table must allow it. A merge that is only
/// tried out may be that of any engine.
fn check_cleanup(core: &Core, is_tried: bool) -> Result<()> {
    if !is_tried && !matches!(core.layout.engine, MergingEngine::Replacing { .. }) {
        return Err(Error::new(
            ErrorCode::CANNOT_ASSIGN_OPTIMIZE,
            "Cannot OPTIMIZE with CLEANUP table: only ReplacingMergeTree can be CLEANUP.",
        ));
    }
    if core.settings.allow_experimental_replacing_merge_with_cleanup {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::SUPPORT_IS_DISABLED,
        "Experimental merges with CLEANUP are not allowed: they are for tables with the setting \
         allow_experimental_replacing_merge_with_cleanup = 1",
    ))
}

/// Merges the parts of a partition that were there before block `end`.
async fn to_one_part(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    partition: &str,
    end: i64,
    options: &MergeOptions,
) -> Result<()> {
    let at_once = core.settings.max_parts_to_merge_at_once.max(2) as usize;
    let mut skips_merged = context.settings.optimize_skip_merged_partitions;
    loop {
        context.check()?;
        // ALTER may have changed the layout since the last merge.
        let gone = || Error::new(ErrorCode::UNKNOWN_TABLE, format!("Table {} was dropped meanwhile", core.name()));
        let core = &core.newest().ok_or_else(gone)?;
        let ended = core.merge_end();
        let state = core.manifest.refresh(context).await?;
        let parts = partition_parts(&state, partition, end);
        let is_done = match parts.as_slice() {
            [] => true,
            [only] => {
                let now = (context.env.now_ms() / 1000) as i64;
                let due = core.layout.ttl.due(only).filter(|due| *due <= now && !core.stopped.ttl());
                skips_merged && only.level > 0 && options.deduplicate.is_none() && !options.cleanup && due.is_none()
            }
            _ => false,
        };
        if is_done {
            return Ok(());
        }
        if parts.iter().any(|part| state.next_mutation(part) != state.next_mutation(&parts[0])) {
            mutate::finish_parts(core, context, &parts).await?;
            continue;
        }
        let is_last = parts.len() <= at_once;
        let chunk = if is_last { parts } else { smallest(&parts, at_once).to_vec() };
        let Some(claim) = Claim::take(core, chunk) else {
            // A merge of the background has some of them: what it makes is merged after it, and is done if it is all.
            skips_merged = true;
            let _waiting = context.waits_for(Wait::Lock);
            context
                .cancellable(async {
                    let _ = tokio::time::timeout(WAIT, ended).await;
                    Ok::<_, Error>(())
                })
                .await?;
            continue;
        };
        let deduplicate = options.deduplicate.clone().filter(|_| is_last);
        let step = MergeOptions { deduplicate, cleanup: options.cleanup && is_last, ..*options };
        if task::merge(&claim, context, &step).await? && is_last {
            return Ok(());
        }
    }
}

/// Of all runs of so many neighbours the one with the least bytes: what was merged already waits until the rest has become as
/// large.
fn smallest(parts: &[Arc<PartEntry>], length: usize) -> &[Arc<PartEntry>] {
    let runs = parts.windows(length);
    runs.min_by_key(|run| run.iter().map(|part| part.bytes).sum::<u64>()).unwrap_or(parts)
}

fn partition_parts(state: &State, partition: &str, end: i64) -> Vec<Arc<PartEntry>> {
    let from = (Arc::from(partition), i64::MIN);
    let to = (Arc::from(partition), end);
    state.parts.range(from..to).map(|(_, part)| part.clone()).filter(|part| part.max_block < end).collect()
}

/// The parts of the best merge, where there is one.
fn choose(core: &Core, state: &State, limits: &Limits, counters: &Counters) -> Option<Vec<Arc<PartEntry>>> {
    let env = &core.environment.env;
    let begun = env.instant();
    let runs = runs(core, state, 2);
    let chosen = selector::select(&runs, limits);
    let took = env.instant().saturating_duration_since(begun);
    counters.add(Event::MergerMutatorSelectPartsForMergeElapsedMicroseconds, took.as_micros() as u64);
    counters.add(Event::MergerMutatorRangesForMergeCount, runs.len() as u64);
    counters.add(Event::MergerMutatorPartsInRangesForMergeCount, runs.iter().map(|run| run.len() as u64).sum());
    counters.add(Event::MergerMutatorSelectRangePartsCount, chosen.as_ref().map_or(0, |parts| parts.len() as u64));
    chosen
}

/// Neighbouring parts that may be merged: a part that is being merged, or a mutation that not all went through, parts
/// those before it from those after.
/// `least`: parts in a run.
fn runs(core: &Core, state: &State, least: usize) -> Vec<Vec<Arc<PartEntry>>> {
    let merging = core.merging.lock();
    let mut runs: Vec<Vec<Arc<PartEntry>>> = Vec::new();
    let mut current: Vec<Arc<PartEntry>> = Vec::new();
    for part in state.parts.values() {
        let is_other = current.last().is_some_and(|last| last.partition_id != part.partition_id);
        let is_merging = merging.contains(&part.key);
        // A part whose rows were changed and one whose rows are still to be changed stay apart.
        let is_changed = current.last().is_some_and(|last| state.next_mutation(last) != state.next_mutation(part));
        if is_other || is_merging || is_changed {
            runs.push(std::mem::take(&mut current));
        }
        if !is_merging {
            current.push(part.clone());
        }
    }
    runs.push(current);
    runs.retain(|run| run.len() >= least);
    runs
}
