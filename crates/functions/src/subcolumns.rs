//! `getSubcolumn(value, 'name')`: what a dot behind a column's name reads, of any value: sizes of arrays and strings, keys and values
//! of maps, elements of tuples, and where a value is NULL.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::UInt64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, list_of, numbers, truths};
use crate::define::{arity, constant_bytes, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("getSubcolumn", own_nulls(|name, arguments, _| bind(name, arguments)));
}

type Read = Box<dyn Fn(&ArrayRef) -> Result<ArrayRef> + Send + Sync>;

fn boxed(read: impl Fn(&ArrayRef) -> Result<ArrayRef> + Send + Sync + 'static) -> Read {
    Box::new(read)
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let wanted = constant_bytes(&arguments[1]).ok_or_else(|| {
        let text = format!("The second argument of function {name} must be a constant string with the name of a subcolumn");
        Error::new(ErrorCode::ILLEGAL_COLUMN, text)
    })?;
    let wanted = String::from_utf8_lossy(&wanted).into_owned();
    let (result, read) = subcolumn(&arguments[0].kind, &wanted, 0).ok_or_else(|| {
        let text = format!("There is no subcolumn {wanted} in type {}", arguments[0].kind);
        Error::new(ErrorCode::ILLEGAL_COLUMN, text)
    })?;
    Ok(Bound::new(result, move |args, _| read(&args[0])))
}

/// Type and reader of a subcolumn; `level` counts the arrays around the type.
fn subcolumn(kind: &SqlType, wanted: &str, level: usize) -> Option<(SqlType, Read)> {
    match kind {
        T::Nullable(inner) => {
            if wanted == "null" {
                return Some((T::UInt8, boxed(|array| truths(array.len(), |row| array.is_null(row)))));
            }
            // The parts of a value that may be NULL may be NULL.
            let (result, read) = subcolumn(inner, wanted, level)?;
            let result = result.nullable();
            if !result.is_nullable() {
                return None;
            }
            let masked = move |array: &ArrayRef| {
                let part = read(array)?;
                let nulls = arrow::buffer::NullBuffer::union(part.nulls(), array.nulls());
                Ok(arrow::array::make_array(part.to_data().into_builder().nulls(nulls).build()?))
            };
            Some((result, boxed(masked)))
        }
        T::Nested(array) => subcolumn(array, wanted, level),
        T::String if wanted == "size" => Some((
            T::UInt64,
            boxed(|array| {
                let texts = Bytes::of(array)?;
                numbers::<UInt64Type>(array.len(), |row| Ok(texts.get(row).len() as u64))
            }),
        )),
        T::Array(element) => {
            if wanted.strip_prefix("size").and_then(|digits| digits.parse().ok()) == Some(level) {
                let sizes = |array: &ArrayRef| {
                    let list = array.as_list::<i32>();
                    numbers::<UInt64Type>(list.len(), |row| Ok(list.value_length(row) as u64))
                };
                return Some((T::UInt64, boxed(sizes)));
            }
            let (result, read) = subcolumn(element, wanted, level + 1)?;
            let inside = move |array: &ArrayRef| {
                let list = array.as_list::<i32>();
                let offsets = list.value_offsets();
                let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
                let values = list.values().slice(start, end - start);
                let lengths = arrow::buffer::OffsetBuffer::from_lengths(list.offsets().lengths());
                list_of(read(&values)?, lengths)
            };
            Some((SqlType::array(result), boxed(inside)))
        }
        T::Map(key, value) => {
            let keys = match wanted {
                "keys" => true,
                "values" => false,
                _ => return None,
            };
            let part = move |array: &ArrayRef| {
                let map = array.as_map();
                list_of(if keys { map.keys() } else { map.values() }.clone(), map.offsets().clone())
            };
            Some((SqlType::array(if keys { key } else { value }.as_ref().clone()), boxed(part)))
        }
        T::Tuple(fields) => {
            // A name may have dots in it, and may be followed by the name of a part.
            let named = fields.iter().enumerate().filter_map(|(i, (known, field))| {
                let known = known.clone().unwrap_or_else(|| (i + 1).to_string());
                let rest = wanted.strip_prefix(&known)?;
                Some((i, field, rest))
            });
            for (i, field, rest) in named {
                let element = move |array: &ArrayRef| array.as_struct().column(i).clone();
                if rest.is_empty() {
                    return Some((field.clone(), boxed(move |array| Ok(element(array)))));
                }
                let Some((result, read)) = rest.strip_prefix('.').and_then(|rest| subcolumn(field, rest, level)) else {
                    continue;
                };
                return Some((result, boxed(move |array| read(&element(array)))));
            }
            None
        }
        _ => None,
    }
}
