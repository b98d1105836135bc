//! Single values of columns as JSON: what the manifest keeps of a part's partition key. Integers of up to 64 bits,
//! dates and times are numbers, wide integers and decimals are digits in text, floats are the bits of the double in
//! hexadecimal, bytes are hexadecimal, NULL is null. The column's type is known from the table.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray,
};
use arrow::compute::{max, min};
use arrow::datatypes::*;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use serde_json::Value;

use crate::index::order::KeyOrder;

/// How a native value is written and read.
trait Native: Sized {
    fn to_json(self) -> Value;
    fn from_json(value: &Value) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty => $get:ident),*) => {$(
        impl Native for $type {
            fn to_json(self) -> Value { Value::from(self) }
            fn from_json(value: &Value) -> Option<Self> { value.$get()?.try_into().ok() }
        }
    )*};
}
integers!(i8 => as_i64, i16 => as_i64, i32 => as_i64, i64 => as_i64, u8 => as_u64, u16 => as_u64, u32 => as_u64, u64 => as_u64);

macro_rules! digits {
    ($($type:ty),*) => {$(
        impl Native for $type {
            fn to_json(self) -> Value { Value::from(self.to_string()) }
            fn from_json(value: &Value) -> Option<Self> { value.as_str()?.parse().ok() }
        }
    )*};
}
digits!(i128);

impl Native for i256 {
    fn to_json(self) -> Value {
        Value::from(self.to_string())
    }
    fn from_json(value: &Value) -> Option<Self> {
        i256::from_string(value.as_str()?)
    }
}

impl Native for f64 {
    fn to_json(self) -> Value {
        Value::from(format!("{:016x}", self.to_bits()))
    }
    fn from_json(value: &Value) -> Option<Self> {
        Some(f64::from_bits(u64::from_str_radix(value.as_str()?, 16).ok()?))
    }
}

impl Native for f32 {
    fn to_json(self) -> Value {
        Value::from(format!("{:08x}", self.to_bits()))
    }
    fn from_json(value: &Value) -> Option<Self> {
        Some(f32::from_bits(u32::from_str_radix(value.as_str()?, 16).ok()?))
    }
}

fn hexadecimal(bytes: &[u8]) -> Value {
    Value::from(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn from_hexadecimal(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?;
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

/// One value of an array.
pub fn to_json(array: &ArrayRef, row: usize) -> Result<Value> {
    macro_rules! primitive {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row).to_json()
        };
    }
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    Ok(match array.data_type() {
        DataType::Boolean => Value::from(array.as_boolean().value(row)),
        DataType::BinaryView => hexadecimal(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => hexadecimal(array.as_fixed_size_binary().value(row)),
        DataType::Int8 => primitive!(Int8Type),
        DataType::Int16 => primitive!(Int16Type),
        DataType::Int32 => primitive!(Int32Type),
        DataType::Int64 => primitive!(Int64Type),
        DataType::UInt8 => primitive!(UInt8Type),
        DataType::UInt16 => primitive!(UInt16Type),
        DataType::UInt32 => primitive!(UInt32Type),
        DataType::UInt64 => primitive!(UInt64Type),
        DataType::Float32 => primitive!(Float32Type),
        DataType::Float64 => primitive!(Float64Type),
        DataType::Date32 => primitive!(Date32Type),
        DataType::Timestamp(TimeUnit::Second, _) => primitive!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => primitive!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => primitive!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => primitive!(TimestampNanosecondType),
        DataType::Decimal128(..) => primitive!(Decimal128Type),
        DataType::Decimal256(..) => primitive!(Decimal256Type),
        other => return Err(no_key(other)),
    })
}

/// An array of the values. Errors: CORRUPTED_DATA where one is not of the type.
pub fn from_json<'a>(data_type: &DataType, values: impl Iterator<Item = &'a Value>) -> Result<ArrayRef> {
    fn read<T>(values: impl Iterator<Item = Option<Option<T>>>) -> Result<Vec<Option<T>>> {
        values
            .collect::<Option<_>>()
            .ok_or_else(|| Error::new(ErrorCode::CORRUPTED_DATA, "The manifest holds a partition value of another type"))
    }
    fn optional<T>(value: &Value, get: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
        if value.is_null() { Some(None) } else { get(value).map(Some) }
    }
    fn primitive<'a, A: ArrowPrimitiveType>(
        values: impl Iterator<Item = &'a Value>,
        data_type: &DataType,
    ) -> Result<ArrayRef>
    where
        A::Native: Native,
    {
        let values = read(values.map(|value| optional(value, A::Native::from_json)))?;
        Ok(Arc::new(PrimitiveArray::<A>::from_iter(values).with_data_type(data_type.clone())))
    }
    Ok(match data_type {
        DataType::Boolean => {
            Arc::new(BooleanArray::from(read(values.map(|value| optional(value, Value::as_bool)))?)) as ArrayRef
        }
        DataType::BinaryView => {
            Arc::new(BinaryViewArray::from_iter(read(values.map(|value| optional(value, from_hexadecimal)))?))
        }
        DataType::FixedSizeBinary(width) => {
            let values = read(values.map(|value| optional(value, from_hexadecimal)))?;
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.into_iter(), *width)?)
        }
        DataType::Int8 => primitive::<Int8Type>(values, data_type)?,
        DataType::Int16 => primitive::<Int16Type>(values, data_type)?,
        DataType::Int32 => primitive::<Int32Type>(values, data_type)?,
        DataType::Int64 => primitive::<Int64Type>(values, data_type)?,
        DataType::UInt8 => primitive::<UInt8Type>(values, data_type)?,
        DataType::UInt16 => primitive::<UInt16Type>(values, data_type)?,
        DataType::UInt32 => primitive::<UInt32Type>(values, data_type)?,
        DataType::UInt64 => primitive::<UInt64Type>(values, data_type)?,
        DataType::Float32 => primitive::<Float32Type>(values, data_type)?,
        DataType::Float64 => primitive::<Float64Type>(values, data_type)?,
        DataType::Date32 => primitive::<Date32Type>(values, data_type)?,
        DataType::Timestamp(TimeUnit::Second, _) => primitive::<TimestampSecondType>(values, data_type)?,
        DataType::Timestamp(TimeUnit::Millisecond, _) => primitive::<TimestampMillisecondType>(values, data_type)?,
        DataType::Timestamp(TimeUnit::Microsecond, _) => primitive::<TimestampMicrosecondType>(values, data_type)?,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => primitive::<TimestampNanosecondType>(values, data_type)?,
        DataType::Decimal128(..) => primitive::<Decimal128Type>(values, data_type)?,
        DataType::Decimal256(..) => primitive::<Decimal256Type>(values, data_type)?,
        other => return Err(no_key(other)),
    })
}

