//! What is read from text: values, quirks of the formats, mistakes and how they are told.

use crate::support::{error, read, rows};

#[test]
fn csv_fields_with_quotes_spaces_and_defaults() {
    for (data, structure, expected) in [
        ("1,a\n2,b", "a Int32, b String", "[1,\"a\"]\n[2,\"b\"]"),
        ("1,a\r\n2,b\r\n", "a Int32, b String", "[1,\"a\"]\n[2,\"b\"]"),
        (" 1 , x y ,\"  z \"\n", "a Int32, b String, c String", "[1,\"x y\",\"  z \"]"),
        ("1,\"a\"\"b\"\n", "a Int32, b String", "[1,\"a\\\"b\"]"),
        ("1,a\"b\n", "a Int32, b String", "[1,\"a\\\"b\"]"),
        ("1,\"line\nbreak\"\n", "a Int32, b String", "[1,\"line\\nbreak\"]"),
        ("1,\n", "a Int32, b Int32", "[1,0]"),
        (",\n", "a String, b Nullable(Int32)", "[\"\",null]"),
        ("\"\",\"\"\n", "a String, b Nullable(String)", "[\"\",\"\"]"),
        ("\\N,\\N\n", "a Int32, b Nullable(String)", "[0,null]"),
        ("1,2,\n", "a Int32, b Int32", "[1,2]"),
        (
            "\"[1,2]\",\"{'a':1}\",1,x\n",
            "a Array(Int32), b Map(String, Int32), c Tuple(Int32, String)",
            "[[1,2],{\"a\":1},[1,\"x\"]]",
        ),
        ("\u{feff}1,2\n", "a Int32, b Int32", "[1,2]"),
        (
            "2020-01-01,2020-01-01 00:00:01,2020-01-01T00:00:00Z\n",
            "a Date, b DateTime('UTC'), c DateTime64(3, 'UTC')",
            "[\"2020-01-01\",\"2020-01-01 00:00:01\",\"2020-01-01 00:00:00.000\"]",
        ),
    ] {
        assert_eq!(rows("CSV", structure, data, &[]), expected, "{data:?}");
    }
}

#[test]
fn csv_dialects() {
    assert_eq!(rows("CSV", "a Int32, b String", "1;x\n", &[("format_csv_delimiter", ";")]), "[1,\"x\"]");
    assert_eq!(rows("CSV", "a String, b Int32", "'a''b',1\n", &[("format_csv_allow_single_quotes", "1")]), "[\"a'b\",1]");
    let variable = [("input_format_csv_allow_variable_number_of_columns", "1")];
    assert_eq!(rows("CSV", "a Int32, b Int32, c Int32", "1,2\n1,2,3,4\n", &variable), "[1,2,0]\n[1,2,3]");
    assert_eq!(rows("CSV", "a Int32", "junk \"\n1\n", &[("input_format_csv_skip_first_lines", "1")]), "[1]");
    let skip = [("input_format_csv_skip_first_lines", "1")];
    assert_eq!(rows("CSV", "a Int32, b Int32", "junk\nb,a\n1,2\n", &skip), "[2,1]");
}

#[test]
fn headers_name_the_columns() {
    assert_eq!(rows("CSV", "a Int32, b Int32", "a,b\n1,2\n", &[]), "[1,2]");
    assert_eq!(rows("CSV", "a Int32, b Int32", "b,a\n1,2\n", &[]), "[2,1]");
    assert_eq!(rows("CSVWithNames", "a Int32, b Int32", "b,a,z\n1,2,3\n", &[]), "[2,1]");
    assert_eq!(rows("CSVWithNames", "a Int32, b Int32", "b,z\n1,3\n", &[]), "[0,1]");
    assert_eq!(rows("TSVWithNames", "a Int32, b Int32", "b\ta\n1\t2\n", &[]), "[2,1]");
    assert_eq!(rows("JSONCompactEachRowWithNames", "a Int32, b String", "[\"b\",\"a\"]\n[\"x\",1]", &[]), "[1,\"x\"]");
    let (code, message) = error("CSVWithNames", "b Int32", "b,z\n1,3\n", &[("input_format_skip_unknown_fields", "0")]);
    assert_eq!(code, 117);
    assert!(message.contains("'z'"), "{message}");
    let (code, message) = error("CSVWithNamesAndTypes", "a Int32, b Int32", "a,b\nInt32,String\n1,2\n", &[]);
    assert_eq!(code, 117);
    assert!(message.contains("'b'") && message.contains("String"), "{message}");
}

