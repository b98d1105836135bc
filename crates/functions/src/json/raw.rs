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
        text.parse::<f64>().ok().map(Number::Float)
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
        Ok(JsonKind::Number) => match Number::parse(value.trim_ascii()) {
            Some(Number::Float(float)) if float.is_finite() => write_f64(float, out),
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
        _ => minify(value, out),
    }
}
