//! Counters of the processor and of the kernel (perf_event_open), for queries that ask for them.
//!
//! Each thread has its own, opened when it first works for such a query: a file a counter, which counts wherever the thread runs.
//! They stand still while it works for others. A processor has room for a few at a time, so the kernel has them take
//! turns; what one counted while it had its turn stands for the rest of the time too.
//!
//! What the kernel refuses is left out, and said in the log, once. (ClickHouse: PerfEventsCounters in ThreadProfileEvents.cpp.)

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use parking_lot::Mutex;
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};
use perf_event::{Builder, Counter};

macro_rules! counted {
    ($($name:ident = $event:expr;)*) => {
        /// What is counted. The names are ClickHouse's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PerfEvent { $($name),* }

        impl PerfEvent {
            pub const ALL: &[PerfEvent] = &[$(PerfEvent::$name),*];

            pub fn name(self) -> &'static str {
                match self { $(PerfEvent::$name => stringify!($name)),* }
            }

            fn builder(self) -> Builder<'static> {
                match self { $(PerfEvent::$name => Builder::new($event)),* }
            }
        }
    };
}

const fn cache(which: CacheId, result: CacheResult) -> Cache {
    Cache { which, operation: CacheOp::READ, result }
}

counted! {
    PerfCPUCycles = Hardware::CPU_CYCLES;
    PerfInstructions = Hardware::INSTRUCTIONS;
    PerfCacheReferences = Hardware::CACHE_REFERENCES;
    PerfCacheMisses = Hardware::CACHE_MISSES;
    PerfBranchInstructions = Hardware::BRANCH_INSTRUCTIONS;
    PerfBranchMisses = Hardware::BRANCH_MISSES;
    PerfBusCycles = Hardware::BUS_CYCLES;
    PerfStalledCyclesFrontend = Hardware::STALLED_CYCLES_FRONTEND;
    PerfStalledCyclesBackend = Hardware::STALLED_CYCLES_BACKEND;
    PerfRefCPUCycles = Hardware::REF_CPU_CYCLES;
    PerfCPUClock = Software::CPU_CLOCK;
    PerfTaskClock = Software::TASK_CLOCK;
    PerfContextSwitches = Software::CONTEXT_SWITCHES;
    PerfCPUMigrations = Software::CPU_MIGRATIONS;
    PerfAlignmentFaults = Software::ALIGNMENT_FAULTS;
    PerfEmulationFaults = Software::EMULATION_FAULTS;
    PerfDataTLBReferences = cache(CacheId::DTLB, CacheResult::ACCESS);
    PerfDataTLBMisses = cache(CacheId::DTLB, CacheResult::MISS);
    PerfInstructionTLBReferences = cache(CacheId::ITLB, CacheResult::ACCESS);
    PerfInstructionTLBMisses = cache(CacheId::ITLB, CacheResult::MISS);
    PerfLocalMemoryReferences = cache(CacheId::NODE, CacheResult::ACCESS);
    PerfLocalMemoryMisses = cache(CacheId::NODE, CacheResult::MISS);
}

const KINDS: usize = PerfEvent::ALL.len();

/// Some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerfEvents(u32);

impl PerfEvents {
    pub const NONE: PerfEvents = PerfEvents(0);
    pub const ALL: PerfEvents = PerfEvents((1 << KINDS) - 1);

