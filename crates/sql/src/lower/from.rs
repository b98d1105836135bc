//! FROM: tables and subqueries. Every relation gets a name of its own in the plan.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use datafusion::common::{Column, TableReference as PlanName};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{DefaultKind, SqlType};
use sqlparser::ast::{JoinOperator, Query, TableFactor, TableWithJoins};

use super::sample::{self, SAMPLE_FACTOR};
use super::scope::{Scope, ScopeColumn};
use super::tables::TableReference;
use super::{Analyzer, Lowered};
use crate::ast::{Literal, unescape_identifier};
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
        check_aliases(from)?;
        let mut whole: Option<Relation> = None;
        for item in from {
            let relation = self.factor(&item.relation, ctes)?;
            // A comma binds no looser than JOIN: what is joined next is joined with all before it.
            let mut joined = match whole {
                None => relation,
                Some(left) => self.cross(left, relation)?,
            };
            for join in &item.joins {
                joined = self.join(joined, &join.relation, &join.join_operator, ctes)?;
            }
            whole = Some(joined);
        }
        match whole {
            Some(relation) => Ok(relation),
            // SELECT without FROM reads system.one.
            None => Ok(Relation { plan: LogicalPlanBuilder::empty(true).build()?, columns: vec![dummy()] }),
        }
    }

    pub(crate) fn factor(&self, factor: &TableFactor, ctes: &Ctes) -> Result<Relation> {
        let mut relation = self.unnamed_factor(factor, ctes)?;
        // `AS t(a, b)`
        let (TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }) = factor
        else {
            return Ok(relation);
        };
        translate::alias_name(&alias.name)?;
        if alias.columns.is_empty() {
            return Ok(relation);
        }
        let visible = relation.columns.iter_mut().filter(|column| !column.hidden);
        let mut named = 0;
        for (column, name) in visible.zip(&alias.columns) {
            column.name = unescape_identifier(&name.name);
            named += 1;
        }
        if named != alias.columns.len() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("{} has names for {} columns and {named} columns", alias.name, alias.columns.len()),
            ));
        }
        Ok(relation)
    }

    fn unnamed_factor(&self, factor: &TableFactor, ctes: &Ctes) -> Result<Relation> {
        let totals = self.totals.of_from.get();
        if totals && !self.factor_has_totals(factor, ctes)? {
            self.totals.of_from.set(false);
            let relation = self.unnamed_factor(factor, ctes);
            self.totals.of_from.set(true);
            return self.default_row(relation?);
        }
        match factor {
            TableFactor::Table { alias, .. } | TableFactor::Function { alias, .. } => {
                let reference = TableReference::of(factor)?.ok_or_else(|| Error::logical("A table without a name"))?;
                let alias = alias.as_ref().map(|alias| unescape_identifier(&alias.name));
                let sample = match factor {
                    TableFactor::Table { sample, .. } => sample.as_ref(),
                    _ => None,
                };
                if let TableReference::Table(parts) = &reference
                    && let [name] = &parts[..]
                {
                    let shown = alias.clone().unwrap_or_else(|| name.clone());
                    let round =
                        self.rounds.borrow().iter().rev().find(|(known, _)| known == name).map(|(_, round)| round.clone());
                    let known = match round {
                        Some(round) => Some(round),
                        None => {
                            self.totals.of_next.set(totals && ctes.contains_key(name));
                            self.common_table(name, ctes)?
                        }
                    };
                    match known {
                        Some(_) if sample.is_some() => return Err(sample::not_supported(name)),
                        Some(known) => return Ok(relation_of(known, &shown)),
                        None => {}
                    }
                }
                let relation = self.table(&reference, alias.clone())?;
                let relation = match self.tables.by_text.get(&reference.key()) {
                    Some(table) if !totals => self.filtered_table(relation, table, alias.as_deref())?,
                    _ => relation,
                };
                match sample {
                    Some(sample) => {
                        let table = self.tables.by_text.get(&reference.key());
                        let shown = table.map(|table| table.name.join(".")).unwrap_or_default();
                        self.sampled(relation, table.and_then(|table| table.sampling.as_ref()), sample, &shown)
                    }
                    None => Ok(relation),
                }
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let alias = alias.as_ref().map_or_else(String::new, |alias| unescape_identifier(&alias.name));
                self.totals.of_next.set(totals);
                self.subquery(subquery, &alias, ctes)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.from(std::slice::from_ref(table_with_joins.as_ref()), ctes)
            }
            other => Err(Error::not_implemented(format!("FROM {other}"))),
        }
    }

    pub(crate) fn table(&self, reference: &TableReference, alias: Option<String>) -> Result<Relation> {
        let table = self.tables.by_text.get(&reference.key()).ok_or_else(|| {
            let key = reference.key();
            if !self.settings.enable_global_with_statement {
                return Error::new(ErrorCode::UNKNOWN_TABLE, format!("There is no {key}: a WITH is not seen from here"));
            }
            if let TableReference::Table(parts) = reference
                && let [name] = &parts[..]
                && self.tables.of_with.contains(name)
            {
                let text = format!("There is no table {name}, and a query of WITH does not see itself");
                return Error::new(ErrorCode::UNKNOWN_TABLE, text);
            }
            // Expressions of tables' definitions and arguments are computed by themselves.
            Error::not_implemented(format!("A subquery cannot read here: {key}"))
        })?;
        let qualifier = match &alias {
            Some(alias) => vec![alias.clone()],
            None => table.name.clone(),
        };
        let hint = qualifier.last().cloned().unwrap_or_default();
        let name = PlanName::bare(self.unique(&hint));
        let totals = table.totals.as_ref().filter(|_| self.totals.of_from.get());
        let provider = totals.unwrap_or(&table.provider).clone();
        let plan = LogicalPlanBuilder::scan(name.clone(), provider_as_source(provider), None)?.build()?;
        let origin = if alias.is_some() { table.name.clone() } else { Vec::new() };
        let column = |column: &gristmill_types::Column, hidden: bool| ScopeColumn {
            qualifier: qualifier.clone(),
            origin: origin.clone(),
            name: column.name.clone(),
            kind: column.kind.clone(),
            expr: Expr::Column(Column::new(Some(name.clone()), &column.name)),
            hidden,
            of_using: false,
            shadows: false,
        };
        // The tables that are merged have columns of all kinds.
        let computed = |column: &gristmill_types::Column| match column.default {
            Some((DefaultKind::Materialized, _)) => !self.settings.asterisk_include_materialized_columns,
            Some((DefaultKind::Alias, _)) => !self.settings.asterisk_include_alias_columns,
            _ => false,
        };
        let mut columns: Vec<ScopeColumn> = table
            .columns
            .iter()
            .map(|declared| column(declared, computed(declared)))
            .chain(table.virtual_columns.iter().map(|virtual_column| column(virtual_column, true)))
            .collect();
        for alias in table.aliases.iter() {
            let Some((_, text)) = &alias.default else { continue };
            let scope = Scope { columns: columns.clone(), ..Scope::default() };
            let hidden = !self.settings.asterisk_include_alias_columns;
            let value = match self.expr(&crate::statement::parse_expression(text)?, &scope.rows()) {
                // Of an EPHEMERAL column: whoever does not name it can read the table.
                Err(error) if error.code() == ErrorCode::NO_SUCH_COLUMN_IN_TABLE && hidden => continue,
                value => self.cast(value?, &alias.kind)?,
            };
            columns.push(ScopeColumn { expr: value.expr, ..column(alias, hidden) });
        }
        if let [database, shown] = &table.name[..] {
            let text = |text: &String| Literal::Text(text.as_bytes().to_vec());
            let mut constants = vec![("_table", text(shown)), ("_database", text(database))];
            if table.is_merge_tree {
                constants.push((SAMPLE_FACTOR, Literal::Float(1.0)));
            }
            for (name, value) in constants {
                if columns.iter().all(|column| column.name != name) {
                    let value = self.literal(&value)?;
                    let is_text = value.kind.is_string();
                    columns.push(ScopeColumn {
                        qualifier: qualifier.clone(),
                        origin: origin.clone(),
                        name: name.to_string(),
                        kind: if is_text { SqlType::LowCardinality(Box::new(value.kind)) } else { value.kind },
                        expr: value.expr,
                        hidden: true,
                        of_using: false,
                        shadows: false,
                    });
                }
            }
        }
        Ok(Relation { plan, columns })
    }

    fn subquery(&self, query: &Query, alias: &str, ctes: &Ctes) -> Result<Relation> {
        Ok(relation_of(self.query(query, ctes)?, alias))
    }

    /// A query of WITH, by its name.
    pub(crate) fn common_table(&self, name: &str, ctes: &Ctes) -> Result<Option<Lowered>> {
        let Some(query) = ctes.get(name) else { return Ok(None) };
        // It does not see itself, unless it is recursive.
        let outer = super::totals::without(ctes, name);
        if self.recursive_names.borrow().contains(name)
            && let Some(lowered) = self.recursive(name, query, &outer)?
        {
            return Ok(Some(lowered));
        }
        self.query(query, &outer).map(Some)
    }

    pub(crate) fn cross(&self, left: Relation, right: Relation) -> Result<Relation> {
        let plan = LogicalPlanBuilder::from(left.plan).cross_join(right.plan)?.build()?;
        Ok(Relation { plan, columns: left.columns.into_iter().chain(right.columns).collect() })
    }
}

