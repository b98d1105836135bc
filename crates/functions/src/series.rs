//! Series of numbers: `seriesOutliersDetectTukey`, `seriesDecomposeSTL`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{AsArray, Float32Array, Float64Array};
use arrow::datatypes::{Float32Type, Float64Type, UInt64Type};
use datafusion::common::ScalarValue;
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};
use stlrs::Stl;

use crate::arrays::Lists;
use crate::columns::{Numbers, list};
use crate::define::{arity, bad_argument, expect_array, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// Percentiles lie between these.
const PERCENTILES: std::ops::RangeInclusive<f64> = 0.02..=0.98;
/// A shorter series has no outliers to speak of.
const POINTS_LEAST: usize = 4;

pub fn register(registry: &mut Registry) {
    registry.scalar("seriesOutliersDetectTukey", plain(|name, arguments, _| outliers(name, arguments)));
    registry.scalar("seriesDecomposeSTL", plain(|name, arguments, _| decompose(name, arguments)));
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

/// Refuses what is no array of numbers. Error: ILLEGAL_COLUMN.
fn expect_series(name: &str, arguments: &[Argument]) -> Result<()> {
    let element = expect_array(name, arguments, 0)?;
    let is_number = element.is_float() || matches!(element.integer_bits(), Some((..=64, _)));
    if !is_number || element.is_nullable() {
        let text =
            format!("Illegal column {} of argument 1 of function {name}: expected an array of numbers", arguments[0].kind);
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    Ok(())
}

/// Season, trend, what is left of the series, and season and trend together: by STL, with Loess, without its robust rounds. They are
/// floats of 32 bits, and the last digits may differ from ClickHouse's.
fn decompose(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_series(name, arguments)?;
    if !matches!(arguments[1].kind.integer_bits(), Some((..=64, false))) {
        return Err(illegal(name, arguments, 1, "an unsigned integer"));
    }
    let (casts, result) = (vec![SqlType::array(T::Float32), T::UInt64], SqlType::array(SqlType::array(T::Float32)));
    let name = name.to_string();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = lists.values().as_primitive::<Float32Type>().values();
        let periods = Numbers::of::<UInt64Type>(&args[1])?;
        let (mut parts, mut lengths) = (Vec::new(), Vec::with_capacity(4 * rows));
        for row in 0..rows {
            let series = &values[lists.range(row)];
            if series.len() < POINTS_LEAST {
                return Err(bad_argument(&name, "at least four data points are needed"));
            }
            let period = usize::try_from(periods.get(row)).unwrap_or(usize::MAX);
            if period > series.len() / 2 {
                return Err(bad_argument(&name, "the series should have data of at least two period lengths"));
            }
            check_wanted()?;
            let fit = Stl::fit(series, period.max(2)).map_err(|error| bad_argument(&name, error))?;
            let (season, trend) = (fit.seasonal(), fit.trend());
            parts.extend_from_slice(season);
            parts.extend_from_slice(trend);
            parts.extend_from_slice(fit.remainder());
            parts.extend(season.iter().zip(trend).map(|(season, trend)| season + trend));
            lengths.extend([series.len(); 4]);
        }
        list(list(Arc::new(Float32Array::from(parts)), &lengths)?, &vec![4; rows])
    }))
}

/// How far each point lies beyond Tukey's fences, which stand so many widths of the middle beyond its two percentiles.
fn outliers(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if !matches!(arguments.len(), 1 | 4) {
        let text = format!("Function {name} takes 1 or 4 arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    expect_series(name, arguments)?;
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
