//! From and to text, between strings of fixed and any length, and between addresses, UUIDs and their numbers.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, FixedSizeBinaryArray, PrimitiveArray};
use arrow::buffer::Buffer;
use arrow::datatypes::{Decimal256Type, UInt32Type, i256};
use gristmill_base::{Error, ErrorCode, Result};

use super::{CastOptions, OnError, decimal, try_from_fn, with_failures, with_nulls};
use crate::builder::{ColumnBuilder, Escaping, ParseOptions};
use crate::bytes::BytesBuilder;
use crate::scan::Fault;
use crate::sql_type::SqlType;
use crate::states::Codec;
use crate::text::{self, TextOptions};
use SqlType as T;

/// The bytes of each row of a String or FixedString column.
fn row_bytes<'a>(array: &'a ArrayRef, kind: &SqlType) -> Box<dyn Fn(usize) -> &'a [u8] + 'a> {
    match kind {
        T::FixedString(_) => {
            let fixed = array.as_fixed_size_binary();
            Box::new(move |row| fixed.value(row))
        }
        _ => {
            let strings = array.as_binary_view();
            Box::new(move |row| strings.value(row))
        }
    }
}

fn without_padding(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|c| *c != 0).map_or(0, |last| last + 1)]
}

pub(super) fn to_string(array: &ArrayRef, from: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if let T::FixedString(_) = from {
        // The zeros that fill it up are not part of the text.
        let fixed = array.as_fixed_size_binary();
        let mut strings = BytesBuilder::with_capacity(array.len());
        for row in 0..array.len() {
            strings.append(without_padding(fixed.value(row)));
        }
        return Ok(Arc::new(strings.finish(array.nulls().cloned())));
    }
    let options = TextOptions::new(text::Escaping::Plain, options.timezone);
    Ok(Arc::new(text::to_strings(array, from, &options)?))
}

/// Reads text into any type, row by row into one builder. `nullable`: words for NULL are NULL; and where somebody asks for the
/// conversion of a String, so is whatever cannot be read, save as an enum or Bool, as in ClickHouse. Where values are brought to
/// a column's type (`saturates`) that would lose them in silence, and is an error.
pub(super) fn parse(
    array: &ArrayRef,
    from: &SqlType,
    to: &SqlType,
    nullable: bool,
    options: &CastOptions,
) -> Result<ArrayRef> {
    if let T::AggregateFunction(function, kinds) = to {
        return states(array, from, &Codec::of(function, kinds)?, options);
    }
    // Sixteen bytes are the address itself.
    if matches!((from, to), (T::FixedString(16), T::IPv6)) {
        return Ok(array.clone());
    }
    // Sixteen bytes are a UUID as it lies in ClickHouse's memory: two numbers, the higher first.
    if matches!((from, to), (T::FixedString(16), T::Uuid)) {
        let fixed = array.as_fixed_size_binary();
        let mut bytes: Vec<u8> = (0..array.len()).flat_map(|row| fixed.value(row)).copied().collect();
        bytes.chunks_mut(8).for_each(<[u8]>::reverse);
        return Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), array.nulls().cloned())?));
    }
    let forgives =
        nullable && *from == T::String && !options.saturates && !matches!(to, T::Enum8(_) | T::Enum16(_) | T::Bool);
    let parse = ParseOptions {
        timezone: options.timezone,
        best_effort_dates: options.best_effort_dates,
        customs: options.customs,
        null_as_default: true,
        wrap_integers: options.on_error == OnError::Throw && !options.accurate && !forgives,
        ..ParseOptions::default()
    };
    let padded = matches!(from, T::FixedString(_));
    let text_of = row_bytes(array, from);
    let mut column = ColumnBuilder::new(to, &parse)?;
    let mut failed = Vec::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            column.append_default();
            continue;
        }
        let text = match padded {
            true => without_padding(text_of(row)),
            false => text_of(row),
        };
        // Nothing but zeros is a number to ClickHouse.
        let text = if padded && text.is_empty() && to.is_integer() { b"0" } else { text };
        // Formats read the words of a Bool into UInt8; a cast does not.
        let is_word = *to == T::UInt8 && matches!(text, b"true" | b"false");
        if let Err(fault) = column.try_append_text(if is_word { b"word" } else { text }, Escaping::Plain) {
            let null = forgives || (nullable && matches!(text, b"" | b"NULL" | b"null" | b"\\N"));
            let is_default = options.on_error == OnError::Throw && !null;
            if is_default && !options.lenient_addresses.takes(to) {
                return Err(as_cast_tells(fault, text, to).explain(text, to));
            }
            column.append_default();
            if !is_default {
                failed.push(row);
            }
        }
    }
    with_nulls(column.finish(), with_failures(array.nulls(), &failed, array.len()))
}