/// The column of system.one.
fn dummy() -> ScopeColumn {
    ScopeColumn {
        qualifier: vec!["system".to_string(), "one".to_string()],
        origin: Vec::new(),
        name: "dummy".to_string(),
        kind: SqlType::UInt8,
        expr: lit(0_u8),
        hidden: false,
        of_using: false,
        shadows: false,
    }
}

/// Error: MULTIPLE_EXPRESSIONS_FOR_ALIAS for tables that go by one alias.
fn check_aliases(from: &[TableWithJoins]) -> Result<()> {
    let mut names = HashSet::new();
    for item in from {
        let joined = item
            .joins
            .iter()
            .filter(|join| !matches!(join.join_operator, JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin))
            .map(|join| &join.relation);
        for factor in [&item.relation].into_iter().chain(joined) {
            let (TableFactor::Table { alias: Some(alias), .. }
            | TableFactor::Function { alias: Some(alias), .. }
            | TableFactor::Derived { alias: Some(alias), .. }) = factor
            else {
                continue;
            };
            let name = unescape_identifier(&alias.name);
            if !names.insert(name.clone()) {
                let text = format!("Multiple table expressions with same alias {name}");
                return Err(Error::new(ErrorCode::MULTIPLE_EXPRESSIONS_FOR_ALIAS, text));
            }
        }
    }
    Ok(())
}

