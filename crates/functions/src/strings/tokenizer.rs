//! Texts as tokens: `tokens`, and what is asked of them: `hasAnyTokens`, `hasAllTokens`, `hasPhrase`, `tokensForLikePattern`.
//!
//! A tokenizer is named by a constant, with its parameters as further arguments (`tokens`) or in brackets behind the name
//! (`'ngrams(4)'`, the others).

use std::collections::HashSet;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use gristmill_base::Result;
use gristmill_types::SqlType;
use regex::bytes::{Captures, Regex};

use super::pattern::regex;
use super::sparse::{self, Lengths};
use super::split::grams;
use crate::columns::{Bytes, at, list, slice_lists, strings, truths};
use crate::define::{
    arity, bad_argument, constant_bytes, constant_integer, illegal, need_constant_text, not_constant, plain,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("tokens", plain(|name, arguments, _| tokens(name, arguments)));
    for (name, alias, all) in [("hasAnyTokens", "hasAnyToken", false), ("hasAllTokens", "hasAllToken", true)] {
        registry.scalar(name, plain(move |name, arguments, _| has_tokens(name, arguments, all)));
        registry.alias(alias, name);
    }
    registry.scalar("hasPhrase", plain(|name, arguments, _| has_phrase(name, arguments)));
    registry.alias("matchPhrase", "hasPhrase");
    registry.scalar("tokensForLikePattern", plain(|name, arguments, _| of_like_pattern(name, arguments)));
}

/// How a text becomes tokens, all of them parts of it.
#[derive(Debug)]
pub enum Tokenizer {
    /// Runs of ASCII letters and digits and of bytes beyond ASCII.
    NonAlpha,
    /// What stands between separators; the first that fits counts.
    Separators(Vec<Vec<u8>>),
    /// What stands between the matches of an expression, or its first group in each match (the match, where it has no group).
    Regexp {
        pattern: Regex,
        matches: bool,
    },
    /// All runs of so many code points.
    Grams(usize),
    Sparse(Lengths),
    /// The text itself.
    Whole,
}

/// The code points that the separator-free default keeps together.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Of regular expressions the same text is the same one.
impl PartialEq for Tokenizer {
    fn eq(&self, other: &Tokenizer) -> bool {
        match (self, other) {
            (Tokenizer::NonAlpha, Tokenizer::NonAlpha) | (Tokenizer::Whole, Tokenizer::Whole) => true,
            (Tokenizer::Separators(a), Tokenizer::Separators(b)) => a == b,
            (Tokenizer::Regexp { pattern: a, matches: c }, Tokenizer::Regexp { pattern: b, matches: d }) => {
                a.as_str() == b.as_str() && c == d
            }
            (Tokenizer::Grams(a), Tokenizer::Grams(b)) => a == b,
            (Tokenizer::Sparse(a), Tokenizer::Sparse(b)) => a == b,
            _ => false,
        }
    }
}

/// `matches`: tokens are what the expression finds, and not what stands between. Errors: BAD_ARGUMENTS.
fn by_regexp(name: &str, pattern: &[u8], matches: bool) -> Result<Tokenizer> {
    if pattern.is_empty() {
        return Err(bad_argument(name, "the regular expression of splitByRegexp must not be empty"));
    }
    let pattern = regex(pattern, false)?;
    if matches && pattern.is_match(b"") {
        let text = format!("splitByRegexp cannot give the matches of '{}', which may be empty", pattern.as_str());
        return Err(bad_argument(name, text));
    }
    Ok(Tokenizer::Regexp { pattern, matches })
}

impl Tokenizer {
    /// What they are called; some have older names, too.
    pub const NAMES: &[&str] = &["splitByNonAlpha", "splitByString", "splitByRegexp", "ngrams", "sparseGrams", "array"];

