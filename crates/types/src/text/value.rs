//! An array and its type, resolved to typed arrays, and how one value of each type is written.

use std::net::{Ipv4Addr, Ipv6Addr};

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BooleanArray, Decimal128Array, Decimal256Array,
    FixedSizeBinaryArray, Int64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::cast as arrow_cast;
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use gristmill_base::{Error, ErrorCode, Result};

use super::interval::Timespans;
use super::number::{end_with_point, fill_up, round_to, write_decimal, write_decimal256, write_f32, write_f64};
use super::string::{write_csv_string, write_escaped, write_json_string, write_quoted, write_quoted_doubled};
use super::temporal::{write_date, write_date_time, write_fraction, write_time};
use super::{DateTimeOutput, Escaping, TextOptions};
use crate::bytes::BytesBuilder;
use crate::sql_type::{EnumValues, SqlType};
use crate::states;
use crate::wide;
use crate::zone::Zone;
use SqlType as T;

/// Most digits after the point that anybody may ask for, as in ClickHouse.
const MAX_FLOAT_PRECISION: u64 = 100;

pub(super) struct Node {
    nulls: Option<NullBuffer>,
    values: Values,
}

enum Values {
    Nothing,
    Bool(BooleanArray),
    /// Integers of up to 32 bits, by sign and width, and those of 64 bits, which JSON may quote.
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    Wide(Decimal256Array, bool),
    F32(ScalarBuffer<f32>),
    F64(ScalarBuffer<f64>),
    Decimal(Decimal128Array, u8),
    Decimal256(Decimal256Array, u8),
    Bytes(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
    State(BinaryArray),
    Uuid(FixedSizeBinaryArray),
    IPv4(ScalarBuffer<u32>),
    IPv6(FixedSizeBinaryArray),
    Date(ScalarBuffer<i32>),
    DateTime {
        ticks: ScalarBuffer<i64>,
        scale: u8,
        zone: Zone,
    },
    Time {
        ticks: ScalarBuffer<i64>,
        scale: u8,
    },
    Timespans(Timespans),
    Enum(ScalarBuffer<i16>, EnumValues),
    Array(OffsetBuffer<i32>, Box<Node>),
    Tuple {
        names: Option<Vec<String>>,
        fields: Vec<Node>,
    },
    Map {
        offsets: OffsetBuffer<i32>,
        keys: Box<Node>,
        values: Box<Node>,
    },
}

/// The ticks of a DateTime, DateTime64, Time or Time64 array, whatever Arrow type carries them.
pub(crate) fn ticks(array: &dyn Array) -> Result<ScalarBuffer<i64>> {
    let cast = arrow_cast(array, &DataType::Int64)?;
    let cast: &Int64Array = cast.as_primitive();
    Ok(cast.values().clone())
}

impl Node {
    pub(super) fn new(array: &dyn Array, kind: &SqlType, options: &TextOptions) -> Result<Node> {
        let carrier = kind.arrow();
        // Names of fields and nullability may differ; the shape may not.
        let fits = match (array.data_type(), &carrier) {
            (DataType::List(_), DataType::List(_))
            | (DataType::Struct(_), DataType::Struct(_))
            | (DataType::Map(..), DataType::Map(..)) => true,
            (there, wanted) => there == wanted,
        };
        if !fits {
            return Err(Error::logical(format!("A value of type {kind} came as {}", array.data_type())));
        }
        let values = match kind.plain() {
            T::Nothing => Values::Nothing,
            T::Bool => Values::Bool(array.as_boolean().clone()),
            T::UInt8 => Values::U8(array.as_primitive::<UInt8Type>().values().clone()),
            T::UInt16 => Values::U16(array.as_primitive::<UInt16Type>().values().clone()),
            T::UInt32 => Values::U32(array.as_primitive::<UInt32Type>().values().clone()),
            T::UInt64 => Values::U64(array.as_primitive::<UInt64Type>().values().clone()),
            T::Int8 => Values::I8(array.as_primitive::<Int8Type>().values().clone()),
            T::Int16 => Values::I16(array.as_primitive::<Int16Type>().values().clone()),
            T::Int32 => Values::I32(array.as_primitive::<Int32Type>().values().clone()),
            T::Interval(unit) if options.kusto_intervals => {
                Values::Timespans(Timespans::new(array.as_primitive::<Int64Type>(), *unit)?)
            }
            T::Int64 | T::Interval(_) => Values::I64(array.as_primitive::<Int64Type>().values().clone()),
            T::Int128 | T::Int256 => Values::Wide(array.as_primitive::<Decimal256Type>().clone(), false),
            T::UInt128 | T::UInt256 => Values::Wide(array.as_primitive::<Decimal256Type>().clone(), true),
            T::BFloat16 | T::Float32 | T::Float64 if options.float_precision > MAX_FLOAT_PRECISION => {
                return Err(too_precise(options.float_precision));
            }
            T::BFloat16 | T::Float32 => Values::F32(array.as_primitive::<Float32Type>().values().clone()),
            T::Float64 => Values::F64(array.as_primitive::<Float64Type>().values().clone()),
            T::Decimal { precision, scale } if *precision <= 38 => {
                Values::Decimal(array.as_primitive::<Decimal128Type>().clone(), *scale)
            }
            T::Decimal { scale, .. } => Values::Decimal256(array.as_primitive::<Decimal256Type>().clone(), *scale),
            T::String => Values::Bytes(array.as_binary_view().clone()),
            T::FixedString(_) => Values::Fixed(array.as_fixed_size_binary().clone()),
            T::AggregateFunction(function, kinds) => {
                Values::State(states::shown(function, kinds, array.as_binary::<i32>())?)
            }
            T::Uuid => Values::Uuid(array.as_fixed_size_binary().clone()),
            T::IPv4 => Values::IPv4(array.as_primitive::<UInt32Type>().values().clone()),
            T::IPv6 => Values::IPv6(array.as_fixed_size_binary().clone()),
            T::Date | T::Date32 => Values::Date(array.as_primitive::<Date32Type>().values().clone()),
            T::DateTime(zone) => {
                Values::DateTime { ticks: ticks(array)?, scale: 0, zone: Zone::of_type(zone.as_ref(), options.timezone) }
            }
            T::DateTime64(scale, zone) => Values::DateTime {
                ticks: ticks(array)?,
                scale: *scale,
                zone: Zone::of_type(zone.as_ref(), options.timezone),
            },
            T::Time => Values::Time { ticks: ticks(array)?, scale: 0 },
            T::Time64(scale) => Values::Time { ticks: ticks(array)?, scale: *scale },
            T::Enum8(names) => {
                let values = array.as_primitive::<Int8Type>().values();
                Values::Enum(values.iter().map(|value| i16::from(*value)).collect(), names.clone())
            }
            T::Enum16(names) => Values::Enum(array.as_primitive::<Int16Type>().values().clone(), names.clone()),
            T::Array(element) => {
                let list = array.as_list::<i32>();
                Values::Array(list.offsets().clone(), Box::new(Node::new(list.values(), element, options)?))
            }
            T::Tuple(fields) => {
                let columns = array.as_struct().columns();
                let nodes = columns.iter().zip(fields).map(|(column, (_, kind))| Node::new(column, kind, options));
                let names: Option<Vec<String>> = fields.iter().map(|(name, _)| name.clone()).collect();
                Values::Tuple { names: names.filter(|names| !names.is_empty()), fields: nodes.collect::<Result<_>>()? }
            }
            T::Map(key, value) => {
                let map = array.as_map();
                Values::Map {
                    offsets: map.offsets().clone(),
                    keys: Box::new(Node::new(map.keys(), key, options)?),
                    values: Box::new(Node::new(map.values(), value, options)?),
                }
            }
            T::Nullable(_) | T::LowCardinality(_) | T::SimpleAggregateFunction(..) | T::Geometric(..) | T::Nested(_) => {
                return Err(Error::logical(format!("{kind} is wrapped after unwrapping")));
            }
        };
        Ok(Node { nulls: array.nulls().cloned(), values })
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        matches!(self.values, Values::Nothing) || self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    pub(super) fn write(&self, row: usize, escaping: Escaping, options: &TextOptions, out: &mut Vec<u8>) {
        if self.is_null(row) {
            out.extend_from_slice(match escaping {
                Escaping::Plain | Escaping::TsvEscaped => options.tsv_null.as_bytes(),
                Escaping::Csv => options.csv_null.as_bytes(),
                Escaping::Quoted => b"NULL",
                Escaping::Json => b"null",
            });
            return;
        }
        macro_rules! integer {
            ($values:expr) => {
                out.extend_from_slice(itoa::Buffer::new().format($values[row]).as_bytes())
            };
        }
        let json = escaping == Escaping::Json;
        match &self.values {
            Values::Nothing => {}
            Values::Bool(values) => {
                let text: &str = match (json || escaping == Escaping::Quoted, values.value(row)) {
                    (true, true) => "true",
                    (true, false) => "false",
                    (false, true) => &options.bool_true,
                    (false, false) => &options.bool_false,
                };
                out.extend_from_slice(text.as_bytes());
            }
            Values::U8(values) => integer!(values),
            Values::U16(values) => integer!(values),
            Values::U32(values) => integer!(values),
            Values::I8(values) => integer!(values),
            Values::I16(values) => integer!(values),
            Values::I32(values) => integer!(values),
            Values::U64(values) => quoted_if(json && options.json_quote_64bit_integers, out, |out| {
                out.extend_from_slice(itoa::Buffer::new().format(values[row]).as_bytes())
            }),
            Values::I64(values) => quoted_if(json && options.json_quote_64bit_integers, out, |out| {
                out.extend_from_slice(itoa::Buffer::new().format(values[row]).as_bytes())
            }),
            Values::Wide(values, unsigned) => quoted_if(json && options.json_quote_64bit_integers, out, |out| {
                wide::write(values.value(row), *unsigned, out)
            }),
            Values::F32(values) => match values[row] {
                value if json && !value.is_finite() => json_denormal(options, out, |out| write_f32(value, out)),
                value => float(json, value.into(), options, out, |out| write_f32(value, out)),
            },
            Values::F64(values) => match values[row] {
                value if json && !value.is_finite() => json_denormal(options, out, |out| write_f64(value, out)),
                value => {
                    quoted_if(json && options.json_quote_64bit_floats, out, |out| {
                        float(json, value, options, out, |out| write_f64(value, out));
                    });
                }
            },
            Values::Decimal(values, scale) => decimal(json, *scale, options, out, |out| {
                write_decimal(values.value(row), *scale, out);
            }),
            Values::Decimal256(values, scale) => decimal(json, *scale, options, out, |out| {
                write_decimal256(values.value(row), *scale, out);
            }),
            Values::Bytes(values) => write_string(values.value(row), escaping, options, out),
            Values::Fixed(values) => write_string(fixed(values.value(row), options), escaping, options, out),
            Values::State(values) => write_string(values.value(row), escaping, options, out),
            Values::Uuid(values) => marked(escaping, out, |out| write_uuid(values.value(row), out)),
            Values::IPv4(values) => {
                marked(escaping, out, |out| out.extend_from_slice(Ipv4Addr::from_bits(values[row]).to_string().as_bytes()))
            }
            Values::IPv6(values) => marked(escaping, out, |out| write_ipv6(values.value(row), out)),
            Values::Date(values) => marked(escaping, out, |out| write_date(values[row], out)),
            Values::DateTime { ticks, scale, zone } => {
                if options.date_time_output_format == DateTimeOutput::UnixTimestamp {
                    write_unix(ticks[row], *scale, escaping, out);
                } else {
                    marked(escaping, out, |out| write_instant(ticks[row], *scale, zone, options, out));
                }
            }
            Values::Time { ticks, scale } => marked(escaping, out, |out| write_time(ticks[row], *scale, out)),
            Values::Timespans(values) => marked(escaping, out, |out| values.write(row, out)),
            Values::Enum(values, names) => match names.name_of(values[row]) {
                Some(name) => write_string(name.as_bytes(), escaping, options, out),
                None => integer!(values),
            },
            Values::Array(offsets, element) => {
                csv_whole(escaping, out, |out| {
                    let inside = if json { Escaping::Json } else { Escaping::Quoted };
                    list(b"[]", offsets[row] as usize..offsets[row + 1] as usize, out, |i, out| {
                        element.write(i, inside, options, out)
                    });
                });
            }
            Values::Tuple { names, fields } => match (escaping, names) {
                // CSV spreads a tuple over several fields.
                (Escaping::Csv, _) if !options.csv_whole_tuples => {
                    for (i, field) in fields.iter().enumerate() {
                        if i > 0 {
                            out.push(b',');
                        }
                        field.write(row, Escaping::Csv, options, out);
                    }
                }
                (Escaping::Json, Some(names)) if options.json_named_tuples_as_objects => {
                    let there =
                        (0..fields.len()).filter(|i| !options.json_leave_out_null_fields || !fields[*i].is_null(row));
                    list(b"{}", there, out, |i, out| {
                        let (slashes, replace) = (options.json_escape_forward_slashes, options.json_replace_invalid_utf8);
                        write_json_string(names[i].as_bytes(), slashes, replace, out);
                        out.push(b':');
                        fields[i].write(row, Escaping::Json, options, out);
                    });
                }
                (Escaping::Json, _) => {
                    list(b"[]", 0..fields.len(), out, |i, out| fields[i].write(row, Escaping::Json, options, out));
                }
                _ => csv_whole(escaping, out, |out| {
                    list(b"()", 0..fields.len(), out, |i, out| fields[i].write(row, Escaping::Quoted, options, out));
                }),
            },
            Values::Map { offsets, keys, values } if json && options.json_maps_as_arrays => {
                list(b"[]", offsets[row] as usize..offsets[row + 1] as usize, out, |i, out| {
                    json_entry(keys, values, i, options, out);
                });
            }
            Values::Map { offsets, keys, values } => csv_whole(escaping, out, |out| {
                list(b"{}", offsets[row] as usize..offsets[row + 1] as usize, out, |i, out| {
                    if json {
                        json_key(keys, i, options, out);
                    } else {
                        keys.write(i, Escaping::Quoted, options, out);
                    }
                    out.push(b':');
                    values.write(i, if json { Escaping::Json } else { Escaping::Quoted }, options, out);
                });
            }),
        }
    }
}

/// An entry of a map as the named tuple that it is to ClickHouse.
fn json_entry(keys: &Node, values: &Node, row: usize, options: &TextOptions, out: &mut Vec<u8>) {
    let (before, between, after): (&[u8], &[u8], u8) = match options.json_named_tuples_as_objects {
        true => (b"{\"keys\":", b",\"values\":", b'}'),
        false => (b"[", b",", b']'),
    };
    out.extend_from_slice(before);
    keys.write(row, Escaping::Json, options, out);
    out.extend_from_slice(between);
    values.write(row, Escaping::Json, options, out);
    out.push(after);
}

/// Keys of JSON objects are strings, whatever type they are here.
fn json_key(keys: &Node, row: usize, options: &TextOptions, out: &mut Vec<u8>) {
    let mut key = Vec::new();
    keys.write(row, Escaping::Plain, options, &mut key);
    write_json_string(&key, options.json_escape_forward_slashes, options.json_replace_invalid_utf8, out);
}

/// What is written of a FixedString.
fn fixed<'a>(value: &'a [u8], options: &TextOptions) -> &'a [u8] {
    if !options.trim_fixed_string {
        return value;
    }
    let end = value.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &value[..end]
}

