//! Aggregate functions and what stands above GROUP BY.
//!
//! Above the aggregation an expression may name keys and aggregates only. A part of it is a key when, lowered over the
//! rows below, it is the very expression of a key; each aggregate is computed once, however often it is written.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::expr::{AggregateFunction, Case, Sort};
use datafusion::logical_expr::{Expr, Filter, Limit, LogicalPlan, Projection};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::aggregates::order::keeps_order;
use gristmill_functions::{parts_of_aggregate, resolve_aggregate};
use gristmill_introspect::Use;
use gristmill_types::SqlType;

use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, Node};

/// The aggregation of one SELECT.
#[derive(Debug, Default)]
pub struct Grouped {
    /// The key's expression over the rows, and the column that it becomes.
    pub keys: Vec<(Expr, Typed, String)>,
    /// Keys that are constants, where there are no sets: they group nothing apart.
    pub constants: Vec<Expr>,
    /// The aggregate, the column it becomes, and its type.
    pub aggregates: RefCell<Vec<(Expr, String, SqlType)>>,
    /// The sets of keys to group by, as numbers of `keys`, and the column that tells the set of a row.
    pub sets: Option<(Vec<Vec<usize>>, String)>,
    /// No rows have no group, though there is one without keys: all keys are constants, or it is one of ROLLUP or CUBE.
    pub drops_empty: bool,
    /// Of it the row of totals is given, which is there where no rows are.
    pub totals: bool,
}

impl Grouped {
    pub(crate) fn kind_of(&self, expr: &Expr) -> Option<SqlType> {
        let Expr::Column(column) = expr else { return None };
        let key = self.keys.iter().find(|(_, typed, _)| typed.expr == *expr).map(|(_, typed, _)| typed.kind.clone());
        key.or_else(|| {
            self.aggregates.borrow().iter().find(|(_, name, _)| *name == column.name).map(|(_, _, kind)| kind.clone())
        })
    }
}

