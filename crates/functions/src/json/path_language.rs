//! `JSON_VALUE`, `JSON_QUERY`, `JSON_EXISTS`: JSONPath with `$`, `.key`, `['key']`, `[key]`, `[n]`, `[a to b]`, `[*]`, `.*`.

use SqlType as T;
use arrow::array::Array;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::scan::json::JsonKind;

use super::path::{elements, kind, members, unescaped, whole};
use super::raw::{minify, text};
use crate::columns::{Bytes, strings, truths};
use crate::define::{arity, bad_argument, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, JsonRules};

enum Step {
    Key(Vec<u8>),
    AllMembers,
    /// From one place to another, that one not included, counted from 0.
    Ranges(Vec<(usize, usize)>),
}

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "JSON_EXISTS",
        plain(|name, arguments, _| {
            let steps = bind(name, arguments)?;
            Ok(Bound::new(T::UInt8, move |args, rows| {
                let json = Bytes::of(&args[0])?;
                truths(rows, |row| !found(json.get(row), &steps).is_empty())
            }))
        }),
    );
    registry.scalar(
        "JSON_QUERY",
        plain(|name, arguments, _| {
            let steps = bind(name, arguments)?;
            Ok(Bound::new(T::String, move |args, rows| {
                let json = Bytes::of(&args[0])?;
                strings(rows, |row, out| {
                    let values = found(json.get(row), &steps);
                    for (place, value) in values.iter().enumerate() {
                        out.extend_from_slice(if place == 0 { &b"["[..] } else { b", " });
                        minify(value, out);
                    }
                    if !values.is_empty() {
                        out.push(b']');
                    }
                    Ok(())
                })
            }))
        }),
    );
    registry.scalar("JSON_VALUE", plain(|name, arguments, env| value_of(name, arguments, env.json)));
}

/// The first value that the path leads to: one that is neither object nor array, unless these are asked for too.
fn value_of(name: &str, arguments: &[Argument], rules: JsonRules) -> Result<Bound> {
    let steps = bind(name, arguments)?;
    let result = if rules.value_is_nullable { T::String.nullable() } else { T::String };
    Ok(Bound::new(result, move |args, rows| {
        let json = Bytes::of(&args[0])?;
        let is_wanted =
            |value: &&&[u8]| rules.value_is_complex || !matches!(kind(value), Some(JsonKind::Object | JsonKind::Array));
        let mut valid = Vec::with_capacity(rows);
        let texts = strings(rows, |row, out| {
            let values = found(json.get(row), &steps);
            let value = values.iter().find(is_wanted);
            valid.push(value.is_some());
            match value.map(|value| (kind(value), value)) {
                Some((Some(JsonKind::Null), _)) => out.extend(b"null"),
                Some((_, value)) => text(value, out),
                None => {}
            }
            Ok(())
        })?;
        if !rules.value_is_nullable || valid.iter().all(|valid| *valid) {
            return Ok(texts);
        }
        let nulls = Some(arrow::buffer::NullBuffer::from(valid));
        Ok(arrow::array::make_array(texts.to_data().into_builder().nulls(nulls).build()?))
    }))
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Vec<Step>> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    let path = need_constant_text(name, arguments, 1)?;
    parse(path.as_bytes()).ok_or_else(|| bad_argument(name, format!("unable to parse the JSONPath '{path}'")))
}

fn parse(path: &[u8]) -> Option<Vec<Step>> {
    let mut rest = path.trim_ascii().strip_prefix(b"$")?;
    let mut steps = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        match first {
            b'.' if after.first() == Some(&b'*') => {
                steps.push(Step::AllMembers);
                rest = &after[1..];
            }
            b'.' => {
                let (key, after) = match after.strip_prefix(b"\"") {
                    Some(quoted) => {
                        let end = memchr::memchr(b'"', quoted)?;
                        (&quoted[..end], &quoted[end + 1..])
                    }
                    None => after.split_at(after.iter().position(|c| matches!(c, b'.' | b'[')).unwrap_or(after.len())),
                };
                if key.is_empty() {
                    return None;
                }
                steps.push(Step::Key(key.to_vec()));
                rest = after;
            }
            b'[' => {
                let end = memchr::memchr(b']', after)?;
                let inside = after[..end].trim_ascii();
                rest = &after[end + 1..];
                if let [quote @ (b'\'' | b'"'), key @ .., last] = inside
                    && quote == last
                {
                    steps.push(Step::Key(key.to_vec()));
                } else if is_name(inside) {
                    steps.push(Step::Key(inside.to_vec()));
                } else if inside == b"*" {
                    steps.push(Step::Ranges(vec![(0, usize::MAX)]));
                } else {
                    let range = |part: &[u8]| {
                        let part = std::str::from_utf8(part).ok()?.trim();
                        match part.split_once(" to ") {
                            Some((from, to)) => Some((from.trim().parse().ok()?, to.trim().parse().ok()?)),
                            None => part.parse().ok().map(|at: usize| (at, at.saturating_add(1))),
                        }
                    };
                    steps.push(Step::Ranges(inside.split(|c| *c == b',').map(range).collect::<Option<_>>()?));
                }
            }
            _ => return None,
        }
    }
    Some(steps)
}

/// A key that needs no quotes within brackets.
fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_')
        && text.iter().all(|c| c.is_ascii_alphanumeric() || *c == b'_')
}

/// All values that the path leads to.
fn found<'a>(json: &'a [u8], steps: &[Step]) -> Vec<&'a [u8]> {
    let mut values: Vec<&[u8]> = whole(json).into_iter().collect();
    for step in steps {
        let mut next = Vec::new();
        for value in values {
            match step {
                Step::Key(wanted) => {
                    members(value, |key, escaped, value| {
                        let same = if escaped { unescaped(key, true) == *wanted } else { key == wanted.as_slice() };
                        if same {
                            next.push(value);
                        }
                        !same
                    });
                }
                Step::AllMembers => {
                    members(value, |_, _, value| {
                        next.push(value);
                        true
                    });
                }
                Step::Ranges(ranges) => {
                    let mut at = 0;
                    elements(value, |value| {
                        if ranges.iter().any(|(from, to)| (*from..*to).contains(&at)) {
                            next.push(value);
                        }
                        at += 1;
                        true
                    });
                }
            }
        }
        values = next;
    }
    values
}
