//! `replaceOne`, `replaceAll`, `replaceRegexpOne`, `replaceRegexpAll`, `regexpQuoteMeta`, `translate`.

use std::ops::Range;

use SqlType as T;
use arrow::array::ArrayRef;
use gristmill_base::Result;
use gristmill_types::SqlType;
use memchr::memmem;
use regex::bytes::Regex;

use super::like::Compiled;
use super::pattern::regex;
use super::sequence::{Groups, Sequence};
use super::{text_function, utf8};
use crate::columns::{Bytes, slices, strings};
use crate::define::{arity, bad_argument, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("replaceOne", plain(|name, arguments, _| replace(name, arguments, false)));
    registry.scalar("replaceAll", plain(|name, arguments, _| replace(name, arguments, true)));
    registry.alias("replace", "replaceAll");
    registry.any_case("replace");
    registry.scalar("replaceRegexpOne", plain(|name, arguments, _| replace_regexp(name, arguments, false)));
    registry.scalar("replaceRegexpAll", plain(|name, arguments, _| replace_regexp(name, arguments, true)));
    registry.alias("REGEXP_REPLACE", "replaceRegexpAll");
    registry.any_case("REGEXP_REPLACE");
    registry.scalar("regexpQuoteMeta", text_function(quote_meta));
    registry.scalar("translate", plain(|name, arguments, _| translate(name, arguments, false)));
    registry.scalar("translateUTF8", plain(|name, arguments, _| translate(name, arguments, true)));
}

fn replace(name: &str, arguments: &[Argument], all: bool) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    (0..3).try_for_each(|i| expect_string(name, arguments, i))?;
    Ok(Bound::new(T::String, move |args: &[ArrayRef], rows| {
        let (source, needles, others) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?, Bytes::of(&args[2])?);
        let mut finder: Option<memmem::Finder> = None;
        strings(rows, |row, out| {
            let (text, needle, other) = (source.get(row), needles.get(row), others.get(row));
            if needle.is_empty() {
                out.extend_from_slice(text);
                return Ok(());
            }
            let finder = match &finder {
                Some(known) if known.needle() == needle => known,
                _ => finder.insert(memmem::Finder::new(needle)),
            };
            let mut copied = 0;
            for at in finder.find_iter(text).take(if all { usize::MAX } else { 1 }) {
                out.extend_from_slice(&text[copied..at]);
                out.extend_from_slice(other);
                copied = at + needle.len();
            }
            out.extend_from_slice(&text[copied..]);
            Ok(())
        })
    }))
}

/// A replacement with `\0` … `\9` standing for groups.
#[derive(Debug, PartialEq)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
}

fn parts(replacement: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut bytes = replacement.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => {
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.push(Part::Group(usize::from(digit - b'0')));
                }
                Some(other) => text.push(other),
                None => text.push(b'\\'),
            },
            other => text.push(other),
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

fn append<'a>(parts: &[Part], group: impl Fn(usize) -> Option<&'a [u8]>, out: &mut Vec<u8>) {
    for part in parts {
        match part {
            Part::Text(text) => out.extend_from_slice(text),
            Part::Group(n) => out.extend_from_slice(group(*n).unwrap_or_default()),
        }
    }
}

