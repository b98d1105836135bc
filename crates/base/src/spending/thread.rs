//! Whom each thread works for. A thread notes cheaply when it comes and leaves (two looks at the clock); it asks the kernel
//! only when it turns to another tally, or leaves and has not asked for a millisecond. What is open when a query ends, or
//! while it runs and somebody looks, `settle` reads from outside.

use std::cell::{OnceCell, RefCell};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::kernel::{self, Files};
use super::{Blocked, Spent};
use crate::allocations::{self, Tally};
use crate::sampling;

/// How old the kernel's figures may be when a thread leaves a tally.
const ASKED_EVERY_NS: u64 = 1_000_000;

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
    }
}

struct State {
    /// Whom it works for, or worked for last: what the kernel's figures grow by is theirs.
    whom: Option<Arc<Tally>>,
    /// The figures that were credited.
    last: Spent,
    asked_ns: u64,
    /// Since when it works for them; 0: it left.
    since_ns: u64,
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

fn register() -> Own {
    let id = kernel::own_id();
    let files = Files::of(id);
    let last = files.own(&Spent::NOTHING);
    let state = State { whom: None, last, asked_ns: kernel::now_ns(), since_ns: 0 };
    let thread = Arc::new(Thread { id, files, sent: AtomicU32::new(0), state: Mutex::new(state) });
    sampling::knows_stack(Some(&thread.sent));
    let mut threads = THREADS.lock();
    threads.retain(|thread| thread.strong_count() > 0);
    threads.push(Arc::downgrade(&thread));
    Own(thread)
}

impl Thread {
    /// Credits what the kernel's figures grew by.
    fn ask(&self, state: &mut State, now: u64, itself: bool) {
        let figures = if itself { self.files.own(&state.last) } else { self.files.of_other(&state.last) };
        if let Some(whom) = &state.whom {
            whom.spending().credit(self.id, &figures.since(&state.last));
        }
        // What was taken for user time from outside may have been of the kernel.
        let mut last = state.last;
        last.zip(&figures, |last, figure| *last = (*last).max(figure));
        state.last = last;
        state.asked_ns = now;
    }

    fn works_for(&self, tally: &Arc<Tally>) -> bool {
        let state = self.state.lock();
        state.since_ns > 0 && state.whom.as_ref().is_some_and(|whom| Arc::ptr_eq(whom, tally))
    }

    fn leave(&self, state: &mut State, now: u64) {
        if state.since_ns == 0 {
            return;
        }
        if let Some(whom) = &state.whom {
            whom.spending().thread_leaves(self.id, state.since_ns, now);
        }
        state.since_ns = 0;
    }
}

/// The calling thread works for a tally from here on.
pub(crate) fn works_for(tally: &Arc<Tally>) {
    with_own(|thread| {
        let now = kernel::now_ns();
        let mut state = thread.state.lock();
        let is_new = state.whom.as_ref().is_none_or(|whom| !Arc::ptr_eq(whom, tally));
        if is_new {
            thread.leave(&mut state, now);
            thread.ask(&mut state, now, true);
            state.whom = Some(tally.clone());
        }
        if state.since_ns == 0 {
            state.since_ns = now;
            tally.spending().thread_comes(now);
        }
    });
    sampling::works_for(sampling::number_of(tally));
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
        let now = kernel::now_ns();
        let mut state = thread.state.lock();
        thread.leave(&mut state, now);
        if now.saturating_sub(state.asked_ns) >= ASKED_EVERY_NS {
            thread.ask(&mut state, now, true);
        }
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

/// Brings what threads spent on a tally up to date.
pub fn settle(tally: &Arc<Tally>) {
    let threads: Vec<Arc<Thread>> = THREADS.lock().iter().filter_map(Weak::upgrade).collect();
    let own = kernel::own_id();
    for thread in threads {
        let mut state = thread.state.lock();
        if !state.whom.as_ref().is_some_and(|whom| Arc::ptr_eq(whom, tally)) {
            continue;
        }
        let now = kernel::now_ns();
        thread.ask(&mut state, now, thread.id == own);
        if state.since_ns > 0 {
            tally.spending().thread_leaves(thread.id, state.since_ns, now);
            tally.spending().thread_comes(now);
            state.since_ns = now;
        }
    }
}

/// Does what may block the thread. What passes without a processor being wanted counts as blocked for that reason.
pub fn blocked<T>(why: Blocked, work: impl FnOnce() -> T) -> T {
    let Some(tally) = allocations::current() else { return work() };
    let figures = |thread: &Thread| (thread.id, thread.files.scheduled().map_or(0, |(_, waited)| waited));
    let Some((id, waited_before)) = with_own(figures) else { return work() };
    let (begun, computed_before) = (kernel::now_ns(), kernel::own_cpu_ns());
    let result = work();
    let passed = kernel::now_ns().saturating_sub(begun);
    let computed = kernel::own_cpu_ns().saturating_sub(computed_before);
    let waited = with_own(figures).map_or(0, |(_, waited)| waited.saturating_sub(waited_before));
    let blocked = passed.saturating_sub(computed).saturating_sub(waited) / 1000;
    let spent = match why {
        Blocked::Disk => Spent { disk: blocked, ..Spent::default() },
        Blocked::Lock => Spent { lock: blocked, ..Spent::default() },
    };
    tally.spending().credit(id, &spent);
    result
}
