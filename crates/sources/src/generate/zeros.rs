//! `zeros(N)`, `zeros_mt(N)`, `zeros()`: zeros of type UInt8, for measuring what comes after them.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt8Array};
use gristmill_base::Result;
use gristmill_types::{Columns, SqlType};

use super::Sequence;
use crate::call::TableFunctionCall;
use crate::function_table::{unsigned, wrong_count};

#[derive(Debug, Clone, PartialEq)]
pub struct Zeros {
    pub count: Option<u64>,
    pub eager: bool,
}

impl Zeros {
    pub fn parse(call: &TableFunctionCall) -> Result<Zeros> {
        let count = match &call.positional[..] {
            [] => None,
            [length] => Some(unsigned(&call.name, "length", length.word())?),
            more => return Err(wrong_count(&call.name, more.len(), "() or (length)")),
        };
        Ok(Zeros { count, eager: call.name.ends_with("_mt") })
    }
}

impl Sequence for Zeros {
    fn describe(&self) -> String {
        "zeros".to_string()
    }

    fn columns(&self) -> Columns {
        Columns::of([("zero", SqlType::UInt8)])
    }

    fn rows(&self) -> Option<u64> {
        self.count
    }

    fn block(&self, rows: Range<u64>, projection: &[usize]) -> Result<RecordBatch> {
        let count = (rows.end - rows.start) as usize;
        let columns = projection.iter().map(|_| Arc::new(UInt8Array::from(vec![0; count])) as ArrayRef).collect();
        let schema = Arc::new(self.columns().arrow().project(projection)?);
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }

    fn eager_partitions(&self) -> bool {
        self.eager
    }
}
