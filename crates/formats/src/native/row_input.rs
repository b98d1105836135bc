//! RowBinary and its relatives, read as the bytes come.
//!
//! A row is measured first, by its types, and taken only where it is there as a whole; what a chunk ends with waits for the
//! next. Values are gathered by column, in the shape that Arrow has. In those with Defaults in their names a byte stands before each value:
//! 1 where none follows, and the column's default is meant.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::Settings;
use gristmill_types::binary::{Gathered, read_type, text, varuint};
use gristmill_types::cast::CastOptions;
use gristmill_types::{Column, Columns, SqlType};

use super::block::Block;
use super::bytes::BLOCK_BYTES_MAX;
use crate::input::{RowParser, omitted_flag};
use crate::{Format, Header};

/// Rows of a batch, as of the other formats.
const BATCH_ROWS: usize = 65_409;
/// Bytes of the rows of a batch.
const BATCH_BYTES: usize = 8 << 20;
/// Rows between two looks at what values of one width take: a NULL is longer in memory than in the data.
const LOOK_EVERY: usize = 64;
/// Columns that a header may name.
const COLUMNS_MAX: u64 = 100_000;

pub(crate) struct RowBinaryInput {
    header: Header,
    types_in_binary: bool,
    /// Those of the data: known from its header, where it has one.
    columns: Option<Columns>,
    gathered: Vec<Gathered>,
    /// Of formats with defaults: for each column, whether a row leaves it out.
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
            types_in_binary: settings.input_format_binary_decode_types_in_binary_format,
            columns: None,
            gathered: Vec::new(),
            omitted: matches!(format, Format::RowBinaryWithDefaults | Format::RowBinaryWithNamesAndTypesAndDefaults)
                .then(Vec::new),
            rows: 0,
            bytes: 0,
            held: Vec::new(),
            known: columns.clone(),
            wanted: wanted.clone(),
            schema: wanted.arrow(),
            options: CastOptions {
                timezone,
                null_as_default: settings.input_format_null_as_default,
                saturates: true,
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
fn header_columns(header: Header, types_in_binary: bool, known: &Columns, bytes: &[u8]) -> Result<Option<(Columns, usize)>> {
    let mut at = 0;
    let Some(count) = varuint(bytes, &mut at)? else { return Ok(None) };
    if count > COLUMNS_MAX {
        return Err(incorrect(format!("The header names {count} columns")));
    }
    let mut names = Vec::new();
    for _ in 0..count {
        let Some(word) = text(bytes, &mut at)? else { return Ok(None) };
        names.push(String::from_utf8_lossy(word).into_owned());
    }
    let mut types: Vec<SqlType> = Vec::new();
    for _ in 0..if header == Header::NamesAndTypes { count } else { 0 } {
        let kind = match types_in_binary {
            true => read_type(bytes, &mut at)?,
            false => text(bytes, &mut at)?.map(|word| String::from_utf8_lossy(word).parse::<SqlType>()).transpose()?,
        };
        let Some(kind) = kind else { return Ok(None) };
        types.push(kind);
    }
    let columns = names.into_iter().enumerate().map(|(place, name)| {
        let kind = match types.get(place) {
            Some(kind) => kind.clone(),
            None => known.get(&name).map(|column| column.kind.clone()).ok_or_else(|| {
                Error::new(ErrorCode::THERE_IS_NO_COLUMN, format!("The header names a column {name} of unknown type"))
            })?,
        };
        Ok(Column::new(name, kind))
    });
    Ok(Some((Columns::new(columns.collect::<Result<_>>()?), at)))
}

/// The columns that the header of data names and types. Error: CANNOT_EXTRACT_TABLE_STRUCTURE where it is cut.
pub(crate) fn columns_of_header(sample: &[u8], settings: &Settings) -> Result<Columns> {
    let in_binary = settings.input_format_binary_decode_types_in_binary_format;
    let found = header_columns(Header::NamesAndTypes, in_binary, &Columns::default(), sample)?;
    found.map(|(columns, _)| columns).ok_or_else(|| {
        Error::new(ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE, "the header does not end within what is looked at")
    })
}

impl RowBinaryInput {
    fn take(&mut self, bytes: &[u8]) -> Result<(usize, Vec<RecordBatch>)> {
        let mut at = 0;
        if self.columns.is_none() {
            let Some((columns, length)) = header_columns(self.header, self.types_in_binary, &self.known, bytes)? else {
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
                && self.gathered.iter().map(Gathered::memory_bytes).sum::<usize>() >= BATCH_BYTES;
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
