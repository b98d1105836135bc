//! Dates and times from numbers: `makeDate`, `makeDateTime64`, and one part changed: `changeYear` … `changeSecond`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Date32Array};
use arrow::datatypes::{Float64Type, Int64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::calendar::{LAST_DAY_OF_DATE, SECONDS_A_DAY, civil_from_days, days_from_civil};
use gristmill_types::zone::Zone;

use super::moments::{bounded, expect_moments, from_ticks, local_day, zone_argument};
use crate::columns::{Numbers, numbers};
use crate::define::{arity, bad_argument, constant_integer, expect_number, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("makeDate", plain(|name, arguments, _| make_date(name, arguments, true)));
    registry.scalar("makeDate32", plain(|name, arguments, _| make_date(name, arguments, false)));
    registry.scalar("makeDateTime", plain(|name, arguments, env| make_time(name, arguments, env, false)));
    registry.scalar("makeDateTime64", plain(|name, arguments, env| make_time(name, arguments, env, true)));
    for name in ["makeDate", "makeDate32", "makeDateTime", "makeDateTime64"] {
        registry.any_case(name);
    }
    for (name, part) in [
        ("changeYear", Part::Year),
        ("changeMonth", Part::Month),
        ("changeDay", Part::Day),
        ("changeHour", Part::Hour),
        ("changeMinute", Part::Minute),
        ("changeSecond", Part::Second),
    ] {
        registry.scalar(name, plain(move |name, arguments, env| change(name, arguments, env, part)));
    }
}

/// The day of a date whose day of the month may lie in the next month, up to the 31st; `None` where there is none.
pub fn lenient_day(year: i64, month: i64, day: i64) -> Option<i32> {
    let fits = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    fits.then(|| days_from_civil(year as i32, month as u32, 1) + day as i32 - 1)
}

fn numbers_only(name: &str, arguments: &[Argument], count: usize) -> Result<Vec<SqlType>> {
    (0..count)
        .map(|i| {
            expect_number(name, arguments, i)?;
            Ok(T::Int64)
        })
        .collect()
}

fn make_date(name: &str, arguments: &[Argument], narrow: bool) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let casts = numbers_only(name, arguments, arguments.len())?;
    let days = if narrow { 0..=LAST_DAY_OF_DATE } else { super::moments::EARLIEST_DAY..=super::moments::LATEST_DAY };
    Ok(Bound::cast(casts, if narrow { T::Date } else { T::Date32 }, move |args, rows| {
        let parts: Vec<Numbers<'_, i64>> = args.iter().map(Numbers::of::<Int64Type>).collect::<Result<_>>()?;
        let made: Vec<i32> = (0..rows)
            .map(|row| {
                let day = match parts[..] {
                    // The day of a year.
                    [year, day] => {
                        let (year, day) = (year.get(row), day.get(row));
                        // Not the 366th, whatever the year.
                        let fits = (0..=9999).contains(&year) && (1..=365).contains(&day);
                        fits.then(|| days_from_civil(year as i32, 1, 1) + day as i32 - 1)
                    }
                    [year, month, day] => lenient_day(year.get(row), month.get(row), day.get(row)),
                    _ => None,
                };
                // What the type does not hold is no day.
                day.filter(|day| days.contains(day)).unwrap_or(0)
            })
            .collect();
        Ok(Arc::new(Date32Array::new(made.into(), None)) as ArrayRef)
    }))
}

/// Years that a DateTime64 is made in; what lies outside, or is no time, is at their ends.
const FIRST_YEAR: i64 = 1900;
const LAST_YEAR: i64 = 2299;

/// In seconds.
fn start_of_year(year: i64) -> i64 {
    i64::from(days_from_civil(year as i32, 1, 1)) * SECONDS_A_DAY
}

