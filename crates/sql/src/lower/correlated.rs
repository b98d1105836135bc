//! Scalar subqueries that depend on the row around them by other conditions than equalities.
//!
//! DataFusion turns a subquery into a join where its conditions on the row are equalities, which become the keys of a grouping. The
//! others are computed for each combination of values that the rows around have, once:
//!
//! ```text
//! SELECT (SELECT sum(w) FROM u WHERE u.id < t.id) FROM t
//! values  = SELECT DISTINCT id FROM t
//! answers = SELECT id, sum(w) FROM values JOIN u ON u.id < values.id GROUP BY id
//! SELECT answers.sum FROM t LEFT JOIN answers ON t.id IS NOT DISTINCT FROM answers.id
//! ```
//!
//! The rows around are computed twice thereby. Taken are subqueries that aggregate into one row, in SELECT and WHERE, with nothing
//! but conditions and columns between the aggregation and the rows that know nothing of the row around, and those without rows of their
//! own (`(SELECT t.id + 1)`); all else is left to DataFusion, and its errors.

use std::sync::Arc;

use arrow::array::{ListArray, new_empty_array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, JoinType, Result, ScalarValue};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, binary_expr, lit,
};

use super::NameNumbers;

/// The plan with joins in the place of such subqueries. `names`: for the columns that come with them.
pub(super) fn decorrelated(plan: LogicalPlan, names: &NameNumbers) -> Result<LogicalPlan> {
    Ok(plan.transform_up_with_subqueries(|plan| one_level(plan, names))?.data)
}

fn one_level(plan: LogicalPlan, names: &NameNumbers) -> Result<Transformed<LogicalPlan>> {
    let [input] = plan.inputs()[..] else { return Ok(Transformed::no(plan)) };
    if !matches!(plan, LogicalPlan::Projection(_) | LogicalPlan::Filter(_)) {
        return Ok(Transformed::no(plan));
    }
    let original = input.clone();
    let mut joined = original.clone();
    let mut changed = false;
    let mut exprs = Vec::new();
    for expr in plan.expressions() {
        // What a column is called stays.
        let name = expr.schema_name().to_string();
        let replaced = expr.transform_down(|expr| {
            let Expr::ScalarSubquery(subquery) = &expr else { return Ok(Transformed::no(expr)) };
            if let Some(value) = of_the_row(subquery, &original)? {
                changed = true;
                return Ok(Transformed::yes(value));
            }
            let Some(parts) = Parts::of(subquery, &original) else { return Ok(Transformed::no(expr)) };
            let (with_answers, answer) = parts.joined(joined.clone(), &original, names)?;
            (joined, changed) = (with_answers, true);
            Ok(Transformed::yes(answer))
        })?;
        let keeps_name = !replaced.transformed || matches!(plan, LogicalPlan::Filter(_));
        exprs.push(if keeps_name || matches!(replaced.data, Expr::Alias(_)) {
            replaced.data
        } else {
            replaced.data.alias(name)
        });
    }
    if !changed {
        return Ok(Transformed::no(plan));
    }
    let columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    let is_filter = matches!(plan, LogicalPlan::Filter(_));
    let built = LogicalPlanBuilder::from(joined);
    let built = match (is_filter, exprs.pop()) {
        (true, Some(condition)) => built.filter(condition)?.project(columns)?,
        (_, last) => built.project(exprs.into_iter().chain(last))?,
    };
    Ok(Transformed::yes(built.build()?))
}

/// What a subquery without FROM is that computes from the row around it. `None`: it is none.
fn of_the_row(subquery: &Subquery, around: &LogicalPlan) -> Result<Option<Expr>> {
    let LogicalPlan::Projection(projection) = subquery.subquery.as_ref() else { return Ok(None) };
    let has_no_rows = matches!(projection.input.as_ref(), LogicalPlan::EmptyRelation(one) if one.produce_one_row);
    let (true, [value]) = (has_no_rows, &projection.expr[..]) else { return Ok(None) };
    if columns_around(subquery, around).is_none_or(|named| named.is_empty()) {
        return Ok(None);
    }
    let value = value.clone().unalias().transform_down(|expr| {
        let Expr::OuterReferenceColumn(_, column) = &expr else { return Ok(Transformed::no(expr)) };
        Ok(Transformed::yes(Expr::Column(column.clone())))
    })?;
    Ok(Some(value.data))
}

