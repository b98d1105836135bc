//! Sums, products, quotients and roundings: over which values of their argument they keep its order or turn it around.

use SqlType as T;
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_types::SqlType;
use gristmill_types::calendar::{FIRST_DAY, LAST_DAY, LAST_DAY_OF_DATE};
use gristmill_types::zone::Zone;

use super::intervals::shifted;
use super::{Holds, Monotonicity};
use crate::define::constant_integer;
use crate::scalar::Argument;

/// The ends of an integer type's values, as far as they fit 128 bits.
pub(super) fn ends(kind: &SqlType) -> Option<(i128, i128)> {
    let (bits, signed) = kind.integer_bits()?;
    match (bits, signed) {
        (128.., true) => Some((i128::MIN, i128::MAX)),
        (128.., false) => Some((0, i128::MAX)),
        (bits, true) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        (bits, false) => Some((0, (1 << bits) - 1)),
    }
}

/// The smallest value of a signed type has no opposite in it, and is its own; results of the others are wider, save for the
/// widest.
pub(super) fn negation(kind: &SqlType) -> Holds {
    match (kind.integer_bits(), ends(kind)) {
        (Some((64, false)), _) => Holds::Between(0, i64::MAX.into()),
        (Some((128.., _)), _) => Holds::Between(i128::MIN + 1, i128::MAX),
        (Some((_, true)), Some((low, high))) => Holds::Between(low + 1, high),
        _ => Holds::Always,
    }
}

/// To digits, which may be before the point: integers may leave their type then, and wrap.
pub(super) fn rounding(kind: &SqlType, arguments: &[Argument]) -> Option<Monotonicity> {
    let digits = match arguments {
        [_] => 0,
        [_, digits] => constant_integer(digits)?,
        _ => return None,
    };
    match (kind.integer_bits(), digits) {
        (Some((..=64, _)), -18..0) => {
            let ((low, high), unit) = (ends(kind)?, 10i128.pow(digits.unsigned_abs() as u32));
            // Nothing is rounded to less than zero.
            let low = if low == 0 { 0 } else { low + unit };
            (low <= high - unit).then(|| Monotonicity::rising(Holds::Between(low, high - unit)))
        }
        // Nothing that is as far from the ends leaves the type.
        (Some((128.., signed)), -18..0) => {
            let low = if signed { -WIDE_MOST } else { 0 };
            Some(Monotonicity::rising(Holds::Between(low, WIDE_MOST)))
        }
        (_, 0) | (Some((..=64, _)), 0..) => Some(Monotonicity::rising(Holds::Always)),
        // Floats are scaled by digits behind the point, and the largest are not.
        (None, ..0) if kind.is_float() => Some(Monotonicity::rising(Holds::Always)),
        (None, _) if is_narrow_decimal(kind) => Some(Monotonicity::rising(Holds::Always)),
        _ => None,
    }
}

/// One of up to 38 digits.
pub(super) fn is_narrow_decimal(kind: &SqlType) -> bool {
    matches!(kind, T::Decimal { precision: ..=38, .. })
}

/// A decimal and a constant that is exact: what does not fit is an error, so nothing wraps.
fn decimal_arithmetic(name: &str, variable: usize, constant: &Argument) -> Option<Monotonicity> {
    let value = constant.constant.as_ref().filter(|value| !value.is_null())?;
    if !constant.kind.is_decimal() && !constant.kind.is_integer() {
        return None;
    }
    let sign = value.partial_cmp(&ScalarValue::new_zero(&value.data_type()).ok()?)?;
    let found = match (name, variable) {
        ("plus", _) | ("minus", 0) => Monotonicity::rising(Holds::Always),
        ("minus", _) => Monotonicity::falling(Holds::Always),
        ("multiply", _) if sign.is_gt() => Monotonicity::rising(Holds::Always),
        ("multiply", _) if sign.is_lt() => Monotonicity::falling(Holds::Always),
        // What is behind the last digit is cut off, towards zero.
        ("divide" | "intDiv", 0) if sign.is_gt() => Monotonicity::rising(Holds::Always),
        ("divide" | "intDiv", 0) if sign.is_lt() => Monotonicity::falling(Holds::Always),
        _ => return None,
    };
    Some(found.at(variable))
}

/// Far enough from what 128 bits hold that no sum with a constant leaves them.
const WIDE_MOST: i128 = 1 << 126;

