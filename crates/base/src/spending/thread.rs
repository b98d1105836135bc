//! Whom each thread works for. A thread notes cheaply when it comes and leaves (two looks at the clock); it asks the kernel
//! only when it turns to another tally or part of one, leaves and has not asked for a millisecond, or comes back after a pause.
//! What is open when a query ends, or while it runs and somebody looks, `settle` reads from outside.
//!
//! The kernel's figures are of all that the thread does, also between leaving and coming: it waits for a processor when it is
//! woken, and looks for work. So of what they grew by no more is credited than the thread worked for (`Unexplained`). What
//! it waited too long before it came is told to the wall clock of whom it comes to. Between leaving a query and waking what is to go
//! on with it, a thread may lose its processor, too: then it says so when it wakes that (`wakes`).

use std::cell::{OnceCell, RefCell};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::kernel::{self, Files};
use super::perf::{PerfEvents, ThreadCounters, tell_refused};
use super::{Blocked, Spending, Spent, Wait};
use crate::allocations::{self, Tally};
use crate::sampling;

/// How old the kernel's figures may be when a thread leaves a tally.
const ASKED_EVERY_NS: u64 = 1_000_000;
/// A pause after which what the kernel counted in it is set apart: a shorter one costs less than asking.
const PAUSE_NS: u64 = 50_000;

struct Thread {
    id: u32,
    files: Files,
    /// Signals of the sampler that it has not handled.
    sent: AtomicU32,
    state: Mutex<State>,
}

/// The calling thread's part of the list, which goes with it.
struct Own(Arc<Thread>);

impl Drop for Own {
    fn drop(&mut self) {
        // A signal that comes this late counts nowhere.
        sampling::knows_stack(None);
        let mut state = self.0.state.lock();
        let now = kernel::now_ns();
        self.0.leave(&mut state, now);
        self.0.ask(&mut state, now, true);
        (state.whom, state.part) = (None, None);
    }
}

struct State {
    /// Whom it works for, or worked for last: what the kernel's figures grow by is theirs.
    whom: Option<Arc<Tally>>,
    /// The part of that work, where it is told by itself.
    part: Option<Arc<Tally>>,
    /// The figures that were credited.
    last: Spent,
    asked_ns: u64,
    /// Since when it works for them, or until when that was noted; 0: it left.
    since_ns: u64,
    left_ns: u64,
    /// How much of its time nobody had named then.
    unnamed: u64,
    /// Nanoseconds for which it was ready that `wakes` has told, since it was asked.
    told_ready: u64,
    unexplained: Unexplained,
    perf: ThreadCounters,
}

/// On-thread time that is not credited yet, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Unexplained {
    worked: u64,
    /// Of that, and of what was credited as worked alone, what may still be computing or waiting.
    room: u64,
}

impl Unexplained {
    fn worked(&mut self, ns: u64) {
        self.worked += ns;
        self.room += ns;
    }

    /// It was blocked for a reason that is credited by itself. Gives how much of it fits, in microseconds.
    fn blocked(&mut self, ns: u64) -> u64 {
        let ns = ns.min(self.room);
        self.room -= ns;
        ns / 1000
    }

    /// Cuts what the kernel's figures grew by to what was worked. Computing comes first, of which the kernel says precisely how much it
    /// was; the rest was in pauses. The figures may lag behind by so many nanoseconds: what is left of that time may be told with the next
    /// ones. Gives the nanoseconds that the thread was ready for in pauses.
    fn fit(&mut self, grew: &mut Spent, lag: u64) -> u64 {
        grew.real = self.worked / 1000;
        self.worked %= 1000;
        let mut room = self.room / 1000;
        let mut take = |wanted: &mut u64| {
            let cut = wanted.saturating_sub(room);
            *wanted -= cut;
            room -= *wanted;
            cut
        };
        take(&mut grew.user);
        take(&mut grew.system);
        let late = take(&mut grew.runnable);
        self.room = (room * 1000).min(lag) + self.room % 1000;
        late * 1000
    }
}

