//! `flattenTuple`: the leaves of nested named tuples as the elements of one, named by their paths. Of arrays of tuples the leaves are arrays.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::OffsetBuffer;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{broadcast, list_of};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

pub fn register(registry: &mut Registry) {
    registry.scalar("flattenTuple", plain(|name, arguments, _| bind(name, arguments)));
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.clone();
    let T::Tuple(fields) = &kind else { return Err(illegal(name, arguments, 0, "Tuple")) };
    let mut leaves = Vec::new();
    for (known, field) in fields {
        let Some(known) = known else {
            let text = format!("Illegal type {kind} of argument 1 of function {name}: the elements must have names");
            return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
        };
        types(known, field, &mut leaves);
    }
    let result = T::Tuple(leaves.into_iter().map(|(path, leaf)| (Some(path), leaf)).collect());
    let to = result.clone();
    Ok(Bound::new(result, move |args, rows| {
        let mut columns = Vec::new();
        values(&broadcast(&args[0], rows)?, &kind, &mut columns)?;
        struct_array(&to, columns, rows)
    }))
}

/// The named elements of a tuple, also within arrays, and how many arrays those are.
fn named(kind: &SqlType) -> Option<(usize, &[(Option<String>, SqlType)])> {
    match kind {
        T::Tuple(fields) if !fields.is_empty() && fields.iter().all(|(name, _)| name.is_some()) => Some((0, fields)),
        T::Nested(array) => named(array),
        T::Array(element) => named(element).map(|(levels, fields)| (levels + 1, fields)),
        _ => None,
    }
}

fn types(path: &str, kind: &SqlType, leaves: &mut Vec<(String, SqlType)>) {
    let Some((levels, fields)) = named(kind) else { return leaves.push((path.to_string(), kind.clone())) };
    for (known, field) in fields {
        let field = (0..levels).fold(field.clone(), |field, _| SqlType::array(field));
        types(&format!("{path}.{}", known.as_deref().unwrap_or_default()), &field, leaves);
    }
}

/// The columns of the leaves, in the order of `types`.
fn values(array: &ArrayRef, kind: &SqlType, columns: &mut Vec<ArrayRef>) -> Result<()> {
    let Some((levels, fields)) = named(kind) else {
        columns.push(array.clone());
        return Ok(());
    };
    for (i, (_, field)) in fields.iter().enumerate() {
        let field = (0..levels).fold(field.clone(), |field, _| SqlType::array(field));
        values(&element(array, i, levels)?, &field, columns)?;
    }
    Ok(())
}

fn element(array: &ArrayRef, i: usize, levels: usize) -> Result<ArrayRef> {
    if levels == 0 {
        return Ok(array.as_struct().column(i).clone());
    }
    let list = array.as_list::<i32>();
    let offsets = list.value_offsets();
    let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
    let inner = element(&list.values().slice(start, end - start), i, levels - 1)?;
    list_of(inner, OffsetBuffer::from_lengths(list.offsets().lengths()))
}
