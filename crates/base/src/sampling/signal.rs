//! The signal that has a thread copy its own stack.
//!
//! It is one of real time, so that a value comes with it: why, and of which query. The handler looks whether the thread still
//! works for that query, in a local of the thread that needs no making. Calls of the kernel that it interrupts go on by
//! themselves (SA_RESTART). It runs on the thread's own stack, of which there is plenty; the one that the standard library gives each
//! thread for signals is a few kilobytes, of which the registers of a wide processor alone take half.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::registers::Registers;
use super::slots::{self, Bounds, Head};
use super::{COUNTS, Kind, asked};

thread_local! {
    /// The number of the query that the thread works for; 0: of none that is profiled.
    static WORKS_FOR: Cell<u64> = const { Cell::new(0) };
    static STACK: Cell<Bounds> = const { Cell::new(Bounds { low: 0, high: 0 }) };
    /// Signals that were sent and not handled, where the thread is known.
    static SENT: Cell<*const AtomicU32> = const { Cell::new(ptr::null()) };
}

/// Whom the calling thread works for from here on.
pub(crate) fn works_for(number: u64) {
    // A thread that ends has no locals any more.
    let _ = WORKS_FOR.try_with(|works_for| works_for.set(number));
}

pub(super) fn own_bounds() -> Bounds {
    STACK.try_with(Cell::get).unwrap_or_default()
}

/// Finds where the calling thread's stack ends. `sent`: counts the signals that it has not handled, and lives until this is called
/// with `None`.
pub(crate) fn knows_stack(sent: Option<&AtomicU32>) {
    let _ = SENT.try_with(|of_thread| of_thread.set(sent.map_or(ptr::null(), ptr::from_ref)));
    if sent.is_none() {
        return;
    }
    // SAFETY: the attributes are filled by the first call, read by the second, and given back.
    let bounds = unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return;
        }
        let (mut low, mut bytes) = (ptr::null_mut(), 0);
        libc::pthread_attr_getstack(&attributes, &mut low, &mut bytes);
        libc::pthread_attr_destroy(&mut attributes);
        Bounds { low: low as usize, high: low as usize + bytes }
    };
    let _ = STACK.try_with(|stack| stack.set(bounds));
}

fn number() -> i32 {
    // The first ones are those that other libraries take.
    libc::SIGRTMIN() + 5
}

/// Says what becomes of the signal. False: the system refuses.
pub(super) fn handle() -> bool {
    // SAFETY: the struct is filled before it is used; the handler keeps to what handlers may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_SIGINFO;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(number(), &action, ptr::null_mut()) == 0
    }
}

/// What the kernel wants to know of a signal with a value; libc does not let its fields be written.
#[repr(C)]
struct Info {
    signal: i32,
    errno: i32,
    code: i32,
    _gap: i32,
    process: i32,
    user: u32,
    value: u64,
    _rest: [u64; 12],
}

/// Has a thread take a sample of itself for the query of that number, or answer the question that has it. False: the thread is
/// gone, or the kernel refuses.
pub(super) fn send(thread: u32, kind: Kind, query: u64) -> bool {
    const SI_QUEUE: i32 = -1;
    let value = query << 1 | u64::from(kind == Kind::Cpu);
    // SAFETY: the calls read the struct, and signal a thread of this process or none.
    unsafe {
        let (process, user) = (libc::getpid(), libc::getuid());
        let info = Info { signal: number(), errno: 0, code: SI_QUEUE, _gap: 0, process, user, value, _rest: [0; 12] };
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, number(), &raw const info) == 0
    }
}

/// The sampler wants to know where the thread is, if it still works for that query.
fn sample(kind: Kind, query: u64, registers: Registers) {
    let sent = SENT.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: it lives as long as it is there (`knows_stack`).
    if let Some(sent) = unsafe { sent.as_ref() } {
        sent.store(0, Ordering::Relaxed);
    }
    if WORKS_FOR.try_with(Cell::get).unwrap_or(0) == query && query != 0 {
        COUNTS.runs.fetch_add(1, Ordering::Relaxed);
        slots::fill(Head { kind, number: query, size: 0, held: 0, address: 0 }, registers, own_bounds());
    }
}

extern "C" fn on_signal(_signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: errno is the thread's own; what is interrupted is to find it as it was.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the kernel gives both, and `send` put the value there.
    let (value, registers) =
        unsafe { ((*info).si_value().sival_ptr as u64, Registers::of_signal(context.cast_const().cast())) };
    let (kind, query) = (if value & 1 == 1 { Kind::Cpu } else { Kind::Real }, value >> 1);
    match query >= asked::FIRST {
        true => asked::answer(query, registers, own_bounds()),
        false => sample(kind, query, registers),
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}
