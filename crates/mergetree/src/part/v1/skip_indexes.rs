//! The data of a part's skip indexes while the part is written: the builders of all of them, and what was put where.
//!
//! An index's expressions are computed over the blocks as they come, whole, and their values taken in the part's order;
//! each index is a task of its own beside the others, as columns are.

use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use gristmill_introspect::{Counters, Event};

use super::header::{SkipChunk, SkipIndexHeader};
use super::writer::Sorted;
use crate::index::skip::SkipIndex;
use crate::index::skip::build::SkipBuilder;
use crate::layout::{Layout, referenced_columns};
use crate::parallel;

pub struct SkipIndexWriter {
    /// The columns that the indexes are computed from.
    places: Vec<usize>,
    schema: SchemaRef,
    indexes: Vec<Index>,
    counters: Arc<Counters>,
}

struct Index {
    builder: SkipBuilder,
    header: SkipIndexHeader,
    /// Over the columns that the writer takes.
    expressions: Arc<[Arc<dyn PhysicalExpr>]>,
}

impl SkipIndexWriter {
    pub fn new(layout: &Layout, granule_rows: usize, counters: &Arc<Counters>) -> Result<SkipIndexWriter> {
        let names = layout.skip_indexes.iter().flat_map(|index| &index.expressions).flat_map(referenced_columns);
        let mut places: Vec<usize> = names.filter_map(|name| layout.columns.index_of(&name)).collect();
        places.sort_unstable();
        places.dedup();
        let schema = Arc::new(layout.schema.project(&places)?);
        let index = |index: &Arc<SkipIndex>| {
            let header = SkipIndexHeader {
                key: index.definition.key.clone(),
                kind: index.definition.kind.clone(),
                expression: index.definition.expression.clone(),
                granularity: index.unit_granules(),
                uncompressed_bytes: 0,
                chunks: Vec::new(),
            };
            let expressions = index.expressions.iter();
            let expressions = expressions.map(|expression| Ok(reassign_expr_columns(expression.physical.clone(), &schema)?));
            let builder = SkipBuilder::new(index.clone(), granule_rows)?;
            Ok(Index { builder, header, expressions: expressions.collect::<Result<_>>()? })
        };
        let indexes = layout.skip_indexes.iter().map(index).collect::<Result<_>>()?;
        Ok(SkipIndexWriter { places, schema, indexes, counters: counters.clone() })
    }

    pub fn leave_out(&mut self, leaves: impl Fn(&str) -> bool) {
        self.indexes.retain(|index| !leaves(&index.header.key));
    }

    /// Takes rows of the block in the part's order. Of its columns those that indexes are computed from are looked at.
    pub async fn write(&mut self, block: &Sorted, from: usize, rows: usize, lanes: usize) -> Result<()> {
        if self.indexes.is_empty() || rows == 0 {
            return Ok(());
        }
        let begun = Instant::now();
        let length = match &block.order {
            None => block.rows,
            Some(_) => {
                block.columns.get(self.places.first().copied().unwrap_or(0)).map_or(block.rows, |column| column.len())
            }
        };
        let options = RecordBatchOptions::new().with_row_count(Some(length));
        let columns = self.places.iter().map(|place| block.columns[*place].clone()).collect();
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?;
        // Rows as they lie are a run of the block; else they are chosen of all its rows.
        let (batch, order) = match &block.order {
            None => (batch.slice(from, rows), None),
            Some(order) => (batch, Some(order.slice(from, rows))),
        };
        let job = |mut index: Index| {
            let (batch, order) = (batch.clone(), order.clone());
            move || {
                index.builder.push(&values(&index.expressions, &batch, order.as_ref())?)?;
                Ok(index)
            }
        };
        let jobs = std::mem::take(&mut self.indexes).into_iter().map(job).collect();
        self.indexes = parallel::run(jobs, lanes).await?;
        let spent = begun.elapsed().as_micros() as u64;
        self.counters.add(Event::MergeTreeDataWriterSkipIndicesCalculationMicroseconds, spent);
        Ok(())
    }

    /// The chunks that are done, to be written one behind another from `at` on. `ends`: all of them.
    pub fn take(&mut self, at: &mut u64, ends: bool) -> Result<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        for Index { builder, header, .. } in &mut self.indexes {
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
        self.indexes.iter().map(|index| index.header.clone()).collect()
    }

    pub fn memory_bytes(&self) -> u64 {
        self.indexes.iter().map(|index| index.builder.memory_bytes()).sum()
    }
}

fn values(expressions: &[Arc<dyn PhysicalExpr>], batch: &RecordBatch, order: Option<&UInt32Array>) -> Result<Vec<ArrayRef>> {
    let value = |expression: &Arc<dyn PhysicalExpr>| {
        let values = expression.evaluate(batch)?.into_array(batch.num_rows())?;
        Ok(match order {
            Some(order) => take(&values, order, None)?,
            None => values,
        })
    };
    expressions.iter().map(value).collect()
}
