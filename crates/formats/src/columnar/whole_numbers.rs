//! Whole numbers out of files that have signed ones of few widths (Avro, ORC), for columns of other types.
//!
//! Writers put an unsigned number into the signed one of the same or the next width, and dates and times without a type of
//! their own in the file into their number of days or ticks. So the bits are taken, as ClickHouse does; what is not in the
//! list below is left to the casts between types.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, PrimitiveArray};
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use gristmill_types::SqlType;
use gristmill_types::builder::from_ticks;

/// The numbers as a column of `wanted` can be made of them; `None`: left to the casts.
pub(crate) fn fitting(numbers: &Int64Array, wanted: &SqlType) -> Option<ArrayRef> {
    Some(match wanted.plain() {
        SqlType::Bool => {
            let values = numbers.values().iter().map(|value| *value != 0).collect();
            Arc::new(BooleanArray::new(values, numbers.nulls().cloned()))
        }
        SqlType::UInt8 => bits::<UInt8Type>(numbers, |value| value as u8),
        SqlType::UInt16 | SqlType::Date => bits::<UInt16Type>(numbers, |value| value as u16),
        SqlType::UInt32 | SqlType::DateTime(_) | SqlType::IPv4 => bits::<UInt32Type>(numbers, |value| value as u32),
        SqlType::UInt64 => bits::<UInt64Type>(numbers, |value| value as u64),
        SqlType::Int8 => bits::<Int8Type>(numbers, |value| value as i8),
        SqlType::Int16 => bits::<Int16Type>(numbers, |value| value as i16),
        SqlType::Int32 => bits::<Int32Type>(numbers, |value| value as i32),
        SqlType::Int64 => Arc::new(numbers.clone()),
        kind @ SqlType::DateTime64(..) => from_ticks(numbers.values().clone(), numbers.nulls().cloned(), &kind.arrow()),
        _ => return None,
    })
}

/// The numbers as the type of a file's own width.
pub(crate) fn of_width(numbers: &Int64Array, width: &DataType) -> ArrayRef {
    match width {
        DataType::Int8 => bits::<Int8Type>(numbers, |value| value as i8),
        DataType::Int16 => bits::<Int16Type>(numbers, |value| value as i16),
        DataType::Int32 => bits::<Int32Type>(numbers, |value| value as i32),
        _ => Arc::new(numbers.clone()),
    }
}

fn bits<T: ArrowPrimitiveType>(numbers: &Int64Array, cut: impl Fn(i64) -> T::Native) -> ArrayRef {
    let values = PrimitiveArray::<T>::from_iter_values(numbers.values().iter().map(|value| cut(*value)));
    Arc::new(PrimitiveArray::<T>::new(values.values().clone(), numbers.nulls().cloned()))
}

/// The numbers of an array of whole numbers, dates or times of any width, unsigned ones by their bits; `None`: it has others.
pub(crate) fn numbers(array: &ArrayRef) -> Option<Int64Array> {
    Some(match array.data_type() {
        DataType::UInt8 => array.as_primitive::<UInt8Type>().unary(i64::from),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().unary(i64::from),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().unary(i64::from),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().unary(|value| value as i64),
        DataType::Int8 => array.as_primitive::<Int8Type>().unary(i64::from),
        DataType::Int16 => array.as_primitive::<Int16Type>().unary(i64::from),
        DataType::Int32 => array.as_primitive::<Int32Type>().unary(i64::from),
        DataType::Date32 => array.as_primitive::<Date32Type>().unary(i64::from),
        DataType::Int64 | DataType::Timestamp(..) => {
            let ticks = cast(array, &DataType::Int64).ok()?;
            ticks.as_primitive::<Int64Type>().clone()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsigned_numbers_go_there_and_back_by_their_bits() {
        let written: ArrayRef = Arc::new(PrimitiveArray::<UInt64Type>::from(vec![Some(u64::MAX), None, Some(1)]));
        let signed = numbers(&written).expect("numbers");
        assert_eq!(signed, Int64Array::from(vec![Some(-1), None, Some(1)]));
        assert_eq!(&fitting(&signed, &SqlType::UInt64.nullable()).expect("a number"), &written);
        let times = fitting(&Int64Array::from(vec![-1, 5]), &SqlType::DateTime(None)).expect("a time");
        assert_eq!(times.as_primitive::<UInt32Type>().values(), &[u32::MAX, 5]);
        assert!(fitting(&signed, &SqlType::String).is_none());
        assert_eq!(of_width(&Int64Array::from(vec![300]), &DataType::Int8).as_primitive::<Int8Type>().values(), &[44]);
    }
}
