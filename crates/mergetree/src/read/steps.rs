//! In which order a scan computes its conditions (PREWHERE chosen by itself). Each condition is a step: it decodes its own
//! columns where rows passed the steps before it, and pages without such a row are not read.
//!
//! The next step is always the one of least cost per row that it takes out: the bytes a row of the columns that no step
//! before it has read (compressed, to be fetched, and plain, to be decoded), over the share of rows that do not pass. That
//! greedy order is the best one where conditions are independent (J. M. Hellerstein, M. Stonebraker, "Predicate
//! Migration", 1993). The share is guessed from the condition's form and from the bounds of its columns, and corrected by
//! what the units before have shown, so a guess that is wrong costs the first units only.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, Literal, NotExpr};
use datafusion::physical_plan::PhysicalExpr;
use gristmill_functions::value_set::set_in;

use super::filter::ScanFilter;
use crate::part::v1::header::ColumnHeader;

/// Rows that have to be seen before what they show counts as much as the guess.
const GUESS_ROWS: f64 = 8192.0;
/// Of rows, those that equal one value, where nothing is known of the column.
const EQUAL: f64 = 0.01;
/// Those on one side of a value.
const BESIDE: f64 = 0.33;
const IS_NULL: f64 = 0.05;
/// Those that contain a text.
const CONTAINS: f64 = 0.1;
const UNKNOWN: f64 = 0.5;
/// What computing a condition costs a row, in bytes.
const COMPUTE: f64 = 1.0;

/// Least and greatest value of columns, by name, as numbers.
pub type Spans = HashMap<String, (f64, f64)>;

/// How many of the rows that a condition saw it let pass, in all units of a scan so far.
#[derive(Debug, Default)]
pub struct Passed {
    seen: AtomicU64,
    passed: AtomicU64,
}

impl Passed {
    pub fn add(&self, seen: u64, passed: u64) {
        self.seen.fetch_add(seen, Ordering::Relaxed);
        self.passed.fetch_add(passed, Ordering::Relaxed);
    }

    /// Rows that it saw, and those that passed.
    pub fn counts(&self) -> (u64, u64) {
        (self.seen.load(Ordering::Relaxed), self.passed.load(Ordering::Relaxed))
    }

    /// The share of rows that pass, where `guess` was thought before any was seen.
    fn share(&self, guess: f64) -> f64 {
        let (seen, passed) = (self.seen.load(Ordering::Relaxed) as f64, self.passed.load(Ordering::Relaxed) as f64);
        (passed + guess * GUESS_ROWS) / (seen + GUESS_ROWS)
    }
}

/// What a step has to read of a part: places of columns there.
pub struct StepColumns<'a> {
    pub filter: &'a ScanFilter,
    pub roots: &'a [usize],
}

