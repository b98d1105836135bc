//! JSONObjectEachRow: one object whose members are the rows, each an object under a name of its own.
//!
//! The names are a column's values where `format_json_object_each_row_column_for_object_name` says so, else they are passed over.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::builder::Escaping;
use gristmill_types::scan::json::JsonCursor;
use gristmill_types::{Columns, SqlType};

use super::Rows;
use super::chunked::{RowReader, Step};
use super::fields::BOM;
use super::json_rows::{ObjectRows, failed, is_cut_off, syntax};
use crate::Format;

pub(crate) struct NamedRows {
    rows: ObjectRows,
    /// The column that takes the names.
    names: Option<usize>,
    stage: Stage,
    name: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    FirstRow,
    Rows,
    /// Behind the bracket that closed the object.
    Tail,
}

/// The column that the setting names; `None`: no setting. Errors: BAD_ARGUMENTS where there is no such column, or it is no String.
pub(crate) fn column_of_names(columns: &Columns, settings: &Settings) -> Result<Option<usize>> {
    let name = &settings.format_json_object_each_row_column_for_object_name;
    if name.is_empty() {
        return Ok(None);
    }
    let wrong = |what: &str| {
        Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("Column '{name}' of the setting format_json_object_each_row_column_for_object_name {what}"),
        )
    };
    let at = columns.index_of(name).ok_or_else(|| wrong("is not there"))?;
    match columns.0[at].kind {
        SqlType::String => Ok(Some(at)),
        _ => Err(wrong("must be a String")),
    }
}

impl NamedRows {
    pub fn new(format: Format, settings: &Settings, rows: &Rows) -> Result<Self> {
        let names = column_of_names(rows.columns(), settings)?;
        Ok(NamedRows { rows: ObjectRows::new(format, settings), names, stage: Stage::Start, name: Vec::new() })
    }

    /// Reads `"name": {…}`; gives its length.
    fn read(&mut self, member: &[u8], rows: &mut Rows) -> Result<usize> {
        let mut cursor = JsonCursor::new(member);
        let mut scratch = Vec::new();
        self.name = cursor.string(&mut scratch).map_err(|fault| syntax(fault, rows))?.to_vec();
        cursor.expect(b':').map_err(|fault| syntax(fault, rows))?;
        let end = cursor.at + self.rows.read(&member[cursor.at..], rows)?;
        if let Some(column) = self.names {
            if rows.has_value(column) {
                let name = rows.columns().0[column].name.clone();
                return Err(rows.wrong(
                    ErrorCode::INCORRECT_DATA,
                    format!("Field '{name}' comes in a row whose name is to be its value"),
                ));
            }
            rows.text(column, &self.name, Escaping::Plain)?;
        }
        Ok(end)
    }
}

impl RowReader for NamedRows {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let expected = |what: &str, at: &[u8], rows: &Rows| {
            let shown = String::from_utf8_lossy(&at[..at.len().min(20)]).into_owned();
            let text = format!("Cannot parse input: expected {what} before: '{shown}'");
            rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, text)
        };
        if self.stage == Stage::Start && !last && input.len() < BOM.len() && BOM.starts_with(input) {
            return Ok(Step::More);
        }
        let bom = if self.stage == Stage::Start && input.starts_with(BOM) { BOM.len() } else { 0 };
        let mut cursor = JsonCursor { text: input, at: bom };
        let Some(first) = cursor.peek() else { return Ok(Step::Skip(input.len())) };
        match (self.stage, first) {
            (Stage::Start, b'{') => {
                self.stage = Stage::FirstRow;
                return Ok(Step::Skip(cursor.at + 1));
            }
            (Stage::Start, _) => return Err(expected("'{'", &input[cursor.at..], rows)),
            (Stage::Tail, _) => return Err(expected("the end of the data", &input[cursor.at..], rows)),
            (Stage::FirstRow | Stage::Rows, b'}') => {
                self.stage = Stage::Tail;
                return Ok(Step::Skip(cursor.at + 1));
            }
            (Stage::Rows, b',') => {
                cursor.at += 1;
                if cursor.peek().is_none() {
                    return Ok(if last { Step::Skip(input.len()) } else { Step::More });
                }
            }
            (Stage::Rows, _) => return Err(expected("','", &input[cursor.at..], rows)),
            (Stage::FirstRow, _) => {}
        }
        let start = cursor.at;
        let member = &input[start..];
        match self.read(member, rows) {
            Ok(bytes) => {
                self.stage = Stage::Rows;
                Ok(Step::Row(start + bytes))
            }
            Err(error) => {
                // What is wrong with the row, or that it goes on, its own text tells; the name before it is read again.
                let mut cursor = JsonCursor::new(member);
                let named = cursor.string(&mut Vec::new()).is_ok() && cursor.eat(b':') && cursor.peek().is_some();
                if !named {
                    let waits = !last && is_cut_off(member);
                    return if waits { Ok(Step::More) } else { Err(error) };
                }
                Ok(match failed(&member[cursor.at..], last, error, rows) {
                    Step::Bad(bytes, error) => {
                        self.stage = Stage::Rows;
                        Step::Bad(start + cursor.at + bytes, error)
                    }
                    other => other,
                })
            }
        }
    }
}
