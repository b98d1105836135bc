//! The row of totals that a query gives beside its rows.
//!
//! That of `GROUP BY … WITH TOTALS` is a query of its own, the same SELECT over one group of all rows; beside HAVING, of the rows whose
//! group it lets pass. A query over a subquery that has totals, and does not group, hands them through: it is computed once more, over that one
//! row. Conditions, DISTINCT, ORDER BY and LIMIT leave the row alone. A join puts the totals of its sides beside each other, or the
//! defaults of a side that has none; of a UNION they are those of the first query that has some.

use std::cell::Cell;
use std::collections::HashMap;

use datafusion::common::{Column, NullEquality, ScalarValue};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use gristmill_base::{Error, Result};
use gristmill_introspect::Settings;
use gristmill_types::default::default_scalar;
use sqlparser::ast::{Expr as Ast, GroupByExpr, GroupByWithModifier, Query, Select, SetExpr, TableFactor, TableWithJoins};

use super::aggregates::Grouped;
use super::from::Relation;
use super::items::note_aliases;
use super::limits::Tail;
use super::query::{Ctes, constant_of};
use super::scope::Scope;
use super::tables::TableReference;
use super::{Analyzer, Lowered, OutputColumn, Typed};
use crate::ast::{Node, StarStep, unescape_identifier};
use crate::translate;

/// What is lowered: rows, unless one of these says totals.
#[derive(Default)]
pub(super) struct Wanted {
    /// Of the query that is lowered next.
    pub of_next: Cell<bool>,
    /// Of what stands in the FROM that is being lowered.
    pub of_from: Cell<bool>,
}

pub(super) fn has_totals(select: &Select) -> bool {
    let (GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers)) = &select.group_by;
    modifiers.contains(&GroupByWithModifier::Totals)
}

/// The SELECT that gives the totals of one WITH TOTALS. Its keys are the defaults of their types. HAVING stays where it decides which
/// groups count (see `of_passing_groups`).
fn over_all(select: &Select, settings: &Settings) -> Select {
    let mut totals = select.clone();
    let (GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers)) = &mut totals.group_by;
    let of_all = GroupByWithModifier::GroupingSets(Ast::GroupingSets(vec![Vec::new()]));
    *modifiers = vec![GroupByWithModifier::Totals, of_all];
    if settings.totals_mode == "before_having" {
        totals.having = None;
    }
    totals
}

