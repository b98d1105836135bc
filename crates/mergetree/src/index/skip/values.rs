//! Values as the bytes that filters hash: of an array of a plain type each value, of an array of lists their elements.
//! Equal values have equal bytes. NULL is no value.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;

use crate::index::analyze::bytes;

/// The type whose values are hashed.
pub fn hashed_kind(kind: &SqlType) -> &SqlType {
    match kind.plain() {
        SqlType::Array(element) => element.plain(),
        plain => plain,
    }
}

/// Calls `visit` with the bytes of each value, in their order.
pub fn each_value(array: &ArrayRef, visit: &mut dyn FnMut(&[u8])) -> Result<()> {
    let rows = (0..array.len()).filter(|row| array.is_valid(*row));
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            for row in rows {
                each_value(&list.value(row), visit)?;
            }
        }
        DataType::BinaryView => rows.for_each(|row| visit(array.as_binary_view().value(row))),
        DataType::Binary => rows.for_each(|row| visit(array.as_binary::<i32>().value(row))),
        DataType::FixedSizeBinary(_) => rows.for_each(|row| visit(array.as_fixed_size_binary().value(row))),
        DataType::Boolean => rows.for_each(|row| visit(&[u8::from(array.as_boolean().value(row))])),
        // -0 equals 0.
        DataType::Float32 => {
            rows.for_each(|row| visit(&(array.as_primitive::<Float32Type>().value(row) + 0.0).to_le_bytes()))
        }
        DataType::Float64 => {
            rows.for_each(|row| visit(&(array.as_primitive::<Float64Type>().value(row) + 0.0).to_le_bytes()))
        }
        other => {
            let width = other.primitive_width();
            let data = array.to_data();
            let (Some(width), Some(buffer)) = (width, data.buffers().first()) else {
                return Err(Error::logical(format!("A filter is made of values of type {other}")));
            };
            for row in rows {
                let at = (data.offset() + row) * width;
                visit(&buffer.as_slice()[at..at + width]);
            }
        }
    }
    Ok(())
}

/// A constant as a value of the type, where the one value is the other: what equals the one equals the other. `None`:
/// unknown.
pub fn constant_of(value: &ScalarValue, kind: &SqlType) -> Option<ScalarValue> {
    if value.is_null() || is_nan(value) {
        return None;
    }
    let (from, to) = (value.data_type(), kind.arrow());
    if from == to {
        return Some(value.clone());
    }
    let is_whole = |data_type: &DataType| data_type.is_integer() || *data_type == DataType::Decimal256(76, 0);
    match (kind.plain(), bytes(value)) {
        (SqlType::String, Some(text)) => Some(ScalarValue::BinaryView(Some(text))),
        (SqlType::FixedString(length), Some(mut text)) if text.len() <= *length => {
            text.resize(*length, 0);
            Some(ScalarValue::FixedSizeBinary(*length as i32, Some(text)))
        }
        // Floats that are equal when one is cast may be different values.
        (_, None) if is_whole(&from) && is_whole(&to) => {
            let moved = value.cast_to(&to).ok()?;
            (!moved.is_null() && moved.cast_to(&from).ok()? == *value).then_some(moved)
        }
        _ => None,
    }
}

fn is_nan(value: &ScalarValue) -> bool {
    match value {
        ScalarValue::Float32(Some(value)) => value.is_nan(),
        ScalarValue::Float64(Some(value)) => value.is_nan(),
        _ => false,
    }
}

/// The bytes of one constant.
pub fn bytes_of(value: &ScalarValue) -> Option<Vec<u8>> {
    let mut found = None;
    each_value(&value.to_array().ok()?, &mut |bytes| found = Some(bytes.to_vec())).ok()?;
    found
}

/// Whether it is what a map gives for a key that it does not have.
pub fn is_default(value: &ScalarValue) -> bool {
    match bytes(value) {
        Some(text) => text.is_empty(),
        None => ScalarValue::new_zero(&value.data_type()).map_or(true, |zero| zero == *value),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Float64Array, Int32Array, ListArray};
    use arrow::datatypes::Int32Type;

    use super::*;

    fn values(array: ArrayRef) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        each_value(&array, &mut |value| all.push(value.to_vec())).expect("a type that has bytes");
        all
    }

    #[test]
    fn equal_values_have_equal_bytes() {
        let ints: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(2), Some(3)]));
        assert_eq!(values(ints.slice(2, 2)), [2i32.to_le_bytes().to_vec(), 3i32.to_le_bytes().to_vec()]);
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), Some(vec![Some(2), Some(3)])]);
        assert_eq!(values(Arc::new(list.slice(1, 1))), values(ints.slice(2, 2)));
        let zeros = values(Arc::new(Float64Array::from(vec![0.0, -0.0])));
        assert_eq!(zeros[0], zeros[1]);
    }

    #[test]
    fn a_constant_moves_only_where_it_stays_what_it_is() {
        let moved = |value: ScalarValue, to: SqlType| constant_of(&value, &to);
        assert_eq!(moved(ScalarValue::Int64(Some(7)), SqlType::UInt8), Some(ScalarValue::UInt8(Some(7))));
        assert_eq!(moved(ScalarValue::Int64(Some(256)), SqlType::UInt8), None);
        assert_eq!(moved(ScalarValue::Float64(Some(1.0)), SqlType::Int32), None);
        assert_eq!(moved(ScalarValue::Float64(Some(f64::NAN)), SqlType::Float64), None);
        let text = || ScalarValue::BinaryView(Some(b"ab".to_vec()));
        let padded = ScalarValue::FixedSizeBinary(3, Some(b"ab\0".to_vec()));
        assert_eq!(moved(text(), SqlType::FixedString(3)), Some(padded.clone()));
        assert_eq!(moved(text(), SqlType::FixedString(1)), None);
        assert_eq!(moved(padded, SqlType::String), None, "a string of two bytes equals it too");
    }
}
