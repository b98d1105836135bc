//! Series of numbers: `seriesOutliersDetectTukey`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{AsArray, Float64Array};
use arrow::datatypes::Float64Type;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use crate::arrays::Lists;
use crate::columns::list;
use crate::define::{bad_argument, expect_array, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// Percentiles lie between these.
const PERCENTILES: std::ops::RangeInclusive<f64> = 0.02..=0.98;
/// A shorter series has no outliers to speak of.
const POINTS_LEAST: usize = 4;

pub fn register(registry: &mut Registry) {
    registry.scalar("seriesOutliersDetectTukey", plain(|name, arguments, _| outliers(name, arguments)));
}

fn constant(name: &str, arguments: &[Argument], i: usize) -> Result<f64> {
    if !(arguments[i].kind.is_float() || i == 3 && arguments[i].kind.is_integer()) {
        return Err(illegal(name, arguments, i, "a constant float"));
    }
    let value = arguments[i].constant.as_ref().ok_or_else(|| not_constant(name, i))?;
    let value = cast(&value.to_array()?, &arguments[i].kind, &T::Float64, &CastOptions::default())?;
    match ScalarValue::try_from_array(&value, 0)? {
        ScalarValue::Float64(Some(value)) => Ok(value),
        _ => Err(not_constant(name, i)),
    }
}

/// How far each point lies beyond Tukey's fences, which stand so many widths of the middle beyond its two percentiles.
fn outliers(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if !matches!(arguments.len(), 1 | 4) {
        let text = format!("Function {name} takes 1 or 4 arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let element = expect_array(name, arguments, 0)?;
    if !element.is_float() && !matches!(element.integer_bits(), Some((..=64, _))) {
        let text =
            format!("Illegal column {} of argument 1 of function {name}: expected an array of numbers", arguments[0].kind);
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    let (mut low, mut high, mut widths) = (0.25, 0.75, 1.5);
    let mut casts = vec![SqlType::array(T::Float64)];
    if arguments.len() == 4 {
        (low, high, widths) = (constant(name, arguments, 1)?, constant(name, arguments, 2)?, constant(name, arguments, 3)?);
        if !PERCENTILES.contains(&low) || !PERCENTILES.contains(&high) || high < low {
            return Err(bad_argument(name, "the percentiles must be from 0.02 to 0.98, the lower one first"));
        }
        if !widths.is_finite() || widths < 0.0 {
            return Err(bad_argument(name, "the width of the fences must not be negative"));
        }
        casts.extend(arguments[1..].iter().map(|argument| argument.kind.clone()));
    }
    let name = name.to_string();
    Ok(Bound::cast(casts, SqlType::array(T::Float64), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = lists.values().as_primitive::<Float64Type>().values();
        let (mut scores, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let series = &values[lists.range(row)];
            if series.len() < POINTS_LEAST {
                return Err(bad_argument(&name, format!("at least {POINTS_LEAST} points are needed")));
            }
            let mut sorted = series.to_vec();
            sorted.sort_by(f64::total_cmp);
            let percentile = |part: f64| {
                let place = sorted.len() as f64 * part;
                let index = place.ceil() as usize - 1;
                if place.fract() == 0.0 { (sorted[index] + sorted[index + 1]) / 2.0 } else { sorted[index] }
            };
            let (low, high) = (percentile(low), percentile(high));
            let reach = widths * (high - low);
            let (lower, upper) = (low - reach, high + reach);
            scores.extend(series.iter().map(|value| (value - lower).min(0.0) + (value - upper).max(0.0)));
            lengths.push(series.len());
        }
        list(Arc::new(Float64Array::from(scores)), &lengths)
    }))
}
