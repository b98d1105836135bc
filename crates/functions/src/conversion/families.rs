//! `toX`, `toXOrNull`, `toXOrZero`, `toXOrDefault` for every type X.
//!
//! `OrNull` and `OrZero` read strings only (`toDateOrNull`, `toDateTimeOrNull` and `toDateTime64OrNull` take whole numbers
//! too); `OrDefault` takes what `toX` takes, refuses numbers that do not come out equal, and gives its last argument (or the
//! type's default) where the conversion fails.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Date32Array, make_array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::nullif;
use arrow::datatypes::Float64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::calendar::{EARLIEST_DAY, FIRST_DAY, LATEST_DAY, SECONDS_A_DAY};
use gristmill_types::cast::{CastOptions, OnError, cast, fill_nulls};

use super::accurate::{cast_unless_refused, must_come_out_equal};
use crate::columns::broadcast;
use crate::datetime::moments::zone_argument;
use crate::datetime::{names_zones, text_in_zones};
use crate::define::{arity, bad_argument, constant_integer, expect_string, illegal, not_constant, own_nulls, told_nullable};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

/// What becomes of values that cannot be converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Failing {
    Throws,
    Null,
    Zero,
    Default,
}

const FORMS: [(&str, Failing); 4] =
    [("", Failing::Throws), ("OrNull", Failing::Null), ("OrZero", Failing::Zero), ("OrDefault", Failing::Default)];

/// The arguments beside the value that choose the type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// A scale, of a decimal of so many digits.
    Digits(u8),
    /// A length.
    Length,
    /// A time zone.
    Zone,
    /// A scale, and a time zone.
    ScaleAndZone,
    /// A scale.
    Scale,
}

pub fn register(registry: &mut Registry) {
    let plain_types = [
        ("Int8", T::Int8),
        ("Int16", T::Int16),
        ("Int32", T::Int32),
        ("Int64", T::Int64),
        ("Int128", T::Int128),
        ("Int256", T::Int256),
        ("UInt8", T::UInt8),
        ("UInt16", T::UInt16),
        ("UInt32", T::UInt32),
        ("UInt64", T::UInt64),
        ("UInt128", T::UInt128),
        ("UInt256", T::UInt256),
        ("BFloat16", T::BFloat16),
        ("Float32", T::Float32),
        ("Float64", T::Float64),
        ("UUID", T::Uuid),
        ("IPv4", T::IPv4),
        ("IPv6", T::IPv6),
    ];
    for (name, kind) in plain_types {
        family(registry, name, kind, Takes::Nothing);
    }
    family(registry, "Date", T::Date, Takes::Zone);
    family(registry, "Date32", T::Date32, Takes::Zone);
    family(registry, "DateTime", T::DateTime(None), Takes::Zone);
    family(registry, "DateTime64", T::DateTime64(3, None), Takes::ScaleAndZone);
    for (suffix, failing) in FORMS {
        let takes = if failing == Failing::Throws { Takes::Scale } else { Takes::Nothing };
        one(registry, &format!("toTime{suffix}"), T::Time, takes, failing);
    }
    family(registry, "Time64", T::Time64(3), Takes::Scale);
    for (name, digits) in [("Decimal32", 9), ("Decimal64", 18), ("Decimal128", 38), ("Decimal256", 76)] {
        family(registry, name, T::Decimal { precision: digits, scale: 0 }, Takes::Digits(digits));
    }
    one(registry, "toString", T::String, Takes::Zone, Failing::Throws);
    one(registry, "toFixedString", T::FixedString(0), Takes::Length, Failing::Throws);
    registry.scalar("toBool", own_nulls(to_bool));
    one(registry, "toDateTime32", T::DateTime(None), Takes::Zone, Failing::Throws);
    registry.twin("DATE", "toDate");
    registry.any_case("DATE");
}

fn family(registry: &mut Registry, name: &str, kind: SqlType, takes: Takes) {
    for (suffix, failing) in FORMS {
        one(registry, &format!("to{name}{suffix}"), kind.clone(), takes, failing);
    }
}

fn one(registry: &mut Registry, name: &str, kind: SqlType, takes: Takes, failing: Failing) {
    let bind = move |name: &str, arguments: &[Argument], env: &FunctionEnv, nullable: bool| {
        bind(name, arguments, env, Asked { kind: &kind, takes, failing, nullable })
    };
    // NULL has a default as well.
    let function = match failing {
        Failing::Default => own_nulls(move |name, arguments, env| bind(name, arguments, env, false)),
        _ => told_nullable(bind),
    };
    registry.scalar(name, function);
}

