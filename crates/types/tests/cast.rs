//! CAST against what ClickHouse 26.9 answers, save where a comment says why not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use arrow::array::{Array, ArrayRef};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::cast::{CastOptions, OnError, cast};
use gristmill_types::text::{TextOptions, ValueWriter};

fn column(kind: &SqlType, values: &[&str]) -> ArrayRef {
    let mut builder = ColumnBuilder::new(kind, &ParseOptions::default()).unwrap();
    for value in values {
        match *value {
            "NULL" => builder.append_null().unwrap(),
            value => builder.append_text(value.as_bytes(), Escaping::Plain).unwrap(),
        }
    }
    builder.finish()
}

fn texts(array: &ArrayRef, kind: &SqlType) -> Vec<String> {
    let writer = ValueWriter::new(array, kind, &TextOptions::default()).unwrap();
    let text = |row| {
        let mut out = Vec::new();
        writer.write(row, &mut out);
        String::from_utf8(out).unwrap()
    };
    (0..array.len()).map(text).collect()
}

fn cast_text(value: &str, from: &str, to: &str, options: &CastOptions) -> Result<String> {
    let (from, to): (SqlType, SqlType) = (from.parse().unwrap(), to.parse().unwrap());
    let source = column(&from, &[value]);
    // A value before and after, so that nothing works for a column of one row only.
    let result = cast(&source, &from, &to, options)?;
    assert_eq!(result.data_type(), &to.arrow(), "{from} to {to}");
    assert!(result.to_data().validate_full().is_ok(), "{from} to {to}");
    Ok(texts(&result, &to).remove(0))
}

fn check(cases: &[(&str, &str, &str, &str)], options: &CastOptions) {
    for (value, from, to, expected) in cases {
        let result = cast_text(value, from, to, options).unwrap_or_else(|error| error.code().name().to_string());
        assert_eq!(result, *expected, "{value} of {from} as {to}");
    }
}

#[test]
fn numbers() {
    check(
        &[
            ("300", "UInt16", "UInt8", "44"),
            ("200", "UInt8", "Int8", "-56"),
            ("-1", "Int8", "UInt8", "255"),
            ("-1", "Int8", "UInt64", "18446744073709551615"),
            ("1.9", "Float64", "UInt8", "1"),
            ("-1.9", "Float64", "Int8", "-1"),
            ("3000000000", "Float64", "UInt8", "0"),
            ("3000000000", "Float64", "Int32", "-2147483648"),
            ("200", "Float64", "Int8", "-56"),
            ("1e15", "Float64", "UInt32", "2764472320"),
            ("1e19", "Float64", "UInt64", "10000000000000000000"),
            ("-1.5", "Float64", "UInt64", "18446744073709551615"),
            ("1e19", "Float64", "Int64", "-9223372036854775808"),
            ("1e30", "Float64", "UInt64", "9223372036854775808"),
            ("-5.5", "Float64", "UInt32", "4294967291"),
            ("nan", "Float64", "UInt8", "CANNOT_CONVERT_TYPE"),
            ("inf", "Float64", "Int64", "CANNOT_CONVERT_TYPE"),
            ("inf", "Float64", "Float32", "inf"),
            ("1e30", "Float64", "Int128", "1000000000000000019884624838656"),
            ("-1.5", "Float64", "UInt128", "340282366920938463463374607431768211455"),
            ("-1", "Int256", "UInt256", "115792089237316195423570985008687907853269984665640564039457584007913129639935"),
            ("-1", "Int8", "UInt128", "340282366920938463463374607431768211455"),
            ("18446744073709551616", "UInt128", "UInt64", "0"),
            ("2", "UInt8", "Bool", "true"),
            ("0.0001", "Float64", "Bool", "true"),
            ("true", "Bool", "UInt8", "1"),
            ("true", "Bool", "Int256", "1"),
            ("0", "UInt256", "Bool", "false"),
        ],
        &CastOptions::default(),
    );
}

