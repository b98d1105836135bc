//! Dates and times: among themselves, and from and to numbers.
//!
//! Every source becomes a column of ticks with a scale, or of days; every target is made from one of them. Dates are days of
//! the calendar and meet instants in a zone (the type's own, else the session's): a date is its midnight there. Days and times
//! beyond the range of the narrow types (Date, DateTime) wrap around, or are at the end of the range with `saturates`, or are
//! refused, as `overflow` says; numbers always are at the end. Fractions are cut towards zero.
//!
//! Numbers mean days for dates as long as a date can be meant, and seconds since the epoch beyond that; seconds for DateTime
//! and DateTime64.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Date32Array, PrimitiveArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::{Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type, i256};
use gristmill_base::{Error, ErrorCode, Result};

use super::number::to_f64;
use super::{CastOptions, OnError, Overflow, no_way, plain_or_same, relabel, try_from_fn};
use crate::builder::from_ticks;
use crate::calendar::{EARLIEST_DAY, LAST_DAY_OF_DATE, LAST_DAY_OF_DATETIME, LATEST_DAY, SECONDS_A_DAY};
use crate::sql_type::SqlType;
use crate::text::ticks;
use crate::zone::Zone;
use SqlType as T;

/// The seconds that a DateTime64 may hold.
const FIRST_SECOND: i64 = EARLIEST_DAY as i64 * SECONDS_A_DAY;
const LAST_SECOND: i64 = (LATEST_DAY as i64 + 1) * SECONDS_A_DAY - 1;

pub(super) fn concerns(kind: &SqlType) -> bool {
    kind.is_date_or_time() || matches!(kind, T::Time | T::Time64(_))
}

pub(super) fn convert(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let nulls = array.nulls().cloned();
    let saturates = options.saturates || options.overflow == Overflow::Ends;
    if options.overflow == Overflow::Refused && !saturates && options.on_error == OnError::Throw {
        refuse_beyond(array, from, to, options)?;
    }
    match (from, to) {
        (T::Date | T::Date32, _) => {
            let days = array.as_primitive::<Date32Type>();
            match to {
                // Whole days of a file are carried as they are.
                T::Date if options.refuses_days && days.values().iter().all(is_of_date) => Ok(array.clone()),
                T::Date if options.accurate || options.refuses_days => checked_date(days, to, options),
                T::Date => Ok(date_array(days.values().iter().copied(), true, saturates, nulls)),
                T::Date32 => Ok(array.clone()),
                T::DateTime(_) => {
                    let zone = zone_of(to, options);
                    let seconds = days.values().iter().map(|day| midnight(&zone, *day, *from == T::Date, saturates));
                    Ok(from_ticks(seconds.collect::<ScalarBuffer<i64>>(), nulls, &to.arrow()))
                }
                T::DateTime64(..) => {
                    let zone = zone_of(to, options);
                    let seconds = days.values().iter().map(|day| zone.to_utc(i64::from(*day) * SECONDS_A_DAY));
                    instants(seconds.collect(), 0, to, nulls, options)
                }
                // A day begins at midnight.
                T::Time | T::Time64(_) => Ok(from_ticks(vec![0i64; days.len()], nulls, &to.arrow())),
                _ if to.is_number() && !to.is_decimal() => {
                    plain_or_same(&relabel(array, &T::Int32.arrow())?, &T::Int32, to, options)
                }
                _ => Err(no_way(from, to)),
            }
        }
        (T::DateTime(_) | T::DateTime64(..), T::Date | T::Date32) => {
            let zone = zone_of(from, options);
            let unit = unit_of(from);
            let ticks = ticks(array)?;
            let local = zone.cursor();
            // Before 1970 a part of a second makes a whole one for a Date32, and is cut off for a Date, as in ClickHouse.
            let second = |tick: &i64| if *to == T::Date { tick / unit } else { tick.div_euclid(unit) };
            let days = ticks
                .iter()
                .map(|tick| local.to_local(second(tick)).div_euclid(SECONDS_A_DAY))
                .map(|day| day.clamp(EARLIEST_DAY.into(), LATEST_DAY.into()) as i32);
            // The first seconds of a DateTime are a day earlier in the west, which is the first one all the same.
            let saturates = saturates || matches!(from, T::DateTime(_));
            Ok(date_array(days, *to == T::Date, saturates, nulls))
        }
        (T::DateTime64(..), T::DateTime(_)) => {
            let unit = unit_of(from);
            let seconds: ScalarBuffer<i64> =
                ticks(array)?.iter().map(|tick| in_32_bits(tick.div_euclid(unit), saturates)).collect();
            Ok(from_ticks(seconds, nulls, &to.arrow()))
        }
        (T::DateTime(_) | T::DateTime64(..), T::DateTime(_) | T::DateTime64(..)) => {
            instants(ticks(array)?, scale_of(from), to, nulls, options)
        }
        (T::DateTime(_) | T::DateTime64(..), T::Time | T::Time64(_)) => {
            let (zone, unit) = (zone_of(from, options), unit_of(from));
            let day = SECONDS_A_DAY * unit;
            let local = zone.cursor();
            let of_day: ScalarBuffer<i64> = ticks(array)?
                .iter()
                .map(|tick| (tick + local.offset_at(tick.div_euclid(unit)) * unit).rem_euclid(day))
                .collect();
            rescaled(of_day, scale_of(from), to, nulls, options)
        }
        (T::Time | T::Time64(_), T::Time | T::Time64(_)) => rescaled(ticks(array)?, scale_of(from), to, nulls, options),
        // A time of day is one of the first day; what is beyond it is of the days around, as a time.
        (T::Time | T::Time64(_), T::Date | T::Date32) => {
            Ok(date_array((0..array.len()).map(|_| 0), *to == T::Date, options.saturates, nulls))
        }
        (T::Time | T::Time64(_), T::DateTime(_)) => {
            let unit = unit_of(from);
            let seconds: ScalarBuffer<i64> =
                ticks(array)?.iter().map(|tick| in_32_bits(tick.div_euclid(unit), options.saturates)).collect();
            Ok(from_ticks(seconds, nulls, &to.arrow()))
        }
        (T::Time | T::Time64(_), T::DateTime64(..)) => instants(ticks(array)?, scale_of(from), to, nulls, options),
        (_, _) if concerns(from) => to_number(array, from, to, options),
        (_, T::Date | T::Date32 | T::DateTime(_) | T::Time) if options.accurate && from.is_float() => {
            from_number(&only_whole(array, from, to, options)?, &T::Float64, to, options)
        }
        (_, T::Date | T::DateTime(_) | T::DateTime64(..) | T::Time | T::Time64(_)) if from.is_float() => {
            from_number(&only_moments(array, from, to, options)?, &T::Float64, to, options)
        }
        _ => from_number(array, from, to, options),
    }
}

