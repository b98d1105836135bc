//! Where all threads of the process are, when somebody asks. One after the other is sent a signal, and copies its stack to the
//! one place there is for that.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::registers::Registers;
use super::slots::{self, Bounds};
use super::{Kind, signal};
use crate::allocations;

/// Questions have numbers from here on, and queries numbers below.
pub(super) const FIRST: u64 = 1 << 61;

/// How often it is looked whether there is an answer.
const LOOKS_APART: Duration = Duration::from_micros(20);

/// Where a thread was.
#[derive(Debug)]
pub struct Stack<'a> {
    pub registers: Registers,
    /// What lies from `registers.stack` on.
    pub stack: &'a [u8],
    /// Bytes that the thread allocated less those that it freed, which no tally has counted yet.
    pub gathered: i64,
}

#[derive(Clone, Copy)]
struct Body {
    registers: Registers,
    copied: usize,
    gathered: i64,
}

struct Place(UnsafeCell<Body>);

// SAFETY: it is written by the one thread that took the question, and read by the one that asked when that is answered.
unsafe impl Sync for Place {}

static PLACE: Place = Place(UnsafeCell::new(Body {
    registers: Registers { instruction: 0, stack: 0, frame: 0, link: 0 },
    copied: 0,
    gathered: 0,
}));
static STACK: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// The number of the question that waits for its thread; 0: none does.
static ASKED: AtomicU64 = AtomicU64::new(0);
/// That of the last one which was answered.
static ANSWERED: AtomicU64 = AtomicU64::new(0);

/// Whether threads may be asked. It is made once: a handler can make nothing.
static IS_READY: LazyLock<bool> = LazyLock::new(|| {
    let stack = slots::room_for_stacks(1);
    STACK.store(stack, Ordering::Release);
    !stack.is_null() && signal::handle()
});

/// The calling thread is asked. May be called in a handler of a signal.
pub(super) fn answer(number: u64, registers: Registers, bounds: Bounds) {
    // Who comes too late is not waited for any more.
    if ASKED.compare_exchange(number, 0, Ordering::AcqRel, Ordering::Relaxed).is_err() {
        return;
    }
    let copied = slots::copy_stack(&registers, bounds, STACK.load(Ordering::Acquire));
    // SAFETY: the question is this thread's, and nobody looks before it is answered.
    unsafe { *PLACE.0.get() = Body { registers, copied, gathered: allocations::gathered() } };
    ANSWERED.store(number, Ordering::Release);
}

/// Asks threads by their ids, each for so long at most. Of one that did not answer there is nothing: it is gone, the kernel
/// lets no signal in, or it has no processor.
pub fn stacks(threads: &[u32], patience: Duration, mut with: impl FnMut(u32, Option<Stack<'_>>)) {
    static LAST: Mutex<u64> = Mutex::new(FIRST);
    let mut last = LAST.lock();
    for thread in threads {
        *last += 1;
        let is_there = *IS_READY && ask(*thread, *last, patience);
        // SAFETY: the thread that was asked has written it, and nobody is asked until the next turn.
        let found = is_there.then(|| unsafe {
            let body = *PLACE.0.get();
            let stack = std::slice::from_raw_parts(STACK.load(Ordering::Acquire).cast_const(), body.copied);
            Stack { registers: body.registers, stack, gathered: body.gathered }
        });
        with(*thread, found);
    }
}

/// Whether there is an answer.
fn ask(thread: u32, number: u64, patience: Duration) -> bool {
    ASKED.store(number, Ordering::Release);
    let until = Instant::now() + patience;
    let is_sent = signal::send(thread, Kind::Real, number);
    while ANSWERED.load(Ordering::Acquire) != number {
        let is_over = !is_sent || Instant::now() >= until;
        // Whoever has begun to answer is waited for.
        if is_over && ASKED.compare_exchange(number, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return false;
        }
        std::thread::sleep(LOOKS_APART);
    }
    true
}
