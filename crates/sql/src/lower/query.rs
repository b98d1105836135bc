//! A query: WITH, set operations, and the ORDER BY and LIMIT around them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Union};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::supertype::with_signs;
use gristmill_types::SqlType;
use gristmill_types::supertype::least_supertype;
use sqlparser::ast::{Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, TableAlias, TableFactor, Values};

use super::limits::Tail;
use super::scope::Scope;
use super::{Analyzer, Lowered, OutputColumn, Typed};
use crate::ast::{Node, unescape_identifier};
use crate::tokens::SCALAR_COLUMN;
use crate::translate;

pub(super) type Ctes = Rc<HashMap<String, Query>>;

impl Analyzer<'_> {
    /// Lowers a whole query of the statement.
    pub fn lower(&self, query: &Query) -> Result<Lowered> {
        let lowered = self.query(query, &Rc::default())?;
        let plan = super::correlated::decorrelated(lowered.plan, &self.tables.names)?;
        Ok(Lowered { plan, columns: lowered.columns })
    }

    /// A query inside of others, `outer` being theirs.
    pub(crate) fn query(&self, query: &Query, outer: &Ctes) -> Result<Lowered> {
        self.query_in(query, &self.reaching(outer), HashMap::new())
    }

    /// What is seen of a WITH inside of subqueries and behind UNION: nothing without `enable_global_with_statement`.
    pub(super) fn reaching(&self, ctes: &Ctes) -> Ctes {
        if self.settings.enable_global_with_statement { ctes.clone() } else { Ctes::default() }
    }

    /// `scalars`: what the WITH of the query in whose brackets it stands gives names to.
    pub(super) fn query_in(&self, query: &Query, outer: &Ctes, scalars: HashMap<String, Node>) -> Result<Lowered> {
        let _guard = super::scope::DepthGuard::enter()?;
        if let Some(list) = &query.settings {
            return self.under_settings(query, list, outer, scalars);
        }
        // Of a subquery in an expression rows are wanted, wherever it stands.
        let (totals, of_from) = (self.totals.of_next.take(), self.totals.of_from.take());
        let lowered = self.rows_or_totals(query, outer, scalars, totals);
        self.totals.of_from.set(of_from);
        lowered
    }

    fn rows_or_totals(
        &self,
        query: &Query,
        outer: &Ctes,
        mut scalars: HashMap<String, Node>,
        totals: bool,
    ) -> Result<Lowered> {
        let stage = self.stage.take();
        let ctes = self.common_tables(query, outer, &mut scalars)?;
        let tail = self.tail(query, &ctes, &scalars)?;
        match query.body.as_ref() {
            body if totals => self.totals_of_body(body, &tail, &scalars, &ctes),
            SetExpr::Select(select) => {
                self.stage.set(stage);
                self.select(select, &tail, &scalars, &ctes)
            }
            // ORDER BY and LIMIT behind a UNION belong to its last SELECT.
            body @ SetExpr::SetOperation { right, .. } if matches!(right.as_ref(), SetExpr::Select(_)) => {
                self.body(body, &tail, &scalars, &ctes)
            }
            body => {
                let lowered = self.body(body, &Tail::default(), &scalars, &ctes)?;
                self.order_and_limit(lowered, &tail)
            }
        }
    }

    /// The queries that the names of WITH stand for, beside those from outside. Expressions become `scalars`.
    pub(super) fn common_tables(&self, query: &Query, outer: &Ctes, scalars: &mut HashMap<String, Node>) -> Result<Ctes> {
        let mut ctes = outer.as_ref().clone();
        if let Some(with) = &query.with {
            if with.recursive {
                let names = with.cte_tables.iter().map(|cte| unescape_identifier(&cte.alias.name));
                self.recursive_names.borrow_mut().extend(names);
            }
            let mut own = HashSet::new();
            for cte in &with.cte_tables {
                let name = unescape_identifier(&cte.alias.name);
                match scalar_alias(&cte.query)? {
                    Some(node) => {
                        scalars.insert(name, node);
                    }
                    None if !own.insert(name.clone()) => {
                        let text = format!("A query of WITH named {name} is there already");
                        return Err(Error::new(ErrorCode::MULTIPLE_EXPRESSIONS_FOR_ALIAS, text));
                    }
                    None => {
                        let mut inner = cte.query.as_ref().clone();
                        // What a common table expression sees of the WITH before it is carried inside.
                        let sees = self.settings.enable_global_with_statement;
                        if sees && inner.with.is_none() && !scalars.is_empty() {
                            inner.with = query.with.as_ref().map(|with| {
                                let mut with = with.clone();
                                with.cte_tables.retain(|other| matches!(scalar_alias(&other.query), Ok(Some(_))));
                                with
                            });
                        }
                        if !cte.alias.columns.is_empty() {
                            inner = if with.recursive && name_items(&mut inner.body, &cte.alias) {
                                inner
                            } else {
                                renamed(inner, &cte.alias)?
                            };
                        }
                        ctes.insert(name, inner);
                    }
                }
            }
        }
        Ok(Rc::new(ctes))
    }

    /// `tail`: of the last SELECT.
    pub(crate) fn body(&self, body: &SetExpr, tail: &Tail, scalars: &HashMap<String, Node>, ctes: &Ctes) -> Result<Lowered> {
        match body {
            SetExpr::Select(select) => self.select(select, tail, scalars, ctes),
            SetExpr::Query(query) => self.query_in(query, ctes, scalars.clone()),
            SetExpr::SetOperation { .. } => self.set_operations(body, tail, scalars, ctes),
            SetExpr::Values(values) => self.values(values),
            other => Err(Error::not_implemented(format!("The query {other}"))),
        }
    }

    /// Queries with UNION and the like between them, from left to right. Those between UNION ALL become one union of all:
    /// the parser's tree is as deep as they are many.
    fn set_operations(&self, body: &SetExpr, tail: &Tail, scalars: &HashMap<String, Node>, ctes: &Ctes) -> Result<Lowered> {
        let mut steps = Vec::new();
        let mut first = body;
        while let SetExpr::SetOperation { op, set_quantifier, left, right } = first {
            steps.push((*op, *set_quantifier, right.as_ref()));
            first = left;
        }
        let mut united = vec![self.body(first, &Tail::default(), scalars, ctes)?];
        let last = steps.len() - 1;
        let (nothing, ctes) = (HashMap::new(), self.reaching(ctes));
        let scalars = if self.settings.enable_global_with_statement { scalars } else { &nothing };
        for (at, (op, quantifier, right)) in steps.into_iter().rev().enumerate() {
            let tail = if at == last { tail } else { &Tail::default() };
            let right = self.body(right, tail, scalars, &ctes)?;
            if op == SetOperator::Union && self.keeps_equal_rows(op, quantifier)? {
                united.push(right);
            } else {
                let left = self.union_all(std::mem::take(&mut united))?;
                united.push(self.set_operation(op, quantifier, left, right)?);
            }
        }
        self.union_all(united)
    }

    fn union_all(&self, mut all: Vec<Lowered>) -> Result<Lowered> {
        if all.len() == 2
            && let (Some(right), Some(left)) = (all.pop(), all.pop())
        {
            return self.set_operation(SetOperator::Union, SetQuantifier::All, left, right);
        }
        let mut rest = all.iter();
        let first = rest.next().ok_or_else(|| Error::logical("A union of nothing"))?;
        for other in rest {
            check_widths(SetOperator::Union, first, other)?;
        }
        let kinds = common_kinds(&all.iter().collect::<Vec<_>>())?;
        if all.len() == 1
            && let Some(one) = all.pop()
        {
            return Ok(one);
        }
        let names: Vec<String> = all[0].columns.iter().map(|column| self.unique(&column.name)).collect();
        let shown: Vec<String> = all[0].columns.iter().map(|column| column.name.clone()).collect();
        let sides =
            all.into_iter().map(|side| Ok(Arc::new(self.side(side, &kinds, &names)?))).collect::<Result<Vec<_>>>()?;
        let plan = LogicalPlan::Union(Union::try_new_with_loose_types(sides)?);
        let columns = plan.schema().columns().into_iter().zip(shown.into_iter().zip(kinds));
        let columns =
            columns.map(|(column, (name, kind))| OutputColumn { name, kind, expr: Expr::Column(column) }).collect();
        Ok(Lowered { plan, columns })
    }

    /// A query of a set operation, its columns cast and named as those of the result.
    fn side(&self, lowered: Lowered, kinds: &[SqlType], names: &[String]) -> Result<LogicalPlan> {
        let exprs = lowered
            .columns
            .into_iter()
            .zip(kinds.iter().zip(names))
            .map(|(column, (kind, name))| Ok(self.cast(Typed::new(column.expr, column.kind), kind)?.expr.alias(name)))
            .collect::<Result<Vec<_>>>()?;
        Ok(LogicalPlanBuilder::from(lowered.plan).project(exprs)?.build()?)
    }

    /// Whether rows that are equal stay several.
    fn keeps_equal_rows(&self, op: SetOperator, quantifier: SetQuantifier) -> Result<bool> {
        Ok(match (quantifier, op) {
            (SetQuantifier::All, _) => true,
            (SetQuantifier::Distinct, _) => false,
            (SetQuantifier::None, _) => {
                let (name, mode) = match op {
                    SetOperator::Union => ("union_default_mode", &self.settings.union_default_mode),
                    SetOperator::Intersect => ("intersect_default_mode", &self.settings.intersect_default_mode),
                    SetOperator::Except | SetOperator::Minus => ("except_default_mode", &self.settings.except_default_mode),
                };
                match mode.to_ascii_uppercase().as_str() {
                    "ALL" => true,
                    "DISTINCT" => false,
                    _ => {
                        return Err(Error::new(
                            ErrorCode::EXPECTED_ALL_OR_DISTINCT,
                            format!("Expected ALL or DISTINCT behind {op}, because setting ({name}) is empty"),
                        ));
                    }
                }
            }
            (other, _) => return Err(Error::not_implemented(format!("{op} {other}"))),
        })
    }

    fn set_operation(&self, op: SetOperator, quantifier: SetQuantifier, left: Lowered, right: Lowered) -> Result<Lowered> {
        check_widths(op, &left, &right)?;
        let kinds = common_kinds(&[&left, &right])?;
        let names: Vec<String> = left.columns.iter().map(|column| self.unique(&column.name)).collect();
        let all = self.keeps_equal_rows(op, quantifier)?;
        let shown = left.columns.clone();
        let (left_plan, right_plan) = (self.side(left, &kinds, &names)?, self.side(right, &kinds, &names)?);
        if all && op != SetOperator::Union {
            return self.counted_operation(op, left_plan, right_plan, &shown, kinds);
        }
        let builder = LogicalPlanBuilder::from(left_plan);
        let plan = match op {
            SetOperator::Union if all => builder.union(right_plan)?.build()?,
            SetOperator::Union => builder.union_distinct(right_plan)?.build()?,
            SetOperator::Except | SetOperator::Minus => LogicalPlanBuilder::except(builder.build()?, right_plan, all)?,
            SetOperator::Intersect => LogicalPlanBuilder::intersect(builder.build()?, right_plan, all)?,
        };
        // Set operations may qualify or rename: take the columns as the plan has them.
        let columns = plan
            .schema()
            .columns()
            .into_iter()
            .zip(shown.iter().zip(kinds))
            .map(|(column, (shown, kind))| OutputColumn { name: shown.name.clone(), kind, expr: Expr::Column(column) })
            .collect();
        Ok(Lowered { plan, columns })
    }

    /// EXCEPT ALL and INTERSECT ALL count: of three equal rows on the left, one on the right takes one away. Equal rows are
    /// numbered on both sides, which makes them differ.
    fn counted_operation(
        &self,
        op: SetOperator,
        left_plan: LogicalPlan,
        right_plan: LogicalPlan,
        shown: &[OutputColumn],
        kinds: Vec<SqlType>,
    ) -> Result<Lowered> {
        let number = self.unique("number");
        let numbered = |plan: LogicalPlan| -> Result<LogicalPlan> {
            let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
            let (plan, row) = self.numbered(plan, &exprs)?;
            exprs.push(row.alias(&number));
            Ok(LogicalPlanBuilder::from(plan).project(exprs)?.build()?)
        };
        let (left_plan, right_plan) = (numbered(left_plan)?, numbered(right_plan)?);
        let plan = match op {
            SetOperator::Intersect => LogicalPlanBuilder::intersect(left_plan, right_plan, true)?,
            _ => LogicalPlanBuilder::except(left_plan, right_plan, true)?,
        };
        let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        exprs.truncate(kinds.len());
        let plan = LogicalPlanBuilder::from(plan).project(exprs.clone())?.build()?;
        let shown = shown.iter().zip(kinds).zip(exprs);
        let columns = shown.map(|((column, kind), expr)| OutputColumn { name: column.name.clone(), kind, expr }).collect();
        Ok(Lowered { plan, columns })
    }

    fn values(&self, values: &Values) -> Result<Lowered> {
        let scope = Scope::default();
        let mut rows: Vec<Vec<Typed>> = Vec::new();
        for row in &values.rows {
            rows.push(
                row.iter()
                    .map(|expr| self.as_value(self.expr(&translate::node(expr)?, &scope.rows())?))
                    .collect::<Result<_>>()?,
            );
        }
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return Err(Error::new(
                ErrorCode::INCORRECT_NUMBER_OF_COLUMNS,
                "The rows of VALUES have different numbers of columns",
            ));
        }
        let mut kinds = Vec::new();
        for at in 0..width {
            let all: Vec<SqlType> = rows.iter().map(|row| row[at].kind.clone()).collect();
            kinds.push(least_supertype(&all)?);
        }
        let exprs = rows
            .into_iter()
            .map(|row| row.into_iter().zip(&kinds).map(|(typed, kind)| Ok(self.cast(typed, kind)?.expr)).collect())
            .collect::<Result<Vec<Vec<Expr>>>>()?;
        let plan = LogicalPlanBuilder::values(exprs)?.build()?;
        let columns = plan
            .schema()
            .columns()
            .into_iter()
            .zip(kinds)
            .enumerate()
            .map(|(i, (column, kind))| OutputColumn { name: format!("c{}", i + 1), kind, expr: Expr::Column(column) })
            .collect();
        Ok(Lowered { plan, columns })
    }

    /// ORDER BY and LIMIT around a set operation see its columns only.
    fn order_and_limit(&self, lowered: Lowered, tail: &Tail) -> Result<Lowered> {
        if tail.order_by.is_empty() && tail.order_by_all.is_none() && tail.limit.is_none() && tail.limit_by.is_none() {
            return Ok(lowered);
        }
        let select = star_select()?;
        let scope_columns = lowered
            .columns
            .iter()
            .map(|column| super::ScopeColumn {
                origin: Vec::new(),
                qualifier: Vec::new(),
                name: column.name.clone(),
                kind: column.kind.clone(),
                expr: column.expr.clone(),
                hidden: false,
                of_using: false,
                shadows: false,
            })
            .collect();
        self.select_over(super::from::Relation { plan: lowered.plan, columns: scope_columns }, &select, tail)
    }

    fn select_over(&self, relation: super::from::Relation, select: &Select, tail: &Tail) -> Result<Lowered> {
        let scope = Scope { columns: relation.columns, ..Scope::default() };
        let context = scope.rows();
        let outputs: Vec<(String, Typed)> = scope
            .columns
            .iter()
            .map(|column| (column.name.clone(), Typed::new(column.expr.clone(), column.kind.clone())))
            .collect();
        let mut sorts = Vec::new();
        for key in &tail.order_by {
            let mut key = key.clone();
            if let Node::Literal(crate::ast::Literal::Integer(position)) = key.node
                && let Some((name, _)) = super::grouping::place_of(position, outputs.len()).and_then(|at| outputs.get(at))
            {
                key.node = Node::Name(vec![name.clone()]);
            }
            let typed = self.as_value(self.expr(&key.node, &context)?)?;
            sorts.push(self.sorted(typed, Some(&key), key.descending)?);
        }
        if tail.order_by_all.is_some() {
            sorts = self.order_by_all(tail, &outputs)?;
        }
        let limit_by = match &tail.limit_by {
            None => None,
            Some(by) if Tail::limits_by_all(by) => Some(by.over(outputs.iter().map(|(_, typed)| typed.expr.clone()))),
            Some(by) => {
                let keys = by.keys.iter().map(|node| Ok(self.as_value(self.expr(node, &context)?)?.expr));
                Some(by.over(keys.collect::<Result<Vec<_>>>()?))
            }
        };
        self.finish(relation.plan, outputs, sorts.into(), limit_by, select, tail)
    }
}

