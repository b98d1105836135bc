//! Elements of one array chosen anew: slices, reversal, distinct ones, without runs, flattened.

use std::collections::HashSet;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{Lists, comparable, element_of};
use crate::columns::{Numbers, list_of};
use crate::define::{arity, expect_array, expect_integer, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, ScalarFunction};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayReverse", reverse_function());
    registry.scalar(
        "arrayPopBack",
        plain(|name, arguments, _| cut(name, arguments, |range| range.start..range.end.max(range.start + 1) - 1)),
    );
    registry.scalar(
        "arrayPopFront",
        plain(|name, arguments, _| cut(name, arguments, |range| (range.start + 1).min(range.end)..range.end)),
    );
    registry.scalar("arraySlice", own_nulls(|name, arguments, _| slice(name, arguments)));
    registry.scalar("arrayDistinct", plain(|name, arguments, _| distinct(name, arguments)));
    registry.scalar("arrayFlatten", plain(|name, arguments, _| flatten(name, arguments)));
    registry.alias("flatten", "arrayFlatten");
    registry.any_case("flatten");
    registry.scalar("arrayRotateLeft", plain(|name, arguments, _| rotate(name, arguments, 1)));
    registry.scalar("arrayRotateRight", plain(|name, arguments, _| rotate(name, arguments, -1)));
}

pub fn reverse_function() -> std::sync::Arc<dyn ScalarFunction> {
    plain(|name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        match arguments[0].kind.plain() {
            T::String => Ok(Bound::new(T::String, |args, _| crate::strings::reverse_bytes(&args[0]))),
            T::FixedString(width) => {
                let width = *width;
                Ok(Bound::new(T::FixedString(width), move |args, _| {
                    let source = crate::columns::Bytes::of(&args[0])?;
                    crate::strings::fixed(source.len(), width, |row, out| {
                        out.copy_from_slice(source.get(row));
                        out.reverse();
                    })
                }))
            }
            kind @ T::Array(_) => Ok(Bound::new(kind.clone(), |args, rows| {
                Lists::of(&args[0])?.choose(rows, |_, range, chosen| {
                    chosen.extend(range.rev().map(|i| i as u32));
                    Ok(())
                })
            })),
            T::Tuple(fields) => {
                let kind = T::Tuple(fields.iter().rev().cloned().collect());
                let arrow = kind.arrow();
                Ok(Bound::new(kind, move |args, _| {
                    let tuple = args[0].as_struct();
                    let columns = tuple.columns().iter().rev().cloned().collect();
                    let arrow::datatypes::DataType::Struct(fields) = &arrow else {
                        return Ok(args[0].clone());
                    };
                    Ok(std::sync::Arc::new(arrow::array::StructArray::try_new(fields.clone(), columns, None)?))
                }))
            }
            _ => Err(illegal(name, arguments, 0, "String, FixedString, Array or Tuple")),
        }
    })
}

fn cut(name: &str, arguments: &[Argument], keep: fn(std::ops::Range<usize>) -> std::ops::Range<usize>) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_array(name, arguments, 0)?;
    Ok(Bound::new(arguments[0].kind.plain().clone(), move |args, rows| {
        Lists::of(&args[0])?.choose(rows, |_, range, chosen| {
            if !range.is_empty() {
                chosen.extend(keep(range).map(|i| i as u32));
            }
            Ok(())
        })
    }))
}

/// `arraySlice(array, offset[, length])`; a NULL length means to the end.
fn slice(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    if arguments[0].kind.is_null_literal() {
        return Ok(Bound::null());
    }
    expect_array(name, arguments, 0)?;
    let kind = arguments[0].kind.plain().clone();
    let mut casts = vec![kind.clone()];
    for i in 1..arguments.len() {
        if !arguments[i].kind.is_null_literal() {
            expect_integer(name, arguments, i)?;
        }
        casts.push(T::Int64.nullable());
    }
    Ok(Bound::cast(casts, kind, |args, rows| {
        let lists = Lists::of(&args[0])?;
        let offsets = Numbers::of::<Int64Type>(&args[1])?;
        let lengths = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        let is_null = |array: &ArrayRef, row: usize| array.is_null(crate::columns::at(array.len(), row));
        lists.choose(rows, |row, range, chosen| {
            let offset = if is_null(&args[1], row) { 1 } else { offsets.get(row) };
            let length = lengths.as_ref().filter(|_| !is_null(&args[2], row)).map(|lengths| lengths.get(row));
            let (from, to) = crate::strings::range(range.len(), offset, length);
            chosen.extend((range.start + from..range.start + to).map(|i| i as u32));
            Ok(())
        })
    }))
}

fn distinct(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let element = expect_array(name, arguments, 0)?;
    // Of `[NULL]`, whose array counts no nulls.
    let only_nulls = *element.plain() == SqlType::Nothing;
    Ok(Bound::new(SqlType::array(element.plain().clone()), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let encoded = comparable(std::slice::from_ref(lists.values()))?;
        let mut seen = HashSet::new();
        let chosen = lists.choose(rows, |_, range, chosen| {
            seen.clear();
            // NULL is no value: it is left out.
            let is_value = |i: usize| !only_nulls && !lists.values().is_null(i);
            chosen.extend(range.filter(|i| is_value(*i) && seen.insert(encoded[0].row(*i))).map(|i| i as u32));
            Ok(())
        })?;
        let chosen = chosen.as_list::<i32>();
        let values = crate::columns::defaults_for_nulls(chosen.values())?;
        list_of(values, chosen.offsets().clone())
    }))
}

/// All levels of nesting become one.
fn flatten(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let mut element = expect_array(name, arguments, 0)?;
    let mut levels = 0;
    while let Some(inner) = element_of(element) {
        element = inner;
        levels += 1;
    }
    Ok(Bound::new(SqlType::array(element.clone()), move |args, _| {
        let outer = args[0].as_list::<i32>();
        let (mut offsets, mut values) = (outer.offsets().clone(), outer.values().clone());
        for _ in 0..levels {
            let inner = values.as_list::<i32>();
            let borders = inner.value_offsets();
            let mapped: Vec<i32> = offsets.iter().map(|offset| borders[*offset as usize]).collect();
            offsets = arrow::buffer::OffsetBuffer::new(mapped.into());
            values = inner.values().clone();
        }
        list_of(values, offsets)
    }))
}

fn rotate(name: &str, arguments: &[Argument], direction: i64) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_array(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let kind = arguments[0].kind.plain().clone();
    Ok(Bound::cast(vec![kind.clone(), T::Int64], kind, move |args, rows| {
        let by = Numbers::of::<Int64Type>(&args[1])?;
        Lists::of(&args[0])?.choose(rows, |row, range, chosen| {
            if !range.is_empty() {
                let shift = (by.get(row).wrapping_mul(direction)).rem_euclid(range.len() as i64) as usize;
                chosen.extend((range.start + shift..range.end).chain(range.start..range.start + shift).map(|i| i as u32));
            }
            Ok(())
        })
    }))
}