impl State {
    /// Notes the time up to now.
    fn passes(&mut self, now: u64) {
        if self.since_ns > 0 {
            self.unexplained.worked(now.saturating_sub(self.since_ns));
            self.since_ns = self.since_ns.max(now);
        }
    }

    fn is_for(&self, tally: &Arc<Tally>) -> bool {
        self.whom.as_ref().is_some_and(|whom| Arc::ptr_eq(whom, tally))
    }

    /// Credits whom it works for, and the part of that work.
    fn credit(&self, thread: u32, spent: &Spent) {
        for tally in [&self.whom, &self.part].into_iter().flatten() {
            tally.spending().credit(thread, spent);
        }
    }
}

static THREADS: Mutex<Vec<Weak<Thread>>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: OnceCell<Own> = const { OnceCell::new() };
    /// Guards against a count within a count: what is done here allocates.
    static COUNTS: RefCell<()> = const { RefCell::new(()) };
}

fn with_own<T>(what: impl FnOnce(&Thread) -> T) -> Option<T> {
    let once = |own: &OnceCell<Own>| what(&own.get_or_init(register).0);
    // A thread that ends has no locals any more.
    COUNTS.try_with(|counts| counts.try_borrow_mut().ok().and_then(|_held| OWN.try_with(once).ok())).ok().flatten()
}

/// As `with_own`, where the thread has worked for somebody before.
fn with_known(what: impl FnOnce(&Thread)) {
    let known = |own: &OnceCell<Own>| own.get().map(|own| what(&own.0));
    let once = |counts: &RefCell<()>| counts.try_borrow_mut().ok().and_then(|_held| OWN.try_with(known).ok());
    // A thread that ends has no locals any more.
    let _ = COUNTS.try_with(once);
}

fn register() -> Own {
    let id = kernel::own_id();
    let files = Files::of(id);
    let last = files.own(&Spent::NOTHING);
    let state = State {
        whom: None,
        part: None,
        last,
        asked_ns: kernel::now_ns(),
        since_ns: 0,
        left_ns: 0,
        unnamed: 0,
        told_ready: 0,
        unexplained: Unexplained::default(),
        perf: ThreadCounters::default(),
    };
    let thread = Arc::new(Thread { id, files, sent: AtomicU32::new(0), state: Mutex::new(state) });
    sampling::knows_stack(Some(&thread.sent));
    let mut threads = THREADS.lock();
    threads.retain(|thread| thread.strong_count() > 0);
    threads.push(Arc::downgrade(&thread));
    Own(thread)
}

impl Thread {
    /// Credits what the kernel's figures grew by. Gives the nanoseconds that the thread was ready for without working. `now`: before
    /// anybody is asked, which takes long where the processor is lost meanwhile: before the kernel is asked how long the thread waited
    /// for it, or behind that.
    fn ask(&self, state: &mut State, now: u64, itself: bool) -> u64 {
        let figures = if itself { self.files.own(&state.last) } else { self.files.of_other(self.id, &state.last) };
        let asked = kernel::now_ns();
        state.passes(asked);
        let mut grew = figures.since(&state.last);
        // What is seen from outside is as old as the last tick, or as the last time that the thread got a processor.
        let lag = if itself { asked.saturating_sub(now) } else { u64::MAX };
        let late = state.unexplained.fit(&mut grew, lag).saturating_sub(state.told_ready);
        state.told_ready = 0;
        grew.perf = state.perf.news();
        state.credit(self.id, &grew);
        // What was taken for user time from outside may have been of the kernel.
        let mut last = state.last;
        last.zip(&figures, |last, figure| *last = (*last).max(figure));
        state.last = last;
        state.asked_ns = asked;
        late
    }

    fn works_for(&self, tally: &Arc<Tally>) -> bool {
        let state = self.state.lock();
        state.since_ns > 0 && state.is_for(tally)
    }

