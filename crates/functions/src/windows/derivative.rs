//! `nonNegativeDerivative(metric, time)`: the rise of a metric from the row before, over the time between, for an interval;
//! 0 where it fell, where no time went by, and for the first row of a partition.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::{PartitionEvaluator, WindowUDF};
use gristmill_types::SqlType;

use super::function;
use crate::aggregates::natives::natives;
use crate::datetime::moments::ticks;

/// `seconds`: the interval. Times are in ticks of 10^-scale seconds.
pub fn derivative(seconds: f64, scale: u8) -> Arc<WindowUDF> {
    let name = format!("nonNegativeDerivative({seconds:?}, {scale})");
    function(name, &SqlType::Float64, move || Box::new(Rises { seconds, ticks_a_second: 10f64.powi(scale.into()) }))
}

#[derive(Debug)]
struct Rises {
    seconds: f64,
    ticks_a_second: f64,
}

impl PartitionEvaluator for Rises {
    fn evaluate_all(&mut self, values: &[ArrayRef], num_rows: usize) -> DataFusionResult<ArrayRef> {
        // The time between is exact, which floats of times since 1970 are not.
        let (metrics, times) = (natives::<f64>(&values[0])?, ticks(&values[1])?);
        let rise = |row: usize| {
            let Some(before) = row.checked_sub(1) else { return 0.0 };
            let elapsed = times[row].saturating_sub(times[before]) as f64 / self.ticks_a_second;
            if elapsed <= 0.0 {
                return 0.0;
            }
            let rise = (metrics[row] - metrics[before]) / elapsed * self.seconds;
            if rise < 0.0 { 0.0 } else { rise }
        };
        Ok(Arc::new(Float64Array::from_iter_values((0..num_rows).map(rise))))
    }
}
