//! Which functions keep or turn around the order of their argument, and over which range: what lets a condition on
//! `toDate(time)` be answered from the sorted `time` itself.
//!
//! A chain of such functions is monotonic where each link is over the range that reaches it. Functions of instants are
//! judged in their zone: where a clock is turned back over midnight, days are not monotonic.

mod arithmetic;
mod conversion;
mod holds;
mod intervals;
mod moments;
#[cfg(test)]
mod tests;

use SqlType as T;
use gristmill_types::zone::Zone;
use gristmill_types::{IntervalKind, SqlType};

use self::arithmetic::{arithmetic, negation, rounding};
use self::conversion::{conversion, converted, text_of};
pub use self::holds::{Clock, Holds, Period};
use self::intervals::start_of_day32;
use self::moments::{DAYS_AND_TIMES, TIMES, is_instant, of_days_or_times, seen, time_of_day, week_mode, within, zone_of};
use crate::scalar::Argument;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Never falls while the argument rises.
    Rising,
    /// Never rises while the argument rises.
    Falling,
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
        "toStartOfInterval" if *kind == T::Date32 => start_of_day32(arguments),
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

fn is_number(kind: &SqlType) -> bool {
    kind.is_number() && *kind != T::Bool
}
