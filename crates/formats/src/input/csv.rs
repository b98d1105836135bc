//! CSV: fields by a delimiter, in double quotes where they must be (a quote inside is doubled), lines ended by LF or CRLF.
//!
//! A field is found with one vectorised search (`memchr`) for its end and handed to its column as it stands in the chunk;
//! only fields with doubled quotes are copied. Spaces around fields are left out (those of a text at the very end of the data
//! are not, as ClickHouse does). An empty field without quotes is the column's default. One delimiter too many at the end of a
//! line is let pass, as ClickHouse does.

use std::borrow::Cow;

use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::SqlType;
use gristmill_types::builder::Escaping;

use super::Rows;
use super::chunked::{RowReader, Step, is_empty_lines, line_end};
use super::heading::{Headed, Heading};
use crate::Format;
use crate::output::csv_delimiter;

/// The characters that CSV is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CsvDialect {
    pub delimiter: u8,
    pub double_quotes: bool,
    pub single_quotes: bool,
    pub trim: bool,
    /// Spaces before a field are left out.
    pub trim_before: bool,
    /// Lines may end with CR alone.
    pub cr: bool,
}

impl CsvDialect {
    pub fn of(settings: &Settings) -> Result<CsvDialect> {
        Ok(CsvDialect {
            delimiter: csv_delimiter(&settings.format_csv_delimiter)?,
            double_quotes: settings.format_csv_allow_double_quotes,
            single_quotes: settings.format_csv_allow_single_quotes,
            trim: settings.input_format_csv_trim_whitespaces,
            trim_before: settings.input_format_csv_trim_whitespaces
                && !settings.input_format_csv_allow_whitespace_or_tab_as_delimiter,
            cr: settings.input_format_csv_allow_cr_end_of_line,
        })
    }

    fn is_quote(&self, byte: u8) -> bool {
        (byte == b'"' && self.double_quotes) || (byte == b'\'' && self.single_quotes)
    }

    fn is_space(&self, byte: u8) -> bool {
        (byte == b' ' || byte == b'\t') && byte != self.delimiter
    }
}

/// A field at the start of a slice.
#[derive(Debug, PartialEq)]
pub(crate) struct CsvField<'a> {
    pub text: Cow<'a, [u8]>,
    pub quoted: bool,
    /// Bytes up to the next field or line.
    pub bytes: usize,
    /// It is the last of its line.
    pub ends_line: bool,
}

pub(crate) enum Wrong {
    /// The slice ends within the field.
    Unfinished,
    /// After that many bytes stands something that cannot.
    AfterQuote(usize),
}

/// Finds the end of an unquoted field: most are short, so the first bytes are looked at one by one.
#[inline]
fn unquoted_end(input: &[u8], dialect: &CsvDialect) -> Option<usize> {
    let delimiter = dialect.delimiter;
    if dialect.cr {
        return memchr::memchr3(delimiter, b'\n', b'\r', input);
    }
    let near = input.len().min(16);
    if let Some(at) = input[..near].iter().position(|c| *c == delimiter || *c == b'\n') {
        return Some(at);
    }
    memchr::memchr2(delimiter, b'\n', &input[near..]).map(|at| near + at)
}

