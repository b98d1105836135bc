//! Columns as ClickHouse writes them in parts: each piece of a value by itself. A Nullable column is its marks, then all
//! values; an array the sizes, then all elements.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, make_array};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::binary::Cells;

use crate::columns::defaults_for_nulls;

fn misfit(kind: &SqlType, array: &ArrayRef) -> Error {
    Error::logical(format!("A column of {kind} came as Arrow's {}", array.data_type()))
}

/// Appends a column. Errors: NOT_IMPLEMENTED for types without a binary form.
pub fn write(kind: &SqlType, array: &ArrayRef, out: &mut Vec<u8>) -> Result<()> {
    let sizes = |offsets: &[i32], out: &mut Vec<u8>| {
        offsets.windows(2).for_each(|pair| out.extend_from_slice(&u64::from((pair[1] - pair[0]) as u32).to_le_bytes()));
        offsets[0] as usize..offsets[offsets.len() - 1] as usize
    };
    match kind {
        T::Nullable(inner) => {
            let nulls = array.logical_nulls();
            let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            out.extend((0..array.len()).map(|row| u8::from(is_null(row))));
            let values = defaults_for_nulls(array)?;
            write(inner, &values, out)
        }
        T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
            write(inner, array, out)
        }
        T::Array(inner) => {
            let list = array.as_list_opt::<i32>().ok_or_else(|| misfit(kind, array))?;
            let range = sizes(list.value_offsets(), out);
            write(inner, &list.values().slice(range.start, range.len()), out)
        }
        T::Map(key, value) => {
            let map = array.as_map_opt().ok_or_else(|| misfit(kind, array))?;
            let range = sizes(map.value_offsets(), out);
            write(key, &map.keys().slice(range.start, range.len()), out)?;
            write(value, &map.values().slice(range.start, range.len()), out)
        }
        T::Tuple(fields) => {
            let columns = array.as_struct_opt().ok_or_else(|| misfit(kind, array))?.columns();
            fields.iter().zip(columns).try_for_each(|((_, kind), column)| write(kind, column, out))
        }
        plain => {
            // Values that are not there have been filled in; what marks them would be written for nothing.
            let array = match array.nulls() {
                Some(_) => make_array(array.to_data().into_builder().nulls(None).build()?),
                None => Arc::clone(array),
            };
            let cells = Cells::of(plain, &array)?;
            (0..array.len()).for_each(|row| cells.write(row, out));
            Ok(())
        }
    }
}
