//! Bytes into columns.
//!
//! Whatever a client sends is looked at before it is believed: offsets must rise, keys must lie in their dictionary, names of
//! enums must exist, and what a few bytes unfold into is counted against the block's budget.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{
    Array, ArrayData, ArrayRef, BooleanArray, ListArray, MapArray, NullArray, StructArray, UInt32Array, make_array,
};
use arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::{concat, take};
use arrow::datatypes::DataType;
use bytes::Bytes;
use futures::Stream;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::binary::{Width, check_enum, unsupported, width};
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::default::default_array;
use gristmill_types::states::Codec;

use super::bytes::ByteReader;
use super::encode::DICTIONARY_VERSION;

/// A future of one part of a type: types lie in one another.
type Reading<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Bytes that a view of a string takes in Arrow.
const VIEW_BYTES: u64 = 16;

/// Bytes that a row of a sparse column counts for at least.
const SPARSE_ROW_BYTES: u64 = 64;

/// In the gaps of a sparse column: no value follows.
const SPARSE_END: u64 = 1 << 62;

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

/// What stands before the values.
pub(super) fn prefix<'a, S>(reader: &'a mut ByteReader<S>, kind: &'a SqlType) -> Reading<'a, ()>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    Box::pin(async move {
        match kind {
            T::LowCardinality(_) => {
                let version = reader.u64().await?;
                if version != DICTIONARY_VERSION {
                    return Err(incorrect(format!("LowCardinality came in version {version}, which is not known")));
                }
            }
            T::Nullable(inner)
            | T::Array(inner)
            | T::SimpleAggregateFunction(_, inner)
            | T::Geometric(_, inner)
            | T::Nested(inner) => prefix(reader, inner).await?,
            T::Map(key, value) => {
                prefix(reader, key).await?;
                prefix(reader, value).await?;
            }
            T::Tuple(fields) => {
                for (_, kind) in fields {
                    prefix(reader, kind).await?;
                }
            }
            _ => {}
        }
        Ok(())
    })
}

/// The values of so many rows.
pub(super) fn data<'a, S>(reader: &'a mut ByteReader<S>, kind: &'a SqlType, rows: usize) -> Reading<'a, ArrayRef>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    Box::pin(async move {
        if let Some(width) = width(kind) {
            return fixed(reader, kind, width, rows, None).await;
        }
        Ok(match kind {
            T::Nothing => {
                reader.exact(rows).await?;
                Arc::new(NullArray::new(rows))
            }
            T::Bool => {
                let bytes = reader.exact(rows).await?;
                Arc::new(BooleanArray::new(bits(&bytes), None))
            }
            T::String => strings(reader, rows).await?,
            T::Nullable(inner) => {
                let marks = reader.exact(rows).await?;
                let nulls = NullBuffer::new(!&bits(&marks));
                match (inner.as_ref(), width(inner)) {
                    (_, Some(width)) => fixed(reader, inner, width, rows, Some(nulls)).await?,
                    (T::Nothing, _) => data(reader, inner, rows).await?,
                    _ => with_nulls(&data(reader, inner, rows).await?, nulls)?,
                }
            }
            T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
                data(reader, inner, rows).await?
            }
            T::LowCardinality(inner) => dictionary(reader, inner, rows).await?,
            T::Array(inner) => {
                let offsets = offsets(reader, rows).await?;
                let values = data(reader, inner, last(&offsets)).await?;
                Arc::new(ListArray::try_new(inner.field("item"), offsets, values, None)?)
            }
            T::Map(key, value) => {
                let DataType::Map(entries, sorted) = kind.arrow() else { return Err(unsupported(kind)) };
                let DataType::Struct(fields) = entries.data_type() else { return Err(unsupported(kind)) };
                let offsets = offsets(reader, rows).await?;
                let keys = data(reader, key, last(&offsets)).await?;
                let values = data(reader, value, last(&offsets)).await?;
                let pairs = StructArray::try_new(fields.clone(), vec![keys, values], None)?;
                Arc::new(MapArray::try_new(entries, offsets, pairs, None, sorted)?)
            }
            T::Tuple(fields) => {
                let DataType::Struct(carriers) = kind.arrow() else { return Err(unsupported(kind)) };
                if fields.is_empty() {
                    reader.exact(rows).await?;
                }
                let mut columns = Vec::with_capacity(fields.len());
                for (_, kind) in fields {
                    columns.push(data(reader, kind, rows).await?);
                }
                Arc::new(StructArray::try_new_with_length(carriers, columns, None, rows)?)
            }
            T::AggregateFunction(function, kinds) => states(reader, &Codec::of(function, kinds)?, rows).await?,
            other => return Err(unsupported(other)),
        })
    })
}

