//! The rows of an INSERT on this side: from the statement's text, from standard input, or from files, read as they are
//! sent, into the columns that the server asks for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use bytes::Bytes;
use datafusion::error::DataFusionError;
use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_engine::execution::{input_from, some_data};
use gristmill_engine::interpret::{RowsGiven, rows_to_send};
use gristmill_engine::{Engine, InputData};
use gristmill_formats::Format;
use gristmill_formats::compression::Compression;
use gristmill_introspect::QueryContext;
use gristmill_types::Columns;

use crate::statement::Data;

/// Batches for the server.
pub type Batches = BoxStream<'static, Result<RecordBatch>>;

/// The rows of an INSERT, before it is known which columns are wanted.
pub struct Source {
    pub data: Data,
    /// Standard input, where it is free.
    pub input: Option<InputData>,
    pub parameters: BTreeMap<String, String>,
    /// Reads the rows, and computes defaults.
    pub engine: Arc<Engine>,
}

impl Source {
    /// The rows as the wanted columns. Errors: NO_DATA_TO_INSERT, FILE_DOESNT_EXIST, CANNOT_DETECT_FORMAT, those of reading.
    pub async fn batches(self, given: Columns, table: Columns, context: Arc<QueryContext>) -> Result<Batches> {
        let Source { data, input, parameters, engine } = self;
        let mut parts: Vec<RowsGiven> = Vec::new();
        match data {
            Data::Values(text) => parts.push(RowsGiven::Values { text, parameters }),
            Data::Inline { format, bytes } => {
                let input = futures::stream::once(async move { Ok(Bytes::from(bytes)) }).boxed();
                parts.push(RowsGiven::Data { format, input });
            }
            Data::Brought { format } => {
                let input = input.ok_or_else(|| {
                    Error::new(
                        ErrorCode::NO_DATA_TO_INSERT,
                        "No data to insert: give rows after the statement, on standard input, or FROM INFILE",
                    )
                })?;
                let input = if context.settings.throw_if_no_data_to_insert { some_data(input) } else { input };
                parts.push(RowsGiven::Data { format, input });
            }
            Data::Infile { pattern, compression, format } => {
                for path in matching(&pattern)? {
                    parts.push(file(path, compression.as_deref(), format.as_deref())?);
                }
            }
        }
        let batches = futures::stream::iter(parts).then(move |rows| {
            let (engine, context, given, table) = (engine.clone(), context.clone(), given.clone(), table.clone());
            async move {
                let rows = rows_to_send(&engine, &context, &given, &table, rows).await?;
                Ok::<_, DataFusionError>(rows)
            }
        });
        Ok(batches.try_flatten().map_err(Error::from).boxed())
    }
}

/// The files that a pattern means, in order of their names.
fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let missing = || Error::new(ErrorCode::FILE_DOESNT_EXIST, format!("No file matches '{pattern}' of FROM INFILE"));
    // A name that is there is itself, whatever signs are in it.
    if Path::new(pattern).is_file() {
        return Ok(vec![PathBuf::from(pattern)]);
    }
    let mut files = Vec::new();
    for alternative in alternatives(pattern) {
        let found = glob::glob(&alternative).map_err(|error| {
            Error::new(ErrorCode::BAD_ARGUMENTS, format!("'{pattern}' of FROM INFILE is no pattern of files: {error}"))
        })?;
        files.extend(found.flatten().filter(|path| path.is_file()));
    }
    files.sort_unstable();
    files.dedup();
    if files.is_empty() { Err(missing()) } else { Ok(files) }
}

/// Most patterns that braces may stand for.
const ALTERNATIVES_MAX: usize = 100_000;

/// What `{a,b}` and `{1..3}` stand for, in patterns without braces.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut waiting = vec![pattern.to_string()];
    let mut done = Vec::new();
    while let Some(pattern) = waiting.pop() {
        let braces = pattern.find('{').and_then(|open| Some((open, open + pattern[open..].find('}')?)));
        let Some((open, close)) = braces.filter(|_| waiting.len() + done.len() < ALTERNATIVES_MAX) else {
            done.push(pattern);
            continue;
        };
        let inner = &pattern[open + 1..close];
        let range =
            inner.split_once("..").and_then(|(from, to)| Some((from, from.parse::<u64>().ok()?, to.parse::<u64>().ok()?)));
        let words: Vec<String> = match range {
            Some((text, from, to)) if from.abs_diff(to) < ALTERNATIVES_MAX as u64 => {
                let width = if text.starts_with('0') { text.len() } else { 0 };
                (from.min(to)..=from.max(to)).map(|number| format!("{number:0width$}")).collect()
            }
            _ => inner.split(',').map(str::to_string).collect(),
        };
        waiting.extend(words.into_iter().map(|word| format!("{}{word}{}", &pattern[..open], &pattern[close + 1..])));
    }
    done
}

/// A file, which is opened when its turn comes.
fn file(path: PathBuf, compression: Option<&str>, format: Option<&str>) -> Result<RowsGiven> {
    let name = path.display().to_string();
    let compression = match compression {
        Some(method) => Compression::by_name(method, &name)?,
        None => Compression::by_extension(&name),
    };
    let format = match format {
        Some(format) => format.to_string(),
        None => {
            let told = Format::by_extension(&name).ok_or_else(|| {
                let text = format!("Cannot tell the format of {name} by its name: add FORMAT");
                Error::new(ErrorCode::CANNOT_DETECT_FORMAT, text)
            })?;
            told.name().to_string()
        }
    };
    let opened = futures::stream::once(async move {
        let file = tokio::fs::File::open(&path).await.context(|| format!("while opening {name} of FROM INFILE"))?;
        Ok::<_, Error>(input_from(file))
    });
    Ok(RowsGiven::Data { format, input: compression.decoder(opened.try_flatten().boxed()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_stand_for_each_of_their_words() {
        let sorted = |pattern: &str| {
            let mut all = alternatives(pattern);
            all.sort_unstable();
            all
        };
        assert_eq!(sorted("a{b,c}{08..10}.csv"), ["ab08.csv", "ab09.csv", "ab10.csv", "ac08.csv", "ac09.csv", "ac10.csv"]);
        assert_eq!(sorted("plain{"), ["plain{"]);
    }

    #[test]
    fn a_pattern_without_a_file_is_an_error() {
        assert_eq!(matching("/nowhere/*.csv").expect_err("none").code(), ErrorCode::FILE_DOESNT_EXIST);
    }
}
