//! Reads type names (`Nullable(DateTime64(3, 'UTC'))`, SQL aliases in any case) and structures (`a Int32, b String`).
//!
//! A recursive-descent parser over bytes: name, then optionally arguments in parentheses, whose shape the name decides.

mod aggregates;
mod long_names;

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};

use crate::column::{Column, Columns, DefaultKind};
use crate::sql_type::{EnumValues, IntervalKind, Shape, SqlType};
use SqlType as T;

impl std::str::FromStr for SqlType {
    type Err = Error;

    fn from_str(text: &str) -> Result<SqlType> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let kind = parser.kind()?;
        parser.end()?;
        Ok(kind)
    }
}

/// Reads `name Type, name Type, …`, as table functions take it. A Nested is an array for each of its fields. Errors: SYNTAX_ERROR,
/// also where a column has a default.
pub fn structure(text: &str) -> Result<Columns> {
    structure_without_defaults(text, true)
}

/// As `structure`, where a Nested stays one column if nothing is to be flattened.
pub fn structure_without_defaults(text: &str, flattens: bool) -> Result<Columns> {
    let columns = structure_with_defaults(text, flattens)?;
    match columns.iter().find(|column| column.default.is_some()) {
        None => Ok(columns),
        Some(column) => {
            let text = format!("Column '{}' of the structure has a default, which has no place here: {text}", column.name);
            Err(Error::new(ErrorCode::SYNTAX_ERROR, text))
        }
    }
}

/// As `structure_without_defaults`, where columns may say what they are when the data leaves them out: `b UInt8 DEFAULT a + 1`.
pub fn structure_with_defaults(text: &str, flattens: bool) -> Result<Columns> {
    let columns = structure_with_nested(text)?;
    Ok(if flattens { columns.flattened() } else { columns })
}

