//! FROM: tables, subqueries, joins, ARRAY JOIN. Every relation gets a name of its own in the plan.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use datafusion::common::{Column, JoinType, TableReference as PlanName, UnnestOptions};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::supertype::least_supertype;
use sqlparser::ast::{JoinConstraint, JoinOperator, Query, TableFactor, TableWithJoins, Visit, Visitor};

use super::scope::{Scope, ScopeColumn};
use super::tables::TableReference;
use super::{Analyzer, Typed};
use crate::ast::{Node, unescape_identifier};
use crate::translate;

/// A plan with the columns that names may mean over it.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub plan: LogicalPlan,
    pub columns: Vec<ScopeColumn>,
}

type Ctes = Rc<HashMap<String, Query>>;

impl Analyzer<'_> {
    pub(crate) fn from(&self, from: &[TableWithJoins], ctes: &Ctes) -> Result<Relation> {
        let mut whole: Option<Relation> = None;
        for item in from {
            let mut relation = self.factor(&item.relation, ctes)?;
            for join in &item.joins {
                relation = self.join(relation, &join.relation, &join.join_operator, ctes)?;
            }
            whole = Some(match whole {
                None => relation,
                Some(left) => self.cross(left, relation)?,
            });
        }
        match whole {
            Some(relation) => Ok(relation),
            // SELECT without FROM reads system.one.
            None => Ok(Relation { plan: LogicalPlanBuilder::empty(true).build()?, columns: Vec::new() }),
        }
    }

    fn factor(&self, factor: &TableFactor, ctes: &Ctes) -> Result<Relation> {
        match factor {
            TableFactor::Table { alias, .. } | TableFactor::Function { alias, .. } => {
                let reference = TableReference::of(factor)?.ok_or_else(|| Error::logical("A table without a name"))?;
                let alias = alias.as_ref().map(|alias| unescape_identifier(&alias.name));
                if let TableReference::Table(parts) = &reference
                    && let [name] = &parts[..]
                    && let Some(query) = ctes.get(name)
                {
                    // A common table expression does not see itself.
                    let outer: HashMap<String, Query> =
                        ctes.iter().filter(|(known, _)| *known != name).map(|(k, v)| (k.clone(), v.clone())).collect();
                    return self.subquery(query, &alias.unwrap_or_else(|| name.clone()), &Rc::new(outer));
                }
                self.table(&reference, alias)
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let alias = alias.as_ref().map_or_else(String::new, |alias| unescape_identifier(&alias.name));
                self.subquery(subquery, &alias, ctes)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.from(std::slice::from_ref(table_with_joins.as_ref()), ctes)
            }
            other => Err(Error::not_implemented(format!("FROM {other}"))),
        }
    }

    fn table(&self, reference: &TableReference, alias: Option<String>) -> Result<Relation> {
        let table = self.tables.0.get(&reference.key()).ok_or_else(|| {
            Error::logical(format!("The table {} was not resolved before the query was lowered", reference.key()))
        })?;
        let qualifier = match &alias {
            Some(alias) => vec![alias.clone()],
            None => table.name.clone(),
        };
        let hint = qualifier.last().cloned().unwrap_or_default();
        let name = PlanName::bare(self.unique(&hint));
        let plan = LogicalPlanBuilder::scan(name.clone(), provider_as_source(table.provider.clone()), None)?.build()?;
        let column = |column: &gristmill_types::Column, hidden: bool| ScopeColumn {
            qualifier: qualifier.clone(),
            name: column.name.clone(),
            kind: column.kind.clone(),
            expr: Expr::Column(Column::new(Some(name.clone()), &column.name)),
            hidden,
        };
        let columns = table
            .columns
            .iter()
            .map(|declared| column(declared, false))
            .chain(table.virtual_columns.iter().map(|virtual_column| column(virtual_column, true)))
            .collect();
        Ok(Relation { plan, columns })
    }

    fn subquery(&self, query: &Query, alias: &str, ctes: &Ctes) -> Result<Relation> {
        let lowered = self.query(query, ctes)?;
        let columns = lowered
            .columns
            .iter()
            .map(|column| ScopeColumn {
                qualifier: if alias.is_empty() { Vec::new() } else { vec![alias.to_string()] },
                name: column.name.clone(),
                kind: column.kind.clone(),
                expr: column.expr.clone(),
                hidden: false,
            })
            .collect();
        Ok(Relation { plan: lowered.plan, columns })
    }

    fn cross(&self, left: Relation, right: Relation) -> Result<Relation> {
        let plan = LogicalPlanBuilder::from(left.plan).cross_join(right.plan)?.build()?;
        Ok(Relation { plan, columns: left.columns.into_iter().chain(right.columns).collect() })
    }

    fn join(&self, left: Relation, factor: &TableFactor, operator: &JoinOperator, ctes: &Ctes) -> Result<Relation> {
        let (kind, constraint) = match operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (JoinType::Inner, constraint),
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (JoinType::Left, constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (JoinType::Right, constraint),
            JoinOperator::FullOuter(constraint) => (JoinType::Full, constraint),
            JoinOperator::LeftSemi(constraint) | JoinOperator::Semi(constraint) => (JoinType::LeftSemi, constraint),
            JoinOperator::RightSemi(constraint) => (JoinType::RightSemi, constraint),
            JoinOperator::LeftAnti(constraint) | JoinOperator::Anti(constraint) => (JoinType::LeftAnti, constraint),
            JoinOperator::RightAnti(constraint) => (JoinType::RightAnti, constraint),
            JoinOperator::CrossJoin(_) => return self.cross(left, self.factor(factor, ctes)?),
            JoinOperator::ArrayJoin | JoinOperator::InnerArrayJoin => return self.array_join(left, factor, false),
            JoinOperator::LeftArrayJoin => return self.array_join(left, factor, true),
            other => return Err(Error::not_implemented(format!("JOIN of the kind {other:?}"))),
        };
        let right = self.factor(factor, ctes)?;
        self.equi_join(left, right, kind, constraint)
    }

    fn equi_join(&self, left: Relation, right: Relation, kind: JoinType, constraint: &JoinConstraint) -> Result<Relation> {
        let both = Scope { columns: left.columns.iter().chain(&right.columns).cloned().collect(), ..Scope::default() };
        let mut shared: Vec<String> = Vec::new();
        let mut conditions: Vec<Expr> = Vec::new();
        match constraint {
            JoinConstraint::On(expr) => {
                let node = translate::node(expr)?;
                let typed = self.expr(&node, &both.rows())?;
                conditions.push(self.as_predicate(typed, "JOIN ON")?);
            }
            JoinConstraint::Using(names) => {
                for name in names {
                    let parts = translate::parts(name)?;
                    let name = parts.last().cloned().unwrap_or_default();
                    let side = |relation: &Relation| {
                        let scope = Scope { columns: relation.columns.clone(), ..Scope::default() };
                        self.name(std::slice::from_ref(&name), &scope.rows())
                    };
                    let (a, b) = self.to_common(side(&left)?, side(&right)?, "USING")?;
                    conditions.push(a.expr.eq(b.expr));
                    shared.push(name);
                }
            }
            JoinConstraint::None | JoinConstraint::Natural => {
                return Err(Error::new(
                    ErrorCode::INVALID_JOIN_ON_EXPRESSION,
                    "A JOIN needs ON or USING; write CROSS JOIN for every pair of rows",
                ));
            }
        }
        let (left_columns, right_columns) = (left.columns.clone(), right.columns.clone());
        // Rows without a match get defaults, unless join_use_nulls: a mark tells them from rows that matched.
        let outer_left = matches!(kind, JoinType::Right | JoinType::Full);
        let outer_right = matches!(kind, JoinType::Left | JoinType::Full);
        let (left_plan, left_mark) = self.marked(left.plan, outer_left)?;
        let (right_plan, right_mark) = self.marked(right.plan, outer_right)?;
        let plan = LogicalPlanBuilder::from(left_plan).join_on(right_plan, kind, conditions)?.build()?;
        let keeps_left = !matches!(kind, JoinType::RightSemi | JoinType::RightAnti);
        let keeps_right = !matches!(kind, JoinType::LeftSemi | JoinType::LeftAnti);
        let mut projection: Vec<Expr> = Vec::new();
        let mut columns: Vec<ScopeColumn> = Vec::new();
        let mut take = |side: &[ScopeColumn], mark: Option<&Expr>| {
            for column in side {
                let (expr, kind) = match mark {
                    None => (column.expr.clone(), column.kind.clone()),
                    Some(mark) => self.without_match(column, mark),
                };
                let column = if expr == column.expr {
                    projection.push(expr);
                    ScopeColumn { kind, ..column.clone() }
                } else {
                    let name = self.unique(&column.name);
                    projection.push(expr.alias(&name));
                    ScopeColumn { kind, expr: Expr::Column(Column::new_unqualified(name)), ..column.clone() }
                };
                columns.push(column);
            }
        };
        if keeps_left {
            take(&left_columns, left_mark.as_ref());
        }
        if keeps_right {
            take(&right_columns, right_mark.as_ref());
        }
        let plan = if left_mark.is_some() || right_mark.is_some() {
            LogicalPlanBuilder::from(plan).project(dedup(projection))?.build()?
        } else {
            plan
        };
        // The right side of USING is the same column: shown once.
        let left_count = if keeps_left { left_columns.len() } else { 0 };
        if keeps_left && keeps_right && !shared.is_empty() {
            let (head, tail) = columns.split_at_mut(left_count);
            for column in tail.iter_mut().filter(|column| shared.contains(&column.name)) {
                column.hidden = true;
                if matches!(kind, JoinType::Right)
                    && let Some(first) = head.iter_mut().find(|first| first.name == column.name)
                {
                    first.expr = column.expr.clone();
                    first.kind = column.kind.clone();
                }
            }
        }
        Ok(Relation { plan, columns })
    }

    /// Adds a column that is NULL exactly where an outer join found no row of this side.
    fn marked(&self, plan: LogicalPlan, wanted: bool) -> Result<(LogicalPlan, Option<Expr>)> {
        if !wanted {
            return Ok((plan, None));
        }
        let name = self.unique("matched");
        let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        exprs.push(lit(true).alias(&name));
        let plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
        Ok((plan, Some(Expr::Column(Column::new_unqualified(name)))))
    }

    fn without_match(&self, column: &ScopeColumn, mark: &Expr) -> (Expr, SqlType) {
        if self.settings.join_use_nulls {
            return (column.expr.clone(), column.kind.clone().nullable());
        }
        if column.kind.is_nullable() {
            return (column.expr.clone(), column.kind.clone());
        }
        let default = lit(gristmill_types::default::default_scalar(&column.kind));
        let expr = Expr::Case(Case {
            expr: None,
            when_then_expr: vec![(Box::new(Expr::IsNotNull(Box::new(mark.clone()))), Box::new(column.expr.clone()))],
            else_expr: Some(Box::new(default)),
        });
        (expr, column.kind.clone())
    }

    /// `ARRAY JOIN column [AS name]`
    fn array_join(&self, left: Relation, factor: &TableFactor, keep_empty: bool) -> Result<Relation> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else {
            return Err(Error::not_implemented(format!("ARRAY JOIN {factor}: name an array column, or use arrayJoin()")));
        };
        let parts = translate::parts(name)?;
        let scope = Scope { columns: left.columns.clone(), ..Scope::default() };
        let array = self.name(&parts, &scope.rows())?;
        let shown = alias.as_ref().map_or_else(|| parts.join("."), |alias| unescape_identifier(&alias.name));
        let qualifier = left.columns.iter().find(|column| column.expr == array.expr).map(|column| column.qualifier.clone());
        let (plan, mut joined) = self.unnest(left.plan, vec![array.clone()], keep_empty)?;
        let element = joined.pop().ok_or_else(|| Error::logical("An ARRAY JOIN without an array"))?;
        let mut columns = left.columns;
        let position = columns.iter().position(|column| alias.is_none() && column.expr == array.expr);
        let column =
            ScopeColumn { qualifier: qualifier.unwrap_or_default(), name: shown, kind: element.kind, expr: element.expr, hidden: alias.is_some() };
        match position {
            Some(at) => columns[at] = column,
            None => columns.push(column),
        }
        Ok(Relation { plan, columns })
    }

    /// One row for each element of the arrays, which go side by side; rows without elements leave, unless kept with
    /// defaults.
    pub(crate) fn unnest(&self, plan: LogicalPlan, arrays: Vec<Typed>, keep_empty: bool) -> Result<(LogicalPlan, Vec<Typed>)> {
        let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        let mut names = Vec::new();
        for array in &arrays {
            let element = match array.kind.plain() {
                SqlType::Array(element) => element.as_ref().clone(),
                SqlType::Map(key, value) => SqlType::Tuple(vec![(None, key.as_ref().clone()), (None, value.as_ref().clone())]),
                other => {
                    return Err(Error::new(ErrorCode::TYPE_MISMATCH, format!("ARRAY JOIN requires array argument, not {other}")));
                }
            };
            let as_array = self.cast(array.clone(), &SqlType::array(element.clone()))?;
            let name = self.unique("element");
            exprs.push(as_array.expr.alias(&name));
            names.push((name, element));
        }
        let columns = names.iter().map(|(name, _)| Column::new_unqualified(name)).collect();
        let options = UnnestOptions::new().with_preserve_nulls(keep_empty);
        let plan = LogicalPlanBuilder::from(plan).project(exprs)?.unnest_columns_with_options(columns, options)?.build()?;
        let elements = names
            .into_iter()
            .map(|(name, kind)| {
                let column = Expr::Column(Column::new_unqualified(name));
                let default = (keep_empty && !kind.is_nullable()).then(|| gristmill_types::default::default_scalar(&kind));
                Typed::new(super::aggregates::or_default(column, default), kind)
            })
            .collect();
        Ok((plan, elements))
    }

    /// The common type of the columns of two queries at one position.
    pub(crate) fn common_kind(&self, a: &SqlType, b: &SqlType) -> Result<SqlType> {
        least_supertype(&[a.clone(), b.clone()])
    }
}