pub(super) fn relation_of(lowered: Lowered, alias: &str) -> Relation {
    let columns = lowered
        .columns
        .into_iter()
        .map(|column| ScopeColumn {
            origin: Vec::new(),
            qualifier: if alias.is_empty() { Vec::new() } else { vec![alias.to_string()] },
            name: column.name,
            kind: column.kind,
            expr: column.expr,
            hidden: false,
            of_using: false,
            shadows: false,
        })
        .collect();
    Relation { plan: lowered.plan, columns }
}

impl Analyzer<'_> {
    /// PREWHERE is for tables that read its columns before the others.
    pub(crate) fn check_prewhere(&self, from: &[TableWithJoins]) -> Result<()> {
        let reference = match from.first() {
            Some(first) => TableReference::of(&first.relation)?,
            None => None,
        };
        let table = reference.and_then(|reference| self.tables.by_text.get(&reference.key()));
        if table.is_some_and(|table| table.prewhere) {
            return Ok(());
        }
        Err(Error::new(ErrorCode::ILLEGAL_PREWHERE, "Storage doesn't support PREWHERE: write WHERE"))
    }

    /// Whether PREWHERE is asked of rows before FINAL merges them.
    pub(crate) fn filters_before_final(&self, from: &[TableWithJoins]) -> Result<bool> {
        let reference = match from.first() {
            Some(first) => TableReference::of(&first.relation)?,
            None => None,
        };
        let is_final = self.settings.final_ || matches!(reference, Some(TableReference::Final(_)));
        Ok(is_final && !self.settings.apply_prewhere_after_final)
    }
}
