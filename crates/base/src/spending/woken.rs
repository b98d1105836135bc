//! The moment at which a task is woken. From then until it is polled it could go on and has no thread: all of them do other
//! things, or the one that is to poll it gets no processor.
//!
//! A task that yields (DataFusion's exchanges do after some batches, and so does whatever Tokio finds to be greedy) is not woken
//! at once: the runtime keeps its waker until the thread has looked after other tasks, which may be of other queries. It is woken by the
//! thread that polled it then, outside of any task, before that thread slept: so it is known for what it is (`Turn`).

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

use crate::allocations::{self, Tally};

/// Polls what works for a tally, and notes when it is woken.
#[derive(Debug)]
pub struct Woken {
    noted: Arc<Noted>,
    /// The same, for those that wake it.
    waker: Waker,
}

/// What is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// All that a task does.
    Task,
    /// Some of it: the task may wait for something else before it comes back to this.
    Part,
}

#[derive(Debug)]
struct Noted {
    tally: Arc<Tally>,
    whole: Whole,
    state: AtomicU8,
    /// When it was polled last.
    turn: AtomicU64,
    /// The task's own.
    waker: Mutex<Waker>,
}

/// It is polled, or waits for something.
const RUNS: u8 = 0;
/// It was woken and not polled since, or gave something to the task that polls it, or is over and not dropped.
const READY: u8 = 1;
const OVER: u8 = 2;

/// A thread's time between two sleeps, by a number that no other has; 0: of a thread that is none of a runtime's.
struct Turn;

thread_local! {
    static TURN: Cell<u64> = const { Cell::new(0) };
}

impl Turn {
    fn now() -> u64 {
        TURN.try_with(Cell::get).unwrap_or(0)
    }

    fn next() {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let _ = TURN.try_with(|turn| turn.set(LAST.fetch_add(1, Ordering::Relaxed) + 1));
    }
}

/// The calling thread, one of a runtime's, is about to sleep: what wakes a task from here on is not that it was put off.
pub(crate) fn thread_sleeps() {
    Turn::next();
}

impl Woken {
    /// For all that a task does. It was spawned just now, and waits for its first thread.
    pub(crate) fn of_task(tally: Arc<Tally>) -> Woken {
        tally.spending().is_woken(Whole::Task, false);
        Woken::new(tally, Whole::Task, READY)
    }

    /// For what a task does among other things. It is the task's turn until it polls this, and again with all that this gives it.
    pub fn within_task(tally: Arc<Tally>) -> Woken {
        tally.spending().is_woken(Whole::Part, false);
        Woken::new(tally, Whole::Part, READY)
    }

    fn new(tally: Arc<Tally>, whole: Whole, state: u8) -> Woken {
        let waker = Mutex::new(Waker::noop().clone());
        let noted = Arc::new(Noted { tally, whole, state: AtomicU8::new(state), turn: AtomicU64::new(0), waker });
        Woken { waker: Waker::from(noted.clone()), noted }
    }

    /// Polls it. The thread works for the tally already.
    pub fn poll<T>(&self, context: &Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        self.noted.goes_on(context.waker());
        let polled = poll(&mut Context::from_waker(&self.waker));
        // A task that is over is dropped next, and then whoever waits for it is woken: that takes a thread, too.
        if polled.is_ready() {
            self.noted.becomes_ready(false);
        } else {
            self.noted.turn.store(Turn::now(), Ordering::Release);
        }
        polled
    }
}

impl Drop for Woken {
    fn drop(&mut self) {
        self.noted.ends();
    }
}

impl Noted {
    fn goes_on(&self, waker: &Waker) {
        self.waker.lock().clone_from(waker);
        if self.state.swap(RUNS, Ordering::AcqRel) == READY {
            self.tally.spending().goes_on(self.whole);
        }
    }

