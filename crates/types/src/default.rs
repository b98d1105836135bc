//! The value that a type has where nobody gives one: zero, the empty string, an empty array, NULL for Nullable, the
//! first name of an enum.

use std::sync::Arc;

use arrow::array::{
    ArrayDataBuilder, ArrayRef, BooleanArray, Int8Array, Int16Array, ListArray, MapArray, StructArray, new_empty_array,
    new_null_array,
};
use arrow::buffer::{BooleanBuffer, Buffer, OffsetBuffer};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;

use crate::bytes;
use crate::calendar::FIRST_DAY;
use crate::sql_type::SqlType;
use SqlType as T;

/// One default value.
pub fn default_scalar(kind: &SqlType) -> ScalarValue {
    match kind.storage() {
        T::String => ScalarValue::BinaryView(Some(Vec::new())),
        T::Bool => ScalarValue::Boolean(Some(false)),
        _ => ScalarValue::try_from_array(&default_array(kind, 1), 0).unwrap_or(ScalarValue::Null),
    }
}

/// What a column gets that an INSERT does not name: the default, but of Date32 its first day, as in ClickHouse.
pub fn column_default(kind: &SqlType) -> ScalarValue {
    match kind {
        T::Date32 => ScalarValue::Date32(Some(FIRST_DAY)),
        other => default_scalar(other),
    }
}

/// A column of default values.
pub fn default_array(kind: &SqlType, rows: usize) -> ArrayRef {
    match kind.storage() {
        T::Nothing | T::Nullable(_) => new_null_array(&kind.arrow(), rows),
        T::Bool => Arc::new(BooleanArray::new(BooleanBuffer::new_unset(rows), None)),
        T::String => Arc::new(bytes::repeated(b"", rows)),
        T::Enum8(names) => Arc::new(Int8Array::from_value(names.0.first().map_or(0, |(_, value)| *value as i8), rows)),
        T::Enum16(names) => Arc::new(Int16Array::from_value(names.0.first().map_or(0, |(_, value)| *value), rows)),
        T::Array(element) => Arc::new(ListArray::new(
            element.field("item"),
            OffsetBuffer::new_zeroed(rows),
            new_empty_array(&element.arrow()),
            None,
        )),
        T::Tuple(fields) => {
            let DataType::Struct(carriers) = kind.arrow() else {
                return new_null_array(&kind.arrow(), rows);
            };
            let columns = fields.iter().map(|(_, kind)| default_array(kind, rows)).collect();
            // A tuple of nothing still has a number of rows, which only the constructor with a length can say.
            match StructArray::try_new_with_length(carriers, columns, None, rows) {
                Ok(array) => Arc::new(array),
                Err(_) => new_null_array(&kind.arrow(), rows),
            }
        }
        T::Map(..) => {
            let DataType::Map(entries, ordered) = kind.arrow() else {
                return new_null_array(&kind.arrow(), rows);
            };
            let DataType::Struct(pair) = entries.data_type() else {
                return new_null_array(&kind.arrow(), rows);
            };
            let empty = StructArray::new_empty_fields(0, None);
            let empty = StructArray::try_new(
                pair.clone(),
                pair.iter().map(|field| new_empty_array(field.data_type())).collect(),
                None,
            )
            .unwrap_or(empty);
            Arc::new(MapArray::new(entries, OffsetBuffer::new_zeroed(rows), empty, None, ordered))
        }
        _ => zeroes(&kind.arrow(), rows),
    }
}

/// All bits zero, for carriers of a fixed width.
fn zeroes(carrier: &DataType, rows: usize) -> ArrayRef {
    let buffers = match (carrier, carrier.primitive_width()) {
        (_, Some(width)) => vec![Buffer::from(vec![0u8; width * rows])],
        (DataType::FixedSizeBinary(width), _) => vec![Buffer::from(vec![0u8; *width as usize * rows])],
        (DataType::Binary, _) => vec![Buffer::from(vec![0u8; 4 * (rows + 1)]), Buffer::from(Vec::<u8>::new())],
        _ => return new_null_array(carrier, rows),
    };
    let data = ArrayDataBuilder::new(carrier.clone()).len(rows).buffers(buffers).align_buffers(true).build();
    data.map_or_else(|_| new_null_array(carrier, rows), arrow::array::make_array)
}

#[cfg(test)]
mod tests {
    use arrow::array::Array;

    use super::*;

    #[test]
    fn every_type_has_a_default_of_its_carrier() {
        for name in [
            "UInt8",
            "Int256",
            "Float64",
            "Decimal(9, 2)",
            "Decimal(50, 2)",
            "Bool",
            "String",
            "FixedString(3)",
            "UUID",
            "IPv4",
            "IPv6",
            "Date",
            "DateTime",
            "DateTime64(3)",
            "DateTime64(5)",
            "Time64(3)",
            "Enum8('b' = 2, 'a' = -1)",
            "Nullable(UInt8)",
            "LowCardinality(String)",
            "Array(Nullable(String))",
            "Tuple(a UInt8, b String)",
            "Tuple()",
            "Map(String, UInt8)",
            "SimpleAggregateFunction(sum, UInt64)",
            "IntervalDay",
            "Nullable(Nothing)",
            "AggregateFunction(sum, UInt64)",
            "Point",
            "BFloat16",
            "Polygon",
        ] {
            let kind: SqlType = name.parse().unwrap();
            let array = default_array(&kind, 3);
            assert_eq!((array.len(), array.data_type()), (3, &kind.arrow()), "{name}");
            assert_eq!(array.null_count() > 0, name.starts_with("Nullable(U"), "{name}");
            assert_eq!(default_scalar(&kind).data_type(), kind.arrow(), "{name}");
        }
    }

    #[test]
    fn an_enum_starts_with_its_lowest() {
        let kind: SqlType = "Enum8('b' = 2, 'a' = -1)".parse().unwrap();
        assert_eq!(default_scalar(&kind), ScalarValue::Int8(Some(-1)));
    }
}
