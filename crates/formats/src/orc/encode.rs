//! Columns of a stripe as ClickHouse writes them to ORC.
//!
//! | Type | ORC |
//! |---|---|
//! | Bool | boolean |
//! | whole numbers up to 64 bits, Enum8, Enum16, IPv4 | tinyint, smallint, int, bigint (unsigned ones by their bits) |
//! | wider ones, Decimal of more than 38 digits, IPv6 | binary (numbers little-endian) |
//! | Float32; Float64 | float; double |
//! | String, FixedString | string, or binary with `output_format_orc_string_as_string = 0` |
//! | Date, Date32; DateTime, DateTime64 | date; timestamp, in UTC |
//! | Decimal | decimal |
//! | Array, Map, Tuple | array, map, struct |

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::{filter, is_not_null};
use arrow::datatypes::{Decimal128Type, Decimal256Type, Float32Type, Float64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::bits::{BitsOut, ByteRunsOut};
use super::file::{Counts, Encoding, Stream, Type, stream};
use super::proto::write_varint;
use super::runs_out::IntegersOut;
use super::schema::kind;
use super::timestamp::parts;
use crate::columnar::whole_numbers::numbers;

/// Appends the type and all within it, as the directory has them. Errors: ILLEGAL_COLUMN.
pub fn append_type(of: &SqlType, string_as_string: bool, types: &mut Vec<Type>) -> Result<()> {
    let text = if string_as_string { kind::STRING } else { kind::BINARY };
    let mut new = Type { kind: kind_of(of, text)?, ..Type::default() };
    if let (SqlType::Decimal { precision, scale }, kind::DECIMAL) = (of.plain(), new.kind) {
        (new.precision, new.scale) = (u64::from(*precision), u64::from(*scale));
    }
    let at = types.len();
    types.push(new);
    let mut child = |of: &SqlType, name: Option<String>| {
        let place = types.len() as u64;
        types[at].children.push(place);
        types[at].names.extend(name);
        append_type(of, string_as_string, types)
    };
    match of.plain() {
        SqlType::Array(item) => child(item, None),
        SqlType::Map(key, value) => child(key, None).and_then(|()| child(value, None)),
        SqlType::Tuple(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(at, (name, of))| child(of, Some(name.clone().unwrap_or_else(|| (at + 1).to_string())))),
        _ => Ok(()),
    }
}

fn kind_of(of: &SqlType, text: u64) -> Result<u64> {
    Ok(match of.plain() {
        SqlType::Bool => kind::BOOLEAN,
        SqlType::UInt8 | SqlType::Int8 | SqlType::Enum8(_) => kind::BYTE,
        SqlType::UInt16 | SqlType::Int16 | SqlType::Enum16(_) => kind::SHORT,
        SqlType::UInt32 | SqlType::Int32 | SqlType::IPv4 => kind::INT,
        SqlType::UInt64 | SqlType::Int64 => kind::LONG,
        SqlType::Float32 => kind::FLOAT,
        SqlType::Float64 => kind::DOUBLE,
        SqlType::Date | SqlType::Date32 => kind::DATE,
        SqlType::DateTime(_) | SqlType::DateTime64(..) => kind::TIMESTAMP,
        SqlType::Int128 | SqlType::UInt128 | SqlType::Int256 | SqlType::UInt256 | SqlType::IPv6 => kind::BINARY,
        SqlType::Decimal { precision: 39.., .. } => kind::BINARY,
        SqlType::Decimal { .. } => kind::DECIMAL,
        SqlType::String | SqlType::FixedString(_) => text,
        SqlType::Array(_) => kind::LIST,
        SqlType::Map(..) => kind::MAP,
        SqlType::Tuple(_) => kind::STRUCT,
        other => {
            return Err(Error::new(
                ErrorCode::ILLEGAL_COLUMN,
                format!(
                    "Type {other} is not supported for ORC output format: convert the column, for instance with toString"
                ),
            ));
        }
    })
}

/// A column of the stripe that is gathered, and those within it.
pub struct Encoder {
    kind: SqlType,
    present: BitsOut,
    /// Of the stripe.
    has_null: bool,
    /// Of all stripes.
    counts: Counts,
    streams: Streams,
}

enum Streams {
    Boolean(BitsOut),
    Bytes(ByteRunsOut),
    Whole(IntegersOut),
    Raw(Vec<u8>),
    Strings(Vec<u8>, IntegersOut),
    Timestamps(IntegersOut, IntegersOut, i64),
    Decimals(Vec<u8>, IntegersOut),
    List(IntegersOut, Box<Encoder>),
    Map(IntegersOut, Box<Encoder>, Box<Encoder>),
    Struct(Vec<Encoder>),
}

impl Encoder {
    pub fn new(kind: &SqlType) -> Encoder {
        let whole = || IntegersOut::new(true);
        let lengths = || IntegersOut::new(false);
        let streams = match kind.plain() {
            SqlType::Bool => Streams::Boolean(BitsOut::default()),
            SqlType::UInt8 | SqlType::Int8 | SqlType::Enum8(_) => Streams::Bytes(ByteRunsOut::default()),
            SqlType::Float32 | SqlType::Float64 => Streams::Raw(Vec::new()),
            SqlType::DateTime(_) => Streams::Timestamps(whole(), lengths(), 1),
            SqlType::DateTime64(scale, _) => Streams::Timestamps(whole(), lengths(), 10i64.pow(u32::from(*scale))),
            SqlType::Decimal { precision: ..=38, .. } => Streams::Decimals(Vec::new(), whole()),
            SqlType::Decimal { .. }
            | SqlType::Int128
            | SqlType::UInt128
            | SqlType::Int256
            | SqlType::UInt256
            | SqlType::IPv6
            | SqlType::String
            | SqlType::FixedString(_) => Streams::Strings(Vec::new(), lengths()),
            SqlType::Array(item) => Streams::List(lengths(), Box::new(Encoder::new(item))),
            SqlType::Map(key, value) => Streams::Map(lengths(), Box::new(Encoder::new(key)), Box::new(Encoder::new(value))),
            SqlType::Tuple(elements) => Streams::Struct(elements.iter().map(|(_, kind)| Encoder::new(kind)).collect()),
            _ => Streams::Whole(whole()),
        };
        let (present, counts) = (BitsOut::default(), Counts::default());
        Encoder { kind: kind.clone(), present, has_null: false, counts, streams }
    }

    /// Values of the column, nulls among them.
    pub fn push(&mut self, array: &ArrayRef) -> Result<()> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let dense = match &nulls {
            None => {
                (0..array.len()).for_each(|_| self.present.push(true));
                array.clone()
            }
            Some(nulls) => {
                nulls.iter().for_each(|is_there| self.present.push(is_there));
                self.has_null = true;
                self.counts.has_null = true;
                filter(array, &is_not_null(array)?)?
            }
        };
        self.counts.values += dense.len() as u64;
        self.streams.push(&dense, &self.kind)
    }

    /// Bytes that the stripe has of it so far.
    pub fn bytes(&self) -> usize {
        self.present.len()
            + match &self.streams {
                Streams::Boolean(bits) => bits.len(),
                Streams::Bytes(bytes) => bytes.len(),
                Streams::Whole(numbers) => numbers.len(),
                Streams::Raw(bytes) => bytes.len(),
                Streams::Strings(bytes, lengths) | Streams::Decimals(bytes, lengths) => bytes.len() + lengths.len(),
                Streams::Timestamps(seconds, nanoseconds, _) => seconds.len() + nanoseconds.len(),
                Streams::List(lengths, items) => lengths.len() + items.bytes(),
                Streams::Map(lengths, keys, values) => lengths.len() + keys.bytes() + values.bytes(),
                Streams::Struct(fields) => fields.iter().map(Encoder::bytes).sum(),
            }
    }

    /// The streams of the stripe, which begins anew, in the order of the directory's types.
    pub fn finish(&mut self, out: &mut StripeOut) {
        let column = out.encodings.len() as u64;
        let present = self.present.finish();
        if std::mem::take(&mut self.has_null) {
            out.add(stream::PRESENT, column, present);
        }
        let is_direct =
            matches!(self.streams, Streams::Boolean(_) | Streams::Bytes(_) | Streams::Raw(_) | Streams::Struct(_));
        out.encodings.push(if is_direct { Encoding::DIRECT } else { Encoding::DIRECT_V2 });
        match &mut self.streams {
            Streams::Boolean(bits) => out.add(stream::DATA, column, bits.finish()),
            Streams::Bytes(bytes) => out.add(stream::DATA, column, bytes.finish()),
            Streams::Whole(numbers) => out.add(stream::DATA, column, numbers.finish()),
            Streams::Raw(bytes) => out.add(stream::DATA, column, std::mem::take(bytes)),
            Streams::Strings(bytes, lengths) => {
                out.add(stream::DATA, column, std::mem::take(bytes));
                out.add(stream::LENGTH, column, lengths.finish());
            }
            Streams::Decimals(bytes, scales) => {
                out.add(stream::DATA, column, std::mem::take(bytes));
                out.add(stream::SECONDARY, column, scales.finish());
            }
            Streams::Timestamps(seconds, nanoseconds, _) => {
                out.add(stream::DATA, column, seconds.finish());
                out.add(stream::SECONDARY, column, nanoseconds.finish());
            }
            Streams::List(lengths, items) => {
                out.add(stream::LENGTH, column, lengths.finish());
                items.finish(out);
            }
            Streams::Map(lengths, keys, values) => {
                out.add(stream::LENGTH, column, lengths.finish());
                keys.finish(out);
                values.finish(out);
            }
            Streams::Struct(fields) => fields.iter_mut().for_each(|field| field.finish(out)),
        }
    }

    /// What it and those within it had in all stripes, in the order of the directory's types.
    pub fn counts(&self, out: &mut Vec<Counts>) {
        out.push(self.counts);
        match &self.streams {
            Streams::List(_, items) => items.counts(out),
            Streams::Map(_, keys, values) => {
                keys.counts(out);
                values.counts(out);
            }
            Streams::Struct(fields) => fields.iter().for_each(|field| field.counts(out)),
            _ => {}
        }
    }
}

