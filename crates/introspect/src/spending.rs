//! What threads spent on a query, as events of its counters.

use gristmill_base::spending::{self, Spending, Spent, Wait, Waiting, Working};

use crate::context::QueryContext;
use crate::events::Event;

/// What was spent, by the events that tell it.
pub(crate) fn events_of(spent: &Spent) -> [(Event, u64); 15] {
    [
        (Event::RealTimeMicroseconds, spent.real),
        (Event::UserTimeMicroseconds, spent.user),
        (Event::SystemTimeMicroseconds, spent.system),
        (Event::OSCPUVirtualTimeMicroseconds, spent.user + spent.system),
        (Event::OSCPUWaitMicroseconds, spent.runnable),
        (Event::OSIOWaitMicroseconds, spent.disk),
        (Event::LockWaitMicroseconds, spent.lock),
        (Event::SoftPageFaults, spent.soft_faults),
        (Event::HardPageFaults, spent.hard_faults),
        (Event::VoluntaryContextSwitches, spent.voluntary_switches),
        (Event::InvoluntaryContextSwitches, spent.involuntary_switches),
        (Event::OSReadChars, spent.read_chars),
        (Event::OSWriteChars, spent.write_chars),
        (Event::OSReadBytes, spent.read_bytes),
        (Event::OSWriteBytes, spent.write_bytes),
    ]
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
            if value > 0 {
                self.counters.add(event, value);
            }
        }
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
            (Event::WallUnattributedMicroseconds, wall.unattributed),
        ] {
            if value > 0 {
                self.counters.add(event, value);
            }
        }
    }
}
