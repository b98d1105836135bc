//! Reads MsgPack as the bytes come: a row is taken where it is there as a whole, and becomes one of RowBinary.

use SqlType as T;
use arrow::array::RecordBatch;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::binary::{width, write_string, write_varuint};
use gristmill_types::{Columns, SqlType};

use super::UUID_EXTENSION;
use super::item::{Fault, Item, Reader};
use crate::Format;
use crate::input::RowParser;
use crate::native::RowBinaryInput;

/// Rows that begin with fewer bytes are looked at whenever bytes come; longer ones when there are twice as many.
const SMALL_BYTES: usize = 1 << 16;

pub(crate) struct MsgPackInput {
    rows: RowBinaryInput,
    kinds: Vec<SqlType>,
    /// The row that has begun.
    held: Vec<u8>,
    /// Bytes that are wanted before it is looked at again.
    wanted: usize,
    null_as_default: bool,
    /// Rows that were taken.
    taken: u64,
}

impl MsgPackInput {
    /// `columns`: of the data; `wanted`: some of them.
    pub fn new(columns: &Columns, wanted: &Columns, settings: &Settings, timezone: Tz, object: &str) -> Result<Self> {
        Ok(MsgPackInput {
            rows: RowBinaryInput::new(Format::RowBinary, columns, wanted, settings, timezone, object)?,
            kinds: columns.iter().map(|column| column.kind.clone()).collect(),
            held: Vec::new(),
            wanted: 0,
            null_as_default: settings.input_format_null_as_default,
            taken: 0,
        })
    }

    fn row(&self, reader: &mut Reader<'_>, out: &mut Vec<u8>) -> std::result::Result<(), Fault> {
        self.kinds.iter().try_for_each(|kind| self.value(kind, reader, out))
    }

    fn value(&self, kind: &SqlType, reader: &mut Reader<'_>, out: &mut Vec<u8>) -> std::result::Result<(), Fault> {
        match kind {
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
                return self.value(inner, reader, out);
            }
            _ => {}
        }
        let begun = reader.at;
        let item = reader.item()?;
        let misfit = |kind: &SqlType, item: &Item<'_>| {
            let text = format!("Cannot insert MessagePack {} into column with type {kind}", item.name());
            Fault::Wrong(Error::new(ErrorCode::ILLEGAL_COLUMN, text))
        };
        match (kind, item) {
            (T::Nullable(_), Item::Nil) => out.push(1),
            (T::Nullable(inner), _) => {
                out.push(0);
                reader.at = begun;
                return self.value(inner, reader, out);
            }
            (kind, Item::Nil) if self.null_as_default => default(kind, out)?,
            (T::Array(inner), Item::Array(count)) => {
                write_varuint(u64::from(count), out);
                for _ in 0..count {
                    self.value(inner, reader, out)?;
                }
            }
            (T::Tuple(fields), Item::Array(count)) => {
                if count as usize != fields.len() {
                    let text = format!(
                        "Cannot insert MessagePack array with size {count} into Tuple column with {} elements",
                        fields.len()
                    );
                    return Err(Fault::Wrong(Error::new(ErrorCode::ILLEGAL_COLUMN, text)));
                }
                for (_, kind) in fields.iter() {
                    self.value(kind, reader, out)?;
                }
            }
            (T::Map(key, value), Item::Map(count)) => {
                write_varuint(u64::from(count), out);
                for _ in 0..count {
                    self.value(key, reader, out)?;
                    self.value(value, reader, out)?;
                }
            }
            (T::Float32, Item::Float32(bytes)) => out.extend(bytes.iter().rev()),
            (T::Float64, Item::Float64(bytes)) => out.extend(bytes.iter().rev()),
            (kind, Item::Integer(value)) => {
                let length = integer_bytes(kind).ok_or_else(|| misfit(kind, &Item::Integer(value)))?;
                out.extend_from_slice(&value.to_le_bytes()[..length]);
            }
            (T::Bool | T::UInt8, Item::Bool(value)) => out.push(u8::from(value)),
            (T::Uuid, Item::Extension(UUID_EXTENSION, bytes)) if bytes.len() == 16 => {
                out.extend(bytes[..8].iter().rev().chain(bytes[8..].iter().rev()));
            }
            (kind, Item::Text(bytes)) => {
                if !text(kind, bytes, true, out)? {
                    return Err(misfit(kind, &Item::Text(bytes)));
                }
            }
            (kind, Item::Bytes(bytes)) => {
                if !text(kind, bytes, false, out)? {
                    return Err(misfit(kind, &Item::Bytes(bytes)));
                }
            }
            (kind, item) => return Err(misfit(kind, &item)),
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(usize, Vec<RecordBatch>)> {
        let mut reader = Reader { bytes, at: 0 };
        let mut binary = Vec::new();
        let mut end = 0;
        while reader.at < bytes.len() {
            let begun = binary.len();
            match self.row(&mut reader, &mut binary) {
                Ok(()) => {
                    self.taken += 1;
                    end = reader.at;
                }
                Err(Fault::End) => {
                    binary.truncate(begun);
                    break;
                }
                Err(Fault::Wrong(error)) => return Err(error.with_context(format!("(at row {})", self.taken + 1))),
            }
        }
        Ok((end, self.rows.push(&binary)?))
    }
}

