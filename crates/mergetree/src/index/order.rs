//! One order for keys everywhere: sorting a block, merging parts, the sparse index and the bounds of conditions all
//! compare the same normalised bytes (arrow's row format: memcmp order equals the order of the values, NULL last).

use arrow::array::ArrayRef;
use arrow::compute::SortOptions;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, Rows, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

#[derive(Debug)]
pub struct KeyOrder {
    /// `None` where the key has no columns: all rows are equal.
    converter: Option<RowConverter>,
    columns: usize,
}

impl KeyOrder {
    /// Every column ascending.
    pub fn new(kinds: &[&SqlType]) -> Result<Self> {
        Self::directed(&kinds.iter().map(|kind| (*kind, false)).collect::<Vec<_>>())
    }

    /// Columns with whether they descend: then the order is exactly the reverse, so that NULL comes first.
    pub fn directed(kinds: &[(&SqlType, bool)]) -> Result<Self> {
        let options = |descending| SortOptions { descending, nulls_first: descending };
        let fields: Vec<_> =
            kinds.iter().map(|(kind, down)| SortField::new_with_options(kind.arrow(), options(*down))).collect();
        for (field, (kind, _)) in fields.iter().zip(kinds) {
            if !RowConverter::supports_fields(std::slice::from_ref(field)) {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("A value of type {kind} has no order: it cannot be part of a key"),
                ));
            }
        }
        let converter = if fields.is_empty() { None } else { Some(RowConverter::new(fields)?) };
        Ok(KeyOrder { converter, columns: kinds.len() })
    }

    /// Of one column. `None` where values of the type have no order.
    pub fn of_type(data_type: &DataType) -> Option<Self> {
        let options = SortOptions { descending: false, nulls_first: false };
        let fields = vec![SortField::new_with_options(data_type.clone(), options)];
        if !RowConverter::supports_fields(&fields) {
            return None;
        }
        Some(KeyOrder { converter: Some(RowConverter::new(fields).ok()?), columns: 1 })
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Normalised keys, one a row; `None` where the key has no columns.
    pub fn rows(&self, columns: &[ArrayRef]) -> Result<Option<Rows>> {
        self.converter.as_ref().map(|converter| Ok(converter.convert_columns(columns)?)).transpose()
    }
}

/// What sorts before everything, and what NULL is: bounds of intervals of one key column.
pub const LOWEST: &[u8] = &[];
pub const NULL_BYTE: u8 = 0xff;
