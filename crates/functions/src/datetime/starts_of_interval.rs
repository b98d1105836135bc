//! `toStartOfInterval`, `dateTrunc`: the start of the interval of a given length that a moment lies in.
//!
//! Intervals of seconds and minutes are counted from the epoch, hours from local midnight, days from 1970-01-01, weeks
//! from Monday 1970-01-05, months and quarters from January 1900, years from year 0; or all of them from a given origin.
//! A start beyond what the result's type holds is at its end; one of a Date32 wraps around, as in ClickHouse.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Date32Array, Int64Array};
use arrow::datatypes::{Date32Type, Int64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::calendar::{LAST_DAY_OF_DATE, SECONDS_A_DAY, add_months, civil_from_days, days_from_civil};
use gristmill_types::zone::Zone;
use gristmill_types::{IntervalKind, SqlType};

use super::intervals::{nanos, unit_by_name};
use super::moments::{Moments, expect_moments, from_ticks, local_day, midnight, refused_of_days, ticks, zone_argument};
use super::starts::{BeforeEpoch, in_range, second_of_day};
use crate::columns::{Numbers, retype};
use crate::define::{arity, bad_argument, constant_integer, illegal, need_constant_text, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("toStartOfInterval", plain(to_start_of_interval));
    for alias in ["date_bin", "time_bucket"] {
        registry.alias(alias, "toStartOfInterval");
        registry.any_case(alias);
    }
    registry.scalar("dateTrunc", plain(date_trunc));
    registry.alias("DATE_TRUNC", "dateTrunc");
    registry.any_case("DATE_TRUNC");
}

pub fn to_start_of_interval(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=4)?;
    let T::Interval(kind) = arguments[1].kind else { return Err(illegal(name, arguments, 1, "an interval")) };
    let length = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    if length <= 0 {
        return Err(Error::new(
            ErrorCode::ARGUMENT_OUT_OF_BOUND,
            format!("Function {name}: the interval must be positive, not {length}"),
        ));
    }
    let moments = expect_moments(name, arguments, 0, env)?;
    if arguments.get(2).is_some_and(|argument| argument.kind.is_date_or_time()) {
        return from_origin(name, arguments, env, kind, length);
    }
    if arguments.len() > 3 {
        return Err(illegal(name, arguments, 2, "a date or time to count from, as a time zone follows"));
    }
    let moments = moments.in_zone_of(name, arguments, 2)?;
    if moments.scale.is_some() && kind < IntervalKind::Second && !matches!(arguments[0].kind, T::DateTime64(..)) {
        return Err(illegal(name, arguments, 0, "DateTime64, as the interval is shorter than a second"));
    }
    let of_day = moments.scale.is_none() && kind < IntervalKind::Day;
    let result = match kind {
        IntervalKind::Nanosecond => T::DateTime64(9, moments.named.clone()),
        IntervalKind::Microsecond => T::DateTime64(6, moments.named.clone()),
        IntervalKind::Millisecond => T::DateTime64(3, moments.named.clone()),
        _ if kind <= IntervalKind::Day => T::DateTime(moments.named.clone()),
        _ => T::Date,
    };
    if of_day {
        return Ok(refused_of_days(name, arguments, result));
    }
    let before = BeforeEpoch::of(&arguments[0].kind, true);
    Ok(starts(moments, kind, length, result, before))
}

