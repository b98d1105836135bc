//! Writes MsgPack: each value in the shortest form that it has, texts as bytes.

use SqlType as T;
use arrow::array::RecordBatch;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::binary::{Cells, text, varuint, width};
use gristmill_types::{Columns, SqlType};

use super::UUID_EXTENSION;
use crate::output::{OutputFormat, ResultSummary};

/// What a UUID is written as.
#[derive(Clone, Copy)]
enum Uuids {
    Bytes,
    Text,
    Extension,
}

pub(crate) struct MsgPackOutput {
    columns: Columns,
    uuids: Uuids,
}

impl MsgPackOutput {
    /// Errors: ILLEGAL_COLUMN where a type has no form, BAD_ARGUMENTS of the setting.
    pub fn new(columns: Columns, settings: &Settings) -> Result<Self> {
        let uuids = match settings.output_format_msgpack_uuid_representation.as_str() {
            "ext" => Uuids::Extension,
            "str" => Uuids::Text,
            "bin" => Uuids::Bytes,
            other => {
                let text = format!("output_format_msgpack_uuid_representation is '{other}': write 'bin', 'str' or 'ext'");
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
        };
        columns.iter().try_for_each(|column| check(&column.kind))?;
        Ok(MsgPackOutput { columns, uuids })
    }
}

impl OutputFormat for MsgPackOutput {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let columns = batch.columns().iter().zip(&self.columns);
        let cells = columns.map(|(array, column)| Cells::of(&column.kind, array)).collect::<Result<Vec<_>>>()?;
        let mut bytes = Vec::new();
        for row in 0..batch.num_rows() {
            for (cells, column) in cells.iter().zip(&self.columns) {
                bytes.clear();
                cells.write(row, &mut bytes);
                Packer { bytes: &bytes, at: 0, uuids: self.uuids }.pack(&column.kind, out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

fn check(kind: &SqlType) -> Result<()> {
    match kind {
        T::Nullable(inner) if **inner == T::Nothing => Ok(()),
        T::Nullable(inner)
        | T::LowCardinality(inner)
        | T::SimpleAggregateFunction(_, inner)
        | T::Geometric(_, inner)
        | T::Nested(inner) => check(inner),
        T::Array(inner) if **inner == T::Nothing => Ok(()),
        T::Array(inner) => check(inner),
        T::Map(key, value) => check(key).and_then(|()| check(value)),
        T::Tuple(fields) => fields.iter().try_for_each(|(_, kind)| check(kind)),
        T::Bool | T::String => Ok(()),
        T::Time | T::Time64(_) | T::Interval(_) | T::BFloat16 => Err(unsupported(kind)),
        kind if width(kind).is_some() => Ok(()),
        kind => Err(unsupported(kind)),
    }
}

fn unsupported(kind: &SqlType) -> Error {
    Error::new(ErrorCode::ILLEGAL_COLUMN, format!("Type {kind} is not supported for MsgPack output format"))
}

/// Goes over the bytes of a value in RowBinary.
struct Packer<'a> {
    bytes: &'a [u8],
    at: usize,
    uuids: Uuids,
}

impl<'a> Packer<'a> {
    fn taken(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at + length;
        let taken = self.bytes.get(self.at..end).ok_or_else(|| Error::logical("A value is shorter than its type says"))?;
        self.at = end;
        Ok(taken)
    }

    fn count(&mut self) -> Result<usize> {
        let count = varuint(self.bytes, &mut self.at)?;
        count.map(|count| count as usize).ok_or_else(|| Error::logical("A value ends before its length"))
    }

    fn pack(&mut self, kind: &SqlType, out: &mut Vec<u8>) -> Result<()> {
        match kind {
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
                return self.pack(inner, out);
            }
            T::Nullable(inner) => match self.taken(1)? {
                [0] => return self.pack(inner, out),
                _ => out.push(0xc0),
            },
            T::Array(inner) => {
                let count = self.count()?;
                begin(count, 0x90, 0xdc, out);
                for _ in 0..count {
                    self.pack(inner, out)?;
                }
            }
            T::Map(key, value) => {
                let count = self.count()?;
                begin(count, 0x80, 0xde, out);
                for _ in 0..count {
                    self.pack(key, out)?;
                    self.pack(value, out)?;
                }
            }
            T::Tuple(fields) => {
                begin(fields.len(), 0x90, 0xdc, out);
                for (_, kind) in fields.iter() {
                    self.pack(kind, out)?;
                }
            }
            T::String => {
                let text = text(self.bytes, &mut self.at)?;
                raw(text.ok_or_else(|| Error::logical("A text is shorter than its length"))?, out);
            }
            T::Bool => {
                let [value] = self.number()?;
                unsigned(u64::from(value), out);
            }
            kind => {
                let length = width(kind).ok_or_else(|| unsupported(kind))?.wire;
                self.fixed(kind, length, out)?;
            }
        }
        Ok(())
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.taken(N)?.try_into().map_err(|_| Error::logical("A number of another width"))
    }

    fn fixed(&mut self, kind: &SqlType, length: usize, out: &mut Vec<u8>) -> Result<()> {
        match kind {
            T::Float32 => {
                out.push(0xca);
                out.extend_from_slice(&f32::from_le_bytes(self.number()?).to_be_bytes());
            }
            T::Float64 => {
                out.push(0xcb);
                out.extend_from_slice(&f64::from_le_bytes(self.number()?).to_be_bytes());
            }
            T::Uuid => self.uuid(out)?,
            T::FixedString(_) | T::IPv6 => raw(self.taken(length)?, out),
            _ => match (length, is_signed(kind)) {
                (1, true) => signed(i64::from(i8::from_le_bytes(self.number()?)), out),
                (2, true) => signed(i64::from(i16::from_le_bytes(self.number()?)), out),
                (4, true) => signed(i64::from(i32::from_le_bytes(self.number()?)), out),
                (8, true) => signed(i64::from_le_bytes(self.number()?), out),
                (1, false) => unsigned(u64::from(u8::from_le_bytes(self.number()?)), out),
                (2, false) => unsigned(u64::from(u16::from_le_bytes(self.number()?)), out),
                (4, false) => unsigned(u64::from(u32::from_le_bytes(self.number()?)), out),
                (8, false) => unsigned(u64::from_le_bytes(self.number()?), out),
                _ => raw(self.taken(length)?, out),
            },
        }
        Ok(())
    }

    fn uuid(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let bytes: [u8; 16] = self.number()?;
        // Two numbers, the high one first.
        let mut written = bytes;
        written[..8].reverse();
        written[8..].reverse();
        match self.uuids {
            Uuids::Bytes => raw(&bytes, out),
            Uuids::Extension => {
                out.extend_from_slice(&[0xd8, UUID_EXTENSION as u8]);
                out.extend_from_slice(&written);
            }
            Uuids::Text => {
                let digits = hex::encode(written);
                let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
                out.extend_from_slice(&[0xd9, 36]);
                out.extend_from_slice(parts.join("-").as_bytes());
            }
        }
        Ok(())
    }
}

/// Times with a fraction go as ClickHouse has them: without a sign.
fn is_signed(kind: &SqlType) -> bool {
    match kind {
        T::Enum8(_) | T::Enum16(_) | T::Date32 | T::Decimal { .. } => true,
        kind => kind.integer_bits().is_some_and(|(_, signed)| signed),
    }
}

/// The beginning of an array or a map.
fn begin(count: usize, short: u8, long: u8, out: &mut Vec<u8>) {
    match count {
        0..=15 => out.push(short | count as u8),
        16..=0xffff => {
            out.push(long);
            out.extend_from_slice(&(count as u16).to_be_bytes());
        }
        _ => {
            out.push(long + 1);
            out.extend_from_slice(&(count as u32).to_be_bytes());
        }
    }
}

fn raw(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes.len() {
        length @ 0..=0xff => out.extend_from_slice(&[0xc4, length as u8]),
        length @ 0x100..=0xffff => {
            out.push(0xc5);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(0xc6);
            out.extend_from_slice(&(length as u32).to_be_bytes());
        }
    }
    out.extend_from_slice(bytes);
}

fn unsigned(value: u64, out: &mut Vec<u8>) {
    match value {
        0..=0x7f => out.push(value as u8),
        0x80..=0xff => out.extend_from_slice(&[0xcc, value as u8]),
        0x100..=0xffff => {
            out.push(0xcd);
            out.extend_from_slice(&(value as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(0xce);
            out.extend_from_slice(&(value as u32).to_be_bytes());
        }
        _ => {
            out.push(0xcf);
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
}

fn signed(value: i64, out: &mut Vec<u8>) {
    match value {
        0.. => unsigned(value as u64, out),
        -32..=-1 => out.push(value as u8),
        -0x80..=-33 => out.extend_from_slice(&[0xd0, value as u8]),
        -0x8000..=-0x81 => {
            out.push(0xd1);
            out.extend_from_slice(&(value as i16).to_be_bytes());
        }
        -0x8000_0000..=-0x8001 => {
            out.push(0xd2);
            out.extend_from_slice(&(value as i32).to_be_bytes());
        }
        _ => {
            out.push(0xd3);
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
}
