//! Columns of a Nested, which a table has one by one (`n.a`, `n.b`), out of files that have it whole, as a list of structs.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray};
use arrow::datatypes::{DataType, Field, Schema};
use gristmill_base::{Error, Result};

/// Where a file has the column of a Nested that is called so: the places of the Nested among the file's columns, and of the column
/// within it. `None`: the name is none of a Nested's column, or the file does not have it.
pub fn nested_place(schema: &Schema, name: &str, any_case: bool) -> Option<(usize, usize)> {
    let is_it = |known: &str, wanted: &str| known == wanted || any_case && known.eq_ignore_ascii_case(wanted);
    let (outer, member) = name.split_once('.')?;
    let at = schema.fields().iter().position(|field| is_it(field.name(), outer))?;
    let DataType::List(element) = schema.field(at).data_type() else { return None };
    let DataType::Struct(members) = element.data_type() else { return None };
    Some((at, members.iter().position(|field| is_it(field.name(), member))?))
}

/// The column of a Nested that has that place within it.
pub fn nested_column(nested: &ArrayRef, member: usize) -> Result<ArrayRef> {
    let list = nested.as_list_opt::<i32>();
    let structs = list.and_then(|list| Some((list, list.values().as_struct_opt()?)));
    let Some((list, values)) = structs.and_then(|(list, structs)| Some((list, structs.columns().get(member)?))) else {
        return Err(Error::logical("A list of structs has no column of theirs"));
    };
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    Ok(Arc::new(ListArray::try_new(field, list.offsets().clone(), values.clone(), list.nulls().cloned())?))
}
