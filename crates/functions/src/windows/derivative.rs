//! `nonNegativeDerivative(metric, time)`: the rise of a metric from the row before, over the time between, for an interval;
//! 0 where it fell, where no time went by, and for the first row of a partition.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::{PartitionEvaluator, WindowUDF};
use gristmill_types::SqlType;

use super::function;
use crate::aggregates::natives::natives;

/// `seconds`: the interval.
pub fn derivative(seconds: f64) -> Arc<WindowUDF> {
    function(format!("nonNegativeDerivative({seconds:?})"), &SqlType::Float64, move || Box::new(Rises { seconds }))
}

#[derive(Debug)]
struct Rises {
    seconds: f64,
}

impl PartitionEvaluator for Rises {
    fn evaluate_all(&mut self, values: &[ArrayRef], num_rows: usize) -> DataFusionResult<ArrayRef> {
        let (metrics, times) = (natives::<f64>(&values[0])?, natives::<f64>(&values[1])?);
        let rise = |row: usize| {
            let Some(before) = row.checked_sub(1) else { return 0.0 };
            let elapsed = times[row] - times[before];
            if elapsed <= 0.0 {
                return 0.0;
            }
            let rise = (metrics[row] - metrics[before]) / elapsed * self.seconds;
            if rise < 0.0 { 0.0 } else { rise }
        };
        Ok(Arc::new(Float64Array::from_iter_values((0..num_rows).map(rise))))
    }
}