/// Types keep to the argument's family: the wide ones give Date32 and DateTime64.
fn date_trunc(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let unit = need_constant_text(name, arguments, 0)?;
    let kind = IntervalKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(&unit)).ok_or_else(|| {
        bad_argument(
            name,
            format!("'{unit}' is not a unit of time: use second, minute, hour, day, week, month, quarter or year"),
        )
    })?;
    let moments = expect_moments(name, arguments, 1, env)?.in_zone_of(name, arguments, 2)?;
    let wide = matches!(arguments[1].kind, T::Date32 | T::DateTime64(..));
    if moments.scale.is_none() && kind < IntervalKind::Day {
        return Err(illegal(name, arguments, 1, "DateTime or DateTime64, as the unit is shorter than a day"));
    }
    if kind < IntervalKind::Second && !matches!(arguments[1].kind, T::DateTime64(..)) {
        return Err(illegal(name, arguments, 1, "DateTime64, as the unit is shorter than a second"));
    }
    let named = moments.named.clone();
    let result = match (kind, wide) {
        (IntervalKind::Nanosecond, _) => T::DateTime64(9, named),
        (IntervalKind::Microsecond, _) => T::DateTime64(6, named),
        (IntervalKind::Millisecond, _) => T::DateTime64(3, named),
        (kind, true) if kind <= IntervalKind::Day => T::DateTime64(0, named),
        (kind, false) if kind <= IntervalKind::Day => T::DateTime(named),
        (_, true) => T::Date32,
        (_, false) => T::Date,
    };
    let bound = starts(moments, kind, 1, result, BeforeEpoch::of(&arguments[1].kind, false));
    Ok(Bound::new(bound.result, move |args, rows| (bound.kernel)(&args[1..], rows)))
}

fn starts(moments: Moments, kind: IntervalKind, length: i64, result: SqlType, before: BeforeEpoch) -> Bound {
    let to = result.clone();
    if kind < IntervalKind::Second {
        return Bound::new(result, move |args, _| fractions(&moments, &args[0], kind, length, &to));
    }
    Bound::new(result, move |args, _| {
        let whole = in_whole_seconds(&moments, &args[0])?;
        starts_of_seconds(&moments, &whole, kind, length, &to, before)
    })
}

/// Moments without their part of a second, which is cut off towards zero: before 1970 that is the next second, as in ClickHouse.
fn in_whole_seconds(moments: &Moments, array: &ArrayRef) -> Result<ArrayRef> {
    let unit = moments.unit();
    if moments.scale.is_none() || unit <= 1 {
        return Ok(array.clone());
    }
    let ticks = ticks(array)?;
    if ticks.iter().all(|tick| *tick >= 0 || tick % unit == 0) {
        return Ok(array.clone());
    }
    let whole: Int64Array = ticks.iter().map(|tick| tick / unit * unit).collect::<Vec<_>>().into();
    retype(&(Arc::new(whole) as ArrayRef), array.data_type())
}

/// Of an interval of at least a second.
fn starts_of_seconds(
    moments: &Moments,
    seconds: &ArrayRef,
    kind: IntervalKind,
    length: i64,
    to: &SqlType,
    before: BeforeEpoch,
) -> Result<ArrayRef> {
    let narrow = matches!(to, T::DateTime(_) | T::Date);
    match kind {
        IntervalKind::Second | IntervalKind::Minute => {
            let width = length.saturating_mul(if kind == IntervalKind::Minute { 60 } else { 1 });
            instants(moments, seconds, narrow, to, |utc, _| utc.saturating_sub(utc.rem_euclid(width)))
        }
        IntervalKind::Hour => {
            let width = length.saturating_mul(3600);
            if length == 1 {
                return instants(moments, seconds, narrow, to, |utc, offset| {
                    utc.saturating_sub(utc.saturating_add(offset).rem_euclid(3600))
                });
            }
            let zone = &moments.zone;
            instants(moments, seconds, narrow, to, |utc, offset| {
                let of_day = second_of_day(utc, offset);
                let local = utc.saturating_add(offset) - of_day + of_day / width * width;
                zone.to_utc(local)
            })
        }
        IntervalKind::Day => {
            let zone: &Zone = &moments.zone;
            let starts = moments.each_day::<Int64Type>(seconds, |day| {
                let first = i64::from(day).div_euclid(length).saturating_mul(length).max(-800_000);
                if narrow { before.midnight(zone, first) } else { midnight(zone, first) }
            })?;
            retype(&starts, &to.arrow())
        }
        _ => {
            let days = moments.each_day::<Date32Type>(seconds, |day| {
                let start = day_start(day, kind, length);
                match (before, narrow) {
                    (BeforeEpoch::Wraps, _) => i32::from(start as u16),
                    (_, true) => start.clamp(0, LAST_DAY_OF_DATE),
                    (_, false) => start,
                }
            })?;
            Ok(days)
        }
    }
}