fn check_widths(op: SetOperator, left: &Lowered, right: &Lowered) -> Result<()> {
    if left.columns.len() == right.columns.len() {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::UNION_ALL_RESULT_STRUCTURES_MISMATCH,
        format!("Different number of columns in {op}: {} and {}", left.columns.len(), right.columns.len()),
    ))
}

/// The types of the columns that queries give together.
fn common_kinds(queries: &[&Lowered]) -> Result<Vec<SqlType>> {
    let width = queries.first().map_or(0, |query| query.columns.len());
    let common = |at: usize| {
        let mut kinds: Vec<SqlType> = queries.iter().map(|query| query.columns[at].kind.clone()).collect();
        with_signs(&mut kinds, |i| constant_of(&queries[i].plan, &queries[i].columns[at].expr));
        kinds.into_iter().map(Ok::<SqlType, Error>).reduce(|a, b| least_supertype(&[a?, b?])).unwrap_or(Ok(SqlType::Nothing))
    };
    (0..width).map(common).collect()
}

/// The value that a column of a plan has in all rows because it was written so.
pub(super) fn constant_of<'p>(plan: &'p LogicalPlan, expr: &'p Expr) -> Option<&'p ScalarValue> {
    match (expr, plan) {
        (Expr::Literal(value, _), _) => Some(value),
        (Expr::Alias(alias), _) => constant_of(plan, &alias.expr),
        (Expr::Column(column), LogicalPlan::Projection(projection)) => {
            let at = projection.schema.maybe_index_of_column(column)?;
            constant_of(&projection.input, &projection.expr[at])
        }
        _ => None,
    }
}

