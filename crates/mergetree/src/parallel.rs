//! Runs pieces of computation side by side on the CPU runtime, a bounded number at a time.

use std::collections::VecDeque;

use gristmill_base::Result;
use gristmill_base::runtime::{self, Task};

/// The results in the order of the jobs; the first error ends it. Dropping the future stops jobs not begun.
pub async fn run<T, F>(jobs: Vec<F>, lanes: usize) -> Result<Vec<T>>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    if lanes <= 1 || jobs.len() <= 1 {
        return jobs.into_iter().map(|job| job()).collect();
    }
    let mut results = Vec::with_capacity(jobs.len());
    let mut running: VecDeque<Task<Result<T>>> = VecDeque::with_capacity(lanes);
    for job in jobs {
        if running.len() >= lanes
            && let Some(first) = running.pop_front()
        {
            results.push(first.join().await??);
        }
        running.push_back(Task::on(&runtime::cpu(), async move { job() }));
    }
    while let Some(task) = running.pop_front() {
        results.push(task.join().await??);
    }
    Ok(results)
}
