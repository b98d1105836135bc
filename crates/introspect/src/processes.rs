//! The queries that run now, for `system.processes` and for refusing a query id that is in use. While there are any, a
//! thread measures their memory.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use gristmill_base::sampling::Profiling;
use gristmill_base::{Error, ErrorCode, Result, allocations};
use parking_lot::Mutex;

use crate::context::QueryContext;
use crate::{memory, profiler, spending};

static RUNNING: LazyLock<Mutex<BTreeMap<String, Listed>>> = LazyLock::new(Mutex::default);

struct Listed {
    context: Arc<QueryContext>,
    kind: &'static str,
}

/// A kind of statements of which the server runs no more than some at a time.
struct Limited {
    /// As `Statement::kind` has it.
    kind: &'static str,
    word: &'static str,
    setting: &'static str,
    /// 0: any number.
    most: AtomicU64,
}

static INSERTS: Limited =
    Limited { kind: "Insert", word: "insert", setting: "max_concurrent_insert_queries", most: AtomicU64::new(0) };

static SELECTS: Limited =
    Limited { kind: "Select", word: "select", setting: "max_concurrent_select_queries", most: AtomicU64::new(0) };

/// How many INSERTs and SELECTs run at a time from now on, in this process. 0: any number.
pub fn limit_kinds(inserts: u64, selects: u64) {
    INSERTS.most.store(inserts, Relaxed);
    SELECTS.most.store(selects, Relaxed);
}

/// How often memory is looked at.
const MEASURE_EVERY: Duration = Duration::from_millis(20);

/// Where nothing runs for so long, the allocator gives back what it keeps for the next query.
const IDLE: Duration = Duration::from_secs(10);

/// The thread that measures; it sleeps while nothing runs.
static MEASURING: LazyLock<Thread> = LazyLock::new(|| {
    let measure = || loop {
        let running = snapshot();
        allocations::collect_of_thread();
        if running.is_empty() {
            let since = Instant::now();
            std::thread::park_timeout(IDLE);
            if since.elapsed() >= IDLE {
                allocations::give_back_at_once(true);
                allocations::give_back_at_once(false);
            }
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

/// The kind of what a user needs who wants to make room: nor does it take the place of another.
pub const MAKES_ROOM: &str = "";

/// Keeps a query on the list, and samples of it coming, until dropped.
#[derive(Debug)]
pub struct Running(Arc<QueryContext>, Option<Profiling>);

/// `kind`: of the statement; `MAKES_ROOM`: it runs beside any number of others. Errors: QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING, TOO_MANY_SIMULTANEOUS_QUERIES.
pub fn start(context: &Arc<QueryContext>, kind: &'static str) -> Result<Running> {
    profiler::events::begin(context)?;
    let mut running = RUNNING.lock();
    if running.contains_key(&context.query_id) {
        return Err(Error::new(
            ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING,
            format!("Query with id = {} is already running", context.query_id),
        ));
    }
    if kind != MAKES_ROOM {
        check_numbers(&running, context, kind)?;
    }
    running.insert(context.query_id.clone(), Listed { context: context.clone(), kind });
    if running.len() == 1 {
        MEASURING.unpark();
    }
    drop(running);
    spending::count_perf_events(context);
    Ok(Running(context.clone(), profiler::begin(context)))
}

/// Error: TOO_MANY_SIMULTANEOUS_QUERIES, where another query would be one too many.
fn check_numbers(running: &BTreeMap<String, Listed>, context: &QueryContext, kind: &str) -> Result<()> {
    let too_many = |text: String| Err(Error::new(ErrorCode::TOO_MANY_SIMULTANEOUS_QUERIES, text));
    for limited in [&INSERTS, &SELECTS] {
        let most = limited.most.load(Relaxed);
        if most == 0 || limited.kind != kind {
            continue;
        }
        let current = running.values().filter(|other| other.kind == kind).count() as u64;
        if current >= most {
            return too_many(format!(
                "Too many simultaneous {} queries. Maximum: {most}, current: {current}. Try again later, or raise {} of the \
                 server's configuration",
                limited.word, limited.setting
            ));
        }
    }
    let (all, most) = (running.len() as u64, context.settings.max_concurrent_queries_for_all_users);
    if most > 0 && all >= most {
        return too_many(format!("Too many simultaneous queries for all users. Current: {all}, maximum: {most}"));
    }
    let most = context.settings.max_concurrent_queries_for_user;
    let of_user = running.values().filter(|other| other.context.user == context.user).count() as u64;
    if most > 0 && of_user >= most {
        let user = &context.user;
        return too_many(format!("Too many simultaneous queries for user {user}. Current: {of_user}, maximum: {most}"));
    }
    Ok(())
}

/// How long a query that replaces another waits for its end.
const REPLACED_LONGEST: Duration = Duration::from_secs(5);

/// Ends the query that runs under an id, of this user, and waits until it is gone, or for a while.
pub async fn end_running(query_id: &str, user: &str) {
    let until = tokio::time::Instant::now() + REPLACED_LONGEST;
    while tokio::time::Instant::now() < until {
        match RUNNING.lock().get(query_id).filter(|running| running.context.user == user) {
            Some(running) => running.context.cancel.cancel(),
            None => return,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a query has not ended. (Another may have its id by now.)
pub fn is_running(query: &Arc<QueryContext>) -> bool {
    RUNNING.lock().get(&query.query_id).is_some_and(|running| Arc::ptr_eq(&running.context, query))
}

/// Whether no query runs.
pub fn none() -> bool {
    RUNNING.lock().is_empty()
}

/// The query that the calling thread works for. `None` also while somebody changes the list: who asks here may be in the middle of
/// that, and does not wait.
pub fn of_this_thread() -> Option<Arc<QueryContext>> {
    let tally = allocations::current()?;
    let running = RUNNING.try_lock()?;
    let is_own = |listed: &&Listed| listed.context.memory.tally().is_some_and(|own| Arc::ptr_eq(own, &tally));
    running.values().find(is_own).map(|listed| listed.context.clone())
}

pub fn snapshot() -> Vec<Arc<QueryContext>> {
    RUNNING.lock().values().map(|listed| listed.context.clone()).collect()
}

impl Drop for Running {
    fn drop(&mut self) {
        self.1.take();
        RUNNING.lock().remove(&self.0.query_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserts_and_selects_are_counted_apart() {
        let begin = |query: &str, kind| start(&QueryContext::background(query), kind);
        limit_kinds(1, 2);
        let first = begin("INSERT INTO t VALUES (1)", "Insert").expect("there is a place");
        let error = begin("INSERT INTO t VALUES (2)", "Insert").expect_err("one too many");
        assert_eq!(error.code(), ErrorCode::TOO_MANY_SIMULTANEOUS_QUERIES);
        assert!(error.message().starts_with("Too many simultaneous insert queries. Maximum: 1, current: 1"), "{error}");
        let selects = [begin("SELECT 1", "Select"), begin("SELECT 2", "Select")].map(|running| running.expect("a place"));
        assert!(begin("SELECT 3", "Select").is_err());
        let looks = begin("SELECT * FROM system.processes", MAKES_ROOM).expect("whoever makes room has a place");
        let other = begin("OPTIMIZE TABLE t", "Optimize").expect("no limit is for it");
        drop(first);
        begin("INSERT INTO t VALUES (3)", "Insert").expect("a place was given back");
        limit_kinds(0, 0);
        drop((selects, looks, other));
    }
}
