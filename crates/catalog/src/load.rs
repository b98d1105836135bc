//! Loads that can be run again: an INSERT … SELECT from files that commits in steps. Each commit says which files, and
//! which row groups of them, its rows are; so a load that was killed goes on where it stopped, and every row is there once.
//!
//! The unit is a row group; a file of a text format is one unit. A table that can keep such a ledger gives a `TableLoad`.

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_base::Result;

use crate::table::TableWriter;

/// A set of row groups of one file: ranges `[from, to)`, ascending, apart from one another, none empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups(Vec<(u32, u32)>);

impl Groups {
    /// The first `count` groups of a file.
    pub fn first(count: u32) -> Groups {
        Groups::range(0, count)
    }

    pub fn range(from: u32, to: u32) -> Groups {
        Groups(if from < to { vec![(from, to)] } else { Vec::new() })
    }

    /// Ranges in any order, which may overlap.
    pub fn of_ranges(ranges: &[(u32, u32)]) -> Groups {
        let mut all: Vec<(u32, u32)> = ranges.iter().copied().filter(|(from, to)| from < to).collect();
        all.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(all.len());
        for (from, to) in all {
            match joined.last_mut() {
                Some((_, end)) if from <= *end => *end = to.max(*end),
                _ => joined.push((from, to)),
            }
        }
        Groups(joined)
    }

    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn count(&self) -> u32 {
        self.0.iter().map(|(from, to)| to - from).sum()
    }

    /// The number after the last group.
    pub fn end(&self) -> u32 {
        self.0.last().map_or(0, |(_, to)| *to)
    }

    pub fn contains(&self, group: u32) -> bool {
        let at = self.0.partition_point(|(_, to)| *to <= group);
        self.0.get(at).is_some_and(|(from, _)| *from <= group)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(from, to)| *from..*to)
    }

    pub fn union(&self, other: &Groups) -> Groups {
        Groups::of_ranges(&[&self.0[..], &other.0].concat())
    }

    /// Those of `self` that are not in `other`.
    pub fn without(&self, other: &Groups) -> Groups {
        let mut left = Vec::new();
        for &(from, to) in &self.0 {
            let mut from = from;
            for &(out_from, out_to) in &other.0 {
                if out_to <= from || out_from >= to {
                    continue;
                }
                if out_from > from {
                    left.push((from, out_from));
                }
                from = out_to;
            }
            if from < to {
                left.push((from, to));
            }
        }
        Groups(left)
    }

    /// Whether a group is in both.
    pub fn meets(&self, other: &Groups) -> bool {
        self.without(other) != *self
    }
}

/// Which load an INSERT belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadRequest {
    pub id: String,
    /// A digest of what the load makes of its files' rows; a load that was begun with another one is refused.
    pub query: String,
    /// The id is the deduplication token of the insert too: when the load has ended, another of the same token changes
    /// nothing.
    pub is_token: bool,
}

/// What a commit says of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedGroups {
    pub path: String,
    /// What tells this version of the file apart: its ETag.
    pub version: String,
    /// Row groups that the file has.
    pub groups_total: u32,
    /// Those whose rows are in the commit, wholly.
    pub groups: Groups,
    /// Rows that they gave.
    pub rows: u64,
    /// Why the rest of the file was left out.
    pub error: Option<String>,
}

/// What a load has of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileProgress {
    pub version: String,
    pub groups_total: u32,
    pub done: Groups,
    pub rows: u64,
    /// Milliseconds since the Unix epoch.
    pub time_ms: u64,
    pub error: Option<String>,
}

impl FileProgress {
    pub fn is_whole(&self) -> bool {
        self.error.is_none() && self.done.count() == self.groups_total
    }

    /// As `system.load_ledger` shows it.
    pub fn state(&self) -> &'static str {
        match (&self.error, self.is_whole()) {
            (Some(_), _) => "failed",
            (None, true) => "loaded",
            (None, false) => "partial",
        }
    }
}

/// A file of a load, as `system.load_ledger` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    pub load_id: String,
    pub path: String,
    pub progress: FileProgress,
}

/// One run of a load into one table. Until it is ended or dropped, the same load cannot be begun again in this process.
#[async_trait]
pub trait TableLoad: Send + Sync {
    /// An earlier run ended under the deduplication token: nothing is left to do.
    fn has_ended(&self) -> bool;

    /// What earlier runs loaded of a file.
    fn known(&self, path: &str) -> Option<FileProgress>;

    /// The run is over, although tasks that were aborted may still hold it for a moment.
    fn end(&self);

    /// Opens a step.
    async fn writer(&self) -> Result<Arc<dyn LoadWriter>>;

    /// Where a load writes several tables, they are numbered, and some may have groups that others have not: the groups of
    /// a file, sorted by the tables that have them. One step holds groups of one sort.
    fn by_holders(&self, _path: &str, groups: &Groups) -> Vec<(Vec<usize>, Groups)> {
        vec![(Vec::new(), groups.clone())]
    }

    /// Opens a step of groups that these tables have already.
    async fn writer_beside(&self, _holders: &[usize]) -> Result<Arc<dyn LoadWriter>> {
        self.writer().await
    }
}

/// One step of a load: lanes write, and one commit makes rows and ledger visible together.
#[async_trait]
pub trait LoadWriter: TableWriter {
    /// In place of `TableWriter::commit`. `ends`: it is the load's last.
    /// Errors: QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING where another process committed some of the groups meanwhile.
    async fn commit_step(&self, files: Vec<LoadedGroups>, ends: bool) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_groups_add_up_and_are_taken_apart() {
        let some = Groups::of_ranges(&[(4, 6), (0, 1), (1, 2)]);
        assert_eq!(some.union(&Groups::range(2, 4)), Groups::first(6));
        assert_eq!(Groups::first(8).without(&some).ranges(), [(2, 4), (6, 8)]);
        assert!(some.contains(5) && !some.contains(2) && !some.contains(6));
        assert!(some.meets(&Groups::range(1, 3)) && !some.meets(&Groups::range(2, 4)));
        assert_eq!(some.iter().collect::<Vec<_>>(), [0, 1, 4, 5]);
        assert_eq!(some.ranges(), [(0, 2), (4, 6)], "neighbours are one range");
    }
}
