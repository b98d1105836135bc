//! `WITH 5 AS n SELECT * FROM numbers(n)`: arguments of table functions may be computed by what WITH names, and by named constants
//! of the SELECT list. Tables are resolved before anything is lowered, so the names are replaced in the query's tree, first of all.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, Query, SelectItem, SetExpr, TableFactor, Visit, VisitMut, Visitor, VisitorMut, visit_expressions,
    visit_expressions_mut,
};

use super::query::scalar_expression;
use crate::ast::unescape_identifier;
use crate::rewrite::joins::ARRAY_JOIN;

/// Functions whose arguments name databases, tables and clusters.
const OF_NAMES: &[&str] = &[
    "remote",
    "remoteSecure",
    "cluster",
    "clusterAllReplicas",
    "merge",
    "loop",
    "dictionary",
    "mergeTreeIndex",
    ARRAY_JOIN,
];

/// The query with the arguments of its table functions spelled out. `reaches`: subqueries see the names around them.
pub fn with_arguments(query: &Query, reaches: bool) -> Cow<'_, Query> {
    if !asks_for_names(query) {
        return Cow::Borrowed(query);
    }
    let mut query = query.clone();
    let _ = VisitMut::visit(&mut query, &mut Names { around: Vec::new(), reaches });
    Cow::Owned(query)
}

/// Whether a table function has a name among its arguments.
fn asks_for_names(query: &Query) -> bool {
    struct Found(bool);
    impl Visitor for Found {
        type Break = ();

        fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
            let arguments = match factor {
                TableFactor::Table { args: Some(args), .. } => &args.args,
                TableFactor::Function { args, .. } => args,
                _ => return ControlFlow::Continue(()),
            };
            self.0 |= has_names(arguments);
            if self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let mut found = Found(false);
    let _ = Visit::visit(query, &mut found);
    found.0
}

fn has_names<T: Visit>(tree: &T) -> bool {
    visit_expressions(tree, |expr| match expr {
        Expr::Identifier(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

struct Names {
    /// What the queries around the place that is visited give names to, the innermost last.
    around: Vec<HashMap<String, Expr>>,
    reaches: bool,
}

impl VisitorMut for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let mut names = self.around.last().filter(|_| self.reaches).cloned().unwrap_or_default();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            if let Some(expr) = scalar_expression(&cte.query) {
                let mut expr = value_of(expr).clone();
                replace(&mut expr, &names);
                names.insert(unescape_identifier(&cte.alias.name), expr);
            }
        }
        if let SetExpr::Select(select) = query.body.as_ref() {
            for item in &select.projection {
                if let SelectItem::ExprWithAlias { expr, alias } = item
                    && !has_names(expr)
                {
                    names.insert(unescape_identifier(alias), expr.clone());
                }
            }
        }
        self.around.push(names);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &mut Query) -> ControlFlow<()> {
        self.around.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let (name, arguments) = match factor {
            TableFactor::Table { name, args: Some(args), .. } => (name, &mut args.args),
            TableFactor::Function { name, args, .. } => (name, args),
            _ => return ControlFlow::Continue(()),
        };
        if let Some(names) = self.around.last()
            && !OF_NAMES.contains(&name.to_string().as_str())
        {
            arguments.iter_mut().for_each(|argument: &mut FunctionArg| replace(argument, names));
        }
        ControlFlow::Continue(())
    }
}

/// `(SELECT 5)` is the value itself.
fn value_of(expr: &Expr) -> &Expr {
    let query = match expr {
        Expr::Nested(inner) => return value_of(inner),
        Expr::Subquery(query) if is_plain(query) => query,
        _ => return expr,
    };
    let SetExpr::Select(select) = query.body.as_ref() else { return expr };
    match &select.projection[..] {
        [SelectItem::UnnamedExpr(value) | SelectItem::ExprWithAlias { expr: value, .. }]
            if select.from.is_empty() && select.selection.is_none() && !has_names(value) =>
        {
            value_of(value)
        }
        _ => expr,
    }
}

/// Whether nothing stands around a query's SELECT.
fn is_plain(query: &Query) -> bool {
    query.with.is_none() && query.limit_clause.is_none() && query.fetch.is_none() && query.settings.is_none()
}

fn replace<T: VisitMut>(tree: &mut T, names: &HashMap<String, Expr>) {
    let _ = visit_expressions_mut(tree, |expr| {
        if let Expr::Identifier(name) = expr
            && let Some(meant) = names.get(&unescape_identifier(name))
        {
            *expr = Expr::Nested(Box::new(meant.clone()));
        }
        ControlFlow::<()>::Continue(())
    });
}
