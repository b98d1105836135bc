//! Room for samples, made once: a handler of a signal can make none. A slot is claimed by whoever has a sample, filled, and
//! given to whoever takes it. Only what was ever filled of a slot is memory.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::registers::Registers;
use super::{COUNTS, Kind, profiled};
use crate::spending::Wait;

/// As many samples may wait to be taken.
const SLOTS: usize = 64;
/// The most that is copied of a stack: what lies beyond is missing at the outer end. Of a build without optimisation
/// frames are several times larger.
const STACK_BYTES_MAX: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

const FREE: u32 = 0;
const CLAIMED: u32 = 1;
const READY: u32 = 2;

/// What a sample is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub kind: Kind,
    /// Of the query.
    pub number: u64,
    /// Bytes that were allocated, or freed where it is negative.
    pub size: i64,
    /// Bytes that the query holds.
    pub held: i64,
    /// Of the allocation; 0: it is of none.
    pub address: u64,
}

#[derive(Clone, Copy)]
struct Body {
    head: Head,
    registers: Registers,
    thread: u32,
    cpu: u32,
    time_ns: u64,
    /// What the query waits for where no thread works for it; `None` in the inner place: nobody knows.
    waits: Option<Option<Wait>>,
    copied: usize,
}

struct Slot {
    state: AtomicU32,
    body: UnsafeCell<Body>,
}

// SAFETY: the body is touched only by whoever moved the state from `FREE` to `CLAIMED`, or found it `READY` under the lock of `take`.
unsafe impl Sync for Slot {}

const NOTHING: Body = Body {
    head: Head { kind: Kind::Real, number: 0, size: 0, held: 0, address: 0 },
    registers: Registers { instruction: 0, stack: 0, frame: 0, link: 0 },
    thread: 0,
    cpu: 0,
    time_ns: 0,
    waits: None,
    copied: 0,
};

static ALL: [Slot; SLOTS] = [const { Slot { state: AtomicU32::new(FREE), body: UnsafeCell::new(NOTHING) } }; SLOTS];
/// The stacks of all slots, side by side.
static STACKS: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// Becomes readable with a sample.
static EVENT: AtomicI32 = AtomicI32::new(-1);
/// Nobody looks before that.
static SLEEPS: AtomicBool = AtomicBool::new(false);

static MADE: LazyLock<bool> = LazyLock::new(|| {
    let stacks = room_for_stacks(SLOTS);
    // SAFETY: a new descriptor.
    let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    if stacks.is_null() || event < 0 {
        return false;
    }
    STACKS.store(stacks, Ordering::Release);
    EVENT.store(event, Ordering::Release);
    true
});

/// Room for copies of so many stacks, for as long as the process lives; null: the system has no memory for them.
pub(super) fn room_for_stacks(count: usize) -> *mut u8 {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new memory at a place of the kernel's choice.
    let made = unsafe { libc::mmap(ptr::null_mut(), count * STACK_BYTES_MAX, access, flags, -1, 0) };
    if made == libc::MAP_FAILED { ptr::null_mut() } else { made.cast() }
}

/// Makes the slots, the first time. False: the system has no memory for them.
pub(super) fn are_made() -> bool {
    *MADE
}

fn stack_of(slot: usize) -> *mut u8 {
    STACKS.load(Ordering::Acquire).wrapping_add(slot * STACK_BYTES_MAX)
}

/// Where a stack ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub low: usize,
    pub high: usize,
}

/// Puts a sample of the calling thread into a slot. May be called in a handler of a signal.
pub(super) fn fill(head: Head, registers: Registers, bounds: Bounds) {
    let Some(at) = claim() else { return };
    let copied = copy_stack(&registers, bounds, stack_of(at));
    finish(at, Body { head, registers, copied, ..own() });
}

/// Copies the calling thread's stack to where there is room for `STACK_BYTES_MAX`. Gives how much there is of it.
pub(super) fn copy_stack(registers: &Registers, bounds: Bounds, to: *mut u8) -> usize {
    let from = registers.stack as usize;
    if from < bounds.low || from >= bounds.high {
        return copied_by_kernel(from, to);
    }
    let bytes = (bounds.high - from).min(STACK_BYTES_MAX);
    // SAFETY: it is the used part of this thread's own stack; the caller says that there is room.
    unsafe { ptr::copy_nonoverlapping(from as *const u8, to, bytes) };
    bytes
}

/// A sample without a stack: what the query waits for.
pub(super) fn fill_waiting(number: u64, wait: Option<Wait>) {
    let Some(at) = claim() else { return };
    let head = Head { kind: Kind::Real, number, size: 0, held: 0, address: 0 };
    finish(at, Body { head, waits: Some(wait), thread: 0, ..own() });
}

