//! The profiler of queries: samples of stacks become entries of `system.trace_log`.
//!
//! Samples are taken below (`gristmill_base::sampling`), as copies of registers and stacks. A thread of its own walks the copies
//! (`unwind`), by what the program itself says of its frames (`modules`), and pushes addresses to the log; so does whoever
//! wants the log to be complete (`collect`). Names and lines are looked up (`symbols`, `demangle`) when entries are written
//! or shown, far from any query: the first look for a name reads the whole table of symbols (`names`).
//!
//! Addresses of the program are told as those of its file, which one program loaded anywhere has alike. What a query waits
//! for while no thread works for it stands in the place of a function, at an address where no function is.

mod demangle;
pub(crate) mod events;
mod modules;
mod names;
mod pseudo;
pub mod symbols;
mod unwind;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gristmill_base::Error;
use gristmill_base::allocations;
use gristmill_base::runtime;
use gristmill_base::sampling::{self, COUNTS, Kind, Profiling, Sample, Wishes};
use parking_lot::Mutex;

use crate::context::QueryContext;
use crate::events::{Counters, Event};
use crate::logs::trace_log::{TraceEntry, trace_log};

pub use demangle::demangle;

/// Functions that tell of the program itself: they want `allow_introspection_functions`.
pub const FUNCTIONS: &[&str] = &["addressToSymbol", "addressToLine", "addressToLineWithInlines", "demangle", "flameGraph"];

/// Whether rows of `system.trace_log` have names and lines beside addresses.
static SYMBOLIZES: AtomicBool = AtomicBool::new(true);

/// What the configuration says of that.
pub fn symbolize(does: bool) {
    SYMBOLIZES.store(does, Ordering::Relaxed);
}

pub fn symbolizes() -> bool {
    SYMBOLIZES.load(Ordering::Relaxed)
}

/// Walks stacks as soon as there are some. `false`: no thread is to be had.
static WALKS: LazyLock<bool> = LazyLock::new(|| {
    let walk = || loop {
        sampling::wait();
        collect();
    };
    std::thread::Builder::new().name("profiler".to_string()).spawn(walk).is_ok()
});

/// Samples the query's threads as its settings say, until the answer is dropped.
pub fn begin(context: &QueryContext) -> Option<Profiling> {
    let (tally, settings) = (context.memory.tally()?, &context.settings);
    if !trace_log().is_on() {
        return None;
    }
    let wishes = Wishes {
        real_period_ns: settings.query_profiler_real_time_period_ns,
        cpu_period_ns: settings.query_profiler_cpu_time_period_ns,
        memory_step_bytes: settings.memory_profiler_step,
        memory_probability: settings.memory_profiler_sample_probability,
        memory_sample_bytes: (
            settings.memory_profiler_sample_min_allocation_size,
            settings.memory_profiler_sample_max_allocation_size,
        ),
        untracked_bytes: settings.max_untracked_memory,
    };
    let profiling = sampling::begin(tally, &context.query_id, wishes)?;
    // Without it samples wait for whoever looks at the log.
    let _walks = *WALKS;
    Some(profiling)
}

struct Walker {
    unwinder: unwind::Unwinder,
    /// Names of threads by their ids.
    names: HashMap<u32, String>,
}

/// Names of so many threads are kept; ids are used again.
const NAMES_MAX: usize = 1024;

static WALKER: LazyLock<Mutex<Walker>> =
    LazyLock::new(|| Mutex::new(Walker { unwinder: unwind::Unwinder::of_process(), names: HashMap::new() }));

/// Has all samples that there are in the log.
pub fn collect() {
    let _nobody = allocations::enter_none();
    let mut walker = WALKER.lock();
    if walker.names.len() > NAMES_MAX {
        walker.names.clear();
    }
    sampling::take(|sample| walker.tell(sample));
    drop(walker);
    let events = [
        Event::QueryProfilerRuns,
        Event::QueryProfilerSignalOverruns,
        Event::QueryProfilerConcurrencyOverruns,
        Event::QueryProfilerErrors,
    ];
    for (event, count) in events.into_iter().zip(COUNTS.take()).filter(|(_, count)| *count > 0) {
        Counters::server().add(event, count);
    }
}

