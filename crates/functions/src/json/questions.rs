//! Questions about JSON: whether a path leads anywhere, how long and of which type what it leads to is.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Int8Array, PrimitiveArray};
use arrow::datatypes::UInt64Type;
use gristmill_base::Result;
use gristmill_types::scan::json::JsonKind;
use gristmill_types::{EnumValues, SqlType};

use super::path::{Path, kind, length, path_types, whole};
use super::raw::{Number, long_digits};
use crate::columns::{numbers, strings, truths};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::strings::text_predicate;

/// Names and values of JSON's types, as `JSONType` gives them.
const TYPES: [(&str, i16); 8] = [
    ("Null", 0),
    ("String", b'"' as i16),
    ("Array", b'[' as i16),
    ("Bool", b'b' as i16),
    ("Double", b'd' as i16),
    ("Int64", b'i' as i16),
    ("UInt64", b'u' as i16),
    ("Object", b'{' as i16),
];

pub fn register(registry: &mut Registry) {
    registry.scalar("isValidJSON", text_predicate(is_valid));
    registry.scalar(
        "JSONHas",
        plain(|name, arguments, _| {
            with_path(name, arguments, T::UInt8, |path, rows| truths(rows, |row| path.find(row).is_some()))
        }),
    );
    registry.scalar(
        "JSONLength",
        plain(|name, arguments, _| {
            with_path(name, arguments, T::UInt64, |path, rows| {
                numbers::<UInt64Type>(rows, |row| Ok(path.find(row).and_then(length).unwrap_or(0) as u64))
            })
        }),
    );
    registry.scalar(
        "JSONKey",
        plain(|name, arguments, _| {
            with_path(name, arguments, T::String, |path, rows| {
                strings(rows, |row, out| {
                    out.extend(path.key(row).unwrap_or_default());
                    Ok(())
                })
            })
        }),
    );
    registry.scalar(
        "JSONType",
        plain(|name, arguments, _| {
            let names: Vec<(String, i16)> = TYPES.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            with_path(name, arguments, T::Enum8(EnumValues(names.into())), |path, rows| {
                let values: Vec<i8> = (0..rows).map(|row| path.find(row).map_or(0, type_of)).collect();
                Ok(Arc::new(Int8Array::from(values)) as ArrayRef)
            })
        }),
    );
    registry.scalar(
        "JSONArrayLength",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(T::UInt64.nullable(), |args, rows| {
                let path = Path::new(args, false)?;
                let lengths: PrimitiveArray<UInt64Type> = (0..rows)
                    .map(|row| {
                        let value = path.find(row).filter(|value| kind(value) == Some(JsonKind::Array))?;
                        length(value).map(|length| length as u64)
                    })
                    .collect();
                Ok(Arc::new(lengths) as ArrayRef)
            }))
        }),
    );
    registry.alias("JSON_ARRAY_LENGTH", "JSONArrayLength");
    registry.any_case("JSON_ARRAY_LENGTH");
}

/// A function of what a path leads to.
pub fn with_path(
    name: &str,
    arguments: &[Argument],
    result: SqlType,
    f: impl Fn(&Path<'_>, usize) -> Result<ArrayRef> + Send + Sync + 'static,
) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    let any_case = name.ends_with("CaseInsensitive");
    let casts = path_types(name, arguments, arguments.len())?;
    Ok(Bound::cast(casts, result, move |args, rows| f(&Path::new(args, any_case)?, rows)))
}

/// Strict: what `JSONExtract` passes over for speed is looked at here.
pub fn is_valid(text: &[u8]) -> bool {
    whole(text).is_some() && serde_json::from_slice::<&serde_json::value::RawValue>(text.trim_ascii()).is_ok()
}

fn type_of(value: &[u8]) -> i8 {
    (match kind(value) {
        None | Some(JsonKind::Null) => 0,
        Some(JsonKind::String) => b'"',
        Some(JsonKind::Array) => b'[',
        Some(JsonKind::Object) => b'{',
        Some(JsonKind::Bool(_)) => b'b',
        Some(JsonKind::Number) if long_digits(value).is_some() => b'"',
        Some(JsonKind::Number) => match Number::parse(value.trim_ascii()) {
            Some(Number::Signed(_)) => b'i',
            Some(Number::Unsigned(_)) => b'u',
            _ => b'd',
        },
    }) as i8
}
