//! `extractKeyValuePairs`: pairs such as `name:neymar, age:31` in any text. What makes no pair is passed over.

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder};
use gristmill_base::Result;
use gristmill_types::SqlType;
use std::sync::Arc;

use crate::columns::Bytes;
use crate::define::{arity, bad_argument, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("extractKeyValuePairs", plain(|name, arguments, _| bind(name, arguments)));
    for alias in ["str_to_map", "mapFromString"] {
        registry.alias(alias, "extractKeyValuePairs");
    }
    registry.any_case("str_to_map");
}

struct Marks {
    key_end: u8,
    pair_ends: Vec<u8>,
    quote: u8,
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=4)?;
    expect_string(name, arguments, 0)?;
    let given = |i: usize| -> Result<Option<Vec<u8>>> {
        let text = if i < arguments.len() { need_constant_text(name, arguments, i)? } else { String::new() };
        Ok((!text.is_empty()).then(|| text.into_bytes()))
    };
    let one = |i: usize, default: u8| match given(i)?.as_deref() {
        None => Ok(default),
        Some([mark]) => Ok(*mark),
        Some(_) => Err(bad_argument(name, "a control character must be empty or exactly one character")),
    };
    let pair_ends = given(2)?.unwrap_or_else(|| b" ,;".to_vec());
    let marks = Marks { key_end: one(1, b':')?, pair_ends, quote: one(3, b'"')? };
    if marks.pair_ends.contains(&marks.key_end) || marks.pair_ends.contains(&marks.quote) || marks.key_end == marks.quote {
        return Err(bad_argument(name, "one character cannot be the end of keys, the end of pairs and a quote"));
    }
    let kind = T::Map(Box::new(T::String), Box::new(T::String));
    Ok(Bound::new(kind.clone(), move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (mut keys, mut values) = (BinaryViewBuilder::new(), BinaryViewBuilder::new());
        let mut lengths = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut length = 0;
            pairs(texts.get(row), &marks, |key, value| {
                keys.append_value(key);
                values.append_value(value);
                length += 1;
            });
            lengths.push(length);
        }
        let (keys, values): (ArrayRef, ArrayRef) = (Arc::new(keys.finish()), Arc::new(values.finish()));
        crate::maps::map_array(&kind, keys, values, &lengths)
    }))
}

fn pairs<'a>(text: &'a [u8], marks: &Marks, mut found: impl FnMut(&'a [u8], &'a [u8])) {
    let ends_pair = |c: &u8| marks.pair_ends.contains(c);
    let mut rest = text;
    loop {
        let start = rest.iter().position(|c| !ends_pair(c) && *c != marks.key_end);
        let Some(start) = start else { return };
        rest = &rest[start..];
        let Some((key, after)) = key(rest, marks) else { return };
        rest = after;
        let Some(key) = key else { continue };
        let end = rest.iter().position(|c| ends_pair(c) || *c == marks.quote).unwrap_or(rest.len());
        let value = if rest.get(end) == Some(&marks.quote) {
            // What stands before the quote is not part of the value.
            rest = &rest[end + 1..];
            let Some(close) = memchr::memchr(marks.quote, rest) else { return };
            let value = &rest[..close];
            rest = &rest[close + 1..];
            value
        } else {
            let value = &rest[..end];
            rest = &rest[end..];
            value
        };
        found(key, value);
    }
}

/// The key at the start and what follows its end; no key where none ends there. `None`: the text ends.
fn key<'a>(text: &'a [u8], marks: &Marks) -> Option<(Option<&'a [u8]>, &'a [u8])> {
    let is_end = |c: &u8| *c == marks.key_end || *c == marks.quote || marks.pair_ends.contains(c);
    let end = text.iter().position(is_end)?;
    let rest = &text[end + 1..];
    if text[end] == marks.key_end {
        return Some(((end > 0).then_some(&text[..end]), rest));
    }
    if text[end] != marks.quote {
        return Some((None, rest));
    }
    let close = memchr::memchr(marks.quote, rest)?;
    let (key, after) = (&rest[..close], &rest[close + 1..]);
    match after.first()? {
        mark if *mark == marks.key_end && !key.is_empty() => Some((Some(key), &after[1..])),
        _ => Some((None, after)),
    }
}
