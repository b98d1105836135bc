//! What a query read of its tables and could have left out: for who judges it. The scans of a plan tell what they chose, of
//! how much, and by which simple conditions rows were chosen afterwards, with how many passed.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, CastExpr, Column, InListExpr, Literal, TryCastExpr};
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};
use gristmill_functions::value_set::set_in;

use super::exec::scan_of;
use super::filter::ScanFilter;
use super::unit::PartSelection;

/// A scan of a MergeTree table.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TableRead {
    pub database: String,
    pub table: String,
    /// That is read in the table's place.
    pub projection: Option<String>,
    pub parts: u64,
    pub parts_total: u64,
    /// Of the granules that were chosen.
    pub rows: u64,
    pub marks: u64,
    pub marks_total: u64,
    /// Of the parts, all columns.
    pub bytes: u64,
    pub uncompressed_bytes: u64,
    pub sorting_key: Vec<String>,
    /// Expressions of its skip indexes.
    pub indexed: Vec<String>,
    /// Columns that come out.
    pub columns: Vec<String>,
    pub conditions: Vec<ColumnCondition>,
}

/// A condition on one column alone.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnCondition {
    pub column: String,
    pub kind: ConditionKind,
    pub is_text: bool,
    /// Rows that it was asked of, behind the conditions before it, and those that passed.
    pub seen: u64,
    pub passed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// The column is one of some values.
    Equals,
    Range,
    /// A text contains another.
    Contains,
}

/// Every scan of the plan, in the order in which plans are written.
pub fn table_reads(plan: &Arc<dyn ExecutionPlan>) -> Vec<TableRead> {
    let mut all = Vec::new();
    if let Some(scan) = scan_of(plan) {
        let name = scan.core().name();
        let (database, table) = name.split_once('.').unwrap_or(("", &name));
        let (parts, layout) = (scan.parts(), &scan.core().layout);
        let sum = |of: fn(&PartSelection) -> u64| parts.iter().map(of).sum();
        let schema = scan.schema();
        all.push(TableRead {
            database: database.to_string(),
            table: table.to_string(),
            projection: scan.projection().map(str::to_string),
            parts: parts.len() as u64,
            parts_total: scan.parts_total(),
            rows: sum(|part| part.rows),
            marks: sum(PartSelection::marks),
            marks_total: scan.total_marks(),
            bytes: sum(|part| part.entry.bytes),
            uncompressed_bytes: sum(|part| part.entry.uncompressed_bytes),
            sorting_key: layout.sorting.iter().map(|key| key.text.clone()).collect(),
            indexed: layout.skip_indexes.iter().flat_map(|index| &index.expressions).map(|key| key.text.clone()).collect(),
            columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
            conditions: scan.filters.iter().filter_map(of_filter).collect(),
        });
    }
    all.extend(plan.children().into_iter().flat_map(table_reads));
    all
}

fn of_filter(filter: &ScanFilter) -> Option<ColumnCondition> {
    let (column, kind) = of_expression(&filter.expression)?;
    let (seen, passed) = filter.passed.counts();
    let is_text = filter
        .kind_of(&column)
        .is_some_and(|kind| matches!(kind, DataType::BinaryView | DataType::Binary | DataType::Utf8View | DataType::Utf8));
    Some(ColumnCondition { column, kind, is_text, seen, passed })
}

/// The column and the kind of a condition that is about one column and constants.
fn of_expression(condition: &Arc<dyn PhysicalExpr>) -> Option<(String, ConditionKind)> {
    if let Some(binary) = condition.downcast_ref::<BinaryExpr>() {
        let sides = (constant(binary.left()), constant(binary.right()));
        let (asked, operator) = match sides {
            (false, true) => (binary.left(), *binary.op()),
            (true, false) => (binary.right(), binary.op().swap()?),
            // `a > 1 AND a < 5`
            (false, false) if *binary.op() == Operator::And => {
                let (left, right) = (of_expression(binary.left())?, of_expression(binary.right())?);
                return (left == right && left.1 == ConditionKind::Range).then_some(left);
            }
            // `a = 1 OR a = 5`, as an IN of few values is written.
            (false, false) if *binary.op() == Operator::Or => {
                let (left, right) = (of_expression(binary.left())?, of_expression(binary.right())?);
                return (left == right && left.1 != ConditionKind::Range).then_some(left);
            }
            _ => return None,
        };
        // ClickHouse's conditions are numbers: `like(…) != 0`.
        if operator == Operator::NotEq && asked.downcast_ref::<ScalarFunctionExpr>().is_some() {
            return of_expression(asked);
        }
        let kind = match operator {
            Operator::Eq | Operator::IsNotDistinctFrom => ConditionKind::Equals,
            Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => ConditionKind::Range,
            _ => return None,
        };
        return Some((column(asked)?, kind));
    }
    if let Some(list) = condition.downcast_ref::<InListExpr>() {
        return (!list.negated()).then_some((column(list.expr())?, ConditionKind::Equals));
    }
    let call = condition.downcast_ref::<ScalarFunctionExpr>()?;
    if let (Some(_), [asked]) = (set_in(call.fun()), call.args()) {
        return Some((column(asked)?, ConditionKind::Equals));
    }
    match (call.fun().name(), call.args()) {
        ("like" | "ilike" | "hasToken" | "startsWith", [asked, value]) if constant(value) => {
            Some((column(asked)?, ConditionKind::Contains))
        }
        _ => None,
    }
}

fn constant(expr: &Arc<dyn PhysicalExpr>) -> bool {
    expr.downcast_ref::<Literal>().is_some()
}

/// The column that an expression is, perhaps in another type.
fn column(expr: &Arc<dyn PhysicalExpr>) -> Option<String> {
    if let Some(cast) = expr.downcast_ref::<CastExpr>() {
        return column(cast.expr());
    }
    if let Some(cast) = expr.downcast_ref::<TryCastExpr>() {
        return column(cast.expr());
    }
    Some(expr.downcast_ref::<Column>()?.name().to_string())
}

#[cfg(test)]
mod tests {
    use datafusion::physical_expr::expressions::{binary, col, lit};
    use gristmill_types::{Columns, SqlType};

    use super::*;

    fn condition(operator: Operator, value: i64) -> Arc<dyn PhysicalExpr> {
        let schema = Columns::of([("id", SqlType::Int64)]).arrow();
        binary(col("id", &schema).expect("a column"), operator, lit(value), &schema).expect("a condition")
    }

    #[test]
    fn conditions_on_one_column_are_told_by_their_kind() {
        let id = |kind| Some(("id".to_string(), kind));
        assert_eq!(of_expression(&condition(Operator::Eq, 5)), id(ConditionKind::Equals));
        assert_eq!(of_expression(&condition(Operator::Lt, 5)), id(ConditionKind::Range));
        assert_eq!(of_expression(&condition(Operator::NotEq, 5)), None);
        let schema = Columns::of([("id", SqlType::Int64)]).arrow();
        let both = binary(condition(Operator::Gt, 1), Operator::And, condition(Operator::Lt, 9), &schema);
        assert_eq!(of_expression(&both.expect("a condition")), id(ConditionKind::Range));
        let either = binary(condition(Operator::Gt, 1), Operator::Or, condition(Operator::Eq, 9), &schema);
        assert_eq!(of_expression(&either.expect("a condition")), None);
        let one_of = binary(condition(Operator::Eq, 1), Operator::Or, condition(Operator::Eq, 9), &schema);
        assert_eq!(of_expression(&one_of.expect("a condition")), id(ConditionKind::Equals));
    }
}
