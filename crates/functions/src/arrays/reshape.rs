//! Arrays in other shapes: `arrayShiftLeft`, `arrayRemove`, `arrayShingles`, `arrayTranspose`, …

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::default::default_array;

use super::{Lists, aligned, comparable, row_numbers};
use crate::columns::{Numbers, at, list, numbers};
use crate::comparison;
use crate::define::{arity, bad_argument, expect_array, expect_integer, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::{least, with_elements};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayShiftLeft", plain(|name, arguments, _| shift(name, arguments, 1)));
    registry.scalar("arrayShiftRight", plain(|name, arguments, _| shift(name, arguments, -1)));
    registry.scalar("arrayRemove", own_nulls(|name, arguments, _| remove(name, arguments)));
    registry.alias("array_remove", "arrayRemove");
    registry.any_case("array_remove");
    registry.scalar(
        "indexOfAssumeSorted",
        own_nulls(|name, arguments, _| {
            let kinds = value_and_array(name, arguments)?;
            Ok(Bound::cast(kinds, T::UInt64, |args, rows| {
                let (lists, sets) = searched(args)?;
                numbers::<UInt64Type>(rows, |row| {
                    let range = lists.range(row);
                    let wanted = sets[1].row(at(args[1].len(), row));
                    let places: Vec<usize> = range.clone().collect();
                    let found = places.partition_point(|i| sets[0].row(*i) < wanted);
                    Ok(places.get(found).filter(|i| sets[0].row(**i) == wanted).map_or(0, |_| found as u64 + 1))
                })
            }))
        }),
    );
    registry.scalar("arrayShingles", plain(|name, arguments, _| shingles(name, arguments)));
    registry.scalar("arrayTranspose", plain(|name, arguments, _| transpose(name, arguments)));
    registry.scalar("arrayJaccardIndex", plain(|name, arguments, _| jaccard(name, arguments)));
    registry.scalar(
        "arrayFlattenedLength",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_array(name, arguments, 0)?;
            Ok(Bound::new(T::UInt64, |args, rows| {
                numbers::<UInt64Type>(rows, |row| Ok(flattened(&args[0], at(args[0].len(), row))))
            }))
        }),
    );
}

/// Array and value, brought to one element type.
fn value_and_array(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    arity(name, arguments, 2..=2)?;
    let element = expect_array(name, arguments, 0)?.clone();
    let kind = least(name, &[element, arguments[1].kind.clone()])?;
    Ok(vec![SqlType::array(kind.clone()), kind])
}

fn searched(args: &[ArrayRef]) -> Result<(Lists<'_>, Vec<arrow::row::Rows>)> {
    let lists = Lists::of(&args[0])?;
    let value = crate::columns::retype(&args[1], lists.values().data_type())?;
    let sets = comparable(&[lists.values().clone(), value])?;
    Ok((lists, sets))
}

/// Moves elements; the places that become free take the third argument, or the type's default.
fn shift(name: &str, arguments: &[Argument], sign: i64) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let mut element = expect_array(name, arguments, 0)?.clone();
    expect_integer(name, arguments, 1)?;
    if let Some(filling) = arguments.get(2) {
        element = with_elements(name, &arguments[0], filling)?;
    }
    let mut casts = vec![SqlType::array(element.clone()), T::Int64];
    casts.extend(arguments.get(2).map(|_| element.clone()));
    Ok(Bound::cast(casts, SqlType::array(element.clone()), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let by = Numbers::of::<Int64Type>(&args[1])?;
        let filling = match args.get(2) {
            Some(filling) => filling.clone(),
            None => default_array(&element, 1),
        };
        let values = lists.values().clone();
        let filling = crate::columns::retype(&filling, values.data_type())?;
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let range = lists.range(row);
            let (length, by) = (range.len() as i64, by.get(row).saturating_mul(sign));
            picks.extend((0..length).map(|i| match i.checked_add(by).filter(|from| (0..length).contains(from)) {
                Some(from) => (0, range.start + from as usize),
                None => (1, at(filling.len(), row)),
            }));
            lengths.push(range.len());
        }
        list(arrow::compute::interleave(&[values.as_ref(), filling.as_ref()], &picks)?, &lengths)
    }))
}

