//! What follows a SELECT in its query: ORDER BY, LIMIT BY, LIMIT.
//!
//! Rows are counted from the first one, from the last one (`LIMIT -2`) or as a part of all (`LIMIT 0.1`). A LIMIT that counts from
//! the first one is DataFusion's, which stops what is below; the others have a node of their own (`places`).

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use datafusion::common::{Column, ScalarValue};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_window::rank::rank_udwf;
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, WindowFrame, WindowFunctionDefinition, lit,
};
use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{Distinct, Interpolate, LimitClause, OrderByKind, Query, Select, SetExpr};

use super::Analyzer;
use super::clauses::add_aliases_of_items;
use super::places::{Place, kept, numbered, sliced};
use super::query::Ctes;
use super::scope::Scope;
use crate::ast::{Literal, Node, SortKey};
use crate::rewrite::limits::LIMITS;
use crate::translate;

/// How many rows, and where they are counted from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Count {
    Place(Place),
    /// What a subquery gives.
    Computed(Expr),
}

impl Count {
    const ALL: Count = Count::Place(Place::First(usize::MAX));
    const NONE: Count = Count::Place(Place::First(0));

    fn place(&self, what: &str) -> Result<Place> {
        match self {
            Count::Place(place) => Ok(*place),
            Count::Computed(_) => Err(Error::not_implemented(format!("A subquery as the number of {what}"))),
        }
    }
}

/// OFFSET and LIMIT.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub skip: Count,
    pub rows: Option<Count>,
}

impl Limit {
    /// Rows to skip and to give, where both are counted from the first row.
    pub fn of_first_rows(&self) -> Option<(usize, Option<usize>)> {
        let Count::Place(Place::First(skip)) = self.skip else { return None };
        match self.rows {
            None => Some((skip, None)),
            Some(Count::Place(Place::First(rows))) => Some((skip, Some(rows))),
            Some(_) => None,
        }
    }

    /// As many first rows as these and those before them; `None`: nobody knows how many.
    pub fn up_to_last(&self) -> Option<Limit> {
        let (skip, rows) = self.of_first_rows()?;
        let rows = Count::Place(Place::First(skip.saturating_add(rows?)));
        Some(Limit { skip: Count::NONE, rows: Some(rows) })
    }

    /// Both as numbers that the plan knows.
    pub fn places(&self) -> Result<(Place, Option<Place>)> {
        let rows = self.rows.as_ref().map(|rows| rows.place("LIMIT")).transpose()?;
        let skip = self.skip.place("OFFSET")?;
        let parts = [Some(skip), rows].into_iter().flatten();
        let (mut negative, mut fractional) = (false, false);
        for place in parts {
            negative |= matches!(place, Place::Last(_));
            fractional |= matches!(place, Place::Part(_));
        }
        if negative && fractional {
            return Err(Error::not_implemented("LIMIT and OFFSET of which one is negative and the other a fraction"));
        }
        Ok((skip, rows))
    }
}

/// Keys, rows to skip and to give.
#[derive(Clone, Debug)]
pub(crate) struct LimitBy<Key> {
    pub keys: Vec<Key>,
    pub skip: Place,
    pub rows: Place,
}

