//! Bytes as text and back: `hex`, `bin`, `base64…`, `ascii`; XML text.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Decimal256Type, Int32Type};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::states::Codec;

use super::text_function;
use crate::columns::{Bytes, at, bytes_to, strings};
use crate::define::{arity, expect_string, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("hex", plain(|name, arguments, _| digits(name, arguments, 4)));
    registry.any_case("hex");
    registry.scalar("bin", plain(|name, arguments, _| digits(name, arguments, 1)));
    registry.any_case("bin");
    registry.scalar("unhex", text_function(unhex));
    registry.any_case("unhex");
    registry.scalar("unbin", text_function(unbin));
    registry.any_case("unbin");
    registry.scalar("base64Encode", text_function(|text, out| out.extend(STANDARD.encode(text).bytes())));
    registry.scalar("base64URLEncode", text_function(|text, out| out.extend(URL_SAFE_NO_PAD.encode(text).bytes())));
    for (name, url, tries) in [
        ("base64Decode", false, false),
        ("tryBase64Decode", false, true),
        ("base64URLDecode", true, false),
        ("tryBase64URLDecode", true, true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| decode(name, arguments, url, tries)));
    }
    for (alias, name) in [("TO_BASE64", "base64Encode"), ("FROM_BASE64", "base64Decode")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    registry.scalar(
        "ascii",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(T::Int32, |args, _| {
                bytes_to::<Int32Type>(&args[0], |text| text.first().map_or(0, |first| i32::from(*first)))
            }))
        }),
    );
    registry.any_case("ascii");
    registry.scalar(
        "encodeXMLComponent",
        text_function(|text, out| {
            for byte in text {
                match byte {
                    b'<' => out.extend(b"&lt;"),
                    b'>' => out.extend(b"&gt;"),
                    b'&' => out.extend(b"&amp;"),
                    b'"' => out.extend(b"&quot;"),
                    b'\'' => out.extend(b"&apos;"),
                    other => out.push(*other),
                }
            }
        }),
    );
    registry.scalar("decodeXMLComponent", text_function(decode_xml));
}

/// The bytes of a value, most significant first, and whether leading zero bytes are left out (they are of numbers).
enum Source<'a> {
    Bytes(Bytes<'a>),
    /// Big-endian bytes of `width` each.
    Numbers {
        bytes: Vec<u8>,
        width: usize,
        short: bool,
    },
}

fn source<'a>(array: &'a ArrayRef, kind: &SqlType) -> Result<Source<'a>> {
    if matches!(array.data_type(), DataType::BinaryView | DataType::FixedSizeBinary(_)) {
        return Ok(Source::Bytes(Bytes::of(array)?));
    }
    if *array.data_type() == DataType::Boolean {
        let bytes = array.as_boolean().values().iter().map(u8::from).collect();
        return Ok(Source::Numbers { bytes, width: 1, short: true });
    }
    if let Some(wide) = array.as_primitive_opt::<Decimal256Type>()
        && let Some((bits, _)) = kind.integer_bits()
    {
        let width = usize::from(bits / 8);
        let bytes = wide.values().iter().flat_map(|value| value.to_be_bytes()[32 - width..].to_vec()).collect();
        return Ok(Source::Numbers { bytes, width, short: true });
    }
    let data = array.to_data();
    let width =
        array.data_type().primitive_width().ok_or_else(|| Error::logical(format!("hex of {}", array.data_type())))?;
    // The buffer holds little-endian values, from the array's offset on.
    let stored = &data.buffers()[0].as_slice()[data.offset() * width..(data.offset() + data.len()) * width];
    // Floats and decimals are shown as they lie in memory, integers as numbers.
    let as_stored = kind.is_float() || kind.is_decimal();
    let (take, skip) = match kind {
        T::Date => (2, 0),
        T::DateTime(_) => (4, 0),
        T::BFloat16 => (4, 2),
        T::Decimal { precision, .. } => (
            match precision {
                0..=9 => 4,
                10..=18 => 8,
                19..=38 => 16,
                _ => 32,
            },
            0,
        ),
        _ => (width, 0),
    };
    let mut bytes = Vec::with_capacity(stored.len());
    for value in stored.chunks_exact(width) {
        let value = &value[skip..take];
        if as_stored { bytes.extend(value) } else { bytes.extend(value.iter().rev()) }
    }
    Ok(Source::Numbers { bytes, width: take - skip, short: !as_stored })
}

/// States as ClickHouse writes them, as strings. `None`: values are none.
fn encoded(array: &ArrayRef, kind: &SqlType) -> Result<Option<ArrayRef>> {
    let T::AggregateFunction(function, kinds) = kind else { return Ok(None) };
    let mut builder = BytesBuilder::with_capacity(array.len());
    Codec::of(function, kinds)?.encode(array.as_binary::<i32>(), |state| builder.append(state))?;
    Ok(Some(Arc::new(builder.finish(None))))
}

