//! RowBinary and its relatives, read as the bytes come.
//!
//! A row is measured first, by its types, and taken only where it is there as a whole; what a chunk ends with waits for the
//! next. Values are gathered by column, in the shape that Arrow has. In RowBinaryWithDefaults a byte stands before each value:
//! 1 where none follows, and the column's default is meant.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{
    Array, ArrayData, ArrayRef, BooleanArray, ListArray, MapArray, NullArray, RecordBatch, StructArray, make_array,
};
use arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, SchemaRef};
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::Settings;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::cast::CastOptions;
use gristmill_types::{Column, Columns, SqlType};

use super::block::Block;
use super::bytes::BLOCK_BYTES_MAX;
use super::decode::check_enum;
use super::encode::{Width, unsupported, width};
use crate::input::{RowParser, omitted_flag};
use crate::{Format, Header};

/// Rows of a batch, as of the other formats.
const BATCH_ROWS: usize = 65_409;
/// Bytes of the rows of a batch.
const BATCH_BYTES: usize = 8 << 20;
/// Rows between two looks at what values of one width take: a NULL is longer in memory than in the data.
const LOOK_EVERY: usize = 64;
/// Elements without bytes that an array may have.
const EMPTY_ELEMENTS_MAX: u64 = 1 << 20;
/// Columns that a header may name.
const COLUMNS_MAX: u64 = 100_000;

pub(crate) struct RowBinaryInput {
    header: Header,
    /// Those of the data: known from its header, where it has one.
    columns: Option<Columns>,
    gathered: Vec<Gathered>,
    /// RowBinaryWithDefaults: for each column, whether a row leaves it out.
    omitted: Option<Vec<Vec<bool>>>,
    rows: usize,
    bytes: usize,
    /// The row that has begun.
    held: Vec<u8>,
    /// All that the object may have, by which a header of names finds types.
    known: Columns,
    wanted: Columns,
    schema: SchemaRef,
    options: CastOptions,
    skip_unknown: bool,
    object: String,
    rows_before: u64,
}

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

impl RowBinaryInput {
    /// `columns`: of the data, where it has no header; `wanted`: some of them.
    pub fn new(
        format: Format,
        columns: &Columns,
        wanted: &Columns,
        settings: &Settings,
        timezone: Tz,
        object: &str,
    ) -> Result<Self> {
        let header = format.header();
        let mut input = RowBinaryInput {
            header,
            columns: None,
            gathered: Vec::new(),
            omitted: (format == Format::RowBinaryWithDefaults).then(Vec::new),
            rows: 0,
            bytes: 0,
            held: Vec::new(),
            known: columns.clone(),
            wanted: wanted.clone(),
            schema: wanted.arrow(),
            options: CastOptions {
                timezone,
                null_as_default: settings.input_format_null_as_default,
                ..CastOptions::default()
            },
            skip_unknown: settings.input_format_skip_unknown_fields,
            object: object.to_string(),
            rows_before: 0,
        };
        if header == Header::None {
            input.know(columns.clone())?;
        }
        Ok(input)
    }

    fn know(&mut self, columns: Columns) -> Result<()> {
        self.gathered = columns.iter().map(|column| Gathered::new(&column.kind)).collect::<Result<_>>()?;
        if let Some(omitted) = &mut self.omitted {
            omitted.resize(columns.len(), Vec::new());
        }
        self.columns = Some(columns);
        Ok(())
    }
}

/// The columns that a header names, and its length; `known` has the types where it does not. `None`: it is not there as a
/// whole.
fn header_columns(header: Header, known: &Columns, bytes: &[u8]) -> Result<Option<(Columns, usize)>> {
    let mut at = 0;
    let Some(count) = varuint(bytes, &mut at)? else { return Ok(None) };
    if count > COLUMNS_MAX {
        return Err(incorrect(format!("The header names {count} columns")));
    }
    let mut words = Vec::new();
    for _ in 0..count * if header == Header::NamesAndTypes { 2 } else { 1 } {
        let Some(word) = text(bytes, &mut at)? else { return Ok(None) };
        words.push(String::from_utf8_lossy(word).into_owned());
    }
    let types = words.split_off(count as usize);
    let columns = words.into_iter().enumerate().map(|(place, name)| {
        let kind = match types.get(place) {
            Some(written) => written.parse::<SqlType>()?,
            None => known.get(&name).map(|column| column.kind.clone()).ok_or_else(|| {
                Error::new(ErrorCode::THERE_IS_NO_COLUMN, format!("The header names a column {name} of unknown type"))
            })?,
        };
        Ok(Column::new(name, kind))
    });
    Ok(Some((Columns::new(columns.collect::<Result<_>>()?), at)))
}

