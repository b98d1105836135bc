//! Patterns: RE2's dialect for `match` and its relatives, and LIKE.
//!
//! Regular expressions run on the `regex` crate, which like RE2 is linear in its input. Where the dialects differ the text
//! is translated: `\d`, `\w`, `\s`, `\b` mean ASCII in RE2, `[` within a class is a plain character, and `\Q…\E` quotes.
//! A dot matches a line feed too, as ClickHouse has it.
//!
//! LIKE patterns are taken apart at `%`. Without `_` the pieces are found one after another by substring search, which
//! is right because the leftmost match of a piece leaves the most room for those that follow. With `_` the classic matcher
//! with one point of return per `%` is used.

use gristmill_base::{Error, ErrorCode, Result};
use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

use super::utf8;

/// Compiles a regular expression. Errors: CANNOT_COMPILE_REGEXP.
pub fn regex(pattern: &[u8], case_insensitive: bool) -> Result<Regex> {
    regex_with(pattern, Flags { case_insensitive, dot_matches_line_feed: true, multi_line: false })
}

#[derive(Clone, Copy, Default)]
pub struct Flags {
    pub case_insensitive: bool,
    pub dot_matches_line_feed: bool,
    /// `^` and `$` match at every line's ends.
    pub multi_line: bool,
}

/// As `regex`, with flags.
pub fn regex_with(pattern: &[u8], flags: Flags) -> Result<Regex> {
    let text = String::from_utf8_lossy(pattern);
    RegexBuilder::new(&translate(&text))
        .dot_matches_new_line(flags.dot_matches_line_feed)
        .case_insensitive(flags.case_insensitive)
        .multi_line(flags.multi_line)
        .size_limit(64 << 20)
        .build()
        .map_err(|error| {
            Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("Cannot compile the regular expression '{text}': {error}"))
        })
}

/// The text of a regular expression of RE2 as the `regex` crate takes it.
pub fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('Q') if !in_class => {
                    let rest: String = chars.clone().collect();
                    let (quoted, skip) = match rest.find("\\E") {
                        Some(end) => (&rest[..end], rest[..end].chars().count() + 2),
                        None => (rest.as_str(), rest.chars().count()),
                    };
                    out.push_str(&regex::escape(quoted));
                    (0..skip).for_each(|_| {
                        chars.next();
                    });
                }
                Some(class @ ('d' | 'w' | 's')) => out.push_str(match (class, in_class) {
                    ('d', true) => "0-9",
                    ('d', false) => "[0-9]",
                    ('w', true) => "0-9A-Za-z_",
                    ('w', false) => "[0-9A-Za-z_]",
                    (_, true) => "\\t\\n\\f\\r ",
                    (_, false) => "[\\t\\n\\f\\r ]",
                }),
                Some(class @ ('D' | 'W' | 'S')) => out.push_str(match class {
                    'D' => "[^0-9]",
                    'W' => "[^0-9A-Za-z_]",
                    _ => "[^\\t\\n\\f\\r ]",
                }),
                Some(border @ ('b' | 'B')) if !in_class => {
                    out.push_str(if border == 'b' { "(?-u:\\b)" } else { "(?-u:\\B)" });
                }
                // RE2 takes any escaped punctuation as itself, and so does this crate for all but a few.
                Some(plain) if plain.is_ascii_punctuation() || plain == ' ' => {
                    if !matches!(
                        plain,
                        '<' | '>' | '_' | '\'' | '"' | '`' | ',' | ';' | ':' | '=' | '!' | '@' | '%' | '/' | ' '
                    ) {
                        out.push('\\');
                    }
                    out.push(plain);
                }
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.push('^');
                    chars.next();
                }
                // A bracket that comes first closes nothing.
                if chars.peek() == Some(&']') {
                    out.push_str("\\]");
                    chars.next();
                }
            }
            '[' if chars.peek() == Some(&':') => {
                out.push('[');
                while let Some(inner) = chars.next() {
                    out.push(inner);
                    if inner == ':' && chars.peek() == Some(&']') {
                        chars.next();
                        out.push(']');
                        break;
                    }
                }
            }
            '[' | '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            // A brace that begins no repetition is a plain character.
            '{' if !in_class && !repetition(chars.clone()) => out.push_str("\\{"),
            other => out.push(other),
        }
    }
    out
}

