//! The times of a part's rows under each rule, collected while the part is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use gristmill_base::Result;
use serde::{Deserialize, Serialize};

use super::seconds;
use crate::layout::Layout;
use crate::located;

/// Times of rows of a part, in seconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtlRange {
    /// The least time of the rows that the rule concerns; absent where none ever expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// The greatest, where all rows expire one day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// The least time of the rows with which something has to be done still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<i64>,
    /// They were computed in types that hold them: see `older`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wide: bool,
}

impl TtlRange {
    /// `applied`: what expired until then was seen to.
    fn add(&mut self, time: i64, applied: i64) {
        let least = |known: Option<i64>| Some(known.map_or(time, |known| known.min(time)));
        self.min = least(self.min);
        self.max = self.max.max(Some(time));
        if time > applied {
            self.pending = least(self.pending);
        }
    }
}

/// Sees the rows that a writer writes.
#[derive(Debug)]
pub struct TtlCollector {
    layout: Arc<Layout>,
    applied: i64,
    /// With whether a row was seen that never expires.
    ranges: Vec<(TtlRange, bool)>,
}

impl TtlCollector {
    pub fn new(layout: Arc<Layout>) -> TtlCollector {
        let ranges = vec![(TtlRange::default(), false); layout.ttl.rules.len()];
        TtlCollector { layout, applied: i64::MIN, ranges }
    }

    /// The rows that come were led through the rules, by this time.
    pub fn applied(&mut self, now: i64) {
        self.applied = now;
    }

    /// Rows of a block; see `Sorted`.
    pub fn see(&mut self, columns: &[ArrayRef], order: Option<&UInt32Array>) -> Result<()> {
        let layout = self.layout.clone();
        for (rule, (range, is_endless)) in layout.ttl.rules.iter().zip(&mut self.ranges) {
            let times = seconds(&rule.time.evaluate_columns(columns, &layout.schema, order)?)?;
            let mask = rule.condition.as_ref();
            let mask = mask.map(|condition| located::mask(condition.evaluate_columns(columns, &layout.schema, order)?));
            let mask = mask.transpose()?;
            let concerned = |row: &usize| mask.as_ref().is_none_or(|mask| mask.value(*row));
            for row in (0..times.len()).filter(concerned) {
                match times.value(row) {
                    0 => *is_endless = true,
                    time => range.add(time, self.applied),
                }
            }
        }
        Ok(())
    }

    /// By the rule's key.
    pub fn finish(self) -> BTreeMap<String, TtlRange> {
        let range =
            |(range, is_endless): (TtlRange, bool)| TtlRange { max: range.max.filter(|_| !is_endless), wide: true, ..range };
        self.layout.ttl.rules.iter().map(|rule| rule.key.clone()).zip(self.ranges.into_iter().map(range)).collect()
    }
}
