//! Intervals: `toIntervalDay` and its relatives, `toInterval`, and names of units.

use SqlType as T;
use gristmill_base::Result;
use gristmill_types::cast::{CastOptions, OnError, cast};
use gristmill_types::{IntervalKind, SqlType};

use super::starts_of_interval::unit;
use crate::columns::retype;
use crate::define::{arity, illegal, need_constant_text, plain, told_nullable};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for kind in IntervalKind::ALL {
        registry.scalar(
            &format!("toInterval{}", kind.name()),
            told_nullable(move |name, arguments, _, nullable| {
                arity(name, arguments, 1..=1)?;
                interval(name, arguments, kind, nullable)
            }),
        );
    }
    registry.scalar(
        "toInterval",
        plain(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            let kind = unit(name, &need_constant_text(name, arguments, 1)?)?;
            interval(name, arguments, kind, false)
        }),
    );
}

/// `nullable`: of text that may be NULL, what is no number is NULL as well.
fn interval(name: &str, arguments: &[Argument], kind: IntervalKind, nullable: bool) -> Result<Bound> {
    let from = arguments[0].kind.clone();
    // The number that a day, a time or an enum is carried as counts the units.
    let counts = from.is_enum() || matches!(from, T::Date | T::Date32 | T::DateTime(_) | T::Time);
    if counts {
        let to = T::Interval(kind);
        let carrier = to.arrow();
        let options = CastOptions::default();
        return Ok(Bound::new(to, move |args, _| retype(&cast(&args[0], &from, &T::Int64, &options)?, &carrier)));
    }
    let takes =
        from.is_string() || from.is_integer() || from.is_float() || from == T::Bool || matches!(from, T::Interval(_));
    if !takes {
        return Err(illegal(name, arguments, 0, "a number, a day, a time, an interval or a string"));
    }
    let soft = nullable && from.is_string();
    let to = if soft { T::Interval(kind).nullable() } else { T::Interval(kind) };
    let options = CastOptions { on_error: if soft { OnError::Null } else { OnError::Throw }, ..CastOptions::default() };
    let result = to.clone();
    Ok(Bound::new(result, move |args, _| cast(&args[0], &from, &to, &options)))
}

/// Nanoseconds of a unit of fixed length; 0 for months, quarters and years.
pub fn nanos(kind: IntervalKind) -> i64 {
    match kind {
        IntervalKind::Nanosecond => 1,
        IntervalKind::Microsecond => 1_000,
        IntervalKind::Millisecond => 1_000_000,
        IntervalKind::Second => 1_000_000_000,
        IntervalKind::Minute => 60_000_000_000,
        IntervalKind::Hour => 3_600_000_000_000,
        IntervalKind::Day => 86_400_000_000_000,
        IntervalKind::Week => 604_800_000_000_000,
        IntervalKind::Month | IntervalKind::Quarter | IntervalKind::Year => 0,
    }
}

/// By name or by one of the short forms that `dateDiff` knows, in any case, singular or plural.
pub fn unit_by_name(text: &str) -> Option<IntervalKind> {
    let lower = text.to_ascii_lowercase();
    Some(match lower.as_str() {
        "nanosecond" | "nanoseconds" | "ns" => IntervalKind::Nanosecond,
        "microsecond" | "microseconds" | "us" | "u" => IntervalKind::Microsecond,
        "millisecond" | "milliseconds" | "ms" => IntervalKind::Millisecond,
        "second" | "seconds" | "ss" | "s" => IntervalKind::Second,
        "minute" | "minutes" | "mi" | "n" => IntervalKind::Minute,
        "hour" | "hours" | "hh" | "h" => IntervalKind::Hour,
        "day" | "days" | "dd" | "d" => IntervalKind::Day,
        "week" | "weeks" | "wk" | "ww" => IntervalKind::Week,
        "month" | "months" | "mm" | "m" => IntervalKind::Month,
        "quarter" | "quarters" | "qq" | "q" => IntervalKind::Quarter,
        "year" | "years" | "yyyy" | "yy" => IntervalKind::Year,
        _ => return None,
    })
}
