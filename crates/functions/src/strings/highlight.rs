//! `highlight(text, needles[, open, close])`: tags around every place where one of the needles stands, in either case of ASCII letters.
//! Places that overlap or touch become one.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use memchr::memmem::Finder;

use crate::columns::{Bytes, strings};
use crate::define::{constant_bytes, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// The most needles, and the most places of a text (the default of `highlight_max_matches_per_row`).
const NEEDLES_MAX: usize = 255;
const PLACES_MAX: usize = 10_000;

const LIMIT_EXCEEDED: ErrorCode = ErrorCode(290);

pub fn register(registry: &mut Registry) {
    registry.scalar("highlight", plain(|name, arguments, _| bind(name, arguments)));
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if !matches!(arguments.len(), 2 | 4) {
        let text = format!("Function {name} takes 2 or 4 arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    if !arguments[0].kind.is_string() {
        return Err(illegal(name, arguments, 0, "String or FixedString"));
    }
    if !matches!(&arguments[1].kind, T::Array(element) if **element == T::String) {
        return Err(illegal(name, arguments, 1, "a constant Array(String)"));
    }
    let tag = |i: usize, default: &str| match arguments.get(i) {
        None => Ok(default.as_bytes().to_vec()),
        Some(argument) if argument.kind != T::String => Err(illegal(name, arguments, i, "a constant String")),
        Some(argument) => constant_bytes(argument).ok_or_else(|| not_constant(name, i)),
    };
    let (open, close) = (tag(2, "<em>")?, tag(3, "</em>")?);
    let needles = super::tokenizer::constant_texts(&arguments[1])?.ok_or_else(|| not_constant(name, 1))?;
    if needles.is_empty() {
        let text = format!("Function {name} needs a needle at least");
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    if needles.len() > NEEDLES_MAX {
        let text = format!("Function {name} takes {NEEDLES_MAX} needles at most, not {}", needles.len());
        return Err(Error::new(ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION, text));
    }
    let finders: Vec<Finder<'static>> = needles
        .iter()
        .filter(|needle| !needle.is_empty())
        .map(|needle| Finder::new(&needle.to_ascii_lowercase()).into_owned())
        .collect();
    let is_fixed = matches!(arguments[0].kind, T::FixedString(_));
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let mut text = texts.get(row);
            if is_fixed {
                text = &text[..text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)];
            }
            let mut written = 0;
            for (start, end) in places(text, &finders)? {
                out.extend_from_slice(&text[written..start]);
                out.extend_from_slice(&open);
                out.extend_from_slice(&text[start..end]);
                out.extend_from_slice(&close);
                written = end;
            }
            out.extend_from_slice(&text[written..]);
            Ok(())
        })
    }))
}

/// Where the needles stand, in order, apart from one another.
fn places(text: &[u8], finders: &[Finder<'_>]) -> Result<Vec<(usize, usize)>> {
    let folded = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for finder in finders {
        let mut from = 0;
        while let Some(at) = folded.get(from..).and_then(|rest| finder.find(rest)) {
            found.push((from + at, from + at + finder.needle().len()));
            if found.len() > PLACES_MAX {
                let text = format!("A text has more than {PLACES_MAX} places to highlight");
                return Err(Error::new(LIMIT_EXCEEDED, text));
            }
            from += at + 1;
        }
    }
    found.sort_unstable();
    let mut apart: Vec<(usize, usize)> = Vec::with_capacity(found.len());
    for (start, end) in found {
        match apart.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => apart.push((start, end)),
        }
    }
    Ok(apart)
}
