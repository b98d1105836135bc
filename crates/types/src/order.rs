//! Columns whose carrier sorts otherwise than ClickHouse's values: a UInt256 has the highest bit of a negative number from 2^255
//! on, and a NaN within an array or a tuple stands where NULL does.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Decimal256Type, Float32Type, Float64Type, i256};
use gristmill_base::{Error, Result};

use crate::sql_type::SqlType;

/// A value whose order with a sign is the order of the other without.
pub fn without_sign(value: i256) -> i256 {
    let (low, high) = value.to_parts();
    i256::from_parts(low, high ^ i128::MIN)
}

/// Whether the type has a UInt256 in it that can be ordered by.
pub fn has_uint256(kind: &SqlType) -> bool {
    match kind.plain() {
        T::UInt256 => true,
        T::Array(element) => has_uint256(element),
        T::Tuple(fields) => fields.iter().any(|(_, kind)| has_uint256(kind)),
        _ => false,
    }
}

/// The same values with each UInt256 so turned that the carrier's order is theirs.
pub fn turned(array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    if !has_uint256(kind) {
        return Ok(array.clone());
    }
    nested(array, kind, &turned, &|array| {
        let values = array.as_primitive_opt::<Decimal256Type>().ok_or_else(|| not_carried(array, kind))?;
        Ok(Arc::new(values.unary::<_, Decimal256Type>(without_sign).with_data_type(array.data_type().clone())))
    })
}

/// What a type is sorted by, where that is not the value itself: a UInt256 is turned, floats within arrays and tuples are NULL
/// where they are NaN; those that may be NULL are so within a tuple of their own, which is NULL where they are: NaN is between
/// the numbers and NULL. `None`: the carrier sorts as the values do.
pub fn sorted_as(kind: &SqlType) -> Option<SqlType> {
    let is_nested = matches!(kind.plain(), T::Array(_) | T::Tuple(_));
    (has_uint256(kind) || is_nested && has_floats(kind)).then(|| key_kind(kind, false, true))
}

/// What `sorted_as` names, of a column.
pub fn sort_key(array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    key(array, kind, false, true)
}

/// What a value is compared by with no NaN among the floats: these are NULL, at the top as well.
pub fn value_key(array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    key(array, kind, true, false)
}

/// The type of a `value_key`.
pub fn value_key_kind(kind: &SqlType) -> SqlType {
    key_kind(kind, true, false)
}

fn has_floats(kind: &SqlType) -> bool {
    match kind.plain() {
        T::Array(element) => has_floats(element),
        T::Tuple(fields) => fields.iter().any(|(_, kind)| has_floats(kind)),
        plain => plain.is_float(),
    }
}

/// `apart`: NaN is told from NULL.
fn key_kind(kind: &SqlType, within: bool, apart: bool) -> SqlType {
    match kind.plain() {
        T::Array(element) => T::array(key_kind(element, true, apart)),
        T::Tuple(fields) => {
            let tuple = T::Tuple(fields.iter().map(|(name, kind)| (name.clone(), key_kind(kind, true, apart))).collect());
            if kind.is_nullable() { tuple.nullable() } else { tuple }
        }
        plain if plain.is_float() && within && apart && kind.is_nullable() => told_apart(plain).nullable(),
        plain if plain.is_float() && within => plain.clone().nullable(),
        _ => kind.clone(),
    }
}

/// The tuple that such floats are within.
fn told_apart(float: &SqlType) -> SqlType {
    T::Tuple(vec![(None, float.clone().nullable())])
}

fn key(array: &ArrayRef, kind: &SqlType, within: bool, apart: bool) -> Result<ArrayRef> {
    if !has_uint256(kind) && !has_floats(kind) {
        return Ok(array.clone());
    }
    let settled = |numbers: ArrayRef| -> Result<ArrayRef> {
        match told_apart(kind.plain()).arrow() {
            DataType::Struct(fields) if apart && kind.is_nullable() => {
                Ok(Arc::new(StructArray::try_new(fields, vec![numbers], array.nulls().cloned())?))
            }
            _ => Ok(numbers),
        }
    };
    nested(array, kind, &|array, kind| key(array, kind, true, apart), &|array| match array.data_type() {
        DataType::Decimal256(..) => turned(array, kind),
        // With its sign set, zero plus zero is zero.
        DataType::Float32 if within => {
            let number = |value: f32| (!value.is_nan()).then_some(value + 0.0);
            settled(Arc::new(array.as_primitive::<Float32Type>().unary_opt::<_, Float32Type>(number)))
        }
        DataType::Float64 if within => {
            let number = |value: f64| (!value.is_nan()).then_some(value + 0.0);
            settled(Arc::new(array.as_primitive::<Float64Type>().unary_opt::<_, Float64Type>(number)))
        }
        _ => Ok(array.clone()),
    })
}

/// The same values with zeros that have no sign within arrays, tuples and maps: comparisons do not see it.
pub fn without_signed_zeros(array: &ArrayRef) -> Result<ArrayRef> {
    // With its sign set, zero plus zero is zero.
    with_floats(array, |value| value + 0.0, |value| value + 0.0)
}

