//! `position` and relatives: where a text first lies in another, counted from 1; 0 where it does not. Also `startsWith`,
//! `endsWith`, `countSubstrings`, `hasToken`.

use std::borrow::Cow;

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::UInt64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;
use memchr::memmem;

use super::utf8;
use crate::columns::{Bytes, Numbers, numbers, truths};
use crate::define::{arity, expect_integer, expect_string, expect_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// How texts are compared and counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    pub points: bool,
    pub ignore_case: bool,
}

impl Mode {
    /// The text in the form in which it is compared.
    pub fn fold<'a>(self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.ignore_case {
            return Cow::Borrowed(text);
        }
        if !self.points || text.is_ascii() {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        let mut folded = Vec::with_capacity(text.len());
        utf8::map_valid(text, &mut folded, |text, out| {
            for c in text.chars() {
                let mut lower = c.to_lowercase();
                let c = match (lower.next(), lower.next()) {
                    (Some(lower), None) => lower,
                    _ => c,
                };
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        });
        Cow::Owned(folded)
    }
}

pub const MODES: [(&str, Mode); 4] = [
    ("", Mode { points: false, ignore_case: false }),
    ("CaseInsensitive", Mode { points: false, ignore_case: true }),
    ("UTF8", Mode { points: true, ignore_case: false }),
    ("CaseInsensitiveUTF8", Mode { points: true, ignore_case: true }),
];

pub fn register(registry: &mut Registry) {
    for (suffix, mode) in MODES {
        registry
            .scalar(&format!("position{suffix}"), plain(move |name, arguments, _| position(name, arguments, mode, false)));
        registry.scalar(
            &format!("countSubstrings{suffix}"),
            plain(move |name, arguments, _| count_substrings(name, arguments, mode)),
        );
        registry.scalar(&format!("startsWith{suffix}"), plain(move |name, arguments, _| ends(name, arguments, mode, true)));
        registry.scalar(&format!("endsWith{suffix}"), plain(move |name, arguments, _| ends(name, arguments, mode, false)));
    }
    registry.any_case("position");
    registry.any_case("countSubstrings");
    registry.any_case("hasTokenCaseInsensitive");
    registry.any_case("hasTokenCaseInsensitiveOrNull");
    registry.alias("strpos", "position");
    registry.any_case("strpos");
    registry.alias("instr", "positionCaseInsensitive");
    registry.any_case("instr");
    registry.scalar(
        "locate",
        plain(|name, arguments, _| position(name, arguments, Mode { points: false, ignore_case: false }, true)),
    );
    registry.any_case("locate");
    for (suffix, ignore_case) in [("", false), ("CaseInsensitive", true)] {
        for (ending, or_null) in [("", false), ("OrNull", true)] {
            registry.scalar(
                &format!("hasToken{suffix}{ending}"),
                plain(move |name, arguments, _| has_token(name, arguments, ignore_case, or_null)),
            );
        }
    }
}

/// A searcher for the needles of a column: kept while the needle stays the same.
struct Search<'a> {
    needles: Bytes<'a>,
    mode: Mode,
    known: Option<(&'a [u8], memmem::Finder<'static>)>,
}

impl<'a> Search<'a> {
    fn new(needles: &'a ArrayRef, mode: Mode) -> Result<Search<'a>> {
        Ok(Search { needles: Bytes::of(needles)?, mode, known: None })
    }

    fn finder(&mut self, row: usize) -> &memmem::Finder<'static> {
        let needle = self.needles.get(row);
        match &self.known {
            Some((of, _)) if *of == needle => {}
            _ => self.known = Some((needle, memmem::Finder::new(&self.mode.fold(needle)).into_owned())),
        }
        // The line above has just set it.
        &self.known.as_ref().expect("a finder was made for this needle").1
    }
}

/// How much of the text lies before where the search starts. From beyond its end nothing is found.
fn skipped(starts: Option<&Numbers<'_, u64>>, row: usize) -> usize {
    starts.map_or(0, |starts| starts.get(row).saturating_sub(1) as usize)
}

