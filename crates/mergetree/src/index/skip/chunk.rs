//! The data of an index for a run of units, as it lies in a part and in memory.
//!
//! ```text
//! zstd( units u32 · payload ) · xxh3-64 of the compressed bytes
//! ```
//! The payload of `minmax` and `set` is one Arrow IPC stream of one batch, a row a unit: for each expression the least and
//! the greatest value (NULL where there is none), or the list of its values (NULL where there are more than the index
//! keeps). That of filters is, for each expression, the length of each unit's filter as u32, and behind all lengths the
//! filters in the same order. That of `text` is a dictionary (`text`). Numbers are little-endian.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, RecordBatch};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::concat;
use arrow::datatypes::{Field, Schema};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::{IpcWriteOptions, StreamWriter};
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::definition::{SkipIndex, SkipKind};
use super::text::Dictionary;

const CHECKSUM_LENGTH: usize = 8;
const ZSTD_LEVEL: i32 = 1;

/// What is known of each unit. Outer lists: by expression.
#[derive(Debug)]
pub enum Units {
    /// Least and greatest values, a row a unit.
    MinMax(Vec<(ArrayRef, ArrayRef)>),
    /// The values of all units one behind another, and which of them are a unit's; `None`: too many.
    Set(Vec<ArrayRef>, Vec<Option<Range<usize>>>),
    /// The filter of each unit.
    Filters(Vec<Vec<Bytes>>),
    /// The tokens of the one expression.
    Tokens(Dictionary),
}

#[derive(Debug)]
pub struct Chunk {
    pub units: usize,
    pub data: Units,
    /// In memory, about.
    pub bytes: u64,
}

/// Compressed and checksummed.
pub struct EncodedChunk {
    pub units: usize,
    pub data: Vec<u8>,
    pub uncompressed_bytes: u64,
}

impl Units {
    pub fn encode(&self, units: usize) -> Result<EncodedChunk> {
        let mut plain = (units as u32).to_le_bytes().to_vec();
        match self {
            Units::MinMax(bounds) => {
                let columns = bounds.iter().flat_map(|(least, greatest)| [least.clone(), greatest.clone()]);
                plain.extend(ipc(columns.collect())?);
            }
            Units::Set(values, runs) => {
                let lengths = runs.iter().map(|run| run.as_ref().map_or(0, Range::len));
                let offsets = OffsetBuffer::from_lengths(lengths);
                let known: NullBuffer = runs.iter().map(Option::is_some).collect();
                let lists = values.iter().map(|values| {
                    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
                    Ok(Arc::new(ListArray::try_new(field, offsets.clone(), values.clone(), Some(known.clone()))?)
                        as ArrayRef)
                });
                plain.extend(ipc(lists.collect::<Result<_>>()?)?);
            }
            Units::Filters(filters) => {
                let all = || filters.iter().flatten();
                all().for_each(|filter| plain.extend((filter.len() as u32).to_le_bytes()));
                all().for_each(|filter| plain.extend_from_slice(filter));
            }
            Units::Tokens(dictionary) => plain.extend(dictionary.encode()?),
        }
        let uncompressed_bytes = plain.len() as u64;
        let mut data = zstd::bulk::compress(&plain, ZSTD_LEVEL)?;
        data.extend(xxh3_64(&data).to_le_bytes());
        Ok(EncodedChunk { units, data, uncompressed_bytes })
    }
}

/// What a chunk holds, compressed. Errors: CORRUPTED_DATA.
pub fn checked(data: &[u8]) -> Result<&[u8]> {
    let body = data.len().checked_sub(CHECKSUM_LENGTH).ok_or_else(|| corrupt("it is cut off"))?;
    match data[body..] == xxh3_64(&data[..body]).to_le_bytes() {
        true => Ok(&data[..body]),
        false => Err(corrupt("its checksum does not fit")),
    }
}

