//! CustomSeparated: rows and fields between delimiters that the settings name.
//!
//! A row is taken apart as a whole (`crate::custom`) before its values are read, so that a row that goes on in the next chunk costs
//! no values.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::builder::Escaping;
use gristmill_types::scan::json::JsonCursor;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::fields::BOM;
use super::heading::Heading;
use crate::Format;
use crate::custom::{CustomDialect, RawField, Rule, Uncut, undoubled};

/// Reads fields that are written by a rule, whoever finds them.
pub(crate) struct FieldReader {
    rule: Rule,
    tsv_null: Vec<u8>,
    csv_null: Vec<u8>,
    csv_trims: bool,
}

impl FieldReader {
    pub fn new(rule: Rule, settings: &Settings) -> Self {
        FieldReader {
            rule,
            tsv_null: settings.format_tsv_null_representation.clone().into_bytes(),
            csv_null: settings.format_csv_null_representation.clone().into_bytes(),
            csv_trims: settings.input_format_csv_trim_whitespaces,
        }
    }

    pub fn read(&self, leaf: usize, raw: &[u8], rows: &mut Rows) -> Result<()> {
        match self.rule {
            Rule::Escaped | Rule::Raw if raw == self.tsv_null => rows.null(leaf),
            // Nested values have quotes and escapes of their own.
            Rule::Escaped if !rows.leaves[leaf].nested => rows.text(leaf, raw, Escaping::TsvEscaped),
            Rule::Escaped | Rule::Raw | Rule::Xml => rows.text(leaf, raw, Escaping::Plain),
            Rule::Quoted if raw.eq_ignore_ascii_case(b"null") => rows.null(leaf),
            Rule::Quoted => rows.text(leaf, raw, Escaping::Quoted),
            Rule::Csv if raw.first() == Some(&b'"') => rows.text(leaf, &undoubled(raw), Escaping::Csv),
            Rule::Csv => {
                let mut raw = raw.strip_suffix(b"\r").unwrap_or(raw);
                // The spaces behind it; those before it are its own here, as in ClickHouse.
                while self.csv_trims
                    && let Some(rest) = raw.strip_suffix(b" ").or(raw.strip_suffix(b"\t"))
                {
                    raw = rest;
                }
                if raw == self.csv_null { rows.null(leaf) } else { rows.text(leaf, raw, Escaping::Csv) }
            }
            Rule::Json => {
                let mut cursor = JsonCursor::new(raw);
                rows.json(leaf, &mut cursor)?;
                match cursor.peek() {
                    None => Ok(()),
                    Some(_) => {
                        Err(rows.wrong(ErrorCode::INCORRECT_DATA, "Text is left over after the JSON value of a field"))
                    }
                }
            }
        }
    }
}

pub(crate) struct CustomReader {
    dialect: CustomDialect,
    heading: Heading,
    values: FieldReader,
    variable: bool,
    skip_empty_lines: bool,
    began: bool,
    /// Whether the next row stands behind another one.
    between: bool,
    fields: Vec<RawField>,
}

impl CustomReader {
    /// Error: BAD_ARGUMENTS where the settings say what cannot be read.
    pub fn new(format: Format, settings: &Settings, rows: &Rows) -> Result<Self> {
        let dialect = CustomDialect::for_reading(format, settings)?;
        check_escaped(&dialect, rows)?;
        let detects = settings.input_format_custom_detect_header;
        Ok(CustomReader {
            values: FieldReader::new(dialect.rule, settings),
            dialect,
            heading: Heading::new(format.header(), detects, 0, settings, rows),
            variable: settings.input_format_custom_allow_variable_number_of_columns,
            skip_empty_lines: settings.input_format_custom_skip_trailing_empty_lines,
            began: false,
            between: false,
            fields: Vec::new(),
        })
    }

    /// Takes apart the next row; gives where it ends.
    fn cut(&mut self, input: &[u8], last: bool, wanted: Option<usize>) -> std::result::Result<usize, Uncut> {
        let at = match self.between {
            true => self.dialect.expect(input, 0, &self.dialect.row_between, last, "between rows")?,
            false => 0,
        };
        let mut fields = std::mem::take(&mut self.fields);
        let end = self.dialect.row(input, at, last, wanted, &mut fields);
        self.fields = fields;
        end
    }

    /// A row with a mistake is left out up to the delimiters behind it.
    fn bad(&mut self, input: &[u8], last: bool, error: Error) -> Step {
        let end = [self.dialect.row_after.as_slice(), self.dialect.row_between.as_slice()].concat();
        let start = if self.between { self.dialect.row_between.len().min(input.len()) } else { 0 };
        let found = match end.is_empty() {
            true => None,
            false => memchr::memmem::find(&input[start..], &end).map(|at| start + at + end.len()),
        };
        match found {
            Some(bytes) => {
                // The delimiter between the rows was passed over with it.
                self.between = false;
                Step::Bad(bytes, error)
            }
            None if last => Step::Bad(input.len(), error),
            None => Step::More,
        }
    }

