//! Columns from text and JSON.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use arrow::array::Array;
use gristmill_types::SqlType;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::text::{TextOptions, ValueWriter};

fn builder(kind: &str) -> ColumnBuilder {
    ColumnBuilder::new(&kind.parse().unwrap(), &ParseOptions { null_as_default: false, ..ParseOptions::default() }).unwrap()
}

fn texts(mut builder: ColumnBuilder) -> Vec<String> {
    let kind: SqlType = builder.kind().clone();
    let array = builder.finish();
    assert!(array.to_data().validate_full().is_ok());
    let writer = ValueWriter::new(&array, &kind, &TextOptions::default()).unwrap();
    (0..array.len())
        .map(|row| {
            let mut out = Vec::new();
            writer.write(row, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        })
        .collect()
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let mut column = builder("Array(Tuple(UInt8, Map(String, Array(UInt16))))");
    column.append_text(b"[(1,{'a':[1,2]})]", Escaping::Plain).unwrap();
    for wrong in
        [&b"[(1,{'a':[1,2]}),(2,{'b':[3,x]})]"[..], b"[(1,{'a':[1,2]})", b"[(1,{'a':[70000]})]", b"[(1,{'a':[1]})] more"]
    {
        assert!(column.append_text(wrong, Escaping::Plain).is_err());
        assert_eq!(column.len(), 1);
    }
    assert!(column.append_json(br#"[[1,{"a":[1,2]}],[2,{"b":[3,"x"]}]]"#).is_err());
    column.append_json(br#"[[2,{"c":[3]}],[4,{}]]"#).unwrap();
    column.append_default();
    assert_eq!(texts(column), ["[(1,{'a':[1,2]})]", "[(2,{'c':[3]}),(4,{})]", "[]"]);
}

#[test]
fn an_array_of_csv_needs_no_brackets() {
    let mut column = builder("Array(UInt8)");
    for text in ["1,2", "7", "[3]", "'[4]'"] {
        column.append_text(text.as_bytes(), Escaping::Csv).unwrap();
    }
    for wrong in ["", "1,", "1 2", "x"] {
        assert!(column.append_text(wrong.as_bytes(), Escaping::Csv).is_err(), "{wrong}");
    }
    assert!(column.append_text(b"1,2", Escaping::Plain).is_err());
    assert_eq!(texts(column), ["[1,2]", "[7]", "[3]", "[4]"]);
}

#[test]
fn too_large_integers_are_refused() {
    let mut column = builder("UInt8");
    let error = column.append_text(b"256", Escaping::TsvEscaped).unwrap_err();
    assert_eq!(error.code().name(), "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE");
    assert!(error.to_string().contains("256"));
    column.append_text(b"255", Escaping::TsvEscaped).unwrap();
    assert_eq!(texts(column), ["255"]);
}

#[test]
fn tsv_fields_are_unescaped() {
    let mut column = builder("Nullable(String)");
    column.append_text(br"a\tb\\c", Escaping::TsvEscaped).unwrap();
    column.append_text(br"\N", Escaping::TsvEscaped).unwrap();
    column.append_text(br"NULL", Escaping::TsvEscaped).unwrap();
    column.append_text(br"a\tb", Escaping::Csv).unwrap();
    assert_eq!(texts(column), ["a\tb\\c", "\\N", "NULL", "a\\tb"]);
}

#[test]
fn null_without_nullable() {
    let mut column = builder("UInt8");
    assert_eq!(column.append_null().unwrap_err().code().name(), "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN");
    let mut lenient = ColumnBuilder::new(&SqlType::UInt8, &ParseOptions::default()).unwrap();
    lenient.append_null().unwrap();
    assert_eq!(texts(lenient), ["0"]);
}

#[test]
fn json_values_go_where_they_fit() {
    for (kind, json, expected) in [
        ("UInt64", "5", "5"),
        ("UInt64", "\"5\"", "5"),
        ("UInt64", "5.0", "5"),
        ("UInt64", "true", "1"),
        ("Float64", "1e3", "1000"),
        ("String", "\"a\\u00e9\\n\"", "aé\n"),
        ("String", "12.50", "12.50"),
        ("String", "true", "true"),
        ("String", "{\"a\": [1, 2]}", "{\"a\": [1, 2]}"),
        ("Nullable(String)", "null", "\\N"),
        ("Bool", "true", "true"),
        ("Date", "\"2024-01-05\"", "2024-01-05"),
        ("DateTime64(3)", "\"2024-01-05 10:00:00.5\"", "2024-01-05 10:00:00.500"),
        ("DateTime", "1700000000", "2023-11-14 22:13:20"),
        ("Decimal(9, 2)", "1.25", "1.25"),
        ("Array(Nullable(UInt8))", "[1, null]", "[1,NULL]"),
        ("Array(UInt8)", "\"[1,2]\"", "[1,2]"),
        ("Tuple(a UInt8, b String)", "{\"b\": \"x\", \"c\": {\"d\": []}, \"a\": 1}", "(1,'x')"),
        ("Tuple(a UInt8, b String)", "{\"a\": 1}", "(1,'')"),
        ("Tuple(UInt8, String)", "[1, \"x\"]", "(1,'x')"),
        ("Map(String, Array(UInt8))", "{\"a\": [1], \"b\": []}", "{'a':[1],'b':[]}"),
        ("Map(UInt8, String)", "{\"1\": \"a\"}", "{1:'a'}"),
        ("Enum8('a' = 1)", "\"a\"", "a"),
        ("Enum8('a' = 1)", "1", "a"),
        ("UUID", "\"550e8400-e29b-41d4-a716-446655440000\"", "550e8400-e29b-41d4-a716-446655440000"),
    ] {
        let mut column = builder(kind);
        column.append_json(json.as_bytes()).unwrap();
        assert_eq!(texts(column), [expected], "{json} as {kind}");
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let mut column = builder(kind);
        if column.append_json_value(&value).is_ok() && !json.contains(": ") {
            assert_eq!(texts(column).len(), 1);
        }
    }
    for (kind, json) in
        [("UInt8", "[1]"), ("UInt8", "300"), ("UInt8", "1.5"), ("Array(UInt8)", "5"), ("UInt8", "null"), ("UInt8", "1 2")]
    {
        assert!(builder(kind).append_json(json.as_bytes()).is_err(), "{json} as {kind}");
    }
}

#[test]
fn best_effort_dates() {
    let options = ParseOptions::default();
    let mut column = ColumnBuilder::new(&"DateTime64(3)".parse().unwrap(), &options).unwrap();
    column.append_text(b"2024-01-15T23:30:00.125+01:00", Escaping::Plain).unwrap();
    column.append_text(b"15 Jan 2024 22:30", Escaping::Csv).unwrap();
    assert_eq!(texts(column), ["2024-01-15 22:30:00.125", "2024-01-15 22:30:00.000"]);
    let basic = ParseOptions { best_effort_dates: false, ..options };
    let mut column = ColumnBuilder::new(&"DateTime64(3)".parse().unwrap(), &basic).unwrap();
    assert!(column.append_text(b"15 Jan 2024 22:30", Escaping::Csv).is_err());
    assert!(column.append_text(b"2024-01-15 22:30:00.125", Escaping::Csv).is_ok());
}

#[test]
fn memory_is_counted_and_given_back() {
    let mut column = builder("String");
    for _ in 0..1000 {
        column.append_text(&[b'x'; 1000], Escaping::Plain).unwrap();
    }
    assert!(column.memory_bytes() >= 1_000_000);
    assert_eq!(column.finish().len(), 1000);
    assert!(column.is_empty() && column.memory_bytes() < 100_000);
}

mod round_trips {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is written in one form is read back from it.
        #[test]
        fn strings_in_arrays(values: Vec<Option<Vec<u8>>>) {
            let kind: SqlType = "Array(Nullable(String))".parse().unwrap();
            let mut literal = b"[".to_vec();
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    literal.push(b',');
                }
                match value {
                    Some(value) => gristmill_types::text::write_quoted(value, &mut literal),
                    None => literal.extend_from_slice(b"NULL"),
                }
            }
            literal.push(b']');
            let mut first = builder("Array(Nullable(String))");
            first.append_text(&literal, Escaping::Quoted).unwrap();
            let array = first.finish();
            let writer = ValueWriter::new(&array, &kind, &TextOptions { json_replace_invalid_utf8: false, ..TextOptions::default() }).unwrap();
            for escaping in [Escaping::Plain, Escaping::Quoted, Escaping::Json] {
                let mut text = Vec::new();
                writer.write_as(0, escaping, &mut text);
                let mut back = builder("Array(Nullable(String))");
                back.append_text(&text, escaping).unwrap();
                prop_assert_eq!(&back.finish(), &array);
            }
        }
    }
}
