//! Tags as arguments: an array of pairs, and pairs of further arguments. `timeSeriesTagsToMap` makes a map of them.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BinaryViewBuilder};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::tag_groups::Tags;
use gristmill_types::SqlType;

use crate::columns::{Bytes, at};
use crate::define::{bad_argument, illegal, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "timeSeriesTagsToMap",
        own_nulls(|name, arguments, _| {
            let given = Given::of(name, arguments, 0)?;
            let kind = map_kind();
            Ok(Bound::cast(given.casts.clone(), kind.clone(), move |args, rows| {
                let (mut keys, mut values) = (BinaryViewBuilder::new(), BinaryViewBuilder::new());
                let mut lengths = Vec::with_capacity(rows);
                for row in 0..rows {
                    let tags = given.tags(args, row)?;
                    for (name, value) in &tags {
                        keys.append_value(name);
                        values.append_value(value);
                    }
                    lengths.push(tags.len());
                }
                let (keys, values): (ArrayRef, ArrayRef) = (Arc::new(keys.finish()), Arc::new(values.finish()));
                crate::maps::map_array(&kind, keys, values, &lengths)
            }))
        }),
    );
}

fn map_kind() -> SqlType {
    T::Map(Box::new(T::String), Box::new(T::String))
}

pub fn pair_kind() -> SqlType {
    T::Tuple(vec![(None, T::String), (None, T::String)])
}

/// How tags are given.
pub struct Given {
    name: String,
    /// Which argument the array is; what is before it is no tag.
    first: usize,
    has_array: bool,
    pub casts: Vec<SqlType>,
}

impl Given {
    pub fn of(name: &str, arguments: &[Argument], first: usize) -> Result<Given> {
        if arguments.len().saturating_sub(first).is_multiple_of(2) {
            return Err(wrong_number(name, arguments));
        }
        let mut casts: Vec<SqlType> = arguments[..first].iter().map(|argument| argument.kind.clone()).collect();
        let is_text = |kind: &SqlType| kind.is_string() && !kind.is_nullable();
        let array = &arguments[first].kind;
        let has_array = match array.plain() {
            T::Nothing => false,
            T::Array(element) => match element.as_ref() {
                T::Nothing => false,
                T::Tuple(fields) if fields.len() == 2 && fields.iter().all(|(_, kind)| is_text(kind)) => {
                    casts.push(SqlType::array(pair_kind()));
                    true
                }
                _ => return Err(illegal(name, arguments, first, "Array(Tuple(String, String))")),
            },
            T::Map(key, value) if is_text(key) && is_text(value) => {
                casts.push(map_kind());
                true
            }
            _ => return Err(illegal(name, arguments, first, "Array(Tuple(String, String))")),
        };
        if !has_array {
            casts.push(array.clone());
        }
        for (i, argument) in arguments.iter().enumerate().skip(first + 1) {
            let is_name = (i - first) % 2 == 1;
            let is_null = !is_name && *argument.kind.plain() == T::Nothing;
            if !(argument.kind.is_string() || is_null) || is_name && argument.kind.is_nullable() {
                return Err(illegal(name, arguments, i, "String or FixedString"));
            }
            casts.push(if is_name { T::String } else { T::String.nullable() });
        }
        Ok(Given { name: name.to_string(), first, has_array, casts })
    }

    /// Error: BAD_ARGUMENTS where two of one name differ.
    pub fn tags(&self, args: &[ArrayRef], row: usize) -> Result<Tags> {
        let mut tags: Tags = Vec::new();
        let mut add = |name: &[u8], value: &[u8]| {
            if !value.is_empty() {
                tags.push((name.to_vec(), value.to_vec()));
            }
        };
        if self.has_array {
            let array = &args[self.first];
            let (offsets, names, values) = match array.data_type() {
                DataType::Map(..) => {
                    let map = array.as_map();
                    (map.offsets().clone(), map.keys().clone(), map.values().clone())
                }
                _ => {
                    let pairs = array.as_list::<i32>();
                    let columns = pairs.values().as_struct();
                    (pairs.offsets().clone(), columns.column(0).clone(), columns.column(1).clone())
                }
            };
            let (names, values) = (Bytes::of(&names)?, Bytes::of(&values)?);
            let row = at(array.len(), row);
            for i in offsets[row] as usize..offsets[row + 1] as usize {
                // A constant of one pair is one pair: places are those of the elements.
                add(element(&names, i), element(&values, i));
            }
        }
        for pair in args[self.first + 1..].chunks_exact(2) {
            if pair[1].is_valid(at(pair[1].len(), row)) {
                add(Bytes::of(&pair[0])?.get(row), Bytes::of(&pair[1])?.get(row));
            }
        }
        tags.sort();
        tags.dedup();
        if let Some(two) = tags.windows(2).find(|two| two[0].0 == two[1].0) {
            let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            let (name, one, other) = (shown(&two[0].0), shown(&two[0].1), shown(&two[1].1));
            let text = format!("found two tags with the same name '{name}' but different values '{one}' and '{other}'");
            return Err(bad_argument(&self.name, text));
        }
        Ok(tags)
    }
}

/// `Bytes::get` takes the only value of a column for that of each row; this is the value at a place.
fn element<'a>(bytes: &Bytes<'a>, place: usize) -> &'a [u8] {
    match bytes {
        Bytes::View(array) => array.value(place),
        Bytes::Fixed(array) => array.value(place),
    }
}

fn wrong_number(name: &str, arguments: &[Argument]) -> Error {
    let text =
        format!("Function {name} takes an array of tags, then names and values in turn, not {} arguments", arguments.len());
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text)
}
