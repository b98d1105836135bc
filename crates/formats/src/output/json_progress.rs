//! JSONEachRowWithProgress and its relatives: first a line that tells the columns, then a line a row, and between them lines that
//! tell how far the query is and what is in its log; at the end totals, extremes, the last progress and the rows before a LIMIT, or
//! the error. Each is an object with one member that says what it is.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;

use super::json_each_row::JsonEachRow;
use super::{OutputContext, OutputFormat, ResultSummary, Told};
use crate::Format;

pub struct JsonProgress {
    columns: Columns,
    rows: JsonEachRow,
    told: Told,
}

impl JsonProgress {
    pub fn new(format: Format, columns: Columns, context: &OutputContext) -> Self {
        let rows = JsonEachRow::new(format, columns.clone(), context);
        JsonProgress { columns, rows, told: Told::default() }
    }

    fn titled(&mut self, title: &str, batch: &RecordBatch, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let writers = self.rows.writers(batch)?;
        out.extend_from_slice(format!("{{\"{title}\":").as_bytes());
        self.rows.row(&writers, row, out);
        out.extend_from_slice(b"}\n");
        Ok(())
    }
}

impl OutputFormat for JsonProgress {
    /// Before anything is known of rows. A statement that fails before its columns are known tells none.
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.columns.is_empty() {
            return Ok(());
        }
        out.extend_from_slice(b"{\"meta\":[");
        for (at, column) in self.columns.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b",{\"name\":" } else { b"{\"name\":" });
            self.rows.string(column.name.as_bytes(), out);
            out.extend_from_slice(b",\"type\":");
            self.rows.string(column.kind.to_string().as_bytes(), out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}\n");
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let writers = self.rows.writers(batch)?;
        for row in 0..batch.num_rows() {
            out.extend_from_slice(b"{\"row\":");
            self.rows.row(&writers, row, out);
            out.extend_from_slice(b"}\n");
        }
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        if let Some(totals) = summary.totals.as_ref().filter(|batch| batch.num_rows() > 0) {
            self.titled("totals", totals, 0, out)?;
        }
        if let Some(extremes) = summary.extremes.as_ref().filter(|batch| batch.num_rows() > 1) {
            self.titled("min", extremes, 0, out)?;
            self.titled("max", extremes, 1, out)?;
        }
        let told = Told {
            read_rows: summary.read_rows,
            read_bytes: summary.read_bytes,
            total_rows_to_read: summary.total_rows_to_read,
            elapsed_ns: (summary.elapsed_seconds * 1e9) as u64,
        };
        self.progress(&told, out);
        if let Some(rows) = summary.rows_before_limit {
            out.extend_from_slice(format!("{{\"rows_before_limit_at_least\":{rows}}}\n").as_bytes());
        }
        Ok(())
    }

    /// A line, unless nothing was read since the last one. What is not known is left out.
    fn progress(&mut self, told: &Told, out: &mut Vec<u8>) {
        if (told.read_rows, told.read_bytes) == (self.told.read_rows, self.told.read_bytes) {
            return;
        }
        self.told = *told;
        let numbers = [
            ("read_rows", told.read_rows),
            ("read_bytes", told.read_bytes),
            ("total_rows_to_read", told.total_rows_to_read),
            ("elapsed_ns", told.elapsed_ns),
        ];
        let known = numbers.iter().filter(|(_, number)| *number > 0);
        let members: Vec<String> = known.map(|(name, number)| format!("\"{name}\":\"{number}\"")).collect();
        out.extend_from_slice(format!("{{\"progress\":{{{}}}}}\n", members.join(",")).as_bytes());
    }

    fn log(&mut self, object: &str, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(b"{\"log\":");
        out.extend_from_slice(object.as_bytes());
        out.extend_from_slice(b"}\n");
        true
    }

    fn fail(&mut self, _summary: &ResultSummary, error: &str, out: &mut Vec<u8>) -> Result<bool> {
        out.extend_from_slice(b"{\"exception\":");
        self.rows.string(error.as_bytes(), out);
        out.extend_from_slice(b"}\n");
        Ok(true)
    }
}
