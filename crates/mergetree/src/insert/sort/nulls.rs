//! NULLs as values: a column that tells where they are, then one that has a default in their place.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt8Array};
use gristmill_base::Result;
use gristmill_functions::columns::defaults_for_nulls;

use super::SortKey;
use super::bits::has_bits;

/// The columns of a key, and which descend.
pub(super) struct WithoutNulls {
    pub columns: Vec<ArrayRef>,
    pub descending: Vec<bool>,
}

impl WithoutNulls {
    /// `None`: nothing is NULL.
    pub fn of(key: &SortKey<'_>) -> Result<Option<WithoutNulls>> {
        if key.columns.iter().all(|column| column.null_count() == 0) {
            return Ok(None);
        }
        let mut told = WithoutNulls { columns: Vec::new(), descending: Vec::new() };
        for (at, (column, descending)) in key.columns.iter().zip(key.descending).enumerate() {
            match column.nulls().filter(|nulls| nulls.null_count() > 0 && has_bits(column.data_type())) {
                Some(nulls) => {
                    let first = key.order.nulls_first(at);
                    let flags = nulls.iter().map(|is_value| u8::from(is_value == first));
                    told.columns.push(Arc::new(UInt8Array::from_iter_values(flags)));
                    told.columns.push(defaults_for_nulls(column)?);
                    told.descending.extend([false, *descending]);
                }
                None => {
                    told.columns.push(column.clone());
                    told.descending.push(*descending);
                }
            }
        }
        Ok(Some(told))
    }
}
