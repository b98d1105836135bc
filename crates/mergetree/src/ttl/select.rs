//! Which parts to merge for their TTL, before any other merge is looked for.
//!
//! First, neighbouring parts of which all rows have expired: they go without being read. Then, unless the table drops
//! whole parts only, the part with the rows that expired longest ago, and its neighbours with expired rows, at most once
//! in `merge_with_ttl_timeout` for each partition: rows of a partition expire one after another, and each such merge
//! rewrites what has not. Last, a part that is to be compressed anew.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Action, Rule, Ttl};
use crate::manifest::PartEntry;
use crate::settings::TableSettings;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// All rows of the parts go.
    Drop,
    Delete,
    Recompress,
}

#[derive(Clone, Debug)]
pub struct Chosen {
    pub parts: Vec<Arc<PartEntry>>,
    pub reason: Reason,
}

/// By partition: before which time, in milliseconds, no part is merged for its TTL again.
pub type Rests = HashMap<(String, bool), u64>;

/// `runs`: neighbouring parts of one partition each, none of them being merged. `bytes_max`, `parts_max`: of one merge.
pub fn choose(
    ttl: &Ttl,
    settings: &TableSettings,
    runs: &[Vec<Arc<PartEntry>>],
    rests: &Rests,
    now_ms: u64,
    (bytes_max, parts_max): (u64, usize),
) -> Option<Chosen> {
    if ttl.is_empty() {
        return None;
    }
    let now = (now_ms / 1000) as i64;
    let expired = runs.iter().find_map(|run| {
        let start = run.iter().position(|part| ttl.is_expired(part, now))?;
        let parts = run[start..].iter().take_while(|part| ttl.is_expired(part, now)).cloned().collect();
        Some(Chosen { parts, reason: Reason::Drop })
    });
    if expired.is_some() {
        return expired;
    }
    let rests = |part: &PartEntry, recompress: bool| {
        rests.get(&(part.partition_id.clone(), recompress)).is_some_and(|until| now_ms < *until)
    };
    // Of parts with wrong times nobody knows whether they go as wholes.
    let is_wanted = |part: &PartEntry| !settings.ttl_only_drop_parts || ttl.rules.iter().any(|rule| rule.is_misled(part));
    let due = |part: &PartEntry| ttl.pending(part).filter(|due| *due <= now && is_wanted(part) && !rests(part, false));
    if let Some((run, at)) = first_due(runs, bytes_max, &due) {
        let range = around(run, at, (bytes_max, parts_max), &|part| due(part).is_some());
        return Some(Chosen { parts: run[range].to_vec(), reason: Reason::Delete });
    }
    let due = |part: &PartEntry| ttl.recompression(part).filter(|due| *due <= now && !rests(part, true));
    let (run, at) = first_due(runs, bytes_max, &due)?;
    Some(Chosen { parts: vec![run[at].clone()], reason: Reason::Recompress })
}

/// The part that is due longest, of those that a merge may take.
fn first_due<'a>(
    runs: &'a [Vec<Arc<PartEntry>>],
    bytes_max: u64,
    due: &dyn Fn(&PartEntry) -> Option<i64>,
) -> Option<(&'a [Arc<PartEntry>], usize)> {
    let parts = runs.iter().flat_map(|run| run.iter().enumerate().map(move |(at, part)| (run, at, part)));
    let due = parts.filter(|(_, _, part)| part.bytes <= bytes_max).filter_map(|(run, at, part)| Some((due(part)?, run, at)));
    due.min_by_key(|(time, _, _)| *time).map(|(_, run, at)| (run.as_slice(), at))
}

/// The neighbours of a part that are wanted too, within the limits.
fn around(
    run: &[Arc<PartEntry>],
    at: usize,
    (bytes_max, parts_max): (u64, usize),
    wanted: &dyn Fn(&PartEntry) -> bool,
) -> Range<usize> {
    let (mut range, mut bytes) = (at..at + 1, run[at].bytes);
    let fits =
        |part: &PartEntry, bytes: u64, parts: usize| wanted(part) && bytes + part.bytes <= bytes_max && parts < parts_max;
    while range.start > 0 && fits(&run[range.start - 1], bytes, range.len()) {
        range.start -= 1;
        bytes += run[range.start].bytes;
    }
    while range.end < run.len() && fits(&run[range.end], bytes, range.len()) {
        bytes += run[range.end].bytes;
        range.end += 1;
    }
    range
}

impl Ttl {
    /// The least time at which something has to be done with rows of the part; parts of which nobody knows wait for
    /// another reason to be read.
    fn pending(&self, part: &PartEntry) -> Option<i64> {
        let rules = self.rules.iter().filter(|rule| !matches!(rule.action, Action::Recompress { .. }));
        let pending = |rule: &Rule| if rule.is_misled(part) { Some(0) } else { rule.range(part)?.pending };
        rules.filter_map(pending).min()
    }

    /// When the part is to be compressed anew.
    fn recompression(&self, part: &PartEntry) -> Option<i64> {
        let rules = self.rules.iter().filter(|rule| matches!(rule.action, Action::Recompress { .. }));
        rules
            .filter(|rule| !self.has_codec(part, rule))
            .filter_map(|rule| match rule.is_misled(part) {
                // Rewritten, it knows when it is to be compressed.
                true => Some(0),
                false => rule.range(part)?.max,
            })
            .min()
    }
}