    fn uncut(&mut self, input: &[u8], last: bool, uncut: Uncut, rows: &Rows) -> Step {
        match uncut {
            Uncut::More => Step::More,
            Uncut::Wrong(what) => {
                let error = rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, what);
                self.bad(input, last, error)
            }
        }
    }

    fn header(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let end = match self.cut(input, last, None) {
            Ok(end) => end,
            Err(Uncut::More) => return Ok(Step::More),
            Err(Uncut::Wrong(_)) if self.heading.is_guessed() => {
                self.heading.end();
                return Ok(Step::Skip(0));
            }
            Err(Uncut::Wrong(what)) => {
                return Err(rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, what).with_context("in the header"));
            }
        };
        let fields: Vec<Vec<u8>> = self.fields.iter().map(|field| self.dialect.text(&input[field.clone()])).collect();
        if !self.heading.takes(&fields, rows)? {
            return Ok(Step::Skip(0));
        }
        self.between = true;
        Ok(Step::Skip(end))
    }

    fn read(&self, input: &[u8], rows: &mut Rows) -> Result<()> {
        let wanted = self.heading.mapping.fields.len();
        for (at, field) in self.fields.iter().enumerate() {
            match self.heading.mapping.fields.get(at) {
                Some(Some(leaf)) => self.values.read(*leaf, &input[field.clone()], rows)?,
                Some(None) => {}
                None if self.variable => rows.count_unknown(1),
                None => {
                    return Err(rows.wrong(
                        ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                        format!("Expected the end of the row after {wanted} fields, got one more"),
                    ));
                }
            }
        }
        if self.fields.len() < wanted && !self.variable {
            return Err(rows.wrong(
                ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                format!("Expected {wanted} fields, the row ends after {}", self.fields.len()),
            ));
        }
        rows.count_unknown(self.heading.mapping.unknown);
        Ok(())
    }
}

/// Escaped strings end with a tab or a line end, so the delimiters behind them have to begin with one. Error: BAD_ARGUMENTS.
fn check_escaped(dialect: &CustomDialect, rows: &Rows) -> Result<()> {
    let count = rows.leaves.len();
    let is_wrong = |(at, string): (usize, bool)| {
        let behind = if at + 1 == count { &dialect.row_after } else { &dialect.field };
        string && !matches!(behind.first(), Some(b'\t' | b'\n'))
    };
    if dialect.rule == Rule::Escaped && rows.leaves.iter().map(|leaf| leaf.string).enumerate().any(is_wrong) {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            "'Escaped' serialization requires delimiter after String field to start with '\\t' or '\\n': set \
             format_custom_escaping_rule to CSV, Quoted or JSON for other delimiters",
        ));
    }
    Ok(())
}

impl RowReader for CustomReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if !self.began {
            if input.len() < BOM.len() && !last && BOM.starts_with(input) {
                return Ok(Step::More);
            }
            let skip = if input.starts_with(BOM) { BOM.len() } else { 0 };
            return match self.dialect.expect(input, skip, &self.dialect.result_before, last, "before the first row") {
                Ok(end) => {
                    self.began = true;
                    Ok(Step::Skip(end))
                }
                Err(Uncut::More) => Ok(Step::More),
                Err(Uncut::Wrong(what)) => Err(rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, what)),
            };
        }
        match self.dialect.is_over(input, last, self.skip_empty_lines) {
            Ok(true) => return Ok(Step::End),
            Ok(false) => {}
            Err(_) => return Ok(Step::More),
        }
        if !self.heading.is_over() {
            return self.header(input, last, rows);
        }
        let end = match self.cut(input, last, Some(self.heading.mapping.fields.len())) {
            Ok(end) => end,
            Err(uncut) => return Ok(self.uncut(input, last, uncut, rows)),
        };
        match self.read(input, rows) {
            Ok(()) => {
                self.between = true;
                Ok(Step::Row(end))
            }
            Err(error) => {
                self.between = true;
                Ok(Step::Bad(end, error))
            }
        }
    }

    fn end(&mut self, rows: &mut Rows) -> Result<()> {
        let missing = match self.began {
            false => &self.dialect.result_before,
            true => &self.dialect.result_after,
        };
        if missing.is_empty() {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(missing).escape_debug().to_string();
        Err(rows.wrong(
            ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
            format!("Cannot parse input: expected '{shown}' at end of stream"),
        ))
    }
}