fn instants(
    moments: &Moments,
    array: &ArrayRef,
    narrow: bool,
    to: &SqlType,
    f: impl Fn(i64, i64) -> i64,
) -> Result<ArrayRef> {
    let starts = moments.each_second::<Int64Type>(array, |utc, offset| {
        let start = f(utc, offset);
        if narrow { in_range(start) } else { start }
    })?;
    retype(&starts, &to.arrow())
}

/// Starts of parts of a second, at the scale of the unit.
fn fractions(moments: &Moments, array: &ArrayRef, kind: IntervalKind, length: i64, to: &SqlType) -> Result<ArrayRef> {
    let from = i128::from(1_000_000_000 / moments.unit().max(1));
    let unit = i128::from(nanos(kind));
    let width = unit * i128::from(length);
    let source = ticks(array)?;
    let values = source.iter().map(|tick| {
        let at = i128::from(*tick) * from;
        i64::try_from((at - at.rem_euclid(width)).div_euclid(unit)).unwrap_or(i64::MAX)
    });
    from_ticks(values.collect(), to)
}

/// The first day of the interval that a day lies in; `kind` is a week or longer.
pub fn day_start(day: i32, kind: IntervalKind, length: i64) -> i32 {
    let (year, month, _) = civil_from_days(day);
    let floor = |value: i64, length: i64| value.div_euclid(length).saturating_mul(length);
    let month_floor = |length: i64| {
        let months = floor(i64::from(year - 1900) * 12 + i64::from(month) - 1, length).max(-1900 * 12);
        days_from_civil(1900 + months.div_euclid(12) as i32, months.rem_euclid(12) as u32 + 1, 1)
    };
    match kind {
        IntervalKind::Week => (4 + floor(i64::from(day) - 4, length.saturating_mul(7))).max(-800_000) as i32,
        IntervalKind::Month => month_floor(length),
        IntervalKind::Quarter => month_floor(length.saturating_mul(3)),
        _ => days_from_civil(floor(year.into(), length) as i32, 1, 1),
    }
}

