//! A SELECT up to a stage of its processing, for who does the rest with the rows of several servers.
//!
//! Only what stands above the rows changes: the aliases of the SELECT still mean what they meant, whatever of its list is given.

use std::borrow::Cow;
use std::collections::HashSet;

use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::{Error, Result};
use gristmill_functions::prewhere;
use gristmill_introspect::Stage;
use sqlparser::ast::{Distinct, Query, Select, SetExpr};

use super::grouping::{GROUPING_BITS, Keys, check_keys_of_sets};
use super::items::Item;
use super::limits::{Limit, Tail};
use super::planned_names::planned_column;
use super::scope::{Context, Scope};
use super::windows::Sorted;
use super::{Analyzer, Lowered, Typed};
use crate::ast::{Call, Literal, Node, call, text};
use crate::translate;

/// What stands above the rows of a SELECT.
pub(super) struct Above {
    pub items: Vec<Item>,
    pub having: Option<Node>,
    pub qualify: Option<Node>,
    pub keys: Option<Keys>,
    /// Whether DISTINCT counts.
    pub distinct: bool,
}

/// An expression of a SELECT with the aliases in whose definitions it stands.
type Found<'n> = (Node, Context<'n>);

impl Analyzer<'_> {
    /// Lowers a whole query up to a stage. Error: NOT_IMPLEMENTED for a UNION and the like that is to end before its result.
    pub fn lower_up_to(&self, query: &Query, stage: Stage) -> Result<Lowered> {
        if stage != Stage::Complete && !matches!(query.body.as_ref(), SetExpr::Select(_)) {
            return Err(Error::not_implemented(format!("A query of several SELECTs up to the stage {}", stage.name())));
        }
        self.stage.set(stage);
        self.lower(query)
    }

    /// What a SELECT gives at a stage that is not that of its columns.
    pub(super) fn up_to<'t>(
        &self,
        stage: Stage,
        above: Above,
        tail: &'t Tail,
        select: &Select,
        aggregated: bool,
        scope: &Scope,
    ) -> Result<(Above, Cow<'t, Tail>)> {
        let has_windows =
            || nodes_of(&above, tail).any(|node| self.mentions(node, &scope.rows(), &|call| call.over.is_some()));
        match stage {
            Stage::Complete | Stage::FetchColumns => Ok((above, Cow::Borrowed(tail))),
            Stage::WithMergeableState if aggregated => Ok((self.states(above, tail, scope)?, Cow::default())),
            Stage::WithMergeableState if has_windows() => Ok((self.below_windows(above, tail, scope)?, Cow::default())),
            stage => {
                let (above, tail) = self.rows_to_merge(stage, above, tail, select, scope)?;
                Ok((above, Cow::Owned(tail)))
            }
        }
    }

    /// The columns that a SELECT reads, with its PREWHERE.
    pub(super) fn columns_read(
        &self,
        plan: LogicalPlan,
        nodes: &[&Node],
        prewhere: Option<&Node>,
        select: &Select,
        scope: &Scope,
    ) -> Result<Lowered> {
        let mut outputs: Vec<(String, Typed)> = Vec::new();
        let (context, mut seen) = (scope.rows(), HashSet::new());
        for node in nodes {
            self.descend(node, &context, &mut seen, &mut |node, _| {
                if let Node::Name(parts) = node {
                    let column = (1..=parts.len()).rev().find_map(|end| scope.column_of(&parts[..end]));
                    let named = column.map(|column| (planned_column(column, scope), column));
                    if let Some((name, column)) = named
                        && outputs.iter().all(|(known, _)| *known != name)
                    {
                        outputs.push((name, Typed::new(column.expr.clone(), column.kind.clone())));
                    }
                }
                true
            });
        }
        if outputs.is_empty() {
            // Rows are counted by some column; without FROM they are those of system.one.
            outputs.push(match scope.columns.iter().find(|column| !column.hidden) {
                Some(column) => (planned_column(column, scope), Typed::new(column.expr.clone(), column.kind.clone())),
                None => ("__table1.dummy".to_string(), self.literal(&Literal::Integer(0))?),
            });
        }
        let mut plan = plan;
        if let Some(node) = prewhere {
            let condition = self.as_predicate(self.expr(node, &context)?, "PREWHERE")?;
            let is_early = self.filters_before_final(&select.from)?;
            let condition = if is_early { prewhere::mark(condition) } else { condition };
            plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
        }
        self.finish(plan, outputs, Vec::<Sorted>::new().into(), None, &with_distinct(select, false), &Tail::default())
    }

    /// What `take` adds of the expressions above the rows.
    fn found<'n>(
        &self,
        above: &'n Above,
        tail: &'n Tail,
        scope: &'n Scope,
        take: impl Fn(&'n Node, &Context<'n>, &mut Vec<Found<'n>>) -> bool,
    ) -> Vec<Found<'n>> {
        let (context, mut seen, mut found) = (scope.rows(), HashSet::new(), Vec::new());
        for node in nodes_of(above, tail) {
            self.descend(node, &context, &mut seen, &mut |node, context| take(node, context, &mut found));
        }
        found
    }

    /// The keys of groups and the states of their aggregates.
    fn states(&self, above: Above, tail: &Tail, scope: &Scope) -> Result<Above> {
        let context = scope.rows();
        let mut items = Vec::new();
        let found = self.found(&above, tail, scope, |node, context, found| match node {
            Node::Call(call) if call.over.is_none() && self.is_aggregate(&call.name) => {
                found.push((Node::Call(self.with_combinators(call)), context.clone()));
                false
            }
            _ => true,
        });
        if let Some(keys) = &above.keys {
            if let (Some(sets), false) = (&keys.sets, keys.rolled) {
                check_keys_of_sets(keys.nodes.len())?;
                items.push(set_number(&keys.nodes, sets));
            }
            for node in &keys.nodes {
                // By a constant nothing is grouped, and it is sent by nobody.
                if !self.expr(node, &context).is_ok_and(|typed| matches!(typed.expr, Expr::Literal(..))) {
                    self.add_planned(node.clone(), &context, &mut items)?;
                }
            }
        }
        for (node, context) in found {
            let name = self.planned_name(&node, &context)?;
            if let Node::Call(call) = node
                && !has(&items, &name)
            {
                // What gives a state is one already.
                let state = if call.name.ends_with("State") { call.name.clone() } else { format!("{}State", call.name) };
                items.push(Item { name, node: within(Node::Call(Call { name: state, ..call }), &context) });
            }
        }
        if items.is_empty()
            && let Some(node) = above.keys.iter().flat_map(|keys| &keys.nodes).next()
        {
            self.add_planned(node.clone(), &context, &mut items)?;
        }
        let mut keys = above.keys;
        // The sets of ROLLUP and CUBE are made of merged groups.
        if let Some(keys) = keys.as_mut().filter(|keys| keys.rolled) {
            (keys.sets, keys.rolled) = (None, false);
        }
        Ok(Above { items, having: None, qualify: None, keys, distinct: false })
    }

    /// What window functions are computed over, and the columns of what is computed beside them.
    fn below_windows(&self, above: Above, tail: &Tail, scope: &Scope) -> Result<Above> {
        let context = scope.rows();
        let found = self.found(&above, tail, scope, |node, context, found| {
            let Node::Call(Call { over: Some(window), arguments, .. }) = node else {
                if let Node::Name(_) = node {
                    found.push((node.clone(), context.clone()));
                }
                return true;
            };
            let base = window.base.as_ref().and_then(|base| scope.windows.get(base));
            let keys = [Some(window.as_ref()), base]
                .into_iter()
                .flatten()
                .flat_map(|window| window.partition_by.iter().chain(window.order_by.iter().map(|key| &key.node)));
            found.extend(arguments.iter().chain(keys).map(|node| (node.clone(), context.clone())));
            false
        });
        let mut items = Vec::new();
        for (node, context) in found {
            if !matches!(node.bare(), Node::Literal(_)) {
                self.add_planned(node, &context, &mut items)?;
            }
        }
        if items.is_empty() {
            // Rows that nothing is read of are counted.
            self.add_planned(translate::integer(1), &context, &mut items)?;
        }
        // Without groups HAVING is another WHERE.
        Ok(Above { items, qualify: None, distinct: false, ..above })
    }

    /// The rows of a SELECT in their order, with what others are sorted in among them by.
    fn rows_to_merge(
        &self,
        stage: Stage,
        above: Above,
        tail: &Tail,
        select: &Select,
        scope: &Scope,
    ) -> Result<(Above, Tail)> {
        let context = scope.rows();
        let is_distinct = !matches!(select.distinct, None | Some(Distinct::All | Distinct::On(_)));
        let fills = tail.order_by.iter().any(|key| key.fill.is_some());
        let is_mergeable = stage == Stage::WithMergeableState;
        let is_limited_later = is_distinct || fills || tail.with_ties || (is_mergeable && tail.limit_by.is_some());
        let counts_rows = stage != Stage::AfterAggregation && !is_limited_later;
        let mut tail = Tail { interpolate: None, with_ties: false, ..tail.clone() };
        for key in &mut tail.order_by {
            key.node = self.positional(&key.node, &above.items)?.clone();
            key.fill = None;
        }
        // A number that is no place any more would be taken for one.
        tail.order_by.retain(|key| !matches!(key.node.bare(), Node::Literal(_)));
        let mut items = Vec::new();
        for item in &above.items {
            self.add_planned(item.node.clone(), &context, &mut items)?;
        }
        for key in &tail.order_by {
            self.add_planned(key.node.clone(), &context, &mut items)?;
        }
        if let Some(by) = tail.limit_by.as_mut().filter(|by| !Tail::limits_by_all(by)) {
            for key in &mut by.keys {
                *key = self.positional(key, &above.items)?.clone();
                self.add_planned(key.clone(), &context, &mut items)?;
            }
            by.keys.retain(|key| !matches!(key.bare(), Node::Literal(_)));
        }
        if is_mergeable {
            tail.limit_by = None;
        }
        tail.limit = tail.limit.filter(|_| counts_rows).as_ref().and_then(Limit::up_to_last);
        Ok((Above { items, ..above }, tail))
    }

    /// An aggregate whose DISTINCT and FILTER are combinators.
    pub(super) fn with_combinators(&self, call: &Call) -> Call {
        let said = self.with_nulls_as_said(call).ok().flatten();
        let call = said.as_ref().unwrap_or(call);
        let mut plain = Call { name: self.registry.canonical(&call.name).to_string(), distinct: false, ..call.clone() };
        plain.name = match plain.name.as_str() {
            "countDistinct" => self.settings.count_distinct_implementation.clone(),
            "count" if call.distinct => self.settings.count_distinct_implementation.clone(),
            name if call.distinct => format!("{name}Distinct"),
            name => name.to_string(),
        };
        if let Some(condition) = plain.filter.take() {
            plain.name.push_str("If");
            plain.arguments.push(*condition);
        }
        plain
    }

    /// Adds an expression under its planned name, once.
    fn add_planned(&self, node: Node, context: &Context<'_>, items: &mut Vec<Item>) -> Result<()> {
        let name = self.planned_name(&node, context)?;
        if !has(items, &name) {
            items.push(Item { name, node: within(node, context) });
        }
        Ok(())
    }

    /// Calls `visit` on the parts of an expression that belong to its query, aliases followed, each once; a false stops the descent.
    fn descend<'n>(
        &self,
        node: &'n Node,
        context: &Context<'n>,
        seen: &mut HashSet<&'n str>,
        visit: &mut dyn FnMut(&'n Node, &Context<'n>) -> bool,
    ) {
        node.walk(&mut |node| match node {
            Node::Aliased(inner, alias) => {
                self.descend(inner, &context.expanding(alias), seen, visit);
                false
            }
            Node::Lambda { parameters, body } => {
                self.descend(body, &context.with_parameters(parameters), seen, visit);
                false
            }
            Node::Name(parts) => {
                let [name] = &parts[..] else { return visit(node, context) };
                if context.is_parameter(name) {
                    return false;
                }
                let Some(definition) = context.alias(name) else { return visit(node, context) };
                if seen.insert(name.as_str()) {
                    self.descend(definition, &context.expanding(name), seen, visit);
                }
                false
            }
            node => visit(node, context),
        });
    }
}