    /// The calling thread leaves.
    fn leave(&self, state: &mut State, now: u64) {
        if state.since_ns == 0 {
            return;
        }
        state.passes(now);
        (state.since_ns, state.left_ns) = (0, now);
        let Some(whom) = &state.whom else { return };
        let (held, held_peak) = allocations::take_held(whom);
        if held != 0 || held_peak != 0 {
            whom.spending().held(self.id, held, held_peak);
        }
        let unnamed = whom.spending().thread_leaves(self.id, now);
        state.unnamed = unnamed;
    }

    /// The calling thread comes to a tally, or to another part of its work.
    fn come(&self, state: &mut State, tally: &Arc<Tally>) {
        let now = kernel::now_ns();
        let part = allocations::current_part();
        let is_new = !state.is_for(tally);
        let is_other_part = || state.part.as_ref().map(Arc::as_ptr) != part.as_ref().map(Arc::as_ptr);
        let mut late = 0;
        if is_new || is_other_part() {
            let was_there = state.since_ns > 0;
            if is_new {
                self.leave(state, now);
            }
            let waited = self.ask(state, now, true);
            late = if was_there { 0 } else { waited };
            if is_new {
                (state.whom, state.unexplained) = (Some(tally.clone()), Unexplained::default());
            }
            state.part = part;
        } else if state.since_ns == 0 && now.saturating_sub(state.left_ns) >= PAUSE_NS {
            late = self.ask(state, now, true);
        }
        if state.since_ns == 0 {
            late = late.min(now.saturating_sub(state.left_ns));
            let unnamed = (!is_new).then_some(state.unnamed);
            // Asking took its time, too, which is nobody's.
            state.since_ns = kernel::now_ns();
            tally.spending().thread_comes(self.id, state.since_ns, late, unnamed);
        }
        state.perf.count(tally.perf_events());
    }
}

/// The calling thread works for a tally from here on.
pub(crate) fn works_for(tally: &Arc<Tally>) {
    with_own(|thread| thread.come(&mut thread.state.lock(), tally));
    sampling::works_for(sampling::number_of(tally));
    tell_refused();
}

/// Has the threads that work for a tally count these from here on.
pub fn count_perf_events(tally: &Arc<Tally>, events: PerfEvents) {
    tally.count_perf_events(events);
    with_own(|thread| {
        let mut state = thread.state.lock();
        if state.since_ns > 0 && state.is_for(tally) {
            state.perf.count(events);
        }
    });
    tell_refused();
}

/// The calling thread got rows from a source.
pub fn read_rows(tally: &Arc<Tally>, rows: u64, bytes: u64) {
    moved_rows(tally, &Spent { rows_read: rows, rows_read_bytes: bytes, ..Spent::NOTHING });
}

/// The calling thread gave rows to a sink.
pub fn wrote_rows(tally: &Arc<Tally>, rows: u64, bytes: u64) {
    moved_rows(tally, &Spent { rows_written: rows, rows_written_bytes: bytes, ..Spent::NOTHING });
}

fn moved_rows(tally: &Arc<Tally>, spent: &Spent) {
    with_own(|thread| {
        let state = thread.state.lock();
        match state.is_for(tally) {
            true => state.credit(thread.id, spent),
            false => tally.spending().credit(thread.id, spent),
        }
    });
}

/// The tally is profiled from here on, and the calling thread may work for it.
pub(crate) fn profile_begins(tally: &Arc<Tally>) {
    if with_own(|thread| thread.works_for(tally)).unwrap_or(false) {
        sampling::works_for(sampling::number_of(tally));
    }
}

/// The calling thread works for somebody as long as it lives, and allocates for whom it did before.
#[derive(Debug)]
pub struct Working {
    begins: bool,
    _of_this_thread: std::marker::PhantomData<*const ()>,
}

