//! JSONColumns, JSONCompactColumns and JSONColumnsWithMetadata: documents of an array a column.
//!
//! A row is whole with the last column, so a document is held until the data ends, and then read array by array into the
//! columns' builders. Several documents may stand one behind another.

use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::scan::Fault;
use gristmill_types::scan::json::JsonCursor;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::fields::{BOM, names_of_metadata};
use super::json_rows::syntax;
use crate::Format;

pub(crate) struct ColumnsReader {
    format: Format,
    /// Whether the types of the metadata have to be those of the columns.
    validates: bool,
    began: bool,
    /// Which columns the document has had.
    had: Vec<bool>,
}

impl ColumnsReader {
    pub fn new(format: Format, settings: &Settings, rows: &Rows) -> Self {
        let validates = settings.input_format_json_validate_types_from_metadata;
        ColumnsReader { format, validates, began: false, had: vec![false; rows.columns().len()] }
    }

    /// Reads the document at the cursor; gives its rows.
    fn document(&mut self, cursor: &mut JsonCursor<'_>, rows: &mut Rows) -> Result<usize> {
        match self.format {
            Format::JsonCompactColumns => self.listed(cursor, rows),
            Format::JsonColumnsWithMetadata => self.with_metadata(cursor, rows),
            _ => self.named(cursor, rows),
        }
    }

    fn with_metadata(&mut self, cursor: &mut JsonCursor<'_>, rows: &mut Rows) -> Result<usize> {
        let mut scratch = Vec::new();
        let mut count = None;
        expect(cursor, b'{', rows)?;
        let mut first = true;
        loop {
            let key = cursor.string(&mut scratch).map_err(|fault| syntax(fault, rows))?;
            let (is_meta, is_data) = (key == b"meta", key == b"data");
            if first && !is_meta {
                let text = "Expected field \"meta\" with the names and types of the columns first in the document";
                return Err(rows.wrong(ErrorCode::INCORRECT_DATA, text));
            }
            first = false;
            expect(cursor, b':', rows)?;
            if is_data {
                count = Some(self.named(cursor, rows)?);
            } else {
                let value = cursor.value().map_err(|fault| syntax(fault, rows))?;
                if is_meta {
                    names_of_metadata(value, self.validates, rows)?;
                }
            }
            if !cursor.eat(b',') {
                expect(cursor, b'}', rows)?;
                break;
            }
        }
        count.ok_or_else(|| rows.wrong(ErrorCode::INCORRECT_DATA, "The document has no columns under the key 'data'"))
    }

    /// `{"a": […], "b": […]}`
    fn named(&mut self, cursor: &mut JsonCursor<'_>, rows: &mut Rows) -> Result<usize> {
        let mut scratch = Vec::new();
        let mut count = None;
        expect(cursor, b'{', rows)?;
        if cursor.eat(b'}') {
            return Ok(0);
        }
        loop {
            let name = cursor.string(&mut scratch).map_err(|fault| syntax(fault, rows))?;
            let column = rows.find(name);
            if column.is_none() {
                rows.unknown_field(name)?;
            }
            expect(cursor, b':', rows)?;
            self.column(cursor, column, &mut count, rows)?;
            if !cursor.eat(b',') {
                expect(cursor, b'}', rows)?;
                return Ok(count.unwrap_or(0));
            }
        }
    }

    /// `[[…], […]]`
    fn listed(&mut self, cursor: &mut JsonCursor<'_>, rows: &mut Rows) -> Result<usize> {
        let mut count = None;
        expect(cursor, b'[', rows)?;
        if cursor.eat(b']') {
            return Ok(0);
        }
        let wanted = self.had.len();
        for column in 0.. {
            if column == wanted {
                let text = format!("Input data has too many columns, expected {wanted} columns");
                return Err(rows.wrong(ErrorCode::INCORRECT_DATA, text));
            }
            self.column(cursor, Some(column), &mut count, rows)?;
            if !cursor.eat(b',') {
                break;
            }
        }
        expect(cursor, b']', rows)?;
        Ok(count.unwrap_or(0))
    }

    /// The array of a column. `count`: the rows of those before it.
    fn column(
        &mut self,
        cursor: &mut JsonCursor<'_>,
        column: Option<usize>,
        count: &mut Option<usize>,
        rows: &mut Rows,
    ) -> Result<()> {
        if let Some(column) = column
            && std::mem::replace(&mut self.had[column], true)
        {
            let name = rows.columns().0[column].name.clone();
            return Err(rows.wrong(ErrorCode::INCORRECT_DATA, format!("Column '{name}' comes twice in one document")));
        }
        let mut row = 0;
        expect(cursor, b'[', rows)?;
        if !cursor.eat(b']') {
            loop {
                rows.at_row(row);
                match column {
                    Some(column) => rows.json(column, cursor)?,
                    None => {
                        cursor.value().map_err(|fault| syntax(fault, rows))?;
                    }
                }
                row += 1;
                if !cursor.eat(b',') {
                    expect(cursor, b']', rows)?;
                    break;
                }
            }
        }
        rows.at_row(0);
        match *count {
            Some(before) if before != row => {
                let text = format!("Number of rows differs in different columns: {before} != {row}");
                Err(rows.wrong(ErrorCode::INCORRECT_DATA, text))
            }
            _ => {
                *count = Some(row);
                Ok(())
            }
        }
    }
}

/// Error: CANNOT_PARSE_INPUT_ASSERTION_FAILED where something else stands there.
fn expect(cursor: &mut JsonCursor<'_>, wanted: u8, rows: &Rows) -> Result<()> {
    cursor.expect(wanted).map_err(|Fault { .. }| {
        let rest = &cursor.text[cursor.at..];
        let shown = String::from_utf8_lossy(&rest[..rest.len().min(20)]).into_owned();
        let place = if rest.is_empty() { "at end of stream".to_string() } else { format!("before: '{shown}'") };
        let text = format!("Cannot parse input: expected '{}' {place}", wanted as char);
        rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, text)
    })
}

impl RowReader for ColumnsReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if !last {
            return Ok(Step::More);
        }
        let skip = if !self.began && input.starts_with(BOM) { BOM.len() } else { 0 };
        self.began = true;
        let mut cursor = JsonCursor { text: input, at: skip };
        if cursor.peek().is_none() {
            return Ok(Step::End);
        }
        self.had.fill(false);
        let count = self.document(&mut cursor, rows)?;
        rows.end_columns(count)?;
        Ok(Step::Skip(cursor.at))
    }
}