fn write_string(text: &[u8], escaping: Escaping, options: &TextOptions, out: &mut Vec<u8>) {
    match escaping {
        Escaping::Plain => out.extend_from_slice(text),
        Escaping::TsvEscaped => write_escaped(text, out),
        Escaping::Quoted if options.doubled_quotes => write_quoted_doubled(text, out),
        Escaping::Quoted => write_quoted(text, out),
        Escaping::Csv => write_csv_string(text, out),
        Escaping::Json => {
            write_json_string(text, options.json_escape_forward_slashes, options.json_replace_invalid_utf8, out)
        }
    }
}

fn between(mark: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(mark);
    write(out);
    out.push(mark);
}

/// What is written like a string but never holds anything to escape.
fn marked(escaping: Escaping, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    match escaping {
        Escaping::Plain | Escaping::TsvEscaped => write(out),
        Escaping::Quoted => between(b'\'', out, write),
        Escaping::Csv | Escaping::Json => between(b'"', out, write),
    }
}

fn quoted_if(quote: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if quote { between(b'"', out, write) } else { write(out) }
}

fn decimal(json: bool, scale: u8, options: &TextOptions, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    quoted_if(json && options.json_quote_decimals, out, |out| {
        let from = out.len();
        write(out);
        if options.decimal_trailing_zeros {
            fill_up(from, scale, out);
        }
        if options.always_point && !json {
            end_with_point(from, out);
        }
    });
}