fn repetition(chars: impl Iterator<Item = char>) -> bool {
    let inner: String = chars.take_while(|c| *c != '}').take(12).collect();
    let mut parts = inner.splitn(2, ',');
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(|first| !first.is_empty() && number(first)) && parts.next().is_none_or(number)
}

/// A compiled LIKE pattern.
#[expect(clippy::large_enum_variant, reason = "there is one a pattern, and it is not moved about")]
pub enum Like {
    Equal(Vec<u8>),
    Prefix(Vec<u8>),
    Suffix(Vec<u8>),
    Contains(Finder<'static>),
    /// The text begins with the first, ends with the last, and holds the others in order in between.
    Pieces {
        first: Vec<u8>,
        middle: Vec<Finder<'static>>,
        last: Vec<u8>,
    },
    /// With `_`, which stands for one code point.
    Wild(Vec<Wild>),
    /// Case-insensitive patterns.
    Regex(Regex),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wild {
    Byte(u8),
    Point,
    Any,
}

impl Like {
    /// Errors: CANNOT_PARSE_ESCAPE_SEQUENCE for a backslash at the end.
    pub fn new(pattern: &[u8], case_insensitive: bool) -> Result<Like> {
        let wild = tokens(pattern)?;
        if case_insensitive {
            return Ok(Like::Regex(like_regex(&wild)?));
        }
        if wild.contains(&Wild::Point) {
            return Ok(Like::Wild(wild));
        }
        let mut pieces: Vec<Vec<u8>> = vec![Vec::new()];
        for token in &wild {
            match (token, pieces.last_mut()) {
                (Wild::Byte(byte), Some(piece)) => piece.push(*byte),
                _ => pieces.push(Vec::new()),
            }
        }
        let last = pieces.pop().unwrap_or_default();
        if pieces.is_empty() {
            return Ok(Like::Equal(last));
        }
        let first = pieces.remove(0);
        pieces.retain(|piece| !piece.is_empty());
        Ok(match (first.is_empty(), pieces.len(), last.is_empty()) {
            (_, 0, true) => Like::Prefix(first),
            (true, 0, false) => Like::Suffix(last),
            (true, 1, true) => Like::Contains(Finder::new(&pieces[0]).into_owned()),
            _ => Like::Pieces { first, middle: pieces.iter().map(|piece| Finder::new(piece).into_owned()).collect(), last },
        })
    }

    #[inline]
    pub fn matches(&self, text: &[u8]) -> bool {
        match self {
            Like::Equal(value) => text == value,
            Like::Prefix(value) => text.starts_with(value),
            Like::Suffix(value) => text.ends_with(value),
            Like::Contains(finder) => finder.find(text).is_some(),
            Like::Pieces { first, middle, last } => {
                if text.len() < first.len() + last.len() || !text.starts_with(first) || !text.ends_with(last) {
                    return false;
                }
                let mut rest = &text[first.len()..text.len() - last.len()];
                for finder in middle {
                    match finder.find(rest) {
                        Some(at) => rest = &rest[at + finder.needle().len()..],
                        None => return false,
                    }
                }
                true
            }
            Like::Wild(pattern) => wild_match(pattern, text),
            Like::Regex(regex) => regex.is_match(text),
        }
    }
}

fn tokens(pattern: &[u8]) -> Result<Vec<Wild>> {
    let mut wild = Vec::with_capacity(pattern.len());
    let mut bytes = pattern.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                if wild.last() != Some(&Wild::Any) {
                    wild.push(Wild::Any);
                }
            }
            b'_' => wild.push(Wild::Point),
            b'\\' => match bytes.next() {
                Some(escaped @ (b'%' | b'_' | b'\\')) => wild.push(Wild::Byte(escaped)),
                Some(other) => wild.extend([Wild::Byte(b'\\'), Wild::Byte(other)]),
                None => {
                    let text =
                        format!("Invalid escape sequence at the end of LIKE pattern '{}'", String::from_utf8_lossy(pattern));
                    return Err(Error::new(ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE, text));
                }
            },
            other => wild.push(Wild::Byte(other)),
        }
    }
    Ok(wild)
}

