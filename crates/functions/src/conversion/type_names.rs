//! `toTypeName`, `toColumnTypeName`, `defaultValueOfArgumentType`, `defaultValueOfTypeName`, `getTypeSerializationStreams`:
//! questions about types.

use std::sync::Arc;

use SqlType as T;
use arrow::array::BinaryViewArray;
use arrow::datatypes::{UInt8Type, UInt16Type};
use gristmill_types::SqlType;
use gristmill_types::default::{column_default, default_array};

use crate::columns::{list, numbers, strings};
use crate::define::{arity, illegal, need_constant_text, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    for name in ["toTypeName", "toColumnTypeName"] {
        registry.scalar(
            name,
            own_nulls(|name, arguments, _| {
                arity(name, arguments, 1..=1)?;
                let kind = &arguments[0].kind;
                if name == "toTypeName" {
                    return Ok(constant_text(kind.to_string()));
                }
                let column = column_type(kind);
                Ok(constant_text(if arguments[0].constant.is_some() { format!("Const({column})") } else { column }))
            }),
        );
    }
    registry.scalar(
        "defaultValueOfArgumentType",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            Ok(default_of(arguments[0].kind.clone()))
        }),
    );
    registry.scalar(
        "defaultValueOfTypeName",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            Ok(default_of(need_constant_text(name, arguments, 0)?.parse()?))
        }),
    );
    registry.scalar(
        "getTypeSerializationStreams",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            // A constant text names the type that is meant.
            let is_named = arguments[0].kind.is_string() && arguments[0].constant.is_some();
            let kind: SqlType = match is_named {
                true => need_constant_text(name, arguments, 0)?.parse()?,
                false => arguments[0].kind.clone(),
            };
            let mut streams = Vec::new();
            add_streams(&kind, "", &mut streams);
            Ok(Bound::new(T::Array(Box::new(T::String)), move |_, rows| {
                let texts = std::iter::repeat_n(&streams, rows).flatten();
                list(Arc::new(BinaryViewArray::from_iter_values(texts)), &vec![streams.len(); rows])
            }))
        }),
    );
    registry.scalar(
        "getSizeOfEnumType",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let Some(values) = arguments[0].kind.enum_values() else { return Err(illegal(name, arguments, 0, "Enum")) };
            let size = values.0.len();
            if matches!(arguments[0].kind.plain(), T::Enum8(_)) {
                return Ok(Bound::new(T::UInt8, move |_, rows| numbers::<UInt8Type>(rows, |_| Ok(size as u8))));
            }
            Ok(Bound::new(T::UInt16, move |_, rows| numbers::<UInt16Type>(rows, |_| Ok(size as u16))))
        }),
    );
}

/// What ClickHouse carries values of a type in.
pub(super) fn column_type(kind: &SqlType) -> String {
    match kind {
        T::Nullable(inner) => format!("Nullable({})", column_type(inner)),
        T::LowCardinality(inner) => format!("LowCardinality({})", column_type(inner)),
        T::Geometric(_, inner) | T::Nested(inner) => column_type(inner),
        T::Array(element) => format!("Array({})", column_type(element)),
        T::Map(key, value) => format!("Map({}, {})", column_type(key), column_type(value)),
        T::Tuple(fields) => {
            let fields: Vec<String> = fields.iter().map(|(_, kind)| column_type(kind)).collect();
            format!("Tuple({})", fields.join(", "))
        }
        T::Bool => "UInt8".to_string(),
        T::Date => "UInt16".to_string(),
        T::Date32 => "Int32".to_string(),
        T::DateTime(_) => "UInt32".to_string(),
        T::DateTime64(..) => "DateTime64".to_string(),
        T::Enum8(_) => "Int8".to_string(),
        T::Enum16(_) => "Int16".to_string(),
        T::Interval(_) => "Int64".to_string(),
        T::Decimal { precision: ..=9, .. } => "Decimal32".to_string(),
        T::Decimal { precision: ..=18, .. } => "Decimal64".to_string(),
        T::Decimal { precision: ..=38, .. } => "Decimal128".to_string(),
        T::Decimal { .. } => "Decimal256".to_string(),
        other => other.to_string(),
    }
}

/// The streams that ClickHouse writes a column of the type as. `path`: what the type is within.
fn add_streams(kind: &SqlType, path: &str, streams: &mut Vec<String>) {
    let stream = |name: &str| format!("{{{path}{name}}}");
    match kind {
        T::Nullable(inner) => {
            streams.push(stream("NullMap"));
            add_streams(inner, &format!("{path}NullableElements, "), streams);
        }
        T::LowCardinality(_) => streams.extend([stream("DictionaryKeys"), stream("DictionaryIndexes")]),
        T::Array(element) => {
            streams.push(stream("ArraySizes"));
            add_streams(element, &format!("{path}ArrayElements, "), streams);
        }
        T::Map(key, value) => {
            streams.push(stream("ArraySizes"));
            for (part, kind) in [("keys", key), ("values", value)] {
                add_streams(kind, &format!("{path}ArrayElements, TupleElement({part}), "), streams);
            }
        }
        T::Tuple(fields) if !fields.is_empty() => {
            for (at, (name, kind)) in fields.iter().enumerate() {
                let name = name.clone().unwrap_or_else(|| (at + 1).to_string());
                add_streams(kind, &format!("{path}TupleElement({name}), "), streams);
            }
        }
        T::Geometric(_, inner) | T::Nested(inner) | T::SimpleAggregateFunction(_, inner) => {
            add_streams(inner, path, streams)
        }
        T::String => streams.extend([stream("InlinedStringSizes()"), stream("Regular")]),
        _ => streams.push(stream("Regular")),
    }
}

fn default_of(kind: SqlType) -> Bound {
    let to = kind.clone();
    // Of Date32 it is the first day, as in a column that an INSERT does not name.
    Bound::new(kind, move |_, rows| match to {
        T::Date32 => Ok(column_default(&to).to_array_of_size(rows)?),
        _ => Ok(default_array(&to, rows)),
    })
}

fn constant_text(text: String) -> Bound {
    Bound::new(T::String, move |_, rows| {
        strings(rows, |_, out| {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        })
    })
}