/// A float, which `write` writes in its shortest form, with as many digits as are wanted.
fn float(json: bool, value: f64, options: &TextOptions, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let from = out.len();
    write(out);
    if options.float_precision > 0 {
        round_to(value, options.float_precision as usize, from, out);
    }
    if options.always_point && !json {
        end_with_point(from, out);
    }
}

fn too_precise(precision: u64) -> Error {
    let most = MAX_FLOAT_PRECISION;
    let message = format!(
        "Setting output_format_float_precision is {precision}: floats have no more than {most} digits after the point"
    );
    Error::new(ErrorCode::BAD_ARGUMENTS, message)
}

fn json_denormal(options: &TextOptions, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if options.json_quote_denormals {
        between(b'"', out, write);
    } else {
        out.extend_from_slice(b"null");
    }
}

/// In CSV an array or a map is one field: its text with quotes around it, and those inside doubled.
fn csv_whole(escaping: Escaping, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if escaping == Escaping::Csv {
        let mut text = Vec::new();
        write(&mut text);
        write_csv_string(&text, out);
    } else {
        write(out);
    }
}

fn list(marks: &[u8; 2], items: impl Iterator<Item = usize>, out: &mut Vec<u8>, mut write: impl FnMut(usize, &mut Vec<u8>)) {
    out.push(marks[0]);
    for (place, i) in items.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(i, out);
    }
    out.push(marks[1]);
}