/// The elements that do not equal a value, as they are. A NULL is removed where it is asked for; an array that is one stays it.
fn remove(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.first().is_some_and(|argument| argument.kind.is_null_literal()) {
        return Ok(Bound::null());
    }
    arity(name, arguments, 2..=2)?;
    let (element, wanted) = (expect_array(name, arguments, 0)?.clone(), &arguments[1].kind);
    let kind = match least(name, &[element.clone(), wanted.clone()]) {
        Ok(kind) => kind,
        Err(error) => {
            let kind = comparison::common(name, &element, wanted).map_err(|_| error)?;
            if element.is_nullable() || wanted.is_nullable() { kind.nullable() } else { kind }
        }
    };
    let array = arguments[0].kind.plain().clone();
    let name = name.to_string();
    Ok(Bound::cast(vec![array.clone(), kind.clone()], array, move |args, rows| {
        let arrays = aligned(&name, &args[..1], rows)?;
        let whole: ArrayRef = Arc::new(arrays[0].clone());
        let lists = Lists::of(&whole)?;
        let elements = cast(lists.values(), &element, &kind, &CastOptions::default())?;
        let unwanted = match args[1].len() {
            1 => args[1].clone(),
            _ => take(&args[1], &UInt32Array::from(row_numbers(&arrays[0])), None)?,
        };
        let unwanted = crate::columns::retype(&unwanted, elements.data_type())?;
        let is_unwanted = comparison::same(&elements, &unwanted, elements.len())?;
        lists.choose(rows, |_, range, chosen| {
            chosen.extend(range.filter(|i| !is_unwanted.value(*i)).map(|i| i as u32));
            Ok(())
        })
    }))
}

/// All runs of so many neighbours.
fn shingles(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let element = expect_array(name, arguments, 0)?.clone();
    expect_integer(name, arguments, 1)?;
    let kind = SqlType::array(element);
    let name = name.to_string();
    Ok(Bound::cast(vec![kind.clone(), T::Int64], SqlType::array(kind), move |args, rows| {
        let (lists, sizes) = (Lists::of(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
        let (mut picks, mut inner, mut outer) = (Vec::new(), Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let range = lists.range(row);
            let size = sizes.get(row);
            if size < 1 || size > range.len() as i64 {
                return Err(bad_argument(
                    &name,
                    format!("the length {size} must be from 1 to that of the array, {}", range.len()),
                ));
            }
            let size = size as usize;
            let count = range.len() - size + 1;
            picks.extend((range.start..range.start + count).flat_map(|start| (start..start + size).map(|i| i as u32)));
            inner.extend(std::iter::repeat_n(size, count));
            outer.push(count);
        }
        let values = take(lists.values(), &arrow::array::UInt32Array::from(picks), None)?;
        list(list(values, &inner)?, &outer)
    }))
}

fn transpose(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let SqlType::Array(_) = expect_array(name, arguments, 0)? else {
        return Err(crate::define::illegal(name, arguments, 0, "an Array of Arrays"));
    };
    let name = name.to_string();
    Ok(Bound::new(arguments[0].kind.clone(), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let inner = Lists::of(lists.values())?;
        let (mut picks, mut lengths, mut outer) = (Vec::new(), Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let matrix: Vec<_> = lists.range(row).map(|i| inner.range(i)).collect();
            let width = matrix.first().map_or(0, |line| line.len());
            if matrix.iter().any(|line| line.len() != width) {
                return Err(Error::new(
                    ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH,
                    format!("Function {name}: the inner arrays must have one length"),
                ));
            }
            for column in 0..width {
                picks.extend(matrix.iter().map(|line| (line.start + column) as u32));
                lengths.push(matrix.len());
            }
            outer.push(width);
        }
        let values = take(inner.values(), &arrow::array::UInt32Array::from(picks), None)?;
        list(list(values, &lengths)?, &outer)
    }))
}

/// Elements that two arrays share, among all that they have.
fn jaccard(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let kinds = [expect_array(name, arguments, 0)?.clone(), expect_array(name, arguments, 1)?.clone()];
    let kind = SqlType::array(least(name, &kinds)?);
    Ok(Bound::cast(vec![kind.clone(), kind], T::Float64, |args, rows| {
        let (a, b) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let sets = comparable(&[a.values().clone(), b.values().clone()])?;
        numbers::<Float64Type>(rows, |row| {
            let left: std::collections::HashSet<_> = a.range(row).map(|i| sets[0].row(i)).collect();
            let right: std::collections::HashSet<_> = b.range(row).map(|i| sets[1].row(i)).collect();
            let shared = left.intersection(&right).count();
            Ok(shared as f64 / (left.len() + right.len() - shared) as f64)
        })
    }))
}

/// Elements of the innermost arrays.
fn flattened(array: &ArrayRef, row: usize) -> u64 {
    let list = array.as_list::<i32>();
    let inner = list.value(row);
    match inner.data_type() {
        arrow::datatypes::DataType::List(_) => (0..inner.len()).map(|i| flattened(&inner, i)).sum(),
        _ => inner.len() as u64,
    }
}
