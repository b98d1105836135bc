//! DESCRIBE of a table, a table function or a query; SHOW CREATE; EXISTS.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, UInt8Array};
use gristmill_base::{Error, Result};
use gristmill_introspect::Settings;
use gristmill_sql::format_query::query_of_view;
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{self, ObjectKind, SelectStatement, Statement, TableExpression, TableName};
use gristmill_types::sql_type::quote;
use gristmill_types::subcolumns::{self, Subcolumn};
use gristmill_types::{Column, Columns, SqlType};

use super::{Interpreter, Outcome, may_know};
use crate::looped;
use crate::merged_tables::{self, Merged};
use crate::resolver::{call_of, hints, index_call};
use crate::temporary::TEMPORARY_DATABASE;

impl Interpreter {
    pub(crate) async fn describe(&self, target: &TableExpression) -> Result<Outcome> {
        let mut ttl: BTreeMap<String, String> = BTreeMap::new();
        let columns = match target {
            TableExpression::Table(name) => {
                let (database, table) = self.full(name);
                let definition = self.table(database, table)?.definition();
                ttl.clone_from(&definition.ttl.columns);
                definition.columns.clone()
            }
            TableExpression::Function { name, arguments } if name.eq_ignore_ascii_case(looped::FUNCTION) => {
                let arguments: Vec<String> = arguments.iter().map(sql).collect();
                let text = format!("SELECT * FROM {name}({})", arguments.join(", "));
                match statement::parse(&text, &BTreeMap::new())? {
                    Statement::Select(select) => self.columns_of(&select.query).await?,
                    other => return Err(Error::logical(format!("{text} is no query but a {} statement", other.kind()))),
                }
            }
            TableExpression::Function { name, arguments } => {
                let call = call_of(&self.engine, &self.context, name, arguments)?;
                if name.eq_ignore_ascii_case(merged_tables::FUNCTION) {
                    let merged = Merged::of_call(&call, &self.context.database)?;
                    let tables = merged.tables(&self.engine.databases, &self.context, None)?;
                    return described(&merged_tables::columns(&tables)?, &ttl, &self.context.settings);
                }
                if let Some((table, request)) = index_call(&self.engine, &self.context, &call)? {
                    let (columns, _) = table.index_rows(&self.context, request, true).await?;
                    return described(&columns, &ttl, &self.context.settings);
                }
                let table = gristmill_sources::open_table_function(&call, &self.context, &hints(&self.engine)).await?;
                table.definition().columns.clone()
            }
            TableExpression::Query(query) => self.columns_of(query).await?,
        };
        described(&columns, &ttl, &self.context.settings)
    }

    pub(crate) fn show_create_table(&self, name: &TableName) -> Result<Outcome> {
        let (database, table) = self.full(name);
        let definition = self.table(database, table)?.definition();
        let query = definition.select_text().zip(definition.select_database());
        let query = query.map(|(text, database)| query_of_view(text, database, false));
        Outcome::texts(&["statement"], &[vec![gristmill_catalog::create_query(&definition, query.as_deref())]])
    }

    /// The session's temporary tables, as a query that conditions of SHOW fit behind.
    pub(crate) fn temporary_tables(&self, filter: &str, limit: &str) -> Result<SelectStatement> {
        let tables = self.temporary.known().map(|databases| databases.tables(TEMPORARY_DATABASE)).unwrap_or_default();
        let names: Vec<String> = tables.iter().map(|table| quote(&table.definition().name)).collect();
        let names = format!("SELECT arrayJoin(CAST([{}] AS Array(String))) AS name", names.join(", "));
        let text = format!("SELECT name FROM ({names}) WHERE 1{filter} ORDER BY name{limit}");
        match statement::parse(&text, &BTreeMap::new())? {
            Statement::Select(query) => Ok(query),
            other => Err(Error::logical(format!("{text} is no query but a {} statement", other.kind()))),
        }
    }

    pub(crate) fn exists(&self, name: &TableName, kind: ObjectKind) -> Result<Outcome> {
        let (database, table) = self.full(name);
        let found = match kind {
            ObjectKind::Database => {
                may_know(&self.context, &name.table, None) && self.engine.databases.database(&name.table).is_ok()
            }
            ObjectKind::Table => self.databases(database).has_table(database, table),
            ObjectKind::View => self.table(database, table).is_ok_and(|table| table.definition().is_view()),
        };
        let columns = Columns::of([("result", SqlType::UInt8)]);
        Outcome::rows(columns, vec![Arc::new(UInt8Array::from(vec![u8::from(found)]))])
    }
}

/// The rows of DESCRIBE. `ttl`: of columns, by name.
fn described(columns: &Columns, ttl: &BTreeMap<String, String>, settings: &Settings) -> Result<Outcome> {
    let mut names =
        vec!["name", "type", "default_type", "default_expression", "comment", "codec_expression", "ttl_expression"];
    let of_column = |column: &Column| {
        let (kind, expression) = match &column.default {
            Some((kind, text)) => (kind.name().to_string(), text.clone()),
            None => (String::new(), String::new()),
        };
        let ttl = ttl.get(&column.name).cloned().unwrap_or_default();
        [column.name.clone(), column.kind.pretty(), kind, expression, column.comment.clone(), column.codec.clone(), ttl]
    };
    let of_part = |(column, part): (&Column, Subcolumn)| {
        let codec = if part.has_codec { column.codec.clone() } else { String::new() };
        let ttl = ttl.get(&column.name).cloned().unwrap_or_default();
        let name = format!("{}.{}", column.name, part.name);
        [name, part.kind.pretty(), String::new(), String::new(), column.comment.clone(), codec, ttl]
    };
    let mut rows: Vec<[String; 7]> = columns.iter().map(of_column).collect();
    let of_columns = rows.len();
    if settings.describe_include_subcolumns {
        let parts =
            columns.iter().flat_map(|column| subcolumns::of(&column.kind).into_iter().map(move |part| (column, part)));
        rows.extend(parts.map(of_part));
    }
    if settings.describe_compact_output {
        names.truncate(2);
    }
    let mut structure: Vec<(&str, SqlType)> = names.iter().map(|name| (*name, SqlType::String)).collect();
    let mut arrays: Vec<ArrayRef> = (0..names.len())
        .map(|at| Arc::new(BinaryViewArray::from_iter_values(rows.iter().map(|row| row[at].as_bytes()))) as ArrayRef)
        .collect();
    if settings.describe_include_subcolumns {
        structure.push(("is_subcolumn", SqlType::UInt8));
        arrays.push(Arc::new(UInt8Array::from_iter_values((0..rows.len()).map(|at| u8::from(at >= of_columns)))));
    }
    Outcome::rows(Columns::of(structure), arrays)
}
