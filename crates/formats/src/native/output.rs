//! The format Native: blocks one after another, in the revision that the client asked for, else in that of files.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_introspect::Settings;
use gristmill_types::Columns;

use super::block::{Revision, write_block};
use crate::output::{OutputFormat, ResultSummary};

pub(crate) struct NativeOutput {
    columns: Columns,
    revision: Revision,
}

impl NativeOutput {
    pub fn new(columns: Columns, settings: &Settings) -> Self {
        NativeOutput { columns, revision: Revision(settings.client_protocol_version) }
    }
}

impl OutputFormat for NativeOutput {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        match batch.num_rows() {
            0 => Ok(()),
            _ => write_block(&self.columns, Some(batch), self.revision, out),
        }
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
