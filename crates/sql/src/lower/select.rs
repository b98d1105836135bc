//! One SELECT with the ORDER BY and LIMITs around it.

use std::collections::HashMap;
use std::rc::Rc;

use datafusion::common::Column;
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, WindowFrame, WindowFunctionDefinition, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::{Distinct, GroupByExpr, GroupByWithModifier, Query, Select};

use super::aggregates::Grouped;
use super::from::array_join_calls;
use super::scope::{Context, Scope};
use super::windows::Windows;
use super::{Analyzer, Lowered, OutputColumn, Typed};
use crate::ast::{Literal, Node, SortKey};
use crate::translate;

/// What follows a SELECT in its query.
#[derive(Default)]
pub(crate) struct Tail {
    pub order_by: Vec<SortKey>,
    /// ORDER BY ALL, with its direction.
    pub order_by_all: Option<bool>,
    pub limit_by: Option<(Vec<Node>, usize, usize)>,
    /// Rows to skip and to give.
    pub limit: Option<(usize, Option<usize>)>,
}

/// An item of the SELECT list after stars are expanded.
struct Item {
    name: String,
    node: Node,
}

impl Analyzer<'_> {
    pub(crate) fn select(&self, select: &Select, tail: &Tail, scalars: &HashMap<String, Node>, ctes: &Rc<HashMap<String, Query>>) -> Result<Lowered> {
        refuse_unsupported(select)?;
        let relation = self.from(&select.from, ctes)?;
        let mut scope = Scope { columns: relation.columns, aliases: scalars.clone(), ctes: ctes.clone(), ..Scope::default() };
        let items = self.items(select, &mut scope)?;
        let mut plan = relation.plan;

        // arrayJoin in any clause multiplies the rows of FROM, unless it is over an aggregate.
        let selection = select.selection.as_ref().map(translate::node).transpose()?;
        let prewhere = select.prewhere.as_ref().map(translate::node).transpose()?;
        let having = select.having.as_ref().map(translate::node).transpose()?;
        let keys = self.key_nodes(select, &items, &scope)?;
        let mut joined: Vec<&Node> = Vec::new();
        for node in items.iter().map(|item| &item.node).chain(selection.iter()).chain(keys.iter().flatten()).chain(tail.order_by.iter().map(|key| &key.node)) {
            array_join_calls(node, &mut joined);
        }
        let (above, below): (Vec<&Node>, Vec<&Node>) =
            joined.into_iter().partition(|node| self.has_aggregate(node, &scope.rows()));
        plan = self.array_joins(plan, &below, &mut scope, None)?;

        for (what, node) in [("PREWHERE", &prewhere), ("WHERE", &selection)] {
            if let Some(node) = node {
                let typed = self.expr(node, &scope.rows())?;
                let condition = self.as_predicate(typed, what)?;
                plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
            }
        }

        let everything = || items.iter().map(|item| &item.node).chain(having.iter()).chain(tail.order_by.iter().map(|key| &key.node));
        let aggregated = keys.is_some() || having.is_some() || everything().any(|node| self.has_aggregate(node, &scope.rows()));
        let grouped = aggregated.then(|| self.grouping(keys.as_deref().unwrap_or_default(), &scope)).transpose()?;
        let windows = Windows::default();

        // Lower what stands above the grouping; aggregates and windows are collected on the way.
        if !above.is_empty() {
            return self.array_join_above(select, tail, scalars, ctes, &above);
        }
        let scope = scope;
        let context = Context { grouped: grouped.as_ref(), windows: Some(&windows), ..scope.rows() };
        let having = having
            .map(|node| self.expr(&node, &context).and_then(|typed| self.as_predicate(typed, "HAVING")))
            .transpose()?;
        let outputs = items
            .iter()
            .map(|item| Ok((item.name.clone(), self.as_value(self.expr(&item.node, &context)?)?)))
            .collect::<Result<Vec<(String, Typed)>>>()?;
        let qualify = select.qualify.as_ref().map(translate::node).transpose()?;
        let qualify = qualify
            .map(|node| self.expr(&node, &context).and_then(|typed| self.as_predicate(typed, "QUALIFY")))
            .transpose()?;
        let order_by = self.order_keys(tail, &items, &outputs, &context)?;
        let limit_by = match &tail.limit_by {
            None => None,
            Some((nodes, offset, count)) => {
                let keys = nodes
                    .iter()
                    .map(|node| {
                        let node = self.positional(node, &items)?;
                        Ok(self.as_value(self.expr(node, &context)?)?.expr)
                    })
                    .collect::<Result<Vec<_>>>()?;
                Some((keys, *offset, *count))
            }
        };

        if let Some(grouped) = &grouped {
            plan = self.aggregate_plan(plan, grouped, select)?;
        }
        if let Some(condition) = having {
            plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
        }
        let windows = windows.0.into_inner();
        if !windows.is_empty() {
            let mut outputs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
            outputs.extend(windows.iter().map(|(expr, name)| {
                Expr::Column(Column::new_unqualified(expr.schema_name().to_string())).alias(name)
            }));
            let computed = LogicalPlanBuilder::window_plan(plan, windows.into_iter().map(|(expr, _)| expr).collect::<Vec<_>>())?;
            plan = LogicalPlanBuilder::from(computed).project(outputs)?.build()?;
        }
        if let Some(condition) = qualify {
            plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
        }
        self.finish(plan, outputs, order_by, limit_by, select, tail)
    }

    /// The SELECT list with stars expanded and aliases noted in the scope.
    fn items(&self, select: &Select, scope: &mut Scope) -> Result<Vec<Item>> {
        let nodes = select.projection.iter().map(translate::select_item).collect::<Result<Vec<_>>>()?;
        let mut items = Vec::new();
        for node in nodes {
            note_aliases(&node, scope)?;
            match node {
                Node::Star { qualifier, except, replace } => {
                    let before = items.len();
                    for column in scope.columns.iter().filter(|column| !column.hidden) {
                        let matches = qualifier.is_empty() || column.qualifier.ends_with(&qualifier);
                        if !matches || except.contains(&column.name) {
                            continue;
                        }
                        let node = match replace.iter().find(|(_, name)| *name == column.name) {
                            Some((node, _)) => node.clone(),
                            None => star_name(column),
                        };
                        items.push(Item { name: column.name.clone(), node });
                    }
                    if items.len() == before {
                        if !qualifier.is_empty() && !scope.columns.iter().any(|column| column.qualifier.ends_with(&qualifier)) {
                            let text = format!("There is no table with the name or alias '{}'", qualifier.join("."));
                            return Err(Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text));
                        }
                        if scope.columns.is_empty() && qualifier.is_empty() {
                            // SELECT * without FROM: system.one.
                            items.push(Item { name: "dummy".to_string(), node: Node::Literal(Literal::Integer(0)) });
                        }
                    }
                }
                Node::Aliased(inner, alias) => items.push(Item { name: alias.clone(), node: Node::Aliased(inner, alias) }),
                node => {
                    let name = match &node {
                        Node::Name(parts) => self.column_name(parts, scope),
                        other => self.canonical_text(other),
                    };
                    items.push(Item { name, node });
                }
            }
        }
        if items.is_empty() {
            return Err(Error::new(ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED, "The SELECT list is empty"));
        }
        Ok(items)
    }

    /// `t.a` is shown as `a` where no other column has that name.
    fn column_name(&self, parts: &[String], scope: &Scope) -> String {
        let Some(last) = parts.last() else { return String::new() };
        let same = scope.columns.iter().filter(|column| column.name == *last && !column.hidden).count();
        if same > 1 || !scope.columns.iter().any(|column| column.name == *last) { parts.join(".") } else { last.clone() }
    }

    /// The name of an unnamed column: functions by the name they are registered under.
    fn canonical_text(&self, node: &Node) -> String {
        fn rename(analyzer: &Analyzer<'_>, node: &Node) -> Node {
            match node {
                Node::Call(call) => {
                    let mut call = call.clone();
                    if call.name.eq_ignore_ascii_case(analyzer.registry.canonical(&call.name)) {
                        call.name = analyzer.registry.canonical(&call.name).to_string();
                    }
                    call.arguments = call.arguments.iter().map(|node| rename(analyzer, node)).collect();
                    Node::Call(call)
                }
                Node::In { left, set, negated } => {
                    Node::In { left: Box::new(rename(analyzer, left)), set: set.clone(), negated: *negated }
                }
                other => other.clone(),
            }
        }
        rename(self, node).to_string()
    }

    /// The keys of GROUP BY: positions replaced, ALL expanded. `None`: there is no GROUP BY.
    fn key_nodes(&self, select: &Select, items: &[Item], scope: &Scope) -> Result<Option<Vec<Node>>> {
        match &select.group_by {
            GroupByExpr::All(_) => Ok(Some(
                items.iter().filter(|item| !self.has_aggregate(&item.node, &scope.rows())).map(|item| item.node.clone()).collect(),
            )),
            GroupByExpr::Expressions(exprs, modifiers) => {
                if exprs.is_empty() && modifiers.is_empty() {
                    return Ok(None);
                }
                let mut keys = Vec::new();
                for expr in exprs {
                    let node = translate::node(expr)?;
                    let node = self.positional(&node, items)?.clone();
                    match node {
                        // GROUP BY (a, b)
                        Node::Call(call) if call.name == "tuple" => keys.extend(call.arguments),
                        node => keys.push(node),
                    }
                }
                Ok(Some(keys))
            }
        }
    }

    /// `ORDER BY 2` means the second column.
    fn positional<'n>(&self, node: &'n Node, items: &'n [Item]) -> Result<&'n Node> {
        match node {
            Node::Literal(Literal::Integer(position)) => {
                let index = usize::try_from(*position - 1).ok();
                index.and_then(|index| items.get(index)).map(|item| &item.node).ok_or_else(|| {
                    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Positional argument out of bounds: {position} (expected in range [1, {}])", items.len()))
                })
            }
            _ => Ok(node),
        }
    }

    fn grouping(&self, keys: &[Node], scope: &Scope) -> Result<Grouped> {
        let mut grouped = Grouped::default();
        for node in keys {
            if self.has_aggregate(node, &scope.rows()) {
                return Err(Error::new(ErrorCode::ILLEGAL_AGGREGATION, format!("Aggregate function in GROUP BY: {node}")));
            }
            let typed = self.as_value(self.expr(node, &scope.rows())?)?;
            // Constants group nothing apart.
            if matches!(typed.expr, Expr::Literal(..)) || grouped.keys.iter().any(|(expr, _, _)| *expr == typed.expr) {
                continue;
            }
            let (column, name) = match &typed.expr {
                Expr::Column(_) => (typed.expr.clone(), String::new()),
                _ => {
                    let name = self.unique(&node.to_string());
                    (Expr::Column(Column::new_unqualified(&name)), name)
                }
            };
            grouped.keys.push((typed.expr, Typed::new(column, typed.kind), name));
        }
        Ok(grouped)
    }

    fn aggregate_plan(&self, plan: LogicalPlan, grouped: &Grouped, select: &Select) -> Result<LogicalPlan> {
        let mut keys: Vec<Expr> = grouped
            .keys
            .iter()
            .map(|(expr, _, name)| if name.is_empty() { expr.clone() } else { expr.clone().alias(name) })
            .collect();
        let aggregates: Vec<Expr> =
            grouped.aggregates.borrow().iter().map(|(expr, name, _)| expr.clone().alias(name)).collect();
        let modifiers = match &select.group_by {
            GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => modifiers,
        };
        if let Some(modifier) = modifiers.first() {
            return Err(Error::not_implemented(format!(
                "GROUP BY … {}",
                match modifier {
                    GroupByWithModifier::Totals => "WITH TOTALS",
                    GroupByWithModifier::Rollup => "WITH ROLLUP",
                    GroupByWithModifier::Cube => "WITH CUBE",
                    GroupByWithModifier::GroupingSets(_) => "GROUPING SETS",
                }
            )));
        }
        let builder = LogicalPlanBuilder::from(plan);
        if aggregates.is_empty() {
            if keys.is_empty() {
                keys.push(lit(1_u8).alias(self.unique("nothing")));
            }
            return Ok(builder.aggregate(keys, Vec::<Expr>::new())?.build()?);
        }
        Ok(builder.aggregate(keys, aggregates)?.build()?)
    }

    fn order_keys(&self, tail: &Tail, items: &[Item], outputs: &[(String, Typed)], context: &Context<'_>) -> Result<Vec<Sort>> {
        if let Some(descending) = tail.order_by_all {
            return Ok(outputs.iter().map(|(_, typed)| Sort::new(typed.expr.clone(), !descending, false)).collect());
        }
        tail.order_by
            .iter()
            .map(|key| {
                let node = self.positional(&key.node, items)?;
                self.sort(&SortKey { node: node.clone(), ..key.clone() }, context)
            })
            .collect()
    }

    /// Multiplies rows by arrays, and notes the elements' columns in the scope. Inner calls come first.
    fn array_joins(&self, mut plan: LogicalPlan, arrays: &[&Node], scope: &mut Scope, grouped: Option<&Grouped>) -> Result<LogicalPlan> {
        for node in arrays {
            let array = {
                let context = Context { grouped, ..scope.rows() };
                self.as_value(self.expr(node, &context)?)?
            };
            let (unnested, mut elements) = self.unnest(plan, vec![array], false)?;
            plan = unnested;
            if let Some(element) = elements.pop() {
                scope.array_joins.push(((*node).clone(), element));
            }
        }
        Ok(plan)
    }

    /// `SELECT arrayJoin(groupArray(x)) …`: the aggregation becomes a subquery that gives the arrays and all that the
    /// list needs of it.
    fn array_join_above(
        &self,
        select: &Select,
        tail: &Tail,
        scalars: &HashMap<String, Node>,
        ctes: &Rc<HashMap<String, Query>>,
        above: &[&Node],
    ) -> Result<Lowered> {
        // Lower the same SELECT with each arrayJoin(x) replaced by x, without the tail, then multiply by these columns.
        let mut inner = select.clone();
        let mut positions = Vec::new();
        for (i, item) in inner.projection.iter_mut().enumerate() {
            let node = translate::select_item(item)?;
            let Node::Call(call) = node.bare() else { continue };
            if call.name == "arrayJoin" && above.iter().any(|array| call.arguments.first() == Some(array)) {
                let name = match &node {
                    Node::Aliased(_, alias) => alias.clone(),
                    other => other.to_string(),
                };
                use sqlparser::ast::{Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, SelectItem};
                let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = &*item else { continue };
                let Ast::Function(function) = expr else { continue };
                let FunctionArguments::List(list) = &function.args else { continue };
                let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first() else { continue };
                *item = SelectItem::UnnamedExpr(argument.clone());
                positions.push((i, name));
            }
        }
        if positions.len() != above.len() || !tail.order_by.is_empty() || tail.limit_by.is_some() {
            return Err(Error::not_implemented("arrayJoin of an aggregate inside a larger expression: use a subquery"));
        }
        let mut lowered = self.select(&inner, &Tail::default(), scalars, ctes)?;
        for (at, name) in positions {
            let column = &lowered.columns[at];
            let (plan, mut elements) = self.unnest(lowered.plan, vec![Typed::new(column.expr.clone(), column.kind.clone())], false)?;
            lowered.plan = plan;
            if let Some(element) = elements.pop() {
                lowered.columns[at] = OutputColumn { name, kind: element.kind, expr: element.expr };
            }
        }
        let exprs: Vec<Expr> = lowered.columns.iter().map(|column| column.expr.clone()).collect();
        let mut builder = LogicalPlanBuilder::from(lowered.plan).project(exprs)?;
        if let Some((skip, fetch)) = tail.limit {
            builder = builder.limit(skip, fetch)?;
        }
        Ok(Lowered { plan: builder.build()?, columns: lowered.columns })
    }

    /// SELECT list, DISTINCT, ORDER BY, LIMIT BY, LIMIT.
    pub(crate) fn finish(
        &self,
        plan: LogicalPlan,
        outputs: Vec<(String, Typed)>,
        order_by: Vec<Sort>,
        limit_by: Option<(Vec<Expr>, usize, usize)>,
        select: &Select,
        tail: &Tail,
    ) -> Result<Lowered> {
        let mut projection: Vec<Expr> = Vec::new();
        let mut columns: Vec<OutputColumn> = Vec::new();
        let place = |expr: &Expr, hint: &str, projection: &mut Vec<Expr>| -> Expr {
            let name = self.unique(hint);
            projection.push(expr.clone().alias(&name));
            Expr::Column(Column::new_unqualified(name))
        };
        for (name, typed) in &outputs {
            let expr = place(&typed.expr, name, &mut projection);
            columns.push(OutputColumn { name: name.clone(), kind: typed.kind.clone(), expr });
        }
        let visible = projection.len();
        // Keys that are not in the list are carried along and dropped at the end.
        let carried = |expr: &Expr, projection: &mut Vec<Expr>| -> Expr {
            match outputs.iter().position(|(_, typed)| typed.expr == *expr) {
                Some(at) => columns[at].expr.clone(),
                None => place(expr, "key", projection),
            }
        };
        let sorts: Vec<Sort> =
            order_by.into_iter().filter(|sort| !matches!(sort.expr, Expr::Literal(..))).map(|sort| Sort { expr: carried(&sort.expr, &mut projection), ..sort }).collect();
        let limit_by = limit_by.map(|(keys, offset, count)| {
            (keys.iter().map(|key| carried(key, &mut projection)).collect::<Vec<_>>(), offset, count)
        });
        let hidden = projection.len() > visible;
        let mut builder = LogicalPlanBuilder::from(plan).project(projection)?;
        match &select.distinct {
            None | Some(Distinct::All) => {}
            Some(Distinct::Distinct) if !hidden => builder = builder.distinct()?,
            Some(Distinct::Distinct) => {
                let on: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
                builder = self.first_of_each(builder, &on, &sorts, 0, 1)?;
            }
            Some(Distinct::On(exprs)) => {
                let nodes = exprs.iter().map(translate::node).collect::<Result<Vec<_>>>()?;
                let mut on = Vec::new();
                for node in nodes {
                    let text = self.canonical_text(&node);
                    let at = columns.iter().position(|column| column.name == text).ok_or_else(|| {
                        Error::not_implemented(format!("DISTINCT ON ({node}) of an expression that is not in the SELECT list"))
                    })?;
                    on.push(columns[at].expr.clone());
                }
                builder = self.first_of_each(builder, &on, &sorts, 0, 1)?;
            }
        }
        if let Some((keys, offset, count)) = limit_by {
            builder = self.first_of_each(builder, &keys, &sorts, offset, count)?;
        }
        if !sorts.is_empty() {
            let fetch = tail.limit.and_then(|(skip, fetch)| fetch.map(|fetch| fetch.saturating_add(skip)));
            builder = builder.sort_with_limit(sorts, fetch)?;
        }
        if let Some((skip, fetch)) = tail.limit {
            builder = builder.limit(skip, fetch)?;
        }
        let exprs: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
        if builder.schema().fields().len() != exprs.len() {
            builder = builder.project(exprs)?;
        }
        Ok(Lowered { plan: builder.build()?, columns })
    }

    /// LIMIT BY: of the rows with equal keys, in the query's order, those from `offset` on, `count` of them.
    fn first_of_each(&self, builder: LogicalPlanBuilder, keys: &[Expr], sorts: &[Sort], offset: usize, count: usize) -> Result<LogicalPlanBuilder> {
        let name = self.unique("row_number");
        let params = WindowFunctionParams {
            args: Vec::new(),
            partition_by: keys.to_vec(),
            order_by: sorts.to_vec(),
            window_frame: WindowFrame::new((!sorts.is_empty()).then_some(true)),
            filter: None,
            null_treatment: None,
            distinct: false,
        };
        let number = Expr::WindowFunction(Box::new(WindowFunction { fun: WindowFunctionDefinition::WindowUDF(row_number_udwf()), params }));
        let column = Expr::Column(Column::new_unqualified(&name));
        let low = column.clone().gt(lit(offset as u64));
        let high = column.lt_eq(lit(offset.saturating_add(count) as u64));
        Ok(builder.window(vec![number.alias(&name)])?.filter(low.and(high))?)
    }
}

