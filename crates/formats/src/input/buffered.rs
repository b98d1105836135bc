//! Parquet, Arrow and ORC out of a stream that cannot be sought.
//!
//! ArrowStream is decoded message by message, as each is there as a whole. Parquet, Arrow and ORC files have their directory at the end, so their
//! bytes are held until `finish`. Columns are matched by name and converted to the types that were asked for. Text is decoded as
//! the bytes that it is.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::buffer::Buffer;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::ipc::reader::StreamDecoder;
use bytes::Bytes;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result, ResultExt, allocations};
use gristmill_introspect::{Counters, Event, Settings};
use gristmill_types::adopt::adopt;
use gristmill_types::cast::CastOptions;
use gristmill_types::default::default_array;
use gristmill_types::{Columns, SqlType};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::metadata::ParquetMetaDataReader;

use super::RowParser;
use super::omitted::{flagged_column, flags_of};
use super::rows::BATCH_ROWS;
use crate::Format;
use crate::columnar::arrow_check::{self, Next};
use crate::columnar::arrow_rows::{ArrowRows, guarded_arrow, text_as_bytes};
use crate::columnar::nested_columns::{nested_column, nested_place};
use crate::columnar::parquet_metadata::{guarded, reader_metadata, without_text_annotations};
use crate::columnar::parquet_rows::{Limits, ParquetRows};
use crate::columnar::{FileBytes, footer_check};
use crate::orc::OrcRows;

pub(crate) struct Buffered {
    format: Format,
    object: String,
    columns: Columns,
    schema: SchemaRef,
    options: CastOptions,
    limits: Limits,
    allow_missing: bool,
    any_case: bool,
    /// Where it is ORC, whose reader takes the columns that are asked for.
    orc_settings: Option<Settings>,
    held: Vec<u8>,
    /// Less than so many bytes of a stream hold no whole message.
    wanted: usize,
    stream: Option<StreamDecoder>,
    /// Bytes of the stream so far.
    streamed: u64,
    rows: u64,
    unknown: u64,
    /// Columns of the file that its reader has left out.
    left_out: usize,
}

impl Buffered {
    pub fn new(format: Format, columns: &Columns, settings: &Settings, timezone: Tz, object: &str) -> Result<Self> {
        let options = CastOptions {
            timezone,
            null_as_default: settings.input_format_null_as_default,
            saturates: true,
            refuses_days: settings.date_time_overflow_behavior != "saturate",
            ..CastOptions::default()
        };
        Ok(Buffered {
            format,
            object: object.to_string(),
            schema: columns.arrow(),
            columns: columns.clone(),
            options,
            limits: Limits::of(settings, BATCH_ROWS),
            allow_missing: match format {
                Format::Orc => settings.input_format_orc_allow_missing_columns,
                Format::Parquet => settings.input_format_parquet_allow_missing_columns,
                _ => settings.input_format_arrow_allow_missing_columns,
            },
            any_case: match format {
                Format::Orc => settings.input_format_orc_case_insensitive_column_matching,
                Format::Parquet => settings.input_format_parquet_case_insensitive_column_matching,
                _ => settings.input_format_arrow_case_insensitive_column_matching,
            },
            orc_settings: (format == Format::Orc).then(|| settings.clone()),
            held: Vec::new(),
            wanted: 0,
            stream: (format == Format::ArrowStream).then(StreamDecoder::new),
            streamed: 0,
            rows: 0,
            unknown: 0,
            left_out: 0,
        })
    }

    fn located(&self, error: Error) -> Error {
        error.with_context(format!("(in file/uri {}, format {})", self.object, self.format))
    }

