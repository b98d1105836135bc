//! Columns of a stripe into Arrow arrays, some rows at a time.
//!
//! A column has values only for what is there: a stream of bits tells which rows of its parent have one. So a decoder reads
//! the bits, then as many values as are set, and spreads these over the rows. It makes room as values come, and never for
//! what lengths claim. What type an array has depends on the column that is asked for only where the file's type says less
//! than it, as in the other formats.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array, DictionaryArray,
    FixedSizeBinaryArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray, MapArray, StructArray, UInt32Array,
};
use arrow::buffer::{BooleanBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Fields, Int32Type, TimeUnit, i256};
use gristmill_base::{Error, ErrorCode, Result, allocations};
use gristmill_types::SqlType;
use gristmill_types::builder::from_ticks;
use gristmill_types::bytes::BytesBuilder;

use super::bits::{Bits, ByteRuns};
use super::file::{Encoding, stream};
use super::runs::Integers;
use super::schema::{Kind, Node};
use super::timestamp::Clock;
use super::{ended, incorrect};
use crate::columnar::whole_numbers::{fitting, of_width};

/// Bytes of a decimal at most: 128 bits in groups of seven.
const DECIMAL_BYTES: usize = 19;

/// What decoders of a stripe are made of.
pub struct Streams {
    /// By column and kind; without compression.
    pub bytes: HashMap<(u64, u64), Vec<u8>>,
    pub encodings: Vec<Encoding>,
    pub clock: Clock,
}

impl Streams {
    /// Streams that are empty may be missing.
    fn take(&mut self, column: u64, kind: u64) -> Vec<u8> {
        self.bytes.remove(&(column, kind)).unwrap_or_default()
    }

    fn encoding(&self, column: u64) -> Encoding {
        usize::try_from(column).ok().and_then(|column| self.encodings.get(column)).copied().unwrap_or_default()
    }

    fn integers(&mut self, column: u64, kind: u64, is_signed: bool) -> Integers {
        let version = self.encoding(column).version();
        Integers::new(self.take(column, kind), is_signed, version)
    }
}

pub struct Decoder {
    present: Option<Bits>,
    values: Values,
    wanted: SqlType,
}

enum Values {
    Boolean(Bits),
    Byte(ByteRuns),
    Whole(Integers, DataType),
    Date(Integers),
    Float(Raw),
    Double(Raw),
    Bytes(Integers, Raw),
    Dictionary(Integers, Arc<BinaryViewArray>),
    Timestamp(Integers, Integers, Clock),
    Decimal { digits: Raw, scales: Integers, precision: u8, scale: u8 },
    List(Integers, Box<Decoder>),
    Map(Integers, Box<Decoder>, Box<Decoder>),
    Struct(Vec<(String, Decoder)>),
}

/// Bytes as they are.
struct Raw {
    bytes: Vec<u8>,
    at: usize,
}

impl Raw {
    fn take(&mut self, count: usize) -> Result<&[u8]> {
        let end = self.at.checked_add(count).ok_or_else(ended)?;
        let bytes = self.bytes.get(self.at..end).ok_or_else(ended)?;
        self.at = end;
        Ok(bytes)
    }

    /// A number of any size, its sign in the lowest bit.
    fn wide(&mut self) -> Result<i128> {
        let mut value = 0u128;
        for group in 0..DECIMAL_BYTES {
            let byte = self.take(1)?[0];
            value |= u128::from(byte & 0x7F).wrapping_shl(7 * group as u32);
            if byte & 0x80 == 0 {
                return Ok((value >> 1) as i128 ^ -((value & 1) as i128));
            }
        }
        Err(incorrect("a decimal does not end"))
    }
}

