//! Between numbers of up to 64 bits, and Bool.
//!
//! Every pair is one loop of a C conversion: integers keep their low bits, floats are cut towards zero. What C leaves
//! undefined (floats out of range) gives what x86's instructions give, as in ClickHouse: the smallest 32- or 64-bit value, then
//! its low bits.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{ArrowPrimitiveType, Float32Type, Float64Type, UInt8Type};
use gristmill_base::{Error, ErrorCode, Result};

use super::{CastOptions, decimal, no_way, try_map};
use crate::bfloat;
use crate::sql_type::SqlType;
use SqlType as T;

/// A number of up to 64 bits.
pub(super) trait Native: Copy + Default + PartialEq + std::fmt::Display + 'static {
    const FLOAT: bool;
    /// The low 64 bits of an integer.
    fn bits(self) -> i64;
    fn exact(self) -> i128;
    fn float(self) -> f64;
    fn single(self) -> f32;
    fn is_zero(self) -> bool;
    fn from_bits(bits: i64) -> Self;
    fn from_single(value: f32) -> Self;
    /// As C does on x86.
    fn from_float(value: f64) -> Self;
}

macro_rules! integers {
    ($($kind:ty: $through:ident),*) => {
        $(impl Native for $kind {
            const FLOAT: bool = false;
            fn bits(self) -> i64 { self as i64 }
            fn exact(self) -> i128 { self as i128 }
            fn float(self) -> f64 { self as f64 }
            fn single(self) -> f32 { self as f32 }
            fn is_zero(self) -> bool { self == 0 }
            fn from_bits(bits: i64) -> Self { bits as $kind }
            fn from_single(value: f32) -> Self { Self::from_float(f64::from(value)) }
            fn from_float(value: f64) -> Self { $through(value) as $kind }
        })*
    };
}
integers!(u8: low32, i8: low32, u16: low32, i16: low32, i32: low32, u32: low64, i64: low64, u64: low_unsigned64);

fn low32(value: f64) -> i32 {
    if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value as i32 } else { i32::MIN }
}

fn low64(value: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) { value as i64 } else { i64::MIN }
}

fn low_unsigned64(value: f64) -> u64 {
    if (9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&value) {
        value as u64
    } else {
        low64(value) as u64
    }
}

macro_rules! floats {
    ($($kind:ty),*) => {
        $(impl Native for $kind {
            const FLOAT: bool = true;
            fn bits(self) -> i64 { self as i64 }
            fn exact(self) -> i128 { self as i128 }
            fn float(self) -> f64 { f64::from(self) }
            fn single(self) -> f32 { self as f32 }
            fn is_zero(self) -> bool { self == 0.0 }
            fn from_bits(bits: i64) -> Self { bits as $kind }
            fn from_single(value: f32) -> Self { value.into() }
            fn from_float(value: f64) -> Self { value as $kind }
        })*
    };
}
floats!(f32, f64);

/// Runs the body with `$P` as the Arrow type of a number of up to 64 bits; else the other arm.
macro_rules! with_number {
    ($kind:expr, $P:ident => $body:expr, _ => $other:expr) => {
        match $kind {
            T::UInt8 => {
                type $P = arrow::datatypes::UInt8Type;
                $body
            }
            T::UInt16 => {
                type $P = arrow::datatypes::UInt16Type;
                $body
            }
            T::UInt32 => {
                type $P = arrow::datatypes::UInt32Type;
                $body
            }
            T::UInt64 => {
                type $P = arrow::datatypes::UInt64Type;
                $body
            }
            T::Int8 => {
                type $P = arrow::datatypes::Int8Type;
                $body
            }
            T::Int16 => {
                type $P = arrow::datatypes::Int16Type;
                $body
            }
            T::Int32 => {
                type $P = arrow::datatypes::Int32Type;
                $body
            }
            T::Int64 => {
                type $P = arrow::datatypes::Int64Type;
                $body
            }
            T::BFloat16 | T::Float32 => {
                type $P = arrow::datatypes::Float32Type;
                $body
            }
            T::Float64 => {
                type $P = arrow::datatypes::Float64Type;
                $body
            }
            _ => $other,
        }
    };
}
pub(super) use with_number;

