//! `convertCharset(text, from, to)`. Single-byte and East Asian encodings are those of the WHATWG (crate `encoding_rs`); UTF-16 and
//! UTF-32 in either order of bytes, Latin 1 and ASCII, which that standard takes for Windows-1252, are read and written here.
//!
//! What cannot be read becomes U+FFFD, what cannot be written the byte 0x1A.

use SqlType as T;
use encoding_rs::{EncoderResult, Encoding};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, strings};
use crate::define::{arity, constant_bytes, expect_string, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const CANNOT_CREATE_CHARSET_CONVERTER: ErrorCode = ErrorCode(360);

/// Stands for what an encoding cannot write.
const SUBSTITUTE: u8 = 0x1A;

#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    /// Code points below this, a byte each.
    Low(u32),
    /// Units of two bytes; whether the high byte is first, where the text does not say it by a mark.
    Utf16(Order),
    Utf32(Order),
    Table(&'static Encoding),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    HighFirst,
    LowFirst,
    /// A mark at the start says it. Without one the high byte is first; what is written has one, low byte first.
    Marked,
}

pub fn register(registry: &mut Registry) {
    registry.scalar("convertCharset", plain(|name, arguments, _| bind(name, arguments)));
}

fn charset(name: &str) -> Result<Charset> {
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    Ok(match plain.as_str() {
        "utf8" => Charset::Utf8,
        "usascii" | "ascii" | "iso646us" => Charset::Low(0x80),
        "iso88591" | "latin1" | "l1" | "cp819" | "ibm819" => Charset::Low(0x100),
        "utf16" | "ucs2" | "unicode" => Charset::Utf16(Order::Marked),
        "utf16be" => Charset::Utf16(Order::HighFirst),
        "utf16le" => Charset::Utf16(Order::LowFirst),
        "utf32" | "ucs4" => Charset::Utf32(Order::Marked),
        "utf32be" => Charset::Utf32(Order::HighFirst),
        "utf32le" => Charset::Utf32(Order::LowFirst),
        _ => {
            let known = match plain.strip_prefix("cp").filter(|digits| digits.len() == 4) {
                Some(digits) => Encoding::for_label(format!("windows-{digits}").as_bytes()),
                None => Encoding::for_label(name.as_bytes()),
            };
            let known = known.filter(|known| *known != encoding_rs::REPLACEMENT && known.name() != "x-user-defined");
            Charset::Table(known.ok_or_else(|| {
                let text = format!("Cannot create a converter for the charset '{name}': give a name such as windows-1251");
                Error::new(CANNOT_CREATE_CHARSET_CONVERTER, text)
            })?)
        }
    })
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let named = |i: usize| {
        expect_string(name, arguments, i)?;
        let bytes = constant_bytes(&arguments[i]).ok_or_else(|| not_constant(name, i))?;
        charset(&String::from_utf8_lossy(&bytes))
    };
    let (from, to) = (named(1)?, named(2)?);
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let text = decoded(from, texts.get(row));
            encode(to, &text, out);
            Ok(())
        })
    }))
}

fn decoded(from: Charset, bytes: &[u8]) -> String {
    match from {
        Charset::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
        Charset::Low(end) => bytes
            .iter()
            .map(|byte| if u32::from(*byte) < end { char::from(*byte) } else { char::REPLACEMENT_CHARACTER })
            .collect(),
        Charset::Utf16(order) => {
            let (order, bytes) = match (order, bytes) {
                (Order::Marked, [0xFF, 0xFE, rest @ ..]) => (Order::LowFirst, rest),
                (Order::Marked, [0xFE, 0xFF, rest @ ..]) => (Order::HighFirst, rest),
                (order, bytes) => (order, bytes),
            };
            let (units, rest) = bytes.as_chunks::<2>();
            let units = units.iter().map(|unit| match order {
                Order::LowFirst => u16::from_le_bytes(*unit),
                _ => u16::from_be_bytes(*unit),
            });
            let half = (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
            let points = char::decode_utf16(units).map(|point| point.unwrap_or(char::REPLACEMENT_CHARACTER));
            points.chain(half).collect()
        }
        Charset::Utf32(order) => {
            let (order, bytes) = match (order, bytes) {
                (Order::Marked, [0xFF, 0xFE, 0, 0, rest @ ..]) => (Order::LowFirst, rest),
                (Order::Marked, [0, 0, 0xFE, 0xFF, rest @ ..]) => (Order::HighFirst, rest),
                (order, bytes) => (order, bytes),
            };
            let (units, rest) = bytes.as_chunks::<4>();
            let points = units.iter().map(|unit| match order {
                Order::LowFirst => u32::from_le_bytes(*unit),
                _ => u32::from_be_bytes(*unit),
            });
            let part = (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
            points.map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)).chain(part).collect()
        }
        Charset::Table(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

fn encode(to: Charset, text: &str, out: &mut Vec<u8>) {
    match to {
        Charset::Utf8 => out.extend_from_slice(text.as_bytes()),
        Charset::Low(end) => {
            out.extend(text.chars().map(|c| if u32::from(c) < end { c as u32 as u8 } else { SUBSTITUTE }));
        }
        Charset::Utf16(order) => {
            if order == Order::Marked && !text.is_empty() {
                out.extend_from_slice(&[0xFF, 0xFE]);
            }
            for unit in text.encode_utf16() {
                out.extend_from_slice(&if order == Order::HighFirst { unit.to_be_bytes() } else { unit.to_le_bytes() });
            }
        }
        Charset::Utf32(order) => {
            if order == Order::Marked && !text.is_empty() {
                out.extend_from_slice(&[0xFF, 0xFE, 0, 0]);
            }
            for point in text.chars().map(u32::from) {
                out.extend_from_slice(&if order == Order::HighFirst { point.to_be_bytes() } else { point.to_le_bytes() });
            }
        }
        Charset::Table(encoding) => encode_by_table(encoding, text, out),
    }
}

fn encode_by_table(encoding: &'static Encoding, text: &str, out: &mut Vec<u8>) {
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    let mut piece = [0; 1024];
    loop {
        let (result, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut piece, true);
        out.extend_from_slice(&piece[..written]);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(_) => out.push(SUBSTITUTE),
        }
    }
}