impl Decoder {
    /// For a column of type `wanted`. Errors: NOT_IMPLEMENTED for types that no column can hold.
    pub fn new(node: &Node, wanted: &SqlType, streams: &mut Streams) -> Result<Decoder> {
        let column = node.column;
        let raw = |bytes: Vec<u8>| Raw { bytes, at: 0 };
        let present = streams.bytes.remove(&(column, stream::PRESENT)).map(Bits::new);
        let values = match &node.kind {
            Kind::Boolean => Values::Boolean(Bits::new(streams.take(column, stream::DATA))),
            Kind::Byte => Values::Byte(ByteRuns::new(streams.take(column, stream::DATA))),
            Kind::Short => Values::Whole(streams.integers(column, stream::DATA, true), DataType::Int16),
            Kind::Int => Values::Whole(streams.integers(column, stream::DATA, true), DataType::Int32),
            Kind::Long => Values::Whole(streams.integers(column, stream::DATA, true), DataType::Int64),
            Kind::Date => Values::Date(streams.integers(column, stream::DATA, true)),
            Kind::Float => Values::Float(raw(streams.take(column, stream::DATA))),
            Kind::Double => Values::Double(raw(streams.take(column, stream::DATA))),
            Kind::Bytes | Kind::Char(_) => {
                let mut lengths = streams.integers(column, stream::LENGTH, false);
                let encoding = streams.encoding(column);
                if encoding.is_dictionary() {
                    let mut bytes = raw(streams.take(column, stream::DICTIONARY));
                    let count = usize::try_from(encoding.dictionary_values).map_err(|_| ended())?;
                    let values = Arc::new(strings(&mut lengths, &mut bytes, count)?);
                    Values::Dictionary(streams.integers(column, stream::DATA, false), values)
                } else {
                    Values::Bytes(lengths, raw(streams.take(column, stream::DATA)))
                }
            }
            Kind::Timestamp(is_instant) => {
                let clock = if *is_instant { Clock::of_instants() } else { streams.clock };
                let seconds = streams.integers(column, stream::DATA, true);
                Values::Timestamp(seconds, streams.integers(column, stream::SECONDARY, false), clock)
            }
            Kind::Decimal(precision, scale) => Values::Decimal {
                digits: raw(streams.take(column, stream::DATA)),
                scales: streams.integers(column, stream::SECONDARY, true),
                precision: *precision,
                scale: *scale,
            },
            Kind::List(item) => {
                let lengths = streams.integers(column, stream::LENGTH, false);
                let wanted = match wanted.plain() {
                    SqlType::Array(item) => item,
                    _ => wanted,
                };
                Values::List(lengths, Box::new(Decoder::new(item, wanted, streams)?))
            }
            Kind::Map(key, value) => {
                let lengths = streams.integers(column, stream::LENGTH, false);
                let (wanted_key, wanted_value) = match wanted.plain() {
                    SqlType::Map(key, value) => (&**key, &**value),
                    _ => (wanted, wanted),
                };
                let key = Decoder::new(key, wanted_key, streams)?;
                Values::Map(lengths, Box::new(key), Box::new(Decoder::new(value, wanted_value, streams)?))
            }
            Kind::Struct(fields) => {
                let fields = fields
                    .iter()
                    .enumerate()
                    .map(|(at, (name, node))| Ok((name.clone(), Decoder::new(node, element(wanted, at, name), streams)?)));
                Values::Struct(fields.collect::<Result<_>>()?)
            }
            Kind::Other(name) => {
                return Err(Error::not_implemented(format!(
                    "Values of the ORC type {name} cannot be read: give a structure without that column"
                )));
            }
        };
        Ok(Decoder { present, values, wanted: wanted.clone() })
    }

    /// The next so many rows of what it lies in.
    pub fn read(&mut self, rows: usize) -> Result<ArrayRef> {
        let Some(present) = &mut self.present else { return self.values.read(rows, &self.wanted) };
        let present = present.take(rows)?;
        let values = self.values.read(present.count_set_bits(), &self.wanted)?;
        if values.len() == rows { Ok(values) } else { spread(&values, &present) }
    }
}

/// The type of the element of a tuple that a field goes to: by name, or by place where elements have none.
fn element<'a>(wanted: &'a SqlType, at: usize, name: &str) -> &'a SqlType {
    let SqlType::Tuple(elements) = wanted.plain() else { return wanted };
    let named = elements.iter().find(|(known, _)| known.as_deref() == Some(name));
    named.or_else(|| elements.get(at).filter(|(known, _)| known.is_none())).map_or(wanted, |(_, kind)| kind)
}

/// Each value at the next row that has one; the others are null.
fn spread(values: &ArrayRef, present: &BooleanBuffer) -> Result<ArrayRef> {
    let mut next = 0;
    let places: UInt32Array = present
        .iter()
        .map(|is_there| {
            next += u32::from(is_there);
            is_there.then(|| next - 1)
        })
        .collect();
    Ok(take(values, &places, None)?)
}

fn strings(lengths: &mut Integers, bytes: &mut Raw, count: usize) -> Result<BinaryViewArray> {
    let mut out = BytesBuilder::default();
    for length in lengths.take(count)? {
        out.append(bytes.take(usize::try_from(length).map_err(|_| incorrect("a length is below 0"))?)?);
    }
    Ok(out.finish(None))
}

