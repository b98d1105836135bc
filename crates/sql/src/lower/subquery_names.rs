//! How subqueries are called in the headings of columns: `_subquery_1`, `_subquery_2`, … in the order in which they are read, those of
//! FROM first, and those within others counted behind them.

use std::collections::HashMap;

use sqlparser::ast::{Query, Select, SetExpr, TableFactor, TableWithJoins};

use super::Analyzer;
use super::items::Item;
use super::scope::Scope;
use crate::ast::{Call, InSet, Node, call};
use crate::translate;

impl Analyzer<'_> {
    /// Names items that have no alias by the numbers of their subqueries.
    pub(super) fn name_subqueries(&self, items: &mut [Item], select: &Select, scope: &Scope) {
        let mut count = in_from(&select.from, &scope.ctes);
        for item in items.iter_mut().filter(|item| item.node.has_subquery()) {
            let named = numbered(&item.node, &mut count);
            if !matches!(item.node, Node::Aliased(..)) {
                item.name = self.shown(&named, scope);
            }
        }
    }
}

/// How many subqueries stand in FROM, with those in them; a common table is one where it is read.
fn in_from(tables: &[TableWithJoins], known: &HashMap<String, Query>) -> usize {
    let factors = tables
        .iter()
        .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
    factors
        .map(|factor| match factor {
            TableFactor::Derived { subquery, .. } => 1 + in_query(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => in_from(std::slice::from_ref(table_with_joins), known),
            TableFactor::Table { name, args: None, .. } => {
                let table = translate::parts(name).ok().filter(|parts| parts.len() == 1).and_then(|mut parts| parts.pop());
                table.and_then(|table| known.get(&table)).map_or(0, |query| 1 + in_query(query))
            }
            _ => 0,
        })
        .sum()
}

fn in_query(query: &Query) -> usize {
    in_set(&query.body)
}

fn in_set(body: &SetExpr) -> usize {
    match body {
        SetExpr::Select(select) => in_select(select),
        SetExpr::Query(inner) => in_query(inner),
        SetExpr::SetOperation { left, right, .. } => in_set(left) + in_set(right),
        _ => 0,
    }
}

fn in_select(select: &Select) -> usize {
    let items = select.projection.iter().map(translate::select_item);
    let conditions = [&select.prewhere, &select.selection, &select.having, &select.qualify];
    let conditions = conditions.into_iter().flatten().map(translate::node);
    let mut count = in_from(&select.from, &HashMap::new());
    for node in items.chain(conditions).flatten() {
        numbered(&node, &mut count);
    }
    count
}

/// An expression with names for its subqueries, of which so many were read before.
fn numbered(node: &Node, count: &mut usize) -> Node {
    let name = |query: &Query, count: &mut usize| {
        *count += 1;
        let name = format!("_subquery_{count}");
        *count += in_query(query);
        Node::Name(vec![name])
    };
    match node {
        Node::Subquery(query) => name(query, count),
        Node::Exists { query, negated } => {
            // It is asked for a row by a query around it.
            *count += 1;
            let asked = call("exists", vec![name(query, count)]);
            if *negated { call("not", vec![asked]) } else { asked }
        }
        Node::Call(written) if written.over.is_none() && node.defined().is_none() => {
            let arguments = written.arguments.iter().map(|argument| numbered(argument, count)).collect();
            Node::Call(Call { arguments, ..written.clone() })
        }
        Node::In { left, set, negated } => {
            let left = Box::new(numbered(left, count));
            let set = match set {
                InSet::Query(query) => InSet::Other(Box::new(name(query, count))),
                InSet::List(list) => InSet::List(list.iter().map(|item| numbered(item, count)).collect()),
                InSet::Other(other) => InSet::Other(Box::new(numbered(other, count))),
            };
            Node::In { left, set, negated: *negated }
        }
        Node::Aliased(inner, alias) => Node::Aliased(Box::new(numbered(inner, count)), alias.clone()),
        other => other.clone(),
    }
}
