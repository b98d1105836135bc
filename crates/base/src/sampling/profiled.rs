//! The queries that are profiled now, and what is wanted of each.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use parking_lot::{Condvar, Mutex};

use super::{memory, sampler, signal, slots};
use crate::allocations::Tally;
use crate::spending;

/// What is sampled of a query; 0 is never.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wishes {
    /// How often by the clock.
    pub real_period_ns: u64,
    /// How often by what a thread computes.
    pub cpu_period_ns: u64,
    /// How many bytes more the query has to hold for the next sample.
    pub memory_step_bytes: u64,
    /// Of a sample, where memory is allocated or freed.
    pub memory_probability: f64,
    /// Least and greatest number of bytes for that; the greatest is any where it is 0.
    pub memory_sample_bytes: (u64, u64),
    /// What a thread may allocate before anybody looks.
    pub untracked_bytes: u64,
}

impl Wishes {
    fn are_none(&self) -> bool {
        self.real_period_ns == 0 && self.cpu_period_ns == 0 && self.memory_step_bytes == 0 && self.memory_probability <= 0.0
    }
}

/// A query's part in it; its tally holds it.
#[derive(Debug)]
pub struct Profile {
    /// Above 0, and no other's.
    pub number: u64,
    pub query_id: Arc<str>,
    pub wishes: Wishes,
    /// Bytes from which on the next sample of memory is due.
    pub next_step: AtomicI64,
    /// Whether there may be samples of it.
    pub is_sampled: AtomicBool,
}

/// One that runs, and when it is due: nanoseconds of the kernel's clock, `u64::MAX` for never.
pub(super) struct Running {
    pub profile: Arc<Profile>,
    pub tally: Weak<Tally>,
    pub real_due: u64,
    pub cpu_due: u64,
}

#[derive(Default)]
pub(super) struct State {
    pub running: Vec<Running>,
    /// Until when the sampler sleeps.
    pub wakes_at: u64,
    /// Those that ended and may have samples that nobody took; with how many times all were taken since.
    ended: Vec<(u64, Arc<str>, u8)>,
    has_sampler: bool,
}

pub(super) static STATE: Mutex<State> =
    Mutex::new(State { running: Vec::new(), wakes_at: u64::MAX, ended: Vec::new(), has_sampler: false });
pub(super) static CHANGED: Condvar = Condvar::new();

/// As many of those are kept: whose samples nobody takes is not to fill the memory.
const ENDED_MAX: usize = 1024;

/// The shortest period: a sample costs some ten microseconds.
const PERIOD_MIN_NS: u64 = 200_000;

/// The query is profiled as long as it lives.
#[derive(Debug)]
pub struct Profiling(Arc<Profile>);

/// Begins to sample the threads of a tally. `None`: nothing is wanted, or it is sampled already.
pub fn begin(tally: &Arc<Tally>, query_id: &str, wishes: Wishes) -> Option<Profiling> {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    if wishes.are_none() || !slots::are_made() {
        return None;
    }
    let step = i64::try_from(wishes.memory_step_bytes).unwrap_or(i64::MAX);
    let profile = Arc::new(Profile {
        number: NUMBERS.fetch_add(1, Relaxed),
        query_id: query_id.into(),
        wishes,
        next_step: AtomicI64::new(if step == 0 { i64::MAX } else { step }),
        is_sampled: AtomicBool::new(false),
    });
    if !tally.profile_by(profile.clone(), memory::granularity(&wishes)) {
        return None;
    }
    spending::profile_begins(tally);
    let now = spending::now_ns();
    // The first sample comes at any time within the first period, so that queries shorter than it have their share.
    let due = |period: u64| match period {
        0 => u64::MAX,
        period => now.saturating_add(memory::random() % period.max(PERIOD_MIN_NS)),
    };
    let (real_due, cpu_due) = (due(wishes.real_period_ns), due(wishes.cpu_period_ns));
    let mut state = STATE.lock();
    if !state.has_sampler && real_due.min(cpu_due) < u64::MAX {
        state.has_sampler = signal::handle() && sampler::start();
    }
    state.running.push(Running { profile: profile.clone(), tally: Arc::downgrade(tally), real_due, cpu_due });
    let is_sooner = real_due.min(cpu_due) < state.wakes_at;
    drop(state);
    if is_sooner {
        CHANGED.notify_one();
    }
    Some(Profiling(profile))
}

impl Profile {
    /// The next due time after one that was kept at `due`.
    pub fn after(due: u64, period: u64, now: u64) -> u64 {
        let next = due.saturating_add(period.max(PERIOD_MIN_NS));
        if next > now { next } else { now.saturating_add(period.max(PERIOD_MIN_NS)) }
    }
}

impl Drop for Profiling {
    fn drop(&mut self) {
        let mut state = STATE.lock();
        state.running.retain(|running| running.profile.number != self.0.number);
        if self.0.is_sampled.load(Relaxed) {
            if state.ended.len() >= ENDED_MAX {
                state.ended.drain(..ENDED_MAX / 2);
            }
            state.ended.push((self.0.number, self.0.query_id.clone(), 0));
        }
    }
}

/// The id of a query, while samples of it may come.
pub(super) fn query_id(number: u64) -> Option<Arc<str>> {
    let state = STATE.lock();
    let running = || state.running.iter().find(|running| running.profile.number == number);
    let ended = || state.ended.iter().find(|(ended, _, _)| *ended == number);
    running().map(|running| running.profile.query_id.clone()).or_else(|| Some(ended()?.1.clone()))
}

/// All samples that there were are taken. A handler may have been in the midst of one: only what ended before the last time
/// is forgotten.
pub(super) fn all_are_taken() {
    STATE.lock().ended.retain_mut(|(_, _, times)| {
        *times += 1;
        *times < 3
    });
}