/// The columns that the header of data names and types. Error: CANNOT_EXTRACT_TABLE_STRUCTURE where it is cut.
pub(crate) fn columns_of_header(sample: &[u8]) -> Result<Columns> {
    let found = header_columns(Header::NamesAndTypes, &Columns::default(), sample)?;
    found.map(|(columns, _)| columns).ok_or_else(|| {
        Error::new(ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE, "the header does not end within what is looked at")
    })
}

impl RowBinaryInput {
    fn take(&mut self, bytes: &[u8]) -> Result<(usize, Vec<RecordBatch>)> {
        let mut at = 0;
        if self.columns.is_none() {
            let Some((columns, length)) = header_columns(self.header, &self.known, bytes)? else {
                return Ok((0, Vec::new()));
            };
            self.know(columns)?;
            at = length;
        }
        let mut out = Vec::new();
        if self.gathered.is_empty() {
            return Ok((at, out));
        }
        while at < bytes.len() {
            let Some(end) = row_end(&self.gathered, self.omitted.is_some(), bytes, at)? else { break };
            // Of values without bytes (empty tuples) there would be rows without end.
            if end == at {
                return Err(incorrect("There are bytes, and rows of these columns have none"));
            }
            let mut from = at;
            for (place, column) in self.gathered.iter_mut().enumerate() {
                let Some(omitted) = &mut self.omitted else {
                    column.take(bytes, &mut from)?;
                    continue;
                };
                let is_omitted = bytes[from] != 0;
                from += 1;
                omitted[place].push(is_omitted);
                if is_omitted { column.take_default()? } else { column.take(bytes, &mut from)? }
            }
            self.rows += 1;
            self.bytes += end - at;
            at = end;
            let is_large = self.rows.is_multiple_of(LOOK_EVERY)
                && self.gathered.iter().map(Gathered::fixed_bytes).sum::<usize>() >= BATCH_BYTES;
            if is_large || self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
                out.push(self.batch()?);
            }
        }
        Ok((at, out))
    }

    fn batch(&mut self) -> Result<RecordBatch> {
        let mut arrays = self.gathered.iter_mut().map(Gathered::finish).collect::<Result<Vec<_>>>()?;
        let mut columns = self.columns.clone().unwrap_or_default();
        if let Some(omitted) = &mut self.omitted {
            arrays.extend(omitted.iter_mut().map(|flags| Arc::new(BooleanArray::from(std::mem::take(flags))) as ArrayRef));
            let flags = columns.iter().map(|column| omitted_flag(&column.name));
            columns = Columns::new(columns.iter().cloned().chain(flags).collect());
        }
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        self.rows_before += rows as u64;
        let block = Block { columns, rows, arrays };
        block.adopt(&self.wanted, &self.schema, self.skip_unknown || self.header == Header::None, &self.options)
    }
}

impl RowParser for RowBinaryInput {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        let place =
            format!("(in file/uri {}, format RowBinary, behind row {})", self.object, self.rows_before + self.rows as u64);
        let mut held = std::mem::take(&mut self.held);
        let taken = if held.is_empty() {
            let (used, batches) = self.take(bytes).context(|| place)?;
            held.extend_from_slice(&bytes[used..]);
            batches
        } else {
            held.extend_from_slice(bytes);
            let (used, batches) = self.take(&held).context(|| place)?;
            held.drain(..used);
            batches
        };
        if held.len() as u64 > BLOCK_BYTES_MAX {
            return Err(incorrect(format!("A row has more than {BLOCK_BYTES_MAX} bytes")));
        }
        self.held = held;
        Ok(taken)
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        if !self.held.is_empty() {
            let text = format!("The data ends within a row (in file/uri {}, format RowBinary)", self.object);
            return Err(Error::new(ErrorCode::CANNOT_READ_ALL_DATA, text));
        }
        match self.rows {
            0 => Ok(Vec::new()),
            _ => Ok(vec![self.batch()?]),
        }
    }

    fn skipped_rows(&self) -> u64 {
        0
    }

    fn unknown_fields(&self) -> u64 {
        0
    }
}

