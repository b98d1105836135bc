//! Where an error began: the addresses of the calls that led there, the innermost first.
//!
//! They are taken as the error is made, by the unwinder that the program has for panics, and nobody looks up names before somebody
//! wants to read them. That takes some ten microseconds, and there are errors that nobody ever sees, as those of values that
//! cannot be read (`OrNull` functions, rows of input that may be left out). So a thread takes so many in a while, and errors beyond have none.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, LazyLock};

use crate::operator_time::now_nanos;

/// As many as ClickHouse keeps and some more: calls are deeper here.
const FRAMES_MAX: usize = 96;
/// So many stacks a thread takes in so long a time.
const STACKS_MAX: u32 = 64;
const WHILE_NANOS: u64 = 100_000_000;

unsafe extern "C-unwind" {
    fn _Unwind_Backtrace(each: extern "C-unwind" fn(*mut c_void, *mut c_void) -> c_int, of_ours: *mut c_void) -> c_int;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
}

struct Frames {
    addresses: [u64; FRAMES_MAX],
    count: usize,
}

extern "C-unwind" fn note(frame: *mut c_void, frames: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 5;
    // SAFETY: the unwinder gives a frame, and our pointer back.
    let (address, frames) = unsafe { (_Unwind_GetIP(frame), &mut *frames.cast::<Frames>()) };
    if address == 0 || frames.count == FRAMES_MAX {
        return STOP;
    }
    // The call lies before the place to which it returns.
    frames.addresses[frames.count] = address as u64 - 1;
    frames.count += 1;
    GO_ON
}

thread_local! {
    /// Since when stacks are counted, and how many there were.
    static TAKEN: Cell<(u64, u32)> = const { Cell::new((0, 0)) };
}

fn is_one_too_many() -> bool {
    let now = now_nanos();
    TAKEN
        .try_with(|taken| {
            let (since, count) = taken.get();
            let (since, count) = if now.saturating_sub(since) >= WHILE_NANOS { (now, 0) } else { (since, count) };
            taken.set((since, count.saturating_add(1)));
            count >= STACKS_MAX
        })
        .unwrap_or(true)
}

static NONE: LazyLock<Arc<[u64]>> = LazyLock::new(|| Arc::new([]));

/// The stack of the calling thread; empty where it took too many of late.
#[inline(never)]
pub fn here() -> Arc<[u64]> {
    if is_one_too_many() { NONE.clone() } else { always_here() }
}

/// The stack of the calling thread, for those who asked for each.
#[inline(never)]
pub fn always_here() -> Arc<[u64]> {
    let mut frames = Frames { addresses: [0; FRAMES_MAX], count: 0 };
    // SAFETY: the callback gets the pointer that is given here, and does not unwind.
    unsafe { _Unwind_Backtrace(note, (&raw mut frames).cast()) };
    frames.addresses[..frames.count].into()
}

/// Gives each of them, without an allocation of its own. The unwinder may take locks: who is called by a signal has to reckon with that.
pub(crate) fn each(mut with: impl FnMut(u64)) {
    let mut frames = Frames { addresses: [0; FRAMES_MAX], count: 0 };
    // SAFETY: as above.
    unsafe { _Unwind_Backtrace(note, (&raw mut frames).cast()) };
    frames.addresses[..frames.count].iter().for_each(|address| with(*address));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn called() -> Arc<[u64]> {
        let stack = here();
        std::hint::black_box(stack)
    }

    #[test]
    fn a_stack_holds_the_calls_that_led_here() {
        std::thread::spawn(|| {
            let stack = called();
            assert!(stack.len() > 3, "{stack:x?}");
            let from = called as *const () as u64;
            assert!(stack.iter().any(|address| (from..from + 0x200).contains(address)), "{stack:x?} has no {from:x}");
        })
        .join()
        .expect("done");
    }

    #[test]
    fn a_thread_that_makes_errors_all_the_time_stops_looking() {
        std::thread::spawn(|| {
            let taken = (0..1000).filter(|_| !here().is_empty()).count();
            assert!(taken >= STACKS_MAX as usize && taken < 1000, "{taken}");
        })
        .join()
        .expect("done");
    }
}
