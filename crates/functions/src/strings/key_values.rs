//! `extractKeyValuePairs`, and `extractKeyValuePairsWithEscaping`: pairs such as `name:neymar, age:31` in any text. What makes no
//! pair is passed over.
//!
//! A reader goes from key to value and back. Each step says where the next one begins; a key or a value is put together piece by
//! piece, since escapes stand for other bytes. What is done with a quote in the midst of a word is the caller's choice.

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use std::sync::Arc;

use crate::columns::Bytes;
use crate::define::{arity, bad_argument, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

/// Characters that may each end a pair.
const PAIR_ENDS_MAX: usize = 8;

pub fn register(registry: &mut Registry) {
    registry.scalar("extractKeyValuePairs", plain(|name, arguments, env| bind(name, arguments, env, false)));
    registry.scalar("extractKeyValuePairsWithEscaping", plain(|name, arguments, env| bind(name, arguments, env, true)));
    for alias in ["str_to_map", "mapFromString"] {
        registry.alias(alias, "extractKeyValuePairs");
    }
    registry.any_case("str_to_map");
}

/// What a quote in the midst of a key or a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Midst {
    /// What was read so far is nothing.
    Invalid,
    /// A character.
    Accept,
    /// The beginning of what is quoted.
    Promote,
}

struct Marks {
    key_end: u8,
    pair_ends: Vec<u8>,
    quote: u8,
    midst: Midst,
    escapes: bool,
}

impl Marks {
    fn of(name: &str, arguments: &[Argument], escapes: bool) -> Result<Marks> {
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
        if pair_ends.len() > PAIR_ENDS_MAX {
            return Err(bad_argument(name, format!("pairs can be ended by at most {PAIR_ENDS_MAX} characters")));
        }
        let midst = match arguments.get(4) {
            None => Midst::Promote,
            Some(_) => match need_constant_text(name, arguments, 4)?.to_ascii_lowercase().as_str() {
                "invalid" => Midst::Invalid,
                "accept" => Midst::Accept,
                "promote" => Midst::Promote,
                other => {
                    let text =
                        format!("invalid unexpected_quoting_character_strategy '{other}': use invalid, accept or promote");
                    return Err(bad_argument(name, text));
                }
            },
        };
        let marks = Marks { key_end: one(1, b':')?, pair_ends, quote: one(3, b'"')?, midst, escapes };
        let ends = &marks.pair_ends;
        if ends.contains(&marks.key_end) || ends.contains(&marks.quote) || marks.key_end == marks.quote {
            return Err(bad_argument(name, "one character cannot be the end of keys, the end of pairs and a quote"));
        }
        if escapes && (ends.contains(&b'\\') || marks.key_end == b'\\' || marks.quote == b'\\') {
            return Err(bad_argument(name, "\\ is reserved for the escaping character"));
        }
        Ok(marks)
    }

    fn is_escape(&self, c: u8) -> bool {
        self.escapes && c == b'\\'
    }
}

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv, escapes: bool) -> Result<Bound> {
    arity(name, arguments, 1..=5)?;
    let pairs_max = env.limits.pairs_max;
    expect_string(name, arguments, 0)?;
    let marks = Marks::of(name, arguments, escapes)?;
    let kind = T::Map(Box::new(T::String), Box::new(T::String));
    Ok(Bound::new(kind.clone(), move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (mut keys, mut values) = (BinaryViewBuilder::new(), BinaryViewBuilder::new());
        let mut lengths = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut length = 0;
            let mut reader = Reader { rest: texts.get(row), marks: &marks, key: Vec::new(), value: Vec::new() };
            while reader.next_pair() {
                length += 1;
                if pairs_max > 0 && length as u64 > pairs_max {
                    let text = format!("Number of pairs produced exceeded the limit of {pairs_max}");
                    return Err(Error::new(ErrorCode::LIMIT_EXCEEDED, text));
                }
                keys.try_append_value(&reader.key)?;
                values.try_append_value(&reader.value)?;
            }
            lengths.push(length);
        }
        let (keys, values): (ArrayRef, ArrayRef) = (Arc::new(keys.finish()), Arc::new(values.finish()));
        crate::maps::map_array(&kind, keys, values, &lengths)
    }))
}

struct Reader<'a> {
    rest: &'a [u8],
    marks: &'a Marks,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// How a word ended.
enum Word {
    /// At the end of the key, of the pair, or at the closing quote.
    Whole,
    /// At the end of the text.
    AtEnd,
    /// At a quote from which on it is read anew.
    Quoted,
    /// It is no word: the next key is looked for.
    Nothing,
}

