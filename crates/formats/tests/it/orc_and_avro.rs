//! ORC and Avro: values there and back in every way that they are stored, and what is told of the rest.

use arrow::array::RecordBatch;
use gristmill_base::ErrorCode;
use gristmill_formats::parser;

use crate::support::{columns, format, inferred, read, read_in_chunks, rows, settings, write};

const COMMON: &str = "u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64, i8 Int8, i16 Int16, i32 Int32, i64 Int64, wide Int128, \
    f32 Float32, f64 Float64, b Bool, s String, fs FixedString(3), d Date, d32 Date32, dt DateTime, dt3 DateTime64(3), \
    dt6 DateTime64(6), dec Decimal(12, 3), decw Decimal(60, 2), e8 Enum8('x' = -1, 'y' = 5), e16 Enum16('p' = 300, 'q' = 400), \
    ip4 IPv4, ip6 IPv6, n Nullable(Int64), ns Nullable(String), lc LowCardinality(Nullable(String)), a Array(Nullable(UInt32)), \
    dt9 DateTime64(9), dt1 DateTime64(1), mk Map(UInt8, String), aa Array(Array(String)), m Map(String, Array(Nullable(Float64))), t Tuple(x Int32, y Tuple(z Nullable(String), w Array(Int8)))";

/// Rows that differ in each column, with runs of every kind.
fn table(count: usize) -> String {
    let row = |at: usize| {
        let text = "long text ".repeat(at % 9);
        let null = |value: String, every: usize| if at.is_multiple_of(every) { "null".to_string() } else { value };
        let (sign, day) = (if at.is_multiple_of(2) { "" } else { "-" }, 1 + at % 28);
        let fields = [
            format!("{}", at % 256),
            format!("{}", at % 65_536),
            format!("{}", 4_294_967_295 - at as u64),
            format!("{}", u64::MAX - at as u64 * 1_000_003),
            format!("{sign}{}", at % 128),
            format!("{sign}{}", at % 32_768),
            format!("{}", (at / 700) as i64 - 1),
            format!("{sign}{}", at as u64 * 123_456_789_012),
            format!("\"{sign}{}\"", (at as u128 + 1) << 90),
            format!("{sign}{}", at as f64 / 8.0),
            format!("{sign}{}", at as f64 / 1024.0),
            format!("{}", at.is_multiple_of(3)),
            format!("\"{text}\""),
            format!("\"{}\"", at % 1000),
            format!("\"20{:02}-01-{day:02}\"", at % 100),
            format!("\"19{:02}-01-{day:02}\"", at % 100),
            format!("\"20{:02}-01-{day:02} 10:20:30\"", at % 100),
            format!("\"19{:02}-01-{day:02} 10:20:30.{:03}\"", at % 70, at % 1000),
            format!("\"20{:02}-01-{day:02} 10:20:30.{:06}\"", at % 100, at % 1000 * 1000),
            format!("\"{sign}{}.{:03}\"", at * 7, at % 1000),
            format!("\"{sign}{}000000000000000000000000000000.25\"", at + 1),
            format!("\"{}\"", if at.is_multiple_of(5) { "x" } else { "y" }),
            format!("\"{}\"", if at.is_multiple_of(7) { "p" } else { "q" }),
            format!("\"10.0.{}.{}\"", at / 256 % 256, at % 256),
            format!("\"2001:db8::{:x}\"", 1 + at % 65_000),
            null(format!("{at}"), 3),
            null(format!("\"{at}\""), 4),
            null(format!("\"{}\"", at % 10), 5),
            format!("[{}]", (0..at % 4).map(|item| null(item.to_string(), 6)).collect::<Vec<_>>().join(",")),
            format!("\"20{:02}-01-{day:02} 10:20:30.{:09}\"", at % 100, at % 1000),
            format!("\"20{:02}-01-{day:02} 10:20:30.{}\"", at % 100, at % 10),
            format!("{{{}}}", (0..at % 3).map(|key| format!("\"{key}\":\"{at}\"")).collect::<Vec<_>>().join(",")),
            format!("[{}]", (0..at % 3).map(|item| format!("[\"{item}\",\"\"]")).collect::<Vec<_>>().join(",")),
            format!("{{{}}}", (0..at % 3).map(|key| format!("\"k{key}\":[{key},null]")).collect::<Vec<_>>().join(",")),
            format!("{{\"x\":{at},\"y\":{{\"z\":{},\"w\":[{}]}}}}", null(format!("\"{at}\""), 2), at % 100),
        ];
        format!("[{}]", fields.join(","))
    };
    (0..count).map(row).collect::<Vec<_>>().join("\n")
}