/// Digits of `bits` bits each: 4 for hexadecimal, 1 for binary.
fn digits(name: &str, arguments: &[Argument], bits: u32) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    if let T::AggregateFunction(function, kinds) = &kind {
        Codec::of(function, kinds)?;
    } else if !(kind.is_number()
        || kind.is_string()
        || kind.is_date_or_time()
        || kind.is_enum()
        || matches!(kind, T::Uuid | T::IPv4 | T::IPv6))
    {
        return Err(illegal(name, arguments, 0, "a number, a string, a date or a UUID"));
    }
    Ok(Bound::new(T::String, move |args, rows| {
        let len = args[0].len();
        let state = encoded(&args[0], &kind)?;
        let source = source(state.as_ref().unwrap_or(&args[0]), &kind)?;
        strings(rows, |row, out| {
            let (bytes, short) = match &source {
                Source::Bytes(bytes) => (bytes.get(row), false),
                Source::Numbers { bytes, width, short } => {
                    let row = at(len, row);
                    (&bytes[row * width..(row + 1) * width], *short)
                }
            };
            let skip = if short { bytes.iter().take(bytes.len() - 1).take_while(|byte| **byte == 0).count() } else { 0 };
            for byte in &bytes[skip..] {
                for digit in (0..8 / bits).rev() {
                    let value = byte >> (digit * bits) & ((1u16 << bits) - 1) as u8;
                    out.push(b"0123456789ABCDEF"[usize::from(value)]);
                }
            }
            Ok(())
        })
    }))
}

/// The reverse of `hex`. What is no digit counts as 255, as ClickHouse has it.
fn unhex(text: &[u8], out: &mut Vec<u8>) {
    let value = |byte: u8| match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => 0xFF,
    };
    undigits(text, 2, out, |digits| digits.iter().fold(0u8, |byte, digit| (byte << 4).wrapping_add(value(*digit))));
}

/// The reverse of `bin`. All but `0` is 1.
fn unbin(text: &[u8], out: &mut Vec<u8>) {
    undigits(text, 8, out, |digits| digits.iter().fold(0, |byte, digit| byte << 1 | u8::from(*digit != b'0')));
}

/// A byte of so many digits each; those that are missing at the front are zero.
fn undigits(text: &[u8], per_byte: usize, out: &mut Vec<u8>, pack: impl Fn(&[u8]) -> u8) {
    let (head, rest) = text.split_at(text.len() % per_byte);
    if !head.is_empty() {
        out.push(pack(head));
    }
    out.extend(rest.chunks_exact(per_byte).map(pack));
}

/// Whitespace may stand anywhere, and bits that fill no byte are left out. The form for URLs may lack its padding, and have the
/// characters of either alphabet.
fn decode(name: &str, arguments: &[Argument], url: bool, tries: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let alphabet = if url { &base64::alphabet::URL_SAFE } else { &base64::alphabet::STANDARD };
    let engine = GeneralPurpose::new(alphabet, config);
    let name = name.to_string();
    Ok(Bound::new(T::String, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut characters = Vec::new();
        strings(rows, |row, out| {
            characters.clear();
            characters.extend(source.get(row).iter().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| match byte {
                b'+' if url => b'-',
                b'/' if url => b'_',
                other => *other,
            }));
            let padded = url || characters.len().is_multiple_of(4);
            match engine.decode(&characters) {
                Ok(bytes) if padded => {
                    out.extend(bytes);
                    Ok(())
                }
                _ if tries => Ok(()),
                _ => {
                    let text = format!(
                        "Failed to base64-decode input in row {}: use try{}{}",
                        row + 1,
                        name[..1].to_uppercase(),
                        &name[1..]
                    );
                    Err(Error::new(ErrorCode::INCORRECT_DATA, text))
                }
            }
        })
    }))
}

fn decode_xml(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(start) = memchr::memchr(b'&', rest) {
        out.extend_from_slice(&rest[..start]);
        rest = &rest[start..];
        let entity = memchr::memchr(b';', rest).map(|end| &rest[1..end]).filter(|entity| entity.len() <= 10);
        let decoded = match entity {
            Some(b"lt") => Some('<'),
            Some(b"gt") => Some('>'),
            Some(b"amp") => Some('&'),
            Some(b"quot") => Some('"'),
            Some(b"apos") => Some('\''),
            Some([b'#', b'x' | b'X', digits @ ..]) => std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .and_then(char::from_u32),
            Some([b'#', digits @ ..]) => {
                std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).and_then(char::from_u32)
            }
            _ => None,
        };
        match (decoded, entity) {
            (Some(c), Some(entity)) => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[entity.len() + 2..];
            }
            _ => {
                out.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
}
