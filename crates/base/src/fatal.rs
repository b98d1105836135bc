//! A signal that ends the process, such as that of a wrong address: what there is to say of it is written into a file, where the next
//! process finds it (`taken`). (ClickHouse: SignalHandlers.cpp, which has a thread of its own write the log before the process ends.)
//!
//! A handler may do little: the file is open and the numbers are written as they are. The walk of the stack is no part of that little;
//! so it comes last, and an alarm ends the process where it does not. Then the signal goes to whoever had it before: the standard library
//! tells of stacks that overflow, and the system ends the process as ever.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::io;
use std::os::fd::IntoRawFd;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use crate::stack;

/// What a signal ended a process by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fatal {
    pub signal: i32,
    /// Why it came; 0 and less: somebody sent it.
    pub code: i32,
    /// What was touched, where the signal is about that.
    pub address: u64,
    pub thread_id: u32,
    pub time_nanos: u64,
    /// Which program it was, as `note_into` was told.
    pub program: u64,
    /// The calls that led there, the innermost first, as addresses of the program's file where they are of that.
    pub trace: Vec<u64>,
}

const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// Seconds after which the process ends although it is not over with its stack.
const PATIENCE_SECONDS: u32 = 5;
/// No program is larger; what lies further from its beginning is of a library.
const PROGRAM_BYTES_MAX: u64 = 1 << 40;

static FILE: AtomicI32 = AtomicI32::new(-1);
static BASE: AtomicU64 = AtomicU64::new(0);
static PROGRAM: AtomicU64 = AtomicU64::new(0);
/// What became of each signal before.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();
static IS_WRITTEN: AtomicBool = AtomicBool::new(false);

impl Fatal {
    /// The name of the signal.
    pub fn name(&self) -> &'static str {
        match self.signal {
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGBUS => "SIGBUS",
            libc::SIGILL => "SIGILL",
            libc::SIGFPE => "SIGFPE",
            libc::SIGABRT => "SIGABRT",
            _ => "a signal",
        }
    }

    /// `None`: the text is not one of ours.
    fn of_text(text: &str) -> Option<Fatal> {
        let mut lines = text.lines();
        let mut head = lines.next()?.split(' ');
        let mut next = || head.next()?.parse::<i64>().ok();
        let (signal, code) = (i32::try_from(next()?).ok()?, i32::try_from(next()?).ok()?);
        let (address, thread_id) = (next()? as u64, u32::try_from(next()?).ok()?);
        let (time_nanos, program) = (next()? as u64, next()? as u64);
        // It may have ended in the middle of that.
        let trace = lines.map_while(|line| line.parse::<i64>().ok()).map(|address| address as u64).collect();
        Some(Fatal { signal, code, address, thread_id, time_nanos, program, trace })
    }
}

/// What ended the process that was told to write into this file, if one of the signals did; it is told once.
pub fn taken(file: &Path) -> Option<Fatal> {
    let fatal = Fatal::of_text(&fs::read_to_string(file).ok()?);
    let _ = fs::remove_file(file);
    fatal
}

/// Has the signals that end this process written into a file, which is made anew. `base`: where the program lies in memory; `program`: a
/// number that another program has not. To be called once a process. Errors: those of the file system.
pub fn note_into(file: &Path, base: u64, program: u64) -> io::Result<()> {
    give_room();
    BASE.store(base, Ordering::Relaxed);
    PROGRAM.store(program, Ordering::Relaxed);
    FILE.store(File::create(file)?.into_raw_fd(), Ordering::Release);
    // SAFETY: an all-zero struct is a valid value, and is filled by the call, which changes nothing.
    let before = SIGNALS.map(|signal| unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, ptr::null(), &mut before);
        before
    });
    if BEFORE.set(before).is_err() {
        return Ok(());
    }
    for signal in SIGNALS {
        // SAFETY: the struct is filled before it is used. The handler runs on the stack that is kept for it: the thread's own may be what
        // is at an end.
        let is_set = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal, &action, ptr::null_mut()) == 0
        };
        if !is_set {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// What the walk of a stack takes, and some more: that which the standard library keeps for handlers is eight kilobytes. Memory is what was touched.
const STACK_BYTES: usize = 256 << 10;

/// What a handler runs on.
struct Stack(Vec<u8>);

impl Stack {
    fn given() -> Stack {
        let mut stack = Stack(Vec::with_capacity(STACK_BYTES));
        stack.tell(0);
        stack
    }

    fn tell(&mut self, flags: c_int) {
        let stack = libc::stack_t { ss_sp: self.0.as_mut_ptr().cast(), ss_flags: flags, ss_size: STACK_BYTES };
        // SAFETY: the memory is there until another call takes it back. A thread that is refused keeps what it had.
        unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.tell(libc::SS_DISABLE);
    }
}

thread_local! {
    static STACK: RefCell<Option<Stack>> = const { RefCell::new(None) };
}

/// Gives the handler room on the calling thread, until that ends: its own stack may be what is at an end.
pub fn give_room() {
    STACK.with(|stack| {
        stack.borrow_mut().get_or_insert_with(Stack::given);
    });
}

/// Whether the walk of the stack has room where this runs. Threads of others have eight kilobytes for handlers: to run over would lose
/// what was written, and the signal.
fn has_room() -> bool {
    // SAFETY: an all-zero struct is a valid value, and is filled by the call, which changes nothing.
    let stack = unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(ptr::null(), &mut stack);
        stack
    };
    stack.ss_flags & libc::SS_ONSTACK == 0 || stack.ss_size >= STACK_BYTES
}