/// A bit a byte.
fn bits(bytes: &MutableBuffer) -> BooleanBuffer {
    let bytes = bytes.as_slice();
    BooleanBuffer::collect_bool(bytes.len(), |row| bytes[row] != 0)
}

fn with_nulls(array: &ArrayRef, nulls: NullBuffer) -> Result<ArrayRef> {
    Ok(make_array(array.to_data().into_builder().nulls(Some(nulls)).build()?))
}

async fn fixed<S>(
    reader: &mut ByteReader<S>,
    kind: &SqlType,
    width: Width,
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    if width.wire == 0 {
        return Err(incorrect(format!("The type {kind} has values without bytes")));
    }
    let bytes = rows.checked_mul(width.wire).ok_or_else(|| incorrect("A column is larger than memory"))?;
    let mut values = reader.exact(bytes).await?;
    if width.arrow != width.wire {
        reader.spend((rows as u64).saturating_mul(width.arrow as u64))?;
        values = widened(values.as_slice(), width);
    }
    if *kind == T::Uuid {
        for value in values.as_slice_mut().chunks_exact_mut(16) {
            value[..8].reverse();
            value[8..].reverse();
        }
    }
    check_enum(kind, values.as_slice(), nulls.as_ref())?;
    let array = ArrayData::builder(kind.arrow()).len(rows).add_buffer(values.into()).nulls(nulls).build()?;
    Ok(make_array(array))
}

fn widened(values: &[u8], width: Width) -> MutableBuffer {
    let mut out = MutableBuffer::with_capacity(values.len() / width.wire * width.arrow);
    for value in values.chunks_exact(width.wire) {
        out.extend_zeros(width.skipped);
        out.extend_from_slice(value);
        let negative = width.signed && value.last().is_some_and(|high| *high >= 0x80);
        out.extend_from_slice(&[if negative { 0xff_u8 } else { 0 }; 32][..width.arrow - width.wire - width.skipped]);
    }
    out
}

/// Strings are taken out of what is there; only one that is cut makes the loop wait.
async fn strings<S>(reader: &mut ByteReader<S>, rows: usize) -> Result<ArrayRef>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    let mut builder = BytesBuilder::default();
    let mut row = 0;
    while row < rows {
        let held = reader.held();
        let (mut at, first_row) = (0, row);
        while row < rows
            && let Some((start, length)) = string_length(&held[at..])?
            && held.len() - at - start >= length
        {
            builder.append(&held[at + start..at + start + length]);
            at += start + length;
            row += 1;
        }
        reader.spend(at as u64 + (row - first_row) as u64 * VIEW_BYTES)?;
        reader.advance(at);
        if row < rows {
            reader.more().await?;
        }
    }
    Ok(Arc::new(builder.finish(None)))
}

/// States of an aggregate function, which have no lengths: each is measured, and waited for where it is cut.
async fn states<S>(reader: &mut ByteReader<S>, codec: &Codec, rows: usize) -> Result<ArrayRef>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    let mut gathered = codec.reader()?;
    let (mut row, mut spent) = (0, 0);
    while row < rows {
        let held = reader.held();
        let mut at = 0;
        while row < rows {
            let mut end = at;
            if !gathered.skip(held, &mut end)? {
                break;
            }
            gathered.take(held, &mut at)?;
            row += 1;
        }
        let taken = gathered.memory_bytes();
        reader.spend(taken.saturating_sub(spent))?;
        spent = spent.max(taken);
        reader.advance(at);
        if row < rows {
            reader.more().await?;
        }
    }
    gathered.finish()
}

/// Bytes of a string's length, and the length. `None`: more bytes tell.
fn string_length(bytes: &[u8]) -> Result<Option<(usize, usize)>> {
    let mut length = 0u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        length |= u64::from(byte & 0x7f).checked_shl(7 * at as u32).unwrap_or(0);
        if *byte < 0x80 {
            if length > super::BLOCK_BYTES_MAX {
                let text = format!("A string of {length} bytes is too large for a block");
                return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, text));
            }
            return Ok(Some((at + 1, length as usize)));
        }
    }
    match bytes.len() < 10 {
        true => Ok(None),
        false => Err(incorrect("The length of a string has more than ten bytes")),
    }
}

