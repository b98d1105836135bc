//! Types in ClickHouse's binary form: a byte of each type, and behind it what the type consists of.
//!
//! What is read becomes the type's text, which is parsed as any other, so that it is held to the same rules.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};

use super::{incorrect, text, varuint, write_string, write_varuint};
use crate::SqlType;
use crate::sql_type::{IntervalKind, has_second_form, quote, quote_backticks};

/// Types without anything behind their byte, and that byte.
const SIMPLE: &[(u8, SqlType)] = &[
    (0x00, T::Nothing),
    (0x01, T::UInt8),
    (0x02, T::UInt16),
    (0x03, T::UInt32),
    (0x04, T::UInt64),
    (0x05, T::UInt128),
    (0x06, T::UInt256),
    (0x07, T::Int8),
    (0x08, T::Int16),
    (0x09, T::Int32),
    (0x0A, T::Int64),
    (0x0B, T::Int128),
    (0x0C, T::Int256),
    (0x0D, T::Float32),
    (0x0E, T::Float64),
    (0x0F, T::Date),
    (0x10, T::Date32),
    (0x11, T::DateTime(None)),
    (0x15, T::String),
    (0x1D, T::Uuid),
    (0x28, T::IPv4),
    (0x29, T::IPv6),
    (0x2D, T::Bool),
    (0x31, T::BFloat16),
    (0x32, T::Time),
];

const DATETIME_OF_ZONE: u8 = 0x12;
const DATETIME64: u8 = 0x13;
const DATETIME64_OF_ZONE: u8 = 0x14;
const FIXED_STRING: u8 = 0x16;
const ENUM8: u8 = 0x17;
const ENUM16: u8 = 0x18;
/// Of up to 9, 18, 38 and 76 digits.
const DECIMALS: [(u8, u8); 4] = [(0x19, 9), (0x1A, 18), (0x1B, 38), (0x1C, 76)];
const ARRAY: u8 = 0x1E;
const TUPLE: u8 = 0x1F;
const NAMED_TUPLE: u8 = 0x20;
const INTERVAL: u8 = 0x22;
const NULLABLE: u8 = 0x23;
const AGGREGATE_FUNCTION: u8 = 0x25;
const LOW_CARDINALITY: u8 = 0x26;
const MAP: u8 = 0x27;
/// A type by its name.
const CUSTOM: u8 = 0x2C;
const SIMPLE_AGGREGATE_FUNCTION: u8 = 0x2E;
const TIME64: u8 = 0x34;

/// Intervals are numbered from the shortest to the longest.
const INTERVALS: [IntervalKind; 11] = [
    IntervalKind::Nanosecond,
    IntervalKind::Microsecond,
    IntervalKind::Millisecond,
    IntervalKind::Second,
    IntervalKind::Minute,
    IntervalKind::Hour,
    IntervalKind::Day,
    IntervalKind::Week,
    IntervalKind::Month,
    IntervalKind::Quarter,
    IntervalKind::Year,
];

/// Types that one type may consist of.
const PARTS_MAX: usize = 1000;
/// Types within each other.
const DEPTH_MAX: usize = 100;

// Parameters of aggregate functions.
const OF_UINT64: u8 = 0x01;
const OF_INT64: u8 = 0x02;
const OF_FLOAT64: u8 = 0x07;
const OF_STRING: u8 = 0x0C;
const OF_ARRAY: u8 = 0x0D;
const OF_TUPLE: u8 = 0x0E;