    /// `was_put_off`: it could have gone on since it was polled last.
    fn becomes_ready(&self, was_put_off: bool) {
        if self.state.compare_exchange(RUNS, READY, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            self.tally.spending().is_woken(self.whole, was_put_off);
        }
    }

    fn is_put_off(&self) -> bool {
        let turn = Turn::now();
        let is_outside = !allocations::is_entered() && tokio::task::try_id().is_none();
        turn != 0 && turn == self.turn.load(Ordering::Acquire) && is_outside
    }

    fn ends(&self) {
        if self.state.swap(OVER, Ordering::AcqRel) == READY {
            self.tally.spending().goes_on(self.whole);
        }
        // Who waits to wake it may live on, and is not to hold the task.
        let tasks = std::mem::replace(&mut *self.waker.lock(), Waker::noop().clone());
        drop(tasks);
    }
}

impl Wake for Noted {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.becomes_ready(self.is_put_off());
        // Whoever is woken may come here again: the lock is not held meanwhile.
        let tasks = self.waker.lock().clone();
        tasks.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::allocations::counted;
    use crate::runtime::Task;
    use crate::spending::{Spending, Wait, settle};

    /// Tasks of others that leave no thread of the runtime free for so long; begun when this returns.
    fn occupy(threads: usize, time: Duration) {
        let (begins, begun) = std::sync::mpsc::channel();
        for _ in 0..threads {
            let begins = begins.clone();
            tokio::spawn(async move {
                let _ = begins.send(());
                std::thread::sleep(time);
            });
        }
        (0..threads).for_each(|_| begun.recv().expect("it runs"));
    }

    /// How much of the time until now a query waited for a thread or a processor, what has no name, and all of it.
    fn told(tally: &Arc<Tally>, begun: Instant) -> (Duration, Duration, Duration) {
        settle(tally);
        let wall = tally.spending().wall();
        (Duration::from_micros(wall.runnable), Duration::from_micros(wall.unattributed), begun.elapsed())
    }