fn like_regex(wild: &[Wild]) -> Result<Regex> {
    let mut text = String::from("^");
    let mut literal = Vec::new();
    let flush = |literal: &mut Vec<u8>, text: &mut String| {
        text.push_str(&regex::escape(&String::from_utf8_lossy(literal)));
        literal.clear();
    };
    for token in wild {
        match token {
            Wild::Byte(byte) => literal.push(*byte),
            Wild::Point | Wild::Any => {
                flush(&mut literal, &mut text);
                text.push_str(if *token == Wild::Any { "(?-u:.)*" } else { "." });
            }
        }
    }
    flush(&mut literal, &mut text);
    text.push('$');
    RegexBuilder::new(&text)
        .dot_matches_new_line(true)
        .case_insensitive(true)
        .build()
        .map_err(|error| Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("Cannot compile an ILIKE pattern: {error}")))
}

fn wild_match(pattern: &[Wild], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to go on when a match after the last `%` fails: one byte further.
    let mut back: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            None if t == text.len() => return true,
            None => None,
            Some(Wild::Any) => {
                back = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(Wild::Byte(byte)) => (text.get(t) == Some(byte)).then_some(1),
            Some(Wild::Point) => text.get(t).map(|first| utf8::width(*first).min(text.len() - t)),
        };
        match (step, &mut back) {
            (Some(step), _) => {
                p += 1;
                t += step;
            }
            (None, Some((pattern_at, text_at))) if *text_at < text.len() => {
                *text_at += 1;
                (p, t) = (*pattern_at, *text_at);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_are_specialised_by_their_shape() {
        let shape = |pattern: &str| match Like::new(pattern.as_bytes(), false).expect("valid") {
            Like::Equal(_) => "equal",
            Like::Prefix(_) => "prefix",
            Like::Suffix(_) => "suffix",
            Like::Contains(_) => "contains",
            Like::Pieces { .. } => "pieces",
            Like::Wild(_) => "wild",
            Like::Regex(_) => "regex",
        };
        assert_eq!(
            ["abc", "abc%", "%abc", "%abc%", "a%b%c", "a_c", "100\\%"].map(shape),
            ["equal", "prefix", "suffix", "contains", "pieces", "wild", "equal"]
        );
    }

    #[test]
    fn re2_dialect_is_translated() {
        for (pattern, translated) in [
            (r"\d+\.\w", r"[0-9]+\.[0-9A-Za-z_]"),
            (r"[\d\-[]", r"[0-9\-\[]"),
            (r"\Qa.b\E.", r"a\.b."),
            ("a{x}", r"a\{x}"),
            ("a{2,3}", "a{2,3}"),
            ("[[:alpha:]&&]", r"[[:alpha:]\&\&]"),
        ] {
            assert_eq!(translate(pattern), translated);
        }
    }

    proptest! {
        /// The specialised matchers agree with the classic one.
        #[test]
        fn like_agrees_with_the_plain_matcher(pattern in "[ab%_]{0,8}", text in "[abй]{0,10}") {
            let like = Like::new(pattern.as_bytes(), false).expect("valid");
            let wild = tokens(pattern.as_bytes()).expect("valid");
            let regex = like_regex(&wild).expect("valid");
            prop_assert_eq!(like.matches(text.as_bytes()), wild_match(&wild, text.as_bytes()));
            prop_assert_eq!(like.matches(text.as_bytes()), regex.is_match(text.as_bytes()));
        }
    }
}