impl Chunk {
    /// Errors: CORRUPTED_DATA.
    pub fn decode(index: &SkipIndex, data: &[u8]) -> Result<Chunk> {
        let plain = zstd::stream::decode_all(checked(data)?)?;
        let (units, payload) = plain.split_first_chunk::<4>().ok_or_else(|| corrupt("it is cut off"))?;
        let units = u32::from_le_bytes(*units) as usize;
        let bytes = 2 * plain.len() as u64;
        let expressions = index.expressions.len();
        let data = match index.kind {
            SkipKind::MinMax => {
                let columns = columns(payload, 2 * expressions, units)?;
                let kinds = index.expressions.iter().map(|expression| expression.kind.arrow());
                if !columns.chunks(2).zip(kinds).all(|(pair, kind)| pair.iter().all(|column| *column.data_type() == kind)) {
                    return Err(corrupt("its values are of another type"));
                }
                Units::MinMax(columns.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
            }
            SkipKind::Set { .. } => set(index, &columns(payload, expressions, units)?, units)?,
            SkipKind::Bloom { .. } | SkipKind::Tokens(_) | SkipKind::Ngrams(..) => {
                filters(&Bytes::copy_from_slice(payload), expressions, units)?
            }
            SkipKind::Text(_) => Units::Tokens(Dictionary::decode(payload, units)?),
        };
        Ok(Chunk { units, data, bytes })
    }
}

fn corrupt(what: &str) -> Error {
    Error::new(ErrorCode::CORRUPTED_DATA, what.to_string())
}

fn ipc(columns: Vec<ArrayRef>) -> Result<Vec<u8>> {
    let fields = columns.iter().enumerate().map(|(at, column)| Field::new(at.to_string(), column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), columns)?;
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, IpcWriteOptions::default())?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

fn columns(payload: &[u8], count: usize, rows: usize) -> Result<Vec<ArrayRef>> {
    let mut reader = StreamReader::try_new(Cursor::new(payload), None)?;
    let batch = reader.next().transpose()?.ok_or_else(|| corrupt("it is empty"))?;
    if batch.num_rows() != rows || batch.num_columns() != count {
        return Err(corrupt("it is of another number of units or expressions"));
    }
    Ok(batch.columns().to_vec())
}

fn set(index: &SkipIndex, columns: &[ArrayRef], units: usize) -> Result<Units> {
    let lists = columns.iter().map(|column| column.as_list_opt::<i32>().ok_or_else(|| corrupt("it holds no lists")));
    let lists: Vec<&ListArray> = lists.collect::<Result<_>>()?;
    let Some(first) = lists.first() else { return Err(corrupt("it is of no expression")) };
    let of_type = |(list, expression): (&&ListArray, &gristmill_catalog::KeyExpression)| {
        list.value_type() == expression.kind.arrow() && list.value_offsets() == first.value_offsets()
    };
    if !lists.iter().zip(&index.expressions).all(of_type) {
        return Err(corrupt("its values are of another type or number"));
    }
    let offsets = first.value_offsets();
    let run = |unit: usize| first.is_valid(unit).then(|| offsets[unit] as usize..offsets[unit + 1] as usize);
    Ok(Units::Set(lists.iter().map(|list| list.values().clone()).collect(), (0..units).map(run).collect()))
}

fn filters(payload: &Bytes, expressions: usize, units: usize) -> Result<Units> {
    let count = expressions * units;
    let mut at = count * 4;
    let mut all = Vec::with_capacity(count);
    for filter in 0..count {
        let length = payload.get(filter * 4..filter * 4 + 4).and_then(|length| length.try_into().ok());
        let length = u32::from_le_bytes(length.ok_or_else(|| corrupt("it is cut off"))?) as usize;
        if at + length > payload.len() {
            return Err(corrupt("it is cut off"));
        }
        all.push(payload.slice(at..at + length));
        at += length;
    }
    Ok(Units::Filters(all.chunks(units.max(1)).map(<[Bytes]>::to_vec).collect()))
}

/// Arrays of one type as one; `empty` where there is none.
pub fn joined(pieces: &[ArrayRef], empty: &arrow::datatypes::DataType) -> Result<ArrayRef> {
    if pieces.is_empty() {
        return Ok(arrow::array::new_empty_array(empty));
    }
    let pieces: Vec<&dyn Array> = pieces.iter().map(|piece| piece.as_ref()).collect();
    Ok(concat(&pieces)?)
}
