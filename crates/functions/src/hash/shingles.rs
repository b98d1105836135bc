//! `ngramSimHash`, `ngramMinHash`, `wordShingleSimHash`, `wordShingleMinHash` and their forms: hashes that are alike where texts are.
//!
//! A text is cut into shingles: runs of so many bytes, code points or words. Each has a CRC-32C. A SimHash counts for each bit in how
//! many of them it is set and keeps the majority. A MinHash keeps the K smallest and the K greatest, and mixes each lot into one
//! number; the `Arg` forms give the shingles themselves.
//!
//! Two habits of ClickHouse's are kept, as its values depend on them: the first shingle of code points is left out, and letters are
//! made equal in case by setting a bit in every byte.

use std::collections::BTreeMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::UInt64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::city::hash_16;
use super::crc32c;
use crate::columns::{Bytes, numbers, strings};
use crate::define::{constant_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::strings::utf8;
use crate::tuples::struct_array;

/// The greatest size of a shingle and number of hashes.
const MOST: usize = 25;

/// Words that are shorter, in bytes, are passed over.
const SHORTEST_WORD: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Byte,
    Point,
    Word,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Sim,
    Min,
    /// The shingles whose hashes `Min` mixes.
    MinArgument,
}

#[derive(Clone, Copy)]
struct How {
    unit: Unit,
    fold: bool,
    size: usize,
    hashes: usize,
}

pub fn register(registry: &mut Registry) {
    for (suffix, fold, points) in
        [("", false, false), ("CaseInsensitive", true, false), ("UTF8", false, true), ("CaseInsensitiveUTF8", true, true)]
    {
        for (stem, wanted) in [("SimHash", Wanted::Sim), ("MinHash", Wanted::Min), ("MinHashArg", Wanted::MinArgument)] {
            let ngram = if points { Unit::Point } else { Unit::Byte };
            for (kind, unit) in [("ngram", ngram), ("wordShingle", Unit::Word)] {
                registry.scalar(
                    &format!("{kind}{stem}{suffix}"),
                    plain(move |name, arguments, _| bind(name, arguments, unit, wanted, fold)),
                );
            }
        }
    }
}

/// Of a constant from 1 to 25.
fn small(name: &str, arguments: &[Argument], i: usize, what: &str, default: usize) -> Result<usize> {
    let Some(argument) = arguments.get(i) else { return Ok(default) };
    if !matches!(argument.kind.integer_bits(), Some((..=64, false))) {
        return Err(illegal(name, arguments, i, "an unsigned integer"));
    }
    let value = constant_integer(argument).ok_or_else(|| {
        let text = format!("Argument {} ({what}) of function {name} must be constant", i + 1);
        Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
    })?;
    usize::try_from(value).ok().filter(|value| (1..=MOST).contains(value)).ok_or_else(|| {
        let text = format!("Argument {} ({what}) of function {name} must be from 1 to {MOST}, not {value}", i + 1);
        Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text)
    })
}

fn bind(name: &str, arguments: &[Argument], unit: Unit, wanted: Wanted, fold: bool) -> Result<Bound> {
    let most = if wanted == Wanted::Sim { 2 } else { 3 };
    if arguments.is_empty() || arguments.len() > most {
        let code = if arguments.is_empty() {
            ErrorCode::TOO_FEW_ARGUMENTS_FOR_FUNCTION
        } else {
            ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION
        };
        return Err(Error::new(code, format!("Function {name} takes 1 to {most} arguments, not {}", arguments.len())));
    }
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let size = small(name, arguments, 1, "shingle size", 3)?;
    let hashes = small(name, arguments, 2, "number of hashes", 6)?;
    let how = How { unit, fold, size, hashes };
    let texts = T::Tuple(vec![(None, T::String); hashes]);
    let result = match wanted {
        Wanted::Sim => T::UInt64,
        Wanted::Min => T::Tuple(vec![(None, T::UInt64); 2]),
        Wanted::MinArgument => T::Tuple(vec![(None, texts.clone()); 2]),
    };
    let kind = result.clone();
    Ok(Bound::new(result, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        match wanted {
            Wanted::Sim => numbers::<UInt64Type>(rows, |row| Ok(sim_hash(source.get(row), how))),
            Wanted::Min => {
                let mixed: Vec<(u64, u64)> = (0..rows).map(|row| Ends::of(source.get(row), how).mixed()).collect();
                let low: ArrayRef = Arc::new(UInt64Array::from_iter_values(mixed.iter().map(|(low, _)| *low)));
                let high: ArrayRef = Arc::new(UInt64Array::from_iter_values(mixed.iter().map(|(_, high)| *high)));
                struct_array(&kind, vec![low, high], rows)
            }
            Wanted::MinArgument => {
                let ends: Vec<Ends<'_>> = (0..rows).map(|row| Ends::of(source.get(row), how)).collect();
                let side = |high: bool| {
                    let column = |i: usize| {
                        strings(rows, |row, out| {
                            let found =
                                if high { ends[row].high.values().nth(i) } else { ends[row].low.values().rev().nth(i) };
                            out.extend_from_slice(found.copied().unwrap_or_default());
                            Ok(())
                        })
                    };
                    struct_array(&texts, (0..hashes).map(column).collect::<Result<Vec<_>>>()?, rows)
                };
                struct_array(&kind, vec![side(false)?, side(true)?], rows)
            }
        }
    }))
}