pub(super) fn convert(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if *to == T::BFloat16 {
        return to_bfloat(array, from, options);
    }
    if *from == T::Bool {
        let bools = array.as_boolean();
        let bytes: Vec<u8> = bools.values().iter().map(u8::from).collect();
        let numbers: ArrayRef = Arc::new(PrimitiveArray::<UInt8Type>::new(bytes.into(), bools.nulls().cloned()));
        return if *to == T::UInt8 { Ok(numbers) } else { convert(&numbers, &T::UInt8, to, options) };
    }
    let source = from.clone();
    with_number!(&source, I => {
        let values = array.as_primitive::<I>();
        if *to == T::Bool {
            let bits = BooleanBuffer::collect_bool(values.len(), |row| !values.values()[row].is_zero());
            return Ok(Arc::new(BooleanArray::new(bits, values.nulls().cloned())));
        }
        with_number!(to, O => between::<I, O>(values, to, options), _ => decimal::from_number(values, from, to, options))
    }, _ => decimal::convert(array, from, to, options))
}

/// By way of Float32. Where values must come out equal, those that are cut are refused.
fn to_bfloat(array: &ArrayRef, from: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let single = if *from == T::Float32 { array.clone() } else { convert(array, from, &T::Float32, options)? };
    let single = single.as_primitive::<Float32Type>();
    if !options.accurate {
        return Ok(Arc::new(single.unary::<_, Float32Type>(bfloat::cut)));
    }
    Ok(Arc::new(try_map::<Float32Type, Float32Type>(single, options, |value| {
        let there = bfloat::cut(value);
        if there == value || value.is_nan() {
            return Ok(there);
        }
        let text = format!("Value {value} cannot be safely converted into type BFloat16");
        Err(Error::new(ErrorCode::CANNOT_CONVERT_TYPE, text))
    })?))
}

fn between<I, O>(values: &PrimitiveArray<I>, to: &SqlType, options: &CastOptions) -> Result<ArrayRef>
where
    I: ArrowPrimitiveType<Native: Native>,
    O: ArrowPrimitiveType<Native: Native>,
{
    let finite = !I::Native::FLOAT || O::Native::FLOAT || values.values().iter().all(|value| value.float().is_finite());
    if options.accurate || !finite {
        let convert = |value: I::Native| {
            if I::Native::FLOAT && !O::Native::FLOAT && !value.float().is_finite() {
                return Err(Error::new(
                    ErrorCode::CANNOT_CONVERT_TYPE,
                    format!("Unexpected inf or nan to integer conversion: {value} cannot become {to}"),
                ));
            }
            let there = one::<I::Native, O::Native>(value);
            if options.accurate && !equal(value, there) {
                return Err(Error::new(
                    ErrorCode::CANNOT_CONVERT_TYPE,
                    format!("Value {value} cannot be safely converted into type {to}"),
                ));
            }
            Ok(there)
        };
        return Ok(Arc::new(try_map::<I, O>(values, options, convert)?));
    }
    Ok(Arc::new(values.unary::<_, O>(one::<I::Native, O::Native>)))
}

#[inline]
fn one<I: Native, O: Native>(value: I) -> O {
    match (I::FLOAT, O::FLOAT) {
        // 64-bit integers go to Float32 in one rounding, not in two.
        (false, true) if size_of::<O>() == 4 => O::from_single(value.single()),
        (false, false) => O::from_bits(value.bits()),
        _ => O::from_float(value.float()),
    }
}

fn equal<I: Native, O: Native>(from: I, to: O) -> bool {
    match (I::FLOAT, O::FLOAT) {
        (false, false) => from.exact() == to.exact(),
        (true, true) => from.float() == to.float() || (from.float().is_nan() && to.float().is_nan()),
        (true, false) => from.float().fract() == 0.0 && from.float().abs() < 1e30 && from.exact() == to.exact(),
        (false, true) => to.float().abs() < 1e30 && from.exact() == to.exact(),
    }
}

/// Doubles of any number of up to 64 bits.
pub(super) fn to_f64(array: &ArrayRef, from: &SqlType) -> Result<PrimitiveArray<Float64Type>> {
    with_number!(from, I => Ok(array.as_primitive::<I>().unary(|value| value.float())), _ => Err(no_way(from, &T::Float64)))
}
