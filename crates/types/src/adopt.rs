//! Takes arrays as files have them to the arrays that carry our types.
//!
//! First the cheap step: any Arrow type becomes the carrier of the type that `SqlType::from_arrow` names for it. Strings and
//! bytes become views over the buffers they came in, numbers and timestamps are relabelled, dictionaries are spread out,
//! children of nested types likewise. Then `cast` to the wanted type, which does nothing where the two agree. The few pairs
//! where a file's type means more than its carrier (text in FixedString, UUIDs in 16 bytes, milliseconds of a Date64) are taken
//! straight.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, ListArray, MapArray, PrimitiveArray, StructArray, make_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::cast as arrow_cast;
use arrow::datatypes::{DataType, Decimal256Type, Field, Int64Type, IntervalUnit, IntervalYearMonthType, TimeUnit, i256};
use gristmill_base::{Error, ErrorCode, Result};

use crate::builder::from_ticks;
use crate::cast::{CastOptions, cast, settle_nulls};
use crate::sql_type::SqlType;
use SqlType as T;

/// Gives the array that carries `to`. Errors: those of `cast`, UNKNOWN_TYPE for Arrow types that nothing can hold.
pub fn adopt(array: &ArrayRef, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if array.data_type() == &to.arrow() && !ambiguous(to) {
        return settle_nulls(array.clone(), to, options);
    }
    if let Some(direct) = straight(array, to)? {
        return settle_nulls(direct, to, options);
    }
    let field = Field::new("", array.data_type().clone(), true);
    let from = meant(SqlType::from_arrow(&field)?, to);
    let carried = carry(array, &from)?;
    cast(&carried, &from, to, options)
}

/// The type of a file's values, where sixteen bytes in arrays, tuples and maps are what the wanted type says they are. Seconds
/// of a file may be beyond those of a DateTime.
fn meant(from: SqlType, to: &SqlType) -> SqlType {
    match (from, to.plain()) {
        (T::FixedString(16), wanted @ (T::Uuid | T::IPv6)) => wanted.clone(),
        (T::DateTime(zone), T::DateTime(_)) => T::DateTime64(0, zone),
        (T::Nullable(inner), wanted) => meant(*inner, wanted).nullable(),
        (T::Array(element), T::Array(wanted)) => T::Array(Box::new(meant(*element, wanted))),
        (T::Map(key, value), T::Map(wanted_key, wanted)) => {
            T::Map(Box::new(meant(*key, wanted_key)), Box::new(meant(*value, wanted)))
        }
        (T::Tuple(fields), T::Tuple(wanted)) => {
            let of = |at: usize, name: &Option<String>| {
                wanted.iter().find(|(known, _)| name.is_some() && known == name).or(wanted.get(at)).map(|(_, kind)| kind)
            };
            let meant_field = |(at, (name, kind)): (usize, (Option<String>, SqlType))| match of(at, &name) {
                Some(wanted) => (name, meant(kind, wanted)),
                None => (name, kind),
            };
            T::Tuple(fields.into_iter().enumerate().map(meant_field).collect())
        }
        (from, _) => from,
    }
}

/// Types whose carrier also carries others, so that an equal Arrow type may still mean another type.
fn ambiguous(to: &SqlType) -> bool {
    match to.plain() {
        T::Int128 | T::UInt128 | T::Int256 | T::UInt256 => false,
        // A Float32 of a file is to be cut, and so are seconds that no DateTime has.
        T::Date | T::DateTime(_) | T::BFloat16 => true,
        T::Array(inner) => ambiguous(inner),
        T::Map(key, value) => ambiguous(key) || ambiguous(value),
        T::Tuple(fields) => fields.iter().any(|(_, kind)| ambiguous(kind)),
        // Nullable children may hold NULL where the type has none only if the field says so; equal types agree on that.
        _ => false,
    }
}