/// The columns of the row around that a subquery names. `None`: some are of rows further around.
fn columns_around(subquery: &Subquery, around: &LogicalPlan) -> Option<Vec<Column>> {
    subquery
        .outer_ref_columns
        .iter()
        .map(|expr| match expr {
            Expr::OuterReferenceColumn(_, column) if around.schema().has_column(column) => Some(column.clone()),
            _ => None,
        })
        .collect()
}

/// A subquery that can be computed so.
struct Parts {
    /// What stands above the aggregation, the highest first.
    above: Vec<Vec<Expr>>,
    aggregate: Aggregate,
    /// Conditions on the row around, and those that are about the subquery's own rows.
    about_row: Vec<Expr>,
    own: Vec<Expr>,
    /// What stands between the aggregation and the rows instead, the highest first, where there is more than conditions.
    between: Vec<Layer>,
    rows: Arc<LogicalPlan>,
    /// Columns of the row around.
    named: Vec<Column>,
}

enum Layer {
    Columns(Vec<Expr>),
    Condition(Expr),
}

impl Layer {
    /// Whether nothing of the row around is in it but what columns are equal to.
    fn is_of_equalities(&self) -> bool {
        match self {
            Layer::Columns(exprs) => !exprs.iter().any(Expr::contains_outer),
            Layer::Condition(condition) => {
                split_conjunction_owned(condition.clone()).iter().all(|part| !part.contains_outer() || is_equality(part))
            }
        }
    }
}

/// What stands above the rows in which nothing is of the row around, and these. `None`: it is no columns and conditions.
fn layers(mut plan: Arc<LogicalPlan>) -> Option<(Vec<Layer>, Arc<LogicalPlan>)> {
    let mut layers = Vec::new();
    while !plan.all_out_ref_exprs().is_empty() {
        let (layer, below) = match plan.as_ref() {
            LogicalPlan::Projection(projection) => (Layer::Columns(projection.expr.clone()), projection.input.clone()),
            LogicalPlan::Filter(filter) => (Layer::Condition(filter.predicate.clone()), filter.input.clone()),
            _ => return None,
        };
        layers.push(layer);
        plan = below;
    }
    Some((layers, plan))
}

impl Parts {
    fn of(subquery: &Subquery, around: &LogicalPlan) -> Option<Parts> {
        let named = columns_around(subquery, around)?;
        let mut above = Vec::new();
        let mut plan = subquery.subquery.as_ref();
        while let LogicalPlan::Projection(projection) = plan {
            above.push(projection.expr.clone());
            plan = projection.input.as_ref();
        }
        let LogicalPlan::Aggregate(aggregate) = plan else { return None };
        let mut rows = aggregate.input.clone();
        let (mut about_row, mut own) = (Vec::new(), Vec::new());
        while let LogicalPlan::Filter(filter) = rows.as_ref() {
            for condition in split_conjunction_owned(filter.predicate.clone()) {
                if condition.contains_outer() { about_row.push(condition) } else { own.push(condition) }
            }
            rows = filter.input.clone();
        }
        let mut between = Vec::new();
        if !rows.all_out_ref_exprs().is_empty() {
            (between, rows) = layers(aggregate.input.clone())?;
            (about_row, own) = (Vec::new(), Vec::new());
        }
        let of_equalities = about_row.iter().all(is_equality) && between.iter().all(Layer::is_of_equalities);
        let computes_of_row = above.iter().flatten().chain(&aggregate.aggr_expr).any(Expr::contains_outer);
        let wants_more = computes_of_row || !of_equalities;
        let is_taken = !named.is_empty() && aggregate.group_expr.is_empty() && wants_more;
        is_taken.then(|| Parts { above, aggregate: aggregate.clone(), about_row, own, between, rows, named })
    }

