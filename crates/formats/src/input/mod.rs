//! Input: bytes of a text format in, batches of columns out.
//!
//! Three layers. A `RowReader` (one a format) reads one row from the start of a slice into the columns, or says that the
//! slice ends before the row does. `Chunked` feeds it from chunks that are cut anywhere: it parses straight from the
//! caller's bytes and keeps only the piece of a row that a chunk ends with. `Rows` holds what all formats share: the
//! column builders, batch limits, defaults for fields that are missing, rows left out on errors, and where an error was.

mod as_string;
pub(crate) mod buffered;
pub(crate) mod chunked;
pub(crate) mod csv;
mod custom;
pub(crate) mod fields;
pub(crate) mod form;
mod heading;
mod json_columns;
mod json_document;
pub(crate) mod json_named_rows;
pub(crate) mod json_rows;
pub(crate) mod omitted;
mod one_row;
pub(crate) mod regexp;
mod rows;
mod split;
pub(crate) mod template;
mod tskv;
pub(crate) mod tsv;
pub(crate) mod values;

use std::sync::Arc;

use arrow::array::RecordBatch;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{Counters, Event, Settings};
use gristmill_types::Columns;

use crate::Format;
use crate::columnar::FileBytes;
use chunked::Chunked;
use heading::Headed;
pub use omitted::{flagged_column, flags_of, omitted_flag, with_omitted_flags};
pub(crate) use rows::{BATCH_BYTES, BATCH_ROWS, Rows};
pub use split::{bare_rows, is_splittable, split_rows};

/// A parser of one object, fed in order with its bytes.
pub trait RowParser: Send {
    /// Takes the next bytes, cut anywhere, and gives the batches that are full.
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>>;

    /// The end of the data: gives what is left. Errors where the data ends within a row.
    fn finish(&mut self) -> Result<Vec<RecordBatch>>;

    /// Rows left out because of mistakes, as `input_format_allow_errors_num` and `_ratio` allow.
    fn skipped_rows(&self) -> u64;

    /// Values that were left out because no column takes them.
    fn unknown_fields(&self) -> u64;
}

/// The parser of a format. Batches carry `columns` (`Columns::arrow`) and have up to 65,409 rows or 8 MiB; a field that
/// the data lacks is the type's default, and is told of where `columns` ask for it (`with_omitted_flags`). `object` names the data in errors. Formats with random access (Parquet, Arrow,
/// ORC) are held in memory until `finish`: for streams that cannot be sought, such as the body of an INSERT.
pub fn parser(
    format: Format,
    columns: &Columns,
    settings: &Settings,
    timezone: Tz,
    object: &str,
) -> Result<Box<dyn RowParser>> {
    make(format, columns, None, settings, timezone, object, None)
}

/// The rows of a whole Parquet, Arrow or ORC file, decoded as they are asked for. `columns` as of `parser`.
pub fn file_batches(
    format: Format,
    columns: &Columns,
    settings: &Settings,
    timezone: Tz,
    object: &str,
    file: FileBytes,
    counters: Arc<Counters>,
) -> Result<impl Iterator<Item = Result<RecordBatch>> + Send + use<>> {
    buffered::Buffered::new(format, columns, settings, timezone, object)?.into_batches(file, counters)
}

/// Counts for a query what a parser that is at its end has left out.
pub fn count_left_out(parser: &dyn RowParser, counters: &Counters) {
    for (event, count) in
        [(Event::InputFieldsLeftOut, parser.unknown_fields()), (Event::InputRowsLeftOut, parser.skipped_rows())]
    {
        if count > 0 {
            counters.add(event, count);
        }
    }
}

/// A piece of an object that was cut at a row border (`split_rows`).
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The object's first bytes up to its first row, as `header_length` counts them.
    pub header: &'a [u8],
    /// Rows before the part; `None`: not known, so errors name no row.
    pub first_row: Option<u64>,
}

