//! Numbers for people: `formatReadableSize`, `formatReadableDecimalSize`, `formatReadableQuantity`, `formatReadableTimeDelta`.

use SqlType as T;
use arrow::datatypes::Float64Type;
use gristmill_base::Result;
use gristmill_base::units::{self, two_decimals, with_decimals};
use gristmill_types::SqlType;
use gristmill_types::text::write_f64;

use crate::columns::{Numbers, strings};
use crate::define::{
    arity, bad_argument, constant_integer, expect_number, illegal, need_constant_text, not_constant, plain,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "formatReadableSize",
        plain(|name, arguments, _| {
            scaled(name, arguments, 1024.0, &[" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", " ZiB", " YiB"])
        }),
    );
    registry.alias("FORMAT_BYTES", "formatReadableSize");
    registry.any_case("FORMAT_BYTES");
    registry.scalar(
        "formatReadableDecimalSize",
        plain(|name, arguments, _| {
            scaled(name, arguments, 1000.0, &[" B", " KB", " MB", " GB", " TB", " PB", " EB", " ZB", " YB"])
        }),
    );
    registry
        .scalar("formatReadableQuantity", plain(|name, arguments, _| scaled(name, arguments, 1000.0, &units::QUANTITIES)));
    registry.scalar("formatReadableTimeDelta", plain(|name, arguments, _| time_delta(name, arguments)));
}

fn scaled(name: &str, arguments: &[Argument], base: f64, units: &'static [&'static str]) -> Result<Bound> {
    if arguments.len() == 2 {
        return scaled_to(name, arguments, base, units);
    }
    arity(name, arguments, 1..=2)?;
    expect_number(name, arguments, 0)?;
    Ok(Bound::cast(vec![T::Float64], T::String, move |args, rows| {
        let values = Numbers::of::<Float64Type>(&args[0])?;
        strings(rows, |row, out| {
            let mut value = values.get(row);
            let mut unit = 0;
            while unit + 1 < units.len() && value.abs() >= base {
                value /= base;
                unit += 1;
            }
            let number = if value.is_finite() { two_decimals(value) } else { value.to_string().to_lowercase() };
            out.extend(number.bytes().chain(units[unit].bytes()));
            Ok(())
        })
    }))
}

/// Digits behind the point at most.
const DIGITS_MAX: i128 = 60;

/// As `scaled`, with so many digits behind the point as the second argument says.
fn scaled_to(name: &str, arguments: &[Argument], base: f64, units: &'static [&'static str]) -> Result<Bound> {
    expect_number(name, arguments, 0)?;
    if !matches!(arguments[1].kind.integer_bits(), Some((..=64, false))) {
        return Err(illegal(name, arguments, 1, "an unsigned integer, the digits behind the point"));
    }
    let digits = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    if !(0..=DIGITS_MAX).contains(&i128::from(digits)) {
        return Err(bad_argument(name, format!("the number of digits must be from 0 to {DIGITS_MAX}, not {digits}")));
    }
    let digits = digits as usize;
    Ok(Bound::cast(vec![T::Float64, arguments[1].kind.clone()], T::String, move |args, rows| {
        let values = Numbers::of::<Float64Type>(&args[0])?;
        strings(rows, |row, out| {
            let value = values.get(row);
            let mut unit = 0;
            let mut scaled = value;
            while unit + 1 < units.len() && scaled.abs() >= base {
                scaled /= base;
                unit += 1;
            }
            let number = match value.is_finite() {
                true => with_decimals(scaled, digits),
                false => value.to_string().to_lowercase(),
            };
            out.extend(number.bytes().chain(units[unit].bytes()));
            Ok(())
        })
    }))
}

/// A year has 365 days here and a month 30.5.
const UNITS: [(&str, f64); 9] = [
    ("years", 31_536_000.0),
    ("months", 2_635_200.0),
    ("days", 86_400.0),
    ("hours", 3600.0),
    ("minutes", 60.0),
    ("seconds", 1.0),
    ("milliseconds", 1e-3),
    ("microseconds", 1e-6),
    ("nanoseconds", 1e-9),
];

/// Seconds of a unit; months and what consists of them have no fixed number.
fn seconds_of(kind: gristmill_types::IntervalKind) -> Option<f64> {
    use gristmill_types::IntervalKind as K;
    Some(match kind {
        K::Nanosecond => 1e-9,
        K::Microsecond => 1e-6,
        K::Millisecond => 1e-3,
        K::Second => 1.0,
        K::Minute => 60.0,
        K::Hour => 3600.0,
        K::Day => 86_400.0,
        K::Week => 604_800.0,
        K::Month | K::Quarter | K::Year => return None,
    })
}

/// Seconds as years, months, … down to seconds, or between two given units.
fn time_delta(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    let per_second = match &arguments[0].kind {
        T::Interval(kind) => seconds_of(*kind)
            .ok_or_else(|| bad_argument(name, format!("an {} has no fixed number of seconds", arguments[0].kind)))?,
        _ => {
            expect_number(name, arguments, 0)?;
            1.0
        }
    };
    let find = |i: usize, default: usize| -> Result<usize> {
        if i >= arguments.len() {
            return Ok(default);
        }
        let unit = need_constant_text(name, arguments, i)?;
        UNITS
            .iter()
            .position(|(known, _)| *known == unit)
            .ok_or_else(|| bad_argument(name, format!("unknown unit '{unit}': use years, months, days, hours, minutes, seconds, milliseconds, microseconds or nanoseconds")))
    };
    let largest = find(1, 0)?;
    let smallest = find(2, largest.max(5))?;
    if smallest < largest {
        return Err(bad_argument(name, "the smallest unit is larger than the largest one"));
    }
    let casts = std::iter::once(T::Float64).chain(arguments[1..].iter().map(|argument| argument.kind.clone())).collect();
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let values = Numbers::of::<Float64Type>(&args[0])?;
        strings(rows, |row, out| {
            let value = values.get(row) * per_second;
            if !value.is_finite() {
                out.extend(value.to_string().to_lowercase().bytes());
                return Ok(());
            }
            if value < 0.0 {
                out.push(b'-');
            }
            let mut rest = value.abs();
            let whole = rest.trunc();
            if whole + 1.0 == whole {
                // Smaller units are beyond what a float of this size can tell.
                let (unit, seconds) = UNITS[largest];
                write_f64((whole / seconds).floor(), out);
                out.extend(b" ".iter().chain(unit.as_bytes()));
                return Ok(());
            }
            let mut parts = Vec::new();
            for (i, (unit, seconds)) in UNITS.iter().enumerate().take(smallest + 1).skip(largest) {
                let last = i == smallest;
                // Below a second whole nanoseconds are counted, since fractions of seconds are not exact in binary.
                let count = if i > 5 { (rest / seconds + 1e-4).floor() } else { (rest / seconds).floor() };
                rest = (rest - count * seconds).max(0.0);
                if count > 0.0 || (last && parts.is_empty()) {
                    let unit = if count == 1.0 { &unit[..unit.len() - 1] } else { unit };
                    parts.push(format!("{count} {unit}"));
                }
            }
            let text = match parts.split_last() {
                Some((last, head)) if !head.is_empty() => format!("{} and {last}", head.join(", ")),
                _ => parts.concat(),
            };
            out.extend(text.bytes());
            Ok(())
        })
    }))
}
