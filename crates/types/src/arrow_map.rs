//! Which Arrow type carries which ClickHouse type, and which ClickHouse type an Arrow type from a file is read as.
//!
//! | ClickHouse | Arrow in memory |
//! |---|---|
//! | Bool | Boolean |
//! | Int8 … UInt64, Float32, Float64 | the same |
//! | BFloat16 | Float32 whose low half is zero |
//! | Int128, UInt128, Int256, UInt256 | Decimal256(76, 0), the raw 256-bit integer |
//! | Decimal(P, S) | Decimal128(P, S) up to 38 digits, else Decimal256(P, S) |
//! | String | BinaryView: bytes, valid UTF-8 or not (docs/rfcs/0001-strings.md) |
//! | FixedString(N), UUID, IPv6 | FixedSizeBinary(N / 16 / 16), UUID and IPv6 in network order |
//! | IPv4 | UInt32 |
//! | Date, Date32 | Date32 |
//! | DateTime | Timestamp(Second), no zone: the instant in UTC |
//! | DateTime64(S) | Timestamp(Second/Milli/Micro/Nano) where S is 0, 3, 6, 9; else Int64 ticks of 10^-S |
//! | Time, Time64(S) | Int32 seconds, Int64 ticks |
//! | Enum8, Enum16 | Int8, Int16 |
//! | Interval… | Int64 |
//! | Nullable(T) | T with a null mask |
//! | LowCardinality(T) | T |
//! | Array(T) | List(T), field name `item` |
//! | Tuple | Struct, unnamed fields `1`, `2`, … |
//! | Map(K, V) | Map(entries: {keys, values}) |
//! | AggregateFunction | Binary |
//! | Point, Ring, …, Nested | as the tuple or array that they name |

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};
use gristmill_base::{Error, ErrorCode, Result};

use crate::sql_type::{EnumValues, IntervalKind, SqlType};
use SqlType as T;

