//! The data of a part's skip indexes while the part is written: the builders of all of them, and what was put where.
//!
//! An index's expressions are computed over the blocks as they come, whole, and their values taken in the part's order;
//! each index is a task of its own beside the others, as columns are.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use gristmill_base::Result;

use super::header::{SkipChunk, SkipIndexHeader};
use super::writer::Sorted;
use crate::index::skip::build::SkipBuilder;
use crate::layout::Layout;
use crate::parallel;

pub struct SkipIndexWriter {
    schema: SchemaRef,
    indexes: Vec<(SkipBuilder, SkipIndexHeader)>,
}

impl SkipIndexWriter {
    pub fn new(layout: &Layout, granule_rows: usize) -> Result<SkipIndexWriter> {
        let index = |index: &Arc<crate::index::skip::SkipIndex>| {
            let header = SkipIndexHeader {
                key: index.definition.key.clone(),
                kind: index.definition.kind.clone(),
                expression: index.definition.expression.clone(),
                granularity: index.definition.granularity,
                uncompressed_bytes: 0,
                chunks: Vec::new(),
            };
            Ok((SkipBuilder::new(index.clone(), granule_rows)?, header))
        };
        let indexes = layout.skip_indexes.iter().map(index).collect::<Result<_>>()?;
        Ok(SkipIndexWriter { schema: layout.schema.clone(), indexes })
    }

    pub fn leave_out(&mut self, leaves: impl Fn(&str) -> bool) {
        self.indexes.retain(|(_, header)| !leaves(&header.key));
    }

    /// Takes rows of the block in the part's order.
    pub async fn write(&mut self, block: &Sorted, from: usize, rows: usize, lanes: usize) -> Result<()> {
        if self.indexes.is_empty() || rows == 0 {
            return Ok(());
        }
        let length = block.columns.first().map_or(block.rows, |column| column.len());
        let options = RecordBatchOptions::new().with_row_count(Some(length));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), block.columns.clone(), &options)?;
        // Rows as they lie are a run of the block; else they are chosen of all its rows.
        let (batch, order) = match &block.order {
            None => (batch.slice(from, rows), None),
            Some(order) => (batch, Some(order.slice(from, rows))),
        };
        let job = |(mut builder, header): (SkipBuilder, SkipIndexHeader)| {
            let (batch, order) = (batch.clone(), order.clone());
            move || {
                builder.push(&values(&builder, &batch, order.as_ref())?)?;
                Ok((builder, header))
            }
        };
        let jobs = std::mem::take(&mut self.indexes).into_iter().map(job).collect();
        self.indexes = parallel::run(jobs, lanes).await?;
        Ok(())
    }

    /// The chunks that are done, to be written one behind another from `at` on. `ends`: all of them.
    pub fn take(&mut self, at: &mut u64, ends: bool) -> Result<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        for (builder, header) in &mut self.indexes {
            for chunk in builder.take(ends)? {
                header.uncompressed_bytes += chunk.uncompressed_bytes;
                let length = chunk.data.len() as u64;
                header.chunks.push(SkipChunk { offset: *at, length, units: chunk.units as u64 });
                *at += length;
                all.push(chunk.data);
            }
        }
        Ok(all)
    }

    pub fn headers(&self) -> Vec<SkipIndexHeader> {
        self.indexes.iter().map(|(_, header)| header.clone()).collect()
    }

    pub fn memory_bytes(&self) -> u64 {
        self.indexes.iter().map(|(builder, _)| builder.memory_bytes()).sum()
    }
}

fn values(builder: &SkipBuilder, batch: &RecordBatch, order: Option<&UInt32Array>) -> Result<Vec<ArrayRef>> {
    let expressions = builder.index().expressions.iter();
    let value = |expression: &gristmill_catalog::KeyExpression| {
        let values = expression.evaluate(batch)?;
        Ok(match order {
            Some(order) => take(&values, order, None)?,
            None => values,
        })
    };
    expressions.map(value).collect()
}