    /// The columns asked for, out of a batch of the file.
    fn convert(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let there = batch.schema();
        let mut taken = 0;
        // Columns of the file whose parts are columns of a Nested.
        let mut nested = BTreeSet::new();
        let arrays = self
            .columns
            .iter()
            .map(|column| {
                let flagged = flagged_column(&column.name);
                let wanted = flagged.unwrap_or(&column.name);
                let matches = |name: &str| name == wanted || self.any_case && name.eq_ignore_ascii_case(wanted);
                if flagged.is_some() {
                    let outer = || nested_place(&there, wanted, self.any_case).map(|(at, _)| at);
                    let at = there.fields().iter().position(|field| matches(field.name())).or_else(outer);
                    let array = at.map(|at| batch.column(at));
                    let kind = self.columns.get(wanted).map_or(&SqlType::Bool, |column| &column.kind);
                    return Ok(flags_of(array, kind, batch.num_rows()));
                }
                let array = match there.fields().iter().position(|field| matches(field.name())) {
                    Some(at) => {
                        taken += 1;
                        batch.column(at).clone()
                    }
                    None => match nested_place(&there, wanted, self.any_case) {
                        Some((at, member)) => {
                            nested.insert(at);
                            nested_column(batch.column(at), member)?
                        }
                        None if self.allow_missing => return Ok(default_array(&column.kind, batch.num_rows())),
                        None => return Err(missing(&column.name, &there)),
                    },
                };
                adopt(&array, &column.kind, &self.options)
                    .context(|| format!("column '{}', rows from {}", column.name, self.rows + 1))
            })
            .collect::<Result<Vec<_>>>()?;
        self.rows += batch.num_rows() as u64;
        let unknown = there.fields().len().saturating_sub(taken + nested.len()) + self.left_out;
        self.unknown += (unknown * batch.num_rows()) as u64;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?)
    }

    fn take(&mut self, batch: &RecordBatch, out: &mut Vec<RecordBatch>) -> Result<()> {
        let mut from = 0;
        while from < batch.num_rows() {
            // A column of nothing, or none at all, may claim any number of rows.
            allocations::check_wanted()?;
            allocations::check_room(0)?;
            let rows = (batch.num_rows() - from).min(BATCH_ROWS);
            let converted = self.convert(&batch.slice(from, rows))?;
            out.push(converted);
            from += rows;
        }
        Ok(())
    }

    /// The whole messages at the start of a stream's held bytes; what is left stays held.
    fn whole_messages(&mut self) -> Result<Vec<Buffer>> {
        let mut ends = Vec::new();
        let mut from = 0;
        while self.held.len() - from >= self.wanted.max(1) {
            match arrow_check::next_message(&self.held[from..])? {
                Next::Whole(length) => {
                    text_as_bytes(&mut self.held[from..from + length]);
                    from += length;
                    self.wanted = 0;
                    ends.push(from);
                }
                Next::Wanted(bytes) => self.wanted = bytes,
            }
        }
        if ends.is_empty() {
            return Ok(Vec::new());
        }
        let rest = self.held[from..].to_vec();
        let whole = Buffer::from_vec(std::mem::replace(&mut self.held, rest));
        let mut start = 0;
        let cut = |end: usize| {
            let message = whole.slice_with_length(start, end - start);
            start = end;
            message
        };
        Ok(ends.into_iter().map(cut).collect())
    }

    fn decode_messages(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        for mut message in guarded(|| self.whole_messages())? {
            while let Some(decoder) = &mut self.stream
                && !message.is_empty()
            {
                if let Some(batch) = guarded_arrow(|| decoder.decode(&mut message))? {
                    self.take(&batch, out)?;
                }
            }
        }
        Ok(())
    }

    fn batches_of(&mut self, file: FileBytes) -> Result<Box<dyn Iterator<Item = Result<RecordBatch>> + Send>> {
        match &self.orc_settings {
            Some(settings) if !file.is_empty() => {
                let mut rows = guarded(|| OrcRows::new(file, &self.columns, settings))?;
                self.left_out = rows.left_out;
                Ok(Box::new(std::iter::from_fn(move || guarded(|| rows.next().transpose()).transpose())))
            }
            _ => batches_of(self.format, file, self.limits),
        }
    }

    fn whole(&mut self) -> Result<Vec<RecordBatch>> {
        let bytes = Bytes::from(std::mem::take(&mut self.held));
        let mut out = Vec::new();
        for batch in self.batches_of(bytes.into())? {
            self.take(&batch?, &mut out)?;
        }
        Ok(out)
    }

    /// The rows of a whole file, decoded as they are asked for.
    pub fn into_batches(
        mut self,
        file: FileBytes,
        counters: Arc<Counters>,
    ) -> Result<impl Iterator<Item = Result<RecordBatch>> + Send + use<>> {
        let mut read = self.batches_of(file).map_err(|error| self.located(error))?;
        let mut ready = VecDeque::new();
        Ok(std::iter::from_fn(move || {
            while ready.is_empty() {
                let mut out = Vec::new();
                let taken = read.next()?.and_then(|batch| self.take(&batch, &mut out));
                counters.add(Event::InputFieldsLeftOut, std::mem::take(&mut self.unknown));
                if let Err(error) = taken {
                    return Some(Err(self.located(error)));
                }
                ready.extend(out);
            }
            ready.pop_front().map(Ok)
        }))
    }
}