fn from_number(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    match to {
        T::Date | T::Date32 => from_number_to_date(array, from, to, options),
        _ => from_number_to_instant(array, from, to, options),
    }
}

fn scale_of(kind: &SqlType) -> u8 {
    match kind {
        T::DateTime64(scale, _) | T::Time64(scale) => *scale,
        _ => 0,
    }
}

fn unit_of(kind: &SqlType) -> i64 {
    10i64.pow(u32::from(scale_of(kind)))
}

fn zone_of(kind: &SqlType, options: &CastOptions) -> Zone {
    Zone::of_type(kind.timezone(), options.timezone)
}

/// Seconds as a DateTime holds them.
fn in_32_bits(second: i64, saturates: bool) -> i64 {
    if saturates { second.clamp(0, u32::MAX.into()) } else { i64::from(second as u32) }
}

/// When a day begins in a zone, as a DateTime. A Date has no day before its first: where that begins earlier than DateTime does,
/// it is the next midnight, as in ClickHouse.
fn midnight(zone: &Zone, day: i32, of_date: bool, saturates: bool) -> i64 {
    let day = if saturates { day.clamp(0, LAST_DAY_OF_DATETIME) } else { day };
    let second = zone.to_utc(i64::from(day) * SECONDS_A_DAY);
    if of_date && second < 0 { zone.to_utc(SECONDS_A_DAY) } else { in_32_bits(second, saturates) }
}

fn date_array(days: impl Iterator<Item = i32>, narrow: bool, saturates: bool, nulls: Option<NullBuffer>) -> ArrayRef {
    // A Date is 16 bits.
    let fitting = |day: i32| match (narrow, saturates) {
        (true, false) => i32::from(day as u16),
        (true, true) => day.clamp(0, LAST_DAY_OF_DATE),
        (false, _) => day.clamp(EARLIEST_DAY, LATEST_DAY),
    };
    let days: Vec<i32> = days.map(fitting).collect();
    Arc::new(Date32Array::new(days.into(), nulls))
}