/// Intervals counted from the third argument. The type of the first argument stays.
fn from_origin(name: &str, arguments: &[Argument], env: &FunctionEnv, kind: IntervalKind, length: i64) -> Result<Bound> {
    let mut moments = expect_moments(name, arguments, 0, env)?;
    let origin = expect_moments(name, arguments, 2, env)?;
    if let Some((zone, named)) = zone_argument(name, arguments, 3)? {
        if matches!(arguments[0].kind, T::Date) {
            return Err(illegal(name, arguments, 0, "DateTime or DateTime64, as a time zone is given"));
        }
        moments.zone = zone;
        moments.named = Some(named);
    }
    let is_like = match (&arguments[0].kind, &arguments[2].kind) {
        (T::DateTime(_), T::DateTime(_)) => true,
        (T::DateTime64(scale, _), T::DateTime64(other, _)) => scale == other,
        (kind, other) => kind == other,
    };
    if !is_like {
        return Err(illegal(name, arguments, 2, format!("{}, the type of the first argument", arguments[0].kind)));
    }
    if moments.scale.is_none() && kind < IntervalKind::Day {
        return Err(illegal(name, arguments, 0, "DateTime or DateTime64, as the interval is shorter than a day"));
    }
    if matches!(arguments[0].kind, T::DateTime(_)) && kind < IntervalKind::Second {
        return Err(illegal(name, arguments, 0, "DateTime64, as the interval is shorter than a second"));
    }
    let named = moments.named.clone();
    let result = match (&arguments[0].kind, kind) {
        (T::DateTime(_), _) => T::DateTime(named),
        (T::DateTime64(..), IntervalKind::Nanosecond) => T::DateTime64(9, named),
        (T::DateTime64(..), IntervalKind::Microsecond) => T::DateTime64(6, named),
        (T::DateTime64(..), IntervalKind::Millisecond) => T::DateTime64(3, named),
        (T::DateTime64(scale, _), _) => T::DateTime64(*scale, named),
        (days, _) => days.clone(),
    };
    let to = result.clone();
    let shown_unit = match result {
        T::DateTime64(scale, _) => 10_i128.pow(u32::from(scale)),
        _ => 1,
    };
    let name = name.to_string();
    let before = move || bad_argument(&name, "the origin lies after the moment");
    Ok(Bound::new(result, move |args, rows| {
        if moments.scale.is_none() {
            let (days, origins) = (moments.local_days(&args[0])?, origin.local_days(&args[2])?);
            let origins = |row: usize| origins[crate::columns::at(origins.len(), row)];
            let values: Vec<i32> = (0..rows)
                .map(|row| {
                    let (day, origin) = (days[crate::columns::at(days.len(), row)], origins(row));
                    if day < origin {
                        return Err(before());
                    }
                    Ok(since_origin(day, origin, kind, length))
                })
                .collect::<Result<_>>()?;
            return Ok(Arc::new(Date32Array::new(values.into(), None)));
        }
        let unit = moments.unit();
        let at = retype(&args[0], &arrow::datatypes::DataType::Int64)?;
        let from = retype(&args[2], &arrow::datatypes::DataType::Int64)?;
        let (at, from) = (Numbers::of::<Int64Type>(&at)?, Numbers::of::<Int64Type>(&from)?);
        let mut values = Vec::with_capacity(rows);
        for row in 0..rows {
            let tick = at.get(row);
            let origin = from.get(row);
            if tick < origin {
                return Err(before());
            }
            values.push(if nanos(kind) > 0 {
                let tick_nanos = 1_000_000_000 / i128::from(unit).max(1);
                let width = i128::from(nanos(kind)) * i128::from(length);
                let passed = (i128::from(tick) - i128::from(origin)) * tick_nanos;
                let start = i128::from(origin) * tick_nanos + passed / width * width;
                i64::try_from(start.div_euclid(1_000_000_000 / shown_unit)).unwrap_or(i64::MAX)
            } else {
                // Months differ in length: they are counted on the calendar, at the origin's time of day.
                let local = |tick: i64| moments.zone.to_local(tick.div_euclid(unit));
                let (day, first) = (local_day(local(tick)), local_day(local(origin)));
                let clock = local(origin).rem_euclid(SECONDS_A_DAY);
                let day = if local(tick).rem_euclid(SECONDS_A_DAY) < clock { day - 1 } else { day };
                let start = since_origin(day.max(first), first, kind, length);
                moments
                    .zone
                    .to_utc(i64::from(start) * SECONDS_A_DAY + clock)
                    .saturating_mul(unit)
                    .saturating_add(origin.rem_euclid(unit))
            });
        }
        from_ticks(values, &to)
    }))
}

fn since_origin(day: i32, origin: i32, kind: IntervalKind, length: i64) -> i32 {
    let months = match kind {
        IntervalKind::Month => length,
        IntervalKind::Quarter => length.saturating_mul(3),
        IntervalKind::Year => length.saturating_mul(12),
        kind => {
            let width = length.saturating_mul(nanos(kind) / 1_000_000_000 / SECONDS_A_DAY).max(1);
            return origin + (i64::from(day - origin) / width * width) as i32;
        }
    };
    let ((year, month, of_month), (first_year, first_month, first_day)) = (civil_from_days(day), civil_from_days(origin));
    let passed = i64::from((year - first_year) * 12 + month as i32 - first_month as i32 - i32::from(of_month < first_day));
    add_months(origin, passed.max(0) / months * months)
}

/// The unit that a name such as `day` stands for, for callers that take it as text.
pub fn unit(name: &str, text: &str) -> Result<IntervalKind> {
    unit_by_name(text).ok_or_else(|| bad_argument(name, format!("'{text}' is not a unit of time")))
}
