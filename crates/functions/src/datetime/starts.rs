//! Starts of calendar units: `toStartOfMonth`, `toMonday`, `toStartOfHour`, … Days give Date, which keeps to its range;
//! parts of a day give DateTime, parts of a second DateTime64.

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::{Date32Type, Int64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::calendar::{
    self, LAST_DAY_OF_DATE, SECONDS_A_DAY, civil_from_days, days_from_civil, days_in_month, first_iso_monday, monday,
};
use gristmill_types::zone::Zone;

use super::moments::{Moments, expect_instants, expect_moments, from_ticks, midnight, refused_of_days, ticks};
use crate::columns::retype;
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    day(registry, "toStartOfYear", |day| days_from_civil(civil_from_days(day).0, 1, 1));
    day(registry, "toStartOfISOYear", |day| first_iso_monday(calendar::iso_week(day).0));
    day(registry, "toStartOfQuarter", |day| {
        let (year, month, _) = civil_from_days(day);
        days_from_civil(year, (month - 1) / 3 * 3 + 1, 1)
    });
    day(registry, "toStartOfMonth", month_start);
    day(registry, "toMonday", monday);
    day(registry, "toLastDayOfMonth", |day| {
        let (year, month, of_month) = civil_from_days(day);
        day - of_month as i32 + days_in_month(year, month) as i32
    });
    registry.alias("LAST_DAY", "toLastDayOfMonth");
    registry.any_case("LAST_DAY");

    registry.scalar(
        "toStartOfDay",
        plain(|name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            let moments = expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
            let (result, before) = (T::DateTime(moments.named.clone()), BeforeEpoch::of(&arguments[0].kind, false));
            Ok(Bound::new(result, move |args, _| day_starts(&moments, &args[0], before)))
        }),
    );
    instant(registry, "toStartOfHour", |utc, offset| utc - (utc.saturating_add(offset)).rem_euclid(3600));
    instant(registry, "toStartOfMinute", |utc, offset| utc - (utc.saturating_add(offset)).rem_euclid(60));
    instant(registry, "toStartOfFiveMinutes", |utc, _| utc - utc.rem_euclid(300));
    instant(registry, "toStartOfTenMinutes", |utc, _| utc - utc.rem_euclid(600));
    instant(registry, "toStartOfFifteenMinutes", |utc, _| utc - utc.rem_euclid(900));
    instant(registry, "timeSlot", |utc, _| utc - utc.rem_euclid(1800));
    registry.alias("toStartOfFiveMinute", "toStartOfFiveMinutes");
    registry.scalar(
        "toTimeWithFixedDate",
        plain(|name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            let moments = expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
            let result = T::DateTime(moments.named.clone());
            if moments.scale.is_none() {
                return Ok(refused_of_days(name, arguments, result));
            }
            Ok(Bound::new(result, move |args, _| {
                // 2 January 1970, so that no zone falls before the epoch.
                let times = moments.each_second::<Int64Type>(&args[0], |utc, offset| {
                    in_range(moments.zone.to_utc(SECONDS_A_DAY + second_of_day(utc, offset)))
                })?;
                retype(&times, &T::DateTime(None).arrow())
            }))
        }),
    );
    for (name, digits) in
        [("toStartOfSecond", 0), ("toStartOfMillisecond", 3), ("toStartOfMicrosecond", 6), ("toStartOfNanosecond", 9)]
    {
        registry.scalar(name, plain(move |name, arguments, env| fraction(name, arguments, env, digits)));
    }
}

pub fn month_start(day: i32) -> i32 {
    day - civil_from_days(day).2 as i32 + 1
}

fn day(registry: &mut Registry, name: &str, f: impl Fn(i32) -> i32 + Copy + Send + Sync + 'static) {
    registry.scalar(
        name,
        plain(move |name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            let moments = expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
            Ok(Bound::new(T::Date, move |args, _| {
                moments.each_day::<Date32Type>(&args[0], |day| f(day).clamp(0, LAST_DAY_OF_DATE))
            }))
        }),
    );
}

/// What becomes of a midnight before 1970, which DateTime cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeforeEpoch {
    /// It is moment 0.
    Zero,
    /// It wraps around.
    Wraps,
    /// It is the first midnight that is not before 1970: the arguments count from there themselves, and are of its day.
    First,
}

impl BeforeEpoch {
    /// Of moments of this type. `wraps`: those of a Date32 do.
    pub fn of(kind: &T, wraps: bool) -> BeforeEpoch {
        match kind.plain() {
            T::Date32 if wraps => BeforeEpoch::Wraps,
            T::Date | T::DateTime(_) => BeforeEpoch::First,
            _ => BeforeEpoch::Zero,
        }
    }

    pub fn midnight(self, zone: &Zone, day: i64) -> i64 {
        let start = midnight(zone, day);
        match self {
            BeforeEpoch::Wraps => i64::from(start as u32),
            BeforeEpoch::First if start < 0 => {
                let of_the_first_day = midnight(zone, 0);
                if of_the_first_day < 0 { midnight(zone, 1) } else { of_the_first_day }
            }
            _ => in_range(start),
        }
    }
}

/// Midnights as DateTime, kept to its range.
fn day_starts(moments: &Moments, array: &ArrayRef, before: BeforeEpoch) -> Result<ArrayRef> {
    let zone: &Zone = &moments.zone;
    // As midnights are searched for in the zone's table, they are worth finding once a day.
    let starts = moments.each_day::<Int64Type>(array, |day| before.midnight(zone, i64::from(day)))?;
    retype(&starts, &T::DateTime(None).arrow())
}

/// Seconds within what DateTime holds.
#[inline]
pub fn in_range(second: i64) -> i64 {
    second.clamp(0, i64::from(u32::MAX))
}

fn instant(registry: &mut Registry, name: &str, f: impl Fn(i64, i64) -> i64 + Copy + Send + Sync + 'static) {
    registry.scalar(
        name,
        plain(move |name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            let moments = expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
            let result = T::DateTime(moments.named.clone());
            if moments.scale.is_none() {
                return Ok(refused_of_days(name, arguments, result));
            }
            Ok(Bound::new(result, move |args, _| {
                let starts =
                    moments.each_second::<Int64Type>(&args[0], |utc, offset| in_range(f(utc.max(i64::MIN / 2), offset)))?;
                retype(&starts, &T::DateTime(None).arrow())
            }))
        }),
    );
}

/// Starts of decimal fractions of a second; the type stays.
fn fraction(name: &str, arguments: &[Argument], env: &FunctionEnv, digits: u8) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let T::DateTime64(scale, _) = arguments[0].kind else { return Err(illegal(name, arguments, 0, "DateTime64")) };
    let moments = expect_instants(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
    // Finer ticks than the type has begin where its own do.
    let finest = if digits == 0 { scale } else { scale.max(digits) };
    let result = T::DateTime64(finest, moments.named.clone());
    let up = 10i64.pow(u32::from(finest - scale));
    let unit = 10i64.pow(u32::from(finest.saturating_sub(digits)));
    let kind = result.clone();
    Ok(Bound::new(result, move |args, _| {
        let source = ticks(&args[0])?;
        let starts = source.iter().map(|tick| {
            let tick = tick.saturating_mul(up);
            tick.saturating_sub(tick.rem_euclid(unit))
        });
        from_ticks(starts.collect(), &kind)
    }))
}

/// Seconds of a day that begins at local midnight, of an instant.
pub fn second_of_day(utc: i64, offset: i64) -> i64 {
    utc.saturating_add(offset).rem_euclid(SECONDS_A_DAY)
}
