//! Which columns an INSERT gives values for.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::ast::{Star, StarStep};
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_sql::statement::{Insert, InsertColumn, TableExpression, TableName, unqualified};
use gristmill_types::{Columns, DefaultKind};

use super::Interpreter;
use crate::engine::Engine;

impl Interpreter {
    /// The columns that an INSERT gives values for: those of its list, or all that take values.
    pub(super) fn columns_of_insert(&self, insert: &Insert, table: &Columns) -> Result<Columns> {
        let takes_computed = self.context.settings.insert_allow_materialized_columns;
        let Some(columns) = &insert.columns else { return given_columns(table, None, takes_computed) };
        let mut names = Vec::new();
        for column in columns {
            match column {
                InsertColumn::Named(parts) => names.push(self.name_in_table(parts, insert, table)),
                InsertColumn::Chosen(star) => names.extend(self.chosen(star, insert, table)?),
            }
        }
        if names.is_empty() {
            return Err(Error::new(ErrorCode::EMPTY_LIST_OF_COLUMNS_PASSED, "Empty list of columns to insert"));
        }
        given_columns(table, Some(&names), takes_computed)
    }

    /// The table with its database; `None`: it is a function.
    fn target(&self, insert: &Insert) -> Option<TableName> {
        let TableExpression::Table(name) = &insert.target else { return None };
        let (database, table) = self.full(name);
        Some(TableName { database: Some(database.to_string()), table: table.to_string() })
    }

    /// A name may begin with that of the table. One that a column has as it stands is that column's.
    fn name_in_table(&self, parts: &[String], insert: &Insert, table: &Columns) -> String {
        let whole = parts.join(".");
        if table.get(&whole).is_some() {
            return whole;
        }
        let target = self.target(insert);
        target.and_then(|target| unqualified(parts, &target).map(|rest| rest.join("."))).unwrap_or(whole)
    }

    /// The names that `*` or `COLUMNS(…)` stands for.
    fn chosen(&self, star: &Star, insert: &Insert, table: &Columns) -> Result<Vec<String>> {
        if let Some(changed) =
            star.steps.iter().find(|step| !matches!(step, StarStep::Except { .. } | StarStep::ExceptPattern(_)))
        {
            let word = if matches!(changed, StarStep::Replace { .. }) { "REPLACE" } else { "APPLY" };
            let text = format!("No such column in table: what {word} makes of a column is none of the table");
            return Err(Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text));
        }
        let mut star = star.clone();
        if !star.qualifier.is_empty() {
            let mut name = std::mem::take(&mut star.qualifier);
            name.push("*".to_string());
            let is_its_name = self.target(insert).is_some_and(|target| unqualified(&name, &target).is_some());
            if !is_its_name {
                let text = format!("There is no table with the name '{}' in this INSERT", name[..name.len() - 1].join("."));
                return Err(Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text));
            }
        }
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(&self.context), &self.context.settings, &tables);
        analyzer.starred_columns(&star, &crate::resolver::insertable(table)).map_err(|error| match error.code() {
            // EXCEPT STRICT of a column that is not there.
            ErrorCode::BAD_ARGUMENTS => Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, error.message().to_string()),
            _ => error,
        })
    }
}

/// The columns of these names, or all that take values.
/// `takes_computed`: MATERIALIZED ones may be named among them.
pub(crate) fn given_columns(table: &Columns, named: Option<&[String]>, takes_computed: bool) -> Result<Columns> {
    let Some(names) = named else { return Ok(crate::resolver::insertable(table)) };
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
            Some((kind @ DefaultKind::Materialized, _)) if !takes_computed => {
                return Err(Error::new(
                    ErrorCode::ILLEGAL_COLUMN,
                    format!("Cannot insert column {name}, because it is {} column", kind.name()),
                )
                .with_context("leave it out, or set insert_allow_materialized_columns = 1"));
            }
            _ if given.iter().any(|known: &gristmill_types::Column| known.name == *name) => {
                return Err(Error::new(ErrorCode::DUPLICATE_COLUMN, format!("Column {name} is given twice")));
            }
            _ => given.push(column.clone()),
        }
    }
    Ok(Columns::new(given))
}
