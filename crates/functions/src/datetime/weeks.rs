//! Weeks by MySQL's modes, and days of the week.
//!
//! A mode's bit 0 says that weeks begin on Monday (else Sunday); bit 1 that the first days of January may belong to the
//! last week of the year before (else they are week 0); bit 2, turned around where weeks begin on Sunday, that week 1 is the
//! first that begins in the year (else the first with four days of it). Bit 3: week 1 is the one with January 1.

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::{Date32Type, UInt8Type, UInt32Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::calendar::{LAST_DAY_OF_DATE, civil_from_days, day_of_week, days_from_civil};

use super::moments::{Moments, expect_moments};
use crate::define::{arity, constant_integer, expect_integer, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "toWeek",
        plain(|name, arguments, env| {
            let (moments, mode, casts) = bind(name, arguments, env)?;
            Ok(Bound::cast(casts, T::UInt8, move |args, _| {
                moments.each_day::<UInt8Type>(&args[0], |day| year_week(day, mode).1 as u8)
            }))
        }),
    );
    registry.scalar(
        "toYearWeek",
        plain(|name, arguments, env| {
            let (moments, mode, casts) = bind(name, arguments, env)?;
            Ok(Bound::cast(casts, T::UInt32, move |args, _| {
                moments.each_day::<UInt32Type>(&args[0], |day| {
                    let (year, week) = year_week(day, mode | 2);
                    year.max(0) as u32 * 100 + week
                })
            }))
        }),
    );
    registry.scalar(
        "toDayOfWeek",
        plain(|name, arguments, env| {
            let (moments, mode, casts) = bind(name, arguments, env)?;
            Ok(Bound::cast(casts, T::UInt8, move |args, _| {
                moments.each_day::<UInt8Type>(&args[0], |day| weekday(day, mode))
            }))
        }),
    );
    registry.scalar("toStartOfWeek", plain(|name, arguments, env| start(name, arguments, env, 0)));
    registry.scalar("toLastDayOfWeek", plain(|name, arguments, env| start(name, arguments, env, 6)));
    for (alias, name) in [("week", "toWeek"), ("yearweek", "toYearWeek"), ("DAYOFWEEK", "toDayOfWeek")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

/// Date (text is read as DateTime64(3)), mode, time zone.
fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<(Moments, u8, Vec<SqlType>)> {
    arity(name, arguments, 1..=3)?;
    let mut arguments = arguments.to_vec();
    let mut casts = Vec::new();
    if arguments[0].kind.is_string() {
        arguments[0].kind = T::DateTime64(3, None);
        casts = arguments.iter().map(|argument| argument.kind.clone()).collect();
    }
    let moments = expect_moments(name, &arguments, 0, env)?.in_zone_of(name, &arguments, 2)?;
    let mode = match arguments.get(1) {
        Some(argument) => {
            expect_integer(name, &arguments, 1)?;
            constant_integer(argument).ok_or_else(|| not_constant(name, 1))? as u8
        }
        None => 0,
    };
    Ok((moments, mode, casts))
}

/// The first day of the week that a day lies in.
pub fn week_start(day: i32, monday_first: bool) -> i32 {
    let shift = if monday_first { 3 } else { 4 };
    day - (day + shift).rem_euclid(7)
}

/// Year and week of a day.
pub fn year_week(day: i32, mode: u8) -> (i32, u32) {
    let monday_first = mode & 1 != 0;
    let start = week_start(day, monday_first);
    if mode & 8 != 0 {
        let year = civil_from_days(start + 6).0;
        let first = week_start(days_from_civil(year, 1, 1), monday_first);
        return (year, ((start - first) / 7) as u32 + 1);
    }
    let years_own = mode & 2 != 0;
    let begins_in_year = (mode & 4 != 0) == monday_first;
    let first_week = |year: i32| {
        if begins_in_year {
            week_start(days_from_civil(year, 1, 7), monday_first)
        } else {
            week_start(days_from_civil(year, 1, 4), monday_first)
        }
    };
    let year = civil_from_days(day).0;
    let first = first_week(year);
    if day < first {
        return if years_own { (year - 1, ((day - first_week(year - 1)) / 7) as u32 + 1) } else { (year, 0) };
    }
    if years_own && day >= first_week(year + 1) {
        return (year + 1, 1);
    }
    (year, ((day - first) / 7) as u32 + 1)
}

/// Mode 0: Monday is 1; 1: Monday is 0; 2: Sunday is 0; 3: Sunday is 1.
pub fn weekday(day: i32, mode: u8) -> u8 {
    let from_monday = day_of_week(day) as u8;
    match mode & 3 {
        0 => from_monday,
        1 => from_monday - 1,
        2 => from_monday % 7,
        _ => from_monday % 7 + 1,
    }
}

fn start(name: &str, arguments: &[Argument], env: &FunctionEnv, ahead: i32) -> Result<Bound> {
    let (moments, mode, casts) = bind(name, arguments, env)?;
    let kernel = move |args: &[ArrayRef], _: usize| {
        moments.each_day::<Date32Type>(&args[0], |day| (week_start(day, mode & 1 != 0) + ahead).clamp(0, LAST_DAY_OF_DATE))
    };
    Ok(Bound::cast(casts, T::Date, kernel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_new_year() {
        let day = days_from_civil(2021, 1, 1);
        let weeks: Vec<u32> = (0..10).map(|mode| year_week(day, mode).1).collect();
        assert_eq!(weeks, [0, 0, 52, 53, 0, 0, 53, 52, 1, 1]);
        assert_eq!(year_week(days_from_civil(2024, 1, 1), 2), (2023, 53));
        assert_eq!(week_start(days_from_civil(2024, 3, 15), false), days_from_civil(2024, 3, 10));
    }
}
