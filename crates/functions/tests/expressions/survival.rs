//! No function panics, whatever it is given: every registered function is bound to types drawn at random and computed on
//! columns of edge values. An answer or an error are both right.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, new_null_array};
use datafusion::common::ScalarValue;
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, OnError, cast};
use gristmill_types::default::default_array;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::evaluate::{Evaluator, Value, registry};

const KINDS: [&str; 44] = [
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "UInt128",
    "UInt256",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "Int256",
    "Float32",
    "Float64",
    "Decimal(9, 2)",
    "Decimal(18, 4)",
    "Decimal(38, 10)",
    "Decimal(76, 20)",
    "String",
    "FixedString(5)",
    "Bool",
    "UUID",
    "IPv4",
    "IPv6",
    "Date",
    "Date32",
    "DateTime",
    "DateTime('America/New_York')",
    "DateTime64(3)",
    "DateTime64(9, 'Asia/Kolkata')",
    "DateTime64(0)",
    "Enum8('a' = 1, 'b' = -5)",
    "IntervalDay",
    "IntervalMonth",
    "IntervalNanosecond",
    "Nullable(Int32)",
    "Nullable(String)",
    "Nullable(Nothing)",
    "LowCardinality(String)",
    "Array(UInt8)",
    "Array(Nullable(String))",
    "Array(Int64)",
    "Tuple(UInt8, String)",
    "Map(String, UInt64)",
];

const TEXTS: [&str; 24] = [
    "",
    "a",
    "0",
    "-1",
    "5",
    "255",
    "-9223372036854775808",
    "18446744073709551615",
    "1e308",
    "nan",
    "-inf",
    "2024-02-29",
    "1900-01-01 00:00:00",
    "2299-12-31 23:59:59.999",
    "[1,2]",
    "{'a':1}",
    "(1,'x')",
    "{\"a\":[1,{\"b\":null}]}",
    "%Y-%m-%d",
    "http://a.b/c?d=e#f",
    "\u{fffd}é",
    "day",
    "550e8400-e29b-41d4-a716-446655440000",
    "UInt8",
];

fn column(random: &mut StdRng, kind: &SqlType, rows: usize) -> ArrayRef {
    let options = CastOptions { on_error: OnError::Null, ..CastOptions::default() };
    let texts: ArrayRef = Arc::new(arrow::array::BinaryViewArray::from_iter_values(
        (0..rows).map(|_| TEXTS.choose(random).unwrap().as_bytes()),
    ));
    if kind.is_null_literal() {
        return new_null_array(&kind.arrow(), rows);
    }
    let nullable = kind.clone().nullable();
    match cast(&texts, &SqlType::String, &nullable, &options) {
        Ok(array) if kind.is_nullable() => array,
        Ok(array) => gristmill_types::cast::fill_nulls(&array, kind).unwrap_or_else(|_| default_array(kind, rows)),
        Err(_) => default_array(kind, rows),
    }
}

fn argument(random: &mut StdRng, rows: usize) -> Value {
    let kind: SqlType = KINDS.choose(random).unwrap().parse().unwrap();
    let constant = random.random_bool(0.4);
    let array = column(random, &kind, if constant { 1 } else { rows });
    Value { kind, array, constant }
}

#[test]
fn no_function_panics() {
    let mut failures = Vec::new();
    for (name, aggregate) in registry().list() {
        // These wait, or make as much as they are asked for.
        if aggregate || name.starts_with("sleep") {
            continue;
        }
        let mut random = StdRng::seed_from_u64(name.bytes().map(u64::from).sum());
        for round in 0..150 {
            let rows = *[0, 1, 3].choose(&mut random).unwrap();
            let count = random.random_range(0..=4);
            let arguments: Vec<Value> = (0..count).map(|_| argument(&mut random, rows)).collect();
            let shown: Vec<String> = arguments
                .iter()
                .map(|argument| match argument.constant {
                    true => format!("{} = {:?}", argument.kind, ScalarValue::try_from_array(&argument.array, 0)),
                    false => argument.kind.to_string(),
                })
                .collect();
            let called =
                catch_unwind(AssertUnwindSafe(|| Evaluator::new(rows).call(name, arguments).map(|value| value.array.len())));
            if called.is_err() {
                failures.push(format!("{name}({}) of {rows} rows, round {round}", shown.join(", ")));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} functions panic:\n{}", failures.len(), failures.join("\n"));
}
