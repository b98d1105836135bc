//! Who holds the memory: every allocation is counted for the query on whose behalf the thread works at that moment.
//!
//! What operators and buffers say of themselves is never all that a query takes: decoders, encoders and libraries below
//! have memory that nobody reports. So the process's allocator is wrapped (`CountingAllocator`). A thread gathers what it
//! allocates less what it frees, and adds it to the tally it has entered (`enter`, `counted`), or to nobody's but the
//! process's; tasks enter the tally of whoever spawned them. Memory that changes hands is moved by hand: the network's
//! buffers come from connections that belong to no query and use them again (`adopted`), and rows of a result are freed by
//! their reader (`disown`). (Counted this way in ClickHouse too: MemoryTracker over operator new, a tracker a thread.)

mod counted;

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::sampling::{self, Profile};
use crate::spending::{self, PerfEvents, Spending};
use crate::{Error, ErrorCode, Result, machine, units};

pub use self::counted::{Counted, count_tasks_of_datafusion, counted, counted_for_part, counted_task};

/// What a thread gathers before it touches a tally that others share, in bytes; less for tallies that are profiled so.
pub(crate) const GATHERED_BYTES: i64 = 256 << 10;

/// Bytes allocated and not freed.
#[derive(Debug)]
pub struct Tally {
    bytes: AtomicI64,
    peak: AtomicI64,
    /// The most that may be there; 0: any number.
    limit: AtomicU64,
    /// Counts these bytes too: that of a user, whose queries have one each.
    whole: Option<Arc<Tally>>,
    patience: OnceLock<Box<dyn Patience>>,
    spending: Spending,
    /// What a thread that works for it gathers.
    gathers: AtomicI64,
    /// Where stacks of its threads are sampled.
    profile: OnceLock<Arc<Profile>>,
    /// Counters of the processor that its threads have on.
    perf_events: AtomicU32,
}

/// Whoever waits for work that a thread does: it may have lost interest, or run out of time.
pub trait Patience: fmt::Debug + Send + Sync {
    /// Errors: QUERY_WAS_CANCELLED, TIMEOUT_EXCEEDED.
    fn check(&self) -> Result<()>;
}

/// All that the process has allocated, within `GATHERED_BYTES` a thread. 0 where the allocator is not wrapped (unit tests).
pub static PROCESS: Tally = Tally::new();

thread_local! {
    static GATHERED: Cell<i64> = const { Cell::new(0) };
    /// How much of that is handed over.
    static GATHERS: Cell<i64> = const { Cell::new(GATHERED_BYTES) };
    static CURRENT: Cell<*const Tally> = const { Cell::new(ptr::null()) };
    static PART: Cell<Part> = const { Cell::new(Part { whole: ptr::null(), own: ptr::null() }) };
    static HELD: Cell<Held> = const { Cell::new(Held { of: ptr::null(), now: 0, peak: 0 }) };
}

/// A part of a tally's work that is told by itself: while the thread works for `whole`, `own` counts too.
#[derive(Clone, Copy)]
struct Part {
    whole: *const Tally,
    own: *const Tally,
}

/// What the thread allocated for a tally since `take_held`, less what it freed, and the most that this was.
#[derive(Clone, Copy)]
struct Held {
    of: *const Tally,
    now: i64,
    peak: i64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally::new()
    }
}

impl Tally {
    pub const fn new() -> Self {
        Tally::limited(0)
    }

    /// One that `check_room` asks.
    pub const fn limited(limit: u64) -> Self {
        Tally {
            bytes: AtomicI64::new(0),
            peak: AtomicI64::new(0),
            limit: AtomicU64::new(limit),
            whole: None,
            patience: OnceLock::new(),
            spending: Spending::new(),
            gathers: AtomicI64::new(GATHERED_BYTES),
            profile: OnceLock::new(),
            perf_events: AtomicU32::new(0),
        }
    }

    /// One whose bytes another counts as well.
    pub fn part_of(whole: Arc<Tally>, limit: u64) -> Self {
        Tally { whole: Some(whole), ..Tally::limited(limit) }
    }

