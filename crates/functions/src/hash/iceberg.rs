//! Partition transforms of Apache Iceberg (<https://iceberg.apache.org/spec/#partition-transforms>): `icebergHash`, MurmurHash3 of 32
//! bits over the bytes that the specification gives each type; `icebergBucket`, that hash over so many buckets; `icebergTruncate`,
//! a number rounded down to a width or the first characters of a text.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Decimal128Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::murmur::murmur3_32;
use crate::arithmetic::kinds::{match_integer, sum};
use crate::columns::{Bytes, Numbers, at, numbers, slices};
use crate::define::{arity, bad_argument, constant_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::strings::utf8;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "icebergHash",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let (cast, hash) = hash(name, arguments, 0)?;
            Ok(Bound::cast(vec![cast], T::Int32, hash))
        }),
    );
    registry.scalar("icebergBucket", plain(|name, arguments, _| bucket(name, arguments)));
    registry.scalar("icebergTruncate", plain(|name, arguments, _| truncate(name, arguments)));
}

fn of_word(value: i64) -> i32 {
    murmur3_32(&value.to_le_bytes(), 0) as i32
}

/// The shortest bytes in two's complement, highest first, that hold the value.
fn of_decimal(value: i128) -> i32 {
    let bytes = value.to_be_bytes();
    let fill = if value < 0 { 0xFF } else { 0 };
    let skip = (0..15).take_while(|i| bytes[*i] == fill && (bytes[i + 1] ^ fill) & 0x80 == 0).count();
    murmur3_32(&bytes[skip..], 0) as i32
}

type Hash = fn(&[ArrayRef], usize) -> Result<ArrayRef>;

fn of_words(args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let words = Numbers::of::<Int64Type>(&args[0])?;
    numbers::<Int32Type>(rows, |row| Ok(of_word(words.get(row))))
}

fn of_texts(args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let texts = Bytes::of(&args[0])?;
    numbers::<Int32Type>(rows, |row| Ok(murmur3_32(texts.get(row), 0) as i32))
}

fn of_ids(args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let ids = args[0].as_fixed_size_binary();
    numbers::<Int32Type>(rows, |row| Ok(murmur3_32(ids.value(at(ids.len(), row)), 0) as i32))
}

fn of_floats(args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let values = Numbers::of::<Float64Type>(&args[0])?;
    // The two zeros are one value.
    numbers::<Int32Type>(rows, |row| Ok(of_word((values.get(row) + 0.0).to_bits() as i64)))
}

fn of_decimals(args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let values = Numbers::of::<Decimal128Type>(&args[0])?;
    numbers::<Int32Type>(rows, |row| Ok(of_decimal(values.get(row))))
}

/// The type that argument `i` is cast to, and the hash of its values.
fn hash(name: &str, arguments: &[Argument], i: usize) -> Result<(SqlType, Hash)> {
    let kind = arguments[i].kind.clone();
    let is_integer = matches!(kind.integer_bits(), Some((..=64, _)));
    let (cast, hash): (SqlType, Hash) = match &kind {
        T::String | T::FixedString(_) => (kind.clone(), of_texts),
        T::Uuid => (kind.clone(), of_ids),
        T::Bool | T::Date | T::Date32 => (T::Int64, of_words),
        _ if is_integer => (T::Int64, of_words),
        _ if kind.is_float() => (T::Float64, of_floats),
        T::Decimal { precision: ..=38, .. } => (kind.clone(), of_decimals),
        _ => {
            let expected = "an integer of up to 64 bits, a float, a Decimal of up to 38 digits, a string, a date or a UUID";
            return Err(illegal(name, arguments, i, expected));
        }
    };
    Ok((cast, hash))
}

fn bucket(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if !arguments[0].kind.is_integer() {
        return Err(illegal(name, arguments, 0, "an integer"));
    }
    let buckets = constant_integer(&arguments[0]).ok_or_else(|| not_constant(name, 0))?;
    let buckets = i32::try_from(buckets).ok().filter(|buckets| *buckets > 0);
    let buckets = buckets.ok_or_else(|| bad_argument(name, "the number of buckets must be from 1 to 2147483647"))?;
    let (cast, hash) = hash(name, arguments, 1)?;
    let casts = vec![arguments[0].kind.clone(), cast];
    Ok(Bound::cast(casts, T::UInt32, move |args, rows| {
        let hashes = hash(&args[1..], rows)?;
        let hashes = Numbers::of::<Int32Type>(&hashes)?;
        numbers::<UInt32Type>(rows, |row| Ok(((hashes.get(row) & i32::MAX) % buckets) as u32))
    }))
}

fn truncate(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let width_kind = &arguments[0].kind;
    let Some((width_bits @ ..=64, false)) = width_kind.integer_bits() else {
        return Err(illegal(name, arguments, 0, "an unsigned integer"));
    };
    let width = constant_integer(&arguments[0]).ok_or_else(|| not_constant(name, 0))?;
    if width < 1 {
        return Err(bad_argument(name, "the width must be positive"));
    }
    let kind = arguments[1].kind.clone();
    match &kind {
        T::String | T::FixedString(_) => Ok(Bound::new(T::String, move |args, rows| {
            slices(&args[1], rows, |_, text| &text[..utf8::offset(text, width as usize)])
        })),
        T::Decimal { precision: ..=38, .. } => {
            let arrow = kind.arrow();
            Ok(Bound::new(kind.clone(), move |args, rows| {
                let values = Numbers::of::<Decimal128Type>(&args[1])?;
                let cut = numbers::<Decimal128Type>(rows, |row| {
                    let value = values.get(row);
                    Ok(value.wrapping_sub(value.rem_euclid(i128::from(width))))
                })?;
                crate::columns::retype(&cut, &arrow)
            }))
        }
        integer if matches!(integer.integer_bits(), Some((..=64, _))) => {
            // The type of the difference of the value and what is cut off.
            let result = sum(integer, &SqlType::integer(width_bits, false), true)
                .ok_or_else(|| Error::logical("a difference of integers has a type"))?;
            let unsigned = *integer == T::UInt64;
            let cast = if unsigned { T::UInt64 } else { T::Int64 };
            let to = result.clone();
            Ok(Bound::cast(vec![width_kind.clone(), cast], result, move |args, rows| {
                let cut = |row: usize| -> Result<i64> {
                    Ok(if unsigned {
                        let value = Numbers::of::<UInt64Type>(&args[1])?.get(row);
                        (value - value % width as u64) as i64
                    } else {
                        let value = Numbers::of::<Int64Type>(&args[1])?.get(row);
                        value.wrapping_sub(value.rem_euclid(width))
                    })
                };
                match_integer!(to, I => numbers::<I>(rows, |row| Ok(cut(row)? as _)),
                    else Err(Error::logical(format!("a truncated integer of type {to}"))))
            }))
        }
        _ => {
            let text = format!(
                "Illegal type {kind} of argument 2 of function {name}: expected an integer of up to 64 bits, a Decimal of up \
                 to 38 digits or a string"
            );
            Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text))
        }
    }
}
