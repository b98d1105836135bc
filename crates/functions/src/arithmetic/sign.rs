//! `negate`, `abs`, `sign`, `gcd`, `lcm`, `min2`, `max2`, `factorial`.

use SqlType as T;
use arrow::array::{Array, ArrayRef, ArrowNativeTypeOp};
use arrow::datatypes::{
    ArrowPrimitiveType, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int64Type, UInt64Type, i256,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::kinds::{self, match_integer, next_bits};
use super::plus::no_operation;
use super::wide;
use crate::columns::{binary, numbers, try_binary, unary};
use crate::define::{arity, expect_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "negate",
        plain(|name, arguments, env| match arguments {
            [only] if matches!(only.kind, T::Tuple(_)) => crate::tuple_arithmetic::negate(name, arguments, env),
            _ => negate(name, arguments),
        }),
    );
    registry.scalar("abs", plain(|name, arguments, _| abs(name, arguments)));
    registry.any_case("abs");
    registry.scalar("sign", plain(|name, arguments, _| sign(name, arguments)));
    registry.any_case("sign");
    registry.scalar("gcd", plain(|name, arguments, _| divisors(name, arguments, false)));
    registry.scalar("lcm", plain(|name, arguments, _| divisors(name, arguments, true)));
    registry.scalar("min2", plain(|name, arguments, _| extreme(name, arguments, |a, b| if a < b { a } else { b })));
    registry.any_case("min2");
    registry.scalar("max2", plain(|name, arguments, _| extreme(name, arguments, |a, b| if a > b { a } else { b })));
    registry.any_case("max2");
    registry.scalar("factorial", plain(|name, arguments, _| factorial(name, arguments)));
    registry.any_case("factorial");
}

fn negate(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    if let Some((bits, signed)) = kinds::integer(&kind) {
        let result = SqlType::integer(if signed { bits } else { next_bits(bits) }, true);
        return Ok(Bound::cast(vec![result.clone()], result.clone(), move |args, _| {
            match_integer!(result, I => unary::<I, I>(&args[0], |value| value.neg_wrapping()), else {
                unary::<Decimal256Type, Decimal256Type>(&args[0], |value| wide::wrap(&result, value.wrapping_neg()))
            })
        }));
    }
    let result = kind.clone();
    match kind {
        T::Float32 => Ok(Bound::new(result, |args, _| unary::<Float32Type, Float32Type>(&args[0], |value| -value))),
        T::Float64 => Ok(Bound::new(result, |args, _| unary::<Float64Type, Float64Type>(&args[0], |value| -value))),
        T::Decimal { precision, .. } => {
            Ok(Bound::new(result, move |args, _| decimals(&args[0], precision, i128::wrapping_neg, i256::wrapping_neg)))
        }
        T::Interval(_) => Ok(Bound::new(result, |args, _| unary::<Int64Type, Int64Type>(&args[0], i64::wrapping_neg))),
        _ => Err(illegal(name, arguments, 0, "a number")),
    }
}

/// A function of a decimal's integer, whichever carries it.
fn decimals(array: &ArrayRef, precision: u8, narrow: fn(i128) -> i128, wide: fn(i256) -> i256) -> Result<ArrayRef> {
    let computed = if precision <= 38 {
        unary::<Decimal128Type, Decimal128Type>(array, narrow)?
    } else {
        unary::<Decimal256Type, Decimal256Type>(array, wide)?
    };
    crate::columns::retype(&computed, array.data_type())
}

fn abs(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    if let Some((bits, signed)) = kinds::integer(&kind) {
        let result = SqlType::integer(bits, false);
        if !signed {
            return Ok(Bound::new(result, |args, _| crate::columns::broadcast(&args[0], args[0].len())).of_bool(&kind));
        }
        return Ok(Bound::new(result.clone(), move |args, _| {
            use arrow::datatypes as arrow_types;
            match result {
                T::UInt8 => unary::<arrow_types::Int8Type, arrow_types::UInt8Type>(&args[0], i8::unsigned_abs),
                T::UInt16 => unary::<arrow_types::Int16Type, arrow_types::UInt16Type>(&args[0], i16::unsigned_abs),
                T::UInt32 => unary::<arrow_types::Int32Type, arrow_types::UInt32Type>(&args[0], i32::unsigned_abs),
                T::UInt64 => unary::<Int64Type, UInt64Type>(&args[0], i64::unsigned_abs),
                _ => unary::<Decimal256Type, Decimal256Type>(&args[0], |value| wide::wrap(&result, value.wrapping_abs())),
            }
        }));
    }
    let result = kind.clone();
    match kind {
        T::Float32 => Ok(Bound::new(result, |args, _| unary::<Float32Type, Float32Type>(&args[0], f32::abs))),
        T::Float64 => Ok(Bound::new(result, |args, _| unary::<Float64Type, Float64Type>(&args[0], f64::abs))),
        T::Decimal { precision, .. } => {
            Ok(Bound::new(result, move |args, _| decimals(&args[0], precision, i128::wrapping_abs, i256::wrapping_abs)))
        }
        _ => Err(illegal(name, arguments, 0, "a number")),
    }
}

