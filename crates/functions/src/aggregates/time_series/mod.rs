//! Functions of time series, as PromQL has them: samples (a time and a value each) are looked at on a grid of times, at each
//! of which those within a window before it count: later than the grid's time less the window, up to that time.
//!
//! `samples.rs` takes samples in and keeps them; `parameters.rs` reads the grid; `grid.rs` slides the window over the sorted
//! samples; `window.rs` has what is kept of a window; `top_k.rs` chooses series by their values.

mod grid;
mod parameters;
mod samples;
mod top_k;
mod window;

use std::sync::Arc;

use arrow::array::{ArrayRef, Float32Array, Float64Array};
use gristmill_base::allocations::check_room;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::registry::Registry;
use grid::Function;
use parameters::Grid;
use samples::{Finish, Input};

/// Name, function, and whether results are Float64 whatever the values are.
const ON_A_GRID: &[(&str, Function, bool)] = &[
    ("timeSeriesDeltaToGrid", Function::Extrapolated { rate: false, counter: false }, false),
    ("timeSeriesRateToGrid", Function::Extrapolated { rate: true, counter: true }, false),
    ("timeSeriesIncreaseToGrid", Function::Extrapolated { rate: false, counter: true }, false),
    ("timeSeriesInstantDeltaToGrid", Function::Instant { rate: false }, false),
    ("timeSeriesInstantRateToGrid", Function::Instant { rate: true }, false),
    ("timeSeriesResampleToGridWithStaleness", Function::Last, false),
    ("timeSeriesDerivToGrid", Function::Slope, false),
    ("timeSeriesPredictLinearToGrid", Function::Predicted { ahead: 0.0 }, false),
    ("timeSeriesChangesToGrid", Function::Changes, false),
    ("timeSeriesResetsToGrid", Function::Resets, false),
    ("timeSeriesSumToGrid", Function::Sum, false),
    ("timeSeriesAvgToGrid", Function::Average, false),
    ("timeSeriesCountToGrid", Function::Count, false),
    ("timeSeriesMinToGrid", Function::Extreme { largest: false, time: false }, false),
    ("timeSeriesMaxToGrid", Function::Extreme { largest: true, time: false }, false),
    ("timeSeriesTimestampOfMinToGrid", Function::Extreme { largest: false, time: true }, true),
    ("timeSeriesTimestampOfMaxToGrid", Function::Extreme { largest: true, time: true }, true),
];

pub fn register(registry: &mut Registry) {
    for (name, function, wide) in ON_A_GRID {
        let (function, wide) = (*function, *wide);
        registry.aggregate(name, family(NullRule::Default, move |call| on_a_grid(call, function, wide)));
    }
    registry.alias("timeSeriesLastToGrid", "timeSeriesResampleToGridWithStaleness");
    registry.aggregate("timeSeriesGroupArray", family(NullRule::Default, group_array));
    registry.aggregate("timeSeriesLastTwoSamples", family(NullRule::Default, last_two));
    top_k::register(registry);
}

fn on_a_grid(call: &Call<'_>, function: Function, wide: bool) -> Result<Plan> {
    let input = Input::of(call)?;
    let ahead = matches!(function, Function::Predicted { .. });
    let expected = if ahead { 5 } else { 4 };
    if call.parameters.len() != expected {
        let last = if ahead { ", predict_offset" } else { "" };
        let text = format!(
            "Aggregate function {} requires {expected} parameters: start_timestamp, end_timestamp, step, window{last}",
            call.name
        );
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let grid = Grid::of(call, input.scale())?;
    let function = match function {
        Function::Predicted { .. } => Function::Predicted { ahead: parameters::offset(call, input.scale())? },
        other => other,
    };
    let narrow = input.is_narrow();
    let value = if narrow && !wide { SqlType::Float32 } else { SqlType::Float64 };
    let result = SqlType::array(value.clone().nullable());
    let carrier = result.arrow();
    let finish: Finish = Arc::new(move |series| {
        check_room(series.len().saturating_mul(grid.points).saturating_mul(size_of::<Option<f64>>()))?;
        let mut values: Vec<Option<f64>> = Vec::with_capacity(series.len() * grid.points);
        for samples in &series {
            grid::evaluate(function, &grid, samples, narrow, &mut values);
        }
        let values: ArrayRef = if value == SqlType::Float32 {
            Arc::new(values.into_iter().map(|value| value.map(|value| value as f32)).collect::<Float32Array>())
        } else {
            Arc::new(values.into_iter().collect::<Float64Array>())
        };
        retype(&list(values, &vec![grid.points; series.len()])?, &carrier)
    });
    Ok(input.plan(result, Some(grid.range()), finish))
}

/// The samples by time, one for each time.
fn group_array(call: &Call<'_>) -> Result<Plan> {
    no_parameters(call)?;
    let input = Input::of(call)?;
    let output = input.clone();
    let finish: Finish = Arc::new(move |series| output.column(&series));
    Ok(input.plan(input.samples_type(), None, finish))
}

/// The last two samples of different times, the last one first.
fn last_two(call: &Call<'_>) -> Result<Plan> {
    no_parameters(call)?;
    call.arity(2..=2)?;
    if let Some(i) = call.kinds.iter().position(|kind| matches!(kind, SqlType::Array(_))) {
        return Err(call.illegal(i, "a time and a value, not arrays of them"));
    }
    let input = Input::of(call)?;
    let output = input.clone();
    let finish: Finish = Arc::new(move |mut series| {
        for samples in &mut series {
            samples.reverse();
            samples.truncate(2);
        }
        output.column(&series)
    });
    Ok(input.plan(input.samples_type(), None, finish))
}

fn no_parameters(call: &Call<'_>) -> Result<()> {
    if call.parameters.is_empty() {
        return Ok(());
    }
    let text = format!("Aggregate function {} cannot have parameters", call.name);
    Err(Error::new(ErrorCode::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS, text))
}