impl Values {
    fn read(&mut self, count: usize, wanted: &SqlType) -> Result<ArrayRef> {
        Ok(match self {
            Values::Boolean(bits) => whole_or(Arc::new(BooleanArray::new(bits.take(count)?, None)), wanted),
            Values::Byte(runs) => {
                let mut numbers = Vec::with_capacity(count.min(1 << 16));
                for _ in 0..count {
                    numbers.push(i64::from(runs.next()? as i8));
                }
                whole(numbers, &DataType::Int8, wanted)
            }
            Values::Whole(numbers, width) => whole(numbers.take(count)?, width, wanted),
            Values::Date(days) => {
                let days = days.take(count)?.into_iter().map(i32::try_from);
                let days = days.collect::<std::result::Result<Vec<_>, _>>();
                Arc::new(Date32Array::from(days.map_err(|_| incorrect("a date has more than 32 bits"))?))
            }
            Values::Float(raw) => {
                let bytes = raw.take(count.checked_mul(4).ok_or_else(ended)?)?;
                let values = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
                Arc::new(Float32Array::from_iter_values(values))
            }
            Values::Double(raw) => {
                let bytes = raw.take(count.checked_mul(8).ok_or_else(ended)?)?;
                let values = bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
                Arc::new(Float64Array::from_iter_values(values))
            }
            Values::Bytes(lengths, bytes) => binary(strings(lengths, bytes, count)?, wanted)?,
            Values::Dictionary(places, values) => {
                let there = values.len();
                let places = places.take(count)?.into_iter().map(|place| {
                    let place = i32::try_from(place).ok().filter(|place| (*place as usize) < there);
                    place.ok_or_else(|| incorrect("a value is not in its dictionary"))
                });
                let places = Int32Array::from(places.collect::<Result<Vec<_>>>()?);
                Arc::new(DictionaryArray::<Int32Type>::try_new(places, values.clone())?)
            }
            Values::Timestamp(seconds, nanoseconds, clock) => {
                let (unit, per_second) = match wanted.plain() {
                    SqlType::DateTime(_) | SqlType::DateTime64(0, _) => (TimeUnit::Second, 1),
                    SqlType::DateTime64(1..=3, _) => (TimeUnit::Millisecond, 1_000),
                    SqlType::DateTime64(4..=6, _) => (TimeUnit::Microsecond, 1_000_000),
                    _ => (TimeUnit::Nanosecond, 1_000_000_000),
                };
                let parts = seconds.take(count)?.into_iter().zip(nanoseconds.take(count)?);
                let ticks = parts.map(|(seconds, nanoseconds)| clock.ticks(seconds, nanoseconds, per_second));
                from_ticks(ticks.collect::<Result<Vec<_>>>()?, None, &DataType::Timestamp(unit, None))
            }
            Values::Decimal { digits, scales, precision, scale } => {
                let mut values = Vec::with_capacity(count.min(1 << 16));
                for own in scales.take(count)? {
                    values.push(rescaled(digits.wide()?, own, *precision, *scale)?);
                }
                Arc::new(Decimal128Array::from(values).with_precision_and_scale(*precision, *scale as i8)?)
            }
            Values::List(lengths, items) => {
                let ends = offsets(lengths, count)?;
                let items = items.read(ends.last().copied().unwrap_or(0) as usize)?;
                let field = Arc::new(Field::new("item", items.data_type().clone(), true));
                Arc::new(ListArray::try_new(field, ends, items, None)?)
            }
            Values::Map(lengths, keys, values) => {
                let ends = offsets(lengths, count)?;
                let items = ends.last().copied().unwrap_or(0) as usize;
                let (keys, values) = (keys.read(items)?, values.read(items)?);
                if keys.logical_null_count() > 0 {
                    return Err(incorrect("a key of a map is null"));
                }
                let pair = Fields::from(vec![
                    Field::new("keys", keys.data_type().clone(), false),
                    Field::new("values", values.data_type().clone(), true),
                ]);
                let entries = StructArray::try_new(pair.clone(), vec![keys, values], None)?;
                let field = Arc::new(Field::new("entries", DataType::Struct(pair), false));
                Arc::new(MapArray::try_new(field, ends, entries, None, false)?)
            }
            Values::Struct(fields) => {
                let arrays = fields.iter_mut().map(|(_, field)| field.read(count)).collect::<Result<Vec<_>>>()?;
                let kinds = fields.iter().zip(&arrays);
                let kinds: Fields =
                    kinds.map(|((name, _), array)| Field::new(name, array.data_type().clone(), true)).collect();
                Arc::new(StructArray::try_new_with_length(kinds, arrays, None, count)?)
            }
        })
    }
}

