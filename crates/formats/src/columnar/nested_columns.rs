//! Columns of a Nested, which a table has one by one (`n.a`, `n.b`), out of files that have it whole, as a list of structs.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray};
use arrow::datatypes::{DataType, Field, Schema};

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
pub fn nested_column(nested: &ArrayRef, member: usize) -> Option<ArrayRef> {
    let list = nested.as_list_opt::<i32>()?;
    let values = list.values().as_struct_opt()?.columns().get(member)?;
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    let column = ListArray::try_new(field, list.offsets().clone(), values.clone(), list.nulls().cloned()).ok()?;
    Some(Arc::new(column))
}
