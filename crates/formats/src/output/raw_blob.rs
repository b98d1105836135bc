//! RawBLOB: the bytes of the values, one after another, with nothing between. Numbers, dates, times, addresses and UUIDs are
//! little-endian, as ClickHouse has them in memory; arrays, tuples and maps are written as text. NULL is nothing.

use arrow::array::{Array, RecordBatch};
use gristmill_base::Result;
use gristmill_types::binary::{Cells, width};
use gristmill_types::text::{Escaping, TextOptions};
use gristmill_types::{Columns, SqlType};

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
        let columns = batch.columns().iter().zip(&self.columns);
        let fixed = columns.map(|(array, column)| {
            let kind = column.kind.plain();
            let is_fixed = width(kind).is_some() || matches!(kind, SqlType::Bool | SqlType::Nothing);
            is_fixed.then(|| Cells::of(kind, array)).transpose()
        });
        let fixed: Vec<Option<Cells>> = fixed.collect::<Result<_>>()?;
        for row in 0..batch.num_rows() {
            for ((array, writer), fixed) in batch.columns().iter().zip(&writers).zip(&fixed) {
                if array.is_null(row) {
                    continue;
                }
                match fixed {
                    Some(cells) => cells.write(row, out),
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
