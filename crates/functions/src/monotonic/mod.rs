//! Which functions keep or turn around the order of their argument, and over which range: what lets a condition on
//! `toDate(time)` be answered from the sorted `time` itself.
//!
//! A chain of such functions is monotonic where each link is over the range that reaches it. Functions of instants are
//! judged in their zone: where a clock is turned back over midnight, days are not monotonic.

mod arithmetic;
mod intervals;

use std::sync::Arc;

use SqlType as T;
use chrono_tz::Tz;
use datafusion::common::ScalarValue;
use gristmill_types::calendar::{FIRST_DAY, LAST_DAY_OF_DATE, LAST_DAY_OF_DATETIME, SECONDS_A_DAY, civil_from_days, monday};
use gristmill_types::zone::Zone;
use gristmill_types::{IntervalKind, SqlType};

use self::arithmetic::{arithmetic, ends, is_narrow_decimal, negation, rounding};
use crate::define::constant_integer;
use crate::scalar::Argument;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Never falls while the argument rises.
    Rising,
    /// Never rises while the argument rises.
    Falling,
}

/// Where it holds. Values are those of the argument's carrier: integers, days, seconds, ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    Always,
    /// While all values lie between these two, both included.
    Between(i128, i128),
    /// While all values lie in one page of this width; pages are counted from zero.
    WithinPage(i128),
    /// While all values lie in one such stretch of the calendar. Without a clock they are days.
    WithinPeriod(Period, Option<Clock>),
    /// While none has a sign, and all have as many digits: so long texts of them are in the order of numbers.
    WithinDigits,
}

/// A stretch of the calendar, at whose end a function of days begins again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Period {
    /// From Monday on.
    Week,
    Month,
    Year,
    /// From the Monday of the week on that has the year's first Thursday.
    IsoYear,
}

/// By what an instant is a local day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    tz: Tz,
    ticks_a_second: i128,
}

