//! Arrays. A column of arrays is one column of all elements and the borders of the rows; most functions choose elements by
//! index and take them in one go (`Lists::choose`), whatever their type. Elements are compared as Arrow rows: byte strings
//! whose order is the values' order, of nested types as well.

mod build;
mod edits;
mod element;
mod hadamard;
pub mod higher;
mod higher_folds;
mod higher_kernels;
mod numeric;
mod ranked;
mod reshape;
mod search;
mod select;
mod shuffle;
mod sort;
mod statistics;
mod top;
mod zip;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, Rows, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{at, list, list_of};

use crate::registry::Registry;
use crate::scalar::{Argument, Bound, ScalarFunction};

pub fn register(registry: &mut Registry) {
    build::register(registry);
    element::register(registry);
    select::register(registry);
    sort::register(registry);
    search::register(registry);
    numeric::register(registry);
    zip::register(registry);
    reshape::register(registry);
    shuffle::register(registry);
    ranked::register(registry);
    edits::register(registry);
    statistics::register(registry);
    top::register(registry);
    hadamard::register(registry);
    higher::register(registry);
}

pub(crate) use numeric::{dot_product, norm, vectors};
pub(crate) use search::has_entry;
pub(crate) use sort::sorted_length;

/// A column of arrays, or a constant one.
pub struct Lists<'a> {
    list: &'a ListArray,
    values: ArrayRef,
}

impl<'a> Lists<'a> {
    pub fn of(array: &'a ArrayRef) -> Result<Lists<'a>> {
        match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                Ok(Lists { list, values: list.values().clone() })
            }
            other => Err(Error::logical(format!("Expected a column of arrays, got {other}"))),
        }
    }

    /// All elements. Those of a sliced column may lie outside every row's range.
    pub fn values(&self) -> &ArrayRef {
        &self.values
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows; 1 for a constant.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The borders of the rows.
    pub fn offsets(&self) -> &arrow::buffer::OffsetBuffer<i32> {
        self.list.offsets()
    }

    /// Where the elements of `row` lie in `values`.
    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        let row = at(self.list.len(), row);
        let offsets = self.list.value_offsets();
        offsets[row] as usize..offsets[row + 1] as usize
    }

    /// For every row a new array of the elements whose indices into `values` the function pushes.
    pub fn choose(
        &self,
        rows: usize,
        f: impl FnMut(usize, std::ops::Range<usize>, &mut Vec<u32>) -> Result<()>,
    ) -> Result<ArrayRef> {
        choose(&self.values, rows, |row| self.range(row), f)
    }
}

pub fn choose(
    values: &ArrayRef,
    rows: usize,
    range: impl Fn(usize) -> std::ops::Range<usize>,
    mut f: impl FnMut(usize, std::ops::Range<usize>, &mut Vec<u32>) -> Result<()>,
) -> Result<ArrayRef> {
    let mut indices = Vec::with_capacity(values.len());
    let mut lengths = Vec::with_capacity(rows);
    for row in 0..rows {
        let before = indices.len();
        f(row, range(row), &mut indices)?;
        lengths.push(indices.len() - before);
    }
    let chosen = take(values, &UInt32Array::from(indices), None)?;
    list(chosen, &lengths)
}

/// The elements as comparable rows: equal bytes for equal values, and their order, NULL last.
pub fn comparable(values: &[ArrayRef]) -> Result<Vec<Rows>> {
    let Some(first) = values.first() else {
        return Ok(Vec::new());
    };
    let options = arrow::compute::SortOptions { descending: false, nulls_first: false };
    let converter = RowConverter::new(vec![SortField::new_with_options(first.data_type().clone(), options)])?;
    values.iter().map(|values| Ok(converter.convert_columns(std::slice::from_ref(values))?)).collect()
}

/// A list with other values of the same lengths.
pub fn with_values(like: &ListArray, values: ArrayRef) -> Result<ArrayRef> {
    list_of(values, like.offsets().clone())
}

/// The arrays, whose rows must have the same lengths, over elements that lie side by side.
pub fn aligned(name: &str, arrays: &[ArrayRef], rows: usize) -> Result<Vec<ListArray>> {
    let mut lists: Vec<ListArray> = Vec::with_capacity(arrays.len());
    for (i, array) in arrays.iter().enumerate() {
        let array = crate::columns::broadcast(array, rows)?;
        let list = array.as_list::<i32>();
        let offsets = list.value_offsets();
        let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
        let lengths: Vec<usize> = list.offsets().lengths().collect();
        if let Some(first) = lists.first()
            && let Some(row) = first.offsets().lengths().zip(&lengths).position(|(a, b)| a != *b)
        {
            let text = format!("Function {name}: arrays 1 and {} have different sizes in row {}", i + 1, row + 1);
            return Err(Error::new(ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH, text));
        }
        let values = list.values().slice(start, end - start);
        let array = crate::columns::list(values, &lengths)?;
        lists.push(array.as_list::<i32>().clone());
    }
    Ok(lists)
}

/// Row number of each element.
pub fn row_numbers(list: &ListArray) -> Vec<u32> {
    let mut rows = Vec::with_capacity(list.values().len());
    for (row, length) in list.offsets().lengths().enumerate() {
        rows.extend(std::iter::repeat_n(row as u32, length));
    }
    rows
}

/// `reverse` serves strings and arrays.
pub fn reverse_function() -> Arc<dyn ScalarFunction> {
    select::reverse_function()
}

/// `concat` of arrays.
pub fn concat(name: &str, arguments: &[Argument]) -> Result<Bound> {
    build::concat(name, arguments)
}

/// `startsWith` and `endsWith` of arrays.
pub fn has_ends(name: &str, arguments: &[Argument], start: bool) -> Result<Bound> {
    search::has_ends(name, arguments, start)
}

/// The element type of an array argument.
pub(crate) fn element_of(kind: &SqlType) -> Option<&SqlType> {
    match kind.plain() {
        SqlType::Array(element) => Some(element),
        _ => None,
    }
}
