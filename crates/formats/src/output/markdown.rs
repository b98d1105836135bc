//! Markdown: a table with numbers to the right.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::text::{Escaping, TextOptions};
use gristmill_types::{Columns, SqlType};

use super::pretty::stands_right;
use super::{OutputContext, OutputFormat, ResultSummary, text_options, value_writers};

pub struct Markdown {
    columns: Columns,
    options: TextOptions,
    escape: bool,
    value: Vec<u8>,
}

impl Markdown {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        Markdown {
            columns,
            options: text_options(context, Escaping::TsvEscaped),
            escape: context.settings.output_format_markdown_escape_special_characters,
            value: Vec::new(),
        }
    }
}

impl OutputFormat for Markdown {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"|");
        for column in &self.columns {
            out.extend_from_slice(format!(" {} |", column.name).as_bytes());
        }
        out.extend_from_slice(b"\n|");
        for column in &self.columns {
            out.extend_from_slice(if stands_right(&column.kind) { b"-:|" } else { b":-|" });
        }
        out.push(b'\n');
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        for row in 0..batch.num_rows() {
            out.extend_from_slice(b"|");
            for (writer, column) in writers.iter().zip(&self.columns) {
                out.push(b' ');
                // Of texts only: nothing else is read as Markdown.
                let plain = column.kind.plain();
                if self.escape && (plain.is_string() || matches!(plain, SqlType::Enum8(_) | SqlType::Enum16(_))) {
                    self.value.clear();
                    writer.write(row, &mut self.value);
                    for byte in &self.value {
                        if b"*_`[]()#+-.!|<>~".contains(byte) {
                            out.push(b'\\');
                        }
                        out.push(*byte);
                    }
                } else {
                    writer.write(row, out);
                }
                out.extend_from_slice(b" |");
            }
            out.push(b'\n');
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
