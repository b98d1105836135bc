//! Subqueries of IN are run before the query they belong to, as in ClickHouse: a set that is known prunes granules and
//! row groups, which a semi join cannot. A set of more values than `SET_ROWS_MAX` stays a semi join.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan};
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_sql::lower::list_of;

use crate::plan::collect_up_to;

/// Values up to which a set is put into the plan itself.
const SET_ROWS_MAX: usize = 20_000;

pub async fn compute_sets(plan: LogicalPlan, state: &SessionState, context: &Arc<QueryContext>) -> Result<LogicalPlan> {
    let mut subqueries: Vec<Arc<LogicalPlan>> = Vec::new();
    plan.apply_with_subqueries(|plan| {
        plan.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Expr::InSubquery(subquery) = expr
                    && subquery.subquery.outer_ref_columns.is_empty()
                    && !subqueries.iter().any(|known| known == &subquery.subquery.subquery)
                {
                    subqueries.push(subquery.subquery.subquery.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    if subqueries.is_empty() {
        return Ok(plan);
    }
    let mut known: Vec<(Arc<LogicalPlan>, Vec<ScalarValue>)> = Vec::new();
    // Innermost first: an outer set's subquery may hold inner ones, which are then already lists.
    for subquery in subqueries.into_iter().rev() {
        let replaced = replace(subquery.as_ref().clone(), &known)?;
        let Some(batches) = collect_up_to(state, &replaced, context, SET_ROWS_MAX).await? else { continue };
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
        known.push((subquery, values));
    }
    replace(plan, &known)
}

fn replace(plan: LogicalPlan, known: &[(Arc<LogicalPlan>, Vec<ScalarValue>)]) -> Result<LogicalPlan> {
    if known.is_empty() {
        return Ok(plan);
    }
    let replaced = plan.transform_up_with_subqueries(|plan| {
        plan.map_expressions(|expr| {
            expr.transform_up(|expr| match expr {
                Expr::InSubquery(subquery) => match known.iter().find(|(plan, _)| *plan == subquery.subquery.subquery) {
                    Some((_, values)) => Ok(Transformed::yes(list_of(*subquery.expr, values.clone(), subquery.negated))),
                    None => Ok(Transformed::no(Expr::InSubquery(subquery))),
                },
                other => Ok(Transformed::no(other)),
            })
        })
    })?;
    Ok(replaced.data)
}
