//! RawBLOB: the bytes of the values, one after another, with nothing between. Integers and floats are little-endian, as
//! ClickHouse has them in memory; other types are written as text.

use arrow::array::{Array, RecordBatch};
use gristmill_base::Result;
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions};

use super::{OutputContext, OutputFormat, ResultSummary, text_options, value_writers};

pub struct RawBlob {
    columns: Columns,
    options: TextOptions,
}

impl RawBlob {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        // All bytes of the values, those that fill up a FixedString too.
        let options = TextOptions { trim_fixed_string: false, ..text_options(context, Escaping::Plain) };
        RawBlob { columns, options }
    }
}

impl OutputFormat for RawBlob {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        // Arrow's buffers are little-endian on every machine that Arrow's Rust implementation supports.
        let numbers: Vec<_> = batch
            .columns()
            .iter()
            .zip(&self.columns)
            .map(|(array, column)| {
                let width = array.data_type().primitive_width()?;
                let number = column.kind.is_float() || column.kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
                number.then(|| (width, array.to_data()))
            })
            .collect();
        for row in 0..batch.num_rows() {
            for ((array, writer), number) in batch.columns().iter().zip(&writers).zip(&numbers) {
                if array.is_null(row) {
                    continue;
                }
                match number {
                    Some((width, data)) => {
                        let at = (data.offset() + row) * width;
                        out.extend_from_slice(&data.buffers()[0].as_slice()[at..at + width]);
                    }
                    None => writer.write(row, out),
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
