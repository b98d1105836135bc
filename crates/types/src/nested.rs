//! Flattened Nested columns: `m Nested(k String, v UInt8)` is declared as the arrays `m.k` and `m.v`, which have one length in
//! every row.

use arrow::array::{Array, ArrayRef, AsArray};
use gristmill_base::{Error, ErrorCode, Result};

use crate::{Column, Columns, SqlType};

/// The nested table that a column's name puts it in: `m` of `m.k`.
pub fn table_of(name: &str) -> Option<&str> {
    name.split_once('.').map(|(table, _)| table).filter(|table| !table.is_empty())
}

/// The nested table that an array belongs to.
fn table(column: &Column) -> Option<&str> {
    table_of(&column.name).filter(|_| matches!(column.kind, SqlType::Array(_)))
}

/// The columns of a nested table, in the order of all: of the names, those behind the table's, with the types of elements.
pub fn fields<'c>(columns: &'c Columns, nested: &str) -> Vec<(&'c str, &'c SqlType)> {
    let field = |column: &'c Column| match (&column.kind, column.name.split_once('.')) {
        (SqlType::Array(element), Some((table, field))) if table == nested => Some((field, element.as_ref())),
        _ => None,
    };
    columns.iter().filter_map(field).collect()
}

/// What a column without a value and without a default of its own is: as many defaults as one of the arrays beside it in its
/// nested table has elements. `known`: whether a column has values. `None`: there is none beside it.
pub fn sized_default(column: &Column, columns: &Columns, known: impl Fn(&str) -> bool) -> Option<String> {
    let nested = table(column)?;
    let SqlType::Array(element) = &column.kind else { return None };
    let beside =
        columns.iter().find(|other| other.name != column.name && table(other) == Some(nested) && known(&other.name))?;
    let quoted = |text: &str, quote: char| text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
    Some(format!(
        "arrayWithConstant(length(`{}`), defaultValueOfTypeName('{}'))",
        quoted(&beside.name, '`'),
        quoted(&element.to_string(), '\'')
    ))
}

/// The nested tables of several columns, as places.
pub fn tables(columns: &Columns) -> Vec<Vec<usize>> {
    let mut found: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let Some(nested) = table(column) else { continue };
        match found.iter_mut().find(|(known, _)| *known == nested) {
            Some((_, places)) => places.push(place),
            None => found.push((nested, vec![place])),
        }
    }
    found.into_iter().map(|(_, places)| places).filter(|places| places.len() > 1).collect()
}

/// That the arrays of a nested table have one length in every row. Errors: SIZES_OF_ARRAYS_DONT_MATCH.
pub fn check_sizes(columns: &Columns, tables: &[Vec<usize>], values: &[ArrayRef]) -> Result<()> {
    for places in tables {
        let Some((first, rest)) = places.split_first() else { continue };
        let Some(one) = values[*first].as_list_opt::<i32>() else { continue };
        for place in rest {
            let Some(other) = values[*place].as_list_opt::<i32>() else { continue };
            let rows = one.len();
            let wrong = (0..rows).find(|row| one.value_length(*row) != other.value_length(*row));
            if let Some(row) = wrong {
                let (a, b) = (&columns.0[*first].name, &columns.0[*place].name);
                return Err(Error::new(
                    ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH,
                    format!(
                        "Elements '{a}' and '{b}' of Nested data structure '{}' (Array columns) have different array sizes: {} \
                         and {} in row {} of a block",
                        table_of(a).unwrap_or_default(),
                        one.value_length(row),
                        other.value_length(row),
                        row + 1
                    ),
                ));
            }
        }
    }
    Ok(())
}
