//! What ClickHouse makes 64 bits of, for the estimates of how many different values there are.
//!
//! A number of up to 64 bits is its bits, widened by its sign; wider numbers and UUIDs are folded; a text is hashed by CityHash.
//! Everything else, and several arguments or a tuple, are hashed by the bytes that ClickHouse has them in in memory (CityHash of
//! each, then together), or, where such bytes would not tell values apart (arrays of texts, NULLs, tuples within), by SipHash
//! of all of it, lengths included.

use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, BooleanArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{ArrowNativeType, DataType};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::SqlType as T;
use gristmill_types::binary::width;

use super::super::natives::natives;
use crate::hash::{city_hash_64, hash_16, int_hash_64, sip_64, sip_128};

/// How the values of arguments become keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    Number,
    Float32,
    Float64,
    /// Wider than 64 bits: an integer or a UUID.
    Wide,
    Text,
    /// Several values, by their bytes.
    Bytes,
    /// Several values, by what tells them apart.
    Spelled,
}

impl Source {
    pub fn of(kinds: &[SqlType]) -> Source {
        let (parts, one) = match kinds {
            [T::Tuple(fields)] => (fields.iter().map(|(_, kind)| kind.clone()).collect(), None),
            [one] => (vec![one.clone()], Some(one)),
            several => (several.to_vec(), None),
        };
        match one {
            Some(T::Float32 | T::BFloat16) => return Source::Float32,
            Some(T::Float64) => return Source::Float64,
            Some(T::Bool | T::Enum8(_) | T::Enum16(_) | T::Date | T::Date32 | T::DateTime(_) | T::IPv4) => {
                return Source::Number;
            }
            Some(T::Uuid) => return Source::Wide,
            Some(T::String | T::FixedString(_) | T::IPv6) => return Source::Text,
            Some(kind) if kind.is_integer() => {
                return if kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) { Source::Number } else { Source::Wide };
            }
            _ => {}
        }
        if parts.iter().all(is_contiguous) { Source::Bytes } else { Source::Spelled }
    }
}

/// Whether the bytes of a value lie side by side and tell it from others.
fn is_contiguous(kind: &SqlType) -> bool {
    match kind {
        T::LowCardinality(inner) => is_contiguous(inner),
        T::String => true,
        T::Array(element) => is_fixed(element),
        other => is_fixed(other),
    }
}

fn is_fixed(kind: &SqlType) -> bool {
    matches!(kind, T::Bool | T::FixedString(_)) || width(kind).is_some()
}

/// Bytes of the values of a column, as ClickHouse has them in memory.
enum Column {
    Fixed { bytes: Buffer, stride: usize, skipped: usize, width: usize },
    Uuid(ArrayRef),
    Bits(BooleanArray),
    Text(BinaryViewArray),
    FixedText(ArrayRef),
    List(OffsetBuffer<i32>, Box<Column>),
    Fields(Vec<Column>),
    Nullable(Option<NullBuffer>, Box<Column>),
    Nothing,
}

impl Column {
    fn of(array: &ArrayRef, kind: &SqlType) -> Result<Column> {
        Ok(match (kind, array.data_type()) {
            (T::LowCardinality(inner) | T::Nested(inner), _) => Column::of(array, inner)?,
            // Only NULL.
            (_, DataType::Null) => Column::Nothing,
            (T::Nullable(inner), _) => {
                let values = Column::of(array, inner)?;
                Column::Nullable(array.nulls().cloned(), Box::new(values))
            }
            (T::Uuid, _) => Column::Uuid(array.clone()),
            (_, DataType::BinaryView) => Column::Text(array.as_binary_view().clone()),
            (_, DataType::FixedSizeBinary(_)) => Column::FixedText(array.clone()),
            (_, DataType::Boolean) => Column::Bits(array.as_boolean().clone()),
            (T::Array(element), DataType::List(_)) => {
                let list = array.as_list::<i32>();
                Column::List(list.offsets().clone(), Box::new(Column::of(list.values(), element)?))
            }
            (T::Map(key, value), DataType::Map(..)) => {
                let map = array.as_map();
                let fields = vec![Column::of(map.keys(), key)?, Column::of(map.values(), value)?];
                Column::List(map.offsets().clone(), Box::new(Column::Fields(fields)))
            }
            (T::Tuple(fields), DataType::Struct(_)) => {
                let columns = array.as_struct().columns().iter().zip(fields);
                Column::Fields(columns.map(|(column, (_, kind))| Column::of(column, kind)).collect::<Result<_>>()?)
            }
            _ => {
                let width = width(kind).ok_or_else(|| Error::not_implemented(format!("Different values of type {kind}")))?;
                let data = array.to_data();
                let bytes = data.buffers()[0].slice(data.offset() * width.arrow);
                Column::Fixed { bytes, stride: width.arrow, skipped: width.skipped, width: width.wire }
            }
        })
    }