/// A line of numbers that is made without an allocation.
struct Line {
    bytes: [u8; 160],
    length: usize,
}

impl Line {
    const fn new() -> Line {
        Line { bytes: [0; 160], length: 0 }
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    fn number(&mut self, number: i64) {
        let (mut digits, mut count, mut left) = ([0u8; 20], 0, number.unsigned_abs());
        while count == 0 || left > 0 {
            digits[count] = b'0' + (left % 10) as u8;
            left /= 10;
            count += 1;
        }
        if number < 0 {
            self.push(b'-');
        }
        digits[..count].iter().rev().for_each(|digit| self.push(*digit));
    }

    fn write(&self, file: c_int) {
        // SAFETY: the call reads what is there. Where it fails nobody is left who could be told.
        unsafe { libc::write(file, self.bytes.as_ptr().cast(), self.length) };
    }
}

fn write(signal: c_int, code: c_int, address: u64) {
    let file = FILE.load(Ordering::Acquire);
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the calls write nothing but the struct; all three may be made in a handler.
    let thread = unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME, &mut time);
        libc::alarm(PATIENCE_SECONDS);
        libc::gettid()
    };
    let nanos = time.tv_sec * 1_000_000_000 + time.tv_nsec;
    let mut head = Line::new();
    let program = PROGRAM.load(Ordering::Relaxed) as i64;
    for number in [i64::from(signal), i64::from(code), address as i64, i64::from(thread), nanos, program] {
        if head.length > 0 {
            head.push(b' ');
        }
        head.number(number);
    }
    head.push(b'\n');
    head.write(file);
    if !has_room() {
        return;
    }
    let base = BASE.load(Ordering::Relaxed);
    stack::each(|address| {
        let in_file = address.checked_sub(base).filter(|offset| *offset < PROGRAM_BYTES_MAX);
        let mut line = Line::new();
        line.number(in_file.unwrap_or(address) as i64);
        line.push(b'\n');
        line.write(file);
    });
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: the kernel gives it.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as u64) };
    let is_sent = code <= 0;
    if !IS_WRITTEN.swap(true, Ordering::AcqRel) {
        write(signal, code, if is_sent { 0 } else { address });
    }
    let place = SIGNALS.iter().position(|known| *known == signal);
    // SAFETY: the calls read the structs. What faulted does so again when this returns, and what somebody sent is sent again, to come then.
    unsafe {
        let mut by_default: libc::sigaction = std::mem::zeroed();
        by_default.sa_sigaction = libc::SIG_DFL;
        let before = BEFORE.get().zip(place).map(|(all, place)| all[place]);
        let next = before.filter(|_| !is_sent).unwrap_or(by_default);
        libc::sigaction(signal, &next, ptr::null_mut());
        if is_sent {
            libc::raise(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut line = Line::new();
        for number in [0, -7, i64::MAX, i64::MIN] {
            line.number(number);
            line.push(b' ');
        }
        assert_eq!(&line.bytes[..line.length], b"0 -7 9223372036854775807 -9223372036854775808 ");
        let fatal = Fatal::of_text("11 1 -16 42 1700000000000000000 5\n4096\n8192\n12x").expect("reads");
        let expected = Fatal {
            signal: libc::SIGSEGV,
            code: 1,
            address: u64::MAX - 15,
            thread_id: 42,
            time_nanos: 1_700_000_000_000_000_000,
            program: 5,
            trace: vec![4096, 8192],
        };
        assert_eq!((fatal.name(), &fatal), ("SIGSEGV", &expected));
        assert!(["", "11", "11 1 2 3 4", "a b c d e f"].into_iter().all(|text| Fatal::of_text(text).is_none()));
    }

    #[test]
    fn a_file_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("fatal");
        assert_eq!(taken(&file), None);
        fs::write(&file, "6 -6 0 42 17 5\n").expect("written");
        assert_eq!(taken(&file).map(|fatal| fatal.signal), Some(libc::SIGABRT));
        assert_eq!(taken(&file), None);
    }
}
