//! TSKV: each row a line of `name=value`, by tabs.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions, write_escaped};

use super::{OutputContext, OutputFormat, ResultSummary, text_options, value_writers};

pub struct Tskv {
    columns: Columns,
    /// `name=` by column, escaped.
    names: Vec<Vec<u8>>,
    options: TextOptions,
}

impl Tskv {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        let names = columns.iter().map(|column| {
            let mut escaped = Vec::new();
            write_escaped(column.name.as_bytes(), &mut escaped);
            let mut name: Vec<u8> = Vec::with_capacity(escaped.len() + 1);
            for byte in escaped {
                match byte {
                    b'=' => name.push(b'\\'),
                    // Here it is '=' that ends the name, and a quote is a character like others.
                    b'\'' => drop(name.pop()),
                    _ => {}
                }
                name.push(byte);
            }
            name.push(b'=');
            name
        });
        Tskv { names: names.collect(), columns, options: text_options(context, Escaping::TsvEscaped) }
    }
}

impl OutputFormat for Tskv {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        for row in 0..batch.num_rows() {
            for (i, (name, writer)) in self.names.iter().zip(&writers).enumerate() {
                if i > 0 {
                    out.push(b'\t');
                }
                out.extend_from_slice(name);
                writer.write(row, out);
            }
            out.push(b'\n');
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
