//! How each ClickHouse type lies in a part, so that any reader of Parquet shows the same rows.
//!
//! | ClickHouse | in memory | in the part |
//! |---|---|---|
//! | String | BinaryView | BYTE_ARRAY, annotated STRING where every value of the part is valid UTF-8 |
//! | Enum8, Enum16 | codes | the names, STRING, dictionary encoded |
//! | DateTime, DateTime64(0) | seconds | TIMESTAMP(MILLIS, UTC) |
//! | DateTime64(1 to 3), (4 to 6), (9) | ticks | TIMESTAMP of MILLIS, MICROS, NANOS, UTC |
//! | DateTime64(7), (8) | ticks | INT64 ticks: 2299 does not fit into nanoseconds |
//! | UUID | 16 bytes | FIXED_LEN_BYTE_ARRAY(16), annotated UUID |
//! | (U)Int128, (U)Int256 | Decimal256 | FIXED_LEN_BYTE_ARRAY(16 / 32), little-endian two's complement |
//! | Array, Tuple, Map | List, Struct, Map | the same, of what their elements are |
//! | Tuple() | Struct | BOOLEAN, false: Parquet has no groups without fields |
//! | the rest | | what Arrow's own mapping gives: Date DATE, Decimal DECIMAL, IPv4 UINT_32, … |
//!
//! What is read back are the storage arrays of `storage_data_type`, whatever the annotation: the annotation of text is
//! for others, so no byte is validated twice.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryViewArray, BinaryViewBuilder, BooleanArray, Decimal256Array,
    FixedSizeBinaryArray, Int16Array, ListArray, MapArray, PrimitiveArray, StructArray, UInt32Array, make_array,
    new_null_array,
};
use arrow::buffer::{BooleanBuffer, Buffer};
use arrow::datatypes::{
    DataType, Decimal256Type, Field, FieldRef, Fields, Int8Type, Int16Type, Int64Type, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, i256,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{EnumValues, SqlType};
use parquet::basic::LogicalType;
use parquet::schema::types::{Type, TypePtr};

use SqlType as T;

/// The Arrow type that the column has when it is written and read.
pub fn storage_data_type(kind: &SqlType) -> DataType {
    let utc = || Some(Arc::from("UTC"));
    match kind {
        T::DateTime(_) | T::DateTime64(0..=3, _) => DataType::Timestamp(TimeUnit::Millisecond, utc()),
        T::DateTime64(4..=6, _) => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        T::DateTime64(9, _) => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
        T::DateTime64(..) => DataType::Int64,
        T::UInt128 | T::Int128 => DataType::FixedSizeBinary(16),
        T::UInt256 | T::Int256 => DataType::FixedSizeBinary(32),
        T::Enum8(_) | T::Enum16(_) => DataType::BinaryView,
        T::Nullable(inner)
        | T::LowCardinality(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner) => storage_data_type(inner),
        T::Array(inner) => DataType::List(storage_field(inner, "item")),
        T::Tuple(fields) if fields.is_empty() => DataType::Boolean,
        T::Tuple(fields) => DataType::Struct(
            fields
                .iter()
                .enumerate()
                .map(|(i, (name, kind))| storage_field(kind, name.as_deref().unwrap_or(&(i + 1).to_string())))
                .collect(),
        ),
        T::Map(key, value) => {
            let key = Arc::new(storage_field(key, "keys").as_ref().clone().with_nullable(false));
            let entries = DataType::Struct(Fields::from(vec![key, storage_field(value, "values")]));
            DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
        }
        other => other.arrow(),
    }
}

pub fn storage_field(kind: &SqlType, name: &str) -> FieldRef {
    let nullable = kind.field(name).is_nullable();
    Arc::new(Field::new(name, storage_data_type(kind), nullable))
}

/// The types of the Parquet leaves of a column, in their order.
fn leaves<'a>(kind: &'a SqlType, out: &mut Vec<&'a SqlType>) {
    match kind {
        T::Nullable(inner)
        | T::LowCardinality(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner)
        | T::Array(inner) => {
            leaves(inner, out);
        }
        T::Tuple(fields) if !fields.is_empty() => fields.iter().for_each(|(_, kind)| leaves(kind, out)),
        T::Map(key, value) => {
            leaves(key, out);
            leaves(value, out);
        }
        other => out.push(other),
    }
}

/// The column's Parquet type with the annotations that Arrow's mapping does not give.
pub fn annotate(parquet: &TypePtr, kind: &SqlType, text: bool) -> Result<TypePtr> {
    let mut kinds = Vec::new();
    leaves(kind, &mut kinds);
    annotate_leaves(parquet, &mut kinds.into_iter(), text)
}

