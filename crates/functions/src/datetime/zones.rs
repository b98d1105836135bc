//! Time zones: `toTimeZone`, `timezoneOf`, `timezoneOffset`, `timezone()`, and local times taken for UTC and back.

use SqlType as T;
use arrow::datatypes::{Int32Type, Int64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::moments::{expect_instants, from_ticks, ticks, zone_argument};
use super::starts::in_range;
use crate::columns::{numbers, strings};
use crate::define::{arity, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "toTimezone",
        plain(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            expect_instants(name, arguments, 0, env)?;
            let named = zone_argument(name, arguments, 1)?.map(|(_, named)| named);
            let result = match arguments[0].kind {
                T::DateTime64(scale, _) => T::DateTime64(scale, named),
                _ => T::DateTime(named),
            };
            Ok(Bound::new(result, |args, _| Ok(args[0].clone())))
        }),
    );
    registry.alias("toTimeZone", "toTimezone");
    registry.scalar(
        "timezoneOf",
        own_nulls(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            let moments = expect_instants(name, arguments, 0, env)?;
            let zone = moments.named.unwrap_or_else(|| env.timezone.clone());
            Ok(constant_text(zone.as_bytes()))
        }),
    );
    registry.alias("timeZoneOf", "timezoneOf");
    registry.scalar(
        "timezoneOffset",
        plain(|name, arguments, env| {
            arity(name, arguments, 1..=2)?;
            let moments = expect_instants(name, arguments, 0, env)?.in_zone_of(name, arguments, 1)?;
            Ok(Bound::new(T::Int32, move |args, _| moments.each_second::<Int32Type>(&args[0], |_, offset| offset as i32)))
        }),
    );
    registry.alias("timeZoneOffset", "timezoneOffset");
    registry.scalar(
        "timezone",
        own_nulls(|name, arguments, env| {
            arity(name, arguments, 0..=0)?;
            Ok(constant_text(env.timezone.as_bytes()))
        }),
    );
    registry.alias("timeZone", "timezone");
    registry.any_case("timeZone");
    registry.scalar(
        "serverTimezone",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(constant_text(crate::text::server_timezone().as_bytes()))
        }),
    );
    registry.alias("serverTimeZone", "serverTimezone");
    registry.scalar("toUTCTimestamp", plain(|name, arguments, _| reread(name, arguments, true)));
    registry.scalar("fromUTCTimestamp", plain(|name, arguments, _| reread(name, arguments, false)));
    for (alias, name) in [("to_utc_timestamp", "toUTCTimestamp"), ("from_utc_timestamp", "fromUTCTimestamp")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

fn constant_text(text: &[u8]) -> Bound {
    let text = text.to_vec();
    Bound::new(T::String, move |_, rows| {
        strings(rows, |_, out| {
            out.extend_from_slice(&text);
            Ok(())
        })
    })
}

/// Takes what a clock in UTC shows for what a clock in the zone shows (`to_utc`), or the other way around.
fn reread(name: &str, arguments: &[Argument], to_utc: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let text = arguments[0].kind.is_string();
    let kind = if text { T::DateTime64(3, None) } else { arguments[0].kind.clone() };
    if !matches!(kind, T::DateTime(_) | T::DateTime64(..)) {
        return Err(illegal(name, arguments, 0, "DateTime, DateTime64 or String"));
    }
    let Some((zone, _)) = zone_argument(name, arguments, 1)? else { return Err(illegal(name, arguments, 1, "a time zone")) };
    let unit = match kind {
        T::DateTime64(scale, _) => 10i64.pow(u32::from(scale)),
        _ => 1,
    };
    let result = match &kind {
        T::DateTime64(scale, _) => T::DateTime64(*scale, None),
        _ => T::DateTime(None),
    };
    let (to, casts) = (result.clone(), vec![kind, T::String]);
    let narrow = matches!(to, T::DateTime(_));
    Ok(Bound::cast(casts, result, move |args, _| {
        let source = ticks(&args[0])?;
        let moved = numbers::<Int64Type>(source.len(), |row| {
            let (second, rest) = (source[row].div_euclid(unit), source[row].rem_euclid(unit));
            let second = if to_utc { zone.to_utc(second) } else { zone.to_local(second) };
            Ok(second.saturating_mul(unit).saturating_add(rest))
        })?;
        let values = ticks(&moved)?.iter().map(|tick| if narrow { in_range(*tick) } else { *tick }).collect();
        from_ticks(values, &to)
    }))
}
