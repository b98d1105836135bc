//! Values: `(1, 'a'), (2, 'b')` as in an INSERT statement. Literals only: an expression is an error that says so.

use gristmill_base::{ErrorCode, Result};
use gristmill_types::builder::Escaping;

use super::Rows;
use super::chunked::{RowReader, Step, line_end};

pub(crate) struct ValuesReader;

/// The end of the literal at the start of the slice: the comma or parenthesis after it. `None` where the slice ends first.
pub(crate) fn literal_end(input: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = input.get(at) {
        match c {
            b'\'' | b'"' | b'`' => {
                at += 1;
                loop {
                    at += memchr::memchr2(*c, b'\\', input.get(at..)?)?;
                    if input[at] == b'\\' {
                        at += 2;
                        continue;
                    }
                    break;
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b',' if depth == 0 => return Some(at),
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where a row that starts with its parenthesis ends.
pub(crate) fn row_end(input: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += literal_end(&input[at..])?;
        at += 1;
        if input[at - 1] == b')' {
            return Some(at);
        }
    }
}

impl ValuesReader {
    fn read(&self, row: &[u8], rows: &mut Rows) -> Result<()> {
        let wanted = rows.leaves.len();
        let mut at = 1;
        let mut count = 0;
        loop {
            let end = at + literal_end(&row[at..]).unwrap_or(row.len() - 1 - at);
            let text = row[at..end].trim_ascii();
            if text.is_empty() && count == 0 && row[end] == b')' {
                break;
            }
            if count == wanted {
                return Err(rows.wrong(ErrorCode::SYNTAX_ERROR, format!("Expected ')' after {wanted} values, got one more")));
            }
            if text.eq_ignore_ascii_case(b"null") {
                rows.null(count)?;
            } else if text.eq_ignore_ascii_case(b"default") {
                rows.default(count);
            } else {
                rows.text(count, text, Escaping::Quoted)
                    .map_err(|error| error.with_context("only literals can be read from Values, not expressions"))?;
            }
            count += 1;
            at = end + 1;
            if row[end] == b')' {
                break;
            }
        }
        if count < wanted {
            let name = rows.leaves[count].name.clone();
            return Err(rows.wrong(
                ErrorCode::SYNTAX_ERROR,
                format!("Expected {wanted} values, the row ends after {count} (column '{name}' comes next)"),
            ));
        }
        Ok(())
    }
}

impl RowReader for ValuesReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let space = input.iter().take_while(|c| matches!(c, b' ' | b'\n' | b'\r' | b'\t' | b',' | b';')).count();
        let row = &input[space..];
        match row.first() {
            None => return Ok(Step::Skip(space)),
            Some(b'(') => {}
            Some(_) => {
                let shown = String::from_utf8_lossy(&row[..row.len().min(20)]).into_owned();
                let message = format!("Expected '(' to start a row, got '{shown}'");
                return Ok(Step::Bad(
                    space + line_end(row),
                    rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message),
                ));
            }
        }
        let Some(end) = row_end(row) else {
            if !last {
                return Ok(Step::More);
            }
            let error = rows.wrong(ErrorCode::CANNOT_READ_ALL_DATA, "The data ends within a row");
            return Ok(Step::Bad(input.len(), error));
        };
        Ok(match self.read(&row[..end], rows) {
            Ok(()) => Step::Row(space + end),
            Err(error) => Step::Bad(space + end, error),
        })
    }
}
