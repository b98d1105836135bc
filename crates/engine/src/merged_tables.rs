//! Several tables read as one: the table function `merge([database,] 'regexp')` and the engine `Merge(database, 'regexp')`.
//!
//! They stand for a query, UNION ALL of the tables of the database whose names match when the query begins, as a view does. So
//! filters reach each of the tables, and a condition on `_table` leaves out those that it is not about.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{Databases, TableDefinition};
use gristmill_introspect::QueryContext;
use gristmill_sources::TableFunctionCall;
use gristmill_types::sql_type::{quote, quote_backticks};
use gristmill_types::supertype::least_supertype;
use gristmill_types::{Column, Columns, DefaultKind, SqlType};
use regex::Regex;

use crate::interpret::may_read;

pub const ENGINE: &str = "Merge";
pub const FUNCTION: &str = "merge";

/// Which tables are meant.
#[derive(Debug)]
pub struct Merged {
    pub database: String,
    pattern: Regex,
}

impl Merged {
    /// Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH, CANNOT_COMPILE_REGEXP.
    pub fn of_call(call: &TableFunctionCall, current_database: &str) -> Result<Merged> {
        match &call.positional[..] {
            [pattern] => Merged::new(current_database, pattern.word()),
            [database, pattern] => Merged::new(database.word(), pattern.word()),
            _ => Err(Error::new(
                ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Table function merge takes a database, which may be left out, and a regexp for names of tables",
            )),
        }
    }

    /// What stands behind ENGINE = Merge. Errors: as of a call.
    pub fn of_engine_call(call: &TableFunctionCall) -> Result<Merged> {
        let [database, pattern] = &call.positional[..] else {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Storage Merge requires exactly 2 parameters - name of source database and regexp for table names.",
            ));
        };
        Merged::new(database.word(), pattern.word())
    }

    /// As the definition of a table of the engine keeps it: see `arguments`.
    pub fn of_definition(definition: &TableDefinition) -> Result<Merged> {
        let text = |at: usize| -> Result<String> {
            let argument = definition.engine.arguments.get(at).map_or("", String::as_str);
            match gristmill_sql::statement::parse_expression(argument)? {
                gristmill_sql::ast::Node::Literal(gristmill_sql::ast::Literal::Text(bytes)) => {
                    Ok(String::from_utf8_lossy(&bytes).into_owned())
                }
                _ => Err(Error::logical(format!("{argument} is no argument of the engine Merge"))),
            }
        };
        Merged::new(&text(0)?, &text(1)?)
    }

    fn new(database: &str, pattern: &str) -> Result<Merged> {
        let compiled = Regex::new(pattern).map_err(|error| {
            Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("'{pattern}' is no regular expression: {error}"))
        })?;
        Ok(Merged { database: database.to_string(), pattern: compiled })
    }

    /// The arguments of the engine.
    pub fn arguments(&self) -> Vec<String> {
        vec![quote(&self.database), quote(self.pattern.as_str())]
    }

    /// Those that whoever asks may read; not the table that merges them. Errors: UNKNOWN_DATABASE.
    pub fn tables(
        &self,
        databases: &Databases,
        context: &QueryContext,
        itself: Option<&TableDefinition>,
    ) -> Result<Vec<Arc<TableDefinition>>> {
        databases.database(&self.database)?;
        let tables = databases.tables(&self.database).into_iter().map(|table| table.definition());
        let is_meant = |table: &Arc<TableDefinition>| {
            self.pattern.is_match(&table.name)
                && itself.is_none_or(|itself| itself.database != table.database || itself.name != table.name)
                && may_read(context, &table.database, &table.name).is_ok()
        };
        Ok(tables.filter(is_meant).collect())
    }
}

/// What the rows have beside the tables' columns.
pub fn virtual_columns() -> Columns {
    let name = || SqlType::LowCardinality(Box::new(SqlType::String));
    Columns::of([("_table", name()), ("_database", name())])
}

/// The columns of all of the tables, each of the type that holds the values of all that have it. Errors:
/// CANNOT_EXTRACT_TABLE_STRUCTURE, NO_COMMON_TYPE.
pub fn columns(tables: &[Arc<TableDefinition>]) -> Result<Columns> {
    let mut found: Vec<(Column, Vec<SqlType>)> = Vec::new();
    for column in tables.iter().flat_map(|table| readable_columns(&table.columns)) {
        match found.iter_mut().find(|(known, _)| known.name == column.name) {
            Some((_, kinds)) if kinds.contains(&column.kind) => {}
            Some((_, kinds)) => kinds.push(column.kind.clone()),
            None => found.push((column.clone(), vec![column.kind.clone()])),
        }
    }
    if found.is_empty() {
        return Err(Error::new(
            ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE,
            "There are no tables satisfied provided regexp, you must specify table structure manually",
        ));
    }
    let mut columns = Vec::with_capacity(found.len());
    for (column, kinds) in found {
        let kind = match &kinds[..] {
            [kind] => kind.clone(),
            several => {
                least_supertype(several).context(|| format!("of column {} of the tables that are merged", column.name))?
            }
        };
        columns.push(Column { kind, ..column });
    }
    Ok(Columns::new(columns))
}

/// The columns of a table that a query may name.
pub fn readable_columns(columns: &Columns) -> impl Iterator<Item = &Column> {
    columns.iter().filter(|column| !matches!(column.default, Some((DefaultKind::Ephemeral, _))))
}

/// The query that gives these columns, and the virtual ones, of all of the tables. A table that lacks one has its type's default.
pub fn query(tables: &[Arc<TableDefinition>], columns: &Columns) -> String {
    let of_table = |table: &Arc<TableDefinition>| {
        let own = |name: &str| readable_columns(&table.columns).find(|column| column.name == name);
        let mut select: Vec<String> = Vec::with_capacity(columns.len() + 2);
        for column in columns {
            let (name, kind) = (quote_backticks(&column.name), quote(&column.kind.to_string()));
            select.push(match own(&column.name) {
                Some(known) if known.kind == column.kind => name,
                Some(_) => format!("CAST({name}, {kind}) AS {name}"),
                None => format!("defaultValueOfTypeName({kind}) AS {name}"),
            });
        }
        select.push(format!("{} AS _table", quote(&table.name)));
        select.push(format!("{} AS _database", quote(&table.database)));
        let (database, name) = (quote_backticks(&table.database), quote_backticks(&table.name));
        format!("SELECT {} FROM {database}.{name}", select.join(", "))
    };
    tables.iter().map(of_table).collect::<Vec<_>>().join(" UNION ALL ")
}
