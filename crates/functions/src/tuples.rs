//! Tuples: `tuple`, `tupleElement` by number or name (of arrays of tuples as well), `tupleConcat`, `tupleNames`, arithmetic.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, StructArray};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::fill_nulls;

use crate::columns::{broadcast, list_of, retype};
use crate::define::{arity, constant_bytes, constant_integer, illegal, not_constant, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, ScalarFunction};

pub fn register(registry: &mut Registry) {
    registry.scalar("tuple", own_nulls(|_, arguments, _| tuple(arguments)));
    registry.scalar("tupleElement", own_nulls(|name, arguments, _| element(name, arguments)));
    registry.scalar("tupleConcat", plain(|name, arguments, _| concat(name, arguments)));
    registry.scalar("tupleNames", own_nulls(|name, arguments, _| names(name, arguments)));
    registry.scalar("tupleToNameValuePairs", own_nulls(|name, arguments, _| pairs(name, arguments)));
}

pub fn struct_array(kind: &SqlType, columns: Vec<ArrayRef>, rows: usize) -> Result<ArrayRef> {
    let DataType::Struct(fields) = kind.arrow() else {
        return Err(Error::logical(format!("{kind} is no tuple")));
    };
    let columns = columns
        .iter()
        .zip(&fields)
        .map(|(column, field)| retype(&broadcast(column, rows)?, field.data_type()))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, None, rows)?))
}

/// `tuple` of elements of these names.
pub fn named(names: Vec<String>) -> Arc<dyn ScalarFunction> {
    own_nulls(move |_, arguments, _| tuple_of(names.iter().cloned().map(Some), arguments))
}

fn tuple(arguments: &[Argument]) -> Result<Bound> {
    tuple_of(std::iter::repeat(None), arguments)
}

fn tuple_of(names: impl Iterator<Item = Option<String>>, arguments: &[Argument]) -> Result<Bound> {
    let kind = T::Tuple(names.zip(arguments).map(|(name, argument)| (name, argument.kind.clone())).collect());
    Ok(Bound::new(kind.clone(), move |args, rows| struct_array(&kind, args.to_vec(), rows)))
}

pub fn fields<'a>(name: &str, arguments: &'a [Argument], i: usize) -> Result<&'a [(Option<String>, SqlType)]> {
    match arguments.get(i).map(|argument| argument.kind.plain()) {
        Some(T::Tuple(fields)) => Ok(fields),
        _ => Err(illegal(name, arguments, i, "Tuple")),
    }
}

/// Which element a constant names: by number from 1 (negative: from the end), or by name.
fn place(name: &str, fields: &[(Option<String>, SqlType)], wanted: &Argument) -> Result<Option<usize>> {
    if let Some(text) = constant_bytes(wanted) {
        // What has no name is called by its number.
        let is_named = |(at, (known, _)): (usize, &(Option<String>, SqlType))| match known {
            Some(known) => known.as_bytes() == text,
            None => (at + 1).to_string().as_bytes() == text,
        };
        return Ok(fields.iter().enumerate().position(is_named));
    }
    match constant_integer(wanted) {
        Some(0) => Ok(None),
        Some(index) if index > 0 => Ok(Some(index as usize - 1).filter(|index| *index < fields.len())),
        Some(index) => Ok((fields.len() as i64 + index).try_into().ok()),
        None => Err(not_constant(name, 1)),
    }
}

fn element(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    // An element of an array of tuples is the array of the elements.
    let mut levels = 0;
    let mut kind = arguments[0].kind.plain();
    let mut nullable = arguments[0].kind.is_nullable();
    while let T::Array(inner) = kind {
        levels += 1;
        nullable = inner.is_nullable();
        kind = inner.storage();
    }
    if levels == 0 && *kind == T::Nothing {
        // An element of `[]` has whatever is asked for.
        return Ok(Bound::new(T::Nothing, |_, rows| Ok(arrow::array::new_null_array(&DataType::Null, rows))));
    }
    let T::Tuple(fields) = kind.plain() else {
        return Err(illegal(name, arguments, 0, "Tuple or Array of Tuple"));
    };
    let Some(index) = place(name, fields, &arguments[1])? else {
        if let Some(default) = arguments.get(2) {
            return Ok(Bound::new(default.kind.clone(), |args, rows| broadcast(&args[2], rows)));
        }
        let wanted = arguments[1].constant.as_ref().map_or_else(String::new, show);
        let text = format!("Tuple {kind} doesn't have an element {wanted}");
        let is_name = constant_bytes(&arguments[1]).is_some();
        return Err(Error::new(if is_name { ErrorCode::BAD_ARGUMENTS } else { ErrorCode::ARGUMENT_OUT_OF_BOUND }, text));
    };
    let mut result = fields[index].1.clone();
    if nullable {
        result = result.nullable();
    }
    let element = result.clone();
    for _ in 0..levels {
        result = SqlType::array(result);
    }
    Ok(Bound::new(result, move |args, _| part(&args[0], index, levels, &element)))
}

