//! Conversions of the Kusto Query Language: `kqlToTimespan`, and `kqlParameterCast` to one of its declared types.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, Int64Array};
use arrow::datatypes::Int64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::{IntervalKind, SqlType};

use crate::arithmetic::kusto::{length, no_timespan, scaled};
use crate::columns::{Bytes, Numbers, broadcast, numbers};
use crate::define::{arity, constant_bytes, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

const SECOND: i128 = 1_000_000_000;
const DAY: i64 = 86_400_000_000_000;
/// Digits of a second that count; more are cut off.
const FRACTION_DIGITS: usize = 7;

pub fn register(registry: &mut Registry) {
    registry.scalar("kqlToTimespan", own_nulls(|name, arguments, _| to_timespan(name, arguments)));
    registry.scalar("kqlParameterCast", own_nulls(parameter_cast));
}

fn wrong(text: String) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

/// The values of `array` that are not NULL, as `f` makes timespans of them.
fn masked(made: ArrayRef, array: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    let nulls = broadcast(array, rows)?.logical_nulls();
    let nulls = arrow::buffer::NullBuffer::union(made.nulls(), nulls.as_ref());
    Ok(arrow::array::make_array(made.to_data().into_builder().nulls(nulls).build()?))
}

fn to_timespan(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let given = &arguments[0].kind;
    let kind = given.plain().clone();
    let to = T::Interval(IntervalKind::Nanosecond);
    if kind == T::Nothing {
        return Ok(Bound::new(to.nullable(), |_, rows| {
            Ok(arrow::array::new_null_array(&arrow::datatypes::DataType::Int64, rows))
        }));
    }
    if matches!(kind, T::Interval(_)) {
        return Ok(Bound::new(given.clone(), |args, _| Ok(args[0].clone())));
    }
    if kind.is_string() {
        return Ok(Bound::new(to.nullable(), |args, rows| {
            let texts = Bytes::of(&args[0])?;
            let spans: Int64Array = (0..rows).map(|row| timespan(texts.get(row))).collect();
            masked(Arc::new(spans), &args[0], rows)
        }));
    }
    if !kind.is_number() {
        let text =
            format!("Function {name} converts a timespan, a number of days or a string, but the argument has type {kind}");
        return Err(wrong(text));
    }
    let result = if given.is_nullable() { to.nullable() } else { to };
    let name = name.to_string();
    Ok(Bound::new(result, move |args, rows| {
        let days = crate::columns::defaults_for_nulls(&args[0])?;
        masked(scaled(&name, &days, &kind, |_| DAY, rows)?, &args[0], rows)
    }))
}

/// `[-][d.]hh:mm:ss[.fffffff]`, or `d.hh`, as nanoseconds.
fn timespan(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let number = |digits: &[u8]| -> Option<i128> {
        let text = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(u8::is_ascii_digit))?;
        text.parse::<i64>().ok().map(i128::from)
    };
    let parts: Vec<&[u8]> = text.split(|c| *c == b':').collect();
    let day_end = memchr::memchr(b'.', parts[0]);
    let (days, hours) = match day_end {
        Some(end) => {
            let hours = &parts[0][end + 1..];
            (number(&parts[0][..end])?, if hours.is_empty() { 0 } else { number(hours)? })
        }
        None => (0, number(parts[0])?),
    };
    let (minutes, seconds, fraction) = match parts[..] {
        [_] if day_end.is_some() => (0, 0, 0),
        [_, minutes, seconds] => {
            let end = memchr::memchr(b'.', seconds).unwrap_or(seconds.len());
            let digits = seconds.get(end + 1..).unwrap_or_default();
            if !digits.iter().all(u8::is_ascii_digit) {
                return None;
            }
            let mut ticks = 0;
            for place in 0..FRACTION_DIGITS {
                ticks = ticks * 10 + digits.get(place).map_or(0, |digit| i128::from(digit - b'0'));
            }
            (number(minutes)?, number(&seconds[..end])?, ticks * 100)
        }
        _ => return None,
    };
    let total = days * i128::from(DAY) + ((hours * 60 + minutes) * 60 + seconds) * SECOND + fraction;
    i64::try_from(if negative { -total } else { total }).ok()
}

/// What carries a declared type, where an argument of that kind belongs to it.
fn carrier(declared: &str, kind: &SqlType) -> Option<Option<SqlType>> {
    let is_whole = *kind == T::Bool || kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
    let (carrier, belongs) = match declared {
        "bool" | "boolean" => (T::Bool, matches!(kind, T::Bool | T::UInt8)),
        "int" => (T::Int32, is_whole),
        "long" => (T::Int64, is_whole),
        "real" | "double" => (T::Float64, is_whole || kind.is_float()),
        "decimal" => (T::Decimal { precision: 38, scale: 20 }, is_whole || kind.is_decimal()),
        "string" => (T::String, kind.is_string()),
        "guid" | "uuid" => (T::Uuid, *kind == T::Uuid),
        "timespan" | "time" => (T::Interval(IntervalKind::Nanosecond), length(kind).is_some()),
        "datetime" | "date" => (T::DateTime64(7, Some(Arc::from("UTC"))), kind.is_date_or_time()),
        _ => return None,
    };
    // NULL belongs to each.
    Some((belongs || *kind == T::Nothing).then_some(carrier))
}

/// A value, the name of its type, and what an error calls it.
fn parameter_cast(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    let constant = |i: usize, what: &str| {
        let text = Some(&arguments[i]).filter(|argument| argument.kind.is_string()).and_then(constant_bytes);
        let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        text.ok_or_else(|| wrong(format!("Function {name} requires a constant string as the {what}")))
    };
    let (declared, parameter) = (constant(1, "declared type")?, constant(2, "description of the parameter")?);
    let given = arguments[0].kind.without_low_cardinality();
    let kind = given.plain().clone();
    let Some(known) = carrier(&declared, &kind) else {
        return Err(wrong(format!("Function {name} does not know the KQL type '{declared}'")));
    };
    let Some(carrier) = known else {
        return Err(wrong(format!("{parameter} is declared '{declared}', but the argument has type {kind}")));
    };
    let to = if given.is_nullable() { carrier.nullable() } else { carrier };
    if let Some(unit) = length(&kind) {
        let name = name.to_string();
        return Ok(Bound::new(to, move |args, rows| {
            let spans = Numbers::of::<Int64Type>(&args[0])?;
            let nanos = numbers::<Int64Type>(rows, |row| {
                i64::try_from(i128::from(spans.get(row)) * unit).map_err(|_| no_timespan(&name))
            })?;
            masked(nanos, &args[0], rows)
        }));
    }
    let options = CastOptions { accurate: true, ..env.cast_options()? };
    Ok(Bound::new(to.clone(), move |args, _| cast(&args[0], &given, &to, &options)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timespans_are_read_as_kusto_writes_them() {
        assert_eq!(timespan(b"0.00:01:00"), Some(60_000_000_000));
        assert_eq!(timespan(b"-1.02:03:04.5"), Some(-93_784_500_000_000));
        assert_eq!(timespan(b"1.5"), Some(104_400_000_000_000));
        assert_eq!(timespan(b"00:00:00.12345678"), Some(123_456_700));
        for text in ["", "1", "1:", "01:02", "1d", "1.00:00", ".5", "1:2:3x", "99999999999999999999:00:00"] {
            assert_eq!(timespan(text.as_bytes()), None, "{text}");
        }
    }
}