/// The least of some values and the greatest of others; `None` where there are none.
pub fn range(kind: &SqlType, least: &ArrayRef, greatest: &ArrayRef) -> Result<Option<(Value, Value)>> {
    if let Some(range) = range_of_numbers(least, greatest) {
        return Ok(range);
    }
    let order = KeyOrder::new(&[kind])?;
    let (Some(low), Some(high)) = (order.rows(std::slice::from_ref(least))?, order.rows(std::slice::from_ref(greatest))?)
    else {
        return Ok(None);
    };
    let first = (0..low.num_rows()).min_by_key(|row| low.row(*row));
    let last = (0..high.num_rows()).max_by_key(|row| high.row(*row));
    let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
    Ok(Some((to_json(least, first)?, to_json(greatest, last)?)))
}

/// The same of numbers that are in the order of keys as they lie, a few instructions for many of them (as keys of bytes they
/// took a quarter of a load into a thousand partitions). `None`: they are not, or one is NULL.
fn range_of_numbers(least: &ArrayRef, greatest: &ArrayRef) -> Option<Option<(Value, Value)>> {
    fn of<T: ArrowNumericType<Native: Native>>(least: &ArrayRef, greatest: &ArrayRef) -> Option<(Value, Value)> {
        let (low, high) = (min(least.as_primitive::<T>())?, max(greatest.as_primitive::<T>())?);
        Some((low.to_json(), high.to_json()))
    }
    if least.null_count() > 0 || greatest.null_count() > 0 || least.data_type() != greatest.data_type() {
        return None;
    }
    Some(match least.data_type() {
        DataType::Int8 => of::<Int8Type>(least, greatest),
        DataType::Int16 => of::<Int16Type>(least, greatest),
        DataType::Int32 => of::<Int32Type>(least, greatest),
        DataType::Int64 => of::<Int64Type>(least, greatest),
        DataType::UInt8 => of::<UInt8Type>(least, greatest),
        DataType::UInt16 => of::<UInt16Type>(least, greatest),
        DataType::UInt32 => of::<UInt32Type>(least, greatest),
        DataType::UInt64 => of::<UInt64Type>(least, greatest),
        DataType::Date32 => of::<Date32Type>(least, greatest),
        DataType::Timestamp(TimeUnit::Second, _) => of::<TimestampSecondType>(least, greatest),
        DataType::Timestamp(TimeUnit::Millisecond, _) => of::<TimestampMillisecondType>(least, greatest),
        DataType::Timestamp(TimeUnit::Microsecond, _) => of::<TimestampMicrosecondType>(least, greatest),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of::<TimestampNanosecondType>(least, greatest),
        _ => return None,
    })
}

/// The range that covers both, of values of the type.
pub fn union(kind: &SqlType, ranges: &[&(Value, Value)]) -> Result<(Value, Value)> {
    let least = from_json(&kind.arrow(), ranges.iter().map(|range| &range.0))?;
    let greatest = from_json(&kind.arrow(), ranges.iter().map(|range| &range.1))?;
    range(kind, &least, &greatest)?.ok_or_else(|| Error::logical("A range of no parts is asked for"))
}

/// Whether a value of the type can stand in the manifest.
pub fn is_supported(data_type: &DataType) -> bool {
    from_json(data_type, std::iter::empty()).is_ok()
}

fn no_key(data_type: &DataType) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("A value carried by {data_type} cannot be part of a partition key"))
}

#[cfg(test)]
mod tests {
    use arrow::array::{Date32Array, Int64Array};

    use super::*;

    fn of(kind: &SqlType, array: ArrayRef) -> Option<(Value, Value)> {
        range(kind, &array, &array).expect("a range")
    }

    #[test]
    fn ranges_are_in_the_order_of_keys() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![3, -7, i64::MAX, 0]));
        assert_eq!(of(&SqlType::Int64, numbers), Some((Value::from(-7), Value::from(i64::MAX))));
        let days: ArrayRef = Arc::new(Date32Array::from(vec![19_000, 18_000]));
        assert_eq!(of(&SqlType::Date32, days), Some((Value::from(18_000), Value::from(19_000))));
        assert_eq!(of(&SqlType::Int64, Arc::new(Int64Array::from(Vec::<i64>::new()))), None);
        // NULL comes last.
        let with_null: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), None, Some(2)]));
        let nullable = SqlType::Nullable(Box::new(SqlType::Int64));
        assert_eq!(of(&nullable, with_null), Some((Value::from(2), Value::Null)));
    }
}
