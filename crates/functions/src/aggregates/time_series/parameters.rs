//! The grid that the parameters describe, in ticks of the samples' times: whole seconds, or parts of them for DateTime64,
//! whose parameters may be fractions, texts of times, and durations such as '15s' and '1m30s'.

use arrow::datatypes::TimeUnit;
use chrono::NaiveDateTime;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};

use crate::aggregates::{Call, text_parameter};

/// More points are refused, as ClickHouse refuses them.
const POINTS_MAX: u64 = 0xFF_FFFF;

#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub start: i64,
    pub step: i64,
    pub window: i64,
    pub points: usize,
    /// Ticks of a second.
    pub ticks: i64,
}

impl Grid {
    /// `scale`: digits of the samples' seconds; `None` where times are whole seconds.
    pub fn of(call: &Call<'_>, scale: Option<u8>) -> Result<Grid> {
        let value = |i: usize, what: &str| match scale {
            Some(scale) => ticks(call, i, what, scale),
            None => seconds(call, i, what),
        };
        let (start, end) = (value(0, "start")?, value(1, "end")?);
        let (step, window) = (value(2, "step")?, value(3, "window")?);
        let bad = |text: &str| Error::new(ErrorCode::BAD_ARGUMENTS, format!("Aggregate function {}: {text}", call.name));
        if window < 0 {
            return Err(bad("the window should be non-negative"));
        }
        if end < start {
            return Err(bad("the end timestamp is less than the start timestamp"));
        }
        let steps = match end.abs_diff(start) {
            0 => 0,
            _ if step <= 0 => return Err(bad("the step should be greater than zero")),
            span => span / step as u64,
        };
        if steps >= POINTS_MAX {
            return Err(bad(&format!("the number of grid points exceeds {POINTS_MAX}: narrow the range or widen the step")));
        }
        let ticks = 10i64.saturating_pow(u32::from(scale.unwrap_or(0)));
        Ok(Grid { start, step, window, points: steps as usize + 1, ticks })
    }

    /// The time of point `i`.
    pub fn at(&self, i: usize) -> i64 {
        self.start.saturating_add(self.step.saturating_mul(i as i64))
    }

    /// Samples after the first and up to the second may count at some point.
    pub fn range(&self) -> (i64, i64) {
        (self.start.saturating_sub(self.window), self.at(self.points - 1))
    }
}

/// Ticks that a linear prediction looks ahead.
pub fn offset(call: &Call<'_>, scale: Option<u8>) -> Result<f64> {
    match scale {
        Some(scale) => Ok(ticks(call, 4, "predict_offset", scale)? as f64),
        None => match call.float(4) {
            Ok(Some(seconds)) => Ok(seconds),
            _ => Err(illegal(call, 4, "predict_offset")),
        },
    }
}

fn illegal(call: &Call<'_>, i: usize, what: &str) -> Error {
    let given = call.parameters.get(i).map_or_else(|| "nothing".to_string(), ToString::to_string);
    let text = format!("Illegal {what} parameter {given} of aggregate function {}", call.name);
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

fn unreadable(call: &Call<'_>, what: &str, text: &str) -> Error {
    let text = format!("Cannot parse {what} parameter '{text}' of aggregate function {}", call.name);
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
}

/// A number of ticks of 10^-scale seconds each, and the scale.
fn scaled(value: &ScalarValue) -> Option<(i128, u32)> {
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    match value {
        ScalarValue::TimestampSecond(Some(ticks), _) => Some((i128::from(*ticks), digits(&TimeUnit::Second))),
        ScalarValue::TimestampMillisecond(Some(ticks), _) => Some((i128::from(*ticks), digits(&TimeUnit::Millisecond))),
        ScalarValue::TimestampMicrosecond(Some(ticks), _) => Some((i128::from(*ticks), digits(&TimeUnit::Microsecond))),
        ScalarValue::TimestampNanosecond(Some(ticks), _) => Some((i128::from(*ticks), digits(&TimeUnit::Nanosecond))),
        ScalarValue::Decimal128(Some(ticks), _, scale) => Some((*ticks, u32::try_from(*scale).ok()?)),
        value if value.data_type().is_integer() => match value.cast_to(&arrow::datatypes::DataType::Int64) {
            Ok(ScalarValue::Int64(Some(number))) => Some((i128::from(number), 0)),
            _ => None,
        },
        _ => None,
    }
}

/// Whole seconds, which are not negative.
fn seconds(call: &Call<'_>, i: usize, what: &str) -> Result<i64> {
    let value = &call.parameters[i];
    if let Some(text) = text_parameter(value) {
        let text = String::from_utf8_lossy(&text).into_owned();
        return text.trim().parse::<u32>().map(i64::from).map_err(|_| unreadable(call, what, &text));
    }
    let (ticks, scale) = scaled(value).filter(|(ticks, _)| *ticks >= 0).ok_or_else(|| illegal(call, i, what))?;
    let divisor = 10i128.pow(scale.min(38));
    if ticks % divisor != 0 {
        return Err(unreadable(call, what, &value.to_string()));
    }
    i64::try_from(ticks / divisor).map_err(|_| illegal(call, i, what))
}

fn ticks(call: &Call<'_>, i: usize, what: &str, scale: u8) -> Result<i64> {
    let value = &call.parameters[i];
    let unit = 10f64.powi(i32::from(scale));
    let whole = |seconds: f64| {
        let ticks = (seconds * unit).round();
        (ticks.abs() < i64::MAX as f64).then_some(ticks as i64)
    };
    let found = if let Some(text) = text_parameter(value) {
        let text = String::from_utf8_lossy(&text).into_owned();
        let seconds = text.trim().parse::<f64>().ok().or_else(|| duration(&text)).or_else(|| time(&text));
        return seconds.and_then(whole).ok_or_else(|| unreadable(call, what, &text));
    } else if let Some((ticks, given)) = scaled(value) {
        let wanted = u32::from(scale);
        let ticks = if given > wanted {
            Some(ticks / 10i128.pow((given - wanted).min(38)))
        } else {
            ticks.checked_mul(10i128.pow(wanted - given))
        };
        ticks.and_then(|ticks| i64::try_from(ticks).ok())
    } else {
        call.float(i).ok().flatten().and_then(whole)
    };
    found.ok_or_else(|| illegal(call, i, what))
}

/// `1h30m` in seconds.
fn duration(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let units =
            [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0), ("w", 604_800.0), ("y", 31_536_000.0)];
        let (unit, length) = units.into_iter().find(|(unit, _)| rest.starts_with(unit))?;
        seconds += number * length;
        rest = &rest[unit.len()..];
    }
    Some(seconds)
}

/// A date and a time in UTC, in seconds.
fn time(text: &str) -> Option<f64> {
    let time = NaiveDateTime::parse_from_str(text.trim(), "%Y-%m-%d %H:%M:%S%.f").ok()?.and_utc();
    Some(time.timestamp() as f64 + f64::from(time.timestamp_subsec_nanos()) / 1e9)
}
