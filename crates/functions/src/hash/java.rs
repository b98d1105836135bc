//! `javaHash`, `javaHashUTF16LE`, `hiveHash`: the hash codes of Java's strings and whole numbers. What Java has none for is hashed
//! as a string of the bytes that ClickHouse stores it in.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;

use super::{OF_NOTHING, salted_int_hash_32, stored_place};
use crate::columns::{Bytes, at, numbers, unary};
use crate::define::{bad_argument, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("javaHash", plain(|name, arguments, _| java(name, arguments)));
    registry.scalar("javaHashUTF16LE", plain(|name, arguments, _| of_bytes(name, arguments, utf16_code)));
    registry
        .scalar("hiveHash", plain(|name, arguments, _| of_bytes(name, arguments, |_, bytes| Ok(code(bytes) & i32::MAX))));
}

fn step(code: i32, next: i32) -> i32 {
    code.wrapping_mul(31).wrapping_add(next)
}

fn code(bytes: &[u8]) -> i32 {
    bytes.iter().fold(0, |code, byte| step(code, i32::from(*byte as i8)))
}

fn utf16_code(name: &str, bytes: &[u8]) -> Result<i32> {
    if !bytes.len().is_multiple_of(2) {
        return Err(bad_argument(name, format!("{} bytes are no text in UTF-16: their number is odd", bytes.len())));
    }
    Ok(bytes.chunks_exact(2).fold(0, |code, unit| step(code, i32::from(u16::from_le_bytes([unit[0], unit[1]])))))
}

/// The type of the argument; `None` where there is none, or nothing in it. Error: NOT_IMPLEMENTED, where there are more.
fn only<'a>(name: &str, arguments: &'a [Argument]) -> Result<Option<&'a SqlType>> {
    match arguments {
        [] => Ok(None),
        [argument] if is_empty(argument.kind.plain()) => Ok(None),
        [argument] => Ok(Some(argument.kind.plain())),
        _ => Err(Error::not_implemented(format!("{name} of several values: concatenate them"))),
    }
}

/// Whether values of the type are `[]` or `map()` and nothing else.
fn is_empty(kind: &SqlType) -> bool {
    matches!(kind, T::Array(element) | T::Map(_, element) if **element == T::Nothing)
}

/// Of no argument, or of one that holds nothing but its length, which is 0.
fn of_nothing(arguments: &[Argument]) -> Bound {
    let hash = if arguments.is_empty() { OF_NOTHING as i32 } else { salted_int_hash_32(0) as i32 };
    Bound::new(T::Int32, move |_, rows| numbers::<Int32Type>(rows, |_| Ok(hash)))
}

fn java(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let Some(kind) = only(name, arguments)? else { return Ok(of_nothing(arguments)) };
    match kind {
        T::Int8 | T::Int16 | T::Int32 | T::Date32 | T::Enum8(_) | T::Enum16(_) => {
            Ok(Bound::cast(vec![T::Int32], T::Int32, |args, _| Ok(args[0].clone())))
        }
        T::Int64 => Ok(Bound::new(T::Int32, |args, _| {
            unary::<Int64Type, Int32Type>(&args[0], |value| (value ^ ((value as u64) >> 32) as i64) as i32)
        })),
        T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 | T::Bool | T::Date | T::DateTime(_) => {
            Err(Error::not_implemented(format!("{name} of {kind}: Java has no unsigned numbers")))
        }
        _ => of_bytes(name, arguments, |_, bytes| Ok(code(bytes))),
    }
}

/// By the bytes of a value. `hash` gets the function's name for its errors.
fn of_bytes(name: &str, arguments: &[Argument], hash: fn(&str, &[u8]) -> Result<i32>) -> Result<Bound> {
    let Some(kind) = only(name, arguments)? else { return Ok(of_nothing(arguments)) };
    let has_bytes = kind.is_number()
        || kind.is_string()
        || kind.is_date_or_time()
        || kind.is_enum()
        || matches!(kind, T::Bool | T::Time | T::Time64(_) | T::Interval(_) | T::Uuid | T::IPv4 | T::IPv6);
    if !has_bytes {
        return Err(illegal(name, arguments, 0, "a string, a number, a date or an address"));
    }
    let (name, kind) = (name.to_string(), kind.clone());
    Ok(Bound::new(T::Int32, move |args, rows| {
        let stored = Stored::of(&args[0], &kind)?;
        numbers::<Int32Type>(rows, |row| hash(&name, stored.get(row)))
    }))
}

/// The bytes of values as ClickHouse stores them.
enum Stored<'a> {
    Texts(Bytes<'a>),
    /// Each of `width` bytes.
    Values {
        bytes: Vec<u8>,
        width: usize,
    },
}

impl<'a> Stored<'a> {
    fn of(array: &'a ArrayRef, kind: &SqlType) -> Result<Stored<'a>> {
        Ok(match array.data_type() {
            DataType::FixedSizeBinary(_) if *kind == T::Uuid => {
                let source = array.as_fixed_size_binary();
                let mut bytes: Vec<u8> = (0..source.len()).flat_map(|row| source.value(row).iter().copied()).collect();
                // Two numbers, the high one first.
                bytes.chunks_exact_mut(8).for_each(<[u8]>::reverse);
                Stored::Values { bytes, width: 16 }
            }
            DataType::BinaryView | DataType::FixedSizeBinary(_) => Stored::Texts(Bytes::of(array)?),
            DataType::Boolean => {
                Stored::Values { bytes: array.as_boolean().values().iter().map(u8::from).collect(), width: 1 }
            }
            carrier => {
                let no_bytes = || Error::logical(format!("Bytes of {kind}, which is carried as {carrier}"));
                let carried = carrier.primitive_width().ok_or_else(no_bytes)?;
                let (skip, width) = stored_place(kind, carried);
                let data = array.to_data();
                let values = data.buffers()[0].as_slice()[data.offset() * carried..].chunks_exact(carried);
                let bytes = values.take(data.len()).flat_map(|value| value[skip..skip + width].iter().copied()).collect();
                Stored::Values { bytes, width }
            }
        })
    }

    fn get(&self, row: usize) -> &[u8] {
        match self {
            Stored::Texts(texts) => texts.get(row),
            Stored::Values { bytes, width } => {
                let start = at(bytes.len() / width, row) * width;
                &bytes[start..start + width]
            }
        }
    }
}
