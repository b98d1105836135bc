//! Amounts as people write them: `parseReadableSize`, `parseTimeDelta`, `toDecimalString`; and `timestamp`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::{DataType, Decimal128Type, Float64Type, Int64Type, UInt64Type};
use gristmill_base::units::with_decimals;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::cast;
use gristmill_types::scan::date;
use gristmill_types::text::write_decimal;
use gristmill_types::zone::Zone;

use crate::columns::{Bytes, Numbers, numbers, retype, strings};
use crate::define::{arity, bad_argument, constant_integer, expect_number, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    Throws,
    Null,
    Zero,
}

pub fn register(registry: &mut Registry) {
    for (suffix, failing) in [("", Failing::Throws), ("OrNull", Failing::Null), ("OrZero", Failing::Zero)] {
        registry.scalar(
            &format!("parseReadableSize{suffix}"),
            plain(move |name, arguments, _| readable_size(name, arguments, failing)),
        );
    }
    registry.scalar("parseTimeDelta", plain(|name, arguments, _| time_delta(name, arguments)));
    registry.scalar("toDecimalString", plain(|name, arguments, _| decimal_string(name, arguments)));
    registry.any_case("toDecimalString");
    registry.scalar("timestamp", plain(timestamp));
    registry.any_case("timestamp");
}

const SIZES: [(&str, f64); 13] = [
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("PiB", 1_125_899_906_842_624.0),
    ("EiB", 1_152_921_504_606_846_976.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("PB", 1e15),
    ("EB", 1e18),
];

/// Length of the decimal number at the start.
fn number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn parse_size(text: &[u8]) -> std::result::Result<u64, ErrorCode> {
    let text = std::str::from_utf8(text).map_err(|_| ErrorCode::CANNOT_PARSE_TEXT)?.trim_start();
    let (value, unit) = number(text).ok_or(CANNOT_PARSE_NUMBER)?;
    let unit = unit.trim_start();
    let (_, scale) = SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).ok_or(ErrorCode::CANNOT_PARSE_TEXT)?;
    let bytes = (value * scale).ceil();
    if bytes < 18_446_744_073_709_551_616.0 { Ok(bytes as u64) } else { Err(ErrorCode::BAD_ARGUMENTS) }
}

const CANNOT_PARSE_NUMBER: ErrorCode = ErrorCode(72);

fn readable_size(name: &str, arguments: &[Argument], failing: Failing) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let result = if failing == Failing::Null { T::UInt64.nullable() } else { T::UInt64 };
    let name = name.to_string();
    Ok(Bound::new(result, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let sizes = (0..rows).map(|row| match (parse_size(texts.get(row)), failing) {
            (Ok(size), _) => Ok(Some(size)),
            (Err(_), Failing::Null) => Ok(None),
            (Err(_), Failing::Zero) => Ok(Some(0)),
            (Err(code), Failing::Throws) => {
                let text = String::from_utf8_lossy(texts.get(row)).chars().take(100).collect::<String>();
                Err(Error::new(code, format!("Function {name}: '{text}' is no size such as 1.5 GiB")))
            }
        });
        let sizes = sizes.collect::<Result<PrimitiveArray<UInt64Type>>>()?;
        let nulls = (failing == Failing::Null).then(|| arrow::array::Array::nulls(&sizes).cloned()).flatten();
        Ok(Arc::new(PrimitiveArray::<UInt64Type>::new(sizes.values().clone(), nulls)) as ArrayRef)
    }))
}

const TIMES: [(&[&str], f64); 10] = [
    (&["years", "year", "yr", "y"], 31_536_000.0),
    (&["months", "month", "mo"], 2_635_200.0),
    (&["weeks", "week", "w"], 604_800.0),
    (&["days", "day", "d"], 86_400.0),
    (&["hours", "hour", "hr", "h"], 3600.0),
    (&["minutes", "minute", "min", "m"], 60.0),
    (&["seconds", "second", "sec", "s"], 1.0),
    (&["milliseconds", "millisecond", "millisec", "ms"], 1e-3),
    (&["microseconds", "microsecond", "microsec", "μs", "µs", "us"], 1e-6),
    (&["nanoseconds", "nanosecond", "nanosec", "ns"], 1e-9),
];

/// Seconds of a text such as `1h30m` or `2 days + 3 hours`.
fn parse_delta(text: &str) -> Option<f64> {
    let separator = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '+' | '-' | '&');
    let mut rest = text.trim_matches(separator);
    let mut sum = 0.0;
    while !rest.is_empty() {
        let (value, after) = number(rest)?;
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (_, seconds) = TIMES.iter().find(|(names, _)| names.contains(&after[..end].to_lowercase().as_str()))?;
        sum += value * seconds;
        rest = after[end..].trim_start_matches(separator);
    }
    (!text.trim().is_empty()).then_some(sum)
}

