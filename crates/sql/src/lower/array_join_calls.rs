//! Calls of the function arrayJoin: which of them multiply the rows of FROM, and which those of the result.
//!
//! Aggregates and window functions are computed over rows that are not multiplied yet, unless the call stands within them,
//! in WHERE or in a key of GROUP BY. Where neither is computed, all calls multiply the rows of FROM.

use std::collections::HashSet;

use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;

use super::aggregates::Grouped;
use super::array_join::element_of;
use super::scope::{Context, Scope};
use super::windows::Windows;
use super::{Analyzer, Typed};
use crate::ast::{Call, Node};

/// Arguments of arrayJoin, inner calls first.
#[derive(Default)]
pub(crate) struct ArrayJoins {
    pub early: Vec<Node>,
    pub late: Vec<Node>,
}

/// An array, and the column that its elements become.
pub(crate) type Multiplied = (Typed, (String, SqlType));

impl Analyzer<'_> {
    /// `above`: expressions that are computed from aggregates and windows; `below`: those that are computed before; `keys`: of
    /// the groups, where there are any. Error: NOT_IMPLEMENTED.
    pub(crate) fn array_joins_of(
        &self,
        above: &[&Node],
        below: &[&Node],
        keys: Option<&[&Node]>,
        scope: &Scope,
    ) -> Result<ArrayJoins> {
        let mut joins = ArrayJoins::default();
        let has_windows = above.iter().any(|node| self.mentions(node, &scope.rows(), &|call: &Call| call.over.is_some()));
        let collector = Collector { analyzer: self, scope };
        if keys.is_none() && !has_windows {
            for node in above.iter().chain(below) {
                collector.all(node, &mut joins.early, &mut HashSet::new());
            }
            return Ok(joins);
        }
        for node in below {
            collector.all(node, &mut joins.early, &mut HashSet::new());
        }
        for node in above {
            collector.within(node, &mut joins.early, &mut HashSet::new());
        }
        let mut of_keys = Vec::new();
        for node in keys.unwrap_or_default() {
            collector.all(node, &mut of_keys, &mut HashSet::new());
        }
        for node in above {
            collector.beside(node, &mut joins.late, &mut HashSet::new());
        }
        let known = if keys.is_some() { &of_keys } else { &joins.early };
        joins.late.retain(|node| !known.contains(node));
        if let Some(twice) = joins.late.iter().find(|node| joins.early.contains(node)) {
            let text = format!("arrayJoin({twice}) both within an aggregation and beside it: use a subquery");
            return Err(Error::not_implemented(text));
        }
        Ok(joins)
    }

    /// Multiplies rows by arrays, and notes the elements' columns in the scope.
    pub(crate) fn array_joins(&self, mut plan: LogicalPlan, arrays: &[Node], scope: &mut Scope) -> Result<LogicalPlan> {
        for node in arrays {
            let array = self.as_value(self.expr(node, &scope.rows())?)?;
            let (unnested, mut elements) = self.unnest(plan, vec![array], false)?;
            plan = unnested;
            if let Some(element) = elements.pop() {
                scope.array_joins.push((node.clone(), element));
            }
        }
        Ok(plan)
    }

    /// Arrays above the aggregation, whose elements are named now and are there when the rows are `multiplied`.
    pub(crate) fn late_array_joins(
        &self,
        arrays: &[Node],
        scope: &mut Scope,
        grouped: Option<&Grouped>,
        windows: &Windows,
    ) -> Result<Vec<Multiplied>> {
        let mut multiplied = Vec::with_capacity(arrays.len());
        for node in arrays {
            let array = {
                let context = Context { grouped, windows: Some(windows), ..scope.rows() };
                self.as_value(self.expr(node, &context)?)?
            };
            let (name, kind) = (self.unique("element"), element_of(&array.kind)?);
            let element = Typed::new(Expr::Column(Column::new_unqualified(&name)), kind.clone());
            scope.array_joins.push((node.clone(), element));
            multiplied.push((self.cast(array, &SqlType::array(kind.clone()))?, (name, kind)));
        }
        Ok(multiplied)
    }

    pub(crate) fn multiplied(&self, plan: LogicalPlan, arrays: Vec<Multiplied>) -> Result<LogicalPlan> {
        arrays.into_iter().try_fold(plan, |plan, (array, element)| Ok(self.unnest_as(plan, vec![array], vec![element])?.0))
    }
}

fn argument_of(node: &Node) -> Option<&Node> {
    match node {
        Node::Call(call) if call.name == "arrayJoin" => match &call.arguments[..] {
            [argument] => Some(argument),
            _ => None,
        },
        _ => None,
    }
}

fn push(argument: &Node, out: &mut Vec<Node>) {
    if !out.contains(argument) {
        out.push(argument.clone());
    }
}

struct Collector<'c, 'a> {
    analyzer: &'c Analyzer<'a>,
    scope: &'c Scope,
}

impl<'c> Collector<'c, '_> {
    fn alias(&self, node: &Node) -> Option<(&'c str, &'c Node)> {
        let Node::Name(parts) = node else { return None };
        let [name] = &parts[..] else { return None };
        self.scope.aliases.get_key_value(name).map(|(name, node)| (name.as_str(), node))
    }

    fn computes(&self, call: &Call) -> bool {
        call.over.is_some() || self.analyzer.is_aggregate(&call.name)
    }

    /// All calls, also those that aliases stand for.
    fn all(&self, node: &Node, out: &mut Vec<Node>, seen: &mut HashSet<&'c str>) {
        node.walk(&mut |node| {
            if let Some(argument) = argument_of(node) {
                self.all(argument, out, seen);
                push(argument, out);
                return false;
            }
            if let Some((name, meant)) = self.alias(node)
                && seen.insert(name)
            {
                self.all(meant, out, seen);
            }
            true
        });
    }

    /// Calls within aggregates and window functions.
    fn within(&self, node: &Node, out: &mut Vec<Node>, seen: &mut HashSet<&'c str>) {
        node.walk(&mut |node| {
            match node {
                Node::Call(call) if self.computes(call) => {
                    self.within_call(call, out);
                    return false;
                }
                _ => {
                    if let Some((name, meant)) = self.alias(node)
                        && seen.insert(name)
                    {
                        self.within(meant, out, seen);
                    }
                }
            }
            true
        });
    }

    fn within_call(&self, call: &Call, out: &mut Vec<Node>) {
        let mut nodes: Vec<&Node> = call.parameters.iter().chain(&call.arguments).collect();
        nodes.extend(call.filter.as_deref());
        let named = self.scope.windows.values().filter(|_| call.over.as_ref().is_some_and(|window| window.base.is_some()));
        for window in call.over.iter().map(|window| &**window).chain(named) {
            nodes.extend(&window.partition_by);
            nodes.extend(window.order_by.iter().map(|key| &key.node));
        }
        for node in nodes {
            self.all(node, out, &mut HashSet::new());
        }
    }

    /// Calls that stand in no aggregate and no window function, also those that aliases stand for.
    fn beside(&self, node: &Node, out: &mut Vec<Node>, seen: &mut HashSet<&'c str>) {
        node.walk(&mut |node| {
            if let Some(argument) = argument_of(node) {
                self.beside(argument, out, seen);
                push(argument, out);
                return false;
            }
            if let Some((name, meant)) = self.alias(node)
                && seen.insert(name)
            {
                self.beside(meant, out, seen);
            }
            !matches!(node, Node::Call(call) if self.computes(call))
        });
    }
}
