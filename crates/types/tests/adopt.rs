//! Arrays as Parquet and Arrow files have them, taken to the types that a table or query wants.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use arrow::array::types::{Int8Type, Int32Type};
use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use gristmill_types::SqlType;
use gristmill_types::adopt::adopt;
use gristmill_types::cast::CastOptions;
use gristmill_types::text::{TextOptions, ValueWriter};

fn texts(array: ArrayRef, to: &str) -> Vec<String> {
    texts_with(array, to, &CastOptions::default()).unwrap()
}

fn texts_with(array: ArrayRef, to: &str, options: &CastOptions) -> gristmill_base::Result<Vec<String>> {
    let kind: SqlType = to.parse().unwrap();
    let adopted = adopt(&array, &kind, options)?;
    assert_eq!(adopted.data_type(), &kind.arrow());
    assert!(adopted.to_data().validate_full().is_ok());
    let writer = ValueWriter::new(&adopted, &kind, &TextOptions::default()).unwrap();
    Ok((0..adopted.len())
        .map(|row| {
            let mut out = Vec::new();
            writer.write(row, &mut out);
            String::from_utf8(out).unwrap()
        })
        .collect())
}

#[test]
fn strings_of_any_layout() {
    let values = vec![Some("short"), None, Some("a string of more than twelve bytes")];
    let dictionary: DictionaryArray<Int8Type> = values.iter().copied().collect();
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(values.clone())),
        Arc::new(LargeStringArray::from(values.clone())),
        Arc::new(StringViewArray::from(values.clone())),
        Arc::new(BinaryArray::from_iter(values.clone())),
        Arc::new(LargeBinaryArray::from_iter(values.clone())),
        Arc::new(dictionary),
    ];
    for array in arrays {
        let name = array.data_type().to_string();
        assert_eq!(texts(array, "Nullable(String)"), ["short", "\\N", "a string of more than twelve bytes"], "{name}");
    }
}

#[test]
fn views_share_their_buffers() {
    let views: ArrayRef = Arc::new(StringViewArray::from(vec!["a string of more than twelve bytes"]));
    let adopted = adopt(&views, &SqlType::String, &CastOptions::default()).unwrap();
    let before = views.as_string_view().data_buffers()[0].as_ptr();
    assert_eq!(adopted.as_binary_view().data_buffers()[0].as_ptr(), before);
}

#[test]
fn numbers_and_decimals() {
    assert_eq!(texts(Arc::new(Int32Array::from(vec![1, -1])), "Int64"), ["1", "-1"]);
    assert_eq!(texts(Arc::new(Int64Array::from(vec![300])), "UInt8"), ["44"]);
    assert_eq!(texts(Arc::new(Float16Array::from(vec![half::f16::from_f32(1.5)])), "Float64"), ["1.5"]);
    let decimal = Decimal32Array::from(vec![12345]).with_precision_and_scale(7, 2).unwrap();
    assert_eq!(texts(Arc::new(decimal), "Decimal(9, 2)"), ["123.45"]);
    let bytes = FixedSizeBinaryArray::try_from_iter([(-5i128).to_le_bytes()].iter()).unwrap();
    assert_eq!(texts(Arc::new(bytes), "Int128"), ["-5"]);
    let id = FixedSizeBinaryArray::try_from_iter([[1u8; 16]].iter()).unwrap();
    assert_eq!(texts(Arc::new(id), "UUID"), ["01010101-0101-0101-0101-010101010101"]);
    assert_eq!(texts(Arc::new(UInt32Array::from(vec![5])), "IPv4"), ["0.0.0.5"]);
    assert_eq!(texts(Arc::new(BinaryArray::from_iter_values([[0u8; 16]])), "IPv6"), ["::"]);
    assert_eq!(texts(Arc::new(BinaryArray::from_iter_values([b"2001:db8::1:2:34"])), "IPv6"), ["2001:db8::1:2:34"]);
}

#[test]
fn dates_and_times_of_any_unit() {
    let micros = TimestampMicrosecondArray::from(vec![1_700_000_000_123_456]);
    assert_eq!(
        texts(Arc::new(micros.clone().with_timezone("+00:00")), "DateTime64(6, 'UTC')"),
        ["2023-11-14 22:13:20.123456"]
    );
    assert_eq!(texts(Arc::new(micros.clone()), "DateTime64(3)"), ["2023-11-14 22:13:20.123"]);
    assert_eq!(texts(Arc::new(micros.clone()), "DateTime"), ["2023-11-14 22:13:20"]);
    assert_eq!(texts(Arc::new(micros), "Date"), ["2023-11-14"]);
    assert_eq!(texts(Arc::new(Date32Array::from(vec![19000])), "Date"), ["2022-01-08"]);
    assert_eq!(texts(Arc::new(Date32Array::from(vec![-1])), "Date32"), ["1969-12-31"]);
    assert_eq!(texts(Arc::new(Date64Array::from(vec![86_400_000])), "Date"), ["1970-01-02"]);
    assert_eq!(texts(Arc::new(Time64MicrosecondArray::from(vec![45_296_000_000])), "Time64(6)"), ["12:34:56.000000"]);
    assert_eq!(texts(Arc::new(Time32MillisecondArray::from(vec![45_296_000])), "Time"), ["12:34:56"]);
    assert_eq!(texts(Arc::new(UInt16Array::from(vec![19000])), "Date"), ["2022-01-08"]);
    assert_eq!(texts(Arc::new(UInt32Array::from(vec![1_700_000_000])), "DateTime"), ["2023-11-14 22:13:20"]);
    assert_eq!(texts(Arc::new(StringArray::from(vec!["2024-01-05"])), "Date"), ["2024-01-05"]);
}

#[test]
fn nested_types_and_their_nulls() {
    let lists =
        ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None]), None, Some(vec![Some(3)])]);
    assert_eq!(texts(Arc::new(lists), "Array(Nullable(Int64))"), ["[1,NULL]", "[]", "[3]"]);
    let large = LargeListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(7)])]);
    assert_eq!(texts(Arc::new(large), "Array(String)"), ["['7']"]);

    let fields = Fields::from(vec![Field::new("a", DataType::Int32, false), Field::new("b", DataType::Utf8, true)]);
    let record = StructArray::new(
        fields,
        vec![Arc::new(Int32Array::from(vec![1, 2])), Arc::new(StringArray::from(vec![Some("x"), None]))],
        None,
    );
    assert_eq!(texts(Arc::new(record), "Tuple(b Nullable(String), a UInt8)"), ["('x',1)", "(NULL,2)"]);

    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k");
    map.values().append_value(5);
    map.append(true).unwrap();
    map.append(false).unwrap();
    assert_eq!(texts(Arc::new(map.finish()), "Map(LowCardinality(String), UInt64)"), ["{'k':5}", "{}"]);
}

#[test]
fn null_for_a_type_without_null() {
    let array: ArrayRef = Arc::new(Int32Array::new(vec![1, 9].into(), Some(NullBuffer::from(vec![true, false]))));
    let error = texts_with(array.clone(), "Int32", &CastOptions::default()).unwrap_err();
    assert_eq!(error.code().name(), "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN");
    let options = CastOptions { null_as_default: true, ..CastOptions::default() };
    assert_eq!(texts_with(array.clone(), "Int32", &options).unwrap(), ["1", "0"]);
    assert_eq!(texts_with(array.clone(), "String", &options).unwrap(), ["1", ""]);
    assert_eq!(texts_with(array, "Enum8('first' = 1)", &options).unwrap(), ["first", "first"]);
}