/// The parser of a part of an object, or (`None`) of all of it. Batches have only the columns `wanted`, in that order;
/// values of the others are passed over unseen, mistakes in them too.
pub fn part_parser(
    format: Format,
    columns: &Columns,
    wanted: &[usize],
    settings: &Settings,
    timezone: Tz,
    object: &str,
    part: Option<Part<'_>>,
) -> Result<Box<dyn RowParser>> {
    make(format, columns, Some(wanted), settings, timezone, object, part)
}

/// How many of the first bytes of an object are its header: lines to skip, names and types (written or detected), so
/// that parts of the object can be parsed on their own. `None` where `head` does not hold the whole header.
pub fn header_length(format: Format, columns: &Columns, settings: &Settings, head: &[u8]) -> Result<Option<usize>> {
    use Format as F;
    let rows = Rows::new(format, columns, settings, Tz::UTC, "")?;
    match format {
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => {
            csv::CsvReader::new(format, settings, &rows)?.header_length(head, rows)
        }
        F::Tsv | F::TsvWithNames | F::TsvWithNamesAndTypes | F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes => {
            tsv::TsvReader::new(format, settings, &rows).header_length(head, rows)
        }
        F::JsonCompactEachRowWithNames
        | F::JsonCompactEachRowWithNamesAndTypes
        | F::JsonCompactStringsEachRowWithNames
        | F::JsonCompactStringsEachRowWithNamesAndTypes => {
            json_rows::CompactRows::new(format, settings).header_length(head, rows)
        }
        _ => Ok(Some(0)),
    }
}