/// The streams of a stripe.
#[derive(Default)]
pub struct StripeOut {
    pub streams: Vec<(Stream, Vec<u8>)>,
    pub encodings: Vec<Encoding>,
}

impl StripeOut {
    fn add(&mut self, kind: u64, column: u64, bytes: Vec<u8>) {
        self.streams.push((Stream { kind, column, bytes: bytes.len() as u64 }, bytes));
    }
}

impl Streams {
    /// Values without null.
    fn push(&mut self, array: &ArrayRef, kind: &SqlType) -> Result<()> {
        let unknown = || Error::logical(format!("Values of {kind} came to ORC as {}", array.data_type()));
        match self {
            Streams::Boolean(bits) => array.as_boolean().values().iter().for_each(|bit| bits.push(bit)),
            Streams::Bytes(bytes) => {
                numbers(array).ok_or_else(unknown)?.values().iter().for_each(|value| bytes.push(*value as u8));
            }
            Streams::Whole(out) => {
                let numbers = numbers(array).ok_or_else(unknown)?;
                // The type of the file has a sign, where that of the column has none.
                let signed: fn(i64) -> i64 = match kind.plain() {
                    SqlType::UInt16 => |value| i64::from(value as i16),
                    SqlType::UInt32 | SqlType::IPv4 => |value| i64::from(value as i32),
                    _ => |value| value,
                };
                numbers.values().iter().for_each(|value| out.push(signed(*value)));
            }
            Streams::Raw(bytes) => match array.as_primitive_opt::<Float32Type>() {
                Some(values) => bytes.extend(values.values().iter().flat_map(|value| value.to_le_bytes())),
                None => {
                    let values = array.as_primitive_opt::<Float64Type>().ok_or_else(unknown)?;
                    bytes.extend(values.values().iter().flat_map(|value| value.to_le_bytes()));
                }
            },
            Streams::Strings(bytes, lengths) => push_strings(array, kind, bytes, lengths),
            Streams::Timestamps(seconds, nanoseconds, per_second) => {
                for ticks in numbers(array).ok_or_else(unknown)?.values() {
                    let (whole, fraction) = parts(*ticks, *per_second)?;
                    seconds.push(whole);
                    nanoseconds.push(fraction);
                }
            }
            Streams::Decimals(bytes, scales) => {
                let SqlType::Decimal { scale, .. } = kind.plain() else { return Err(unknown()) };
                for value in array.as_primitive::<Decimal128Type>().values() {
                    write_wide(*value, bytes);
                    scales.push((*scale).into());
                }
            }
            Streams::List(lengths, items) => {
                let list = array.as_list::<i32>();
                push_lengths(list.offsets(), lengths);
                items.push(&inside(list.values(), list.offsets()))?;
            }
            Streams::Map(lengths, keys, values) => {
                let map = array.as_map();
                push_lengths(map.offsets(), lengths);
                keys.push(&inside(map.keys(), map.offsets()))?;
                values.push(&inside(map.values(), map.offsets()))?;
            }
            Streams::Struct(fields) => {
                for (field, array) in fields.iter_mut().zip(array.as_struct().columns()) {
                    field.push(array)?;
                }
            }
        }
        Ok(())
    }
}