fn annotate_leaves<'a>(parquet: &TypePtr, kinds: &mut impl Iterator<Item = &'a SqlType>, text: bool) -> Result<TypePtr> {
    let info = parquet.get_basic_info();
    if let Type::PrimitiveType { physical_type, type_length, .. } = parquet.as_ref() {
        let logical = match kinds.next() {
            Some(T::String) if text => LogicalType::String,
            Some(T::Enum8(_) | T::Enum16(_)) => LogicalType::String,
            Some(T::Uuid) => LogicalType::Uuid,
            _ => return Ok(parquet.clone()),
        };
        let built = Type::primitive_type_builder(info.name(), *physical_type)
            .with_repetition(info.repetition())
            .with_length(*type_length)
            .with_logical_type(Some(logical))
            .build()?;
        return Ok(Arc::new(built));
    }
    let fields = parquet.get_fields().iter().map(|field| annotate_leaves(field, kinds, text)).collect::<Result<Vec<_>>>()?;
    let mut group = Type::group_type_builder(info.name())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_converted_type(info.converted_type())
        .with_fields(fields);
    if info.has_repetition() {
        group = group.with_repetition(info.repetition());
    }
    Ok(Arc::new(group.build()?))
}

/// Whether every string in the column, at any depth, is valid UTF-8.
pub fn is_text(kind: &SqlType, array: &ArrayRef) -> bool {
    match kind {
        T::Nullable(inner)
        | T::LowCardinality(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner) => is_text(inner, array),
        T::String => array.as_binary_view_opt().is_some_and(|array| {
            // Below 64 bytes that crate goes byte by byte.
            let is_text = |row: usize| {
                let value = array.value(row);
                value.is_ascii() || simdutf8::basic::from_utf8(value).is_ok()
            };
            array.views().iter().enumerate().all(|(row, view)| is_short_ascii(*view) || array.is_null(row) || is_text(row))
        }),
        T::Array(inner) => array.as_list_opt::<i32>().is_some_and(|list| is_text(inner, list.values())),
        T::Tuple(fields) => array
            .as_struct_opt()
            .is_some_and(|tuple| fields.iter().zip(tuple.columns()).all(|((_, kind), column)| is_text(kind, column))),
        T::Map(key, value) => array.as_map_opt().is_some_and(|map| is_text(key, map.keys()) && is_text(value, map.values())),
        _ => true,
    }
}

/// Whether the value lies in its view (twelve bytes at most, the rest zeros) and is ASCII: most short strings need no more.
fn is_short_ascii(view: u128) -> bool {
    const HIGH_BITS: u128 = 0x8080_8080_8080_8080_8080_8080 << 32;
    view as u32 <= 12 && view & HIGH_BITS == 0
}

/// Whether the type has strings whose text is worth looking at.
pub fn has_strings(kind: &SqlType) -> bool {
    let mut kinds = Vec::new();
    leaves(kind, &mut kinds);
    kinds.contains(&&T::String)
}

/// From memory to what is written.
pub fn to_storage(kind: &SqlType, array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match kind {
        T::Nullable(inner)
        | T::LowCardinality(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner) => to_storage(inner, array)?,
        T::DateTime(_) | T::DateTime64(0, _) => scale_up::<TimestampSecondType, TimestampMillisecondType>(array, 1000)?,
        T::DateTime64(scale @ 1..=2, _) => scale_up::<Int64Type, TimestampMillisecondType>(array, ten_to(3 - scale))?,
        T::DateTime64(scale @ 4..=5, _) => scale_up::<Int64Type, TimestampMicrosecondType>(array, ten_to(6 - scale))?,
        T::DateTime64(3, _) => with_zone::<TimestampMillisecondType>(array, Some("UTC"))?,
        T::DateTime64(6, _) => with_zone::<TimestampMicrosecondType>(array, Some("UTC"))?,
        T::DateTime64(9, _) => with_zone::<TimestampNanosecondType>(array, Some("UTC"))?,
        T::UInt128 | T::Int128 => wide_to_bytes(array, 16)?,
        T::UInt256 | T::Int256 => wide_to_bytes(array, 32)?,
        T::Enum8(names) | T::Enum16(names) => codes_to_names(names, array)?,
        T::Array(inner) => {
            let list = array.as_list_opt::<i32>().ok_or_else(|| unexpected(kind, array))?;
            let values = to_storage(inner, list.values())?;
            let field = storage_field(inner, "item");
            Arc::new(ListArray::try_new(field, list.offsets().clone(), values, list.nulls().cloned())?)
        }
        T::Tuple(fields) if fields.is_empty() => {
            Arc::new(BooleanArray::new(BooleanBuffer::new_unset(array.len()), array.nulls().cloned()))
        }
        T::Tuple(fields) => {
            let DataType::Struct(storage) = storage_data_type(kind) else { return Err(unexpected(kind, array)) };
            tuple(kind, fields, array, storage, to_storage)?
        }
        T::Map(key, value) => map(kind, key, value, array, storage_data_type(kind), to_storage)?,
        _ => array.clone(),
    })
}