    /// Raises the limit, if that is lower.
    pub fn raise_limit(&self, limit: u64) {
        self.limit.fetch_max(limit, Relaxed);
    }

    /// Says once whom `check_wanted` asks.
    pub fn work_for(&self, patience: Box<dyn Patience>) {
        // An error says that it was said before.
        let _ = self.patience.set(patience);
    }

    /// Bytes now. What was freed for others than whoever allocated it may hide some.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed).max(0) as u64
    }

    pub fn peak_bytes(&self) -> u64 {
        self.peak.load(Relaxed).max(0) as u64
    }

    /// What threads spend while they work for it.
    pub fn spending(&self) -> &Spending {
        &self.spending
    }

    pub(crate) fn perf_events(&self) -> PerfEvents {
        PerfEvents::of_bits(self.perf_events.load(Relaxed))
    }

    pub(crate) fn count_perf_events(&self, events: PerfEvents) {
        self.perf_events.store(events.bits(), Relaxed);
    }

    pub(crate) fn profile(&self) -> Option<&Arc<Profile>> {
        self.profile.get()
    }

    /// Its threads are sampled from here on, and tell of so many bytes at a time. False: they were before.
    pub(crate) fn profile_by(&self, profile: Arc<Profile>, gathers: i64) -> bool {
        let is_first = self.profile.set(profile).is_ok();
        if is_first {
            self.gathers.store(gathers, Relaxed);
        }
        is_first
    }

    /// Gives what there is then.
    fn add(&self, bytes: i64) -> i64 {
        let now = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        if bytes > 0 {
            self.peak.fetch_max(now, Relaxed);
        }
        if let Some(whole) = &self.whole {
            whole.add(bytes);
        }
        now
    }
}

/// What the allocator under the count does for `give_back_at_once`.
pub type GiveBack = fn(at_once: bool);

static GIVE_BACK: OnceLock<GiveBack> = OnceLock::new();
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Says how the allocator is told. To be called once a process.
pub fn gives_back_by(how: GiveBack) {
    // An error says that it was said before.
    let _ = GIVE_BACK.set(how);
}

/// Allocators keep freed memory for a while, as it may be wanted again. `true`: the system is to have it now, and what is
/// freed from here on as it is freed; `false`: as the allocator sees fit.
pub fn give_back_at_once(at_once: bool) {
    if AT_ONCE.swap(at_once, Relaxed) != at_once
        && let Some(how) = GIVE_BACK.get()
    {
        how(at_once);
    }
}

static COLLECT: OnceLock<fn()> = OnceLock::new();

/// Says how the allocator collects what the calling thread has freed. To be called once a process.
pub fn collects_by(how: fn()) {
    // An error says that it was said before.
    let _ = COLLECT.set(how);
}

/// How often a thread collects at the most: it looks at each of its pages.
const COLLECT_EVERY: Duration = Duration::from_millis(100);

/// Lets other threads have the memory that this one has freed. Allocators keep pages for each thread and size, so that a thread
/// seldom has to ask for one; but a thread that sleeps, or one of many that take turns, keeps them for nothing. To be called
/// where a thread may be about to sleep.
pub fn collect_of_thread() {
    thread_local! {
        static COLLECTED: Cell<Option<Instant>> = const { Cell::new(None) };
    }
    let Some(how) = COLLECT.get() else { return };
    let now = Instant::now();
    let is_due = |collected: &Cell<Option<Instant>>| {
        let is_due = collected.get().is_none_or(|before| now - before >= COLLECT_EVERY);
        if is_due {
            collected.set(Some(now));
        }
        is_due
    };
    if COLLECTED.try_with(is_due).unwrap_or(false) {
        how();
    }
}

/// Wraps an allocator so that what it gives and takes is counted.
pub struct CountingAllocator<A>(pub A);

