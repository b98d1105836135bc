//! Values of a batch, row by row, as ClickHouse writes them to Avro.
//!
//! | Type | Avro |
//! |---|---|
//! | Bool | boolean |
//! | whole numbers up to 32 bits, DateTime, IPv4 | int (unsigned ones by their bits) |
//! | Int64, UInt64; wider ones | long; fixed, little-endian |
//! | Float32; Float64 | float; double |
//! | Date, Date32; DateTime64(3), DateTime64(6) | int of date; long of timestamp-millis, timestamp-micros |
//! | DateTime64 of other scales | bytes of decimal(18, scale): seconds |
//! | String | string, or bytes where `output_format_avro_string_column_pattern` does not match the column's name |
//! | FixedString, IPv6; UUID | fixed; string of uuid |
//! | Enum8, Enum16 | enum |
//! | Decimal | bytes of decimal |
//! | Array, Tuple, Map, Nullable | array, record, map of the keys as text, union of null and the type |

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, Int16Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::text::{TextOptions, ValueWriter};
use regex::Regex;
use serde_json::{Value, json};

use super::container::{write_bytes, write_long};
use crate::columnar::whole_numbers::numbers;

/// Digits of the decimal that ticks are.
const TICKS_DIGITS: u8 = 18;

/// Writes schemas. Types with names get a number each, as their names must differ.
pub struct Schemas {
    number: usize,
    as_text: Regex,
}

impl Schemas {
    /// `as_text`: the columns whose strings are text (the empty pattern is in every name). Errors: CANNOT_COMPILE_REGEXP.
    pub fn new(as_text: &str) -> Result<Self> {
        let as_text = Regex::new(as_text).map_err(|error| {
            Error::new(
                ErrorCode::CANNOT_COMPILE_REGEXP,
                format!("Setting output_format_avro_string_column_pattern is '{as_text}', which is no regular expression: {error}"),
            )
        })?;
        Ok(Schemas { number: 0, as_text })
    }

    /// The schema of a row.
    pub fn row<'a>(&mut self, columns: impl Iterator<Item = (&'a str, &'a SqlType)>) -> Result<Value> {
        let fields = columns.map(|(name, kind)| {
            let kind = self.of(kind, name).map_err(|error| error.with_context(format!("column {name}")))?;
            Ok(json!({ "name": valid(name)?, "type": kind }))
        });
        Ok(json!({ "type": "record", "name": "row", "fields": fields.collect::<Result<Vec<_>>>()? }))
    }

    /// `name`: of the column, or of the part of it.
    fn of(&mut self, kind: &SqlType, name: &str) -> Result<Value> {
        self.number += 1;
        match kind {
            SqlType::LowCardinality(inner) => return self.of(inner, name),
            SqlType::Nullable(inner) => {
                let inner = self.of(inner, name)?;
                return Ok(if inner == "null" { inner } else { json!(["null", inner]) });
            }
            _ => {}
        }
        let number = self.number;
        Ok(match kind.plain() {
            SqlType::Nothing => json!("null"),
            SqlType::Bool => json!("boolean"),
            SqlType::UInt8
            | SqlType::UInt16
            | SqlType::UInt32
            | SqlType::Int8
            | SqlType::Int16
            | SqlType::Int32
            | SqlType::DateTime(_)
            | SqlType::IPv4 => json!("int"),
            SqlType::UInt64 | SqlType::Int64 => json!("long"),
            SqlType::UInt128 => fixed(16, format!("uint128{number}")),
            SqlType::Int128 => fixed(16, format!("int128{number}")),
            SqlType::UInt256 => fixed(32, format!("uint256{number}")),
            SqlType::Int256 => fixed(32, format!("int256{number}")),
            SqlType::Float32 => json!("float"),
            SqlType::Float64 => json!("double"),
            SqlType::Date | SqlType::Date32 => json!({ "type": "int", "logicalType": "date" }),
            SqlType::DateTime64(3, _) => json!({ "type": "long", "logicalType": "timestamp-millis" }),
            SqlType::DateTime64(6, _) => json!({ "type": "long", "logicalType": "timestamp-micros" }),
            SqlType::DateTime64(scale, _) => decimal(TICKS_DIGITS, *scale),
            SqlType::String if self.as_text.is_match(name) => json!("string"),
            SqlType::String => json!("bytes"),
            SqlType::FixedString(bytes) => fixed(*bytes, format!("fixed_{number}")),
            SqlType::IPv6 => fixed(16, format!("ipv6_{number}")),
            SqlType::Uuid => json!({ "type": "string", "logicalType": "uuid" }),
            SqlType::Enum8(values) | SqlType::Enum16(values) => {
                let family = if matches!(kind.plain(), SqlType::Enum8(_)) { "enum8_" } else { "enum16" };
                let symbols = values.0.iter().map(|(name, _)| valid(name)).collect::<Result<Vec<_>>>()?;
                json!({ "type": "enum", "name": format!("{family}{number}"), "symbols": symbols })
            }
            SqlType::Decimal { precision, scale } => decimal(*precision, *scale),
            SqlType::Array(item) => json!({ "type": "array", "items": self.of(item, name)? }),
            SqlType::Map(_, value) => json!({ "type": "map", "values": self.of(value, &format!("{name}.value"))? }),
            SqlType::Tuple(elements) => self.record(elements, &format!("{name}_{number}"))?,
            other => {
                return Err(Error::new(
                    ErrorCode::ILLEGAL_COLUMN,
                    format!("Type {other} is not supported for Avro output: convert the column, for instance with toString"),
                ));
            }
        })
    }

    fn record(&mut self, elements: &[(Option<String>, SqlType)], name: &str) -> Result<Value> {
        let fields = elements.iter().enumerate().map(|(at, (element, kind))| {
            let element = element.clone().unwrap_or_else(|| (at + 1).to_string());
            let kind = self.of(kind, &element)?;
            Ok(json!({ "name": valid(&element)?, "type": kind }))
        });
        let fields = fields.collect::<Result<Vec<_>>>()?;
        Ok(match valid(name)?.rsplit_once('.') {
            Some((namespace, name)) => json!({ "type": "record", "namespace": namespace, "name": name, "fields": fields }),
            None => json!({ "type": "record", "name": name, "fields": fields }),
        })
    }
}

