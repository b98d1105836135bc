//! Subqueries that do not depend on the rows of the query around them are run before it, as in ClickHouse: those of IN
//! become lists, or from `LIST_VALUES_MAX` on sets (a set that is known prunes granules and row groups, which a semi join
//! cannot), scalar ones and EXISTS become constants. A set that takes more than `SET_BYTES_MAX` stays a semi join.

mod tuples;

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt64Array, new_empty_array};
use arrow::compute::{concat, take};
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::InSubquery;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Subquery, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::value_set::{ValueSet, member_of};
use gristmill_introspect::{Event, QueryContext, Settings};
use gristmill_sql::lower::list_of;

use crate::plan::{Most, collect_up_to};

/// Values up to which a set is written into the plan: the optimizer looks at each of them again and again.
const LIST_VALUES_MAX: usize = 1_000;

/// What a value of a type without a hash is taken for.
const VALUE_BYTES: usize = 1 << 10;

/// What the rows of a subquery may take that becomes a set.
const SET_BYTES_MAX: usize = 1 << 30;

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Set,
    Scalar,
    Exists,
}

/// What a subquery gave.
enum Answer {
    Values(ArrayRef),
    Set(Arc<ValueSet>),
    /// The texts of tuples, and the values of each of their parts.
    Tuples(Box<Answer>, Vec<Option<Arc<ValueSet>>>),
    Value(ScalarValue),
    Exists(bool),
}

fn independent(expr: &Expr) -> Option<(Use, &Subquery)> {
    let (what, subquery) = match expr {
        Expr::InSubquery(set) => (Use::Set, &set.subquery),
        Expr::ScalarSubquery(subquery) => (Use::Scalar, subquery),
        Expr::Exists(exists) => (Use::Exists, &exists.subquery),
        _ => return None,
    };
    subquery.outer_ref_columns.is_empty().then_some((what, subquery))
}

