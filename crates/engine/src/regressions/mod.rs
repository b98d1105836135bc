//! `system.query_regressions`: queries that became slower, and what changed.
//!
//! Runs of queries that differ in their literals alone (`normalized_query_hash`) are taken from the query log. The newest of
//! them are held against those before: by the median of their time, and by a rank test (`rank_test`) that says how sure it is
//! that they are slower and not only scattered. A row is there only where both say so. What changed is then looked for among
//! the other things that the log has of each run (`measures`): the plan, what was read, what was waited for.

mod measures;
mod rank_test;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Float64Array, RecordBatch, UInt64Array};
use arrow::datatypes::UInt64Type;
use futures::TryStreamExt;
use gristmill_access::effective::Effective;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{RowsTable, Table};
use gristmill_introspect::QueryContext;
use gristmill_sql::statement::{Statement, parse};
use gristmill_types::{Columns, SqlType};

use self::measures::{MEASURES, changes};
use self::rank_test::slower;
use crate::engine::Engine;
use crate::interpret::Interpreter;
use crate::plan;

const SYSTEM: &str = "system";
/// Runs of a query that are looked at.
const RUNS_MAX: usize = 60;
/// Of them, the newest that are held against the others: a quarter, within these bounds.
const NEWEST_MIN: usize = 3;
const NEWEST_MAX: usize = 12;
/// Fewer runs before them say nothing.
const BEFORE_MIN: usize = 5;
/// Of the medians. Less is not worth a look.
const RATIO_MIN: f64 = 1.2;
/// That the newest runs are slower by more than chance.
const CONFIDENCE_MIN: f64 = 0.95;
/// Of time, in microseconds: less is the clock's and the machine's.
const DIFFERENCE_MIN: f64 = 1_000.0;

/// One run of a query: its time in microseconds, and the values of `MEASURES`.
#[derive(Clone, Debug, Default, PartialEq)]
struct Run {
    micros: f64,
    plan_hash: u64,
    measured: Vec<f64>,
}

/// A query that became slower.
#[derive(Clone, Debug, Default, PartialEq)]
struct Regression {
    newest: usize,
    before: usize,
    newest_micros: f64,
    before_micros: f64,
    confidence: f64,
    changes: Vec<String>,
}

/// The table. It asks the log when it is read.
pub(crate) fn table(engine: &Arc<Engine>) -> Arc<dyn Table> {
    let engine: Weak<Engine> = Arc::downgrade(engine);
    let rows = move |context: Arc<QueryContext>| -> gristmill_catalog::RowsFuture {
        let engine = engine.clone();
        Box::pin(async move {
            let Some(engine) = engine.upgrade() else { return Ok(Vec::new()) };
            let runs = runs(&engine, &context).await?;
            Ok(vec![found(&runs)?])
        })
    };
    Arc::new(RowsTable::new(SYSTEM, "query_regressions", "SystemQueryRegressions", columns(), Arc::new(rows)))
}

fn columns() -> Columns {
    let texts = SqlType::Array(Box::new(SqlType::String));
    Columns::of([
        ("normalized_query_hash", SqlType::UInt64),
        ("query", SqlType::String),
        ("newest_runs", SqlType::UInt64),
        ("runs_before", SqlType::UInt64),
        ("newest_duration_microseconds", SqlType::UInt64),
        ("duration_microseconds_before", SqlType::UInt64),
        ("ratio", SqlType::Float64),
        ("confidence", SqlType::Float64),
        ("what_changed", SqlType::String),
        ("changes", texts),
    ])
}

/// Of one query, newest first, with the text of the newest run.
#[derive(Debug, Default)]
struct Runs {
    query: Vec<u8>,
    runs: Vec<Run>,
}

