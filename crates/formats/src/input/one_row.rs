//! One: a row for each file, whatever is in it, for queries about the files themselves.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt8Array};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Columns, SqlType};

use super::RowParser;

pub(crate) struct OneRow {
    wanted: Columns,
}

impl OneRow {
    /// `columns`: those of the data, of which `wanted` are given. Error: BAD_ARGUMENTS where they are others than one UInt8.
    pub fn new(columns: &Columns, wanted: Columns) -> Result<Self> {
        match &columns.0[..] {
            [one] if one.kind == SqlType::UInt8 => Ok(OneRow { wanted }),
            _ => {
                let text = format!("Format One gives one column of type UInt8, not ({})", columns.structure());
                Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
            }
        }
    }
}

impl RowParser for OneRow {
    fn push(&mut self, _bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        Ok(Vec::new())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        let arrays = self.wanted.iter().map(|_| Arc::new(UInt8Array::from(vec![0])) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        Ok(vec![RecordBatch::try_new_with_options(self.wanted.arrow(), arrays, &options)?])
    }

    fn skipped_rows(&self) -> u64 {
        0
    }

    fn unknown_fields(&self) -> u64 {
        0
    }
}