/// A SELECT whose DISTINCT may not count.
pub(super) fn with_distinct(select: &Select, counts: bool) -> Cow<'_, Select> {
    match counts || select.distinct.is_none() {
        true => Cow::Borrowed(select),
        false => Cow::Owned(Select { distinct: None, ..select.clone() }),
    }
}

/// What is computed above the rows and the groups.
fn nodes_of<'a>(above: &'a Above, tail: &'a Tail) -> impl Iterator<Item = &'a Node> {
    let keys = tail.order_by.iter().map(|key| &key.node).chain(tail.limit_by.iter().flat_map(|by| &by.keys));
    above.items.iter().map(|item| &item.node).chain(&above.having).chain(&above.qualify).chain(keys)
}

fn has(items: &[Item], name: &str) -> bool {
    items.iter().any(|item| item.name == name)
}

/// An expression as it is read in the definitions of the aliases that it was found in.
fn within(node: Node, context: &Context<'_>) -> Node {
    context.expanding.iter().fold(node, |node, alias| Node::Aliased(Box::new(node), alias.clone()))
}

/// The number of the set of GROUPING SETS that a group is of.
fn set_number(keys: &[Node], sets: &[Vec<usize>]) -> Item {
    // In what `grouping` gives, the last key is the lowest bit.
    let left_out = |set: &Vec<usize>| -> i128 {
        (0..keys.len()).filter(|at| !set.contains(at)).map(|at| 1_i128 << (keys.len() - 1 - at)).sum()
    };
    let marks = sets.iter().map(|set| translate::integer(left_out(set))).collect();
    let numbers = (0..sets.len()).map(|at| translate::integer(at as i128)).collect();
    let arguments =
        vec![call(GROUPING_BITS, keys.to_vec()), call("array", marks), call("array", numbers), translate::integer(0)];
    Item { name: "__grouping_set".to_string(), node: call("CAST", vec![call("transform", arguments), text("UInt64")]) }
}
