//! TSV: a line a row, fields by tabs, backslash escapes (none in the Raw variants); and its headers.
//!
//! The line's end and the tabs are found with vectorised searches. A line without a backslash, the usual one, is split
//! and handed to the columns as it stands; else tabs and line feeds after a backslash are part of their field.

use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::builder::Escaping;
use gristmill_types::scan::quoted::unescape;

use super::Rows;
use super::chunked::{RowReader, Step, is_empty_lines};
use super::heading::{Headed, Heading};
use crate::Format;

pub(crate) struct TsvReader {
    escaped: bool,
    heading: Heading,
    null: Vec<u8>,
    empty_as_default: bool,
    skip_empty_lines: bool,
    variable: bool,
    crlf: bool,
    first_row: bool,
}

/// Whether an odd number of backslashes stands before `at`.
#[inline]
pub(crate) fn is_escaped(line: &[u8], at: usize) -> bool {
    line[..at].iter().rev().take_while(|c| **c == b'\\').count() % 2 == 1
}

/// The end of the line that starts the slice, before its line feed, and the bytes it takes.
#[inline]
pub(crate) fn whole_line(input: &[u8], last: bool, escaped: bool) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        match memchr::memchr(b'\n', &input[from..]) {
            Some(at) if escaped && is_escaped(input, from + at) => from += at + 1,
            Some(at) => return Some((from + at, from + at + 1)),
            None if last => return Some((input.len(), input.len())),
            None => return None,
        }
    }
}

/// The end of the field that starts at `from`.
#[inline]
pub(crate) fn field_end(line: &[u8], from: usize, has_escapes: bool) -> usize {
    let mut at = from;
    loop {
        match memchr::memchr(b'\t', &line[at..]) {
            Some(tab) if has_escapes && is_escaped(line, at + tab) => at += tab + 1,
            Some(tab) => return at + tab,
            None => return line.len(),
        }
    }
}

impl TsvReader {
    pub fn new(format: Format, settings: &Settings, rows: &Rows) -> Self {
        use Format as F;
        let (detects, lines) = (settings.input_format_tsv_detect_header, settings.input_format_tsv_skip_first_lines);
        TsvReader {
            escaped: !matches!(format, F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes),
            heading: Heading::new(format.header(), detects, lines, settings, rows),
            null: settings.format_tsv_null_representation.clone().into_bytes(),
            empty_as_default: settings.input_format_tsv_empty_as_default,
            skip_empty_lines: settings.input_format_tsv_skip_trailing_empty_lines,
            variable: settings.input_format_tsv_allow_variable_number_of_columns,
            crlf: settings.input_format_tsv_crlf_end_of_line,
            first_row: true,
        }
    }

    fn header(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let Some((end, bytes)) = whole_line(input, last, self.escaped && !self.heading.is_at_lines()) else {
            return Ok(Step::More);
        };
        if self.heading.is_at_lines() {
            self.heading.line_left_out();
            return Ok(Step::Skip(bytes));
        }
        let line = &input[..end];
        let fields = self.texts(line.strip_suffix(b"\r").unwrap_or(line));
        Ok(Step::Skip(if self.heading.takes(&fields, rows)? { bytes } else { 0 }))
    }

    /// The fields of a line, with escapes undone.
    fn texts(&self, line: &[u8]) -> Vec<Vec<u8>> {
        let mut fields = Vec::new();
        let mut from = 0;
        loop {
            let end = field_end(line, from, self.escaped);
            let mut text = Vec::new();
            if !self.escaped || unescape(&line[from..end], &mut text).is_err() {
                text = line[from..end].to_vec();
            }
            fields.push(text);
            if end == line.len() {
                return fields;
            }
            from = end + 1;
        }
    }

    #[inline]
    fn field(&self, leaf: usize, text: &[u8], has_escapes: bool, rows: &mut Rows) -> Result<()> {
        if text.is_empty() && self.empty_as_default {
            rows.default(leaf);
            return Ok(());
        }
        if text == self.null {
            return rows.null(leaf);
        }
        // Without escapes the value is all that is left to read, and a number has to have a digit.
        if text.is_empty() && !self.escaped {
            return rows.whole(leaf, text);
        }
        // Nested values have quotes and escapes of their own.
        let escaping = if has_escapes && !rows.leaves[leaf].nested { Escaping::TsvEscaped } else { Escaping::Plain };
        rows.text(leaf, text, escaping)
    }

    fn read(&mut self, line: &[u8], rows: &mut Rows) -> Result<()> {
        // Where fields may be missing, an empty line has none.
        if self.variable && line.is_empty() {
            rows.count_unknown(self.heading.mapping.unknown);
            return Ok(());
        }
        let has_escapes = self.escaped && memchr::memchr(b'\\', line).is_some();
        let wanted = self.heading.mapping.fields.len();
        let mut from = 0;
        let mut count = 0;
        loop {
            let end = field_end(line, from, has_escapes);
            match self.heading.mapping.fields.get(count) {
                Some(Some(leaf)) => self.field(*leaf, &line[from..end], has_escapes, rows)?,
                Some(None) => {}
                None if self.variable => rows.count_unknown(1),
                None if wanted == 0 && line.is_empty() => {}
                None => {
                    return Err(rows.wrong(
                        ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                        format!(
                            "Expected the end of the line after {wanted} fields, got a tab: is a tab in a value not escaped?"
                        ),
                    ));
                }
            }
            count += 1;
            if end == line.len() {
                break;
            }
            from = end + 1;
        }
        if count < wanted && !self.variable {
            let missing = self.heading.mapping.fields[count]
                .map_or(String::new(), |leaf| format!(" (column '{}' comes next)", rows.leaves[leaf].name));
            return Err(rows.wrong(
                ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                format!("Expected {wanted} fields, the line ends after {count}{missing}"),
            ));
        }
        rows.count_unknown(self.heading.mapping.unknown);
        Ok(())
    }
}

impl Headed for TsvReader {
    fn heading(&mut self) -> &mut Heading {
        &mut self.heading
    }
}

impl RowReader for TsvReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if let Some(step) = self.heading.byte_order_mark(input, last) {
            return Ok(step);
        }
        if !self.heading.is_over() {
            return self.header(input, last, rows);
        }
        if self.skip_empty_lines && is_empty_lines(input) {
            return Ok(if last { Step::End } else { Step::More });
        }
        let Some((end, bytes)) = whole_line(input, last, self.escaped) else {
            return Ok(Step::More);
        };
        let mut line = &input[..end];
        if line.last() == Some(&b'\r') {
            if self.crlf {
                line = &line[..line.len() - 1];
            } else if self.first_row && self.escaped {
                let error = rows.wrong(
                    ErrorCode::INCORRECT_DATA,
                    "The first row ends with CR LF, which TSV does not: set input_format_tsv_crlf_end_of_line = 1, or escape a CR that belongs to the value as \\r",
                );
                return Ok(Step::Bad(bytes, error));
            }
        }
        self.first_row = false;
        match self.read(line, rows) {
            Ok(()) => Ok(Step::Row(bytes)),
            Err(error) => Ok(Step::Bad(bytes, error)),
        }
    }
}
