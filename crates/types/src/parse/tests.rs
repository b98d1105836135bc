//! Types and structures as text.

use super::*;

fn canonical(text: &str) -> String {
    text.parse::<SqlType>().expect(text).to_string()
}

#[test]
fn names_come_back_as_clickhouse_writes_them() {
    for text in [
        "Nullable(DateTime64(3, 'UTC'))",
        "Map(LowCardinality(String), Array(UInt8))",
        "Tuple(a Int32, b Nullable(String))",
        "Tuple(Int32, String)",
        "Enum8('a' = 1, 'it\\'s' = 2)",
        "Decimal(18, 4)",
        "FixedString(16)",
        "AggregateFunction(quantile(0.5), UInt8)",
        "SimpleAggregateFunction(sum, UInt64)",
        "SimpleAggregateFunction(groupArrayArray(3), Array(UInt64))",
        "IntervalDay",
        "Tuple(p Point, r Array(Ring), l MultiLineString, m MultiPolygon, n Nullable(Point))",
        "Nested(a UInt8, b Nested(c Nullable(String), `d e` Array(Nested(f Tuple(g Date)))))",
    ] {
        assert_eq!(canonical(text), text);
    }
}

#[test]
fn aliases_of_other_databases_are_known() {
    assert_eq!(canonical("BIGINT UNSIGNED"), "UInt64");
    assert_eq!(canonical("varchar(255)"), "String");
    assert_eq!(canonical("double precision"), "Float64");
    assert_eq!(canonical("Enum('x', 'y')"), "Enum8('x' = 1, 'y' = 2)");
    assert_eq!(canonical("Decimal64(2)"), "Decimal(18, 2)");
}

#[test]
fn aggregate_functions_have_one_form() {
    for (text, expected) in [
        ("AggregateFunction(topK( 3,1 ,'a, b'), UInt8)", "AggregateFunction(topK(3, 1, 'a, b'), UInt8)"),
        ("AggregateFunction(groupConcat(')\\''), String)", "AggregateFunction(groupConcat(')\\''), String)"),
        ("AggregateFunction(f([ 1,2 ]), Map(UInt8, UInt8))", "AggregateFunction(f([1, 2]), Map(UInt8, UInt8))"),
        ("SimpleAggregateFunction( SUM , UInt64)", "SimpleAggregateFunction(sum, UInt64)"),
        ("AggregateFunction(first_valueIf, UInt8, UInt8)", "AggregateFunction(anyIf, UInt8, UInt8)"),
        ("AggregateFunction(medianExact(0.3), UInt8)", "AggregateFunction(quantileExact(0.3), UInt8)"),
        ("AggregateFunction(stddevPop, UInt8)", "AggregateFunction(stddevPop, UInt8)"),
        ("AggregateFunction(STDDEV_POP, UInt8)", "AggregateFunction(stddevPop, UInt8)"),
        ("AggregateFunction(anyHeavy, UInt8)", "AggregateFunction(anyHeavy, UInt8)"),
    ] {
        assert_eq!(canonical(text), expected);
    }
    assert!("AggregateFunction(groupConcat('\\".parse::<SqlType>().is_err());
}

#[test]
fn wrong_types_are_refused() {
    for (text, code) in [
        ("Strng", ErrorCode::UNKNOWN_TYPE),
        ("Nullable(Array(UInt8))", ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT),
        ("Nullable(Ring)", ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT),
        ("LowCardinality(Point)", ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT),
        ("Nullable(Nested(a UInt8))", ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT),
        ("Nested", ErrorCode::EMPTY_DATA_PASSED),
        ("Nested(UInt8)", ErrorCode::SYNTAX_ERROR),
        ("Array(UInt8", ErrorCode::SYNTAX_ERROR),
        ("DateTime('Mars/Olympus')", ErrorCode::BAD_ARGUMENTS),
        ("Decimal(80, 2)", ErrorCode::ARGUMENT_OUT_OF_BOUND),
    ] {
        assert_eq!(text.parse::<SqlType>().expect_err(text).code(), code, "{text}");
    }
}

#[test]
fn structures_list_columns() {
    let columns = structure("a Int32, `b c` Nullable(String), d.e Array(UInt8)").expect("a structure");
    assert_eq!(columns.structure(), "a Int32, `b c` Nullable(String), `d.e` Array(UInt8)");
    let columns = structure("n Nested(a UInt8, b String), c UInt8").expect("a structure");
    assert_eq!(columns.structure(), "`n.a` Array(UInt8), `n.b` Array(String), c UInt8");
    let columns = structure_without_defaults("n Nested(a UInt8, b String), c UInt8", false).expect("a structure");
    assert_eq!(columns.structure(), "n Nested(a UInt8, b String), c UInt8");
    let columns = structure_with_defaults("a UInt8, b UInt8 DEFAULT f(a, ','), c String", true).expect("a structure");
    assert_eq!(columns.0[1].default, Some((DefaultKind::Default, "f(a, ',')".to_string())));
    assert_eq!(columns.0[2].default, None);
    for text in ["a UInt8 DEFAULT", "a UInt8 DEFAULT '", "a UInt8 7"] {
        assert!(structure_with_defaults(text, true).is_err(), "{text}");
    }
    assert_eq!(structure("a UInt8 DEFAULT 7").expect_err("a default").code(), ErrorCode::SYNTAX_ERROR);
    assert_eq!(structure("a Int32, a String").expect_err("twice").code(), ErrorCode::DUPLICATE_COLUMN);
}
