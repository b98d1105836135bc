//! `ngramDistance` and `ngramSearch`: how many runs of four bytes (of three code points) two texts share.
//!
//! The distance counts the runs that only one text has, among those of both; the search counts the needle's runs that
//! the haystack has, among the needle's.

use std::collections::HashMap;

use SqlType as T;
use arrow::datatypes::Float32Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::utf8;
use crate::columns::{Bytes, numbers};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// Texts longer than this are not compared: they count as wholly different.
const LONGEST: usize = 1 << 15;

#[derive(Clone, Copy)]
struct How {
    search: bool,
    fold: bool,
    points: bool,
}

pub fn register(registry: &mut Registry) {
    for (stem, search) in [("ngramDistance", false), ("ngramSearch", true)] {
        for (suffix, fold, points) in [
            ("", false, false),
            ("CaseInsensitive", true, false),
            ("UTF8", false, true),
            ("CaseInsensitiveUTF8", true, true),
        ] {
            let how = How { search, fold, points };
            registry.scalar(&format!("{stem}{suffix}"), plain(move |name, arguments, _| bind(name, arguments, how)));
        }
    }
}

fn bind(name: &str, arguments: &[Argument], how: How) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let name = name.to_string();
    Ok(Bound::new(T::Float32, move |args, rows| {
        let (haystacks, needles) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        numbers::<Float32Type>(rows, |row| {
            let (haystack, needle) = (haystacks.get(row), needles.get(row));
            if needle.len() > LONGEST {
                let text = format!("String size of the needle is too big for function {name}: at most {LONGEST} bytes");
                return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, text));
            }
            if haystack.len() > LONGEST {
                return Ok(if how.search { 0.0 } else { 1.0 });
            }
            Ok(if how.points {
                let (haystack, needle) = (folded_points(haystack, how.fold), folded_points(needle, how.fold));
                let points = |text: &'_ [u8]| -> Vec<Vec<u8>> { utf8::points(text).map(<[u8]>::to_vec).collect() };
                compare(&points(&haystack), &points(&needle), 3, how.search)
            } else {
                let fold = |text: &[u8]| if how.fold { text.to_ascii_lowercase() } else { text.to_vec() };
                compare(&fold(haystack), &fold(needle), 4, how.search)
            })
        })
    }))
}

fn folded_points(text: &[u8], fold: bool) -> Vec<u8> {
    match (fold, std::str::from_utf8(text)) {
        (true, Ok(text)) => text.to_lowercase().into_bytes(),
        _ => text.to_vec(),
    }
}

fn compare<C: Eq + std::hash::Hash>(haystack: &[C], needle: &[C], width: usize, search: bool) -> f32 {
    let mut left: HashMap<&[C], u32> = HashMap::new();
    let (mut wanted, mut given) = (0i64, 0i64);
    for run in needle.windows(width) {
        *left.entry(run).or_default() += 1;
        wanted += 1;
    }
    let mut distance = wanted;
    for run in haystack.windows(width) {
        given += 1;
        match left.get_mut(run).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                distance -= 1;
            }
            None if search => {}
            None => distance += 1,
        }
    }
    if search { 1.0 - distance as f32 / wanted.max(1) as f32 } else { distance as f32 / (wanted + given).max(1) as f32 }
}