impl Drop for Working {
    fn drop(&mut self) {
        if self.begins {
            left();
        }
    }
}

/// Work for a tally that allocates nothing for it, such as the writing of its rows into a format.
pub fn working(tally: &Arc<Tally>) -> Working {
    let begins = !with_own(|thread| thread.works_for(tally)).unwrap_or(true);
    if begins {
        works_for(tally);
    }
    Working { begins, _of_this_thread: std::marker::PhantomData }
}

/// The calling thread works for nobody from here on.
pub(crate) fn left() {
    sampling::works_for(0);
    with_own(|thread| {
        let mut state = thread.state.lock();
        let mut now = kernel::now_ns();
        // Before it leaves: the query waits for a thread that asks, the longer where that loses its processor meanwhile.
        if now.saturating_sub(state.asked_ns) >= ASKED_EVERY_NS {
            thread.ask(&mut state, now, true);
            now = kernel::now_ns();
        }
        thread.leave(&mut state, now);
    });
}

/// The calling thread wakes a task of a query, and nobody named the last so many nanoseconds of that one's time. Where the thread
/// worked for the query last, it did nothing else since then: a task was over and had to tell whoever waits for it, or was put off. So far as
/// it was ready meanwhile, and others had the processors, it was a processor that the query waited for.
pub(super) fn wakes(spending: &Spending, unnamed: u64) {
    if unnamed < PAUSE_NS {
        return;
    }
    with_known(|thread| {
        let mut state = thread.state.lock();
        if state.since_ns > 0 || !state.whom.as_ref().is_some_and(|whom| std::ptr::eq(whom.spending(), spending)) {
            return;
        }
        let Some((_, waited)) = thread.files.scheduled() else { return };
        let late = waited.saturating_sub(state.last.runnable * 1000).saturating_sub(state.told_ready);
        let late = late.min(kernel::now_ns().saturating_sub(state.left_ns));
        state.told_ready += late;
        spending.was_ready(late, state.unnamed);
    });
}

/// A thread that worked for a tally when it was looked for.
pub(crate) struct Busy(Arc<Thread>);

impl Busy {
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Signals of the sampler that it has not handled.
    pub fn sent(&self) -> &AtomicU32 {
        &self.0.sent
    }

    /// What it has computed. `None`: it is gone.
    pub fn computed_ns(&self) -> Option<u64> {
        kernel::cpu_ns_of(self.0.id)
    }

    /// Whether it does now.
    pub fn works_for(&self, tally: &Arc<Tally>) -> bool {
        self.0.works_for(tally)
    }
}

/// The threads that work for a tally now.
pub(crate) fn busy_for(tally: &Arc<Tally>) -> Vec<Busy> {
    let threads: Vec<Arc<Thread>> = THREADS.lock().iter().filter_map(Weak::upgrade).collect();
    threads.into_iter().filter(|thread| thread.works_for(tally)).map(Busy).collect()
}

/// The kernel's ids of the threads that work for a tally now.
pub fn at_work(tally: &Arc<Tally>) -> Vec<u32> {
    busy_for(tally).iter().map(Busy::id).collect()
}

/// Brings what threads spent on a tally, or on a part of one, up to date.
pub fn settle(tally: &Arc<Tally>) {
    let threads: Vec<Arc<Thread>> = THREADS.lock().iter().filter_map(Weak::upgrade).collect();
    let own = kernel::own_id();
    for thread in threads {
        let mut state = thread.state.lock();
        let is_part = state.part.as_ref().is_some_and(|part| Arc::ptr_eq(part, tally));
        if !is_part && !state.is_for(tally) {
            continue;
        }
        let now = kernel::now_ns();
        thread.ask(&mut state, now, thread.id == own);
    }
}

