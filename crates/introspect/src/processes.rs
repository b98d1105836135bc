//! The queries that run now, for `system.processes` and for refusing a query id that is in use. While there are any, a
//! thread measures their memory.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::thread::Thread;
use std::time::Duration;

use gristmill_base::sampling::Profiling;
use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::context::QueryContext;
use crate::{memory, profiler, spending};

static RUNNING: LazyLock<Mutex<BTreeMap<String, Arc<QueryContext>>>> = LazyLock::new(Mutex::default);

/// How often memory is looked at.
const MEASURE_EVERY: Duration = Duration::from_millis(20);

/// The thread that measures; it sleeps while nothing runs.
static MEASURING: LazyLock<Thread> = LazyLock::new(|| {
    let measure = || loop {
        let running = snapshot();
        if running.is_empty() {
            std::thread::park();
            continue;
        }
        memory::measure(running.iter().map(|context| &context.memory));
        drop(running);
        std::thread::sleep(MEASURE_EVERY);
    };
    match std::thread::Builder::new().name("memory".to_string()).spawn(measure) {
        Ok(handle) => handle.thread().clone(),
        // No thread is left to be had: what is reserved and allocated still counts.
        Err(_) => std::thread::current(),
    }
});

/// Keeps a query on the list, and samples of it coming, until dropped.
#[derive(Debug)]
pub struct Running(Arc<QueryContext>, Option<Profiling>);

pub fn start(context: &Arc<QueryContext>) -> Result<Running> {
    profiler::events::begin(context)?;
    let mut running = RUNNING.lock();
    if running.contains_key(&context.query_id) {
        return Err(Error::new(
            ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING,
            format!("Query with id = {} is already running", context.query_id),
        ));
    }
    let (all, most) = (running.len() as u64, context.settings.max_concurrent_queries_for_all_users);
    if most > 0 && all >= most {
        return Err(Error::new(
            ErrorCode::TOO_MANY_SIMULTANEOUS_QUERIES,
            format!("Too many simultaneous queries for all users. Current: {all}, maximum: {most}"),
        ));
    }
    let most = context.settings.max_concurrent_queries_for_user;
    let of_user = running.values().filter(|other| other.user == context.user).count() as u64;
    if most > 0 && of_user >= most {
        return Err(Error::new(
            ErrorCode::TOO_MANY_SIMULTANEOUS_QUERIES,
            format!("Too many simultaneous queries for user {}. Current: {of_user}, maximum: {most}", context.user),
        ));
    }
    running.insert(context.query_id.clone(), context.clone());
    if running.len() == 1 {
        MEASURING.unpark();
    }
    drop(running);
    spending::count_perf_events(context);
    Ok(Running(context.clone(), profiler::begin(context)))
}

/// How long a query that replaces another waits for its end.
const REPLACED_LONGEST: Duration = Duration::from_secs(5);

/// Ends the query that runs under an id, of this user, and waits until it is gone, or for a while.
pub async fn end_running(query_id: &str, user: &str) {
    let until = tokio::time::Instant::now() + REPLACED_LONGEST;
    while tokio::time::Instant::now() < until {
        match RUNNING.lock().get(query_id).filter(|running| running.user == user) {
            Some(running) => running.cancel.cancel(),
            None => return,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a query has not ended. (Another may have its id by now.)
pub fn is_running(query: &Arc<QueryContext>) -> bool {
    RUNNING.lock().get(&query.query_id).is_some_and(|running| Arc::ptr_eq(running, query))
}

/// Whether no query runs.
pub fn none() -> bool {
    RUNNING.lock().is_empty()
}

pub fn snapshot() -> Vec<Arc<QueryContext>> {
    RUNNING.lock().values().cloned().collect()
}

impl Drop for Running {
    fn drop(&mut self) {
        self.1.take();
        RUNNING.lock().remove(&self.0.query_id);
    }
}
