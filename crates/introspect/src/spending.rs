//! What threads spent on a query, as events of its counters.

use gristmill_base::spending::{self, Spending, Wait, Waiting, Working};

use crate::context::QueryContext;
use crate::events::Event;

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
        let news = tally.spending().news();
        for (event, value) in [
            (Event::RealTimeMicroseconds, news.real),
            (Event::UserTimeMicroseconds, news.user),
            (Event::SystemTimeMicroseconds, news.system),
            (Event::OSCPUVirtualTimeMicroseconds, news.user + news.system),
            (Event::OSCPUWaitMicroseconds, news.runnable),
            (Event::OSIOWaitMicroseconds, news.disk),
            (Event::LockWaitMicroseconds, news.lock),
            (Event::SoftPageFaults, news.soft_faults),
            (Event::HardPageFaults, news.hard_faults),
            (Event::VoluntaryContextSwitches, news.voluntary_switches),
            (Event::InvoluntaryContextSwitches, news.involuntary_switches),
            (Event::OSReadChars, news.read_chars),
            (Event::OSWriteChars, news.write_chars),
            (Event::OSReadBytes, news.read_bytes),
            (Event::OSWriteBytes, news.write_bytes),
        ] {
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