/// From what is read to memory.
pub fn from_storage(kind: &SqlType, array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match kind {
        T::Nullable(inner)
        | T::LowCardinality(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner) => from_storage(inner, array)?,
        T::DateTime(_) | T::DateTime64(0, _) => scale_down::<TimestampMillisecondType, TimestampSecondType>(array, 1000)?,
        T::DateTime64(scale @ 1..=2, _) => scale_down::<TimestampMillisecondType, Int64Type>(array, ten_to(3 - scale))?,
        T::DateTime64(scale @ 4..=5, _) => scale_down::<TimestampMicrosecondType, Int64Type>(array, ten_to(6 - scale))?,
        T::DateTime64(3, _) => with_zone::<TimestampMillisecondType>(array, None)?,
        T::DateTime64(6, _) => with_zone::<TimestampMicrosecondType>(array, None)?,
        T::DateTime64(9, _) => with_zone::<TimestampNanosecondType>(array, None)?,
        T::UInt128 | T::UInt256 => bytes_to_wide(array, false)?,
        T::Int128 | T::Int256 => bytes_to_wide(array, true)?,
        T::Enum8(names) => Arc::new(names_to_codes(names, array)?.unary::<_, Int8Type>(|code| code as i8)),
        T::Enum16(names) => Arc::new(names_to_codes(names, array)?),
        T::Array(inner) => {
            let list = array.as_list_opt::<i32>().ok_or_else(|| unexpected(kind, array))?;
            let values = from_storage(inner, list.values())?;
            Arc::new(ListArray::try_new(inner.field("item"), list.offsets().clone(), values, list.nulls().cloned())?)
        }
        T::Tuple(fields) if fields.is_empty() => {
            Arc::new(StructArray::new_empty_fields(array.len(), array.nulls().cloned()))
        }
        T::Tuple(fields) => {
            let DataType::Struct(memory) = kind.arrow() else { return Err(unexpected(kind, array)) };
            tuple(kind, fields, array, memory, from_storage)?
        }
        T::Map(key, value) => map(kind, key, value, array, kind.arrow(), from_storage)?,
        T::Nothing => new_null_array(&DataType::Null, array.len()),
        _ => array.clone(),
    })
}

type Convert = fn(&SqlType, &ArrayRef) -> Result<ArrayRef>;

fn tuple(
    kind: &SqlType,
    kinds: &[(Option<String>, SqlType)],
    array: &ArrayRef,
    target: Fields,
    convert: Convert,
) -> Result<ArrayRef> {
    let source = array.as_struct_opt().ok_or_else(|| unexpected(kind, array))?;
    let columns =
        kinds.iter().zip(source.columns()).map(|((_, kind), column)| convert(kind, column)).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(StructArray::try_new(target, columns, source.nulls().cloned())?))
}

fn map(
    kind: &SqlType,
    key: &SqlType,
    value: &SqlType,
    array: &ArrayRef,
    target: DataType,
    convert: Convert,
) -> Result<ArrayRef> {
    let source = array.as_map_opt().ok_or_else(|| unexpected(kind, array))?;
    let DataType::Map(entries, sorted) = target else { return Err(unexpected(kind, array)) };
    let DataType::Struct(pair) = entries.data_type() else { return Err(unexpected(kind, array)) };
    let columns = vec![convert(key, source.keys())?, convert(value, source.values())?];
    let pairs = StructArray::try_new(pair.clone(), columns, None)?;
    Ok(Arc::new(MapArray::try_new(entries, source.offsets().clone(), pairs, source.nulls().cloned(), sorted)?))
}

fn unexpected(kind: &SqlType, array: &ArrayRef) -> Error {
    Error::logical(format!("A column of type {kind} is carried by {}", array.data_type()))
}

fn primitive<A: ArrowPrimitiveType>(array: &ArrayRef) -> Result<&PrimitiveArray<A>> {
    array.as_primitive_opt::<A>().ok_or_else(|| {
        Error::logical(format!("A part's column has the type {}, expected {}", array.data_type(), A::DATA_TYPE))
    })
}

fn ten_to(power: u8) -> i64 {
    10i64.pow(u32::from(power))
}

fn scale_up<A, B>(array: &ArrayRef, factor: i64) -> Result<ArrayRef>
where
    A: ArrowPrimitiveType<Native = i64>,
    B: ArrowPrimitiveType<Native = i64>,
{
    let scaled = primitive::<A>(array)?.try_unary::<_, B, Error>(|value| {
        value.checked_mul(factor).ok_or_else(|| {
            Error::new(
                ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE,
                format!("A time of {value} ticks is too far from 1970 to be stored"),
            )
        })
    })?;
    with_zone::<B>(&(Arc::new(scaled) as ArrayRef), Some("UTC"))
}