impl SqlType {
    /// The Arrow type that carries it in memory.
    pub fn arrow(&self) -> DataType {
        match self {
            T::Nothing => DataType::Null,
            T::Bool => DataType::Boolean,
            T::UInt8 => DataType::UInt8,
            T::UInt16 => DataType::UInt16,
            T::UInt32 | T::IPv4 => DataType::UInt32,
            T::UInt64 => DataType::UInt64,
            T::UInt128 | T::UInt256 | T::Int128 | T::Int256 => DataType::Decimal256(76, 0),
            T::Int8 | T::Enum8(_) => DataType::Int8,
            T::Int16 | T::Enum16(_) => DataType::Int16,
            T::Int32 | T::Time => DataType::Int32,
            T::Int64 | T::Interval(_) | T::Time64(_) => DataType::Int64,
            T::BFloat16 | T::Float32 => DataType::Float32,
            T::Float64 => DataType::Float64,
            T::Decimal { precision, scale } if *precision <= 38 => DataType::Decimal128(*precision, *scale as i8),
            T::Decimal { precision, scale } => DataType::Decimal256(*precision, *scale as i8),
            T::String => DataType::BinaryView,
            T::FixedString(length) => DataType::FixedSizeBinary(*length as i32),
            T::Uuid | T::IPv6 => DataType::FixedSizeBinary(16),
            T::Date | T::Date32 => DataType::Date32,
            T::DateTime(_) | T::DateTime64(0, _) => DataType::Timestamp(TimeUnit::Second, None),
            T::DateTime64(3, _) => DataType::Timestamp(TimeUnit::Millisecond, None),
            T::DateTime64(6, _) => DataType::Timestamp(TimeUnit::Microsecond, None),
            T::DateTime64(9, _) => DataType::Timestamp(TimeUnit::Nanosecond, None),
            T::DateTime64(..) => DataType::Int64,
            T::Nullable(inner)
            | T::LowCardinality(inner)
            | T::SimpleAggregateFunction(_, inner)
            | T::Geometric(_, inner)
            | T::Nested(inner) => inner.arrow(),
            T::Array(inner) => DataType::List(inner.field("item")),
            T::Tuple(fields) => DataType::Struct(
                fields
                    .iter()
                    .enumerate()
                    .map(|(i, (name, kind))| kind.field(name.as_deref().unwrap_or(&(i + 1).to_string())))
                    .collect(),
            ),
            T::Map(key, value) => {
                let entries = Fields::from(vec![
                    Field::new("keys", key.arrow(), false),
                    Field::new("values", value.arrow(), value.carries_nulls()),
                ]);
                DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false)
            }
            T::AggregateFunction(..) => DataType::Binary,
        }
    }

    fn carries_nulls(&self) -> bool {
        self.is_nullable() || matches!(self, T::Nothing)
    }

    /// A field of that name carrying this type.
    pub fn field(&self, name: &str) -> FieldRef {
        Arc::new(Field::new(name, self.arrow(), self.carries_nulls()))
    }

    /// The type that a column of a file (Parquet, Arrow) is read as when nobody gave a structure. A field that may be
    /// null gives `Nullable`.
    pub fn from_arrow(field: &Field) -> Result<SqlType> {
        let inner = match field.data_type() {
            DataType::Null => return Ok(SqlType::null()),
            DataType::Boolean => T::Bool,
            DataType::UInt8 => T::UInt8,
            DataType::UInt16 => T::UInt16,
            DataType::UInt32 => T::UInt32,
            DataType::UInt64 => T::UInt64,
            DataType::Int8 => T::Int8,
            DataType::Int16 => T::Int16,
            DataType::Int32 => T::Int32,
            DataType::Int64 => T::Int64,
            DataType::Float16 | DataType::Float32 => T::Float32,
            DataType::Float64 => T::Float64,
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => T::Decimal { precision: *precision, scale: (*scale).max(0) as u8 },
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView => T::String,
            DataType::FixedSizeBinary(16) if field.extension_type_name() == Some("arrow.uuid") => T::Uuid,
            DataType::FixedSizeBinary(length) => T::FixedString(*length as usize),
            DataType::Date32 => T::Date32,
            DataType::Date64 => T::DateTime64(3, None),
            DataType::Timestamp(unit, zone) => {
                let zone = zone.as_ref().map(|zone| if zone.as_ref() == "+00:00" { Arc::from("UTC") } else { zone.clone() });
                match unit {
                    TimeUnit::Second => T::DateTime(zone),
                    TimeUnit::Millisecond => T::DateTime64(3, zone),
                    TimeUnit::Microsecond => T::DateTime64(6, zone),
                    TimeUnit::Nanosecond => T::DateTime64(9, zone),
                }
            }
            DataType::Time32(TimeUnit::Second) => T::Time,
            DataType::Time32(_) => T::Time64(3),
            DataType::Time64(TimeUnit::Nanosecond) => T::Time64(9),
            DataType::Time64(_) => T::Time64(6),
            DataType::Duration(unit) => T::Interval(match unit {
                TimeUnit::Second => IntervalKind::Second,
                TimeUnit::Millisecond => IntervalKind::Millisecond,
                TimeUnit::Microsecond => IntervalKind::Microsecond,
                TimeUnit::Nanosecond => IntervalKind::Nanosecond,
            }),
            DataType::Interval(IntervalUnit::YearMonth) => T::Interval(IntervalKind::Month),
            DataType::Dictionary(_, value) => SqlType::from_arrow(&Field::new("", value.as_ref().clone(), false))?,
            DataType::RunEndEncoded(_, value) => SqlType::from_arrow(&value.as_ref().clone().with_nullable(false))?,
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _) => {
                return Ok(T::Array(Box::new(SqlType::from_arrow(item)?)));
            }
            DataType::Struct(fields) => {
                return Ok(T::Tuple(
                    fields
                        .iter()
                        .map(|field| Ok((Some(field.name().clone()), SqlType::from_arrow(field)?)))
                        .collect::<Result<_>>()?,
                ));
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err(unreadable(field));
                };
                let [key, value] = &pair[..] else {
                    return Err(unreadable(field));
                };
                let key = SqlType::from_arrow(&key.as_ref().clone().with_nullable(false))?;
                return Ok(T::Map(Box::new(key), Box::new(SqlType::from_arrow(value)?)));
            }
            _ => return Err(unreadable(field)),
        };
        Ok(if field.is_nullable() { inner.nullable() } else { inner })
    }

    pub fn enum_values(&self) -> Option<&EnumValues> {
        match self.plain() {
            T::Enum8(values) | T::Enum16(values) => Some(values),
            _ => None,
        }
    }
}

fn unreadable(field: &Field) -> Error {
    Error::new(
        ErrorCode::UNKNOWN_TYPE,
        format!("Column '{}' has the type {}, which no type of ours can hold", field.name(), field.data_type()),
    )
}
