//! Output: batches in, bytes of a format out.
//!
//! A writer resolves each column of a batch once (`ValueWriter`), then goes over the rows; nothing is allocated by row.
//! Headers and footers are the business of `start` and `finish`, so a writer may be fed from any stream and its bytes
//! may go anywhere: a socket, a compressor, an upload.

mod custom;
mod delimited;
mod json;
mod json_columns;
mod json_each_row;
mod json_objects;
mod json_progress;
mod json_tree;
mod markdown;
mod pretty;
mod raw_blob;
mod template;
mod tskv;
mod values;
mod vertical;
mod xml;

use std::sync::Arc;

use arrow::array::RecordBatch;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::Columns;
use gristmill_types::text::{DateTimeOutput, Escaping, TextOptions, ValueWriter};

use crate::Format;
pub(crate) use delimited::csv_delimiter;

/// What is known when the last row was written.
#[derive(Clone, Debug, Default)]
pub struct ResultSummary {
    /// Rows of the result.
    pub rows: u64,
    pub elapsed_seconds: f64,
    /// Rows and bytes that were read for it.
    pub read_rows: u64,
    pub read_bytes: u64,
    /// Rows that there are to read in all, as far as known.
    pub total_rows_to_read: u64,
    /// Rows there would be without LIMIT, at least; `None` where there is no LIMIT.
    pub rows_before_limit: Option<u64>,
    /// One row: WITH TOTALS.
    pub totals: Option<RecordBatch>,
    /// Two rows: least and greatest.
    pub extremes: Option<RecordBatch>,
}

/// How far a query is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    pub read_rows: u64,
    pub read_bytes: u64,
    /// 0: not known.
    pub total_rows_to_read: u64,
    pub elapsed_ns: u64,
}

/// What the reader of the output is like.
#[derive(Clone, Debug)]
pub struct OutputContext {
    pub settings: Arc<Settings>,
    /// Of dates and times whose type names none.
    pub timezone: Tz,
    /// Someone looks at it: colours are welcome.
    pub terminal: bool,
    /// Characters in a line of that terminal.
    pub width: Option<u16>,
}

/// A writer of one format. `start`, any number of `write`, `finish`; each appends to `out`.
pub trait OutputFormat: Send {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// The batch carries the columns that the writer was made for.
    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()>;

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()>;

    /// Tells how far the query is, where the format has rows for that. Whoever sends rows as they come calls it between batches.
    fn progress(&mut self, _progress: &Told, _out: &mut Vec<u8>) {}