    /// Appends the bytes of a value; `spelled`: with lengths, and marks of NULL.
    fn append(&self, row: usize, spelled: bool, out: &mut Vec<u8>) {
        let text = |text: &[u8], out: &mut Vec<u8>| {
            // Texts once ended with a zero in memory, which ClickHouse's hashes still have.
            if spelled {
                out.extend_from_slice(&(text.len() as u64 + 1).to_le_bytes());
            }
            out.extend_from_slice(text);
            if spelled {
                out.push(0);
            }
        };
        match self {
            Column::Fixed { bytes, stride, skipped, width } => {
                let begin = row * stride + skipped;
                out.extend_from_slice(&bytes[begin..begin + width]);
            }
            Column::Uuid(values) => {
                // Two numbers, the high one first.
                let value = values.as_fixed_size_binary().value(row);
                out.extend(value[..8].iter().rev().chain(value[8..].iter().rev()));
            }
            Column::Bits(values) => out.push(u8::from(values.value(row))),
            Column::Text(values) => text(values.value(row), out),
            Column::FixedText(values) => out.extend_from_slice(values.as_fixed_size_binary().value(row)),
            Column::List(offsets, values) => {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                if spelled {
                    out.extend_from_slice(&(range.len() as u64).to_le_bytes());
                }
                range.for_each(|row| values.append(row, spelled, out));
            }
            Column::Fields(fields) => fields.iter().for_each(|field| field.append(row, spelled, out)),
            Column::Nullable(nulls, values) => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                out.push(u8::from(is_null));
                if !is_null {
                    values.append(row, spelled, out);
                }
            }
            Column::Nothing => out.push(1),
        }
    }
}

/// The columns that are hashed one after another: a tuple's fields, where it is the only argument.
fn columns(args: &[ArrayRef], kinds: &[SqlType]) -> Result<Vec<Column>> {
    match (args, kinds) {
        ([array], [T::Tuple(fields)]) => {
            let columns = array.as_struct().columns().iter().zip(fields);
            columns.map(|(column, (_, kind))| Column::of(column, kind)).collect()
        }
        _ => args.iter().zip(kinds).map(|(array, kind)| Column::of(array, kind)).collect(),
    }
}

/// 64 bits of each row. `sips`: whether a UInt128 is hashed by SipHash instead of being folded.
pub fn keys(args: &[ArrayRef], kinds: &[SqlType], source: Source, sips: bool) -> Result<Vec<u64>> {
    let Some(first) = args.first() else { return Ok(Vec::new()) };
    let rows = first.len();
    match source {
        Source::Number => numbers(first),
        Source::Float32 if kinds == [T::BFloat16] => Ok(floats::<f32>(first)?.map(|bits| bits >> 16).collect()),
        Source::Float32 => Ok(floats::<f32>(first)?.collect()),
        Source::Float64 => Ok(floats::<f64>(first)?.collect()),
        Source::Wide | Source::Text => {
            let column = Column::of(first, &kinds[0])?;
            let hash: fn(&[u8]) -> u64 = match kinds {
                [T::UInt128] if sips => sip_64,
                _ if source == Source::Wide => folded,
                _ => city_hash_64,
            };
            if let Column::Text(texts) = &column {
                return Ok((0..rows).map(|row| city_hash_64(texts.value(row))).collect());
            }
            let mut bytes = Vec::new();
            Ok((0..rows)
                .map(|row| {
                    bytes.clear();
                    column.append(row, false, &mut bytes);
                    hash(&bytes)
                })
                .collect())
        }
        Source::Bytes | Source::Spelled => {
            let columns = columns(args, kinds)?;
            let mut bytes = Vec::new();
            Ok((0..rows).map(|row| together(&columns, row, source == Source::Spelled, &mut bytes)).collect())
        }
    }
}

fn together(columns: &[Column], row: usize, spelled: bool, bytes: &mut Vec<u8>) -> u64 {
    if spelled {
        bytes.clear();
        columns.iter().for_each(|column| column.append(row, true, bytes));
        let hash = sip_128(bytes);
        return u64::from_le_bytes(*hash.first_chunk().unwrap_or(&[0; 8]));
    }
    let hashes = columns.iter().map(|column| {
        bytes.clear();
        column.append(row, false, bytes);
        city_hash_64(bytes)
    });
    hashes.reduce(|all, hash| hash_16(hash, all)).unwrap_or_default()
}

/// The words of a wide number together; of four the last is left out, as ClickHouse does.
fn folded(bytes: &[u8]) -> u64 {
    int_hash_64(bytes.as_chunks::<8>().0.iter().take(3).fold(0, |all, word| all ^ u64::from_le_bytes(*word)))
}

/// Numbers of up to 64 bits, widened by their sign. Error: a column of something else (a defect).
pub fn numbers(array: &ArrayRef) -> Result<Vec<u64>> {
    fn signed<N: ArrowNativeType + Into<i64>>(array: &ArrayRef) -> Result<Vec<u64>> {
        Ok(natives::<N>(array)?.iter().map(|value| Into::<i64>::into(*value) as u64).collect())
    }
    fn unsigned<N: ArrowNativeType + Into<u64>>(array: &ArrayRef) -> Result<Vec<u64>> {
        Ok(natives::<N>(array)?.iter().map(|value| Into::<u64>::into(*value)).collect())
    }
    match array.data_type() {
        DataType::Boolean => Ok(array.as_boolean().values().iter().map(u64::from).collect()),
        DataType::Int8 => signed::<i8>(array),
        DataType::Int16 => signed::<i16>(array),
        DataType::Int32 | DataType::Date32 => signed::<i32>(array),
        DataType::Int64 | DataType::Timestamp(..) => signed::<i64>(array),
        DataType::UInt8 => unsigned::<u8>(array),
        DataType::UInt16 => unsigned::<u16>(array),
        DataType::UInt32 => unsigned::<u32>(array),
        DataType::UInt64 => unsigned::<u64>(array),
        other => Err(Error::logical(format!("An aggregate function expected a number, got {other}"))),
    }
}

trait Float: ArrowNativeType {
    fn bits(self) -> u64;
}

impl Float for f32 {
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Float for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// The bits of numbers: the two zeros are two values, as in ClickHouse.
fn floats<F: Float>(array: &ArrayRef) -> Result<impl Iterator<Item = u64>> {
    let values = natives::<F>(array)?;
    Ok((0..values.len()).map(move |row| values[row].bits()))
}