#[test]
fn decimals() {
    check(
        &[
            ("1.239", "String", "Decimal(9, 2)", "1.23"),
            ("1.239", "Float64", "Decimal(9, 2)", "1.23"),
            ("1", "UInt8", "Decimal(9, 2)", "1"),
            ("1e10", "Float64", "Decimal(9, 2)", "DECIMAL_OVERFLOW"),
            ("99999999999", "String", "Decimal(9, 2)", "ARGUMENT_OUT_OF_BOUND"),
            ("1.987", "Decimal(18, 3)", "Decimal(9, 1)", "1.9"),
            ("-1.987", "Decimal(18, 3)", "Decimal(9, 1)", "-1.9"),
            ("-1.987", "Decimal(18, 3)", "Int32", "-1"),
            ("-1.987", "Decimal(18, 3)", "Float32", "-1.987"),
            ("300", "Decimal(18, 3)", "Int8", "DECIMAL_OVERFLOW"),
            ("123456", "UInt32", "Decimal(9, 4)", "123456"),
            ("123456", "UInt32", "Decimal(9, 5)", "DECIMAL_OVERFLOW"),
            ("1.5", "Decimal(9, 1)", "Decimal(76, 40)", "1.5"),
            ("1.5", "Decimal(76, 40)", "Decimal(9, 1)", "1.5"),
            ("1.5", "Float32", "Decimal(38, 3)", "1.5"),
            ("0", "Decimal(9, 2)", "Bool", "false"),
            ("-12.75", "Decimal(76, 2)", "Int64", "-12"),
        ],
        &CastOptions::default(),
    );
}

#[test]
fn from_text() {
    check(
        &[
            ("300", "String", "UInt8", "44"),
            ("128", "String", "Int8", "-128"),
            ("-1", "String", "UInt8", "CANNOT_PARSE_NUMBER"),
            ("12abc", "String", "UInt8", "CANNOT_PARSE_TEXT"),
            ("", "String", "UInt8", "ATTEMPT_TO_READ_AFTER_EOF"),
            (" 12", "String", "UInt8", "CANNOT_PARSE_TEXT"),
            ("+12", "String", "UInt8", "12"),
            ("1.5", "String", "Int32", "CANNOT_PARSE_TEXT"),
            ("abc", "String", "Float64", "CANNOT_PARSE_NUMBER"),
            ("1e400", "String", "Float64", "inf"),
            ("-Infinity", "String", "Float64", "-inf"),
            ("170141183460469231731687303715884105728", "String", "Int128", "-170141183460469231731687303715884105728"),
            ("2024-1-5", "String", "Date", "2024-01-05"),
            ("20240105", "String", "Date", "2024-01-05"),
            ("abc", "String", "Date", "CANNOT_PARSE_DATE"),
            ("2024-01-05 10:00:00", "String", "Date", "2024-01-05"),
            // ClickHouse makes a day that does not exist 1970-01-01 without a word.
            ("2024-13-45", "String", "Date", "CANNOT_PARSE_DATE"),
            ("2024-13-45", "String", "DateTime", "CANNOT_PARSE_DATETIME"),
            ("2024-01-05", "String", "DateTime", "2024-01-05 00:00:00"),
            ("2024-01-05T10:11:12Z", "String", "DateTime", "2024-01-05 10:11:12"),
            ("2024-01-05 10:11:12.123", "String", "DateTime", "2024-01-05 10:11:12"),
            ("1700000000", "String", "DateTime", "2023-11-14 22:13:20"),
            ("abc", "String", "DateTime", "CANNOT_PARSE_DATETIME"),
            ("2024-01-05 10:11:12.123456", "String", "DateTime64(3)", "2024-01-05 10:11:12.123"),
            ("1700000000.123", "String", "DateTime64(3)", "2023-11-14 22:13:20.123"),
            ("1700000000123", "String", "DateTime64(3)", "2023-11-14 22:13:20.123"),
            ("yes", "String", "Bool", "true"),
            ("2", "String", "Bool", "CANNOT_PARSE_BOOL"),
            ("x", "String", "Enum8('a' = 1)", "UNKNOWN_ELEMENT_OF_ENUM"),
            ("1", "String", "Enum8('a' = 1)", "a"),
            ("abc", "String", "FixedString(2)", "TOO_LARGE_STRING_SIZE"),
            ("ab", "String", "FixedString(4)", "ab\0\0"),
            ("ab", "FixedString(4)", "String", "ab"),
            ("12", "FixedString(4)", "UInt8", "12"),
            ("550e8400e29b41d4a716446655440000", "String", "UUID", "550e8400-e29b-41d4-a716-446655440000"),
            ("abc", "String", "UUID", "CANNOT_PARSE_UUID"),
            ("1.2.3", "String", "IPv4", "CANNOT_PARSE_IPV4"),
            ("1.2.3.4", "String", "IPv6", "::ffff:1.2.3.4"),
            ("zz", "String", "IPv6", "CANNOT_PARSE_IPV6"),
            ("[1, 2 ,3]", "String", "Array(UInt8)", "[1,2,3]"),
            ("['a','b\\'c']", "String", "Array(String)", "['a','b\\'c']"),
            ("[a,b]", "String", "Array(String)", "CANNOT_PARSE_QUOTED_STRING"),
            ("[1,2", "String", "Array(UInt8)", "CANNOT_PARSE_INPUT_ASSERTION_FAILED"),
            ("(1,'a')", "String", "Tuple(UInt8, String)", "(1,'a')"),
            ("{'a':1}", "String", "Map(String, UInt8)", "{'a':1}"),
            ("abc", "String", "IntervalDay", "CANNOT_PARSE_TEXT"),
            ("5", "String", "IntervalDay", "5"),
            ("NULL", "Nullable(String)", "UInt8", "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN"),
            ("", "String", "Nullable(UInt8)", "\\N"),
        ],
        &CastOptions::default(),
    );
}

