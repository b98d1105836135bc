//! Strings in quotes with backslash escapes, and the undoing of TSV's escapes.

use gristmill_base::ErrorCode;

use super::{Fault, Scan};

const UNFINISHED: Fault = Fault::new(ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE, "the text ends within an escape sequence");
const UNCLOSED: Fault = Fault::new(ErrorCode::CANNOT_PARSE_QUOTED_STRING, "the closing quote is missing");

/// Appends the text with its backslash escapes undone.
pub fn unescape(text: &[u8], out: &mut Vec<u8>) -> Scan<()> {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let (letter, after) = rest.split_first().ok_or(UNFINISHED)?;
        rest = after;
        match letter {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0C),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'0' => out.push(0),
            b'a' => out.push(0x07),
            b'v' => out.push(0x0B),
            b'e' => out.push(0x1B),
            b'N' => {}
            b'x' => {
                let digits = rest.get(..2).ok_or(UNFINISHED)?;
                let hex = std::str::from_utf8(digits).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
                out.push(
                    hex.ok_or(Fault::new(ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE, "\\x wants two hexadecimal digits"))?,
                );
                rest = &rest[2..];
            }
            b'\\' | b'\'' | b'"' | b'`' | b'/' | b'=' => out.push(*letter),
            // An escape that means nothing stands for itself, as in `\d`.
            other => out.extend_from_slice(&[b'\\', *other]),
        }
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// A quoted string at the start of `text` (which begins with the quote). Appends what it says, gives the bytes taken. The
/// quote inside is escaped by a backslash or doubled.
pub fn quoted(text: &[u8], out: &mut Vec<u8>) -> Scan<usize> {
    let quote = *text.first().ok_or(UNCLOSED)?;
    let mut from = 1;
    let mut at = 1;
    loop {
        at += memchr::memchr2(quote, b'\\', &text[at..]).ok_or(UNCLOSED)?;
        if text[at] == b'\\' {
            at += 2;
            if at > text.len() {
                return Err(UNCLOSED);
            }
            continue;
        }
        unescape(&text[from..at], out)?;
        if text.get(at + 1) != Some(&quote) {
            return Ok(at + 1);
        }
        out.push(quote);
        from = at + 2;
        at = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::write_quoted;

    #[test]
    fn escapes() {
        let mut out = Vec::new();
        assert_eq!(quoted(br"'it\'s ''\t\x41\d', 2", &mut out), Ok(18));
        assert_eq!(out, b"it's '\tA\\d");
        assert!(quoted(b"'open", &mut out).is_err());
        assert!(quoted(br"'open\'", &mut out).is_err());
        assert!(quoted(br"'open\", &mut out).is_err());
    }

    proptest::proptest! {
        #[test]
        fn what_is_quoted_reads_back(text: Vec<u8>) {
            let mut written = Vec::new();
            write_quoted(&text, &mut written);
            let mut read = Vec::new();
            proptest::prop_assert_eq!(quoted(&written, &mut read), Ok(written.len()));
            proptest::prop_assert_eq!(read, text);
        }
    }
}