    /// `texts` and `numbers` are the parameters, by kind.
    fn new(name: &str, tokenizer: &str, texts: Option<Vec<Vec<u8>>>, numbers: &[i64]) -> Result<Tokenizer> {
        Ok(match tokenizer {
            "splitByNonAlpha" | "default" => Tokenizer::NonAlpha,
            "array" | "noop" => Tokenizer::Whole,
            "ngrams" | "ngram" => {
                let length = numbers.first().copied().unwrap_or(3);
                match usize::try_from(length) {
                    Ok(length @ 1..) => Tokenizer::Grams(length),
                    _ => {
                        return Err(bad_argument(name, format!("the length of ngrams must be at least 1, not {length}")));
                    }
                }
            }
            "splitByString" => {
                let separators = texts.unwrap_or_else(|| vec![b" ".to_vec()]);
                if separators.is_empty() || separators.iter().any(Vec::is_empty) {
                    return Err(bad_argument(name, "splitByString needs separators, and none may be empty"));
                }
                Tokenizer::Separators(separators)
            }
            "splitByRegexp" => match texts.as_deref() {
                Some([pattern]) => by_regexp(name, pattern, numbers.first().is_some_and(|flag| *flag != 0))?,
                _ => return Err(bad_argument(name, "splitByRegexp needs one regular expression")),
            },
            "sparseGrams" => {
                let number = |i: usize, default: usize| {
                    numbers.get(i).map_or(default, |number| usize::try_from(*number).unwrap_or(usize::MAX))
                };
                let least = number(0, 3);
                let (most, given) = (number(1, 100), number(2, least));
                if least < 3 || most < least || !(least..=most).contains(&given) {
                    let text = "the lengths of sparseGrams must be 3 or more, and the greatest not below the least";
                    return Err(bad_argument(name, text));
                }
                Tokenizer::Sparse(Lengths { least, most, given })
            }
            other => {
                let text = format!("unknown tokenizer '{other}': use one of {}", Tokenizer::NAMES.join(", "));
                return Err(bad_argument(name, text));
            }
        })
    }

    /// Written as `name` or `name(parameters)`: numbers, texts in quotes, or texts in a list.
    pub fn parsed(name: &str, written: &str) -> Result<Tokenizer> {
        // `array()` is an array of nothing where it is no tokenizer.
        if written.trim() == "[]" {
            return Tokenizer::new(name, "array", None, &[]);
        }
        let Some((tokenizer, rest)) = written.trim().split_once('(') else {
            return Tokenizer::new(name, written.trim(), None, &[]);
        };
        let wrong = || bad_argument(name, format!("cannot read the parameters of the tokenizer '{written}'"));
        let rest = rest.trim_end().strip_suffix(')').ok_or_else(wrong)?;
        let (mut texts, mut numbers): (Vec<Vec<u8>>, Vec<i64>) = (Vec::new(), Vec::new());
        let mut chars = rest.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\'' => {
                    let mut text = String::new();
                    loop {
                        match chars.next().ok_or_else(wrong)? {
                            '\'' => break,
                            '\\' => text.push(chars.next().ok_or_else(wrong)?),
                            plain => text.push(plain),
                        }
                    }
                    texts.push(text.into_bytes());
                }
                '-' | '0'..='9' => {
                    let mut number = c.to_string();
                    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                        number.push(digit);
                    }
                    numbers.push(number.parse().map_err(|_| wrong())?);
                }
                ',' | ' ' | '[' | ']' => {}
                letter if letter.is_ascii_alphabetic() => {
                    let mut word = letter.to_string();
                    while let Some(more) = chars.next_if(char::is_ascii_alphabetic) {
                        word.push(more);
                    }
                    numbers.push(i64::from(word.parse::<bool>().map_err(|_| wrong())?));
                }
                _ => return Err(wrong()),
            }
        }
        Tokenizer::new(name, tokenizer.trim(), (!texts.is_empty()).then_some(texts), &numbers)
    }

    pub fn tokens<'a>(&self, text: &'a [u8], out: &mut Vec<&'a [u8]>) {
        match self {
            Tokenizer::NonAlpha => out.extend(text.split(|byte| !is_word(*byte)).filter(|part| !part.is_empty())),
            Tokenizer::Separators(separators) => {
                let (mut start, mut at) = (0, 0);
                while at < text.len() {
                    match separators.iter().find(|separator| text[at..].starts_with(separator)) {
                        Some(separator) => {
                            out.extend((start < at).then(|| &text[start..at]));
                            at += separator.len();
                            start = at;
                        }
                        None => at += 1,
                    }
                }
                out.extend((start < text.len()).then(|| &text[start..]));
            }
            Tokenizer::Regexp { pattern, matches: true } => {
                let token = |found: Captures<'a>| found.get(1).or_else(|| found.get(0)).map(|part| part.as_bytes());
                out.extend(pattern.captures_iter(text).filter_map(token).filter(|part| !part.is_empty()));
            }
            Tokenizer::Regexp { pattern, matches: false } => {
                let mut start = 0;
                // The first match of nothing ends the search, as in ClickHouse.
                while let Some(found) = pattern.find_at(text, start).filter(|found| !found.is_empty()) {
                    out.extend((start < found.start()).then(|| &text[start..found.start()]));
                    start = found.end();
                }
                out.extend((start < text.len()).then(|| &text[start..]));
            }
            Tokenizer::Grams(length) => grams(text, *length, out),
            Tokenizer::Sparse(lengths) => sparse::grams(text, *lengths, true, |part| out.push(part)),
            Tokenizer::Whole => out.extend((!text.is_empty()).then_some(text)),
        }
    }
}