fn claim() -> Option<usize> {
    if STACKS.load(Ordering::Acquire).is_null() {
        return None;
    }
    let is_won = |slot: &Slot| slot.state.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok();
    let found = ALL.iter().position(is_won);
    if found.is_none() {
        COUNTS.concurrency_overruns.fetch_add(1, Ordering::Relaxed);
    }
    found
}

/// What is known of any sample of the calling thread.
fn own() -> Body {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the calls write nothing but the struct; handlers may make them.
    let (thread, cpu) = unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME, &mut time);
        (libc::syscall(libc::SYS_gettid) as u32, libc::sched_getcpu().max(0) as u32)
    };
    Body { thread, cpu, time_ns: time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64, ..NOTHING }
}

fn finish(at: usize, body: Body) {
    // SAFETY: the slot is claimed by the caller.
    unsafe { *ALL[at].body.get() = body };
    ALL[at].state.store(READY, Ordering::Release);
    if SLEEPS.swap(false, Ordering::AcqRel) {
        let one = 1_u64;
        // SAFETY: eight bytes to the descriptor that counts them.
        unsafe { libc::write(EVENT.load(Ordering::Acquire), (&raw const one).cast(), size_of::<u64>()) };
    }
}

/// Of a stack that is not the thread's own (deep recursion gets another): how far it reaches is not known here. The kernel copies
/// as far as there is memory, page by page.
fn copied_by_kernel(from: usize, to: *mut u8) -> usize {
    const PAGE: usize = 4096;
    const PAGES: usize = 32;
    const NO_PAGE: libc::iovec = libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 };
    if from == 0 {
        return 0;
    }
    let mut pages = [NO_PAGE; PAGES];
    let (mut at, mut bytes) = (from, 0);
    for page in &mut pages {
        let length = PAGE - at % PAGE;
        *page = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: length };
        at += length;
        bytes += length;
    }
    let room = libc::iovec { iov_base: to.cast(), iov_len: bytes };
    // SAFETY: it writes to the slot, which has room for 32 pages; what cannot be read ends it.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &room, 1, pages.as_ptr(), PAGES as libc::c_ulong, 0) };
    if copied < 0 {
        COUNTS.errors.fetch_add(1, Ordering::Relaxed);
    }
    copied.max(0) as usize
}

/// One sample, as whoever takes it sees it.
#[derive(Debug)]
pub struct Sample<'a> {
    pub kind: Kind,
    pub query_id: Arc<str>,
    pub thread: u32,
    pub cpu: u32,
    /// Since the Unix epoch.
    pub time_ns: u64,
    pub size: i64,
    pub held: i64,
    /// Of the allocation; 0: it is of none.
    pub address: u64,
    /// What the query waits for, where no thread works for it: then there is no stack.
    pub waits: Option<Option<Wait>>,
    pub registers: Registers,
    /// What lies from `registers.stack` on.
    pub stack: &'a [u8],
}

/// Sleeps until there is a sample.
pub fn wait() {
    SLEEPS.store(true, Ordering::SeqCst);
    let has_one = ALL.iter().any(|slot| slot.state.load(Ordering::Acquire) == READY);
    if has_one && SLEEPS.swap(false, Ordering::AcqRel) {
        return;
    }
    let mut count = 0_u64;
    // SAFETY: eight bytes of the descriptor into the number. (An interruption looks as a sample does: there is none, then.)
    unsafe { libc::read(EVENT.load(Ordering::Acquire), (&raw mut count).cast(), size_of::<u64>()) };
}

/// Hands out the samples that there are, in the order of time, and makes room for others.
pub fn take(mut with: impl FnMut(Sample<'_>)) {
    static TAKING: Mutex<()> = Mutex::new(());
    let _taking = TAKING.lock();
    let mut ready: Vec<(u64, usize)> = Vec::new();
    for (at, slot) in ALL.iter().enumerate() {
        if slot.state.load(Ordering::Acquire) == READY {
            // SAFETY: it is filled, and only one takes it.
            ready.push((unsafe { (*slot.body.get()).time_ns }, at));
        }
    }
    ready.sort_unstable();
    for (_, at) in ready {
        // SAFETY: as above; nobody touches a slot that is ready.
        let (body, stack) = unsafe {
            let body = *ALL[at].body.get();
            (body, std::slice::from_raw_parts(stack_of(at), body.copied))
        };
        if let Some(query_id) = profiled::query_id(body.head.number) {
            with(Sample {
                kind: body.head.kind,
                query_id,
                thread: body.thread,
                cpu: body.cpu,
                time_ns: body.time_ns,
                size: body.head.size,
                held: body.head.held,
                address: body.head.address,
                waits: body.waits,
                registers: body.registers,
                stack,
            });
        }
        ALL[at].state.store(FREE, Ordering::Release);
    }
    profiled::all_are_taken();
}
