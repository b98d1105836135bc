//! The form that states are held in: the columns that a function saves, in Arrow's row format.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder};
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;

/// What makes rows of columns of these types. Error: a type that has no rows.
pub fn converter(kinds: &[DataType]) -> Result<RowConverter> {
    Ok(RowConverter::new(kinds.iter().cloned().map(SortField::new).collect())?)
}

/// Saved states as values.
pub fn pack(kinds: &[DataType], columns: &[ArrayRef]) -> Result<ArrayRef> {
    let rows = converter(kinds)?.convert_columns(columns)?;
    let mut builder = BinaryBuilder::new();
    for row in &rows {
        builder.append_value(row.as_ref());
    }
    Ok(Arc::new(builder.finish()))
}

/// The saved columns of values, none of which is empty.
pub fn unpack<'a>(kinds: &[DataType], values: impl Iterator<Item = &'a [u8]>) -> Result<Vec<ArrayRef>> {
    let converter = converter(kinds)?;
    let parser = converter.parser();
    Ok(converter.convert_rows(values.map(|value| parser.parse(value)))?)
}
