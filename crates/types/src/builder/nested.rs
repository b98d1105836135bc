//! Arrays, tuples and maps from text: `[1,2]`, `(1,'a')`, `{'a':1}`, with elements as literals.
//!
//! One pass over the text: each level eats its own marks and hands single values to the column below. On a fault
//! every column below is cut back to where the value began.

use gristmill_base::ErrorCode;

use super::ColumnBuilder;
use super::values::Values;
use crate::scan::{Fault, Scan, quoted};

const fn expected(reason: &'static str) -> Fault {
    Fault::new(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, reason)
}

const LEFT_OVER: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "text is left over after the value");
const UNQUOTED: Fault =
    Fault::new(ErrorCode::CANNOT_PARSE_QUOTED_STRING, "strings inside of it must stand in single quotes");

pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    /// A word up to the next mark of a nested value.
    fn word(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|c| matches!(c, b',' | b']' | b')' | b'}')).unwrap_or(rest.len());
        // A colon ends a key but also stands in times, which are quoted, and in nothing else that is not.
        let length = memchr::memchr(b':', &rest[..length]).unwrap_or(length);
        self.at += length;
        rest[..length].trim_ascii_end()
    }

    /// Items between marks: `item` reads one.
    fn items(&mut self, open: u8, close: u8, mut item: impl FnMut(&mut Self, usize) -> Scan<()>) -> Scan<usize> {
        if !self.eat(open) {
            return Err(expected(match open {
                b'[' => "expected '['",
                b'(' => "expected '('",
                _ => "expected '{'",
            }));
        }
        let mut count = 0;
        if self.eat(close) {
            return Ok(count);
        }
        loop {
            item(self, count)?;
            count += 1;
            if self.eat(close) {
                return Ok(count);
            }
            if !self.eat(b',') {
                return Err(expected("expected ',' or the closing bracket"));
            }
            // `(1,)` is a tuple of one.
            if close == b')' && self.eat(close) {
                return Ok(count);
            }
        }
    }
}

impl ColumnBuilder {
    pub(super) fn whole_quoted(&mut self, text: &[u8]) -> Scan<()> {
        let mut cursor = Cursor { text, at: 0 };
        let len = self.len();
        self.quoted_value(&mut cursor)?;
        if cursor.peek().is_some() {
            self.truncate(len);
            return Err(LEFT_OVER);
        }
        Ok(())
    }

    /// The next value of the text, as a literal. Nothing is appended on a fault.
    fn quoted_value(&mut self, cursor: &mut Cursor<'_>) -> Scan<()> {
        match cursor.peek() {
            Some(b'\'' | b'"') => {
                let mut scratch = std::mem::take(&mut self.scratch);
                scratch.clear();
                let done = quoted::quoted(&cursor.text[cursor.at..], &mut scratch).and_then(|length| {
                    cursor.at += length;
                    self.plain(&scratch)
                });
                self.scratch = scratch;
                done
            }
            Some(b'[' | b'(' | b'{') if self.values.is_nested() => {
                self.values.push_nested(cursor)?;
                self.nulls.append_non_null();
                Ok(())
            }
            _ => {
                let word = cursor.word();
                if word.eq_ignore_ascii_case(b"null") {
                    return self.null();
                }
                if matches!(self.values, Values::Bytes(_) | Values::Fixed { .. }) {
                    return Err(UNQUOTED);
                }
                self.bare(word)
            }
        }
    }
}

impl Values {
    pub(super) fn is_nested(&self) -> bool {
        matches!(self, Values::Array { .. } | Values::Tuple { .. } | Values::Map { .. })
    }

    pub(super) fn push_nested_text(&mut self, text: &[u8]) -> Scan<()> {
        let mut cursor = Cursor { text, at: 0 };
        let len = self.len();
        self.push_nested(&mut cursor)?;
        if cursor.peek().is_some() {
            self.truncate(len);
            return Err(LEFT_OVER);
        }
        Ok(())
    }

    /// The elements of an array, without brackets around them. A fault where it is no array.
    pub(super) fn push_elements(&mut self, text: &[u8]) -> Scan<()> {
        let len = self.len();
        let Values::Array { offsets, element } = self else { return Err(LEFT_OVER) };
        let mut cursor = Cursor { text, at: 0 };
        if matches!(cursor.peek(), None | Some(b'[')) {
            return Err(expected("expected '[' or an element"));
        }
        let read = loop {
            if let Err(fault) = element.quoted_value(&mut cursor) {
                break Err(fault);
            }
            match cursor.peek() {
                None => break close(offsets, element.len()),
                Some(b',') => cursor.at += 1,
                Some(_) => break Err(expected("expected ',' between the elements")),
            }
        };
        if read.is_err() {
            self.truncate(len);
        }
        read
    }

    pub(super) fn push_nested(&mut self, cursor: &mut Cursor<'_>) -> Scan<()> {
        let len = self.len();
        let done = match self {
            Values::Array { offsets, element } => cursor
                .items(b'[', b']', |cursor, _| element.quoted_value(cursor))
                .and_then(|_| close(offsets, element.len())),
            Values::Tuple { fields, len, .. } => {
                let wanted = fields.len();
                let read = cursor.items(b'(', b')', |cursor, i| match fields.get_mut(i) {
                    Some(field) => field.quoted_value(cursor),
                    None => Err(expected("the tuple has fewer elements")),
                });
                read.and_then(|count| {
                    if count < wanted {
                        return Err(expected("the tuple has more elements"));
                    }
                    *len += 1;
                    Ok(())
                })
            }
            Values::Map { offsets, key, value } => cursor
                .items(b'{', b'}', |cursor, _| {
                    key.quoted_value(cursor)?;
                    if !cursor.eat(b':') {
                        return Err(expected("expected ':' between key and value"));
                    }
                    value.quoted_value(cursor)
                })
                .and_then(|_| close(offsets, key.len())),
            _ => Err(LEFT_OVER),
        };
        if done.is_err() {
            self.truncate(len);
        }
        done
    }
}

/// Ends the current array at the element that was appended last.
pub(super) fn close(offsets: &mut Vec<i32>, end: usize) -> Scan<()> {
    let end = i32::try_from(end)
        .map_err(|_| Fault::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "a block holds at most 2^31 elements of arrays"))?;
    offsets.push(end);
    Ok(())
}
