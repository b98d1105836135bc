//! Code points in bytes that are mostly UTF-8. A byte that continues no sequence counts with the code point before it, as
//! ClickHouse counts; nothing fails on invalid text.

use gristmill_types::SqlType;

use super::{text_function, text_predicate};
use crate::columns::bytes_to_bytes;
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    registry.scalar("isValidUTF8", text_predicate(|text| std::str::from_utf8(text).is_ok()));
    registry.scalar("isValidASCII", text_predicate(<[u8]>::is_ascii));
    registry.alias("isASCII", "isValidASCII");
    registry.scalar("toValidUTF8", text_function(valid));
    registry.scalar(
        "reverseUTF8",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(SqlType::String, |args, _| bytes_to_bytes(&args[0], reversed)))
        }),
    );
}

/// The code points from the last to the first. Of bytes that are no UTF-8 as many stay together as ClickHouse leaves together:
/// what follows a first byte, whatever it is, where the text is long enough.
fn reversed(text: &[u8], out: &mut Vec<u8>) {
    let begin = out.len();
    out.resize(begin + text.len(), 0);
    let (mut at, mut end) = (0, out.len());
    while at < text.len() {
        let together = if text[at] >= 0xF8 { 4 } else { width(text[at]) };
        let together = if at + together <= text.len() { together } else { 1 };
        out[end - together..end].copy_from_slice(&text[at..at + together]);
        at += together;
        end -= together;
    }
}

#[inline]
pub fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Number of code points.
#[inline]
pub fn count(text: &[u8]) -> usize {
    text.iter().filter(|byte| !is_continuation(**byte)).count()
}

/// Length in bytes of the code point that begins with `first`; a byte that begins none stands for itself.
#[inline]
pub fn width(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}

/// Byte offset of code point `n` (from 0), or the length of the text.
pub fn offset(text: &[u8], n: usize) -> usize {
    if text.is_ascii() {
        return n.min(text.len());
    }
    text.iter().enumerate().filter(|(_, byte)| !is_continuation(**byte)).nth(n).map_or(text.len(), |(at, _)| at)
}

/// The code points, each as its bytes.
pub fn points(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (point, after) = rest.split_at(width(first).min(rest.len()));
        rest = after;
        Some(point)
    })
}

/// Replaces every run of invalid bytes by one replacement character.
fn valid(text: &[u8], out: &mut Vec<u8>) {
    let mut was_invalid = false;
    for chunk in text.utf8_chunks() {
        if !chunk.valid().is_empty() {
            out.extend_from_slice(chunk.valid().as_bytes());
            was_invalid = false;
        }
        if !chunk.invalid().is_empty() && !was_invalid {
            out.extend_from_slice("\u{FFFD}".as_bytes());
            was_invalid = true;
        }
    }
}

/// `f` of the text where it is valid UTF-8; invalid stretches are kept.
pub fn map_valid(text: &[u8], out: &mut Vec<u8>, mut f: impl FnMut(&str, &mut Vec<u8>)) {
    for chunk in text.utf8_chunks() {
        f(chunk.valid(), out);
        out.extend_from_slice(chunk.invalid());
    }
}
