//! JSON values as numbers, and written anew without spaces.

use gristmill_types::scan::json::{JsonCursor, JsonKind};
use gristmill_types::text::{write_f64, write_json_string};

use super::path::{elements, members, unescaped};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

impl Number {
    /// By JSON's grammar; `None` for anything else.
    pub fn parse(text: &[u8]) -> Option<Number> {
        let text = std::str::from_utf8(text).ok()?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        if let Ok(value) = text.parse::<i64>() {
            return Some(Number::Signed(value));
        }
        if let Ok(value) = text.parse::<u64>() {
            return Some(Number::Unsigned(value));
        }
        // What no float holds is no number.
        text.parse::<f64>().ok().filter(|value| value.is_finite()).map(Number::Float)
    }

    /// Towards zero, where it lies in the range.
    pub fn integer(self, low: i128, high: i128) -> Option<i128> {
        let value = match self {
            Number::Signed(value) => i128::from(value),
            Number::Unsigned(value) => i128::from(value),
            Number::Float(value) if value.abs() < 1e30 => value as i128,
            Number::Float(_) => return None,
        };
        (low..=high).contains(&value).then_some(value)
    }

    pub fn float(self) -> f64 {
        match self {
            Number::Signed(value) => value as f64,
            Number::Unsigned(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

/// The digits of a whole number that no 64 bits hold. JSON's types have none for it: it is a string of its digits.
pub fn long_digits(value: &[u8]) -> Option<&[u8]> {
    // So many digits are the fewest.
    const DIGITS_MIN: usize = 19;
    let text = value.trim_ascii();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_long = digits.len() >= DIGITS_MIN
        && digits.iter().all(u8::is_ascii_digit)
        && matches!(Number::parse(text), None | Some(Number::Float(_)));
    is_long.then_some(text)
}

/// The content of a JSON string; `None` for anything else.
pub fn string(value: &[u8]) -> Option<Vec<u8>> {
    let mut cursor = JsonCursor::new(value);
    cursor.peek();
    let (raw, escaped) = cursor.raw_string().ok()?;
    Some(unescaped(raw, escaped))
}

/// Appends the value without spaces, its numbers and strings in their shortest forms.
pub fn minify(value: &[u8], out: &mut Vec<u8>) {
    minify_within(value, 0, out);
}

/// Values nested deeper than this stay as they are written: nobody's JSON is, and the stack has an end.
const DEEPEST: usize = 500;

fn minify_within(value: &[u8], depth: usize, out: &mut Vec<u8>) {
    match JsonCursor::new(value).kind() {
        Ok(JsonKind::Object | JsonKind::Array) if depth > DEEPEST => out.extend_from_slice(value),
        Ok(JsonKind::Object) => {
            out.push(b'{');
            let start = out.len();
            members(value, |key, escaped, value| {
                if out.len() > start {
                    out.push(b',');
                }
                write_json_string(&unescaped(key, escaped), false, false, out);
                out.push(b':');
                minify_within(value, depth + 1, out);
                true
            });
            out.push(b'}');
        }
        Ok(JsonKind::Array) => {
            out.push(b'[');
            let start = out.len();
            elements(value, |value| {
                if out.len() > start {
                    out.push(b',');
                }
                minify_within(value, depth + 1, out);
                true
            });
            out.push(b']');
        }
        Ok(JsonKind::String) => write_json_string(&string(value).unwrap_or_default(), false, false, out),
        Ok(JsonKind::Number) => match (long_digits(value), Number::parse(value.trim_ascii())) {
            (Some(digits), _) => write_json_string(digits, false, false, out),
            (None, Some(Number::Float(float))) => write_f64(float, out),
            // Of `-0` the sign goes.
            (None, Some(Number::Signed(0))) => out.push(b'0'),
            _ => out.extend_from_slice(value.trim_ascii()),
        },
        _ => out.extend_from_slice(value.trim_ascii()),
    }
}

/// A value as a string: a string's content, else the value itself without spaces; nothing for null.
pub fn text(value: &[u8], out: &mut Vec<u8>) {
    match JsonCursor::new(value).kind() {
        Ok(JsonKind::Null) => {}
        Ok(JsonKind::String) => out.extend(string(value).unwrap_or_default()),
        Ok(JsonKind::Number) if let Some(digits) = long_digits(value) => out.extend_from_slice(digits),
        _ => minify(value, out),
    }
}