/// The texts of a constant array of strings or of a constant string.
pub fn constant_texts(argument: &Argument) -> Result<Option<Vec<Vec<u8>>>> {
    if let Some(text) = constant_bytes(argument) {
        return Ok(Some(vec![text]));
    }
    let Some(value) = argument.constant.as_ref() else { return Ok(None) };
    let array = value.to_array()?;
    let Some(list) = array.as_list_opt::<i32>() else { return Ok(None) };
    let texts = list.values().as_binary_view_opt();
    Ok(Some(texts.map(|texts| texts.iter().flatten().map(<[u8]>::to_vec).collect()).unwrap_or_default()))
}

/// By the arguments from `i` on: name and parameters.
fn by_arguments(name: &str, arguments: &[Argument], i: usize) -> Result<Tokenizer> {
    if arguments.len() <= i {
        return Ok(Tokenizer::NonAlpha);
    }
    let tokenizer = need_constant_text(name, arguments, i)?;
    let (mut texts, mut numbers) = (None, Vec::new());
    for argument in &arguments[i + 1..] {
        match constant_integer(argument) {
            Some(number) => numbers.push(number),
            None => texts = constant_texts(argument)?,
        }
    }
    Tokenizer::new(name, &tokenizer, texts, &numbers)
}

fn tokens(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=5)?;
    crate::define::expect_string(name, arguments, 0)?;
    let tokenizer = by_arguments(name, arguments, 1)?;
    Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
        slice_lists(&args[0], rows, |_, text, parts| {
            tokenizer.tokens(text, parts);
            Ok(())
        })
    }))
}

/// The tokenizer that argument 3 names.
fn named(name: &str, arguments: &[Argument]) -> Result<Tokenizer> {
    match arguments.get(2) {
        None => Ok(Tokenizer::NonAlpha),
        Some(_) => Tokenizer::parsed(name, &need_constant_text(name, arguments, 2)?),
    }
}

/// The texts of a row: one, or the elements of its array.
fn texts(array: &ArrayRef, row: usize) -> Result<Vec<&[u8]>> {
    let Some(list) = array.as_list_opt::<i32>() else { return Ok(vec![Bytes::of(array)?.get(row)]) };
    let row = at(list.len(), row);
    let range = list.value_offsets()[row] as usize..list.value_offsets()[row + 1] as usize;
    if range.is_empty() || *list.values().data_type() == arrow::datatypes::DataType::Null {
        return Ok(Vec::new());
    }
    // A single element has an index of its own, not that of a constant.
    let values = list.values();
    Ok(match Bytes::of(values)? {
        Bytes::View(texts) => range.map(|i| texts.value(i)).collect(),
        Bytes::Fixed(texts) => range.map(|i| texts.value(i)).collect(),
    })
}

fn is_string_array(kind: &SqlType) -> bool {
    matches!(kind, T::Array(element) if element.is_string() || **element == T::Nothing)
}

