//! Calls of the function arrayJoin: which of them multiply the rows of FROM, and which those of the result.
//!
//! Aggregates and window functions are computed over rows that are not multiplied yet, unless the call stands within them,
//! in WHERE or in a key of GROUP BY. Where neither is computed, all calls multiply the rows of FROM.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::aggregates::Grouped;
use super::array_join::element_of;
use super::scope::{Context, Scope};
use super::windows::Windows;
use super::{Analyzer, Typed};
use crate::ast::{Call, Node};

/// An argument of arrayJoin, with those of the aliases that it stands within which it names: they mean columns there. In
/// `arrayJoin(a) AS a` it is the column `a`, and in `arrayJoin(a) AS b` beside that what the alias stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    node: Node,
    within: Vec<String>,
}

/// Arguments of arrayJoin, inner calls first.
#[derive(Default)]
pub(crate) struct ArrayJoins {
    pub early: Vec<Joined>,
    pub late: Vec<Joined>,
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
        let (collector, rows) = (Collector { analyzer: self }, scope.rows());
        if keys.is_none() && !has_windows {
            for node in above.iter().chain(below) {
                collector.all(node, &rows, &mut joins.early, &mut HashSet::new());
            }
            return Ok(joins);
        }
        for node in below {
            collector.all(node, &rows, &mut joins.early, &mut HashSet::new());
        }
        for node in above {
            collector.within(node, &rows, &mut joins.early, &mut HashSet::new());
        }
        let mut of_keys = Vec::new();
        for node in keys.unwrap_or_default() {
            collector.all(node, &rows, &mut of_keys, &mut HashSet::new());
        }
        for node in above {
            collector.beside(node, &rows, &mut joins.late, &mut HashSet::new());
        }
        let known = if keys.is_some() { &of_keys } else { &joins.early };
        joins.late.retain(|array| !known.contains(array));
        if let Some(twice) = joins.late.iter().find(|array| joins.early.contains(array)) {
            let text = format!("arrayJoin({}) both within an aggregation and beside it: use a subquery", twice.node);
            return Err(Error::not_implemented(text));
        }
        Ok(joins)
    }

    /// Multiplies rows by arrays, and notes the elements' columns in the scope.
    pub(crate) fn array_joins(&self, mut plan: LogicalPlan, arrays: &[Joined], scope: &mut Scope) -> Result<LogicalPlan> {
        for joined in arrays {
            let array = self.as_value(self.expr(&joined.node, &joined.inside(scope.rows()))?)?;
            check_joined(&array.kind)?;
            let (unnested, mut elements) = self.unnest(plan, vec![array], false)?;
            plan = unnested;
            if let Some(element) = elements.pop() {
                scope.array_joins.push((joined.clone(), element));
            }
        }
        Ok(plan)
    }

    /// Arrays above the aggregation, whose elements are named now and are there when the rows are `multiplied`.
    pub(crate) fn late_array_joins(
        &self,
        arrays: &[Joined],
        scope: &mut Scope,
        grouped: Option<&Grouped>,
        windows: &Windows,
    ) -> Result<Vec<Multiplied>> {
        let mut multiplied = Vec::with_capacity(arrays.len());
        for joined in arrays {
            let array = {
                let context = Context { grouped, windows: Some(windows), ..joined.inside(scope.rows()) };
                self.as_value(self.expr(&joined.node, &context)?)?
            };
            check_joined(&array.kind)?;
            let (name, kind) = (self.unique("element"), element_of(&array.kind)?);
            let element = Typed::new(Expr::Column(Column::new_unqualified(&name)), kind.clone());
            scope.array_joins.push((joined.clone(), element));
            multiplied.push((self.cast(array, &SqlType::array(kind.clone()))?, (name, kind)));
        }
        Ok(multiplied)
    }

    pub(crate) fn multiplied(&self, plan: LogicalPlan, arrays: Vec<Multiplied>) -> Result<LogicalPlan> {
        arrays.into_iter().try_fold(plan, |plan, (array, element)| Ok(self.unnest_as(plan, vec![array], vec![element])?.0))
    }
}

impl Joined {
    /// The argument of a call where it stands.
    fn of(argument: &Node, context: &Context<'_>) -> Joined {
        let mut within = BTreeSet::new();
        if !context.expanding.is_empty() {
            add_named_around(argument, context, &mut within, &mut HashSet::new());
        }
        Joined { node: argument.clone(), within: within.into_iter().collect() }
    }

    /// Where the argument is read.
    fn inside<'s>(&self, rows: Context<'s>) -> Context<'s> {
        Context { expanding: Rc::new(self.within.clone()), ..rows }
    }
}

