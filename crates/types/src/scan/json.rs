//! A cursor over JSON text: enough to find where a value ends, to take it apart one level, and to unescape a string.
//!
//! Rows of JSON go into typed columns, so there is no tree: whoever reads a field knows its type and pulls the value
//! straight into its column. What is only passed over (unknown fields, objects kept as text) is checked for balance.

use gristmill_base::ErrorCode;

use super::{Fault, Scan};

const fn wrong(reason: &'static str) -> Fault {
    Fault::new(ErrorCode::INCORRECT_DATA, reason)
}

const ENDED: Fault = wrong("the JSON text ends within a value");
const UNEXPECTED: Fault = wrong("the text is not JSON");

const TOO_DEEP: Fault =
    Fault::new(ErrorCode::TOO_DEEP_RECURSION, "JSON that is passed over is too deep: raise input_format_json_max_depth");

const HALF: Fault =
    Fault::new(ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE, "the first half of a surrogate pair has no second half behind it");

/// What a value is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonKind {
    Null,
    Bool(bool),
    Number,
    String,
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
pub struct JsonCursor<'a> {
    pub text: &'a [u8],
    pub at: usize,
}

impl<'a> JsonCursor<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        JsonCursor { text, at: 0 }
    }

    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(c @ (b' ' | b'\n' | b'\r' | b'\t')) = self.text.get(self.at) {
            let _ = c;
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    #[inline]
    pub fn eat(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, c: u8) -> Scan<()> {
        if self.eat(c) { Ok(()) } else { Err(if self.at == self.text.len() { ENDED } else { UNEXPECTED }) }
    }

    pub fn kind(&mut self) -> Scan<JsonKind> {
        Ok(match self.peek().ok_or(ENDED)? {
            b'"' => JsonKind::String,
            b'[' => JsonKind::Array,
            b'{' => JsonKind::Object,
            b'n' if self.text[self.at..].starts_with(b"null") => JsonKind::Null,
            b't' => JsonKind::Bool(true),
            b'f' => JsonKind::Bool(false),
            b'0'..=b'9' | b'-' | b'+' | b'N' | b'n' | b'I' | b'i' | b'.' => JsonKind::Number,
            _ => return Err(UNEXPECTED),
        })
    }

    /// The text of the next value, which the cursor then stands behind.
    pub fn value(&mut self) -> Scan<&'a [u8]> {
        let kind = self.kind()?;
        let start = self.at;
        match kind {
            JsonKind::String => {
                self.raw_string()?;
            }
            JsonKind::Array | JsonKind::Object => self.skip_nested()?,
            JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number => {
                let ends = |c: &u8| matches!(c, b',' | b']' | b'}' | b':' | b' ' | b'\n' | b'\r' | b'\t');
                let length = self.text[start..].iter().position(ends).unwrap_or(self.text.len() - start);
                self.at += length;
                let word = &self.text[start..self.at];
                let known = match kind {
                    JsonKind::Null => word == b"null",
                    JsonKind::Bool(value) => word == if value { &b"true"[..] } else { b"false" },
                    // Digits are looked at by whoever reads the number.
                    _ if word.first().is_some_and(u8::is_ascii_alphabetic) => {
                        ["nan", "inf", "infinity"].iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
                    }
                    _ => true,
                };
                if !known {
                    return Err(UNEXPECTED);
                }
            }
        }
        Ok(&self.text[start..self.at])
    }

    /// Passes over the next value. Error: TOO_DEEP_RECURSION where that has more levels.
    pub fn pass(&mut self, depth_max: u64) -> Scan<()> {
        let text = self.value()?;
        if is_deeper(text, depth_max) { Err(TOO_DEEP) } else { Ok(()) }
    }

    /// The bytes between the quotes, still escaped, and whether there is any escape.
    #[inline]
    pub fn raw_string(&mut self) -> Scan<(&'a [u8], bool)> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += find_special(&self.text[self.at..]).ok_or(ENDED)?;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return Ok((&self.text[start..self.at - 1], escaped));
            }
            escaped = true;
            self.at += 2;
            if self.at > self.text.len() {
                return Err(ENDED);
            }
        }
    }

    /// The string, unescaped into `scratch` where it has escapes. One pass: what stands before an escape is copied when the
    /// escape is met.
    #[inline]
    pub fn string<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Scan<&'s [u8]>
    where
        'a: 's,
    {
        self.expect(b'"')?;
        let start = self.at;
        let length = find_special(&self.text[start..]).ok_or(ENDED)?;
        self.at = start + length;
        if self.text[self.at] == b'"' {
            self.at += 1;
            return Ok(&self.text[start..self.at - 1]);
        }
        scratch.clear();
        scratch.extend_from_slice(&self.text[start..self.at]);
        loop {
            // At an escape.
            let after = unescape_one(&self.text[self.at + 1..], scratch)?;
            let rest = &self.text[self.text.len() - after.len()..];
            let length = find_special(rest).ok_or(ENDED)?;
            scratch.extend_from_slice(&rest[..length]);
            self.at = self.text.len() - after.len() + length;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return Ok(scratch);
            }
        }
    }

    /// Passes over a string that is written just so, escapes included. False: it is another, and the cursor stays.
    #[inline]
    pub fn eat_string(&mut self, expected: &[u8]) -> bool {
        if self.peek() != Some(b'"') {
            return false;
        }
        let rest = &self.text[self.at + 1..];
        let is_it = rest.get(expected.len()) == Some(&b'"') && rest.starts_with(expected);
        if is_it {
            self.at += expected.len() + 2;
        }
        is_it
    }

    fn skip_nested(&mut self) -> Scan<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.text.get(self.at).ok_or(ENDED)? {
                b'"' => {
                    self.raw_string()?;
                    continue;
                }
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                close @ (b']' | b'}') => {
                    if open.pop() != Some(*close) {
                        return Err(UNEXPECTED);
                    }
                    if open.is_empty() {
                        self.at += 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// Whether something stands within more arrays and objects than so many. `text` is a whole value.
pub fn is_deeper(text: &[u8], depth_max: u64) -> bool {
    // Each level is a bracket at both its ends.
    if text.len() as u64 / 2 <= depth_max {
        return false;
    }
    let mut cursor = JsonCursor::new(text);
    let mut depth = 0u64;
    while let Some(c) = cursor.peek() {
        match c {
            b'"' => match cursor.raw_string() {
                Ok(_) => continue,
                Err(_) => return false,
            },
            b'[' | b'{' => {
                cursor.at += 1;
                depth += 1;
                // What is empty has nothing within it.
                if depth > depth_max && !matches!(cursor.peek(), Some(b']' | b'}')) {
                    return true;
                }
                continue;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        cursor.at += 1;
    }
    false
}

/// Where the next quote or backslash is. Most strings are short: the first bytes are looked at eight at a time, before a
/// search that is made for long texts.
#[inline]
fn find_special(text: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // The lowest byte that is zero has its high bit set; above it there may be others, below it there are none.
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, _) = text.as_chunks::<8>();
    for (number, word) in words.iter().take(2).enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = zero_bytes(word ^ (ONES * u64::from(b'"'))) | zero_bytes(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(number * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let done = words.len().min(2) * 8;
    memchr::memchr2(b'"', b'\\', &text[done..]).map(|at| done + at)
}

/// Undoes JSON's escapes.
pub fn unescape(raw: &[u8], out: &mut Vec<u8>) -> Scan<()> {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = unescape_one(&rest[at + 1..], out)?;
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// As `unescape`, with escapes that mean nothing kept as they are written.
pub fn unescape_what_can_be(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let escape = &rest[at + 1..];
        rest = match unescape_one(escape, out) {
            Ok(after) => after,
            Err(_) => {
                let (kept, after) = escape.split_at(bad_escape_length(escape));
                out.push(b'\\');
                out.extend_from_slice(kept);
                after
            }
        };
    }
    out.extend_from_slice(rest);
}

/// Bytes of an escape that means nothing: a letter and four digits, and of two that are no pair both.
fn bad_escape_length(escape: &[u8]) -> usize {
    const ONE: usize = 5;
    const TWO: usize = 11;
    let second = escape.get(ONE..).and_then(|rest| rest.strip_prefix(b"\\u"));
    match second.map(hex4) {
        Some(Ok(_)) => TWO,
        _ => escape.len().min(ONE),
    }
}

/// Undoes the escape behind a backslash; gives what follows it. The first half of a surrogate pair has to have the second
/// behind it; a second half alone becomes its three bytes, as in ClickHouse.
fn unescape_one<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> Scan<&'a [u8]> {
    let (letter, mut rest) = escape.split_first().ok_or(ENDED)?;
    out.push(match letter {
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'0' => 0,
        b'u' => {
            let (first, after) = hex4(rest)?;
            rest = after;
            let mut code = first;
            if (0xD800..0xDC00).contains(&first) {
                let (second, after) = rest.strip_prefix(b"\\u").ok_or(HALF).and_then(hex4)?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(HALF);
                }
                code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                rest = after;
            }
            match char::from_u32(code) {
                Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => {
                    out.extend([0xE0 | (code >> 12), 0x80 | (code >> 6 & 0x3F), 0x80 | (code & 0x3F)].map(|byte| byte as u8))
                }
            }
            return Ok(rest);
        }
        other => *other,
    });
    Ok(rest)
}

fn hex4(text: &[u8]) -> Scan<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(4).ok_or(ENDED)?;
    let value = digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?));
    Ok((value.ok_or(UNEXPECTED)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_taken_apart_without_a_tree() {
        let mut row = JsonCursor::new(br#" {"a" : [1,{"b":"]"}], "c":"x\"\u00e9\ud83d\ude00","d":-1.5e3 , "e":null} "#);
        let mut scratch = Vec::new();
        let mut fields = Vec::new();
        row.expect(b'{').unwrap();
        loop {
            let name = row.string(&mut scratch).unwrap().to_vec();
            row.expect(b':').unwrap();
            fields.push((String::from_utf8(name).unwrap(), row.value().unwrap()));
            if !row.eat(b',') {
                break;
            }
            assert_eq!(row.peek(), Some(b'"'));
        }
        row.expect(b'}').unwrap();
        assert_eq!(fields[0], ("a".to_string(), &br#"[1,{"b":"]"}]"#[..]));
        assert_eq!(JsonCursor::new(fields[1].1).string(&mut scratch), Ok("x\"é😀".as_bytes()));
        assert_eq!(fields[2].1, b"-1.5e3");
        assert_eq!(JsonCursor::new(fields[3].1).kind(), Ok(JsonKind::Null));
        for broken in [&b"\"ab\\"[..], b"\"ab\\u12", b"\"ab\\n", b"\"0123456789abcdefghij"] {
            assert!(JsonCursor::new(broken).string(&mut scratch).is_err(), "{}", String::from_utf8_lossy(broken));
        }
        for broken in [&b"[1,2"[..], b"{\"a\":1]", b"\"open", b"nul", b"tru", b""] {
            assert!(JsonCursor::new(broken).value().is_err(), "{}", String::from_utf8_lossy(broken));
        }
    }

    #[test]
    fn levels_are_counted_where_something_stands_within() {
        for (text, levels) in [
            ("1", 0),
            ("[]", 0),
            ("[1]", 1),
            ("[[[]]]", 2),
            ("[[[1]]]", 3),
            ("[[1], [2], [3], [4]]", 2),
            (r#"{"a[[[[":"[[[[","b":{"c":{ }}}"#, 2),
            (r#"[[{"a":1}]]"#, 3),
        ] {
            for depth_max in 0..5 {
                assert_eq!(is_deeper(text.as_bytes(), depth_max), levels > depth_max, "{text} {depth_max}");
            }
        }
        assert_eq!(JsonCursor::new(b"[[1]]").pass(1), Err(TOO_DEEP));
        assert_eq!(JsonCursor::new(b"[[1]]").pass(2), Ok(()));
    }

    #[test]
    fn halves_of_surrogate_pairs_have_to_meet() {
        let mut out = Vec::new();
        for lone in [&br"\ud83d"[..], br"\ud83d\u0041", br"\ud83dx"] {
            assert_eq!(unescape(lone, &mut out), Err(HALF), "{}", String::from_utf8_lossy(lone));
        }
        out.clear();
        assert_eq!(unescape(br"\udc00", &mut out), Ok(()));
        assert_eq!(out, [0xED, 0xB0, 0x80]);
    }

    #[test]
    fn strings_of_any_length_end_at_their_quote() {
        let mut scratch = Vec::new();
        for length in 0..40 {
            let text = "x".repeat(length);
            let plain = format!("\"{text}\",\"next\\\"");
            let mut cursor = JsonCursor::new(plain.as_bytes());
            assert_eq!(cursor.string(&mut scratch), Ok(text.as_bytes()));
            assert!(cursor.eat(b','));
            let mut cursor = JsonCursor::new(plain.as_bytes());
            assert!(!cursor.eat_string(b"next") && cursor.eat_string(text.as_bytes()) && cursor.eat(b','));
            let escaped = format!("\"{text}\\\"{text}\\\\\" ");
            let expected = format!("{text}\"{text}\\");
            assert_eq!(JsonCursor::new(escaped.as_bytes()).string(&mut scratch), Ok(expected.as_bytes()));
            let (raw, has_escapes) = JsonCursor::new(escaped.as_bytes()).raw_string().expect("a string");
            assert_eq!((raw, has_escapes), (&escaped.as_bytes()[1..escaped.len() - 2], true));
        }
    }
}