#[test]
fn dates_and_times() {
    check(
        &[
            ("19000", "UInt16", "Date", "2022-01-08"),
            ("1700000000", "UInt32", "Date", "2023-11-14"),
            ("-1", "Int8", "Date", "1970-01-01"),
            ("70000", "UInt32", "Date", "1970-01-01"),
            ("65535", "UInt32", "Date", "2149-06-06"),
            ("1.9", "Float64", "Date", "1970-01-02"),
            ("-1", "Int8", "Date32", "1969-12-31"),
            ("1700000000", "Int32", "Date32", "2023-11-14"),
            ("-1", "Int8", "DateTime", "1970-01-01 00:00:00"),
            ("4294967296", "UInt64", "DateTime", "2106-02-07 06:28:15"),
            ("1700000000", "UInt32", "DateTime64(3)", "2023-11-14 22:13:20.000"),
            ("1700000000.5", "Float64", "DateTime64(3)", "2023-11-14 22:13:20.500"),
            ("1700000000.25", "Decimal(18, 2)", "DateTime64(3)", "2023-11-14 22:13:20.250"),
            ("-1", "Int8", "DateTime64(3)", "1969-12-31 23:59:59.000"),
            ("2024-01-05", "Date", "UInt8", "15"),
            ("2024-01-05 00:00:00", "DateTime('UTC')", "UInt32", "1704412800"),
            ("2024-01-05 00:00:00.9", "DateTime64(1, 'UTC')", "UInt32", "1704412800"),
            ("2024-01-05 00:00:00.9", "DateTime64(1, 'UTC')", "Float64", "1704412800.9"),
            ("1969-12-31 23:59:59.567", "DateTime64(3, 'UTC')", "Int64", "0"),
            ("2024-01-01 00:00:00.567", "DateTime64(3)", "Decimal(18, 3)", "1704067200.567"),
            ("2024-01-05 23:00:00", "DateTime('America/New_York')", "Date", "2024-01-05"),
            ("2024-01-01", "Date", "DateTime('Asia/Tokyo')", "2024-01-01 00:00:00"),
            ("2024-01-01", "Date", "DateTime64(3, 'Asia/Tokyo')", "2024-01-01 00:00:00.000"),
            ("2024-01-01 00:00:00.567", "DateTime64(3)", "DateTime64(1)", "2024-01-01 00:00:00.5"),
            ("2024-01-01 00:00:00.567", "DateTime64(3)", "DateTime64(5)", "2024-01-01 00:00:00.56700"),
            ("2024-01-01 00:00:00.567", "DateTime64(3)", "DateTime", "2024-01-01 00:00:00"),
            ("2024-01-01 00:00:00", "DateTime('UTC')", "DateTime('Asia/Tokyo')", "2024-01-01 09:00:00"),
            // A Date is 16 bits of a day's number, a DateTime 32 of seconds: what does not fit wraps around.
            ("2200-01-01", "Date32", "Date", "2020-07-27"),
            ("1960-01-01", "Date32", "DateTime", "2096-02-06 06:28:16"),
            ("2149-06-06", "Date", "DateTime", "2013-04-29 17:31:44"),
            ("1970-01-01", "Date", "DateTime('Asia/Tokyo')", "1970-01-02 00:00:00"),
            ("2299-12-31 00:00:00", "DateTime64(3)", "Date32", "2299-12-31"),
            ("2024-01-01 10:20:30", "DateTime('Asia/Tokyo')", "Time", "10:20:30"),
            ("12:34:56.789", "Time64(3)", "Time", "12:34:56"),
            ("2024-01-05", "Date", "String", "2024-01-05"),
            ("2024-01-05 10:00:00", "DateTime('Asia/Tokyo')", "String", "2024-01-05 10:00:00"),
        ],
        &CastOptions::default(),
    );
}

