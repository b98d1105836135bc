//! `naiveBayesNgrams`: the n-grams that a naive Bayes classifier counts, of bytes, of code points or of words. Marks may stand
//! for what is before the beginning and after the end.

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder};
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use std::sync::Arc;

use crate::columns::{Bytes, list};
use crate::define::{arity, bad_argument, constant_bytes, constant_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const LENGTHS: std::ops::RangeInclusive<i64> = 1..=1024;

pub fn register(registry: &mut Registry) {
    registry.scalar("naiveBayesNgrams", plain(|name, arguments, _| bind(name, arguments)));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Byte,
    Point,
    Word,
}

fn wrong(text: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("NaiveBayes: {text}"))
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=5)?;
    for i in [0, 2, 3, 4] {
        if arguments.get(i).is_some_and(|argument| argument.kind != T::String) {
            return Err(illegal(name, arguments, i, "String"));
        }
    }
    if !matches!(arguments[1].kind.integer_bits(), Some((_, false))) {
        return Err(illegal(name, arguments, 1, "a constant unsigned integer"));
    }
    let text = |i: usize| -> Result<Vec<u8>> {
        match arguments.get(i) {
            Some(argument) => constant_bytes(argument).ok_or_else(|| not_constant(name, i)),
            None => Ok(Vec::new()),
        }
    };
    let length = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    if !LENGTHS.contains(&length) {
        return Err(bad_argument(name, format!("n must be in range [1, 1024], got {length}")));
    }
    let mode = match text(2)?.as_slice() {
        b"byte" => Mode::Byte,
        b"codepoint" => Mode::Point,
        b"token" => Mode::Word,
        other => {
            let other = String::from_utf8_lossy(other).into_owned();
            return Err(wrong(format!("mode must be 'byte', 'codepoint', or 'token', got '{other}'")));
        }
    };
    let (start, end) = (mark(&text(3)?, mode, "start_token")?, mark(&text(4)?, mode, "end_token")?);
    let length = length as usize;
    Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (mut grams, mut lengths) = (BinaryViewBuilder::new(), Vec::with_capacity(rows));
        let (mut gram, mut unasked) = (Vec::new(), 0);
        for row in 0..rows {
            let mut units: Vec<&[u8]> = Vec::new();
            units.extend(start.iter().flat_map(|mark| std::iter::repeat_n(mark.as_slice(), length - 1)));
            split(texts.get(row), mode, &mut units);
            units.extend(end.iter().flat_map(|mark| std::iter::repeat_n(mark.as_slice(), length - 1)));
            for window in units.windows(length) {
                gram.clear();
                for (i, unit) in window.iter().enumerate() {
                    if i > 0 && mode == Mode::Word {
                        gram.push(b' ');
                    }
                    gram.extend_from_slice(unit);
                }
                grams.try_append_value(&gram)?;
                unasked += gram.len();
                if unasked >= ASKED_FOR_BYTES {
                    check_room(unasked)?;
                    unasked = 0;
                }
            }
            lengths.push((units.len() + 1).saturating_sub(length));
        }
        list(Arc::new(grams.finish()) as ArrayRef, &lengths)
    }))
}

/// A mark beyond the text's ends: a number for bytes and code points. Empty: there is none.
fn mark(text: &[u8], mode: Mode, what: &str) -> Result<Option<Vec<u8>>> {
    if text.is_empty() {
        return Ok(None);
    }
    if mode == Mode::Word {
        return Ok(Some(text.to_vec()));
    }
    let shown = String::from_utf8_lossy(text);
    let digits = |text: &str, radix| {
        Some(text)
            .filter(|text| text.bytes().all(|c| c.is_ascii_alphanumeric()))
            .and_then(|text| u32::from_str_radix(text, radix).ok())
    };
    let number = match shown.strip_prefix("0x").or_else(|| shown.strip_prefix("0X")) {
        Some(hex) => digits(hex, 16),
        None => digits(&shown, 10),
    };
    let (name, greatest) = if mode == Mode::Byte { ("byte", 0xff) } else { ("codepoint", 0x10_ffff) };
    let number = number.filter(|number| *number <= greatest).ok_or_else(|| {
        let range = format!("an integer between 0 and {greatest} (decimal or 0x hex)");
        wrong(format!("{what} for '{name}' mode must be {range}, got '{shown}'"))
    })?;
    if mode == Mode::Byte {
        return Ok(Some(vec![number as u8]));
    }
    let point = char::from_u32(number).ok_or_else(|| {
        wrong(format!("{what} for '{name}' mode must not be a UTF-16 surrogate (0xD800-0xDFFF), got '{shown}'"))
    })?;
    Ok(Some(point.to_string().into_bytes()))
}

fn split<'a>(text: &'a [u8], mode: Mode, units: &mut Vec<&'a [u8]>) {
    match mode {
        Mode::Byte => units.extend(text.chunks(1)),
        Mode::Word => {
            let is_space = |c: &u8| matches!(c, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
            units.extend(text.split(is_space).filter(|word| !word.is_empty()));
        }
        Mode::Point => {
            for chunk in text.utf8_chunks() {
                let valid = chunk.valid();
                units.extend(valid.char_indices().map(|(at, point)| &valid.as_bytes()[at..at + point.len_utf8()]));
                // What is no UTF-8 is taken byte by byte.
                units.extend(chunk.invalid().chunks(1));
            }
        }
    }
}
