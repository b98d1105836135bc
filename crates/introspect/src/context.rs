//! The query context: what travels with a statement from its text to its last row. Everything that is told about a
//! query, while it runs and afterwards, is read from here.
//!
//! Physical operators find it in the session configuration: `QueryContext::of(task_context)`.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use datafusion::execution::TaskContext;
use gristmill_access::effective::Effective;
use gristmill_access::rights::Object;
use gristmill_access::{Privileges, Rights};
use gristmill_base::allocations::Patience;
use gristmill_base::env::{Env, system_env};
use gristmill_base::redact::masking;
use gristmill_base::{Error, ErrorCode, Result, machine, spending};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::events::{Counters, Event};
use crate::insert_gear::GearShown;
use crate::last_entry::LastEntry;
use crate::limit::LimitReport;
use crate::memory::MemoryAccount;
use crate::operators::FinishedPlans;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::tag_groups::TagGroups;
use crate::used::{Use, Used};

#[derive(Clone, Debug)]
pub struct QueryContext {
    pub query_id: String,
    pub user: String,
    /// Who asks.
    pub client: Arc<Client>,
    /// What the user may do.
    pub access: Arc<Effective>,
    /// The catalog of the session's temporary tables, where it has any: it goes with the session, not with its queries.
    pub temporary: Option<Weak<dyn Any + Send + Sync>>,
    /// The statement, with secrets hidden.
    pub query: String,
    pub database: String,
    pub settings: Arc<Settings>,
    pub memory: Arc<MemoryAccount>,
    pub counters: Arc<Counters>,
    pub progress: Arc<Progress>,
    pub insert_gear: Arc<GearShown>,
    /// Projections that it reads, with database and table.
    pub projections: Arc<Mutex<BTreeSet<String>>>,
    /// What else it uses.
    pub used: Arc<Used>,
    /// Groups of tags that its functions have met.
    pub tags: Arc<TagGroups>,
    /// What its operators did, for those who ask.
    pub plans: Arc<FinishedPlans>,
    /// Of the operators of its plan; 0: it has none.
    pub plan_hash: Arc<AtomicU64>,
    /// How far it was from what the machine can do, once it has ended and where it was judged.
    pub limit: Arc<OnceLock<Arc<LimitReport>>>,
    /// Columns of an INSERT's table that its rows give, in their order; the others come by their defaults.
    pub given: Arc<OnceLock<Vec<String>>>,
    /// In the query log, where its result is on its way still.
    pub last_entry: Arc<LastEntry>,
    pub cancel: CancellationToken,
    pub env: Arc<dyn Env>,
    /// Since the Unix epoch.
    pub start: Duration,
    pub start_instant: Instant,
}

/// What ends a query before its work is done, for loops that have no context at hand.
#[derive(Debug)]
struct Deadline {
    cancel: CancellationToken,
    env: Arc<dyn Env>,
    start: Instant,
    limit_seconds: f64,
}

impl Patience for Deadline {
    fn check(&self) -> Result<()> {
        check_wanted(&self.cancel, &self.env, self.start, self.limit_seconds)
    }
}

/// `limit_seconds`: 0 is no limit. Errors: QUERY_WAS_CANCELLED, TIMEOUT_EXCEEDED.
fn check_wanted(cancel: &CancellationToken, env: &Arc<dyn Env>, start: Instant, limit_seconds: f64) -> Result<()> {
    if cancel.is_cancelled() {
        return Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled"));
    }
    if limit_seconds > 0.0 {
        let elapsed = env.instant().saturating_duration_since(start).as_secs_f64();
        if elapsed > limit_seconds {
            let text = format!("Timeout exceeded: elapsed {elapsed:.3} seconds, maximum: {limit_seconds}");
            return Err(Error::new(ErrorCode::TIMEOUT_EXCEEDED, text));
        }
    }
    Ok(())
}

impl QueryContext {
    /// `query` is stored with its secrets hidden. An empty `query_id` gets a new one.
    pub fn new(
        query: &str,
        query_id: &str,
        user: &str,
        database: &str,
        settings: Arc<Settings>,
        env: Arc<dyn Env>,
    ) -> Arc<Self> {
        let query_id = if query_id.is_empty() { env.uuid().to_string() } else { query_id.to_string() };
        let context = QueryContext {
            query_id,
            user: user.to_string(),
            client: Arc::default(),
            access: Effective::unlimited(),
            temporary: None,
            query: gristmill_base::redact::logged(query),
            database: database.to_string(),
            memory: Arc::new(MemoryAccount::of_query_of(
                user,
                settings.max_memory_usage,
                settings.max_memory_usage_for_user,
            )),
            settings,
            counters: Arc::new(Counters::with_parent(Some(Counters::server()))),
            progress: Arc::default(),
            insert_gear: Arc::default(),
            projections: Arc::default(),
            used: Arc::default(),
            tags: Arc::default(),
            plans: Arc::default(),
            plan_hash: Arc::default(),
            limit: Arc::default(),
            given: Arc::default(),
            last_entry: Arc::default(),
            cancel: CancellationToken::new(),
            start: env.now(),
            start_instant: env.instant(),
            env,
        };
        let masked = masking::take_matched();
        if masked > 0 {
            Counters::server().add(Event::QueryMaskingRulesMatch, masked);
        }
        if let Some(tally) = context.memory.tally() {
            tally.work_for(Box::new(Deadline {
                cancel: context.cancel.clone(),
                env: context.env.clone(),
                start: context.start_instant,
                limit_seconds: context.settings.fails_after_seconds(),
            }));
        }
        Arc::new(context)
    }

