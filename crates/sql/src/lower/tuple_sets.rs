//! IN of tuples: `(a, b) IN ((1, 2), …)` compares wholes, and says besides what indexes can use, each part by itself; with a subquery
//! both sides become texts.

use std::sync::Arc;

use datafusion::common::Spans;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, Operator, Subquery};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::junctions::combined;
use super::operators::{boolean, predicate};
use super::scope::{Context, nodes_of};
use super::{Analyzer, Lowered, Typed};
use crate::ast::Node;

impl Analyzer<'_> {
    /// Whether what stands in the parentheses of IN are the elements of one tuple: one is less nested than the value.
    pub(super) fn is_one_tuple(&self, typed: &Typed, list: &[Node], context: &Context<'_>) -> Result<bool> {
        let nested = tuple_depth(&typed.kind);
        let is_less = |node| {
            let item = self.as_value(self.expr(node, context)?)?;
            Ok::<bool, Error>(!item.kind.is_null_literal() && tuple_depth(&item.kind) < nested)
        };
        list.iter().filter(|_| nested > 1).map(is_less).try_fold(false, |any, is_less| Ok(any || is_less?))
    }

    /// `any`: that the tuple on the left is one of the items. What indexes and statistics can use is said besides: each part of
    /// it is one of the parts of theirs.
    pub(super) fn bounded_by_parts(&self, any: Typed, left: &Node, items: &[Node], context: &Context<'_>) -> Result<Typed> {
        let parts = |node: &'_ Node| match node.bare() {
            Node::Call(tuple) if tuple.name == "tuple" => Some(tuple.arguments.clone()),
            _ => None,
        };
        let Some(names) = parts(left) else { return Ok(any) };
        let tuples: Option<Vec<Vec<Node>>> =
            items.iter().map(|item| parts(item).filter(|parts| parts.len() == names.len())).collect();
        let Some(tuples) = tuples else { return Ok(any) };
        let mut all = any.expr.clone();
        for (at, name) in names.iter().enumerate() {
            let typed = self.as_value(self.expr(name, context)?)?;
            // Beside NULL the whole has another answer than its parts. No index knows a long expression, and a set of tuples in
            // another would be there twice with every level.
            if typed.kind.is_nullable() || typed.constant().is_some() || nodes_of(&typed.expr) > LONG {
                continue;
            }
            let of_tuples: Vec<Node> = tuples.iter().map(|tuple| tuple[at].clone()).collect();
            let is_among = self.in_list(name, &of_tuples, false, context)?;
            if is_among.constant().is_none() {
                all = self.as_predicate(is_among, "IN")?.and(all);
            }
        }
        self.fold(predicate(all, any.kind.is_nullable()))
    }

    /// That the tuple or array on the left equals one of the items. Never NULL: what is unknown is not in the set.
    pub(super) fn any_equal(&self, left: &Node, items: &[Node], negated: bool, context: &Context<'_>) -> Result<Typed> {
        // A set knows values by their bits, so NaN is in one that has it. Comparisons of single values say that too.
        let whole = self.as_value(self.expr(left, context)?)?;
        let has_floats =
            matches!(whole.kind.plain(), SqlType::Tuple(parts) if parts.iter().any(|(_, kind)| kind.is_float()));
        // It stands beside each item. What is written is hardly as long as that: there are sets of tuples in it.
        let nodes = nodes_of(&whole.expr);
        if nodes > HOLDS_SETS {
            self.count_expanded(nodes.saturating_mul(items.len() as u64))?;
        }
        let equals = if self.settings.transform_null_in { "isNotDistinctFrom" } else { "equals" };
        let (mut conditions, mut nullable) = (Vec::with_capacity(items.len()), false);
        for item in items {
            let by_parts = if has_floats { self.equal_by_parts(left, item, context)? } else { None };
            let equal = match by_parts {
                Some(equal) => equal,
                None => match self.expr(&crate::ast::call(equals, vec![left.clone(), item.clone()]), context) {
                    Ok(equal) => equal,
                    Err(error) => self.equal_by_parts(left, item, context)?.ok_or(error)?,
                },
            };
            nullable |= equal.kind.is_nullable();
            conditions.push(self.as_predicate(equal, "IN")?);
        }
        let any = combined(Operator::Or, conditions).unwrap_or_else(|| boolean(false));
        let any = if nullable { Expr::IsTrue(Box::new(any)) } else { any };
        self.fold(predicate(if negated { Expr::Not(Box::new(any)) } else { any }, false))
    }

    /// That each part of a tuple is what stands in its place in another, as IN reads constants: `'5'` beside a number is 5.
    fn equal_by_parts(&self, left: &Node, item: &Node, context: &Context<'_>) -> Result<Option<Typed>> {
        let (Node::Call(left), Node::Call(item)) = (left.bare(), item.bare()) else { return Ok(None) };
        if left.name != "tuple" || item.name != "tuple" || left.arguments.len() != item.arguments.len() {
            return Ok(None);
        }
        let (mut all, mut nullable) = (None::<Expr>, false);
        for (name, value) in left.arguments.iter().zip(&item.arguments) {
            let equal = self.in_list(name, std::slice::from_ref(value), false, context)?;
            nullable |= equal.kind.is_nullable();
            let condition = self.as_predicate(equal, "IN")?;
            all = Some(match all {
                None => condition,
                Some(sofar) => sofar.and(condition),
            });
        }
        Ok(all.map(|all| predicate(all, nullable)))
    }

    /// `(a, b) IN (SELECT x, y …)`: both sides become one value that compares as the tuple does, their text.
    pub(super) fn tuple_in_query(
        &self,
        left: &Node,
        lowered: Lowered,
        outer: Vec<Expr>,
        negated: bool,
        context: &Context<'_>,
    ) -> Result<Typed> {
        let Node::Call(tuple) = left.bare() else {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                format!(
                    "The subquery of IN has {} columns; the left side must be a tuple of as many",
                    lowered.columns.len()
                ),
            ));
        };
        if tuple.name != "tuple" || tuple.arguments.len() != lowered.columns.len() {
            let (given, wanted) = (tuple.arguments.len(), lowered.columns.len());
            let text = format!("The subquery of IN has {wanted} columns, and the left side {given}");
            return Err(Error::new(ErrorCode::NUMBER_OF_COLUMNS_DOESNT_MATCH, text));
        }
        let (mut left_parts, mut right_parts) = (Vec::new(), Vec::new());
        for (node, column) in tuple.arguments.iter().zip(&lowered.columns) {
            let left = self.as_value(self.expr(node, context)?)?;
            let (left, right) = self.to_common(left, Typed::new(column.expr.clone(), column.kind.clone()), "in")?;
            left_parts.push((left.expr.clone(), self.argument(&left)));
            right_parts.push((right.expr.clone(), self.argument(&right)));
        }
        let text = |parts: Vec<(Expr, gristmill_functions::Argument)>| -> Result<Expr> {
            let (tuple, kind) = gristmill_functions::udf::call(self.registry, "tuple", parts, &self.env)?;
            Ok(self.cast(Typed::new(tuple, kind), &SqlType::String)?.expr)
        };
        let mut rows = LogicalPlanBuilder::from(lowered.plan.clone());
        if !self.settings.transform_null_in {
            for column in lowered.columns.iter().filter(|column| column.kind.is_nullable()) {
                rows = rows.filter(Expr::IsNotNull(Box::new(column.expr.clone())))?;
            }
        }
        let right = text(right_parts)?;
        let name = self.member_name(&lowered.plan, &right);
        let plan = rows.project(vec![right.alias(name)])?.build()?;
        let subquery = Subquery { subquery: Arc::new(plan), outer_ref_columns: outer, spans: Spans::new() };
        self.member(Typed::new(text(left_parts)?, SqlType::String), &SqlType::String, subquery, negated, context)
    }
}

/// Nodes of an expression that is not written to be looked up in an index.
pub(super) const LONG: u64 = 256;

/// Nodes of a left side whose copies are counted (`max_expanded_ast_elements`).
const HOLDS_SETS: u64 = 4096;

/// How many tuples stand in one another.
fn tuple_depth(kind: &SqlType) -> usize {
    match kind.plain() {
        SqlType::Tuple(elements) => 1 + elements.iter().map(|(_, element)| tuple_depth(element)).max().unwrap_or(0),
        _ => 0,
    }
}