fn scale_down<A, B>(array: &ArrayRef, factor: i64) -> Result<ArrayRef>
where
    A: ArrowPrimitiveType<Native = i64>,
    B: ArrowPrimitiveType<Native = i64>,
{
    Ok(Arc::new(primitive::<A>(array)?.unary::<_, B>(|value| value.div_euclid(factor))))
}

/// The same ticks under another zone; no value changes.
fn with_zone<A: ArrowPrimitiveType>(array: &ArrayRef, zone: Option<&str>) -> Result<ArrayRef> {
    let DataType::Timestamp(unit, _) = A::DATA_TYPE else { return Ok(array.clone()) };
    let data_type = DataType::Timestamp(unit, zone.map(Arc::from));
    Ok(make_array(array.to_data().into_builder().data_type(data_type).build()?))
}

fn wide_to_bytes(array: &ArrayRef, width: usize) -> Result<ArrayRef> {
    let array = primitive::<Decimal256Type>(array)?;
    let mut bytes = Vec::with_capacity(array.len() * width);
    for value in array.values() {
        bytes.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    Ok(Arc::new(FixedSizeBinaryArray::try_new(width as i32, Buffer::from_vec(bytes), array.nulls().cloned())?))
}

fn bytes_to_wide(array: &ArrayRef, signed: bool) -> Result<ArrayRef> {
    let array = array
        .as_fixed_size_binary_opt()
        .ok_or_else(|| Error::logical(format!("A wide integer is stored as {}", array.data_type())))?;
    let values: Vec<i256> = (0..array.len())
        .map(|row| {
            let value = array.value(row);
            let negative = signed && value.last().is_some_and(|byte| byte & 0x80 != 0);
            let mut wide = [if negative { 0xff } else { 0 }; 32];
            wide[..value.len()].copy_from_slice(value);
            i256::from_le_bytes(wide)
        })
        .collect();
    let wide = Decimal256Array::try_new(values.into(), array.nulls().cloned())?.with_data_type(DataType::Decimal256(76, 0));
    Ok(Arc::new(wide))
}

fn codes_to_names(names: &EnumValues, array: &ArrayRef) -> Result<ArrayRef> {
    let codes: Int16Array = match array.data_type() {
        DataType::Int8 => primitive::<Int8Type>(array)?.unary(i16::from),
        _ => primitive::<Int16Type>(array)?.clone(),
    };
    // Names are few: a view for each, gathered by position, copies no text.
    let mut distinct = BinaryViewBuilder::with_capacity(names.0.len());
    names.0.iter().for_each(|(name, _)| distinct.append_value(name));
    let distinct = distinct.finish();
    let positions = codes
        .iter()
        .map(|code| {
            let Some(code) = code else { return Ok(None) };
            let at = names.0.binary_search_by_key(&code, |(_, value)| *value).map_err(|_| unknown_code(names, code))?;
            Ok(Some(at as u32))
        })
        .collect::<Result<UInt32Array>>()?;
    Ok(arrow::compute::take(&distinct, &positions, None)?)
}

fn unknown_code(names: &EnumValues, code: i16) -> Error {
    let known: Vec<_> = names.0.iter().map(|(name, _)| name.as_str()).collect();
    Error::new(
        ErrorCode::UNKNOWN_ELEMENT_OF_ENUM,
        format!("The value {code} is none of the enum's (its names are {}): insert one of them", known.join(", ")),
    )
}

fn names_to_codes(names: &EnumValues, array: &ArrayRef) -> Result<Int16Array> {
    let array: &BinaryViewArray =
        array.as_binary_view_opt().ok_or_else(|| Error::logical(format!("An enum is stored as {}", array.data_type())))?;
    let codes: HashMap<&[u8], i16> = names.0.iter().map(|(name, value)| (name.as_bytes(), *value)).collect();
    // Equal names of up to 12 bytes have equal views, and runs are common: look the view of the row before at first.
    let mut last: Option<(u128, i16)> = None;
    array
        .views()
        .iter()
        .enumerate()
        .map(|(row, &view)| {
            if array.is_null(row) {
                return Ok(None);
            }
            if let Some((known, code)) = last
                && known == view
            {
                return Ok(Some(code));
            }
            let name = array.value(row);
            let code = *codes.get(name).ok_or_else(|| {
                Error::new(
                    ErrorCode::UNKNOWN_ELEMENT_OF_ENUM,
                    format!("A part holds '{}', which is not among the enum's names", String::from_utf8_lossy(name)),
                )
            })?;
            last = Some((view, code));
            Ok(Some(code))
        })
        .collect()
}
