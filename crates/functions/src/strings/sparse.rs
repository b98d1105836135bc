//! `sparseGrams` and its forms: runs of a text whose number grows with its length alone, chosen so that texts that share a long
//! part share runs.
//!
//! Every run of `least - 1` characters has a hash. A run is chosen where the hashes at its two ends are greater than all those
//! between. They are found in one pass: a stack holds the hashes that no later one has exceeded yet; each new hash pairs with those
//! it exceeds, which leave the stack, and with the first that it does not.

use std::sync::Arc;

use SqlType as T;
use arrow::array::UInt32Array;
use gristmill_base::Result;
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_types::SqlType;

use super::utf8;
use crate::columns::{Bytes, list, slice_lists};
use crate::define::{arity, bad_argument, constant_integer, illegal, not_constant, plain};
use crate::hash::crc32c::weak_hash;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, hashes, points) in [
        ("sparseGrams", false, false),
        ("sparseGramsUTF8", false, true),
        ("sparseGramsHashes", true, false),
        ("sparseGramsHashesUTF8", true, true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, hashes, points)));
    }
}

/// Lengths in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    pub least: usize,
    pub most: usize,
    /// Shorter ones are found but not given.
    pub given: usize,
}

fn lengths(name: &str, arguments: &[Argument]) -> Result<Lengths> {
    let number = |i: usize, default: usize| {
        let Some(argument) = arguments.get(i) else { return Ok(default) };
        if !matches!(argument.kind.integer_bits(), Some((..=64, _))) {
            return Err(illegal(name, arguments, i, "an integer"));
        }
        let value = constant_integer(argument).ok_or_else(|| not_constant(name, i))?;
        // A negative number is a very great one there.
        Ok(usize::try_from(value).unwrap_or(usize::MAX))
    };
    let least = number(1, 3)?;
    // With all four arguments ClickHouse overlooks the third.
    let most = if arguments.len() == 3 { number(2, 100)? } else { 100 };
    let given = number(3, least)?;
    if least < 3 {
        return Err(bad_argument(name, "the least length must be 3 or more"));
    }
    if most < least {
        return Err(bad_argument(name, format!("the greatest length {most} must not be below the least, {least}")));
    }
    if !(least..=most).contains(&given) {
        return Err(bad_argument(
            name,
            format!("the least length that is given must be from {least} to {most}, not {given}"),
        ));
    }
    Ok(Lengths { least, most, given })
}

fn bind(name: &str, arguments: &[Argument], hashes: bool, points: bool) -> Result<Bound> {
    arity(name, arguments, 1..=4)?;
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let lengths = lengths(name, arguments)?;
    if !hashes {
        return Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
            slice_lists(&args[0], rows, |_, text, parts| {
                grams(text, lengths, points, |part| parts.push(part));
                Ok(())
            })
        }));
    }
    Ok(Bound::new(SqlType::array(T::UInt32), move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (mut values, mut counts, mut unasked) = (Vec::new(), Vec::with_capacity(rows), 0);
        for row in 0..rows {
            let before = values.len();
            grams(texts.get(row), lengths, points, |part| values.push(weak_hash(part)));
            counts.push(values.len() - before);
            unasked += (values.len() - before) * size_of::<u32>();
            if unasked >= ASKED_FOR_BYTES {
                check_room(unasked)?;
                unasked = 0;
            }
        }
        list(Arc::new(UInt32Array::from(values)), &counts)
    }))
}

/// A hash that no later one has exceeded.
struct Peak {
    start: usize,
    /// Number of the run's last character.
    last: usize,
    hash: u32,
}

/// Calls `each` with every run that is chosen.
pub fn grams<'a>(text: &'a [u8], lengths: Lengths, points: bool, mut each: impl FnMut(&'a [u8])) {
    let mut borders: Vec<usize> = Vec::new();
    if points {
        let mut at = 0;
        while at < text.len() {
            borders.push(at);
            at += utf8::width(text[at]);
        }
    } else {
        borders.extend(0..text.len());
    }
    borders.push(text.len());
    let mut peaks: Vec<Peak> = Vec::new();
    for (index, run) in borders.windows(lengths.least).enumerate() {
        let (start, end) = (run[0], run[run.len() - 1]);
        let last = index + lengths.least - 2;
        let hash = weak_hash(&text[start..end]);
        let length = |peak: &Peak| last - peak.last + lengths.least - 1;
        let mut give = |peak: &Peak, length: usize| {
            if length >= lengths.given {
                each(&text[peak.start..end]);
            }
        };
        while let Some(peak) = peaks.last().filter(|peak| peak.hash < hash) {
            let length = length(peak);
            if length > lengths.most {
                // All others begin further back.
                peaks.clear();
                break;
            }
            give(peak, length);
            peaks.pop();
        }
        if let Some(peak) = peaks.last().filter(|peak| length(peak) <= lengths.most) {
            give(peak, length(peak));
        }
        while peaks.last().is_some_and(|peak| peak.hash == hash) {
            peaks.pop();
        }
        peaks.push(Peak { start, last, hash });
    }
}
