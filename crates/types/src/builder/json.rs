//! Values from JSON text, pulled straight into typed columns.
//!
//! Leniency is ClickHouse's: strings hold any type's text, numbers and booleans go into strings as they are written,
//! `true` and `false` are 1 and 0 for numbers, objects and arrays going into a String are kept as their text.

use gristmill_base::{ErrorCode, Result};

use super::nested::close;
use super::values::{NO_SUCH_NAME, Values};
use super::{ColumnBuilder, ParseOptions};
use crate::scan::json::{JsonCursor, JsonKind, unescape_what_can_be};
use crate::scan::{Fault, Scan};

const fn fault(reason: &'static str) -> Fault {
    Fault::new(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, reason)
}

const NO_ARRAY: Fault =
    Fault::new(ErrorCode::CANNOT_READ_ARRAY_FROM_TEXT, "a single value came where an array was expected");

const NO_TRUTH: &str =
    "true or false came for a type that has none: see the setting input_format_json_read_bools_as_numbers";

impl ColumnBuilder {
    /// Appends a value given as its JSON text (one whole value). Nothing is appended on an error.
    pub fn append_json(&mut self, json: &[u8]) -> Result<()> {
        self.try_append_json(json).map_err(|fault| fault.explain(json, &self.kind))
    }

    /// Appends a parsed value.
    pub fn append_json_value(&mut self, value: &serde_json::Value) -> Result<()> {
        match value {
            serde_json::Value::String(text) => self.append_text(text.as_bytes(), super::Escaping::Plain),
            serde_json::Value::Null => self.append_null(),
            other => self.append_json(other.to_string().as_bytes()),
        }
    }

    /// As `append_json`, with a failure that costs nothing.
    #[inline]
    pub fn try_append_json(&mut self, json: &[u8]) -> Scan<()> {
        let mut cursor = JsonCursor::new(json);
        let len = self.len();
        self.json_value(&mut cursor)?;
        if cursor.peek().is_some() {
            self.truncate(len);
            return Err(Fault::new(ErrorCode::INCORRECT_DATA, "text is left over after the value"));
        }
        Ok(())
    }

