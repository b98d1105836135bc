//! Columns into bytes.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::binary::{Width, unsupported, width, write_string, write_varuint};
use gristmill_types::states::Codec;
use hashbrown::HashMap;

/// A byte for each row of a type without values.
const NOTHING: u8 = b'0';

/// The version of LowCardinality: a dictionary in each block.
pub(super) const DICTIONARY_VERSION: u64 = 1;

/// Keys of a dictionary that is in the block, all of them.
const DICTIONARY_FLAGS: u64 = 0x600;

fn misfit(kind: &SqlType, array: &dyn Array) -> Error {
    Error::logical(format!("A column of {kind} came as Arrow's {}", array.data_type()))
}

/// What stands before the values: the versions of dictionaries.
pub(super) fn prefix(kind: &SqlType, out: &mut Vec<u8>) {
    match kind {
        T::LowCardinality(_) => out.extend_from_slice(&DICTIONARY_VERSION.to_le_bytes()),
        T::Nullable(inner)
        | T::Array(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner) => prefix(inner, out),
        T::Map(key, value) => {
            prefix(key, out);
            prefix(value, out);
        }
        T::Tuple(fields) => fields.iter().for_each(|(_, kind)| prefix(kind, out)),
        _ => {}
    }
}

/// The values of all rows. Errors: NOT_IMPLEMENTED for states of aggregate functions that are of another make here.
pub(super) fn data(kind: &SqlType, array: &ArrayRef, out: &mut Vec<u8>) -> Result<()> {
    let rows = array.len();
    if let Some(width) = width(kind) {
        if *array.data_type() != kind.arrow() {
            return Err(misfit(kind, array));
        }
        fixed(kind, width, array, out);
        return Ok(());
    }
    let misfit = || misfit(kind, array);
    match kind {
        T::Nothing => out.resize(out.len() + rows, NOTHING),
        T::Bool => {
            let array = array.as_boolean_opt().ok_or_else(misfit)?;
            out.extend((0..rows).map(|row| u8::from(array.is_valid(row) && array.value(row))));
        }
        T::String => {
            let array = array.as_binary_view_opt().ok_or_else(misfit)?;
            for row in 0..rows {
                write_string(if array.is_valid(row) { array.value(row) } else { b"" }, out);
            }
        }
        T::Nullable(inner) => {
            let nulls = array.logical_nulls();
            out.extend((0..rows).map(|row| u8::from(nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)))));
            data(inner, array, out)?;
        }
        T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => data(inner, array, out)?,
        T::LowCardinality(inner) => dictionary(inner, array, out)?,
        T::Array(inner) => {
            let array = array.as_list_opt::<i32>().ok_or_else(misfit)?;
            let (first, elements) = offsets(array.value_offsets(), out);
            data(inner, &array.values().slice(first, elements), out)?;
        }
        T::Map(key, value) => {
            let array = array.as_map_opt().ok_or_else(misfit)?;
            let (first, elements) = offsets(array.value_offsets(), out);
            data(key, &array.keys().slice(first, elements), out)?;
            data(value, &array.values().slice(first, elements), out)?;
        }
        T::Tuple(fields) if fields.is_empty() => out.resize(out.len() + rows, NOTHING),
        T::Tuple(fields) => {
            let array = array.as_struct_opt().ok_or_else(misfit)?;
            for ((_, kind), column) in fields.iter().zip(array.columns()) {
                data(kind, column, out)?;
            }
        }
        T::AggregateFunction(function, kinds) => {
            let states = array.as_binary_opt::<i32>().ok_or_else(misfit)?;
            Codec::of(function, kinds)?.encode(states, |state| out.extend_from_slice(state))?;
        }
        other => return Err(unsupported(other)),
    }
    Ok(())
}

/// Where each row ends, counted from the first; gives the first element and how many there are.
fn offsets(offsets: &[i32], out: &mut Vec<u8>) -> (usize, usize) {
    let first = offsets.first().copied().unwrap_or(0);
    let last = offsets.last().copied().unwrap_or(0);
    out.reserve(offsets.len() * 8);
    for end in offsets.iter().skip(1) {
        out.extend_from_slice(&((end - first) as u64).to_le_bytes());
    }
    (first as usize, (last - first) as usize)
}

