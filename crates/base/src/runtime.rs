//! Two runtimes: one for I/O (sockets, timers, files) and one for CPU work, so that a long computation never delays a
//! socket. Queries run on the CPU runtime; everything that touches the network is spawned on the I/O runtime and handed
//! over by channel.
//!
//! Both live as long as the process: they are made once in `bootstrap` and reached through `io()` and `cpu()`. A unit
//! test that makes none gets the runtime it already runs on.

use std::future::Future;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::task::JoinHandle;

use crate::{Error, ErrorCode, Result, allocations, fatal, spending};

static IO: OnceLock<Handle> = OnceLock::new();
static CPU: OnceLock<Handle> = OnceLock::new();

/// Stack of a thread that plans and computes. Reading a statement, lowering, the passes over plans, evaluation and dropping
/// all descend as deep as expressions are nested, which `gristmill_sql::chains` bounds; this holds what it lets pass, in
/// debug builds too. Only what was touched is memory.
pub const STACK_BYTES: usize = 256 << 20;
/// Of threads that do not descend, but may be the last to hold a plan.
const STACK_OF_IO_BYTES: usize = 16 << 20;

/// The two runtimes; drop it to stop them.
pub struct Runtimes {
    pub io: Runtime,
    pub cpu: Runtime,
}

impl Runtimes {
    /// `cpu_threads`: as many as cores, or more where a query asks for more streams than cores.
    pub fn start(cpu_threads: usize) -> Result<Self> {
        let failed = |error: std::io::Error| Error::new(ErrorCode::STD_EXCEPTION, format!("Cannot start threads: {error}"));
        let io = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(256)
            .thread_name("io")
            .on_thread_start(fatal::give_room)
            .on_thread_park(thread_sleeps)
            .thread_stack_size(STACK_OF_IO_BYTES)
            .enable_all()
            .build()
            .map_err(failed)?;
        let cpu = Builder::new_multi_thread()
            .worker_threads(cpu_threads.max(1))
            .thread_name("query")
            .on_thread_start(fatal::give_room)
            .on_thread_park(thread_sleeps)
            .event_interval(POLLS_BETWEEN_EVENTS)
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()
            .map_err(failed)?;
        let _ = IO.set(io.handle().clone());
        let _ = CPU.set(cpu.handle().clone());
        allocations::count_tasks_of_datafusion();
        Ok(Runtimes { io, cpu })
    }
}

fn thread_sleeps() {
    spending::thread_sleeps();
    allocations::collect_of_thread();
}

/// After so many polls a thread looks after those that were put off: an exchange of DataFusion's yields every few batches, and who yields
/// is woken only then, or where there is nothing else to poll. A poll takes milliseconds here: after 61 of them, as Tokio has it, twelve queries
/// at a time waited for half of their time, while other tasks of theirs waited for them.
const POLLS_BETWEEN_EVENTS: u32 = 2;

/// Where sockets and timers are driven.
pub fn io() -> Handle {
    IO.get().cloned().unwrap_or_else(Handle::current)
}

/// Where queries compute.
pub fn cpu() -> Handle {
    CPU.get().cloned().unwrap_or_else(Handle::current)
}

/// Runs what may compute for long without a point at which its task could wait, such as planning: the other tasks of its
/// thread go on elsewhere meanwhile.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            let done = tokio::task::block_in_place(work);
            // Another thread may have taken over meanwhile, and this one is spare.
            allocations::collect_of_thread();
            done
        }
        _ => work(),
    }
}

/// As `aside`, of a future that computes for long between its waits.
pub async fn polled_aside<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| aside(|| future.as_mut().poll(context))).await
}

