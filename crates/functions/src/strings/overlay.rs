//! Pieces of strings put elsewhere: `overlay`, `reverseBySeparator`; and questions about them: `hasSubsequence`, `stringBytesUniq`,
//! `stringBytesEntropy`, `stringJaccardIndex`.

use std::collections::HashSet;

use SqlType as T;
use arrow::datatypes::{Float64Type, Int64Type, UInt16Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::utf8;
use crate::columns::{Bytes, Numbers, bytes_to, numbers, strings, truths};
use crate::define::{arity, expect_integer, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("overlay", plain(|name, arguments, _| overlay(name, arguments, false)));
    registry.any_case("overlay");
    registry.scalar("overlayUTF8", plain(|name, arguments, _| overlay(name, arguments, true)));
    registry.scalar("reverseBySeparator", plain(|name, arguments, _| reverse(name, arguments)));
    for (name, fold) in [
        ("hasSubsequence", false),
        ("hasSubsequenceUTF8", false),
        ("hasSubsequenceCaseInsensitive", true),
        ("hasSubsequenceCaseInsensitiveUTF8", true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| subsequence(name, arguments, fold)));
        registry.any_case(name);
    }
    registry.scalar(
        "stringBytesUniq",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(T::UInt16, |args, _| {
                bytes_to::<UInt16Type>(&args[0], |text| counts(text).iter().filter(|count| **count > 0).count() as u16)
            }))
        }),
    );
    registry.scalar(
        "stringBytesEntropy",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(T::Float64, |args, _| bytes_to::<Float64Type>(&args[0], entropy)))
        }),
    );
    for (name, points) in [("stringJaccardIndex", false), ("stringJaccardIndexUTF8", true)] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                arity(name, arguments, 2..=2)?;
                expect_string(name, arguments, 0)?;
                expect_string(name, arguments, 1)?;
                Ok(Bound::new(T::Float64, move |args, rows| {
                    let (a, b) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
                    numbers::<Float64Type>(rows, |row| Ok(jaccard(a.get(row), b.get(row), points)))
                }))
            }),
        );
    }
}

/// Text, replacement, place from 1 (negative: from the end), length (that of the replacement).
fn overlay(name: &str, arguments: &[Argument], points: bool) -> Result<Bound> {
    arity(name, arguments, 3..=4)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let mut casts = vec![arguments[0].kind.clone(), arguments[1].kind.clone()];
    for i in 2..arguments.len() {
        expect_integer(name, arguments, i)?;
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let (texts, replacements) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        let places = Numbers::of::<Int64Type>(&args[2])?;
        let lengths = args.get(3).map(Numbers::of::<Int64Type>).transpose()?;
        strings(rows, |row, out| {
            let (text, replacement) = (texts.get(row), replacements.get(row));
            let count = |text: &[u8]| if points { utf8::count(text) } else { text.len() };
            let total = count(text) as i64;
            let start = match places.get(row) {
                place if place > 0 => (place - 1).min(total),
                place => total.saturating_add(place).max(0),
            };
            let length = match lengths.map(|lengths| lengths.get(row)) {
                Some(length) if length >= 0 => length,
                _ => count(replacement) as i64,
            };
            let end = start.saturating_add(length).min(total);
            let byte = |place: i64| {
                if points { utf8::points(text).take(place as usize).map(<[u8]>::len).sum() } else { place as usize }
            };
            out.extend_from_slice(&text[..byte(start)]);
            out.extend_from_slice(replacement);
            out.extend_from_slice(&text[byte(end)..]);
            Ok(())
        })
    }))
}

fn reverse(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let separator = if arguments.len() == 2 { need_constant_text(name, arguments, 1)?.into_bytes() } else { b".".to_vec() };
    if separator.is_empty() {
        // Each byte stands for itself.
        return Ok(Bound::new(T::String, |args, rows| {
            let texts = Bytes::of(&args[0])?;
            strings(rows, |row, out| {
                out.extend(texts.get(row).iter().rev());
                Ok(())
            })
        }));
    }
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let finder = memchr::memmem::Finder::new(&separator);
        strings(rows, |row, out| {
            let text = texts.get(row);
            let mut end = text.len();
            let starts: Vec<usize> = finder.find_iter(text).collect();
            for start in starts.into_iter().rev() {
                out.extend_from_slice(&text[(start + separator.len()).min(end)..end]);
                out.extend_from_slice(&separator);
                end = start;
            }
            out.extend_from_slice(&text[..end]);
            Ok(())
        })
    }))
}

fn subsequence(name: &str, arguments: &[Argument], fold: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let (texts, wanted) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        let found = |text: &[u8], wanted: &[u8]| {
            let mut letters = text.iter();
            wanted.iter().all(|letter| letters.any(|found| found == letter))
        };
        truths(rows, |row| {
            if !fold {
                return found(texts.get(row), wanted.get(row));
            }
            let lower = |text: &[u8]| String::from_utf8_lossy(text).to_lowercase();
            found(lower(texts.get(row)).as_bytes(), lower(wanted.get(row)).as_bytes())
        })
    }))
}

fn counts(text: &[u8]) -> [u32; 256] {
    let mut counts = [0; 256];
    text.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

/// Bits of information in a byte.
fn entropy(text: &[u8]) -> f64 {
    let total = text.len() as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts(text).iter().filter(|count| **count > 0).fold(0.0, |bits, count| bits - share(count) * share(count).log2())
}

/// Characters that two texts share, among all that they have.
fn jaccard(a: &[u8], b: &[u8], points: bool) -> f64 {
    let characters = |text: &'_ [u8]| -> HashSet<Vec<u8>> {
        if points { utf8::points(text).map(<[u8]>::to_vec).collect() } else { text.chunks(1).map(<[u8]>::to_vec).collect() }
    };
    let (a, b) = (characters(a), characters(b));
    let shared = a.intersection(&b).count();
    shared as f64 / (a.len() + b.len() - shared).max(1) as f64
}