/// The newest runs of each query that the log has.
async fn runs(engine: &Arc<Engine>, context: &Arc<QueryContext>) -> Result<BTreeMap<u64, Runs>> {
    let mut settings = (*context.settings).clone();
    (settings.explain_limit, settings.log_query_limits_min_duration_ms) = (false, 0);
    (settings.limit, settings.offset) = (0, 0);
    // What may be read of this table may be read of what it is made of.
    let context = context.with_settings(settings).of_user(Effective::unlimited());
    let Statement::Select(select) = parse(&query(), &BTreeMap::new())? else {
        return Err(Error::logical("The query of the log is none"));
    };
    let interpreter = Interpreter::new(engine.clone(), context.clone());
    let planned = match interpreter.plan_query(&select.query, interpreter.hints(None, None), &mut Vec::new()).await {
        // Nothing was logged yet, or the log is off.
        Err(error) if error.code() == ErrorCode::UNKNOWN_TABLE => return Ok(BTreeMap::new()),
        planned => planned?,
    };
    let batches: Vec<RecordBatch> = plan::run(&planned.state, planned.physical, &context)?.try_collect().await?;
    let mut all: BTreeMap<u64, Runs> = BTreeMap::new();
    for batch in &batches {
        let number = |place: usize| {
            let wrong = || Error::logical(format!("Column {place} of the log's runs is no number"));
            batch.column(place).as_primitive_opt::<UInt64Type>().ok_or_else(wrong)
        };
        let (hashes, micros, plans) = (number(0)?, number(1)?, number(2)?);
        let texts = batch.column(3).as_binary_view_opt().ok_or_else(|| Error::logical("The log's queries are no texts"))?;
        let measured = (0..MEASURES.len()).map(|at| number(4 + at)).collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            let of_query = all.entry(hashes.value(row)).or_default();
            if of_query.runs.is_empty() {
                of_query.query = texts.value(row).to_vec();
            }
            if of_query.runs.len() < RUNS_MAX {
                of_query.runs.push(Run {
                    micros: micros.value(row) as f64,
                    plan_hash: plans.value(row),
                    measured: measured.iter().map(|values| values.value(row) as f64).collect(),
                });
            }
        }
    }
    Ok(all)
}

fn query() -> String {
    let measures: Vec<String> = MEASURES.iter().map(|measure| format!("toUInt64({})", measure.expression)).collect();
    format!(
        "SELECT normalized_query_hash, toUInt64(ProfileEvents['QueryTimeMicroseconds']), toUInt64(plan_hash), toString(query), {} \
         FROM system.query_log WHERE type = 'QueryFinish' AND query_kind = 'Select' \
         ORDER BY event_time_microseconds DESC LIMIT {RUNS_MAX} BY normalized_query_hash LIMIT 200000",
        measures.join(", ")
    )
}

fn found(runs: &BTreeMap<u64, Runs>) -> Result<RecordBatch> {
    let mut all: Vec<(u64, &Runs, Regression)> =
        runs.iter().filter_map(|(hash, runs)| Some((*hash, runs, regression(&runs.runs)?))).collect();
    let lost = |regression: &Regression| regression.newest_micros - regression.before_micros;
    all.sort_by(|one, other| lost(&other.2).total_cmp(&lost(&one.2)));
    let numbers = |of: &dyn Fn(&(u64, &Runs, Regression)) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(all.iter().map(of)))
    };
    let floats = |of: &dyn Fn(&Regression) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(all.iter().map(|(.., regression)| of(regression))))
    };
    let what = all.iter().map(|(.., regression)| regression.changes.join("; "));
    let arrays: Vec<ArrayRef> = vec![
        numbers(&|row| row.0),
        Arc::new(BinaryViewArray::from_iter_values(all.iter().map(|(_, runs, _)| &runs.query))),
        numbers(&|row| row.2.newest as u64),
        numbers(&|row| row.2.before as u64),
        numbers(&|row| row.2.newest_micros.round() as u64),
        numbers(&|row| row.2.before_micros.round() as u64),
        floats(&|regression| regression.newest_micros / regression.before_micros.max(1.0)),
        floats(&|regression| regression.confidence),
        Arc::new(BinaryViewArray::from_iter_values(what.map(String::into_bytes))),
        lists(all.iter().map(|(.., regression)| regression.changes.as_slice()).collect())?,
    ];
    Ok(RecordBatch::try_new(columns().arrow(), arrays)?)
}

