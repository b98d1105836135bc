//! The vectors below the null mask: how each type takes a text, a default, and becomes an array.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::builder::BooleanBufferBuilder;
use arrow::array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, ListArray, MapArray, NullArray, PrimitiveArray,
    StructArray, new_null_array,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type, i256,
};
use gristmill_base::{Error, ErrorCode, Result};

use super::{ColumnBuilder, ParseOptions};
use crate::bfloat;
use crate::bytes::BytesBuilder;
use crate::calendar::{FIRST_DAY, LAST_DAY_OF_DATE};
use crate::scan::{Fault, Scan, address, best_effort, date, number};
use crate::sql_type::{EnumValues, SqlType};
use crate::zone::Zone;
use SqlType as T;

pub(super) enum Values {
    Nothing(usize),
    Bool(BooleanBufferBuilder),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    Wide {
        values: Vec<i256>,
        bits: u16,
        signed: bool,
    },
    F32(Vec<f32>),
    /// Cut to BFloat16.
    B16(Vec<f32>),
    F64(Vec<f64>),
    Decimal128 {
        values: Vec<i128>,
        precision: u8,
        scale: u8,
    },
    Decimal256 {
        values: Vec<i256>,
        precision: u8,
        scale: u8,
    },
    Bytes(BytesBuilder),
    Fixed {
        bytes: Vec<u8>,
        width: usize,
        len: usize,
    },
    Uuid(Vec<[u8; 16]>),
    IPv4(Vec<u32>),
    IPv6(Vec<[u8; 16]>),
    Date {
        days: Vec<i32>,
        wide: bool,
    },
    /// Ticks of 10^-scale; `wide`: may lie before 1970 and after 2106.
    DateTime {
        ticks: Vec<i64>,
        scale: u8,
        wide: bool,
        zone: Zone,
    },
    Time {
        ticks: Vec<i64>,
        scale: u8,
    },
    Enum {
        values: Vec<i16>,
        names: EnumValues,
        lookup: HashMap<Box<[u8]>, i16>,
    },
    Array {
        offsets: Vec<i32>,
        element: Box<ColumnBuilder>,
    },
    Tuple {
        fields: Vec<ColumnBuilder>,
        names: Vec<Option<String>>,
        len: usize,
    },
    Map {
        offsets: Vec<i32>,
        key: Box<ColumnBuilder>,
        value: Box<ColumnBuilder>,
    },
}

const TOO_LONG: Fault = Fault::new(ErrorCode::TOO_LARGE_STRING_SIZE, "the value is longer than the type");
pub(super) const NO_SUCH_NAME: Fault = Fault::new(ErrorCode::UNKNOWN_ELEMENT_OF_ENUM, "the enum has no such name or number");

