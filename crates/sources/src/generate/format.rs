//! `format(name [, structure], data)`: data written in the call, read as the format reads it. Columns of the structure may have
//! defaults; what the data leaves out is told beside them, and filled by whoever reads the table (the resolver of tables).

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_formats::{Format, infer_schema, parser, with_omitted_flags};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

use super::values::ValuesTable;
use crate::arguments::declared;
use crate::call::TableFunctionCall;
use crate::function_table::{definition, wrong_count};
use crate::object::convert::session_timezone;

/// How errors name the data.
const OBJECT: &str = "table function format";

/// The columns of a structure that data gives: those that are not computed.
pub fn given_columns(columns: &Columns) -> Columns {
    let is_given = |column: &&Column| !matches!(column.default, Some((DefaultKind::Materialized | DefaultKind::Alias, _)));
    Columns::new(columns.iter().filter(is_given).cloned().collect())
}

/// What is read of data for a structure: its columns, and where they have defaults what the data leaves out, unless that is to
/// have the default of its type.
pub fn carried_columns(columns: &Columns, settings: &Settings) -> Columns {
    if columns.iter().all(|column| column.default.is_none()) {
        return columns.clone();
    }
    let given = given_columns(columns);
    if settings.input_format_defaults_for_omitted_fields { with_omitted_flags(&given) } else { given }
}

/// As `carried_columns`, of data in a format: states of aggregate functions are texts where it has no bytes of its own for them.
pub fn carried_as(format: Format, columns: &Columns, settings: &Settings) -> Columns {
    let carried = carried_columns(columns, settings);
    let is_text = |column: &Column| !format.is_binary() && matches!(column.kind, SqlType::AggregateFunction(..));
    let columns = carried.iter().map(|column| if is_text(column) { as_text(column) } else { column.clone() });
    Columns::new(columns.collect())
}

/// The column with a text in the place of a state.
pub fn as_text(column: &Column) -> Column {
    Column { kind: SqlType::String.nullable(), ..column.clone() }
}

pub fn open(call: &TableFunctionCall, context: &QueryContext) -> Result<Arc<dyn Table>> {
    let (format, structure, data) = match &call.positional[..] {
        [format, data] => (format, None, data),
        [format, structure, data] => (format, Some(structure), data),
        other => return Err(wrong_count("format", other.len(), "format [, structure], data")),
    };
    let format = Format::by_name(format.word())?;
    let data = data.bytes();
    let settings = &context.settings;
    let columns = match structure {
        Some(structure) => declared(structure.word(), settings)?,
        None => infer_schema(format, data, true, settings, OBJECT)?,
    };
    let carried = carried_as(format, &columns, settings);
    let mut parser = parser(format, &carried, settings, session_timezone(settings), OBJECT)?;
    let mut batches = parser.push(data)?;
    batches.extend(parser.finish()?);
    Ok(ValuesTable::of(definition("Values", "format", columns), carried, batches))
}
