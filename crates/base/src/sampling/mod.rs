//! Samples of stacks: where the threads of a query are, by the clock, by what they compute, and where they allocate.
//!
//! A query that is profiled (`begin`) has a number, and its tally knows it. One thread (`sampler`) sleeps until the next
//! sample of any of them is due, looks which threads work for that query, and sends each a signal. The handler (`signal`)
//! copies registers and the used part of the stack into one of a few slots that were made beforehand (`slots`); it takes no
//! lock and allocates nothing, since the thread may hold the allocator's lock at that moment. An allocation that is worth a
//! sample (`memory`) does the same from within. Nobody walks a stack here: whoever takes the samples (`wait`, `take`) does that with the
//! copies, at leisure, which needs neither frame pointers nor a stopped thread.
//!
//! A query has moments when no thread works for it, and it waits for a store, a lock or its client: a sample by the clock says
//! then what it waits for, so that such samples add up to the time that passed. (ClickHouse: QueryProfiler has a timer a
//! thread, whose handler walks the stack at once.)

mod asked;
mod memory;
mod profiled;
mod registers;
mod sampler;
mod signal;
mod slots;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::allocations::Tally;

pub use asked::{Stack, stacks};
pub(crate) use memory::changed as allocated;
pub(crate) use profiled::Profile;
pub use profiled::{Profiling, Wishes, begin};
pub use registers::Registers;
pub(crate) use signal::{knows_stack, works_for};
pub use slots::{Sample, take, wait};

/// Why a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Time passed by the clock.
    Real,
    /// The thread computed.
    Cpu,
    /// The query holds more memory by a step than ever before.
    Memory,
    /// By chance, where memory was allocated or freed.
    MemorySample,
}

/// What the sampler did and could not do, since the process began.
#[derive(Debug)]
pub struct Counts {
    /// Samples that were asked for.
    pub runs: AtomicU64,
    /// A thread had not answered to the last signal.
    pub signal_overruns: AtomicU64,
    /// All slots were taken.
    pub concurrency_overruns: AtomicU64,
    /// Signals that the kernel refused, stacks that could not be read.
    pub errors: AtomicU64,
}

pub static COUNTS: Counts = Counts {
    runs: AtomicU64::new(0),
    signal_overruns: AtomicU64::new(0),
    concurrency_overruns: AtomicU64::new(0),
    errors: AtomicU64::new(0),
};

impl Counts {
    /// Those since this was asked last: runs, overruns of signals, of slots, errors.
    pub fn take(&self) -> [u64; 4] {
        [&self.runs, &self.signal_overruns, &self.concurrency_overruns, &self.errors].map(|count| count.swap(0, Relaxed))
    }
}

/// The number by which a tally is profiled; 0: it is not.
pub(crate) fn number_of(tally: &Arc<Tally>) -> u64 {
    tally.profile().map_or(0, |profile| profile.number)
}

#[cfg(test)]
mod tests;
