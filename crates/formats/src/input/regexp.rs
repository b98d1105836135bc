//! Regexp: lines that a regular expression matches as a whole, with a group for each column.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use regex::bytes::{Regex, RegexBuilder};

use super::Rows;
use super::chunked::{RowReader, Step};
use super::custom::FieldReader;
use crate::custom::CustomDialect;

/// The setting's regular expression, which a line has to match from its first byte to its last. Error: BAD_ARGUMENTS.
pub(crate) fn line_pattern(settings: &Settings) -> Result<Regex> {
    let pattern = &settings.format_regexp;
    if pattern.is_empty() {
        let text = "The regular expression is not set for the `Regexp` format. It requires setting the value of the `format_regexp` setting";
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    let built = RegexBuilder::new(&format!("\\A(?:{pattern})\\z")).build();
    built.map_err(|error| {
        let text = format!("Invalid regular expression '{pattern}' for the `Regexp` format (format_regexp): {error}");
        Error::new(ErrorCode::BAD_ARGUMENTS, text)
    })
}

/// The line at the start of the slice, without its end, and the bytes it takes.
pub(crate) fn next_line(input: &[u8], last: bool) -> Option<(&[u8], usize)> {
    let (end, bytes) = match memchr::memchr(b'\n', input) {
        Some(at) => (at, at + 1),
        None if last => (input.len(), input.len()),
        None => return None,
    };
    let line = &input[..end];
    Some((line.strip_suffix(b"\r").unwrap_or(line), bytes))
}

pub(crate) struct RegexpReader {
    pattern: Regex,
    values: FieldReader,
    skips_unmatched: bool,
}

impl RegexpReader {
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(RegexpReader {
            pattern: line_pattern(settings)?,
            values: FieldReader::new(CustomDialect::of_regexp(settings)?.rule, settings),
            skips_unmatched: settings.format_regexp_skip_unmatched,
        })
    }

    /// False: the line does not match, and may be left out.
    fn read(&self, line: &[u8], rows: &mut Rows) -> Result<bool> {
        let Some(groups) = self.pattern.captures(line) else {
            if self.skips_unmatched {
                return Ok(false);
            }
            let shown = String::from_utf8_lossy(&line[..line.len().min(200)]);
            let text = format!(
                "Line \"{shown}\" doesn't match the regexp: set format_regexp_skip_unmatched = 1 to leave out such lines"
            );
            return Err(rows.wrong(ErrorCode::INCORRECT_DATA, text));
        };
        let (there, wanted) = (groups.len() - 1, rows.leaves.len());
        if there != wanted {
            let text = format!(
                "The number of matched fields in line doesn't match the number of columns: the regular expression has {there} groups, \
                 there are {wanted} columns"
            );
            return Err(rows.wrong(ErrorCode::INCORRECT_DATA, text));
        }
        for leaf in 0..wanted {
            let field = groups.get(leaf + 1).map_or(&b""[..], |group| group.as_bytes());
            if rows.leaves[leaf].wanted {
                self.values.read(leaf, field, rows)?;
            }
        }
        Ok(true)
    }
}

impl RowReader for RegexpReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let Some((line, bytes)) = next_line(input, last) else { return Ok(Step::More) };
        Ok(match self.read(line, rows) {
            Ok(true) => Step::Row(bytes),
            Ok(false) => Step::Skip(bytes),
            Err(error) => Step::Bad(bytes, error),
        })
    }
}
