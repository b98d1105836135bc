//! `(a, b) IN (SELECT x, y …)` is lowered as one text in a set of texts, which no index knows. So the subquery gives the
//! columns of its tuples as well, and besides the membership each part of the left side is said to be one of the values that
//! stand in its place: what indexes and statistics can use.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::Result;
use gristmill_functions::value_set::{ValueSet, member_of};
use gristmill_sql::lower::list_of;

use super::{LIST_VALUES_MAX, concatenated};

/// The parts of a tuple that is compared by its text.
fn parts(text: &Expr) -> Option<&[Expr]> {
    let call = |expr: &'_ Expr, name: &str| match expr {
        Expr::ScalarFunction(call) if call.func.name() == name => Some(()),
        _ => None,
    };
    let text = match text {
        Expr::Alias(alias) => alias.expr.as_ref(),
        text => text,
    };
    call(text, "CAST")?;
    let Expr::ScalarFunction(cast) = text else { return None };
    let tuple = cast.args.first()?;
    call(tuple, "tuple")?;
    let Expr::ScalarFunction(tuple) = tuple else { return None };
    Some(&tuple.args)
}

/// The subquery with the columns of its tuples behind their text; as it is, where it gives no tuples.
pub fn with_parts(plan: LogicalPlan) -> Result<LogicalPlan> {
    let LogicalPlan::Projection(projection) = &plan else { return Ok(plan) };
    let [text] = &projection.expr[..] else { return Ok(plan) };
    let Some(parts) = parts(text) else { return Ok(plan) };
    let parts = parts.iter().enumerate().map(|(at, part)| part.clone().alias(format!("__part_{at}")));
    let columns: Vec<Expr> = std::iter::once(text.clone()).chain(parts).collect();
    Ok(LogicalPlanBuilder::from(projection.input.as_ref().clone()).project(columns)?.build()?)
}

/// The different values of each part, from the rows that `with_parts` had made. `None`: they cannot be looked for.
pub fn values_of_parts(plan: &LogicalPlan, batches: &[RecordBatch]) -> Result<Vec<Option<Arc<ValueSet>>>> {
    let fields = plan.schema().fields();
    let of_part = |(at, field): (usize, &arrow::datatypes::FieldRef)| -> Result<Option<Arc<ValueSet>>> {
        if !ValueSet::holds(field.data_type()) {
            return Ok(None);
        }
        let values: ArrayRef = concatenated(batches, at, field.data_type())?;
        Ok(Some(ValueSet::of(&values)?.into()))
    };
    fields.iter().enumerate().skip(1).map(of_part).collect()
}

/// That each part of the tuple on the left is among the values of its place, besides `member`. A part that may be NULL is left
/// out: beside NULL the whole has another answer than its parts.
pub fn bounded(
    member: Expr,
    left: &Expr,
    sets: &[Option<Arc<ValueSet>>],
    schema: &datafusion::common::DFSchema,
) -> Result<Expr> {
    let Some(parts) = parts(left) else { return Ok(member) };
    let mut bounded = member;
    for (part, set) in parts.iter().zip(sets) {
        let Some(set) = set else { continue };
        if matches!(part, Expr::Literal(..))
            || part.nullable(schema).unwrap_or(true)
            || part.get_type(schema)? != *set.values().data_type()
        {
            continue;
        }
        let among = match set.values().len() <= LIST_VALUES_MAX {
            true => {
                let values = (0..set.values().len()).map(|at| ScalarValue::try_from_array(set.values(), at));
                list_of(part.clone(), values.collect::<Result<_, _>>()?, false)
            }
            false => member_of(part.clone(), set.clone()),
        };
        bounded = among.and(bounded);
    }
    Ok(bounded)
}
