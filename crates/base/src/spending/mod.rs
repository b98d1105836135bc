//! Where the time of a query goes: what its threads did, and what it waited for while none worked for it.
//!
//! A thread works for a tally from the moment it enters it to the moment it leaves (`allocations::enter`); that is on-thread
//! time. What the kernel says of such stretches (`kernel`) parts it into computing in the program and in the kernel, being
//! ready while no processor was free, and being blocked; what blocks for a known reason is told apart by whoever knows it
//! (`blocked`). Time in which no thread works for a query is parted by what its tasks say they wait for (`Waiting`), and by
//! whether one of them is woken and waits for a thread (`Woken`). So `Spending::wall` adds up to the time that passed, and what
//! nobody could name is "unattributed". No thread is blocked by the network, as it turns to something else: what a query waits
//! for then is told of the thread that left it last.
//!
//! Some of a query's work may be told by itself, as that of a view: what threads do within it (`allocations::enter_part`) is
//! credited to a tally of its own besides.

mod kernel;
mod perf;
mod thread;
mod wall;
mod woken;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::allocations::Tally;

pub(crate) use kernel::now_ns;
pub use perf::{PerfCounts, PerfEvent, PerfEvents};
pub(crate) use thread::{Busy, busy_for, left, profile_begins, works_for};
pub use thread::{Working, at_work, blocked, count_perf_events, given_to_threads, read_rows, settle, working, wrote_rows};
pub use wall::{Wait, Waiting, Wall};
pub use woken::Woken;
pub(crate) use woken::thread_sleeps;

/// What one or several threads spent. Times are in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// On-thread time.
    pub real: u64,
    /// Computing outside of the kernel.
    pub user: u64,
    /// Computing in the kernel.
    pub system: u64,
    /// Ready, but no processor was free.
    pub runnable: u64,
    /// Blocked by a disk.
    pub disk: u64,
    /// Blocked by a lock that others held.
    pub lock: u64,
    /// Asleep, since the query asked for that.
    pub sleep: u64,
    /// Not on-thread time: the thread left last, and then all waited for object storage or another server.
    pub network: u64,
    /// The same of the client.
    pub client: u64,
    /// Page faults that needed no disk.
    pub soft_faults: u64,
    /// Page faults that did.
    pub hard_faults: u64,
    /// Context switches: the thread had to wait for something.
    pub voluntary_switches: u64,
    /// Context switches: the processor was given to another.
    pub involuntary_switches: u64,
    /// Bytes that system calls read, from caches of the kernel too.
    pub read_chars: u64,
    pub write_chars: u64,
    /// Bytes that came from disks.
    pub read_bytes: u64,
    /// Bytes that go to disks.
    pub write_bytes: u64,
    /// Rows that sources gave.
    pub rows_read: u64,
    pub rows_read_bytes: u64,
    /// Rows that sinks took.
    pub rows_written: u64,
    pub rows_written_bytes: u64,
    /// Where it was asked for.
    pub perf: PerfCounts,
}

impl Spent {
    pub const NOTHING: Spent = Spent {
        real: 0,
        user: 0,
        system: 0,
        runnable: 0,
        disk: 0,
        lock: 0,
        sleep: 0,
        network: 0,
        client: 0,
        soft_faults: 0,
        hard_faults: 0,
        voluntary_switches: 0,
        involuntary_switches: 0,
        read_chars: 0,
        write_chars: 0,
        read_bytes: 0,
        write_bytes: 0,
        rows_read: 0,
        rows_read_bytes: 0,
        rows_written: 0,
        rows_written_bytes: 0,
        perf: PerfCounts::NOTHING,
    };

    /// Each figure of both.
    fn zip(&mut self, other: &Spent, with: impl Fn(&mut u64, u64)) {
        with(&mut self.real, other.real);
        with(&mut self.user, other.user);
        with(&mut self.system, other.system);
        with(&mut self.runnable, other.runnable);
        with(&mut self.disk, other.disk);
        with(&mut self.lock, other.lock);
        with(&mut self.sleep, other.sleep);
        with(&mut self.network, other.network);
        with(&mut self.client, other.client);
        with(&mut self.soft_faults, other.soft_faults);
        with(&mut self.hard_faults, other.hard_faults);
        with(&mut self.voluntary_switches, other.voluntary_switches);
        with(&mut self.involuntary_switches, other.involuntary_switches);
        with(&mut self.read_chars, other.read_chars);
        with(&mut self.write_chars, other.write_chars);
        with(&mut self.read_bytes, other.read_bytes);
        with(&mut self.write_bytes, other.write_bytes);
        with(&mut self.rows_read, other.rows_read);
        with(&mut self.rows_read_bytes, other.rows_read_bytes);
        with(&mut self.rows_written, other.rows_written);
        with(&mut self.rows_written_bytes, other.rows_written_bytes);
        self.perf.zip(&other.perf, &with);
    }

