//! What the tokenizer of sqlparser does not know of ClickHouse's text, written as it knows it, byte for byte in the same
//! place, so that the positions in messages stay right:
//! - comments `// …`, `# …` and `#! …` begin with `--` instead;
//! - a quote behind a backslash in a quoted name (`` `a\`b` ``) is doubled instead;
//! - texts in ‘such quotes’ and names in “such” have plain ones, character for character unless some have to be escaped.
//!
//! One pass over the bytes that knows strings, names, comments and heredocs, and only where the text has something to
//! rewrite at all.

use std::borrow::Cow;
use std::ops::Range;

/// The text for the tokenizer, and whether there is a heredoc in it. (The tokenizer takes `$` for the beginning of one, or of a
/// name.)
pub(crate) fn plain(text: &str) -> (Cow<'_, str>, bool) {
    if !["//", "#", "\\`", "\\\"", "$", "‘", "“"].iter().any(|mark| text.contains(mark)) {
        return (Cow::Borrowed(text), false);
    }
    let mut has_heredoc = false;
    let mut bytes = text.as_bytes().to_vec();
    let mut curly: Vec<Curly> = Vec::new();
    // Whether a quote of the kind closes behind `at`.
    let mut closes = [true, true];
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied();
        match bytes[at] {
            b'\'' => at = behind_string(&bytes, at),
            quote @ (b'`' | b'"') => at = name(&mut bytes, at, quote),
            b'$' => match behind_heredoc(&bytes, at) {
                Some(end) => (at, has_heredoc) = (end, true),
                None => at = behind_name(&bytes, at),
            },
            _ if closes[0] && bytes[at..].starts_with("‘".as_bytes()) => {
                let found = Curly::at(&bytes, at, "’", b'\'');
                (at, closes[0]) = (found.as_ref().map_or(at + "‘".len(), |found| found.place.end), found.is_some());
                curly.extend(found);
            }
            _ if closes[1] && bytes[at..].starts_with("“".as_bytes()) => {
                let found = Curly::at(&bytes, at, "”", b'`');
                (at, closes[1]) = (found.as_ref().map_or(at + "“".len(), |found| found.place.end), found.is_some());
                curly.extend(found);
            }
            byte if is_of_name(byte) => at = behind_name(&bytes, at),
            b'/' if next == Some(b'*') => at = behind_comment(&bytes, at),
            b'-' if next == Some(b'-') => at = line_end(&bytes, at),
            b'/' if next == Some(b'/') => at = comment(&mut bytes, at),
            b'#' if matches!(next, Some(b' ' | b'!' | b'\t')) => at = comment(&mut bytes, at),
            // Nothing stands in the comment.
            b'#' if matches!(next, None | Some(b'\n' | b'\r')) => bytes[at] = b' ',
            _ => at += 1,
        }
    }
    if !curly.is_empty() {
        bytes = with_plain_quotes(&bytes, &curly);
    }
    // ASCII took the place of whole characters.
    (String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned), has_heredoc)
}

/// What stands in curly quotes, which are no part of it; nothing is escaped there.
struct Curly {
    /// With the quotes.
    place: Range<usize>,
    quote: u8,
    /// Bytes of each quote.
    width: usize,
}

impl Curly {
    /// `None`: nothing closes the quote.
    fn at(bytes: &[u8], at: usize, close: &str, quote: u8) -> Option<Curly> {
        let width = close.len();
        let length = bytes[at + width..].windows(width).position(|end| end == close.as_bytes())?;
        Some(Curly { place: at..at + length + 2 * width, quote, width })
    }
}

fn with_plain_quotes(bytes: &[u8], curly: &[Curly]) -> Vec<u8> {
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    for Curly { place, quote, width } in curly {
        plain.extend_from_slice(&bytes[at..place.start]);
        plain.push(*quote);
        for byte in &bytes[place.start + width..place.end - width] {
            match *byte {
                b'\\' => plain.extend([b'\\', b'\\']),
                b'`' if *quote == b'`' => plain.extend([b'`', b'`']),
                b'\'' if *quote == b'\'' => plain.extend([b'\\', b'\'']),
                byte => plain.push(byte),
            }
        }
        plain.push(*quote);
        at = place.end;
    }
    plain.extend_from_slice(&bytes[at..]);
    plain
}

/// Blanks beyond ASCII, and characters of no width: text from documents has them.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{180E}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

pub(crate) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

pub(crate) fn behind_name(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_of_name(**byte)).count()
}

pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end)
}

fn comment(bytes: &mut [u8], at: usize) -> usize {
    bytes[at..at + 2].copy_from_slice(b"--");
    line_end(bytes, at)
}

pub(crate) fn behind_string(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Doubles the quotes of a name that stand behind a backslash; gives where the name ends.
fn name(bytes: &mut [u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => {
                if bytes.get(at + 1) == Some(&quote) {
                    bytes[at] = quote;
                }
                at += 2;
            }
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Comments of this kind are nested.
pub(crate) fn behind_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Behind `$tag$ … $tag$`, where that begins.
pub(crate) fn behind_heredoc(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let tag = &bytes[at..(at + word + 2).min(bytes.len())];
    if tag.len() < 2 || tag.last() != Some(&b'$') {
        return None;
    }
    let rest = &bytes[at + tag.len()..];
    let end = rest.windows(tag.len()).position(|window| window == tag)?;
    Some(at + end + 2 * tag.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Cow<'_, str> {
        super::plain(text).0
    }

    #[test]
    fn a_dollar_begins_a_heredoc_where_it_ends() {
        let has_heredoc = |text| super::plain(text).1;
        assert!(has_heredoc("SELECT $a$ it's $a$") && has_heredoc("SELECT $$x$$, $b"));
        assert!(!has_heredoc("SELECT $a$, a$b$c, '$x$ $x$'") && !has_heredoc("SELECT a$x$, b$x$"));
    }

    #[test]
    fn comments_of_all_kinds_are_those_of_the_standard() {
        assert_eq!(plain("SELECT 1 // it's"), "SELECT 1 -- it's");
        assert_eq!(plain("#! sh\nSELECT 1 # it's\n#"), "-- sh\nSELECT 1 --it's\n ");
        assert_eq!(plain("/* a /* // */ # b */ // c"), "/* a /* // */ # b */ -- c");
        assert_eq!(plain("-- // a\n// b"), "-- // a\n-- b");
    }

    #[test]
    fn what_stands_in_quotes_stays() {
        for text in ["SELECT 'http://a', '\\'// b'", "SELECT `a//b`, \"# c\"", "SELECT $x$ // # $x$", "SELECT 1 / 2 #1"] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn curly_quotes_become_plain_ones() {
        assert_eq!(plain("SELECT ‘it's \\’, “a`b” -- ‘c’"), "SELECT 'it\\'s \\\\', `a``b` -- ‘c’");
        assert_eq!(plain("SELECT ‘a, ‘b’, “c, ‘d’"), "SELECT 'a, ‘b', “c, 'd'");
        assert_eq!(plain("SELECT '‘', “’"), "SELECT '‘', “’");
    }

    #[test]
    fn quotes_behind_a_backslash_are_doubled_in_names() {
        assert_eq!(plain(r"SELECT 1 AS `a\`b`, 2 AS `\\`"), r"SELECT 1 AS `a``b`, 2 AS `\\`");
        assert_eq!(plain(r#"SELECT 1 AS "a\"b""#), r#"SELECT 1 AS "a""b""#);
    }
}
