//! One element: `arrayElement` (`a[i]`), of maps by key (`m['k']`), of tuples by number or name is in `tuples.rs`.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::interleave;
use arrow::datatypes::{Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::default::default_array;

use super::{Lists, comparable};
use crate::columns::{Numbers, at, unary};
use crate::define::{arity, constant_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayElement", plain(|name, arguments, _| element(name, arguments, false)));
    registry.scalar("arrayElementOrNull", plain(|name, arguments, _| element(name, arguments, true)));
}

fn element(name: &str, arguments: &[Argument], or_null: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    match arguments[0].kind.plain() {
        T::Array(element) if arguments[1].kind.is_integer() => by_index(name, arguments, element, or_null),
        T::Array(element) if matches!(arguments[1].kind.plain(), T::Array(index) if index.plain().is_integer()) => {
            by_indices(element, &arguments[1].kind, or_null)
        }
        // A text among numbers, or a number among texts, is a mistake that would find nothing.
        T::Map(key, _)
            if key.is_string() && arguments[1].kind.is_number() || key.is_number() && arguments[1].kind.is_string() =>
        {
            Err(illegal(name, arguments, 1, format!("{key}, the type of the map's keys")))
        }
        T::Map(key, value) => by_key(key, value, or_null),
        T::Array(_) => Err(illegal(name, arguments, 1, "an integer")),
        _ => Err(illegal(name, arguments, 0, "Array or Map")),
    }
}

/// What stands for a missing element: the default of its type, or NULL where its type has one (arrays and maps do not).
fn missing(value: &SqlType, or_null: bool) -> (SqlType, ArrayRef) {
    let kind = if or_null { value.clone().nullable() } else { value.clone() };
    let array = if or_null { null_or_empty(&kind) } else { default_array(&kind, 1) };
    (kind, array)
}

fn null_or_empty(kind: &SqlType) -> ArrayRef {
    if kind.is_nullable() { arrow::array::new_null_array(&kind.arrow(), 1) } else { default_array(kind, 1) }
}

/// The place of an index, which counts from 1, or from the end where it is negative, within so many elements.
fn place(index: i64, length: usize) -> Option<usize> {
    let place = match index {
        1.. => usize::try_from(index).ok()?.checked_sub(1),
        0 => None,
        _ => (length as i64).checked_add(index).and_then(|place| usize::try_from(place).ok()),
    };
    place.filter(|place| *place < length)
}

/// An index that Int64 does not hold lies beyond any array.
fn far(index: u64) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

/// An element for each index of an array; NULL for one that is NULL.
fn by_indices(element: &SqlType, indices: &SqlType, or_null: bool) -> Result<Bound> {
    let index_nullable = super::element_of(indices).is_some_and(SqlType::is_nullable);
    let (kind, missing) = missing(element, or_null);
    let kind = if index_nullable { kind.nullable() } else { kind };
    let unsigned = super::element_of(indices).is_some_and(|kind| *kind.plain() == T::UInt64);
    let index = if unsigned { T::UInt64 } else { T::Int64 };
    let index = if index_nullable { index.nullable() } else { index };
    let nothing = null_or_empty(&kind);
    let casts = vec![SqlType::array(element.clone()), SqlType::array(index)];
    Ok(Bound::cast(casts, SqlType::array(kind.clone()), move |args, rows| {
        let (lists, indices) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let wanted: Int64Array = match unsigned {
            true => indices.values().as_primitive::<UInt64Type>().unary(far),
            false => indices.values().as_primitive::<Int64Type>().clone(),
        };
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let (range, asked) = (lists.range(row), indices.range(row));
            lengths.push(asked.len());
            picks.extend(asked.map(|i| match place(wanted.value(i), range.len()) {
                _ if wanted.is_null(i) => (2, 0),
                Some(place) => (0, range.start + place),
                None => (1, 0),
            }));
        }
        let values = interleave(&[lists.values().as_ref(), missing.as_ref(), nothing.as_ref()], &picks)?;
        crate::columns::list(values, &lengths)
    }))
}

/// From 1, or from the end with a negative index.
fn by_index(name: &str, arguments: &[Argument], element: &SqlType, or_null: bool) -> Result<Bound> {
    // Of a constant array there is the default, as ClickHouse has it.
    if constant_integer(&arguments[1]) == Some(0) && arguments[0].constant.is_none() && !or_null {
        let text = format!("Function {name}: array indices begin with 1, not with 0");
        return Err(Error::new(ErrorCode::ZERO_ARRAY_OR_TUPLE_INDEX, text));
    }
    let (result, missing) = missing(element, or_null);
    let unsigned = *arguments[1].kind.plain() == T::UInt64;
    let casts = vec![arguments[0].kind.plain().clone(), if unsigned { T::UInt64 } else { T::Int64 }];
    Ok(Bound::cast(casts, result, move |args, rows| {
        let indices = if unsigned { unary::<UInt64Type, Int64Type>(&args[1], far)? } else { args[1].clone() };
        let (lists, indices) = (Lists::of(&args[0])?, Numbers::of::<Int64Type>(&indices)?);
        let picks: Vec<(usize, usize)> = (0..rows)
            .map(|row| {
                let range = lists.range(row);
                place(indices.get(row), range.len()).map_or((1, 0), |place| (0, range.start + place))
            })
            .collect();
        Ok(interleave(&[lists.values().as_ref(), missing.as_ref()], &picks)?)
    }))
}

fn by_key(key: &SqlType, value: &SqlType, or_null: bool) -> Result<Bound> {
    let (result, missing) = missing(value, or_null);
    let casts = vec![T::Map(Box::new(key.clone()), Box::new(value.clone())), key.clone()];
    Ok(Bound::cast(casts, result, move |args, rows| {
        let map = args[0].as_map();
        let found = find_keys(&args[0], &args[1], rows)?;
        let picks: Vec<(usize, usize)> = found.into_iter().map(|place| place.map_or((1, 0), |place| (0, place))).collect();
        Ok(interleave(&[map.values().as_ref(), missing.as_ref()], &picks)?)
    }))
}

/// Where each row's key lies among the keys of its map (index into all entries).
fn find_keys(maps: &ArrayRef, wanted: &ArrayRef, rows: usize) -> Result<Vec<Option<usize>>> {
    let map = maps.as_map();
    let offsets = map.value_offsets();
    let range = |row: usize| {
        let row = at(map.len(), row);
        offsets[row] as usize..offsets[row + 1] as usize
    };
    if let (Some(keys), Some(wanted)) = (map.keys().as_binary_view_opt(), wanted.as_binary_view_opt()) {
        return Ok((0..rows)
            .map(|row| {
                let wanted = wanted.value(at(wanted.len(), row));
                range(row).find(|entry| keys.value(*entry) == wanted)
            })
            .collect());
    }
    let encoded = comparable(&[map.keys().clone(), wanted.clone()])?;
    Ok((0..rows)
        .map(|row| {
            let wanted = encoded[1].row(at(wanted.len(), row));
            range(row).find(|entry| encoded[0].row(*entry) == wanted)
        })
        .collect())
}
