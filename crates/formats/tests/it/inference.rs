//! Schema inference gives what ClickHouse 26.9 gives for the same bytes.

use crate::support::{columns, format, inferred, settings};

#[test]
fn csv_types_come_from_values_and_names_from_a_header() {
    for (data, structure) in [
        ("a,b,c\n1,x,2.5\n2,y,3\n", "a Nullable(Int64), b Nullable(String), c Nullable(Float64)"),
        ("1,x,2.5\n2,y,3\n", "c1 Nullable(Int64), c2 Nullable(String), c3 Nullable(Float64)"),
        ("x,y\nz,w\n", "c1 Nullable(String), c2 Nullable(String)"),
        ("x,y\n1,w\n", "x Nullable(Int64), y Nullable(String)"),
        ("id,name,date\n", "c1 Nullable(String), c2 Nullable(String), c3 Nullable(String)"),
        ("a,b\nString,UInt8\nx,1\n", "a String, b UInt8"),
        ("2020-01-01,b\n1,2\n", "c1 Nullable(String), c2 Nullable(String)"),
        ("name,\"a b\",\n1,2,3\n", "c1 Nullable(String), c2 Nullable(String), c3 Nullable(Int64)"),
        ("\"1\",\"x\"\n\"2\",\"y\"\n", "c1 Nullable(String), c2 Nullable(String)"),
        (" 1 , x \n", "c1 Nullable(Int64), c2 Nullable(String)"),
        ("1,\n2,3\n", "c1 Nullable(Int64), c2 Nullable(Int64)"),
        (
            "true,TRUE,1e5,inf,nan,0x10\n",
            "c1 Nullable(Bool), c2 Nullable(String), c3 Nullable(String), c4 Nullable(Float64), c5 Nullable(Float64), c6 Nullable(String)",
        ),
        (
            "007,+5,1.,.5,1_000,-inf\n",
            "c1 Nullable(Int64), c2 Nullable(Int64), c3 Nullable(Float64), c4 Nullable(Float64), c5 Nullable(String), c6 Nullable(Float64)",
        ),
        ("18446744073709551615,99999999999999999999\n", "c1 Nullable(UInt64), c2 Nullable(Float64)"),
        ("1,1\n1.5,a\n", "c1 Nullable(Float64), c2 Nullable(String)"),
        ("true\n1\n", "c1 Nullable(String)"),
        (
            "\"[1,2]\",\"(1,'a')\",\"{'a':1}\",\"[]\",\"['a']\"\n",
            "c1 Array(Nullable(Int64)), c2 Nullable(String), c3 Map(String, Nullable(Int64)), c4 Nullable(String), c5 Array(Nullable(String))",
        ),
        (
            "\"[1,'a']\",\"['2020-01-01']\",\"[NULL,1]\",\"[[1],[2]]\",\"[true]\"\n",
            "c1 Nullable(String), c2 Array(Nullable(Date)), c3 Array(Nullable(Int64)), c4 Array(Array(Nullable(Int64))), c5 Array(Nullable(Bool))",
        ),
    ] {
        assert_eq!(inferred("CSV", data, &[]), structure, "{data:?}");
    }
}

#[test]
fn dates_and_times_are_told_from_text() {
    for (data, kind) in [
        ("2020-01-01\n", "Date"),
        ("2020/01/01\n", "Date"),
        ("2020-1-1\n", "Date"),
        ("2020-13-01\n", "String"),
        ("20200101\n", "Int64"),
        ("1900-01-01\n", "DateTime64(9)"),
        ("1000-01-01\n", "String"),
        ("2020-01-01 10:00:00\n", "DateTime"),
        ("2020-01-01T10:00:00Z\n", "DateTime"),
        ("2020-01-01T10:00:00+02:00\n", "DateTime"),
        ("2020-01-01 10:00\n", "DateTime"),
        ("2020-01-01 10:00:00.123\n", "DateTime64(9)"),
        ("2200-01-01 00:00:00\n", "DateTime64(9)"),
        ("01/02/2020\n", "DateTime"),
        ("12:00:00\n", "String"),
        ("1.2.3.4\n", "String"),
        ("2020-01-01\n2020-01-01 10:00:00\n", "DateTime"),
        ("2020-01-01 10:00:00\n2020-01-01 10:00:00.5\n", "DateTime64(9)"),
        ("2020-01-01\n5\n", "String"),
    ] {
        assert_eq!(inferred("CSV", data, &[]), format!("c1 Nullable({kind})"), "{data:?}");
    }
}

