//! One SELECT with the ORDER BY and LIMITs around it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::aggregates::order;
use gristmill_functions::prewhere;
use gristmill_introspect::Stage;
use sqlparser::ast::{Distinct, GroupByExpr, JoinOperator, NamedWindowExpr, Query, Select, WindowType};

use super::clauses::{Clauses, nodes_of_from};
use super::fill::Ordered;
use super::grouping::{Keys, is_sets};
use super::items::{Item, add_given_names, note_aliases};
use super::limits::{Limit, LimitBy, Tail};
use super::places::{Place, sliced};
use super::scope::{Context, Scope};
use super::stage::{Above, with_distinct};
use super::totals::has_totals;
use super::windows::{Sorted, Windows};
use super::{Analyzer, Lowered, OutputColumn, Typed, fill};
use crate::ast::{Call, Node, Star, Window, unescape_identifier};
use crate::translate;

impl Analyzer<'_> {
    pub(crate) fn select(
        &self,
        select: &Select,
        tail: &Tail,
        scalars: &HashMap<String, Node>,
        ctes: &Rc<HashMap<String, Query>>,
    ) -> Result<Lowered> {
        self.select_of(select, tail, scalars, ctes, false)
    }

    /// `totals`: of the row of totals that FROM has, instead of its rows.
    pub(super) fn select_of(
        &self,
        select: &Select,
        tail: &Tail,
        scalars: &HashMap<String, Node>,
        ctes: &Rc<HashMap<String, Query>>,
        totals: bool,
    ) -> Result<Lowered> {
        let stage = self.stage.take();
        refuse_unsupported(select)?;
        let tail = &*tail.with_distinct_on(select)?;
        if select.prewhere.is_some() {
            self.check_prewhere(&select.from)?;
        }
        self.clauses.borrow_mut().push(Clauses::of(select, tail, scalars));
        self.totals.of_from.set(totals);
        let around = self.seen_inside(select, scalars);
        let relation = self.within(&around, || self.from(&select.from, ctes));
        self.totals.of_from.set(false);
        self.clauses.borrow_mut().pop();
        let relation = relation?;
        let joined_once = match &select.from[..] {
            [one] => {
                one.joins
                    .iter()
                    .filter(|join| !matches!(join.join_operator, JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin))
                    .count()
                    == 1
            }
            [a, b] => a.joins.is_empty() && b.joins.is_empty(),
            _ => false,
        };
        let mut scope = Scope {
            columns: relation.columns,
            aliases: scalars.clone(),
            given_names: scalars.keys().cloned().collect(),
            ctes: ctes.clone(),
            around,
            prefer_first: joined_once && self.settings.single_join_prefer_left_table,
            windows: named_windows(select)?,
            prefer_columns: self.settings.prefer_column_name_to_alias,
            ..Scope::default()
        };
        let having = select.having.as_ref().map(translate::node).transpose()?;
        let selection = select.selection.as_ref().map(translate::node).transpose()?;
        let prewhere = select.prewhere.as_ref().map(translate::node).transpose()?;
        let qualify = select.qualify.as_ref().map(translate::node).transpose()?;
        let keys = tail.order_by.iter().map(|key| &key.node);
        add_given_names(
            [&having, &selection, &prewhere, &qualify].into_iter().flatten().chain(keys),
            &mut scope.given_names,
        );
        let items = self.items(select, &mut scope)?;
        let keys = tail.order_by.iter().map(|key| &key.node).chain(tail.limit_by.iter().flat_map(|by| &by.keys));
        let of_from = nodes_of_from(select);
        let named = [&prewhere, &selection, &having, &qualify].into_iter().flatten().chain(keys);
        for node in named.chain(&tail.counts).chain(&of_from) {
            note_aliases(node, &mut scope)?;
        }
        if let GroupByExpr::Expressions(exprs, _) = &select.group_by {
            for node in translate::nodes(exprs.iter().filter(|expr| !is_sets(expr)))? {
                note_aliases(&node, &mut scope)?;
            }
        }
        let everything =
            || items.iter().map(|item| &item.node).chain(having.iter()).chain(tail.order_by.iter().map(|key| &key.node));
        let keeps_order = |call: &Call| order::keeps_order(self.registry.canonical(&call.name));
        let needs_order = || everything().any(|node| self.mentions(node, &scope.rows(), &keeps_order));
        let (mut plan, ordering) = match &select.from[..] {
            [one] if one.joins.is_empty() && needs_order() => super::aggregates::with_ordering(relation.plan)?,
            _ => (relation.plan, Vec::new()),
        };

        let keys = self.key_nodes(select, &items, &scope)?;
        // HAVING by itself is another WHERE.
        let aggregated = keys.is_some() || everything().any(|node| self.has_aggregate(node, &scope.rows()));
        if keys.as_ref().is_some_and(|keys| keys.is_absent)
            && !everything().any(|node| self.has_aggregate(node, &scope.rows()))
        {
            return Err(Error::not_implemented("WITH TOTALS of a SELECT without GROUP BY and aggregates"));
        }
        if stage == Stage::FetchColumns {
            let keys = keys.iter().flat_map(|keys| &keys.nodes);
            let limit_by = tail.limit_by.iter().flat_map(|by| &by.keys);
            let read: Vec<&Node> = everything().chain(&qualify).chain(&selection).chain(keys).chain(limit_by).collect();
            return self.columns_read(plan, &read, prewhere.as_ref(), select, &scope);
        }
        let above = Above { items, having, qualify, keys, distinct: true };
        let (above, tail) = self.up_to(stage, above, tail, select, aggregated, &scope)?;
        let Above { items, having, qualify, keys, distinct } = above;
        let (tail, select) = (&*tail, &*with_distinct(select, distinct));
        let everything =
            || items.iter().map(|item| &item.node).chain(having.iter()).chain(tail.order_by.iter().map(|key| &key.node));
        let above: Vec<&Node> = everything().chain(&qualify).collect();
        let below: Vec<&Node> = selection.iter().chain(keys.iter().flat_map(|keys| &keys.nodes)).collect();
        let keys_of_groups = keys.as_ref().map(|keys| keys.nodes.iter().collect::<Vec<_>>()).unwrap_or_default();
        let joins = self.array_joins_of(&above, &below, aggregated.then_some(&keys_of_groups[..]), &scope)?;
        plan = self.array_joins(plan, &joins.early, &mut scope)?;
        let of_rows: Vec<&Node> = above.iter().chain(&below).copied().chain(&prewhere).collect();
        plan = self.chance_once(plan, &of_rows, &keys_of_groups, &mut scope)?;

        for (what, node) in [("PREWHERE", &prewhere), ("WHERE", &selection)] {
            if let Some(node) = node {
                let asked = self.asked_as_indexed(node, &select.from, &scope.rows())?;
                let typed = self.expr(asked.as_ref().unwrap_or(node), &scope.rows())?;
                let condition = self.as_predicate(typed, what)?;
                if totals {
                    continue;
                }
                let is_early = what == "PREWHERE" && self.filters_before_final(&select.from)?;
                let condition = if is_early { prewhere::mark(condition) } else { condition };
                plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
            }
        }

        let outer_ordering = self.ordering.replace(ordering);
        let grouped = aggregated.then(|| self.grouping(keys.as_ref().unwrap_or(&Keys::default()), &scope)).transpose()?;
        let windows = Windows::default();

        // Lower what stands above the grouping; aggregates and windows are collected on the way.
        let multiplied = self.late_array_joins(&joins.late, &mut scope, grouped.as_ref(), &windows)?;
        let joins_before_having =
            having.as_ref().is_some_and(|node| self.mentions(node, &scope.rows(), &|call| call.name == "arrayJoin"));
        if joins_before_having && !multiplied.is_empty() && has_totals(select) {
            let text = "arrayJoin in HAVING beside WITH TOTALS: use a subquery";
            return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
        }
        let scope = scope;
        let context = Context { grouped: grouped.as_ref(), windows: Some(&windows), ..scope.rows() };
        let below_windows = Context { windows: None, ..context.clone() };
        let mut having = having
            .map(|node| self.expr(&node, &below_windows).and_then(|typed| self.as_predicate(typed, "HAVING")))
            .transpose()?;
        let outputs = items
            .iter()
            .map(|item| Ok((item.name.clone(), self.as_value(self.expr(&item.node, &context)?)?)))
            .collect::<Result<Vec<(String, Typed)>>>()?;
        let qualify = qualify
            .map(|node| self.expr(&node, &context).and_then(|typed| self.as_predicate(typed, "QUALIFY")))
            .transpose()?;
        let order_by = self.order_keys(tail, &items, &outputs, &context)?;
        let beside = self.named_beside(tail, &outputs, &context)?;
        let limit_by = match &tail.limit_by {
            None => None,
            Some(by) if Tail::limits_by_all(by) => Some(by.over(outputs.iter().map(|(_, typed)| typed.expr.clone()))),
            Some(by) => {
                let keys = by.keys.iter().map(|node| {
                    let node = self.positional(node, &items)?;
                    Ok(self.as_value(self.expr(node, &context)?)?.expr)
                });
                Some(by.over(keys.collect::<Result<Vec<_>>>()?))
            }
        };

        // A subquery in an expression had its own meanwhile and gave it back.
        self.ordering.replace(outer_ordering);

        if let Some(grouped) = &grouped {
            if keys.as_ref().is_some_and(|keys| keys.totals && !grouped.keys.is_empty())
                && let Some(having) = having.take()
            {
                plan = self.of_passing_groups(plan, grouped, having)?;
            }
            plan = self.aggregate_plan(plan, grouped)?;
        }
        let mut multiplied = Some(multiplied);
        if joins_before_having && let Some(arrays) = multiplied.take() {
            plan = self.multiplied(plan, arrays)?;
        }
        if let Some(condition) = having.filter(|_| !totals) {
            // Of several sets a key is computed, and DataFusion sorts by no expression that a condition makes equal, but asks for it where it
            // merges the streams.
            let of_sets = grouped.as_ref().is_some_and(|grouped| grouped.sets.is_some());
            let condition = if of_sets { condition.is_true() } else { condition };
            plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
        }
        let windows = windows.0.into_inner();
        if !windows.is_empty() {
            let mut outputs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
            outputs.extend(
                windows
                    .iter()
                    .map(|(expr, name)| Expr::Column(Column::new_unqualified(expr.schema_name().to_string())).alias(name)),
            );
            let computed =
                LogicalPlanBuilder::window_plan(plan, windows.into_iter().map(|(expr, _)| expr).collect::<Vec<_>>())?;
            plan = LogicalPlanBuilder::from(computed).project(outputs)?.build()?;
        }
        if let Some(arrays) = multiplied {
            plan = self.multiplied(plan, arrays)?;
        }
        if let Some(condition) = qualify.filter(|_| !totals) {
            plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
        }
        if totals {
            return self.finish(plan, outputs, Vec::<Sorted>::new().into(), None, select, &Tail::default());
        }
        self.finish(plan, outputs, Ordered { keys: order_by, beside }, limit_by, select, tail)
    }

    fn order_keys(
        &self,
        tail: &Tail,
        items: &[Item],
        outputs: &[(String, Typed)],
        context: &Context<'_>,
    ) -> Result<Vec<Sorted>> {
        if tail.order_by_all.is_some() {
            return self.order_by_all(tail, outputs);
        }
        tail.order_by
            .iter()
            .map(|key| {
                let starred = match &key.node {
                    Node::Star(star) => Some(self.only_column(star, context.scope)?),
                    _ => None,
                };
                let node = match &starred {
                    Some(column) => column,
                    None => self.positional(&key.node, items)?,
                };
                let typed = self.as_value(self.expr(node, context)?)?;
                self.sorted(typed, Some(key), key.descending)
            })
            .collect()
    }

    /// `ORDER BY *`. Error: NOT_IMPLEMENTED where it stands for several columns.
    fn only_column(&self, star: &Star, scope: &Scope) -> Result<Node> {
        let mut columns = self.star(star, scope)?;
        match (columns.pop(), columns.is_empty()) {
            (Some(column), true) => Ok(column.node),
            _ => Err(Error::not_implemented("ORDER BY * of several columns: write ORDER BY ALL")),
        }
    }

    pub(super) fn order_by_all(&self, tail: &Tail, outputs: &[(String, Typed)]) -> Result<Vec<Sorted>> {
        let (descending, nulls_first) = tail.order_by_all.unwrap_or_default();
        let key = |typed: &Typed| {
            let sort = self.sort_of(typed.clone(), descending, nulls_first)?;
            Ok(Sorted { sort, value: typed.clone(), fill: None })
        };
        outputs.iter().map(|(_, typed)| key(typed)).collect()
    }

    /// SELECT list, DISTINCT, ORDER BY, LIMIT BY, LIMIT.
    pub(crate) fn finish(
        &self,
        plan: LogicalPlan,
        outputs: Vec<(String, Typed)>,
        ordered: Ordered,
        limit_by: Option<LimitBy<Expr>>,
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
        let schema = plan.schema().clone();
        let fills = ordered.keys.iter().any(|key| key.fill.is_some());
        // Rows that are made have the constants of the keys before theirs.
        let of_rows = |key: &Sorted| fills || !matches!(key.sort.expr, Expr::Literal(..));
        let order_by: Vec<Sorted> = ordered.keys.into_iter().filter(of_rows).collect();
        let keys: Vec<fill::Key<'_>> = order_by
            .iter()
            .filter(|_| fills)
            .map(|key| fill::Key {
                column: carried(&key.value.expr, &mut projection),
                kind: key.value.kind.clone(),
                descending: !key.sort.asc,
                fill: key.fill.as_deref(),
            })
            .collect();
        let mut beside = Vec::new();
        for (parts, Typed { expr, kind, .. }) in ordered.beside.into_iter().filter(|_| fills) {
            let key = order_by.iter().zip(&keys).find(|(sorted, _)| sorted.value.expr == expr);
            let column = match key {
                Some((_, key)) => key.column.clone(),
                None if matches!(expr, Expr::Literal(..)) => expr,
                None => carried(&expr, &mut projection),
            };
            beside.push(fill::column_beside(parts, kind, column));
        }
        let sorts: Vec<Sort> = order_by
            .iter()
            .map(|key| key.sort.clone())
            .flat_map(|sort| {
                let kind = sort.expr.get_type(&schema);
                let (float, short) = (kind.as_ref().is_ok_and(DataType::is_floating), matches!(kind, Ok(DataType::Float32)));
                let nullable = sort.expr.nullable(&schema).unwrap_or(true);
                let sort = Sort { expr: carried(&sort.expr, &mut projection), ..sort };
                if float { super::floats::sort_keys(sort, nullable, short) } else { vec![sort] }
            })
            .collect();
        let limit_by = limit_by
            .map(|by| LimitBy { keys: by.keys.iter().map(|key| carried(key, &mut projection)).collect::<Vec<_>>(), ..by });
        let hidden = projection.len() > visible;
        let mut builder = LogicalPlanBuilder::from(plan).project(projection)?;
        match &select.distinct {
            // DISTINCT ON has become a LIMIT BY.
            None | Some(Distinct::All | Distinct::On(_)) => {}
            Some(Distinct::Distinct) if !hidden => builder = distinct_rows(builder)?,
            Some(Distinct::Distinct) => {
                let on: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
                builder = self.first_of_each(builder, &first_of(on), &sorts)?;
            }
        }
        // Rows are in their order then.
        let is_sorted = limit_by.is_some();
        if let Some(by) = limit_by {
            builder = self.first_of_each(builder, &by, &sorts)?;
        }
        let first_rows = tail.limit.as_ref().and_then(Limit::of_first_rows);
        let other_limit = tail.limit.as_ref().filter(|_| first_rows.is_none());
        let ties = first_rows.filter(|_| tail.with_ties).and_then(|(skip, rows)| Some((skip, rows?)));
        if let Some((skip, rows)) = ties.filter(|_| !fills) {
            builder = self.limit_with_ties(builder, &sorts, skip, rows)?;
            let exprs: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
            return Ok(Lowered { plan: builder.project(exprs)?.build()?, columns });
        }
        let sort_keys: Vec<String> = names_in(&sorts);
        if !sorts.is_empty() && !is_sorted {
            let fetch = first_rows.and_then(|(skip, fetch)| fetch.map(|fetch| fetch.saturating_add(skip)));
            // Rows that are made count for the LIMIT as well.
            builder = builder.sort_with_limit(sorts, fetch.filter(|_| !fills))?;
        }
        if fills {
            builder = self.filled(builder, &keys, &columns, &beside, tail)?;
        }
        if let Some((skip, rows)) = ties {
            let keys = keys.iter().map(|key| fill::column_name(&key.column)).collect::<Result<_>>()?;
            let plan = sliced(builder.build()?, Place::First(skip), Some(Place::First(rows)), Some(keys));
            builder = LogicalPlanBuilder::from(plan);
        } else if let Some((skip, fetch)) = first_rows {
            builder = builder.limit(skip, fetch)?;
        } else if let Some(limit) = other_limit {
            let keys = match fills {
                true => keys.iter().map(|key| fill::column_name(&key.column)).collect::<Result<_>>()?,
                false => sort_keys,
            };
            let plan = self.limited(builder.build()?, limit, tail.with_ties.then_some(keys))?;
            builder = LogicalPlanBuilder::from(plan);
        }
        let exprs: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
        if builder.schema().fields().len() != exprs.len() {
            builder = builder.project(exprs)?;
        }
        Ok(Lowered { plan: builder.build()?, columns })
    }
}

