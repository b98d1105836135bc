//! `exponentialTimeDecayedSum`, `…Avg`, `…Count` and `…Max`: over the frame, with weights that fall to 1/e in a given time,
//! seen from the time of the frame's last row. Arguments: the value (but for the count), and the time.
//!
//! Where a frame goes on from the one before, the sums of that one are taken over: what left it is taken away, and what came
//! is added, in ClickHouse's order, so that results agree to the last digit.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::buffer::ScalarBuffer;
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::{PartitionEvaluator, WindowUDF};
use gristmill_types::SqlType;

use super::function;
use crate::aggregates::natives::natives;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decayed {
    Sum,
    Average,
    Count,
    Max,
}

impl Decayed {
    pub fn by_name(name: &str) -> Option<Decayed> {
        match name {
            "exponentialTimeDecayedSum" => Some(Decayed::Sum),
            "exponentialTimeDecayedAvg" => Some(Decayed::Average),
            "exponentialTimeDecayedCount" => Some(Decayed::Count),
            "exponentialTimeDecayedMax" => Some(Decayed::Max),
            _ => None,
        }
    }
}

/// `length`: the time in which a weight falls to 1/e.
pub fn decayed(name: &str, kind: Decayed, length: f64) -> Arc<WindowUDF> {
    function(format!("{name}({length:?})"), &SqlType::Float64, move || {
        Box::new(Frames { kind, length, before: None, sum: 0.0, weight: 0.0, time: 0.0 })
    })
}

#[derive(Debug)]
struct Frames {
    kind: Decayed,
    length: f64,
    /// The frame of the row before.
    before: Option<Range<usize>>,
    /// Of the last frame that was not empty, seen from the time of its last row.
    sum: f64,
    weight: f64,
    time: f64,
}

/// The frame's columns; a count has no values.
struct Columns {
    values: Option<ScalarBuffer<f64>>,
    times: ScalarBuffer<f64>,
}

impl Frames {
    fn weight_of(&self, time: f64, now: f64) -> f64 {
        ((time - now) / self.length).exp()
    }

    fn sums(&mut self, columns: &Columns, range: &Range<usize>) {
        let now = columns.times[range.end - 1];
        // Sum and weight of rows.
        let of = |row: usize| {
            let decay = self.weight_of(columns.times[row], now);
            (decay * columns.values.as_ref().map_or(1.0, |values| values[row]), decay)
        };
        let (mut sum, mut weight) = (0.0, 0.0);
        let come = match &self.before {
            Some(before) if before.start <= range.start && range.start < before.end && before.end <= range.end => {
                for (value, decay) in (before.start..range.start).map(of) {
                    sum -= value;
                    weight -= decay;
                }
                let decay = self.weight_of(self.time, now);
                sum += decay * self.sum;
                weight += decay * self.weight;
                before.end..range.end
            }
            _ => range.clone(),
        };
        for (value, decay) in come.map(of) {
            sum += value;
            weight += decay;
        }
        (self.sum, self.weight, self.time) = (sum, weight, now);
    }

    fn largest(&self, columns: &Columns, range: &Range<usize>) -> f64 {
        let now = columns.times[range.end - 1];
        let mut largest = f64::MIN;
        for row in range.clone() {
            let value = columns.values.as_ref().map_or(1.0, |values| values[row]);
            largest = (self.weight_of(columns.times[row], now) * value).max(largest);
        }
        largest
    }
}

impl PartitionEvaluator for Frames {
    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> DataFusionResult<ScalarValue> {
        let columns = match self.kind {
            Decayed::Count => Columns { values: None, times: natives(&values[0])? },
            _ => Columns { values: Some(natives(&values[0])?), times: natives(&values[1])? },
        };
        let is_empty = range.start >= range.end;
        let result = match self.kind {
            Decayed::Max if is_empty => f64::NAN,
            Decayed::Max => self.largest(&columns, range),
            Decayed::Average if is_empty => f64::NAN,
            _ if is_empty => 0.0,
            kind => {
                self.sums(&columns, range);
                match kind {
                    Decayed::Average => self.sum / self.weight,
                    Decayed::Count => self.weight,
                    _ => self.sum,
                }
            }
        };
        self.before = Some(range.clone());
        Ok(ScalarValue::Float64(Some(result)))
    }

    fn uses_window_frame(&self) -> bool {
        true
    }
}
