//! The thread that has samples taken when they are due.
//!
//! By the clock, each thread that works for the query has one taken, or the query itself where none does. By computing, the
//! clock of each such thread is read twice, half a millisecond apart: a thread that had a share of a processor in between has
//! a sample taken with that probability. So nothing is to be remembered of threads that turn from one query to another, and
//! that this thread takes a processor from one of them when it wakes up shifts nothing.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::profiled::{CHANGED, Profile, Running, STATE};
use super::{COUNTS, Kind, memory, signal, slots};
use crate::allocations::Tally;
use crate::spending::{self, Busy};

/// Between the two looks at a thread's clock; less where samples are taken more often.
const LOOKS_APART_NS: u64 = 500_000;

pub(super) fn start() -> bool {
    std::thread::Builder::new().name("sampler".to_string()).spawn(run).is_ok()
}

/// A query whose threads were looked at once.
struct Looked {
    profile: Arc<Profile>,
    tally: Arc<Tally>,
    since_ns: u64,
    /// With what each had computed.
    threads: Vec<(Busy, u64)>,
    due: u64,
}

fn run() {
    let mut looked: Vec<Looked> = Vec::new();
    loop {
        let (mut real, mut cpu) = (Vec::new(), Vec::new());
        {
            let mut state = STATE.lock();
            let now = spending::now_ns();
            state.running.iter_mut().for_each(|running| take_due(running, now, &mut real, &mut cpu));
            let next = state.running.iter().map(|running| running.real_due.min(running.cpu_due)).min().unwrap_or(u64::MAX);
            let next = looked.iter().map(|looked| looked.due).min().unwrap_or(u64::MAX).min(next);
            if real.is_empty() && cpu.is_empty() && next > now {
                state.wakes_at = next;
                match next {
                    u64::MAX => CHANGED.wait(&mut state),
                    next => drop(CHANGED.wait_for(&mut state, Duration::from_nanos(next - now))),
                }
                state.wakes_at = 0;
                continue;
            }
        }
        real.iter().for_each(|(profile, tally)| sample_by_clock(profile, tally));
        let now = spending::now_ns();
        let (ripe, rest) = looked.into_iter().partition(|looked: &Looked| looked.due <= now);
        looked = rest;
        let ripe: Vec<Looked> = ripe;
        ripe.iter().for_each(sample_computing);
        looked.extend(cpu.into_iter().map(|(profile, tally)| look(profile, tally)));
    }
}

type Due = (Arc<Profile>, Arc<Tally>);

fn take_due(running: &mut Running, now: u64, real: &mut Vec<Due>, cpu: &mut Vec<Due>) {
    let due = |tally: &Weak<Tally>| Some((running.profile.clone(), tally.upgrade()?));
    let wishes = &running.profile.wishes;
    if running.real_due <= now {
        real.extend(due(&running.tally));
        running.real_due = Profile::after(running.real_due, wishes.real_period_ns, now);
    }
    if running.cpu_due <= now {
        cpu.extend(due(&running.tally));
        running.cpu_due = Profile::after(running.cpu_due, wishes.cpu_period_ns, now);
    }
}

fn sample_by_clock(profile: &Profile, tally: &Arc<Tally>) {
    let threads = spending::busy_for(tally);
    if threads.is_empty() {
        // Before the first thread comes the query has not begun.
        if let Some(wait) = tally.spending().waits_now() {
            profile.is_sampled.store(true, Relaxed);
            COUNTS.runs.fetch_add(1, Relaxed);
            slots::fill_waiting(profile.number, wait);
        }
        return;
    }
    threads.iter().for_each(|thread| signal_to(thread, Kind::Real, profile));
}

fn look(profile: Arc<Profile>, tally: Arc<Tally>) -> Looked {
    let threads = spending::busy_for(&tally).into_iter().filter_map(|thread| {
        let computed = thread.computed_ns()?;
        Some((thread, computed))
    });
    let threads = threads.collect();
    let since_ns = spending::now_ns();
    let apart = LOOKS_APART_NS.min(profile.wishes.cpu_period_ns / 4);
    Looked { profile, tally, since_ns, threads, due: since_ns + apart }
}

fn sample_computing(looked: &Looked) {
    let passed = spending::now_ns().saturating_sub(looked.since_ns).max(1);
    for (thread, before) in &looked.threads {
        let computed = thread.computed_ns().map_or(0, |now| now.saturating_sub(*before));
        if memory::random() % passed < computed && thread.works_for(&looked.tally) {
            signal_to(thread, Kind::Cpu, &looked.profile);
        }
    }
}

fn signal_to(thread: &Busy, kind: Kind, profile: &Profile) {
    if thread.sent().swap(1, Relaxed) != 0 && kind == Kind::Real {
        // It is blocked in the kernel where no signal reaches it, or has no processor: what comes will tell where.
        COUNTS.signal_overruns.fetch_add(1, Relaxed);
        return;
    }
    profile.is_sampled.store(true, Relaxed);
    if !signal::send(thread.id(), kind, profile.number) {
        thread.sent().store(0, Relaxed);
        COUNTS.errors.fetch_add(1, Relaxed);
    }
}