#[test]
fn tsv_escapes() {
    assert_eq!(rows("TSV", "a Int32, b String", "1\tx\\ty\\nz\\\\\n", &[]), "[1,\"x\\ty\\nz\\\\\"]");
    assert_eq!(rows("TSV", "a Int32, b String", "1\ta\\\nb\n", &[]), "[1,\"a\\\\\\nb\"]");
    assert_eq!(rows("TSV", "a Nullable(Int32), b String", "\\N\t\\N\n", &[]), "[null,\"\"]");
    assert_eq!(rows("TSV", "a Int32, b Nullable(String)", "\t\n", &[]), "[0,\"\"]");
    assert_eq!(rows("TSV", "a String, b Nullable(Int32)", "\t\n", &[]), "[\"\",0]");
    assert_eq!(error("TSV", "a Float64, b Int32", "\t1\n", &[]).0, 72);
    assert_eq!(
        rows("TSV", "a Array(Int32), b Map(String, Int32), c Tuple(Int32, String)", "[1,2]\t{'a':1}\t(1,'x')\n", &[]),
        "[[1,2],{\"a\":1},[1,\"x\"]]"
    );
    assert_eq!(rows("TSVRaw", "a Int32, b String", "1\tx\\ty\n", &[]), "[1,\"x\\\\ty\"]");
    assert_eq!(rows("TSKV", "a Int32, b String", "a=1\tb=x\\=y\nb=z", &[]), "[1,\"x=y\"]\n[0,\"z\"]");
    assert_eq!(rows("TSV", "a Int32, b String", "1\tx\r\n", &[("input_format_tsv_crlf_end_of_line", "1")]), "[1,\"x\"]");
}