/// Some faults have other codes in a CAST than where a format reads them.
fn as_cast_tells(fault: Fault, text: &[u8], to: &SqlType) -> Fault {
    // A number is there, with something behind it.
    let is_begun = || fast_float2::parse_partial::<f64, _>(text).is_ok_and(|(_, length)| length > 0);
    let code = match to {
        T::BFloat16 | T::Float32 | T::Float64 if is_begun() => ErrorCode::CANNOT_PARSE_TEXT,
        T::DateTime(_) | T::DateTime64(..) if text.is_empty() => ErrorCode::CANNOT_PARSE_DATETIME,
        _ => fault.code,
    };
    Fault { code, ..fault }
}

/// States as ClickHouse writes them.
fn states(array: &ArrayRef, from: &SqlType, codec: &Codec, options: &CastOptions) -> Result<ArrayRef> {
    let bytes_of = row_bytes(array, from);
    let mut states = codec.reader()?;
    for row in 0..array.len() {
        if array.is_null(row) {
            states.take_default();
            continue;
        }
        match codec.take_whole(&mut states, bytes_of(row)) {
            Err(error) if options.on_error == OnError::Throw => return Err(error),
            // What was taken of a state that is wrong stays, so that the others are read anew.
            Err(_) => return each_state(array, bytes_of, codec),
            Ok(()) => {}
        }
    }
    states.finish()
}

/// As `states`, one by one: those that are wrong have seen nothing.
fn each_state<'a>(array: &ArrayRef, bytes_of: impl Fn(usize) -> &'a [u8], codec: &Codec) -> Result<ArrayRef> {
    let mut builder = BinaryBuilder::new();
    for row in 0..array.len() {
        let mut one = codec.reader()?;
        let read = array.is_valid(row) && codec.take_whole(&mut one, bytes_of(row)).is_ok();
        match read.then(|| one.finish()) {
            Some(Ok(state)) => builder.append_value(state.as_binary::<i32>().value(0)),
            _ => builder.append_value(b""),
        }
    }
    Ok(Arc::new(builder.finish()))
}

pub(super) fn to_fixed(array: &ArrayRef, width: usize, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    fixed(array, &T::String, width, to, options)
}

pub(super) fn widen(array: &ArrayRef, width: usize, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    fixed(array, &T::FixedString(0), width, to, options)
}

fn fixed(array: &ArrayRef, from: &SqlType, width: usize, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let text_of = row_bytes(array, from);
    let mut bytes = Vec::with_capacity(array.len() * width);
    let mut failed = Vec::new();
    for row in 0..array.len() {
        let mut text = if array.is_null(row) { &b""[..] } else { text_of(row) };
        if text.len() > width {
            if options.on_error == OnError::Throw {
                let shown = String::from_utf8_lossy(&text[..text.len().min(100)]);
                let message = format!("String '{shown}' of {} bytes is too long for type {to}", text.len());
                return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, message));
            }
            failed.push(row);
            text = b"";
        }
        bytes.extend_from_slice(text);
        bytes.resize((row + 1) * width, 0);
    }
    let nulls = with_failures(array.nulls(), &failed, array.len());
    Ok(Arc::new(FixedSizeBinaryArray::try_new(width as i32, Buffer::from_vec(bytes), nulls)?))
}

pub(super) fn between_addresses(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF];
    if *to == T::IPv6 {
        let values = array.as_primitive::<UInt32Type>().values();
        let bytes: Vec<u8> = values.iter().flat_map(|value| MAPPED.into_iter().chain(value.to_be_bytes())).collect();
        return Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), array.nulls().cloned())?));
    }
    let addresses = array.as_fixed_size_binary();
    let converted: PrimitiveArray<UInt32Type> =
        try_from_fn(array.len(), array.nulls(), options, |row| match addresses.value(row).split_last_chunk::<4>() {
            Some((prefix, last)) if prefix == MAPPED => Ok(u32::from_be_bytes(*last)),
            _ => Err(Error::new(
                ErrorCode::CANNOT_CONVERT_TYPE,
                format!("An {from} value (row {row}) is not in the block ::ffff:0:0/96 that IPv4 is mapped to"),
            )),
        })?;
    Ok(Arc::new(converted))
}

/// A UUID or IPv6 as the number that its bytes are in network order.
pub(super) fn bytes_to_number(array: &ArrayRef) -> Result<ArrayRef> {
    let bytes = array.as_fixed_size_binary();
    let numbers = (0..array.len()).map(|row| {
        let value = <[u8; 16]>::try_from(bytes.value(row)).map_or(0, u128::from_be_bytes);
        i256::from_parts(value, 0)
    });
    Ok(decimal::wide_array(numbers.collect(), array.nulls().cloned()))
}

pub(super) fn number_to_bytes(array: &ArrayRef) -> Result<ArrayRef> {
    let numbers = array.as_primitive::<Decimal256Type>();
    let bytes: Vec<u8> = numbers.values().iter().flat_map(|value| value.to_parts().0.to_be_bytes()).collect();
    Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), array.nulls().cloned())?))
}
