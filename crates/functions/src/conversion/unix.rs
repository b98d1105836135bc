//! Unix timestamps: `toUnixTimestamp`, `fromUnixTimestamp`, and those of 64 bits in seconds, milli-, micro- and nanoseconds.

use SqlType as T;
use arrow::datatypes::{Int64Type, UInt32Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::calendar::SECONDS_A_DAY;
use gristmill_types::cast::cast;

use crate::columns::{Numbers, numbers, retype};
use crate::datetime::moments::{Moments, days, expect_moments, from_ticks, ticks, zone_argument};
use crate::datetime::{Compile, Letters, format_bind};
use crate::define::{arity, expect_integer, expect_string, illegal, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("toUnixTimestamp", plain(to_timestamp));
    registry.scalar(
        "fromUnixTimestamp",
        plain(|name, arguments, env| from_timestamp(name, arguments, env, crate::datetime::compile)),
    );
    registry.alias("FROM_UNIXTIME", "fromUnixTimestamp");
    registry.any_case("FROM_UNIXTIME");
    registry.scalar(
        "fromUnixTimestampInJodaSyntax",
        plain(|name, arguments, env| from_timestamp(name, arguments, env, crate::datetime::compile_joda)),
    );
    for (unit, scale) in [("Second", 0u8), ("Milli", 3), ("Micro", 6), ("Nano", 9)] {
        registry.scalar(
            &format!("toUnixTimestamp64{unit}"),
            plain(move |name, arguments, env| to_ticks(name, arguments, env, scale)),
        );
        registry.scalar(
            &format!("fromUnixTimestamp64{unit}"),
            plain(move |name, arguments, _| from_ticks64(name, arguments, scale)),
        );
    }
}

fn to_timestamp(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    if arguments[0].kind.is_string() {
        let zone = zone_argument(name, arguments, 1)?.map(|(_, named)| named);
        let (from, to) = (arguments[0].kind.clone(), T::DateTime(zone));
        let options = env.cast_options()?;
        return Ok(Bound::new(T::UInt32, move |args, _| {
            let seconds = ticks(&cast(&args[0], &from, &to, &options)?)?;
            numbers::<UInt32Type>(seconds.len(), |row| Ok(seconds[row] as u32))
        }));
    }
    // What is no text is an instant, or a number of seconds, in whatever zone.
    if arguments.len() == 2 {
        expect_string(name, arguments, 1)?;
    }
    let from = arguments[0].kind.clone();
    if from.is_number() || from.is_enum() || matches!(from, T::IPv4 | T::Interval(_) | T::Time | T::Time64(_)) {
        let options = env.cast_options()?;
        return Ok(Bound::new(T::UInt32, move |args, _| cast(&args[0], &from, &T::UInt32, &options)));
    }
    let moments = expect_moments(name, arguments, 0, env)?;
    if matches!(from, T::Date | T::Date32) {
        // A day begins at midnight in Greenwich, whatever the zone.
        return Ok(Bound::new(T::UInt32, |args, _| {
            let days = days(&args[0])?;
            numbers::<UInt32Type>(days.len(), |row| Ok((i64::from(days[row]) * SECONDS_A_DAY) as u32))
        }));
    }
    if matches!(from, T::DateTime64(..)) {
        let options = env.cast_options()?;
        return Ok(Bound::new(T::UInt32, move |args, _| cast(&args[0], &from, &T::UInt32, &options)));
    }
    Ok(Bound::new(T::UInt32, move |args, _| moments.each_second::<UInt32Type>(&args[0], |second, _| second as u32)))
}

/// One argument: a DateTime; with a pattern: text.
fn from_timestamp(name: &str, arguments: &[Argument], env: &FunctionEnv, compile: Compile) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    let casts = |to: SqlType| std::iter::once(to).chain(arguments[1..].iter().map(|a| a.kind.clone())).collect::<Vec<_>>();
    if arguments.len() == 1 {
        expect_integer(name, arguments, 0)?;
        return Ok(Bound::cast(casts(T::DateTime(None)), T::DateTime(None), |args, _| Ok(args[0].clone())));
    }
    let kind = if arguments[0].kind.is_date_or_time() {
        arguments[0].kind.clone()
    } else {
        expect_integer(name, arguments, 0)?;
        // Those of 64 bits go on where DateTime ends.
        let is_far = arguments[0].kind.integer_bits().is_some_and(|(bits, _)| bits >= 64);
        if is_far { T::DateTime64(0, None) } else { T::DateTime(None) }
    };
    let Some(moments) = Moments::of(&kind, env)? else { return Err(illegal(name, arguments, 0, "an integer")) };
    let moments = moments.in_zone_of(name, arguments, 2)?;
    let pieces = compile(name, &need_constant_text(name, arguments, 1)?, Letters::written(env, moments.scale))?;
    let bound = format_bind(moments, pieces);
    Ok(Bound { arguments: casts(kind), ..bound })
}

fn to_ticks(name: &str, arguments: &[Argument], env: &FunctionEnv, scale: u8) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let T::DateTime64(from, _) = arguments[0].kind else { return Err(illegal(name, arguments, 0, "DateTime64")) };
    expect_moments(name, arguments, 0, env)?;
    let (up, down) = (10i64.pow(u32::from(scale.saturating_sub(from))), 10i64.pow(u32::from(from.saturating_sub(scale))));
    let name = name.to_string();
    Ok(Bound::new(T::Int64, move |args, _| {
        let ticks = ticks(&args[0])?;
        numbers::<Int64Type>(ticks.len(), |row| {
            (ticks[row] / down).checked_mul(up).ok_or_else(|| {
                Error::new(
                    ErrorCode::DECIMAL_OVERFLOW,
                    format!("Function {name}: {} ticks of 10^-{from} seconds are too many", ticks[row]),
                )
            })
        })
    }))
}

fn from_ticks64(name: &str, arguments: &[Argument], scale: u8) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_integer(name, arguments, 0)?;
    let zone = zone_argument(name, arguments, 1)?.map(|(_, named)| named);
    let to = T::DateTime64(scale, zone);
    let kind = to.clone();
    let casts = std::iter::once(T::Int64).chain(arguments[1..].iter().map(|argument| argument.kind.clone())).collect();
    Ok(Bound::cast(casts, to, move |args, rows| {
        if args[0].len() == rows {
            return retype(&args[0], &kind.arrow());
        }
        let values = Numbers::of::<Int64Type>(&args[0])?;
        from_ticks((0..rows).map(|row| values.get(row)).collect(), &kind)
    }))
}