/// The expression of `WITH expression AS name` (see `tokens`).
fn scalar_alias(query: &Query) -> Result<Option<Node>> {
    scalar_expression(query).map(translate::node).transpose()
}

/// As `scalar_alias`, as the parser gives it.
pub(super) fn scalar_expression(query: &Query) -> Option<&sqlparser::ast::Expr> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    match &select.projection[..] {
        [SelectItem::ExprWithAlias { expr, alias }] if alias.value == SCALAR_COLUMN => Some(expr),
        _ => None,
    }
}

/// Gives the items of the first SELECT of a UNION other names: a recursive query is read by them. False: it has others
/// than plain items, or not as many.
fn name_items(body: &mut SetExpr, alias: &TableAlias) -> bool {
    match body {
        SetExpr::SetOperation { left, .. } => name_items(left, alias),
        SetExpr::Select(select) => {
            let plain = |item: &SelectItem| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
            if select.projection.len() != alias.columns.len() || !select.projection.iter().all(plain) {
                return false;
            }
            for (item, column) in select.projection.iter_mut().zip(&alias.columns) {
                if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: column.name.clone() };
                }
            }
            true
        }
        _ => false,
    }
}

/// `WITH t(a, b) AS (query)`: the query with other names for its columns.
fn renamed(query: Query, alias: &TableAlias) -> Result<Query> {
    let mut outer = crate::statement::parse_query("SELECT * FROM (SELECT 1) AS t")?;
    if let SetExpr::Select(select) = outer.body.as_mut()
        && let Some(TableFactor::Derived { subquery, alias: shown, .. }) =
            select.from.first_mut().map(|from| &mut from.relation)
    {
        **subquery = query;
        *shown = Some(alias.clone());
    }
    Ok(*outer)
}

fn star_select() -> Result<Select> {
    let parsed = sqlparser::parser::Parser::new(&crate::dialect::Dialect::default())
        .try_with_sql("SELECT *")
        .and_then(|mut parser| parser.parse_query());
    match parsed.map(|query| *query.body) {
        Ok(SetExpr::Select(select)) => Ok(*select),
        _ => Err(Error::logical("`SELECT *` does not parse")),
    }
}