impl Analyzer<'_> {
    pub fn is_aggregate(&self, name: &str) -> bool {
        self.registry.find_scalar(name).is_none() && resolve_aggregate(self.registry, name).is_some()
    }

    /// Whether an aggregate of this query stands in the expression, aliases followed.
    pub(crate) fn has_aggregate(&self, node: &Node, context: &Context<'_>) -> bool {
        self.mentions(node, context, &|call| call.over.is_none() && self.is_aggregate(&call.name))
    }

    pub(crate) fn mentions(&self, node: &Node, context: &Context<'_>, wanted: &dyn Fn(&Call) -> bool) -> bool {
        self.mentions_beside(node, context, wanted, &mut HashSet::new())
    }

    /// `seen`: aliases that were looked into. Each is looked into once, though others name it again and again.
    fn mentions_beside(
        &self,
        node: &Node,
        context: &Context<'_>,
        wanted: &dyn Fn(&Call) -> bool,
        seen: &mut HashSet<String>,
    ) -> bool {
        let mut found = false;
        node.walk(&mut |node| {
            match node {
                Node::Call(call) => found |= wanted(call),
                Node::Lambda { parameters, body } => {
                    found |= self.mentions_beside(body, &context.with_parameters(parameters), wanted, seen);
                    return false;
                }
                Node::Name(parts) => {
                    if let [name] = &parts[..]
                        && !context.is_parameter(name)
                    {
                        let own = context.alias(name).map(|definition| (name.clone(), Cow::Borrowed(definition)));
                        let around =
                            || self.known_around(name, context).map(|(mark, definition)| (mark, Cow::Owned(definition)));
                        if let Some((mark, definition)) = own.or_else(around)
                            && seen.insert(mark.clone())
                        {
                            found |= self.mentions_beside(&definition, &context.expanding(&mark), wanted, seen);
                        }
                    }
                }
                _ => {}
            }
            !found
        });
        found
    }

    /// The key that an expression above the grouping is; constants stand for themselves.
    pub(crate) fn grouping_key(&self, node: &Node, grouped: &Grouped, context: &Context<'_>) -> Result<Option<Typed>> {
        if self.has_aggregate(node, context) || self.mentions(node, context, &|call| call.over.is_some()) {
            return Ok(None);
        }
        if !context.lambda.is_empty()
            && matches!(node, Node::Name(parts) if parts.len() == 1 && context.lambda.iter().any(|(name, _)| *name == parts[0]))
        {
            return Ok(None);
        }
        let Ok(below) = self.expr(node, &context.below_grouping()) else { return Ok(None) };
        let below = self.as_value(below)?;
        let key = grouped.keys.iter().find(|(key, _, _)| *key == below.expr).map(|(_, typed, _)| typed.clone());
        let is_literal = matches!(below.expr, Expr::Literal(..));
        let is_constant = is_literal && !(self.keys_become_nullable(grouped) && names_something(node));
        Ok(key.or_else(|| is_constant.then_some(below)))
    }

    /// What is known of a key below the grouping, as that it is never NULL, does not hold above it.
    fn keys_become_nullable(&self, grouped: &Grouped) -> bool {
        self.settings.group_by_use_nulls && grouped.sets.is_some() && !grouped.totals
    }

    pub(crate) fn aggregate_call(&self, call: &Call, context: &Context<'_>) -> Result<Typed> {
        let Some(grouped) = context.grouped else {
            return Err(Error::new(
                ErrorCode::ILLEGAL_AGGREGATION,
                format!(
                    "Aggregate function {} is found in a place where no aggregation happens (WHERE, a key, or inside another aggregate)",
                    Node::Call(call.clone())
                ),
            ));
        };
        if let Some(shifted) = self.shifted_sum(call, context)? {
            return Ok(shifted);
        }
        let (mut expr, mut kind, when_empty) = self.bind_aggregate(call, &context.below_grouping())?;
        let of_row_around = grouped.keys.is_empty() && self.is_correlated();
        if of_row_around && when_empty.is_none() && !kind.is_nullable() && kind.clone().nullable().is_nullable() {
            let name = format!("{}OrNull", self.registry.canonical(&call.name));
            if !call.distinct && !name.starts_with("count") {
                (expr, kind, _) = self.bind_aggregate(&Call { name, ..call.clone() }, &context.below_grouping())?;
            }
        }
        // A subquery that depends on the row around it has NULL where it found nothing.
        let (kind, when_empty) = match when_empty {
            Some(_) if of_row_around => (kind.nullable(), None),
            other => (kind, other),
        };
        let mut aggregates = grouped.aggregates.borrow_mut();
        let name = match aggregates.iter().find(|(known, _, _)| *known == expr) {
            Some((_, name, _)) => name.clone(),
            None => {
                let name = self.unique(&Node::Call(call.clone()).to_string());
                aggregates.push((expr, name.clone(), kind.clone()));
                name
            }
        };
        let column = Expr::Column(Column::new_unqualified(name));
        Ok(Typed::new(or_default(column, when_empty), kind))
    }

    /// Whether `aggregate_functions_null_for_empty` leaves the function alone.
    fn is_zero_over_nothing(&self, name: &str) -> bool {
        const ZERO: [&str; 7] = ["count", "uniq", "uniqExact", "uniqHLL12", "uniqTheta", "uniqUpTo", "deltaSum"];
        name.starts_with("count") || ZERO.contains(&parts_of_aggregate(self.registry, name).0.as_str())
    }

    /// What injective functions are called with, where there are as many different values of that: the estimate is that of it.
    fn without_injective(&self, argument: Typed, node: &Node, below: &Context<'_>) -> Result<Typed> {
        let Node::Call(call) = node.bare() else { return Ok(argument) };
        let [inner] = &call.arguments[..] else { return Ok(argument) };
        let is_injective = INJECTIVE.contains(&self.registry.canonical(&call.name)) && call.over.is_none();
        if !is_injective || matches!(argument.expr, Expr::Literal(..)) {
            return Ok(argument);
        }
        // What stands for several values, like `*`, is none by itself.
        let Ok(value) = self.expr(inner, below) else { return Ok(argument) };
        let value = self.as_value(value)?;
        // A tuple counts where NULL would not.
        if value.kind.is_nullable() != argument.kind.is_nullable() {
            return Ok(argument);
        }
        self.without_injective(value, inner, below)
    }

    /// The DataFusion aggregate, its type, and the value that stands for NULL over no rows.
    pub(crate) fn bind_aggregate(
        &self,
        call: &Call,
        below: &Context<'_>,
    ) -> Result<(Expr, SqlType, Option<datafusion::common::ScalarValue>)> {
        let mut name = self.registry.canonical(&call.name).to_string();
        let mut distinct = call.distinct;
        // count(DISTINCT x) is uniqExact(x); others have the Distinct combinator.
        let counts_several = name == "countDistinct" && call.arguments.len() > 1;
        if counts_several || (distinct && name == "count") {
            name = self.settings.count_distinct_implementation.clone();
            distinct = false;
        } else if distinct {
            name = format!("{name}Distinct");
            distinct = false;
        }
        let null_for_empty = self.settings.aggregate_functions_null_for_empty;
        if null_for_empty && !name.ends_with("OrNull") && !self.is_zero_over_nothing(&name) {
            name = format!("{name}OrNull");
        }
        let function = resolve_aggregate(self.registry, &name).ok_or_else(|| {
            Error::new(ErrorCode::UNKNOWN_AGGREGATE_FUNCTION, format!("Unknown aggregate function {name}"))
        })?;
        let (base, combinators) = parts_of_aggregate(self.registry, &name);
        self.check_introspection(&base)?;
        let used = &self.env.asker.used;
        used.note(Use::AggregateFunction, &base);
        combinators.iter().for_each(|combinator| used.note(Use::AggregateFunctionCombinator, combinator));
        let parameters =
            call.parameters.iter().map(|node| Ok(self.constant_in(node, below)?.0)).collect::<Result<Vec<_>>>()?;
        let mut arguments = Vec::new();
        for node in &call.arguments {
            if self.has_aggregate(node, below) {
                return Err(Error::new(
                    ErrorCode::ILLEGAL_AGGREGATION,
                    format!("Aggregate function {node} is found inside another aggregate function"),
                ));
            }
            let mut argument = self.as_value(self.expr(node, below)?)?;
            if self.settings.optimize_injective_functions_inside_uniq && COUNTS_DIFFERENT.contains(&name.as_str()) {
                argument = self.without_injective(argument, node, below)?;
            }
            arguments.push(argument);
        }
        let described: Vec<_> = arguments.iter().map(|typed| self.argument(typed)).collect();
        let bound = function.bind(&name, &parameters, &described)?;
        let mut filter = None;
        if let Some(at) = bound.filter_argument
            && at < arguments.len()
        {
            let condition = self.expr(&call.arguments[at], below)?;
            filter = Some(self.as_predicate(condition, &format!("condition of {name}"))?);
            arguments.remove(at);
        }
        if let Some(node) = &call.filter {
            let condition = self.expr(node, below)?;
            let condition = self.as_predicate(condition, "FILTER")?;
            filter = Some(match filter {
                Some(other) => other.and(condition),
                None => condition,
            });
        }
        let mut exprs = Vec::new();
        for (i, argument) in arguments.into_iter().enumerate() {
            exprs.push(match bound.arguments.get(i) {
                Some(kind) => self.cast(argument, kind)?.expr,
                None => argument.expr,
            });
        }
        if exprs.is_empty() {
            exprs.push(datafusion::logical_expr::lit(1_i64));
        }
        // What depends on the order of rows sees them in the order that the subquery gives them.
        let order_by = if keeps_order(&name) { self.ordering.borrow().clone() } else { Vec::new() };
        let expr = Expr::AggregateFunction(AggregateFunction::new_udf(
            bound.udaf,
            exprs,
            distinct,
            filter.map(Box::new),
            order_by,
            None,
        ));
        Ok((expr, bound.result, bound.when_empty))
    }
}

