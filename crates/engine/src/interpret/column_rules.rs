//! What columns of tables may be called, and of which types they may be.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

/// Columns that a part has of itself: a declared one could be told from it by nobody.
const OF_PARTS: [&str; 3] = ["_row_exists", "_block_number", "_block_offset"];

/// Errors: ILLEGAL_COLUMN, and those of `check_type`.
pub(super) fn check(columns: &Columns, has_parts: bool) -> Result<()> {
    for column in columns.iter() {
        check_name(&column.name, has_parts, || {
            format!("Cannot create table with column '{}' for MergeTree engines because it", column.name)
        })?;
        check_type(&column.name, &column.kind)?;
    }
    Ok(())
}

/// Error: EMPTY_LIST_OF_COLUMNS_PASSED, where INSERT could give no column a value, or no column keeps one.
pub(super) fn check_takes_rows(columns: &Columns) -> Result<()> {
    let takes_values = |of: &Column| matches!(of.default, None | Some((DefaultKind::Default | DefaultKind::Ephemeral, _)));
    let is_stored = |of: &Column| !matches!(of.default, Some((DefaultKind::Ephemeral | DefaultKind::Alias, _)));
    if columns.is_empty() || (columns.iter().any(takes_values) && columns.iter().any(is_stored)) {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::EMPTY_LIST_OF_COLUMNS_PASSED,
        "Cannot CREATE table without insertable columns: all of them are computed. Declare one that INSERT gives values",
    ))
}

/// `what` is not done. Errors: ILLEGAL_COLUMN.
pub(super) fn check_name(name: &str, has_parts: bool, what: impl FnOnce() -> String) -> Result<()> {
    if has_parts && OF_PARTS.contains(&name) {
        let text = format!("{} is reserved for persistent virtual column: choose another name", what());
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    Ok(())
}

/// Errors: DATA_TYPE_CANNOT_BE_USED_IN_TABLES, BAD_ARGUMENTS.
pub(super) fn check_type(name: &str, kind: &SqlType) -> Result<()> {
    if is_nothing(kind) {
        let text = format!("Data type {kind} of column '{name}' cannot be used in tables: give the column another");
        return Err(Error::new(ErrorCode::DATA_TYPE_CANNOT_BE_USED_IN_TABLES, text));
    }
    match nullable_key(kind) {
        Some(key) => {
            let text = format!("Map cannot have a key of type {key}: declare the key without Nullable");
            Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
        }
        None => Ok(()),
    }
}

/// Whether there is no value of the type but NULL and [].
fn is_nothing(kind: &SqlType) -> bool {
    match kind {
        SqlType::Nothing => true,
        SqlType::Nullable(inner) | SqlType::Array(inner) | SqlType::LowCardinality(inner) => is_nothing(inner),
        _ => false,
    }
}

/// The key of a map in the type that may be NULL.
fn nullable_key(kind: &SqlType) -> Option<&SqlType> {
    match kind {
        SqlType::Map(key, _) if key.is_nullable() => Some(key),
        SqlType::Map(key, value) => nullable_key(key).or_else(|| nullable_key(value)),
        SqlType::Array(inner) | SqlType::Nullable(inner) | SqlType::Nested(inner) => nullable_key(inner),
        SqlType::Tuple(fields) => fields.iter().find_map(|(_, field)| nullable_key(field)),
        _ => None,
    }
}