/// A column that a star stands for, named so that it is found again whatever else has its name.
fn star_name(column: &super::ScopeColumn) -> Node {
    let mut parts = column.qualifier.clone();
    parts.push(column.name.clone());
    Node::Name(parts)
}

/// Aliases in an expression count for the whole SELECT.
fn note_aliases(node: &Node, scope: &mut Scope) -> Result<()> {
    let mut found: Vec<(String, Node)> = Vec::new();
    node.walk(&mut |node| {
        if let Node::Aliased(inner, alias) = node {
            found.push((alias.clone(), inner.as_ref().clone()));
        }
        true
    });
    for (alias, node) in found {
        if let Some(known) = scope.aliases.get(&alias)
            && *known != node
        {
            return Err(Error::new(
                ErrorCode::MULTIPLE_EXPRESSIONS_FOR_ALIAS,
                format!("Different expressions with the same alias {alias}: {known} and {node}"),
            ));
        }
        scope.aliases.insert(alias, node);
    }
    Ok(())
}

fn refuse_unsupported(select: &Select) -> Result<()> {
    let unsupported = [
        ("LATERAL VIEW", !select.lateral_views.is_empty()),
        ("WINDOW", !select.named_window.is_empty()),
        ("CLUSTER BY", !select.cluster_by.is_empty()),
        ("SORT BY", !select.sort_by.is_empty()),
        ("TOP", select.top.is_some()),
        ("INTO", select.into.is_some()),
        ("CONNECT BY", !select.connect_by.is_empty()),
    ];
    match unsupported.iter().find(|(_, present)| *present) {
        Some((what, _)) => Err(Error::not_implemented(format!("{what} in a SELECT"))),
        None => Ok(()),
    }
}

/// What a LIMIT counts in.
pub(crate) fn row_count(value: &datafusion::common::ScalarValue, kind: &SqlType, what: &str) -> Result<usize> {
    let cast = value.cast_to(&arrow::datatypes::DataType::Int64);
    match cast {
        Ok(datafusion::common::ScalarValue::Int64(Some(rows))) if rows >= 0 && kind.is_integer() => Ok(rows as usize),
        _ => Err(Error::new(ErrorCode::INVALID_SETTING_VALUE, format!("The value {value} of {what} is not a number of rows"))),
    }
}