fn is_of_date(day: &i32) -> bool {
    (0..=LAST_DAY_OF_DATE).contains(day)
}

/// Errors: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE for a day or a moment that is beyond a Date or a DateTime.
fn refuse_beyond(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<()> {
    let last_day = i64::from(if *to == T::Date { LAST_DAY_OF_DATE } else { LAST_DAY_OF_DATETIME });
    let (values, last): (Vec<i64>, i64) = match (from, to) {
        (T::Date | T::Date32, T::Date | T::DateTime(_)) => {
            (array.as_primitive::<Date32Type>().values().iter().map(|day| i64::from(*day)).collect(), last_day)
        }
        (T::DateTime64(..), T::Date | T::DateTime(_)) => {
            let (zone, unit) = (zone_of(from, options), unit_of(from));
            let local = zone.cursor();
            let seconds = ticks(array)?.iter().map(|tick| tick.div_euclid(unit)).collect::<Vec<i64>>();
            match to {
                T::Date => {
                    let days = seconds.into_iter().map(|second| local.to_local(second).div_euclid(SECONDS_A_DAY));
                    (days.collect(), last_day)
                }
                _ => (seconds, u32::MAX.into()),
            }
        }
        _ => return Ok(()),
    };
    let is_beyond = |row: &usize| array.is_valid(*row) && !(0..=last).contains(&values[*row]);
    (0..values.len()).find(is_beyond).map_or(Ok(()), |row| Err(beyond(values[row], to)))
}

fn checked_date(days: &Date32Array, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let checked: Date32Array =
        super::try_map(days, options, |day| if is_of_date(&day) { Ok(day) } else { Err(beyond(day.into(), to)) })?;
    Ok(Arc::new(checked))
}

fn beyond(value: i64, to: &SqlType) -> Error {
    Error::new(ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE, format!("Value {value} is out of bounds of type {to}"))
}

/// Ticks at another scale: cut off towards zero; `None` where it does not fit.
#[inline]
fn rescale(tick: i64, from: u8, to: u8) -> Option<i64> {
    if to >= from { tick.checked_mul(10i64.pow(u32::from(to - from))) } else { Some(tick / 10i64.pow(u32::from(from - to))) }
}

/// Instants at a scale as a DateTime or DateTime64.
fn instants(
    ticks: ScalarBuffer<i64>,
    scale: u8,
    to: &SqlType,
    nulls: Option<NullBuffer>,
    options: &CastOptions,
) -> Result<ArrayRef> {
    match to {
        T::DateTime(_) => {
            let unit = 10i64.pow(u32::from(scale));
            let seconds: ScalarBuffer<i64> =
                ticks.iter().map(|tick| tick.div_euclid(unit).clamp(0, u32::MAX.into())).collect();
            Ok(from_ticks(seconds, nulls, &to.arrow()))
        }
        _ => rescaled(ticks, scale, to, nulls, options),
    }
}

fn rescaled(
    ticks: ScalarBuffer<i64>,
    from: u8,
    to: &SqlType,
    nulls: Option<NullBuffer>,
    options: &CastOptions,
) -> Result<ArrayRef> {
    let scale = scale_of(to);
    if scale == from {
        return Ok(from_ticks(ticks, nulls, &to.arrow()));
    }
    if scale < from {
        let unit = 10i64.pow(u32::from(from - scale));
        let cut: ScalarBuffer<i64> = ticks.iter().map(|tick| tick / unit).collect();
        return Ok(from_ticks(cut, nulls, &to.arrow()));
    }
    let scaled: PrimitiveArray<Int64Type> = try_from_fn(ticks.len(), nulls.as_ref(), options, |row| {
        rescale(ticks[row], from, scale).ok_or_else(|| {
            Error::new(
                ErrorCode::DECIMAL_OVERFLOW,
                format!("Decimal math overflow: {} ticks of 10^-{from} seconds do not fit {to}", ticks[row]),
            )
        })
    })?;
    Ok(from_ticks(scaled.values().clone(), scaled.nulls().cloned(), &to.arrow()))
}

fn to_number(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let scale = scale_of(from);
    let nulls = array.nulls().cloned();
    let ticks = ticks(array)?;
    if !matches!(from, T::DateTime64(..) | T::Time64(_)) {
        let seconds: ArrayRef = Arc::new(PrimitiveArray::<Int64Type>::new(ticks, nulls));
        return if to.is_number() { plain_or_same(&seconds, &T::Int64, to, options) } else { Err(no_way(from, to)) };
    }
    if !to.is_number() {
        return Err(no_way(from, to));
    }
    // What does not fit is an error, as of decimals.
    let decimal = T::Decimal { precision: 18, scale };
    let values: Vec<i128> = ticks.iter().map(|tick| i128::from(*tick)).collect();
    let values = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls).with_data_type(decimal.arrow());
    plain_or_same(&(Arc::new(values) as ArrayRef), &decimal, to, options)
}