pub async fn compute_sets(plan: LogicalPlan, state: &SessionState, context: &Arc<QueryContext>) -> Result<LogicalPlan> {
    let mut subqueries: Vec<(Use, Arc<LogicalPlan>)> = Vec::new();
    plan.apply_with_subqueries(|plan| {
        plan.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Some((what, subquery)) = independent(expr)
                    && !subqueries.iter().any(|(known, plan)| *known == what && plan == &subquery.subquery)
                {
                    subqueries.push((what, subquery.subquery.clone()));
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    if subqueries.is_empty() {
        return Ok(plan);
    }
    let mut known: Vec<(Use, Arc<LogicalPlan>, Answer)> = Vec::new();
    // Innermost first: an outer subquery may hold inner ones, which are then already answered.
    for (what, subquery) in subqueries.into_iter().rev() {
        let replaced = replace(subquery.as_ref().clone(), &known)?;
        if let Some(answer) = answer(what, replaced, state, context).await? {
            if what == Use::Set {
                context.counters.add(Event::SetsBuiltFromSubquery, 1);
            }
            known.push((what, subquery, answer));
        }
    }
    replace(plan, &known)
}

/// Runs a subquery. `None`: a set that is too large to be kept.
async fn answer(what: Use, plan: LogicalPlan, state: &SessionState, context: &Arc<QueryContext>) -> Result<Option<Answer>> {
    match what {
        Use::Set => set(plan, state, context).await,
        Use::Scalar => {
            let several =
                || Error::new(ErrorCode::INCORRECT_RESULT_OF_SCALAR_SUBQUERY, "Scalar subquery returned more than one row");
            let kind = plan.schema().field(0).data_type().clone();
            let plan = LogicalPlanBuilder::from(plan).limit(0, Some(2))?.build()?;
            let batches = collect_up_to(state, &plan, context, Most::ONE_ROW).await?.ok_or_else(several)?;
            Ok(Some(Answer::Value(match batches.iter().find(|batch| batch.num_rows() > 0) {
                Some(batch) => ScalarValue::try_from_array(batch.column(0), 0)?,
                None => ScalarValue::try_from(&kind)?,
            })))
        }
        Use::Exists => {
            let plan = LogicalPlanBuilder::from(plan).limit(0, Some(1))?.build()?;
            let batches = collect_up_to(state, &plan, context, Most::ONE_ROW).await?.unwrap_or_default();
            Ok(Some(Answer::Exists(batches.iter().any(|batch| batch.num_rows() > 0))))
        }
    }
}

/// The values of a set. Errors: SET_SIZE_LIMIT_EXCEEDED.
async fn set(plan: LogicalPlan, state: &SessionState, context: &Arc<QueryContext>) -> Result<Option<Answer>> {
    let plan = tuples::with_parts(plan)?;
    let data_type = plan.schema().field(0).data_type().clone();
    let hashed = ValueSet::holds(&data_type);
    let bytes_max = if hashed { SET_BYTES_MAX } else { LIST_VALUES_MAX * VALUE_BYTES };
    let Some(batches) = collect_up_to(state, &plan, context, Most { rows: u32::MAX as usize, bytes: bytes_max }).await?
    else {
        return Ok(None);
    };
    let values = concatenated(&batches, 0, &data_type)?;
    let parts = tuples::values_of_parts(&plan, &batches)?;
    drop(batches);
    if !hashed {
        let values = different(&values)?;
        return Ok((values.len() <= LIST_VALUES_MAX).then_some(Answer::Values(values)));
    }
    let mut set = ValueSet::of(&values)?;
    let rows = within_limits(set.values(), &context.settings)?;
    if rows < set.values().len() {
        set = ValueSet::of(&set.values().slice(0, rows))?;
    }
    let answer = match set.values().len() <= LIST_VALUES_MAX {
        true => Answer::Values(set.values().clone()),
        false => Answer::Set(set.into()),
    };
    Ok(Some(if parts.is_empty() { answer } else { Answer::Tuples(answer.into(), parts) }))
}

/// A column of all batches.
fn concatenated(batches: &[RecordBatch], column: usize, data_type: &DataType) -> Result<ArrayRef> {
    let columns: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(column).as_ref()).collect();
    Ok(if columns.is_empty() { new_empty_array(data_type) } else { concat(&columns)? })
}

/// That `set.expr` is in a set, or is not.
fn membership(set: &InSubquery, answer: &Answer, schema: &DFSchema) -> Result<Option<Expr>> {
    let expr = || set.expr.as_ref().clone();
    Ok(match answer {
        Answer::Values(values) => {
            let values = (0..values.len()).map(|at| ScalarValue::try_from_array(values, at));
            Some(list_of(expr(), values.collect::<Result<_, _>>()?, set.negated))
        }
        Answer::Set(values) => {
            let member = member_of(expr(), values.clone());
            Some(if set.negated { Expr::Not(Box::new(member)) } else { member })
        }
        Answer::Tuples(texts, parts) => match membership(set, texts, schema)? {
            Some(member) if !set.negated => Some(tuples::bounded(member, &set.expr, parts, schema)?),
            member => member,
        },
        Answer::Value(_) | Answer::Exists(_) => None,
    })
}

/// Of a set's values, how many are kept.
fn within_limits(values: &ArrayRef, settings: &Settings) -> Result<usize> {
    let (rows, bytes) = (values.len() as u64, values.get_array_memory_size() as u64);
    let (rows_max, bytes_max) = (settings.max_rows_in_set, settings.max_bytes_in_set);
    let over = |value: u64, limit: u64| limit > 0 && value > limit;
    if !over(rows, rows_max) && !over(bytes, bytes_max) {
        return Ok(values.len());
    }
    if settings.set_overflow_mode == "break" {
        let of_bytes = if over(bytes, bytes_max) { (rows * bytes_max / bytes).max(1) } else { rows };
        return Ok(if over(rows, rows_max) { rows_max.min(of_bytes) } else { of_bytes } as usize);
    }
    let text = match over(rows, rows_max) {
        true => format!("max rows: {rows_max}, current rows: {rows}. Raise max_rows_in_set"),
        false => format!("max bytes: {bytes_max}, current bytes: {bytes}. Raise max_bytes_in_set"),
    };
    Err(Error::new(
        ErrorCode::SET_SIZE_LIMIT_EXCEEDED,
        format!("Limit for IN set exceeded, {text}, or take what fits with set_overflow_mode = 'break'"),
    ))
}

/// Without NULL and without a value twice: of types that have no hash.
fn different(values: &ArrayRef) -> Result<ArrayRef> {
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for row in (0..values.len()).filter(|row| values.is_valid(*row)) {
        if seen.insert(ScalarValue::try_from_array(values, row)?) {
            places.push(row as u64);
        }
    }
    Ok(take(values, &UInt64Array::from(places), None)?)
}

fn replace(plan: LogicalPlan, known: &[(Use, Arc<LogicalPlan>, Answer)]) -> Result<LogicalPlan> {
    if known.is_empty() {
        return Ok(plan);
    }
    let answer_to = |expr: &Expr| -> Option<&Answer> {
        let (what, subquery) = independent(expr)?;
        known.iter().find(|(use_, plan, _)| *use_ == what && *plan == subquery.subquery).map(|(_, _, answer)| answer)
    };
    // From above: a subquery whose own subqueries are replaced is no longer the one that is known.
    let replaced = plan.transform_down_with_subqueries(|plan| {
        let schema = input_schema(&plan);
        plan.map_expressions(|expr| {
            expr.transform_down(|expr| {
                let found = match (answer_to(&expr), &expr) {
                    (Some(answer), Expr::InSubquery(set)) => membership(set, answer, &schema)?,
                    (Some(Answer::Value(value)), _) => Some(lit(value.clone())),
                    (Some(Answer::Exists(found)), Expr::Exists(exists)) => Some(lit(*found != exists.negated)),
                    _ => None,
                };
                Ok(found.map_or(Transformed::no(expr), Transformed::yes))
            })
        })
    })?;
    Ok(replaced.data)
}

/// What the expressions of a plan may name.
fn input_schema(plan: &LogicalPlan) -> DFSchema {
    let mut all = DFSchema::empty();
    for input in plan.inputs() {
        all.merge(input.schema());
    }
    all
}