impl Analyzer<'_> {
    /// The row of totals that a query gives beside `rows`, in columns of their types. `None`: it gives none.
    pub fn lower_totals(&self, query: &Query, rows: &[OutputColumn]) -> Result<Option<Lowered>> {
        let ctes = Ctes::default();
        if !self.tables.may_have_totals || !self.query_has_totals(query, &ctes, HashMap::new())? {
            return Ok(None);
        }
        self.totals.of_next.set(true);
        let lowered = self.query(query, &ctes)?;
        let plan = super::correlated::decorrelated(lowered.plan, &self.tables.names)?;
        self.as_rows(Lowered { plan, columns: lowered.columns }, rows).map(Some)
    }

    /// The totals of a query's body.
    pub(super) fn totals_of_body(
        &self,
        body: &SetExpr,
        tail: &Tail,
        scalars: &HashMap<String, Node>,
        ctes: &Ctes,
    ) -> Result<Lowered> {
        match body {
            SetExpr::Select(select) if has_totals(select) => {
                self.select(&over_all(select, self.settings), &Tail::default(), scalars, ctes)
            }
            SetExpr::Select(select) => {
                let lowered = self.select_of(select, tail, scalars, ctes, true)?;
                // arrayJoin makes several of it, of which the first counts.
                let plan = LogicalPlanBuilder::from(lowered.plan).limit(0, Some(1))?.build()?;
                Ok(Lowered { plan, columns: lowered.columns })
            }
            SetExpr::Query(query) => {
                self.totals.of_next.set(true);
                self.query_in(query, ctes, scalars.clone())
            }
            body => {
                let rows = self.body(body, &Tail::default(), scalars, ctes)?.columns;
                for side in sides(body) {
                    if self.body_has_totals(side, scalars, ctes)? {
                        return self.as_rows(self.totals_of_body(side, &Tail::default(), scalars, ctes)?, &rows);
                    }
                }
                Err(Error::logical("A union has totals, and no query of it has"))
            }
        }
    }

    fn as_rows(&self, totals: Lowered, rows: &[OutputColumn]) -> Result<Lowered> {
        let (mut exprs, mut columns) = (Vec::new(), Vec::new());
        for (column, row) in totals.columns.into_iter().zip(rows) {
            let name = self.unique(&row.name);
            exprs.push(self.cast(Typed::new(column.expr, column.kind), &row.kind)?.expr.alias(&name));
            let expr = Expr::Column(Column::new_unqualified(name));
            columns.push(OutputColumn { name: row.name.clone(), kind: row.kind.clone(), expr });
        }
        Ok(Lowered { plan: LogicalPlanBuilder::from(totals.plan).project(exprs)?.build()?, columns })
    }

    fn query_has_totals(&self, query: &Query, outer: &Ctes, mut scalars: HashMap<String, Node>) -> Result<bool> {
        let ctes = self.common_tables(query, outer, &mut scalars)?;
        self.body_has_totals(&query.body, &scalars, &ctes)
    }

    fn body_has_totals(&self, body: &SetExpr, scalars: &HashMap<String, Node>, ctes: &Ctes) -> Result<bool> {
        match body {
            SetExpr::Select(select) if has_totals(select) => Ok(true),
            SetExpr::Select(select) => Ok(!self.groups(select, scalars) && self.any_has_totals(&select.from, ctes)?),
            SetExpr::Query(query) => self.query_has_totals(query, ctes, scalars.clone()),
            SetExpr::SetOperation { .. } => {
                for side in sides(body) {
                    if self.body_has_totals(side, scalars, ctes)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Whether a SELECT makes other rows of those of FROM, which have no totals then.
    fn groups(&self, select: &Select, scalars: &HashMap<String, Node>) -> bool {
        match &select.group_by {
            GroupByExpr::All(_) => return true,
            GroupByExpr::Expressions(keys, _) if !keys.is_empty() => return true,
            GroupByExpr::Expressions(..) => {}
        }
        let mut scope = Scope { aliases: scalars.clone(), ..Scope::default() };
        let items = select.projection.iter().filter_map(|item| translate::select_item(item).ok());
        let having = select.having.iter().filter_map(|having| translate::node(having).ok());
        let nodes: Vec<Node> = items.chain(having).collect();
        // What is wrong with them is said where the rows are lowered.
        nodes.iter().for_each(|node| drop(note_aliases(node, &mut scope)));
        let context = scope.rows();
        let of_step = |step: &StarStep| match step {
            StarStep::ApplyFunction { name, .. } => self.is_aggregate(name),
            StarStep::ApplyLambda { body, .. } => self.has_aggregate(body, &scope.rows()),
            _ => false,
        };
        nodes.iter().any(|node| match node {
            Node::Star(star) => star.steps.iter().any(of_step),
            node => self.has_aggregate(node, &context),
        })
    }

    fn any_has_totals(&self, from: &[TableWithJoins], ctes: &Ctes) -> Result<bool> {
        for item in from {
            for factor in std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation)) {
                if self.factor_has_totals(factor, ctes)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    pub(super) fn factor_has_totals(&self, factor: &TableFactor, ctes: &Ctes) -> Result<bool> {
        match factor {
            TableFactor::Derived { subquery, .. } => self.query_has_totals(subquery, &self.reaching(ctes), HashMap::new()),
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.any_has_totals(std::slice::from_ref(table_with_joins.as_ref()), ctes)
            }
            TableFactor::Table { name, args: None, .. } if name.0.len() == 1 => {
                let name = name.0[0].as_ident().map(unescape_identifier).unwrap_or_default();
                match ctes.get(&name) {
                    Some(_) if self.recursive_names.borrow().contains(&name) => Ok(false),
                    Some(query) => self.query_has_totals(query, &without(ctes, &name), HashMap::new()),
                    None => self.table_has_totals(factor),
                }
            }
            factor => self.table_has_totals(factor),
        }
    }

    fn table_has_totals(&self, factor: &TableFactor) -> Result<bool> {
        let table = TableReference::of(factor)?.and_then(|reference| self.tables.by_text.get(&reference.key()));
        Ok(table.is_some_and(|table| table.totals.is_some()))
    }

    /// One row of a relation without totals: constants, and else the defaults of their types.
    pub(super) fn default_row(&self, relation: Relation) -> Result<Relation> {
        let row: Vec<Expr> = relation
            .plan
            .schema()
            .iter()
            .map(|(qualifier, field)| {
                let expr = Expr::Column(Column::new(qualifier.cloned(), field.name()));
                let known = relation.columns.iter().find(|column| column.expr == expr);
                let value = match (constant_of(&relation.plan, &expr), known) {
                    (Some(value), _) => value.clone(),
                    (None, Some(column)) => default_scalar(&column.kind),
                    (None, None) => ScalarValue::new_default(field.data_type())?,
                };
                Ok(lit(value).alias_qualified(qualifier.cloned(), field.name()))
            })
            .collect::<Result<_>>()?;
        Ok(Relation { plan: LogicalPlanBuilder::empty(true).project(row)?.build()?, columns: relation.columns })
    }
}

/// The queries of a set operation, from left to right.
fn sides(body: &SetExpr) -> Vec<&SetExpr> {
    let mut all = Vec::new();
    let mut first = body;
    while let SetExpr::SetOperation { left, right, .. } = first {
        all.push(right.as_ref());
        first = left;
    }
    all.push(first);
    all.reverse();
    all
}

/// What a common table expression sees of the others.
pub(super) fn without(ctes: &Ctes, name: &str) -> Ctes {
    Ctes::new(ctes.iter().filter(|(known, _)| *known != name).map(|(known, query)| (known.clone(), query.clone())).collect())
}

impl Analyzer<'_> {
    /// The rows whose group passes HAVING. They are grouped for that as they are in the query itself.
    pub(super) fn of_passing_groups(&self, rows: LogicalPlan, grouped: &Grouped, having: Expr) -> Result<LogicalPlan> {
        let (keys, id) = (&grouped.keys, grouped.sets.as_ref().map(|(_, id)| id));
        let column = |name: &str| Expr::Column(Column::new_unqualified(name));
        let mut outputs: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
        let below = outputs.clone();
        outputs.extend(keys.iter().map(|(expr, _, name)| expr.clone().alias(name)));
        let rows = LogicalPlanBuilder::from(rows).project(outputs)?.build()?;
        let aggregates = grouped.aggregates.borrow().iter().map(|(expr, name, _)| expr.clone().alias(name)).collect();
        let groups = self.aggregate_rows(rows.clone(), keys.iter().map(|(_, _, name)| column(name)), aggregates, false)?;
        let mut outputs: Vec<Expr> = groups.schema().columns().into_iter().map(Expr::Column).collect();
        // What grouping() looks at: no key is left out.
        outputs.extend(id.map(|id| datafusion::logical_expr::lit(0_u64).alias(id)));
        let passing: Vec<String> = keys.iter().map(|(_, _, name)| self.unique(name)).collect();
        let renamed = keys.iter().zip(&passing).map(|((_, _, name), passing)| column(name).alias(passing));
        let groups = LogicalPlanBuilder::from(groups).project(outputs)?.filter(having)?.project(renamed)?.build()?;
        let on = (
            keys.iter().map(|(_, _, name)| Column::new_unqualified(name)).collect::<Vec<_>>(),
            passing.iter().map(Column::new_unqualified).collect(),
        );
        let joined = LogicalPlanBuilder::from(rows).join_detailed(
            groups,
            JoinType::LeftSemi,
            on,
            None,
            NullEquality::NullEqualsNull,
        )?;
        Ok(joined.project(below)?.build()?)
    }
}
