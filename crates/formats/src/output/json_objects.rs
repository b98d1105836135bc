//! JSONObjectEachRow: one object whose members are the rows, named `row_1`, `row_2` and so on, or by a column's values.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use gristmill_base::{Error, Result};
use gristmill_types::Columns;

use super::json_each_row::JsonEachRow;
use super::{OutputContext, OutputFormat, ResultSummary};
use crate::Format;
use crate::input::json_named_rows::column_of_names;

pub struct JsonObjects {
    rows: JsonEachRow,
    /// The column that names the rows, which is none of their members.
    names: Option<usize>,
    /// The others.
    members: Vec<usize>,
    written: u64,
}

impl JsonObjects {
    /// Errors: BAD_ARGUMENTS where the setting names no column, or one that is no String.
    pub fn new(columns: Columns, context: &OutputContext) -> Result<Self> {
        let names = column_of_names(&columns, &context.settings)?;
        let members: Vec<usize> = (0..columns.len()).filter(|at| Some(*at) != names).collect();
        let shown = Columns::new(members.iter().map(|at| columns.0[*at].clone()).collect());
        let rows = JsonEachRow::new(Format::JsonObjectEachRow, shown, context);
        Ok(JsonObjects { rows, names, members, written: 0 })
    }

    fn separate(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.written > 0 { b",\n\t" } else { b"\t" });
        self.written += 1;
    }
}

impl OutputFormat for JsonObjects {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"{\n");
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let names: Option<ArrayRef> = self.names.map(|at| Arc::clone(batch.column(at)));
        let texts = match &names {
            Some(names) => Some(
                names
                    .as_binary_view_opt()
                    .ok_or_else(|| Error::logical(format!("A String came as {}", names.data_type())))?,
            ),
            None => None,
        };
        let writers = self.rows.writers(&batch.project(&self.members)?)?;
        for row in 0..batch.num_rows() {
            self.separate(out);
            match texts {
                Some(texts) => self.rows.string(texts.value(row), out),
                None => out.extend_from_slice(format!("\"row_{}\"", self.written).as_bytes()),
            }
            out.extend_from_slice(b": ");
            self.rows.row(&writers, row, out);
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"\n}\n");
        Ok(())
    }

    fn fail(&mut self, summary: &ResultSummary, error: &str, out: &mut Vec<u8>) -> Result<bool> {
        self.separate(out);
        out.extend_from_slice(b"\"exception\": ");
        self.rows.string(error.as_bytes(), out);
        self.finish(summary, out)?;
        Ok(true)
    }
}