#[test]
fn the_rest() {
    check(
        &[
            ("a", "Enum8('a' = 1)", "Int32", "1"),
            ("a", "Enum8('a' = 1)", "String", "a"),
            ("b", "Enum8('b' = 1)", "Enum16('a' = 0, 'b' = 300)", "b"),
            ("1", "UInt64", "Enum8('a' = 1)", "a"),
            ("5", "UInt8", "Enum8('a' = 1)", "UNKNOWN_ELEMENT_OF_ENUM"),
            ("257", "UInt16", "Enum8('a' = 1)", "CANNOT_CONVERT_TYPE"),
            ("::ffff:1.2.3.4", "IPv6", "IPv4", "1.2.3.4"),
            ("::5", "IPv6", "IPv4", "CANNOT_CONVERT_TYPE"),
            ("::5", "IPv6", "UInt128", "5"),
            ("0.0.0.5", "IPv4", "UInt32", "5"),
            ("5", "UInt32", "IPv4", "0.0.0.5"),
            ("00000000-0000-0001-0000-000000000002", "UUID", "UInt128", "18446744073709551618"),
            ("[1,2,300]", "Array(UInt16)", "Array(UInt8)", "[1,2,44]"),
            ("[[1],[]]", "Array(Array(UInt8))", "Array(Array(Nullable(Float64)))", "[[1],[]]"),
            ("(1,'2')", "Tuple(UInt8, String)", "Tuple(String, UInt8)", "('1',2)"),
            ("{'1':2}", "Map(String, UInt8)", "Map(UInt8, String)", "{1:'2'}"),
            ("[('a',1)]", "Array(Tuple(String, UInt8))", "Map(String, UInt8)", "{'a':1}"),
            ("([1,2],['a','b'])", "Tuple(Array(UInt8), Array(String))", "Map(UInt8, String)", "{1:'a',2:'b'}"),
            ("{'a':1}", "Map(String, UInt8)", "Array(Tuple(String, UInt8))", "[('a',1)]"),
            ("(1,2)", "Tuple(a UInt8, b UInt8)", "Tuple(b UInt8, c String)", "(2,'')"),
            ("(1,2)", "Tuple(UInt8, UInt8)", "Tuple(UInt8)", "TYPE_MISMATCH"),
            ("[]", "Array(Nothing)", "Array(String)", "[]"),
            ("[1.5,NULL]", "Array(Nullable(Float64))", "String", "[1.5,NULL]"),
            ("['a\\'b\\\\',NULL]", "Array(Nullable(String))", "String", "['a\\'b\\\\',NULL]"),
            ("[1,NULL]", "Array(Nullable(UInt8))", "Array(UInt8)", "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN"),
            ("NULL", "Nullable(Nothing)", "Nullable(String)", "\\N"),
            ("NULL", "Nullable(UInt8)", "UInt16", "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN"),
            ("5", "Nullable(UInt8)", "UInt16", "5"),
            ("abc", "LowCardinality(String)", "LowCardinality(Nullable(String))", "abc"),
            ("1", "UInt8", "UUID", "CANNOT_CONVERT_TYPE"),
        ],
        &CastOptions::default(),
    );
}