/// year, month, day, hour, minute, second[, fraction[, precision]][, zone]
fn make_time(name: &str, arguments: &[Argument], env: &FunctionEnv, wide: bool) -> Result<Bound> {
    arity(name, arguments, 6..=if wide { 9 } else { 7 })?;
    let fixed = arguments.iter().position(|argument| argument.kind.is_string()).unwrap_or(arguments.len());
    let scale = match arguments.get(7).filter(|_| wide && fixed > 7) {
        Some(precision) => {
            let scale = constant_integer(precision).ok_or_else(|| not_constant(name, 7))?;
            u8::try_from(scale)
                .ok()
                .filter(|scale| *scale <= 9)
                .ok_or_else(|| bad_argument(name, format!("precision {scale} is not from 0 to 9")))?
        }
        None if wide => 3,
        None => 0,
    };
    let named = zone_argument(name, arguments, fixed)?;
    let zone = match &named {
        Some((zone, _)) => zone.clone(),
        None => Zone::new(crate::text::timezone(env)?),
    };
    let mut casts = numbers_only(name, arguments, fixed)?;
    if fixed < 6 {
        return Err(bad_argument(name, "year, month, day, hour, minute and second must be numbers"));
    }
    // A year of a fraction is cut off; the fraction itself counts ticks.
    casts[..6].fill(T::Float64);
    casts.extend(arguments[fixed..].iter().map(|argument| argument.kind.clone()));
    let named = named.map(|(_, named)| named);
    let result = if wide { T::DateTime64(scale, named) } else { T::DateTime(named) };
    let to = result.clone();
    let unit = 10i64.pow(u32::from(scale));
    Ok(Bound::cast(casts, result, move |args, rows| {
        let parts: Vec<Numbers<'_, f64>> = args[..6].iter().map(Numbers::of::<Float64Type>).collect::<Result<_>>()?;
        let fraction = if fixed > 6 { Some(Numbers::of::<Int64Type>(&args[6])?) } else { None };
        let moved = numbers::<Int64Type>(rows, |row| {
            let part = |i: usize| parts[i].get(row) as i64;
            let clock = [part(3), part(4), part(5)];
            let is_clock = clock.iter().all(|part| (0..100).contains(part));
            let local = lenient_day(part(0), part(1), part(2)).filter(|_| is_clock).map(|day| {
                let [hour, minute, second] = clock;
                i64::from(day) * SECONDS_A_DAY + hour * 3600 + minute * 60 + second
            });
            // A year that no date has is beyond all others.
            if !wide && part(0) > 9999 {
                return Ok(super::starts::in_range(i64::MAX));
            }
            if !wide {
                return Ok(local.map_or(0, |local| super::starts::in_range(zone.to_utc(local))));
            }
            let fraction = fraction.map_or(0, |fraction| fraction.get(row).clamp(0, unit - 1));
            let (local, fraction) = match local {
                _ if part(0) > LAST_YEAR => (start_of_year(LAST_YEAR + 1) - 1, unit - 1),
                Some(local) if part(0) >= FIRST_YEAR => (local, fraction),
                _ => (start_of_year(FIRST_YEAR), 0),
            };
            Ok(zone.to_utc(local).saturating_mul(unit).saturating_add(fraction))
        })?;
        crate::columns::retype(&moved, &to.arrow())
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

fn change(name: &str, arguments: &[Argument], env: &FunctionEnv, part: Part) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_number(name, arguments, 1)?;
    let moments = expect_moments(name, arguments, 0, env)?;
    let of_day = matches!(part, Part::Hour | Part::Minute | Part::Second);
    let result = match &arguments[0].kind {
        T::Date if of_day => T::DateTime(None),
        T::Date32 if of_day => T::DateTime64(3, None),
        other => other.clone(),
    };
    let (to, zone) = (result.clone(), moments.zone);
    let casts = vec![result.clone(), T::Int64];
    Ok(Bound::cast(casts, result, move |args, rows| {
        let by = Numbers::of::<Int64Type>(&args[1])?;
        if matches!(to, T::Date | T::Date32) {
            let days = super::moments::days(&args[0])?;
            let narrow = to == T::Date;
            let values: Vec<i32> = (0..rows)
                .map(|row| {
                    let day = change_day(bounded(days[crate::columns::at(days.len(), row)]), by.get(row), part);
                    match day {
                        Some(day) if narrow => day.clamp(0, LAST_DAY_OF_DATE),
                        Some(day) => day,
                        None if narrow => 0,
                        None => gristmill_types::calendar::FIRST_DAY,
                    }
                })
                .collect();
            return Ok(Arc::new(Date32Array::new(values.into(), None)) as ArrayRef);
        }
        let (unit, narrow) = match to {
            T::DateTime64(scale, _) => (10i64.pow(u32::from(scale)), false),
            _ => (1, true),
        };
        let ticks = super::moments::ticks(&args[0])?;
        let lowest = if narrow { 0 } else { i64::from(gristmill_types::calendar::FIRST_DAY) * SECONDS_A_DAY };
        let values = (0..rows).map(|row| {
            let tick = ticks[crate::columns::at(ticks.len(), row)];
            let local = zone.to_local(tick.div_euclid(unit));
            let (day, clock) = (local_day(local), local.rem_euclid(SECONDS_A_DAY));
            let to = by.get(row);
            let changed = match part {
                Part::Hour => (0..24).contains(&to).then(|| clock % 3600 + to * 3600),
                Part::Minute => (0..60).contains(&to).then(|| clock - clock / 60 % 60 * 60 + to * 60),
                Part::Second => (0..60).contains(&to).then(|| clock - clock % 60 + to),
                _ => change_day(day, to, part).map(|changed| clock + i64::from(changed - day) * SECONDS_A_DAY),
            };
            match changed {
                Some(clock) => {
                    let utc = zone.to_utc(i64::from(day) * SECONDS_A_DAY + clock);
                    let utc = if narrow { super::starts::in_range(utc) } else { utc };
                    utc.saturating_mul(unit).saturating_add(tick.rem_euclid(unit))
                }
                None => lowest.saturating_mul(unit),
            }
        });
        from_ticks(values.collect(), &to)
    }))
}

/// `None` where there is no such year, month or day; a month that has fewer days goes on in the next.
fn change_day(day: i32, to: i64, part: Part) -> Option<i32> {
    let (year, month, of_month) = civil_from_days(day);
    let (year, month, of_month) = match part {
        Part::Year => ((0..=9999).contains(&to).then_some(to as i32)?, month, of_month),
        Part::Month => (year, (1..=12).contains(&to).then_some(to as u32)?, of_month),
        _ => (year, month, (1..=31).contains(&to).then_some(to as u32)?),
    };
    Some(days_from_civil(year, month, 1) + of_month as i32 - 1)
}