fn make(
    format: Format,
    columns: &Columns,
    wanted: Option<&[usize]>,
    settings: &Settings,
    timezone: Tz,
    object: &str,
    part: Option<Part<'_>>,
) -> Result<Box<dyn RowParser>> {
    use Format as F;
    if !format.is_input() {
        return Err(Error::new(ErrorCode::FORMAT_IS_NOT_SUITABLE_FOR_INPUT, format!("Format {format} is only for writing")));
    }
    if matches!(format, F::Parquet | F::Arrow | F::ArrowStream | F::Orc) {
        let columns = match wanted {
            Some(wanted) => Columns::new(wanted.iter().map(|column| columns.0[*column].clone()).collect()),
            None => columns.clone(),
        };
        return Ok(Box::new(buffered::Buffered::new(format, &columns, settings, timezone, object)?));
    }
    if format == F::Avro {
        let wanted = match wanted {
            Some(wanted) => Columns::new(wanted.iter().map(|column| columns.0[*column].clone()).collect()),
            None => columns.clone(),
        };
        let known = omitted::without_flags(columns).0;
        return Ok(Box::new(crate::avro::AvroInput::new(&known, &wanted, settings, timezone, object)));
    }
    if format == F::Native {
        let columns = match wanted {
            Some(wanted) => Columns::new(wanted.iter().map(|column| columns.0[*column].clone()).collect()),
            None => columns.clone(),
        };
        return Ok(Box::new(crate::native::NativeInput::new(&columns, settings, timezone, object)));
    }
    if matches!(
        format,
        F::RowBinary
            | F::RowBinaryWithDefaults
            | F::RowBinaryWithNames
            | F::RowBinaryWithNamesAndTypes
            | F::RowBinaryWithNamesAndTypesAndDefaults
    ) {
        let wanted = match wanted {
            Some(wanted) => Columns::new(wanted.iter().map(|column| columns.0[*column].clone()).collect()),
            None => columns.clone(),
        };
        let input = crate::native::RowBinaryInput::new(
            format,
            &omitted::without_flags(columns).0,
            &wanted,
            settings,
            timezone,
            object,
        )?;
        return Ok(Box::new(input));
    }
    if format == F::One {
        let (columns, _) = omitted::without_flags(columns);
        let wanted = match wanted {
            Some(wanted) => Columns::new(wanted.iter().filter_map(|column| columns.0.get(*column).cloned()).collect()),
            None => columns.clone(),
        };
        return Ok(Box::new(one_row::OneRow::new(&columns, wanted)?));
    }
    if format == F::MsgPack {
        let wanted = match wanted {
            Some(wanted) => Columns::new(wanted.iter().map(|column| columns.0[*column].clone()).collect()),
            None => columns.clone(),
        };
        let known = omitted::without_flags(columns).0;
        return Ok(Box::new(crate::msgpack::MsgPackInput::new(&known, &wanted, settings, timezone, object)?));
    }
    let (given, mut flagged) = omitted::without_flags(columns);
    let mut rows = Rows::new(format, &given, settings, timezone, object)?;
    if let Some(wanted) = wanted {
        // Flags stand behind the columns.
        let (columns, flags): (Vec<usize>, Vec<usize>) = wanted.iter().partition(|column| **column < given.len());
        rows.project(&columns)?;
        flagged = flags.iter().filter_map(|flag| flagged.get(flag - given.len()).copied()).collect();
    }
    rows.tell_omitted(&flagged);
    if let Some(part) = part {
        rows.start_at(part.first_row);
    }
    let header = part.map(|part| part.header);
    Ok(match format {
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => {
            let mut reader = csv::CsvReader::new(format, settings, &rows)?;
            if let Some(header) = header {
                reader.read_header(header, &mut rows)?;
            }
            Box::new(Chunked::new(reader, rows))
        }
        F::Tsv | F::TsvWithNames | F::TsvWithNamesAndTypes | F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes => {
            let mut reader = tsv::TsvReader::new(format, settings, &rows);
            if let Some(header) = header {
                reader.read_header(header, &mut rows)?;
            }
            Box::new(Chunked::new(reader, rows))
        }
        F::Tskv => Box::new(Chunked::new(tskv::TskvReader::new(settings, &rows), rows)),
        F::JsonObjectEachRow => Box::new(Chunked::new(json_named_rows::NamedRows::new(format, settings, &rows)?, rows)),
        format if format.is_custom() => Box::new(Chunked::new(custom::CustomReader::new(format, settings, &rows)?, rows)),
        F::JsonEachRow | F::JsonStringsEachRow => Box::new(Chunked::new(json_rows::ObjectRows::new(format, settings), rows)),
        F::JsonCompactEachRow
        | F::JsonCompactEachRowWithNames
        | F::JsonCompactEachRowWithNamesAndTypes
        | F::JsonCompactStringsEachRow
        | F::JsonCompactStringsEachRowWithNames
        | F::JsonCompactStringsEachRowWithNamesAndTypes => {
            let mut reader = json_rows::CompactRows::new(format, settings);
            if let Some(header) = header {
                reader.read_header(header, &mut rows)?;
            }
            Box::new(Chunked::new(reader, rows))
        }
        F::Json | F::JsonStrings | F::JsonCompact | F::JsonCompactStrings => {
            Box::new(Chunked::new(json_document::Document::new(format, settings, &rows), rows))
        }
        F::JsonColumns | F::JsonCompactColumns | F::JsonColumnsWithMetadata => {
            Box::new(Chunked::new(json_columns::ColumnsReader::new(format, settings, &rows), rows))
        }
        F::Regexp => Box::new(Chunked::new(regexp::RegexpReader::new(settings)?, rows)),
        F::Template | F::TemplateIgnoreSpaces => {
            Box::new(Chunked::new(template::TemplateReader::new(format, settings, &rows)?, rows))
        }
        F::Form => Box::new(Chunked::new(form::FormReader, rows)),
        F::Values => Box::new(Chunked::new(values::ValuesReader, rows)),
        F::LineAsString => Box::new(Chunked::new(as_string::Lines::new(&rows)?, rows)),
        F::JsonAsString => Box::new(Chunked::new(as_string::JsonValues::new(&rows)?, rows)),
        F::RawBlob => Box::new(Chunked::new(as_string::Blob::new(&rows)?, rows)),
        _ => return Err(Error::logical(format!("Format {format} is declared for reading and has no reader"))),
    })
}