/// `toBool`: NULL is one of type Bool, where other conversions leave it without a type.
fn to_bool(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let from = arguments[0].kind.clone();
    let nullable = from.is_nullable();
    let kind = if nullable { T::Bool.nullable() } else { T::Bool };
    let result = if from.is_low_cardinality() { T::LowCardinality(Box::new(kind)) } else { kind };
    let options = CastOptions { null_as_default: true, ..env.cast_options()? };
    Ok(Bound::new(result, move |args, _| {
        // The type is not Nullable here, so that texts such as an empty one are errors.
        let truths = cast(&args[0], &from, &T::Bool, &options)?;
        match nullable {
            true => Ok(make_array(truths.to_data().into_builder().nulls(args[0].logical_nulls()).build()?)),
            false => Ok(truths),
        }
    }))
}

struct Asked<'a> {
    kind: &'a SqlType,
    takes: Takes,
    failing: Failing,
    /// The value may be NULL.
    nullable: bool,
}

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv, asked: Asked<'_>) -> Result<Bound> {
    let Asked { kind, takes, failing, nullable } = asked;
    let most = match takes {
        Takes::Nothing => 1,
        Takes::Digits(_) | Takes::Length | Takes::Zone | Takes::Scale => 2,
        Takes::ScaleAndZone => 3,
    };
    // `toDateTime(text, 3)` gives a DateTime64, and may have a zone beside it.
    let more = usize::from(failing == Failing::Default) + usize::from(matches!(kind, T::DateTime(_)));
    let least = if matches!(takes, Takes::Digits(_) | Takes::Length) { 2 } else { 1 };
    arity(name, arguments, least..=most + more)?;
    // Those that ClickHouse takes numbers for.
    let of_number = failing == Failing::Null
        && matches!(kind, T::Date | T::DateTime(_) | T::DateTime64(..))
        && (arguments[0].kind.is_integer() || *arguments[0].kind.plain() == T::Bool);
    if matches!(failing, Failing::Null | Failing::Zero) && !of_number {
        expect_string(name, arguments, 0)?;
    }
    if *kind == T::String && arguments.get(1).is_some_and(names_zones) {
        return text_in_zones(name, arguments, env);
    }
    let (to, used) = target(name, arguments, kind, takes)?;
    let default = match arguments.get(used) {
        Some(given) if failing == Failing::Default => {
            if !same_but_for_zones(given.kind.plain(), to.plain()) {
                return Err(illegal(name, arguments, used, format!("{to}, the type that the function returns")));
            }
            Some(used)
        }
        Some(_) => return Err(illegal(name, arguments, used, "no such argument")),
        None => None,
    };
    let to = to.in_zone_of(&arguments[0].kind);
    let default_kind = default.map(|at| arguments[at].kind.clone()).filter(|kind| kind.plain() != to.plain());
    // Dates that are converted in another zone than their type's are read in that zone.
    let from = match (&to, arguments[0].kind.plain(), zone_of(name, arguments, takes, used)?) {
        (T::String | T::Date | T::Date32, T::DateTime(_), Some(zone)) => T::DateTime(Some(zone)),
        (T::String | T::Date | T::Date32, T::DateTime64(scale, _), Some(zone)) => T::DateTime64(*scale, Some(zone)),
        (_, from, _) => from.clone(),
    };
    // Of text that may be NULL, what cannot be read is NULL as well, but for these types.
    let lenient_addresses = env.addresses.of_functions();
    let soft = failing == Failing::Throws
        && nullable
        && !lenient_addresses.takes(&to)
        && arguments[0].kind.is_string()
        && !matches!(to, T::Bool | T::String | T::FixedString(_) | T::DateTime64(..) | T::Time64(_));
    let throws = failing == Failing::Throws && !soft;
    let known = env.cast_options()?;
    let options = CastOptions {
        on_error: if throws { OnError::Throw } else { OnError::Null },
        // `OrNull` and `OrZero` know the basic forms only.
        best_effort_dates: matches!(failing, Failing::Throws | Failing::Default) && known.best_effort_dates,
        accurate: of_number || failing == Failing::Default && must_come_out_equal(&from),
        lenient_addresses,
        ..known
    };
    // `cast_keep_nullable`: what may be NULL stays so, rather than having a default.
    let keeps = failing == Failing::Default && env.cast_keep_nullable && arguments[0].kind.is_nullable();
    let result = if failing == Failing::Null || soft || keeps { to.clone().nullable() } else { to.clone() };
    Ok(Bound::new(result, move |args, rows| {
        if throws {
            return cast(&args[0], &from, &to, &options);
        }
        let converted = match failing {
            Failing::Default => cast_unless_refused(&args[0], &from, &to, &options)?,
            _ => cast(&args[0], &from, &to.clone().nullable(), &options)?,
        };
        match (failing, default) {
            (Failing::Null, _) if of_number && matches!(to, T::DateTime64(..)) => {
                within_years(&converted, &args[0], &from, &options)
            }
            (Failing::Null | Failing::Throws, _) => Ok(converted),
            (Failing::Default, Some(default)) => {
                let default = match &default_kind {
                    Some(kind) => cast(&args[default], kind, &to, &options)?,
                    None => args[default].clone(),
                };
                chosen(&broadcast(&converted, rows)?, &broadcast(&default, rows)?)
            }
            _ if keeps => Ok(converted),
            _ => or_type_default(&converted, &to),
        }
    }))
}

