//! The call of `values([structure,] row, …)`: rows of constants, and a structure where none is given.
//!
//! Without one the columns are `c1`, `c2`, …, each of the type that all its values have in common. A row is a tuple, or the value
//! itself where there is one column.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_sources::CallArgument;
use gristmill_sql::ast::{Literal, Node, with_escapes};
use gristmill_sql::lower::Analyzer;
use gristmill_types::supertype::least_supertype;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};
use gristmill_types::{Columns, SqlType};

use crate::engine::timezone;

/// The structure, and each row as the text of a tuple in the format Values.
/// Errors: TOO_FEW_ARGUMENTS_FOR_FUNCTION, CANNOT_EXTRACT_TABLE_STRUCTURE, NO_COMMON_TYPE.
pub(crate) fn arguments(analyzer: &Analyzer<'_>, context: &QueryContext, nodes: &[Node]) -> Result<Vec<CallArgument>> {
    let Some((first, rest)) = nodes.split_first() else {
        let text = "Table function 'values' requires at least 1 argument";
        return Err(Error::new(ErrorCode::TOO_FEW_ARGUMENTS_FOR_FUNCTION, text));
    };
    let given = match first {
        Node::Literal(Literal::Text(bytes)) if !rest.is_empty() => structure_of(&String::from_utf8_lossy(bytes)),
        _ => None,
    };
    let options = TextOptions::new(Escaping::Quoted, timezone(&context.settings)?);
    let mut rows = Vec::new();
    let mut kinds = Vec::new();
    for node in if given.is_some() { rest } else { nodes } {
        let (value, kind) = analyzer.constant(node)?;
        let mut text = Vec::new();
        ValueWriter::new(&value.to_array_of_size(1)?, &kind, &options)?.write(0, &mut text);
        let text = with_escapes(&text);
        let is_row = matches!(kind, SqlType::Tuple(_)) && given.as_ref().is_none_or(|(_, columns)| columns.len() > 1);
        rows.push(CallArgument::Identifier(if is_row { text } else { format!("({text})") }));
        kinds.push(kind);
    }
    let structure = match given {
        Some((text, _)) => text,
        None => common_structure(&kinds)?,
    };
    Ok(std::iter::once(CallArgument::Text(structure)).chain(rows).collect())
}

/// A text that names columns and their types, with these.
fn structure_of(text: &str) -> Option<(String, Columns)> {
    let columns = gristmill_types::parse::structure(text).ok().filter(|columns| !columns.is_empty())?;
    Some((text.to_string(), columns))
}

fn common_structure(rows: &[SqlType]) -> Result<String> {
    let cells = |kind: &SqlType| match kind {
        SqlType::Tuple(fields) => fields.iter().map(|(_, kind)| kind.clone()).collect(),
        one => vec![one.clone()],
    };
    let rows: Vec<Vec<SqlType>> = rows.iter().map(cells).collect();
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return Err(Error::new(
            ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE,
            "Cannot determine a common structure for values function arguments: the amount of columns is different for \
             different arguments",
        ));
    }
    let column = |at: usize| {
        let kinds: Vec<SqlType> = rows.iter().map(|row| row[at].clone()).collect();
        let kind = match least_supertype(&kinds)? {
            // In a structure a Nested is several columns.
            SqlType::Nested(array) => *array,
            kind => kind,
        };
        Ok((format!("c{}", at + 1), kind))
    };
    Ok(Columns::of((0..width).map(column).collect::<Result<Vec<_>>>()?).structure())
}