/// `crc` over one more text. Of nothing at all the hash is all ones in 64 bits, so it begins wider than a CRC is.
fn hash(start: u64, text: &[u8], fold: bool) -> u64 {
    if text.is_empty() {
        return start;
    }
    let bit = if fold { 0x20 } else { 0 };
    u64::from(text.iter().fold(start as u32, |crc, byte| crc32c::step(crc, byte | bit)))
}

/// Calls `each` with every shingle and its hash.
fn shingles<'a>(text: &'a [u8], how: How, mut each: impl FnMut(u64, &'a [u8])) {
    match how.unit {
        Unit::Byte if text.len() < how.size => each(hash(u64::MAX, text, how.fold), text),
        Unit::Byte => text.windows(how.size).for_each(|part| each(hash(u64::MAX, part, how.fold), part)),
        Unit::Point => {
            let mut starts = point_starts(text);
            if starts.len() < how.size {
                return each(hash(u64::MAX, text, how.fold), text);
            }
            starts.push(text.len());
            for run in starts.windows(how.size + 1).skip(1) {
                let part = &text[run[0]..run[how.size]];
                each(hash(u64::MAX, part, how.fold), part);
            }
        }
        Unit::Word => {
            let is_word = |byte: &u8| *byte >= 128 || byte.is_ascii_alphanumeric();
            let mut words: Vec<std::ops::Range<usize>> = Vec::new();
            let mut at = 0;
            while let Some(start) = text[at..].iter().position(is_word).map(|skip| at + skip) {
                let end = text[start..].iter().position(|byte| !is_word(byte)).map_or(text.len(), |length| start + length);
                if end - start >= SHORTEST_WORD {
                    words.push(start..end);
                }
                at = end;
            }
            if words.is_empty() {
                return;
            }
            for run in words.windows(how.size.min(words.len())) {
                let mixed = run.iter().fold(u64::MAX, |crc, word| hash(crc, &text[word.clone()], how.fold));
                each(mixed, &text[run[0].start..run[run.len() - 1].end]);
            }
        }
    }
}

/// Where each code point begins, by what its first byte says of its length.
fn point_starts(text: &[u8]) -> Vec<usize> {
    let (mut starts, mut at) = (Vec::new(), 0);
    while at < text.len() {
        starts.push(at);
        at += utf8::width(text[at]);
    }
    starts
}

fn sim_hash(text: &[u8], how: How) -> u64 {
    // A text that is too short for a shingle has its own hash.
    let short = match how.unit {
        Unit::Byte => text.len() < how.size,
        Unit::Point => point_starts(text).len() < how.size,
        Unit::Word => false,
    };
    if short {
        return hash(u64::MAX, text, how.fold);
    }
    let mut balance = [0i64; 64];
    shingles(text, how, |hash, _| {
        for (bit, count) in balance.iter_mut().enumerate() {
            *count += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    });
    balance.iter().enumerate().fold(0, |hash, (bit, count)| if *count > 0 { hash | 1 << bit } else { hash })
}

/// The smallest and the greatest hashes of a text, and the first shingle that has each.
struct Ends<'a> {
    low: BTreeMap<u64, &'a [u8]>,
    high: BTreeMap<u64, &'a [u8]>,
}

impl<'a> Ends<'a> {
    fn of(text: &'a [u8], how: How) -> Ends<'a> {
        let mut ends = Ends { low: BTreeMap::new(), high: BTreeMap::new() };
        shingles(text, how, |hash, part| {
            ends.low.entry(hash).or_insert(part);
            if ends.low.len() > how.hashes {
                ends.low.pop_last();
            }
            ends.high.entry(hash).or_insert(part);
            if ends.high.len() > how.hashes {
                ends.high.pop_first();
            }
        });
        ends
    }

    /// The small ones from the greatest on, the great ones from the smallest on.
    fn mixed(&self) -> (u64, u64) {
        (self.low.keys().rev().copied().fold(0, hash_16), self.high.keys().copied().fold(0, hash_16))
    }
}