/// Pairs that say more than their carrier does.
fn straight(array: &ArrayRef, to: &SqlType) -> Result<Option<ArrayRef>> {
    Ok(match (array.data_type(), to.plain()) {
        // 16 raw bytes are the value, in network order.
        (DataType::FixedSizeBinary(16), T::Uuid | T::IPv6) => Some(array.clone()),
        (DataType::FixedSizeBinary(16 | 32), T::Int128 | T::UInt128 | T::Int256 | T::UInt256) => {
            Some(little_endian(array, to.plain())?)
        }
        (DataType::Binary | DataType::LargeBinary | DataType::BinaryView, T::IPv6 | T::Uuid) => {
            let views = to_views(array)?;
            let is_address = *to.plain() == T::IPv6;
            // Raw where every value has 16 bytes, else text, of which addresses may have 16 characters.
            let raw = views.iter().flatten().all(|value| value.len() == 16 && !(is_address && is_text_of_address(value)));
            if raw && !views.is_empty() {
                Some(arrow_cast(
                    &arrow_cast(&(Arc::new(views) as ArrayRef), &DataType::Binary)?,
                    &DataType::FixedSizeBinary(16),
                )?)
            } else {
                None
            }
        }
        (DataType::Binary | DataType::LargeBinary | DataType::BinaryView, T::AggregateFunction(..)) => {
            Some(arrow_cast(array, &DataType::Binary)?)
        }
        (DataType::Date32, T::Date32) => Some(array.clone()),
        // The carriers of these are plain integers in files too.
        (DataType::UInt32, T::IPv4) | (DataType::Int64, T::Interval(_) | T::Time64(_)) | (DataType::Int32, T::Time) => {
            Some(array.clone())
        }
        (DataType::Int64, T::DateTime64(..)) if to.plain().arrow() == DataType::Int64 => Some(array.clone()),
        _ => None,
    })
}

fn is_text_of_address(value: &[u8]) -> bool {
    value.contains(&b':') && value.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
}

/// ClickHouse writes 128- and 256-bit integers to Parquet as little-endian bytes of that width.
fn little_endian(array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    let bytes = array.as_fixed_size_binary();
    let signed = matches!(kind, T::Int128 | T::Int256);
    let values: Vec<i256> = (0..bytes.len())
        .map(|row| {
            let value = bytes.value(row);
            match <[u8; 16]>::try_from(value) {
                Ok(low) if signed => i256::from_i128(i128::from_le_bytes(low)),
                Ok(low) => i256::from_parts(u128::from_le_bytes(low), 0),
                Err(_) => <[u8; 32]>::try_from(value).map_or(i256::ZERO, i256::from_le_bytes),
            }
        })
        .collect();
    let numbers = PrimitiveArray::<Decimal256Type>::new(values.into(), bytes.nulls().cloned());
    Ok(Arc::new(numbers.with_data_type(kind.arrow())))
}

/// Bytes or text of any layout as views; no byte is copied but of values short enough to live in their view.
fn to_views(array: &ArrayRef) -> Result<BinaryViewArray> {
    Ok(match array.data_type() {
        DataType::BinaryView => array.as_binary_view().clone(),
        DataType::Utf8View => array.as_string_view().clone().to_binary_view(),
        DataType::Utf8 => {
            arrow_cast(&arrow_cast(array, &DataType::Binary)?, &DataType::BinaryView)?.as_binary_view().clone()
        }
        DataType::LargeUtf8 => {
            arrow_cast(&arrow_cast(array, &DataType::LargeBinary)?, &DataType::BinaryView)?.as_binary_view().clone()
        }
        _ => arrow_cast(array, &DataType::BinaryView)?.as_binary_view().clone(),
    })
}