    /// Those of a list with commas between; an empty one means all. With what nobody knows of it.
    pub fn of_list(list: &str) -> (PerfEvents, Vec<&str>) {
        let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return (PerfEvents::ALL, Vec::new());
        }
        let (mut events, mut unknown) = (PerfEvents::NONE, Vec::new());
        for name in names {
            match PerfEvent::ALL.iter().find(|event| event.name() == name) {
                Some(event) => events = events.with(*event),
                None => unknown.push(name),
            }
        }
        (events, unknown)
    }

    fn with(self, event: PerfEvent) -> PerfEvents {
        PerfEvents(self.0 | 1 << event as u32)
    }

    fn has(self, event: PerfEvent) -> bool {
        self.0 & 1 << event as u32 != 0
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn of_bits(bits: u32) -> PerfEvents {
        PerfEvents(bits)
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerfCounts {
    counts: [u64; KINDS],
    /// Nanoseconds that every counter was wanted for, and how long the one of these had its turn.
    pub enabled_ns: u64,
    pub running_ns: u64,
}

impl Default for PerfCounts {
    fn default() -> Self {
        PerfCounts::NOTHING
    }
}

impl PerfCounts {
    pub const NOTHING: PerfCounts = PerfCounts { counts: [0; KINDS], enabled_ns: 0, running_ns: 0 };

    pub fn get(&self, event: PerfEvent) -> u64 {
        self.counts[event as usize]
    }

    pub(super) fn zip(&mut self, other: &PerfCounts, with: &impl Fn(&mut u64, u64)) {
        self.counts.iter_mut().zip(other.counts).for_each(|(one, other)| with(one, other));
        with(&mut self.enabled_ns, other.enabled_ns);
        with(&mut self.running_ns, other.running_ns);
    }
}

/// Of one counter, since it was opened.
#[derive(Clone, Copy, Default)]
struct Reading {
    count: u64,
    enabled_ns: u64,
    running_ns: u64,
}

struct Open {
    event: PerfEvent,
    counter: Counter,
    last: Reading,
}

/// Those of one thread.
#[derive(Default)]
pub(super) struct ThreadCounters {
    /// That count now.
    pub counts: PerfEvents,
    open: Vec<Open>,
}

impl ThreadCounters {
    /// Has these count from now on, and no others. To be called by the thread itself.
    pub fn count(&mut self, wanted: PerfEvents) {
        if self.counts == wanted {
            return;
        }
        for open in &mut self.open {
            // One that does not stop counts what nobody asks for.
            let _ = match wanted.has(open.event) {
                true => open.counter.enable(),
                false => open.counter.disable(),
            };
        }
        for event in PerfEvent::ALL.iter().copied().filter(|event| wanted.has(*event)) {
            if self.open.iter().any(|open| open.event == event) || REFUSED.load(Relaxed) & 1 << event as u32 != 0 {
                continue;
            }
            match opened(event) {
                Ok(counter) => self.open.push(Open { event, counter, last: Reading::default() }),
                Err(error) => refused(event, &error),
            }
        }
        self.counts = wanted;
        let _before = self.news();
    }

    /// What was counted since this was asked last. Any thread may ask.
    pub fn news(&mut self) -> PerfCounts {
        let (mut news, mut least) = (PerfCounts::NOTHING, None);
        for open in self.open.iter_mut().filter(|open| self.counts.has(open.event)) {
            let Ok(read) = open.counter.read_count_and_time() else { continue };
            let now = Reading { count: read.count, enabled_ns: read.time_enabled, running_ns: read.time_running };
            let last = std::mem::replace(&mut open.last, now);
            let grew = Reading {
                count: now.count.saturating_sub(last.count),
                enabled_ns: now.enabled_ns.saturating_sub(last.enabled_ns),
                running_ns: now.running_ns.saturating_sub(last.running_ns),
            };
            news.counts[open.event as usize] = grew.of_all_the_time();
            if least.is_none_or(|(enabled_ns, _)| grew.enabled_ns < enabled_ns) {
                least = Some((grew.enabled_ns, grew.running_ns));
            }
        }
        (news.enabled_ns, news.running_ns) = least.unwrap_or_default();
        news
    }
}

impl Reading {
    /// The count, as if it had had its turn all the time.
    fn of_all_the_time(&self) -> u64 {
        match self.running_ns {
            0 => self.count,
            running => (u128::from(self.count) * u128::from(self.enabled_ns.max(running)) / u128::from(running)) as u64,
        }
    }
}

/// Of the calling thread, counting. With what the kernel does for it, where that may be known.
fn opened(event: PerfEvent) -> io::Result<Counter> {
    let mut builder = event.builder();
    builder.enabled(true).exclude_kernel(false);
    match builder.build() {
        Err(error) if is_forbidden(&error) => builder.exclude_kernel(true).build(),
        opened => opened,
    }
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM))
}

