//! Mathematics in floating point: one table of names and functions.

use std::f64::consts;

use SqlType as T;
use arrow::datatypes::{Float64Type, UInt8Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{binary, numbers, unary};
use crate::define::{arity, expect_number, illegal, plain};
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
        ("tanh", f64::tanh, false),
        ("asinh", f64::asinh, false),
        ("acosh", f64::acosh, false),
        ("atanh", f64::atanh, false),
        ("log1p", f64::ln_1p, false),
        ("degrees", f64::to_degrees, true),
        ("radians", f64::to_radians, true),
        ("erf", erf, false),
        ("erfc", |x| 1.0 - erf(x), false),
        ("lgamma", ln_gamma, false),
        ("tgamma", gamma, false),
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
    registry.scalar(
        "ifNotFinite",
        plain(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            expect_number(name, arguments, 0)?;
            expect_number(name, arguments, 1)?;
            Ok(Bound::cast(vec![T::Float64; 2], T::Float64, |args, rows| {
                binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, |x, other| {
                    if x.is_finite() { x } else { other }
                })
            }))
        }),
    );
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

/// The error function: by its Maclaurin series near zero, by the continued fraction of its complement beyond.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    let value = if a < 2.5 {
        let (mut term, mut sum, mut n) = (a, a, 0.0);
        while term.abs() > sum.abs() * 1e-17 {
            n += 1.0;
            term *= -a * a / n;
            sum += term / (2.0 * n + 1.0);
            if n > 200.0 {
                break;
            }
        }
        sum * consts::FRAC_2_SQRT_PI
    } else if a < 6.0 {
        let mut fraction = a;
        for k in (1..=60).rev() {
            fraction = a + f64::from(k) / 2.0 / fraction;
        }
        1.0 - (-a * a).exp() / (fraction * consts::PI.sqrt())
    } else {
        1.0
    };
    value.copysign(x)
}

/// Coefficients of Lanczos' approximation with g = 7.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

fn ln_gamma(x: f64) -> f64 {
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    if x < 0.5 {
        return (consts::PI / (consts::PI * x).sin().abs()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let t = x + 7.5;
    let sum = LANCZOS.iter().enumerate().skip(1).fold(LANCZOS[0], |sum, (i, c)| sum + c / (x + i as f64));
    0.5 * (2.0 * consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

fn gamma(x: f64) -> f64 {
    // Factorials are exact.
    if x > 0.0 && x <= 21.0 && x.fract() == 0.0 {
        return (1..x as u64).product::<u64>() as f64;
    }
    if x < 0.5 {
        return consts::PI / ((consts::PI * x).sin() * gamma(1.0 - x));
    }
    ln_gamma(x).exp()
}