fn batches(count: usize) -> Vec<RecordBatch> {
    read("JSONCompactEachRow", COMMON, table(count), &[]).expect("rows")
}

fn shown(batches: &[RecordBatch]) -> String {
    String::from_utf8(write("JSONCompactEachRow", COMMON, batches, &[])).expect("text")
}

#[test]
fn values_of_every_type_come_back_in_every_codec() {
    let batches = batches(3000);
    let expected = shown(&batches);
    let (orc, avro) = ("output_format_orc_compression_method", "output_format_avro_codec");
    for (name, settings) in [
        ("ORC", vec![(orc, "none")]),
        ("ORC", vec![(orc, "zlib")]),
        ("ORC", vec![(orc, "snappy"), ("output_format_orc_string_as_string", "0")]),
        ("ORC", vec![(orc, "lz4"), ("output_format_orc_compression_block_size", "1000")]),
        ("ORC", vec![(orc, "zstd"), ("max_memory_usage", "1000000")]),
        ("Avro", vec![(avro, "null"), ("output_format_avro_string_column_pattern", ".")]),
        ("Avro", vec![(avro, "deflate"), ("output_format_avro_sync_interval", "32")]),
        ("Avro", vec![(avro, "snappy"), ("output_format_avro_sync_interval", "1000000")]),
        ("Avro", vec![(avro, "zstd")]),
    ] {
        let bytes = write(name, COMMON, &batches, &settings);
        for chunk in [usize::MAX, 5000] {
            let again = read_in_chunks(name, COMMON, &bytes, &[], chunk).unwrap_or_else(|error| panic!("{name}: {error}"));
            let again = shown(&again);
            for (there, here) in expected.lines().zip(again.lines()) {
                assert_eq!(here, there, "{name} {settings:?}");
            }
            assert_eq!(again.len(), expected.len());
        }
    }
}

#[test]
fn a_block_is_cut_anywhere() {
    let structure = "n Int64, s String, a Array(Nullable(Int8))";
    let lines = "[1,\"x\",[1,null]]\n[2,\"a longer text than twelve\",[]]\n[-3,\"\",[5]]";
    let batches = read("JSONCompactEachRow", structure, lines, &[]).expect("rows");
    for name in ["Avro", "ORC"] {
        let bytes = write(name, structure, &batches, &[]);
        assert_eq!(rows(name, structure, &bytes, &[]), lines, "{name}");
    }
}

#[test]
fn structures_are_those_of_the_files() {
    let structure = "n Int64, s String, o Nullable(Float64), a Array(Nullable(Int32)), t Tuple(x Int8, y Map(String, Bool))";
    let batches =
        read("JSONCompactEachRow", structure, "[1,\"x\",null,[1],{\"x\":1,\"y\":{\"k\":true}}]", &[]).expect("a row");
    let avro = write("Avro", structure, &batches, &[]);
    let narrow = structure.replace("Int8", "Int32");
    assert_eq!(inferred("Avro", &avro, &[]), narrow);
    let orc = write("ORC", structure, &batches, &[]);
    let nullable = "n Nullable(Int64), s Nullable(String), o Nullable(Float64), a Array(Nullable(Int32)), \
        t Nullable(Tuple(x Nullable(Int8), y Map(String, Nullable(Bool))))";
    assert_eq!(inferred("ORC", &orc, &[]), nullable);
    let plain = structure.replace("Nullable(Float64)", "Float64").replace("Nullable(Int32)", "Int32");
    assert_eq!(inferred("ORC", &orc, &[("schema_inference_make_columns_nullable", "0")]), plain);
}