fn write_uuid(bytes: &[u8], out: &mut Vec<u8>) {
    if let Ok(id) = uuid::Uuid::from_slice(bytes) {
        out.extend_from_slice(id.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()).as_bytes());
    }
}

/// As `inet_ntop` writes it: the old IPv4-compatible addresses (`::1.2.3.4`) too end in dotted form.
fn write_ipv6(bytes: &[u8], out: &mut Vec<u8>) {
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else { return };
    let text = if bytes[..12] == [0; 12] && bytes[12..14] != [0; 2] {
        format!("::{}", Ipv4Addr::new(bytes[12], bytes[13], bytes[14], bytes[15]))
    } else {
        Ipv6Addr::from(bytes).to_string()
    };
    out.extend_from_slice(text.as_bytes());
}

fn write_instant(ticks: i64, scale: u8, zone: &Zone, options: &TextOptions, out: &mut Vec<u8>) {
    let unit = 10i64.pow(u32::from(scale));
    let seconds = ticks.div_euclid(unit);
    let iso = options.date_time_output_format == DateTimeOutput::Iso;
    let fraction = ticks.rem_euclid(unit) as u64;
    if iso {
        write_date_time(seconds, b'T', out);
        write_fraction(fraction, scale, out);
        return out.push(b'Z');
    }
    write_date_time(zone.to_local(seconds), b' ', out);
    if !options.date_time_64_in_thousands {
        return write_fraction(fraction, scale, out);
    }
    if let Some((fraction, scale)) = in_thousands(fraction, scale) {
        write_fraction(fraction, scale, out);
    }
}

