//! The rows of an INSERT in the shape of their table: given columns cast, the others filled with defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::Column as PlanColumn;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, lit};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_formats::{flagged_column, omitted_flag};
use gristmill_sql::lower::{Analyzer, Lowered, OutputColumn, ResolvedTables, Typed};
use gristmill_types::{Column, Columns, SqlType, nested};

use super::Interpreter;
use crate::engine::Engine;
use crate::opener::stored_columns;

fn column(name: &str) -> Expr {
    Expr::Column(PlanColumn::new_unqualified(name))
}

/// A column that is computed from others.
struct Computed {
    name: String,
    expr: Expr,
    needs: Vec<String>,
}

impl Interpreter {
    /// Casts the query's columns, by position, to the given ones, and adds what is left out: columns that are not given, and
    /// values that the data has not (`with_omitted_flags`) or has as NULL where the column cannot hold it.
    ///
    /// Defaults are computed from columns of the table, in projections one above another, each of what needs only those
    /// below it. So a default that is another each time (`generateUUIDv4()`) is the same for all that is computed from it.
    pub(crate) fn shape_rows(&self, lowered: Lowered, given: &Columns, table: &Columns) -> Result<Lowered> {
        let (flags, sources): (Vec<&OutputColumn>, Vec<&OutputColumn>) =
            lowered.columns.iter().partition(|column| flagged_column(&column.name).is_some());
        if sources.len() != given.len() {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                format!(
                    "Number of columns doesn't match: the query gives {} columns, and the INSERT takes {} ({})",
                    sources.len(),
                    given.len(),
                    given.names().join(", ")
                ),
            ));
        }
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(&self.context), &self.context.settings, &tables);
        // First the given columns under the table's names, in the table's types: defaults are computed from them.
        let mut exprs = Vec::new();
        let mut flagged: BTreeMap<String, Expr> = BTreeMap::new();
        for flag in flags {
            exprs.push(flag.expr.clone().alias(&flag.name));
            if let Some(of) = flagged_column(&flag.name) {
                flagged.insert(of.to_string(), column(&flag.name));
            }
        }
        for (source, column) in sources.into_iter().zip(given) {
            let typed = Typed::new(source.expr.clone(), source.kind.clone());
            if column.has_default_expression() && self.replaces_null(&typed.kind, &column.kind) {
                let flag = omitted_flag(&column.name).name;
                exprs.push(typed.expr.clone().is_null().alias(&flag));
                flagged.insert(column.name.clone(), self::column(&flag));
            }
            let shaped = self
                .to_column(&analyzer, typed, &column.kind)
                .context(|| format!("while converting column {} to column {} of the table", source.name, column.name))?;
            exprs.push(shaped.alias(&column.name));
        }
        let mut plan = LogicalPlanBuilder::from(lowered.plan).project(exprs)?.build()?;
        let mut known: Vec<String> = given.names().into_iter().filter(|name| !flagged.contains_key(name)).collect();
        let stored = stored_columns(table);
        let mut waiting = self.computed(&analyzer, table, &known, &flagged)?;
        while !waiting.is_empty() {
            let (ready, rest): (Vec<Computed>, Vec<Computed>) =
                waiting.into_iter().partition(|computed| computed.needs.iter().all(|name| known.contains(name)));
            if ready.is_empty() {
                let names: Vec<&str> = rest.iter().map(|computed| &computed.name[..]).collect();
                let text = format!("The default of column {} needs itself", names.join(", or that of column "));
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
            // What the data gave, known or not, stays beside what is computed.
            let there = plan.schema().columns();
            let passed = there.into_iter().filter(|there| ready.iter().all(|computed| computed.name != there.name));
            let exprs: Vec<Expr> = passed
                .map(Expr::Column)
                .chain(ready.iter().map(|computed| computed.expr.clone().alias(&computed.name)))
                .collect();
            plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
            known.extend(ready.into_iter().map(|computed| computed.name));
            waiting = rest;
        }
        let outputs: Vec<OutputColumn> = stored
            .iter()
            .map(|column| OutputColumn {
                name: column.name.clone(),
                kind: column.kind.clone(),
                expr: self::column(&column.name),
            })
            .collect();
        let names: Vec<String> = plan.schema().columns().into_iter().map(|column| column.name).collect();
        if names != stored.names() {
            let exprs = stored.iter().map(|column| self::column(&column.name)).collect::<Vec<_>>();
            plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
        }
        Ok(Lowered { plan, columns: outputs })
    }

    /// Whether NULL becomes the default where the column cannot hold it.
    fn replaces_null(&self, from: &SqlType, to: &SqlType) -> bool {
        from.is_nullable() && !to.is_nullable() && self.context.settings.insert_null_as_default
    }

    fn to_column(&self, analyzer: &Analyzer<'_>, typed: Typed, kind: &SqlType) -> Result<Expr> {
        if self.replaces_null(&typed.kind, kind) {
            if typed.kind.is_null_literal() {
                return Ok(lit(gristmill_types::default::default_scalar(kind)));
            }
            let default = gristmill_types::default::default_scalar(kind);
            let cast = analyzer.fitted_to(typed, &kind.clone().nullable())?;
            return Ok(datafusion::logical_expr::when(cast.expr.clone().is_not_null(), cast.expr).otherwise(lit(default))?);
        }
        Ok(analyzer.fitted_to(typed, kind)?.expr)
    }

    /// What is to be computed: the stored columns that are not known, and what they need.
    fn computed(
        &self,
        analyzer: &Analyzer<'_>,
        table: &Columns,
        known: &[String],
        flagged: &BTreeMap<String, Expr>,
    ) -> Result<Vec<Computed>> {
        let mut wanted: Vec<String> = stored_columns(table).names();
        // A given column is computed anew where it is omitted, needed by others or not.
        wanted.extend(flagged.keys().filter(|name| !wanted.contains(name)).cloned().collect::<Vec<_>>());
        let mut computed: Vec<Computed> = Vec::new();
        while let Some(name) = wanted.pop() {
            if known.contains(&name) || computed.iter().any(|computed| computed.name == name) {
                continue;
            }
            let Some(column) = table.get(&name) else { continue };
            let (mut expr, needs) = self.default_of(analyzer, column, table, known)?;
            if let Some(flag) = flagged.get(&name) {
                expr = datafusion::logical_expr::when(flag.clone(), expr).otherwise(self::column(&name))?;
            }
            wanted.extend(needs.iter().cloned());
            computed.push(Computed { name, expr, needs });
        }
        Ok(computed)
    }

    /// The default of a column, as an expression over columns of the table, and those that it needs.
    fn default_of(
        &self,
        analyzer: &Analyzer<'_>,
        column: &Column,
        table: &Columns,
        known: &[String],
    ) -> Result<(Expr, Vec<String>)> {
        let sized = || nested::sized_default(column, table, |name| known.iter().any(|known| known == name));
        let text = match &column.default {
            Some((_, text)) if !text.is_empty() => Some(text.clone()),
            _ => sized(),
        };
        let text = match &text {
            Some(text) => text,
            None => return Ok((lit(gristmill_types::default::column_default(&column.kind)), Vec::new())),
        };
        let node = gristmill_sql::statement::parse_expression(text)?;
        let typed = analyzer.over_columns(&node, table).context(|| format!("in the default of column {}", column.name))?;
        let expr = analyzer.cast_to(typed, &column.kind)?.expr;
        let needs = expr.column_refs().into_iter().map(|needed| needed.name.clone()).collect();
        Ok((expr, needs))
    }

    /// A stream of batches as a relation to be shaped.
    pub(crate) fn lowered_of(
        &self,
        columns: &Columns,
        provider: Arc<dyn datafusion::catalog::TableProvider>,
    ) -> Result<Lowered> {
        let plan = LogicalPlanBuilder::scan("input", datafusion::datasource::provider_as_source(provider), None)?.build()?;
        let outputs = columns
            .iter()
            .zip(plan.schema().columns())
            .map(|(column, plan_column)| OutputColumn {
                name: column.name.clone(),
                kind: column.kind.clone(),
                expr: Expr::Column(plan_column),
            })
            .collect();
        Ok(Lowered { plan, columns: outputs })
    }
}
