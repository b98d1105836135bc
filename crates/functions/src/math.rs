//! Mathematics in floating point: one table of names and functions.

use std::f64::consts;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type, UInt8Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{binary, numbers, truths, unary};
use crate::conditional::multi_if;
use crate::define::{arity, expect_number, illegal, own_nulls, plain};
use crate::nulls::validity;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    type One = (&'static str, fn(f64) -> f64, bool);
    let one: [One; 27] = [
        ("exp", f64::exp, true),
        ("log", f64::ln, true),
        ("exp2", f64::exp2, false),
        ("log2", f64::log2, true),
        ("exp10", |x| 10f64.powf(x), false),
        ("log10", f64::log10, true),
        ("sqrt", f64::sqrt, true),
        ("cbrt", f64::cbrt, false),
        ("sin", f64::sin, true),
        ("cos", f64::cos, true),
        ("tan", f64::tan, true),
        ("asin", f64::asin, true),
        ("acos", f64::acos, true),
        ("atan", f64::atan, true),
        ("sinh", f64::sinh, false),
        ("cosh", f64::cosh, false),
        ("tanh", tanh, true),
        ("asinh", f64::asinh, false),
        ("acosh", f64::acosh, false),
        ("atanh", f64::atanh, false),
        ("log1p", f64::ln_1p, false),
        ("degrees", f64::to_degrees, true),
        ("radians", f64::to_radians, true),
        ("erf", libm::erf, false),
        ("erfc", libm::erfc, false),
        ("lgamma", lgamma, false),
        ("tgamma", libm::tgamma, false),
    ];
    for (name, f, any_case) in one {
        registry.scalar(name, plain(move |name, arguments, _| one_argument(name, arguments, f)));
        if any_case {
            registry.any_case(name);
        }
    }
    registry.alias("ln", "log");
    registry.any_case("ln");
    for (name, f) in [("pow", f64::powf as fn(f64, f64) -> f64), ("atan2", f64::atan2), ("hypot", f64::hypot)] {
        registry.scalar(name, plain(move |name, arguments, _| two_arguments(name, arguments, f)));
        registry.any_case(name);
    }
    registry.alias("power", "pow");
    registry.any_case("power");
    for (name, value) in [("pi", consts::PI), ("e", consts::E)] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                arity(name, arguments, 0..=0)?;
                Ok(Bound::new(T::Float64, move |_, rows| numbers::<Float64Type>(rows, |_| Ok(value))))
            }),
        );
    }
    registry.any_case("pi");
    for (name, f) in
        [("isFinite", f64::is_finite as fn(f64) -> bool), ("isInfinite", f64::is_infinite), ("isNaN", f64::is_nan)]
    {
        registry.scalar(name, plain(move |name, arguments, _| test(name, arguments, f)));
    }
    registry.scalar("ifNotFinite", own_nulls(|name, arguments, _| if_not_finite(name, arguments)));
    registry.scalar("sigmoid", plain(|name, arguments, _| one_argument(name, arguments, |x| 1.0 / (1.0 + (-x).exp()))));
}

fn one_argument(name: &str, arguments: &[Argument], f: fn(f64) -> f64) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_number(name, arguments, 0)?;
    Ok(Bound::cast(vec![T::Float64], T::Float64, move |args, _| unary::<Float64Type, Float64Type>(&args[0], f)))
}

fn two_arguments(name: &str, arguments: &[Argument], f: fn(f64, f64) -> f64) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_number(name, arguments, 0)?;
    expect_number(name, arguments, 1)?;
    Ok(Bound::cast(vec![T::Float64; 2], T::Float64, move |args, rows| {
        binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, f)
    }))
}

fn test(name: &str, arguments: &[Argument], f: fn(f64) -> bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if !arguments[0].kind.is_number() {
        return Err(illegal(name, arguments, 0, "a number"));
    }
    Ok(Bound::cast(vec![T::Float64], T::UInt8, move |args, _| unary::<Float64Type, UInt8Type>(&args[0], |x| u8::from(f(x)))))
}

/// As `if(isFinite(x), x, other)`: NULL is not finite.
fn if_not_finite(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    for (i, argument) in arguments.iter().enumerate() {
        if !argument.kind.is_null_literal() {
            expect_number(name, arguments, i)?;
        }
    }
    let condition = Argument { kind: T::UInt8, constant: None };
    let bound = multi_if(name, &[condition, arguments[0].clone(), arguments[1].clone()])?;
    let kernel = bound.kernel;
    let casts = bound.arguments.into_iter().skip(1).collect();
    Ok(Bound::cast(casts, bound.result, move |args, rows| {
        kernel(&[finite(&args[0])?, args[0].clone(), args[1].clone()], rows)
    }))
}

/// Whether each value, NULL aside, is a finite number.
fn finite(array: &ArrayRef) -> Result<ArrayRef> {
    let valid = validity(array);
    let is_valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.value(row));
    match array.data_type() {
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            truths(values.len(), |row| is_valid(row) && values[row].is_finite())
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            truths(values.len(), |row| is_valid(row) && values[row].is_finite())
        }
        _ => truths(array.len(), is_valid),
    }
}

/// Not a number at the poles below zero, where the function is infinite on either side with another sign.
fn lgamma(x: f64) -> f64 {
    if x < 0.0 && x.floor() == x { f64::NAN } else { libm::lgamma(x) }
}

/// By the formula that ClickHouse computes it with, whose last digits are its own.
fn tanh(x: f64) -> f64 {
    2.0 / (1.0 + (-2.0 * x).exp()) - 1.0
}