impl LimitBy<Node> {
    pub fn over(&self, keys: impl IntoIterator<Item = Expr>) -> LimitBy<Expr> {
        LimitBy { keys: keys.into_iter().collect(), skip: self.skip, rows: self.rows }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Tail {
    pub order_by: Vec<SortKey>,
    /// What becomes of columns in rows that WITH FILL makes.
    pub interpolate: Option<Interpolate>,
    /// ORDER BY ALL: whether it descends, and whether NULL comes first.
    pub order_by_all: Option<(bool, bool)>,
    pub limit_by: Option<LimitBy<Node>>,
    pub limit: Option<Limit>,
    /// Whether rows that sort as the last row given are given as well.
    pub with_ties: bool,
    /// What LIMIT and OFFSET are computed by: names may be given in it.
    pub counts: Vec<Node>,
    /// What WITH and the SELECT list give names to, where WITH FILL or a limit may name it.
    pub aliases: HashMap<String, Node>,
}

impl Tail {
    /// `DISTINCT ON (keys)` is LIMIT 1 BY keys.
    pub fn with_distinct_on(&self, select: &Select) -> Result<Cow<'_, Tail>> {
        let Some(Distinct::On(keys)) = &select.distinct else { return Ok(Cow::Borrowed(self)) };
        if self.limit_by.is_some() {
            let text = "DISTINCT ON beside LIMIT BY: both are limits of rows with equal keys";
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
        }
        let by = limit_by_of(translate::nodes(keys)?, &Count::NONE, Some(&Count::Place(Place::First(1))))?;
        Ok(Cow::Owned(Tail { limit_by: Some(by), ..self.clone() }))
    }

    /// Whether LIMIT BY is by all columns.
    pub fn limits_by_all(by: &LimitBy<Node>) -> bool {
        matches!(&by.keys[..], [Node::Name(parts)] if matches!(&parts[..], [one] if one.eq_ignore_ascii_case("ALL")))
    }
}

impl Analyzer<'_> {
    /// `scalars`: what WITH gives names to. LIMIT and OFFSET may be computed by them, and by constants of the SELECT list.
    pub(crate) fn tail(&self, query: &Query, ctes: &Ctes, scalars: &HashMap<String, Node>) -> Result<Tail> {
        let mut tail = Tail::default();
        let scope = Scope { ctes: ctes.clone(), aliases: aliases_of(query, scalars), ..Scope::default() };
        if let Some(order_by) = &query.order_by {
            tail.interpolate = order_by.interpolate.clone();
            match &order_by.kind {
                OrderByKind::Expressions(exprs) => {
                    tail.order_by = exprs.iter().map(translate::sort_key).collect::<Result<_>>()?;
                    // Nothing is before nothing.
                    tail.order_by.retain(|key| !key.node.is_empty_tuple());
                }
                OrderByKind::All(options) if !self.settings.enable_order_by_all => {
                    tail.order_by = vec![SortKey {
                        node: Node::Name(vec!["all".to_string()]),
                        descending: options.asc == Some(false),
                        nulls_first: options.nulls_first == Some(true),
                        collation: None,
                        fill: None,
                    }];
                }
                OrderByKind::All(options) => {
                    tail.order_by_all = Some((options.asc == Some(false), options.nulls_first == Some(true)));
                }
            }
        }
        let counts = RefCell::new(Vec::new());
        let row_count = |node: &Node, what: &str| {
            if !matches!(node, Node::Literal(_)) {
                counts.borrow_mut().push(node.clone());
            }
            self.row_count(node, what, &scope)
        };
        let count = |expr: &sqlparser::ast::Expr, what: &str| row_count(&translate::node(expr)?, what);
        match &query.limit_clause {
            None => {}
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                tail.limit = Some(Limit { skip: count(offset, "OFFSET")?, rows: Some(count(limit, "LIMIT")?) });
            }
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                let rows = limit.as_ref().map(translate::node).transpose()?;
                let skip = match offset {
                    Some(offset) => count(&offset.value, "OFFSET")?,
                    None => Count::NONE,
                };
                match rows {
                    Some(Node::Call(call)) if call.name == LIMITS => {
                        several_limits(&call.arguments, &mut tail, row_count)?;
                        if offset.is_some() {
                            tail.limit = Some(Limit { skip, rows: tail.limit.and_then(|limit| limit.rows) });
                        }
                    }
                    rows => {
                        let rows = rows.map(|rows| row_count(&rows, "LIMIT")).transpose()?;
                        if limit_by.is_empty() {
                            tail.limit = Some(Limit { skip, rows });
                        } else {
                            tail.limit_by = Some(limit_by_of(translate::nodes(limit_by)?, &skip, rows.as_ref())?);
                        }
                    }
                }
            }
        }
        if let Some(fetch) = &query.fetch {
            let rows = match &fetch.quantity {
                Some(quantity) => count(quantity, "FETCH")?,
                None => Count::Place(Place::First(1)),
            };
            let skip = tail.limit.map_or(Count::NONE, |limit| limit.skip);
            tail.limit = Some(Limit { skip, rows: Some(rows) });
            tail.with_ties = fetch.with_ties;
        }
        if tail.with_ties && tail.order_by.is_empty() && tail.order_by_all.is_none() {
            return Err(Error::new(ErrorCode::WITH_TIES_WITHOUT_ORDER_BY, "LIMIT WITH TIES needs ORDER BY"));
        }
        tail.counts = counts.into_inner();
        tail.aliases = scope.aliases;
        Ok(tail)
    }

    /// What a LIMIT counts in. Errors: INVALID_LIMIT_EXPRESSION.
    fn row_count(&self, node: &Node, what: &str, scope: &Scope) -> Result<Count> {
        let invalid = |value: &dyn std::fmt::Display| {
            let text = format!("The value {value} of {what} is no number of rows: write a whole number, or a part of 1");
            Error::new(ErrorCode::INVALID_LIMIT_EXPRESSION, text)
        };
        if let Node::Subquery(query) = node.bare() {
            let typed = self.scalar_subquery(query, &scope.rows())?;
            if typed.kind.integer_bits().is_none() && !typed.kind.plain().is_integer() {
                return Err(invalid(&typed.kind));
            }
            return Ok(Count::Computed(datafusion::logical_expr::cast(typed.expr, DataType::Int64)));
        }
        let (value, kind) = self.constant_in(node, &scope.rows())?;
        if kind.plain().is_float() {
            let ScalarValue::Float64(Some(number)) = value.cast_to(&DataType::Float64)? else { return Err(invalid(&value)) };
            return match number {
                _ if number > 0.0 && number < 1.0 => Ok(Count::Place(Place::of_part(number))),
                _ if number.fract() == 0.0 && number.abs() < 1e15 => Ok(Count::Place(Place::of_integer(number as i128))),
                _ => Err(invalid(&value)),
            };
        }
        if !kind.plain().is_integer() {
            return Err(invalid(&value));
        }
        match value.cast_to(&DataType::Decimal128(38, 0)) {
            Ok(ScalarValue::Decimal128(Some(rows), ..)) => Ok(Count::Place(Place::of_integer(rows))),
            _ => Err(invalid(&value)),
        }
    }

    /// LIMIT BY: of the rows with equal keys, in the query's order, those from `skip` on, `rows` of them. Rows stay in their order.
    pub(crate) fn first_of_each(
        &self,
        builder: LogicalPlanBuilder,
        by: &LimitBy<Expr>,
        sorts: &[Sort],
    ) -> Result<LogicalPlanBuilder> {
        let schema = builder.schema().clone();
        let names = by.keys.iter().map(|key| match key {
            Expr::Column(column) => Some(column.name.clone()),
            _ => None,
        });
        let names: Option<Vec<String>> = names.collect();
        let types = by.keys.iter().map(|key| Ok(SortField::new(key.get_type(&schema)?))).collect::<Result<Vec<_>>>()?;
        let builder = if sorts.is_empty() { builder } else { builder.sort(sorts.to_vec())? };
        match (names, by.skip, by.rows) {
            (Some(keys), Place::First(skip), Place::First(rows)) if RowConverter::supports_fields(&types) => {
                Ok(LogicalPlanBuilder::from(kept(builder.build()?, keys, skip, rows)))
            }
            // Of types that have no rows to compare, or from the end: rows are numbered, which is an order for windows.
            _ => self.places_of_each(builder, by),
        }
    }

    fn places_of_each(&self, builder: LogicalPlanBuilder, by: &LimitBy<Expr>) -> Result<LogicalPlanBuilder> {
        let (row, number, all) = (self.unique("row"), self.unique("row_number"), self.unique("rows"));
        let column = |name: &str| Expr::Column(Column::new_unqualified(name));
        let in_order = [column(&row).sort(true, false)];
        let builder = LogicalPlanBuilder::from(numbered(builder.build()?, &row)?);
        let place = over(WindowFunctionDefinition::WindowUDF(row_number_udwf()), Vec::new(), &by.keys, &in_order);
        let count = over(WindowFunctionDefinition::AggregateUDF(count_udaf()), vec![lit(1_i64)], &by.keys, &[]);
        let int = |expr: Expr| datafusion::logical_expr::cast(expr, DataType::Int64);
        let builder = builder.window(vec![place.alias(&number)])?.window(vec![count.alias(&all)])?;
        let (number, all) = (int(column(&number)), int(column(&all)));
        let wide = |rows: usize| lit(i64::try_from(rows).unwrap_or(i64::MAX / 4).min(i64::MAX / 4));
        // The first and the last number that stay.
        let (mut first, mut last) = (lit(1_i64), all.clone());
        match by.skip {
            Place::First(skip) => first = first + wide(skip),
            Place::Last(skip) => last = last - wide(skip),
            Place::Part(_) => return Err(of_part()),
        }
        let wanted = match by.rows {
            Place::First(rows) => number.clone().lt(first.clone() + wide(rows)),
            Place::Last(rows) => number.clone().gt(last.clone() - wide(rows)),
            Place::Part(_) => return Err(of_part()),
        };
        let wanted = number.clone().gt_eq(first).and(number.lt_eq(last)).and(wanted);
        Ok(builder.filter(wanted)?.sort(in_order)?)
    }

    /// LIMIT WITH TIES: the rows from `skip` on whose rank is not over the last one's.
    pub(crate) fn limit_with_ties(
        &self,
        builder: LogicalPlanBuilder,
        sorts: &[Sort],
        skip: usize,
        rows: usize,
    ) -> Result<LogicalPlanBuilder> {
        let (number, rank) = (self.unique("row_number"), self.unique("rank"));
        let numbering = |function| over(WindowFunctionDefinition::WindowUDF(function), Vec::new(), &[], sorts);
        let exprs = vec![numbering(row_number_udwf()).alias(&number), numbering(rank_udwf()).alias(&rank)];
        let column = |name: &str| Expr::Column(Column::new_unqualified(name));
        let wanted = column(&number).gt(lit(skip as u64)).and(column(&rank).lt_eq(lit(skip.saturating_add(rows) as u64)));
        Ok(builder.window(exprs)?.filter(wanted)?.sort([column(&number).sort(true, false)])?)
    }

    /// A LIMIT that counts from the end, or a part of all. `keys`: columns of what the rows are sorted by, WITH TIES.
    pub(crate) fn limited(&self, plan: LogicalPlan, limit: &Limit, keys: Option<Vec<String>>) -> Result<LogicalPlan> {
        let computed = |count: &Count| match count {
            Count::Computed(expr) => expr.clone(),
            Count::Place(Place::First(rows)) => lit(i64::try_from(*rows).unwrap_or(i64::MAX)),
            Count::Place(_) => lit(ScalarValue::Int64(None)),
        };
        let has_subquery =
            [Some(&limit.skip), limit.rows.as_ref()].into_iter().flatten().any(|count| matches!(count, Count::Computed(_)));
        if has_subquery && keys.is_none() {
            let skip = computed(&limit.skip);
            let rows = limit.rows.as_ref().map(computed);
            return Ok(LogicalPlanBuilder::from(plan).limit_by_expr(Some(skip), rows)?.build()?);
        }
        let (skip, rows) = limit.places()?;
        Ok(sliced(plan, skip, rows, keys))
    }
}

