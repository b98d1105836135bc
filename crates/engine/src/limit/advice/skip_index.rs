//! A skip index. Very few rows of a table equal a value, or contain a text, and no index tells in which granules they are.
//!
//! The rows that pass lie in as many granules at the most; those are read afterwards, and the index. Gain: the scan's time, but for
//! the share of these granules, and for reading the index: a filter has about ten bits a row for values, and as many bytes as
//! it is made of for texts.

use gristmill_calibration::Resource;
use gristmill_calibration::figures::ONE_CORE;
use gristmill_introspect::limit::Advice;
use gristmill_mergetree::read::{ColumnCondition, ConditionKind, TableRead};
use gristmill_types::sql_type::quote_identifier;

use super::sorting_key::reads_most;
use super::{Facts, table_name, word};

/// Of granules, that rows which pass may lie in.
const MARKS_SHARE_MAX: f64 = 0.25;
/// Of the time saved, that the model is sure of.
const SURE: f64 = 0.7;
/// Of an index, for a row and for a granule.
const BLOOM_ROW_BYTES: f64 = 1.25;
const NGRAM_GRANULE_BYTES: f64 = 65_536.0;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let of_read = |read: &TableRead| {
        let condition =
            read.conditions.iter().filter(|condition| helps(read, condition)).min_by_key(|condition| condition.passed)?;
        let left = ((condition.passed as f64 + 1.0) / read.marks.max(1) as f64).min(1.0);
        let index_bytes = match condition.kind {
            ConditionKind::Contains => read.marks as f64 * NGRAM_GRANULE_BYTES,
            _ => read.rows as f64 * BLOOM_ROW_BYTES,
        };
        let reading = index_bytes / facts.calibration.value(Resource::MemoryRead, ONE_CORE)?;
        let gain = facts.scanned_of(read) * SURE * (1.0 - left) - reading;
        Some((read.clone(), condition.clone(), gain))
    };
    let (read, condition, gain) = facts.reads.iter().filter_map(of_read).max_by(|one, other| one.2.total_cmp(&other.2))?;
    let (table, column) = (table_name(&read), quote_identifier(&condition.column));
    let name = format!("idx_{}", word(&condition.column));
    let kind = match condition.kind {
        ConditionKind::Contains => "ngrambf_v1(4, 65536, 3, 0)",
        _ => "bloom_filter",
    };
    Some(Advice {
        rule: "skip_index",
        reason: format!(
            "{} of {} rows of {table} pass the condition on {column}, and no index tells in which granules they are",
            condition.passed, condition.seen
        ),
        change: format!(
            "ALTER TABLE {table} ADD INDEX {name} {column} TYPE {kind} GRANULARITY 1;\n\
             ALTER TABLE {table} MATERIALIZE INDEX {name}"
        ),
        gain,
    })
}

/// Whether an index would leave most granules out.
pub(super) fn helps(read: &TableRead, condition: &ColumnCondition) -> bool {
    let is_asked_by_filters = match condition.kind {
        ConditionKind::Equals => true,
        ConditionKind::Contains => condition.is_text,
        ConditionKind::Range => false,
    };
    let is_known = read.indexed.contains(&condition.column) || read.sorting_key.first() == Some(&condition.column);
    is_asked_by_filters
        && !is_known
        && condition.seen > 0
        && reads_most(read)
        && condition.passed as f64 <= read.marks as f64 * MARKS_SHARE_MAX
}
