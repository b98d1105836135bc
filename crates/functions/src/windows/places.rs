//! `lag` and `lead`, the value so many rows before or behind in the partition; `lagInFrame` and `leadInFrame`, the same where
//! that row is in the frame; `nth_value`, the value of a place in the frame. Arguments: the value, how many rows (or which
//! place), and what is given where there is no such row. Each may be another for every row.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::interleave;
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::{PartitionEvaluator, WindowUDF};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::function;
use crate::aggregates::natives::natives;

/// `lead` where `forward`, else `lag`; the row must be in the frame where `in_frame`.
pub fn shifted(name: &'static str, forward: bool, in_frame: bool, result: &SqlType) -> Arc<WindowUDF> {
    let place = Place { name, kind: if forward { Kind::Behind } else { Kind::Before }, in_frame, row: 0 };
    function(name.to_string(), result, move || Box::new(place.clone()))
}

/// The value of a place in the frame, counted from 1.
pub fn nth_value(result: &SqlType) -> Arc<WindowUDF> {
    let place = Place { name: "nth_value", kind: Kind::Nth, in_frame: true, row: 0 };
    function(place.name.to_string(), result, move || Box::new(place.clone()))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Before,
    Behind,
    Nth,
}

#[derive(Clone, Debug)]
struct Place {
    name: &'static str,
    kind: Kind,
    in_frame: bool,
    /// The next row that is asked for, where rows are asked for one by one.
    row: usize,
}

impl Place {
    /// The row that a row's value is of; `None` where it is not in `range`.
    fn of(&self, offset: i64, row: usize, range: &Range<usize>) -> Result<Option<usize>> {
        let least = i64::from(self.kind == Kind::Nth);
        if offset < least {
            let text = format!("The offset for function {} must be in [{least}, {}], {offset} given", self.name, i64::MAX);
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let place = match self.kind {
            Kind::Before => row.checked_sub(offset),
            Kind::Behind => row.checked_add(offset),
            Kind::Nth => range.start.checked_add(offset - 1),
        };
        Ok(place.filter(|place| range.contains(place)))
    }
}

impl PartitionEvaluator for Place {
    fn evaluate_all(&mut self, values: &[ArrayRef], num_rows: usize) -> DataFusionResult<ArrayRef> {
        let offsets = natives::<i64>(&values[1])?;
        let mut wanted = Vec::with_capacity(num_rows);
        for row in 0..num_rows {
            let place = self.of(offsets[row], row, &(0..num_rows))?;
            wanted.push(place.map_or((1, row), |place| (0, place)));
        }
        if wanted.is_empty() {
            return Ok(values[0].slice(0, 0));
        }
        let sources: [&dyn Array; 2] = [&values[0], &values[2]];
        Ok(interleave(&sources, &wanted)?)
    }

    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> DataFusionResult<ScalarValue> {
        let row = self.row;
        self.row += 1;
        match self.of(natives::<i64>(&values[1])?[row], row, range)? {
            Some(place) => ScalarValue::try_from_array(&values[0], place),
            None => ScalarValue::try_from_array(&values[2], row),
        }
    }

    fn uses_window_frame(&self) -> bool {
        self.in_frame
    }
}