    pub fn add(&mut self, other: &Spent) {
        self.zip(other, |sum, value| *sum = sum.saturating_add(value));
    }

    /// Of the on-thread time, what is neither computing nor waiting for anything that has a name.
    pub fn unattributed(&self) -> u64 {
        self.real.saturating_sub(self.user + self.system + self.runnable + self.disk + self.lock + self.sleep)
    }

    /// What came since `before`.
    #[must_use]
    pub fn since(mut self, before: &Spent) -> Spent {
        self.zip(before, |now, before| *now = now.saturating_sub(before));
        self
    }
}

/// What one thread spent on a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfThread {
    /// The kernel's id of it.
    pub id: u32,
    pub spent: Spent,
    /// Bytes that it allocated less those that it freed, and the most that this was.
    pub memory: i64,
    pub memory_peak: i64,
}

/// Why a thread is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    Disk,
    Lock,
    /// The query wants to sleep.
    Sleep,
}

/// What is spent on a tally.
#[derive(Debug, Default)]
pub struct Spending(Mutex<Figures>);

#[derive(Debug, Default)]
struct Figures {
    threads: Vec<OfThread>,
    clock: wall::Clock,
    /// What `news` told.
    told: Spent,
}

impl Figures {
    fn of_thread(&mut self, id: u32) -> &mut OfThread {
        let at = match self.threads.iter().position(|thread| thread.id == id) {
            Some(at) => at,
            None => {
                self.threads.push(OfThread { id, spent: Spent::default(), memory: 0, memory_peak: 0 });
                self.threads.len() - 1
            }
        };
        &mut self.threads[at]
    }

    /// The time, where anything depends on it.
    fn now(&self) -> u64 {
        if self.clock.is_busy() { 0 } else { kernel::now_ns() }
    }

    /// Credits what was waited for while no thread worked.
    fn credit_waits(&mut self) {
        if let Some((thread, spent)) = self.clock.take_waits() {
            self.of_thread(thread).spent.add(&spent);
        }
    }

    fn total(&mut self) -> Spent {
        self.credit_waits();
        let mut sum = Spent::NOTHING;
        self.threads.iter().for_each(|thread| sum.add(&thread.spent));
        sum
    }
}

impl Spending {
    pub const fn new() -> Self {
        Spending(Mutex::new(Figures { threads: Vec::new(), clock: wall::Clock::new(), told: Spent::NOTHING }))
    }

    fn credit(&self, thread: u32, spent: &Spent) {
        self.0.lock().of_thread(thread).spent.add(spent);
    }

    /// A thread held that many bytes more at most, since this was said last, and holds `now` more.
    fn held(&self, thread: u32, now: i64, peak: i64) {
        let mut figures = self.0.lock();
        let thread = figures.of_thread(thread);
        thread.memory_peak = thread.memory_peak.max(thread.memory.saturating_add(peak));
        thread.memory = thread.memory.saturating_add(now);
    }

    /// A thread begins to work, at that time, and was ready for so many nanoseconds before it got a processor (`Clock::thread_comes`).
    fn thread_comes(&self, thread: u32, now: u64, late: u64, unnamed: Option<u64>) {
        let mut figures = self.0.lock();
        figures.clock.thread_comes(thread, now, late, unnamed);
        // Before another may leave last.
        figures.credit_waits();
    }

    fn thread_leaves(&self, thread: u32, now: u64) -> u64 {
        self.0.lock().clock.thread_leaves(thread, now)
    }

    fn was_ready(&self, late: u64, unnamed: u64) {
        self.0.lock().clock.was_ready(late, unnamed);
    }

    /// What each thread spent so far, in the order in which they came. `settle` brings it up to date.
    pub fn threads(&self) -> Vec<OfThread> {
        let mut figures = self.0.lock();
        figures.credit_waits();
        figures.threads.clone()
    }

    /// What all threads spent so far.
    pub fn total(&self) -> Spent {
        self.0.lock().total()
    }

    /// What all threads spent since this was asked last.
    pub fn news(&self) -> Spent {
        let mut figures = self.0.lock();
        let total = figures.total();
        let news = total.since(&figures.told);
        figures.told = total;
        news
    }

    /// The most threads that worked at a time.
    pub fn threads_peak(&self) -> u32 {
        self.0.lock().clock.threads_peak()
    }

    /// Where the time went since the tally was made.
    pub fn wall(&self) -> Wall {
        let mut figures = self.0.lock();
        let total = figures.total();
        figures.clock.wall(kernel::now_ns(), &total)
    }