impl<'a> Reader<'a> {
    /// Reads as far as the next pair. False: there is none.
    fn next_pair(&mut self) -> bool {
        loop {
            let passes = |c: &u8| self.marks.pair_ends.contains(c) || *c == self.marks.key_end || self.marks.is_escape(*c);
            let Some(start) = self.rest.iter().position(|c| !passes(c)) else { return false };
            self.rest = &self.rest[start..];
            match self.read_key() {
                Word::Whole if self.read_value() => return true,
                Word::AtEnd => return false,
                _ => {}
            }
        }
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// A key, and the mark after it.
    fn read_key(&mut self) -> Word {
        let (key_end, quote) = (self.marks.key_end, self.marks.quote);
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        let mut word = if self.rest.first() == Some(&quote) {
            self.rest = &self.rest[1..];
            Word::Quoted
        } else {
            self.read_word(&mut key, |marks, c| c == key_end || marks.pair_ends.contains(&c))
        };
        match word {
            Word::Whole if self.take(1)[0] != key_end || key.is_empty() => word = Word::Nothing,
            Word::Quoted => {
                word = self.read_quoted(&mut key);
                if matches!(word, Word::Whole) {
                    word = match self.rest.first() {
                        _ if key.is_empty() => Word::Nothing,
                        None => Word::AtEnd,
                        Some(mark) if *mark == key_end => {
                            self.rest = &self.rest[1..];
                            Word::Whole
                        }
                        Some(_) => Word::Nothing,
                    };
                }
            }
            _ => {}
        }
        self.key = key;
        word
    }

    /// Whether a value follows.
    fn read_value(&mut self) -> bool {
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        let first = self.rest.first().copied();
        let word = if first == Some(self.marks.quote) {
            self.rest = &self.rest[1..];
            Word::Quoted
        } else if first.is_some_and(|c| self.marks.is_escape(c)) {
            self.rest = &self.rest[1..];
            Word::Nothing
        } else {
            self.read_word(&mut value, |marks, c| marks.pair_ends.contains(&c))
        };
        let found = match word {
            Word::Whole | Word::AtEnd => true,
            Word::Quoted => {
                let closed = matches!(self.read_quoted(&mut value), Word::Whole);
                // What follows the closing quote, as far as the end of the pair, belongs to nothing.
                let end = self.rest.iter().position(|c| self.marks.pair_ends.contains(c)).unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
                closed
            }
            Word::Nothing => false,
        };
        self.value = value;
        found
    }

    /// As far as a byte that ends it, which is left.
    fn read_word(&mut self, word: &mut Vec<u8>, ends: impl Fn(&Marks, u8) -> bool) -> Word {
        loop {
            let stops = |c: &u8| ends(self.marks, *c) || *c == self.marks.quote || self.marks.is_escape(*c);
            let Some(at) = self.rest.iter().position(stops) else {
                word.extend_from_slice(self.take(self.rest.len()));
                return Word::AtEnd;
            };
            word.extend_from_slice(self.take(at));
            let c = self.rest[0];
            if ends(self.marks, c) {
                return Word::Whole;
            }
            self.rest = &self.rest[1..];
            if c != self.marks.quote {
                if !self.unescape(word) {
                    self.rest = &[];
                    return Word::AtEnd;
                }
                continue;
            }
            match self.marks.midst {
                Midst::Invalid => return Word::Nothing,
                Midst::Accept => word.push(c),
                Midst::Promote => {
                    word.clear();
                    return Word::Quoted;
                }
            }
        }
    }

    /// As far as the closing quote, which is taken.
    fn read_quoted(&mut self, word: &mut Vec<u8>) -> Word {
        loop {
            let stops = |c: &u8| *c == self.marks.quote || self.marks.is_escape(*c);
            let Some(at) = self.rest.iter().position(stops) else {
                self.rest = &[];
                return Word::AtEnd;
            };
            word.extend_from_slice(self.take(at));
            let c = self.take(1)[0];
            if c == self.marks.quote {
                return Word::Whole;
            }
            if !self.unescape(word) {
                self.rest = &[];
                return Word::AtEnd;
            }
        }
    }

    /// What the bytes after a backslash stand for. False where the text ends within them.
    fn unescape(&mut self, word: &mut Vec<u8>) -> bool {
        let Some(c) = self.rest.first().copied() else { return false };
        self.rest = &self.rest[1..];
        match c {
            b'x' => {
                if self.rest.len() < 2 {
                    return false;
                }
                // What is no digit counts as all bits set.
                let digit = |c: u8| char::from(c).to_digit(16).map_or(0xff, |digit| digit as u8);
                let digits = self.take(2);
                word.push((digit(digits[0]) << 4).wrapping_add(digit(digits[1])));
            }
            // NULL: nothing.
            b'N' => {}
            b'a' => word.push(0x07),
            b'b' => word.push(0x08),
            b'e' => word.push(0x1b),
            b'f' => word.push(0x0c),
            b'n' => word.push(b'\n'),
            b'r' => word.push(b'\r'),
            b't' => word.push(b'\t'),
            b'v' => word.push(0x0b),
            b'0' => word.push(0),
            b'\\' | b'\'' | b'"' | b'`' | b'/' | b'=' | ..=31 => word.push(c),
            _ => word.extend_from_slice(&[b'\\', c]),
        }
        true
    }
}