fn has_tokens(name: &str, arguments: &[Argument], all: bool) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    if !arguments[0].kind.is_string() && !is_string_array(&arguments[0].kind) {
        return Err(illegal(name, arguments, 0, "String, FixedString or an Array of them"));
    }
    let of_array = matches!(&arguments[1].kind, T::Array(element) if matches!(**element, T::String | T::Nothing));
    if arguments[1].kind != T::String && !of_array {
        return Err(illegal(name, arguments, 1, "a constant String or Array(String)"));
    }
    let needles = constant_texts(&arguments[1])?.ok_or_else(|| not_constant(name, 1))?;
    let tokenizer = named(name, arguments)?;
    // A text of needles is taken apart as the text searched in is; an array has them as they are.
    let needles: HashSet<Vec<u8>> = if of_array {
        needles.into_iter().collect()
    } else {
        let mut parts = Vec::new();
        needles.iter().for_each(|text| tokenizer.tokens(text, &mut parts));
        parts.into_iter().map(<[u8]>::to_vec).collect()
    };
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let mut parts = Vec::new();
        let mut failure = None;
        let found = truths(rows, |row| {
            parts.clear();
            match texts(&args[0], row) {
                Ok(texts) => texts.into_iter().for_each(|text| tokenizer.tokens(text, &mut parts)),
                Err(error) => failure = Some(error),
            }
            if needles.is_empty() {
                return false;
            }
            if !all {
                return parts.iter().any(|part| needles.contains(*part));
            }
            let met: HashSet<&[u8]> = parts.iter().copied().filter(|part| needles.contains(*part)).collect();
            met.len() == needles.len()
        });
        failure.map_or(found, Err)
    }))
}

fn has_phrase(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    crate::define::expect_string(name, arguments, 0)?;
    if arguments[1].kind != T::String {
        return Err(illegal(name, arguments, 1, "a constant String"));
    }
    let phrase = constant_bytes(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    let tokenizer = named(name, arguments)?;
    if matches!(tokenizer, Tokenizer::Sparse(_) | Tokenizer::Whole) {
        return Err(bad_argument(name, "the tokenizers sparseGrams and array keep no order of words: use another"));
    }
    let mut wanted = Vec::new();
    tokenizer.tokens(&phrase, &mut wanted);
    let wanted: Vec<Vec<u8>> = wanted.into_iter().map(<[u8]>::to_vec).collect();
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        truths(rows, |row| {
            let mut parts = Vec::new();
            tokenizer.tokens(source.get(row), &mut parts);
            !wanted.is_empty() && parts.windows(wanted.len()).any(|run| run.iter().zip(&wanted).all(|(a, b)| *a == &b[..]))
        })
    }))
}

/// The tokens that every text has that is like the pattern: those that touch no wildcard.
fn of_like_pattern(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    crate::define::expect_string(name, arguments, 0)?;
    let tokenizer = by_arguments(name, arguments, 1)?;
    if !matches!(tokenizer, Tokenizer::NonAlpha | Tokenizer::Grams(_)) {
        return Err(bad_argument(name, "only the tokenizers splitByNonAlpha and ngrams take LIKE patterns apart"));
    }
    Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
        let patterns = Bytes::of(&args[0])?;
        let (mut all, mut lengths): (Vec<Vec<u8>>, Vec<usize>) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let before = all.len();
            for (text, after_wildcard, before_wildcard) in plain_parts(patterns.get(row)) {
                let mut parts = Vec::new();
                tokenizer.tokens(&text, &mut parts);
                if matches!(tokenizer, Tokenizer::NonAlpha) {
                    if before_wildcard && text.last().is_some_and(|last| is_word(*last)) {
                        parts.pop();
                    }
                    if after_wildcard && text.first().is_some_and(|first| is_word(*first)) && !parts.is_empty() {
                        parts.remove(0);
                    }
                }
                all.extend(parts.into_iter().map(<[u8]>::to_vec));
            }
            lengths.push(all.len() - before);
        }
        let texts = strings(all.len(), |i, out| {
            out.extend_from_slice(&all[i]);
            Ok(())
        })?;
        list(texts, &lengths)
    }))
}

/// The stretches of a LIKE pattern without a wildcard, escapes taken away, and whether a wildcard stands before and after each.
fn plain_parts(pattern: &[u8]) -> Vec<(Vec<u8>, bool, bool)> {
    let (mut parts, mut current, mut after_wildcard) = (Vec::new(), Vec::new(), false);
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            b'%' | b'_' => {
                parts.push((std::mem::take(&mut current), after_wildcard, true));
                after_wildcard = true;
            }
            b'\\' if matches!(pattern.get(at + 1), Some(b'%' | b'_' | b'\\')) => {
                at += 1;
                current.push(pattern[at]);
            }
            other => current.push(other),
        }
        at += 1;
    }
    parts.push((current, after_wildcard, false));
    parts
}