// SAFETY: every call is handed on unchanged; counting neither allocates nor unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for CountingAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let pointer = unsafe { self.0.alloc(layout) };
        count(layout.size() as i64, pointer);
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let pointer = unsafe { self.0.alloc_zeroed(layout) };
        count(layout.size() as i64, pointer);
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64), pointer);
        unsafe { self.0.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (before, after) = (layout.size() as i64, size as i64);
        // Whoever looks at each allocation is to see the old place go and the new one come.
        let is_looked_at = GATHERS.try_with(Cell::get).is_ok_and(|gathers| gathers < GATHERED_BYTES);
        if is_looked_at {
            count(-before, pointer);
        }
        let pointer = unsafe { self.0.realloc(pointer, layout, size) };
        count(if is_looked_at { after } else { after - before }, pointer);
        pointer
    }
}

/// `pointer`: what was allocated, or is freed. An allocation that fails ends the process, so it may be counted as well.
fn count(bytes: i64, pointer: *mut u8) {
    // A thread that ends frees its last memory without its locals: nobody misses that.
    let _ = GATHERED.try_with(|gathered| {
        let now = gathered.get() + bytes;
        gathered.set(now);
        if now.abs() >= GATHERS.try_with(Cell::get).unwrap_or(GATHERED_BYTES) {
            hand_over(pointer.addr() as u64);
        }
    });
}

/// Adds what the thread has gathered to the tally it works for. `address`: of the allocation that was one too many; 0: there
/// is none.
fn hand_over(address: u64) {
    let gathered = GATHERED.try_with(|gathered| gathered.replace(0)).unwrap_or(0);
    if gathered == 0 {
        return;
    }
    PROCESS.add(gathered);
    let current = CURRENT.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: whoever set it holds the tally until it sets another (`Entered`).
    if let Some(tally) = unsafe { current.as_ref() } {
        let now = tally.add(gathered);
        note_held(current, gathered);
        if let Some(profile) = tally.profile.get() {
            sampling::allocated(profile, gathered, now, address);
        }
    }
}

/// What the calling thread has gathered and no tally counted yet. May be called in a handler of a signal.
pub(crate) fn gathered() -> i64 {
    GATHERED.try_with(Cell::get).unwrap_or(0)
}

/// What the calling thread allocated for a tally, and for the part of its work that it is at.
fn note_held(current: *const Tally, bytes: i64) {
    let _ = HELD.try_with(|held| {
        let before = held.get();
        let now = if before.of == current { before.now + bytes } else { bytes };
        let peak = if before.of == current { before.peak.max(now) } else { now.max(0) };
        held.set(Held { of: current, now, peak });
    });
    if let Ok(part) = PART.try_with(Cell::get)
        && part.whole == current
    {
        // SAFETY: whoever set it holds both (`EnteredPart`).
        if let Some(own) = unsafe { part.own.as_ref() } {
            own.add(bytes);
        }
    }
}

/// What the calling thread allocated for a tally since this was asked last, less what it freed, and the most that this was.
pub(crate) fn take_held(tally: &Arc<Tally>) -> (i64, i64) {
    let nothing = Held { of: ptr::null(), now: 0, peak: 0 };
    let held = HELD.try_with(|held| held.replace(nothing)).unwrap_or(nothing);
    if held.of == Arc::as_ptr(tally) { (held.now, held.peak) } else { (0, 0) }
}

/// While it lives, this thread works for a tally.
pub struct Entered<'a> {
    before: *const Tally,
    _tally: std::marker::PhantomData<(&'a Arc<Tally>, *const ())>,
}

/// Makes the thread work for a tally.
pub fn enter(tally: &Arc<Tally>) -> Entered<'_> {
    Entered::at(Arc::as_ptr(tally))
}

/// Makes the thread work for no tally but the process's: what it allocates now outlives the query.
pub fn enter_none() -> Entered<'static> {
    Entered::at(ptr::null())
}