/// The same values with other floats in the place of theirs, within arrays, tuples and maps as well.
pub fn with_floats(
    array: &ArrayRef,
    single: impl Fn(f32) -> f32 + Copy,
    double: impl Fn(f64) -> f64 + Copy,
) -> Result<ArrayRef> {
    fn has_floats(kind: &DataType) -> bool {
        match kind {
            DataType::Float32 | DataType::Float64 => true,
            DataType::List(field) | DataType::Map(field, _) => has_floats(field.data_type()),
            DataType::Struct(fields) => fields.iter().any(|field| has_floats(field.data_type())),
            _ => false,
        }
    }
    if !has_floats(array.data_type()) {
        return Ok(array.clone());
    }
    let within = |array: &ArrayRef| with_floats(array, single, double);
    Ok(match array.data_type() {
        DataType::Float32 => Arc::new(array.as_primitive::<Float32Type>().unary::<_, Float32Type>(single)),
        DataType::Float64 => Arc::new(array.as_primitive::<Float64Type>().unary::<_, Float64Type>(double)),
        DataType::List(field) => {
            let list = array.as_list::<i32>();
            let values = within(list.values())?;
            Arc::new(ListArray::try_new(field.clone(), list.offsets().clone(), values, list.nulls().cloned())?)
        }
        DataType::Map(field, is_sorted) => {
            let map = array.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let entries = within(&entries)?.as_struct().clone();
            Arc::new(MapArray::try_new(field.clone(), map.offsets().clone(), entries, map.nulls().cloned(), *is_sorted)?)
        }
        DataType::Struct(fields) => {
            let tuple = array.as_struct();
            let columns = tuple.columns().iter().map(within).collect::<Result<Vec<_>>>()?;
            Arc::new(StructArray::try_new(fields.clone(), columns, tuple.nulls().cloned())?)
        }
        _ => array.clone(),
    })
}

/// Goes down to the columns within arrays and tuples by `element`; others are made by `leaf`.
fn nested(
    array: &ArrayRef,
    kind: &SqlType,
    element: &dyn Fn(&ArrayRef, &SqlType) -> Result<ArrayRef>,
    leaf: &dyn Fn(&ArrayRef) -> Result<ArrayRef>,
) -> Result<ArrayRef> {
    match kind.plain() {
        T::Array(inner) => {
            let list = array.as_list_opt::<i32>().ok_or_else(|| not_carried(array, kind))?;
            let values = element(list.values(), inner)?;
            let item = Arc::new(arrow::datatypes::Field::new("item", values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(item, list.offsets().clone(), values, list.nulls().cloned())?))
        }
        T::Tuple(fields) if !fields.is_empty() => {
            let tuple = array.as_struct_opt().ok_or_else(|| not_carried(array, kind))?;
            let columns = tuple.columns().iter().zip(fields).map(|(column, (_, kind))| element(column, kind));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let of_tuple = tuple.fields().iter().zip(&columns);
            let fields = of_tuple.map(|(field, column)| {
                field.as_ref().clone().with_data_type(column.data_type().clone()).with_nullable(true)
            });
            let nulls: Option<NullBuffer> = tuple.nulls().cloned();
            Ok(Arc::new(StructArray::try_new(fields.collect(), columns, nulls)?))
        }
        _ => leaf(array),
    }
}

fn not_carried(array: &ArrayRef, kind: &SqlType) -> Error {
    Error::logical(format!("A value of type {kind} came as {}", array.data_type()))
}

#[cfg(test)]
mod tests {
    use arrow::array::Float64Array;

    use super::*;

    #[test]
    fn the_order_without_a_sign_is_that_of_turned_values() {
        let rising = [i256::ZERO, i256::ONE, i256::MAX, i256::MIN, i256::MINUS_ONE];
        assert!(rising.windows(2).all(|pair| without_sign(pair[0]) < without_sign(pair[1])));
        assert!(rising.iter().all(|value| without_sign(without_sign(*value)) == *value));
    }

    #[test]
    fn nan_is_told_from_null_within_an_array() {
        let kind = T::array(T::Float64.nullable());
        let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(f64::NAN), None, Some(1.0)]));
        let offsets = arrow::buffer::OffsetBuffer::from_lengths([1, 1, 1]);
        let list: ArrayRef = Arc::new(ListArray::new(T::Float64.nullable().field("item"), offsets, values, None));
        let sorted = sorted_as(&kind).unwrap();
        assert_eq!(sorted, T::array(T::Tuple(vec![(None, T::Float64.nullable())]).nullable()));
        let key = sort_key(&list, &kind).unwrap();
        let values = key.as_list::<i32>().values().clone();
        let floats = values.as_struct().column(0).clone();
        assert_eq!((0..3).map(|row| values.is_null(row)).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!((0..3).map(|row| floats.is_null(row)).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(value_key_kind(&kind), T::array(T::Float64.nullable()));
    }

    #[test]
    fn nan_within_an_array_is_null() {
        let kind = T::array(T::Float64);
        let values: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, -0.0, 1.0]));
        let list: ArrayRef = Arc::new(ListArray::new(
            T::Float64.field("item"),
            arrow::buffer::OffsetBuffer::from_lengths([2, 1]),
            values,
            None,
        ));
        assert_eq!(sorted_as(&kind), Some(T::array(T::Float64.nullable())));
        let key = sort_key(&list, &kind).unwrap();
        let values = key.as_list::<i32>().values().clone();
        assert_eq!(values.as_ref(), &Float64Array::from(vec![None, Some(0.0), Some(1.0)]));
        assert!(!values.as_primitive::<Float64Type>().value(1).is_sign_negative());
        assert_eq!(sorted_as(&T::Float64), None);
    }
}