    /// Tells a line of the query's log, a JSON object, where the format has rows for that: it may come before, between and behind
    /// batches. False: it has none, and nothing was written.
    fn log(&mut self, _object: &str, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Instead of `finish` where the query failed: ends the document with the error in it. False: the format has no place for
    /// errors, and nothing was written. Of `summary` the rows that were written are looked at.
    fn fail(&mut self, _summary: &ResultSummary, _error: &str, _out: &mut Vec<u8>) -> Result<bool> {
        Ok(false)
    }
}

/// The writer of a format. FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT where it only reads.
pub fn writer(format: Format, columns: &Columns, context: OutputContext) -> Result<Box<dyn OutputFormat>> {
    use Format as F;
    let columns = columns.clone();
    let settings = &context.settings;
    Ok(match format {
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => {
            Box::new(delimited::Delimited::csv(format, columns, &context)?)
        }
        F::Tsv
        | F::TsvWithNames
        | F::TsvWithNamesAndTypes
        | F::TsvRaw
        | F::TsvRawWithNames
        | F::TsvRawWithNamesAndTypes
        | F::LineAsString
        | F::LineAsStringWithNames
        | F::LineAsStringWithNamesAndTypes => Box::new(delimited::Delimited::tsv(format, columns, &context)),
        F::Tskv => Box::new(tskv::Tskv::new(columns, &context)),
        F::JsonEachRow
        | F::JsonStringsEachRow
        | F::PrettyJsonEachRow
        | F::JsonCompactEachRow
        | F::JsonCompactEachRowWithNames
        | F::JsonCompactEachRowWithNamesAndTypes
        | F::JsonCompactStringsEachRow
        | F::JsonCompactStringsEachRowWithNames
        | F::JsonCompactStringsEachRowWithNamesAndTypes => {
            Box::new(json_each_row::JsonEachRow::new(format, columns, &context))
        }
        F::JsonEachRowWithProgress
        | F::JsonStringsEachRowWithProgress
        | F::JsonCompactEachRowWithProgress
        | F::JsonCompactStringsEachRowWithProgress => Box::new(json_progress::JsonProgress::new(format, columns, &context)),
        F::JsonObjectEachRow => Box::new(json_objects::JsonObjects::new(columns, &context)?),
        F::CustomSeparated | F::CustomSeparatedWithNames | F::CustomSeparatedWithNamesAndTypes => {
            Box::new(custom::Custom::new(format, columns, &context)?)
        }
        F::Template => Box::new(template::TemplateOutput::new(columns, &context)?),
        F::JsonColumns | F::JsonCompactColumns | F::JsonColumnsWithMetadata => {
            Box::new(json_columns::JsonColumns::new(format, columns, &context))
        }
        F::Xml => Box::new(xml::Xml::new(columns, &context)),
        F::Json | F::JsonStrings | F::JsonCompact | F::JsonCompactStrings => {
            Box::new(json::Json::new(format, columns, &context))
        }
        F::Pretty
        | F::PrettyNoEscapes
        | F::PrettyMonoBlock
        | F::PrettyNoEscapesMonoBlock
        | F::PrettyCompact
        | F::PrettyCompactNoEscapes
        | F::PrettyCompactMonoBlock
        | F::PrettyCompactNoEscapesMonoBlock
        | F::PrettySpace
        | F::PrettySpaceNoEscapes
        | F::PrettySpaceMonoBlock
        | F::PrettySpaceNoEscapesMonoBlock => Box::new(pretty::Pretty::new(format, columns, &context)),
        F::Vertical => Box::new(vertical::Vertical::new(columns, &context)),
        F::Values => Box::new(values::Values::new(columns, &context)),
        F::SqlInsert => Box::new(values::SqlInsert::new(columns, &context)),
        F::Markdown => Box::new(markdown::Markdown::new(columns, &context)),
        F::RawBlob => Box::new(raw_blob::RawBlob::new(columns, &context)),
        F::Native => Box::new(crate::native::NativeOutput::new(columns, settings)),
        F::RowBinary | F::RowBinaryWithNames | F::RowBinaryWithNamesAndTypes => {
            Box::new(crate::native::RowBinaryOutput::new(format, columns, settings))
        }
        F::MsgPack => Box::new(crate::msgpack::MsgPackOutput::new(columns, settings)?),
        F::Null => Box::new(Nothing),
        F::Parquet => Box::new(crate::columnar::parquet::ParquetOutput::new(columns, settings)?),
        F::Avro => Box::new(crate::avro::AvroOutput::new(columns, &context)?),
        F::Orc => Box::new(crate::orc::OrcOutput::new(columns, settings)?),
        F::Arrow | F::ArrowStream => Box::new(crate::columnar::arrow::ArrowOutput::new(format, columns, settings)?),
        F::JsonAsString
        | F::One
        | F::RowBinaryWithDefaults
        | F::RowBinaryWithNamesAndTypesAndDefaults
        | F::Regexp
        | F::Form
        | F::TemplateIgnoreSpaces
        | F::CustomSeparatedIgnoreSpaces
        | F::CustomSeparatedIgnoreSpacesWithNames
        | F::CustomSeparatedIgnoreSpacesWithNamesAndTypes => {
            let instead = match format {
                F::CustomSeparatedIgnoreSpacesWithNames => F::CustomSeparatedWithNames,
                F::CustomSeparatedIgnoreSpacesWithNamesAndTypes => F::CustomSeparatedWithNamesAndTypes,
                F::TemplateIgnoreSpaces => F::Template,
                F::JsonAsString => F::LineAsString,
                F::RowBinaryWithDefaults => F::RowBinary,
                F::RowBinaryWithNamesAndTypesAndDefaults => F::RowBinaryWithNamesAndTypes,
                _ => F::CustomSeparated,
            };
            return Err(Error::new(
                ErrorCode::FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT,
                format!("Format {format} is only for reading: write {instead} instead"),
            ));
        }
    })
}

/// Writes nothing.
struct Nothing;

impl OutputFormat for Nothing {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &RecordBatch, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// What ClickHouse shows for NULL where people read.
pub(crate) const NULL_FOR_PEOPLE: &str = "ᴺᵁᴸᴸ";

/// How values are written under these settings.
pub(crate) fn text_options(context: &OutputContext, escaping: Escaping) -> TextOptions {
    let settings = &context.settings;
    TextOptions {
        escaping,
        timezone: context.timezone,
        date_time_output_format: DateTimeOutput::by_name(&settings.date_time_output_format).unwrap_or_default(),
        tsv_null: Arc::from(settings.format_tsv_null_representation.as_str()),
        csv_null: Arc::from(settings.format_csv_null_representation.as_str()),
        bool_true: Arc::from(settings.bool_true_representation.as_str()),
        bool_false: Arc::from(settings.bool_false_representation.as_str()),
        json_quote_64bit_integers: settings.output_format_json_quote_64bit_integers,
        json_quote_64bit_floats: settings.output_format_json_quote_64bit_floats,
        json_quote_denormals: settings.output_format_json_quote_denormals,
        json_quote_decimals: settings.output_format_json_quote_decimals,
        json_escape_forward_slashes: settings.output_format_json_escape_forward_slashes,
        json_named_tuples_as_objects: settings.output_format_json_named_tuples_as_objects,
        json_maps_as_arrays: settings.output_format_json_map_as_array_of_tuples,
        json_replace_invalid_utf8: settings.output_format_json_validate_utf8,
        json_leave_out_null_fields: settings.output_format_json_skip_null_value_in_named_tuples,
        decimal_trailing_zeros: settings.output_format_decimal_trailing_zeros,
        always_point: settings.output_format_always_write_decimal_point_in_float_and_decimal,
        float_precision: settings.output_format_float_precision,
        date_time_64_in_thousands: settings.date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands,
        doubled_quotes: settings.output_format_values_escape_quote_with_quote,
        csv_whole_tuples: !settings.output_format_csv_serialize_tuple_into_separate_columns,
        trim_fixed_string: settings.output_format_trim_fixed_string,
        kusto_intervals: settings.interval_output_format == "kusto",
    }
}

/// One writer a column.
pub(crate) fn value_writers(batch: &RecordBatch, columns: &Columns, options: &TextOptions) -> Result<Vec<ValueWriter>> {
    if batch.num_columns() != columns.len() {
        let (there, wanted) = (batch.num_columns(), columns.len());
        return Err(Error::logical(format!("A batch of {there} columns came to a writer of {wanted}")));
    }
    batch.columns().iter().zip(columns).map(|(array, column)| ValueWriter::new(array, &column.kind, options)).collect()
}