/// What the SELECT list and WITH give names to, where there is a LIMIT to use them.
fn aliases_of(query: &Query, scalars: &HashMap<String, Node>) -> HashMap<String, Node> {
    let fills = match query.order_by.as_ref().map(|order_by| &order_by.kind) {
        Some(OrderByKind::Expressions(keys)) => keys.iter().any(|key| key.with_fill.is_some()),
        _ => false,
    };
    if query.limit_clause.is_none() && query.fetch.is_none() && !fills {
        return HashMap::new();
    }
    let mut aliases = scalars.clone();
    if let SetExpr::Select(select) = query.body.as_ref() {
        add_aliases_of_items(select, &mut aliases);
    }
    aliases
}

/// Reads what `rewrite::limits` puts together.
fn several_limits(arguments: &[Node], tail: &mut Tail, row_count: impl Fn(&Node, &str) -> Result<Count>) -> Result<()> {
    let [by_rows, by_skip, rows, skip, ties, keys @ ..] = arguments else {
        return Err(Error::logical("LIMIT with fewer parts than the tokens were given"));
    };
    let count = |node: &Node, what: &str| match node {
        Node::Literal(Literal::Null) => Ok(None),
        node => row_count(node, what).map(Some),
    };
    let rows = count(rows, "LIMIT")?;
    let skip = count(skip, "OFFSET")?;
    if rows.is_some() || skip.is_some() {
        tail.limit = Some(Limit { skip: skip.unwrap_or(Count::NONE), rows });
    }
    if !keys.is_empty() {
        let skip = count(by_skip, "OFFSET")?.unwrap_or(Count::NONE);
        tail.limit_by = Some(limit_by_of(keys.to_vec(), &skip, count(by_rows, "LIMIT BY")?.as_ref())?);
    }
    tail.with_ties = *ties == Node::Literal(Literal::Bool(true));
    Ok(())
}

fn of_part() -> Error {
    Error::not_implemented("LIMIT BY of a fraction of the rows")
}

fn limit_by_of(keys: Vec<Node>, skip: &Count, rows: Option<&Count>) -> Result<LimitBy<Node>> {
    let (skip, rows) = (skip.place("OFFSET")?, rows.unwrap_or(&Count::ALL).place("LIMIT BY")?);
    if matches!(skip, Place::Part(_)) || matches!(rows, Place::Part(_)) {
        return Err(of_part());
    }
    Ok(LimitBy { keys, skip, rows })
}

fn over(fun: WindowFunctionDefinition, args: Vec<Expr>, keys: &[Expr], sorts: &[Sort]) -> Expr {
    let params = WindowFunctionParams {
        args,
        partition_by: keys.to_vec(),
        order_by: sorts.to_vec(),
        window_frame: WindowFrame::new((!sorts.is_empty()).then_some(true)),
        filter: None,
        null_treatment: None,
        distinct: false,
    };
    Expr::WindowFunction(Box::new(WindowFunction { fun, params }))
}