    /// Appends the next value of a JSON text. Nothing is appended on a fault.
    pub fn json_value(&mut self, cursor: &mut JsonCursor<'_>) -> Scan<()> {
        match cursor.kind()? {
            JsonKind::Null => {
                cursor.value()?;
                self.null()
            }
            JsonKind::String if self.options.empty_as_default && cursor.eat_string(b"") => {
                if !self.takes_empty() {
                    return Err(NO_SUCH_NAME);
                }
                self.append_default();
                Ok(())
            }
            JsonKind::String => {
                if self.options.as_data && self.values.is_nested() {
                    return Err(match self.values {
                        Values::Array { .. } => NO_ARRAY,
                        _ => fault("a string came where an array or object was expected"),
                    });
                }
                let mut scratch = std::mem::take(&mut self.scratch);
                let text = match self.options.keeps_bad_escapes {
                    true => string_as_far_as_it_goes(cursor, &mut scratch),
                    false => cursor.string(&mut scratch),
                };
                let done = text.and_then(|text| self.plain(text));
                self.scratch = scratch;
                done
            }
            kind if self.refuses(kind) => {
                cursor.value()?;
                let code = match kind {
                    JsonKind::Number => ErrorCode::CANNOT_PARSE_QUOTED_STRING,
                    _ => ErrorCode::INCORRECT_DATA,
                };
                Err(Fault::new(code, "a string was expected: see the settings input_format_json_read_…_as_strings"))
            }
            JsonKind::Bool(value) => {
                let text = cursor.value()?;
                match &self.values {
                    Values::Bool(_) | Values::Bytes(_) | Values::Fixed { .. } | Values::Enum { .. } => self.plain(text),
                    Values::DateTime { .. } | Values::Decimal128 { .. } | Values::Decimal256 { .. }
                        if self.options.as_data =>
                    {
                        Err(match self.values {
                            Values::DateTime { .. } => Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, NO_TRUTH),
                            _ => fault(NO_TRUTH),
                        })
                    }
                    // UInt8 was the type of truth.
                    values if !self.options.bools_as_numbers && !matches!(values, Values::U8(_)) => {
                        Err(Fault::new(ErrorCode::CANNOT_PARSE_NUMBER, NO_TRUTH))
                    }
                    _ => self.plain(if value { b"1" } else { b"0" }),
                }
            }
            JsonKind::Number => {
                let text = cursor.value()?;
                self.number(text)
            }
            JsonKind::Array | JsonKind::Object if !self.values.is_nested() => {
                let text = cursor.value()?;
                match self.values {
                    Values::Bytes(_) => self.plain(text),
                    _ => Err(fault("an array or object came where a single value was expected")),
                }
            }
            JsonKind::Array | JsonKind::Object => {
                let len = self.values.len();
                match self.values.push_json(cursor, &self.options) {
                    Ok(()) => {
                        self.nulls.append_non_null();
                        Ok(())
                    }
                    Err(fault) => {
                        self.values.truncate(len);
                        Err(fault)
                    }
                }
            }
        }
    }

    /// Whether an empty string can stand for the default: that of an enum is 0, which need not have a name.
    pub fn takes_empty(&self) -> bool {
        !matches!(&self.values, Values::Enum { names, .. } if names.name_of(0).is_none())
    }

    /// Whether the column is of strings, and settings say that such a value does not become one.
    fn refuses(&self, kind: JsonKind) -> bool {
        let taken = self.options.json_strings;
        let takes = match kind {
            JsonKind::Number => taken.numbers,
            JsonKind::Bool(_) => taken.bools,
            JsonKind::Array => taken.arrays,
            JsonKind::Object => taken.objects,
            JsonKind::Null | JsonKind::String => true,
        };
        !takes && matches!(self.values, Values::Bytes(_) | Values::Fixed { .. })
    }

    /// Whole numbers may come as `5.0` or `5e3`.
    fn number(&mut self, text: &[u8]) -> Scan<()> {
        let done = self.bare(text);
        if done.is_err()
            && !self.options.as_data
            && self.kind.is_integer()
            && memchr::memchr3(b'.', b'e', b'E', text).is_some()
        {
            let value = crate::scan::number::float64(text)?;
            if value.fract() == 0.0 && value.abs() < 9e15 {
                return self.plain(itoa::Buffer::new().format(value as i64).as_bytes());
            }
        }
        done
    }
}

impl Values {
    fn push_json(&mut self, cursor: &mut JsonCursor<'_>, options: &ParseOptions) -> Scan<()> {
        let array_came = cursor.peek() == Some(b'[');
        match self {
            Values::Map { .. } if options.as_data && array_came != options.maps_as_arrays => {
                return Err(match array_came {
                    true => fault("an array came where an object was expected: input_format_json_map_as_array_of_tuples"),
                    false => Fault::new(
                        ErrorCode::CANNOT_READ_ARRAY_FROM_TEXT,
                        "an object came where an array of tuples was expected",
                    ),
                });
            }
            Values::Tuple { names, .. } if options.as_data && array_came == is_object(names, options) => {
                return Err(fault(match array_came {
                    true => "an array came where an object was expected: see input_format_json_named_tuples_as_objects",
                    false => "an object came where an array was expected",
                }));
            }
            _ => {}
        }
        match self {
            Values::Array { offsets, element } => {
                items(cursor, b'[', b']', |cursor| element.json_value(cursor))?;
                close(offsets, element.len())
            }
            Values::Map { offsets, key, value } => {
                // As an object, or as the array of tuples that a setting of ClickHouse's makes of it.
                if array_came {
                    items(cursor, b'[', b']', |cursor| entry(cursor, key, value, options))?;
                } else {
                    items(cursor, b'{', b'}', |cursor| {
                        key.json_value(cursor)?;
                        cursor.expect(b':')?;
                        value.json_value(cursor)
                    })?;
                }
                close(offsets, key.len())
            }
            Values::Tuple { fields, names, len } => {
                if array_came {
                    let mut next = 0;
                    items(cursor, b'[', b']', |cursor| {
                        let field = fields.get_mut(next).ok_or(fault("the tuple has fewer elements"))?;
                        next += 1;
                        field.json_value(cursor)
                    })?;
                    if next < fields.len() {
                        return Err(fault("the tuple has more elements"));
                    }
                } else {
                    let mut scratch = Vec::new();
                    items(cursor, b'{', b'}', |cursor| {
                        let name = cursor.string(&mut scratch)?;
                        let named = |known: &Option<String>| known.as_ref().is_some_and(|known| known.as_bytes() == name);
                        let at = names.iter().position(named);
                        cursor.expect(b':')?;
                        match at {
                            Some(at) if fields[at].len() == *len => fields[at].json_value(cursor),
                            Some(_) => Err(Fault::new(ErrorCode::INCORRECT_DATA, "an object names a field twice")),
                            None if options.tuples_pass_unknown => cursor.pass(options.json_depth_max),
                            None => Err(unknown_field(fields.iter().all(|field| field.len() > *len))),
                        }
                    })?;
                    for field in fields.iter_mut().filter(|field| field.len() == *len) {
                        if !options.tuples_take_missing {
                            return Err(missing_field());
                        }
                        field.append_default();
                    }
                }
                *len += 1;
                Ok(())
            }
            _ => Err(fault("an array or object came where a single value was expected")),
        }
    }
}