/// Values of one width; below a NULL stands the type's default, whatever Arrow has there.
fn fixed(kind: &SqlType, width: Width, array: &ArrayRef, out: &mut Vec<u8>) {
    let rows = array.len();
    let source = array.to_data();
    let from = source.offset() * width.arrow;
    let bytes = &source.buffers()[0].as_slice()[from..from + rows * width.arrow];
    let begin = out.len();
    if width.wire == width.arrow {
        out.extend_from_slice(bytes);
    } else {
        out.reserve(rows * width.wire);
        for value in bytes.chunks_exact(width.arrow) {
            out.extend_from_slice(&value[width.skipped..width.skipped + width.wire]);
        }
    }
    if *kind == T::Uuid {
        for value in out[begin..].chunks_exact_mut(16) {
            value[..8].reverse();
            value[8..].reverse();
        }
    }
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        let default = match kind {
            T::Enum8(names) | T::Enum16(names) => names.0.first().map_or(0, |(_, value)| *value),
            _ => 0,
        };
        fill_nulls(nulls, width.wire, default, &mut out[begin..]);
    }
}

fn fill_nulls(nulls: &NullBuffer, width: usize, default: i16, values: &mut [u8]) {
    for (row, value) in values.chunks_exact_mut(width).enumerate() {
        if nulls.is_null(row) {
            value.fill(0);
            let low = default.to_le_bytes();
            let taken = width.min(2);
            value[..taken].copy_from_slice(&low[..taken]);
        }
    }
}

/// The distinct values, the default first (and NULL before it, where there can be one), then the rows as numbers of them.
fn dictionary(kind: &SqlType, array: &ArrayRef, out: &mut Vec<u8>) -> Result<()> {
    let rows = array.len();
    if rows == 0 {
        return Ok(());
    }
    let (plain, nullable) = match kind {
        T::Nullable(inner) => (inner.as_ref(), true),
        other => (other, false),
    };
    // Values as bytes on the wire: strings with their lengths, the others of one width.
    let mut values = Vec::new();
    data(plain, array, &mut values)?;
    let mut default = Vec::new();
    data(plain, &gristmill_types::default::default_array(plain, 1), &mut default)?;
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    let mut distinct = default.clone();
    if nullable {
        distinct.extend_from_slice(&default);
    }
    known.insert(&default, u32::from(nullable));
    let mut next = 1 + u32::from(nullable);
    let mut keys: Vec<u32> = Vec::with_capacity(rows);
    let mut at = 0;
    for row in 0..rows {
        let end = at + encoded_length(plain, &values[at..]);
        let value = &values[at..end];
        at = end;
        if nullable && array.is_null(row) {
            keys.push(0);
            continue;
        }
        let key = *known.entry(value).or_insert_with(|| {
            distinct.extend_from_slice(value);
            next += 1;
            next - 1
        });
        keys.push(key);
    }
    let code: u64 = match next - 1 {
        0..=0xff => 0,
        0x100..=0xffff => 1,
        _ => 2,
    };
    out.extend_from_slice(&(DICTIONARY_FLAGS | code).to_le_bytes());
    out.extend_from_slice(&u64::from(next).to_le_bytes());
    out.extend_from_slice(&distinct);
    out.extend_from_slice(&(rows as u64).to_le_bytes());
    let key_bytes = 1 << code;
    for key in keys {
        out.extend_from_slice(&key.to_le_bytes()[..key_bytes]);
    }
    Ok(())
}

/// Bytes of the first value of encoded ones.
fn encoded_length(kind: &SqlType, bytes: &[u8]) -> usize {
    if let Some(width) = width(kind) {
        return width.wire;
    }
    if *kind != T::String {
        return 1;
    }
    let (mut length, mut prefix) = (0u64, 0);
    for byte in bytes {
        length |= u64::from(byte & 0x7f) << (7 * prefix);
        prefix += 1;
        if *byte < 0x80 {
            break;
        }
    }
    prefix + length as usize
}

/// Column count and row count.
pub(super) fn counts(columns: usize, rows: usize, out: &mut Vec<u8>) {
    write_varuint(columns as u64, out);
    write_varuint(rows as u64, out);
}
