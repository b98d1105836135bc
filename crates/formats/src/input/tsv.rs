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
use super::fields::{BOM, Mapping, Stage, check_types, looks_like_names, looks_like_types};
use crate::{Format, Header};

pub(crate) struct TsvReader {
    escaped: bool,
    stage: Stage,
    after_lines: Stage,
    with_types: bool,
    mapping: Mapping,
    null: Vec<u8>,
    empty_as_default: bool,
    skip_empty_lines: bool,
    variable: bool,
    crlf: bool,
    use_names: bool,
    use_types: bool,
    began: bool,
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
        let header = format.header();
        let mut reader = TsvReader {
            escaped: !matches!(format, F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes),
            stage: Stage::Rows,
            after_lines: Stage::Rows,
            with_types: header == Header::NamesAndTypes,
            mapping: Mapping::positional(rows),
            null: settings.format_tsv_null_representation.clone().into_bytes(),
            empty_as_default: settings.input_format_tsv_empty_as_default,
            skip_empty_lines: settings.input_format_tsv_skip_trailing_empty_lines,
            variable: settings.input_format_tsv_allow_variable_number_of_columns,
            crlf: settings.input_format_tsv_crlf_end_of_line,
            use_names: settings.input_format_with_names_use_header,
            use_types: settings.input_format_with_types_use_header,
            began: false,
            first_row: true,
        };
        reader.after_lines = match header {
            Header::None if settings.input_format_tsv_detect_header => Stage::Detect,
            Header::None => Stage::Rows,
            _ => Stage::Names,
        };
        reader.stage = match settings.input_format_tsv_skip_first_lines {
            0 => reader.after_lines,
            lines => Stage::Lines(lines),
        };
        reader
    }

    /// Reads the header of the object that the data is a part of; what comes next are rows.
    pub fn read_header(&mut self, header: &[u8], rows: &mut Rows) -> Result<()> {
        let mut at = 0;
        while at < header.len() && self.stage != Stage::Rows {
            match self.step(&header[at..], true, rows)? {
                Step::Skip(bytes) => at += bytes,
                _ => break,
            }
        }
        self.stage = Stage::Rows;
        self.began = true;
        Ok(())
    }

    pub fn header_length(mut self, head: &[u8], mut rows: Rows) -> Result<Option<usize>> {
        let mut at = 0;
        while self.stage != Stage::Rows || !self.began {
            match self.step(&head[at..], false, &mut rows)? {
                Step::Skip(bytes) => at += bytes,
                Step::More => return Ok(None),
                _ => break,
            }
        }
        Ok(Some(at))
    }

    fn header(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let Some((end, bytes)) = whole_line(input, last, self.escaped && !matches!(self.stage, Stage::Lines(_))) else {
            return Ok(Step::More);
        };
        if let Stage::Lines(left) = self.stage {
            self.stage = if left > 1 { Stage::Lines(left - 1) } else { self.after_lines };
            return Ok(Step::Skip(bytes));
        }
        let line = &input[..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let fields = self.texts(line);
        match self.stage {
            Stage::Names => {
                if self.use_names {
                    self.mapping = Mapping::named(&fields, rows)?;
                }
                self.stage = if self.with_types { Stage::Types } else { Stage::Rows };
                Ok(Step::Skip(bytes))
            }
            Stage::Types => {
                if self.use_types {
                    check_types(&fields, &self.mapping, rows)?;
                }
                self.stage = Stage::Rows;
                Ok(Step::Skip(bytes))
            }
            Stage::Detect if looks_like_names(&fields, rows) => {
                self.mapping = Mapping::named(&fields, rows)?;
                self.stage = Stage::DetectTypes;
                Ok(Step::Skip(bytes))
            }
            Stage::DetectTypes if looks_like_types(&fields, &self.mapping, rows) => {
                self.stage = Stage::Rows;
                Ok(Step::Skip(bytes))
            }
            _ => {
                self.stage = Stage::Rows;
                Ok(Step::Skip(0))
            }
        }
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
        let has_escapes = self.escaped && memchr::memchr(b'\\', line).is_some();
        let wanted = self.mapping.fields.len();
        let mut from = 0;
        let mut count = 0;
        loop {
            let end = field_end(line, from, has_escapes);
            match self.mapping.fields.get(count) {
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
            let missing = self.mapping.fields[count]
                .map_or(String::new(), |leaf| format!(" (column '{}' comes next)", rows.leaves[leaf].name));
            return Err(rows.wrong(
                ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                format!("Expected {wanted} fields, the line ends after {count}{missing}"),
            ));
        }
        rows.count_unknown(self.mapping.unknown);
        Ok(())
    }
}

impl RowReader for TsvReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if !self.began {
            if input.len() < BOM.len() && !last && BOM.starts_with(input) {
                return Ok(Step::More);
            }
            self.began = true;
            if input.starts_with(BOM) {
                return Ok(Step::Skip(BOM.len()));
            }
        }
        if self.stage != Stage::Rows {
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
