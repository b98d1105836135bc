//! Every aggregate function over the same rows, compared with what ClickHouse printed: over no rows, over all, by groups.
//! `aggregates/rows.tsv` has the rows (names, types, values), `aggregates/expected.tsv` a call a line.
//!
//! Each call runs on one partition, and (unless the order of rows matters) on several with small batches, where partial
//! states are merged; each as expected.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::MemTable;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::AggregateFunction as AggregateExpr;
use datafusion::logical_expr::{Expr, col, lit};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use gristmill_functions::{Argument, BoundAggregate, FunctionEnv, Registry, cast_expr, resolve_aggregate};
use gristmill_types::SqlType;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::text::{TextOptions, ValueWriter};

struct Rows {
    names: Vec<String>,
    kinds: Vec<SqlType>,
    schema: SchemaRef,
    columns: Vec<ArrayRef>,
}

fn rows() -> Rows {
    let mut lines = include_str!("aggregates/rows.tsv").lines();
    let names: Vec<String> = lines.next().unwrap().split('\t').map(str::to_string).collect();
    let kinds: Vec<SqlType> = lines.next().unwrap().split('\t').map(|kind| kind.parse().unwrap()).collect();
    let mut builders: Vec<ColumnBuilder> =
        kinds.iter().map(|kind| ColumnBuilder::new(kind, &ParseOptions::default()).unwrap()).collect();
    for line in lines {
        for (builder, value) in builders.iter_mut().zip(line.split('\t')) {
            builder.append_text(value.as_bytes(), Escaping::TsvEscaped).unwrap();
        }
    }
    let fields: Vec<_> = names.iter().zip(&kinds).map(|(name, kind)| kind.field(name)).collect();
    let columns = builders.into_iter().map(|mut builder| builder.finish()).collect();
    Rows { names, kinds, schema: Arc::new(Schema::new(fields)), columns }
}

fn env() -> FunctionEnv {
    FunctionEnv {
        timezone: Arc::from("UTC"),
        database: Arc::from("default"),
        user: Arc::from("default"),
        query_id: Arc::from("test"),
        now_micros: 0,
        cast_keep_nullable: false,
        date_time_input_format: Arc::from("basic"),
    }
}

/// `quantile(0.9)` as name and parameters.
fn call(text: &str) -> (&str, Vec<ScalarValue>) {
    let Some((name, parameters)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return (text, Vec::new());
    };
    // A comma within quotes is no separator.
    let (mut parts, mut current, mut quoted) = (Vec::new(), String::new(), false);
    for c in parameters.chars() {
        match c {
            ',' if !quoted => parts.push(std::mem::take(&mut current)),
            '\'' => {
                quoted = !quoted;
                current.push(c);
            }
            c => current.push(c),
        }
    }
    parts.push(current);
    let parameters = parts.iter().map(|part| {
        let part = part.trim();
        match part.strip_prefix('\'').and_then(|part| part.strip_suffix('\'')) {
            Some(text) => ScalarValue::BinaryView(Some(text.as_bytes().to_vec())),
            None => match part.parse::<u64>() {
                Ok(number) => ScalarValue::UInt64(Some(number)),
                Err(_) => ScalarValue::Float64(Some(part.parse().unwrap())),
            },
        }
    });
    (name, parameters.collect())
}

fn condition(rows: &Rows, text: &str) -> Expr {
    match text.split_once(" > ") {
        Some((name, bound)) => col(name).gt(lit(bound.parse::<u8>().unwrap())),
        None => {
            let kind = &rows.kinds[rows.names.iter().position(|name| name == text).unwrap()];
            if *kind == SqlType::Bool { col(text) } else { col(text).not_eq(lit(0_u8)) }
        }
    }
}

/// The aggregate as the analyser builds it.
fn aggregate(registry: &Registry, rows: &Rows, function: &str, arguments: &str) -> (BoundAggregate, Expr) {
    let (name, parameters) = call(function);
    let mut names: Vec<&str> = arguments.split(',').filter(|name| !name.is_empty()).collect();
    let kind_of = |name: &str| match rows.names.iter().position(|known| known == name) {
        Some(at) => rows.kinds[at].clone(),
        None => SqlType::UInt8,
    };
    let described: Vec<Argument> =
        names.iter().map(|name| Argument { kind: kind_of(name), constant: None }).collect();
    let resolved = resolve_aggregate(registry, name).unwrap_or_else(|| panic!("{name} is not known"));
    let bound = resolved.bind(name, &parameters, &described).unwrap_or_else(|error| panic!("{function}: {error}"));
    let filter = bound.filter_argument.map(|at| Box::new(condition(rows, names.remove(at))));
    let mut exprs: Vec<Expr> = names
        .iter()
        .zip(&bound.arguments)
        .map(|(name, to)| {
            let (expr, kind) = if rows.names.iter().any(|known| known == name) {
                (col(*name), kind_of(name))
            } else {
                (condition(rows, name), SqlType::Bool)
            };
            cast_expr(expr, &kind, to, &env()).unwrap()
        })
        .collect();
    if exprs.is_empty() {
        exprs.push(lit(1_i64));
    }
    let expr = Expr::AggregateFunction(AggregateExpr::new_udf(bound.udaf.clone(), exprs, false, filter, Vec::new(), None));
    (bound, expr)
}

