//! Which change would help a query most: one rule a file. A rule says when it applies, which change it means, as statements
//! or settings that can be pasted, and how many seconds that would save, by a model that stands at the top of its file.
//! Models are careful: who follows a rule should get at least half of what it promises.

mod cache;
mod connections;
mod memory;
mod skip_index;
mod small_files;
mod small_parts;
mod sorting_key;
mod threads;

use gristmill_calibration::Calibration;
use gristmill_introspect::limit::{Advice, StageLimit};
use gristmill_introspect::{Counters, Settings};
use gristmill_mergetree::read::TableRead;
use gristmill_sources::object::reads::FilesRead;
use gristmill_types::sql_type::quote_identifier;

use super::least::Requests;
use super::times::Times;

/// What rules look at.
pub(super) struct Facts<'a> {
    pub calibration: &'a Calibration,
    pub settings: &'a Settings,
    pub counters: &'a Counters,
    pub memory_peak_bytes: u64,
    pub cores: u64,
    /// Cores that were the query's alone to use while it ran: all, but what others kept busy.
    pub cores_free: f64,
    /// That the query computed with.
    pub threads: u64,
    pub times: &'a Times,
    pub requests: &'a Requests,
    pub stages: &'a [StageLimit],
    pub reads: &'a [TableRead],
    pub files: &'a [FilesRead],
    pub uncompressed_cache_bytes: u64,
}

type Rule = fn(&Facts<'_>) -> Option<Advice>;

const RULES: &[Rule] = &[
    threads::rule,
    memory::rule,
    connections::rule,
    sorting_key::rule,
    skip_index::rule,
    small_parts::rule,
    small_files::rule,
    cache::rule,
];

/// Gains below this share of the query's time, or below this many seconds, are not worth a change.
const SHARE_MIN: f64 = 0.05;
const SECONDS_MIN: f64 = 0.001;

/// Everything that would help, the most helpful first.
pub(super) fn all(facts: &Facts<'_>) -> Vec<Advice> {
    let least = (facts.times.total * SHARE_MIN).max(SECONDS_MIN);
    let mut all: Vec<Advice> = RULES.iter().filter_map(|rule| rule(facts)).filter(|advice| advice.gain >= least).collect();
    all.sort_by(|one, other| other.gain.total_cmp(&one.gain));
    all
}

impl Facts<'_> {
    fn stage(&self, name: &str) -> Option<&StageLimit> {
        self.stages.iter().find(|stage| stage.name == name)
    }

    /// Of scans, in seconds by the clock.
    fn scanned(&self) -> f64 {
        self.stage("scan").map_or(0.0, |stage| stage.taken)
    }

    /// What opening and reading may have taken at the most, in seconds by the clock: of planning, which opens parts and files,
    /// of scans and of stores; all but what later operators and the client did with the rows.
    fn reading_at_most(&self) -> f64 {
        let reads = |stage: &&StageLimit| matches!(stage.name, "scan" | "network" | "other");
        let later: f64 = self.stages.iter().filter(|stage| !reads(stage)).map(|stage| stage.taken).sum();
        (self.times.total - later).max(0.0)
    }

    /// The share of the scans' time that one of the tables takes: that of its rows.
    fn scanned_of(&self, read: &TableRead) -> f64 {
        let rows: u64 = self.reads.iter().map(|read| read.rows).sum();
        if rows == 0 { 0.0 } else { self.scanned() * read.rows as f64 / rows as f64 }
    }
}

fn table_name(read: &TableRead) -> String {
    format!("{}.{}", quote_identifier(&read.database), quote_identifier(&read.table))
}

/// A column's name as a part of that of an index or a projection.
fn word(column: &str) -> String {
    column.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