/// Where the row that begins at a place ends. `None`: not within the bytes.
fn row_end(columns: &[Gathered], with_defaults: bool, bytes: &[u8], at: usize) -> Result<Option<usize>> {
    let mut end = at;
    for column in columns {
        if with_defaults {
            let Some(mark) = bytes.get(end) else { return Ok(None) };
            end += 1;
            if *mark != 0 {
                continue;
            }
        }
        if !column.skip(bytes, &mut end)? {
            return Ok(None);
        }
    }
    Ok(Some(end))
}

/// `None`: the bytes end within it.
fn varuint(bytes: &[u8], at: &mut usize) -> Result<Option<u64>> {
    let mut value = 0u64;
    for (place, byte) in bytes[*at..].iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * place as u32).unwrap_or(0);
        if *byte < 0x80 {
            *at += place + 1;
            return Ok(Some(value));
        }
    }
    match bytes.len() - *at < 10 {
        true => Ok(None),
        false => Err(incorrect("A length has more than ten bytes")),
    }
}

fn text<'a>(bytes: &'a [u8], at: &mut usize) -> Result<Option<&'a [u8]>> {
    let Some(length) = varuint(bytes, at)? else { return Ok(None) };
    if length > BLOCK_BYTES_MAX {
        return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, format!("A string of {length} bytes is too large")));
    }
    let Some(text) = bytes.get(*at..*at + length as usize) else { return Ok(None) };
    *at += length as usize;
    Ok(Some(text))
}

/// Values of one type.
struct Gathered {
    kind: SqlType,
    rows: usize,
    values: Values,
}

enum Values {
    Fixed {
        width: Width,
        bytes: MutableBuffer,
    },
    Bool(Vec<bool>),
    Text(BytesBuilder),
    Nullable {
        valid: Vec<bool>,
        inner: Box<Gathered>,
    },
    /// As Arrow carries the type inside.
    Same(Box<Gathered>),
    List {
        offsets: Vec<i32>,
        inner: Box<Gathered>,
    },
    Map {
        offsets: Vec<i32>,
        key: Box<Gathered>,
        value: Box<Gathered>,
    },
    Tuple(Vec<Gathered>),
    Nothing,
}

