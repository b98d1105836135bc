//! What threads spent on a query, as events of its counters.

use std::sync::Arc;

use gristmill_base::allocations::Tally;
use gristmill_base::spending::{self, PerfCounts, PerfEvent, PerfEvents, Spending, Spent, Wait, Waiting, Working};

use crate::context::QueryContext;
use crate::events::{Counters, Event};

/// What was spent, by the events that tell it: those that are not 0.
pub(crate) fn events_of(spent: &Spent) -> impl Iterator<Item = (Event, u64)> {
    let of_time = [
        (Event::RealTimeMicroseconds, spent.real),
        (Event::UserTimeMicroseconds, spent.user),
        (Event::SystemTimeMicroseconds, spent.system),
        (Event::OSCPUVirtualTimeMicroseconds, spent.user + spent.system),
        (Event::OSCPUWaitMicroseconds, spent.runnable),
        (Event::OSIOWaitMicroseconds, spent.disk),
        (Event::LockWaitMicroseconds, spent.lock),
        (Event::SleepFunctionElapsedMicroseconds, spent.sleep),
        (Event::NetworkWaitMicroseconds, spent.network),
        (Event::ClientWaitMicroseconds, spent.client),
        (Event::SoftPageFaults, spent.soft_faults),
        (Event::HardPageFaults, spent.hard_faults),
        (Event::VoluntaryContextSwitches, spent.voluntary_switches),
        (Event::InvoluntaryContextSwitches, spent.involuntary_switches),
        (Event::OSReadChars, spent.read_chars),
        (Event::OSWriteChars, spent.write_chars),
        (Event::OSReadBytes, spent.read_bytes),
        (Event::OSWriteBytes, spent.write_bytes),
    ];
    of_time.into_iter().chain(perf_events_of(&spent.perf)).filter(|(_, value)| *value > 0)
}

fn perf_events_of(counts: &PerfCounts) -> impl Iterator<Item = (Event, u64)> {
    let least = [(Event::PerfMinEnabledTime, counts.enabled_ns), (Event::PerfMinEnabledRunningTime, counts.running_ns)];
    let counted = PerfEvent::ALL.iter().map(|event| (event_of(*event), counts.get(*event)));
    // Where nobody asked for them, not even the names are looked at.
    let is_wanted = *counts != PerfCounts::NOTHING;
    counted.chain(least).filter(move |_| is_wanted).collect::<Vec<_>>().into_iter()
}

fn event_of(event: PerfEvent) -> Event {
    match event {
        PerfEvent::PerfCPUCycles => Event::PerfCPUCycles,
        PerfEvent::PerfInstructions => Event::PerfInstructions,
        PerfEvent::PerfCacheReferences => Event::PerfCacheReferences,
        PerfEvent::PerfCacheMisses => Event::PerfCacheMisses,
        PerfEvent::PerfBranchInstructions => Event::PerfBranchInstructions,
        PerfEvent::PerfBranchMisses => Event::PerfBranchMisses,
        PerfEvent::PerfBusCycles => Event::PerfBusCycles,
        PerfEvent::PerfStalledCyclesFrontend => Event::PerfStalledCyclesFrontend,
        PerfEvent::PerfStalledCyclesBackend => Event::PerfStalledCyclesBackend,
        PerfEvent::PerfRefCPUCycles => Event::PerfRefCPUCycles,
        PerfEvent::PerfCPUClock => Event::PerfCPUClock,
        PerfEvent::PerfTaskClock => Event::PerfTaskClock,
        PerfEvent::PerfContextSwitches => Event::PerfContextSwitches,
        PerfEvent::PerfCPUMigrations => Event::PerfCPUMigrations,
        PerfEvent::PerfAlignmentFaults => Event::PerfAlignmentFaults,
        PerfEvent::PerfEmulationFaults => Event::PerfEmulationFaults,
        PerfEvent::PerfDataTLBReferences => Event::PerfDataTLBReferences,
        PerfEvent::PerfDataTLBMisses => Event::PerfDataTLBMisses,
        PerfEvent::PerfInstructionTLBReferences => Event::PerfInstructionTLBReferences,
        PerfEvent::PerfInstructionTLBMisses => Event::PerfInstructionTLBMisses,
        PerfEvent::PerfLocalMemoryReferences => Event::PerfLocalMemoryReferences,
        PerfEvent::PerfLocalMemoryMisses => Event::PerfLocalMemoryMisses,
    }
}