/// Adds the aliases being read that an expression names, be it by other aliases.
fn add_named_around(node: &Node, context: &Context<'_>, names: &mut BTreeSet<String>, seen: &mut HashSet<String>) {
    node.walk(&mut |node| {
        let Node::Name(parts) = node else { return true };
        let [name] = &parts[..] else { return true };
        if context.expanding.contains(name) {
            names.insert(name.clone());
        } else if let Some(meant) = context.alias(name)
            && seen.insert(name.clone())
        {
            add_named_around(meant, context, names, seen);
        }
        true
    });
}

/// The column that a call of arrayJoin became. Error: ILLEGAL_AGGREGATION where it stands in a place that none is made for.
pub(crate) fn element_joined(argument: &Node, context: &Context<'_>) -> Result<Typed> {
    let wanted = Joined::of(argument, context);
    let found = context.scope.array_joins.iter().find(|(joined, _)| *joined == wanted);
    found.map(|(_, element)| element.clone()).ok_or_else(|| {
        let text = "arrayJoin cannot stand here: name its result in the SELECT list and use the name";
        Error::new(ErrorCode::ILLEGAL_AGGREGATION, text)
    })
}

/// Error: ILLEGAL_TYPE_OF_ARGUMENT of what has no elements.
fn check_joined(kind: &SqlType) -> Result<()> {
    match kind.plain() {
        SqlType::Array(_) | SqlType::Map(..) => Ok(()),
        other => {
            let text = format!("Argument of function arrayJoin must be an array or a map, not {other}");
            Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text))
        }
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

fn push(argument: &Node, context: &Context<'_>, out: &mut Vec<Joined>) {
    let joined = Joined::of(argument, context);
    if !out.contains(&joined) {
        out.push(joined);
    }
}

/// What an alias stands for, where it is given or named, and where that is read; what it is named for once only.
fn aliased<'n>(node: &'n Node, context: &Context<'n>, seen: &mut HashSet<String>) -> Option<(&'n Node, Context<'n>)> {
    match node {
        Node::Aliased(inner, alias) => Some((inner.as_ref(), context.expanding(alias))),
        Node::Name(parts) => {
            let [name] = &parts[..] else { return None };
            let meant = context.alias(name)?;
            seen.insert(name.clone()).then(|| (meant, context.expanding(name)))
        }
        _ => None,
    }
}

struct Collector<'c, 'a> {
    analyzer: &'c Analyzer<'a>,
}

impl Collector<'_, '_> {
    fn computes(&self, call: &Call) -> bool {
        call.over.is_some() || self.analyzer.is_aggregate(&call.name)
    }

    /// All calls, also those that aliases stand for.
    fn all(&self, node: &Node, context: &Context<'_>, out: &mut Vec<Joined>, seen: &mut HashSet<String>) {
        node.walk(&mut |node| {
            if let Some(argument) = argument_of(node) {
                self.all(argument, context, out, seen);
                push(argument, context, out);
                return false;
            }
            if let Some((meant, inside)) = aliased(node, context, seen) {
                self.all(meant, &inside, out, seen);
                return false;
            }
            true
        });
    }

    /// Calls within aggregates and window functions.
    fn within(&self, node: &Node, context: &Context<'_>, out: &mut Vec<Joined>, seen: &mut HashSet<String>) {
        node.walk(&mut |node| {
            match node {
                Node::Call(call) if self.computes(call) => {
                    self.within_call(call, context, out);
                    return false;
                }
                _ => {
                    if let Some((meant, inside)) = aliased(node, context, seen) {
                        self.within(meant, &inside, out, seen);
                        return false;
                    }
                }
            }
            true
        });
    }

    fn within_call(&self, call: &Call, context: &Context<'_>, out: &mut Vec<Joined>) {
        let mut nodes: Vec<&Node> = call.parameters.iter().chain(&call.arguments).collect();
        nodes.extend(call.filter.as_deref());
        let windows = &context.scope.windows;
        let named = windows.values().filter(|_| call.over.as_ref().is_some_and(|window| window.base.is_some()));
        for window in call.over.iter().map(|window| &**window).chain(named) {
            nodes.extend(&window.partition_by);
            nodes.extend(window.order_by.iter().map(|key| &key.node));
        }
        for node in nodes {
            self.all(node, context, out, &mut HashSet::new());
        }
    }

    /// Calls that stand in no aggregate and no window function, also those that aliases stand for.
    fn beside(&self, node: &Node, context: &Context<'_>, out: &mut Vec<Joined>, seen: &mut HashSet<String>) {
        node.walk(&mut |node| {
            if let Some(argument) = argument_of(node) {
                self.beside(argument, context, out, seen);
                push(argument, context, out);
                return false;
            }
            if let Some((meant, inside)) = aliased(node, context, seen) {
                self.beside(meant, &inside, out, seen);
                return false;
            }
            !matches!(node, Node::Call(call) if self.computes(call))
        });
    }
}
