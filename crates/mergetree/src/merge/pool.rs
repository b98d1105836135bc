//! The places for background merges and mutations, which all tables of a process share, and who may take one.
//!
//! There are `background_pool_size * background_merges_mutations_concurrency_ratio` places. Without queries as many of them
//! are used as there are threads in the pool, which keeps every core busy; while queries or inserts run, half of those:
//! their work goes first. The rest is for tables in *debt*: as the parts of a partition come nearer to
//! `parts_to_delay_insert`, merges of its table get more places, all of them when inserts would be slowed down soon,
//! whoever else runs; what is not merged now is paid for by queries that read many parts, and in the end by inserts that
//! are refused. A merge also gives way inside (`Courtesy`): between two blocks it rests as long as a block takes, while
//! queries run, all cores are busy, and its table owes nothing.
//!
//! A table that was refused a place waits, and is woken when one is given back, those with the greatest debt first. (Tables
//! that looked again only when their own timer said so left places empty for seconds.)

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::env::Env;
use gristmill_base::machine;
use gristmill_introspect::processes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::insert::writer::fullest_partition;
use crate::manifest::State;
use crate::settings::TableSettings;

/// Debts between which the places for a table grow from few to all.
const DEBTS: (f64, f64) = (0.2, 0.7);
/// A merge whose table owes more than this does not rest.
const DEBT_WITHOUT_REST: f64 = 0.2;
/// Share of the cores that are busy, from which on a merge rests.
const BUSY: f64 = 0.9;
const REST_MAX: Duration = Duration::from_millis(200);

/// How far the fullest partition of a table is on the way to `parts_to_delay_insert`: 0 is no part, from 1 on inserts are
/// slowed down. 0 where the number of parts does not matter.
pub fn debt(state: &State, settings: &TableSettings) -> f64 {
    let Some((parts, bytes)) = fullest_partition(state) else { return 0.0 };
    let large = settings.max_avg_part_size_for_too_many_parts;
    if large > 0 && bytes / parts.max(1) > large {
        return 0.0;
    }
    let limit = match (settings.parts_to_delay_insert, settings.parts_to_throw_insert) {
        (0, 0) => return 0.0,
        (0, throw) => throw,
        (delay, _) => delay,
    };
    parts as f64 / limit as f64
}

/// Where a value lies between two, from 0 to 1.
pub fn between(value: f64, (from, to): (f64, f64)) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

pub struct MergePool {
    threads: usize,
    places: usize,
    state: Mutex<PoolState>,
}

#[derive(Default)]
struct PoolState {
    taken: usize,
    /// Tables that found no place, with their debts.
    waiting: Vec<(f64, Arc<Notify>)>,
}

impl fmt::Debug for MergePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MergePool({} of {} places taken)", self.taken(), self.places)
    }
}

impl MergePool {
    /// `ratio`: places for each thread.
    pub fn new(threads: usize, ratio: f64) -> Arc<MergePool> {
        let threads = threads.max(1);
        let places = ((threads as f64 * ratio) as usize).max(threads);
        Arc::new(MergePool { threads, places, state: Mutex::default() })
    }

    pub fn places(&self) -> usize {
        self.places
    }

    pub fn taken(&self) -> usize {
        self.state.lock().taken
    }

    /// Places that a table may see taken and still take one.
    pub fn allowed(&self, debt: f64, is_busy: bool) -> usize {
        let least = if is_busy { (self.threads / 2).max(1) } else { self.threads };
        let more = (self.places - least) as f64 * between(debt, DEBTS);
        least + more.round() as usize
    }

    /// A place for a table of that debt. `None`: `wake` is told when one is given back.
    pub fn take(self: &Arc<Self>, debt: f64, wake: &Arc<Notify>) -> Option<Place> {
        let allowed = self.allowed(debt, !processes::snapshot().is_empty());
        let mut state = self.state.lock();
        state.waiting.retain(|(_, waiting)| !Arc::ptr_eq(waiting, wake));
        if state.taken >= allowed {
            state.waiting.push((debt, wake.clone()));
            return None;
        }
        state.taken += 1;
        Some(Place { pool: self.clone(), taken_before: state.taken - 1 })
    }
}

/// Given back when dropped.
#[derive(Debug)]
pub struct Place {
    pool: Arc<MergePool>,
    taken_before: usize,
}

impl Place {
    /// Places that were free, this one among them.
    pub fn free(&self) -> usize {
        self.pool.places - self.taken_before
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = {
            let mut state = self.pool.state.lock();
            state.taken -= 1;
            std::mem::take(&mut state.waiting)
        };
        // All of them: the first may find nothing to do, or be gone.
        waiting.sort_by(|a, b| b.0.total_cmp(&a.0));
        waiting.iter().for_each(|(_, wake)| wake.notify_one());
    }
}

/// Lets the work of queries go first while a merge runs.
pub struct Courtesy {
    env: Arc<dyn Env>,
    cores: usize,
    looked: Instant,
    cpu: Duration,
}

impl Courtesy {
    pub fn new(env: Arc<dyn Env>) -> Courtesy {
        let cores = machine::cores();
        Courtesy { looked: env.instant(), cpu: machine::cpu_time(), env, cores }
    }

    /// After a block of work.
    pub async fn rest(&mut self, debt: f64) {
        let (now, cpu) = (self.env.instant(), machine::cpu_time());
        let worked = now.saturating_duration_since(self.looked);
        let busy = cpu.saturating_sub(self.cpu).as_secs_f64() / (worked.as_secs_f64() * self.cores as f64).max(1e-6);
        if !processes::snapshot().is_empty() {
            match busy >= BUSY && debt < DEBT_WITHOUT_REST {
                true => self.env.sleep(worked.min(REST_MAX)).await,
                false => tokio::task::yield_now().await,
            }
        }
        (self.looked, self.cpu) = (self.env.instant(), machine::cpu_time());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debt_opens_places_that_queries_close() {
        let pool = MergePool::new(4, 2.0);
        assert_eq!(pool.places(), 8);
        assert_eq!((pool.allowed(0.0, false), pool.allowed(0.0, true)), (4, 2));
        assert_eq!((pool.allowed(0.45, false), pool.allowed(0.45, true)), (6, 5));
        assert_eq!((pool.allowed(0.9, false), pool.allowed(2.0, true)), (8, 8));
        assert_eq!(MergePool::new(1, 0.1).places(), 1, "there is always a place");
        assert_eq!(MergePool::new(1, 2.0).allowed(0.0, true), 1);
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_when_a_place_is_given_back() {
        let pool = MergePool::new(1, 1.0);
        let tables: Vec<Arc<Notify>> = (0..3).map(|_| Arc::default()).collect();
        let place = pool.take(0.0, &tables[0]).expect("the pool is empty");
        assert_eq!(place.free(), 1);
        assert!(pool.take(0.1, &tables[1]).is_none());
        assert!(pool.take(0.5, &tables[2]).is_none());
        drop(place);
        tables[2].notified().await;
        tables[1].notified().await;
        let place = pool.take(0.5, &tables[2]).expect("it was given back");
        assert_eq!((place.free(), pool.taken()), (1, 1));
        drop(place);
        assert_eq!(pool.taken(), 0);
    }
}
