//! JSON, JSONCompact and their Strings variants: one document with `meta`, `data`, totals, extremes, counts, statistics.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter, write_json_string};

use super::json_tree::{Indent, JsonTree};
use super::{NULL_FOR_PEOPLE, OutputContext, OutputFormat, ResultSummary, text_options, value_writers};
use crate::Format;

pub struct Json {
    columns: Columns,
    /// Rows as arrays.
    compact: bool,
    strings: bool,
    /// Whether arrays, maps and tuples are spread over lines.
    in_lines: bool,
    statistics: bool,
    /// `"name": ` by column.
    keys: Vec<Vec<u8>>,
    options: TextOptions,
    first: bool,
    value: Vec<u8>,
}

/// A column of one batch: as a tree over lines, or plain.
enum Value {
    Tree(JsonTree),
    Plain(ValueWriter),
}

impl Json {
    pub fn new(format: Format, columns: Columns, context: &OutputContext) -> Self {
        let strings = format.json_strings();
        let mut options = text_options(context, if strings { Escaping::Plain } else { Escaping::Json });
        options.json_replace_invalid_utf8 = true;
        if strings {
            options.tsv_null = NULL_FOR_PEOPLE.into();
        }
        let keys = columns.iter().map(|column| {
            let mut key = Vec::new();
            write_json_string(column.name.as_bytes(), options.json_escape_forward_slashes, true, &mut key);
            key.extend_from_slice(b": ");
            key
        });
        Json {
            keys: keys.collect(),
            compact: matches!(format, Format::JsonCompact | Format::JsonCompactStrings),
            in_lines: context.settings.output_format_json_pretty_print,
            statistics: context.settings.output_format_write_statistics,
            columns,
            strings,
            options,
            first: true,
            value: Vec::new(),
        }
    }

    fn values(&self, batch: &RecordBatch) -> Result<Vec<Value>> {
        if self.compact || self.strings || !self.in_lines {
            return Ok(value_writers(batch, &self.columns, &self.options)?.into_iter().map(Value::Plain).collect());
        }
        let columns = batch.columns().iter().zip(&self.columns);
        columns.map(|(array, column)| Ok(Value::Tree(JsonTree::new(array, &column.kind, &self.options)?))).collect()
    }

    fn value(&mut self, value: &Value, row: usize, tabs: usize, out: &mut Vec<u8>) {
        match value {
            Value::Tree(tree) => tree.write(row, Indent::Tabs(tabs), &self.options, out),
            Value::Plain(writer) if self.strings => {
                self.value.clear();
                writer.write(row, &mut self.value);
                write_json_string(&self.value, self.options.json_escape_forward_slashes, true, out);
            }
            Value::Plain(writer) => writer.write(row, out),
        }
    }

    /// A row at that depth, without anything before or after it.
    fn row(&mut self, values: &[Value], row: usize, tabs: usize, out: &mut Vec<u8>) {
        if self.compact {
            out.push(b'[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    out.extend_from_slice(b", ");
                }
                self.value(value, row, tabs, out);
            }
            out.push(b']');
            return;
        }
        out.push(b'{');
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            line(tabs + 1, out);
            out.extend_from_slice(&self.keys[i]);
            self.value(value, row, tabs + 1, out);
        }
        line(tabs, out);
        out.push(b'}');
    }

    /// `"title":` and a row under it.
    fn titled(&mut self, title: &str, tabs: usize, values: &[Value], row: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("\"{title}\":").as_bytes());
        if self.compact {
            out.push(b' ');
        } else {
            line(tabs, out);
        }
        self.row(values, row, tabs, out);
    }
}

fn line(tabs: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + tabs, b'\t');
}

/// The document's beginning, with its columns and their types, up to the key of its data.
pub(super) fn write_meta(columns: &Columns, options: &TextOptions, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\n\t\"meta\":\n\t[");
    for (i, column) in columns.iter().enumerate() {
        out.extend_from_slice(if i > 0 { b",\n\t\t{\n\t\t\t\"name\": " } else { b"\n\t\t{\n\t\t\t\"name\": " });
        write_json_string(column.name.as_bytes(), options.json_escape_forward_slashes, true, out);
        out.extend_from_slice(b",\n\t\t\t\"type\": ");
        write_json_string(column.kind.to_string().as_bytes(), options.json_escape_forward_slashes, true, out);
        out.extend_from_slice(b"\n\t\t}");
    }
    out.extend_from_slice(b"\n\t],\n\n\t");
}

/// The document's end, with counts and statistics.
pub(super) fn write_counts(summary: &ResultSummary, statistics: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(format!(",\n\n\t\"rows\": {}", summary.rows).as_bytes());
    if let Some(rows) = summary.rows_before_limit {
        out.extend_from_slice(format!(",\n\n\t\"rows_before_limit_at_least\": {rows}").as_bytes());
    }
    if statistics {
        let ResultSummary { elapsed_seconds, read_rows, read_bytes, .. } = summary;
        let text = format!(
            ",\n\n\t\"statistics\":\n\t{{\n\t\t\"elapsed\": {elapsed_seconds},\n\t\t\"rows_read\": {read_rows},\n\t\t\"bytes_read\": {read_bytes}\n\t}}"
        );
        out.extend_from_slice(text.as_bytes());
    }
    out.extend_from_slice(b"\n}\n");
}

impl OutputFormat for Json {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        write_meta(&self.columns, &self.options, out);
        out.extend_from_slice(b"\"data\":\n\t[");
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let values = self.values(batch)?;
        for row in 0..batch.num_rows() {
            if !self.first {
                out.push(b',');
            }
            self.first = false;
            line(2, out);
            self.row(&values, row, 2, out);
        }
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        if self.first {
            out.push(b'\n');
        }
        out.extend_from_slice(b"\n\t]");
        if let Some(totals) = summary.totals.as_ref().filter(|batch| batch.num_rows() > 0) {
            let values = self.values(totals)?;
            out.extend_from_slice(b",\n\n\t");
            self.titled("totals", 1, &values, 0, out);
        }
        if let Some(extremes) = summary.extremes.as_ref().filter(|batch| batch.num_rows() > 1) {
            let values = self.values(extremes)?;
            out.extend_from_slice(b",\n\n\t\"extremes\":\n\t{\n\t\t");
            self.titled("min", 2, &values, 0, out);
            out.extend_from_slice(b",\n\t\t");
            self.titled("max", 2, &values, 1, out);
            out.extend_from_slice(b"\n\t}");
        }
        write_counts(summary, self.statistics, out);
        Ok(())
    }

    fn fail(&mut self, summary: &ResultSummary, error: &str, out: &mut Vec<u8>) -> Result<bool> {
        if self.first {
            out.push(b'\n');
        }
        out.extend_from_slice(format!("\n\t],\n\n\t\"rows\": {}", summary.rows).as_bytes());
        out.extend_from_slice(b",\n\n\t\"exception\": ");
        write_json_string(error.as_bytes(), self.options.json_escape_forward_slashes, true, out);
        out.extend_from_slice(b"\n}\n");
        Ok(true)
    }
}
