//! A table with every usual type is written in each format and read again: nothing changes.

use crate::support::{columns, format, inferred, read, read_in_chunks, settings, write};
use arrow::array::RecordBatch;
use gristmill_formats::{Format, Part, header_length, part_parser, split_rows};

const STRUCTURE: &str = "i8 Int8, u64 UInt64, i128 Int128, f32 Float32, f64 Float64, d Decimal(18, 4), b Bool, s String, \
     fs FixedString(4), day Date, day32 Date32, t DateTime('UTC'), t64 DateTime64(3, 'UTC'), id UUID, v4 IPv4, v6 IPv6, \
     e Enum8('one' = 1, 'two' = 2), lc LowCardinality(String), n Nullable(Int32), ns Nullable(String), a Array(Int32), \
     aa Array(Array(Nullable(String))), m Map(String, UInt8)";

/// The same without what a format cannot carry.
const PLAIN: &str = "i8 Int8, u64 UInt64, f64 Float64, b Bool, s String, day Date, day32 Date32, t DateTime('UTC'), \
     t64 DateTime64(3, 'UTC'), n Nullable(Int32), ns Nullable(String), a Array(Int32), aa Array(Array(Nullable(String))), \
     m Map(String, UInt8), d Decimal(18, 4), tu Tuple(x Int32, y String)";

fn table(structure: &str, rows: usize) -> Vec<RecordBatch> {
    let mut json = String::new();
    for i in 0..rows {
        let null = i % 3 == 0;
        let text = [
            "plain",
            "it's \\\"quoted\\\"",
            "tab\\t and\\nline",
            "comma, semicolon;",
            "back\\\\slash",
            "größe 😀",
            "",
            "\\r",
        ][i % 8];
        json.push_str(&format!(
            r#"{{"i8":{},"u64":{},"i128":"{}","f32":{},"f64":{},"d":"{}","b":{},"s":"{text}","fs":"ab{}","day":"2024-02-{:02}",
               "day32":"1950-01-{:02}","t":"2024-05-06 07:08:{:02}","t64":"2024-05-06 07:08:09.{:03}",
               "id":"61f0c404-5cb3-11e7-907b-a6006ad3db{:02x}","v4":"10.0.0.{}","v6":"2001:db8::{}","e":"{}","lc":"{text}",
               "n":{},"ns":{},"a":[{i},-1],"aa":[["{text}",null],[]],"m":{{"k{i}":{}}},"tu":{{"x":{i},"y":"{text}"}}}}
            "#,
            i as i64 % 256 - 128,
            u64::MAX - i as u64,
            i128::MAX - i as i128,
            i as f32 / 4.0,
            i as f64 / 3.0,
            i as f64 / 8.0,
            i % 2 == 0,
            i % 10,
            i % 28 + 1,
            i % 28 + 1,
            i % 60,
            i % 1000,
            i % 256,
            i % 256,
            i % 256,
            if i % 2 == 0 { "one" } else { "two" },
            if null { "null".to_string() } else { i.to_string() },
            if null { "null".to_string() } else { format!("\"{text}\"") },
            i % 256,
        ));
    }
    read("JSONEachRow", structure, json, &[]).expect("rows")
}

#[test]
fn text_formats_give_back_what_was_written() {
    let batches = table(STRUCTURE, 60);
    for name in [
        "CSV",
        "CSVWithNames",
        "CSVWithNamesAndTypes",
        "TSV",
        "TSVWithNames",
        "TSVWithNamesAndTypes",
        "JSONEachRow",
        "JSONCompactEachRow",
        "JSONCompactEachRowWithNames",
        "JSONCompactEachRowWithNamesAndTypes",
        "JSON",
        "JSONCompact",
        "JSONStringsEachRow",
        "JSONCompactStringsEachRow",
        "Values",
        "TSKV",
    ] {
        let bytes = write(name, STRUCTURE, &batches, &[]);
        for chunk in [usize::MAX, 1000, 61] {
            let again =
                read_in_chunks(name, STRUCTURE, &bytes, &[], chunk).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_same(&again, &batches, STRUCTURE, name);
        }
    }
}

