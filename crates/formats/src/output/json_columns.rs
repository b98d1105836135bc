//! JSONColumns, JSONCompactColumns and JSONColumnsWithMetadata: an array a column, with all its values.
//!
//! A column's array ends with the last row, so what is written is held by column until then.

use arrow::array::RecordBatch;
use gristmill_base::{Result, allocations};
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions, write_json_string};

use super::json::{write_counts, write_meta};
use super::{OutputContext, OutputFormat, ResultSummary, text_options, value_writers};
use crate::Format;

pub struct JsonColumns {
    format: Format,
    columns: Columns,
    statistics: bool,
    options: TextOptions,
    /// What stands between the brackets of each column.
    held: Vec<Vec<u8>>,
    rows: u64,
    piece: Vec<u8>,
}

impl JsonColumns {
    pub fn new(format: Format, columns: Columns, context: &OutputContext) -> Self {
        let mut options = text_options(context, Escaping::Json);
        // What is a document with metadata is always UTF-8, as in ClickHouse.
        options.json_replace_invalid_utf8 |= format == Format::JsonColumnsWithMetadata;
        JsonColumns {
            format,
            statistics: context.settings.output_format_write_statistics,
            held: vec![Vec::new(); columns.len()],
            columns,
            options,
            rows: 0,
            piece: Vec::new(),
        }
    }

    fn key(&self, column: usize, out: &mut Vec<u8>) {
        let name = self.columns.0[column].name.as_bytes();
        write_json_string(name, self.options.json_escape_forward_slashes, true, out);
        out.extend_from_slice(b": ");
    }

    /// The columns, each on a line of its own at that depth.
    fn lines(&mut self, tabs: usize, out: &mut Vec<u8>) -> Result<()> {
        // Without rows ClickHouse names no columns, but in the plainest form.
        if self.rows == 0 && self.format != Format::JsonColumns {
            out.push(b'\n');
            return Ok(());
        }
        for column in 0..self.held.len() {
            let values = std::mem::take(&mut self.held[column]);
            out.extend_from_slice(if column > 0 { b",\n" } else { b"\n" });
            out.resize(out.len() + tabs, b'\t');
            if self.format != Format::JsonCompactColumns {
                self.key(column, out);
            }
            out.push(b'[');
            allocations::extend(out, &values)?;
            out.push(b']');
        }
        Ok(())
    }

    /// `"title":` and a row under it, as JSON has it.
    fn titled(&self, title: &str, tabs: usize, batch: &RecordBatch, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let line = |tabs: usize, out: &mut Vec<u8>| {
            out.push(b'\n');
            out.resize(out.len() + tabs, b'\t');
        };
        out.extend_from_slice(format!("\"{title}\":").as_bytes());
        line(tabs, out);
        out.push(b'{');
        for (column, writer) in value_writers(batch, &self.columns, &self.options)?.iter().enumerate() {
            if column > 0 {
                out.push(b',');
            }
            line(tabs + 1, out);
            self.key(column, out);
            writer.write(row, out);
        }
        line(tabs, out);
        out.push(b'}');
        Ok(())
    }
}

impl OutputFormat for JsonColumns {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match self.format {
            Format::JsonColumnsWithMetadata => {
                write_meta(&self.columns, &self.options, out);
                out.extend_from_slice(b"\"data\":\n\t{");
            }
            Format::JsonCompactColumns => out.push(b'['),
            _ => out.push(b'{'),
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, _out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        for (writer, held) in writers.iter().zip(&mut self.held) {
            self.piece.clear();
            for row in 0..batch.num_rows() {
                if self.rows > 0 || row > 0 {
                    self.piece.extend_from_slice(b", ");
                }
                writer.write(row, &mut self.piece);
            }
            allocations::extend(held, &self.piece)?;
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        match self.format {
            Format::JsonColumnsWithMetadata => {}
            format => {
                self.lines(1, out)?;
                out.extend_from_slice(if format == Format::JsonCompactColumns { b"\n]\n" } else { b"\n}\n" });
                return Ok(());
            }
        }
        self.lines(2, out)?;
        out.extend_from_slice(b"\n\t}");
        if let Some(totals) = summary.totals.as_ref().filter(|batch| batch.num_rows() > 0) {
            out.extend_from_slice(b",\n\n\t");
            self.titled("totals", 1, totals, 0, out)?;
        }
        if let Some(extremes) = summary.extremes.as_ref().filter(|batch| batch.num_rows() > 1) {
            out.extend_from_slice(b",\n\n\t\"extremes\":\n\t{\n\t\t");
            self.titled("min", 2, extremes, 0, out)?;
            out.extend_from_slice(b",\n\t\t");
            self.titled("max", 2, extremes, 1, out)?;
            out.extend_from_slice(b"\n\t}");
        }
        write_counts(summary, self.statistics, out);
        Ok(())
    }
}