fn names_something(node: &Node) -> bool {
    let mut found = false;
    node.walk(&mut |node| {
        found |= matches!(node, Node::Name(_));
        !found
    });
    found
}

/// Aggregates that count different values.
const COUNTS_DIFFERENT: [&str; 5] = ["uniq", "uniqExact", "uniqHLL12", "uniqCombined", "uniqCombined64"];

/// Functions of one argument that give different values for different ones, as ClickHouse knows them.
const INJECTIVE: [&str; 14] = [
    "toString",
    "negate",
    "bitNot",
    "tuple",
    "hex",
    "bin",
    "reverse",
    "materialize",
    "IPv4NumToString",
    "IPv6NumToString",
    "UUIDNumToString",
    "bitmaskToArray",
    "bitmaskToList",
    "bitPositionsToArray",
];

pub(crate) fn or_default(column: Expr, when_empty: Option<datafusion::common::ScalarValue>) -> Expr {
    match when_empty {
        None => column,
        Some(value) => Expr::Case(Case {
            expr: None,
            when_then_expr: vec![(Box::new(Expr::IsNotNull(Box::new(column.clone()))), Box::new(column))],
            else_expr: Some(Box::new(Expr::Literal(value, None))),
        }),
    }
}

/// The order of a relation's rows, where it is that of a subquery with ORDER BY. Keys that are not among the relation's columns
/// are carried along in the plan: nothing names them, but what depends on the order is computed by them.
pub(crate) fn with_ordering(plan: LogicalPlan) -> Result<(LogicalPlan, Vec<Sort>)> {
    Ok(match plan {
        LogicalPlan::Sort(sort) => {
            let sorts = sort.expr.clone();
            (LogicalPlan::Sort(sort), sorts)
        }
        LogicalPlan::Limit(limit) => {
            let (input, sorts) = with_ordering(limit.input.as_ref().clone())?;
            (LogicalPlan::Limit(Limit { input: Arc::new(input), ..limit }), sorts)
        }
        LogicalPlan::Filter(filter) => {
            let (input, sorts) = with_ordering(filter.input.as_ref().clone())?;
            (LogicalPlan::Filter(Filter::try_new(filter.predicate, Arc::new(input))?), sorts)
        }
        LogicalPlan::Projection(projection) => {
            let (input, sorts) = with_ordering(projection.input.as_ref().clone())?;
            let mut exprs = projection.expr.clone();
            for column in sorts.iter().flat_map(|sort| sort.expr.column_refs()) {
                let column = Expr::Column(column.clone());
                let is_missing = |column: &Expr| match column {
                    Expr::Column(column) => !projection.schema.has_column(column) && input.schema().has_column(column),
                    _ => false,
                };
                if is_missing(&column) && !exprs.contains(&column) {
                    exprs.push(column);
                }
            }
            let plan = if exprs.len() == projection.expr.len() {
                LogicalPlan::Projection(projection)
            } else {
                LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(input))?)
            };
            let has_all = |sort: &Sort| sort.expr.column_refs().iter().all(|column| plan.schema().has_column(column));
            let sorts = if sorts.iter().all(has_all) { sorts } else { Vec::new() };
            (plan, sorts)
        }
        other => (other, Vec::new()),
    })
}
