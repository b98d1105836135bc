//! Formats that give one String a row: LineAsString (a line), JSONAsString (a JSON value), RawBLOB (everything).

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::builder::Escaping;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::json_rows::{Between, Next, after, failed, syntax};
use gristmill_types::scan::json::JsonCursor;

fn one_string(rows: &Rows) -> Result<()> {
    if rows.leaves.len() == 1 && rows.leaves[0].string {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::INCORRECT_QUERY,
        format!("This format gives one column of type String, not ({})", rows.columns().structure()),
    ))
}

pub(crate) struct Lines;

impl Lines {
    pub fn new(rows: &Rows) -> Result<Self> {
        one_string(rows)?;
        Ok(Lines)
    }
}

impl RowReader for Lines {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let (end, bytes) = match memchr::memchr(b'\n', input) {
            Some(at) => (at, at + 1),
            None if last => (input.len(), input.len()),
            None => return Ok(Step::More),
        };
        rows.text(0, &input[..end], Escaping::Plain)?;
        Ok(Step::Row(bytes))
    }
}

pub(crate) struct JsonValues {
    between: Between,
}

impl JsonValues {
    pub fn new(rows: &Rows) -> Result<Self> {
        one_string(rows)?;
        Ok(JsonValues { between: Between::default() })
    }
}

impl RowReader for JsonValues {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let start = match self.between.next(input, last, b'{', rows)? {
            Next::Row(start) => start,
            Next::More(0) => return Ok(Step::More),
            Next::More(space) => return Ok(Step::Skip(space)),
            Next::Wrong(bytes, error) => return Ok(Step::Bad(bytes, error)),
            Next::End => return Ok(Step::End),
        };
        let row = &input[start..];
        let mut cursor = JsonCursor::new(row);
        match cursor.value() {
            Ok(text) => {
                rows.text(0, text, Escaping::Plain)?;
                Ok(Step::Row(start + cursor.at))
            }
            Err(fault) => Ok(after(start, failed(row, last, syntax(fault, rows), rows), rows)),
        }
    }

    fn end(&mut self, rows: &mut Rows) -> Result<()> {
        self.between.end(rows)
    }
}

pub(crate) struct Blob;

impl Blob {
    pub fn new(rows: &Rows) -> Result<Self> {
        one_string(rows)?;
        Ok(Blob)
    }
}

impl RowReader for Blob {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if !last {
            return Ok(Step::More);
        }
        rows.text(0, input, Escaping::Plain)?;
        Ok(Step::Row(input.len()))
    }
}
