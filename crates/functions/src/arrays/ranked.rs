//! `arrayEnumerateUniqRanked`, `arrayEnumerateDenseRanked`: how often an element came before, or which of the distinct elements it is,
//! looking into arrays of arrays.
//!
//! Each array may be followed by the depth down to which it is taken apart (its own where none is given). The result has the depth
//! of the deepest; elements of a flatter array stand for all that lies below them in it. Counting begins anew with each element of
//! the level that a number before the arrays names: 1, the default, is each row.

use std::collections::HashMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::row::{Row, Rows};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::{comparable, element_of};
use crate::columns::{broadcast, list};
use crate::define::{bad_argument, constant_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, dense) in [("arrayEnumerateUniqRanked", false), ("arrayEnumerateDenseRanked", true)] {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, dense)));
    }
}

fn depth_of(kind: &SqlType) -> usize {
    element_of(kind).map_or(0, |element| 1 + depth_of(element))
}

/// A positive constant.
fn positive(name: &str, arguments: &[Argument], i: usize) -> Result<usize> {
    constant_integer(&arguments[i])
        .and_then(|value| usize::try_from(value).ok())
        .filter(|value| *value > 0)
        .ok_or_else(|| bad_argument(name, format!("argument {} must be a positive constant integer", i + 1)))
}

/// The places of the arrays among the arguments with their depths, and the level at which counting begins anew.
fn depths(name: &str, arguments: &[Argument]) -> Result<(Vec<(usize, usize)>, usize)> {
    if arguments.is_empty() {
        let text = format!("Function {name} needs an array");
        return Err(Error::new(ErrorCode::TOO_FEW_ARGUMENTS_FOR_FUNCTION, text));
    }
    let (mut arrays, mut clear, mut i) = (Vec::new(), 1, 0);
    if element_of(&arguments[0].kind).is_none() {
        clear = positive(name, arguments, 0)?;
        i = 1;
    }
    while let Some(argument) = arguments.get(i) {
        let own = depth_of(&argument.kind);
        if own == 0 {
            return Err(bad_argument(name, illegal(name, arguments, i, "Array").message()));
        }
        let mut depth = own;
        let place = i;
        if arguments.get(i + 1).is_some_and(|next| element_of(&next.kind).is_none()) {
            i += 1;
            depth = positive(name, arguments, i)?;
            if depth > own {
                return Err(bad_argument(
                    name,
                    format!("argument {}: the depth {depth} exceeds that of the array, {own}", i + 1),
                ));
            }
        }
        arrays.push((place, depth));
        i += 1;
    }
    let deepest = arrays.iter().map(|(_, depth)| *depth).max();
    let deepest = deepest.ok_or_else(|| bad_argument(name, "at least one array is needed"))?;
    if clear > deepest {
        return Err(bad_argument(
            name,
            format!("the level {clear} of new counting is below the deepest array's, {deepest}"),
        ));
    }
    Ok((arrays, clear))
}

/// An array taken apart: the lengths at each level, and what lies at the last.
struct Levels {
    lengths: Vec<Vec<usize>>,
    values: ArrayRef,
}

fn levels(array: &ArrayRef, rows: usize, depth: usize) -> Result<Levels> {
    let (mut lengths, mut values) = (Vec::with_capacity(depth), broadcast(array, rows)?);
    for _ in 0..depth {
        let Some(list) = values.as_list_opt::<i32>() else {
            return Err(Error::logical("an array without elements is taken apart"));
        };
        let offsets = list.value_offsets();
        let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
        lengths.push(list.offsets().lengths().collect());
        values = list.values().slice(start, end - start);
    }
    Ok(Levels { lengths, values })
}

fn bind(name: &str, arguments: &[Argument], dense: bool) -> Result<Bound> {
    let (arrays, clear) = depths(name, arguments)?;
    let deepest = arrays.iter().map(|(_, depth)| *depth).max().unwrap_or(1);
    let result = (0..deepest).fold(T::UInt32, |kind, _| SqlType::array(kind));
    let name = name.to_string();
    Ok(Bound::new(result, move |args, rows| {
        let all = arrays.iter().map(|(place, depth)| levels(&args[*place], rows, *depth)).collect::<Result<Vec<_>>>()?;
        let Some(deep) = all.iter().max_by_key(|levels| levels.lengths.len()) else {
            return Err(Error::logical("there is an array"));
        };
        if all.iter().any(|levels| levels.lengths.iter().zip(&deep.lengths).any(|(a, b)| a != b)) {
            let text = format!("Lengths of all arrays passed to {name} must be equal, at every level that is looked at");
            return Err(Error::new(ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH, text));
        }
        let encoded = all
            .iter()
            .map(|levels| Ok((levels.lengths.len(), comparable(std::slice::from_ref(&levels.values))?.remove(0))))
            .collect::<Result<Vec<(usize, Rows)>>>()?;
        let numbers = numbered(&deep.lengths, rows, &encoded, clear, dense);
        let mut made: ArrayRef = Arc::new(UInt32Array::from(numbers));
        for lengths in deep.lengths.iter().rev() {
            made = list(made, lengths)?;
        }
        Ok(made)
    }))
}

/// The number of each element at the deepest level.
fn numbered(lengths: &[Vec<usize>], rows: usize, encoded: &[(usize, Rows)], clear: usize, dense: bool) -> Vec<u32> {
    // `ancestors[level][i]`: the element of that level (0: the row) above element `i` of the deepest.
    let mut ancestors: Vec<Vec<u32>> = vec![(0..rows as u32).collect()];
    for of_level in lengths {
        for above in &mut ancestors {
            let spread = above.iter().zip(of_level).flat_map(|(place, length)| std::iter::repeat_n(*place, *length));
            *above = spread.collect();
        }
        let count = of_level.iter().sum::<usize>() as u32;
        ancestors.push((0..count).collect());
    }
    let total = ancestors.last().map_or(0, Vec::len);
    let mut seen: HashMap<Vec<Row<'_>>, u32> = HashMap::new();
    let mut current = None;
    let mut numbers = Vec::with_capacity(total);
    for (i, &group) in ancestors[clear - 1].iter().enumerate().take(total) {
        if current != Some(group) {
            seen.clear();
            current = Some(group);
        }
        let key: Vec<Row<'_>> = encoded.iter().map(|(level, rows)| rows.row(ancestors[*level][i] as usize)).collect();
        let next = seen.len() as u32 + 1;
        let first = if dense { next } else { 1 };
        numbers.push(*seen.entry(key).and_modify(|count| *count += u32::from(!dense)).or_insert(first));
    }
    numbers
}