impl Values {
    /// Strings, whose quotes may be their own.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Values::Bytes(_) | Values::Fixed { .. } | Values::Bool(_))
    }

    /// `kind` is plain: without Nullable and LowCardinality.
    pub(super) fn new(kind: &SqlType, options: &ParseOptions) -> Result<Values> {
        let child = |kind: &SqlType| ColumnBuilder::new(kind, options);
        Ok(match kind {
            T::Nothing => Values::Nothing(0),
            T::Bool => Values::Bool(BooleanBufferBuilder::new(0)),
            T::UInt8 => Values::U8(Vec::new()),
            T::UInt16 => Values::U16(Vec::new()),
            T::UInt32 => Values::U32(Vec::new()),
            T::UInt64 => Values::U64(Vec::new()),
            T::Int8 => Values::I8(Vec::new()),
            T::Int16 => Values::I16(Vec::new()),
            T::Int32 => Values::I32(Vec::new()),
            T::Int64 | T::Interval(_) => Values::I64(Vec::new()),
            T::Int128 => Values::Wide { values: Vec::new(), bits: 128, signed: true },
            T::UInt128 => Values::Wide { values: Vec::new(), bits: 128, signed: false },
            T::Int256 => Values::Wide { values: Vec::new(), bits: 256, signed: true },
            T::UInt256 => Values::Wide { values: Vec::new(), bits: 256, signed: false },
            T::Float32 => Values::F32(Vec::new()),
            T::BFloat16 => Values::B16(Vec::new()),
            T::Float64 => Values::F64(Vec::new()),
            T::Decimal { precision, scale } if *precision <= 38 => {
                Values::Decimal128 { values: Vec::new(), precision: *precision, scale: *scale }
            }
            T::Decimal { precision, scale } => {
                Values::Decimal256 { values: Vec::new(), precision: *precision, scale: *scale }
            }
            T::String => Values::Bytes(BytesBuilder::default()),
            T::FixedString(width) => Values::Fixed { bytes: Vec::new(), width: *width, len: 0 },
            T::Uuid => Values::Uuid(Vec::new()),
            T::IPv4 => Values::IPv4(Vec::new()),
            T::IPv6 => Values::IPv6(Vec::new()),
            T::Date => Values::Date { days: Vec::new(), wide: false },
            T::Date32 => Values::Date { days: Vec::new(), wide: true },
            T::DateTime(zone) => Values::DateTime {
                ticks: Vec::new(),
                scale: 0,
                wide: false,
                zone: Zone::of_type(zone.as_ref(), options.timezone),
            },
            T::DateTime64(scale, zone) => Values::DateTime {
                ticks: Vec::new(),
                scale: *scale,
                wide: true,
                zone: Zone::of_type(zone.as_ref(), options.timezone),
            },
            T::Time => Values::Time { ticks: Vec::new(), scale: 0 },
            T::Time64(scale) => Values::Time { ticks: Vec::new(), scale: *scale },
            T::Enum8(names) | T::Enum16(names) => Values::Enum {
                values: Vec::new(),
                names: names.clone(),
                lookup: names.0.iter().map(|(name, value)| (name.as_bytes().into(), *value)).collect(),
            },
            T::Array(element) => Values::Array { offsets: vec![0], element: Box::new(child(element)?) },
            T::Tuple(fields) => Values::Tuple {
                fields: fields.iter().map(|(_, kind)| child(kind)).collect::<Result<_>>()?,
                names: fields.iter().map(|(name, _)| name.clone()).collect(),
                len: 0,
            },
            T::Map(key, value) => {
                Values::Map { offsets: vec![0], key: Box::new(child(key)?), value: Box::new(child(value)?) }
            }
            T::AggregateFunction(..) => {
                return Err(Error::not_implemented(format!("{kind} has no text form: give its state in a binary format")));
            }
            T::Nullable(_) | T::LowCardinality(_) | T::SimpleAggregateFunction(..) | T::Geometric(..) | T::Nested(_) => {
                return Err(Error::logical(format!("{kind} is wrapped after unwrapping")));
            }
        })
    }

    #[inline]
    pub(super) fn push_text(&mut self, text: &[u8], options: &ParseOptions) -> Scan<()> {
        let wrap = options.wrap_integers;
        match self {
            Values::Nothing(_) => {
                return Err(Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "the type has no values but NULL"));
            }
            Values::Bool(values) => values.append(bool_of(text, options)?),
            Values::U8(values) => values.push(bool_or(text, wrap)?),
            Values::U16(values) => values.push(number::integer(text, wrap)?),
            Values::U32(values) => values.push(number::integer(text, wrap)?),
            Values::U64(values) => values.push(number::integer(text, wrap)?),
            Values::I8(values) => values.push(number::integer(text, wrap)?),
            Values::I16(values) => values.push(number::integer(text, wrap)?),
            Values::I32(values) => values.push(number::integer(text, wrap)?),
            Values::I64(values) => values.push(number::integer(text, wrap)?),
            Values::Wide { values, bits, signed } => values.push(number::wide_integer(text, *bits, *signed, wrap)?),
            Values::F32(values) => values.push(number::float32(text)?),
            Values::B16(values) => values.push(bfloat::cut(number::float32(text)?)),
            Values::F64(values) => values.push(number::float64(text)?),
            Values::Decimal128 { values, precision, scale } => values.push(number::decimal128(text, *precision, *scale)?),
            Values::Decimal256 { values, precision, scale } => values.push(number::decimal256(text, *precision, *scale)?),
            Values::Bytes(values) => values.append(text),
            Values::Fixed { bytes, width, len } => {
                if text.len() > *width {
                    return Err(TOO_LONG);
                }
                bytes.extend_from_slice(text);
                *len += 1;
                bytes.resize(*len * *width, 0);
            }
            Values::Uuid(values) => values.push(address::uuid(text)?),
            Values::IPv4(values) => values.push(address::ipv4(text)?),
            Values::IPv6(values) => values.push(address::ipv6(text)?),
            Values::Date { days, wide } => {
                // What the type cannot hold is at the end of its range, as in ClickHouse.
                days.push(match date::date(text)? {
                    // The zero date of MySQL.
                    0 if *wide && text.starts_with(b"0000") => FIRST_DAY,
                    day if *wide => day,
                    day => day.clamp(0, LAST_DAY_OF_DATE),
                });
            }
            Values::DateTime { ticks, scale, wide, zone } => {
                let value = match options.best_effort_dates {
                    true => match date::written(text, *scale, zone) {
                        Some(value) => value,
                        None => best_effort::date_time(text, *scale, zone, options.customs)?,
                    },
                    false => date::basic(text, *scale, zone, *wide)?,
                };
                ticks.push(if *wide { value } else { value.clamp(0, u32::MAX.into()) });
            }
            Values::Time { ticks, scale } => ticks.push(date::time(text, *scale)?),
            Values::Enum { values, names, lookup } => {
                let named = if options.enums_as_numbers { None } else { lookup.get(text).copied() };
                values.push(match named {
                    Some(value) => value,
                    None => enum_number(text, names).ok_or(NO_SUCH_NAME)?,
                });
            }
            Values::Array { .. } | Values::Tuple { .. } | Values::Map { .. } => return self.push_nested_text(text),
        }
        Ok(())
    }

    /// Appends a number to a column of times, as seconds since the epoch, whatever its digits, or as ticks where it is `raw`; to
    /// one of dates as days, where a Date has so many. Whether it could be done.
    pub(super) fn push_since_epoch(&mut self, text: &[u8], raw: bool) -> bool {
        match self {
            Values::DateTime { ticks, scale, wide, .. } => {
                let Ok(value) = date::number_since_epoch(text, *scale, raw) else { return false };
                ticks.push(if *wide { value } else { value.clamp(0, u32::MAX.into()) });
            }
            Values::Date { days, .. } => match number::integer::<u16>(text, false) {
                Ok(day) => days.push(day.into()),
                Err(_) => return false,
            },
            _ => return false,
        }
        true
    }

    pub(super) fn push_default(&mut self) {
        match self {
            Values::Nothing(len) => *len += 1,
            Values::Bool(values) => values.append(false),
            Values::U8(values) => values.push(0),
            Values::U16(values) => values.push(0),
            Values::U32(values) | Values::IPv4(values) => values.push(0),
            Values::U64(values) => values.push(0),
            Values::I8(values) => values.push(0),
            Values::I16(values) => values.push(0),
            Values::I32(values) => values.push(0),
            Values::I64(values) => values.push(0),
            Values::Wide { values, .. } | Values::Decimal256 { values, .. } => values.push(i256::ZERO),
            Values::F32(values) | Values::B16(values) => values.push(0.0),
            Values::F64(values) => values.push(0.0),
            Values::Decimal128 { values, .. } => values.push(0),
            Values::Bytes(values) => values.append(b""),
            Values::Fixed { bytes, width, len } => {
                *len += 1;
                bytes.resize(*len * *width, 0);
            }
            Values::Uuid(values) | Values::IPv6(values) => values.push([0; 16]),
            Values::Date { days, .. } => days.push(0),
            Values::DateTime { ticks, .. } | Values::Time { ticks, .. } => ticks.push(0),
            Values::Enum { values, names, .. } => values.push(names.0.first().map_or(0, |(_, value)| *value)),
            Values::Array { offsets, .. } | Values::Map { offsets, .. } => {
                let last = offsets.last().copied().unwrap_or(0);
                offsets.push(last);
            }
            Values::Tuple { fields, len, .. } => {
                fields.iter_mut().for_each(ColumnBuilder::append_default);
                *len += 1;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Values::Nothing(len) | Values::Fixed { len, .. } | Values::Tuple { len, .. } => *len,
            Values::Bool(values) => values.len(),
            Values::U8(values) => values.len(),
            Values::U16(values) => values.len(),
            Values::U32(values) | Values::IPv4(values) => values.len(),
            Values::U64(values) => values.len(),
            Values::I8(values) => values.len(),
            Values::I16(values) => values.len(),
            Values::I32(values) => values.len(),
            Values::I64(values) => values.len(),
            Values::Wide { values, .. } | Values::Decimal256 { values, .. } => values.len(),
            Values::F32(values) | Values::B16(values) => values.len(),
            Values::F64(values) => values.len(),
            Values::Decimal128 { values, .. } => values.len(),
            Values::Bytes(values) => values.len(),
            Values::Uuid(values) | Values::IPv6(values) => values.len(),
            Values::Date { days, .. } => days.len(),
            Values::DateTime { ticks, .. } | Values::Time { ticks, .. } => ticks.len(),
            Values::Enum { values, .. } => values.len(),
            Values::Array { offsets, .. } | Values::Map { offsets, .. } => offsets.len() - 1,
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Values::Nothing(there) => *there = len,
            Values::Bool(values) => values.truncate(len),
            Values::U8(values) => values.truncate(len),
            Values::U16(values) => values.truncate(len),
            Values::U32(values) | Values::IPv4(values) => values.truncate(len),
            Values::U64(values) => values.truncate(len),
            Values::I8(values) => values.truncate(len),
            Values::I16(values) => values.truncate(len),
            Values::I32(values) => values.truncate(len),
            Values::I64(values) => values.truncate(len),
            Values::Wide { values, .. } | Values::Decimal256 { values, .. } => values.truncate(len),
            Values::F32(values) | Values::B16(values) => values.truncate(len),
            Values::F64(values) => values.truncate(len),
            Values::Decimal128 { values, .. } => values.truncate(len),
            Values::Bytes(values) => values.truncate(len),
            Values::Fixed { bytes, width, len: there } => {
                bytes.truncate(len * *width);
                *there = len;
            }
            Values::Uuid(values) | Values::IPv6(values) => values.truncate(len),
            Values::Date { days, .. } => days.truncate(len),
            Values::DateTime { ticks, .. } | Values::Time { ticks, .. } => ticks.truncate(len),
            Values::Enum { values, .. } => values.truncate(len),
            Values::Array { offsets, element } => {
                offsets.truncate(len + 1);
                element.truncate(offsets[len] as usize);
            }
            Values::Tuple { fields, len: there, .. } => {
                fields.iter_mut().for_each(|field| field.truncate(len));
                *there = len;
            }
            Values::Map { offsets, key, value } => {
                offsets.truncate(len + 1);
                key.truncate(offsets[len] as usize);
                value.truncate(offsets[len] as usize);
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Values::Nothing(_) => 0,
            Values::Bool(values) => values.capacity() / 8,
            Values::U8(values) => values.capacity(),
            Values::I8(values) => values.capacity(),
            Values::U16(values) => values.capacity() * 2,
            Values::I16(values) => values.capacity() * 2,
            Values::U32(values) | Values::IPv4(values) => values.capacity() * 4,
            Values::I32(values) => values.capacity() * 4,
            Values::U64(values) => values.capacity() * 8,
            Values::I64(values) => values.capacity() * 8,
            Values::Wide { values, .. } | Values::Decimal256 { values, .. } => values.capacity() * 32,
            Values::F32(values) | Values::B16(values) => values.capacity() * 4,
            Values::F64(values) => values.capacity() * 8,
            Values::Decimal128 { values, .. } => values.capacity() * 16,
            Values::Bytes(values) => values.memory_bytes(),
            Values::Fixed { bytes, .. } => bytes.capacity(),
            Values::Uuid(values) | Values::IPv6(values) => values.capacity() * 16,
            Values::Date { days, .. } => days.capacity() * 4,
            Values::DateTime { ticks, .. } | Values::Time { ticks, .. } => ticks.capacity() * 8,
            Values::Enum { values, .. } => values.capacity() * 2,
            Values::Array { offsets, element } => offsets.capacity() * 4 + element.memory_bytes(),
            Values::Tuple { fields, .. } => fields.iter().map(ColumnBuilder::memory_bytes).sum(),
            Values::Map { offsets, key, value } => offsets.capacity() * 4 + key.memory_bytes() + value.memory_bytes(),
        }
    }

    pub(super) fn finish(&mut self, kind: &SqlType, nulls: Option<NullBuffer>) -> ArrayRef {
        use std::mem::take;
        let carrier = kind.arrow();
        match self {
            Values::Nothing(len) => Arc::new(NullArray::new(take(len))),
            Values::Bool(values) => Arc::new(BooleanArray::new(values.finish(), nulls)),
            Values::U8(values) => primitive::<UInt8Type>(values, nulls, carrier),
            Values::U16(values) => primitive::<UInt16Type>(values, nulls, carrier),
            Values::U32(values) | Values::IPv4(values) => primitive::<UInt32Type>(values, nulls, carrier),
            Values::U64(values) => primitive::<UInt64Type>(values, nulls, carrier),
            Values::I8(values) => primitive::<Int8Type>(values, nulls, carrier),
            Values::I16(values) => primitive::<Int16Type>(values, nulls, carrier),
            Values::I32(values) => primitive::<Int32Type>(values, nulls, carrier),
            Values::I64(values) => primitive::<Int64Type>(values, nulls, carrier),
            Values::Wide { values, .. } | Values::Decimal256 { values, .. } => {
                primitive::<Decimal256Type>(values, nulls, carrier)
            }
            Values::F32(values) | Values::B16(values) => primitive::<Float32Type>(values, nulls, carrier),
            Values::F64(values) => primitive::<Float64Type>(values, nulls, carrier),
            Values::Decimal128 { values, .. } => primitive::<Decimal128Type>(values, nulls, carrier),
            Values::Bytes(values) => Arc::new(values.finish(nulls)),
            Values::Fixed { bytes, width, len } => {
                *len = 0;
                Arc::new(FixedSizeBinaryArray::new(*width as i32, Buffer::from_vec(take(bytes)), nulls))
            }
            Values::Uuid(values) | Values::IPv6(values) => {
                Arc::new(FixedSizeBinaryArray::new(16, Buffer::from_vec(take(values).into_flattened()), nulls))
            }
            Values::Date { days, .. } => primitive::<Date32Type>(days, nulls, carrier),
            Values::DateTime { ticks, .. } | Values::Time { ticks, .. } => from_ticks(take(ticks), nulls, &carrier),
            Values::Enum { values, .. } => match carrier {
                DataType::Int8 => {
                    let narrow: ScalarBuffer<i8> = take(values).into_iter().map(|value| value as i8).collect();
                    Arc::new(PrimitiveArray::<Int8Type>::new(narrow, nulls))
                }
                _ => primitive::<Int16Type>(values, nulls, carrier),
            },
            Values::Array { offsets, element } => {
                let DataType::List(field) = carrier else { return new_null_array(&carrier, 0) };
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(ListArray::new(field, offsets, element.finish(), nulls))
            }
            Values::Tuple { fields, len, .. } => {
                let DataType::Struct(carriers) = &carrier else { return new_null_array(&carrier, 0) };
                let columns = fields.iter_mut().map(ColumnBuilder::finish).collect();
                let rows = take(len);
                StructArray::try_new_with_length(carriers.clone(), columns, nulls, rows)
                    .map_or_else(|_| new_null_array(&carrier, rows), |array| Arc::new(array) as ArrayRef)
            }
            Values::Map { offsets, key, value } => {
                let DataType::Map(entries, ordered) = &carrier else { return new_null_array(&carrier, 0) };
                let DataType::Struct(pair) = entries.data_type() else { return new_null_array(&carrier, 0) };
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                let columns = StructArray::new(pair.clone(), vec![key.finish(), value.finish()], None);
                Arc::new(MapArray::new(entries.clone(), offsets, columns, nulls, *ordered))
            }
        }
    }
}

/// A number that an enum has a name for.
fn enum_number(text: &[u8], names: &EnumValues) -> Option<i16> {
    number::integer::<i16>(text, false).ok().filter(|value| names.name_of(*value).is_some())
}

#[inline]
fn bool_of(text: &[u8], options: &ParseOptions) -> Scan<bool> {
    match text {
        _ if text == options.bool_true.as_bytes() => Ok(true),
        _ if text == options.bool_false.as_bytes() => Ok(false),
        _ => number::boolean(text),
    }
}

/// UInt8 was ClickHouse's Bool: `true` and `false` are 1 and 0 there.
#[inline]
fn bool_or(text: &[u8], wrap: bool) -> Scan<u8> {
    match text {
        b"true" => Ok(1),
        b"false" => Ok(0),
        _ => number::integer(text, wrap),
    }
}

fn primitive<P: ArrowPrimitiveType>(values: &mut Vec<P::Native>, nulls: Option<NullBuffer>, carrier: DataType) -> ArrayRef {
    Arc::new(PrimitiveArray::<P>::new(std::mem::take(values).into(), nulls).with_data_type(carrier))
}

/// Ticks as the array that carries a DateTime, DateTime64, Time, Time64 or Interval; `nulls` of the same length.
pub fn from_ticks(ticks: impl Into<ScalarBuffer<i64>>, nulls: Option<NullBuffer>, carrier: &DataType) -> ArrayRef {
    use arrow::datatypes::TimeUnit;
    let ticks: ScalarBuffer<i64> = ticks.into();
    match carrier {
        DataType::Timestamp(TimeUnit::Second, _) => Arc::new(PrimitiveArray::<TimestampSecondType>::new(ticks, nulls)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            Arc::new(PrimitiveArray::<TimestampMillisecondType>::new(ticks, nulls))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            Arc::new(PrimitiveArray::<TimestampMicrosecondType>::new(ticks, nulls))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            Arc::new(PrimitiveArray::<TimestampNanosecondType>::new(ticks, nulls))
        }
        DataType::Int32 => {
            let narrow: ScalarBuffer<i32> = ticks.iter().map(|value| *value as i32).collect();
            Arc::new(PrimitiveArray::<Int32Type>::new(narrow, nulls))
        }
        _ => Arc::new(PrimitiveArray::<Int64Type>::new(ticks, nulls)),
    }
}
