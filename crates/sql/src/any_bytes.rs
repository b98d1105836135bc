//! A statement's text as it comes from a client. String literals hold any bytes, and all else is read as UTF-8: what is not,
//! becomes escapes within literals, where `'\xFF'` stands for the same byte.

use std::fmt::Write;

use gristmill_base::{Error, ErrorCode, Result};

use crate::plain_text::{behind_comment, behind_heredoc, behind_name, behind_string, is_of_name, line_end};

/// What a stretch of the text is.
#[derive(Clone, Copy, PartialEq)]
enum Stretch {
    Literal,
    Comment,
    Other,
}

/// The text that means the same as the bytes. Error: SYNTAX_ERROR where others than literals and comments are not UTF-8.
pub fn text_of(bytes: Vec<u8>) -> Result<String> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut at = 0;
    while at < bytes.len() {
        let (end, stretch) = stretch(&bytes, at);
        let end = end.clamp(at + 1, bytes.len());
        match stretch {
            Stretch::Literal => literal(&bytes[at..end], &mut text),
            Stretch::Comment => text.push_str(&String::from_utf8_lossy(&bytes[at..end])),
            Stretch::Other => text.push_str(str::from_utf8(&bytes[at..end]).map_err(|_| not_utf8())?),
        }
        at = end;
    }
    Ok(text)
}

fn not_utf8() -> Error {
    Error::new(
        ErrorCode::SYNTAX_ERROR,
        "Syntax error: the query is not UTF-8, and other bytes stand in string literals alone",
    )
}

/// Where what begins here ends.
fn stretch(bytes: &[u8], at: usize) -> (usize, Stretch) {
    let next = bytes.get(at + 1).copied();
    match bytes[at] {
        b'\'' => (behind_string(bytes, at), Stretch::Literal),
        quote @ (b'`' | b'"') => (behind_quoted(bytes, at, quote), Stretch::Other),
        // A heredoc has no escapes.
        b'$' => (behind_heredoc(bytes, at).unwrap_or_else(|| behind_name(bytes, at)), Stretch::Other),
        b'/' if next == Some(b'*') => (behind_comment(bytes, at), Stretch::Comment),
        b'-' if next == Some(b'-') => (line_end(bytes, at), Stretch::Comment),
        b'/' if next == Some(b'/') => (line_end(bytes, at), Stretch::Comment),
        b'#' if matches!(next, Some(b' ' | b'!' | b'\t')) => (line_end(bytes, at), Stretch::Comment),
        byte if is_of_name(byte) => (behind_name(bytes, at), Stretch::Other),
        _ => (at + 1, Stretch::Other),
    }
}

fn behind_quoted(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A literal with its quotes. Behind a backslash that escapes it a byte stands for itself, and the backslash for itself.
fn literal(bytes: &[u8], text: &mut String) {
    let mut escapes = false;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for c in chunk.valid().bytes() {
            escapes = c == b'\\' && !escapes;
        }
        for byte in chunk.invalid() {
            if std::mem::take(&mut escapes) {
                text.push('\\');
            }
            // Writing to a string does not fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::unescape;

    fn text(bytes: &[u8]) -> String {
        text_of(bytes.to_vec()).expect("a text")
    }

    #[test]
    fn bytes_of_literals_are_escapes() {
        assert_eq!(text(b"SELECT '\xff\xfea', '\xc3\xa4'"), "SELECT '\\xFF\\xFEa', 'ä'");
        assert_eq!(text("SELECT 'ä', `ä`".as_bytes()), "SELECT 'ä', `ä`");
        assert_eq!(
            text(b"SELECT 'it''s \xff', 1 -- \xff\n, '\xff' /* '\xff */"),
            "SELECT 'it''s \\xFF', 1 -- \u{fffd}\n, '\\xFF' /* '\u{fffd} */"
        );
    }

    #[test]
    fn a_literal_stands_for_the_bytes_that_it_stood_for() {
        for inner in [&b"\\\\\xff"[..], b"\\\xff", b"\\\\\\\xff\xff", b"a\\n\xffb"] {
            let quoted = [b"'", inner, b"'"].concat();
            let text = text(&quoted);
            let expected = inner.to_vec();
            // Two backslashes are one, one before a byte that means nothing is itself.
            let expected = match &expected[..] {
                b"\\\\\xff" | b"\\\xff" => b"\\\xff".to_vec(),
                b"\\\\\\\xff\xff" => b"\\\\\xff\xff".to_vec(),
                _ => b"a\n\xffb".to_vec(),
            };
            assert_eq!(unescape(&text[1..text.len() - 1]), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_literal_is_utf8() {
        for bytes in [&b"SELECT \xff"[..], b"SELECT `\xff`", b"SELECT $$\xff$$", b"\xff"] {
            assert_eq!(text_of(bytes.to_vec()).expect_err("refused").code(), ErrorCode::SYNTAX_ERROR);
        }
    }
}