impl Gathered {
    fn new(kind: &SqlType) -> Result<Gathered> {
        let boxed = |kind: &SqlType| Gathered::new(kind).map(Box::new);
        let values = match (kind, width(kind)) {
            (_, Some(width)) => Values::Fixed { width, bytes: MutableBuffer::new(0) },
            (T::Bool, _) => Values::Bool(Vec::new()),
            (T::String, _) => Values::Text(BytesBuilder::default()),
            (T::Nullable(inner), _) => Values::Nullable { valid: Vec::new(), inner: boxed(inner)? },
            (T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner), _) => Values::Same(boxed(inner)?),
            (T::Array(inner), _) => Values::List { offsets: vec![0], inner: boxed(inner)? },
            (T::Map(key, value), _) => Values::Map { offsets: vec![0], key: boxed(key)?, value: boxed(value)? },
            (T::Tuple(fields), _) => {
                Values::Tuple(fields.iter().map(|(_, kind)| Gathered::new(kind)).collect::<Result<_>>()?)
            }
            (T::Nothing, _) => Values::Nothing,
            (other, _) => return Err(unsupported(other)),
        };
        Ok(Gathered { kind: kind.clone(), rows: 0, values })
    }

    /// Whether a value may have no bytes.
    fn may_be_empty(&self) -> bool {
        match &self.values {
            Values::Nothing => true,
            Values::Tuple(parts) => parts.iter().all(Gathered::may_be_empty),
            Values::Same(inner) => inner.may_be_empty(),
            _ => false,
        }
    }

    /// Passes over a value. False: the bytes end within it.
    fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let fixed = |length: usize, at: &mut usize| {
            *at += length;
            *at <= bytes.len()
        };
        Ok(match &self.values {
            Values::Fixed { width, .. } => fixed(width.wire, at),
            Values::Bool(_) => fixed(1, at),
            Values::Text(_) => text(bytes, at)?.is_some(),
            Values::Nullable { inner, .. } => match bytes.get(*at) {
                None => false,
                Some(mark) => {
                    *at += 1;
                    *mark != 0 || inner.skip(bytes, at)?
                }
            },
            Values::Same(inner) => inner.skip(bytes, at)?,
            Values::List { inner, .. } => {
                let Some(count) = elements(inner.may_be_empty(), bytes, at)? else { return Ok(false) };
                for _ in 0..count {
                    if !inner.skip(bytes, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Values::Map { key, value, .. } => {
                let is_empty = key.may_be_empty() && value.may_be_empty();
                let Some(count) = elements(is_empty, bytes, at)? else { return Ok(false) };
                for _ in 0..count {
                    if !(key.skip(bytes, at)? && value.skip(bytes, at)?) {
                        return Ok(false);
                    }
                }
                true
            }
            Values::Tuple(parts) => {
                for part in parts {
                    if !part.skip(bytes, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Values::Nothing => true,
        })
    }

    /// Takes a value that is there as a whole.
    fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        let cut = || Error::logical("A row of RowBinary is shorter than it was measured");
        self.rows += 1;
        match &mut self.values {
            Values::Fixed { width, bytes: gathered } => {
                let value = bytes.get(*at..*at + width.wire).ok_or_else(cut)?;
                *at += width.wire;
                push_widened(value, *width, self.kind == T::Uuid, gathered);
            }
            Values::Bool(values) => {
                values.push(*bytes.get(*at).ok_or_else(cut)? != 0);
                *at += 1;
            }
            Values::Text(builder) => builder.append(text(bytes, at)?.ok_or_else(cut)?),
            Values::Nullable { valid, inner } => {
                let is_valid = *bytes.get(*at).ok_or_else(cut)? == 0;
                *at += 1;
                valid.push(is_valid);
                if is_valid { inner.take(bytes, at)? } else { inner.take_default()? }
            }
            Values::Same(inner) => inner.take(bytes, at)?,
            Values::List { offsets, inner } => {
                let count = elements(false, bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    inner.take(bytes, at)?;
                }
                push_end(offsets, count)?;
            }
            Values::Map { offsets, key, value } => {
                let count = elements(false, bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    key.take(bytes, at)?;
                    value.take(bytes, at)?;
                }
                push_end(offsets, count)?;
            }
            Values::Tuple(parts) => {
                for part in parts {
                    part.take(bytes, at)?;
                }
            }
            Values::Nothing => {}
        }
        Ok(())
    }

    /// What stands below a NULL.
    fn take_default(&mut self) -> Result<()> {
        self.rows += 1;
        match &mut self.values {
            Values::Fixed { bytes, .. } if bytes.len() as u64 > BLOCK_BYTES_MAX => {
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "The NULLs of a row are too large in memory"));
            }
            Values::Fixed { width, bytes } => bytes.extend_zeros(width.arrow),
            Values::Bool(values) => values.push(false),
            Values::Text(builder) => builder.append(b""),
            Values::Nullable { valid, inner } => {
                valid.push(false);
                inner.take_default()?;
            }
            Values::Same(inner) => inner.take_default()?,
            Values::List { offsets, .. } | Values::Map { offsets, .. } => offsets.push(offsets.last().copied().unwrap_or(0)),
            Values::Tuple(parts) => parts.iter_mut().try_for_each(Gathered::take_default)?,
            Values::Nothing => {}
        }
        Ok(())
    }

    /// Bytes of values of one width.
    fn fixed_bytes(&self) -> usize {
        match &self.values {
            Values::Fixed { bytes, .. } => bytes.len(),
            Values::Nullable { inner, .. } | Values::Same(inner) | Values::List { inner, .. } => inner.fixed_bytes(),
            Values::Map { key, value, .. } => key.fixed_bytes() + value.fixed_bytes(),
            Values::Tuple(parts) => parts.iter().map(Gathered::fixed_bytes).sum(),
            Values::Bool(_) | Values::Text(_) | Values::Nothing => 0,
        }
    }

    /// The values as a column; none are left.
    fn finish(&mut self) -> Result<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let bits = |values: &mut Vec<bool>| BooleanBuffer::from(std::mem::take(values));
        Ok(match &mut self.values {
            Values::Fixed { bytes, .. } => fixed_array(&self.kind, bytes, rows, None)?,
            Values::Bool(values) => Arc::new(BooleanArray::new(bits(values), None)),
            Values::Text(builder) => Arc::new(builder.finish(None)),
            Values::Nullable { valid, inner } => {
                let nulls = NullBuffer::new(bits(valid));
                if let Values::Fixed { bytes, .. } = &mut inner.values {
                    inner.rows = 0;
                    return fixed_array(&inner.kind, bytes, rows, Some(nulls));
                }
                let array = inner.finish()?;
                match inner.kind {
                    T::Nothing => array,
                    _ => make_array(array.to_data().into_builder().nulls(Some(nulls)).build()?),
                }
            }
            Values::Same(inner) => inner.finish()?,
            Values::List { offsets, inner } => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                let field = inner.kind.field("item");
                Arc::new(ListArray::try_new(field, offsets, inner.finish()?, None)?)
            }
            Values::Map { offsets, key, value } => {
                let DataType::Map(entries, sorted) = self.kind.arrow() else { return Err(unsupported(&self.kind)) };
                let DataType::Struct(fields) = entries.data_type() else { return Err(unsupported(&self.kind)) };
                let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                let pairs = StructArray::try_new(fields.clone(), vec![key.finish()?, value.finish()?], None)?;
                Arc::new(MapArray::try_new(entries, offsets, pairs, None, sorted)?)
            }
            Values::Tuple(parts) => {
                let DataType::Struct(carriers) = self.kind.arrow() else { return Err(unsupported(&self.kind)) };
                let columns = parts.iter_mut().map(Gathered::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new_with_length(carriers, columns, None, rows)?)
            }
            Values::Nothing => Arc::new(NullArray::new(rows)),
        })
    }
}