fn dedup(exprs: Vec<Expr>) -> Vec<Expr> {
    let mut seen = HashSet::new();
    exprs.into_iter().filter(|expr| seen.insert(expr.clone())).collect()
}

/// Names after ARRAY JOIN: sqlparser reads them as tables, and they are columns.
pub(crate) fn array_join_names(query: &Query) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl Visitor for Names {
        type Break = ();

        fn pre_visit_query(&mut self, query: &Query) -> std::ops::ControlFlow<()> {
            if let sqlparser::ast::SetExpr::Select(select) = query.body.as_ref() {
                for join in select.from.iter().flat_map(|from| &from.joins) {
                    let is_array_join = matches!(
                        join.join_operator,
                        JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin | JoinOperator::InnerArrayJoin
                    );
                    if is_array_join
                        && let TableFactor::Table { name, .. } = &join.relation
                        && let Ok(parts) = translate::parts(name)
                    {
                        self.0.insert(parts.join("."));
                    }
                }
            }
            std::ops::ControlFlow::Continue(())
        }
    }
    let mut names = Names(HashSet::new());
    let _ = query.visit(&mut names);
    names.0
}

/// Calls of arrayJoin in an expression, outermost first.
pub(crate) fn array_join_calls<'n>(node: &'n Node, out: &mut Vec<&'n Node>) {
    node.walk(&mut |node| {
        if let Node::Call(call) = node
            && call.name == "arrayJoin"
            && let [argument] = &call.arguments[..]
        {
            array_join_calls(argument, out);
            if !out.contains(&argument) {
                out.push(argument);
            }
            return false;
        }
        true
    });
}
