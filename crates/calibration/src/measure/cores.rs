//! The same work on all cores at a time.

use gristmill_base::{Error, Result, machine};

/// Runs `work` of each core's number on a thread of its own, and gives the units of all. The threads end before this does.
pub fn on_all(work: impl Fn(usize) -> u64 + Sync) -> Result<u64> {
    on_threads(machine::cores(), |core| Ok(work(core)))
}

/// As `on_all`, on so many threads, of work that may fail.
pub fn on_threads(threads: usize, work: impl Fn(usize) -> Result<u64> + Sync) -> Result<u64> {
    std::thread::scope(|scope| {
        let mut begun = Vec::with_capacity(threads);
        for at in 0..threads {
            let work = &work;
            let thread = std::thread::Builder::new().name("calibrate".to_string()).spawn_scoped(scope, move || work(at));
            begun.push(thread.map_err(|error| Error::from(error).with_context("while starting a thread to measure with"))?);
        }
        let mut units = 0;
        for thread in begun {
            units += thread.join().map_err(|_| Error::logical("A thread that measures panicked"))??;
        }
        Ok(units)
    })
}