/// Reads the field that `input` starts with.
#[inline]
pub(crate) fn next_field<'a>(input: &'a [u8], last: bool, dialect: &CsvDialect) -> std::result::Result<CsvField<'a>, Wrong> {
    let mut at = 0;
    while dialect.trim_before && input.get(at).is_some_and(|c| dialect.is_space(*c)) {
        at += 1;
    }
    let quote = input.get(at).copied().filter(|c| dialect.is_quote(*c));
    let Some(quote) = quote else {
        let from = at;
        let (end, ends_line, bytes) = match unquoted_end(&input[from..], dialect) {
            Some(found) if input[from + found] == dialect.delimiter => (from + found, false, from + found + 1),
            Some(found) if input[from + found] == b'\r' => {
                let end = from + found;
                match input.get(end + 1) {
                    Some(b'\n') => (end, true, end + 2),
                    None if !last => return Err(Wrong::Unfinished),
                    _ => (end, true, end + 1),
                }
            }
            Some(found) => (from + found, true, from + found + 1),
            None if last => (input.len(), true, input.len()),
            None => return Err(Wrong::Unfinished),
        };
        let mut text = &input[from..end];
        if ends_line && text.last() == Some(&b'\r') {
            text = &text[..text.len() - 1];
        }
        let at_end_of_data = end == input.len();
        while dialect.trim && !at_end_of_data && text.last().is_some_and(|c| dialect.is_space(*c)) {
            text = &text[..text.len() - 1];
        }
        return Ok(CsvField { text: Cow::Borrowed(text), quoted: false, bytes, ends_line });
    };
    at += 1;
    let start = at;
    let mut doubled = false;
    let end = loop {
        at += memchr::memchr(quote, &input[at..]).ok_or(Wrong::Unfinished)?;
        if input.get(at + 1) == Some(&quote) {
            doubled = true;
            at += 2;
            continue;
        }
        // At the very end of a chunk the quote may be the first of two.
        if at + 1 == input.len() && !last {
            return Err(Wrong::Unfinished);
        }
        break at;
    };
    let text = &input[start..end];
    let text = if doubled {
        let mut copy = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = memchr::memchr(quote, rest) {
            copy.extend_from_slice(&rest[..=at]);
            rest = &rest[at + 2..];
        }
        copy.extend_from_slice(rest);
        Cow::Owned(copy)
    } else {
        Cow::Borrowed(text)
    };
    at = end + 1;
    while input.get(at).is_some_and(|c| dialect.is_space(*c)) {
        at += 1;
    }
    let (bytes, ends_line) = match input.get(at) {
        Some(c) if *c == dialect.delimiter => (at + 1, false),
        Some(b'\n') => (at + 1, true),
        Some(b'\r') => match input.get(at + 1) {
            Some(b'\n') => (at + 2, true),
            None if !last => return Err(Wrong::Unfinished),
            None => (at + 1, true),
            Some(_) if dialect.cr => (at + 1, true),
            Some(_) => return Err(Wrong::AfterQuote(at)),
        },
        Some(_) => return Err(Wrong::AfterQuote(at)),
        None if last => (at, true),
        None => return Err(Wrong::Unfinished),
    };
    Ok(CsvField { text, quoted: true, bytes, ends_line })
}

pub(crate) struct CsvReader {
    dialect: CsvDialect,
    heading: Heading,
    null: Vec<u8>,
    empty_as_default: bool,
    /// Fields of Nullable(String) without anything are empty texts.
    empty_is_text: bool,
    variable: bool,
    skip_empty_lines: bool,
    /// Fields that are no values of their column become its default.
    bad_as_default: bool,
}

impl CsvReader {
    pub fn new(format: Format, settings: &Settings, rows: &Rows) -> Result<Self> {
        let (detects, lines) = (settings.input_format_csv_detect_header, settings.input_format_csv_skip_first_lines);
        Ok(CsvReader {
            dialect: CsvDialect::of(settings)?,
            heading: Heading::new(format.header(), detects, lines, settings, rows),
            null: settings.format_csv_null_representation.clone().into_bytes(),
            empty_as_default: settings.input_format_csv_empty_as_default,
            empty_is_text: settings.input_format_csv_missing_nullable_as_empty_string,
            variable: settings.input_format_csv_allow_variable_number_of_columns,
            skip_empty_lines: settings.input_format_csv_skip_trailing_empty_lines,
            bad_as_default: settings.input_format_csv_use_default_on_bad_values,
        })
    }