fn whole(numbers: Vec<i64>, width: &DataType, wanted: &SqlType) -> ArrayRef {
    let numbers = Int64Array::from(numbers);
    fitting(&numbers, wanted).unwrap_or_else(|| of_width(&numbers, width))
}

/// Booleans stand for numbers where these are wanted.
fn whole_or(values: ArrayRef, wanted: &SqlType) -> ArrayRef {
    match wanted.plain() {
        SqlType::UInt8 => arrow::compute::cast(&values, &DataType::UInt8).unwrap_or(values),
        _ => values,
    }
}

/// Wide numbers are bytes, the least first, as their writer had them; so are addresses, the first byte first, unless they are
/// text.
fn binary(values: BinaryViewArray, wanted: &SqlType) -> Result<ArrayRef> {
    let bytes = match wanted.plain() {
        SqlType::Int128 | SqlType::UInt128 => 16,
        SqlType::Int256 | SqlType::UInt256 => 32,
        SqlType::Decimal { precision, .. } if *precision > 38 => 32,
        SqlType::IPv6 if !values.iter().flatten().any(is_text_of_address) => 16,
        _ => return Ok(Arc::new(values)),
    };
    if values.iter().flatten().any(|value| value.len() != bytes) {
        return Ok(Arc::new(values));
    }
    if let SqlType::Decimal { precision, scale } = wanted.plain() {
        let numbers: ScalarBuffer<i256> =
            values.iter().flatten().map(|value| i256::from_le_bytes(value.try_into().unwrap_or([0; 32]))).collect();
        return Ok(Arc::new(Decimal256Array::new(numbers, None).with_precision_and_scale(*precision, *scale as i8)?));
    }
    let raw: Vec<u8> = values.iter().flatten().flatten().copied().collect();
    Ok(Arc::new(FixedSizeBinaryArray::try_new(bytes as i32, raw.into(), None)?))
}

fn is_text_of_address(value: &[u8]) -> bool {
    value.contains(&b':') && value.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
}

/// Where the items of each row end. Lengths claim them; whether they are there is seen as they are read.
fn offsets(lengths: &mut Integers, count: usize) -> Result<OffsetBuffer<i32>> {
    let mut ends = Vec::with_capacity(count.min(1 << 16) + 1);
    let mut end = 0i32;
    ends.push(end);
    for length in lengths.take(count)? {
        let next = i32::try_from(length).ok().filter(|length| *length >= 0).and_then(|length| end.checked_add(length));
        end = next.ok_or_else(|| incorrect("the arrays of a block have more than 2147483647 items"))?;
        ends.push(end);
    }
    // Items take a byte each at least, but for those of nothing.
    allocations::check_room(end as usize)?;
    Ok(OffsetBuffer::new(ends.into()))
}

/// Each value has a scale of its own.
fn rescaled(value: i128, own: i64, precision: u8, scale: u8) -> Result<i128> {
    let out_of_range = || {
        Error::new(
            ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE,
            format!("A decimal of the ORC file, {value} of scale {own}, is no Decimal({precision}, {scale})"),
        )
    };
    let power = |digits: i64| u32::try_from(digits).ok().and_then(|digits| 10i128.checked_pow(digits));
    let value = match i64::from(scale).saturating_sub(own) {
        0 => Some(value),
        more @ 1.. => power(more).and_then(|factor| value.checked_mul(factor)),
        fewer => power(fewer.saturating_neg()).map(|divisor| value / divisor),
    };
    let limit = 10u128.pow(u32::from(precision));
    value.filter(|value| value.unsigned_abs() < limit).ok_or_else(out_of_range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_get_the_scale_of_their_column() {
        assert_eq!(rescaled(125, 2, 9, 2).expect("same"), 125);
        assert_eq!(rescaled(125, 1, 9, 3).expect("more"), 12_500);
        assert_eq!(rescaled(-125, 2, 9, 1).expect("fewer"), -12);
        for (value, own) in [(1_000_000_000, 2), (1, -40), (i128::MAX, 1), (1, i64::MIN)] {
            let error = rescaled(value, own, 9, 2).map(|_| ()).expect_err("no such number");
            assert_eq!(error.code(), ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE, "{value} {own}");
        }
    }
}