    /// The rows around with the subquery's answer beside each, and what it is.
    fn joined(self, around: LogicalPlan, of: &LogicalPlan, names: &NameNumbers) -> Result<(LogicalPlan, Expr)> {
        let unqualified = |name: &str| Expr::Column(Column::new_unqualified(name));
        let keys: Vec<String> = self.named.iter().map(|column| names.unique(&column.name)).collect();
        let values = self.named.iter().zip(&keys).map(|(column, key)| Expr::Column(column.clone()).alias(key));
        let values = LogicalPlanBuilder::from(of.clone()).project(values)?.distinct()?.build()?;
        // What an expression is called stays.
        let as_key = |expr: Expr| -> Result<Expr> {
            let name = expr.schema_name().to_string();
            let replaced = expr.transform_down(|expr| {
                let Expr::OuterReferenceColumn(_, column) = &expr else { return Ok(Transformed::no(expr)) };
                let key = self.named.iter().position(|named| named == column);
                Ok(key.map_or_else(|| Transformed::no(expr.clone()), |at| Transformed::yes(unqualified(&keys[at]))))
            })?;
            let is_named = !replaced.transformed || matches!(replaced.data, Expr::Alias(_));
            Ok(if is_named { replaced.data } else { replaced.data.alias(name) })
        };
        let all = |exprs: &[Expr]| exprs.iter().cloned().map(as_key).collect::<Result<Vec<_>>>();
        let on: Vec<Expr> = all(&self.about_row)?.into_iter().map(Expr::unalias).collect();
        let aggregates = all(&self.aggregate.aggr_expr)?;
        let above = self.above.iter().map(|exprs| all(exprs)).collect::<Result<Vec<_>>>()?;
        let mut rows = LogicalPlanBuilder::from(self.rows.as_ref().clone());
        if let Some(own) = conjunction(self.own) {
            rows = rows.filter(own)?;
        }
        let mut answers = LogicalPlanBuilder::from(values).join_on(rows.build()?, JoinType::Inner, on)?;
        let groups: Vec<Expr> = keys.iter().map(|key| unqualified(key)).collect();
        for layer in self.between.iter().rev() {
            answers = match layer {
                Layer::Columns(exprs) => answers.project(all(exprs)?.into_iter().chain(groups.clone()))?,
                Layer::Condition(condition) => answers.filter(as_key(condition.clone())?.unalias())?,
            };
        }
        let mut answers = answers.aggregate(groups.clone(), aggregates)?;
        for exprs in above.into_iter().rev() {
            answers = answers.project(exprs.into_iter().chain(groups.clone()))?;
        }
        // The answer has a name of its own, and so have the keys beside it.
        let own_name = names.unique("answer");
        let places = answers.schema().columns();
        let is_key = |column: &Column| column.relation.is_none() && keys.contains(&column.name);
        let Some(answer) = places.iter().find(|column| !is_key(column)) else {
            return datafusion::common::internal_err!("A subquery without a column");
        };
        let answers = answers.project([Expr::Column(answer.clone()).alias(&own_name)].into_iter().chain(groups))?.build()?;
        let same =
            self.named.iter().zip(&keys).map(|(column, key)| {
                binary_expr(Expr::Column(column.clone()), Operator::IsNotDistinctFrom, unqualified(key))
            });
        let joined = LogicalPlanBuilder::from(around).join_on(answers, JoinType::Left, same.collect::<Vec<_>>())?.build()?;
        // Of no rows a count is 0, an array is empty, and all else is NULL.
        let counts = match &self.aggregate.aggr_expr[..] {
            [one] => matches!(one.clone().unalias(), Expr::AggregateFunction(call) if call.func.name() == "count"),
            _ => false,
        };
        let answer = unqualified(&own_name);
        // Of the answer's own type: two would be brought to a third.
        let none = match answer.get_type(joined.schema())? {
            kind if counts => Some(ScalarValue::new_zero(&kind)?),
            DataType::List(element) => Some(ScalarValue::List(Arc::new(ListArray::new(
                element.clone(),
                OffsetBuffer::new_zeroed(1),
                new_empty_array(element.data_type()),
                None,
            )))),
            _ => None,
        };
        Ok((joined, none.map_or(answer.clone(), |none| coalesce(vec![answer, lit(none)]))))
    }
}

/// `a = b` of a column with one of the row around: what DataFusion takes.
fn is_equality(condition: &Expr) -> bool {
    let is_column = |expr: &Expr| matches!(expr, Expr::Column(_) | Expr::OuterReferenceColumn(..));
    matches!(condition, Expr::BinaryExpr(binary)
        if binary.op == Operator::Eq && is_column(&binary.left) && is_column(&binary.right))
}