/// The batches of a Parquet or Arrow file, as they are in it. No bytes: none.
fn batches_of(
    format: Format,
    file: FileBytes,
    limits: Limits,
) -> Result<Box<dyn Iterator<Item = Result<RecordBatch>> + Send>> {
    if file.is_empty() {
        return Ok(Box::new(std::iter::empty()));
    }
    if format == Format::Parquet {
        let metadata = parquet_metadata(&file)?;
        return Ok(Box::new(ParquetRows::new(file, metadata, limits)));
    }
    guarded(|| arrow_check::check_file(&file))?;
    Ok(Box::new(guarded(|| ArrowRows::new(file))?))
}

fn missing(name: &str, schema: &Schema) -> Error {
    let there: Vec<String> = schema.fields().iter().map(|field| format!("'{}'", field.name())).collect();
    Error::new(ErrorCode::THERE_IS_NO_COLUMN, format!("The data has no column '{name}'. It has: {}", there.join(", ")))
}

/// The directory of a whole Parquet file.
pub(crate) fn parquet_metadata(file: &FileBytes) -> Result<ArrowReaderMetadata> {
    footer_check::check_file(file)?;
    let metadata = guarded(|| ParquetMetaDataReader::new().parse_and_finish(file))?;
    guarded(|| reader_metadata(Arc::new(without_text_annotations(metadata)?)))
}

/// The magic word that an Arrow file begins with; padding of zeros follows, then comes what a stream begins with.
const ARROW_MAGIC: &[u8] = b"ARROW1";

/// The schema at the start of an Arrow file or stream; `None` where the bytes end before it.
pub(crate) fn arrow_schema(bytes: &[u8]) -> Result<Option<SchemaRef>> {
    let mut decoder = StreamDecoder::new();
    let stream = bytes.strip_prefix(ARROW_MAGIC).map_or(bytes, |rest| {
        let padding = rest.iter().take_while(|byte| **byte == 0).count();
        &rest[padding..]
    });
    // In small pieces, so that what follows the schema is not looked at.
    for piece in stream.chunks(64) {
        guarded_arrow(|| decoder.decode(&mut Buffer::from(piece)))?;
        if let Some(schema) = decoder.schema() {
            return Ok(Some(schema));
        }
    }
    Ok(None)
}

impl RowParser for Buffered {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        allocations::extend(&mut self.held, bytes)?;
        if self.stream.is_none() {
            return Ok(Vec::new());
        }
        self.streamed += bytes.len() as u64;
        let mut out = Vec::new();
        self.decode_messages(&mut out).map_err(|error| self.located(error)).map(|()| out)
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        let ended = match &mut self.stream {
            None => self.whole(),
            Some(_) if self.streamed == 0 => Ok(Vec::new()),
            Some(_) if !self.held.is_empty() => Err(Error::new(
                ErrorCode::CANNOT_READ_ALL_DATA,
                "The Arrow stream ends before its end: its last message is not there as a whole",
            )),
            Some(decoder) => decoder.finish().map(|()| Vec::new()).map_err(|error| {
                Error::new(ErrorCode::CANNOT_READ_ALL_DATA, format!("The Arrow stream ends before its end: {error}"))
            }),
        };
        ended.map_err(|error| self.located(error))
    }

    fn skipped_rows(&self) -> u64 {
        0
    }

    fn unknown_fields(&self) -> u64 {
        self.unknown
    }
}
