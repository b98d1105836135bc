//! Another sorting key. Few rows of a table pass a condition on a column that the sorting key does not begin with, so
//! all granules are read to find them.
//!
//! The change is a projection: the same rows, sorted by that column; the table's own key stays. Gain: the scan's time, but
//! for the share of granules that the rows which pass fill, and one more at each end.

use gristmill_introspect::limit::Advice;
use gristmill_mergetree::read::{ColumnCondition, ConditionKind, TableRead};
use gristmill_types::sql_type::quote_identifier;

use super::{Facts, skip_index, table_name, word};

/// Of granules, that are read although there are indexes.
pub(super) const READ_SHARE_MIN: f64 = 0.5;
/// Fewer than these are read in no time.
pub(super) const MARKS_MIN: u64 = 8;
/// Of rows, that may pass where their order would help.
const PASSED_SHARE_MAX: f64 = 0.25;
/// Of the time saved, that the model is sure of.
const SURE: f64 = 0.8;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let of_read = |read: &TableRead| {
        let (condition, share) = most_selective(read)?;
        // An index is a smaller change.
        if skip_index::helps(read, condition) {
            return None;
        }
        let marks = read.marks.max(1) as f64;
        let left = (share + 2.0 / marks).min(1.0);
        Some((read.clone(), condition.clone(), share, facts.scanned_of(read) * SURE * (1.0 - left)))
    };
    let (read, condition, share, gain) =
        facts.reads.iter().filter_map(of_read).max_by(|one, other| one.3.total_cmp(&other.3))?;
    let (table, column) = (table_name(&read), quote_identifier(&condition.column));
    let name = format!("by_{}", word(&condition.column));
    let key = read.sorting_key.join(", ");
    Some(Advice {
        rule: "sorting_key",
        reason: format!(
            "{:.1} % of the rows of {table} pass the condition on {column}, and its sorting key ({key}) does not tell where they are",
            share * 100.0
        ),
        change: format!(
            "ALTER TABLE {table} ADD PROJECTION {name} (SELECT * ORDER BY {column});\n\
             ALTER TABLE {table} MATERIALIZE PROJECTION {name}"
        ),
        gain,
    })
}

/// The condition that leaves the fewest rows, of those that an order would help, with the share that passes.
fn most_selective(read: &TableRead) -> Option<(&ColumnCondition, f64)> {
    if !reads_most(read) {
        return None;
    }
    let ordered = |condition: &&ColumnCondition| {
        condition.kind != ConditionKind::Contains
            && condition.seen > 0
            && read.sorting_key.first() != Some(&condition.column)
    };
    let share = |condition: &ColumnCondition| condition.passed as f64 / condition.seen as f64;
    let of = read.conditions.iter().filter(ordered).map(|condition| (condition, share(condition)));
    of.filter(|(_, share)| *share <= PASSED_SHARE_MAX).min_by(|one, other| one.1.total_cmp(&other.1))
}

/// Whether so much of the table is read that something could be left out.
pub(super) fn reads_most(read: &TableRead) -> bool {
    read.projection.is_none() && read.marks >= MARKS_MIN && read.marks as f64 >= read.marks_total as f64 * READ_SHARE_MIN
}
