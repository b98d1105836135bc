//! The bits that are set in an integer: their places (`bitPositionsToArray`) or their values (`bitmaskToArray`, `bitmaskToList`).

use SqlType as T;
use arrow::array::{ArrayRef, BooleanArray};
use arrow::datatypes::{Decimal256Type, Int64Type, UInt64Type, i256};
use gristmill_base::Result;
use gristmill_types::{SqlType, wide};
use std::sync::Arc;

use super::is_wide;
use super::kinds::{integer, match_integer};
use crate::columns::{Numbers, list, numbers, strings};
use crate::define::{arity, expect_integer, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("bitPositionsToArray", plain(|name, arguments, _| array(name, arguments, true)));
    registry.scalar("bitmaskToArray", plain(|name, arguments, _| array(name, arguments, false)));
    registry.scalar("bitmaskToList", plain(|name, arguments, _| text(name, arguments)));
}

/// The width and the sign of an integer type.
#[derive(Clone, Copy)]
struct Shape {
    bits: u16,
    signed: bool,
}

impl Shape {
    fn of(kind: &SqlType) -> Shape {
        let (bits, signed) = integer(kind).unwrap_or((64, true));
        Shape { bits, signed }
    }

    /// The value that a bit alone has in the type: the highest of one with a sign is below zero.
    fn value(self, place: u8) -> i256 {
        wide::wrap(i256::ONE << place, self.bits, self.signed)
    }
}

/// The bits of a column's integers.
struct Masks<'a> {
    shape: Shape,
    values: Values<'a>,
}

enum Values<'a> {
    Narrow(Numbers<'a, i64>),
    Wide(Numbers<'a, i256>),
}

impl<'a> Masks<'a> {
    /// The type that the column is to be cast to.
    fn carrier(kind: &SqlType) -> SqlType {
        if is_wide(kind) { kind.clone() } else { T::Int64 }
    }

    fn of(array: &'a ArrayRef, shape: Shape) -> Result<Masks<'a>> {
        let values = match shape.bits {
            ..=64 => Values::Narrow(Numbers::of::<Int64Type>(array)?),
            _ => Values::Wide(Numbers::of::<Decimal256Type>(array)?),
        };
        Ok(Masks { shape, values })
    }

    /// Places of the bits of a row, from the lowest on.
    fn places(&self, row: usize) -> Vec<u8> {
        let (mut low, mut high) = match &self.values {
            Values::Narrow(values) => (u128::from(values.get(row) as u64 & (u64::MAX >> (64 - self.shape.bits))), 0),
            Values::Wide(values) => {
                let (low, high) = values.get(row).to_parts();
                (low, if self.shape.bits == 256 { high as u128 } else { 0 })
            }
        };
        let mut places = Vec::with_capacity((low.count_ones() + high.count_ones()) as usize);
        while low != 0 {
            places.push(low.trailing_zeros() as u8);
            low &= low - 1;
        }
        while high != 0 {
            places.push(128 + high.trailing_zeros() as u8);
            high &= high - 1;
        }
        places
    }
}

/// An array of the places, or of the values in the argument's own type.
fn array(name: &str, arguments: &[Argument], places: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_integer(name, arguments, 0)?;
    let kind = arguments[0].kind.plain().clone();
    let shape = Shape::of(&kind);
    let element = if places { T::UInt64 } else { kind.clone() };
    Ok(Bound::cast(vec![Masks::carrier(&kind)], SqlType::array(element.clone()), move |args, rows| {
        let masks = Masks::of(&args[0], shape)?;
        let (mut set, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let places = masks.places(row);
            lengths.push(places.len());
            set.extend(places);
        }
        let elements: ArrayRef = match &element {
            _ if places => numbers::<UInt64Type>(set.len(), |i| Ok(u64::from(set[i])))?,
            T::Bool => Arc::new(BooleanArray::from(vec![true; set.len()])),
            kind if is_wide(kind) => numbers::<Decimal256Type>(set.len(), |i| Ok(shape.value(set[i])))?,
            kind => match_integer!(kind, I => numbers::<I>(set.len(), |i| Ok(1 << set[i])),
                else Err(gristmill_base::Error::logical(format!("the bits of {kind}"))))?,
        };
        list(elements, &lengths)
    }))
}

/// The values as text, with commas between them.
fn text(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_integer(name, arguments, 0)?;
    let kind = arguments[0].kind.plain().clone();
    let shape = Shape::of(&kind);
    Ok(Bound::cast(vec![Masks::carrier(&kind)], T::String, move |args, rows| {
        let masks = Masks::of(&args[0], shape)?;
        strings(rows, |row, out| {
            for (i, place) in masks.places(row).into_iter().enumerate() {
                out.extend_from_slice(if i > 0 { b"," } else { b"" });
                wide::write(shape.value(place), !shape.signed, out);
            }
            Ok(())
        })
    }))
}
