//! `parseISO8601Duration('P1DT2H3M4.5S')`: the seconds of a duration. Years and months have no fixed length and are refused.

use SqlType as T;
use arrow::datatypes::Float64Type;
use gristmill_types::SqlType;

use crate::columns::{Bytes, numbers};
use crate::define::{arity, bad_argument, illegal, plain};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "parseISO8601Duration",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind != T::String {
                return Err(illegal(name, arguments, 0, "String"));
            }
            let name = name.to_string();
            Ok(Bound::new(T::Float64, move |args, rows| {
                let texts = Bytes::of(&args[0])?;
                numbers::<Float64Type>(rows, |row| {
                    let text = texts.get(row);
                    seconds(text).map_err(|what| {
                        let shown: String = String::from_utf8_lossy(text).chars().take(100).collect();
                        bad_argument(&name, format!("{what}, in \"{shown}\""))
                    })
                })
            }))
        }),
    );
}

const DATE_UNITS: [(u8, f64); 2] = [(b'W', 604_800.0), (b'D', 86_400.0)];
const TIME_UNITS: [(u8, f64); 3] = [(b'H', 3600.0), (b'M', 60.0), (b'S', 1.0)];

fn seconds(text: &[u8]) -> std::result::Result<f64, String> {
    let Some(mut rest) = text.strip_prefix(b"P") else {
        return Err(if text.is_empty() { "the duration is empty" } else { "a duration must start with 'P'" }.to_string());
    };
    let mut units: &[(u8, f64)] = &DATE_UNITS;
    let (mut total, mut any, mut of_time, mut bare_time) = (0.0, false, false, false);
    while let Some(first) = rest.first() {
        if *first == b'T' && !of_time {
            (units, of_time, bare_time, rest) = (&TIME_UNITS, true, true, &rest[1..]);
            continue;
        }
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return Err(format!("expected a number at position {}", text.len() - rest.len()));
        }
        let mut end = length;
        if rest.get(length) == Some(&b'.') {
            let fraction = rest[length + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if fraction == 0 {
                return Err("expected digits after the decimal point".to_string());
            }
            end += 1 + fraction;
        }
        let number = String::from_utf8_lossy(&rest[..end]);
        let number: f64 = number.parse().map_err(|_| format!("{number} is no number"))?;
        let Some(unit) = rest.get(end) else { return Err("a number is not followed by a unit designator".to_string()) };
        let Some(place) = units.iter().position(|(known, _)| known == unit) else {
            let shown = char::from(*unit);
            let known = if of_time {
                TIME_UNITS.iter().any(|(known, _)| known == unit)
            } else {
                DATE_UNITS.iter().any(|(known, _)| known == unit)
            };
            return Err(match unit {
                b'Y' | b'M' if !of_time => {
                    format!(
                        "the '{shown}' designator has no fixed length in seconds; use weeks, days, hours, minutes or seconds"
                    )
                }
                _ if known => format!("the '{shown}' designator is repeated or out of order"),
                _ => format!("unexpected designator '{shown}'"),
            });
        };
        total += number * units[place].1;
        (units, rest, any, bare_time) = (&units[place + 1..], &rest[end + 1..], true, false);
    }
    if !any {
        return Err("a duration must contain at least one component".to_string());
    }
    if bare_time {
        return Err("'T' must be followed by at least one time component".to_string());
    }
    Ok(total)
}