    /// Says what a task waits for, until the answer is dropped.
    pub fn waiting(tally: &Arc<Tally>, what: Wait) -> Waiting {
        let mut figures = tally.spending().0.lock();
        let now = figures.now();
        figures.clock.begins_to_wait(what, now);
        drop(figures);
        Waiting::new(tally.clone(), what)
    }

    /// What is waited for while no thread works; `None` inside: nobody says. `None`: a thread works, or none ever did.
    pub fn waits_now(&self) -> Option<Option<Wait>> {
        self.0.lock().clock.waits_now()
    }

    /// Something could go on from here on, or since something happened last (`was_put_off`).
    fn is_woken(&self, whole: woken::Whole, was_put_off: bool) {
        let unnamed = {
            let mut figures = self.0.lock();
            let now = figures.now();
            let unnamed = figures.clock.is_woken(whole, now);
            if was_put_off {
                figures.clock.was_ready(unnamed, 0);
                return;
            }
            unnamed
        };
        thread::wakes(self, unnamed);
    }

    /// It does.
    fn goes_on(&self, whole: woken::Whole) {
        self.0.lock().clock.goes_on(whole);
    }

    fn waited(&self, what: Wait) {
        let mut figures = self.0.lock();
        let now = figures.now();
        figures.clock.ends_to_wait(what, now);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::allocations;

    /// Computes until the thread has had so much of a processor; gives how much that was, in microseconds. (By the clock it may
    /// take longer: others want processors too, and so do other machines of the host.)
    fn compute(time: Duration) -> u64 {
        let begun = kernel::own_cpu_ns();
        let mut sum = 0_u64;
        loop {
            for _ in 0..1000 {
                sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
            }
            let passed = kernel::own_cpu_ns() - begun;
            if u128::from(passed) >= time.as_nanos() {
                return passed / 1000;
            }
        }
    }

    #[test]
    fn computing_is_told_from_waiting_and_all_of_it_adds_up() {
        let tally = Arc::new(Tally::new());
        // Its clock begins.
        drop(allocations::enter(&tally));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _entered = allocations::enter(&tally);
                compute(Duration::from_millis(60));
            });
        });
        {
            let _waiting = Spending::waiting(&tally, Wait::Network);
            std::thread::sleep(Duration::from_millis(80));
        }
        {
            let _entered = allocations::enter(&tally);
            blocked(Blocked::Lock, || std::thread::sleep(Duration::from_millis(40)));
            blocked(Blocked::Sleep, || std::thread::sleep(Duration::from_millis(30)));
        }
        settle(&tally);
        let (wall, all) = (tally.spending().wall(), begun.elapsed().as_micros() as u64);
        assert_eq!(tally.spending().threads().len(), 2);
        assert!(wall.total().abs_diff(all) < all / 10, "{wall:?} of {all}");
        let of = |name: &str| wall.parts().iter().find(|(part, _)| *part == name).map_or(0, |(_, micros)| *micros);
        assert!(of("user") + of("system") + of("runnable") >= 55_000, "{wall:?}");
        assert!(of("network") >= 75_000, "{wall:?}");
        assert!(of("lock") >= 35_000, "{wall:?}");
        assert!(of("sleep") >= 25_000, "{wall:?}");
    }

    #[test]
    fn what_a_thread_did_for_one_is_not_what_it_did_for_another() {
        let (a, b) = (Arc::new(Tally::new()), Arc::new(Tally::new()));
        let (mut of_a, mut of_b) = (0, 0);
        for _ in 0..5 {
            let entered = allocations::enter(&a);
            of_a += compute(Duration::from_millis(10));
            drop(entered);
            let _entered = allocations::enter(&b);
            of_b += compute(Duration::from_millis(2));
        }
        settle(&a);
        settle(&b);
        let cpu = |tally: &Arc<Tally>| {
            let spent = tally.spending().total();
            spent.user + spent.system
        };
        let is_about = |told: u64, computed: u64| told.abs_diff(computed) < computed / 5;
        assert!(is_about(cpu(&a), of_a) && is_about(cpu(&b), of_b), "{} of {of_a}, {} of {of_b}", cpu(&a), cpu(&b));
    }

    #[test]
    fn a_query_that_runs_is_read_from_outside() {
        let tally = Arc::new(Tally::new());
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _entered = allocations::enter(&tally);
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    compute(Duration::from_millis(1));
                }
            });
            let mut seen = 0;
            for _ in 0..2000 {
                std::thread::sleep(Duration::from_millis(1));
                settle(&tally);
                let spent = tally.spending().total();
                seen = spent.user + spent.system;
                if seen > 5_000 {
                    break;
                }
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(seen > 5_000, "{seen}");
        });
    }
}