    /// The same query of a user who may do this and no more. (Else it may do everything: work of the server itself.)
    pub fn of_user(self: Arc<Self>, access: Arc<Effective>) -> Arc<Self> {
        Arc::new(QueryContext { access, ..Arc::unwrap_or_clone(self) })
    }

    /// The same query, asked by this client.
    pub fn of_client(self: Arc<Self>, client: Arc<Client>) -> Arc<Self> {
        Arc::new(QueryContext { client, ..Arc::unwrap_or_clone(self) })
    }

    /// The same query in a session with temporary tables. `catalog`: what holds them, of a type that this crate does not know.
    pub fn with_temporary<T: Any + Send + Sync>(self: Arc<Self>, catalog: &Arc<T>) -> Arc<Self> {
        let catalog: Weak<T> = Arc::downgrade(catalog);
        Arc::new(QueryContext { temporary: Some(catalog), ..Arc::unwrap_or_clone(self) })
    }

    /// The catalog of the session's temporary tables, for those who know its type.
    pub fn temporary<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.temporary.as_ref()?.upgrade()?.downcast().ok()
    }

    pub fn rights(&self) -> &Rights {
        &self.access.granted.rights
    }

    /// Error: ACCESS_DENIED, where the user may not do all of these to all of the object.
    pub fn check_access(&self, wanted: Privileges, object: &Object) -> Result<()> {
        let checked = self.rights().check(&self.user, wanted, object);
        self.note_right(checked.is_ok(), &format!("{wanted} ON {object}"));
        checked
    }

    /// For the query log: a right that was asked about, as GRANT has it, and whether the user has it.
    pub fn note_right(&self, is_granted: bool, right: &str) {
        self.used.note(if is_granted { Use::Privilege } else { Use::MissingPrivilege }, right);
    }

    /// The same query under other settings: its counters, memory and cancellation are shared.
    pub fn with_settings(&self, settings: Settings) -> Arc<Self> {
        self.with(Arc::new(settings), self.cancel.clone())
    }

    /// The same query for a part of its work that has settings of its own and is ended by itself.
    pub fn with_cancel(&self, settings: Settings, cancel: CancellationToken) -> Arc<Self> {
        self.with(Arc::new(settings), cancel)
    }

    /// The same query for work that is seen through although the query ends.
    pub fn uncancelled(&self) -> Arc<Self> {
        self.with(self.settings.clone(), CancellationToken::new())
    }

    fn with(&self, settings: Arc<Settings>, cancel: CancellationToken) -> Arc<Self> {
        Arc::new(QueryContext {
            query_id: self.query_id.clone(),
            user: self.user.clone(),
            client: self.client.clone(),
            access: self.access.clone(),
            temporary: self.temporary.clone(),
            query: self.query.clone(),
            database: self.database.clone(),
            settings,
            memory: self.memory.clone(),
            counters: self.counters.clone(),
            progress: self.progress.clone(),
            insert_gear: self.insert_gear.clone(),
            projections: self.projections.clone(),
            used: self.used.clone(),
            tags: self.tags.clone(),
            plans: self.plans.clone(),
            plan_hash: self.plan_hash.clone(),
            limit: self.limit.clone(),
            given: self.given.clone(),
            last_entry: self.last_entry.clone(),
            cancel,
            env: self.env.clone(),
            start: self.start,
            start_instant: self.start_instant,
        })
    }

    /// The same query for work whose counters are told of by themselves; the query counts it too.
    pub fn of_work(&self) -> Arc<Self> {
        self.with_counters(Arc::new(Counters::with_parent(Some(self.counters.clone()))))
    }

    /// As `of_work`, for work that was begun before: these are its counters.
    pub fn with_counters(&self, counters: Arc<Counters>) -> Arc<Self> {
        let same = self.with(self.settings.clone(), self.cancel.clone());
        Arc::new(QueryContext { counters, ..Arc::unwrap_or_clone(same) })
    }

    /// What the query's requests to object storage cost so far, in US dollars.
    pub fn cost_usd(&self) -> f64 {
        self.counters.get(Event::ObjectStorageCostNanodollars) as f64 / 1e9
    }

    /// A context for tests and background jobs: default settings, no limits.
    pub fn background(name: &str) -> Arc<Self> {
        Self::new(name, "", "default", "default", Arc::new(Settings::default()), system_env())
    }

    /// The context that a plan is executed under.
    pub fn of(task: &TaskContext) -> Result<Arc<Self>> {
        task.session_config()
            .get_extension::<QueryContext>()
            .ok_or_else(|| Error::logical("A plan is executed without a query context"))
    }

    /// The kernel's ids of the threads that worked for it, in the order in which they came.
    pub fn thread_ids(&self) -> Vec<u32> {
        self.memory
            .tally()
            .map_or_else(Vec::new, |tally| tally.spending().threads().iter().map(|thread| thread.id).collect())
    }

    /// The threads that work for it now.
    pub fn threads_at_work(&self) -> Vec<u32> {
        self.memory.tally().map_or_else(Vec::new, spending::at_work)
    }

    /// Threads that worked for it at the same time, at most.
    pub fn threads_peak(&self) -> u32 {
        self.memory.tally().map_or(0, |tally| tally.spending().threads_peak())
    }

    pub fn elapsed(&self) -> Duration {
        self.env.instant().saturating_duration_since(self.start_instant)
    }

    /// Called at the head of every loop that may take long: the error when the query was cancelled or is over its time.
    pub fn check(&self) -> Result<()> {
        check_wanted(&self.cancel, &self.env, self.start_instant, self.settings.fails_after_seconds())
    }

    /// Asked by a source before each block that it reads. False: the query has read what it may, or is over its time, and
    /// ends with the rows it has (`read_overflow_mode`, `timeout_overflow_mode = 'break'`). Errors: those of `check`,
    /// TOO_SLOW, TOO_MANY_ROWS, TOO_MANY_BYTES.
    pub fn may_read(&self) -> Result<bool> {
        self.check()?;
        let settings = &self.settings;
        if settings.breaks_off_in_time() && self.elapsed().as_secs_f64() > settings.max_execution_time {
            return Ok(false);
        }
        self.check_speed()?;
        self.may_read_beyond(self.progress.read_rows.load(Relaxed), self.progress.read_bytes.load(Relaxed))
    }

    /// Whether the query may have read so many rows and bytes. False, and errors: as `may_read`.
    pub fn may_read_beyond(&self, rows: u64, bytes: u64) -> Result<bool> {
        let settings = &self.settings;
        let (breaks, leaf_breaks) = (settings.breaks_off_reading(), settings.breaks_off_reading_on_leaf());
        // Where there is one node, it is the leaf as well.
        for (what, name, current, limit, breaks) in [
            ("rows", "max_rows_to_read", rows, settings.max_rows_to_read, breaks),
            ("bytes", "max_bytes_to_read", bytes, settings.max_bytes_to_read, breaks),
            ("rows", "max_rows_to_read_leaf", rows, settings.max_rows_to_read_leaf, leaf_breaks),
            ("bytes", "max_bytes_to_read_leaf", bytes, settings.max_bytes_to_read_leaf, leaf_breaks),
        ] {
            if limit == 0 || current <= limit {
                continue;
            }
            if breaks {
                return Ok(false);
            }
            let code = if what == "rows" { ErrorCode::TOO_MANY_ROWS } else { ErrorCode::TOO_MANY_BYTES };
            return Err(Error::new(
                code,
                format!(
                    "Limit for {what} to read (controlled by '{name}' setting) exceeded, max {what}: {limit}, current {what}: \
                     {current}"
                ),
            ));
        }
        Ok(true)
    }

    /// Ends a wait when the query is cancelled.
    pub async fn cancellable<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled")),
            result = future => result,
        }
    }

    /// Rows that a source handed to the query: the progress bar, the summary and `SelectedRows` count them.
    pub fn read(&self, rows: u64, bytes: u64) {
        self.progress.read(rows, bytes);
        if let Some(tally) = self.memory.tally() {
            spending::read_rows(tally, rows, bytes);
        }
        self.counters.add(Event::SelectedRows, rows);
        self.counters.add(Event::SelectedBytes, bytes);
    }

    /// Rows that a sink took from the query.
    pub fn wrote(&self, rows: u64, bytes: u64) {
        self.progress.wrote(rows, bytes);
        if let Some(tally) = self.memory.tally() {
            spending::wrote_rows(tally, rows, bytes);
        }
        self.counters.add(Event::InsertedRows, rows);
        self.counters.add(Event::InsertedBytes, bytes);
    }

    /// Number of streams a query computes with: `max_threads`, or one a core.
    pub fn threads(&self) -> usize {
        match self.settings.max_threads {
            0 => machine::cores(),
            threads => (threads as usize).min(1024),
        }
    }
}