fn context(rows: &Rows, partitions: usize) -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(partitions)
        .with_batch_size(if partitions > 1 { 16 } else { 1024 })
        .with_repartition_aggregations(partitions > 1);
    let context = SessionContext::new_with_config(config);
    let batch = RecordBatch::try_new(rows.schema.clone(), rows.columns.clone()).unwrap();
    let size = if partitions > 1 { 23 } else { batch.num_rows() };
    let mut parts = vec![Vec::new(); partitions];
    for (i, start) in (0..batch.num_rows()).step_by(size).enumerate() {
        parts[i % partitions].push(batch.slice(start, size.min(batch.num_rows() - start)));
    }
    let table = MemTable::try_new(rows.schema.clone(), parts).unwrap();
    context.register_table("t", Arc::new(table)).unwrap();
    context
}

async fn texts(frame: DataFrame, kind: &SqlType) -> Result<Vec<String>, String> {
    let batches = frame.collect().await.map_err(|error| error.to_string())?;
    let mut texts = Vec::new();
    for batch in batches {
        let column = batch.columns().last().unwrap();
        if column.data_type() != &kind.arrow() {
            return Err(format!("a column of {} instead of {}", column.data_type(), kind.arrow()));
        }
        let writer = ValueWriter::new(column, kind, &TextOptions::default()).unwrap();
        for row in 0..column.len() {
            let mut out = Vec::new();
            writer.write_as(row, Escaping::TsvEscaped, &mut out);
            texts.push(String::from_utf8(out).unwrap());
        }
    }
    Ok(texts)
}

/// Equal texts, or numbers that differ by what the order of additions changes.
fn same(got: &str, expected: &str) -> bool {
    if got == expected {
        return true;
    }
    let numbers = |text: &str| -> Vec<Option<f64>> {
        text.split(|c: char| "[](),:".contains(c)).map(|part| part.parse().ok()).collect()
    };
    let (got, expected) = (numbers(got), numbers(expected));
    got.len() == expected.len()
        && got.iter().any(Option::is_some)
        && got.iter().zip(&expected).all(|pair| match pair {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-11 * a.abs().max(b.abs()) || a.is_nan() && b.is_nan(),
            (a, b) => a == b,
        })
}

#[tokio::test]
async fn results_are_those_of_clickhouse() {
    let rows = rows();
    let registry = Registry::standard().unwrap();
    let contexts = [context(&rows, 1), context(&rows, 3)];
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for line in include_str!("aggregates/expected.tsv").lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [function, arguments, order, kind, empty, all, groups @ ..] = &cells[..] else { panic!("{line}") };
        let (bound, expr) = aggregate(&registry, &rows, function, arguments);
        if bound.result.to_string() != *kind {
            wrong.push(format!("{function}({arguments}): the type is {}, not {kind}", bound.result));
            continue;
        }
        for (context, partitions) in contexts.iter().zip([1, 3]) {
            if partitions > 1 && *order == "ordered" {
                continue;
            }
            let table = context.table("t").await.unwrap();
            let runs = [
                (table.clone().filter(col("g").gt(lit(100_u8))).unwrap(), Vec::new(), vec![*empty]),
                (table.clone(), Vec::new(), vec![*all]),
                (table, vec![col("g")], groups.to_vec()),
            ];
            for (table, keys, expected) in runs {
                let grouped = !keys.is_empty();
                let mut frame = table.aggregate(keys, vec![expr.clone().alias("result")]).unwrap();
                if grouped {
                    frame = frame.sort(vec![col("g").sort(true, false)]).unwrap();
                }
                let what = format!("{function}({arguments}), {partitions} partitions, {} rows expected", expected.len());
                match texts(frame, &bound.result).await {
                    Err(error) => wrong.push(format!("{what}: {error}")),
                    Ok(got) if got.len() == expected.len() && got.iter().zip(&expected).all(|(a, b)| same(a, b)) => {}
                    Ok(got) => wrong.push(format!("{what}:\n  got      {got:?}\n  expected {expected:?}")),
                }
                checked += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 900, "only {checked} results were compared");
}