/// Whole numbers that stand for days or seconds: integers as they are, others cut towards zero; what 64 bits cannot hold is
/// at their end.
fn whole(array: &ArrayRef, from: &SqlType, to: &SqlType) -> Result<Vec<i64>> {
    Ok(match from {
        T::UInt64 => {
            let values = array.as_primitive::<arrow::datatypes::UInt64Type>().values();
            values.iter().map(|value| i64::try_from(*value).unwrap_or(i64::MAX)).collect()
        }
        T::Int128 | T::Int256 | T::UInt128 | T::UInt256 => {
            let values = array.as_primitive::<Decimal256Type>().values();
            values.iter().map(|value| within_64_bits(*value, *from == T::UInt256)).collect()
        }
        T::BFloat16 | T::Float32 | T::Float64 => to_f64(array, from)?.values().iter().map(|value| *value as i64).collect(),
        _ if from.is_number() => {
            let options = CastOptions::default();
            plain_or_same(array, from, &T::Int64, &options)?.as_primitive::<Int64Type>().values().to_vec()
        }
        _ => return Err(no_way(from, to)),
    })
}

/// Doubles of floats that are to come out equal: those with a fraction are refused, and so is what is no number.
fn only_whole(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let floats = to_f64(array, from)?;
    let checked: PrimitiveArray<Float64Type> = super::try_map(&floats, options, |value: f64| {
        if value.fract() == 0.0 {
            return Ok(value);
        }
        let text = format!("Value {value} cannot be safely converted into type {to}");
        Err(Error::new(ErrorCode::CANNOT_CONVERT_TYPE, text))
    })?;
    Ok(Arc::new(checked))
}

/// Doubles of floats that each are some moment: NaN is none, and infinity is one only where ticks are counted, their last.
fn only_moments(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let floats = to_f64(array, from)?;
    let has_ticks = matches!(to, T::DateTime64(..) | T::Time64(_));
    let checked: PrimitiveArray<Float64Type> = super::try_map(&floats, options, |value: f64| {
        if value.is_finite() || has_ticks && value.is_infinite() {
            return Ok(value);
        }
        let code = if has_ticks { ErrorCode::DECIMAL_OVERFLOW } else { ErrorCode::CANNOT_CONVERT_TYPE };
        Err(Error::new(code, format!("Value {value} cannot be converted into type {to}")))
    })?;
    Ok(Arc::new(checked))
}

/// A wide integer, or the end of 64 bits that it lies beyond. `unsigned`: what is carried as less than zero is more than any other.
fn within_64_bits(value: i256, unsigned: bool) -> i64 {
    let is_below_zero = value < i256::ZERO;
    if is_below_zero && unsigned {
        return i64::MAX;
    }
    let end = if is_below_zero { i64::MIN } else { i64::MAX };
    value.to_i128().and_then(|value| i64::try_from(value).ok()).unwrap_or(end)
}