impl Walker {
    fn tell(&mut self, sample: Sample<'_>) {
        let (trace, thread_name) = match sample.waits {
            Some(wait) => (vec![pseudo::address(wait)], String::new()),
            None => {
                let name = self.names.entry(sample.thread).or_insert_with(|| name_of(sample.thread));
                (self.unwinder.walk(&sample.registers, sample.stack), name.clone())
            }
        };
        let entry = TraceEntry {
            event_time_nanos: sample.time_ns,
            trace_type: match sample.kind {
                Kind::Real => "Real",
                Kind::Cpu => "CPU",
                Kind::Memory => "Memory",
                Kind::MemorySample => "MemorySample",
            },
            cpu_id: u64::from(sample.cpu),
            thread_id: u64::from(sample.thread),
            thread_name,
            query_id: sample.query_id,
            trace: trace.into(),
            size: sample.size,
            // A step is of all that was gathered since the last one, in ClickHouse too.
            address: if sample.kind == Kind::MemorySample { sample.address } else { 0 },
            event: "",
            increment: 0,
        };
        // A step is a new peak as well, of which it is told how much there is then.
        if sample.kind == Kind::Memory {
            let peak = TraceEntry { trace_type: "MemoryPeak", size: sample.held, ..entry.clone() };
            trace_log().push(entry);
            trace_log().push(peak);
        } else {
            trace_log().push(entry);
        }
    }
}

/// A thread of the process, and where it is.
#[derive(Debug)]
pub struct ThreadStack {
    pub id: u32,
    pub name: String,
    /// Addresses as in a sample; none: it did not answer.
    pub trace: Vec<u64>,
    /// Bytes that it allocated less those that it freed, which nobody has counted yet.
    pub untracked: i64,
}

/// How long a thread is waited for, as in ClickHouse.
const PATIENCE: Duration = Duration::from_millis(100);

/// Where each thread of the process is now.
pub fn stacks() -> Vec<ThreadStack> {
    let entries = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let mut threads: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    let mut all = Vec::with_capacity(threads.len());
    let mut walker = {
        // What it knows outlives the query.
        let _nobody = allocations::enter_none();
        WALKER.lock()
    };
    sampling::stacks(&threads, PATIENCE, |id, stack| {
        let (trace, untracked) = match stack {
            Some(stack) => (walker.unwinder.walk(&stack.registers, stack.stack), stack.gathered),
            None => (Vec::new(), 0),
        };
        all.push(ThreadStack { id, name: name_of(id), trace, untracked });
    });
    all
}

fn name_of(thread: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm"));
    name.map(|name| name.trim_end().to_string()).unwrap_or_default()
}

/// Names and lines of a stack's addresses, where they are wanted. What the profiler itself does at the inner end of a sample of
/// memory is left out.
pub fn shown(entry: &TraceEntry) -> Shown {
    if !symbolizes() {
        return Shown { trace: entry.trace.clone(), symbols: Vec::new(), lines: Vec::new() };
    }
    let known = symbols::of_all(&entry.trace);
    let is_own = |name: &str| OWN.iter().any(|own| name.contains(own));
    let skipped = match entry.trace_type.starts_with("Memory") || !entry.event.is_empty() {
        true => known.iter().take_while(|known| is_own(&known.name)).count(),
        false => 0,
    };
    Shown {
        trace: entry.trace[skipped..].into(),
        symbols: known[skipped..].iter().map(|known| known.name.clone()).collect(),
        lines: known[skipped..].iter().map(|known| known.line.clone()).collect(),
    }
}

/// What counts allocations and events, and takes samples of them.
const OWN: &[&str] = &[
    "gristmill_base::sampling::",
    "gristmill_base::allocations::",
    "std::thread::local::LocalKey",
    "gristmill_base::stack::",
    "gristmill_introspect::events::Counters",
    "gristmill_introspect::profiler::events::Traced",
];

/// The calls that led to an error of this process, a line each.
pub fn error_stack_text(error: &Error) -> String {
    // The first names make the program's table of functions be read.
    runtime::aside(|| stack_text(&symbols::in_file(error.trace())))
}

/// An error and the calls that led to it, in ClickHouse's form.
pub fn error_with_stack(error: &Error) -> String {
    let stack = error_stack_text(error);
    format!("{error}, Stack trace (when copying this message, always include the lines below):\n\n{stack}")
}

/// The stack of an error as a text: a line a call. What only makes errors is left out. The first look reads the program's whole
/// table of symbols, which takes a while.
pub fn stack_text(addresses: &[u64]) -> String {
    let names = symbols::names(addresses);
    let first = names.iter().take_while(|name| MAKES_ERRORS.iter().any(|own| name.contains(own))).count();
    let shown = addresses.iter().zip(&names).skip(first).enumerate();
    let line = |(place, (address, name)): (usize, (&u64, &Arc<str>))| {
        let name = if name.is_empty() { "?" } else { &**name };
        format!("{place}. {name} @ 0x{address:016x}\n")
    };
    shown.map(line).collect()
}

const MAKES_ERRORS: &[&str] = &["gristmill_base::stack::", "gristmill_base::error::"];

/// A stack as the log shows it.
pub struct Shown {
    pub trace: Arc<[u64]>,
    pub symbols: Vec<Arc<str>>,
    pub lines: Vec<Arc<str>>,
}

#[cfg(test)]
mod tests;
