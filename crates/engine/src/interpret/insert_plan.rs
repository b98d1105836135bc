//! The rows of an INSERT in the shape of their table: given columns cast, the others filled with defaults.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::Column as PlanColumn;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, lit};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_sql::lower::{Analyzer, Lowered, OutputColumn, ResolvedTables, Typed};
use gristmill_types::{Columns, DefaultKind, SqlType};

use super::Interpreter;
use crate::engine::Engine;
use crate::opener::stored_columns;

/// The columns that an INSERT gives values for: those it names, or all that take values.
pub(crate) fn given_columns(table: &Columns, named: Option<&[String]>, except: &[String]) -> Result<Columns> {
    let Some(names) = named else {
        let all = crate::resolver::insertable(table);
        return Ok(Columns::new(all.iter().filter(|column| !except.contains(&column.name)).cloned().collect()));
    };
    let mut given = Vec::new();
    for name in names {
        let column = table.get(name).ok_or_else(|| {
            let near = gristmill_introspect::settings::nearest(name, table.iter().map(|column| column.name.as_str()));
            let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
            Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, format!("No such column {name} in table{hint}"))
        })?;
        match column.default {
            // It is in no row.
            Some((DefaultKind::Alias, _)) => {
                return Err(Error::new(
                    ErrorCode::NO_SUCH_COLUMN_IN_TABLE,
                    format!("No such column {name} in table: it is ALIAS"),
                ));
            }
            Some((kind @ DefaultKind::Materialized, _)) => {
                return Err(Error::new(
                    ErrorCode::ILLEGAL_COLUMN,
                    format!("Cannot insert column {name}, because it is {} column", kind.name()),
                ));
            }
            _ if given.iter().any(|known: &gristmill_types::Column| known.name == *name) => {
                return Err(Error::new(ErrorCode::DUPLICATE_COLUMN, format!("Column {name} is given twice")));
            }
            _ => given.push(column.clone()),
        }
    }
    Ok(Columns::new(given))
}

impl Interpreter {
    /// Casts the query's columns, by position, to the given ones, and adds what is left out.
    pub(crate) fn shape_rows(&self, lowered: Lowered, given: &Columns, table: &Columns) -> Result<Lowered> {
        if lowered.columns.len() != given.len() {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                format!(
                    "Number of columns doesn't match: the query gives {} columns, and the INSERT takes {} ({})",
                    lowered.columns.len(),
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
        for (source, column) in lowered.columns.iter().zip(given) {
            let typed = Typed::new(source.expr.clone(), source.kind.clone());
            let shaped = self
                .to_column(&analyzer, typed, &column.kind)
                .context(|| format!("while converting column {} to column {} of the table", source.name, column.name))?;
            exprs.push(shaped.alias(&column.name));
        }
        let plan = LogicalPlanBuilder::from(lowered.plan).project(exprs)?.build()?;
        let mut known: HashMap<String, Expr> = given
            .iter()
            .map(|column| (column.name.clone(), Expr::Column(PlanColumn::new_unqualified(&column.name))))
            .collect();
        let stored = stored_columns(table);
        for column in table {
            if known.contains_key(&column.name) || matches!(column.default, Some((DefaultKind::Alias, _))) {
                continue;
            }
            let expr = self.default_of(&analyzer, column, table, &mut Vec::new(), &known)?;
            known.insert(column.name.clone(), expr);
        }
        let outputs: Vec<OutputColumn> = stored
            .iter()
            .map(|column| OutputColumn {
                name: column.name.clone(),
                kind: column.kind.clone(),
                expr: Expr::Column(PlanColumn::new_unqualified(&column.name)),
            })
            .collect();
        let same = given.names() == stored.names();
        let plan = if same {
            plan
        } else {
            let exprs = stored
                .iter()
                .map(|column| known.get(&column.name).cloned().unwrap_or_else(|| lit(0)).alias(&column.name))
                .collect::<Vec<_>>();
            LogicalPlanBuilder::from(plan).project(exprs)?.build()?
        };
        Ok(Lowered { plan, columns: outputs })
    }

    fn to_column(&self, analyzer: &Analyzer<'_>, typed: Typed, kind: &SqlType) -> Result<Expr> {
        let mut typed = typed;
        // NULL becomes the default where the column cannot hold it.
        if typed.kind.is_nullable() && !kind.is_nullable() && self.context.settings.insert_null_as_default {
            if typed.kind.is_null_literal() {
                return Ok(lit(gristmill_types::default::default_scalar(kind)));
            }
            let default = gristmill_types::default::default_scalar(kind);
            let cast = analyzer.cast_to(typed, &kind.clone().nullable())?;
            return Ok(datafusion::logical_expr::when(cast.expr.clone().is_not_null(), cast.expr).otherwise(lit(default))?);
        }
        typed = analyzer.cast_to(typed, kind)?;
        Ok(typed.expr)
    }

    /// The default of a column as an expression over the given ones; defaults may name other columns with defaults.
    fn default_of(
        &self,
        analyzer: &Analyzer<'_>,
        column: &gristmill_types::Column,
        table: &Columns,
        under_way: &mut Vec<String>,
        known: &HashMap<String, Expr>,
    ) -> Result<Expr> {
        let Some((_, text)) = &column.default else {
            return Ok(lit(gristmill_types::default::column_default(&column.kind)));
        };
        if text.is_empty() {
            return Ok(lit(gristmill_types::default::column_default(&column.kind)));
        }
        if under_way.contains(&column.name) {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("The default of column {} needs itself", column.name)));
        }
        under_way.push(column.name.clone());
        let node = gristmill_sql::statement::parse_expression(text)?;
        let typed = analyzer.over_columns(&node, table).context(|| format!("in the default of column {}", column.name))?;
        let typed = analyzer.cast_to(typed, &column.kind)?;
        use datafusion::common::tree_node::{Transformed, TreeNode};
        let mut failure = None;
        let expr = typed
            .expr
            .transform_up(|expr| {
                let Expr::Column(named) = &expr else { return Ok(Transformed::no(expr)) };
                if let Some(given) = known.get(&named.name) {
                    return Ok(Transformed::yes(given.clone()));
                }
                let Some(other) = table.get(&named.name) else { return Ok(Transformed::no(expr)) };
                match self.default_of(analyzer, other, table, under_way, known) {
                    Ok(default) => Ok(Transformed::yes(default)),
                    Err(error) => {
                        failure = Some(error);
                        Ok(Transformed::no(expr))
                    }
                }
            })?
            .data;
        under_way.pop();
        match failure {
            Some(error) => Err(error),
            None => Ok(expr),
        }
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