fn from_number_to_date(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let zone = zone_of(to, options);
    let local = zone.cursor();
    let narrow = *to == T::Date;
    let (low, high) = if narrow { (0, LAST_DAY_OF_DATE) } else { (EARLIEST_DAY, LATEST_DAY) };
    let (low, high) = (i64::from(low), i64::from(high));
    let last: i64 = if narrow { u32::MAX.into() } else { LAST_SECOND };
    let day = |value: i64| {
        if value <= high { value.max(low) as i32 } else { local.to_local(value.min(last)).div_euclid(SECONDS_A_DAY) as i32 }
    };
    let values = whole(array, from, to)?;
    if options.accurate {
        let values: PrimitiveArray<Int64Type> = PrimitiveArray::new(values.into(), array.nulls().cloned());
        let days: PrimitiveArray<Int32Type> = super::try_map(&values, options, |value| {
            if (low..=last).contains(&value) { Ok(day(value)) } else { Err(beyond(value, to)) }
        })?;
        return relabel(&(Arc::new(days) as ArrayRef), &to.arrow());
    }
    Ok(date_array(values.into_iter().map(day), narrow, options.saturates, array.nulls().cloned()))
}

/// Seconds as ticks of a DateTime64; what is beyond its range, or that of 64 bits, is the last or the first tick of it.
fn ticks_within(second: i64, unit: i128) -> i64 {
    let (first, last) = (i128::from(FIRST_SECOND) * unit, (i128::from(LAST_SECOND) + 1) * unit - 1);
    let tick = (i128::from(second) * unit).clamp(first, last);
    tick.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Ticks as a Time64 holds them, which ends one short of a thousand hours.
fn ticks_of_time(ticks: i128, unit: i128) -> i64 {
    let end = 3_600_000 * unit - 1;
    ticks.clamp(-end, end) as i64
}

fn from_number_to_instant(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let scale = scale_of(to);
    let nulls = array.nulls().cloned();
    match from {
        T::Decimal { scale: digits, .. } if scale > 0 => {
            let exact = T::Decimal { precision: 38, scale: *digits };
            let values = plain_or_same(array, from, &exact, options)?;
            let values = values.as_primitive::<Decimal128Type>();
            let ticks: PrimitiveArray<Int64Type> = try_from_fn(array.len(), nulls.as_ref(), options, |row| {
                let value = values.value(row);
                super::decimal::rescale128(value, *digits, scale)
                    .and_then(|ticks| i64::try_from(ticks).ok())
                    .ok_or_else(|| beyond(value as i64, to))
            })?;
            Ok(from_ticks(ticks.values().clone(), ticks.nulls().cloned(), &to.arrow()))
        }
        T::BFloat16 | T::Float32 | T::Float64 if scale > 0 => {
            let floats: PrimitiveArray<Float64Type> = to_f64(array, from)?;
            let unit = 10f64.powi(i32::from(scale));
            let is_time = matches!(to, T::Time64(_));
            let ticks: ScalarBuffer<i64> = floats
                .values()
                .iter()
                .map(|value| match *value > LAST_SECOND as f64 {
                    _ if is_time => ticks_of_time((value * unit) as i128, unit as i128),
                    true => ticks_within(i64::MAX, unit as i128),
                    false => (value.max(FIRST_SECOND as f64) * unit) as i64,
                })
                .collect();
            Ok(from_ticks(ticks, nulls, &to.arrow()))
        }
        _ => {
            let values = whole(array, from, to)?;
            if options.accurate && matches!(to, T::DateTime(_)) {
                let values: PrimitiveArray<Int64Type> = PrimitiveArray::new(values.into(), nulls);
                let seconds: PrimitiveArray<Int64Type> = super::try_map(&values, options, |value| {
                    if u32::try_from(value).is_ok() { Ok(value) } else { Err(beyond(value, to)) }
                })?;
                return Ok(from_ticks(seconds.values().clone(), seconds.nulls().cloned(), &to.arrow()));
            }
            if *to == T::Time {
                let seconds = values.into_iter().map(|value| value.clamp(-3_599_999, 3_599_999)).collect();
                return rescaled(seconds, 0, to, nulls, options);
            }
            if matches!(to, T::DateTime(_)) {
                let seconds = values.into_iter().map(|value| value.clamp(FIRST_SECOND, LAST_SECOND)).collect();
                return instants(seconds, 0, to, nulls, options);
            }
            let unit = i128::from(unit_of(to));
            let is_time = matches!(to, T::Time64(_));
            let tick = |second: i64| match is_time {
                true => ticks_of_time(i128::from(second) * unit, unit),
                false => ticks_within(second, unit),
            };
            let ticks: ScalarBuffer<i64> = values.into_iter().map(tick).collect();
            Ok(from_ticks(ticks, nulls, &to.arrow()))
        }
    }
}
