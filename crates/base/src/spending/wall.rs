//! The time of a query by the clock, parted: while threads work for it, by what they do; while none does, by what its tasks
//! wait for. Of several waits at a time the one counts that stands first in `Wait`: those behind it mostly wait for it.
//! What is woken and not polled yet (`Woken`) waits for a thread.

use std::sync::Arc;

use super::Spent;
use super::woken::Whole;
use crate::allocations::Tally;

/// What tasks of a query wait for, off their threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A thread that goes on with it, or a processor for that one: what there is to do is there.
    Thread,
    /// Bytes of object storage or another server.
    Network,
    /// Bytes of a disk.
    Disk,
    /// Something that another holds.
    Lock,
    /// The client: it is to send rows, or to take some.
    Client,
    /// Nothing: it may not go on sooner.
    Sleep,
}

impl Wait {
    /// In the order in which they count.
    pub const ALL: [Wait; KINDS] = [Wait::Thread, Wait::Network, Wait::Disk, Wait::Lock, Wait::Client, Wait::Sleep];
}

/// How many there are of them.
const KINDS: usize = Wait::Sleep as usize + 1;

/// A task waits as long as it lives.
#[derive(Debug)]
pub struct Waiting {
    tally: Arc<Tally>,
    what: Wait,
}

impl Waiting {
    pub(super) fn new(tally: Arc<Tally>, what: Wait) -> Waiting {
        Waiting { tally, what }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.tally.spending().waited(self.what);
    }
}

/// Times in nanoseconds of the kernel's clock.
#[derive(Debug, Default)]
pub struct Clock {
    /// When it began; 0: it has not.
    begun: u64,
    /// Until when the time is parted.
    parted: u64,
    threads: u32,
    threads_peak: u32,
    /// The thread that left last; 0: none has come yet.
    left_last: u32,
    busy: u64,
    /// Who is woken by one thread may be polled by another before that is counted here: less than nothing for a moment.
    waits: [i32; KINDS],
    /// Parts of tasks that are woken and not polled.
    woken_parts: i32,
    idle: [u64; KINDS],
    /// Of that, what `take_waits` has not given yet.
    idle_untold: [u64; KINDS],
    idle_unattributed: u64,
}

impl Clock {
    pub const fn new() -> Clock {
        Clock {
            begun: 0,
            parted: 0,
            threads: 0,
            threads_peak: 0,
            left_last: 0,
            busy: 0,
            waits: [0; KINDS],
            woken_parts: 0,
            idle: [0; KINDS],
            idle_untold: [0; KINDS],
            idle_unattributed: 0,
        }
    }

    /// Says of the time up to now what it was. Gives how much of it nobody named.
    fn part(&mut self, now: u64) -> u64 {
        if self.begun == 0 {
            (self.begun, self.parted) = (now, now);
            return 0;
        }
        // Threads look at the clock before they come here, one after the other.
        let passed = now.saturating_sub(self.parted);
        self.parted = self.parted.max(now);
        if self.threads > 0 {
            self.busy += passed;
            return 0;
        }
        match self.counts() {
            Some(what) => {
                self.idle[what as usize] += passed;
                self.idle_untold[what as usize] += passed;
                0
            }
            None => {
                self.idle_unattributed += passed;
                passed
            }
        }
    }

    /// What counts of all that is waited for. `None`: nobody says.
    fn counts(&self) -> Option<Wait> {
        let named = Wait::ALL.into_iter().find(|wait| self.waits[*wait as usize] > 0);
        named.or((self.woken_parts > 0).then_some(Wait::Thread))
    }

    /// `late`: for how long the thread was ready before, since nobody had named `unnamed`; `None`: since something happened last.
    pub fn thread_comes(&mut self, thread: u32, now: u64, late: u64, unnamed: Option<u64>) {
        // What was waited for before any thread came is the first one's.
        self.left_last = if self.left_last == 0 { thread } else { self.left_last };
        let unnamed = unnamed.unwrap_or(self.idle_unattributed);
        self.part(now);
        self.was_ready(late, unnamed);
        self.threads += 1;
        self.threads_peak = self.threads_peak.max(self.threads);
    }