#[test]
fn json_values_go_into_typed_columns() {
    for (data, structure, expected) in [
        (r#"{"a":"12"}"#, "a Int32", "[12]"),
        (r#"{"a":true}"#, "a Int32", "[1]"),
        (r#"{"a":1}"#, "a Bool", "[true]"),
        (r#"{"a":1}"#, "a String", "[\"1\"]"),
        (r#"{"a":null}"#, "a Int32", "[0]"),
        (r#"{"a":1,"z":{"deep":[1,"}"]}}"#, "a Int32", "[1]"),
        (r#"{"b":2}"#, "a Int32, b Int32", "[0,2]"),
        (r#"{"A":1}"#, "a Int32", "[1]"),
        (r#"{"a":1,"a":2}"#, "a Int32", "[1]"),
        (r#"{"a":{"x":1,"y":[1,2]}}"#, "a String", r#"["{\"x\":1,\"y\":[1,2]}"]"#),
        (r#"{"a":{"x":1}}"#, "a Tuple(x Int32, y String)", r#"[{"x":1,"y":""}]"#),
        (r#"{"a":[[1,2],[3]]}"#, "a Array(Array(Int32))", "[[[1,2],[3]]]"),
        (r#"{"a":{"k":1}}"#, "a Map(String, Int32)", r#"[{"k":1}]"#),
        (r#"{"a":"\u00e9\ud83d\ude00\n"}"#, "a String", "[\"é😀\\n\"]"),
        ("{\"a\":1}{\"a\":2},{\"a\":3}", "a Int32", "[1]\n[2]\n[3]"),
        ("[{\"a\":1},\n{\"a\":2}]", "a Int32", "[1]\n[2]"),
    ] {
        assert_eq!(rows("JSONEachRow", structure, data, &[]), expected, "{data}");
    }
    assert_eq!(error("JSONEachRow", "a Int32, b Int32", r#"{"a":1,"a":2}"#, &[]).0, 117);
    assert_eq!(
        error("JSONEachRow", "a Int32", r#"{"a":1,"a":2}"#, &[("input_format_json_ignore_unnecessary_fields", "0")]).0,
        117
    );
    assert_eq!(rows("JSONStringsEachRow", "a Int32, b Array(Int32)", r#"{"a":"1","b":"[1,2]"}"#, &[]), "[1,[1,2]]");
    let document = r#"{"meta":[{"name":"a","type":"Int32"}],"data":[{"a":1},{"a":2}],"rows":2}"#;
    assert_eq!(rows("JSON", "a Int32", document, &[]), "[1]\n[2]");
    let compact = r#"{"meta":[{"name":"b","type":"Int32"},{"name":"a","type":"Int32"}],"data":[[1,5],[2,6]],"rows":2}"#;
    assert_eq!(rows("JSONCompact", "a Int32, b Int32", compact, &[]), "[5,1]\n[6,2]");
}

#[test]
fn strings_and_literals() {
    assert_eq!(rows("Values", "a Int32, b String", "(1,'a'),(2,'b\\'c')", &[]), "[1,\"a\"]\n[2,\"b'c\"]");
    assert_eq!(rows("LineAsString", "line String", "a\nb\r\n\nc", &[]), "[\"a\"]\n[\"b\\r\"]\n[\"\"]\n[\"c\"]");
    assert_eq!(
        rows("JSONAsString", "j String", "{\"a\":1}\n{\"b\":[2]}", &[]),
        "[\"{\\\"a\\\":1}\"]\n[\"{\\\"b\\\":[2]}\"]"
    );
    assert_eq!(rows("RawBLOB", "x String", "a\nb", &[]), "[\"a\\nb\"]");
    assert_eq!(error("LineAsString", "a Int32", "a\nb", &[]).0, 80);
}

#[test]
fn bytes_that_are_not_utf8_pass_unharmed() {
    use arrow::array::AsArray;
    let value = b"\xff\xfe\x80 caf\xe9";
    let csv = [&value[..], b",1\n"].concat();
    let json = [&b"{\"s\":\""[..], value, b"\"}\n"].concat();
    for (format, structure, data) in [
        ("CSV", "s String, n Int32", csv.clone()),
        ("TSV", "s String", [&value[..], b"\n"].concat()),
        ("JSONEachRow", "s String", json),
    ] {
        let batches = read(format, structure, &data, &[]).expect("rows");
        assert_eq!(batches[0].column(0).as_binary_view().value(0), value, "{format}");
    }
}

#[test]
fn mistakes_are_told_with_their_row_and_column() {
    for (format, structure, data, code, told) in [
        ("CSV", "a Int32, b Int32", "1,2\n3\n", 27, "(at row 2)"),
        ("CSV", "a Int32, b Int32", "1,2,3\n", 117, "(at row 1)"),
        ("CSV", "a Int32, b UInt8", "1,-5\n", 72, "column 'b'"),
        ("CSV", "a Int32, b String", "1,\"abc\"x\n", 117, "closing quote"),
        ("CSV", "a Int32, b String", "1,a\n2,\"abc\n", 33, "(at row 2)"),
        ("TSV", "a Int32, b String", "1\n", 27, "column 'b'"),
        ("TSV", "a Int32, b String", "1\tx\ty\n", 27, "(at row 1)"),
        ("TSV", "a Int32, b String", "1\tx\r\n", 117, "input_format_tsv_crlf_end_of_line"),
        ("JSONEachRow", "a Int32", "{\"a\":1}\n{\"a\":1", 33, "(at row 2)"),
        ("JSONEachRow", "a Int32", "x", 27, "expected '{' before: 'x'"),
        ("JSONCompactEachRow", "a Int32, b String", "[1,\"x\"]\n[2]", 27, "(at row 2)"),
        ("JSONCompactEachRow", "a Int32, b String", "[1,\"x\",3]", 27, "(at row 1)"),
        ("JSON", "a Int32", r#"{"meta":[{"name":"a","type":"Int32"}],"data":[{"a":1},"#, 33, "(at row 2)"),
        ("Values", "a Int32, b String", "(1,'a',3)", 62, "(at row 1)"),
        ("Values", "a Int32, b String", "(1)", 62, "column 'b'"),
        ("JSONEachRow", "a Nullable(Int32)", "{\"a\":[1]}", 27, "column 'a'"),
    ] {
        let (found, message) = error(format, structure, data, &[]);
        assert_eq!(found, code, "{format} {data:?}: {message}");
        assert!(message.contains(told), "{format} {data:?}: {message}");
        assert!(message.contains("(in file/uri data"), "{message}");
    }
}

#[test]
fn rows_with_mistakes_are_left_out_as_far_as_allowed() {
    let one = [("input_format_allow_errors_num", "1")];
    assert_eq!(rows("CSV", "a Int32, b Int32", "1,2\nz,3\n4,5", &one), "[1,2]\n[4,5]");
    assert_eq!(rows("JSONEachRow", "a Int32", "{\"a\":1}\nbad\n{\"a\":2}", &one), "[1]\n[2]");
    assert_eq!(rows("JSONEachRow", "a Int32", "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":2}", &one), "[1]\n[2]");
    assert_eq!(rows("TSV", "a Int32, b Int32", "1\t2\n3\n4\t5\n", &one), "[1,2]\n[4,5]");
    let (_, message) = error("CSV", "a Int32, b Int32", "1,2\nz,3\nz,5", &one);
    assert!(message.contains("(at row 3)"), "{message}");
    let half = [("input_format_allow_errors_ratio", "0.5")];
    assert_eq!(rows("CSV", "a Int32", "1\nx\n2\ny\n", &half), "[1]\n[2]");
}

#[test]
fn a_number_that_does_not_fit_keeps_its_low_bits() {
    for (format, data) in [("CSV", "300\n"), ("TSV", "300\n"), ("JSONEachRow", "{\"a\":300}")] {
        assert_eq!(rows(format, "a UInt8", data, &[]), "[44]");
    }
    let (_, message) = error("CSV", "a UInt8", "-1\n", &[]);
    assert!(message.contains("-1") && message.contains("UInt8") && message.contains("column 'a'"), "{message}");
}

#[test]
fn what_is_no_file_of_the_format_is_told() {
    for (format, data) in [
        ("Parquet", "not parquet, not at all"),
        ("Arrow", "no arrow"),
        ("ArrowStream", "no arrow stream here"),
        ("Avro", "no avro"),
        ("ORC", "no orc"),
    ] {
        let error = read(format, "a Int32", data, &[]).expect_err("no such file");
        assert!(error.message().contains(&format!("(in file/uri data, format {format})")), "{error}");
        assert_ne!(error.code(), gristmill_base::ErrorCode::LOGICAL_ERROR, "{error}");
    }
}
