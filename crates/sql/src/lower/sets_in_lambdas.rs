//! `x IN (SELECT …)` in a lambda. The lambda is an expression by itself, in which nothing is replaced any more when the query's sets are
//! computed: there the set is an array, which a subquery gathers and the lambda is given as any other value from outside.

use std::sync::Arc;

use datafusion::common::{Column, ScalarValue, Spans};
use datafusion::logical_expr::expr::{AggregateFunction, Case, Exists, InSubquery};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Subquery, lit};
use gristmill_base::{Error, Result};
use gristmill_functions::{resolve_aggregate, udf};
use gristmill_types::SqlType;

use super::operators::predicate;
use super::scope::Context;
use super::subqueries::Seen;
use super::{Analyzer, Lowered, OutputColumn, Typed};

impl Analyzer<'_> {
    /// That a value is in a set, whose only column is of the type `kind`, without NULL.
    pub(super) fn member(
        &self,
        value: Typed,
        kind: &SqlType,
        set: Subquery,
        negated: bool,
        context: &Context<'_>,
    ) -> Result<Typed> {
        let nullable = value.kind.is_nullable();
        let columns = set.subquery.schema().columns();
        let [column] = &columns[..] else {
            return Err(Error::logical("A set of IN that is not one column"));
        };
        if context.lambda.is_empty() || !set.outer_ref_columns.is_empty() {
            let expr = Box::new(value.expr);
            return Ok(predicate(Expr::InSubquery(InSubquery { expr, subquery: set, negated }), nullable));
        }
        let member = self.as_bits(Typed::new(Expr::Column(column.clone()), kind.clone()))?;
        let members = self.gathered("groupUniqArray", set.subquery.as_ref().clone(), member)?;
        let described = [&members, &self.as_bits(value.clone())?].map(|typed| (typed.expr.clone(), self.argument(typed)));
        let (has, has_kind) = udf::call(self.registry, "has", described.into(), &self.env)?;
        let has = self.as_predicate(Typed::new(has, has_kind), "IN")?;
        let found = if negated { Expr::Not(Box::new(has)) } else { has };
        if !nullable {
            return Ok(predicate(found, false));
        }
        let found = Expr::Case(Case {
            expr: None,
            when_then_expr: vec![(Box::new(Expr::IsNotNull(Box::new(value.expr))), Box::new(found))],
            else_expr: Some(Box::new(lit(ScalarValue::Boolean(None)))),
        });
        Ok(predicate(found, true))
    }

    /// A float as the number that its bits are, since a set knows it by those: NaN is in one that has it.
    fn as_bits(&self, value: Typed) -> Result<Typed> {
        let function = match value.kind.plain() {
            SqlType::Float32 => "reinterpretAsUInt32",
            SqlType::Float64 => "reinterpretAsUInt64",
            _ => return Ok(value),
        };
        let described = vec![(value.expr.clone(), self.argument(&value))];
        let (expr, kind) = udf::call(self.registry, function, described, &self.env)?;
        Ok(Typed::new(expr, kind))
    }

    /// Whether a plan has rows.
    pub(super) fn has_rows(&self, plan: LogicalPlan, outer: Vec<Expr>, context: &Context<'_>) -> Result<Expr> {
        if context.lambda.is_empty() || !outer.is_empty() {
            let subquery = Subquery { subquery: Arc::new(plan), outer_ref_columns: outer, spans: Spans::new() };
            return Ok(Expr::Exists(Exists { subquery, negated: false }));
        }
        let count = self.gathered("count", plan, Typed::new(lit(1_u8), SqlType::UInt8))?;
        Ok(count.expr.gt(lit(0_u64)))
    }

    /// The values of a plan's rows as one array, by an aggregate function that makes one. The query has it before it runs.
    pub(super) fn gathered(&self, aggregate: &str, plan: LogicalPlan, value: Typed) -> Result<Typed> {
        let function = resolve_aggregate(self.registry, aggregate)
            .ok_or_else(|| Error::logical(format!("There is no aggregate function {aggregate}")))?;
        let bound = function.bind(aggregate, &[], &[self.argument(&value)])?;
        let name = self.member_name(&plan, &value.expr);
        let value = match bound.arguments.first() {
            Some(kind) => self.cast(value, kind)?,
            None => value,
        };
        let array = AggregateFunction::new_udf(bound.udaf, vec![value.expr], false, None, Vec::new(), None);
        let array = Expr::AggregateFunction(array).alias(&name);
        let plan = LogicalPlanBuilder::from(plan).aggregate(Vec::<Expr>::new(), [array])?.build()?;
        let seen = Seen::by_name(&name);
        let mut known = self.subqueries.borrow_mut();
        if known.iter().all(|(other, _)| !other.is_same(&seen)) {
            let expr = Expr::Column(Column::new_unqualified(name.clone()));
            let columns = vec![OutputColumn { name, kind: bound.result.clone(), expr }];
            known.push((seen, Lowered { plan: plan.clone(), columns }));
        }
        let subquery = Subquery { subquery: Arc::new(plan), outer_ref_columns: Vec::new(), spans: Spans::new() };
        Ok(Typed::new(Expr::ScalarSubquery(subquery), bound.result))
    }
}
