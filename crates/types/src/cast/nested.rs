//! Arrays, tuples and maps: the columns inside are cast, the offsets stay.
//!
//! Tuples go by position, or by name where both sides name their elements and have a name in common: what only the target has
//! gets defaults. A map is an array of pairs, and either goes to the other; a tuple of two arrays makes a map too.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray, new_empty_array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};

use super::{CastOptions, cast, no_way};
use crate::default::default_array;
use crate::sql_type::SqlType;
use SqlType as T;

pub(super) fn convert(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    match (from, to) {
        (T::Array(element), T::Array(wanted)) => {
            let list = array.as_list::<i32>();
            let (offsets, values) = trimmed(list.offsets(), list.values());
            let values = cast_or_empty(&values, element, wanted, options)?;
            Ok(Arc::new(ListArray::try_new(wanted.field("item"), offsets, values, array.nulls().cloned())?))
        }
        (T::Tuple(fields), T::Tuple(wanted)) => tuple(array.as_struct(), fields, wanted, to, options),
        (T::Map(key, value), T::Map(to_key, to_value)) => {
            let map = array.as_map();
            let (offsets, keys) = trimmed(map.offsets(), map.keys());
            let (_, values) = trimmed(map.offsets(), map.values());
            let keys = cast_or_empty(&keys, key, to_key, options)?;
            let values = cast_or_empty(&values, value, to_value, options)?;
            map_array(to, offsets, keys, values, array.nulls().cloned())
        }
        (T::Array(element), T::Map(key, value)) => {
            let list = array.as_list::<i32>();
            let (offsets, values) = trimmed(list.offsets(), list.values());
            let pair = T::Tuple(vec![(None, (**key).clone()), (None, (**value).clone())]);
            let pairs = cast_or_empty(&values, &without_names(element), &pair, options)?;
            let pairs = pairs.as_struct();
            map_array(to, offsets, pairs.column(0).clone(), pairs.column(1).clone(), array.nulls().cloned())
        }
        (T::Map(key, value), T::Array(wanted)) => {
            let map = array.as_map();
            let (offsets, keys) = trimmed(map.offsets(), map.keys());
            let (_, values) = trimmed(map.offsets(), map.values());
            let pair = T::Tuple(vec![(None, (**key).clone()), (None, (**value).clone())]);
            let DataType::Struct(fields) = pair.arrow() else { return Err(no_way(from, to)) };
            let pairs: ArrayRef = Arc::new(StructArray::try_new(fields, vec![keys, values], None)?);
            let pairs = cast_or_empty(&pairs, &pair, wanted, options)?;
            Ok(Arc::new(ListArray::try_new(wanted.field("item"), offsets, pairs, array.nulls().cloned())?))
        }
        (T::Tuple(fields), T::Map(key, value)) => match &fields[..] {
            [(_, T::Array(keys)), (_, T::Array(values))] => {
                let columns = array.as_struct();
                let key_lists = columns.column(0).as_list::<i32>();
                let value_lists = columns.column(1).as_list::<i32>();
                let (offsets, key_column) = trimmed(key_lists.offsets(), key_lists.values());
                let (value_offsets, value_column) = trimmed(value_lists.offsets(), value_lists.values());
                if offsets.inner() != value_offsets.inner() {
                    return Err(Error::new(
                        ErrorCode::TYPE_MISMATCH,
                        "CAST AS Map from a tuple requires arrays of equal size in every row",
                    ));
                }
                let keys = cast_or_empty(&key_column, keys, key, options)?;
                let values = cast_or_empty(&value_column, values, value, options)?;
                map_array(to, offsets, keys, values, array.nulls().cloned())
            }
            _ => Err(mismatch(from, to)),
        },
        _ => Err(mismatch(from, to)),
    }
}

fn mismatch(from: &SqlType, to: &SqlType) -> Error {
    let message = match to {
        T::Array(_) => "CAST AS Array can only be performed between same-dimensional Array, Map or String types",
        T::Tuple(_) => {
            "CAST AS Tuple can only be performed between tuple types of the same number of elements or from String"
        }
        T::Map(..) => "Unsupported types to CAST AS Map",
        _ => "Nested types can only be cast to nested types and to String",
    };
    Error::new(ErrorCode::TYPE_MISMATCH, format!("{message}. Left type: {from}, right type: {to}"))
}

/// What an empty array has no type for may become anything.
fn cast_or_empty(values: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if values.is_empty() {
        return Ok(new_empty_array(&to.arrow()));
    }
    cast(values, from, to, options)
}

/// Offsets from zero, and only the values that they name: a slice of a column does not cast what lies outside of it.
fn trimmed(offsets: &OffsetBuffer<i32>, values: &ArrayRef) -> (OffsetBuffer<i32>, ArrayRef) {
    let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
    if first == 0 && last as usize == values.len() {
        return (offsets.clone(), values.clone());
    }
    let moved: Vec<i32> = offsets.iter().map(|offset| offset - first).collect();
    (OffsetBuffer::new(moved.into()), values.slice(first as usize, (last - first) as usize))
}

fn without_names(kind: &SqlType) -> SqlType {
    match kind {
        T::Tuple(fields) => T::Tuple(fields.iter().map(|(_, kind)| (None, kind.clone())).collect()),
        other => other.clone(),
    }
}

fn tuple(
    array: &StructArray,
    from: &[(Option<String>, SqlType)],
    to: &[(Option<String>, SqlType)],
    kind: &SqlType,
    options: &CastOptions,
) -> Result<ArrayRef> {
    let named = |fields: &[(Option<String>, SqlType)]| !fields.is_empty() && fields.iter().all(|(name, _)| name.is_some());
    let rows = array.len();
    let has_common = || to.iter().any(|(name, _)| from.iter().any(|(known, _)| known == name));
    let by_name = named(from) && named(to) && has_common();
    if !by_name && from.len() != to.len() {
        return Err(mismatch(&T::Tuple(from.to_vec()), kind));
    }
    let columns = to.iter().enumerate().map(|(i, (name, wanted))| {
        let at = if by_name { from.iter().position(|(known, _)| known == name) } else { Some(i) };
        match at {
            // A tuple that is NULL as a whole has NULL inside, which is no NULL of the element.
            Some(at) => {
                let options =
                    CastOptions { null_as_default: options.null_as_default || array.null_count() > 0, ..options.clone() };
                cast(array.column(at), &from[at].1, wanted, &options)
            }
            None => Ok(default_array(wanted, rows)),
        }
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let DataType::Struct(fields) = kind.arrow() else { return Err(Error::logical("a tuple is no struct")) };
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, array.nulls().cloned(), rows)?))
}

fn map_array(
    kind: &SqlType,
    offsets: OffsetBuffer<i32>,
    keys: ArrayRef,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let DataType::Map(entries, ordered) = kind.arrow() else { return Err(Error::logical("a map is no map")) };
    let DataType::Struct(pair) = entries.data_type() else { return Err(Error::logical("a map has no entries")) };
    let columns = StructArray::try_new(pair.clone(), vec![keys, values], None)?;
    Ok(Arc::new(MapArray::try_new(entries, offsets, columns, nulls, ordered)?))
}
