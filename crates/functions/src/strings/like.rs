//! `like`, `ilike`, `match` and their negations. A constant pattern is compiled once, when the function is bound.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use arrow::array::ArrayRef;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use regex::bytes::Regex;

use super::pattern::{Like, regex};
use crate::columns::{Bytes, strings, truths};
use crate::define::{arity, bad_argument, constant_bytes, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    for (name, case_insensitive, wanted) in
        [("like", false, true), ("notLike", false, false), ("ilike", true, true), ("notILike", true, false)]
    {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                bind(name, arguments, wanted, move |pattern| Like::new(pattern, case_insensitive), Like::matches)
            }),
        );
    }
    for (name, case_insensitive, wanted) in [
        ("match", false, true),
        ("notMatch", false, false),
        ("matchCaseInsensitive", true, true),
        ("notMatchCaseInsensitive", true, false),
    ] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                bind(name, arguments, wanted, move |pattern| regex(pattern, case_insensitive), Regex::is_match)
            }),
        );
    }
    registry.scalar(PATTERN, plain(bind_pattern));
    registry.alias("REGEXP_MATCHES", "match");
    registry.any_case("REGEXP_MATCHES");
}

/// The pattern of LIKE with a character of ESCAPE, as one without.
pub const PATTERN: &str = "__likePattern";

fn bind_pattern(name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let character = constant_bytes(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    let escape = match character[..] {
        [character] if character.is_ascii() => character,
        _ => return Err(bad_argument(name, "ESCAPE takes one ASCII character")),
    };
    Ok(Bound::new(SqlType::String, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        strings(rows, |row, out| without_escape(source.get(row), escape, out))
    }))
}

/// Writes a pattern of which `escape` takes the place of the backslash. Error: CANNOT_PARSE_ESCAPE_SEQUENCE, where it stands
/// before something else than `%`, `_` and itself.
fn without_escape(pattern: &[u8], escape: u8, out: &mut Vec<u8>) -> Result<()> {
    if escape == b'\\' {
        out.extend_from_slice(pattern);
        return Ok(());
    }
    let mut bytes = pattern.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            _ if byte == escape => match bytes.next() {
                Some(escaped) if matches!(escaped, b'%' | b'_') => out.extend([b'\\', escaped]),
                Some(escaped) if escaped == escape => out.push(escaped),
                _ => {
                    let text = format!(
                        "Invalid escape sequence in the pattern '{}' of LIKE: behind the character of ESCAPE only %, _ and the \
                         character itself may stand",
                        String::from_utf8_lossy(pattern)
                    );
                    return Err(Error::new(ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE, text));
                }
            },
            b'\\' => out.extend([b'\\', b'\\']),
            byte => out.push(byte),
        }
    }
    Ok(())
}

/// Compiled patterns by their text: one where it is constant, else those met in a block.
pub struct Compiled<P> {
    constant: Option<Arc<P>>,
    compile: Arc<dyn Fn(&[u8]) -> Result<P> + Send + Sync>,
}

impl<P> Compiled<P> {
    pub fn new(argument: &Argument, compile: impl Fn(&[u8]) -> Result<P> + Send + Sync + 'static) -> Result<Compiled<P>> {
        let constant = match constant_bytes(argument) {
            Some(pattern) => Some(Arc::new(compile(&pattern)?)),
            None => None,
        };
        Ok(Compiled { constant, compile: Arc::new(compile) })
    }

    /// The patterns of a block's rows.
    pub fn of<'a>(&self, patterns: &'a ArrayRef) -> Result<Patterns<'a, P>> {
        let source = Bytes::of(patterns)?;
        Ok(Patterns { constant: self.constant.clone(), compile: self.compile.clone(), source, met: HashMap::new() })
    }
}

pub struct Patterns<'a, P> {
    constant: Option<Arc<P>>,
    compile: Arc<dyn Fn(&[u8]) -> Result<P> + Send + Sync>,
    source: Bytes<'a>,
    met: HashMap<&'a [u8], P>,
}

impl<P> Patterns<'_, P> {
    /// Borrowed: a count of references that all threads touch for each row was half of the time of a replacement's loop.
    #[inline]
    pub fn get(&mut self, row: usize) -> Result<&P> {
        if let Some(constant) = &self.constant {
            return Ok(constant);
        }
        let text = self.source.get(row);
        match self.met.entry(text) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => Ok(place.insert((self.compile)(text)?)),
        }
    }
}

fn bind<P: Send + Sync + 'static>(
    name: &str,
    arguments: &[Argument],
    wanted: bool,
    compile: impl Fn(&[u8]) -> Result<P> + Send + Sync + 'static,
    matches: fn(&P, &[u8]) -> bool,
) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let casts = haystack(name, arguments)?;
    expect_string(name, arguments, 1)?;
    let compiled = Compiled::new(&arguments[1], compile)?;
    Ok(Bound::cast(casts, SqlType::UInt8, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        if let Some(pattern) = &compiled.constant {
            return truths(rows, |row| matches(pattern, source.get(row)) == wanted);
        }
        let mut patterns = compiled.of(&args[1])?;
        let mut failure = None;
        let result = truths(rows, |row| match patterns.get(row) {
            Ok(pattern) => matches(pattern, source.get(row)) == wanted,
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        });
        failure.map_or(result, Err)
    }))
}

/// The text searched in may be an enum, by its names.
fn haystack(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    if arguments[0].kind.is_enum() {
        return Ok(vec![SqlType::String, arguments[1].kind.clone()]);
    }
    expect_string(name, arguments, 0)?;
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_character_escapes() {
        let rewritten = |pattern: &str, escape: u8| {
            let mut out = Vec::new();
            without_escape(pattern.as_bytes(), escape, &mut out).map(|()| String::from_utf8_lossy(&out).into_owned())
        };
        for (pattern, escape, expected) in [
            ("a!%c!_", b'!', "a\\%c\\_"),
            ("a!!%", b'!', "a!%"),
            ("a\\c", b'!', "a\\\\c"),
            ("a\\%", b'\\', "a\\%"),
            ("x%%", b'%', "x\\%"),
        ] {
            assert_eq!(rewritten(pattern, escape).ok().as_deref(), Some(expected), "{pattern}");
        }
        for pattern in ["a!c", "a!"] {
            let code = rewritten(pattern, b'!').err().map(|error| error.code());
            assert_eq!(code, Some(ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE), "{pattern}");
        }
    }
}