/// The first of the rows that are equal in these columns.
fn first_of(keys: Vec<Expr>) -> LimitBy<Expr> {
    LimitBy { keys, skip: Place::First(0), rows: Place::First(1) }
}

/// The columns that rows are sorted by.
fn names_in(sorts: &[Sort]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for column in sorts.iter().flat_map(|sort| sort.expr.column_refs()) {
        if !names.contains(&column.name) {
            names.push(column.name.clone());
        }
    }
    names
}

/// The rows of a projection that differ. Its constants tell no rows apart: they are put back behind.
fn distinct_rows(builder: LogicalPlanBuilder) -> Result<LogicalPlanBuilder> {
    let LogicalPlan::Projection(projection) = builder.plan() else { return Ok(builder.distinct()?) };
    let constant = |expr: &Expr| matches!(expr.clone().unalias(), Expr::Literal(..));
    let columns = projection.schema.columns();
    let keys: Vec<Expr> = projection
        .expr
        .iter()
        .zip(&columns)
        .filter(|(expr, _)| !constant(expr))
        .map(|(_, column)| Expr::Column(column.clone()))
        .collect();
    if keys.is_empty() || keys.len() == columns.len() {
        return Ok(builder.distinct()?);
    }
    let all: Vec<Expr> = projection
        .expr
        .iter()
        .zip(columns)
        .map(|(expr, column)| if constant(expr) { expr.clone() } else { Expr::Column(column) })
        .collect();
    Ok(builder.aggregate(keys, Vec::<Expr>::new())?.project(all)?)
}

/// The WINDOW clause. Error: BAD_ARGUMENTS for a name that is given twice.
fn named_windows(select: &Select) -> Result<HashMap<String, Window>> {
    let mut names = HashSet::new();
    select
        .named_window
        .iter()
        .map(|definition| {
            let name = unescape_identifier(&definition.0);
            if !names.insert(name.clone()) {
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Window '{name}' is already defined")));
            }
            let window = match &definition.1 {
                NamedWindowExpr::NamedWindow(base) => Window {
                    base: Some(unescape_identifier(base)),
                    partition_by: Vec::new(),
                    order_by: Vec::new(),
                    frame: None,
                },
                NamedWindowExpr::WindowSpec(spec) => translate::window(&WindowType::WindowSpec(spec.clone()))?,
            };
            Ok((name, window))
        })
        .collect()
}

fn refuse_unsupported(select: &Select) -> Result<()> {
    let unsupported = [
        ("LATERAL VIEW", !select.lateral_views.is_empty()),
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