/// Compared as text: batches may be cut elsewhere.
fn assert_same(again: &[RecordBatch], batches: &[RecordBatch], structure: &str, name: &str) {
    let shown =
        |batches: &[RecordBatch]| String::from_utf8(write("JSONCompactEachRow", structure, batches, &[])).expect("text");
    for (a, b) in shown(again).lines().zip(shown(batches).lines()) {
        assert_eq!(a, b, "{name}");
    }
    let count = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(count(again), count(batches), "{name}");
}

#[test]
fn columnar_formats_give_back_what_was_written() {
    for structure in [STRUCTURE, PLAIN] {
        let batches = table(structure, 1000);
        for name in ["Parquet", "Arrow", "ArrowStream"] {
            let bytes = write(name, structure, &batches, &[]);
            for chunk in [usize::MAX, 777] {
                let again =
                    read_in_chunks(name, structure, &bytes, &[], chunk).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_same(&again, &batches, structure, name);
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_go_there_and_back() {
    let structure = "s String, n Nullable(String), l LowCardinality(String)";
    let data = b"\xff\xfe\t\x80\t\x81\ntext\t\\N\tmore than twelve bytes, and no text: \xfd\n";
    let batches = read("TSV", structure, data, &[]).expect("rows");
    for (name, setting) in [
        ("Parquet", "output_format_parquet_string_as_string"),
        ("Arrow", "output_format_arrow_string_as_string"),
        ("ArrowStream", "output_format_arrow_string_as_string"),
        ("ORC", "output_format_orc_string_as_string"),
    ] {
        for as_string in ["1", "0"] {
            let bytes = write(name, structure, &batches, &[(setting, as_string)]);
            let again = read(name, structure, &bytes, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(write("TSV", structure, &again, &[]), data, "{name}");
        }
    }
}

#[test]
fn columnar_formats_tell_their_structure() {
    let structure = "i Int32, s String, n Nullable(Float64), a Array(Int64), d Date32";
    let batches =
        read("JSONEachRow", structure, r#"{"i":1,"s":"x","n":1.5,"a":[1,2],"d":"2024-01-02"}"#, &[]).expect("a row");
    for name in ["Parquet", "Arrow", "ArrowStream"] {
        assert_eq!(inferred(name, write(name, structure, &batches, &[]), &[]), structure, "{name}");
    }
}

#[test]
fn columns_are_matched_by_name_and_converted() {
    let batches = read("CSV", "a Int32, b String, c Int64", "1,x,7\n2,y,8\n", &[]).expect("rows");
    for name in ["Parquet", "Arrow", "ArrowStream", "Avro", "ORC"] {
        let bytes = write(name, "a Int32, b String, c Int64", &batches, &[]);
        let lenient = [("input_format_avro_allow_missing_fields", "1")];
        let again = read(name, "c UInt8, z String, a Int64", &bytes, &lenient).expect("rows");
        assert_eq!(write("CSV", "c UInt8, z String, a Int64", &again, &[]), b"7,\"\",1\n8,\"\",2\n", "{name}");
        let strict = [
            "input_format_parquet_allow_missing_columns",
            "input_format_arrow_allow_missing_columns",
            "input_format_orc_allow_missing_columns",
        ];
        let strict = read(name, "z String", &bytes, &strict.map(|setting| (setting, "0")));
        assert_eq!(strict.expect_err("no such column").code(), gristmill_base::ErrorCode::THERE_IS_NO_COLUMN);
    }
}

#[test]
fn data_that_was_cut_off_is_noticed() {
    let batches = table(PLAIN, 100);
    for name in ["Parquet", "Arrow", "ArrowStream", "Avro", "ORC", "JSON", "JSONCompact"] {
        let bytes = write(name, PLAIN, &batches, &[]);
        for cut in [bytes.len() / 2, bytes.len() - 20] {
            assert!(read(name, PLAIN, &bytes[..cut], &[]).is_err(), "{name} cut at {cut} of {}", bytes.len());
        }
    }
}

#[test]
fn parts_parsed_on_their_own_give_the_whole() {
    let batches = table(STRUCTURE, 500);
    for name in ["CSV", "CSVWithNames", "TSV", "TSVWithNamesAndTypes", "JSONEachRow", "JSONCompactEachRowWithNames", "TSKV"]
    {
        let bytes = write(name, STRUCTURE, &batches, &[]);
        let (kind, wanted, settings): (Format, _, _) = (format(name), columns(STRUCTURE), settings(&[]));
        let header = header_length(kind, &wanted, &settings, &bytes).expect("readable").expect("whole");
        let all: Vec<usize> = (0..wanted.len()).collect();
        let (header, mut rest) = bytes.split_at(header);
        let mut again = Vec::new();
        let mut rows = 0;
        while !rest.is_empty() {
            let near = rest.len().min(5000);
            let border = if near == rest.len() { near } else { split_rows(kind, &rest[..near]).expect("a border") };
            let part = Part { header, first_row: Some(rows) };
            let mut parser =
                part_parser(kind, &wanted, &all, &settings, chrono_tz::Tz::UTC, "data", Some(part)).expect("a parser");
            let mut part = parser.push(&rest[..border]).expect("rows");
            part.extend(parser.finish().expect("an end"));
            rows += part.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
            again.extend(part);
            rest = &rest[border..];
        }
        assert_same(&again, &batches, STRUCTURE, name);
    }
}

#[test]
fn parquet_has_the_codec_and_the_row_groups_that_were_asked_for() {
    use parquet::basic::Compression;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let batches = table(PLAIN, 1000);
    let pairs = [("output_format_parquet_row_group_size", "300"), ("output_format_parquet_compression_method", "snappy")];
    for (pairs, groups, is_codec) in [
        (&pairs[..], 4, (|codec| codec == Compression::SNAPPY) as fn(Compression) -> bool),
        (&[][..], 1, |codec| matches!(codec, Compression::ZSTD(_))),
    ] {
        let file = SerializedFileReader::new(bytes::Bytes::from(write("Parquet", PLAIN, &batches, pairs))).expect("a file");
        assert_eq!(file.metadata().num_row_groups(), groups);
        assert!(is_codec(file.metadata().row_group(0).column(0).compression()));
        let leaf = file.metadata().file_metadata().schema_descr().column(4);
        assert_eq!(leaf.logical_type_ref(), Some(&parquet::basic::LogicalType::String), "{}", leaf.name());
    }
}

#[test]
fn columns_that_nobody_wants_are_passed_over() {
    let structure = "a Int32, t Tuple(x Int32, y String), b String, c Int32";
    let batches = read("JSONEachRow", structure, r#"{"a":1,"t":{"x":2,"y":"z"},"b":"s","c":3}"#, &[]).expect("a row");
    for name in [
        "CSV",
        "CSVWithNames",
        "TSV",
        "TSVWithNamesAndTypes",
        "JSONEachRow",
        "JSONCompactEachRow",
        "JSONCompact",
        "JSON",
        "TSKV",
        "Values",
        "Parquet",
        "ArrowStream",
        "Avro",
        "ORC",
    ] {
        let bytes = write(name, structure, &batches, &[]);
        for (wanted, expected) in [(&[3, 1][..], "c Int32, t Tuple(x Int32, y String)"), (&[2], "b String"), (&[], "")] {
            let mut parser =
                part_parser(format(name), &columns(structure), wanted, &settings(&[]), chrono_tz::Tz::UTC, "data", None)
                    .expect("a parser");
            let mut parsed = parser.push(&bytes).expect("rows");
            parsed.extend(parser.finish().expect("an end"));
            assert_eq!(parsed.iter().map(RecordBatch::num_rows).sum::<usize>(), 1, "{name}");
            let given = batches[0].project(wanted).expect("columns");
            if !wanted.is_empty() {
                assert_eq!(write("CSV", expected, &parsed, &[]), write("CSV", expected, &[given], &[]), "{name}");
            }
        }
    }
}