#[test]
fn settings_have_their_say() {
    let nullable = |value: &str| inferred("CSV", "1,2\n\\N,2\n", &[("schema_inference_make_columns_nullable", value)]);
    assert_eq!(nullable("0"), "c1 Int64, c2 Int64");
    assert_eq!(nullable("1"), "c1 Nullable(Int64), c2 Nullable(Int64)");
    assert_eq!(nullable("2"), "c1 Nullable(Int64), c2 Int64");
    assert_eq!(nullable("3"), "c1 Nullable(Int64), c2 Nullable(Int64)");
    assert_eq!(
        inferred("CSV", "1,2\n", &[("schema_inference_hints", "c1 UInt8, z String")]),
        "c1 UInt8, c2 Nullable(Int64)"
    );
    assert_eq!(
        inferred("CSV", "1,2\nx,y\n", &[("input_format_max_rows_to_read_for_schema_inference", "1")]),
        "c1 Nullable(Int64), c2 Nullable(Int64)"
    );
    assert_eq!(
        inferred("CSV", "a,b\n1,2\n", &[("input_format_csv_detect_header", "0")]),
        "c1 Nullable(String), c2 Nullable(String)"
    );
    assert_eq!(
        inferred("CSV", "junk\na,b\n1,2\n", &[("input_format_csv_skip_first_lines", "1")]),
        "a Nullable(Int64), b Nullable(Int64)"
    );
    assert_eq!(inferred("CSV", "a;b\n1;2\n", &[("format_csv_delimiter", ";")]), "a Nullable(Int64), b Nullable(Int64)");
    let objects = [("input_format_json_try_infer_named_tuples_from_objects", "0")];
    assert_eq!(inferred("JSONEachRow", r#"{"a":{"x":1}}"#, &objects), "a Nullable(String)");
}

#[test]
fn tsv_has_nested_values_without_quotes() {
    let data = "1\t[1,2]\t(1,'a')\t{'a':1}\ttrue\t2020-01-01\t\\N\n";
    let structure = "c1 Nullable(Int64), c2 Array(Nullable(Int64)), c3 Nullable(Tuple(Nullable(Int64), Nullable(String))), \
                     c4 Map(String, Nullable(Int64)), c5 Nullable(Bool), c6 Nullable(Date), c7 Nullable(String)";
    assert_eq!(inferred("TSV", data, &[]), structure);
    assert_eq!(inferred("TSVRaw", data, &[]), structure);
    assert_eq!(inferred("TSV", "a\tb\n1\tx\n", &[]), "a Nullable(Int64), b Nullable(String)");
    assert_eq!(inferred("TSV", "x\ty\n[]\t{}\n", &[]), "x Nullable(String), y Nullable(String)");
    assert_eq!(
        inferred("TSV", "[1,2,'a']\t''\t'x'\n", &[]),
        "c1 Nullable(String), c2 Nullable(String), c3 Nullable(String)"
    );
    assert_eq!(inferred("TSVWithNamesAndTypes", "a\tb\nUInt8\tString\n1\tx\n", &[]), "a UInt8, b String");
    assert_eq!(inferred("TSKV", "a=1\tb=x\na=2\tc=3\n", &[]), "a Nullable(Int64), b Nullable(String), c Nullable(Int64)");
    assert_eq!(
        inferred("Values", "(1,'x',[1,2],1.5,true), (2,NULL,[],2,false)", &[]),
        "c1 Nullable(Int64), c2 Nullable(String), c3 Array(Nullable(Int64)), c4 Nullable(Float64), c5 Nullable(Bool)"
    );
}

#[test]
fn json_objects_are_named_tuples() {
    for (data, structure) in [
        (
            r#"{"a":1,"b":"x","c":1.5,"d":true,"e":null,"f":[1,2],"g":{"x":1,"y":"z"},"h":[{"a":1},{"b":2}]}"#,
            "a Nullable(Int64), b Nullable(String), c Nullable(Float64), d Nullable(Bool), e Nullable(String), \
             f Array(Nullable(Int64)), g Nullable(Tuple(x Nullable(Int64), y Nullable(String))), \
             h Array(Nullable(Tuple(a Nullable(Int64), b Nullable(Int64))))",
        ),
        (
            r#"{"i":"2020-01-01","j":"2020-01-01 00:00:00","k":"2020-01-01T00:00:00.123Z","l":"1"}"#,
            "i Nullable(Date), j Nullable(DateTime), k Nullable(DateTime64(9)), l Nullable(String)",
        ),
        ("{\"a\":1}\n{\"a\":1.5,\"b\":2}\n{\"a\":null}", "a Nullable(Float64), b Nullable(Int64)"),
        ("{\"a\":1}\n{\"a\":\"x\"}", "a Nullable(String)"),
        ("{\"a\":true}\n{\"a\":1}", "a Nullable(Int64)"),
        (r#"{"a":[]}"#, "a Array(Nullable(String))"),
        ("{\"a\":[]}\n{\"a\":[1]}", "a Array(Nullable(Int64))"),
        (r#"{"a":{}}"#, "a Nullable(String)"),
        ("{\"a\":{\"x\":1}}\n{\"a\":{\"y\":\"s\"}}", "a Nullable(Tuple(x Nullable(Int64), y Nullable(String)))"),
        ("{\"a\":{\"x\":1}}\n{\"a\":null}", "a Nullable(Tuple(x Nullable(Int64)))"),
        (r#"{"a":18446744073709551615,"d":1e5,"e":1.0}"#, "a Nullable(UInt64), d Nullable(Float64), e Nullable(Float64)"),
        (r#"[{"a":1},{"a":2}]"#, "a Nullable(Int64)"),
        (r#"{"a.b":1,"c":{"d.e":1}}"#, "`a.b` Nullable(Int64), c Nullable(Tuple(`d.e` Nullable(Int64)))"),
        (
            r#"{"a":[true,1,1.5],"b":["2020-01-01","2020-01-02 00:00:00"]}"#,
            "a Array(Nullable(Float64)), b Array(Nullable(DateTime))",
        ),
    ] {
        assert_eq!(inferred("JSONEachRow", data, &[]), structure, "{data}");
    }
    assert_eq!(inferred("JSON", r#"{"meta":[{"name":"a","type":"UInt8"}],"data":[{"a":1}]}"#, &[]), "a UInt8");
    assert_eq!(inferred("JSON", "{\"a\":1}\n{\"a\":2}", &[]), "a Nullable(Int64)");
    assert_eq!(inferred("JSONCompact", r#"{"meta":[{"name":"a","type":"UInt8"}],"data":[[1]]}"#, &[]), "a UInt8");
    assert_eq!(inferred("JSONCompactEachRow", "[1,\"x\"]\n[2,null]", &[]), "c1 Nullable(Int64), c2 Nullable(String)");
    assert_eq!(
        inferred("JSONCompactEachRowWithNames", "[\"a\",\"b\"]\n[2,null]", &[]),
        "a Nullable(Int64), b Nullable(String)"
    );
    assert_eq!(inferred("JSONCompactEachRowWithNamesAndTypes", "[\"a\"]\n[\"UInt8\"]\n[2]", &[]), "a UInt8");
    assert_eq!(
        inferred("JSONStringsEachRow", r#"{"a":"1","c":"[1,2]","d":"2020-01-01"}"#, &[]),
        "a Nullable(String), c Nullable(String), d Nullable(Date)"
    );
    for (format, structure) in
        [("LineAsString", "line String"), ("JSONAsString", "json String"), ("RawBLOB", "raw_blob String")]
    {
        assert_eq!(inferred(format, "{}", &[]), structure);
    }
}

#[test]
fn what_tells_no_structure_says_why() {
    for (format, data, reason) in [
        ("CSV", "", "the file is empty"),
        ("JSONEachRow", "", "the file is empty"),
        ("CSV", "1,2\n3\n", "rows have different amount of values"),
        ("CSV", "a,a\n1,2\n", "duplicate column name"),
        ("JSONEachRow", r#"{"a":1,"a":2}"#, "duplicate column name"),
        ("JSONEachRow", "{\"a\":{\"x\":1}}\n{\"a\":\"s\"}", "differs from type defined by previous rows: Tuple(x Int64)"),
        ("JSONEachRow", "{\"a\":[1]}\n{\"a\":5}", "differs from type defined by previous rows: Array(Int64)"),
        ("JSONEachRow", "{\"a\":1}\nx", "expected '{' before: 'x'"),
        ("Parquet", "not parquet at all", "Parquet"),
        ("Arrow", "ARROW1\0\0", "ends before the schema"),
        ("Avro", "Obj\u{1}", "ends before its header"),
        ("ORC", "not orc at all", "ORC"),
    ] {
        let message = inferred(format, data, &[]);
        assert!(message.contains(reason) && message.contains("(in file/uri data)"), "{format} {data:?}: {message}");
    }
}

#[test]
fn a_sample_that_ends_within_a_row_tells_what_its_whole_rows_do() {
    let infer = |name: &str, data: &str| {
        gristmill_formats::infer_schema(format(name), data.as_bytes(), false, &settings(&[]), "data").expect("a structure")
    };
    assert_eq!(infer("CSV", "1,2\n3,\"x"), columns("c1 Nullable(Int64), c2 Nullable(Int64)"));
    assert_eq!(infer("TSV", "1\t2\nx"), columns("c1 Nullable(Int64), c2 Nullable(Int64)"));
    assert_eq!(infer("JSONEachRow", "{\"a\":1}\n{\"a\":\"x"), columns("a Nullable(Int64)"));
    assert_eq!(infer("JSONCompactEachRow", "[1]\n[\"x"), columns("c1 Nullable(Int64)"));
}