fn position(name: &str, arguments: &[Argument], mode: Mode, needle_first: bool) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let mut casts = vec![expect_text(name, arguments, 0)?, expect_text(name, arguments, 1)?];
    if arguments.len() == 3 {
        expect_integer(name, arguments, 2)?;
        casts.push(T::UInt64);
    }
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let (texts, needles) = if needle_first { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
        let source = Bytes::of(texts)?;
        let mut search = Search::new(needles, mode)?;
        let starts = args.get(2).map(Numbers::of::<UInt64Type>).transpose()?;
        numbers::<UInt64Type>(rows, |row| {
            let whole = source.get(row);
            let skip = skipped(starts.as_ref(), row);
            let count = if mode.points { utf8::count(whole) } else { whole.len() };
            if skip > count {
                return Ok(0);
            }
            let from = if mode.points { utf8::offset(whole, skip) } else { skip };
            let text = mode.fold(&whole[from..]);
            Ok(match search.finder(row).find(&text) {
                None => 0,
                Some(at) => (skip + if mode.points { utf8::count(&text[..at]) } else { at } + 1) as u64,
            })
        })
    }))
}

fn count_substrings(name: &str, arguments: &[Argument], mode: Mode) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_string(name, arguments, 1)?;
    let mut casts = vec![expect_text(name, arguments, 0)?, arguments[1].kind.clone()];
    if arguments.len() == 3 {
        expect_integer(name, arguments, 2)?;
        casts.push(T::UInt64);
    }
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut search = Search::new(&args[1], mode)?;
        let starts = args.get(2).map(Numbers::of::<UInt64Type>).transpose()?;
        numbers::<UInt64Type>(rows, |row| {
            let whole = source.get(row);
            let skip = skipped(starts.as_ref(), row);
            let from = if mode.points { utf8::offset(whole, skip) } else { skip.min(whole.len()) };
            let text = mode.fold(&whole[from..]);
            let finder = search.finder(row);
            Ok(if finder.needle().is_empty() { 0 } else { finder.find_iter(&text).count() as u64 })
        })
    }))
}

fn ends(name: &str, arguments: &[Argument], mode: Mode, start: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if matches!((arguments[0].kind.plain(), arguments[1].kind.plain()), (T::Array(_), T::Array(_))) {
        return crate::arrays::has_ends(name, arguments, start);
    }
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let (texts, parts) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        // Of code points there are no parts.
        let is_border = |byte: Option<&u8>| !mode.points || byte.is_none_or(|byte| byte & 0xC0 != 0x80);
        truths(rows, |row| {
            let (text, part) = (mode.fold(texts.get(row)), mode.fold(parts.get(row)));
            match start {
                true => text.starts_with(&part) && is_border(text.get(part.len())),
                false => text.ends_with(&part) && is_border(part.first()),
            }
        })
    }))
}

/// A token is a run of letters, digits and bytes beyond ASCII between others.
/// `or_null`: what is no token gives NULL, and no error.
fn has_token(name: &str, arguments: &[Argument], ignore_case: bool, or_null: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 1)?;
    let casts = vec![expect_text(name, arguments, 0)?, arguments[1].kind.clone()];
    let mode = Mode { points: false, ignore_case };
    let name = name.to_string();
    let result = if or_null { T::UInt8.nullable() } else { T::UInt8 };
    Ok(Bound::cast(casts, result, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut search = Search::new(&args[1], mode)?;
        let separates = |byte: Option<&u8>| byte.is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
        let mut found = Vec::with_capacity(rows);
        for row in 0..rows {
            let text = mode.fold(source.get(row));
            let finder = search.finder(row);
            let needle = finder.needle();
            found.push(match () {
                () if needle.is_empty() => Some(0),
                () if !needle.iter().any(|byte| separates(Some(byte))) => {
                    Some(u8::from(finder.find_iter(&text).any(|at| {
                        separates(at.checked_sub(1).and_then(|before| text.get(before)))
                            && separates(text.get(at + needle.len()))
                    })))
                }
                () if or_null => None,
                () => {
                    return Err(crate::define::bad_argument(&name, "the needle must be one token, without separators"));
                }
            });
        }
        Ok(std::sync::Arc::new(arrow::array::UInt8Array::from(found)) as ArrayRef)
    }))
}