/// For a task that has just made what others wait for and goes on computing: lets these run on other threads. Tokio keeps the task that
/// was woken last in a slot of the thread that woke it, from which no other thread takes (its "LIFO slot"), until the task that runs
/// there waits: without this, one of two streams of a query would do the work of both. Whoever calls this is put at the end of the thread's
/// queue, from which others do take.
pub async fn give_way() {
    let mut is_done = false;
    std::future::poll_fn(|context| {
        if is_done {
            return Poll::Ready(());
        }
        is_done = true;
        // Woken while it runs, it is queued again at once. `yield_now` would let it wait for all that the thread has to do.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

static UNFINISHED: AtomicUsize = AtomicUsize::new(0);

/// Held by what leaves something behind unless it is finished or dropped, such as an upload: tasks of a query that failed
/// are dropped a moment after the query is over.
#[derive(Debug)]
pub struct Unfinished(());

impl Unfinished {
    pub fn begin() -> Self {
        UNFINISHED.fetch_add(1, Ordering::AcqRel);
        Unfinished(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Runs what must be done although its query is over: removing what a failed INSERT wrote. It has to end by itself, soon.
pub fn tidy(runtime: &Handle, work: impl Future<Output = ()> + Send + 'static) {
    let unfinished = Unfinished::begin();
    runtime.spawn(allocations::counted_task(allocations::current(), async move {
        work.await;
        drop(unfinished);
    }));
}

/// Waits until nothing is unfinished and all tidying is done, or for `longest`: a process calls it before it ends.
pub async fn tidied(longest: Duration) {
    let until = tokio::time::Instant::now() + longest;
    while UNFINISHED.load(Ordering::Acquire) > 0 && tokio::time::Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A task that is aborted when its handle is dropped: it never outlives the query that owns the handle. What it allocates
/// counts for whoever its spawner works for.
pub struct Task<T>(JoinHandle<T>);

impl<T: Send + 'static> Task<T> {
    pub fn on(runtime: &Handle, future: impl Future<Output = T> + Send + 'static) -> Self {
        Task(runtime.spawn(allocations::counted_task(allocations::current(), future)))
    }

    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for the result; a panic inside the task becomes an error of ours.
    pub async fn join(mut self) -> Result<T> {
        (&mut self.0).await.map_err(|error| {
            if error.is_cancelled() {
                Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled")
            } else {
                Error::logical(format!("A task of the query panicked: {error}"))
            }
        })
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// As an upload does whose query failed: its task is dropped after the query is over, and begins to tidy only then.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_end_waits_for_what_is_dropped_late_and_for_its_tidying() {
        let done = Arc::new(AtomicBool::new(false));
        let unfinished = Unfinished::begin();
        let set = done.clone();
        let _task = Task::on(&Handle::current(), async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            tidy(&Handle::current(), async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                set.store(true, Ordering::Release);
            });
            drop(unfinished);
        });
        tidied(Duration::from_secs(10)).await;
        assert!(done.load(Ordering::Acquire));
    }

    /// Two tasks want what the first of them makes; the first then computes, and never waits, until the other has run.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn who_waited_for_what_a_task_made_runs_beside_it() {
        let (made, ran) = (Arc::new(tokio::sync::OnceCell::new()), Arc::new(AtomicBool::new(false)));
        let (of_first, of_second) = (made.clone(), made);
        let (seen, set) = (ran.clone(), ran);
        let (begun, second_waits) = tokio::sync::oneshot::channel();
        let first = tokio::spawn(async move {
            of_first
                .get_or_init(|| async {
                    let _ = second_waits.await;
                    // The other one is about to wait.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                })
                .await;
            give_way().await;
            let until = std::time::Instant::now() + Duration::from_secs(10);
            while !seen.load(Ordering::Acquire) && std::time::Instant::now() < until {
                std::hint::spin_loop();
            }
            seen.load(Ordering::Acquire)
        });
        tokio::time::sleep(Duration::from_millis(5)).await;
        let second = tokio::spawn(async move {
            let _ = begun.send(());
            of_second.get_or_init(|| async {}).await;
            set.store(true, Ordering::Release);
        });
        assert!(first.await.expect("no panic"), "the second task waited until the first was over");
        second.await.expect("no panic");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_end_does_not_wait_for_ever() {
        let _unfinished = Unfinished::begin();
        tidied(Duration::from_millis(20)).await;
    }
}
