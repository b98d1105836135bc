//! `parseDateTimeBestEffort` and its relatives: instants in the many forms that people write them in.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, PrimitiveArray};
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::cast::fill_nulls;
use gristmill_types::scan::best_effort;
use gristmill_types::zone::Zone;

use crate::columns::{Bytes, retype};
use crate::datetime::moments::zone_argument;
use crate::define::{arity, bad_argument, constant_integer, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    Throws,
    Null,
    Zero,
}

/// What a function makes of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    DateTime,
    /// A DateTime64 where a scale is given.
    Either,
    DateTime64,
}

pub fn register(registry: &mut Registry) {
    for (suffix, failing) in [("", Failing::Throws), ("OrNull", Failing::Null), ("OrZero", Failing::Zero)] {
        for (prefix, gives) in
            [("parseDateTime", Gives::Either), ("parseDateTime32", Gives::DateTime), ("parseDateTime64", Gives::DateTime64)]
        {
            for (middle, us) in [("BestEffort", false), ("BestEffortUS", true)] {
                let gives = if us && gives == Gives::Either { Gives::DateTime } else { gives };
                registry.scalar(
                    &format!("{prefix}{middle}{suffix}"),
                    plain(move |name, arguments, env| bind(name, arguments, env, gives, us, failing)),
                );
            }
        }
    }
}

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv, gives: Gives, us: bool, failing: Failing) -> Result<Bound> {
    arity(name, arguments, 1..=if gives == Gives::DateTime { 2 } else { 3 })?;
    expect_string(name, arguments, 0)?;
    let scaled = gives != Gives::DateTime && arguments.get(1).is_some_and(|argument| argument.kind.is_integer());
    let scale = match arguments.get(1).filter(|_| scaled) {
        Some(argument) => {
            let scale = constant_integer(argument).ok_or_else(|| not_constant(name, 1))?;
            u8::try_from(scale)
                .ok()
                .filter(|scale| *scale <= 9)
                .ok_or_else(|| bad_argument(name, format!("scale {scale} is not from 0 to 9")))?
        }
        None if gives == Gives::DateTime64 => 3,
        None => 0,
    };
    let wide = gives == Gives::DateTime64 || scale > 0;
    let named = zone_argument(name, arguments, 1 + usize::from(scaled))?;
    let zone = match &named {
        Some((zone, _)) => zone.clone(),
        None => Zone::new(crate::text::timezone(env)?),
    };
    let named = named.map(|(_, named)| named);
    let to = if wide { T::DateTime64(scale, named) } else { T::DateTime(named) };
    let result = if failing == Failing::Null { to.clone().nullable() } else { to.clone() };
    let customs = env.customs(us);
    let is_filled_up = matches!(arguments[0].kind, T::FixedString(_));
    Ok(Bound::new(result, move |args, _| {
        let texts = Bytes::of(&args[0])?;
        let ticks: PrimitiveArray<Int64Type> = (0..texts.len())
            .map(|row| {
                let text = match texts.get(row) {
                    text if is_filled_up => &text[..text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)],
                    text => text,
                };
                match best_effort::date_time(text, scale, &zone, customs) {
                    Ok(tick) => Ok(Some(if wide { tick } else { tick.clamp(0, u32::MAX.into()) })),
                    Err(fault) if failing == Failing::Throws => Err(fault.explain(text, &to)),
                    Err(_) => Ok(None),
                }
            })
            .collect::<Result<_>>()?;
        let ticks = retype(&(Arc::new(ticks) as ArrayRef), &to.arrow())?;
        if failing == Failing::Null || ticks.null_count() == 0 { Ok(ticks) } else { fill_nulls(&ticks, &to) }
    }))
}