/// Where the rows of arrays end: each not before the one above it, and as many as Arrow counts.
async fn offsets<S>(reader: &mut ByteReader<S>, rows: usize) -> Result<OffsetBuffer<i32>>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    let bytes = rows.checked_mul(8).ok_or_else(|| incorrect("A column is larger than memory"))?;
    let ends = reader.exact(bytes).await?;
    let mut out: Vec<i32> = Vec::with_capacity(rows + 1);
    let mut before = 0i32;
    out.push(before);
    for end in ends.as_slice().as_chunks::<8>().0 {
        let end = u64::from_le_bytes(*end);
        let known = i32::try_from(end).ok().filter(|end| *end >= before);
        before = known.ok_or_else(|| {
            Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, format!("Arrays of a block end at {end}, behind {before}"))
        })?;
        out.push(before);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(out)))
}

fn last(offsets: &OffsetBuffer<i32>) -> usize {
    offsets.last().copied().unwrap_or(0) as usize
}

async fn dictionary<S>(reader: &mut ByteReader<S>, kind: &SqlType, rows: usize) -> Result<ArrayRef>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    if rows == 0 {
        return Ok(default_array(kind, 0));
    }
    let (plain, nullable) = match kind {
        T::Nullable(inner) => (inner.as_ref(), true),
        other => (other, false),
    };
    let flags = reader.u64().await?;
    let (code, has_keys, is_shared) = (flags & 0xff, flags & 0x200 != 0, flags & 0x100 != 0);
    if code > 3 || !has_keys || is_shared {
        return Err(incorrect(format!("A dictionary of LowCardinality with flags {flags:#x} is not known")));
    }
    let size = reader.u64().await?;
    if size == 0 || size > u64::from(u32::MAX) {
        return Err(incorrect(format!("A dictionary of LowCardinality has {size} values")));
    }
    let values = data(reader, plain, size as usize).await?;
    let counted = reader.u64().await?;
    if counted != rows as u64 {
        return Err(incorrect(format!("A column of LowCardinality has {counted} rows in a block of {rows}")));
    }
    let key_bytes = 1usize << code;
    let bytes = rows.checked_mul(key_bytes).ok_or_else(|| incorrect("A column is larger than memory"))?;
    let keys = reader.exact(bytes).await?;
    let mut indexes: Vec<u32> = Vec::with_capacity(rows);
    for key in keys.as_slice().chunks_exact(key_bytes) {
        let mut wide = [0u8; 8];
        wide[..key_bytes].copy_from_slice(key);
        let key = u64::from_le_bytes(wide);
        if key >= size {
            return Err(incorrect(format!("A key of LowCardinality is {key} in a dictionary of {size} values")));
        }
        indexes.push(key as u32);
    }
    reader.spend(unfolded(plain, rows))?;
    let nulls = nullable.then(|| NullBuffer::new(BooleanBuffer::collect_bool(rows, |row| indexes[row] != 0)));
    let array = take(&values, &UInt32Array::new(indexes.into(), None), None)?;
    match nulls {
        Some(nulls) => with_nulls(&array, nulls),
        None => Ok(array),
    }
}

/// Bytes of so many values in memory; those of strings are shared.
fn unfolded(kind: &SqlType, rows: usize) -> u64 {
    let each = width(kind).map_or(VIEW_BYTES, |width| width.arrow as u64);
    each.saturating_mul(rows as u64)
}

/// A column of which most values are the default: gaps between the others, then the others.
pub(super) async fn sparse<S>(reader: &mut ByteReader<S>, kind: &SqlType, rows: usize) -> Result<ArrayRef>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    // The defaults are written nowhere, so that few bytes make many rows: they are counted, with what is made beside them
    // (places, and defaults of the columns that the block lacks), before they are made.
    reader.spend((rows as u64).saturating_mul(SPARSE_ROW_BYTES))?;
    reader.spend(unfolded(kind.plain(), rows))?;
    let mut places: Vec<usize> = Vec::new();
    let mut at = 0u64;
    loop {
        let gap = reader.varuint().await?;
        let end = gap & SPARSE_END != 0;
        at = at.saturating_add(gap & !SPARSE_END);
        if at > rows as u64 || !end && at == rows as u64 {
            return Err(incorrect(format!("A sparse column goes on behind its {rows} rows")));
        }
        if end {
            break;
        }
        places.push(at as usize);
        at += 1;
    }
    if at != rows as u64 {
        return Err(incorrect(format!("A sparse column has {at} rows in a block of {rows}")));
    }
    // NULLs are the defaults of Nullable, and no others are among the values.
    let values = match kind {
        T::Nullable(inner) => data(reader, inner, places.len()).await?,
        other => data(reader, other, places.len()).await?,
    };
    let default = default_array(kind, 1);
    let all = concat(&[&*default, &*values])?;
    let mut indexes = vec![0u32; rows];
    for (value, place) in places.iter().enumerate() {
        indexes[*place] = value as u32 + 1;
    }
    Ok(take(&all, &UInt32Array::new(indexes.into(), None), None)?)
}
