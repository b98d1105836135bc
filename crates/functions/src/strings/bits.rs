//! Parts of strings by bits, and numbers woven together by bits: `bitSlice`, `mortonEncode`, `mortonDecode`.

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, UInt64Array};
use arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use std::sync::Arc;

use crate::columns::{Bytes, Numbers, numbers, strings};
use crate::curves::is_native_unsigned;
use crate::define::{arity, constant_integer, expect_place, expect_string, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

pub fn register(registry: &mut Registry) {
    registry.scalar("bitSlice", plain(|name, arguments, _| slice(name, arguments)));
    registry.scalar("mortonEncode", plain(|name, arguments, _| weave(name, arguments)));
    registry.scalar("mortonDecode", plain(|name, arguments, _| unweave(name, arguments)));
}

/// Text, place of the first bit from 1 (negative: from the end), number of bits (negative: up to so many from the end).
/// A part that fills no whole number of bytes ends with zeros.
fn slice(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_string(name, arguments, 0)?;
    let mut casts = vec![arguments[0].kind.clone()];
    for i in 1..arguments.len() {
        expect_place(name, arguments, i)?;
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let (texts, places) = (Bytes::of(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
        let lengths = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        strings(rows, |row, out| {
            let text = texts.get(row);
            let length = lengths.map(|lengths| lengths.get(row));
            let (start, end) = crate::strings::range(text.len() * 8, places.get(row), length);
            let bit = |at: usize| if at < end { text[at / 8] >> (7 - at % 8) & 1 } else { 0 };
            out.extend((start..end).step_by(8).map(|first| (first..first + 8).fold(0, |byte, at| byte << 1 | bit(at))));
            Ok(())
        })
    }))
}

/// Behind a tuple of how many places a bit of each number takes.
fn weave_repeated(name: &str, arguments: &[Argument], mask: usize) -> Result<Bound> {
    let count = arguments.len() - 1;
    if mask != count || !(1..=8).contains(&count) {
        let text = format!("Function {name}: the tuple has {mask} elements for {count} integers");
        return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    }
    let kind = T::Tuple(vec![(None, T::UInt64); mask]);
    let bound = weave(name, &arguments[1..])?;
    let casts = std::iter::once(kind).chain(bound.arguments).collect();
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let repeats = args[0].as_struct().columns().iter().map(Numbers::of::<UInt64Type>).collect::<Result<Vec<_>>>()?;
        let stretched = args[1..].iter().zip(&repeats).map(|(values, repeats)| {
            let values = Numbers::of::<UInt64Type>(values)?;
            numbers::<UInt64Type>(rows, |row| stretched(values.get(row), repeats.get(row)))
        });
        (bound.kernel)(&stretched.collect::<Result<Vec<_>>>()?, rows)
    }))
}

/// Each bit in the last of so many places, as far as 64 bits reach.
fn stretched(value: u64, times: u64) -> Result<u64> {
    if !(1..=8).contains(&times) {
        let text = format!("A ratio of mortonEncode must be from 1 to 8, not {times}");
        return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    }
    let bits = (0..64 / times).filter(|bit| value >> bit & 1 == 1);
    Ok(bits.fold(0, |stretched, bit| stretched | 1 << (bit * times + times - 1)))
}

/// The last of so many bits each: `stretched` backwards.
fn shrunk(value: u64, times: u64) -> u64 {
    (0..64 / times).fold(0, |shrunk, bit| shrunk | (value >> (bit * times + times - 1) & 1) << bit)
}

/// Bit `i` of number `k` of `n` becomes bit `i * n + k`.
fn weave(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if let Some(Argument { kind: T::Tuple(mask), .. }) = arguments.first() {
        return weave_repeated(name, arguments, mask.len());
    }
    arity(name, arguments, 1..=8)?;
    for i in 0..arguments.len() {
        if !is_native_unsigned(&arguments[i].kind) {
            return Err(illegal(name, arguments, i, "an unsigned integer of up to 64 bits"));
        }
    }
    let count = arguments.len();
    Ok(Bound::cast(vec![T::UInt64; count], T::UInt64, move |args, rows| {
        let columns = args.iter().map(Numbers::of::<UInt64Type>).collect::<Result<Vec<_>>>()?;
        numbers::<UInt64Type>(rows, |row| {
            let bits = |k: usize| {
                let value = columns[k].get(row);
                (0..64 / count).fold(0, |woven, i| woven | (value >> i & 1) << (i * count + k))
            };
            Ok((0..count).fold(0, |woven, k| woven | bits(k)))
        })
    }))
}

/// How many places a bit of each number takes: as a constant tuple says, or one each of so many numbers.
fn ratios(name: &str, arguments: &[Argument]) -> Result<Vec<u64>> {
    let constant = arguments[0].constant.as_ref().ok_or_else(|| not_constant(name, 0))?;
    if !is_native_unsigned(&arguments[1].kind) {
        let text =
            format!("Illegal type {} of argument 2 of function {name}: expected an unsigned integer", arguments[1].kind);
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    let in_bound = |value: Option<i64>, what: &str| {
        let text = || format!("Function {name}: {what} must be from 1 to 8");
        let found = value.filter(|value| (1..=8).contains(value));
        found.ok_or_else(|| Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text()))
    };
    match (&arguments[0].kind, constant) {
        (T::Tuple(parts), ScalarValue::Struct(tuple)) => {
            in_bound(Some(parts.len() as i64), "the number of ratios")?;
            let ratio = |(kind, column): (&SqlType, &ArrayRef)| -> Result<u64> {
                if !is_native_unsigned(kind) {
                    return Err(illegal(name, arguments, 0, "a Tuple of unsigned integers"));
                }
                let value = Argument { kind: kind.clone(), constant: Some(ScalarValue::try_from_array(column, 0)?) };
                Ok(in_bound(constant_integer(&value), "a ratio")? as u64)
            };
            parts.iter().map(|(_, kind)| kind).zip(tuple.columns()).map(ratio).collect()
        }
        (kind, _) if is_native_unsigned(kind) => {
            Ok(vec![1; in_bound(constant_integer(&arguments[0]), "the number of values")? as usize])
        }
        _ => Err(illegal(name, arguments, 0, "a number of values or a Tuple of ratios")),
    }
}

fn unweave(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let ratios = ratios(name, arguments)?;
    let count = ratios.len();
    let kind = T::Tuple(vec![(None, T::UInt64); count]);
    Ok(Bound::cast(vec![arguments[0].kind.clone(), T::UInt64], kind.clone(), move |args, rows| {
        let woven = Numbers::of::<UInt64Type>(&args[1])?;
        let column = |k: usize| -> ArrayRef {
            let value = |row: usize| {
                let woven = woven.get(row);
                let number = (0..64 / count).fold(0, |value, i| value | (woven >> (i * count + k) & 1) << i);
                shrunk(number, ratios[k])
            };
            Arc::new(UInt64Array::from_iter_values((0..rows).map(value)))
        };
        struct_array(&kind, (0..count).map(column).collect(), rows)
    }))
}