impl RowParser for MsgPackInput {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        self.held.extend_from_slice(bytes);
        if self.kinds.is_empty() || self.held.len() < self.wanted {
            return Ok(Vec::new());
        }
        let held = std::mem::take(&mut self.held);
        let (end, batches) = self.take(&held)?;
        self.held = held[end..].to_vec();
        self.wanted = if self.held.len() < SMALL_BYTES { 0 } else { self.held.len() * 2 };
        Ok(batches)
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        self.wanted = 0;
        let mut batches = self.push(&[])?;
        if !self.held.is_empty() {
            let text = format!("Not enough values to complete the row: (at row {})", self.taken + 1);
            return Err(Error::new(ErrorCode::INCORRECT_DATA, text));
        }
        batches.extend(self.rows.finish()?);
        Ok(batches)
    }

    fn skipped_rows(&self) -> u64 {
        self.rows.skipped_rows()
    }

    fn unknown_fields(&self) -> u64 {
        self.rows.unknown_fields()
    }
}

/// Bytes of the types that a whole number is taken for.
fn integer_bytes(kind: &SqlType) -> Option<usize> {
    let is_number = match kind {
        T::Bool => return Some(1),
        T::Float32 | T::Float64 | T::BFloat16 | T::FixedString(_) | T::Interval(_) | T::Time | T::Time64(_) => false,
        _ => true,
    };
    width(kind).map(|width| width.wire).filter(|bytes| is_number && *bytes <= 8)
}

/// A text in a type that takes it; `is_text`: by MessagePack's word. False: it takes none.
fn text(kind: &SqlType, bytes: &[u8], is_text: bool, out: &mut Vec<u8>) -> Result<bool> {
    match kind {
        T::String => write_string(bytes, out),
        T::FixedString(length) => {
            if bytes.len() > *length {
                let text = format!("A text of {} bytes is too long for {kind}", bytes.len());
                return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, text));
            }
            out.extend_from_slice(bytes);
            out.resize(out.len() + length - bytes.len(), 0);
        }
        T::Uuid if is_text => {
            let digits: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'-').collect();
            let mut value = [0; 16];
            hex::decode_to_slice(&digits, &mut value).map_err(|_| {
                let text = format!("Cannot parse UUID from '{}'", String::from_utf8_lossy(bytes));
                Error::new(ErrorCode::CANNOT_PARSE_UUID, text)
            })?;
            out.extend(value[..8].iter().rev().chain(value[8..].iter().rev()));
        }
        T::Uuid | T::IPv6 | T::Int128 | T::UInt128 | T::Int256 | T::UInt256 | T::Decimal { .. }
            if width(kind).is_some_and(|width| width.wire >= 16 && width.wire == bytes.len()) =>
        {
            out.extend_from_slice(bytes);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// What a type has where there is no value.
fn default(kind: &SqlType, out: &mut Vec<u8>) -> Result<()> {
    match kind {
        T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
            return default(inner, out);
        }
        T::Nullable(_) => out.push(1),
        T::String | T::Array(_) | T::Map(..) | T::Bool => out.push(0),
        T::Tuple(fields) => fields.iter().try_for_each(|(_, kind)| default(kind, out))?,
        kind => {
            let length = width(kind).map(|width| width.wire).ok_or_else(|| {
                Error::new(ErrorCode::ILLEGAL_COLUMN, format!("Type {kind} is not supported for MsgPack input format"))
            })?;
            let first = kind.enum_values().and_then(|values| values.0.first()).map_or(0, |(_, value)| *value);
            out.extend_from_slice(&i64::from(first).to_le_bytes()[..length.min(8)]);
            out.resize(out.len() + length.saturating_sub(8), 0);
        }
    }
    Ok(())
}