    /// Gives how much of the time so far nobody named, which the thread may do later (`was_ready`).
    pub fn thread_leaves(&mut self, thread: u32, now: u64) -> u64 {
        self.part(now);
        self.threads = self.threads.saturating_sub(1);
        self.left_last = thread;
        self.idle_unattributed
    }

    /// A thread had something to do for the query, were it only to wake another, and was ready for so long without a processor, since
    /// nobody had named `unnamed`: it was waited for in what nobody named since then. Another thread may have said so of that time already.
    pub fn was_ready(&mut self, late: u64, unnamed: u64) {
        let late = late.min(self.idle_unattributed.saturating_sub(unnamed));
        self.idle_unattributed -= late;
        self.idle[Wait::Thread as usize] += late;
    }

    /// While a thread works, what is waited for does not count: nobody has to look at the clock.
    pub fn is_busy(&self) -> bool {
        self.threads > 0
    }

    /// What was waited for while no thread worked, since this was asked last, and whose that is: the thread's that had left last.
    pub fn take_waits(&mut self) -> Option<(u32, Spent)> {
        let mut taken = Wait::ALL.map(|what| self.idle_untold[what as usize] / 1000);
        // Threads are blocked by disks and locks, too, sleep, and wait for processors; their own figures have that.
        [Wait::Thread, Wait::Disk, Wait::Lock, Wait::Sleep].iter().for_each(|what| taken[*what as usize] = 0);
        if self.left_last == 0 || taken.iter().all(|micros| *micros == 0) {
            return None;
        }
        // What is less than a microsecond is told with what comes next.
        self.idle_untold.iter_mut().zip(taken).for_each(|(untold, taken)| *untold -= taken * 1000);
        let (network, client) = (taken[Wait::Network as usize], taken[Wait::Client as usize]);
        Some((self.left_last, Spent { network, client, ..Spent::NOTHING }))
    }

    pub fn begins_to_wait(&mut self, what: Wait, now: u64) {
        self.part(now);
        self.waits[what as usize] += 1;
    }

    pub fn ends_to_wait(&mut self, what: Wait, now: u64) {
        self.part(now);
        self.waits[what as usize] -= 1;
    }

    /// Gives how much of the time up to now, since something happened last, nobody named.
    pub(super) fn is_woken(&mut self, whole: Whole, now: u64) -> u64 {
        let unnamed = self.part(now);
        *self.woken(whole) += 1;
        unnamed
    }

    /// What was woken is polled, or never will be. By a thread that came: up to then the time is parted.
    pub(super) fn goes_on(&mut self, whole: Whole) {
        *self.woken(whole) -= 1;
    }

    fn woken(&mut self, whole: Whole) -> &mut i32 {
        match whole {
            Whole::Task => &mut self.waits[Wait::Thread as usize],
            Whole::Part => &mut self.woken_parts,
        }
    }

    pub fn threads_peak(&self) -> u32 {
        self.threads_peak
    }

    pub fn waits_now(&self) -> Option<Option<Wait>> {
        let is_idle = self.begun > 0 && self.threads == 0;
        is_idle.then(|| self.counts())
    }