/// Appends a type. Error: NOT_IMPLEMENTED for aggregate functions with a parameter that is neither number, text nor array.
pub fn write_type(kind: &SqlType, out: &mut Vec<u8>) -> Result<()> {
    if let Some((code, _)) = SIMPLE.iter().find(|(_, simple)| simple == kind) {
        out.push(*code);
        return Ok(());
    }
    match kind {
        T::DateTime(Some(zone)) => {
            out.push(DATETIME_OF_ZONE);
            write_string(zone.as_bytes(), out);
        }
        T::DateTime64(scale, None) => out.extend([DATETIME64, *scale]),
        T::DateTime64(scale, Some(zone)) => {
            out.extend([DATETIME64_OF_ZONE, *scale]);
            write_string(zone.as_bytes(), out);
        }
        T::Time64(scale) => out.extend([TIME64, *scale]),
        T::FixedString(length) => {
            out.push(FIXED_STRING);
            write_varuint(*length as u64, out);
        }
        T::Enum8(names) => {
            out.push(ENUM8);
            write_varuint(names.0.len() as u64, out);
            for (name, value) in names.0.iter() {
                write_string(name.as_bytes(), out);
                out.push(*value as u8);
            }
        }
        T::Enum16(names) => {
            out.push(ENUM16);
            write_varuint(names.0.len() as u64, out);
            for (name, value) in names.0.iter() {
                write_string(name.as_bytes(), out);
                out.extend(value.to_le_bytes());
            }
        }
        T::Decimal { precision, scale } => {
            let code = DECIMALS.iter().find(|(_, most)| precision <= most).map_or(DECIMALS[3].0, |(code, _)| *code);
            out.extend([code, *precision, *scale]);
        }
        T::Interval(unit) => {
            let number = INTERVALS.iter().position(|known| known == unit).unwrap_or_default();
            out.extend([INTERVAL, number as u8]);
        }
        T::Nullable(inner) => within(NULLABLE, inner, out)?,
        T::LowCardinality(inner) => within(LOW_CARDINALITY, inner, out)?,
        T::Array(inner) => within(ARRAY, inner, out)?,
        // It has no byte of its own.
        T::Nested(array) => write_type(array, out)?,
        T::Map(key, value) => {
            within(MAP, key, out)?;
            write_type(value, out)?;
        }
        T::Tuple(fields) => {
            let named = !fields.is_empty() && fields.iter().all(|(name, _)| name.is_some());
            out.push(if named { NAMED_TUPLE } else { TUPLE });
            write_varuint(fields.len() as u64, out);
            for (name, kind) in fields {
                if let Some(name) = name.as_ref().filter(|_| named) {
                    write_string(name.as_bytes(), out);
                }
                write_type(kind, out)?;
            }
        }
        T::SimpleAggregateFunction(function, inner) => {
            out.push(SIMPLE_AGGREGATE_FUNCTION);
            write_function(function, std::slice::from_ref(inner.as_ref()), out)?;
        }
        T::AggregateFunction(function, kinds) => {
            out.push(AGGREGATE_FUNCTION);
            // The version of the state's form.
            out.push(u8::from(has_second_form(function, kinds)));
            write_function(function, kinds, out)?;
        }
        T::Geometric(shape, _) => {
            out.push(CUSTOM);
            write_string(shape.name().as_bytes(), out);
        }
        other => return Err(Error::not_implemented(format!("The type {other} in the binary form of types"))),
    }
    Ok(())
}

fn within(code: u8, inner: &SqlType, out: &mut Vec<u8>) -> Result<()> {
    out.push(code);
    write_type(inner, out)
}

/// The name, the parameters, the types of arguments.
fn write_function(function: &str, kinds: &[SqlType], out: &mut Vec<u8>) -> Result<()> {
    let (name, parameters) = function.split_once('(').unwrap_or((function, ")"));
    write_string(name.trim().as_bytes(), out);
    let parameters = elements(parameters.trim_end().strip_suffix(')').unwrap_or(parameters));
    write_varuint(parameters.len() as u64, out);
    for parameter in parameters {
        write_parameter(parameter, out)?;
    }
    write_varuint(kinds.len() as u64, out);
    kinds.iter().try_for_each(|kind| write_type(kind, out))
}

/// What stands between the commas of a list.
fn elements(list: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0usize, false, false);
    for (at, c) in list.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(list[start..].trim());
    if found == [""] { Vec::new() } else { found }
}

fn write_parameter(parameter: &str, out: &mut Vec<u8>) -> Result<()> {
    let list = |open: char, close: char| parameter.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Ok(number) = parameter.parse::<u64>() {
        out.push(OF_UINT64);
        write_varuint(number, out);
    } else if let Ok(number) = parameter.parse::<i64>() {
        out.push(OF_INT64);
        // The sign is the lowest bit.
        write_varuint(((number << 1) ^ (number >> 63)) as u64, out);
    } else if let Ok(number) = parameter.parse::<f64>() {
        out.push(OF_FLOAT64);
        out.extend(number.to_le_bytes());
    } else if let Some(inner) = list('\'', '\'') {
        out.push(OF_STRING);
        let mut unescaped = Vec::new();
        crate::scan::quoted::unescape(inner.as_bytes(), &mut unescaped)
            .map_err(|fault| incorrect(format!("The parameter {parameter} of an aggregate function: {}", fault.reason)))?;
        write_string(&unescaped, out);
    } else if let Some((code, inner)) =
        list('[', ']').map(|inner| (OF_ARRAY, inner)).or_else(|| list('(', ')').map(|inner| (OF_TUPLE, inner)))
    {
        let parts = elements(inner);
        out.push(code);
        write_varuint(parts.len() as u64, out);
        for part in parts {
            write_parameter(part, out)?;
        }
    } else {
        let what = format!("The parameter {parameter} of an aggregate function in the binary form of types");
        return Err(Error::not_implemented(what));
    }
    Ok(())
}