    /// All fields of the line as text, and its bytes; `None` where the slice ends before it.
    fn line(&self, input: &[u8], last: bool) -> Option<(Vec<Vec<u8>>, usize)> {
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            match next_field(&input[at..], last, &self.dialect) {
                Ok(field) => {
                    at += field.bytes;
                    let done = field.ends_line;
                    fields.push(field.text.into_owned());
                    if done {
                        return Some((fields, at));
                    }
                }
                Err(Wrong::Unfinished) if !last => return None,
                Err(_) => return Some((Vec::new(), line_end(input))),
            }
        }
    }

    fn header(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if self.heading.is_at_lines() {
            let end = match memchr::memchr(b'\n', input) {
                Some(at) => at + 1,
                None if last => input.len(),
                None => return Ok(Step::More),
            };
            self.heading.line_left_out();
            return Ok(Step::Skip(end));
        }
        let Some((mut fields, bytes)) = self.line(input, last) else {
            return Ok(Step::More);
        };
        if self.heading.is_at_names() && fields.len() > 1 && fields.last().is_some_and(Vec::is_empty) {
            fields.pop();
        }
        Ok(Step::Skip(if self.heading.takes(&fields, rows)? { bytes } else { 0 }))
    }

    /// Where the row that starts the slice ends, whatever it holds.
    fn row_end(&self, input: &[u8], last: bool) -> Option<usize> {
        let mut at = 0;
        loop {
            match next_field(&input[at..], last, &self.dialect) {
                Ok(field) => {
                    at += field.bytes;
                    if field.ends_line {
                        return Some(at);
                    }
                }
                Err(Wrong::Unfinished) if !last => return None,
                Err(Wrong::Unfinished) => return Some(line_end(input)),
                Err(Wrong::AfterQuote(near)) => {
                    return match memchr::memchr(b'\n', &input[at + near..]) {
                        Some(end) => Some(at + near + end + 1),
                        None if last => Some(input.len()),
                        None => None,
                    };
                }
            }
        }
    }

    fn bad(&self, input: &[u8], last: bool, error: gristmill_base::Error) -> Step {
        match self.row_end(input, last) {
            Some(bytes) => Step::Bad(bytes, error),
            None => Step::More,
        }
    }

    #[inline]
    fn field(&self, leaf: usize, field: &CsvField<'_>, rows: &mut Rows) -> Result<()> {
        let mut text = &field.text[..];
        if !field.quoted {
            // Spaces may be part of a text, and of nothing else.
            while !rows.leaves[leaf].string && text.last().is_some_and(|c| self.dialect.is_space(*c)) {
                text = &text[..text.len() - 1];
            }
            while !rows.leaves[leaf].string && text.first().is_some_and(|c| self.dialect.is_space(*c)) {
                text = &text[1..];
            }
            if text.is_empty() && self.empty_as_default && !(self.empty_is_text && is_nullable_text(leaf, rows)) {
                rows.default(leaf);
                return Ok(());
            }
            if *text == *self.null {
                return rows.null(leaf);
            }
        }
        match rows.text(leaf, text, Escaping::Csv) {
            Err(error) if self.bad_as_default && error.code() != ErrorCode::UNKNOWN_ELEMENT_OF_ENUM => {
                rows.default(leaf);
                Ok(())
            }
            done => done,
        }
    }
}

fn is_nullable_text(leaf: usize, rows: &Rows) -> bool {
    let kind = rows.leaves[leaf].builder.kind();
    kind.is_nullable() && matches!(kind.plain(), SqlType::String)
}

impl Headed for CsvReader {
    fn heading(&mut self) -> &mut Heading {
        &mut self.heading
    }
}

impl RowReader for CsvReader {
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
        let mut at = 0;
        let wanted = self.heading.mapping.fields.len();
        let mut count = 0;
        loop {
            let field = match next_field(&input[at..], last, &self.dialect) {
                Ok(field) => field,
                Err(Wrong::Unfinished) if !last => return Ok(Step::More),
                Err(Wrong::Unfinished) => {
                    let error = rows.wrong(ErrorCode::CANNOT_READ_ALL_DATA, "The data ends within a quoted field");
                    return Ok(Step::Bad(input.len(), error));
                }
                Err(Wrong::AfterQuote(near)) => {
                    let found = String::from_utf8_lossy(&input[at + near..(at + near + 1).min(input.len())]).into_owned();
                    let error = rows.wrong(
                        ErrorCode::INCORRECT_DATA,
                        format!(
                            "Expected a delimiter or the end of the line after the closing quote of field {}, got '{found}'",
                            count + 1
                        ),
                    );
                    return Ok(self.bad(input, last, error));
                }
            };
            at += field.bytes;
            match self.heading.mapping.fields.get(count) {
                Some(Some(leaf)) => {
                    if let Err(error) = self.field(*leaf, &field, rows) {
                        return Ok(self.bad(input, last, error));
                    }
                }
                Some(None) => {}
                // A line may end with one delimiter more, and a line for no columns is empty.
                None if field.ends_line && field.text.is_empty() && !field.quoted => {}
                None if self.variable => rows.count_unknown(1),
                None => {
                    let error = rows.wrong(
                        ErrorCode::INCORRECT_DATA,
                        format!(
                            "Expected the end of the line after {wanted} fields, got one more: '{}'",
                            String::from_utf8_lossy(&field.text)
                        ),
                    );
                    return Ok(self.bad(input, last, error));
                }
            }
            count += 1;
            if field.ends_line {
                break;
            }
        }
        if count < wanted && !self.variable {
            let missing = self.heading.mapping.fields[count]
                .map_or(String::new(), |leaf| format!(" (column '{}' comes next)", rows.leaves[leaf].name));
            let error = rows.wrong(
                ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                format!("Expected {wanted} fields, the line ends after {count}{missing}"),
            );
            return Ok(Step::Bad(at, error));
        }
        rows.count_unknown(self.heading.mapping.unknown);
        Ok(Step::Row(at))
    }

    fn end(&mut self, _rows: &mut Rows) -> Result<()> {
        Ok(())
    }
}