impl Holds {
    /// The stretch in which a value lies: it holds between values of one. `None`: in none.
    pub fn stretch(&self, value: i128) -> Option<i128> {
        match self {
            Holds::Always => Some(0),
            Holds::Between(first, last) => (*first <= value && value <= *last).then_some(0),
            Holds::WithinPage(width) => Some(value.div_euclid(*width)),
            Holds::WithinPeriod(period, clock) => {
                let day = match clock {
                    None => value,
                    Some(clock) => {
                        let second = i64::try_from(value.div_euclid(clock.ticks_a_second)).ok()?;
                        Zone::new(clock.tz).to_local(second).div_euclid(SECONDS_A_DAY).into()
                    }
                };
                // Beyond these functions give what they give for the last day that they know.
                let day = i32::try_from(day).ok()?;
                if !(FIRST_DAY..=gristmill_types::calendar::LAST_DAY).contains(&day) {
                    return None;
                }
                let (year, month, _) = civil_from_days(day);
                Some(match period {
                    Period::Week => monday(day).into(),
                    Period::Month => i128::from(year) * 12 + i128::from(month),
                    Period::Year => year.into(),
                    Period::IsoYear => civil_from_days(monday(day) + 3).0.into(),
                })
            }
            Holds::WithinDigits => match value {
                ..0 => None,
                0 => Some(0),
                _ => Some(value.ilog10().into()),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Monotonicity {
    pub direction: Direction,
    pub holds: Holds,
    /// The place of the argument that the result follows; all others are constants.
    pub argument: usize,
}

impl Monotonicity {
    fn rising(holds: Holds) -> Monotonicity {
        Monotonicity { direction: Direction::Rising, holds, argument: 0 }
    }

    fn falling(holds: Holds) -> Monotonicity {
        Monotonicity { direction: Direction::Falling, holds, argument: 0 }
    }

    fn at(self, argument: usize) -> Monotonicity {
        Monotonicity { argument, ..self }
    }

    /// Whether it holds for values from `low` to `high`, both included.
    pub fn over(&self, low: i128, high: i128) -> bool {
        self.holds.stretch(low).is_some_and(|stretch| Some(stretch) == self.holds.stretch(high))
    }
}

/// As `monotonic_call`, where only the types are known: functions whose constants decide (`plus`, `intDiv`) are not
/// monotonic then, and times without a zone of their own are taken to be in one without clock changes.
pub fn monotonic(name: &str, argument_types: &[SqlType]) -> Option<Monotonicity> {
    let arguments: Vec<Argument> =
        argument_types.iter().map(|kind| Argument { kind: kind.clone(), constant: None }).collect();
    judge(name, &arguments, None, &Zone::utc(), false)
}

/// Whether a call is monotonic in one of its arguments. `name` is the canonical one; `result` is the type that `CAST` and
/// its like convert to; `session` is the zone of times that name none.
pub fn monotonic_call(name: &str, arguments: &[Argument], result: &SqlType, session: &Zone) -> Option<Monotonicity> {
    judge(name, arguments, Some(result), session, true)
}

fn judge(
    name: &str,
    arguments: &[Argument],
    result: Option<&SqlType>,
    session: &Zone,
    constants: bool,
) -> Option<Monotonicity> {
    let found = judge_values(name, arguments, result, session, constants)?;
    match (arguments[found.argument].kind.plain(), found.holds) {
        // The upper half of them is carried, and ordered, as numbers below zero.
        (T::UInt256, Holds::Always) => Some(Monotonicity { holds: Holds::Between(0, i128::MAX), ..found }),
        (T::UInt256, Holds::Between(first, last)) => {
            Some(Monotonicity { holds: Holds::Between(first.max(0), last), ..found })
        }
        (T::UInt256, _) => None,
        _ => Some(found),
    }
}

fn judge_values(
    name: &str,
    arguments: &[Argument],
    result: Option<&SqlType>,
    session: &Zone,
    constants: bool,
) -> Option<Monotonicity> {
    let kind = &seen(name, 0, arguments)?;
    let others_constant =
        |at: usize| !constants || arguments.iter().enumerate().all(|(i, a)| i == at || a.constant.is_some());
    match name {
        "identity" | "materialize" | "toNullable" | "assumeNotNull" | "toLowCardinality" | "toTimezone" => {
            Some(Monotonicity::rising(Holds::Always))
        }
        "negate" if is_number(kind) => Some(Monotonicity::falling(negation(kind))),
        "sign" if is_number(kind) => Some(Monotonicity::rising(Holds::Always)),
        "abs" if kind.integer_bits().is_some() || kind.is_decimal() => {
            Some(Monotonicity::rising(Holds::Between(0, i128::MAX)))
        }
        "floor" | "ceil" | "trunc" | "round" if is_number(kind) => rounding(kind, arguments),
        "exp" | "exp2" | "exp10" | "cbrt" | "tanh" | "sinh" | "asinh" | "atan" | "erf" | "sigmoid" if is_number(kind) => {
            Some(Monotonicity::rising(Holds::Always))
        }
        "log" | "log2" | "log10" | "sqrt" | "log1p" if is_number(kind) => {
            Some(Monotonicity::rising(Holds::Between(0, i128::MAX)))
        }
        "roundAge" | "roundDuration" | "roundToExp2" if kind.integer_bits().is_some() => {
            Some(Monotonicity::rising(Holds::Between(0, i128::MAX)))
        }
        "toIPv4" if *kind == T::UInt32 => Some(Monotonicity::rising(Holds::Always)),
        "plus" | "minus" | "multiply" | "intDiv" | "divide" => arithmetic(name, arguments, session),
        "CAST" | "_CAST" => conversion(kind, result?.plain(), session),
        "toString" if arguments.len() > 1 => None,
        "toString" => text_of(kind, session),
        "dateTrunc" => {
            let moment = seen(name, 1, arguments)?;
            others_constant(1).then(|| of_days_or_times(&moment, session).map(|found| found.at(1)))?
        }
        // Starts beyond what a Date holds wrap around.
        "toStartOfInterval" if *kind == T::Date32 => None,
        // Hours are counted from midnight, and begin again where a clock is turned back.
        "toStartOfInterval" if matches!(arguments.get(1)?.kind, T::Interval(IntervalKind::Hour)) => {
            (others_constant(0) && zone_of(kind, session).is_fixed()).then(|| of_days_or_times(kind, session))?
        }
        "toQuarter" | "toMonth" | "toDayOfYear" => others_constant(0).then(|| within(Period::Year, kind, session))?,
        "toISOWeek" => others_constant(0).then(|| within(Period::IsoYear, kind, session))?,
        "toDayOfMonth" => others_constant(0).then(|| within(Period::Month, kind, session))?,
        // Other modes begin elsewhere.
        "toDayOfWeek" if arguments.len() == 1 => within(Period::Week, kind, session),
        "toWeek" if matches!(week_mode(arguments)?, 0 | 1 | 4 | 5) => within(Period::Year, kind, session),
        "toYearWeek" if matches!(week_mode(arguments)?, 0..=7) => of_days_or_times(kind, session),
        "toYYYYMMDDhhmmss" => (others_constant(0) && (!is_instant(kind) || zone_of(kind, session).is_fixed()))
            .then(|| of_days_or_times(kind, session))?,
        _ if name.starts_with("toRelative") || DAYS_AND_TIMES.contains(&name) => {
            others_constant(0).then(|| of_days_or_times(kind, session))?
        }
        _ if TIMES.contains(&name) => (is_instant(kind) && others_constant(0)).then(|| Monotonicity::rising(Holds::Always)),
        "toHour" | "toMinute" | "toSecond" => time_of_day(name, kind, session),
        _ => conversion(kind, &converted(name)?, session).filter(|_| others_constant(0)),
    }
}

/// Functions of the local day.
const DAYS_AND_TIMES: [&str; 17] = [
    "toYear",
    "toISOYear",
    "toYYYYMM",
    "toYYYYMMDD",
    "toStartOfYear",
    "toStartOfISOYear",
    "toStartOfQuarter",
    "toStartOfMonth",
    "toStartOfWeek",
    "toLastDayOfWeek",
    "toLastDayOfMonth",
    "toMonday",
    "toStartOfDay",
    "toDaysSinceYearZero",
    "toStartOfInterval",
    "toYearNumSinceEpoch",
    "toMonthNumSinceEpoch",
];

/// Functions of the instant, whatever the clocks show.
const TIMES: [&str; 14] = [
    "toStartOfMinute",
    "toStartOfFiveMinutes",
    "toStartOfTenMinutes",
    "toStartOfFifteenMinutes",
    "toStartOfHour",
    "toStartOfSecond",
    "toStartOfMillisecond",
    "toStartOfMicrosecond",
    "toStartOfNanosecond",
    "timeSlot",
    "toUnixTimestamp64Second",
    "toUnixTimestamp64Milli",
    "toUnixTimestamp64Micro",
    "toUnixTimestamp64Nano",
];

fn is_number(kind: &SqlType) -> bool {
    kind.is_number() && *kind != T::Bool
}

fn zone_of(kind: &SqlType, session: &Zone) -> Zone {
    Zone::of_type(kind.timezone(), session.tz())
}

fn of_days_or_times(kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    match kind {
        T::Date | T::Date32 => Some(Monotonicity::rising(Holds::Always)),
        T::DateTime(_) | T::DateTime64(..) => {
            zone_of(kind, session).keeps_days_in_order().then(|| Monotonicity::rising(Holds::Always))
        }
        _ => None,
    }
}

fn is_instant(kind: &SqlType) -> bool {
    matches!(kind, T::DateTime(_) | T::DateTime64(..))
}

/// The type of an argument, seen in the zone that the call's last argument names. `None`: which that is, is not known.
fn seen(name: &str, at: usize, arguments: &[Argument]) -> Option<SqlType> {
    let kind = arguments.get(at)?.kind.plain().clone();
    let named = arguments.iter().enumerate().next_back().filter(|(last, argument)| *last > at && argument.kind.is_string());
    let (Some((_, named)), true) = (named, is_instant(&kind) && !matches!(name, "CAST" | "_CAST")) else {
        return Some(kind);
    };
    let Some(ScalarValue::BinaryView(Some(zone))) = &named.constant else { return None };
    let zone = std::str::from_utf8(zone).ok().filter(|zone| zone.parse::<Tz>().is_ok())?;
    Some(match kind {
        T::DateTime64(scale, _) => T::DateTime64(scale, Some(Arc::from(zone))),
        _ => T::DateTime(Some(Arc::from(zone))),
    })
}

/// A function that begins again with each period.
fn within(period: Period, kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    of_days_or_times(kind, session)?;
    let zone = zone_of(kind, session);
    let clock = |ticks_a_second| Some(Clock { tz: zone.tz(), ticks_a_second });
    let clock = match kind {
        T::DateTime(_) => clock(1),
        T::DateTime64(scale, _) => clock(10i128.pow(u32::from(*scale))),
        _ => None,
    };
    Some(Monotonicity::rising(Holds::WithinPeriod(period, clock)))
}

/// How weeks are counted. `None`: not known.
fn week_mode(arguments: &[Argument]) -> Option<i64> {
    match arguments {
        [_] => Some(0),
        [_, mode, ..] => constant_integer(mode),
        [] => None,
    }
}

/// Texts of days and times have as many digits each; those of numbers have not. Of texts of one width zeros at the end are
/// cut off, which changes nothing in their order. Clocks that are turned back show a time twice.
fn text_of(kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    match kind {
        T::DateTime(_) | T::DateTime64(..) => zone_of(kind, session).is_fixed().then(|| Monotonicity::rising(Holds::Always)),
        T::String | T::FixedString(_) | T::Date | T::Date32 => Some(Monotonicity::rising(Holds::Always)),
        kind if kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) => Some(Monotonicity::rising(Holds::WithinDigits)),
        _ => None,
    }
}

/// Hours rise within a day, minutes within an hour; only where clocks are never changed pages of equal width show them.
fn time_of_day(name: &str, kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    let zone = zone_of(kind, session);
    let unit = match kind {
        T::DateTime(_) => 1,
        T::DateTime64(scale, _) => 10i128.pow(u32::from(*scale)),
        _ => return None,
    };
    if !zone.is_fixed() || zone.offset_at(0) != 0 {
        return None;
    }
    let seconds = match name {
        "toHour" => i128::from(SECONDS_A_DAY),
        "toMinute" => 3600,
        _ => 60,
    };
    Some(Monotonicity::rising(Holds::WithinPage(seconds * unit)))
}

/// The type that a conversion function of this name gives.
fn converted(name: &str) -> Option<SqlType> {
    Some(match name {
        "toDate" => T::Date,
        "toDate32" => T::Date32,
        "toDateTime" | "toDateTime32" => T::DateTime(None),
        "toDateTime64" => T::DateTime64(3, None),
        "toUnixTimestamp" => T::UInt32,
        _ => name.strip_prefix("to")?.parse::<SqlType>().ok().filter(|kind| kind.is_integer() || kind.is_float())?,
    })
}

fn conversion(from: &SqlType, to: &SqlType, session: &Zone) -> Option<Monotonicity> {
    let always = Some(Monotonicity::rising(Holds::Always));
    if from == to {
        return always;
    }
    match (from, to) {
        (T::Bool, to) if is_number(to) => always,
        (from, T::String) if !matches!(from, T::FixedString(_)) => text_of(from, session),
        // Numbers beyond the last day are read as seconds.
        (from, T::Date) if from.is_integer() => {
            Some(Monotonicity::rising(Holds::Between(i128::MIN, LAST_DAY_OF_DATE.into())))
        }
        (from, T::Date32) if from.is_integer() => {
            Some(Monotonicity::rising(Holds::Between(i128::MIN, gristmill_types::calendar::LAST_DAY.into())))
        }
        (from, T::DateTime(_)) if from.integer_bits().is_some_and(|(bits, _)| bits <= 64) => always,
        // Beyond the narrower type's ends days and times wrap around.
        (T::Date32, T::Date) => Some(Monotonicity::rising(Holds::Between(0, LAST_DAY_OF_DATE.into()))),
        (T::Date | T::Date32, T::DateTime(_)) => Some(Monotonicity::rising(Holds::Between(1, LAST_DAY_OF_DATETIME.into()))),
        (T::Date | T::Date32, T::Date | T::Date32) => always,
        (T::Date, T::DateTime64(scale, _)) | (T::DateTime(_), T::DateTime64(scale, _)) if *scale <= 8 => always,
        (T::DateTime64(scale, _), T::Date) => of_days_or_times(from, session).map(|_| {
            let day = i128::from(SECONDS_A_DAY) * 10i128.pow(u32::from(*scale));
            Monotonicity::rising(Holds::Between(day, i128::from(LAST_DAY_OF_DATE) * day))
        }),
        (T::DateTime(_) | T::DateTime64(..), T::Date | T::Date32) => of_days_or_times(from, session),
        (T::DateTime64(scale, _), T::DateTime(_)) => {
            let end = (i128::from(u32::MAX) + 1) * 10i128.pow(u32::from(*scale));
            Some(Monotonicity::rising(Holds::Between(0, end - 1)))
        }
        // Seconds, of which no more are told apart than the integer has.
        (T::DateTime64(scale, _), to) if to.integer_bits().is_some_and(|(bits, _)| bits >= 32) => {
            let (low, high) = ends(to)?;
            let ticks = |seconds: i128| seconds.saturating_mul(10i128.pow(u32::from(*scale)));
            Some(Monotonicity::rising(Holds::Between(ticks(low), ticks(high))))
        }
        (T::DateTime(_), T::DateTime(_)) => always,
        (T::DateTime64(a, _), T::DateTime64(b, _)) if a >= b => always,
        (T::Date | T::Date32 | T::DateTime(_), to) if to.is_integer() => narrowing(carried(from)?, to),
        (from, to) if from.is_integer() && to.is_integer() => narrowing(ends(from)?, to),
        (from, to) if (from.is_integer() || is_narrow_decimal(from)) && to.is_float() => always,
        (T::FixedString(_), T::String) => always,
        (T::Float32, T::Float64) | (T::Float64, T::Float32) => always,
        (T::Enum8(_) | T::Enum16(_), to) if to.is_integer() => {
            let values = if matches!(from, T::Enum8(_)) {
                (i8::MIN.into(), i8::MAX.into())
            } else {
                (i16::MIN.into(), i16::MAX.into())
            };
            narrowing(values, to)
        }
        (from, to) if is_number(from) && to.is_integer() && !from.is_integer() => {
            let (low, high) = ends(to)?;
            // Digits after the point are cut off towards zero, which keeps the order; scaled carriers are left alone.
            let is_narrow = to.integer_bits().is_some_and(|(bits, _)| bits <= 64);
            (from.is_float() && is_narrow).then(|| Monotonicity::rising(Holds::Between(low, high)))
        }
        _ => None,
    }
}

fn carried(kind: &SqlType) -> Option<(i128, i128)> {
    Some(match kind {
        T::Date => (0, LAST_DAY_OF_DATE.into()),
        T::Date32 => (i32::MIN.into(), i32::MAX.into()),
        T::DateTime(_) => (0, u32::MAX.into()),
        _ => return None,
    })
}

/// Integers keep their low bits: the order stays within a page of as many values as the target has, cut in half where
/// its upper half is negative.
fn narrowing((low, high): (i128, i128), to: &SqlType) -> Option<Monotonicity> {
    let (first, last) = ends(to)?;
    let (bits, signed) = to.integer_bits()?;
    if first <= low && high <= last {
        return Some(Monotonicity::rising(Holds::Always));
    }
    if bits >= 64 {
        return Some(Monotonicity::rising(Holds::Between(first.max(low), last.min(high))));
    }
    Some(Monotonicity::rising(Holds::WithinPage(1 << (if signed { bits - 1 } else { bits }))))
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use datafusion::common::ScalarValue;

    use super::*;

    fn kind(name: &str) -> SqlType {
        name.parse().unwrap()
    }

    fn with_constant(name: &str, of: &str, constant: i64) -> Option<Monotonicity> {
        let arguments = [
            Argument { kind: kind(of), constant: None },
            Argument { kind: T::Int64, constant: Some(ScalarValue::Int64(Some(constant))) },
        ];
        monotonic_call(name, &arguments, &T::Int64, &Zone::utc())
    }

    #[test]
    fn calendar_functions_rise_with_dates_and_times() {
        for name in ["toDate", "toYYYYMM", "toStartOfMonth", "toStartOfHour", "toMonday", "toStartOfDay", "toRelativeDayNum"]
        {
            let found = monotonic(name, &[kind("DateTime('UTC')")]);
            assert_eq!(found, Some(Monotonicity::rising(Holds::Always)), "{name}");
        }
        let month = monotonic("toMonth", &[T::Date]).unwrap();
        assert!(month.over(0, 364) && !month.over(364, 365));
        let day = monotonic("toDayOfMonth", &[kind("DateTime('Europe/Berlin')")]).unwrap();
        assert!(day.over(0, 82_799) && !day.over(31 * 86_400 - 3601, 31 * 86_400 - 3600));
        assert_eq!(monotonic("toYYYYMM", &[T::String]), None);
        assert_eq!(monotonic("dateTrunc", &[T::String, T::Date]).map(|found| found.argument), Some(1));
    }

    #[test]
    fn a_clock_that_goes_back_over_midnight_breaks_the_order_of_days() {
        let arguments = [Argument { kind: T::DateTime(None), constant: None }];
        let in_zone = |tz| monotonic_call("toDate", &arguments, &T::Date, &Zone::new(tz));
        assert!(in_zone(Tz::Europe__Berlin).is_some());
        assert_eq!(in_zone(Tz::America__St_Johns), None);
    }

    /// Over all days that there are, for each mode that weeks are counted by.
    #[test]
    fn weeks_rise_where_they_are_said_to() {
        use crate::datetime::weeks::year_week;
        let days = FIRST_DAY..gristmill_types::calendar::LAST_DAY;
        for mode in 0..8u8 {
            let arguments = |mode: u8| {
                let constant = Some(ScalarValue::UInt8(Some(mode)));
                [Argument { kind: T::Date32, constant: None }, Argument { kind: T::UInt8, constant }]
            };
            let called = |name| monotonic_call(name, &arguments(mode), &T::UInt8, &Zone::utc());
            assert!(called("toYearWeek").is_some(), "mode {mode}");
            assert!(days.clone().all(|day| year_week(day, mode | 2) <= year_week(day + 1, mode | 2)), "mode {mode}");
            if let Some(found) = called("toWeek") {
                let rises = |day: i32| year_week(day, mode).1 <= year_week(day + 1, mode).1;
                assert!(days.clone().all(|day| !found.over(day.into(), (day + 1).into()) || rises(day)), "mode {mode}");
            }
        }
    }

    #[test]
    fn the_zone_that_a_call_names_is_the_one_that_counts() {
        let called = |name, zone: &str| {
            let constant = Some(ScalarValue::BinaryView(Some(zone.as_bytes().to_vec())));
            let arguments = [Argument { kind: T::DateTime(None), constant: None }, Argument { kind: T::String, constant }];
            monotonic_call(name, &arguments, &T::UInt8, &Zone::utc())
        };
        assert_eq!(called("toHour", "Asia/Tokyo"), None);
        assert!(called("toHour", "UTC").is_some());
        assert_eq!(called("toYear", "America/St_Johns"), None);
        assert_eq!(called("toYYYYMMDDhhmmss", "Europe/Berlin"), None);
        let day = called("toDayOfMonth", "Asia/Tokyo").unwrap();
        assert!(day.over(0, 30 * 86_400) && !day.over(30 * 86_400, 31 * 86_400 - 1));
    }

    #[test]
    fn texts_of_numbers_are_in_their_order_where_they_are_as_long() {
        let found = monotonic("toString", &[T::Int32]).unwrap();
        assert!(found.over(10, 99) && !found.over(9, 10) && !found.over(-2, -1) && !found.over(-1, 0));
        assert_eq!(monotonic("toString", &[T::Date]), Some(Monotonicity::rising(Holds::Always)));
        assert_eq!(monotonic("toString", &[T::Float64]), None);
        assert_eq!(monotonic("toString", &[kind("DateTime('UTC')")]), Some(Monotonicity::rising(Holds::Always)));
        assert_eq!(monotonic("toString", &[kind("DateTime('Europe/Berlin')")]), None);
    }

    #[test]
    fn narrow_integers_rise_within_a_page() {
        assert_eq!(monotonic("toUInt64", &[T::UInt32]), Some(Monotonicity::rising(Holds::Always)));
        let found = monotonic("toUInt8", &[T::UInt32]).unwrap();
        assert!(found.over(256, 511) && !found.over(255, 256));
        let found = monotonic("toInt8", &[T::Int32]).unwrap();
        assert!(found.over(0, 127) && found.over(-128, -1) && !found.over(100, 200));
    }

    #[test]
    fn integers_are_rounded_in_order_where_they_stay_in_their_type() {
        let found = with_constant("round", "Int8", -1).unwrap();
        assert!(found.over(-118, 117) && !found.over(0, 127) && !found.over(-128, 0));
        assert_eq!(with_constant("round", "Int8", -3), None);
        let found = with_constant("round", "UInt8", -1).unwrap();
        assert!(found.over(0, 245) && !found.over(0, 255));
        assert_eq!(with_constant("floor", "Int8", 2), Some(Monotonicity::rising(Holds::Always)));
        assert_eq!(with_constant("round", "Float64", -2), Some(Monotonicity::rising(Holds::Always)));
        assert_eq!(with_constant("round", "Float64", 2), None);
        assert_eq!(with_constant("round", "Decimal(9, 2)", 1), Some(Monotonicity::rising(Holds::Always)));
    }

    #[test]
    fn what_wraps_around_rises_within_the_narrower_type() {
        let cast = |from: &str, to: &str| {
            let arguments = [Argument { kind: kind(from), constant: None }];
            monotonic_call("CAST", &arguments, &kind(to), &Zone::utc()).unwrap()
        };
        let days = cast("Date32", "Date");
        assert!(days.over(0, 65_535) && !days.over(-1, 65_535) && !days.over(0, 65_536));
        assert!(cast("Date", "DateTime").over(1, 49_709) && !cast("Date", "DateTime").over(1, 49_711));
        let seconds = cast("DateTime64(3, 'UTC')", "DateTime('UTC')");
        assert!(seconds.over(0, 4_294_967_295_999) && !seconds.over(-1, 0) && !seconds.over(0, 4_294_967_296_000));
        assert!(!cast("DateTime64(3, 'UTC')", "Date").over(-1, 0));
        assert_eq!(monotonic("toStartOfInterval", &[T::Date32, T::Interval(IntervalKind::Week)]), None);
    }

    #[test]
    fn decimals_move_with_exact_constants() {
        let direction = |name, constant| with_constant(name, "Decimal(9, 2)", constant).map(|found| found.direction);
        assert_eq!(direction("plus", -5), Some(Direction::Rising));
        assert_eq!(direction("multiply", -5), Some(Direction::Falling));
        assert_eq!(direction("multiply", 0), None);
        assert_eq!(with_constant("plus", "Decimal(76, 2)", 5), None);
    }

    #[test]
    fn numbers_of_more_than_64_bits_move_within_what_they_hold() {
        let found = with_constant("plus", "Int128", 5).unwrap();
        assert!(found.over(-(1 << 100), 1 << 100) && !found.over(0, i128::MAX));
        assert_eq!(with_constant("multiply", "Int256", -5).map(|found| found.direction), Some(Direction::Falling));
        assert!(!with_constant("minus", "UInt128", 5).unwrap().over(4, 100));
        assert_eq!(with_constant("intDiv", "Int128", 7), Some(Monotonicity::rising(Holds::Always)));
        // Above 2^255 a UInt256 lies below zero in the order of keys.
        let found = monotonic("toFloat64", &[T::UInt256]).unwrap();
        assert!(found.over(0, i128::MAX) && !found.over(-1, 0));
        assert_eq!(with_constant("divide", "Decimal(9, 2)", -4).map(|found| found.direction), Some(Direction::Falling));
        let found = monotonic("toInt32", &[kind("DateTime64(3, 'UTC')")]).unwrap();
        assert!(found.over(-5, 2_147_483_647_000) && !found.over(0, 2_147_483_648_000));
    }

    #[test]
    fn constants_decide_about_arithmetic() {
        let found = with_constant("plus", "Int64", 5).unwrap();
        assert!(found.over(0, 100) && !found.over(0, i64::MAX.into()));
        assert_eq!(with_constant("intDiv", "UInt64", 10), Some(Monotonicity::rising(Holds::Always)));
        assert_eq!(with_constant("intDiv", "Int32", -10).map(|found| found.direction), Some(Direction::Falling));
        assert_eq!(with_constant("intDiv", "UInt64", 0), None);
        assert_eq!(monotonic("negate", &[T::UInt32]), Some(Monotonicity::falling(Holds::Always)));
        let found = monotonic("negate", &[T::Int32]).unwrap();
        assert!(found.over(i128::from(i32::MIN) + 1, i32::MAX.into()) && !found.over(i32::MIN.into(), 0));
    }
}
