//! The part of a table's background job that carries out mutations: one part at a time in each place of the pool.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gristmill_base::allocations;
use gristmill_base::runtime::{self, Task};
use tokio_util::sync::CancellationToken;

use super::part;
use crate::merge::background::rest;
use crate::merge::pool;
use crate::merge::selector::enough_free;
use crate::merge::task::Claim;
use crate::table::Core;

/// Begins with a part that has mutations before it, where there is one and a place for it.
pub fn start(core: &Arc<Core>, stop: &CancellationToken) -> Option<Task<()>> {
    let state = core.manifest.current();
    if core.settings.table_readonly
        || core.stopped.merges()
        || state.mutations.iter().all(|mutation| mutation.finished_ms.is_some())
    {
        return None;
    }
    let pool = &core.environment.pool;
    let place = pool.take(pool::debt(&state, &core.settings), &core.wake)?;
    let enough = enough_free(core.settings.number_of_free_entries_in_pool_to_execute_mutation, pool.places());
    if place.free() < enough {
        return None;
    }
    let mut left = state.parts.values().filter(|part| state.next_mutation(part).is_some());
    let claim = left.find_map(|part| Claim::take(core, vec![part.clone()]))?;
    let waiting = state.next_mutation(&claim.parts[0]).and_then(|number| core.mutating.judged(number));
    let context = match &waiting {
        Some(context) => context.uncancelled(),
        None => core.environment.context("mutation"),
    };
    let tally = waiting.and_then(|context| context.memory.tally().cloned());
    let (core, stop) = (core.clone(), stop.clone());
    let work = async move {
        let mutated = {
            let mut mutating = std::pin::pin!(part::mutate(&claim, &context));
            tokio::select! {
                mutated = &mut mutating => mutated,
                () = stop.cancelled() => {
                    context.cancel.cancel();
                    // It ends by itself soon, and leaves nothing behind.
                    mutating.await
                }
            }
        };
        drop(place);
        match mutated {
            Ok(_) => core.failures.store(0, Ordering::Relaxed),
            Err(error) => {
                tracing::warn!("a mutation of {} failed: {error}", core.name());
                // Whoever waits for it is told; the part is tried again later.
                core.merge_ended();
                rest(&core, &stop).await;
            }
        }
        drop(claim);
        core.wake_merger();
    };
    Some(Task::on(&runtime::cpu(), allocations::counted_task(tally, work)))
}
