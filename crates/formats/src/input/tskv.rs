//! TSKV: a line of `name=value` fields a row. A line without fields is a row of defaults.

use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::builder::Escaping;
use gristmill_types::scan::quoted::unescape;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::tsv::{field_end, is_escaped, whole_line};

pub(crate) struct TskvReader {
    /// The column that is likely to come next.
    next: usize,
    columns: usize,
    name: Vec<u8>,
    null: Vec<u8>,
}

impl TskvReader {
    pub fn new(settings: &Settings, rows: &Rows) -> Self {
        let null = settings.format_tsv_null_representation.clone().into_bytes();
        TskvReader { next: 0, columns: rows.columns().len(), name: Vec::new(), null }
    }

    fn read(&mut self, line: &[u8], rows: &mut Rows) -> Result<()> {
        let mut from = 0;
        self.next = 0;
        while from < line.len() {
            let end = field_end(line, from, true);
            let field = &line[from..end];
            from = end + 1;
            let mut equals = memchr::memchr_iter(b'=', field).filter(|at| !is_escaped(field, *at));
            let Some(equals) = equals.next() else {
                let shown = String::from_utf8_lossy(field);
                return Err(rows.wrong(ErrorCode::INCORRECT_DATA, format!("Field '{shown}' has no '=' and so no value")));
            };
            self.name.clear();
            if let Err(fault) = unescape(&field[..equals], &mut self.name) {
                return Err(rows.wrong(fault.code, fault.reason));
            }
            let value = &field[equals + 1..];
            let column = if self.next < self.columns && rows.columns().0[self.next].name.as_bytes() == self.name {
                self.next
            } else if let Some(column) = rows.find(&self.name) {
                column
            } else {
                rows.unknown_field(&self.name)?;
                continue;
            };
            self.next = column + 1;
            if rows.has_value(column) {
                let name = String::from_utf8_lossy(&self.name).into_owned();
                return Err(rows.wrong(ErrorCode::INCORRECT_DATA, format!("Field '{name}' comes twice in one row")));
            }
            if value == self.null {
                rows.null(column)?;
            } else {
                let escaping = if rows.leaves[column].nested { Escaping::Plain } else { Escaping::TsvEscaped };
                rows.text(column, value, escaping)?;
            }
        }
        Ok(())
    }
}

impl RowReader for TskvReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let Some((end, bytes)) = whole_line(input, last, true) else {
            return Ok(Step::More);
        };
        let line = &input[..end];
        Ok(match self.read(line.strip_suffix(b"\r").unwrap_or(line), rows) {
            Ok(()) => Step::Row(bytes),
            Err(error) => Step::Bad(bytes, error),
        })
    }
}
