//! Texts taken apart: `splitBy…`, `alphaTokens`, `ngrams`; and put together: `arrayStringConcat`. Parts share the buffers
//! of the text they come from.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;
use memchr::memmem;
use regex::bytes::Regex;

use super::like::Compiled;
use super::pattern::regex;
use super::utf8;
use crate::columns::{Bytes, Numbers, at, slice_lists, strings};
use crate::define::{arity, bad_argument, expect_array, expect_integer, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::text::Texts;

pub fn register(registry: &mut Registry) {
    registry.scalar("splitByChar", plain(|name, arguments, env| by_separator(name, arguments, true, env)));
    registry.scalar("splitByString", plain(|name, arguments, env| by_separator(name, arguments, false, env)));
    registry.scalar("splitByRegexp", plain(by_regexp));
    registry.scalar(
        "splitByWhitespace",
        plain(|name, arguments, env| by_class(name, arguments, env, |byte| !byte.is_ascii_whitespace() && byte != 0x0B)),
    );
    registry.scalar(
        "splitByNonAlpha",
        plain(|name, arguments, env| {
            let inside = |byte: u8| !byte.is_ascii_whitespace() && byte != 0x0B && !byte.is_ascii_punctuation();
            by_class(name, arguments, env, inside)
        }),
    );
    registry.scalar(
        "alphaTokens",
        plain(|name, arguments, env| by_class(name, arguments, env, |byte| byte.is_ascii_alphabetic())),
    );
    registry.alias("splitByAlpha", "alphaTokens");
    registry.scalar("ngrams", plain(|name, arguments, _| ngrams(name, arguments)));
    registry.scalar("arrayStringConcat", plain(join));
    registry.alias("array_to_string", "arrayStringConcat");
    registry.any_case("array_to_string");
}

/// How many parts there may be.
struct Limit<'a> {
    most: Option<Numbers<'a, i64>>,
    /// The last part has the rest in it, which is dropped by default.
    keeps_rest: bool,
}

impl<'a> Limit<'a> {
    fn of(array: Option<&'a ArrayRef>, keeps_rest: bool) -> Result<Limit<'a>> {
        Ok(Limit { most: array.map(Numbers::of::<Int64Type>).transpose()?, keeps_rest })
    }

    fn get(&self, row: usize) -> Parts {
        let most = match self.most.as_ref().map(|numbers| numbers.get(row)) {
            Some(most) if most > 0 => most as usize,
            _ => usize::MAX,
        };
        Parts { split: most - usize::from(self.keeps_rest), most }
    }
}

/// How many parts are split off, and how many there may be: one more where the last is the rest.
#[derive(Clone, Copy)]
struct Parts {
    split: usize,
    most: usize,
}

fn with_limit(name: &str, arguments: &[Argument], at: usize) -> Result<Vec<SqlType>> {
    let mut casts: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    if arguments.len() > at {
        expect_integer(name, arguments, at)?;
        casts[at] = T::Int64;
    }
    Ok(casts)
}

fn by_separator(name: &str, arguments: &[Argument], one_byte: bool, env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let casts = with_limit(name, arguments, 2)?;
    let keeps_rest = env.limits.keeps_rest;
    Ok(Bound::cast(casts, SqlType::array(T::String), move |args, rows| {
        let (separators, limit) = (Bytes::of(&args[0])?, Limit::of(args.get(2), keeps_rest)?);
        let mut known: Option<memmem::Finder> = None;
        slice_lists(&args[1], rows, |row, text, parts| {
            let (separator, wanted) = (separators.get(row), limit.get(row));
            if one_byte {
                let [separator] = separator else {
                    return Err(bad_argument("splitByChar", "the separator must be one character"));
                };
                let mut start = 0;
                for at in memchr::memchr_iter(*separator, text) {
                    if parts.len() == wanted.split {
                        break;
                    }
                    parts.push(&text[start..at]);
                    start = at + 1;
                }
                if parts.len() < wanted.most {
                    parts.push(&text[start..]);
                }
                return Ok(());
            }
            if separator.is_empty() {
                single_bytes(text, wanted, parts);
                return Ok(());
            }
            let finder = match &known {
                Some(finder) if finder.needle() == separator => finder,
                _ => known.insert(memmem::Finder::new(separator)),
            };
            let mut start = 0;
            for at in finder.find_iter(text) {
                if parts.len() == wanted.split {
                    break;
                }
                parts.push(&text[start..at]);
                start = at + separator.len();
            }
            if parts.len() < wanted.most {
                parts.push(&text[start..]);
            }
            Ok(())
        })
    }))
}

/// What an empty separator splits a text into.
fn single_bytes<'a>(text: &'a [u8], wanted: Parts, parts: &mut Vec<&'a [u8]>) {
    let (split, rest) = text.split_at(wanted.split.min(text.len()));
    parts.extend(split.chunks(1));
    if wanted.split < wanted.most && !rest.is_empty() {
        parts.push(rest);
    }
}