    /// `spent`: what all threads did.
    pub fn wall(&self, now: u64, spent: &Spent) -> Wall {
        let mut clock = Clock { ..*self };
        clock.part(now);
        let busy = clock.busy / 1000;
        // On-thread time of several threads at a time is parted as that of all of them is.
        let named = [spent.user, spent.system, spent.runnable, spent.disk, spent.lock, spent.sleep];
        let whole = spent.real.max(named.iter().sum());
        let share = |part: u64| if whole == 0 { 0 } else { (part as u128 * busy as u128 / whole as u128) as u64 };
        let shares = named.map(share);
        let [user, system, runnable, disk, lock, sleep] = shares;
        let [idle_runnable, network, idle_disk, idle_lock, client, idle_sleep] = clock.idle.map(|time| time / 1000);
        let unattributed = busy.saturating_sub(shares.iter().sum()) + clock.idle_unattributed / 1000;
        let (runnable, disk) = (runnable + idle_runnable, disk + idle_disk);
        let (lock, sleep) = (lock + idle_lock, sleep + idle_sleep);
        Wall { user, system, runnable, disk, network, lock, client, sleep, unattributed }
    }
}

/// Where the time went, in microseconds; the parts add up to the time that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wall {
    pub user: u64,
    pub system: u64,
    pub runnable: u64,
    pub disk: u64,
    pub network: u64,
    pub lock: u64,
    pub client: u64,
    pub sleep: u64,
    pub unattributed: u64,
}