/// A fraction with as many digits of three, six and nine as it needs. `None`: it is nothing.
fn in_thousands(fraction: u64, scale: u8) -> Option<(u64, u8)> {
    if fraction == 0 {
        return None;
    }
    let nanoseconds = fraction * 10u64.pow(9 - u32::from(scale));
    let digits = (1..3).map(|group| group * 3).find(|digits| nanoseconds.is_multiple_of(10u64.pow(9 - digits))).unwrap_or(9);
    Some((nanoseconds / 10u64.pow(9 - digits), digits as u8))
}

/// Seconds since the epoch. In JSON they are a string, as every other form of an instant is.
fn write_unix(ticks: i64, scale: u8, escaping: Escaping, out: &mut Vec<u8>) {
    marked(escaping, out, |out| {
        let unit = 10u64.pow(u32::from(scale));
        if ticks < 0 {
            out.push(b'-');
        }
        out.extend_from_slice(itoa::Buffer::new().format(ticks.unsigned_abs() / unit).as_bytes());
        write_fraction(ticks.unsigned_abs() % unit, scale, out);
    });
}

impl Values {
    /// Integers as text, without asking of each row what it is.
    fn digits(&self) -> Option<BytesBuilder> {
        fn of<T: itoa::Integer + Copy>(values: &[T]) -> BytesBuilder {
            let (mut strings, mut digits) = (BytesBuilder::with_capacity(values.len()), itoa::Buffer::new());
            values.iter().for_each(|value| strings.append(digits.format(*value).as_bytes()));
            strings
        }
        Some(match self {
            Values::U8(values) => of(values),
            Values::U16(values) => of(values),
            Values::U32(values) => of(values),
            Values::U64(values) => of(values),
            Values::I8(values) => of(values),
            Values::I16(values) => of(values),
            Values::I32(values) => of(values),
            Values::I64(values) => of(values),
            _ => return None,
        })
    }
}

/// The plain text of a whole column, as `toString()` gives it; NULL stays NULL.
pub(crate) fn to_strings(array: &ArrayRef, kind: &SqlType, options: &TextOptions) -> Result<BinaryViewArray> {
    let node = Node::new(array, kind, options)?;
    if node.nulls.is_none()
        && let Some(mut digits) = node.values.digits()
    {
        return Ok(digits.finish(array.logical_nulls()));
    }
    let mut strings = BytesBuilder::with_capacity(array.len());
    let mut text = Vec::new();
    for row in 0..array.len() {
        text.clear();
        if !node.is_null(row) {
            node.write(row, Escaping::Plain, options, &mut text);
        }
        strings.append(&text);
    }
    Ok(strings.finish(array.logical_nulls()))
}
