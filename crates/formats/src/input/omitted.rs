//! Values that data leaves out, for columns with a DEFAULT of their own.
//!
//! A reader fills such a value with the type's default, and only an INSERT knows the column's expression. So the reader is
//! asked for one column more for each of those: true in the rows that have no value of it, or NULL where the type has
//! none. Whoever asks replaces those values.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use gristmill_types::{Column, Columns, SqlType};

/// Names that anybody gives do not begin so.
const PREFIX: &str = "\0omitted ";

/// The column that tells where the data leaves out the one of this name.
pub fn omitted_flag(of: &str) -> Column {
    Column::new(format!("{PREFIX}{of}"), SqlType::Bool)
}

/// Which column it tells of, where the name is that of such a column.
pub fn flagged_column(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

/// The columns, then the flags of those with an expression for what is left out.
pub fn with_omitted_flags(columns: &Columns) -> Columns {
    let flags = columns.iter().filter(|column| column.has_default_expression()).map(|column| omitted_flag(&column.name));
    Columns::new(columns.iter().cloned().chain(flags).collect())
}

/// The columns of the data, and by place among them those that have a flag, in the order of the flags.
pub(crate) fn without_flags(columns: &Columns) -> (Columns, Vec<usize>) {
    let given: Vec<Column> = columns.iter().filter(|column| flagged_column(&column.name).is_none()).cloned().collect();
    let place = |column: &Column| given.iter().position(|known| Some(&known.name[..]) == flagged_column(&column.name));
    let flagged = columns.iter().filter_map(place).collect();
    (Columns::new(given), flagged)
}

/// The flags of a column that the data has as a whole (`None`: has not).
pub fn flags_of(array: Option<&ArrayRef>, wanted: &SqlType, rows: usize) -> ArrayRef {
    let flags = match array.map(|array| array.logical_nulls()) {
        None => BooleanBuffer::new_set(rows),
        Some(Some(nulls)) if !wanted.is_nullable() => !nulls.inner(),
        Some(_) => BooleanBuffer::new_unset(rows),
    };
    Arc::new(BooleanArray::new(flags, None))
}