/// The order of steps over a part of these columns and so many rows, as places among `steps`.
pub fn order(steps: &[StepColumns<'_>], columns: &[ColumnHeader], rows: u64) -> Vec<usize> {
    let row_bytes = |root: usize| {
        let bytes = columns.get(root).map_or(0, |column| column.compressed_bytes + column.uncompressed_bytes);
        bytes as f64 / rows.max(1) as f64
    };
    let mut read: HashSet<usize> = HashSet::new();
    let mut left: Vec<usize> = (0..steps.len()).collect();
    let mut order = Vec::with_capacity(steps.len());
    while !left.is_empty() {
        let rank = |step: usize| {
            let unread = steps[step].roots.iter().filter(|root| !read.contains(*root));
            let cost = COMPUTE + unread.map(|&root| row_bytes(root)).sum::<f64>();
            let filter = steps[step].filter;
            cost / (1.0 - filter.passed.share(filter.guess)).max(1e-6)
        };
        // Equal ranks keep the query's order.
        let at = (0..left.len()).min_by(|&a, &b| rank(left[a]).total_cmp(&rank(left[b]))).unwrap_or(0);
        let next = left.remove(at);
        read.extend(steps[next].roots);
        order.push(next);
    }
    order
}

/// The share of rows that are thought to fulfil a condition, before any is seen.
pub fn guess(condition: &Arc<dyn PhysicalExpr>, spans: &Spans) -> f64 {
    if let Some(binary) = condition.downcast_ref::<BinaryExpr>() {
        let both = || (guess(binary.left(), spans), guess(binary.right(), spans));
        return match binary.op() {
            Operator::And => both().0 * both().1,
            Operator::Or => both().0 + both().1 - both().0 * both().1,
            operator => comparison(binary.left(), *operator, binary.right(), spans),
        };
    }
    if let Some(not) = condition.downcast_ref::<NotExpr>() {
        return 1.0 - guess(not.arg(), spans);
    }
    if condition.downcast_ref::<IsNullExpr>().is_some() {
        return IS_NULL;
    }
    if condition.downcast_ref::<IsNotNullExpr>().is_some() {
        return 1.0 - IS_NULL;
    }
    if let Some(list) = condition.downcast_ref::<InListExpr>() {
        let share = one_of(list.expr(), list.list().len(), spans);
        return if list.negated() { 1.0 - share } else { share };
    }
    if let Some(call) = condition.downcast_ref::<ScalarFunctionExpr>() {
        if let (Some(set), [asked]) = (set_in(call.fun()), call.args()) {
            return one_of(asked, set.values().len(), spans);
        }
        let name = call.fun().name();
        return match name {
            "like" | "ilike" | "match" | "startsWith" | "endsWith" | "hasToken" | "has" | "hasAny" => CONTAINS,
            _ if name.starts_with("position") || name.starts_with("multiSearch") => CONTAINS,
            "notLike" | "notILike" => 1.0 - CONTAINS,
            _ => UNKNOWN,
        };
    }
    UNKNOWN
}

/// Of a value that equals one of so many.
fn one_of(asked: &Arc<dyn PhysicalExpr>, values: usize, spans: &Spans) -> f64 {
    let each = span(asked, spans).map_or(EQUAL, |(low, high)| 1.0 / (high - low + 1.0));
    (each * values as f64).min(0.9)
}

fn comparison(left: &Arc<dyn PhysicalExpr>, operator: Operator, right: &Arc<dyn PhysicalExpr>, spans: &Spans) -> f64 {
    let (expr, operator, value) = match (literal(left), literal(right)) {
        (None, Some(value)) => (left, operator, value),
        (Some(value), None) => (right, operator.swap().unwrap_or(operator), value),
        _ => return UNKNOWN,
    };
    let value = number(value);
    // ClickHouse's conditions are numbers: `like(…) != 0`.
    if operator == Operator::NotEq && value == Some(0.0) && expr.downcast_ref::<ScalarFunctionExpr>().is_some() {
        return guess(expr, spans);
    }
    let span = span(expr, spans).zip(value);
    let equal = || span.map_or(EQUAL, |((low, high), _)| 1.0 / (high - low + 1.0));
    let below = || span.map(|((low, high), value)| ((value - low) / (high - low).max(1.0)).clamp(0.0, 1.0));
    match operator {
        Operator::Eq | Operator::IsNotDistinctFrom => equal(),
        Operator::NotEq | Operator::IsDistinctFrom => 1.0 - equal(),
        Operator::Lt | Operator::LtEq => below().unwrap_or(BESIDE),
        Operator::Gt | Operator::GtEq => below().map_or(BESIDE, |share| 1.0 - share),
        _ => UNKNOWN,
    }
}

fn literal(expr: &Arc<dyn PhysicalExpr>) -> Option<&ScalarValue> {
    expr.downcast_ref::<Literal>().map(Literal::value)
}

fn span(expr: &Arc<dyn PhysicalExpr>, spans: &Spans) -> Option<(f64, f64)> {
    spans.get(expr.downcast_ref::<Column>()?.name()).copied()
}

/// Integers, dates and times as numbers.
pub fn number(value: &ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Float64(value) => *value,
        ScalarValue::Float32(value) => value.map(f64::from),
        ScalarValue::UInt64(value) => value.map(|value| value as f64),
        other if other.data_type().is_integer() || other.data_type().is_temporal() || is_bool(other) => {
            match other.cast_to(&DataType::Int64).ok()? {
                ScalarValue::Int64(value) => value.map(|value| value as f64),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_bool(value: &ScalarValue) -> bool {
    matches!(value, ScalarValue::Boolean(_))
}

#[cfg(test)]
mod tests {
    use datafusion::physical_expr::expressions::{binary, lit};
    use gristmill_types::{Columns, SqlType};

    use super::*;

    fn columns() -> Columns {
        Columns::of([("id", SqlType::Int64), ("text", SqlType::String), ("day", SqlType::Int64)])
    }

    fn condition(column: &str, operator: Operator, value: i64) -> Arc<dyn PhysicalExpr> {
        let schema = columns().arrow();
        let column = Column::new_with_schema(column, &schema).expect("a column");
        binary(Arc::new(column), operator, lit(value), &schema).expect("a condition")
    }

    fn header(compressed_bytes: u64) -> ColumnHeader {
        let (name, kind) = (String::new(), "Int64".to_string());
        ColumnHeader { name, key: None, kind, text: false, dictionary: false, uncompressed_bytes: 0, compressed_bytes }
    }

    fn filter(column: &str, operator: Operator, value: i64, spans: &Spans) -> ScanFilter {
        ScanFilter::new(&condition(column, operator, value), &columns()).expect("fits").with_spans(spans)
    }

    #[test]
    fn the_step_that_takes_out_most_rows_a_byte_is_first() {
        let spans = Spans::from([("id".to_string(), (0.0, 999.0)), ("day".to_string(), (0.0, 9.0))]);
        let (wide, narrow) = (filter("id", Operator::Lt, 900, &spans), filter("day", Operator::Eq, 3, &spans));
        let headers = [header(100_000), header(0), header(100_000)];
        let steps = [StepColumns { filter: &wide, roots: &[0] }, StepColumns { filter: &narrow, roots: &[2] }];
        assert_eq!(order(&steps, &headers, 1000), [1, 0], "both cost the same, one row of ten passes the second");
        let headers = [header(1_000), header(0), header(10_000_000)];
        assert_eq!(order(&steps, &headers, 1000), [0, 1], "the second column is too wide for that");
    }

    #[test]
    fn a_column_that_is_read_already_costs_nothing() {
        let spans = Spans::from([("id".to_string(), (0.0, 99.0)), ("day".to_string(), (0.0, 9.0))]);
        let rare = filter("id", Operator::Eq, 5, &spans);
        let beside = filter("id", Operator::Lt, 90, &spans);
        let other = filter("day", Operator::Lt, 5, &spans);
        let headers = [header(10_000), header(0), header(10_000)];
        let steps = [
            StepColumns { filter: &other, roots: &[2] },
            StepColumns { filter: &beside, roots: &[0] },
            StepColumns { filter: &rare, roots: &[0] },
        ];
        assert_eq!(order(&steps, &headers, 1000), [2, 1, 0]);
    }

    #[test]
    fn what_was_seen_corrects_the_guess() {
        let (first, second) = (filter("id", Operator::Eq, 5, &Spans::new()), filter("day", Operator::Lt, 5, &Spans::new()));
        let headers = [header(10_000), header(0), header(10_000)];
        let steps = [StepColumns { filter: &first, roots: &[0] }, StepColumns { filter: &second, roots: &[2] }];
        assert_eq!(order(&steps, &headers, 1000), [0, 1]);
        first.passed.add(100_000, 99_000);
        second.passed.add(100_000, 10);
        assert_eq!(order(&steps, &headers, 1000), [1, 0]);
    }
}
