//! `JSON_VALUE`, `JSON_QUERY`, `JSON_EXISTS`: JSONPath with `$`, `.key`, `['key']`, `[n]`, `[a to b]`, `[*]`, `.*`.

use SqlType as T;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::scan::json::JsonKind;

use super::path::{elements, kind, members, unescaped, whole};
use super::raw::text;
use crate::columns::{Bytes, strings, truths};
use crate::define::{arity, bad_argument, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

enum Step {
    Key(Vec<u8>),
    AllMembers,
    /// From one place to another, both included, counted from 0.
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
    text_of(registry, "JSON_QUERY", |values, out| {
        if !values.is_empty() {
            out.push(b'[');
            out.extend(values.join(&b", "[..]));
            out.push(b']');
        }
    });
    text_of(registry, "JSON_VALUE", |values, out| {
        // The first that is neither object nor array.
        let scalar = |value: &&&[u8]| !matches!(kind(value), Some(JsonKind::Object | JsonKind::Array));
        if let Some(value) = values.iter().find(scalar) {
            text(value, out);
        }
    });
}

/// A function whose result is written from the values that the path leads to.
fn text_of(registry: &mut Registry, name: &'static str, write: fn(&[&[u8]], &mut Vec<u8>)) {
    registry.scalar(
        name,
        plain(move |name, arguments, _| {
            let steps = bind(name, arguments)?;
            Ok(Bound::new(T::String, move |args, rows| {
                let json = Bytes::of(&args[0])?;
                strings(rows, |row, out| {
                    write(&found(json.get(row), &steps), out);
                    Ok(())
                })
            }))
        }),
    );
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
                } else if inside == b"*" {
                    steps.push(Step::Ranges(vec![(0, usize::MAX)]));
                } else {
                    let range = |part: &[u8]| {
                        let part = std::str::from_utf8(part).ok()?.trim();
                        let (from, to) = part.split_once(" to ").unwrap_or((part, part));
                        Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
                    };
                    steps.push(Step::Ranges(inside.split(|c| *c == b',').map(range).collect::<Option<_>>()?));
                }
            }
            _ => return None,
        }
    }
    Some(steps)
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
                        if ranges.iter().any(|(from, to)| (*from..=*to).contains(&at)) {
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
