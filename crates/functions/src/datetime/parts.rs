//! Single parts of dates and times: `toYear`, `toHour`, `toYYYYMM`, `toRelativeDayNum` and so on.

use SqlType as T;
use arrow::array::ArrowPrimitiveType;
use arrow::datatypes::{DataType, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::calendar::{self, LAST_DAY_OF_DATE, SECONDS_A_DAY, civil_from_days, days_in_month};
use gristmill_types::{IntervalKind, SqlType};

use super::moments::{expect_moments, local_day, refused_of_days, ticks};
use crate::columns::{numbers, retype};
use crate::define::{arity, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

/// Days from 0000-01-01 to 1970-01-01.
pub const DAYS_BEFORE_EPOCH: i32 = 719_528;

pub fn register(registry: &mut Registry) {
    day::<UInt16Type>(registry, "toYear", T::UInt16, |day| civil_from_days(day).0 as u16);
    registry.twin("__toYearCalendarOnly", "toYear");
    day::<UInt8Type>(registry, "toQuarter", T::UInt8, |day| ((civil_from_days(day).1 - 1) / 3 + 1) as u8);
    day::<UInt8Type>(registry, "toMonth", T::UInt8, |day| civil_from_days(day).1 as u8);
    day::<UInt8Type>(registry, "toDayOfMonth", T::UInt8, |day| civil_from_days(day).2 as u8);
    day::<UInt16Type>(registry, "toDayOfYear", T::UInt16, |day| calendar::day_of_year(day) as u16);
    day::<UInt16Type>(registry, "toISOYear", T::UInt16, |day| calendar::iso_week(day).0 as u16);
    day::<UInt8Type>(registry, "toISOWeek", T::UInt8, |day| calendar::iso_week(day).1 as u8);
    day::<UInt8Type>(registry, "toDaysInMonth", T::UInt8, |day| {
        let (year, month, _) = civil_from_days(day);
        days_in_month(year, month) as u8
    });
    day::<UInt32Type>(registry, "toYYYYMM", T::UInt32, |day| {
        let (year, month, _) = civil_from_days(day);
        year as u32 * 100 + month
    });
    day::<UInt32Type>(registry, "toYYYYMMDD", T::UInt32, yyyymmdd);
    day::<UInt16Type>(registry, "toRelativeYearNum", T::UInt16, |day| civil_from_days(day).0 as u16);
    day::<UInt32Type>(registry, "toRelativeQuarterNum", T::UInt32, |day| {
        let (year, month, _) = civil_from_days(day);
        year as u32 * 4 + (month - 1) / 3
    });
    day::<UInt32Type>(registry, "toRelativeMonthNum", T::UInt32, |day| {
        let (year, month, _) = civil_from_days(day);
        year as u32 * 12 + month
    });
    day::<UInt32Type>(registry, "toRelativeWeekNum", T::UInt32, |day| week_number(day).max(0) as u32);
    day::<UInt32Type>(registry, "toRelativeDayNum", T::UInt32, |day| day.clamp(0, LAST_DAY_OF_DATE) as u32);
    day::<UInt16Type>(registry, "toYearNumSinceEpoch", T::UInt16, |day| (civil_from_days(day).0 - 1970).max(0) as u16);
    day::<UInt32Type>(registry, "toMonthNumSinceEpoch", T::UInt32, |day| {
        let (year, month, _) = civil_from_days(day);
        ((year - 1970) * 12 + month as i32 - 1).max(0) as u32
    });
    day::<UInt32Type>(registry, "toDaysSinceYearZero", T::UInt32, |day| (day + DAYS_BEFORE_EPOCH) as u32);

    time::<UInt8Type>(registry, "toHour", T::UInt8, |local| (local / 3600) as u8);
    time::<UInt8Type>(registry, "toMinute", T::UInt8, |local| (local / 60 % 60) as u8);
    time::<UInt8Type>(registry, "toSecond", T::UInt8, |local| (local % 60) as u8);
    registry.scalar(
        "toRelativeHourNum",
        plain(|name, arguments, env| {
            let moments = moments_and_zone(name, arguments, env)?;
            // Where a zone lies half an hour off, its hours are counted by its own clock of 1970, a day ahead.
            let offset = moments.zone.offset_at(0);
            let shift = if offset % 3600 == 0 { 0 } else { SECONDS_A_DAY - offset };
            let counted = counted(&arguments[0].kind);
            Ok(Bound::new(T::UInt32, move |args, _| {
                moments
                    .each_second::<UInt32Type>(&args[0], |utc, _| counted(utc, utc.saturating_add(shift).div_euclid(3600)))
            }))
        }),
    );
    for (name, width) in [("toRelativeMinuteNum", 60), ("toRelativeSecondNum", 1)] {
        registry.scalar(
            name,
            plain(move |name, arguments, env| {
                let (moments, counted) = (moments_and_zone(name, arguments, env)?, counted(&arguments[0].kind));
                Ok(Bound::new(T::UInt32, move |args, _| {
                    moments.each_second::<UInt32Type>(&args[0], |utc, _| counted(utc, utc.div_euclid(width)))
                }))
            }),
        );
    }
    second::<UInt64Type>(registry, "toYYYYMMDDhhmmss", T::UInt64, |utc, offset| {
        let local = utc.saturating_add(offset);
        let of_day = local.rem_euclid(SECONDS_A_DAY) as u64;
        let clock = of_day / 3600 * 10_000 + of_day / 60 % 60 * 100 + of_day % 60;
        u64::from(yyyymmdd(local_day(local))) * 1_000_000 + clock
    });
    fraction::<UInt16Type>(registry, "toMillisecond", T::UInt16, 3, |value| value as u16);
    fraction::<UInt32Type>(registry, "toMicrosecond", T::UInt32, 6, |value| value as u32);
    fraction::<UInt32Type>(registry, "toNanosecond", T::UInt32, 9, |value| value as u32);

    for (alias, name) in [
        ("YEAR", "toYear"),
        ("QUARTER", "toQuarter"),
        ("MONTH", "toMonth"),
        ("DAY", "toDayOfMonth"),
        ("DAYOFMONTH", "toDayOfMonth"),
        ("DAYOFYEAR", "toDayOfYear"),
        ("HOUR", "toHour"),
        ("MINUTE", "toMinute"),
        ("SECOND", "toSecond"),
        ("MILLISECOND", "toMillisecond"),
        ("MICROSECOND", "toMicrosecond"),
        ("NANOSECOND", "toNanosecond"),
        ("TO_DAYS", "toDaysSinceYearZero"),
    ] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

pub fn yyyymmdd(day: i32) -> u32 {
    let (year, month, day) = civil_from_days(day);
    year as u32 * 10_000 + month * 100 + day
}

/// Weeks from Monday to Sunday, counted from the one that the epoch lies in.
pub fn week_number(day: i32) -> i32 {
    (day + 3).div_euclid(7)
}

/// How a number of hours, minutes or seconds since the epoch is given: none before it, where the type holds such moments.
fn counted(kind: &SqlType) -> fn(i64, i64) -> u32 {
    match kind.plain() {
        T::Date32 | T::DateTime64(..) => |utc, number| if utc < 0 { 0 } else { number.min(u32::MAX.into()) as u32 },
        _ => |_, number| number as u32,
    }
}

fn moments_and_zone(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<super::moments::Moments> {
    arity(name, arguments, 1..=2)?;
    expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)
}

/// The unit of the intervals that a function takes beside moments.
fn unit_of(name: &str) -> Option<IntervalKind> {
    Some(match name {
        "toYear" => IntervalKind::Year,
        "toQuarter" => IntervalKind::Quarter,
        "toMonth" => IntervalKind::Month,
        "toISOWeek" => IntervalKind::Week,
        "toDayOfMonth" => IntervalKind::Day,
        "toHour" => IntervalKind::Hour,
        "toMinute" => IntervalKind::Minute,
        "toSecond" => IntervalKind::Second,
        "toMillisecond" => IntervalKind::Millisecond,
        "toMicrosecond" => IntervalKind::Microsecond,
        "toNanosecond" => IntervalKind::Nanosecond,
        _ => return None,
    })
}

/// How many units an interval has; `None` where there is no interval of that unit.
fn of_interval(arguments: &[Argument], unit: Option<IntervalKind>) -> Option<Bound> {
    match arguments {
        [argument] if unit.is_some_and(|unit| argument.kind == T::Interval(unit)) => {
            Some(Bound::new(T::Int64, |args, _| retype(&args[0], &DataType::Int64)))
        }
        _ => None,
    }
}

fn day<R: ArrowPrimitiveType>(
    registry: &mut Registry,
    name: &str,
    result: SqlType,
    f: impl Fn(i32) -> R::Native + Copy + Send + Sync + 'static,
) {
    let unit = unit_of(name);
    registry.scalar(
        name,
        plain(move |name, arguments, env| {
            if let Some(bound) = of_interval(arguments, unit) {
                return Ok(bound);
            }
            let moments = moments_and_zone(name, arguments, env)?;
            Ok(Bound::new(result.clone(), move |args, _| moments.each_day::<R>(&args[0], f)))
        }),
    );
}

fn second<R: ArrowPrimitiveType>(
    registry: &mut Registry,
    name: &str,
    result: SqlType,
    f: impl Fn(i64, i64) -> R::Native + Copy + Send + Sync + 'static,
) {
    registry.scalar(
        name,
        plain(move |name, arguments, env| {
            let moments = moments_and_zone(name, arguments, env)?;
            Ok(Bound::new(result.clone(), move |args, _| moments.each_second::<R>(&args[0], f)))
        }),
    );
}

/// A part of the local time of day, given in seconds.
fn time<R: ArrowPrimitiveType>(
    registry: &mut Registry,
    name: &str,
    result: SqlType,
    f: impl Fn(u32) -> R::Native + Copy + Send + Sync + 'static,
) {
    let unit = unit_of(name);
    registry.scalar(
        name,
        plain(move |name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            if let Some(bound) = of_interval(arguments, unit) {
                return Ok(bound);
            }
            let moments = expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
            if moments.scale.is_none() {
                return Ok(refused_of_days(name, arguments, result.clone()));
            }
            Ok(Bound::new(result.clone(), move |args, _| {
                moments
                    .each_second::<R>(&args[0], |utc, offset| f(utc.saturating_add(offset).rem_euclid(SECONDS_A_DAY) as u32))
            }))
        }),
    );
}

/// The fraction of a second in units of 10^-digits.
fn fraction<R: ArrowPrimitiveType>(
    registry: &mut Registry,
    name: &str,
    result: SqlType,
    digits: u8,
    f: impl Fn(i64) -> R::Native + Copy + Send + Sync + 'static,
) {
    let unit = unit_of(name);
    registry.scalar(
        name,
        plain(move |name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            if let Some(bound) = of_interval(arguments, unit) {
                return Ok(bound);
            }
            let moments = expect_moments(name, arguments, 0, env)?;
            if moments.scale.is_none() {
                return Ok(refused_of_days(name, arguments, result.clone()));
            }
            let (scale, unit) = (moments.scale.unwrap_or(0), moments.unit());
            let (up, down) =
                (10i64.pow(u32::from(digits.saturating_sub(scale))), 10i64.pow(u32::from(scale.saturating_sub(digits))));
            Ok(Bound::new(result.clone(), move |args, _| {
                let ticks = ticks(&args[0])?;
                numbers::<R>(ticks.len(), |row| Ok(f(ticks[row].rem_euclid(unit) * up / down)))
            }))
        }),
    );
}
