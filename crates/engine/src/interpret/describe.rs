//! DESCRIBE of a table, a table function or a query; SHOW CREATE; EXISTS.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, UInt8Array};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_introspect::Settings;
use gristmill_sql::format_query::query_of_view;
use gristmill_sql::lower::SAMPLE_FACTOR;
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{self, ObjectKind, SelectStatement, Statement, TableExpression, TableName};
use gristmill_types::sql_type::quote;
use gristmill_types::subcolumns::{self, Subcolumn};
use gristmill_types::{Column, Columns, SqlType};

use super::{Interpreter, Outcome, may_know};
use crate::looped;
use crate::merged_tables::{self, Merged};
use crate::resolver::{call_of, hints, index_call, named_files};
use crate::temporary::TEMPORARY_DATABASE;

impl Interpreter {
    pub(crate) async fn describe(&self, target: &TableExpression) -> Result<Outcome> {
        let mut ttl: BTreeMap<String, String> = BTreeMap::new();
        let mut virtuals = Columns::default();
        let file = self.file_of(target);
        let columns = match file.as_ref().unwrap_or(target) {
            TableExpression::Table(name) => {
                let (database, table) = self.full(name);
                let table = self.table(database, table)?;
                let definition = table.definition();
                if definition.columns.is_empty() && definition.view_query().is_some() {
                    let text = "Cannot infer table schema for the parameterized view when no query parameters are provided.";
                    return Err(Error::new(ErrorCode::UNSUPPORTED_METHOD, text));
                }
                ttl.clone_from(&definition.ttl.columns);
                // The target of a view may be gone: what is not asked for must not fail.
                if self.context.settings.describe_include_virtual_columns {
                    virtuals = self.virtual_columns(&table)?;
                }
                definition.columns.clone()
            }
            TableExpression::Function { name, arguments }
                if name.eq_ignore_ascii_case(looped::FUNCTION) || self.names_view_with_parameters(name) =>
            {
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
                    let virtuals = merged_tables::virtual_columns();
                    return described(&merged_tables::columns(&tables)?, &virtuals, &ttl, &self.context.settings);
                }
                if let Some((table, request)) = index_call(&self.engine, &self.context, &call)? {
                    let (columns, _) = table.index_rows(&self.context, request, true).await?;
                    return described(&columns, &virtuals, &ttl, &self.context.settings);
                }
                let table = gristmill_sources::open_table_function(&call, &self.context, &hints(&self.engine)).await?;
                virtuals = table.virtual_columns();
                table.definition().columns.clone()
            }
            TableExpression::Query(query) => self.columns_of(query).await?,
        };
        described(&columns, &virtuals, &ttl, &self.context.settings)
    }

    /// The call of the function that reads a file, where the name is no table's but a file's.
    fn file_of(&self, target: &TableExpression) -> Option<TableExpression> {
        let TableExpression::Table(name) = target else { return None };
        let (database, table) = self.full(name);
        if self.databases(database).has_table(database, table) {
            return None;
        }
        let arguments = named_files::arguments(&self.engine, database, table)?.to_vec();
        Some(TableExpression::Function { name: named_files::FUNCTION.to_string(), arguments })
    }

    fn names_view_with_parameters(&self, name: &str) -> bool {
        let (database, view) = name.split_once('.').unwrap_or((self.context.database.as_str(), name));
        self.databases(database).table(database, view).is_ok_and(|table| {
            let definition = table.definition();
            definition.view_query().is_some() && definition.columns.is_empty()
        })
    }

    /// What can be asked of a table beside its columns.
    fn virtual_columns(&self, table: &Arc<dyn Table>) -> Result<Columns> {
        let definition = table.definition();
        if definition.engine.name == merged_tables::ENGINE {
            return Ok(merged_tables::virtual_columns());
        }
        let table = match definition.view_target() {
            Some(_) => self.databases(&definition.database).stored(&definition.database, &definition.name)?,
            None => table.clone(),
        };
        let mut columns: Vec<Column> = table.virtual_columns().iter().cloned().collect();
        if table.definition().engine.name.ends_with("MergeTree") {
            columns.push(Column::new(SAMPLE_FACTOR, SqlType::Float64));
        }
        if definition.database != TEMPORARY_DATABASE {
            columns.extend(merged_tables::virtual_columns().iter().cloned());
        }
        let names: HashSet<&str> = definition.columns.iter().map(|column| column.name.as_str()).collect();
        columns.retain(|column| !names.contains(column.name.as_str()));
        Ok(Columns::new(columns))
    }

    pub(crate) fn show_create_table(&self, name: &TableName) -> Result<Outcome> {
        let (database, table) = self.full(name);
        let definition = match self.table(database, table) {
            Ok(table) => table.definition(),
            Err(error) if error.code() == ErrorCode::UNKNOWN_TABLE => {
                return Err(Error::new(ErrorCode::CANNOT_GET_CREATE_TABLE_QUERY, error.message()));
            }
            Err(error) => return Err(error),
        };
        let query = definition.select_text().zip(definition.select_database());
        let query = query.map(|(text, database)| query_of_view(text, database, false));
        Outcome::texts(&["statement"], &[vec![gristmill_catalog::create_query(&definition, query.as_deref())]])
    }

    /// The session's temporary tables, as a query that conditions of SHOW fit behind.
    pub(crate) fn temporary_tables(&self, full: bool, filter: &str, limit: &str) -> Result<SelectStatement> {
        let tables = self.temporary.known().map(|databases| databases.tables(TEMPORARY_DATABASE)).unwrap_or_default();
        let row =
            |definition: &TableDefinition| format!("({}, {})", quote(&definition.name), quote(&definition.engine.name));
        let rows: Vec<String> = tables.iter().map(|table| row(&table.definition())).collect();
        let rows = format!("SELECT arrayJoin(CAST([{}] AS Array(Tuple(String, String)))) AS t", rows.join(", "));
        let shown = if full { "name, engine" } else { "name" };
        let text = format!(
            "SELECT {shown} FROM (SELECT t.1 AS name, t.2 AS engine FROM ({rows})) WHERE 1{filter} ORDER BY name{limit}"
        );
        match statement::parse(&text, &BTreeMap::new())? {
            Statement::Select(query) => Ok(query),
            other => Err(Error::logical(format!("{text} is no query but a {} statement", other.kind()))),
        }
    }

    pub(crate) fn exists(&self, name: &TableName, kind: ObjectKind) -> Result<Outcome> {
        let asked = self.asked_for(name);
        let (database, table) = self.full(&asked);
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

/// What virtual columns are.
const COMMENTS: &[(&str, &str)] = &[
    ("_part", "Name of the part"),
    ("_part_index", "Number of the part among those that the query reads"),
    ("_part_starting_offset", "Rows of the parts before this one"),
    ("_part_uuid", "Unique id of the part"),
    ("_part_data_version", "The block or the mutation that the part's data are of"),
    ("_part_offset", "Number of the row in the part"),
    ("_partition_id", "Id of the partition"),
    ("_partition_value", "Values of the partition key"),
    ("_sample_factor", "What a value of the sample stands for"),
    ("_disk_name", "Name of the disk"),
    ("_row_exists", "Whether the row is there: 0 of one that was deleted"),
    ("_block_number", "Number of the block that was inserted"),
    ("_block_offset", "Number of the row in the block that was inserted"),
];

fn with_comment(column: &Column) -> Column {
    let known = COMMENTS.iter().find(|(name, _)| *name == column.name);
    Column { comment: known.map_or(String::new(), |(_, comment)| (*comment).to_string()), ..column.clone() }
}

/// The rows of DESCRIBE. `ttl`: of columns, by name. As in ClickHouse the parts of columns stand behind virtual columns.
fn described(columns: &Columns, virtuals: &Columns, ttl: &BTreeMap<String, String>, settings: &Settings) -> Result<Outcome> {
    let virtuals: Vec<Column> = match settings.describe_include_virtual_columns {
        true => virtuals.iter().map(with_comment).collect(),
        false => Vec::new(),
    };
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
    let mut rows: Vec<[String; 7]> = columns.iter().chain(&virtuals).map(of_column).collect();
    let of_columns = rows.len();
    let mut are_virtual: Vec<bool> = (0..of_columns).map(|at| at >= columns.len()).collect();
    if settings.describe_include_subcolumns {
        // Virtual columns are told without their parts.
        for column in columns.iter() {
            rows.extend(subcolumns::of(&column.kind).into_iter().map(|part| of_part((column, part))));
        }
        are_virtual.resize(rows.len(), false);
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
    if settings.describe_include_virtual_columns {
        structure.push(("is_virtual", SqlType::UInt8));
        arrays.push(Arc::new(UInt8Array::from_iter_values(are_virtual.into_iter().map(u8::from))));
    }
    Outcome::rows(Columns::of(structure), arrays)
}