    /// More tasks than threads, and the query's comes last.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_task_that_no_thread_takes_waits_for_one() {
        occupy(2, Duration::from_millis(200));
        let (tally, begun) = (Arc::new(Tally::new()), Instant::now());
        // The test's own thread sleeps, and the task waits for one of the two.
        let of_query =
            counted(Some(tally.clone()), async { Task::on(&tokio::runtime::Handle::current(), async {}).join().await });
        of_query.await.expect("done");
        let (runnable, unattributed, all) = told(&tally, begun);
        assert!(runnable >= Duration::from_millis(60), "{runnable:?} of {all:?}");
        assert!(unattributed <= all / 20 + Duration::from_millis(2), "{unattributed:?} of {all:?}");
    }

    /// What it waited for is there, and it has to wait for a thread again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_task_that_is_woken_waits_for_a_thread_until_it_is_polled() {
        let (tally, begun) = (Arc::new(Tally::new()), Instant::now());
        let of_query = counted(Some(tally.clone()), async {
            Task::on(&tokio::runtime::Handle::current(), async {
                let tally = crate::allocations::current().expect("the query's");
                let waiting = Spending::waiting(&tally, Wait::Network);
                tokio::time::sleep(Duration::from_millis(20)).await;
                drop(waiting);
                let (sender, receiver) = tokio::sync::oneshot::channel();
                tokio::spawn(async move {
                    // It is woken here, and this thread sleeps on.
                    let _ = sender.send(());
                    std::thread::sleep(Duration::from_millis(60));
                });
                let _ = receiver.await;
            })
            .join()
            .await
        });
        of_query.await.expect("done");
        let (runnable, unattributed, all) = told(&tally, begun);
        let network = Duration::from_micros(tally.spending().wall().network);
        assert!(network >= Duration::from_millis(15), "{network:?} of {all:?}");
        assert!(runnable >= Duration::from_millis(50), "{runnable:?} of {all:?}");
        assert!(unattributed <= all / 20 + Duration::from_millis(2), "{unattributed:?} of {all:?}");
    }

    /// It yields, and the thread turns to another's task before it comes back to it.
    #[tokio::test(flavor = "current_thread")]
    async fn a_task_that_is_put_off_waits_for_a_thread() {
        thread_sleeps();
        let tally = Arc::new(Tally::new());
        let of_query = counted(Some(tally.clone()), async {
            let begun = Instant::now();
            let of_another = tokio::spawn(async { std::thread::sleep(Duration::from_millis(60)) });
            tokio::task::yield_now().await;
            assert!(of_another.is_finished(), "it came first");
            begun
        });
        let begun = of_query.await;
        let (runnable, unattributed, all) = told(&tally, begun);
        assert!(runnable >= Duration::from_millis(50), "{runnable:?} of {all:?}");
        assert!(unattributed <= all / 20 + Duration::from_millis(2), "{unattributed:?} of {all:?}");
    }

    /// What it waited for came from outside, while the thread slept.
    #[tokio::test(flavor = "current_thread")]
    async fn a_task_that_waits_for_a_time_is_not_put_off() {
        thread_sleeps();
        let tally = Arc::new(Tally::new());
        let of_query = counted(Some(tally.clone()), async {
            let begun = Instant::now();
            let slept = tokio::time::sleep(Duration::from_millis(60));
            tokio::spawn(async { thread_sleeps() });
            slept.await;
            begun
        });
        let begun = of_query.await;
        let (_, unattributed, all) = told(&tally, begun);
        assert!(unattributed >= Duration::from_millis(30), "{unattributed:?} of {all:?}");
    }

    /// Between its last poll and its end a thread has to get to that.
    #[test]
    fn a_task_that_is_over_waits_for_a_thread_until_it_is_dropped() {
        let tally = Arc::new(Tally::new());
        let (of_task, task) = (Woken::of_task(tally.clone()), Context::from_waker(Waker::noop()));
        drop(crate::allocations::enter(&tally));
        assert_eq!(tally.spending().waits_now(), Some(Some(Wait::Thread)), "it was spawned");
        let _ = of_task.poll(&task, |_| Poll::<()>::Pending);
        assert_eq!(tally.spending().waits_now(), Some(None));
        let _ = of_task.poll(&task, |_| Poll::Ready(()));
        assert_eq!(tally.spending().waits_now(), Some(Some(Wait::Thread)));
        drop(of_task);
        assert_eq!(tally.spending().waits_now(), Some(None));
    }

    /// Whoever reads a query's rows may wait for the client that takes them, while the next ones are there.
    #[test]
    fn a_part_of_a_task_waits_for_a_thread_only_where_nothing_else_is_waited_for() {
        let tally = Arc::new(Tally::new());
        let (of_reader, task) = (Woken::within_task(tally.clone()), Context::from_waker(Waker::noop()));
        drop(crate::allocations::enter(&tally));
        let mut kept = None;
        let _ = of_reader.poll(&task, |context| {
            kept = Some(context.waker().clone());
            Poll::<()>::Pending
        });
        let kept = kept.expect("polled");
        kept.wake_by_ref();
        kept.wake_by_ref();
        assert_eq!(tally.spending().waits_now(), Some(Some(Wait::Thread)));
        let waiting = Spending::waiting(&tally, Wait::Client);
        assert_eq!(tally.spending().waits_now(), Some(Some(Wait::Client)));
        drop(waiting);
        let _ = of_reader.poll(&task, |_| Poll::<()>::Pending);
        assert_eq!(tally.spending().waits_now(), Some(None), "it was polled");
        let _ = of_reader.poll(&task, |_| Poll::Ready(()));
        assert_eq!(tally.spending().waits_now(), Some(Some(Wait::Thread)), "the reader has what it gave");
        kept.wake_by_ref();
        drop(of_reader);
        kept.wake();
        assert_eq!(tally.spending().waits_now(), Some(None), "it is over");
    }
}
