//! How ClickHouse lays out what a column holds: `dumpColumnStructure` names its columns within columns with their sizes,
//! `blockSerializedSize` says the bytes of a block on disk before they are compressed.

use std::collections::HashSet;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::UInt64Type;
use gristmill_base::Result;
use gristmill_formats::native::values_bytes;
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use super::type_names::column_type;
use crate::columns::{broadcast, numbers, strings};
use crate::define::{arity, own_nulls};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "dumpColumnStructure",
        own_nulls(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            let (kind, is_constant) = (arguments[0].kind.clone(), arguments[0].constant.is_some());
            let timezone = crate::text::timezone(env)?;
            Ok(Bound::new(T::String, move |args, rows| {
                let options = TextOptions::new(Escaping::Plain, timezone);
                let layout = match is_constant {
                    true => format!(
                        "Const(size = {rows}, {})",
                        layout(&kind, &args[0].slice(0, 1.min(args[0].len())), &options)?
                    ),
                    false => layout(&kind, &broadcast(&args[0], rows)?, &options)?,
                };
                strings(rows, |_, out| {
                    out.extend_from_slice(format!("{kind}, {layout}").as_bytes());
                    Ok(())
                })
            }))
        }),
    );
    registry.scalar(
        "blockSerializedSize",
        own_nulls(|_, arguments, _| {
            // A dictionary is no part of it.
            let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.without_low_cardinality()).collect();
            Ok(Bound::cast(kinds.clone(), T::UInt64, move |args, rows| {
                let mut bytes = 0;
                for (array, kind) in args.iter().zip(&kinds) {
                    bytes += values_bytes(kind, &broadcast(array, rows)?)? as u64;
                }
                numbers::<UInt64Type>(rows, |_| Ok(bytes))
            }))
        }),
    );
}

/// `Array(size = 1, UInt64(size = 1), UInt8(size = 2))`: a column, and those that it consists of.
fn layout(kind: &SqlType, array: &ArrayRef, options: &TextOptions) -> Result<String> {
    let rows = array.len();
    let sized = |name: &str, parts: &[String]| {
        let parts: String = parts.iter().map(|part| format!(", {part}")).collect();
        format!("{name}(size = {rows}{parts})")
    };
    let offsets = || format!("UInt64(size = {rows})");
    Ok(match kind {
        T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => layout(inner, array, options)?,
        T::Nullable(inner) => sized("Nullable", &[layout(inner, array, options)?, format!("UInt8(size = {rows})")]),
        T::Array(inner) => {
            let list = array.as_list::<i32>();
            let (first, last) = ends(list.value_offsets());
            sized("Array", &[offsets(), layout(inner, &list.values().slice(first, last - first), options)?])
        }
        T::Tuple(fields) => {
            let columns = array.as_struct().columns().iter();
            let parts = fields.iter().zip(columns).map(|((_, kind), column)| layout(kind, column, options));
            sized("Tuple", &parts.collect::<Result<Vec<_>>>()?)
        }
        T::Map(key, value) => {
            let map = array.as_map();
            let (first, last) = ends(map.value_offsets());
            let (keys, values) = (map.keys().slice(first, last - first), map.values().slice(first, last - first));
            let pairs = format!(
                "Tuple(size = {}, {}, {})",
                last - first,
                layout(key, &keys, options)?,
                layout(value, &values, options)?
            );
            sized("Map", &[format!("Array(size = {rows}, {}, {pairs})", offsets())])
        }
        T::LowCardinality(inner) => {
            let (values, index) = dictionary(inner, array, options)?;
            let held =
                column_type(&if let T::Nullable(plain) = inner.as_ref() { plain.as_ref().clone() } else { *inner.clone() });
            let held = format!("Unique(size = {values}, {held}(size = {values}))");
            sized("LowCardinality", &[format!("{index}(size = {rows})"), held])
        }
        other => sized(plain_name(&column_type(other)), &[]),
    })
}

/// The width of a FixedString and the scale of a Decimal are no part of a column's name.
fn plain_name(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

fn ends(offsets: &[i32]) -> (usize, usize) {
    (offsets.first().map_or(0, |first| *first as usize), offsets.last().map_or(0, |last| *last as usize))
}

/// How many values a dictionary holds, of which the type's default is one and NULL another, and the type that numbers them.
fn dictionary(inner: &SqlType, array: &ArrayRef, options: &TextOptions) -> Result<(usize, &'static str)> {
    let plain = inner.plain();
    let defaults: ArrayRef = Arc::new(gristmill_types::default::default_array(plain, 1));
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut add = |array: &ArrayRef, kind: &SqlType| -> Result<()> {
        let writer = ValueWriter::new(array, kind, options)?;
        for row in (0..array.len()).filter(|row| array.is_valid(*row)) {
            let mut text = Vec::new();
            writer.write(row, &mut text);
            seen.insert(text);
        }
        Ok(())
    };
    add(&defaults, plain)?;
    add(array, inner)?;
    let values = seen.len() + usize::from(inner.is_nullable());
    let index = match values {
        0..=256 => "UInt8",
        257..=65_536 => "UInt16",
        _ => "UInt32",
    };
    Ok((values, index))
}
