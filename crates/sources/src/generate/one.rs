//! `one()` and `system.one`: one row, `dummy` = 0. It is what a SELECT without FROM reads.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt8Array};
use gristmill_base::Result;
use gristmill_types::{Columns, SqlType};

use super::Sequence;

#[derive(Debug, Clone, PartialEq)]
pub struct One;

impl Sequence for One {
    fn describe(&self) -> String {
        "one".to_string()
    }

    fn columns(&self) -> Columns {
        Columns::of([("dummy", SqlType::UInt8)])
    }

    fn rows(&self) -> Option<u64> {
        Some(1)
    }

    fn block(&self, rows: Range<u64>, projection: &[usize]) -> Result<RecordBatch> {
        let count = (rows.end - rows.start) as usize;
        let columns = projection.iter().map(|_| Arc::new(UInt8Array::from(vec![0; count])) as ArrayRef).collect();
        let schema = Arc::new(self.columns().arrow().project(projection)?);
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }
}
