//! RowBinary and its relatives: the values of the native format row by row, without prefixes and dictionaries.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_introspect::Settings;
use gristmill_types::Columns;
use gristmill_types::binary::{Cells, write_type};

use super::bytes::{write_string, write_varuint};
use crate::output::{OutputFormat, ResultSummary};
use crate::{Format, Header};

pub(crate) struct RowBinaryOutput {
    header: Header,
    columns: Columns,
    types_in_binary: bool,
}

impl RowBinaryOutput {
    pub fn new(format: Format, columns: Columns, settings: &Settings) -> Self {
        let types_in_binary = settings.output_format_binary_encode_types_in_binary_format;
        RowBinaryOutput { header: format.header(), columns, types_in_binary }
    }
}

impl OutputFormat for RowBinaryOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.header == Header::None {
            return Ok(());
        }
        write_varuint(self.columns.len() as u64, out);
        for column in &self.columns {
            write_string(column.name.as_bytes(), out);
        }
        if self.header == Header::NamesAndTypes {
            for column in &self.columns {
                match self.types_in_binary {
                    true => write_type(&column.kind, out)?,
                    false => write_string(column.kind.to_string().as_bytes(), out),
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let cells = batch
            .columns()
            .iter()
            .zip(&self.columns)
            .map(|(array, column)| Cells::of(&column.kind, array))
            .collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            for cells in &cells {
                cells.write(row, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
