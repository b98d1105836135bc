//! Logs of the server: entries on their way to a table of the database `system`.
//!
//! Whoever has something to tell pushes an entry into the log's queue and goes on: a push takes a lock for a moment and
//! never waits. What becomes of the entries is the mode's:
//!
//! - `Memory`, of a process that runs no server: the newest entries stay here, and the log's table shows them.
//! - `Queue`, of a server: a job in the background takes them away and inserts them into the log's table. The queue is
//!   bounded by entries and by bytes; where the job does not keep up, entries are dropped and counted
//!   (`SystemLogDroppedRows`), for a query must not wait for its log.
//! - `Off`: entries are not even made.
//!
//! An entry is made and held for nobody: what it takes of memory counts for no query, as it outlives it.

pub mod async_insert_log;
pub mod blob_log;
pub mod cache_log;
pub mod crash_log;
pub mod error_log;
pub mod limit_log;
pub mod metric_log;
pub mod processors_log;
pub mod query_metric_log;
pub mod session_log;
pub mod text_log;
pub mod threads_log;
pub mod trace_log;
pub mod views_log;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gristmill_base::allocations;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::events::{Counters, Event};

/// What a queue holds at most, and when it is to be emptied before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    pub rows_max: usize,
    pub bytes_max: usize,
    /// With so many entries the job begins at once.
    pub rows_due: usize,
}

/// Room for the entries of a second of a busy server, and less memory than one query of it takes.
impl Default for QueueLimits {
    fn default() -> Self {
        QueueLimits { rows_max: 1 << 20, bytes_max: 64 << 20, rows_due: 1 << 19 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Memory,
    Queue(QueueLimits),
    Off,
}

/// An entry of a log.
pub trait LogEntry: Send + Sync + 'static {
    /// Bytes of memory that it takes beside its own size, about.
    fn heap_bytes(&self) -> usize;
}

/// Bytes of texts.
pub(crate) fn texts_bytes<'a>(texts: impl IntoIterator<Item = &'a String>) -> usize {
    texts.into_iter().map(|text| text.len() + size_of::<String>()).sum()
}

#[derive(Debug)]
struct State<T> {
    mode: Mode,
    entries: VecDeque<Arc<T>>,
    bytes: usize,
    /// Come with the next `release`.
    held: Vec<T>,
    /// Were held when somebody last called `ripen`.
    ripe: Vec<T>,
}

/// The entries of one log that are not in its table yet, or all that there are.
#[derive(Debug)]
pub struct Log<T> {
    name: &'static str,
    /// In the mode `Memory`.
    kept_rows_max: usize,
    state: Mutex<State<T>>,
    is_on: AtomicBool,
    dropped: AtomicU64,
    due: Notify,
}

impl<T> Log<T> {
    pub const fn new(name: &'static str, kept_rows_max: usize) -> Self {
        let state = State { mode: Mode::Memory, entries: VecDeque::new(), bytes: 0, held: Vec::new(), ripe: Vec::new() };
        Log {
            name,
            kept_rows_max,
            state: Mutex::new(state),
            is_on: AtomicBool::new(true),
            dropped: AtomicU64::new(0),
            due: Notify::const_new(),
        }
    }
}

impl<T: LogEntry> Log<T> {
    /// Whether anybody keeps what is pushed.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Makes an entry and adds it; makes none where the log is off.
    pub fn add(&self, make: impl FnOnce() -> T) {
        if self.is_on() {
            let _nobody = allocations::enter_none();
            self.push(make());
        }
    }

    /// Adds an entry, or drops it where there is no room.
    pub fn push(&self, entry: T) {
        let bytes = size_of::<T>() + entry.heap_bytes();
        let mut state = self.state.lock();
        let mode = state.mode;
        match mode {
            Mode::Off => return,
            Mode::Memory => {
                if state.entries.len() >= self.kept_rows_max
                    && let Some(oldest) = state.entries.pop_front()
                {
                    state.bytes -= size_of::<T>() + oldest.heap_bytes();
                }
            }
            Mode::Queue(limits) => {
                if state.entries.len() >= limits.rows_max || state.bytes + bytes > limits.bytes_max {
                    drop(state);
                    self.dropped.fetch_add(1, Ordering::Relaxed);
                    Counters::server().add(Event::SystemLogDroppedRows, 1);
                    return;
                }
            }
        }
        state.entries.push_back(Arc::new(entry));
        state.bytes += bytes;
        let is_due = matches!(state.mode, Mode::Queue(limits) if state.entries.len() == limits.rows_due);
        drop(state);
        if is_due {
            self.due.notify_one();
        }
    }