/// Events that no thread tries again.
static REFUSED: AtomicU32 = AtomicU32::new(0);
/// Those, by what they were refused for, until they are told.
static TO_TELL: Mutex<(Vec<PerfEvent>, Vec<PerfEvent>)> = Mutex::new((Vec::new(), Vec::new()));
static HAS_TO_TELL: AtomicBool = AtomicBool::new(false);

fn refused(event: PerfEvent, error: &io::Error) {
    // A process that has no descriptors left may have some later.
    if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::EINTR | libc::EBUSY)) {
        return;
    }
    if REFUSED.fetch_or(1 << event as u32, Relaxed) & 1 << event as u32 == 0 {
        let mut to_tell = TO_TELL.lock();
        if is_forbidden(error) {
            to_tell.1.push(event)
        } else {
            to_tell.0.push(event)
        }
        HAS_TO_TELL.store(true, Relaxed);
    }
}

/// Says in the log what was refused, the first time.
pub(super) fn tell_refused() {
    if !HAS_TO_TELL.swap(false, Relaxed) {
        return;
    }
    let (missing, forbidden) = std::mem::take(&mut *TO_TELL.lock());
    let names = |events: &[PerfEvent]| events.iter().map(|event| event.name()).collect::<Vec<_>>().join(", ");
    let text = match (missing.is_empty(), forbidden.is_empty()) {
        (_, true) => format!("this machine has no {}", names(&missing)),
        (true, _) => format!("the kernel forbids {}", names(&forbidden)),
        _ => format!("this machine has no {}, and the kernel forbids {}", names(&missing), names(&forbidden)),
    };
    let advice = match forbidden.is_empty() {
        true => String::new(),
        false => {
            let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
            let level = level.trim();
            format!(
                ". `sysctl kernel.perf_event_paranoid=2` or less allows them (it is {level}), or CAP_PERFMON; a container must allow perf_event_open"
            )
        }
    };
    tracing::info!("metrics_perf_events_enabled: {text}{advice}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_events() {
        assert_eq!(PerfEvents::of_list(""), (PerfEvents::ALL, vec![]));
        let (events, unknown) = PerfEvents::of_list("PerfTaskClock, PerfNothing,PerfInstructions");
        assert_eq!(unknown, ["PerfNothing"]);
        let named: Vec<&str> = PerfEvent::ALL.iter().filter(|event| events.has(**event)).map(|event| event.name()).collect();
        assert_eq!(named, ["PerfInstructions", "PerfTaskClock"]);
    }

    #[test]
    fn a_counter_that_had_its_turn_for_a_while_stands_for_all_the_time() {
        let reading = Reading { count: 300, enabled_ns: 900, running_ns: 300 };
        assert_eq!(reading.of_all_the_time(), 900);
        assert_eq!(Reading { running_ns: 900, ..reading }.of_all_the_time(), 300);
        assert_eq!(Reading { count: 0, running_ns: 0, ..reading }.of_all_the_time(), 0, "it never had its turn");
    }

    #[test]
    fn counters_count_what_the_thread_computes_and_stand_still_otherwise() {
        let (clock, _) = PerfEvents::of_list("PerfTaskClock");
        let mut counters = ThreadCounters::default();
        counters.count(clock);
        if counters.open.is_empty() {
            // A kernel that gives no counter at all.
            assert_ne!(REFUSED.load(Relaxed), 0);
            return;
        }
        let begun = super::super::kernel::own_cpu_ns();
        while super::super::kernel::own_cpu_ns() - begun < 20_000_000 {}
        let news = counters.news();
        assert!(news.get(PerfEvent::PerfTaskClock) >= 15_000_000, "{news:?}");
        assert!(news.enabled_ns > 0 && news.running_ns == news.enabled_ns, "{news:?}");
        counters.count(PerfEvents::NONE);
        assert_eq!(counters.news(), PerfCounts::NOTHING);
        let begun = super::super::kernel::own_cpu_ns();
        while super::super::kernel::own_cpu_ns() - begun < 20_000_000 {}
        counters.count(clock);
        assert!(counters.news().get(PerfEvent::PerfTaskClock) < 15_000_000, "what nobody wanted is not told");
    }
}
