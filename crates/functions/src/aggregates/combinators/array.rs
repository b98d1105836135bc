//! Array: the function over the elements of arrays. Several arrays of a row must have the same length.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::narrowed::Narrowed;
use super::{illegal, no_arguments, wrapped};
use crate::aggregates::Prepared;
use crate::scalar::Argument;

/// Types of the elements.
pub fn elements(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    if arguments.is_empty() {
        return Err(no_arguments(name));
    }
    arguments
        .iter()
        .map(|argument| match argument.kind.plain() {
            SqlType::Array(element) => Ok(element.as_ref().clone()),
            other => Err(illegal(name, other, "Array")),
        })
        .collect()
}

pub fn prepare(inner: Prepared) -> Prepared {
    let arguments = inner.arguments.iter().cloned().map(SqlType::array).collect();
    wrapped(&inner, inner.result.clone(), arguments, inner.state.clone(), |make| {
        Box::new(Narrowed { inner: make(), rows: flat })
    })
}

/// The elements of all rows side by side, the row that each is of, and its place in the row's array.
pub struct Flat {
    pub columns: Vec<ArrayRef>,
    pub rows: Vec<usize>,
    pub places: Vec<usize>,
}

/// Errors: SIZES_OF_ARRAYS_DONT_MATCH.
pub fn flatten(args: &[ArrayRef]) -> Result<Flat> {
    let mut flat = Flat { columns: Vec::with_capacity(args.len()), rows: Vec::new(), places: Vec::new() };
    for (i, array) in args.iter().enumerate() {
        if *array.data_type() == DataType::Null {
            flat.columns.push(array.slice(0, 0));
            continue;
        }
        let list = array.as_list::<i32>();
        let offsets = list.offsets();
        let (start, end) = (offsets[0] as usize, offsets[list.len()] as usize);
        flat.columns.push(list.values().slice(start, end - start));
        if i == 0 {
            flat.rows.reserve(end - start);
            flat.places.reserve(end - start);
            for row in 0..list.len() {
                let length = (offsets[row + 1] - offsets[row]) as usize;
                flat.rows.extend(std::iter::repeat_n(row, length));
                flat.places.extend(0..length);
            }
        } else {
            let first = args[0].as_list::<i32>().offsets();
            if first.windows(2).zip(offsets.windows(2)).any(|(a, b)| a[1] - a[0] != b[1] - b[0]) {
                return Err(Error::new(
                    ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH,
                    "Arrays passed to an aggregate function must have the same length in each row",
                ));
            }
        }
    }
    Ok(flat)
}

fn flat(args: &[ArrayRef], groups: &[usize]) -> Result<(Vec<ArrayRef>, Vec<usize>)> {
    let flat = flatten(args)?;
    let groups = flat.rows.iter().map(|row| groups[*row]).collect();
    Ok((flat.columns, groups))
}
