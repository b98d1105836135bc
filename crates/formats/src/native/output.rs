//! The format Native: blocks one after another, in the revision that the client asked for, else in that of files.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_introspect::Settings;
use gristmill_types::Columns;

use super::block::{Revision, TypesAs, write_block_as};
use crate::output::{OutputFormat, ResultSummary};

pub(crate) struct NativeOutput {
    columns: Columns,
    revision: Revision,
    types: TypesAs,
}

impl NativeOutput {
    pub fn new(columns: Columns, settings: &Settings) -> Self {
        let types = TypesAs::of(settings.output_format_native_encode_types_in_binary_format);
        NativeOutput { columns, revision: Revision(settings.client_protocol_version), types }
    }
}

impl OutputFormat for NativeOutput {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        match batch.num_rows() {
            0 => Ok(()),
            _ => write_block_as(&self.columns, Some(batch), self.revision, self.types, out),
        }
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
