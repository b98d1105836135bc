//! External tables: tables that a client sends along with a statement, which alone sees them.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_formats::{Format, infer_schema, parser};
use gristmill_introspect::Settings;
use gristmill_types::{Columns, SqlType, parse};

use crate::engine::timezone;

/// A table that a client sends along with a statement, which alone sees it.
#[derive(Clone, Debug)]
pub struct ExternalTable {
    pub name: String,
    pub columns: Columns,
    /// They carry the columns.
    pub batches: Vec<RecordBatch>,
}

/// How the data of an external table is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExternalData<'a> {
    pub name: &'a str,
    /// TabSeparated unless given.
    pub format: Option<&'a str>,
    /// Columns as those of CREATE TABLE.
    pub structure: Option<&'a str>,
    /// Types of columns named `_1`, `_2`, …; without structure and types the columns are guessed.
    pub types: Option<&'a str>,
}

impl ExternalTable {
    /// What it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.batches.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    /// Reads the data. Errors: UNKNOWN_FORMAT, those of the types and of reading.
    pub fn read(told: ExternalData<'_>, data: &[u8], settings: &Settings) -> Result<ExternalTable> {
        let format = Format::by_name(told.format.unwrap_or("TabSeparated"))?;
        let columns = match (told.structure, told.types) {
            (Some(structure), _) => parse::structure_without_defaults(structure, settings.flatten_nested)?,
            (None, Some(types)) => unnamed(types)?,
            (None, None) => infer_schema(format, data, true, settings, told.name)?,
        };
        let mut parser = parser(format, &columns, settings, timezone(settings)?, told.name)?;
        let mut batches = parser.push(data)?;
        batches.extend(parser.finish()?);
        Ok(ExternalTable { name: told.name.to_string(), columns, batches })
    }
}

/// Columns `_1`, `_2`, … of these types.
fn unnamed(types: &str) -> Result<Columns> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in types.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&types[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&types[start..]);
    let columns = pieces
        .iter()
        .enumerate()
        .map(|(at, piece)| Ok((format!("_{}", at + 1), piece.trim().parse::<SqlType>()?)))
        .collect::<Result<Vec<_>>>()?;
    Ok(Columns::of(columns))
}
