//! Calls that give something else for each row by chance, such as `rand()`: within a SELECT those that are written alike are one, as in
//! ClickHouse, so that a name stands for one value wherever it is used (`SELECT rand() % 10 AS r FROM t WHERE r > 5`).
//!
//! A call that stands there several times, itself or by a name, becomes a column of the rows of FROM. Above an aggregation, in its keys, and
//! in lambdas, which compute it for each element, it is computed where it stands.

use std::collections::HashMap;

use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::Result;
use gristmill_functions::random::is_by_chance;

use super::scope::{Context, Scope};
use super::{Analyzer, Typed};
use crate::ast::{Call, Node};

impl Analyzer<'_> {
    /// Gives the rows a column for each call that stands several times in `nodes` and not in `keys`, and notes it in the scope.
    pub(crate) fn chance_once(
        &self,
        plan: LogicalPlan,
        nodes: &[&Node],
        keys: &[&Node],
        scope: &mut Scope,
    ) -> Result<LogicalPlan> {
        let mut counting = Counting { analyzer: self, aliases: &scope.aliases, of_alias: HashMap::new() };
        let (mut found, mut of_keys) = (Vec::new(), Vec::new());
        nodes.iter().for_each(|node| counting.count(node, &mut found));
        keys.iter().for_each(|node| counting.count(node, &mut of_keys));
        found.retain(|(call, times)| *times > 1 && !of_keys.iter().any(|(key, _)| key == call));
        if found.is_empty() {
            return Ok(plan);
        }
        let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        let mut once = Vec::with_capacity(found.len());
        for (call, _) in found {
            let typed = self.as_value(self.expr(&Node::Call(call.clone()), &scope.rows())?)?;
            let name = self.unique("chance");
            exprs.push(typed.expr.alias(&name));
            once.push((call, Typed::new(Expr::Column(Column::new_unqualified(&name)), typed.kind)));
        }
        scope.once.extend(once);
        Ok(LogicalPlanBuilder::from(plan).project(exprs)?.build()?)
    }

    /// The column of a call that has one.
    pub(super) fn computed_once(&self, function: &Call, context: &Context<'_>) -> Option<Typed> {
        if context.scope.once.is_empty() || context.grouped.is_some() || !context.lambda.is_empty() {
            return None;
        }
        let meant = self.by_first_name(function);
        context.scope.once.iter().find(|(call, _)| *call == meant).map(|(_, typed)| typed.clone())
    }

    fn by_first_name(&self, function: &Call) -> Call {
        Call { name: self.registry.canonical(&function.name).to_string(), ..function.clone() }
    }
}

/// Calls, and how often each stands somewhere.
type Counts = Vec<(Call, usize)>;

struct Counting<'c, 'a> {
    analyzer: &'c Analyzer<'a>,
    aliases: &'c HashMap<String, Node>,
    /// What stands within what a name means.
    of_alias: HashMap<String, Vec<Call>>,
}

impl Counting<'_, '_> {
    fn count(&mut self, node: &Node, out: &mut Counts) {
        node.walk(&mut |node| {
            match node {
                Node::Lambda { .. } => return false,
                Node::Call(call) if is_by_chance(self.analyzer.registry.canonical(&call.name)) => {
                    add(self.analyzer.by_first_name(call), out);
                }
                Node::Name(parts) => {
                    if let [name] = &parts[..] {
                        self.within_alias(name).into_iter().for_each(|call| add(call, out));
                    }
                }
                _ => {}
            }
            true
        });
    }

    fn within_alias(&mut self, name: &str) -> Vec<Call> {
        if let Some(known) = self.of_alias.get(name) {
            return known.clone();
        }
        let aliases = self.aliases;
        let Some(meant) = aliases.get(name) else { return Vec::new() };
        // A name that means itself is a column's.
        self.of_alias.insert(name.to_string(), Vec::new());
        let mut within = Counts::new();
        self.count(meant, &mut within);
        let calls: Vec<Call> = within.into_iter().map(|(call, _)| call).collect();
        self.of_alias.insert(name.to_string(), calls.clone());
        calls
    }
}

fn add(call: Call, out: &mut Counts) {
    match out.iter_mut().find(|(known, _)| *known == call) {
        Some((_, times)) => *times += 1,
        None => out.push((call, 1)),
    }
}