fn show(value: &ScalarValue) -> String {
    match value {
        ScalarValue::BinaryView(Some(name)) => format!("'{}'", String::from_utf8_lossy(name)),
        other => other.to_string(),
    }
}

/// The elements at an index, of this type. Of a tuple that is NULL they are NULL, or the default of a type without NULL.
fn part(array: &ArrayRef, index: usize, levels: usize, kind: &SqlType) -> Result<ArrayRef> {
    if levels > 0 {
        let list = array.as_list::<i32>();
        return list_of(part(list.values(), index, levels - 1, kind)?, list.offsets().clone());
    }
    let tuple = array.as_struct();
    let column = tuple.column(index).clone();
    match tuple.nulls() {
        Some(nulls) if nulls.null_count() > 0 && *column.data_type() != DataType::Null => {
            let nulls = arrow::buffer::NullBuffer::union(column.nulls(), Some(nulls));
            let masked = arrow::array::make_array(column.to_data().into_builder().nulls(nulls).build()?);
            if kind.is_nullable() { Ok(masked) } else { fill_nulls(&masked, kind) }
        }
        _ => Ok(column),
    }
}

/// The elements of tuples one after another.
pub fn concat(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    let mut all = Vec::new();
    for i in 0..arguments.len() {
        all.extend(fields(name, arguments, i)?.iter().cloned());
    }
    // Names are kept only where no two are the same.
    let unique =
        all.iter().enumerate().all(|(i, (name, _))| name.is_some() && all[..i].iter().all(|(other, _)| other != name));
    if !unique {
        all.iter_mut().for_each(|(name, _)| *name = None);
    }
    let kind = T::Tuple(all);
    Ok(Bound::new(kind.clone(), move |args, rows| {
        let mut columns = Vec::new();
        for tuple in args {
            columns.extend(broadcast(tuple, rows)?.as_struct().columns().iter().cloned());
        }
        struct_array(&kind, columns, rows)
    }))
}

fn field_names(fields: &[(Option<String>, SqlType)]) -> Vec<String> {
    fields.iter().enumerate().map(|(i, (name, _))| name.clone().unwrap_or_else(|| (i + 1).to_string())).collect()
}

fn names(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let names = field_names(fields(name, arguments, 0)?);
    Ok(Bound::new(SqlType::array(T::String), move |_, rows| {
        let values = (0..rows).flat_map(|_| names.iter().map(String::as_bytes));
        let values = arrow::array::BinaryViewArray::from_iter_values(values);
        crate::columns::list(Arc::new(values), &vec![names.len(); rows])
    }))
}

/// `[(name, value), …]`. Of a tuple that is NULL the values are.
fn pairs(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let fields = fields(name, arguments, 0)?;
    let names = field_names(fields);
    let Some((_, first)) = fields.first() else {
        return Err(illegal(name, arguments, 0, "a Tuple with elements"));
    };
    if fields.iter().any(|(_, kind)| kind != first) {
        return Err(illegal(name, arguments, 0, "a Tuple whose elements have one type"));
    }
    let value = if arguments[0].kind.is_nullable() { first.clone().nullable() } else { first.clone() };
    let pair = T::Tuple(vec![(None, T::String), (None, value.clone())]);
    Ok(Bound::new(SqlType::array(pair.clone()), move |args, rows| {
        let tuples = broadcast(&args[0], rows)?;
        let columns = (0..names.len()).map(|i| part(&tuples, i, 0, &value)).collect::<Result<Vec<_>>>()?;
        let refs: Vec<&dyn Array> = columns.iter().map(AsRef::as_ref).collect();
        let picks: Vec<(usize, usize)> = (0..rows).flat_map(|row| (0..columns.len()).map(move |i| (i, row))).collect();
        let values = arrow::compute::interleave(&refs, &picks)?;
        let keys =
            arrow::array::BinaryViewArray::from_iter_values((0..rows).flat_map(|_| names.iter().map(String::as_bytes)));
        let pairs = struct_array(&pair, vec![Arc::new(keys), values], rows * names.len())?;
        crate::columns::list(pairs, &vec![names.len(); rows])
    }))
}