    /// Makes an entry and keeps it back.
    pub fn hold(&self, make: impl FnOnce() -> T) {
        if self.is_on() {
            let _nobody = allocations::enter_none();
            let entry = make();
            self.state.lock().held.push(entry);
        }
    }

    /// The entries that are here, the oldest first.
    pub fn snapshot(&self) -> Vec<Arc<T>> {
        self.state.lock().entries.iter().cloned().collect()
    }

    /// Takes up to so many of the oldest entries.
    pub fn take(&self, rows_max: usize) -> Vec<Arc<T>> {
        let mut state = self.state.lock();
        let taken = state.entries.len().min(rows_max);
        let taken: Vec<Arc<T>> = state.entries.drain(..taken).collect();
        state.bytes -= taken.iter().map(|entry| size_of::<T>() + entry.heap_bytes()).sum::<usize>();
        if state.entries.is_empty() {
            // A burst is over: its room is given back.
            state.entries = VecDeque::new();
        }
        taken
    }
}

/// A log, whatever its entries are.
pub trait LogQueue: Send + Sync {
    /// That of its table.
    fn name(&self) -> &'static str;

    fn configure(&self, mode: Mode);

    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds what was kept back.
    fn release(&self);

    /// Adds what was kept back before the last call.
    fn ripen(&self);

    /// Told when the queue is to be emptied before its time.
    fn due(&self) -> &Notify;

    /// How many entries were dropped since this was asked last.
    fn take_dropped(&self) -> u64;
}

impl<T: LogEntry> LogQueue for Log<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn configure(&self, mode: Mode) {
        let mut state = self.state.lock();
        state.mode = mode;
        if mode == Mode::Off {
            (state.entries, state.bytes) = (VecDeque::new(), 0);
            state.held.clear();
            state.ripe.clear();
        }
        self.is_on.store(mode != Mode::Off, Ordering::Relaxed);
    }

    fn len(&self) -> usize {
        self.state.lock().entries.len()
    }

    fn release(&self) {
        self.ripen();
        self.ripen();
    }

    fn ripen(&self) {
        let ripe = {
            let mut state = self.state.lock();
            let held = std::mem::take(&mut state.held);
            std::mem::replace(&mut state.ripe, held)
        };
        ripe.into_iter().for_each(|entry| self.push(entry));
    }

    fn due(&self) -> &Notify {
        &self.due
    }

    fn take_dropped(&self) -> u64 {
        self.dropped.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl LogEntry for &'static str {
        fn heap_bytes(&self) -> usize {
            self.len()
        }
    }

    fn texts(entries: Vec<impl std::ops::Deref<Target = &'static str>>) -> Vec<&'static str> {
        entries.into_iter().map(|entry| *entry).collect()
    }

    #[test]
    fn what_is_held_back_comes_with_the_next_release() {
        let log = Log::new("x", 2);
        log.push("1");
        log.hold(|| "2");
        assert_eq!(texts(log.snapshot()), ["1"]);
        log.ripen();
        assert_eq!(texts(log.snapshot()), ["1"], "it is not that old");
        log.release();
        log.push("3");
        assert_eq!(texts(log.snapshot()), ["2", "3"], "the oldest leaves first");
    }

    #[test]
    fn a_full_queue_drops_and_counts() {
        let log = Log::new("x", 1);
        let one = size_of::<&str>();
        log.configure(Mode::Queue(QueueLimits { rows_max: 3, bytes_max: 2 * one + 10, rows_due: 2 }));
        log.push("1234");
        log.push("a text that is longer than what there is room for");
        log.push("1234");
        log.push("1234");
        assert_eq!((texts(log.snapshot()).len(), log.take_dropped(), log.take_dropped()), (2, 2, 0));
        assert_eq!(texts(log.take(1)), ["1234"], "and there is room again");
        log.push("5");
        log.push("6");
        assert_eq!((texts(log.take(9)), log.take_dropped()), (vec!["1234", "5"], 1));
        log.configure(Mode::Queue(QueueLimits { rows_max: 3, ..QueueLimits::default() }));
        ["1", "2", "3", "4"].into_iter().for_each(|text| log.push(text));
        assert_eq!((texts(log.take(9)).len(), log.take_dropped()), (3, 1));
    }

    #[tokio::test]
    async fn a_queue_says_when_it_is_to_be_emptied() {
        let log = Log::new("x", 1);
        log.configure(Mode::Queue(QueueLimits { rows_due: 2, ..QueueLimits::default() }));
        log.push("1");
        log.push("2");
        log.due().notified().await;
    }

    #[test]
    fn what_is_off_makes_no_entries() {
        let log: Log<&str> = Log::new("x", 1);
        log.configure(Mode::Off);
        log.add(|| unreachable!("the log is off"));
        log.hold(|| unreachable!("the log is off"));
        assert!(log.is_empty());
    }
}