/// Reads a type. `None`: the bytes end within it. Errors: INCORRECT_DATA, and those of types' texts.
pub fn read_type(bytes: &[u8], at: &mut usize) -> Result<Option<SqlType>> {
    let mut reader = Reader { bytes, at: *at, parts: 0, name: String::new() };
    if reader.kind(0)?.is_none() {
        return Ok(None);
    }
    let kind: SqlType = reader.name.parse()?;
    *at = reader.at;
    Ok(Some(kind))
}

/// Bytes of types, and the text of what was read of them.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    parts: usize,
    name: String,
}

/// `None`: the bytes end.
type Read<T> = Result<Option<T>>;

/// Gives `None` on where the bytes end.
macro_rules! there {
    ($read:expr) => {
        match $read {
            Some(read) => read,
            None => return Ok(None),
        }
    };
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn number(&mut self) -> Read<u64> {
        varuint(self.bytes, &mut self.at)
    }

    fn text(&mut self) -> Read<String> {
        Ok(text(self.bytes, &mut self.at)?.map(|text| String::from_utf8_lossy(text).into_owned()))
    }

    fn push(&mut self, text: &str) -> Read<()> {
        self.name.push_str(text);
        Ok(Some(()))
    }

    fn wrapped(&mut self, name: &str, depth: usize) -> Read<()> {
        self.push(name)?;
        there!(self.kind(depth)?);
        self.push(")")
    }

    /// Appends the text of the next type.
    fn kind(&mut self, depth: usize) -> Read<()> {
        self.parts += 1;
        if self.parts > PARTS_MAX || depth > DEPTH_MAX {
            return Err(incorrect(format!(
                "A type in its binary form has more than {PARTS_MAX} parts, or more than {DEPTH_MAX} within each other"
            )));
        }
        let code = there!(self.byte());
        if let Some((_, simple)) = SIMPLE.iter().find(|(known, _)| *known == code) {
            return self.push(&simple.to_string());
        }
        if DECIMALS.iter().any(|(known, _)| *known == code) {
            let (precision, scale) = (there!(self.byte()), there!(self.byte()));
            return self.push(&T::Decimal { precision, scale }.to_string());
        }
        let depth = depth + 1;
        match code {
            DATETIME_OF_ZONE => {
                let zone = there!(self.text()?);
                self.push(&format!("DateTime({})", quote(&zone)))
            }
            DATETIME64 => {
                let scale = there!(self.byte());
                self.push(&format!("DateTime64({scale})"))
            }
            DATETIME64_OF_ZONE => {
                let (scale, zone) = (there!(self.byte()), there!(self.text()?));
                self.push(&format!("DateTime64({scale}, {})", quote(&zone)))
            }
            TIME64 => {
                let scale = there!(self.byte());
                self.push(&format!("Time64({scale})"))
            }
            FIXED_STRING => {
                let length = there!(self.number()?);
                self.push(&format!("FixedString({length})"))
            }
            ENUM8 | ENUM16 => self.enumeration(code),
            ARRAY => self.wrapped("Array(", depth),
            NULLABLE => self.wrapped("Nullable(", depth),
            LOW_CARDINALITY => self.wrapped("LowCardinality(", depth),
            MAP => {
                self.push("Map(")?;
                there!(self.kind(depth)?);
                self.push(", ")?;
                there!(self.kind(depth)?);
                self.push(")")
            }
            TUPLE | NAMED_TUPLE => {
                self.push("Tuple(")?;
                let count = there!(self.number()?);
                for place in 0..count {
                    self.push(if place > 0 { ", " } else { "" })?;
                    if code == NAMED_TUPLE {
                        let name = there!(self.text()?);
                        self.push(&quote_backticks(&name))?;
                        self.push(" ")?;
                    }
                    there!(self.kind(depth)?);
                }
                self.push(")")
            }
            INTERVAL => {
                let number = there!(self.byte());
                let unit = INTERVALS
                    .get(usize::from(number))
                    .ok_or_else(|| incorrect(format!("Unknown kind of interval in the binary form of a type: {number}")))?;
                self.push(&format!("Interval{}", unit.name()))
            }
            CUSTOM => {
                let name = there!(self.text()?);
                self.push(&name)
            }
            SIMPLE_AGGREGATE_FUNCTION => self.function("SimpleAggregateFunction(", depth),
            AGGREGATE_FUNCTION => {
                there!(self.number()?);
                self.function("AggregateFunction(", depth)
            }
            0x21 | 0x24 | 0x2A | 0x2B | 0x2F | 0x30 | 0x33 | 0x35 | 0x36 => {
                Err(Error::not_implemented(format!("The type of the code {code:#04x}")))
            }
            _ => Err(incorrect(format!("Unknown type code: {code:#04x}"))),
        }
    }

    fn enumeration(&mut self, code: u8) -> Read<()> {
        self.push(if code == ENUM8 { "Enum8(" } else { "Enum16(" })?;
        let count = there!(self.number()?);
        for place in 0..count {
            let name = there!(self.text()?);
            let low = there!(self.byte());
            let value = match code {
                ENUM8 => i16::from(low as i8),
                _ => i16::from_le_bytes([low, there!(self.byte())]),
            };
            self.push(&format!("{}{} = {value}", if place > 0 { ", " } else { "" }, quote(&name)))?;
        }
        self.push(")")
    }

    fn function(&mut self, kind: &str, depth: usize) -> Read<()> {
        self.push(kind)?;
        let name = there!(self.text()?);
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Error::new(ErrorCode::UNKNOWN_AGGREGATE_FUNCTION, format!("Unknown aggregate function {name}")));
        }
        self.push(&name)?;
        let parameters = there!(self.number()?);
        if parameters > 0 {
            there!(self.parameters(parameters, "(", ")", depth)?);
        }
        for _ in 0..there!(self.number()?) {
            self.push(", ")?;
            there!(self.kind(depth)?);
        }
        self.push(")")
    }

    fn parameters(&mut self, count: u64, open: &str, close: &str, depth: usize) -> Read<()> {
        self.push(open)?;
        for place in 0..count {
            self.push(if place > 0 { ", " } else { "" })?;
            there!(self.parameter(depth)?);
        }
        self.push(close)
    }

    fn parameter(&mut self, depth: usize) -> Read<()> {
        if depth > DEPTH_MAX {
            return Err(incorrect(format!("Parameters of a function have more than {DEPTH_MAX} levels")));
        }
        match there!(self.byte()) {
            OF_UINT64 => {
                let number = there!(self.number()?);
                self.push(&number.to_string())
            }
            OF_INT64 => {
                let number = there!(self.number()?);
                self.push(&((number >> 1) as i64 ^ -((number & 1) as i64)).to_string())
            }
            OF_FLOAT64 => {
                let Some(bytes) = self.bytes[self.at..].first_chunk::<8>() else { return Ok(None) };
                self.at += bytes.len();
                self.push(&f64::from_le_bytes(*bytes).to_string())
            }
            OF_STRING => {
                let text = there!(self.text()?);
                self.push(&quote(&text))
            }
            code @ (OF_ARRAY | OF_TUPLE) => {
                let count = there!(self.number()?);
                let (open, close) = if code == OF_ARRAY { ("[", "]") } else { ("(", ")") };
                self.parameters(count, open, close, depth + 1)
            }
            code => Err(Error::not_implemented(format!("A parameter of a function of the kind {code:#04x}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `type <TAB> bytes in hex`, made by ClickHouse 26.9.
    const GOLDEN: &str = include_str!("types.tsv");

    #[test]
    fn types_are_clickhouses_bytes() {
        for line in GOLDEN.lines() {
            let (name, bytes) = line.split_once('\t').expect("two fields");
            let kind: SqlType = name.parse().expect(name);
            let mut written = Vec::new();
            write_type(&kind, &mut written).expect(name);
            let digits: String = written.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digits, bytes, "{name}");
            let mut at = 0;
            let read = read_type(&written, &mut at).expect(name).expect("all of it");
            assert_eq!((read.storage(), at), (kind.storage(), written.len()), "{name}");
            for length in 0..written.len() {
                assert!(matches!(read_type(&written[..length], &mut 0), Ok(None)), "{name}, {length} bytes");
            }
        }
    }

    #[test]
    fn bytes_of_no_type_are_refused() {
        let deep = [vec![ARRAY; 5000], vec![0x01]].concat();
        for wrong in [&[0xFF][..], &[NULLABLE, ARRAY, 0x01], &[INTERVAL, 11], &[0x19, 200, 3], &deep[..]] {
            assert!(read_type(wrong, &mut 0).is_err(), "{wrong:?}");
        }
        // As many elements as a number says are not made room for.
        assert!(matches!(read_type(&[TUPLE, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x01], &mut 0), Ok(None)));
    }
}
