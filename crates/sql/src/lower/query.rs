//! A query: WITH, set operations, and the ORDER BY and LIMIT around them.

use std::collections::HashMap;
use std::rc::Rc;

use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::{Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, Values};

use super::limits::Tail;
use super::scope::Scope;
use super::{Analyzer, Lowered, OutputColumn, Typed};
use crate::ast::{Node, unescape_identifier};
use crate::tokens::SCALAR_COLUMN;
use crate::translate;

type Ctes = Rc<HashMap<String, Query>>;

impl Analyzer<'_> {
    /// Lowers a whole query of the statement.
    pub fn lower(&self, query: &Query) -> Result<Lowered> {
        self.query(query, &Rc::default())
    }

    pub(crate) fn query(&self, query: &Query, outer: &Ctes) -> Result<Lowered> {
        let _guard = super::scope::DepthGuard::enter()?;
        let mut ctes = outer.as_ref().clone();
        let mut scalars: HashMap<String, Node> = HashMap::new();
        if let Some(with) = &query.with {
            if with.recursive {
                let names = with.cte_tables.iter().map(|cte| unescape_identifier(&cte.alias.name));
                self.recursive_names.borrow_mut().extend(names);
            }
            for cte in &with.cte_tables {
                let name = unescape_identifier(&cte.alias.name);
                match scalar_alias(&cte.query)? {
                    Some(node) => {
                        scalars.insert(name, node);
                    }
                    None => {
                        let mut inner = cte.query.as_ref().clone();
                        // What a common table expression sees of the WITH before it is carried inside.
                        if inner.with.is_none() && !scalars.is_empty() {
                            inner.with = query.with.as_ref().map(|with| {
                                let mut with = with.clone();
                                with.cte_tables.retain(|other| matches!(scalar_alias(&other.query), Ok(Some(_))));
                                with
                            });
                        }
                        ctes.insert(name, inner);
                    }
                }
            }
        }
        let ctes = Rc::new(ctes);
        let tail = self.tail(query)?;
        match query.body.as_ref() {
            SetExpr::Select(select) => self.select(select, &tail, &scalars, &ctes),
            body => {
                let lowered = self.body(body, &scalars, &ctes)?;
                self.order_and_limit(lowered, &tail)
            }
        }
    }

    pub(crate) fn body(&self, body: &SetExpr, scalars: &HashMap<String, Node>, ctes: &Ctes) -> Result<Lowered> {
        match body {
            SetExpr::Select(select) => self.select(select, &Tail::default(), scalars, ctes),
            SetExpr::Query(query) => self.query(query, ctes),
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                let left = self.body(left, scalars, ctes)?;
                let right = self.body(right, scalars, ctes)?;
                self.set_operation(*op, *set_quantifier, left, right)
            }
            SetExpr::Values(values) => self.values(values),
            other => Err(Error::not_implemented(format!("The query {other}"))),
        }
    }

    fn set_operation(&self, op: SetOperator, quantifier: SetQuantifier, left: Lowered, right: Lowered) -> Result<Lowered> {
        if left.columns.len() != right.columns.len() {
            return Err(Error::new(
                ErrorCode::UNION_ALL_RESULT_STRUCTURES_MISMATCH,
                format!("Different number of columns in {op}: {} and {}", left.columns.len(), right.columns.len()),
            ));
        }
        let kinds = left
            .columns
            .iter()
            .zip(&right.columns)
            .map(|(a, b)| self.common_kind(&a.kind, &b.kind))
            .collect::<Result<Vec<_>>>()?;
        let names: Vec<String> = left.columns.iter().map(|column| self.unique(&column.name)).collect();
        let side = |lowered: &Lowered| -> Result<_> {
            let exprs = lowered
                .columns
                .iter()
                .zip(kinds.iter().zip(&names))
                .map(|(column, (kind, name))| {
                    let typed = self.cast(Typed::new(column.expr.clone(), column.kind.clone()), kind)?;
                    Ok(typed.expr.alias(name))
                })
                .collect::<Result<Vec<_>>>()?;
            Ok(LogicalPlanBuilder::from(lowered.plan.clone()).project(exprs)?.build()?)
        };
        let (left_plan, right_plan) = (side(&left)?, side(&right)?);
        let all = match (quantifier, op) {
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
        };
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
            .zip(left.columns.iter().zip(kinds))
            .map(|(column, (shown, kind))| OutputColumn { name: shown.name.clone(), kind, expr: Expr::Column(column) })
            .collect();
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
            kinds.push(gristmill_types::supertype::least_supertype(&all)?);
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
                qualifier: Vec::new(),
                name: column.name.clone(),
                kind: column.kind.clone(),
                expr: column.expr.clone(),
                hidden: false,
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
                && let Some((name, _)) = usize::try_from(position - 1).ok().and_then(|index| outputs.get(index))
            {
                key.node = Node::Name(vec![name.clone()]);
            }
            sorts.push(self.sort(&key, &context)?);
        }
        if let Some(descending) = tail.order_by_all {
            let all = outputs
                .iter()
                .map(|(_, typed)| datafusion::logical_expr::expr::Sort::new(typed.expr.clone(), !descending, false));
            sorts.extend(all);
        }
        let limit_by = match &tail.limit_by {
            None => None,
            Some((nodes, offset, count)) => {
                let keys = nodes
                    .iter()
                    .map(|node| Ok(self.as_value(self.expr(node, &context)?)?.expr))
                    .collect::<Result<Vec<_>>>()?;
                Some((keys, *offset, *count))
            }
        };
        self.finish(relation.plan, outputs, sorts, limit_by, select, tail)
    }
}

/// The expression of `WITH expression AS name` (see `tokens`).
fn scalar_alias(query: &Query) -> Result<Option<Node>> {
    let SetExpr::Select(select) = query.body.as_ref() else { return Ok(None) };
    let [SelectItem::ExprWithAlias { expr, alias }] = &select.projection[..] else { return Ok(None) };
    if alias.value != SCALAR_COLUMN {
        return Ok(None);
    }
    Ok(Some(translate::node(expr)?))
}

fn star_select() -> Result<Select> {
    let parsed = sqlparser::parser::Parser::new(&crate::dialect::Dialect)
        .try_with_sql("SELECT *")
        .and_then(|mut parser| parser.parse_query());
    match parsed.map(|query| *query.body) {
        Ok(SetExpr::Select(select)) => Ok(*select),
        _ => Err(Error::logical("`SELECT *` does not parse")),
    }
}
