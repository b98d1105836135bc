//! Every aggregate function over the same rows, compared with what ClickHouse printed: over no rows, over all, by groups.
//! `aggregates/rows.tsv` has the rows (names, types, values), `aggregates/expected.tsv` a call a line.
//!
//! Each call runs on one partition, and (unless the order of rows matters) on several with small batches, where partial
//! states are merged, and on rows that are sorted by the key, where groups are emitted before the rows end.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

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
        roles: Default::default(),
        query_id: Arc::from("test"),
        now_micros: 0,
        cast_keep_nullable: false,
        cast_string_to_date_time_mode: Arc::from("basic"),
        addresses: gristmill_functions::AddressRules::default(),
        range_elements_max: gristmill_functions::RANGE_ELEMENTS_MAX,
        json: gristmill_functions::JsonRules::default(),
        limits: gristmill_functions::FunctionLimits::default(),
        asker: gristmill_functions::Asker::default(),
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
    let described: Vec<Argument> = names.iter().map(|name| Argument { kind: kind_of(name), constant: None }).collect();
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

/// The rows sorted by `g`, which the table says, in small batches.
fn sorted_context(rows: &Rows) -> SessionContext {
    let order = arrow::compute::sort_to_indices(&rows.columns[0], None, None).unwrap();
    let columns = rows.columns.iter().map(|column| arrow::compute::take(column, &order, None).unwrap()).collect();
    let batch = RecordBatch::try_new(rows.schema.clone(), columns).unwrap();
    let parts = (0..batch.num_rows()).step_by(16).map(|start| batch.slice(start, 16.min(batch.num_rows() - start)));
    let table = MemTable::try_new(rows.schema.clone(), vec![parts.collect()]).unwrap();
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1).with_batch_size(16));
    context.register_table("t", Arc::new(table.with_sort_order(vec![vec![col("g").sort(true, false)]]))).unwrap();
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
    let contexts = [("one partition", context(&rows, 1)), ("three", context(&rows, 3)), ("sorted", sorted_context(&rows))];
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for line in include_str!("aggregates/expected.tsv").lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [function, arguments, order, kind, empty, all, groups @ ..] = &cells[..] else { panic!("{line}") };
        let (bound, expr) = aggregate(&registry, &rows, function, arguments);
        if bound.result.to_string() != *kind {
            wrong.push(format!("{function}({arguments}): the type is {}, not {kind}", bound.result));
            continue;
        }
        for (run, context) in &contexts {
            if *run != "one partition" && *order == "ordered" {
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
                let what = format!("{function}({arguments}), {run}, {} rows expected", expected.len());
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
    assert!(checked > 1500, "only {checked} results were compared");
}

/// The values of `expr` over the table, of type `kind`.
async fn column(table: DataFrame, keys: Vec<Expr>, expr: Expr, kind: &SqlType) -> Vec<String> {
    texts(table.aggregate(keys, vec![expr]).unwrap(), kind).await.unwrap()
}

#[tokio::test]
async fn states_are_values_that_merge() {
    let rows = rows();
    let registry = Registry::standard().unwrap();
    let context = context(&rows, 3);
    for (function, argument) in [
        ("sum", "i"),
        ("uniqExact", "s"),
        ("quantileExact", "f"),
        ("avg", "n"),
        ("topK", "b"),
        ("min", "z"),
        ("sumMap", "m"),
    ] {
        let (whole, direct) = aggregate(&registry, &rows, function, argument);
        let (state, stored) = aggregate(&registry, &rows, &format!("{function}State"), argument);
        assert!(matches!(&state.result, SqlType::AggregateFunction(name, _) if name == function), "{}", state.result);
        let states = context.table("t").await.unwrap().aggregate(vec![col("g")], vec![stored.alias("state")]).unwrap();
        let described = [Argument { kind: state.result.clone(), constant: None }];
        let name = format!("{function}Merge");
        let merged = resolve_aggregate(&registry, &name).unwrap().bind(&name, &[], &described).unwrap();
        assert_eq!(merged.result, whole.result, "{name}");
        let merge =
            Expr::AggregateFunction(AggregateExpr::new_udf(merged.udaf, vec![col("state")], false, None, vec![], None));
        let expected = column(context.table("t").await.unwrap(), vec![], direct, &whole.result).await;
        assert_eq!(column(states, vec![], merge, &whole.result).await, expected, "{name}");
    }
}

#[tokio::test]
async fn windows_that_move() {
    let rows = rows();
    let registry = Registry::standard().unwrap();
    let context = context(&rows, 1);
    // Over the row before, the row itself and the row after; i begins -50, -9, 32, -28, 13, -47.
    for (function, argument, expected) in [
        ("sum", "w", ["1", "3", "6", "9", "12"]),
        ("count", "n", ["1", "2", "2", "2", "2"]),
        ("min", "i", ["-50", "-50", "-28", "-28", "-47"]),
        ("max", "s", ["a1", "bb2", "bb2", "déjà vu4", "déjà vu4"]),
        ("uniqExact", "t", ["2", "3", "3", "3", "3"]),
        ("groupArray", "t", ["[0,1]", "[0,1,2]", "[1,2,0]", "[2,0,1]", "[0,1,2]"]),
        ("avg", "t", ["0.5", "1", "1", "1", "1"]),
    ] {
        let (bound, expr) = aggregate(&registry, &rows, function, argument);
        let Expr::AggregateFunction(aggregate) = expr else { panic!("no aggregate") };
        let window = datafusion::logical_expr::expr::WindowFunction::new(
            datafusion::logical_expr::WindowFunctionDefinition::AggregateUDF(bound.udaf.clone()),
            aggregate.params.args,
        );
        let frame = datafusion::logical_expr::WindowFrame::new_bounds(
            datafusion::logical_expr::WindowFrameUnits::Rows,
            datafusion::logical_expr::WindowFrameBound::Preceding(ScalarValue::UInt64(Some(1))),
            datafusion::logical_expr::WindowFrameBound::Following(ScalarValue::UInt64(Some(1))),
        );
        use datafusion::logical_expr::ExprFunctionExt;
        let window = Expr::from(window).window_frame(frame).build().unwrap();
        let table = context.table("t").await.unwrap().window(vec![window.alias("moved")]).unwrap();
        let frame = table.select(vec![col("moved")]).unwrap().limit(0, Some(5)).unwrap();
        assert_eq!(texts(frame, &bound.result).await.unwrap(), expected, "{function}");
    }
}

#[test]
fn what_is_not_supported_says_so() {
    let registry = Registry::standard().unwrap();
    let argument = |kind: &str| Argument { kind: kind.parse().unwrap(), constant: None };
    for (name, arguments, expected) in [
        ("sum", vec![argument("String")], "Illegal type String of argument 1 of aggregate function sum"),
        ("sum", vec![], "Number of arguments for aggregate function sum doesn't match"),
        ("sumArray", vec![argument("UInt8")], "expected Array"),
        ("sumResample", vec![argument("UInt8"), argument("UInt8")], "start, end and step"),
        ("sumArgMin", vec![argument("UInt8")], "Number of arguments"),
        ("sumMerge", vec![argument("UInt8")], "expected AggregateFunction"),
        ("quantileTDigest", vec![argument("Decimal(9, 2)")], "Illegal type Decimal(9, 2)"),
    ] {
        let error = resolve_aggregate(&registry, name).unwrap().bind(name, &[], &arguments).err().unwrap();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let level = [ScalarValue::Float64(Some(1.5))];
    let error =
        resolve_aggregate(&registry, "quantile").unwrap().bind("quantile", &level, &[argument("UInt8")]).err().unwrap();
    assert!(error.to_string().contains("from 0 to 1"), "{error}");
    assert!(resolve_aggregate(&registry, "If").is_none() && resolve_aggregate(&registry, "plusIf").is_none());
}
