//! What the operators of a plan did: their rows, bytes and times, as `system.processors_profile_log`, EXPLAIN ANALYZE and whoever
//! judges a query read them.
//!
//! They are taken when a plan is over (`PlanFigures`); who wants all of a query's plans, those of its subqueries and views
//! too, says so before (`FinishedPlans`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;

use crate::events::{Counters, Event};

/// Rows as they pass from one operator to the next; bytes as `gristmill_types::measure` has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub batches: u64,
    pub rows: u64,
    pub bytes: u64,
}

impl Amount {
    pub fn plus(self, other: Amount) -> Amount {
        Amount { batches: self.batches + other.batches, rows: self.rows + other.rows, bytes: self.bytes + other.bytes }
    }
}

/// One stream of an operator: its partition's.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamFigures {
    pub partition: usize,
    /// What it gave.
    pub output: Amount,
    /// Computed for this operator, in the stream's polls and in tasks that it spawned: without what its inputs computed.
    pub elapsed: Duration,
    /// As `elapsed`, with what inputs computed while this operator polled them.
    pub whole: Duration,
    /// The inputs computed, polled by this stream.
    pub inputs: Duration,
    /// Nobody could go on: from when the stream had nothing to give until it was polled again. That of an operator without
    /// inputs is for its requests, its disk and its tasks.
    pub pending: Duration,
    /// From when rows were given until more were asked for.
    pub output_wait: Duration,
}

impl StreamFigures {
    /// What the stream waited for its input: computed elsewhere, or not there at all.
    pub fn input_wait(&self) -> Duration {
        self.inputs + self.pending
    }
}

/// What an operator wrote to disk since it did not fit into memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spill {
    pub files: u64,
    pub rows: u64,
    pub bytes: u64,
}

/// One operator, over all of its streams.
#[derive(Clone, Debug, Default)]
pub struct OperatorFigures {
    /// The operator that reads this one, by its place in the plan; `None`: it is the plan's first.
    pub parent: Option<usize>,
    pub name: String,
    /// What it does, on one line, without secrets.
    pub description: String,
    /// What its inputs gave.
    pub input: Amount,
    pub streams: Vec<StreamFigures>,
    /// At least one of its streams and tasks ran.
    pub busy: Duration,
    /// The most of them that ran at once.
    pub at_once_max: u32,
    pub spill: Spill,
    /// Of a row that it gives, in columns of a fixed width.
    pub fixed_row_bytes: u64,
    /// Whether it gives texts, or other values that have no width of their own.
    pub gives_texts: bool,
    /// Bytes, where the operator tells.
    pub memory_peak: Option<u64>,
    /// Events of this operator alone: of those without inputs.
    pub counters: Option<Arc<Counters>>,
    /// What the operator itself counts, summed over its streams: times in nanoseconds.
    pub metrics: Vec<(String, u64)>,
}

impl OperatorFigures {
    pub fn output(&self) -> Amount {
        self.streams.iter().fold(Amount::default(), |sum, stream| sum.plus(stream.output))
    }

    fn sum(&self, of: impl Fn(&StreamFigures) -> Duration) -> Duration {
        self.streams.iter().map(of).sum()
    }

    /// Summed over streams, so that it may be more than the time that passed.
    pub fn elapsed(&self) -> Duration {
        self.sum(|stream| stream.elapsed)
    }

    pub fn input_wait(&self) -> Duration {
        self.sum(StreamFigures::input_wait)
    }

    pub fn pending(&self) -> Duration {
        self.sum(|stream| stream.pending)
    }

    pub fn output_wait(&self) -> Duration {
        self.sum(|stream| stream.output_wait)
    }

    /// How many of its streams and tasks ran at once in the mean, while any ran. 0: none did.
    pub fn parallelism(&self) -> f64 {
        match self.busy.as_secs_f64() {
            0.0 => 0.0,
            busy => self.sum(|stream| stream.whole).as_secs_f64() / busy,
        }
    }

    pub fn event(&self, event: Event) -> u64 {
        self.counters.as_ref().map_or(0, |counters| counters.get(event))
    }

    /// Requests to object storage and other servers.
    pub fn requests(&self) -> u64 {
        let kinds = [Event::S3ReadRequestsCount, Event::S3WriteRequestsCount, Event::ReadWriteBufferFromHTTPRequestsSent];
        kinds.into_iter().map(|event| self.event(event)).sum()
    }

    /// Bytes of the answers.
    pub fn requested_bytes(&self) -> u64 {
        self.event(Event::ReadBufferFromS3Bytes) + self.event(Event::ReadWriteBufferFromHTTPBytes)
    }

    pub fn metric(&self, name: &str) -> Option<u64> {
        self.metrics.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// A plan that is over: its operators, each before those it reads.
#[derive(Clone, Debug, Default)]
pub struct PlanFigures {
    /// Tells the plans of the process apart.
    pub id: u64,
    /// From when its streams were begun until they were at their end.
    pub wall: Duration,
    pub operators: Vec<OperatorFigures>,
}

/// The plans of a query that are over, in the order of their ends, for those who asked for them.
#[derive(Debug, Default)]
pub struct FinishedPlans {
    is_wanted: AtomicBool,
    is_kept: AtomicBool,
    plans: Mutex<Vec<PlanFigures>>,
}

impl FinishedPlans {
    /// From now on the query's operators are measured and kept here, whatever its settings say of logs.
    pub fn want(&self) {
        self.is_wanted.store(true, Relaxed);
    }

    /// From now on the query's operators are measured and kept here, as exactly as it costs nothing.
    pub fn keep(&self) {
        self.is_kept.store(true, Relaxed);
    }

    /// Whether somebody looks at them afterwards, who asked for exact ones or not.
    pub fn are_kept(&self) -> bool {
        self.is_kept.load(Relaxed) || self.are_wanted()
    }

    pub fn are_wanted(&self) -> bool {
        self.is_wanted.load(Relaxed)
    }

    pub fn add(&self, plan: PlanFigures) {
        if self.are_kept() {
            self.plans.lock().push(plan);
        }
    }

    pub fn take(&self) -> Vec<PlanFigures> {
        std::mem::take(&mut *self.plans.lock())
    }
}
