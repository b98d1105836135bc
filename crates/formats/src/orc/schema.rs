//! The types of a file: from its directory, where they are a list, to a tree; and what columns of them are.

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::Settings;
use gristmill_types::{Column, Columns, SqlType};
use std::sync::Arc;

use super::file::{Directory, Type};
use super::incorrect;
use crate::columnar::columns_of_fields;

/// Types within types.
const DEPTH_MAX: usize = 100;
const PRECISION_MAX: u64 = 38;
/// Bytes of the longest FixedString.
const FIXED_STRING_BYTES_MAX: u64 = 0xFF_FFFF;

/// Kinds of types by the numbers that files have.
pub mod kind {
    pub const BOOLEAN: u64 = 0;
    pub const BYTE: u64 = 1;
    pub const SHORT: u64 = 2;
    pub const INT: u64 = 3;
    pub const LONG: u64 = 4;
    pub const FLOAT: u64 = 5;
    pub const DOUBLE: u64 = 6;
    pub const STRING: u64 = 7;
    pub const BINARY: u64 = 8;
    pub const TIMESTAMP: u64 = 9;
    pub const LIST: u64 = 10;
    pub const MAP: u64 = 11;
    pub const STRUCT: u64 = 12;
    pub const UNION: u64 = 13;
    pub const DECIMAL: u64 = 14;
    pub const DATE: u64 = 15;
    pub const VARCHAR: u64 = 16;
    pub const CHAR: u64 = 17;
    pub const INSTANT: u64 = 18;
}

#[derive(Clone, Debug)]
pub struct Node {
    /// Its number in the list, by which streams are told.
    pub column: u64,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Boolean,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    Char(usize),
    Date,
    /// Local times, or (true) instants.
    Timestamp(bool),
    Decimal(u8, u8),
    List(Box<Node>),
    Map(Box<Node>, Box<Node>),
    Struct(Vec<(String, Node)>),
    /// What no column can hold, with its name.
    Other(String),
}

/// The fields of a row. Errors: INCORRECT_DATA.
pub fn fields_of(directory: &Directory) -> Result<Vec<(String, Node)>> {
    let mut used = vec![false; directory.types.len()];
    match node(&directory.types, 0, 0, &mut used)?.kind {
        Kind::Struct(fields) => Ok(fields),
        _ => Err(incorrect("its rows are no struct")),
    }
}

fn node(types: &[Type], at: u64, depth: usize, used: &mut [bool]) -> Result<Node> {
    let place = usize::try_from(at).unwrap_or(usize::MAX);
    let (Some(kind), Some(is_used)) = (types.get(place), used.get_mut(place)) else {
        return Err(incorrect(format!("it has no type {at}")));
    };
    // Each is the type of one column, so a tree has an end.
    if std::mem::replace(is_used, true) || depth > DEPTH_MAX {
        return Err(incorrect("its types are no tree, or too deep a one"));
    }
    let mut child = |which: usize| match kind.children.get(which) {
        Some(at) => node(types, *at, depth + 1, used),
        None => Err(incorrect(format!("its type {at} lacks what it is made of"))),
    };
    let kind = match kind.kind {
        kind::BOOLEAN => Kind::Boolean,
        kind::BYTE => Kind::Byte,
        kind::SHORT => Kind::Short,
        kind::INT => Kind::Int,
        kind::LONG => Kind::Long,
        kind::FLOAT => Kind::Float,
        kind::DOUBLE => Kind::Double,
        kind::STRING | kind::BINARY | kind::VARCHAR => Kind::Bytes,
        kind::CHAR if (1..=FIXED_STRING_BYTES_MAX).contains(&kind.length) => Kind::Char(kind.length as usize),
        kind::CHAR => Kind::Bytes,
        kind::DATE => Kind::Date,
        kind::TIMESTAMP => Kind::Timestamp(false),
        kind::INSTANT => Kind::Timestamp(true),
        // The oldest writers did not say it.
        kind::DECIMAL if kind.precision == 0 => Kind::Decimal(38, 6),
        kind::DECIMAL if kind.precision <= PRECISION_MAX && kind.scale <= kind.precision => {
            Kind::Decimal(kind.precision as u8, kind.scale as u8)
        }
        kind::DECIMAL => return Err(incorrect(format!("it has a decimal({}, {})", kind.precision, kind.scale))),
        kind::LIST => Kind::List(Box::new(child(0)?)),
        kind::MAP => Kind::Map(Box::new(child(0)?), Box::new(child(1)?)),
        kind::STRUCT => {
            if kind.names.len() != kind.children.len() {
                return Err(incorrect("a struct has other names than types"));
            }
            let fields = kind.names.iter().enumerate().map(|(at, name)| Ok((name.clone(), child(at)?)));
            Kind::Struct(fields.collect::<Result<_>>()?)
        }
        kind::UNION => Kind::Other("union".to_string()),
        other => Kind::Other(format!("type {other}")),
    };
    Ok(Node { column: at, kind })
}

impl Node {
    /// The type that a column of it has where nobody gave one, Nullable or not. Errors: UNKNOWN_TYPE.
    fn sql_type(&self, nullable: bool) -> Result<SqlType> {
        let kind = match &self.kind {
            Kind::Boolean => SqlType::Bool,
            Kind::Byte => SqlType::Int8,
            Kind::Short => SqlType::Int16,
            Kind::Int => SqlType::Int32,
            Kind::Long => SqlType::Int64,
            Kind::Float => SqlType::Float32,
            Kind::Double => SqlType::Float64,
            Kind::Bytes => SqlType::String,
            Kind::Char(bytes) => SqlType::FixedString(*bytes),
            Kind::Date => SqlType::Date32,
            Kind::Timestamp(is_instant) => SqlType::DateTime64(9, is_instant.then(|| Arc::from("UTC"))),
            Kind::Decimal(precision, scale) => SqlType::Decimal { precision: *precision, scale: *scale },
            Kind::List(item) => return Ok(SqlType::array(item.sql_type(nullable)?)),
            Kind::Map(key, value) => {
                return Ok(SqlType::Map(Box::new(key.sql_type(false)?), Box::new(value.sql_type(nullable)?)));
            }
            Kind::Struct(fields) => {
                let fields = fields.iter().map(|(name, node)| Ok((Some(name.clone()), node.sql_type(nullable)?)));
                SqlType::Tuple(fields.collect::<Result<_>>()?)
            }
            Kind::Other(name) => {
                return Err(Error::new(
                    ErrorCode::UNKNOWN_TYPE,
                    format!(
                        "Unsupported ORC type '{name}'. If you want to skip columns with unsupported types, you can enable setting \
                         input_format_orc_skip_columns_with_unsupported_types_in_schema_inference"
                    ),
                ));
            }
        };
        Ok(if nullable { kind.nullable() } else { kind })
    }
}

/// The columns of a file that ends so.
pub(crate) fn columns_of_end(end: &[u8], settings: &Settings) -> Result<Columns> {
    let nullable = settings.schema_inference_make_columns_nullable != 0;
    let skips = settings.input_format_orc_skip_columns_with_unsupported_types_in_schema_inference;
    let columns = fields_of(&Directory::of_end(end)?)?.into_iter().filter_map(|(name, node)| {
        match node.sql_type(nullable).context(|| format!("column '{name}'")) {
            Err(error) if skips && error.code() == ErrorCode::UNKNOWN_TYPE => None,
            kind => Some(kind.map(|kind| Column::new(name, kind))),
        }
    });
    columns_of_fields(columns)
}
