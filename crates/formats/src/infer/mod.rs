//! Schema inference: the columns that data has, from its first rows, as ClickHouse infers them.
//!
//! Formats that say their types are asked (`meta` of JSON, headers with types, Parquet, Arrow, ORC and Avro). Of the others up to
//! `input_format_max_rows_to_read_for_schema_inference` rows are looked at: every value gives a guess (`value`), the guesses
//! of a column are merged (`guess`), and what comes out is made Nullable as `schema_inference_make_columns_nullable` says.

mod detect;
mod guess;
mod named;
mod positional;
mod template;
mod value;

use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::{Column, Columns, SqlType};

use crate::Format;
use crate::columnar::columns_of_arrow;
use crate::columnar::uuids::schema_with_uuids;
use crate::input::buffered::{arrow_schema, parquet_metadata};
pub use detect::detected_format;
use guess::{Origin, Seen};
use value::Rules;

/// The columns of data that begins with `sample` (ORC: ends), decompressed; `complete`: that is all of it. `object` names the data in
/// errors. CANNOT_EXTRACT_TABLE_STRUCTURE where the sample tells none; its message has the reason.
pub fn infer_schema(format: Format, sample: &[u8], complete: bool, settings: &Settings, object: &str) -> Result<Columns> {
    let columns = columns(format, sample, complete, settings).and_then(|columns| with_hints(columns, settings));
    columns.map_err(|error| {
        Error::new(
            ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE,
            format!(
                "The table structure cannot be extracted from a {format} format file. Error: {}. You can specify the structure \
                 manually: (in file/uri {object})",
                error.message()
            ),
        )
    })
}

/// A column before its type is decided.
pub(crate) enum Found {
    Typed(SqlType),
    Guessed(Seen),
}

/// What the rows of a sample are read with.
pub(crate) struct Sample<'a> {
    pub format: Format,
    pub bytes: &'a [u8],
    pub complete: bool,
    pub rules: Rules,
    pub rows_max: u64,
    pub settings: &'a Settings,
}

fn columns(format: Format, bytes: &[u8], complete: bool, settings: &Settings) -> Result<Columns> {
    use Format as F;
    let one = |name: &str| Ok(Columns::new(vec![Column::new(name, SqlType::String)]));
    let sample = Sample {
        format,
        bytes: bytes.strip_prefix(crate::input::fields::BOM).unwrap_or(bytes),
        complete,
        rules: Rules::of(format, settings),
        rows_max: settings.input_format_max_rows_to_read_for_schema_inference.max(1),
        settings,
    };
    let json = Origin::json(settings);
    let (found, origin) = match format {
        F::LineAsString => return one("line"),
        F::JsonAsString => return one("json"),
        F::RawBlob => return one("raw_blob"),
        F::Native => return crate::native::columns_of_sample(bytes, settings),
        F::RowBinaryWithNamesAndTypes | F::RowBinaryWithNamesAndTypesAndDefaults => {
            return crate::native::columns_of_header(bytes, settings);
        }
        F::Parquet => {
            let metadata = parquet_metadata(&Bytes::copy_from_slice(bytes).into())?;
            return columns_of_arrow(&schema_with_uuids(&metadata), settings);
        }
        F::One => return Ok(Columns::new(vec![Column::new("dummy", SqlType::UInt8)])),
        F::MsgPack => return crate::msgpack::columns_of_sample(bytes, settings),
        F::Avro => return crate::avro::columns_of_header(bytes),
        F::Orc => return crate::orc::columns_of_end(bytes, settings),
        F::Arrow | F::ArrowStream => {
            let schema = arrow_schema(bytes)?.ok_or_else(|| incorrect("the data ends before the schema"))?;
            return columns_of_arrow(&schema, settings);
        }
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => (positional::csv(&sample)?, Origin::Text),
        F::Tsv | F::TsvWithNames | F::TsvWithNamesAndTypes | F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes => {
            (positional::tsv(&sample)?, Origin::Text)
        }
        F::Values => (positional::values(&sample)?, Origin::Text),
        F::Tskv => (named::tskv(&sample)?, Origin::Text),
        F::JsonObjectEachRow => (named::json_named_rows(&sample)?, json),
        format if format.is_custom() => positional::custom(&sample)?,
        F::JsonColumns | F::JsonCompactColumns => (named::json_columns(&sample)?, json),
        F::JsonColumnsWithMetadata => (named::json_document(&sample)?, json),
        F::Form => (named::form(&sample)?, Origin::Text),
        F::Regexp => positional::regexp(&sample)?,
        F::Template | F::TemplateIgnoreSpaces => template::template(&sample)?,
        F::JsonEachRow | F::JsonStringsEachRow => (named::json_rows(&sample)?, json),
        F::Json | F::JsonStrings | F::JsonCompact | F::JsonCompactStrings => (named::json_document(&sample)?, json),
        F::JsonCompactEachRow
        | F::JsonCompactEachRowWithNames
        | F::JsonCompactEachRowWithNamesAndTypes
        | F::JsonCompactStringsEachRow
        | F::JsonCompactStringsEachRowWithNames
        | F::JsonCompactStringsEachRowWithNamesAndTypes => (positional::json(&sample)?, json),
        _ => {
            return Err(Error::new(
                ErrorCode::FORMAT_IS_NOT_SUITABLE_FOR_INPUT,
                format!("format {format} is only for writing"),
            ));
        }
    };
    if found.is_empty() {
        return Err(Error::new(ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE, "the file is empty"));
    }
    let mut columns: Vec<Column> = Vec::with_capacity(found.len());
    for (name, found) in found {
        if columns.iter().any(|column| column.name == name) {
            return Err(incorrect(format!("duplicate column name found while schema inference: \"{name}\"")));
        }
        let kind = match found {
            Found::Typed(kind) => kind,
            Found::Guessed(seen)
                if origin.is_json() && !settings.input_format_json_infer_incomplete_types_as_strings && !seen.is_told() =>
            {
                return Err(incorrect(format!("cannot determine the type of column '{name}': no value tells it")));
            }
            Found::Guessed(seen) => seen.kind(settings.schema_inference_make_columns_nullable, origin),
        };
        columns.push(Column::new(name, kind));
    }
    Ok(Columns::new(columns))
}

fn with_hints(columns: Columns, settings: &Settings) -> Result<Columns> {
    if settings.schema_inference_hints.trim().is_empty() {
        return Ok(columns);
    }
    let hints = gristmill_types::parse::structure_with_nested(&settings.schema_inference_hints)
        .map_err(|error| error.with_context("in setting schema_inference_hints"))?;
    let hinted = columns.iter().map(|column| match hints.get(&column.name) {
        Some(hint) => Column::new(&column.name, hint.kind.clone()),
        None => column.clone(),
    });
    Ok(Columns::new(hinted.collect()))
}

fn incorrect(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, message)
}

/// Columns of rows without names are numbered from 1.
fn numbered(at: usize) -> String {
    format!("c{}", at + 1)
}

fn type_of(text: &[u8]) -> Result<SqlType> {
    let text = String::from_utf8_lossy(text);
    text.parse().map_err(|error: Error| error.with_context("in the types of the header"))
}

/// The error for values that do not fit those of the rows before.
fn unfit(name: &str, before: &Seen, now: &Seen, row: u64, origin: Origin) -> Error {
    Error::new(
        ErrorCode::TYPE_MISMATCH,
        format!(
            "automatically defined type {} for column '{name}' in row {row} differs from type defined by previous rows: {}",
            now.name(origin),
            before.name(origin)
        ),
    )
}
