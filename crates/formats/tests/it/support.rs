//! What the tests of formats share: reading a text into batches, and showing batches as text.

use std::sync::Arc;

use arrow::array::RecordBatch;
use chrono_tz::Tz;
use gristmill_base::Result;
use gristmill_formats::{Format, OutputContext, ResultSummary, infer_schema, parser, writer};
use gristmill_introspect::Settings;
use gristmill_types::Columns;

pub fn settings(pairs: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in pairs {
        settings.set(name, value).expect("a setting");
    }
    settings
}

pub fn columns(structure: &str) -> Columns {
    gristmill_types::parse::structure(structure).expect("a structure")
}

pub fn format(name: &str) -> Format {
    Format::by_name(name).expect("a format")
}

/// Reads data that comes in chunks of that many bytes.
pub fn read_in_chunks(
    name: &str,
    structure: &str,
    data: &[u8],
    pairs: &[(&str, &str)],
    chunk: usize,
) -> Result<Vec<RecordBatch>> {
    let mut parser = parser(format(name), &columns(structure), &settings(pairs), Tz::UTC, "data")?;
    let mut batches = Vec::new();
    for piece in data.chunks(chunk.max(1)) {
        batches.extend(parser.push(piece)?);
    }
    batches.extend(parser.finish()?);
    Ok(batches)
}

pub fn read(name: &str, structure: &str, data: impl AsRef<[u8]>, pairs: &[(&str, &str)]) -> Result<Vec<RecordBatch>> {
    read_in_chunks(name, structure, data.as_ref(), pairs, usize::MAX)
}

/// Writes batches in a format.
pub fn write(name: &str, structure: &str, batches: &[RecordBatch], pairs: &[(&str, &str)]) -> Vec<u8> {
    let context = OutputContext { settings: Arc::new(settings(pairs)), timezone: Tz::UTC, terminal: false, width: None };
    let mut out = Vec::new();
    let mut writer = writer(format(name), &columns(structure), context).expect("a writer");
    writer.start(&mut out).expect("a header");
    for batch in batches {
        writer.write(batch, &mut out).expect("rows");
    }
    writer.finish(&ResultSummary::default(), &mut out).expect("an end");
    out
}

/// The rows that data has, as lines of JSON arrays.
pub fn rows(name: &str, structure: &str, data: impl AsRef<[u8]>, pairs: &[(&str, &str)]) -> String {
    let shown = |batches: &[RecordBatch]| {
        let text = write("JSONCompactEachRow", structure, batches, &[]);
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let compact = lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).expect("JSON").to_string());
        compact.collect::<Vec<_>>().join("\n")
    };
    let whole = read(name, structure, &data, pairs).unwrap_or_else(|error| panic!("{name}: {error}"));
    let whole = shown(&whole);
    // However the data is cut, the rows are the same.
    for chunk in [1, 2, 3, 7] {
        let cut =
            read_in_chunks(name, structure, data.as_ref(), pairs, chunk).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(shown(&cut), whole, "{name} in chunks of {chunk}");
    }
    whole
}

/// The error that reading gives, which is the same however the data is cut: code and message.
pub fn error(name: &str, structure: &str, data: impl AsRef<[u8]>, pairs: &[(&str, &str)]) -> (i32, String) {
    let error = read(name, structure, &data, pairs).expect_err("a mistake");
    for chunk in [1, 2, 3, 7] {
        let cut = read_in_chunks(name, structure, data.as_ref(), pairs, chunk).expect_err("a mistake");
        assert_eq!((cut.code(), cut.message()), (error.code(), error.message()), "{name} in chunks of {chunk}");
    }
    (error.code().0, error.message())
}

/// The structure that is inferred, or the error's message.
pub fn inferred(name: &str, data: impl AsRef<[u8]>, pairs: &[(&str, &str)]) -> String {
    match infer_schema(format(name), data.as_ref(), true, &settings(pairs), "data") {
        Ok(columns) => columns.structure(),
        Err(error) => {
            assert_eq!(error.code(), gristmill_base::ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE);
            error.message()
        }
    }
}
