//! Subqueries that are values or conditions.
//!
//! A subquery may name columns of the queries around it. Such a name becomes an outer reference, which DataFusion turns
//! into a join. Subqueries without outer references are run before the query they belong to (by the engine).

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use arrow::datatypes::Field;
use datafusion::common::Spans;
use datafusion::functions_aggregate::count::count;
use datafusion::logical_expr::expr::{AggregateFunction, Exists};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Subquery, lit};
use gristmill_base::{Error, Result};
use gristmill_functions::resolve_aggregate;
use gristmill_types::SqlType;
use sqlparser::ast::Query;

use super::around::Around;
use super::scope::{Context, Scope, ScopeColumn};
use super::{Analyzer, Lowered, OutputColumn, Typed};

/// The aggregate that is the value of one row, be it NULL.
const FIRST: &str = "any_respect_nulls";

/// The columns of a query around, and those of them that were named.
#[derive(Debug, Default)]
pub(crate) struct Outer {
    columns: Vec<ScopeColumn>,
    used: Vec<Expr>,
}

/// A subquery's text and what it sees: of WITH, and of the names around it.
#[derive(Debug)]
pub(crate) struct Seen {
    text: String,
    ctes: usize,
    around: Around,
}

impl Seen {
    /// Of a query that is made here, under a name of its own.
    pub(super) fn by_name(name: &str) -> Seen {
        Seen { text: name.to_string(), ctes: 0, around: None }
    }

    pub(super) fn is_same(&self, other: &Seen) -> bool {
        let around = match (&self.around, &other.around) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        around && self.ctes == other.ctes && self.text == other.text
    }
}