impl Entered<'_> {
    fn at(pointer: *const Tally) -> Self {
        let before = CURRENT.with(Cell::get);
        if before != pointer && pointer.is_null() {
            // A moment within the work for somebody, whose time it is.
            hand_over(0);
            CURRENT.with(|current| current.set(pointer));
            GATHERS.with(|gathers| gathers.set(GATHERED_BYTES));
        } else if before != pointer {
            turn_to(pointer);
        }
        Entered { before, _tally: std::marker::PhantomData }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if CURRENT.with(Cell::get) != self.before {
            turn_to(self.before);
        }
    }
}

/// While it lives, what this thread does for the tally that it works for counts for a part of that besides.
pub struct EnteredPart<'a> {
    before: Part,
    _part: std::marker::PhantomData<(&'a Arc<Tally>, *const ())>,
}

/// The thread is at a part of the work for the tally that it works for: `part` counts as well.
pub fn enter_part(part: &Arc<Tally>) -> EnteredPart<'_> {
    let before = PART.with(Cell::get);
    turn_to_part(Part { whole: CURRENT.with(Cell::get), own: Arc::as_ptr(part) });
    EnteredPart { before, _part: std::marker::PhantomData }
}

impl Drop for EnteredPart<'_> {
    fn drop(&mut self) {
        turn_to_part(self.before);
    }
}

fn turn_to_part(part: Part) {
    let before = PART.with(Cell::get);
    if before.whole == part.whole && before.own == part.own {
        return;
    }
    hand_over(0);
    PART.with(|current| current.set(part));
    if let Some(tally) = current() {
        spending::works_for(&tally);
    }
}

/// The part that the thread is at of the work for its tally.
pub fn current_part() -> Option<Arc<Tally>> {
    let Part { whole, own } = PART.try_with(Cell::get).ok()?;
    if own.is_null() || whole.is_null() || whole != CURRENT.with(Cell::get) {
        return None;
    }
    // SAFETY: it came from an `Arc` that is held until another is set (`EnteredPart`), so one more may be made of it.
    unsafe {
        Arc::increment_strong_count(own);
        Some(Arc::from_raw(own))
    }
}

/// The thread works for another tally, or for none, from here on. Whoever calls holds that tally.
fn turn_to(pointer: *const Tally) {
    hand_over(0);
    CURRENT.with(|current| current.set(pointer));
    let tally = current();
    GATHERS.with(|gathers| gathers.set(tally.as_ref().map_or(GATHERED_BYTES, |tally| tally.gathers.load(Relaxed))));
    match tally {
        Some(tally) => spending::works_for(&tally),
        None => spending::left(),
    }
}

/// Whether the thread works for a tally.
pub(crate) fn is_entered() -> bool {
    CURRENT.try_with(|current| !current.get().is_null()).unwrap_or(false)
}

/// The tally that the thread works for.
pub fn current() -> Option<Arc<Tally>> {
    let pointer = CURRENT.with(Cell::get);
    if pointer.is_null() {
        return None;
    }
    // SAFETY: it came from an `Arc` that is held until another is set (`Entered`), so one more may be made of it.
    unsafe {
        Arc::increment_strong_count(pointer);
        Some(Arc::from_raw(pointer))
    }
}

/// Whether the work that the thread does is still wanted: loops ask that have no query context at hand and may take long, as
/// those of functions over large arrays and of the lowering of expressions. Errors: QUERY_WAS_CANCELLED, TIMEOUT_EXCEEDED.
pub fn check_wanted() -> Result<()> {
    let current = CURRENT.with(Cell::get);
    // SAFETY: whoever set it holds the tally until it sets another (`Entered`).
    match unsafe { current.as_ref() }.and_then(|tally| tally.patience.get()) {
        Some(patience) => patience.check(),
        None => Ok(()),
    }
}

/// The most that all queries of the process may hold; 0: any number.
static PROCESS_LIMIT: AtomicU64 = AtomicU64::new(0);

/// Says what `check_room` keeps the process to.
pub fn limit_process(bytes: u64) {
    PROCESS_LIMIT.store(bytes, Relaxed);
}

/// What `limit_process` said; 0: no limit.
pub fn process_limit() -> u64 {
    PROCESS_LIMIT.load(Relaxed)
}

