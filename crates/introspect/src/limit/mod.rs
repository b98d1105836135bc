//! The limit of a query: what it did, the least time that this machine needs for that, by resource, and how long it took.
//! `system.query_limit_log` keeps it, and clients that ask (`explain_limit`) get it as lines (`text`).

mod text;

use crate::logs::{LogEntry, texts_bytes};

macro_rules! bounds {
    ($($variant:ident, $name:literal, $doc:literal;)*) => {
        /// What a query may wait for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Bound { $(#[doc = $doc] $variant),* }

        impl Bound {
            pub const ALL: &[Bound] = &[$(Bound::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Bound::$variant => $name),* }
            }
        }
    };
}

bounds! {
    Processor, "processor", "Computing with data that are near: decoding, hashing, comparing, copying.";
    MemoryLatency, "memory latency", "Reads of hash tables that no cache holds.";
    MemoryBandwidth, "memory bandwidth", "Data that go through memory in order.";
    Disk, "disk", "Bytes that come from a disk, not from the page cache.";
    RequestLatency, "request latency", "Requests until their answers begin.";
    NetworkBandwidth, "network bandwidth", "Bodies of answers.";
    Lock, "lock", "Something that another statement holds.";
    Client, "client", "A client that does not take rows.";
    Other, "other", "What nothing of the others explains.";
}

/// One resource of a query. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceTime {
    pub bound: Bound,
    /// `None`: it is not known what this machine can do.
    pub least: Option<f64>,
    /// Of the time by the clock.
    pub taken: f64,
}

/// Operators of one kind. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageLimit {
    /// `scan`, `filter`, `aggregate`, …
    pub name: &'static str,
    /// The operators, each once.
    pub operators: Vec<String>,
    pub rows_in: u64,
    pub rows_out: u64,
    /// Of values: decoded by a scan, taken in by others.
    pub bytes: u64,
    /// From disks and stores, as they lie there.
    pub read_bytes: u64,
    pub requests: u64,
    pub spilled_bytes: u64,
    /// Of the time by the clock.
    pub taken: f64,
    pub least: f64,
    /// Which resource the least time is of.
    pub least_by: Option<Bound>,
}

impl StageLimit {
    /// How many times as long as it had to be; 0: nothing is known of what it does.
    pub fn ratio(&self) -> f64 {
        if self.least > 0.0 { self.taken / self.least } else { 0.0 }
    }
}

/// A change that would make the query faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The rule that gives it.
    pub rule: &'static str,
    /// Why, in a sentence.
    pub reason: String,
    /// Statements or settings, as they can be pasted.
    pub change: String,
    /// Expected, in seconds.
    pub gain: f64,
}

/// What is told of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitReport {
    pub event_time_micros: i64,
    pub query_id: String,
    pub user: String,
    pub query: String,
    pub normalized_query_hash: u64,
    /// In seconds, without what was measured of the machine for it.
    pub taken: f64,
    pub least: f64,
    pub least_by: Option<Bound>,
    /// On which it spent most of its time.
    pub binds: Bound,
    pub resources: Vec<ResourceTime>,
    /// What the processor did, where it was counted.
    pub processor: Option<String>,
    pub stages: Vec<StageLimit>,
    /// The most helpful first.
    pub advice: Vec<Advice>,
    /// What is not known, each a sentence.
    pub unknown: Vec<String>,
}

impl LimitReport {
    /// How many times as long as it had to be; 0: nothing is known of what it did.
    pub fn ratio(&self) -> f64 {
        if self.least > 0.0 { self.taken / self.least } else { 0.0 }
    }
}

impl LogEntry for LimitReport {
    fn heap_bytes(&self) -> usize {
        let advice = self.advice.iter().flat_map(|advice| [&advice.reason, &advice.change]);
        texts_bytes([&self.query_id, &self.user, &self.query])
            + texts_bytes(advice)
            + texts_bytes(&self.unknown)
            + self.stages.iter().map(|stage| size_of::<StageLimit>() + texts_bytes(&stage.operators)).sum::<usize>()
            + self.resources.len() * size_of::<ResourceTime>()
    }
}