fn push_widened(value: &[u8], width: Width, is_uuid: bool, out: &mut MutableBuffer) {
    if is_uuid {
        let mut turned = [0; 16];
        turned.copy_from_slice(value);
        turned[..8].reverse();
        turned[8..].reverse();
        out.extend_from_slice(&turned);
        return;
    }
    out.extend_from_slice(value);
    let negative = width.signed && value.last().is_some_and(|high| *high >= 0x80);
    out.extend_from_slice(&[if negative { 0xff_u8 } else { 0 }; 32][..width.arrow - width.wire]);
}

fn push_end(offsets: &mut Vec<i32>, count: u64) -> Result<()> {
    let last = i64::from(offsets.last().copied().unwrap_or(0)) + count as i64;
    let last =
        i32::try_from(last).map_err(|_| Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "Arrays of a batch are too large"))?;
    offsets.push(last);
    Ok(())
}

/// How many elements follow. An array of elements without bytes says more of itself than its bytes do.
fn elements(are_empty: bool, bytes: &[u8], at: &mut usize) -> Result<Option<u64>> {
    let Some(count) = varuint(bytes, at)? else { return Ok(None) };
    let most = if are_empty { EMPTY_ELEMENTS_MAX } else { BLOCK_BYTES_MAX };
    if count > most {
        return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, format!("An array of {count} elements is too large")));
    }
    Ok(Some(count))
}

fn fixed_array(kind: &SqlType, bytes: &mut MutableBuffer, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let bytes = std::mem::replace(bytes, MutableBuffer::new(0));
    check_enum(kind, bytes.as_slice(), nulls.as_ref())?;
    Ok(make_array(ArrayData::builder(kind.arrow()).len(rows).add_buffer(bytes.into()).nulls(nulls).build()?))
}