#[test]
fn columns_that_no_column_takes_are_counted() {
    let structure = "a Int64, b String, c Array(Int64)";
    let batches = read("JSONCompactEachRow", structure, "[1,\"x\",[1]]\n[2,\"y\",[]]", &[]).expect("rows");
    for name in ["Avro", "ORC"] {
        let bytes = write(name, structure, &batches, &[]);
        let mut parser =
            parser(format(name), &columns("b String"), &settings(&[]), chrono_tz::Tz::UTC, "data").expect("a parser");
        parser.push(&bytes).expect("rows");
        parser.finish().expect("an end");
        assert_eq!(parser.unknown_fields(), 4, "{name}");
    }
}

#[test]
fn fields_of_records_are_found_by_their_path() {
    let structure = "r Tuple(a Int32, b Tuple(c String, d Int64)), z Int64";
    let batches = read("JSONCompactEachRow", structure, "[{\"a\":1,\"b\":{\"c\":\"x\",\"d\":2}},3]", &[]).expect("a row");
    let bytes = write("Avro", structure, &batches, &[]);
    assert_eq!(rows("Avro", "z Int64, `r.b.d` Int64, `r.a` String", &bytes, &[]), r#"[3,2,"1"]"#);
    // Of ORC it has to be asked for as a whole, and is told so.
    let bytes = write("ORC", structure, &batches, &[]);
    let error = read("ORC", "`r.a` Int32", &bytes, &[]).expect_err("a part");
    assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED);
}

#[test]
fn what_cannot_be_written_is_told_with_what_to_do() {
    use gristmill_formats::{OutputContext, writer};
    let refused = |name: &str, structure: &str, pairs: &[(&str, &str)]| {
        let settings = settings(pairs).into();
        let context = OutputContext { settings, timezone: chrono_tz::Tz::UTC, terminal: false, width: None };
        match writer(format(name), &columns(structure), context) {
            Ok(_) => panic!("{name} takes {structure}"),
            Err(error) => error.code(),
        }
    };
    assert_eq!(refused("Avro", "t Array(IntervalDay)", &[]), ErrorCode::ILLEGAL_COLUMN);
    assert_eq!(refused("Avro", "`a b` UInt8", &[]), ErrorCode::AVRO_EXCEPTION);
    assert_eq!(refused("Avro", "e Enum8('a b' = 1)", &[]), ErrorCode::AVRO_EXCEPTION);
    assert_eq!(refused("ORC", "a Array(IntervalDay)", &[]), ErrorCode::ILLEGAL_COLUMN);
    assert_eq!(refused("Avro", "a Int8", &[("output_format_avro_codec", "xz")]), ErrorCode::BAD_ARGUMENTS);
    assert_eq!(refused("Avro", "a Int8", &[("output_format_avro_sync_interval", "0")]), ErrorCode::AVRO_EXCEPTION);
    assert_eq!(
        refused("Avro", "a Int8", &[("output_format_avro_string_column_pattern", "(")]),
        ErrorCode::CANNOT_COMPILE_REGEXP
    );
    let zone = [("output_format_orc_writer_time_zone_name", "Asia/Tokyo")];
    assert_eq!(refused("ORC", "t DateTime", &zone), ErrorCode::NOT_IMPLEMENTED);
    let large = [("output_format_orc_compression_block_size", "100000000")];
    assert_eq!(refused("ORC", "a Int8", &large), ErrorCode::BAD_ARGUMENTS);
}
