//! JSON and JSONCompact: one document whose `data` are the rows and whose `meta` names the columns.
//!
//! The head is read until `data`, the rows as those of JSONEachRow or JSONCompactEachRow within an array, and the rest
//! only until the closing brace, so that a document that was cut off is noticed. A `.json` file that is no such document
//! (it starts with an array, or its first key is not `meta`) is read as JSONEachRow.

use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::scan::json::JsonCursor;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::fields::{BOM, names_of_metadata};
use super::json_rows::{CompactRows, ObjectRows, failed, is_cut_off, syntax};
use crate::Format;

pub(crate) struct Document {
    format: Format,
    settings: Settings,
    part: Part,
}

enum Part {
    Head,
    Objects(Box<ObjectRows>),
    Arrays(Box<CompactRows>),
    /// Rows without a document around them.
    Bare(Box<ObjectRows>),
    Tail,
    Done,
}

impl Document {
    pub fn new(format: Format, settings: &Settings, _rows: &Rows) -> Self {
        Document { format, settings: settings.clone(), part: Part::Head }
    }

    fn is_compact(&self) -> bool {
        matches!(self.format, Format::JsonCompact | Format::JsonCompactStrings)
    }

    /// Reads up to the bracket that opens the rows.
    fn head(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if input.len() < BOM.len() && !last && BOM.starts_with(input) {
            return Ok(Step::More);
        }
        let skip = if input.starts_with(BOM) { BOM.len() } else { 0 };
        let mut cursor = JsonCursor { text: input, at: skip };
        match cursor.peek() {
            None => return Ok(if last { Step::End } else { Step::More }),
            Some(b'{') => {}
            Some(_) => return self.bare(),
        }
        cursor.at += 1;
        let mut scratch = Vec::new();
        let mut names: Option<Vec<Vec<u8>>> = None;
        let mut first = true;
        let validates = self.settings.input_format_json_validate_types_from_metadata;
        loop {
            let key = match cursor.string(&mut scratch) {
                Ok(key) => key.to_vec(),
                Err(_) if first && !last && is_cut_off(&input[skip..]) => return Ok(Step::More),
                Err(_) if first => return self.bare(),
                Err(fault) => return self.unreadable(&input[skip..], last, fault, rows),
            };
            if first && key != b"meta" {
                return self.bare();
            }
            first = false;
            if let Err(fault) = cursor.expect(b':') {
                return self.unreadable(&input[skip..], last, fault, rows);
            }
            if key == b"data" {
                if let Err(fault) = cursor.expect(b'[') {
                    return self.unreadable(&input[skip..], last, fault, rows);
                }
                self.part = if self.is_compact() {
                    let reader = CompactRows::new(self.format, &self.settings).in_array(names.as_deref(), rows)?;
                    Part::Arrays(Box::new(reader))
                } else {
                    Part::Objects(Box::new(ObjectRows::new(self.format, &self.settings).in_array()))
                };
                return Ok(Step::Skip(cursor.at));
            }
            match cursor.value() {
                Ok(text) if key == b"meta" => names = Some(names_of_metadata(text, validates, rows)?),
                Ok(text) => rows.check_depth(text, &key)?,
                Err(fault) => return self.unreadable(&input[skip..], last, fault, rows),
            }
            if !cursor.eat(b',') {
                let at_end = cursor.peek().is_none();
                if at_end && !last {
                    return Ok(Step::More);
                }
                return Err(rows.wrong(ErrorCode::INCORRECT_DATA, "The document has no array of rows under the key 'data'"));
            }
        }
    }

    fn bare(&mut self) -> Result<Step> {
        self.part = Part::Done;
        Ok(Step::Skip(0))
    }

    fn unreadable(&self, input: &[u8], last: bool, fault: gristmill_types::scan::Fault, rows: &Rows) -> Result<Step> {
        match failed(input, last, syntax(fault, rows), rows) {
            Step::Bad(_, error) => Err(error),
            other => Ok(other),
        }
    }
}

impl RowReader for Document {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let step = match &mut self.part {
            Part::Head => {
                let step = self.head(input, last, rows)?;
                if matches!(self.part, Part::Done) {
                    self.part = Part::Bare(Box::new(ObjectRows::new(self.format, &self.settings)));
                }
                return Ok(step);
            }
            Part::Bare(reader) => return reader.step(input, last, rows),
            Part::Objects(reader) => reader.step(input, last, rows)?,
            Part::Arrays(reader) => reader.step(input, last, rows)?,
            Part::Tail => {
                // Totals, counts and statistics: passed over up to the brace that closes the document.
                let mut cursor = JsonCursor::new(input);
                if cursor.eat(b']') && cursor.peek().is_none() && !last {
                    return Ok(Step::More);
                }
                while cursor.eat(b',') {
                    let key = cursor.raw_string();
                    let passed = cursor.expect(b':').and_then(|()| cursor.value());
                    match (key, passed) {
                        (Ok((key, _)), Ok(text)) if cursor.peek().is_some() => rows.check_depth(text, key)?,
                        _ => return if last { Err(cut_off(rows)) } else { Ok(Step::More) },
                    }
                }
                if cursor.eat(b'}') {
                    self.part = Part::Done;
                    return Ok(Step::End);
                }
                return if last || cursor.peek().is_some() { Err(cut_off(rows)) } else { Ok(Step::More) };
            }
            Part::Done => return Ok(Step::End),
        };
        if matches!(step, Step::End) {
            self.part = Part::Tail;
            // The bracket itself is read by the tail, after the space before it.
            let space = input.iter().take_while(|c| **c != b']').count();
            return Ok(Step::Skip(space));
        }
        Ok(step)
    }

    fn end(&mut self, rows: &mut Rows) -> Result<()> {
        match &mut self.part {
            Part::Head | Part::Done => Ok(()),
            Part::Bare(reader) => reader.end(rows),
            Part::Objects(_) | Part::Arrays(_) | Part::Tail => Err(cut_off(rows)),
        }
    }
}

fn cut_off(rows: &Rows) -> gristmill_base::Error {
    rows.wrong(ErrorCode::CANNOT_READ_ALL_DATA, "The data ends within the JSON document")
}