/// A date or time that an interval moves.
fn moved(name: &str, arguments: &[Argument], session: &Zone) -> Option<Monotonicity> {
    let variable = arguments.iter().position(|argument| argument.constant.is_none())?;
    let interval = &arguments[1 - variable];
    let T::Interval(unit) = *interval.kind.plain() else { return None };
    let by = i128::from(constant_integer(interval)?);
    let by = match (name, variable) {
        ("plus", _) => by,
        ("minus", 0) => -by,
        _ => return None,
    };
    let moment = arguments[variable].kind.plain();
    let found = shifted(moment, unit, by, &Zone::of_type(moment.timezone(), session.tz()))?;
    Some(found.at(variable))
}

/// Whole quotients of floats, or of a number by a float. What is NaN or infinite has none, which is an error: they are asked
/// only where both ends of a range are numbers.
fn float_quotient(arguments: &[Argument]) -> Option<Monotonicity> {
    let [number, divisor] = arguments else { return None };
    let kind = number.kind.plain();
    if number.constant.is_some() || !(kind.is_float() || kind.integer_bits().is_some()) {
        return None;
    }
    let by = match divisor.constant.as_ref()?.cast_to(&DataType::Float64).ok()? {
        ScalarValue::Float64(Some(by)) if by.is_finite() => by,
        _ => return None,
    };
    let everywhere = Holds::Between(i128::MIN, i128::MAX);
    match by {
        by if by > 0.0 => Some(Monotonicity::rising(everywhere)),
        by if by < 0.0 => Some(Monotonicity::falling(everywhere)),
        _ => None,
    }
}

pub(super) fn arithmetic(name: &str, arguments: &[Argument], session: &Zone) -> Option<Monotonicity> {
    let [left, right] = arguments else { return None };
    if arguments.iter().any(|argument| matches!(argument.kind.plain(), T::Interval(_))) {
        return moved(name, arguments, session);
    }
    if name == "intDiv" && arguments.iter().any(|argument| argument.kind.plain().is_float()) {
        return float_quotient(arguments);
    }
    match (&left.constant, &right.constant) {
        (None, Some(_)) if is_narrow_decimal(left.kind.plain()) => return decimal_arithmetic(name, 0, right),
        (Some(_), None) if is_narrow_decimal(right.kind.plain()) => return decimal_arithmetic(name, 1, left),
        _ => {}
    }
    let (variable, constant) = match (&left.constant, &right.constant) {
        (None, Some(_)) => (0, constant_integer(right)?),
        (Some(_), None) => (1, constant_integer(left)?),
        _ => return None,
    };
    let kind = arguments[variable].kind.plain();
    let c = i128::from(constant);
    let by_days = matches!(kind, T::Date | T::Date32 | T::DateTime(_));
    if !(kind.integer_bits().is_some() || by_days && name != "multiply") {
        return None;
    }
    // Sums are as wide as 64 bits allow, and wrap around there; dates wrap at the ends of their own types.
    let (low, high) = match kind {
        T::Date => (0, LAST_DAY_OF_DATE.into()),
        T::Date32 => (FIRST_DAY.into(), LAST_DAY.into()),
        T::DateTime(_) => (0, u32::MAX.into()),
        T::UInt64 if name != "minus" && c >= 0 => (0, u64::MAX.into()),
        T::Int128 | T::Int256 => (-WIDE_MOST, WIDE_MOST),
        T::UInt128 | T::UInt256 => (0, WIDE_MOST),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    let between = |first: i128, last: i128| Holds::Between(first.max(low), last.min(high));
    let found = match (name, variable) {
        ("plus", _) => Monotonicity::rising(between(low - c, high - c)),
        ("minus", 0) => Monotonicity::rising(between(low + c, high + c)),
        ("minus", _) => Monotonicity::falling(between(c - high, c - low)),
        ("multiply", _) if c > 0 => Monotonicity::rising(Holds::Between(low / c, high / c)),
        ("multiply", _) if c < 0 => Monotonicity::falling(Holds::Between(high / c, low / c)),
        ("intDiv" | "divide", 0) if c > 0 => Monotonicity::rising(Holds::Always),
        ("intDiv" | "divide", 0) if c < 0 => Monotonicity::falling(negation(kind)),
        _ => return None,
    };
    Some(found.at(variable))
}
