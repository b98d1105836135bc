//! Decimals. The result of two has the width (9, 18, 38 or 76 digits) of the wider side, that beside an integer the digits of the
//! decimal. Its scale is the larger one for sums, the sum of both for products, the dividend's for quotients (the divisor's where
//! an integer is divided). Overflow of the width is an error, not a wrong number, but where `decimal_check_overflow` is off.
//!
//! Everything is computed in 256 bits where the width asks for it, else in 128.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, Float64Type, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::kinds;
use super::plus::{Operation, no_operation};
use crate::columns::{at, binary};
use crate::define::arity;
use crate::scalar::{Argument, Bound, FunctionEnv};

/// The digits that a decimal's machine integer holds.
pub fn width(precision: u8) -> u8 {
    match precision {
        0..=9 => 9,
        10..=18 => 18,
        19..=38 => 38,
        _ => 76,
    }
}

/// Precision and scale of a decimal; integers have scale 0 and the width of the other side.
fn parts(kind: &SqlType) -> Option<(Option<u8>, u8)> {
    match kind.plain() {
        T::Decimal { precision, scale } => Some((Some(width(*precision)), *scale)),
        other => kinds::integer(other).map(|_| (None, 0)),
    }
}

/// The digits of a decimal that stands beside an integer: its result keeps them, though it may have as many as its width holds.
fn digits_beside_integer(a: &SqlType, b: &SqlType) -> Option<u8> {
    match (a.plain(), b.plain()) {
        (T::Decimal { .. }, T::Decimal { .. }) => None,
        (T::Decimal { precision, .. }, _) | (_, T::Decimal { precision, .. }) => Some(*precision),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compute {
    Sum(Operation),
    Quotient,
}

pub fn bind(name: &str, operation: Operation, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    bind_any(name, Compute::Sum(operation), arguments, env.limits.decimals_wrap)
}

pub fn bind_divide(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    bind_any(name, Compute::Quotient, arguments, env.limits.decimals_wrap)
}

fn bind_any(name: &str, compute: Compute, arguments: &[Argument], wraps: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let (a, b) = (&arguments[0].kind, &arguments[1].kind);
    if a.is_float() || b.is_float() {
        return Ok(Bound::cast(vec![T::Float64; 2], T::Float64, move |args, rows| {
            binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, |a, b| match compute {
                Compute::Sum(Operation::Plus) => a + b,
                Compute::Sum(Operation::Minus) => a - b,
                Compute::Sum(Operation::Multiply) => a * b,
                Compute::Quotient => a / b,
            })
        }));
    }
    let ((a_width, a_scale), (b_width, b_scale)) = parts(a).zip(parts(b)).ok_or_else(|| no_operation(name, arguments))?;
    let precision = a_width.max(b_width).unwrap_or(76);
    let scale = match compute {
        Compute::Sum(Operation::Multiply) => a_scale + b_scale,
        Compute::Sum(_) => a_scale.max(b_scale),
        Compute::Quotient if a_width.is_some() => a_scale,
        Compute::Quotient => b_scale,
    };
    if scale > precision {
        let text =
            format!("Scale {scale} of the result of {name} is larger than its {precision} digits: cast to more digits");
        return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    }
    let (left_by, right_by) = match compute {
        Compute::Sum(Operation::Multiply) => (0, 0),
        Compute::Sum(_) => (scale - a_scale, scale - b_scale),
        Compute::Quotient if a_width.is_some() => (b_scale, 0),
        // An integer is brought to the scale of the result too; 10^76 is the largest power that fits.
        Compute::Quotient => ((2 * b_scale).min(76), 0),
    };
    // Integers become decimals of scale 0: as wide as they need, since the multiplication checks what fits.
    let is_wide = precision == 76 || left_by > 38;
    let cast = |kind: &SqlType| match kind.plain() {
        T::Decimal { .. } => kind.plain().clone(),
        _ => T::Decimal { precision: if is_wide { 76 } else { 38 }, scale: 0 },
    };
    let result = T::Decimal { precision: digits_beside_integer(a, b).unwrap_or(precision), scale };
    let kernel_kind = result.clone();
    Ok(Bound::cast(vec![cast(a), cast(b)], result, move |args, rows| {
        let limits = Limits { precision, left_by, right_by };
        match (precision, is_wide) {
            (76, _) if wraps => in_256_wrapping(compute, limits, args, rows),
            (_, false) if wraps => in_128_wrapping(compute, limits, &kernel_kind, args, rows),
            (76, _) => in_256(compute, limits, args, rows),
            (_, true) => narrowed(&in_256(compute, limits, args, rows)?, &kernel_kind),
            _ => in_128(compute, limits, &kernel_kind, args, rows),
        }
    }))
}

#[derive(Clone, Copy)]
struct Limits {
    precision: u8,
    /// Powers of ten that the sides are multiplied with first.
    left_by: u8,
    right_by: u8,
}

fn overflow() -> Error {
    Error::new(ErrorCode::DECIMAL_OVERFLOW, "Decimal math overflow: cast an argument to a Decimal of more digits")
}

fn zero() -> Error {
    Error::new(ErrorCode::ILLEGAL_DIVISION, "Division by zero")
}

fn in_128(compute: Compute, limits: Limits, kind: &SqlType, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let (a, b) = (args[0].as_primitive::<Decimal128Type>(), args[1].as_primitive::<Decimal128Type>());
    let (a, b) = (a.values(), b.values());
    let (left, right) = (10i128.pow(u32::from(limits.left_by)), 10i128.pow(u32::from(limits.right_by)));
    let (low, high) = match limits.precision {
        9 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        18 => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => (i128::MIN, i128::MAX),
    };
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let a = a[at(a.len(), row)].checked_mul(left).ok_or_else(overflow)?;
        let b = b[at(b.len(), row)].checked_mul(right).ok_or_else(overflow)?;
        let value = match compute {
            Compute::Sum(Operation::Plus) => a.checked_add(b),
            Compute::Sum(Operation::Minus) => a.checked_sub(b),
            Compute::Sum(Operation::Multiply) => a.checked_mul(b),
            Compute::Quotient if b == 0 => return Err(zero()),
            Compute::Quotient => a.checked_div(b),
        };
        values.push(value.filter(|value| (low..=high).contains(value)).ok_or_else(overflow)?);
    }
    let array = PrimitiveArray::<Decimal128Type>::new(values.into(), None);
    Ok(Arc::new(array.with_data_type(kind.arrow())))
}

