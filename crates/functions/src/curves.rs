//! `hilbertEncode`, `hilbertDecode`: the place of a point on Hilbert's curve over a square of 2^32 cells a side, and back. Points that
//! lie together have places that do.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, UInt64Array};
use arrow::datatypes::UInt64Type;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::arithmetic::kinds::integer;
use crate::columns::{Numbers, at, numbers};
use crate::define::{constant_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

/// Bits of a coordinate.
const BITS: u32 = 32;

pub fn register(registry: &mut Registry) {
    registry.scalar("hilbertEncode", plain(|name, arguments, _| encode(name, arguments)));
    registry.scalar("hilbertDecode", plain(|name, arguments, _| decode(name, arguments)));
}

/// Whether it is an unsigned integer of up to 64 bits, or Bool.
pub fn is_native_unsigned(kind: &SqlType) -> bool {
    matches!(integer(kind), Some((..=64, false)))
}

fn out_of_bound(text: String) -> Error {
    Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text)
}

fn encode(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let mask = match arguments.first().map(|argument| &argument.kind) {
        Some(T::Tuple(parts)) => Some(parts.len()),
        _ => None,
    };
    let first = usize::from(mask.is_some());
    let dimensions = arguments.len() - first;
    if dimensions == 0 {
        let text = format!("Function {name} needs an unsigned integer at least");
        return Err(Error::new(ErrorCode::TOO_FEW_ARGUMENTS_FOR_FUNCTION, text));
    }
    for i in first..arguments.len() {
        if !is_native_unsigned(&arguments[i].kind) {
            return Err(illegal(name, arguments, i, "an unsigned integer of up to 64 bits"));
        }
    }
    if dimensions > 2 {
        let text = format!("Function {name} takes points of 2 dimensions at most, not of {dimensions}");
        return Err(Error::new(ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION, text));
    }
    let mut casts = Vec::new();
    if let Some(mask) = mask {
        if mask != dimensions {
            return Err(out_of_bound(format!("Function {name}: the tuple has {mask} elements for {dimensions} integers")));
        }
        let parts = crate::tuples::fields(name, arguments, 0)?;
        if parts.iter().any(|(_, kind)| !is_native_unsigned(kind)) {
            return Err(illegal(name, arguments, 0, "a Tuple of unsigned integers"));
        }
        casts.push(T::Tuple(vec![(None, T::UInt64); mask]));
    }
    casts.extend(vec![T::UInt64; dimensions]);
    let name = name.to_string();
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let shifts: Vec<_> = match mask {
            None => Vec::new(),
            Some(_) => args[0].as_struct().columns().iter().map(Numbers::of::<UInt64Type>).collect::<Result<_>>()?,
        };
        let values: Vec<_> = args[first..].iter().map(Numbers::of::<UInt64Type>).collect::<Result<_>>()?;
        numbers::<UInt64Type>(rows, |row| {
            let shifted = |i: usize| {
                let shift = shifts.get(i).map_or(0, |shift| shift.get(row));
                if shift > u64::from(BITS) {
                    return Err(out_of_bound(format!("Function {name}: the shift must be from 0 to {BITS}, not {shift}")));
                }
                Ok(values[i].get(row) << shift)
            };
            Ok(if dimensions == 1 { shifted(0)? } else { place(shifted(0)?, shifted(1)?) })
        })
    }))
}

/// 0 where a coordinate has more than 32 bits. Each step takes a bit of either coordinate, which says the quarter of the square, and
/// turns the square so that the curve runs through that quarter as through the whole.
fn place(x: u64, y: u64) -> u64 {
    if (x | y) >> BITS != 0 {
        return 0;
    }
    let (mut a, mut b) = (y as u32, x as u32);
    let mut place = 0;
    for bit in (0..BITS).rev() {
        let (high, low) = (a >> bit & 1, b >> bit & 1);
        place = place << 2 | u64::from((3 * high) ^ low);
        if low == 0 {
            if high == 1 {
                (a, b) = (!a, !b);
            }
            (a, b) = (b, a);
        }
    }
    place
}

/// `place` backwards, from the smallest square on.
fn point(place: u64) -> (u64, u64) {
    let (mut a, mut b) = (0u32, 0u32);
    for bit in 0..BITS {
        let quarter = (place >> (2 * bit) & 3) as u32;
        let high = quarter >> 1;
        let low = (quarter ^ high) & 1;
        if low == 0 {
            if high == 1 {
                let mask = ((1u64 << bit) - 1) as u32;
                (a, b) = (mask & !a, mask & !b);
            }
            (a, b) = (b, a);
        }
        a |= high << bit;
        b |= low << bit;
    }
    (u64::from(b), u64::from(a))
}

/// The shifts of each coordinate: none, or those that a constant tuple gives.
fn shifts(name: &str, arguments: &[Argument]) -> Result<Vec<u64>> {
    let constant = arguments[0].constant.as_ref().ok_or_else(|| crate::define::not_constant(name, 0))?;
    if let ScalarValue::Struct(tuple) = constant {
        let mut shifts = Vec::new();
        for column in tuple.columns() {
            let value = Argument { kind: T::UInt64, constant: Some(ScalarValue::try_from_array(column, 0)?) };
            let shift = constant_integer(&value).filter(|shift| (0..=i64::from(BITS)).contains(shift));
            let wrong = || out_of_bound(format!("Function {name}: the shifts must be from 0 to {BITS}"));
            shifts.push(shift.ok_or_else(wrong)? as u64);
        }
        if !(1..=2).contains(&shifts.len()) {
            return Err(out_of_bound(format!("Function {name}: the tuple must have 1 or 2 elements")));
        }
        return Ok(shifts);
    }
    if !is_native_unsigned(&arguments[0].kind) {
        return Err(illegal(name, arguments, 0, "a number of dimensions or a Tuple of shifts"));
    }
    match constant_integer(&arguments[0]) {
        Some(dimensions @ 1..=2) => Ok(vec![0; dimensions as usize]),
        _ => Err(out_of_bound(format!("Function {name}: the number of dimensions must be 1 or 2"))),
    }
}

fn decode(name: &str, arguments: &[Argument]) -> Result<Bound> {
    crate::define::arity(name, arguments, 2..=2)?;
    let shifts = shifts(name, arguments)?;
    if !is_native_unsigned(&arguments[1].kind) {
        let text =
            format!("Illegal type {} of argument 2 of function {name}: expected an unsigned integer", arguments[1].kind);
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    let result = T::Tuple(vec![(None, T::UInt64); shifts.len()]);
    let kind = result.clone();
    Ok(Bound::cast(vec![arguments[0].kind.clone(), T::UInt64], result, move |args, rows| {
        let places = args[1].as_primitive::<UInt64Type>().values();
        let mut columns: Vec<Vec<u64>> = vec![Vec::with_capacity(rows); shifts.len()];
        for row in 0..rows {
            let code = places[at(places.len(), row)];
            let (x, y) = if shifts.len() == 1 { (code, 0) } else { point(code) };
            for ((column, value), shift) in columns.iter_mut().zip([x, y]).zip(&shifts) {
                column.push(value >> shift);
            }
        }
        let columns = columns.into_iter().map(|column| Arc::new(UInt64Array::from(column)) as ArrayRef).collect();
        struct_array(&kind, columns, rows)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_point_is_found_by_its_place(x in any::<u32>(), y in any::<u32>()) {
            prop_assert_eq!(point(place(x.into(), y.into())), (x.into(), y.into()));
        }
    }
}
