//! The logs of a server: MergeTree tables in the database `system`, which the server itself fills.
//!
//! A log's entries wait in a queue in memory (`gristmill_introspect::logs`). For each log one job in the background takes
//! them away every few seconds, sooner where there are many, and inserts them as one block; a statement never waits for it, but
//! for SYSTEM FLUSH LOGS, which does nothing else. The table is made with the first rows (`table.rs`).
//!
//! What the jobs do is not logged itself: their inserts are in no query log, parts of tables in `system` in no part log, and
//! the lines of this module in no text log. Otherwise every flush would make the next one necessary.
//!
//! Rows that cannot be written are lost, with an error in the server's log: to keep them would only fill the queue, and new
//! ones tell more than old ones.

mod config;
pub(crate) mod processors;
mod table;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result, allocations};
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::trace_log::trace_log;
use gristmill_introspect::logs::{LogQueue, Mode};
use gristmill_introspect::{Counters, Event, profiler};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

pub use self::config::{LogConfig, LogsConfig};
use self::table::LogTable;
use crate::engine::Engine;

/// Entries that become one block at most.
const BLOCK_ROWS: usize = 1 << 17;

/// The jobs of all logs.
pub(crate) struct Logs {
    flushers: Vec<Arc<Flusher>>,
    /// Those that make entries, now and again.
    collectors: Mutex<Vec<Task<()>>>,
    writers: Mutex<Vec<Task<()>>>,
}

/// What writes one log.
struct Flusher {
    source: Arc<dyn LogSource>,
    interval: Duration,
    /// Of the first interval: logs are written one after the other, and not all in the same moment.
    first: Duration,
    table: LogTable,
    /// How often somebody asked for a flush.
    asked: AtomicU64,
    /// Told of each.
    wake: Notify,
    /// How many of those who asked have what they wanted.
    done: watch::Sender<u64>,
}

impl Logs {
    /// From now on entries of `sources` go to tables, but of those that are switched off.
    pub fn start(engine: &Arc<Engine>, sources: Vec<Arc<dyn LogSource>>, config: &LogsConfig) -> Logs {
        let (mut flushers, mut collectors) = (Vec::new(), Vec::new());
        let all = sources.len().max(1) as u32;
        for (at, source) in sources.into_iter().enumerate() {
            let name = source.queue().name();
            if config.removed.contains(name) {
                source.queue().configure(Mode::Off);
                continue;
            }
            let of_log = config.logs.get(name).cloned().unwrap_or_default();
            if name == trace_log().name() {
                profiler::symbolize(of_log.symbolize);
            }
            source.queue().configure(Mode::Queue(of_log.limits));
            if let Some(every) = source.collects_every() {
                collectors.push(collecting(source.clone(), of_log.collect_interval.unwrap_or(every)));
            }
            flushers.push(Arc::new(Flusher {
                interval: of_log.flush_interval,
                first: of_log.flush_interval / all * (at as u32 + 1),
                table: LogTable::of(source.clone(), of_log),
                source,
                asked: AtomicU64::new(0),
                wake: Notify::new(),
                done: watch::Sender::new(0),
            }));
        }
        let _nobody = allocations::enter_none();
        let writing = |flusher: &Arc<Flusher>| Task::on(&runtime::cpu(), flusher.clone().run(Arc::downgrade(engine)));
        let writers = flushers.iter().map(writing).collect();
        Logs { flushers, collectors: Mutex::new(collectors), writers: Mutex::new(writers) }
    }

    /// Returns when everything that these logs were told so far is in their tables; all logs where none are named.
    /// Errors: BAD_ARGUMENTS, where there is no log of a name.
    pub async fn flush(&self, names: &[String]) -> Result<()> {
        let known = |name: &String| self.flushers.iter().any(|flusher| flusher.source.queue().name() == name);
        if let Some(unknown) = names.iter().find(|name| !known(name)) {
            let all: Vec<&str> = self.flushers.iter().map(|flusher| flusher.source.queue().name()).collect();
            let text = format!("Log name {unknown} does not exist, or it is switched off; there are: {}", all.join(", "));
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let chosen =
            |flusher: &&Arc<Flusher>| names.is_empty() || names.iter().any(|name| name == flusher.source.queue().name());
        futures::future::join_all(self.flushers.iter().filter(chosen).map(|flusher| flusher.flush())).await;
        Ok(())
    }

    /// Writes what is left, and ends the jobs.
    pub async fn shutdown(&self) {
        for collector in std::mem::take(&mut *self.collectors.lock()) {
            drop(collector);
        }
        for flusher in &self.flushers {
            if flusher.source.collects_before_flush() {
                flusher.source.collect();
            }
            flusher.source.queue().release();
            flusher.flush_if_any().await;
        }
        self.writers.lock().clear();
    }
}

fn collecting(source: Arc<dyn LogSource>, every: Duration) -> Task<()> {
    let _nobody = allocations::enter_none();
    Task::on(&runtime::cpu(), async move {
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            source.collect();
        }
    })
}

impl Flusher {
    async fn flush(&self) {
        let mut done = self.done.subscribe();
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        self.wake.notify_one();
        // The sender is this flusher's own: it is there.
        let _ = done.wait_for(|done| *done >= asked).await;
    }

    /// As `flush`, but that no table is made for nothing.
    async fn flush_if_any(&self) {
        if !self.source.queue().is_empty() {
            self.flush().await;
        }
    }

    /// The job.
    async fn run(self: Arc<Self>, engine: Weak<Engine>) {
        let queue = self.source.queue();
        let mut interval = self.first;
        loop {
            tokio::select! {
                () = tokio::time::sleep(interval) => queue.ripen(),
                () = queue.due().notified() => {}
                () = self.wake.notified() => {}
            }
            interval = self.interval;
            let asked = self.asked.load(Ordering::SeqCst);
            let is_asked = asked > *self.done.borrow();
            if is_asked || !queue.is_empty() {
                // A defect in it is not to end the job, for whom others wait.
                let (this, engine) = (self.clone(), engine.clone());
                let work = Task::on(&runtime::cpu(), async move { this.write(&engine, is_asked).await });
                if let Err(error) = work.join().await {
                    self.failed(&error);
                }
            }
            self.done.send_replace(asked);
        }
    }

    /// Writes what the queue has now.
    async fn write(&self, engine: &Weak<Engine>, makes_table: bool) {
        let Some(engine) = engine.upgrade() else { return };
        let queue = self.source.queue();
        if makes_table && self.source.collects_before_flush() {
            self.source.collect();
        }
        let dropped = queue.take_dropped();
        if dropped > 0 {
            tracing::warn!("{dropped} entries of system.{} were dropped: its queue was full", queue.name());
        }
        let mut left = queue.len();
        if left == 0 && makes_table {
            let made = self.table.prepared(&engine).await;
            if let Err(error) = made {
                self.failed(&error);
            }
        }
        while left > 0 {
            let rows = left.min(BLOCK_ROWS);
            left -= rows;
            let written = match self.source.take(rows) {
                Ok(Some(batch)) => self.table.insert(&engine, batch).await,
                Ok(None) => return,
                Err(error) => Err(error),
            };
            if let Err(error) = written {
                self.failed(&error);
            }
        }
    }

    fn failed(&self, error: &Error) {
        Counters::server().add(Event::SystemLogErrorOnFlush, 1);
        tracing::error!("Entries of system.{} are lost: {error}", self.source.queue().name());
    }
}