/// Below that, what is made at once is too little to be asked for.
pub const ASKED_FOR_BYTES: usize = 16 << 20;

/// Appends bytes, having asked for room where they need a large buffer. Errors: MEMORY_LIMIT_EXCEEDED.
pub fn extend(held: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    let needed = held.len().saturating_add(bytes.len());
    if needed > held.capacity() && needed >= ASKED_FOR_BYTES {
        // The old buffer is there until it is copied.
        check_room(needed.max(held.capacity().saturating_mul(2)))?;
    }
    held.extend_from_slice(bytes);
    Ok(())
}

/// Whether the query that the thread works for may have so many bytes more. To be asked before much is made at once: an
/// allocator cannot refuse, and what accounts are told comes when the bytes are there. Errors: MEMORY_LIMIT_EXCEEDED.
pub fn check_room(bytes: usize) -> Result<()> {
    let current = CURRENT.with(Cell::get);
    // SAFETY: whoever set it holds the tally until it sets another (`Entered`).
    let Some(tally) = (unsafe { current.as_ref() }) else { return Ok(()) };
    let bytes = bytes as u64;
    let of_user = tally.whole.as_ref().map_or((0, 0), |whole| (whole.bytes(), whole.limit.load(Relaxed)));
    for (whose, there, limit) in [
        (Whose::OneQuery, tally.bytes(), tally.limit.load(Relaxed)),
        (Whose::OneUser, of_user.0, of_user.1),
        (Whose::AllQueries, PROCESS.bytes(), PROCESS_LIMIT.load(Relaxed)),
    ] {
        let would = there.saturating_add(bytes);
        // A tally is not believed that says more than the process has.
        if limit > 0
            && would > limit
            && machine::resident_bytes().is_none_or(|resident| resident.saturating_add(bytes) > limit)
        {
            return Err(limit_exceeded(whose, would, bytes, limit));
        }
    }
    Ok(())
}

/// Whose limit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    OneQuery,
    OneUser,
    AllQueries,
}

/// The limit would be exceeded if `bytes` more were allocated.
pub fn limit_exceeded(whose: Whose, would: u64, bytes: u64, limit: u64) -> Error {
    let (name, advice) = match whose {
        Whose::OneQuery => ("Query", "Raise max_memory_usage, or lower max_threads or the block size"),
        Whose::OneUser => ("User", "Run fewer queries of the user at a time, or raise max_memory_usage_for_user"),
        Whose::AllQueries => ("(total)", "Give the machine more memory, or run fewer queries at a time"),
    };
    Error::new(
        ErrorCode::MEMORY_LIMIT_EXCEEDED,
        format!(
            "{name} memory limit exceeded: would use {} (attempt to allocate chunk of {bytes} bytes), maximum: {}. {advice}",
            units::bytes_binary(would as f64),
            units::bytes_binary(limit as f64),
        ),
    )
}

/// Bytes that nobody's connection allocated, counted for the thread's tally as long as they are held. The buffer below goes
/// back as it came, for nobody.
pub fn adopted(bytes: Bytes) -> Bytes {
    let Some(tally) = current() else { return bytes };
    tally.add(bytes.len() as i64);
    Bytes::from_owner(Adopted { bytes, tally })
}

struct Adopted {
    bytes: Bytes,
    tally: Arc<Tally>,
}

impl AsRef<[u8]> for Adopted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        self.tally.add(-(self.bytes.len() as i64));
        let _nobody = enter_none();
        self.bytes = Bytes::new();
    }
}

/// Bytes of the thread's tally become nobody's: others are going to free them.
pub fn disown(bytes: usize) {
    if let Some(tally) = current() {
        tally.add(-(bytes as i64));
    }
}

/// Bytes that were allocated for nobody become the thread's tally's, which is going to free them. Errors:
/// MEMORY_LIMIT_EXCEEDED.
pub fn own(bytes: usize) -> Result<()> {
    check_room(bytes)?;
    if let Some(tally) = current() {
        tally.add(bytes as i64);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