fn fixed(bytes: usize, name: String) -> Value {
    json!({ "type": "fixed", "name": name, "size": bytes })
}

fn decimal(precision: u8, scale: u8) -> Value {
    json!({ "type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale })
}

/// A name, as others read it. Errors: AVRO_EXCEPTION.
fn valid(name: &str) -> Result<&str> {
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.');
    if !name.is_empty() && name.chars().all(is_valid) {
        return Ok(name);
    }
    Err(Error::new(
        ErrorCode::AVRO_EXCEPTION,
        format!("'{name}' is no name that Avro has, as these are of letters, digits and _: give another one with AS"),
    ))
}

/// The values of a column of a batch.
pub struct Values {
    /// Where the schema has a union: which are null.
    nullable: Option<Option<NullBuffer>>,
    cells: Cells,
}

enum Cells {
    Null,
    Boolean(BooleanArray),
    Whole(Int64Array),
    Float(Float32Array),
    Double(Float64Array),
    Bytes(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
    /// So many bytes of a number in two's complement, the least first, as they are or turned round with their number before.
    Wide {
        values: ArrayRef,
        bytes: usize,
        is_decimal: bool,
    },
    /// Ticks as a decimal of eight bytes.
    Ticks(Int64Array),
    Uuid(FixedSizeBinaryArray),
    Array(OffsetBuffer<i32>, Box<Values>),
    Map(OffsetBuffer<i32>, Box<ValueWriter>, Box<Values>),
    Record(Vec<Values>),
}

impl Values {
    /// `array` carries `kind`; `text`: how keys of maps are written.
    pub fn of(array: &ArrayRef, kind: &SqlType, text: &TextOptions) -> Result<Values> {
        let is_union = kind.is_nullable() && *kind.plain() != SqlType::Nothing;
        let unknown = || Error::logical(format!("Values of {kind} came to Avro as {}", array.data_type()));
        let cells = match kind.plain() {
            SqlType::Nothing => Cells::Null,
            SqlType::Bool => Cells::Boolean(array.as_boolean().clone()),
            SqlType::Float32 => Cells::Float(array.as_primitive().clone()),
            SqlType::Float64 => Cells::Double(array.as_primitive().clone()),
            SqlType::String => Cells::Bytes(array.as_binary_view().clone()),
            SqlType::FixedString(_) | SqlType::IPv6 => Cells::Fixed(array.as_fixed_size_binary().clone()),
            SqlType::Uuid => Cells::Uuid(array.as_fixed_size_binary().clone()),
            SqlType::Enum8(values) | SqlType::Enum16(values) => {
                // Symbols are told by their place.
                let numbers = cast(array, &DataType::Int16)?;
                let place = |value: i16| values.0.binary_search_by_key(&value, |(_, value)| *value).unwrap_or(0) as i64;
                Cells::Whole(numbers.as_primitive::<Int16Type>().unary(place))
            }
            SqlType::Int128 | SqlType::UInt128 => Cells::Wide { values: array.clone(), bytes: 16, is_decimal: false },
            SqlType::Int256 | SqlType::UInt256 => Cells::Wide { values: array.clone(), bytes: 32, is_decimal: false },
            SqlType::Decimal { precision, .. } => {
                let bytes = match precision {
                    0..=9 => 4,
                    10..=18 => 8,
                    19..=38 => 16,
                    _ => 32,
                };
                Cells::Wide { values: array.clone(), bytes, is_decimal: true }
            }
            SqlType::Array(item) => {
                let list = array.as_list::<i32>();
                Cells::Array(list.offsets().clone(), Box::new(Values::of(list.values(), item, text)?))
            }
            SqlType::Map(key, value) => {
                let map = array.as_map();
                let keys = ValueWriter::new(map.keys(), key, text)?;
                Cells::Map(map.offsets().clone(), Box::new(keys), Box::new(Values::of(map.values(), value, text)?))
            }
            SqlType::Tuple(elements) => {
                let columns = array.as_struct().columns().iter().zip(elements);
                Cells::Record(columns.map(|(array, (_, kind))| Values::of(array, kind, text)).collect::<Result<_>>()?)
            }
            SqlType::DateTime64(scale, _) if !matches!(scale, 3 | 6) => Cells::Ticks(numbers(array).ok_or_else(unknown)?),
            narrow => {
                let numbers = numbers(array).ok_or_else(unknown)?;
                // An int has 32 bits: those of an unsigned number of as many.
                let is_int = matches!(narrow, SqlType::UInt32 | SqlType::DateTime(_) | SqlType::IPv4);
                Cells::Whole(if is_int { numbers.unary(|value| i64::from(value as i32)) } else { numbers })
            }
        };
        Ok(Values { nullable: is_union.then(|| array.nulls().cloned()), cells })
    }

    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        if let Some(nulls) = &self.nullable {
            let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            write_long(i64::from(!is_null), out);
            if is_null {
                return;
            }
        }
        match &self.cells {
            Cells::Null => {}
            Cells::Boolean(values) => out.push(values.value(row).into()),
            Cells::Whole(values) => write_long(values.value(row), out),
            Cells::Float(values) => out.extend_from_slice(&values.value(row).to_le_bytes()),
            Cells::Double(values) => out.extend_from_slice(&values.value(row).to_le_bytes()),
            Cells::Bytes(values) => write_bytes(values.value(row), out),
            Cells::Fixed(values) => out.extend_from_slice(values.value(row)),
            Cells::Wide { values, bytes, is_decimal } => write_wide(values, row, *bytes, *is_decimal, out),
            Cells::Ticks(values) => write_bytes(&values.value(row).to_be_bytes(), out),
            Cells::Uuid(values) => write_uuid(values.value(row), out),
            Cells::Array(ends, items) => {
                for item in write_count(ends, row, out) {
                    items.write(item, out);
                }
                write_long(0, out);
            }
            Cells::Map(ends, keys, items) => {
                let mut key = Vec::new();
                for item in write_count(ends, row, out) {
                    key.clear();
                    keys.write(item, &mut key);
                    write_bytes(&key, out);
                    items.write(item, out);
                }
                write_long(0, out);
            }
            Cells::Record(fields) => fields.iter().for_each(|field| field.write(row, out)),
        }
    }
}

/// The items of a row, all in one piece, whose number is written.
fn write_count(ends: &OffsetBuffer<i32>, row: usize, out: &mut Vec<u8>) -> std::ops::Range<usize> {
    let (from, to) = (ends[row] as usize, ends[row + 1] as usize);
    if to > from {
        write_long((to - from) as i64, out);
    }
    from..to
}

fn write_wide(values: &ArrayRef, row: usize, bytes: usize, is_decimal: bool, out: &mut Vec<u8>) {
    let number = match values.as_primitive_opt::<Decimal128Type>() {
        Some(values) => arrow::datatypes::i256::from_i128(values.value(row)),
        None => values.as_primitive::<Decimal256Type>().value(row),
    };
    if is_decimal {
        write_bytes(&number.to_be_bytes()[32 - bytes..], out);
    } else {
        out.extend_from_slice(&number.to_le_bytes()[..bytes]);
    }
}

fn write_uuid(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    write_long(36, out);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}
