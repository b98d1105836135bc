//! The background job of a table: mutates and merges, as the selector chooses, and lets the sweeper work.
//!
//! It wakes after every commit, when the pool has a place for it again and, where there is nothing to do, ever more seldom.
//! All tables share one pool of places (`pool`), which says how many of them a table may have; a merge computes one column
//! at a time. Merges of one table, and of one partition, run side by side where their ranges of parts are disjoint.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use gristmill_base::allocations;
use gristmill_base::runtime::{self, Task};
use gristmill_introspect::Counters;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::list::{Reason, result_name};
use super::selector::Limits;
use super::task::{self, Claim, MergeOptions};
use super::{choose, pool, runs};
use crate::environment::TtlPlace;
use crate::manifest::State;
use crate::table::{Core, TableData};
use crate::ttl::select as by_ttl;
use crate::{gc, mutate};

/// At most this long between two looks.
const SLEEP_MAX: Duration = Duration::from_secs(60);
/// After a merge or a mutation that failed; twice as long after each that follows, up to sixteen times.
const SLEEP_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Waits until what failed may be tried again: its parts stay claimed so long, but it holds no place that others could use.
pub async fn rest(core: &Core, stop: &CancellationToken) {
    let failures = core.failures.fetch_add(1, Ordering::Relaxed);
    tokio::select! {
        () = tokio::time::sleep(SLEEP_AFTER_FAILURE * (1 << failures.min(4))) => {}
        () = stop.cancelled() => {}
    }
}

/// Runs until the table is gone or `stop` is cancelled; merges under way are ended then, and waited for.
pub async fn run(data: Weak<TableData>, wake: Arc<Notify>, stop: CancellationToken) {
    let mut merges: Vec<Task<()>> = Vec::new();
    let mut sleep = Duration::ZERO;
    while !stop.is_cancelled() {
        // After an ALTER the new layout.
        let Some(table) = data.upgrade().and_then(|data| data.newest()) else { return };
        merges.retain(|merge| !merge.is_finished());
        if let Err(error) = gc::sweep(&table).await {
            tracing::warn!("sweeping {} failed: {error}", table.name());
        }
        let shortest = Duration::from_millis(table.settings.merge_selecting_sleep_ms.max(1));
        match mutate::background::start(&table, &stop).or_else(|| start(&table, &stop)) {
            Some(merge) => {
                merges.push(merge);
                sleep = Duration::ZERO;
                continue;
            }
            None => sleep = (sleep.mul_f64(1.2)).clamp(shortest, SLEEP_MAX.max(shortest)),
        }
        drop(table);
        tokio::select! {
            () = stop.cancelled() => {}
            () = wake.notified() => sleep = Duration::ZERO,
            () = tokio::time::sleep(sleep) => {}
        }
    }
    for merge in merges {
        // It ends with the error of a cancelled query, which it has logged.
        let _ = merge.join().await;
    }
}

/// Begins the best merge, where there is one and a place for it.
fn start(core: &Arc<Core>, stop: &CancellationToken) -> Option<Task<()>> {
    let state = core.manifest.current();
    if core.settings.table_readonly
        || core.stopped.merges()
        || (core.layout.ttl.is_empty() && runs(core, &state, 2).is_empty())
    {
        return None;
    }
    let (environment, settings) = (&core.environment, &core.settings);
    let debt = pool::debt(&state, settings);
    let place = environment.pool.take(debt, &core.wake)?;
    let limits = Limits::of_background(settings, place.free(), environment.pool.places(), debt, environment.env.now_ms());
    let (parts, reason, ttl_place) = match choose_for_ttl(core, &state, &limits) {
        Some((chosen, place)) => {
            let reason = match chosen.reason {
                by_ttl::Reason::Drop => Reason::TtlDrop,
                by_ttl::Reason::Delete => Reason::TtlDelete,
                by_ttl::Reason::Recompress => Reason::TtlRecompress,
            };
            (chosen.parts, reason, place)
        }
        None => (choose(core, &state, &limits, &Counters::server())?, Reason::Regular, None),
    };
    let id = format!("{}::{}", core.uuid, result_name(&parts, reason));
    let mut claim = Claim::take(core, parts)?;
    claim.reason = reason;
    let (core, stop) = (core.clone(), stop.clone());
    let context = core.environment.job("merge", &id);
    let tally = context.memory.tally().cloned();
    let work = async move {
        let options = MergeOptions { deduplicate: None, cleanup: false, lanes: 1, yields: true };
        let merged = {
            let mut merging = std::pin::pin!(task::merge(&claim, &context, &options));
            tokio::select! {
                merged = &mut merging => merged,
                () = stop.cancelled() => {
                    context.cancel.cancel();
                    // It ends by itself soon, and leaves nothing behind.
                    merging.await
                }
            }
        };
        drop((place, ttl_place));
        match merged {
            Ok(_) => core.failures.store(0, Ordering::Relaxed),
            // It was ended, because the table or the process ends.
            Err(_) if stop.is_cancelled() => {}
            Err(error) => {
                tracing::warn!("a merge of {} failed: {error}", core.name());
                rest(&core, &stop).await;
            }
        }
        drop(claim);
        core.wake_merger();
    };
    Some(Task::on(&runtime::cpu(), allocations::counted_task(tally, work)))
}

/// Parts to merge for their TTL, with the place that the merge takes among such merges.
fn choose_for_ttl(core: &Arc<Core>, state: &State, limits: &Limits) -> Option<(by_ttl::Chosen, Option<TtlPlace>)> {
    if core.layout.ttl.is_empty() || core.stopped.ttl() {
        return None;
    }
    let (settings, now_ms) = (&core.settings, limits.now_ms);
    let mut rests = core.ttl_rests.lock();
    rests.retain(|_, until| *until > now_ms);
    let within = (limits.bytes_max, limits.parts_max);
    let chosen = by_ttl::choose(&core.layout.ttl, settings, &runs(core, state, 1), &rests, now_ms, within)?;
    let (wait_seconds, recompress) = match chosen.reason {
        // It reads nothing.
        by_ttl::Reason::Drop => return Some((chosen, None)),
        by_ttl::Reason::Delete => (settings.merge_with_ttl_timeout, false),
        by_ttl::Reason::Recompress => (settings.merge_with_recompression_ttl_timeout, true),
    };
    let place = core.environment.ttl_place(settings.max_number_of_merges_with_ttl_in_pool)?;
    let partition = chosen.parts.first()?.partition_id.clone();
    rests.insert((partition, recompress), now_ms.saturating_add(wait_seconds.saturating_mul(1000)));
    Some((chosen, Some(place)))
}