fn push_lengths(offsets: &[i32], lengths: &mut IntegersOut) {
    offsets.windows(2).for_each(|pair| lengths.push(i64::from(pair[1] - pair[0])));
}

/// The items that rows have.
fn inside(items: &ArrayRef, offsets: &[i32]) -> ArrayRef {
    match offsets {
        [first, .., last] => items.slice(*first as usize, (last - first) as usize),
        _ => items.slice(0, 0),
    }
}

fn push_strings(array: &ArrayRef, kind: &SqlType, bytes: &mut Vec<u8>, lengths: &mut IntegersOut) {
    let mut push = |value: &[u8]| {
        bytes.extend_from_slice(value);
        lengths.push(value.len() as i64);
    };
    if let Some(values) = array.as_binary_view_opt() {
        values.iter().flatten().for_each(push);
    } else if let Some(values) = array.as_fixed_size_binary_opt() {
        values.iter().flatten().for_each(push);
    } else {
        let width = if matches!(kind.plain(), SqlType::Int128 | SqlType::UInt128) { 16 } else { 32 };
        let values = array.as_primitive::<Decimal256Type>();
        values.values().iter().for_each(|value| push(&value.to_le_bytes()[..width]));
    }
}

/// In groups of seven bits, the sign in the lowest.
fn write_wide(value: i128, out: &mut Vec<u8>) {
    let mut rest = (value << 1 ^ value >> 127) as u128;
    while rest > u128::from(u64::MAX) {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    write_varint(rest as u64, out);
}