/// Does what may block the thread. What passes without a processor being wanted counts as blocked for that reason.
pub fn blocked<T>(why: Blocked, work: impl FnOnce() -> T) -> T {
    let Some(tally) = allocations::current() else { return work() };
    let waited = |thread: &Thread| thread.files.scheduled().map_or(0, |(_, waited)| waited);
    let Some(waited_before) = with_own(waited) else { return work() };
    let (begun, computed_before) = (kernel::now_ns(), kernel::own_cpu_ns());
    let result = work();
    let passed = kernel::now_ns().saturating_sub(begun);
    let computed = kernel::own_cpu_ns().saturating_sub(computed_before);
    let waited = with_own(waited).map_or(0, |waited| waited.saturating_sub(waited_before));
    let blocked = passed.saturating_sub(computed).saturating_sub(waited);
    with_own(|thread| {
        let mut state = thread.state.lock();
        if !state.is_for(&tally) {
            return;
        }
        state.passes(kernel::now_ns());
        let blocked = state.unexplained.blocked(blocked);
        let spent = match why {
            Blocked::Disk => Spent { disk: blocked, ..Spent::NOTHING },
            Blocked::Lock => Spent { lock: blocked, ..Spent::NOTHING },
            Blocked::Sleep => Spent { sleep: blocked, ..Spent::NOTHING },
        };
        state.credit(thread.id, &spent);
    });
    result
}

/// Has other threads, which enter the same tally, do work of the calling one, and waits until they have ended: it works for nobody
/// meanwhile. Before the first of them comes, and when the last one has left, a thread is waited for.
pub fn given_to_threads<T>(others: impl FnOnce() -> T) -> T {
    let Some(tally) = allocations::current() else { return others() };
    let waiting = Spending::waiting(&tally, Wait::Thread);
    left();
    let result = others();
    works_for(&tally);
    drop(waiting);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grew(user: u64, system: u64, runnable: u64) -> Spent {
        Spent { user, system, runnable, ..Spent::NOTHING }
    }

    #[test]
    fn no_more_is_credited_than_was_worked() {
        let mut time = Unexplained::default();
        time.worked(10_000_500);
        assert_eq!(time.blocked(2_000_000), 2_000);
        let mut spent = grew(5_000, 1_000, 9_000);
        assert_eq!(time.fit(&mut spent, 0), 7_000_000, "it was ready longer than it worked");
        assert_eq!((spent.real, spent.user, spent.system, spent.runnable), (10_000, 5_000, 1_000, 2_000));
        assert_eq!((time.worked, time.room), (500, 500));
        time.worked(3_000_000);
        let mut spent = grew(1_000, 0, 0);
        assert_eq!(time.fit(&mut spent, 0), 0);
        assert_eq!((spent.real, spent.unattributed()), (3_000, 2_000));
        time.worked(1_000_000);
        let mut spent = grew(0, 0, 5_000);
        assert_eq!(time.fit(&mut spent, 0), 4_000_000, "what nothing explained before is not made up for");
        assert_eq!(spent.runnable, 1_000);
        // It lost its processor behind the kernel's answer, and before it looked at the clock.
        time.worked(9_000_000);
        let mut spent = grew(1_000, 0, 0);
        assert_eq!(time.fit(&mut spent, 5_000_000), 0);
        time.worked(1_000_000);
        let mut spent = grew(1_000, 0, 5_500);
        assert_eq!(time.fit(&mut spent, 0), 500_000);
        assert_eq!(spent.runnable, 5_000);
    }

    #[test]
    fn what_others_see_late_is_credited_with_what_comes_next() {
        let mut time = Unexplained::default();
        time.worked(10_000_000);
        let mut spent = grew(2_000, 0, 0);
        time.fit(&mut spent, u64::MAX);
        assert_eq!((spent.real, spent.user), (10_000, 2_000));
        time.worked(1_000_000);
        let mut spent = grew(1_000, 0, 8_000);
        time.fit(&mut spent, 0);
        assert_eq!((spent.real, spent.user, spent.runnable), (1_000, 1_000, 8_000));
    }
}
