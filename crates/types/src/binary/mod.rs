//! Values one by one in ClickHouse's binary form, without prefixes and dictionaries: what RowBinary consists of, and what the
//! states of many aggregate functions consist of.
//!
//! `Cells` writes them, `Gathered` reads them. Whatever is read was measured before (`Gathered::skip`), so that a value that is
//! not there as a whole is left alone until it is.

mod read;
mod types;
mod write;

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};

use crate::SqlType;

pub use read::{Gathered, check_enum};
pub use types::{read_type, write_type};
pub use write::Cells;

/// Bytes that what is read at once may have in memory.
pub const BYTES_MAX: u64 = 1 << 30;

/// Elements without bytes that an array may have.
const EMPTY_ELEMENTS_MAX: u64 = 1 << 20;

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

/// That values of a type have no binary form here.
pub fn unsupported(kind: &SqlType) -> Error {
    Error::not_implemented(format!("The type {kind} in the native format"))
        .with_context("convert it in the query, for instance with toString")
}

/// A number in groups of seven bits, the lowest first.
pub fn write_varuint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The length, then the bytes.
pub fn write_string(text: &[u8], out: &mut Vec<u8>) {
    write_varuint(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// Bytes of a value in Arrow and on the wire. A narrower value on the wire is the low bytes, of BFloat16 the high ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Width {
    pub arrow: usize,
    pub wire: usize,
    /// Bytes of the wider one before those on the wire.
    pub skipped: usize,
    /// Whether the high bytes of the wider one repeat the sign.
    pub signed: bool,
}

/// The width of types whose values have one. Bool is apart: Arrow has bits of it.
pub fn width(kind: &SqlType) -> Option<Width> {
    let same = |bytes| Some(Width { arrow: bytes, wire: bytes, skipped: 0, signed: false });
    let narrow = |arrow, wire, signed| Some(Width { arrow, wire, skipped: 0, signed });
    match kind {
        T::UInt8 | T::Int8 | T::Enum8(_) => same(1),
        T::UInt16 | T::Int16 | T::Enum16(_) => same(2),
        T::UInt32 | T::Int32 | T::Float32 | T::IPv4 | T::Date32 | T::Time => same(4),
        T::UInt64 | T::Int64 | T::Float64 | T::Interval(_) | T::Time64(_) | T::DateTime64(..) => same(8),
        // The high half of the Float32 that carries it.
        T::BFloat16 => Some(Width { arrow: 4, wire: 2, skipped: 2, signed: false }),
        T::Date => narrow(4, 2, false),
        T::DateTime(_) => narrow(8, 4, false),
        T::Decimal { precision: ..=9, .. } => narrow(16, 4, true),
        T::Decimal { precision: ..=18, .. } => narrow(16, 8, true),
        T::Decimal { precision: ..=38, .. } => same(16),
        T::Decimal { .. } => same(32),
        T::UInt128 => narrow(32, 16, false),
        T::Int128 => narrow(32, 16, true),
        T::UInt256 | T::Int256 => same(32),
        T::FixedString(length) => same(*length),
        T::IPv6 | T::Uuid => same(16),
        _ => None,
    }
}

/// Reads a number in groups of seven bits. `None`: the bytes end within it.
pub fn varuint(bytes: &[u8], at: &mut usize) -> Result<Option<u64>> {
    let mut value = 0u64;
    for (place, byte) in bytes[*at..].iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * place as u32).unwrap_or(0);
        if *byte < 0x80 {
            *at += place + 1;
            return Ok(Some(value));
        }
    }
    match bytes.len() - *at < 10 {
        true => Ok(None),
        false => Err(incorrect("A length has more than ten bytes")),
    }
}

/// Reads a length and as many bytes. `None`: the bytes end within it.
pub fn text<'a>(bytes: &'a [u8], at: &mut usize) -> Result<Option<&'a [u8]>> {
    let Some(length) = varuint(bytes, at)? else { return Ok(None) };
    if length > BYTES_MAX {
        return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, format!("A string of {length} bytes is too large")));
    }
    let Some(text) = bytes.get(*at..*at + length as usize) else { return Ok(None) };
    *at += length as usize;
    Ok(Some(text))
}

/// How many elements follow. An array of elements without bytes says more of itself than its bytes do.
pub fn elements(are_empty: bool, bytes: &[u8], at: &mut usize) -> Result<Option<u64>> {
    let Some(count) = varuint(bytes, at)? else { return Ok(None) };
    let most = if are_empty { EMPTY_ELEMENTS_MAX } else { BYTES_MAX };
    if count > most {
        return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, format!("An array of {count} elements is too large")));
    }
    Ok(Some(count))
}