/// As `in_128`, where `decimal_check_overflow` is off: what the width does not hold is lost at each step.
fn in_128_wrapping(compute: Compute, limits: Limits, kind: &SqlType, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let (a, b) = (args[0].as_primitive::<Decimal128Type>(), args[1].as_primitive::<Decimal128Type>());
    let (a, b) = (a.values(), b.values());
    let (left, right) = (10i128.pow(u32::from(limits.left_by)), 10i128.pow(u32::from(limits.right_by)));
    let kept = |value: i128| match limits.precision {
        9 => i128::from(value as i32),
        18 => i128::from(value as i64),
        _ => value,
    };
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let a = kept(a[at(a.len(), row)].wrapping_mul(left));
        let b = kept(b[at(b.len(), row)].wrapping_mul(right));
        values.push(kept(match compute {
            Compute::Sum(Operation::Plus) => a.wrapping_add(b),
            Compute::Sum(Operation::Minus) => a.wrapping_sub(b),
            Compute::Sum(Operation::Multiply) => a.wrapping_mul(b),
            Compute::Quotient if b == 0 => return Err(zero()),
            Compute::Quotient => a.wrapping_div(b),
        }));
    }
    let array = PrimitiveArray::<Decimal128Type>::new(values.into(), None);
    Ok(Arc::new(array.with_data_type(kind.arrow())))
}

/// What was computed in 256 bits as a decimal of fewer digits.
fn narrowed(values: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    let values = values.as_primitive::<Decimal256Type>().values().iter();
    let values = values.map(|value| value.to_i128().ok_or_else(overflow)).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(PrimitiveArray::<Decimal128Type>::new(values.into(), None).with_data_type(kind.arrow())))
}

/// The 256-bit values of a decimal column of either carrier.
fn wide_values(array: &ArrayRef) -> Vec<i256> {
    match array.data_type() {
        DataType::Decimal128(..) => {
            array.as_primitive::<Decimal128Type>().values().iter().map(|value| i256::from_i128(*value)).collect()
        }
        _ => array.as_primitive::<Decimal256Type>().values().to_vec(),
    }
}

fn in_256(compute: Compute, limits: Limits, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let (a, b) = (wide_values(&args[0]), wide_values(&args[1]));
    let ten = i256::from_i128(10);
    let (left, right) = (ten.wrapping_pow(u32::from(limits.left_by)), ten.wrapping_pow(u32::from(limits.right_by)));
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let a = a[at(a.len(), row)].checked_mul(left).ok_or_else(overflow)?;
        let b = b[at(b.len(), row)].checked_mul(right).ok_or_else(overflow)?;
        let value = match compute {
            Compute::Sum(Operation::Plus) => a.checked_add(b),
            Compute::Sum(Operation::Minus) => a.checked_sub(b),
            Compute::Sum(Operation::Multiply) => a.checked_mul(b),
            Compute::Quotient if b == i256::ZERO => return Err(zero()),
            Compute::Quotient => a.checked_div(b),
        };
        values.push(value.ok_or_else(overflow)?);
    }
    Ok(Arc::new(PrimitiveArray::<Decimal256Type>::new(values.into(), None)))
}

/// As `in_256`, where `decimal_check_overflow` is off.
fn in_256_wrapping(compute: Compute, limits: Limits, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let (a, b) = (wide_values(&args[0]), wide_values(&args[1]));
    let ten = i256::from_i128(10);
    let (left, right) = (ten.wrapping_pow(u32::from(limits.left_by)), ten.wrapping_pow(u32::from(limits.right_by)));
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let (a, b) = (a[at(a.len(), row)].wrapping_mul(left), b[at(b.len(), row)].wrapping_mul(right));
        values.push(match compute {
            Compute::Sum(Operation::Plus) => a.wrapping_add(b),
            Compute::Sum(Operation::Minus) => a.wrapping_sub(b),
            Compute::Sum(Operation::Multiply) => a.wrapping_mul(b),
            Compute::Quotient if b == i256::ZERO => return Err(zero()),
            Compute::Quotient => a.wrapping_div(b),
        });
    }
    Ok(Arc::new(PrimitiveArray::<Decimal256Type>::new(values.into(), None)))
}