fn by_regexp(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let compiled: Compiled<Regex> = Compiled::new(&arguments[0], |pattern| regex(pattern, false))?;
    let casts = with_limit(name, arguments, 2)?;
    let keeps_rest = env.limits.keeps_rest;
    Ok(Bound::cast(casts, SqlType::array(T::String), move |args, rows| {
        let limit = Limit::of(args.get(2), keeps_rest)?;
        let mut patterns = compiled.of(&args[0])?;
        slice_lists(&args[1], rows, |row, text, parts| {
            let (regex, wanted) = (patterns.get(row)?, limit.get(row));
            if regex.as_str().is_empty() {
                single_bytes(text, wanted, parts);
                return Ok(());
            }
            let mut start = 0;
            while parts.len() < wanted.split {
                // Where the pattern finds nothing but an empty text, ClickHouse looks no further.
                let Some(found) = regex.find_at(text, start).filter(|found| !found.is_empty()) else { break };
                parts.push(&text[start..found.start()]);
                start = found.end();
            }
            if parts.len() < wanted.most {
                parts.push(&text[start..]);
            }
            Ok(())
        })
    }))
}

/// Runs of bytes of a class.
fn runs<'a>(text: &'a [u8], inside: impl Fn(u8) -> bool, wanted: Parts, parts: &mut Vec<&'a [u8]>) {
    let mut at = 0;
    while parts.len() < wanted.most {
        let Some(skipped) = text[at..].iter().position(|byte| inside(*byte)) else { return };
        let start = at + skipped;
        let length = match parts.len() < wanted.split {
            true => text[start..].iter().position(|byte| !inside(*byte)),
            false => None,
        };
        at = length.map_or(text.len(), |length| start + length);
        parts.push(&text[start..at]);
    }
}

fn by_class(name: &str, arguments: &[Argument], env: &FunctionEnv, inside: fn(u8) -> bool) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let casts = with_limit(name, arguments, 1)?;
    let keeps_rest = env.limits.keeps_rest;
    Ok(Bound::cast(casts, SqlType::array(T::String), move |args, rows| {
        let limit = Limit::of(args.get(1), keeps_rest)?;
        slice_lists(&args[0], rows, |row, text, parts| {
            runs(text, inside, limit.get(row), parts);
            Ok(())
        })
    }))
}

/// All stretches of `n` code points.
pub fn grams<'a>(text: &'a [u8], n: usize, parts: &mut Vec<&'a [u8]>) {
    let mut borders: Vec<usize> =
        text.iter().enumerate().filter(|(_, byte)| !utf8::is_continuation(**byte)).map(|(i, _)| i).collect();
    borders.push(text.len());
    parts.extend(borders.windows(n.saturating_add(1)).map(|window| &text[window[0]..window[n]]));
}

fn ngrams(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let casts = vec![arguments[0].kind.clone(), T::Int64];
    Ok(Bound::cast(casts, SqlType::array(T::String), |args, rows| {
        let lengths = Numbers::of::<Int64Type>(&args[1])?;
        slice_lists(&args[0], rows, |row, text, parts| match lengths.get(row) {
            n if n < 1 => Err(bad_argument("ngrams", "the length must be positive")),
            n => {
                grams(text, n as usize, parts);
                Ok(())
            }
        })
    }))
}

/// Elements of any type as text, with a separator in between; NULL elements are left out.
fn join(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let element = expect_array(name, arguments, 0)?.clone();
    if arguments.len() == 2 {
        expect_string(name, arguments, 1)?;
    }
    let env = env.clone();
    Ok(Bound::new(T::String, move |args, rows| {
        let list = args[0].as_list::<i32>();
        let separators = args.get(1).map(Bytes::of).transpose()?;
        let values = list.values().clone();
        if element == T::Nothing {
            return strings(rows, |_, _| Ok(()));
        }
        let texts = Texts::of(&values, element.plain(), &env)?;
        // A single element has an index of its own, not that of a constant.
        let single = values.len() == 1;
        let is_fixed = matches!(element.plain(), T::FixedString(_));
        strings(rows, |row, out| {
            let index = at(list.len(), row);
            let separator = separators.as_ref().map_or(b"".as_slice(), |separators| separators.get(row));
            let mut first = true;
            for i in list.value_offsets()[index]..list.value_offsets()[index + 1] {
                let i = if single { 0 } else { i as usize };
                if values.is_null(i) {
                    continue;
                }
                if !first {
                    out.extend_from_slice(separator);
                }
                first = false;
                let begin = out.len();
                texts.write(i, out);
                // A FixedString is a text here: without the zeros behind it.
                while is_fixed && out.len() > begin && out.last() == Some(&0) {
                    out.pop();
                }
            }
            Ok(())
        })
    }))
}