/// As `structure_with_defaults`, with a Nested as one column.
pub fn structure_with_nested(text: &str) -> Result<Columns> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let mut columns: Vec<Column> = Vec::new();
    loop {
        parser.spaces();
        if parser.at == text.len() {
            break;
        }
        let name = parser.name()?;
        if columns.iter().any(|column| column.name == name) {
            return Err(Error::new(ErrorCode::DUPLICATE_COLUMN, format!("Structure names column '{name}' twice: {text}")));
        }
        let kind = parser.kind()?;
        let default = parser.default()?;
        columns.push(Column { default, ..Column::new(name, kind) });
        if !parser.eat(b',') {
            break;
        }
    }
    parser.end()?;
    if columns.is_empty() {
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "A structure without columns: give 'name Type, …'"));
    }
    Ok(Columns::new(columns))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn wrong(&self, what: &str) -> Error {
        Error::new(
            ErrorCode::SYNTAX_ERROR,
            format!("Cannot parse the type in '{}': {what} at position {}", self.text, self.at + 1),
        )
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn spaces(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// The default of a column, if one comes next: an expression up to a comma that is in no brackets.
    fn default(&mut self) -> Result<Option<(DefaultKind, String)>> {
        const KINDS: [DefaultKind; 4] =
            [DefaultKind::Default, DefaultKind::Materialized, DefaultKind::Alias, DefaultKind::Ephemeral];
        let before = self.at;
        let word = self.word();
        let Some(kind) = KINDS.into_iter().find(|kind| word.eq_ignore_ascii_case(kind.name())) else {
            self.at = before;
            return Ok(None);
        };
        let start = self.at;
        let mut open = 0usize;
        while let Some(c) = self.peek() {
            match c {
                b',' if open == 0 => break,
                b'\'' | b'"' | b'`' => {
                    self.quoted(c)?;
                    continue;
                }
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        let expression = self.text[start..self.at].trim().to_string();
        if expression.is_empty() && kind != DefaultKind::Ephemeral {
            return Err(self.wrong("expected an expression"));
        }
        Ok(Some((kind, expression)))
    }

    fn eat(&mut self, c: u8) -> bool {
        self.spaces();
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, c: u8) -> Result<()> {
        if self.eat(c) { Ok(()) } else { Err(self.wrong(&format!("expected '{}'", c as char))) }
    }

    fn end(&mut self) -> Result<()> {
        self.spaces();
        if self.at == self.text.len() { Ok(()) } else { Err(self.wrong("unexpected text")) }
    }

    fn word(&mut self) -> &'a str {
        self.spaces();
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// A column's name: a word (dots allowed) or anything in backticks or double quotes.
    fn name(&mut self) -> Result<String> {
        self.spaces();
        if let Some(quote @ (b'`' | b'"')) = self.peek() {
            return self.quoted(quote);
        }
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.' || c >= 0x80) {
            self.at += 1;
        }
        if start == self.at { Err(self.wrong("expected a name")) } else { Ok(self.text[start..self.at].to_string()) }
    }

    fn quoted(&mut self, quote: u8) -> Result<String> {
        self.expect(quote)?;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.wrong("a quote is not closed")),
                Some(c) if c == quote => {
                    self.at += 1;
                    if self.peek() == Some(quote) {
                        out.push(quote);
                        self.at += 1;
                        continue;
                    }
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.peek().ok_or_else(|| self.wrong("a quote is not closed"))?;
                    out.push(match c {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'0' => 0,
                        other => other,
                    });
                    self.at += 1;
                }
                Some(c) => {
                    out.push(c);
                    self.at += 1;
                }
            }
        }
        String::from_utf8(out).map_err(|_| self.wrong("invalid UTF-8"))
    }

    fn integer(&mut self) -> Result<i64> {
        self.spaces();
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[start..self.at].parse().map_err(|_| self.wrong("expected a number"))
    }

    fn bounded(&mut self, low: i64, high: i64, what: &str) -> Result<i64> {
        let value = self.integer()?;
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            let text = format!("{what} must be between {low} and {high}, not {value}, in '{}'", self.text);
            Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text))
        }
    }

    fn kind(&mut self) -> Result<SqlType> {
        self.depth += 1;
        if self.depth > 100 {
            return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, "A type is nested more than 100 levels deep"));
        }
        let kind = self.kind_inner();
        self.depth -= 1;
        kind
    }

    fn one_inside(&mut self) -> Result<SqlType> {
        self.expect(b'(')?;
        let inner = self.kind()?;
        self.expect(b')')?;
        Ok(inner)
    }

    fn kind_inner(&mut self) -> Result<SqlType> {
        let word = self.word();
        if !matches!(word, "Tuple" | "Nested") {
            self.empty_brackets();
        }
        let kind = match word {
            "Array" => T::Array(Box::new(self.one_inside()?)),
            "Nullable" => {
                let inner = self.one_inside()?;
                if inner.is_nullable() || inner.is_low_cardinality() || inner.clone().nullable() == inner {
                    let text = format!("Nested type {inner} cannot be inside Nullable type");
                    return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
                }
                T::Nullable(Box::new(inner))
            }
            "LowCardinality" => {
                let inner = self.one_inside()?;
                if matches!(
                    inner.plain(),
                    T::Array(_) | T::Map(..) | T::Tuple(_) | T::AggregateFunction(..) | T::Decimal { .. }
                ) {
                    let text = format!("LowCardinality is not supported for {inner}");
                    return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
                }
                T::LowCardinality(Box::new(inner))
            }
            "Map" => {
                self.expect(b'(')?;
                let key = self.kind()?;
                self.expect(b',')?;
                let value = self.kind()?;
                self.expect(b')')?;
                T::Map(Box::new(key), Box::new(value))
            }
            "Tuple" => T::Tuple(self.fields()?),
            "Nested" => self.nested()?,
            _ if long_names::is_enumeration(word) => self.enumeration(word)?,
            "FixedString" => {
                self.expect(b'(')?;
                let length = self.bounded(1, 0xFF_FFFF, "Length of a FixedString")?;
                self.expect(b')')?;
                T::FixedString(length as usize)
            }
            _ if long_names::is_moment(word) => {
                let mut zone = None;
                if self.eat(b'(') {
                    // DateTime(6) means DateTime64(6).
                    self.spaces();
                    if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                        let scale = self.bounded(0, 9, "Scale of DateTime64")? as u8;
                        let zone = if self.eat(b',') { Some(self.zone()?) } else { None };
                        self.expect(b')')?;
                        return Ok(T::DateTime64(scale, zone));
                    }
                    zone = Some(self.zone()?);
                    self.expect(b')')?;
                }
                T::DateTime(zone)
            }
            _ if word.eq_ignore_ascii_case("DateTime64") => {
                let (mut scale, mut zone) = (3, None);
                if self.eat(b'(') {
                    scale = self.bounded(0, 9, "Scale of DateTime64")? as u8;
                    if self.eat(b',') {
                        zone = Some(self.zone()?);
                    }
                    self.expect(b')')?;
                }
                T::DateTime64(scale, zone)
            }
            _ if word.eq_ignore_ascii_case("Time64") => {
                let mut scale = 3;
                if self.eat(b'(') {
                    scale = self.bounded(0, 9, "Scale of Time64")? as u8;
                    self.expect(b')')?;
                }
                T::Time64(scale)
            }
            "SimpleAggregateFunction" => {
                self.expect(b'(')?;
                let name = self.function();
                self.expect(b',')?;
                let inner = self.kind()?;
                self.expect(b')')?;
                T::SimpleAggregateFunction(name, Box::new(inner))
            }
            "AggregateFunction" => self.aggregate_function()?,
            _ => self.by_name(word)?,
        };
        Ok(kind)
    }

    fn by_name(&mut self, word: &str) -> Result<SqlType> {
        if let Some(kind) = simple(word) {
            return Ok(kind);
        }
        if let Some(shape) = Shape::ALL.into_iter().find(|shape| shape.name() == word) {
            return Ok(shape.kind());
        }
        if let Some(kind) =
            word.strip_prefix("Interval").and_then(|unit| IntervalKind::ALL.into_iter().find(|k| k.name() == unit))
        {
            return Ok(T::Interval(kind));
        }
        if let Some(precision) = long_names::precision_of_sized_decimal(word) {
            self.expect(b'(')?;
            let scale = self.bounded(0, precision, "Scale of a Decimal")? as u8;
            self.expect(b')')?;
            return Ok(T::Decimal { precision: precision as u8, scale });
        }
        let upper = word.to_ascii_uppercase();
        let kind = match upper.as_str() {
            "DECIMAL" | "DEC" | "NUMERIC" | "FIXED" => {
                let (mut precision, mut scale) = (10, 0);
                if self.eat(b'(') {
                    precision = self.bounded(1, 76, "Precision of a Decimal")?;
                    if self.eat(b',') {
                        scale = self.bounded(0, precision, "Scale of a Decimal")?;
                    }
                    self.expect(b')')?;
                }
                T::Decimal { precision: precision as u8, scale: scale as u8 }
            }
            "DATE" => T::Date,
            "TIME" => T::Time,
            "DATE32" => T::Date32,
            "TINYINT" | "INT1" | "BYTE" => self.sized(T::Int8, T::UInt8),
            "SMALLINT" | "INT2" => self.sized(T::Int16, T::UInt16),
            "INT" | "INTEGER" | "INT4" | "MEDIUMINT" => self.sized(T::Int32, T::UInt32),
            "BIGINT" | "SIGNED" | "INT8" => self.sized(T::Int64, T::UInt64),
            "UNSIGNED" | "BIT" | "SET" => {
                self.ignored_digits()?;
                T::UInt64
            }
            "YEAR" => {
                self.ignored_digits()?;
                T::UInt16
            }
            "FLOAT" | "REAL" | "SINGLE" => {
                self.ignored_digits()?;
                T::Float32
            }
            "DOUBLE" => {
                let at = self.at;
                if !self.word().eq_ignore_ascii_case("precision") {
                    self.at = at;
                }
                self.ignored_digits()?;
                T::Float64
            }
            "BOOL" | "BOOLEAN" => T::Bool,
            "TEXT" | "VARCHAR" | "VARCHAR2" | "CHAR" | "CHARACTER" | "BLOB" | "CLOB" | "STRING" | "BYTEA" | "TINYTEXT"
            | "MEDIUMTEXT" | "LONGTEXT" | "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB" | "NCHAR" | "NVARCHAR" | "VARBINARY"
            | "NATIONAL" => {
                self.rest_of_text_name();
                if self.eat(b'(') {
                    self.integer()?;
                    self.expect(b')')?;
                }
                T::String
            }
            "BINARY" => {
                if self.rest_of_text_name() {
                    if self.eat(b'(') {
                        self.integer()?;
                        self.expect(b')')?;
                    }
                    T::String
                } else if self.eat(b'(') {
                    let length = self.bounded(1, 0xFF_FFFF, "Length of a FixedString")?;
                    self.expect(b')')?;
                    T::FixedString(length as usize)
                } else {
                    T::String
                }
            }
            "INET4" => T::IPv4,
            "INET6" => T::IPv6,
            "" => return Err(self.wrong("expected a type")),
            _ => {
                return Err(Error::new(
                    ErrorCode::UNKNOWN_TYPE,
                    format!("Unknown data type family: {word} (in '{}')", self.text),
                ));
            }
        };
        Ok(kind)
    }

    /// `INT(11) UNSIGNED` and the like.
    fn sized(&mut self, signed: SqlType, unsigned: SqlType) -> SqlType {
        let at = self.at;
        if self.eat(b'(') && (self.integer().is_err() || !self.eat(b')')) {
            self.at = at;
        }
        let at = self.at;
        match self.word().to_ascii_uppercase().as_str() {
            "UNSIGNED" => unsigned,
            "SIGNED" => signed,
            _ => {
                self.at = at;
                signed
            }
        }
    }

    fn zone(&mut self) -> Result<Arc<str>> {
        let name = self.quoted(b'\'')?;
        match name.parse::<chrono_tz::Tz>() {
            Ok(zone) => Ok(Arc::from(zone.name())),
            Err(_) => Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot load time zone {name}: give an IANA name"))),
        }
    }

    /// Errors: EMPTY_DATA_PASSED, and SYNTAX_ERROR where a field has no name.
    fn nested(&mut self) -> Result<SqlType> {
        self.spaces();
        let fields = if self.peek() == Some(b'(') { self.fields()? } else { Vec::new() };
        if fields.is_empty() {
            return Err(Error::new(ErrorCode::EMPTY_DATA_PASSED, "Nested has no fields: give them, as in Nested(a UInt8)"));
        }
        if fields.iter().any(|(name, _)| name.is_none()) {
            return Err(self.wrong("expected a name and a type for each field of Nested"));
        }
        Ok(T::Nested(Box::new(T::array(T::Tuple(fields)))))
    }

    /// The elements of a tuple.
    fn fields(&mut self) -> Result<Vec<(Option<String>, SqlType)>> {
        self.expect(b'(')?;
        let mut fields = Vec::new();
        while !self.eat(b')') {
            if !fields.is_empty() {
                self.expect(b',')?;
            }
            // A name stands before the type where what follows the first word is another word or a backtick.
            let start = self.at;
            let named = self.name().ok().filter(|_| {
                self.spaces();
                self.peek().is_some_and(|c| c.is_ascii_alphabetic())
            });
            match named {
                Some(name) => fields.push((Some(name), self.kind()?)),
                None => {
                    self.at = start;
                    fields.push((None, self.kind()?));
                }
            }
        }
        Ok(fields)
    }

    fn enumeration(&mut self, word: &str) -> Result<SqlType> {
        self.expect(b'(')?;
        let mut values: Vec<(String, i16)> = Vec::new();
        loop {
            self.spaces();
            let name = self.quoted(b'\'')?;
            let value = if self.eat(b'=') {
                let (low, high) = if word.eq_ignore_ascii_case("Enum8") { (-128, 127) } else { (-32768, 32767) };
                self.bounded(low, high, "Value of an enum")? as i16
            } else {
                values.last().map_or(1, |(_, value)| value.saturating_add(1))
            };
            if values.iter().any(|(known, number)| *known == name || *number == value) {
                return Err(Error::new(
                    ErrorCode::SYNTAX_ERROR,
                    format!("Duplicate element '{name}' = {value} in '{}'", self.text),
                ));
            }
            values.push((name, value));
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')')?;
        values.sort_by_key(|(_, value)| *value);
        let is_narrow = values.iter().all(|(_, value)| i8::try_from(*value).is_ok());
        let wide = word.eq_ignore_ascii_case("Enum16") || (word.eq_ignore_ascii_case("Enum") && !is_narrow);
        let values = EnumValues(values.into());
        Ok(if wide { T::Enum16(values) } else { T::Enum8(values) })
    }
}

fn simple(word: &str) -> Option<SqlType> {
    Some(match word {
        "UInt8" => T::UInt8,
        "UInt16" => T::UInt16,
        "UInt32" => T::UInt32,
        "UInt64" => T::UInt64,
        "UInt128" => T::UInt128,
        "UInt256" => T::UInt256,
        "Int8" => T::Int8,
        "Int16" => T::Int16,
        "Int32" => T::Int32,
        "Int64" => T::Int64,
        "Int128" => T::Int128,
        "Int256" => T::Int256,
        "BFloat16" => T::BFloat16,
        "Float32" => T::Float32,
        "Float64" => T::Float64,
        "String" => T::String,
        "Date" => T::Date,
        "Date32" => T::Date32,
        "Time" => T::Time,
        "UUID" => T::Uuid,
        "IPv4" => T::IPv4,
        "IPv6" => T::IPv6,
        "Bool" => T::Bool,
        "Nothing" => T::Nothing,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