impl Bound {
    /// Bool arguments are cast to the UInt8 they count as.
    fn of_bool(mut self, kind: &SqlType) -> Bound {
        if *kind == T::Bool {
            self.arguments = vec![T::UInt8];
        }
        self
    }
}

fn sign(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    use arrow::datatypes::Int8Type;
    let casts = match &kind {
        T::Decimal { .. } => Vec::new(),
        kind if wide::is_wide(kind) => Vec::new(),
        kind if kind.is_number() => vec![T::Float64],
        _ => return Err(illegal(name, arguments, 0, "a number")),
    };
    Ok(Bound::cast(casts, T::Int8, move |args, _| match args[0].data_type() {
        arrow::datatypes::DataType::Decimal128(..) => {
            unary::<Decimal128Type, Int8Type>(&args[0], |value| value.signum() as i8)
        }
        arrow::datatypes::DataType::Decimal256(..) => unary::<Decimal256Type, Int8Type>(&args[0], |value| {
            if value == i256::ZERO {
                0
            } else if value.is_negative() && kind != T::UInt256 {
                -1
            } else {
                1
            }
        }),
        // NaN is neither below zero nor zero.
        _ => unary::<Float64Type, Int8Type>(&args[0], |value| match value {
            value if value < 0.0 => -1,
            value => i8::from(value != 0.0),
        }),
    }))
}

/// Greatest common divisor or least common multiple, by Euclid's algorithm on the magnitudes.
fn divisors(name: &str, arguments: &[Argument], multiple: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let (a, b) = (&arguments[0].kind, &arguments[1].kind);
    expect_integer(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let result = kinds::sum(a, b, false).ok_or_else(|| no_operation(name, arguments))?;
    if wide::is_wide(&result) {
        return Ok(wide_divisors(result, multiple));
    }
    let common = if result.integer_bits().is_some_and(|(_, signed)| signed) { T::Int64 } else { T::UInt64 };
    let signed = common == T::Int64;
    Ok(Bound::cast(vec![common; 2], result.clone(), move |args, rows| {
        let finish = |a: u64, b: u64| -> Result<u64> {
            if !multiple {
                return Ok(greatest_divisor(a, b));
            }
            if a == 0 || b == 0 {
                return Ok(0);
            }
            (a / greatest_divisor(a, b)).checked_mul(b).ok_or_else(too_large_multiple)
        };
        let wide: ArrayRef = if signed {
            try_binary::<Int64Type, Int64Type, UInt64Type>(&args[0], &args[1], rows, |a, b| {
                finish(a.unsigned_abs(), b.unsigned_abs())
            })?
        } else {
            try_binary::<UInt64Type, UInt64Type, UInt64Type>(&args[0], &args[1], rows, finish)?
        };
        match_integer!(result, R => unary::<UInt64Type, R>(&wide, |value| value as <R as ArrowPrimitiveType>::Native),
            else Err(Error::logical(format!("gcd into {result}"))))
    }))
}

fn greatest_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn too_large_multiple() -> Error {
    Error::new(ErrorCode::DECIMAL_OVERFLOW, "The least common multiple does not fit its type: cast to a wider one")
}

/// As `divisors`, of integers of 128 or 256 bits.
fn wide_divisors(result: SqlType, multiple: bool) -> Bound {
    let (bits, signed) = kinds::integer(&result).unwrap_or((256, true));
    Bound::cast(vec![result.clone(); 2], result, move |args, rows| {
        try_binary::<Decimal256Type, Decimal256Type, Decimal256Type>(&args[0], &args[1], rows, |a, b| {
            let magnitude = |value: i256| if signed { value.wrapping_abs() } else { value };
            let (a, b) = (magnitude(a), magnitude(b));
            let (mut divisor, mut rest) = (a, b);
            while let Some((_, next)) = wide::divide(&T::UInt256, divisor, rest) {
                (divisor, rest) = (rest, next);
            }
            if !multiple {
                return Ok(divisor);
            }
            // Where both are zero nothing divides them.
            let Some((quotient, _)) = wide::divide(&T::UInt256, a, divisor) else { return Ok(i256::ZERO) };
            let product = quotient.checked_mul(b).ok_or_else(too_large_multiple)?;
            let fits = gristmill_types::wide::fits(product, !signed, bits, signed);
            if fits { Ok(product) } else { Err(too_large_multiple()) }
        })
    })
}

/// The second number where they do not compare.
fn extreme(name: &str, arguments: &[Argument], pick: fn(f64, f64) -> f64) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if !arguments.iter().all(|argument| argument.kind.is_number()) {
        return Err(no_operation(name, arguments));
    }
    Ok(Bound::cast(vec![T::Float64; 2], T::Float64, move |args, rows| {
        binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, pick)
    }))
}

fn factorial(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_integer(name, arguments, 0)?;
    Ok(Bound::cast(vec![T::Int64], T::UInt64, |args, _| {
        let values = crate::columns::Numbers::of::<Int64Type>(&args[0])?;
        numbers::<UInt64Type>(args[0].len(), |row| match values.get(row) {
            n if n > 20 => {
                Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("The maximum n in factorial(n) is 20, got {n}")))
            }
            n => Ok((1..=n.max(0) as u64).product()),
        })
    }))
}
