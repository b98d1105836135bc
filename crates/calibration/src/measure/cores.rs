//! The same work on all cores at a time.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use gristmill_base::{Error, Result, allocations, machine, spending};
use parking_lot::RwLock;

/// What was done, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub units: u64,
    pub took: Duration,
}

impl Run {
    /// Of the calling thread.
    pub fn of(work: impl FnOnce() -> Result<u64>) -> Result<Run> {
        let begun = Instant::now();
        let units = work()?;
        Ok(Run { units, took: begun.elapsed() })
    }
}

/// Runs `work` of each core's number on a thread of its own, and gives the units of all. The threads end before this does.
pub fn on_all(work: impl Fn(usize) -> u64 + Sync) -> Result<Run> {
    on_threads(machine::cores(), |core| Ok(work(core)))
}

/// As `on_all`, on so many threads, of work that may fail. What they do is the work of whom the calling thread works for, which
/// does nothing meanwhile. The clock runs from when all of them are there.
pub fn on_threads(threads: usize, work: impl Fn(usize) -> Result<u64> + Sync) -> Result<Run> {
    spending::given_to_threads(|| run_on(threads, &work))
}

fn run_on(threads: usize, work: &(impl Fn(usize) -> Result<u64> + Sync)) -> Result<Run> {
    let tally = allocations::current();
    let gate = RwLock::new(());
    std::thread::scope(|scope| {
        let closed = gate.write();
        let (is_there, are_there) = mpsc::channel();
        let mut started = Vec::with_capacity(threads);
        for at in 0..threads {
            let (tally, gate, is_there) = (tally.as_ref(), &gate, is_there.clone());
            let run = move || {
                // The first time that a thread comes to a tally takes long: it is not to be measured, nor is the wait for the others.
                drop(tally.map(allocations::enter));
                // Nobody listens where another could not be started.
                let _ = is_there.send(());
                drop(is_there);
                drop(gate.read());
                let _entered = tally.map(allocations::enter);
                let begun = Instant::now();
                let units = work(at)?;
                Ok::<_, Error>((units, begun, Instant::now()))
            };
            let thread = std::thread::Builder::new().name("calibrate".to_string()).spawn_scoped(scope, run);
            let failed = |error: std::io::Error| Error::from(error).with_context("while starting a thread to measure with");
            started.push(thread.map_err(failed)?);
        }
        drop(is_there);
        // The channel ends early where one panics.
        let _ = are_there.iter().take(threads).count();
        drop(closed);
        let mut runs: Vec<(u64, Instant, Instant)> = Vec::with_capacity(threads);
        for thread in started {
            runs.push(thread.join().map_err(|_| Error::logical("A thread that measures panicked"))??);
        }
        let (first, last) = (runs.iter().map(|run| run.1).min(), runs.iter().map(|run| run.2).max());
        let took = first.zip(last).map_or(Duration::ZERO, |(first, last)| last.duration_since(first));
        Ok(Run { units: runs.iter().map(|run| run.0).sum(), took })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use gristmill_base::ErrorCode;
    use gristmill_base::allocations::Tally;

    use super::*;

    #[test]
    fn what_threads_do_is_done_for_whom_they_were_started() {
        let (tally, all_work) = (Arc::new(Tally::new()), Barrier::new(3));
        let of_thread = |at: usize| -> Result<u64> {
            all_work.wait();
            Ok(at as u64)
        };
        let run = {
            let _entered = allocations::enter(&tally);
            on_threads(3, of_thread).expect("they work")
        };
        assert_eq!(run.units, 3);
        spending::settle(&tally);
        assert_eq!(tally.spending().threads().len(), 4, "the caller, and three others");
        assert_eq!(tally.spending().threads_peak(), 3, "while they work the caller does not");
        assert_eq!(on_threads(3, of_thread).expect("for nobody").units, 3);
    }

    #[test]
    fn one_that_fails_says_so() {
        let failed = on_threads(2, |at| match at {
            0 => Ok(1),
            _ => Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "enough")),
        });
        assert_eq!(failed.expect_err("one failed").code(), ErrorCode::QUERY_WAS_CANCELLED);
    }
}
