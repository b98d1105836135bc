//! Paths into JSON text: keys of objects, and places in arrays and objects counted from 1, or from the end by negative
//! numbers.

use arrow::array::ArrayRef;
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::scan::json::{JsonCursor, JsonKind};

use crate::columns::{Bytes, Numbers};
use crate::define::{expect_string, illegal};
use crate::scalar::Argument;

/// One column of a path.
enum Step<'a> {
    Keys(Bytes<'a>),
    Places(Numbers<'a, i64>),
}

pub struct Path<'a> {
    json: Bytes<'a>,
    steps: Vec<Step<'a>>,
    any_case: bool,
}

/// The types that the text and its path, arguments `0..end`, are cast to.
pub fn path_types(name: &str, arguments: &[Argument], end: usize) -> Result<Vec<SqlType>> {
    expect_string(name, arguments, 0)?;
    let mut casts = vec![arguments[0].kind.clone()];
    for (i, argument) in arguments.iter().enumerate().take(end).skip(1) {
        casts.push(match &argument.kind {
            kind if kind.is_string() => kind.clone(),
            kind if kind.is_integer() => SqlType::Int64,
            _ => return Err(illegal(name, arguments, i, "a key (String) or a place (an integer)")),
        });
    }
    Ok(casts)
}

impl<'a> Path<'a> {
    /// Of the text and its path, cast to `path_types`.
    pub fn new(args: &'a [ArrayRef], any_case: bool) -> Result<Path<'a>> {
        let steps = args[1..]
            .iter()
            .map(|column| match Bytes::of(column) {
                Ok(keys) => Ok(Step::Keys(keys)),
                Err(_) => Ok(Step::Places(Numbers::of::<Int64Type>(column)?)),
            })
            .collect::<Result<_>>()?;
        Ok(Path { json: Bytes::of(&args[0])?, steps, any_case })
    }

    /// The text of the value that the path leads to in a row.
    pub fn find(&self, row: usize) -> Option<&'a [u8]> {
        let mut value = whole(self.json.get(row))?;
        for step in &self.steps {
            value = match step {
                Step::Keys(keys) => member(value, keys.get(row), self.any_case)?,
                Step::Places(places) => nth(value, places.get(row))?.1,
            };
        }
        Some(value)
    }

    /// The key that the last step leads to, where that is a member of an object.
    pub fn key(&self, row: usize) -> Option<Vec<u8>> {
        let (last, steps) = self.steps.split_last()?;
        let mut value = whole(self.json.get(row))?;
        for step in steps {
            value = match step {
                Step::Keys(keys) => member(value, keys.get(row), self.any_case)?,
                Step::Places(places) => nth(value, places.get(row))?.1,
            };
        }
        match last {
            Step::Keys(keys) => {
                let key = keys.get(row);
                member(value, key, self.any_case).map(|_| key.to_vec())
            }
            Step::Places(places) => nth(value, places.get(row))?.0,
        }
    }
}

/// The only value of a JSON text; `None` where there is none, or something follows it.
pub fn whole(text: &[u8]) -> Option<&[u8]> {
    let mut cursor = JsonCursor::new(text);
    let value = cursor.value().ok()?;
    // Keys without quotes, or in others, are what is taken for JSON most often.
    let mut inside = JsonCursor::new(value);
    let has_key = !inside.eat(b'{') || matches!(inside.peek(), Some(b'"' | b'}'));
    (has_key && cursor.peek().is_none()).then_some(value)
}

pub fn kind(value: &[u8]) -> Option<JsonKind> {
    JsonCursor::new(value).kind().ok()
}

/// Calls `f` with each member of an object, as raw key and whether it has escapes, and value, until it says stop.
pub fn members<'a>(value: &'a [u8], mut f: impl FnMut(&'a [u8], bool, &'a [u8]) -> bool) -> Option<()> {
    let mut cursor = JsonCursor::new(value);
    cursor.expect(b'{').ok()?;
    if cursor.eat(b'}') {
        return Some(());
    }
    loop {
        cursor.peek();
        let (key, escaped) = cursor.raw_string().ok()?;
        cursor.expect(b':').ok()?;
        if !f(key, escaped, cursor.value().ok()?) || !cursor.eat(b',') {
            return Some(());
        }
    }
}

/// As `members`, of the elements of an array.
pub fn elements<'a>(value: &'a [u8], mut f: impl FnMut(&'a [u8]) -> bool) -> Option<()> {
    let mut cursor = JsonCursor::new(value);
    cursor.expect(b'[').ok()?;
    if cursor.eat(b']') {
        return Some(());
    }
    loop {
        if !f(cursor.value().ok()?) || !cursor.eat(b',') {
            return Some(());
        }
    }
}

/// A raw key or string with its escapes resolved.
pub fn unescaped(raw: &[u8], escaped: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    if !escaped || gristmill_types::scan::json::unescape(raw, &mut out).is_err() {
        out.clear();
        out.extend_from_slice(raw);
    }
    out
}

fn member<'a>(value: &'a [u8], key: &[u8], any_case: bool) -> Option<&'a [u8]> {
    let same = |found: &[u8]| if any_case { found.eq_ignore_ascii_case(key) } else { found == key };
    let mut found = None;
    members(value, |name, escaped, value| {
        if if escaped { same(&unescaped(name, true)) } else { same(name) } {
            found = Some(value);
        }
        found.is_none()
    })?;
    found
}

/// The value at a place, and its key in an object.
fn nth(value: &[u8], place: i64) -> Option<(Option<Vec<u8>>, &[u8])> {
    let object = kind(value)? == JsonKind::Object;
    let wanted = if place > 0 {
        usize::try_from(place - 1).ok()?
    } else {
        // Counted from the end; 0 is no place.
        let back = usize::try_from(place.checked_neg()?).ok().filter(|back| *back > 0)?;
        length(value)?.checked_sub(back)?
    };
    let mut at = 0;
    let mut found = None;
    if object {
        members(value, |key, escaped, value| {
            if at == wanted {
                found = Some((Some(unescaped(key, escaped)), value));
            }
            at += 1;
            found.is_none()
        })?;
    } else {
        elements(value, |value| {
            if at == wanted {
                found = Some((None, value));
            }
            at += 1;
            found.is_none()
        })?;
    }
    found
}

/// Members of an object or elements of an array.
pub fn length(value: &[u8]) -> Option<usize> {
    let mut count = 0;
    let mut more = || {
        count += 1;
        true
    };
    match kind(value)? {
        JsonKind::Object => members(value, |_, _, _| more())?,
        JsonKind::Array => elements(value, |_| more())?,
        _ => return None,
    }
    Some(count)
}
