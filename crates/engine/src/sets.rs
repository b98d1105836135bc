//! Subqueries that do not depend on the rows of the query around them are run before it, as in ClickHouse: those of IN
//! become lists (a set that is known prunes granules and row groups, which a semi join cannot), scalar ones and EXISTS
//! become constants. A set of more values than `SET_ROWS_MAX` stays a semi join.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Subquery, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_sql::lower::list_of;

use crate::plan::collect_up_to;

/// Values up to which a set is put into the plan itself.
const SET_ROWS_MAX: usize = 20_000;

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Set,
    Scalar,
    Exists,
}

/// What a subquery gave.
enum Answer {
    Values(Vec<ScalarValue>),
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
            known.push((what, subquery, answer));
        }
    }
    replace(plan, &known)
}

/// Runs a subquery. `None`: a set that is too large to be kept.
async fn answer(what: Use, plan: LogicalPlan, state: &SessionState, context: &Arc<QueryContext>) -> Result<Option<Answer>> {
    match what {
        Use::Set => {
            let Some(batches) = collect_up_to(state, &plan, context, SET_ROWS_MAX).await? else { return Ok(None) };
            let mut seen = HashSet::new();
            let mut values = Vec::new();
            for batch in &batches {
                for row in 0..batch.num_rows() {
                    let value = ScalarValue::try_from_array(batch.column(0), row)?;
                    if !value.is_null() && seen.insert(value.clone()) {
                        values.push(value);
                    }
                }
            }
            Ok(Some(Answer::Values(values)))
        }
        Use::Scalar => {
            let several =
                || Error::new(ErrorCode::INCORRECT_RESULT_OF_SCALAR_SUBQUERY, "Scalar subquery returned more than one row");
            let kind = plan.schema().field(0).data_type().clone();
            let plan = LogicalPlanBuilder::from(plan).limit(0, Some(2))?.build()?;
            let batches = collect_up_to(state, &plan, context, 1).await?.ok_or_else(several)?;
            Ok(Some(Answer::Value(match batches.iter().find(|batch| batch.num_rows() > 0) {
                Some(batch) => ScalarValue::try_from_array(batch.column(0), 0)?,
                None => ScalarValue::try_from(&kind)?,
            })))
        }
        Use::Exists => {
            let plan = LogicalPlanBuilder::from(plan).limit(0, Some(1))?.build()?;
            let batches = collect_up_to(state, &plan, context, 1).await?.unwrap_or_default();
            Ok(Some(Answer::Exists(batches.iter().any(|batch| batch.num_rows() > 0))))
        }
    }
}

fn replace(plan: LogicalPlan, known: &[(Use, Arc<LogicalPlan>, Answer)]) -> Result<LogicalPlan> {
    if known.is_empty() {
        return Ok(plan);
    }
    let answer_to = |expr: &Expr| -> Option<&Answer> {
        let (what, subquery) = independent(expr)?;
        known.iter().find(|(use_, plan, _)| *use_ == what && *plan == subquery.subquery).map(|(_, _, answer)| answer)
    };
    let replaced = plan.transform_up_with_subqueries(|plan| {
        plan.map_expressions(|expr| {
            expr.transform_up(|expr| {
                let found = match (answer_to(&expr), &expr) {
                    (Some(Answer::Values(values)), Expr::InSubquery(set)) => {
                        Some(list_of(set.expr.as_ref().clone(), values.clone(), set.negated))
                    }
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
