//! One lane of an INSERT: squashes incoming batches into a block, and writes each full block as parts while the next
//! one fills.
//!
//! A block is full when the gear says so, or at `min_insert_block_size_rows` rows or `min_insert_block_size_bytes` bytes
//! where they are set, whichever comes first; a limit of 0 does not count. With `use_strict_insert_block_limits` it is full
//! when it has both, and cut at `max_insert_block_size` rows or `max_insert_block_size_bytes` bytes. The query's memory
//! budget goes before all: the block is written early when it, its encoded copy and what else the query holds would come
//! near the limit.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::concat;
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result, units};
use gristmill_catalog::WriteLane;
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{QueryContext, tell};
use gristmill_types::measure::batch_bytes;
use parking_lot::Mutex;

use super::block::write_block;
use super::writer::Shared;

pub struct InsertLane {
    shared: Arc<Shared>,
    batches: Vec<RecordBatch>,
    rows: u64,
    bytes: u64,
    memory: MemoryGuard,
    /// The block that is being written.
    under_way: Option<Task<Result<()>>>,
    /// Partitions of the block that was written last.
    partitions: Arc<Mutex<HashSet<String>>>,
}

impl InsertLane {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let memory = MemoryGuard::empty(&shared.context.memory);
        InsertLane { shared, batches: Vec::new(), rows: 0, bytes: 0, memory, under_way: None, partitions: Arc::default() }
    }

    fn context(&self) -> &Arc<QueryContext> {
        &self.shared.context
    }

    fn is_full(&self) -> bool {
        // Positions within a block are 32 bits wide.
        self.rows >= 1 << 30 || self.shared.gear.is_full(self.rows, self.bytes)
    }

    /// The budget would not hold the next batch beside what writing this block takes.
    fn is_tight(&self, incoming: u64) -> bool {
        let account = &self.context().memory;
        let limit = account.limit_bytes();
        // Sorting keys, one column in order and encoded pages: half a block is the rule that held in measurements.
        limit > 0 && account.held_bytes() + incoming + (self.bytes + incoming) / 2 > limit / 10 * 9
    }

    /// Hands the block over to be written, when the one before it is done.
    async fn flush(&mut self) -> Result<()> {
        self.settle().await?;
        if self.rows == 0 {
            return Ok(());
        }
        self.shared.check_free_space()?;
        self.shared.keep_pace(false).await?;
        self.shared.gear.block(self.bytes, self.shared.parts());
        let batches = std::mem::take(&mut self.batches);
        tell!(
            self.shared.context,
            TRACE,
            "Squashing",
            "A block of {} rows, {} out of {} batches goes to be written",
            self.rows,
            units::bytes_binary(self.bytes as f64),
            batches.len()
        );
        let memory = std::mem::replace(&mut self.memory, MemoryGuard::empty(&self.shared.context.memory));
        let bytes = std::mem::take(&mut self.bytes);
        self.rows = 0;
        let (shared, last) = (self.shared.clone(), self.partitions.clone());
        self.under_way = Some(Task::on(&runtime::cpu(), async move {
            let block = joined(batches, &shared.target.layout.schema)?;
            let context = shared.context.clone();
            let keep = |part| shared.written.lock().push(part);
            context.cancellable(write_block(&shared, block, bytes, &last, &keep)).await?;
            drop(memory);
            Ok(())
        }));
        Ok(())
    }

    async fn settle(&mut self) -> Result<()> {
        match self.under_way.take() {
            Some(task) => task.join().await?,
            None => Ok(()),
        }
    }

    /// Puts rows of so many bytes into the block, which is written when it is full.
    async fn add(&mut self, batch: RecordBatch, bytes: u64) -> Result<()> {
        if self.is_tight(bytes) && self.rows > 0 {
            self.flush().await?;
            // What is being written holds the memory: the next block waits for it.
            self.settle().await?;
        }
        let mut reserved = self.memory.resize(self.memory.bytes() + bytes);
        if reserved.is_err() && self.rows > 0 {
            self.flush().await?;
            self.settle().await?;
            reserved = self.memory.resize(bytes);
        }
        let over = reserved.is_err();
        if over {
            // These rows are in memory already, and writing them is the way to less: a block of their own, if need be.
            if bytes > self.context().memory.limit_bytes() / 4 {
                reserved?;
            }
            self.memory.grow_anyway(bytes);
        }
        self.rows += batch.num_rows() as u64;
        self.bytes += bytes;
        self.batches.push(batch);
        if self.is_full() || over {
            self.flush().await?;
        }
        if over {
            self.settle().await?;
        }
        Ok(())
    }
}

/// The batches as one. Views of strings are copied, not their bytes; the pieces of a column go as soon as its whole is there, so
/// that a block is never there twice.
fn joined(mut batches: Vec<RecordBatch>, schema: &SchemaRef) -> Result<RecordBatch> {
    if batches.len() == 1
        && let Some(only) = batches.pop()
    {
        return Ok(only);
    }
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let mut pieces: Vec<_> = batches.into_iter().map(|batch| batch.columns().to_vec().into_iter()).collect();
    let mut columns = Vec::with_capacity(schema.fields().len());
    for _ in schema.fields() {
        let column: Vec<ArrayRef> = pieces.iter_mut().filter_map(Iterator::next).collect();
        columns.push(concat(&column.iter().map(|piece| &**piece).collect::<Vec<_>>())?);
    }
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &RecordBatchOptions::new().with_row_count(Some(rows)))?)
}

#[async_trait]
impl WriteLane for InsertLane {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.context().check()?;
        if batch.num_rows() == 0 || self.shared.is_duplicate {
            return Ok(());
        }
        if batch.schema_ref().fields().len() != self.shared.target.layout.schema.fields().len() {
            return Err(Error::logical("An INSERT brings another number of columns than the table stores"));
        }
        let mut batch = RecordBatch::try_new(self.shared.target.layout.schema.clone(), batch.columns().to_vec())?;
        loop {
            let (rows, bytes) = (batch.num_rows(), batch_bytes(&batch));
            let fits = self.shared.gear.rows_that_fit((self.rows, self.bytes), (rows as u64, bytes)) as usize;
            if fits >= rows {
                return self.add(batch, bytes).await;
            }
            let first = batch.slice(0, fits);
            let bytes = batch_bytes(&first);
            self.add(first, bytes).await?;
            batch = batch.slice(fits, rows - fits);
        }
    }

    fn is_writing(&self) -> bool {
        self.under_way.as_ref().is_some_and(|task| !task.is_finished())
    }

    async fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush().await?;
        self.settle().await
    }
}