fn time_delta(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let name = name.to_string();
    Ok(Bound::new(T::Float64, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        numbers::<Float64Type>(rows, |row| {
            let text = String::from_utf8_lossy(texts.get(row));
            parse_delta(&text).ok_or_else(|| bad_argument(&name, format!("'{text}' is no span of time such as 1h30m")))
        })
    }))
}

/// A number with exactly so many digits after the point.
fn decimal_string(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_number(name, arguments, 0)?;
    let digits = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    let kind = arguments[0].kind.clone();
    let most = if kind.is_float() { 60 } else { 77 };
    if !(0..=most).contains(&digits) {
        return Err(bad_argument(name, format!("the number of digits must be from 0 to {most}, not {digits}")));
    }
    let digits = digits as usize;
    if kind.is_float() {
        return Ok(Bound::cast(vec![T::Float64, T::Int64], T::String, move |args, rows| {
            let values = Numbers::of::<Float64Type>(&args[0])?;
            strings(rows, |row, out| {
                out.extend(with_decimals(values.get(row), digits).to_lowercase().into_bytes());
                Ok(())
            })
        }));
    }
    let scale = if let T::Decimal { scale, .. } = kind { scale } else { 0 };
    let narrow =
        matches!(kind, T::Decimal { precision: ..=38, .. }) || kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
    let to = if narrow { T::Decimal { precision: 38, scale } } else { T::String };
    Ok(Bound::cast(vec![to, T::Int64], T::String, move |args, rows| {
        if *args[0].data_type() == DataType::BinaryView {
            let texts = Bytes::of(&args[0])?;
            return strings(rows, |row, out| {
                fill(texts.get(row), digits, out);
                Ok(())
            });
        }
        let values = Numbers::of::<Decimal128Type>(&args[0])?;
        strings(rows, |row, out| {
            let mut value = values.get(row);
            let mut kept = usize::from(scale);
            if kept > digits {
                // Half away from zero.
                let unit = 10i128.pow((kept - digits) as u32);
                let half = unit / 2 * value.signum();
                value = value.saturating_add(half) / unit;
                kept = digits;
            }
            let mut text = Vec::new();
            write_decimal(value, kept as u8, &mut text);
            fill(&text, digits, out);
            Ok(())
        })
    }))
}

/// Appends the number with zeros up to so many digits after the point, or without those beyond.
fn fill(text: &[u8], digits: usize, out: &mut Vec<u8>) {
    let point = memchr::memchr(b'.', text);
    let fraction = point.map_or(&text[..0], |point| &text[point + 1..]);
    out.extend_from_slice(&text[..point.unwrap_or(text.len())]);
    if digits > 0 {
        out.push(b'.');
        let kept = fraction.len().min(digits);
        out.extend_from_slice(&fraction[..kept]);
        out.extend(std::iter::repeat_n(b'0', digits - kept));
    }
}

/// MySQL's: a time of six digits, and a time of day added to it.
fn timestamp(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    for i in 0..arguments.len() {
        expect_string(name, arguments, i)?;
    }
    let to = T::DateTime64(6, None);
    let options = env.cast_options()?;
    let zone = Zone::new(options.timezone);
    let from = arguments[0].kind.clone();
    Ok(Bound::new(to.clone(), move |args, rows| {
        let moments = cast(&args[0], &from, &to, &options)?;
        let Some(times) = args.get(1) else { return Ok(moments) };
        let (moments, times) = (retype(&moments, &DataType::Int64)?, Bytes::of(times)?);
        let moments = Numbers::of::<Int64Type>(&moments)?;
        let moved = numbers::<Int64Type>(rows, |row| {
            let time = date::time(times.get(row), 6).map_err(|fault| fault.explain(times.get(row), &T::Time64(6)))?;
            // The clock of the zone is moved, as a whole.
            let tick = moments.get(row);
            let local = zone
                .to_local(tick.div_euclid(1_000_000))
                .saturating_mul(1_000_000)
                .saturating_add(tick.rem_euclid(1_000_000));
            let local = local.saturating_add(time);
            Ok(zone
                .to_utc(local.div_euclid(1_000_000))
                .saturating_mul(1_000_000)
                .saturating_add(local.rem_euclid(1_000_000)))
        })?;
        retype(&moved, &to.arrow())
    }))
}
