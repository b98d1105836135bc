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

/// Whether Markdown's own characters are escaped in values of the type: in texts, but not where they may be NULL or stand in a
/// dictionary, as in ClickHouse.
fn is_escaped(kind: &SqlType) -> bool {
    matches!(kind, SqlType::String | SqlType::FixedString(_) | SqlType::Enum8(_) | SqlType::Enum16(_))
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
                if self.escape && is_escaped(&column.kind) {
                    self.value.clear();
                    writer.write_as(row, Escaping::Plain, &mut self.value);
                    for byte in &self.value {
                        if byte.is_ascii_punctuation() {
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
