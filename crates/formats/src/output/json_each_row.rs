//! JSONEachRow and its relatives: an object or an array a row, one a line.
//!
//! The bytes before each value (`{"a":`, `,"b":`, `[`, `, `) are made once; a row is those and the values in turn.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter, write_json_string};

use super::json_tree::{Indent, JsonTree};
use super::{NULL_FOR_PEOPLE, OutputContext, OutputFormat, ResultSummary, text_options, value_writers};
use crate::{Format, Header};

pub struct JsonEachRow {
    header: Header,
    columns: Columns,
    /// What stands before the value, by column.
    before: Vec<Vec<u8>>,
    close: &'static [u8],
    /// Values as strings, of their text.
    strings: bool,
    pretty: bool,
    /// `[`, rows by commas, `]`.
    array: bool,
    first: bool,
    options: TextOptions,
    value: Vec<u8>,
}

impl JsonEachRow {
    pub fn new(format: Format, columns: Columns, context: &OutputContext) -> Self {
        use Format as F;
        let is_alone = matches!(format, F::JsonEachRow | F::JsonStringsEachRow | F::PrettyJsonEachRow);
        let objects = is_alone
            || matches!(format, F::JsonEachRowWithProgress | F::JsonStringsEachRowWithProgress | F::JsonObjectEachRow);
        let pretty = format == F::PrettyJsonEachRow;
        let strings = format.json_strings();
        let mut options = text_options(context, if strings { Escaping::Plain } else { Escaping::Json });
        if strings {
            options.tsv_null = NULL_FOR_PEOPLE.into();
        }
        let slashes = options.json_escape_forward_slashes;
        let before = columns.iter().enumerate().map(|(i, column)| {
            let mut before = Vec::new();
            match (objects, pretty, i) {
                (true, true, 0) => before.extend_from_slice(b"{\n    "),
                (true, true, _) => before.extend_from_slice(b",\n    "),
                (true, false, 0) => before.push(b'{'),
                (true, false, _) => before.push(b','),
                (false, _, 0) => before.push(b'['),
                (false, ..) => before.extend_from_slice(b", "),
            }
            if objects {
                write_json_string(column.name.as_bytes(), slashes, true, &mut before);
                before.extend_from_slice(if pretty { b": " } else { b":" });
            }
            before
        });
        JsonEachRow {
            header: format.header(),
            before: before.collect(),
            close: match (objects, pretty) {
                (true, true) => b"\n}",
                (true, false) => b"}",
                (false, _) => b"]",
            },
            columns,
            strings,
            pretty,
            array: is_alone && context.settings.output_format_json_array_of_rows,
            first: true,
            options,
            value: Vec::new(),
        }
    }

    fn header_line(&self, texts: impl Iterator<Item = String>, out: &mut Vec<u8>) {
        out.push(b'[');
        for (i, text) in texts.enumerate() {
            if i > 0 {
                out.extend_from_slice(b", ");
            }
            write_json_string(text.as_bytes(), self.options.json_escape_forward_slashes, true, out);
        }
        out.extend_from_slice(b"]\n");
    }

    /// The writers of a batch's columns.
    pub(super) fn writers(&self, batch: &RecordBatch) -> Result<Vec<ValueWriter>> {
        value_writers(batch, &self.columns, &self.options)
    }

    /// A row that is not pretty, with nothing before or after it.
    pub(super) fn row(&mut self, writers: &[ValueWriter], row: usize, out: &mut Vec<u8>) {
        if self.columns.is_empty() {
            out.push(if self.close == b"]" { b'[' } else { b'{' });
        }
        for (before, writer) in self.before.iter().zip(writers) {
            out.extend_from_slice(before);
            if self.strings {
                self.value.clear();
                writer.write(row, &mut self.value);
                write_json_string(
                    &self.value,
                    self.options.json_escape_forward_slashes,
                    self.options.json_replace_invalid_utf8,
                    out,
                );
            } else {
                writer.write(row, out);
            }
        }
        out.extend_from_slice(self.close);
    }

    /// A text as a JSON string.
    pub(super) fn string(&self, text: &[u8], out: &mut Vec<u8>) {
        write_json_string(text, self.options.json_escape_forward_slashes, true, out);
    }

    /// Ends the row before, where this format puts something between rows.
    fn separate(&mut self, out: &mut Vec<u8>) {
        if self.array && !self.first {
            out.extend_from_slice(b",\n");
        }
        self.first = false;
    }

    fn end_row(&self, out: &mut Vec<u8>) {
        if !self.array {
            out.push(b'\n');
        }
    }
}

impl OutputFormat for JsonEachRow {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.array {
            out.extend_from_slice(b"[\n");
        }
        if self.header != Header::None {
            self.header_line(self.columns.iter().map(|column| column.name.clone()), out);
        }
        if self.header == Header::NamesAndTypes {
            self.header_line(self.columns.iter().map(|column| column.kind.to_string()), out);
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        if self.pretty {
            let trees = batch
                .columns()
                .iter()
                .zip(&self.columns)
                .map(|(array, column)| JsonTree::new(array, &column.kind, &self.options))
                .collect::<Result<Vec<_>>>()?;
            for row in 0..batch.num_rows() {
                self.separate(out);
                for (before, tree) in self.before.iter().zip(&trees) {
                    out.extend_from_slice(before);
                    tree.write(row, Indent::Spaces(1), &self.options, out);
                }
                if self.columns.is_empty() {
                    out.push(b'{');
                }
                out.extend_from_slice(self.close);
                self.end_row(out);
            }
            return Ok(());
        }
        let writers = self.writers(batch)?;
        for row in 0..batch.num_rows() {
            self.separate(out);
            self.row(&writers, row, out);
            self.end_row(out);
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        if self.array {
            out.extend_from_slice(b"\n]\n");
        }
        Ok(())
    }

    /// An object with the error alone, or an array with its text.
    fn fail(&mut self, summary: &ResultSummary, error: &str, out: &mut Vec<u8>) -> Result<bool> {
        self.separate(out);
        let (open, close): (&[u8], &[u8]) = match (self.close == b"]", self.pretty) {
            (true, _) => (b"[", b"]"),
            (false, true) => (b"{\n    \"exception\": ", b"\n}"),
            (false, false) => (b"{\"exception\": ", b"}"),
        };
        out.extend_from_slice(open);
        self.string(error.as_bytes(), out);
        out.extend_from_slice(close);
        self.end_row(out);
        self.finish(summary, out)?;
        Ok(true)
    }
}