/// Makes the array the carrier of `kind`, which is `SqlType::from_arrow` of its type.
fn carry(array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    let carrier = kind.arrow();
    if array.data_type() == &carrier {
        return Ok(array.clone());
    }
    let unreadable = || {
        Error::new(
            ErrorCode::UNKNOWN_TYPE,
            format!("Values of the Arrow type {} cannot be read as {kind}", array.data_type()),
        )
    };
    match array.data_type() {
        DataType::Dictionary(_, value) => {
            // Values are made carriers once each, then spread out by their keys.
            let dictionary = array.as_any_dictionary();
            let plain = SqlType::from_arrow(&Field::new("", value.as_ref().clone(), true))?;
            let values = carry(dictionary.values(), &plain)?;
            Ok(arrow::compute::take(&values, dictionary.keys(), None)?)
        }
        DataType::RunEndEncoded(_, values) => carry(&arrow_cast(array, values.data_type())?, kind),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Binary | DataType::LargeBinary => {
            Ok(Arc::new(to_views(array)?))
        }
        DataType::Timestamp(unit, _) => {
            let ticks = arrow_cast(array, &DataType::Int64)?;
            let ticks = ticks.as_primitive::<Int64Type>();
            // A carrier of the same unit; the zone is the type's.
            debug_assert!(matches!(&carrier, DataType::Timestamp(carried, None) if carried == unit));
            Ok(from_ticks(ticks.values().clone(), ticks.nulls().cloned(), &carrier))
        }
        DataType::Date64 => Ok(arrow_cast(array, &DataType::Timestamp(TimeUnit::Millisecond, None))?),
        DataType::Time32(TimeUnit::Second) => Ok(arrow_cast(array, &DataType::Int32)?),
        DataType::Time32(_) => Ok(arrow_cast(&arrow_cast(array, &DataType::Int32)?, &DataType::Int64)?),
        DataType::Time64(_) | DataType::Duration(_) => Ok(arrow_cast(array, &DataType::Int64)?),
        DataType::Interval(IntervalUnit::YearMonth) => {
            let months = array.as_primitive::<IntervalYearMonthType>();
            Ok(Arc::new(months.unary::<_, Int64Type>(i64::from)))
        }
        DataType::Float16 => Ok(arrow_cast(array, &DataType::Float32)?),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => {
            Ok(arrow_cast(array, &carrier)?)
        }
        DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => carry(&arrow_cast(array, &DataType::List(item.clone()))?, kind),
        DataType::List(_) => {
            let T::Array(element) = kind else { return Err(unreadable()) };
            let list = array.as_list::<i32>();
            let values = carry(list.values(), element)?;
            let values = with_declared_nulls(values, element)?;
            // ClickHouse's arrays are never NULL: one that is counts as empty.
            let (offsets, values) = without_null_rows(list.offsets(), list.nulls(), &values)?;
            Ok(Arc::new(ListArray::try_new(element.field("item"), offsets, values, None)?))
        }
        DataType::Struct(_) => {
            let T::Tuple(fields) = kind else { return Err(unreadable()) };
            let record = array.as_struct();
            let columns = record
                .columns()
                .iter()
                .zip(fields)
                .map(|(column, (_, kind))| with_declared_nulls(carry(column, kind)?, kind));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let DataType::Struct(carriers) = carrier else { return Err(unreadable()) };
            Ok(Arc::new(StructArray::try_new_with_length(carriers, columns, array.nulls().cloned(), array.len())?))
        }
        DataType::Map(..) => {
            let T::Map(key, value) = kind else { return Err(unreadable()) };
            let map = array.as_map();
            let keys = with_declared_nulls(carry(map.keys(), key)?, key)?;
            let values = with_declared_nulls(carry(map.values(), value)?, value)?;
            let DataType::Map(entries, ordered) = &carrier else { return Err(unreadable()) };
            let DataType::Struct(pair) = entries.data_type() else { return Err(unreadable()) };
            let pairs: ArrayRef = Arc::new(StructArray::try_new(pair.clone(), vec![keys, values], None)?);
            let (offsets, pairs) = without_null_rows(map.offsets(), map.nulls(), &pairs)?;
            Ok(Arc::new(MapArray::try_new(entries.clone(), offsets, pairs.as_struct().clone(), None, *ordered)?))
        }
        _ => {
            let carried = arrow_cast(array, &carrier).map_err(|_| unreadable())?;
            Ok(make_array(carried.to_data()))
        }
    }
}

/// A child that may not be NULL by its type but is below a NULL parent gets defaults there.
fn with_declared_nulls(values: ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    if kind.is_nullable() { Ok(values) } else { crate::cast::fill_nulls(&values, kind) }
}

/// Rows that are NULL become empty, and what they pointed to is dropped.
fn without_null_rows(
    offsets: &OffsetBuffer<i32>,
    nulls: Option<&arrow::buffer::NullBuffer>,
    values: &ArrayRef,
) -> Result<(OffsetBuffer<i32>, ArrayRef)> {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return Ok((offsets.clone(), values.clone()));
    };
    let mut kept = Vec::with_capacity(values.len());
    let mut ends = Vec::with_capacity(offsets.len());
    ends.push(0);
    for (row, bounds) in offsets.windows(2).enumerate() {
        if nulls.is_valid(row) {
            kept.extend(bounds[0] as u32..bounds[1] as u32);
        }
        ends.push(kept.len() as i32);
    }
    let kept = arrow::array::UInt32Array::from(kept);
    Ok((OffsetBuffer::new(ends.into()), arrow::compute::take(values, &kept, None)?))
}