fn replace_regexp(name: &str, arguments: &[Argument], all: bool) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    (0..3).try_for_each(|i| expect_string(name, arguments, i))?;
    let compiled: Compiled<(Regex, Option<Sequence>)> = Compiled::new(&arguments[1], |pattern| {
        let regex = regex(pattern, false)?;
        let sequence = Sequence::new(regex.as_str());
        Ok((regex, sequence))
    })?;
    Ok(Bound::new(T::String, move |args: &[ArrayRef], rows| {
        let (source, others) = (Bytes::of(&args[0])?, Bytes::of(&args[2])?);
        let mut patterns = compiled.of(&args[1])?;
        if args[1].len() == 1
            && args[2].len() == 1
            && let (Some(sequence), [Part::Group(group)]) = (&patterns.get(0)?.1, parts(others.get(0)).as_slice())
            && let Some(ranges) = groups_alone(sequence, *group, &source, rows)
        {
            return slices(&args[0], rows, |row, text| &text[ranges[row].clone()]);
        }
        let mut known: Option<(&[u8], Vec<Part>)> = None;
        let mut groups = Groups::new();
        strings(rows, |row, out| {
            let (text, pattern, other) = (source.get(row), patterns.get(row)?, others.get(row));
            let (regex, sequence) = pattern;
            let parts = match &known {
                Some((of, parts)) if *of == other => parts,
                _ => &known.insert((other, parts(other))).1,
            };
            if let Some(Part::Group(n)) =
                parts.iter().find(|part| matches!(part, Part::Group(n) if *n >= regex.captures_len()))
            {
                let text =
                    format!("the replacement names group {n}, but '{}' has {}", regex.as_str(), regex.captures_len() - 1);
                return Err(bad_argument("replaceRegexp", text));
            }
            if regex.as_str().is_empty() {
                out.extend_from_slice(text);
                return Ok(());
            }
            if let Some(sequence) = sequence
                && std::str::from_utf8(text).is_ok()
            {
                // It matches at the beginning or nowhere.
                let mut copied = 0;
                if sequence.find(text, &mut groups) {
                    append(parts, |group| groups[group].clone().map(|range| &text[range]), out);
                    copied = groups[0].as_ref().map_or(0, |whole| whole.end);
                }
                out.extend_from_slice(&text[copied..]);
                return Ok(());
            }
            let mut copied = 0;
            let mut at = 0;
            while at <= text.len() {
                let found = if let [Part::Text(plain)] = parts.as_slice() {
                    regex.find_at(text, at).map(|found| {
                        out.extend_from_slice(&text[copied..found.start()]);
                        out.extend_from_slice(plain);
                        found.range()
                    })
                } else {
                    regex.captures_at(text, at).and_then(|found| {
                        let whole = found.get(0)?.range();
                        out.extend_from_slice(&text[copied..whole.start]);
                        append(parts, |group| found.get(group).map(|group| group.as_bytes()), out);
                        Some(whole)
                    })
                };
                let Some(found) = found else { break };
                copied = found.end;
                // What matches nothing matches behind a match too: the next search begins one byte further.
                at = if found.is_empty() { found.end + 1 } else { found.end };
                if !all {
                    break;
                }
            }
            out.extend_from_slice(&text[copied..]);
            Ok(())
        })
    }))
}

/// What is left of each text where the replacement is one group of a match that is the whole text: a part of it, which needs
/// no copy. `None`: of some text more is left.
fn groups_alone(sequence: &Sequence, group: usize, source: &Bytes<'_>, rows: usize) -> Option<Vec<Range<usize>>> {
    let mut groups = Groups::new();
    let mut left = Vec::with_capacity(rows);
    for row in 0..rows {
        let text = source.get(row);
        std::str::from_utf8(text).ok()?;
        if !sequence.find(text, &mut groups) {
            left.push(0..text.len());
            continue;
        }
        let whole = groups.first()?.as_ref()?;
        if whole.end < text.len() {
            return None;
        }
        left.push(groups.get(group)?.clone().unwrap_or(0..0));
    }
    Some(left)
}

fn quote_meta(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        match byte {
            0 | b'\\' | b'(' | b')' | b'^' | b'$' | b'.' | b'[' | b']' | b'?' | b'*' | b'+' | b'{' | b':' | b'-' | b'|' => {
                out.extend([b'\\', *byte]);
            }
            other => out.push(*other),
        }
    }
}

/// Characters of the second argument become those of the third; where the third is shorter they are removed.
fn translate(name: &str, arguments: &[Argument], points: bool) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    (0..3).try_for_each(|i| expect_string(name, arguments, i))?;
    Ok(Bound::new(T::String, move |args: &[ArrayRef], rows| {
        let (source, from, to) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?, Bytes::of(&args[2])?);
        strings(rows, |row, out| {
            let (text, from, to) = (source.get(row), from.get(row), to.get(row));
            if points {
                let from: Vec<&[u8]> = utf8::points(from).collect();
                let to: Vec<&[u8]> = utf8::points(to).collect();
                for point in utf8::points(text) {
                    match from.iter().rposition(|known| *known == point) {
                        None => out.extend_from_slice(point),
                        Some(at) => out.extend_from_slice(to.get(at).copied().unwrap_or_default()),
                    }
                }
            } else {
                for byte in text {
                    match from.iter().rposition(|known| known == byte) {
                        None => out.push(*byte),
                        Some(at) => out.extend(to.get(at)),
                    }
                }
            }
            Ok(())
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `replace_regexp` cuts a text where its replacement is one group and nothing else.
    #[test]
    fn a_group_alone_is_one_part() {
        let text = |text: &[u8]| Part::Text(text.to_vec());
        assert_eq!(parts(b"\\1"), [Part::Group(1)]);
        assert_eq!(parts(b"a\\0b\\\\"), [text(b"a"), Part::Group(0), text(b"b\\")]);
        assert_eq!(parts(b""), [text(b"")]);
    }
}
