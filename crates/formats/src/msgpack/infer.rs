//! The types of MsgPack's columns, from the values of its first rows. How many columns there are is told by a setting alone.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::{Column, Columns, SqlType};

use super::UUID_EXTENSION;
use super::item::{Fault, Item, Reader};

/// How deep values may lie in one another.
const DEPTH_MAX: usize = 64;

/// Errors: BAD_ARGUMENTS where the setting is not there, ONLY_NULLS_WHILE_READING_SCHEMA where the rows tell no type.
pub(crate) fn columns_of_sample(sample: &[u8], settings: &Settings) -> Result<Columns> {
    let count = settings.input_format_msgpack_number_of_columns as usize;
    if count == 0 {
        let text =
            "You must specify setting input_format_msgpack_number_of_columns to extract table schema from MsgPack data";
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    let mut kinds: Vec<Option<SqlType>> = Vec::new();
    let mut reader = Reader { bytes: sample, at: 0 };
    for _ in 0..settings.input_format_max_rows_to_read_for_schema_inference.max(1) {
        for column in 0..count {
            let kind = match kind_of_next(&mut reader, DEPTH_MAX) {
                Ok(kind) => kind,
                Err(Fault::End) => return finished(kinds, count, settings),
                Err(Fault::Wrong(error)) => return Err(error),
            };
            match (kinds.get_mut(column), kind) {
                (None, kind) => kinds.push(kind),
                (Some(Some(known)), Some(kind)) if *known != kind => {
                    let text = format!(
                        "Automatically defined type {kind} for column 'c{}' differs from type {known} of rows before",
                        column + 1
                    );
                    return Err(Error::new(ErrorCode::TYPE_MISMATCH, text));
                }
                (Some(known), kind) => *known = known.take().or(kind),
            }
        }
    }
    finished(kinds, count, settings)
}

fn finished(kinds: Vec<Option<SqlType>>, count: usize, settings: &Settings) -> Result<Columns> {
    let nullable = settings.schema_inference_make_columns_nullable != 0;
    let mut kinds = kinds.into_iter();
    let column = |place: usize| {
        let kind = kinds.next().flatten().ok_or_else(|| {
            let text = format!("Cannot determine type for column 'c{}' by the first rows of data", place + 1);
            Error::new(ErrorCode::ONLY_NULLS_WHILE_READING_SCHEMA, text)
        })?;
        Ok(Column::new(format!("c{}", place + 1), if nullable { made_nullable(kind) } else { kind }))
    };
    Ok(Columns::new((0..count).map(column).collect::<Result<_>>()?))
}

/// With NULL wherever there can be one.
fn made_nullable(kind: SqlType) -> SqlType {
    match kind {
        T::Array(element) => T::array(made_nullable(*element)),
        T::Map(key, value) => T::Map(key, Box::new(made_nullable(*value))),
        T::Tuple(fields) => {
            T::Tuple(fields.into_iter().map(|(name, kind)| (name, made_nullable(kind))).collect()).nullable()
        }
        kind => kind.nullable(),
    }
}

/// `None`: a NULL, or what has nothing else in it.
fn kind_of_next(reader: &mut Reader<'_>, depth: usize) -> std::result::Result<Option<SqlType>, Fault> {
    if depth == 0 {
        return Err(Fault::Wrong(Error::new(ErrorCode::TOO_DEEP_RECURSION, "Values of MsgPack are nested too deep")));
    }
    Ok(match reader.item()? {
        Item::Nil => None,
        Item::Bool(_) => Some(T::UInt8),
        Item::Integer(_) => Some(T::Int64),
        Item::Float32(_) => Some(T::Float32),
        Item::Float64(_) => Some(T::Float64),
        Item::Text(_) | Item::Bytes(_) => Some(T::String),
        Item::Extension(UUID_EXTENSION, _) => Some(T::Uuid),
        Item::Extension(kind, _) => {
            let text = format!("Msgpack extension type {kind:#x} is not supported");
            return Err(Fault::Wrong(Error::new(ErrorCode::BAD_ARGUMENTS, text)));
        }
        Item::Array(count) => {
            let mut kinds = Vec::new();
            for _ in 0..count {
                kinds.push(kind_of_next(reader, depth - 1)?);
            }
            let kinds: Option<Vec<SqlType>> = kinds.into_iter().collect();
            match kinds.as_deref() {
                None | Some([]) => None,
                Some([first, rest @ ..]) if rest.iter().all(|kind| kind == first) => Some(T::array(first.clone())),
                Some(all) => Some(T::Tuple(all.iter().map(|kind| (None, kind.clone())).collect())),
            }
        }
        Item::Map(count) => {
            let mut first = None;
            for _ in 0..count {
                let pair = (kind_of_next(reader, depth - 1)?, kind_of_next(reader, depth - 1)?);
                first = first.or(pair.0.zip(pair.1));
            }
            first.map(|(key, value)| T::Map(Box::new(key), Box::new(value)))
        }
    })
}
