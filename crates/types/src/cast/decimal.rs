//! Decimals and 128/256-bit integers, both held in `i128` or `i256`.
//!
//! A source is read as an exact value (an `i256` and a scale) or as a float; a target takes it with C's wrapping (integers) or
//! a check of the native width behind the precision (decimals: 9 digits are an Int32, 18 an Int64, …), which is where
//! ClickHouse overflows too. Decimals of up to 38 digits stay in `i128` throughout.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{ArrowPrimitiveType, Decimal128Type, Decimal256Type, Float32Type, Float64Type, i256};
use gristmill_base::{Error, ErrorCode, Result};

use super::number::{Native, with_number};
use super::{CastOptions, no_way, try_from_fn};
use crate::sql_type::SqlType;
use crate::text::write_decimal256;
use crate::wide;
use SqlType as T;

/// A column of exact values.
enum Exact<'a> {
    /// Numbers of up to 64 bits.
    Small(Box<dyn Fn(usize) -> i128 + 'a>),
    Decimal128(&'a PrimitiveArray<Decimal128Type>, u8),
    /// Wide integers (scale 0; whether they have no sign) and decimals.
    Wide(&'a PrimitiveArray<Decimal256Type>, u8, bool),
}

impl Exact<'_> {
    fn scale(&self) -> u8 {
        match self {
            Exact::Small(_) => 0,
            Exact::Decimal128(_, scale) | Exact::Wide(_, scale, _) => *scale,
        }
    }

    fn unsigned(&self) -> bool {
        matches!(self, Exact::Wide(_, _, true))
    }

    fn value(&self, row: usize) -> i256 {
        match self {
            Exact::Small(value) => i256::from_i128(value(row)),
            Exact::Decimal128(values, _) => i256::from_i128(values.value(row)),
            Exact::Wide(values, ..) => values.value(row),
        }
    }

    /// The units of 10^-scale, where they fit 128 bits in the source.
    fn narrow(&self, row: usize) -> Option<i128> {
        match self {
            Exact::Small(value) => Some(value(row)),
            Exact::Decimal128(values, _) => Some(values.value(row)),
            Exact::Wide(values, _, unsigned) => values.value(row).to_i128().filter(|value| !unsigned || *value >= 0),
        }
    }

    fn text(&self, row: usize) -> String {
        let mut out = Vec::new();
        if self.unsigned() {
            wide::write(self.value(row), true, &mut out);
        } else {
            write_decimal256(self.value(row), self.scale(), &mut out);
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// From a number of up to 64 bits to a decimal or a wide integer.
pub(super) fn from_number<I: ArrowPrimitiveType<Native: Native>>(
    values: &PrimitiveArray<I>,
    from: &SqlType,
    to: &SqlType,
    options: &CastOptions,
) -> Result<ArrayRef> {
    if !I::Native::FLOAT {
        let source = Exact::Small(Box::new(|row| values.value(row).exact()));
        return from_exact(&source, values.len(), values.nulls(), from, to, options);
    }
    let floats = values.values();
    // A Float32 is multiplied in its own width, as ClickHouse does: 1.15 is 1.15 then, and not 1.14.
    let scaled = |row: usize, scale: u8| match from {
        T::Float32 => f64::from(floats[row].single() * 10f64.powi(i32::from(scale)) as f32),
        _ => floats[row].float() * 10f64.powi(i32::from(scale)),
    };
    match to {
        T::Decimal { precision, scale } if *precision <= 38 => {
            let converted: PrimitiveArray<Decimal128Type> = try_from_fn(values.len(), values.nulls(), options, |row| {
                let scaled = scaled(row, *scale);
                let limit = native_limit(*precision);
                if !scaled.is_finite() || scaled.abs() >= limit as f64 {
                    return Err(out_of_decimal(&floats[row].to_string(), to));
                }
                Ok(scaled as i128)
            })?;
            Ok(Arc::new(converted.with_data_type(to.arrow())))
        }
        T::Decimal { scale, .. } => {
            let converted: PrimitiveArray<Decimal256Type> = try_from_fn(values.len(), values.nulls(), options, |row| {
                let scaled = scaled(row, *scale);
                if scaled.abs() >= 2f64.powi(255) {
                    return Err(out_of_decimal(&floats[row].to_string(), to));
                }
                wide::from_f64(scaled).ok_or_else(|| out_of_decimal(&floats[row].to_string(), to))
            })?;
            Ok(Arc::new(converted.with_data_type(to.arrow())))
        }
        _ => {
            let Some((bits, signed)) = to.integer_bits() else { return Err(no_way(from, to)) };
            let converted: PrimitiveArray<Decimal256Type> = try_from_fn(values.len(), values.nulls(), options, |row| {
                let float = floats[row].float();
                let value = wide::from_f64(float).ok_or_else(|| {
                    let text = format!("Unexpected inf or nan to integer conversion: {float} cannot become {to}");
                    Error::new(ErrorCode::CANNOT_CONVERT_TYPE, text)
                })?;
                // The largest value has no float of its own: the one that stands for it is one more, and comes back as the largest.
                let kept = match !options.accurate && float == 2f64.powi(i32::from(bits) - i32::from(signed)) {
                    true => wide::largest(bits, signed),
                    false => wide::wrap(value, bits, signed),
                };
                if options.accurate && wide::to_f64(kept, !signed) != float {
                    return Err(unsafe_conversion(&float.to_string(), to));
                }
                Ok(kept)
            })?;
            Ok(Arc::new(converted.with_data_type(to.arrow())))
        }
    }
}

/// From a decimal or a wide integer to any number.
pub(super) fn convert(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let unsigned = matches!(from, T::UInt128 | T::UInt256);
    let source = match from {
        T::Decimal { precision, scale } if *precision <= 38 => Exact::Decimal128(array.as_primitive(), *scale),
        T::Decimal { scale, .. } => Exact::Wide(array.as_primitive(), *scale, false),
        T::Int128 | T::UInt128 | T::Int256 | T::UInt256 => Exact::Wide(array.as_primitive(), 0, unsigned),
        _ => return Err(no_way(from, to)),
    };
    from_exact(&source, array.len(), array.nulls(), from, to, options)
}

fn from_exact(
    source: &Exact<'_>,
    rows: usize,
    nulls: Option<&NullBuffer>,
    from: &SqlType,
    to: &SqlType,
    options: &CastOptions,
) -> Result<ArrayRef> {
    match to {
        T::Bool => {
            let bits = BooleanBuffer::collect_bool(rows, |row| source.value(row) != i256::ZERO);
            Ok(Arc::new(BooleanArray::new(bits, nulls.cloned())))
        }
        T::Float32 | T::Float64 => {
            let unit = 10f64.powi(i32::from(source.scale()));
            let floats = (0..rows).map(|row| match source.narrow(row) {
                Some(value) => value as f64 / unit,
                None => wide::to_f64(source.value(row), source.unsigned()) / unit,
            });
            if *to == T::Float64 {
                let floats: Vec<f64> = floats.collect();
                return Ok(Arc::new(PrimitiveArray::<Float64Type>::new(floats.into(), nulls.cloned())));
            }
            let floats: Vec<f32> = floats.map(|value| value as f32).collect();
            Ok(Arc::new(PrimitiveArray::<Float32Type>::new(floats.into(), nulls.cloned())))
        }
        T::Decimal { precision, scale } if *precision <= 38 => {
            let limit = native_limit(*precision);
            let converted: PrimitiveArray<Decimal128Type> = try_from_fn(rows, nulls, options, |row| {
                let fits = |value: &i128| value.unsigned_abs() <= limit || *value == i128::MIN;
                let value = match source.narrow(row) {
                    Some(value) => rescale128(value, source.scale(), *scale),
                    None => rescale256(source.value(row), source.unsigned(), source.scale(), *scale).and_then(i256::to_i128),
                };
                value.filter(fits).ok_or_else(|| decimal_overflow(&source.text(row), to))
            })?;
            Ok(Arc::new(converted.with_data_type(to.arrow())))
        }
        T::Decimal { scale, .. } => {
            let converted: PrimitiveArray<Decimal256Type> = try_from_fn(rows, nulls, options, |row| {
                rescale256(source.value(row), source.unsigned(), source.scale(), *scale)
                    .ok_or_else(|| decimal_overflow(&source.text(row), to))
            })?;
            Ok(Arc::new(converted.with_data_type(to.arrow())))
        }
        _ => to_integer(source, rows, nulls, from, to, options),
    }
}

fn to_integer(
    source: &Exact<'_>,
    rows: usize,
    nulls: Option<&NullBuffer>,
    from: &SqlType,
    to: &SqlType,
    options: &CastOptions,
) -> Result<ArrayRef> {
    let Some((bits, signed)) = to.integer_bits() else { return Err(no_way(from, to)) };
    let decimal = from.is_decimal();
    let unit = wide::ten_to(u32::from(source.scale()));
    // Decimals overflow with an error; integers keep their low bits.
    let value = |row: usize| -> Result<i256> {
        let whole = if decimal { source.value(row).wrapping_div(unit) } else { source.value(row) };
        let fits = wide::fits(whole, source.unsigned(), bits, signed);
        if decimal && !fits {
            let text = format!("Convert overflow: {} does not fit {to}", source.text(row));
            return Err(Error::new(ErrorCode::DECIMAL_OVERFLOW, text));
        }
        if options.accurate && (!fits || (decimal && whole.wrapping_mul(unit) != source.value(row))) {
            return Err(unsafe_conversion(&source.text(row), to));
        }
        Ok(wide::wrap(whole, bits, signed))
    };
    with_number!(to, O => {
        let converted: PrimitiveArray<O> =
            try_from_fn(rows, nulls, options, |row| Ok(Native::from_bits(value(row)?.to_parts().0 as i64)))?;
        Ok(Arc::new(converted))
    }, _ => {
        let converted: PrimitiveArray<Decimal256Type> = try_from_fn(rows, nulls, options, value)?;
        Ok(Arc::new(converted.with_data_type(to.arrow())))
    })
}

/// The largest magnitude of the integer behind a decimal of up to 38 digits.
fn native_limit(precision: u8) -> u128 {
    match precision {
        ..=9 => i32::MAX as u128,
        10..=18 => i64::MAX as u128,
        _ => i128::MAX as u128,
    }
}

/// To another scale: digits that have no room are cut off; `None` where it does not fit.
pub fn rescale128(value: i128, from: u8, to: u8) -> Option<i128> {
    if to >= from {
        value.checked_mul(10i128.checked_pow(u32::from(to - from))?)
    } else {
        Some(value / 10i128.checked_pow(u32::from(from - to))?)
    }
}

fn rescale256(value: i256, unsigned: bool, from: u8, to: u8) -> Option<i256> {
    if unsigned && value.is_negative() {
        return None;
    }
    if to >= from {
        value.checked_mul(wide::ten_to(u32::from(to - from)))
    } else {
        value.checked_div(wide::ten_to(u32::from(from - to)))
    }
}

fn decimal_overflow(value: &str, to: &SqlType) -> Error {
    Error::new(ErrorCode::DECIMAL_OVERFLOW, format!("Decimal convert overflow: {value} does not fit {to}"))
}

fn out_of_decimal(value: &str, to: &SqlType) -> Error {
    Error::new(
        ErrorCode::DECIMAL_OVERFLOW,
        format!("Decimal convert overflow. Float is out of Decimal range: {value} does not fit {to}"),
    )
}

fn unsafe_conversion(value: &str, to: &SqlType) -> Error {
    Error::new(ErrorCode::CANNOT_CONVERT_TYPE, format!("Value {value} cannot be safely converted into type {to}"))
}

/// Wide integers from an iterator of raw bits, for conversions of bytes.
pub(super) fn wide_array(values: Vec<i256>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<Decimal256Type>::new(values.into(), nulls).with_data_type(T::UInt128.arrow()))
}
