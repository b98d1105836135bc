//! `CAST`, `accurateCast`, `accurateCastOrNull`, `accurateCastOrDefault`, `toLowCardinality`. (The analyser lowers `CAST`
//! itself where it can; this is what remains.)

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, OnError, cast};

use super::accurate::{cast_unless_refused, must_come_out_equal};
use super::families::{chosen, or_type_default};
use crate::columns::broadcast;
use crate::define::{arity, illegal, need_constant_text, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    for name in ["CAST", "_CAST"] {
        registry.scalar(
            name,
            own_nulls(|name, arguments, env| {
                arity(name, arguments, 2..=2)?;
                let mut to = target(name, arguments)?.in_zone_of(&arguments[0].kind);
                if env.cast_keep_nullable && arguments[0].kind.is_nullable() {
                    to = to.nullable();
                }
                convert(arguments, to, env.cast_options()?)
            }),
        );
        registry.any_case(name);
    }
    registry.scalar(
        "accurateCast",
        own_nulls(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            let mut to = target(name, arguments)?.in_zone_of(&arguments[0].kind);
            if env.cast_keep_nullable && arguments[0].kind.is_nullable() {
                to = to.nullable();
            }
            let accurate = must_come_out_equal(&arguments[0].kind);
            convert(arguments, to, CastOptions { accurate, ..env.cast_options()? })
        }),
    );
    registry.scalar(
        "accurateCastOrNull",
        own_nulls(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            let to = target(name, arguments)?.in_zone_of(&arguments[0].kind).nullable();
            let from = arguments[0].kind.clone();
            let accurate = must_come_out_equal(&from);
            let options = CastOptions { accurate, on_error: OnError::Null, ..env.cast_options()? };
            Ok(Bound::new(to.clone(), move |args, _| cast_unless_refused(&args[0], &from, &to, &options)))
        }),
    );
    registry.scalar("accurateCastOrDefault", own_nulls(or_default));
    registry.scalar(
        "toLowCardinality",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let kind = arguments[0].kind.clone();
            let plain = kind.plain();
            let fits = plain.is_string()
                || plain.is_integer()
                || plain.is_float()
                || matches!(
                    plain,
                    T::Bool
                        | T::Date
                        | T::Date32
                        | T::DateTime(_)
                        | T::Interval(_)
                        | T::Uuid
                        | T::IPv4
                        | T::IPv6
                        | T::Nothing
                );
            if !fits {
                return Err(illegal(name, arguments, 0, "a number, a string, a date, an interval, a UUID or an address"));
            }
            let result = if kind.is_low_cardinality() { kind } else { T::LowCardinality(Box::new(kind)) };
            Ok(Bound::new(result, |args, _| Ok(args[0].clone())))
        }),
    );
}

/// The type that the second argument names.
fn target(name: &str, arguments: &[Argument]) -> Result<SqlType> {
    let text = need_constant_text(name, arguments, 1)?;
    text.parse()
        .map_err(|error: Error| Error::new(error.code(), format!("{error}: in the second argument of function {name}")))
}

fn convert(arguments: &[Argument], to: SqlType, options: CastOptions) -> Result<Bound> {
    let from = arguments[0].kind.clone();
    Ok(Bound::new(to.clone(), move |args, _| cast(&args[0], &from, &to, &options)))
}

fn or_default(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let to = target(name, arguments)?;
    if let Some(default) = arguments.get(2)
        && default.kind.plain() != to.plain()
    {
        let text = format!("Default value type should be same as cast type. Expected {to}. Actual {}", default.kind);
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, format!("Function {name}: {text}")));
    }
    let from = arguments[0].kind.clone();
    let to = to.in_zone_of(&from);
    let accurate = must_come_out_equal(&from);
    let options = CastOptions { accurate, on_error: OnError::Null, ..env.cast_options()? };
    let keeps = env.cast_keep_nullable && from.is_nullable();
    let result = if keeps { to.clone().nullable() } else { to.clone() };
    Ok(Bound::new(result, move |args, rows| {
        let converted = cast_unless_refused(&args[0], &from, &to, &options)?;
        match args.get(2) {
            Some(default) => chosen(&broadcast(&converted, rows)?, &broadcast(default, rows)?),
            None if keeps => Ok(converted),
            None => or_type_default(&converted, &to),
        }
    }))
}