/// Whether types hold the same instants, shown in one zone or in two.
fn same_but_for_zones(one: &SqlType, other: &SqlType) -> bool {
    match (one, other) {
        (T::DateTime(_), T::DateTime(_)) => true,
        (T::DateTime64(one, _), T::DateTime64(other, _)) => one == other,
        _ => one == other,
    }
}

/// NULL replaced by the default of conversions to the type: of Date32 that is its first day.
pub fn or_type_default(values: &ArrayRef, to: &SqlType) -> Result<ArrayRef> {
    if *to != T::Date32 {
        return fill_nulls(values, to);
    }
    let first: ArrayRef = Arc::new(Date32Array::from(vec![FIRST_DAY; values.len()]));
    chosen(values, &first)
}

/// Instants from whole numbers of seconds, NULL where the years 0 to 9999 have no such second.
fn within_years(values: &ArrayRef, numbers: &ArrayRef, kind: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let midnight = |day: i32| (i64::from(day) * SECONDS_A_DAY) as f64;
    let years = midnight(EARLIEST_DAY)..midnight(LATEST_DAY + 1);
    let options = CastOptions { accurate: false, ..options.clone() };
    let numbers = cast(numbers, kind, &T::Float64.nullable(), &options)?;
    let beyond = BooleanArray::from_unary(numbers.as_primitive::<Float64Type>(), |second| !years.contains(&second));
    Ok(nullif(values, &beyond)?)
}

/// The values that are there, else those of the other column.
pub fn chosen(values: &ArrayRef, others: &ArrayRef) -> Result<ArrayRef> {
    let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(values.clone());
    };
    let there = BooleanArray::new(nulls.inner().clone(), None);
    Ok(zip(&there, values, others)?)
}

/// The type that is converted to, and how many arguments said so.
fn target(name: &str, arguments: &[Argument], kind: &SqlType, takes: Takes) -> Result<(SqlType, usize)> {
    let number = |i: usize, most: i64| -> Result<i64> {
        let value = constant_integer(&arguments[i]).ok_or_else(|| not_constant(name, i))?;
        if (0..=most).contains(&value) {
            return Ok(value);
        }
        let text = format!("Function {name}: argument {} must be from 0 to {most}, not {value}", i + 1);
        Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text))
    };
    let is_zone = |i: usize| arguments.get(i).is_some_and(|argument| argument.kind.is_string());
    let zone = |i: usize| -> Result<Option<Arc<str>>> {
        if is_zone(i) { Ok(zone_argument(name, arguments, i)?.map(|(_, named)| named)) } else { Ok(None) }
    };
    Ok(match takes {
        Takes::Nothing => (kind.clone(), 1),
        Takes::Digits(precision) => (T::Decimal { precision, scale: number(1, precision.into())? as u8 }, 2),
        Takes::Length => {
            let length = number(1, 16 << 20)?;
            if length == 0 {
                return Err(bad_argument(name, "the length of a FixedString must be positive"));
            }
            (T::FixedString(length as usize), 2)
        }
        Takes::Scale => match arguments.get(1).filter(|argument| argument.kind.is_integer()) {
            Some(_) => match number(1, 9)? {
                0 if *kind == T::Time => (T::Time, 2),
                scale => (T::Time64(scale as u8), 2),
            },
            None => (kind.clone(), 1),
        },
        Takes::Zone if matches!(kind, T::DateTime(_)) => {
            let scaled = arguments.get(1).is_some_and(|argument| argument.kind.is_integer());
            let at = 1 + usize::from(scaled);
            let used = at + usize::from(is_zone(at));
            let zone = zone(at)?;
            (if scaled { T::DateTime64(number(1, 9)? as u8, zone) } else { T::DateTime(zone) }, used)
        }
        Takes::Zone => {
            let own = T::DateTime(zone(1)?);
            let named = own.timezone().is_some();
            (kind.clone(), 1 + usize::from(named))
        }
        Takes::ScaleAndZone => {
            let scaled = arguments.get(1).is_some_and(|argument| argument.kind.is_integer());
            let at = 1 + usize::from(scaled);
            let used = at + usize::from(is_zone(at));
            (T::DateTime64(if scaled { number(1, 9)? as u8 } else { 3 }, zone(at)?), used)
        }
    })
}

/// The zone given beside a value that is converted to a type that has none itself.
fn zone_of(name: &str, arguments: &[Argument], takes: Takes, used: usize) -> Result<Option<Arc<str>>> {
    if takes == Takes::Zone && used == 2 && arguments[1].kind.is_string() {
        return Ok(zone_argument(name, arguments, 1)?.map(|(_, named)| named));
    }
    Ok(None)
}