#[test]
fn accurate_casts_refuse_what_is_not_equal() {
    let options = CastOptions { accurate: true, ..CastOptions::default() };
    check(
        &[
            ("300", "UInt16", "UInt8", "CANNOT_CONVERT_TYPE"),
            ("300", "String", "UInt8", "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE"),
            ("-1", "Int8", "UInt64", "CANNOT_CONVERT_TYPE"),
            ("1.5", "Float64", "UInt8", "CANNOT_CONVERT_TYPE"),
            ("1.0", "Float64", "UInt8", "1"),
            ("16777217", "UInt32", "Float32", "CANNOT_CONVERT_TYPE"),
            ("16777216", "UInt32", "Float32", "16777216"),
            ("-1", "Int8", "UInt256", "CANNOT_CONVERT_TYPE"),
            ("1.5", "Decimal(9, 1)", "Int32", "CANNOT_CONVERT_TYPE"),
        ],
        &options,
    );
}

#[test]
fn failures_become_null_or_the_default() {
    let from: SqlType = "Nullable(String)".parse().unwrap();
    let source = column(&from, &["1", "x", "NULL", "300", "5"]);
    let or_null = CastOptions { on_error: OnError::Null, ..CastOptions::default() };
    let to: SqlType = "Nullable(UInt8)".parse().unwrap();
    assert_eq!(texts(&cast(&source, &from, &to, &or_null).unwrap(), &to), ["1", "\\N", "\\N", "\\N", "5"]);
    let or_default = CastOptions { on_error: OnError::Default, ..CastOptions::default() };
    let to: SqlType = "UInt8".parse().unwrap();
    assert_eq!(texts(&cast(&source, &from, &to, &or_default).unwrap(), &to), ["1", "0", "0", "0", "5"]);
    let (from, to): (SqlType, SqlType) = ("Float64".parse().unwrap(), "Nullable(Int8)".parse().unwrap());
    let source = column(&from, &["1", "nan", "1000"]);
    let options = CastOptions { accurate: true, on_error: OnError::Null, ..CastOptions::default() };
    assert_eq!(texts(&cast(&source, &from, &to, &options).unwrap(), &to), ["1", "\\N", "\\N"]);
}

#[test]
fn slices_and_masks_do_not_shift() {
    let from: SqlType = "Array(Nullable(UInt16))".parse().unwrap();
    let to: SqlType = "Array(Nullable(String))".parse().unwrap();
    let source = column(&from, &["[1]", "[2,NULL]", "[]", "[3,4,5]"]).slice(1, 3);
    let result = cast(&source, &from, &to, &CastOptions::default()).unwrap();
    assert_eq!(texts(&result, &to), ["['2',NULL]", "[]", "['3','4','5']"]);
    let from: SqlType = "Nullable(Float64)".parse().unwrap();
    let to: SqlType = "Nullable(DateTime64(3))".parse().unwrap();
    let source = column(&from, &["0", "NULL", "1.5", "NULL"]).slice(1, 3);
    let result = cast(&source, &from, &to, &CastOptions::default()).unwrap();
    assert_eq!(texts(&result, &to), ["\\N", "1970-01-01 00:00:01.500", "\\N"]);
}

#[test]
fn the_message_names_the_value_and_the_type() {
    let error = cast_text("12abc", "String", "UInt8", &CastOptions::default()).unwrap_err();
    assert!(error.to_string().contains("'12abc'") && error.to_string().contains("UInt8"), "{error}");
}

mod against_a_model {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Text is the model: a number cast to a type that holds it has the same text.
        #[test]
        fn widening_keeps_the_text(value: i32) {
            let text = value.to_string();
            for to in ["Int64", "Int128", "Int256", "Float64", "Decimal(38, 5)", "Decimal(76, 20)", "String", "Nullable(Int64)"] {
                prop_assert_eq!(&cast_text(&text, "Int32", to, &CastOptions::default()).unwrap(), &text);
            }
        }

        /// There and back through text.
        #[test]
        fn text_of_instants_reads_back(ticks in -2_000_000_000_000i64..200_000_000_000_000) {
            let decimal = format!("{}.{:03}", ticks.div_euclid(1000), ticks.rem_euclid(1000));
            prop_assume!(ticks >= 0);
            let text = cast_text(&decimal, "Decimal(18, 3)", "DateTime64(3, 'UTC')", &CastOptions::default()).unwrap();
            let back = cast_text(&text, "DateTime64(3, 'UTC')", "Decimal(18, 3)", &CastOptions::default()).unwrap();
            let trimmed = decimal.trim_end_matches('0').trim_end_matches('.');
            prop_assert_eq!(back, if trimmed.is_empty() { "0" } else { trimmed });
        }
    }
}