/// A string whose escapes are kept as they are written where they mean nothing.
fn string_as_far_as_it_goes<'s>(cursor: &mut JsonCursor<'_>, scratch: &'s mut Vec<u8>) -> Scan<&'s [u8]> {
    let (raw, _) = cursor.raw_string()?;
    scratch.clear();
    unescape_what_can_be(raw, scratch);
    Ok(scratch)
}

/// An entry of a map: the named tuple that it is to ClickHouse, or a pair.
fn entry(
    cursor: &mut JsonCursor<'_>,
    key: &mut ColumnBuilder,
    value: &mut ColumnBuilder,
    options: &ParseOptions,
) -> Scan<()> {
    if !options.as_data || !options.named_tuples_as_objects {
        cursor.expect(b'[')?;
        key.json_value(cursor)?;
        cursor.expect(b',')?;
        value.json_value(cursor)?;
        return cursor.expect(b']');
    }
    let (len, mut scratch) = (key.len(), Vec::new());
    items(cursor, b'{', b'}', |cursor| {
        let field = match cursor.string(&mut scratch)? {
            b"keys" => Some(&mut *key),
            b"values" => Some(&mut *value),
            _ => None,
        };
        cursor.expect(b':')?;
        match field {
            Some(field) if field.len() == len => field.json_value(cursor),
            Some(_) => Err(Fault::new(ErrorCode::INCORRECT_DATA, "an object names a field twice")),
            None if options.tuples_pass_unknown => cursor.pass(options.json_depth_max),
            None => Err(unknown_field(key.len() > len && value.len() > len)),
        }
    })?;
    for field in [key, value].into_iter().filter(|field| field.len() == len) {
        if !options.tuples_take_missing {
            return Err(missing_field());
        }
        field.append_default();
    }
    Ok(())
}

/// A field of an object that the tuple lacks. `is_full`: all that the tuple has came before it.
fn unknown_field(is_full: bool) -> Fault {
    match is_full {
        true => Fault::new(ErrorCode::INCORRECT_DATA, "an object has more fields than the tuple"),
        false => Fault::new(ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK, "the tuple has no field of an object's name"),
    }
}

fn missing_field() -> Fault {
    Fault::new(ErrorCode::INCORRECT_DATA, "an object lacks a field of the tuple")
}

/// Whether a tuple is written as an object.
fn is_object(names: &[Option<String>], options: &ParseOptions) -> bool {
    options.named_tuples_as_objects && !names.is_empty() && names.iter().all(Option::is_some)
}

fn items<'a>(
    cursor: &mut JsonCursor<'a>,
    open: u8,
    close: u8,
    mut item: impl FnMut(&mut JsonCursor<'a>) -> Scan<()>,
) -> Scan<()> {
    if !cursor.eat(open) {
        return Err(fault(if open == b'[' { "expected an array" } else { "expected an object" }));
    }
    if cursor.eat(close) {
        return Ok(());
    }
    loop {
        item(cursor)?;
        if cursor.eat(close) {
            return Ok(());
        }
        cursor.expect(b',')?;
    }
}
