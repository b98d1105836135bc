//! Template as it is read: rows that are texts with places for fields, in a text around them.

use crate::support::{error, inferred, rows};

fn row(template: &str) -> [(&'static str, &str); 1] {
    [("format_template_row_format", template)]
}

#[test]
fn fields_are_read_by_the_rule_of_their_place() {
    let structure = "a Int32, b String";
    let expected = "[1,\"foo\"]\n[2,\"bar\"]";
    for (template, data) in [
        ("x=${a:CSV},y=${b:JSON}", "x=1,y=\"foo\"\nx=2,y=\"bar\""),
        ("${b:Quoted}: ${0:Escaped}", "'foo': 1\n'bar': 2"),
        ("x=${a:CSV} ${b:Raw}", "x=1 foo\nx=2 bar"),
        ("$$${a:JSON}|${:CSV}|${b:CSV}", "$1|skipped|foo\n$2|\"x|y\"|\"bar\""),
    ] {
        assert_eq!(rows("Template", structure, data, &row(template)), expected, "{template}");
    }
    assert_eq!(rows("Template", structure, "x=7", &row("x=${a:CSV}")), "[7,\"\"]");
    let commas = [("format_template_row_format", "${a:CSV}"), ("format_template_rows_between_delimiter", ",")];
    assert_eq!(rows("Template", "a Int32", "1,2,3", &commas), "[1]\n[2]\n[3]");
}

#[test]
fn what_stands_around_the_rows_is_passed_over() {
    let settings = |result| [("format_template_row_format", "${a:JSON}"), ("format_template_resultset_format", result)];
    assert_eq!(rows("Template", "a Int32", "HEAD\n1\n2\nTAIL", &settings("HEAD\n${data}\nTAIL")), "[1]\n[2]");
    assert_eq!(rows("Template", "a Int32", "n=2:1\n2;", &settings("n=${:CSV}:${data};")), "[1]\n[2]");
    assert_eq!(rows("Template", "a Int32", "HEAD\nTAIL", &settings("HEAD\n${data}TAIL")), "");
    assert_eq!(error("Template", "a Int32", "HEAD\n1\n2", &settings("HEAD\n${data}\nTAIL")).0, 27);
}

#[test]
fn spaces_between_fields_and_delimiters_are_ignored_where_asked() {
    let settings = [
        ("format_template_row_format", "{${}\"a\"${}:${a:JSON},${}\"b\"${}:${b:JSON}}"),
        ("format_template_rows_between_delimiter", ","),
    ];
    let data = "{ \"a\" : 1 , \"b\":\"foo\"},  {\"a\":2,\n\"b\" : \"x\" }\n";
    assert_eq!(rows("TemplateIgnoreSpaces", "a Int32, b String", data, &settings), "[1,\"foo\"]\n[2,\"x\"]");
}

#[test]
fn rows_that_do_not_fit_are_mistakes() {
    let structure = "a Int32, b String";
    let template = row("x=${a:CSV},y=${b:JSON}");
    assert_eq!(error("Template", structure, "x=1;y=\"foo\"", &template).0, 27);
    assert_eq!(error("Template", structure, "x=1,y=\"foo\"\n", &template).0, 27);
    let allowed = [template[0], ("input_format_allow_errors_num", "1")];
    let data = "x=1,y=\"foo\"\nx=oops,y=\"bar\"\nx=3,y=\"z\"";
    assert_eq!(rows("Template", structure, data, &allowed), "[1,\"foo\"]\n[3,\"z\"]");
    for (wrong, code) in [
        ("", 474),
        ("x=${a:CSV} ${a:CSV}", 474),
        ("x=${q:CSV}", 474),
        ("x=${a}", 474),
        ("x=${a:XML}", 474),
        ("x=${a:Other}", 36),
        ("${b:Escaped}|${a:CSV}", 36),
    ] {
        assert_eq!(error("Template", structure, "x=1", &row(wrong)).0, code, "{wrong}");
    }
    let endless = [("format_template_row_format", "${a:Escaped}"), ("format_template_rows_between_delimiter", "")];
    assert_eq!(error("Template", "a String", "x\ny", &endless).0, 27);
    let file = [("format_template_row", "/etc/passwd")];
    assert_eq!(error("Template", structure, "x=1", &file).0, 48);
}

#[test]
fn columns_are_named_by_the_template() {
    let template = row("x=${a:CSV},y=${b:JSON}");
    assert_eq!(inferred("Template", "x=1,y=\"foo\"", &template), "a Nullable(Int64), b Nullable(String)");
    assert_eq!(inferred("Template", "x=1,y=\"f\"\nx=zz,y=\"f\"", &template), "a Nullable(String), b Nullable(String)");
}