/// Has a query's threads count what its settings ask for.
pub(crate) fn count_perf_events(context: &QueryContext) {
    let settings = &context.settings;
    let Some(tally) = context.memory.tally().filter(|_| settings.metrics_perf_events_enabled) else { return };
    let (events, unknown) = PerfEvents::of_list(&settings.metrics_perf_events_list);
    if !unknown.is_empty() {
        tracing::warn!("metrics_perf_events_list of query {}: there is no {}", context.query_id, unknown.join(", "));
    }
    spending::count_perf_events(tally, events);
}

/// What the processor did, as a line for people; `None`: it was not counted.
pub fn processor_told(counters: &Counters) -> Option<String> {
    let get = |event| Some(counters.get(event)).filter(|value| *value > 0);
    let (cycles, instructions) = (get(Event::PerfCPUCycles)?, get(Event::PerfInstructions)?);
    let mut told = format!("{:.2} instructions per cycle", instructions as f64 / cycles as f64);
    let share = |misses, all| Some(get(misses)? as f64 * 100.0 / get(all)? as f64);
    if let Some(percent) = share(Event::PerfCacheMisses, Event::PerfCacheReferences) {
        told.push_str(&format!("; {percent:.1} % of look-ups missed the cache"));
    }
    if let Some(percent) = share(Event::PerfBranchMisses, Event::PerfBranchInstructions) {
        told.push_str(&format!("; {percent:.1} % of branches were mispredicted"));
    }
    if let Some(percent) = share(Event::PerfStalledCyclesBackend, Event::PerfCPUCycles) {
        told.push_str(&format!("; {percent:.1} % of cycles waited for data or units"));
    }
    Some(told)
}

impl QueryContext {
    /// Says what a task of the query waits for, until the answer is dropped.
    pub fn waits_for(&self, what: Wait) -> Option<Waiting> {
        self.memory.tally().map(|tally| Spending::waiting(tally, what))
    }

    /// The calling thread works for the query as long as the answer lives, and allocates for whom it did before.
    pub fn works(&self) -> Option<Working> {
        self.memory.tally().map(spending::working)
    }

    /// Brings the counters of what its threads did up to date.
    pub fn settle(&self) {
        let Some(tally) = self.memory.tally() else { return };
        spending::settle(tally);
        for (event, value) in events_of(&tally.spending().news()) {
            self.counters.add(event, value);
        }
    }

    /// What was counted under this context, and what threads spent on a part of the query's work, by the names of events.
    pub fn events_of_part(&self, part: &Arc<Tally>) -> Vec<(&'static str, u64)> {
        spending::settle(part);
        let spent = part.spending().total();
        let rest = [(Event::UnattributedTimeMicroseconds, spent.unattributed())];
        let of_time = events_of(&spent).chain(rest.into_iter().filter(|(_, micros)| *micros > 0));
        self.counters.nonzero().into_iter().chain(of_time).map(|(event, value)| (event.name(), value)).collect()
    }

    /// As `settle`, and says where the time by the clock went. To be called once, when the query ends.
    pub fn settle_at_end(&self) {
        self.settle();
        let Some(tally) = self.memory.tally() else { return };
        let wall = tally.spending().wall();
        for (event, value) in [
            (Event::WallUserMicroseconds, wall.user),
            (Event::WallSystemMicroseconds, wall.system),
            (Event::WallRunnableMicroseconds, wall.runnable),
            (Event::WallDiskMicroseconds, wall.disk),
            (Event::WallNetworkMicroseconds, wall.network),
            (Event::WallLockMicroseconds, wall.lock),
            (Event::WallClientMicroseconds, wall.client),
            (Event::WallSleepMicroseconds, wall.sleep),
            (Event::WallUnattributedMicroseconds, wall.unattributed),
            (Event::UnattributedTimeMicroseconds, tally.spending().total().unattributed()),
        ] {
            if value > 0 {
                self.counters.add(event, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_the_processor_have_the_names_that_settings_have() {
        for event in PerfEvent::ALL {
            assert_eq!(event_of(*event).name(), event.name());
        }
    }

    #[test]
    fn what_the_processor_did_is_told_where_it_was_counted() {
        let counters = Counters::with_parent(None);
        assert_eq!(processor_told(&counters), None);
        for (event, value) in [
            (Event::PerfCPUCycles, 1000),
            (Event::PerfInstructions, 2500),
            (Event::PerfBranchInstructions, 400),
            (Event::PerfBranchMisses, 10),
        ] {
            counters.add(event, value);
        }
        assert_eq!(
            processor_told(&counters).as_deref(),
            Some("2.50 instructions per cycle; 2.5 % of branches were mispredicted")
        );
    }
}