/// Lists of texts, in the type of the last column.
fn lists(rows: Vec<&[String]>) -> Result<ArrayRef> {
    let values = BinaryViewArray::from_iter_values(rows.iter().flat_map(|row| row.iter()).map(String::as_bytes));
    let offsets = arrow::buffer::OffsetBuffer::from_lengths(rows.iter().map(|row| row.len()));
    let schema = columns().arrow();
    match schema.field(schema.fields().len() - 1).data_type() {
        arrow::datatypes::DataType::List(item) => {
            Ok(Arc::new(arrow::array::ListArray::try_new(item.clone(), offsets, Arc::new(values), None)?))
        }
        other => Err(Error::logical(format!("A list of changes is {other} in memory"))),
    }
}

/// What the newest of some runs tell against those before. `runs`: newest first.
fn regression(runs: &[Run]) -> Option<Regression> {
    let newest = (runs.len() / 4).clamp(NEWEST_MIN, NEWEST_MAX);
    if runs.len() < newest + BEFORE_MIN {
        return None;
    }
    let (newest, before) = runs.split_at(newest);
    let times = |runs: &[Run]| runs.iter().map(|run| run.micros).collect::<Vec<f64>>();
    let (newest_times, times_before) = (times(newest), times(before));
    let (newest_micros, before_micros) = (median(&newest_times), median(&times_before));
    if newest_micros < before_micros * RATIO_MIN || newest_micros - before_micros < DIFFERENCE_MIN {
        return None;
    }
    let confidence = slower(&newest_times, &times_before);
    if confidence < CONFIDENCE_MIN {
        return None;
    }
    let changes = changes(newest, before);
    Some(Regression { newest: newest.len(), before: before.len(), newest_micros, before_micros, confidence, changes })
}

/// 0 of nothing.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => (sorted[count / 2 - 1] + sorted[count / 2]) / 2.0,
    }
}

/// The value that most runs have.
fn most_common(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().max_by_key(|(value, count)| (*count, *value)).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of these milliseconds, newest first, which read so many rows.
    fn runs(newest: &[u64], before: &[u64], rows: (f64, f64)) -> Vec<Run> {
        let run = |ms: &u64, rows: f64| Run {
            micros: (ms * 1000) as f64,
            plan_hash: 7,
            measured: MEASURES.iter().map(|measure| if measure.expression == "read_rows" { rows } else { 0.0 }).collect(),
        };
        newest.iter().map(|ms| run(ms, rows.0)).chain(before.iter().map(|ms| run(ms, rows.1))).collect()
    }

    #[test]
    fn slower_runs_that_read_more_are_told_with_what_they_read() {
        let runs = runs(&[50, 52, 51], &[10, 11, 12, 10, 11, 9, 10], (5_000_000.0, 1_000_000.0));
        let found = regression(&runs).expect("slower");
        assert_eq!((found.newest, found.before), (3, 7));
        assert_eq!((found.newest_micros, found.before_micros), (51_000.0, 10_000.0));
        assert!(found.confidence > 0.95, "{}", found.confidence);
        assert_eq!(found.changes, ["rows read: 5.0 times as many (1000000 before, 5000000 now)"]);
    }

    #[test]
    fn scattered_times_are_no_regression() {
        let scattered = runs(&[10, 30, 10], &[10, 30, 11, 29, 10, 12, 30], (1.0, 1.0));
        assert_eq!(regression(&scattered), None);
        let faster = runs(&[5, 5, 5], &[10, 10, 10, 10, 10, 10], (1.0, 1.0));
        assert_eq!(regression(&faster), None);
        let few = runs(&[50, 50, 50], &[10, 10], (1.0, 1.0));
        assert_eq!(regression(&few), None);
    }

    #[test]
    fn another_plan_is_told_first() {
        let mut runs = runs(&[50, 52, 51], &[10, 11, 12, 10, 11], (100.0, 100.0));
        runs[..3].iter_mut().for_each(|run| run.plan_hash = 8);
        let found = regression(&runs).expect("slower");
        assert_eq!(found.changes, ["another plan"]);
    }

    #[test]
    fn rows_of_the_table_have_its_columns() {
        let runs = runs(&[50, 52, 51], &[10, 11, 12, 10, 11], (100.0, 100.0));
        let known = BTreeMap::from([(5, Runs { query: b"SELECT 1".to_vec(), runs })]);
        let batch = found(&known).expect("rows");
        assert_eq!((batch.num_rows(), batch.num_columns()), (1, 10));
    }
}