impl Wall {
    pub fn parts(&self) -> [(&'static str, u64); 9] {
        [
            ("user", self.user),
            ("system", self.system),
            ("runnable", self.runnable),
            ("disk", self.disk),
            ("network", self.network),
            ("lock", self.lock),
            ("client", self.client),
            ("sleep", self.sleep),
            ("unattributed", self.unattributed),
        ]
    }

    pub fn total(&self) -> u64 {
        self.parts().iter().map(|(_, micros)| micros).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn time_without_threads_is_that_of_the_wait_that_stands_first() {
        let mut clock = Clock::new();
        clock.thread_comes(7, 10 * MS, 5 * MS, None);
        clock.begins_to_wait(Wait::Client, 20 * MS);
        assert_eq!(clock.waits_now(), None, "a thread works");
        clock.thread_leaves(7, 30 * MS);
        assert_eq!(clock.waits_now(), Some(Some(Wait::Client)));
        clock.begins_to_wait(Wait::Network, 40 * MS);
        assert_eq!(clock.waits_now(), Some(Some(Wait::Network)));
        clock.ends_to_wait(Wait::Network, 70 * MS);
        clock.ends_to_wait(Wait::Client, 75 * MS);
        assert_eq!(clock.waits_now(), Some(None), "nobody says what for");
        let spent = Spent { real: 20_000, user: 15_000, runnable: 5_000, ..Spent::default() };
        let wall = clock.wall(80 * MS, &spent);
        let expected =
            Wall { user: 15_000, runnable: 5_000, network: 30_000, client: 15_000, unattributed: 5_000, ..Wall::default() };
        assert_eq!(wall, expected);
        assert_eq!(wall.total(), 70_000);
    }

    #[test]
    fn threads_at_a_time_share_the_time_that_passed() {
        let mut clock = Clock::new();
        clock.thread_comes(7, MS, 0, None);
        clock.thread_comes(7, MS, 0, None);
        clock.thread_leaves(7, 11 * MS);
        clock.thread_leaves(7, 11 * MS);
        let spent = Spent { real: 20_000, user: 10_000, disk: 5_000, sleep: 2_000, ..Spent::default() };
        let wall = clock.wall(11 * MS, &spent);
        assert_eq!((wall.user, wall.disk, wall.sleep, wall.unattributed), (5_000, 2_500, 1_000, 1_500));
        assert_eq!(clock.threads_peak(), 2);
    }

    #[test]
    fn a_thread_that_had_to_wait_for_a_processor_says_so_when_it_comes() {
        let mut clock = Clock::new();
        clock.thread_comes(7, MS, 0, None);
        clock.thread_leaves(7, 2 * MS);
        clock.thread_comes(7, 12 * MS, 7 * MS, None);
        clock.thread_leaves(7, 12 * MS);
        clock.begins_to_wait(Wait::Network, 12 * MS);
        clock.thread_comes(7, 22 * MS, 7 * MS, None);
        let wall = clock.wall(22 * MS, &Spent { real: 1_000, user: 1_000, ..Spent::default() });
        assert_eq!((wall.user, wall.runnable, wall.network, wall.unattributed), (1_000, 7_000, 10_000, 3_000));
        assert_eq!(wall.total(), 21_000);
    }

    #[test]
    fn a_task_that_is_woken_waits_for_a_thread_whatever_others_wait_for() {
        let mut clock = Clock::new();
        clock.thread_comes(7, MS, 0, None);
        clock.begins_to_wait(Wait::Network, 2 * MS);
        clock.is_woken(Whole::Task, 3 * MS);
        clock.thread_leaves(7, 5 * MS);
        clock.thread_comes(8, 12 * MS, 0, None);
        clock.goes_on(Whole::Task);
        clock.thread_leaves(8, 13 * MS);
        assert_eq!(clock.waits_now(), Some(Some(Wait::Network)));
        clock.is_woken(Whole::Part, 16 * MS);
        clock.ends_to_wait(Wait::Network, 17 * MS);
        clock.thread_comes(7, 20 * MS, 0, None);
        let wall = clock.wall(20 * MS, &Spent { real: 5_000, user: 5_000, ..Spent::default() });
        assert_eq!((wall.user, wall.runnable, wall.network), (5_000, 10_000, 4_000));
        assert_eq!((wall.total(), wall.unattributed), (19_000, 0));
    }

    #[test]
    fn a_thread_that_had_no_processor_to_wake_another_task_says_so_when_it_does() {
        let mut clock = Clock::new();
        clock.thread_comes(7, MS, 0, None);
        let unnamed = clock.thread_leaves(7, 2 * MS);
        assert_eq!(clock.is_woken(Whole::Task, 12 * MS), 10 * MS, "nobody said what for");
        clock.was_ready(8 * MS, unnamed);
        clock.thread_comes(8, 15 * MS, 0, None);
        clock.goes_on(Whole::Task);
        let unnamed_then = clock.thread_leaves(8, 16 * MS);
        // Two say so of the same time.
        clock.was_ready(8 * MS, unnamed);
        clock.was_ready(8 * MS, unnamed_then);
        let wall = clock.wall(16 * MS, &Spent { real: 2_000, user: 2_000, ..Spent::default() });
        assert_eq!((wall.user, wall.runnable, wall.unattributed, wall.total()), (2_000, 13_000, 0, 15_000));
    }

    #[test]
    fn what_is_waited_for_without_threads_is_that_of_the_one_that_left_last() {
        let mut clock = Clock::new();
        clock.begins_to_wait(Wait::Network, MS);
        clock.ends_to_wait(Wait::Network, 4 * MS);
        assert_eq!(clock.take_waits(), None, "there is no thread that it could be told of");
        clock.thread_comes(7, 5 * MS, 0, None);
        clock.thread_comes(8, 5 * MS, 0, None);
        let waited = |network, client| Spent { network, client, ..Spent::NOTHING };
        assert_eq!(clock.take_waits(), Some((7, waited(3_000, 0))));
        clock.begins_to_wait(Wait::Network, 6 * MS);
        clock.thread_leaves(7, 7 * MS);
        assert_eq!(clock.take_waits(), None, "one works");
        clock.thread_leaves(8, 9 * MS);
        clock.ends_to_wait(Wait::Network, 20 * MS + 900);
        clock.begins_to_wait(Wait::Client, 20 * MS + 900);
        clock.begins_to_wait(Wait::Lock, 22 * MS + 900);
        clock.thread_comes(7, 23 * MS, 0, None);
        assert_eq!(clock.take_waits(), Some((8, waited(11_000, 2_000))));
        assert_eq!(clock.take_waits(), None);
        clock.thread_leaves(7, 24 * MS);
        let wall = clock.wall(24 * MS, &Spent::NOTHING);
        assert_eq!((wall.network, wall.client), (14_000, 2_000), "the threads' waits add up to those by the clock");
    }
}