impl Analyzer<'_> {
    /// Lowers a subquery; gives the outer references in it as well.
    pub(crate) fn subquery_of(&self, query: &Query, context: &Context<'_>) -> Result<(Lowered, Vec<Expr>)> {
        // One subquery is lowered once, however often its expression is looked at: the plans are then equal.
        let around = context.scope.around.clone().or_else(|| self.around.borrow().clone());
        let seen = Seen { text: query.to_string(), ctes: Rc::as_ptr(&context.scope.ctes) as usize, around };
        if let Some((_, lowered)) = self.subqueries.borrow().iter().find(|(known, _)| known.is_same(&seen)) {
            return Ok((lowered.clone(), Vec::new()));
        }
        let mut columns = context.scope.columns.clone();
        if let Some(grouped) = context.grouped {
            // Above a grouping only its keys can be named.
            columns.retain_mut(|column| match grouped.keys.iter().find(|(key, _, _)| *key == column.expr) {
                Some((_, typed, _)) => {
                    column.expr = typed.expr.clone();
                    true
                }
                None => false,
            });
        }
        self.outer.borrow_mut().push(Outer { columns, used: Vec::new() });
        let lowered = self.within(&seen.around, || self.query(query, &context.scope.ctes));
        let used = self.outer.borrow_mut().pop().map(|outer| outer.used).unwrap_or_default();
        let lowered = lowered?;
        if used.is_empty() {
            self.subqueries.borrow_mut().push((seen, lowered.clone()));
        }
        Ok((lowered, used))
    }

    /// A name that a query around this one has a column for.
    pub(crate) fn outer_name(&self, parts: &[String]) -> Result<Option<Typed>> {
        let mut levels = self.outer.borrow_mut();
        for level in levels.iter_mut().rev() {
            let scope = Scope { columns: level.columns.clone(), prefer_first: true, ..Scope::default() };
            let Some(found) = self.column(parts, &scope.rows())? else { continue };
            let Expr::Column(column) = found.expr else { continue };
            let field = Arc::new(Field::new(&column.name, found.kind.arrow(), found.kind.is_nullable()));
            let reference = Expr::OuterReferenceColumn(field, column);
            if !level.used.contains(&reference) {
                level.used.push(reference.clone());
            }
            return Ok(Some(Typed::new(reference, found.kind)));
        }
        Ok(None)
    }

    /// Whether the subquery that is being lowered has named a column from outside.
    pub(crate) fn is_correlated(&self) -> bool {
        self.outer.borrow().last().is_some_and(|level| !level.used.is_empty())
    }

    pub(crate) fn exists(&self, query: &Query, negated: bool, context: &Context<'_>) -> Result<Typed> {
        let (lowered, outer) = self.subquery_of(query, context)?;
        // Above WHERE it is a value, which DataFusion has of scalar subqueries alone: the count of its rows.
        if !outer.is_empty() && context.windows.is_some() {
            let rows = self.unique("rows");
            // What is computed of the rows changes nothing of how many they are.
            let mut plan = lowered.plan;
            while let LogicalPlan::Projection(projection) = plan {
                plan = Arc::unwrap_or_clone(projection.input);
            }
            let counted = LogicalPlanBuilder::from(plan).aggregate(Vec::<Expr>::new(), [count(lit(1_i64)).alias(rows)])?;
            let subquery = Subquery { subquery: Arc::new(counted.build()?), outer_ref_columns: outer, spans: Spans::new() };
            let rows = Expr::ScalarSubquery(subquery);
            let exists = Expr::IsTrue(Box::new(if negated { rows.eq(lit(0_i64)) } else { rows.gt(lit(0_i64)) }));
            return Ok(super::operators::predicate(exists, false));
        }
        let subquery = Subquery { subquery: Arc::new(lowered.plan), outer_ref_columns: outer, spans: Spans::new() };
        Ok(super::operators::predicate(Expr::Exists(Exists { subquery, negated }), false))
    }

    /// The type of a subquery that is a value. `None`: it depends on the row around it, or is a tuple of several columns.
    pub(crate) fn kind_of_subquery(&self, subquery: &Subquery) -> Option<SqlType> {
        let known = self.subqueries.borrow();
        let (_, lowered) = known.iter().find(|(_, lowered)| lowered.plan == *subquery.subquery)?;
        let [one] = &lowered.columns[..] else { return None };
        Some(one.kind.clone().nullable())
    }

    /// Of the rows that a subquery finds for the row around it the first; NULL where there is none.
    fn first_row(&self, plan: LogicalPlan, column: &OutputColumn) -> Result<LogicalPlan> {
        if !gives_rows(&plan) {
            return Ok(plan);
        }
        let (value, rows) = match plan {
            LogicalPlan::Projection(projection) => match &projection.expr[..] {
                [one] => (one.clone().unalias(), projection.input.as_ref().clone()),
                _ => (column.expr.clone(), LogicalPlan::Projection(projection)),
            },
            other => (column.expr.clone(), other),
        };
        let value = self.cast(Typed::new(value, column.kind.clone()), &column.kind.clone().nullable())?;
        let function = resolve_aggregate(self.registry, FIRST)
            .ok_or_else(|| Error::logical(format!("There is no aggregate function {FIRST}")))?;
        let bound = function.bind(FIRST, &[], &[self.argument(&value)])?;
        let first = AggregateFunction::new_udf(bound.udaf, vec![value.expr], false, None, Vec::new(), None);
        let first = Expr::AggregateFunction(first).alias(self.unique("first"));
        Ok(LogicalPlanBuilder::from(rows).aggregate(Vec::<Expr>::new(), [first])?.build()?)
    }

    /// A subquery as a value: NULL where it has no row, a tuple where it has several columns.
    pub(crate) fn scalar_subquery(&self, query: &Query, context: &Context<'_>) -> Result<Typed> {
        let (lowered, outer) = self.subquery_of(query, context)?;
        let depends = !outer.is_empty();
        let scalar = |plan| {
            Expr::ScalarSubquery(Subquery { subquery: Arc::new(plan), outer_ref_columns: outer, spans: Spans::new() })
        };
        match &lowered.columns[..] {
            [one] => {
                let plan = if depends { self.first_row(lowered.plan, one)? } else { lowered.plan };
                Ok(Typed::new(scalar(plan), one.kind.clone().nullable()))
            }
            many => {
                let arguments: Vec<_> = many
                    .iter()
                    .map(|column| {
                        (column.expr.clone(), gristmill_functions::Argument { kind: column.kind.clone(), constant: None })
                    })
                    .collect();
                let (tuple, kind) = gristmill_functions::udf::call(self.registry, "tuple", arguments, &self.env)?;
                // Its fields are called as the columns, where these have names of their own.
                let names: HashSet<&str> = many.iter().map(|column| column.name.as_str()).collect();
                let named =
                    SqlType::Tuple(many.iter().map(|column| (Some(column.name.clone()), column.kind.clone())).collect());
                let tuple = Typed::new(tuple, kind);
                let tuple = if names.len() == many.len() { self.cast(tuple, &named)? } else { tuple };
                let plan =
                    LogicalPlanBuilder::from(lowered.plan).project(vec![tuple.expr.alias(self.unique("tuple"))])?.build()?;
                Ok(Typed::new(scalar(plan), tuple.kind))
            }
        }
    }
}

/// Whether a subquery that depends on the row around it gives its rows as they are found: neither aggregated into one, nor ordered or
/// counted.
fn gives_rows(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => gives_rows(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => gives_rows(&alias.input),
        LogicalPlan::Filter(filter) => {
            filter.input.max_rows() != Some(1) && (filter.predicate.contains_outer() || gives_rows(&filter.input))
        }
        LogicalPlan::Aggregate(aggregate) => !aggregate.group_expr.is_empty() && gives_rows(&aggregate.input),
        _ => false,
    }
}
