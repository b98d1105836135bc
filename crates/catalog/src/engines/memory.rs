//! Engine Memory: rows kept as the batches they came in, gone when the process ends.
//!
//! A reader takes the list of batches as it is. A writer's lanes gather batches of their own; `commit` appends all
//! of them in one step (I-2). The list is copied on write, and only where a reader still holds it; batches never change.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_introspect::memory::MemoryGuard;
use parking_lot::{Mutex, RwLock};

use super::memory_bounds::{Bounds, Size};
use super::memory_changes::{Held, Program};
use crate::databases::full_name;
use crate::definition::TableDefinition;
use crate::key::{ExpressionCompiler, KeyExpression};
use crate::rows_exec::{Rows, batch_bytes};
use crate::rows_table::RowsProvider;
use crate::table::{MutationRequest, Table, TableWriter, WriteLane};

/// Small inserts are gathered into batches of this many rows. Gathering also copies strings out of larger buffers, so a
/// few rows filtered out of many do not hold all of these in memory.
const BATCH_ROWS: usize = 65_536;

type Batches = Arc<RwLock<Arc<Vec<Held>>>>;

#[derive(Debug)]
pub struct MemoryTable {
    definition: Arc<TableDefinition>,
    batches: Batches,
    /// For expressions of UPDATE and DELETE.
    compiler: Option<Arc<dyn ExpressionCompiler>>,
}

impl MemoryTable {
    pub fn new(definition: Arc<TableDefinition>) -> Self {
        MemoryTable { definition, batches: Batches::default(), compiler: None }
    }

    pub fn with_compiler(self, compiler: Arc<dyn ExpressionCompiler>) -> Self {
        MemoryTable { compiler: Some(compiler), ..self }
    }

    fn under(&self, definition: Arc<TableDefinition>) -> MemoryTable {
        MemoryTable { definition, batches: self.batches.clone(), compiler: self.compiler.clone() }
    }

    fn snapshot(&self) -> Arc<Vec<Held>> {
        self.batches.read().clone()
    }

    fn rows(&self, held: &[Held]) -> Result<Vec<RecordBatch>> {
        held.iter().map(|held| held.under(&self.definition)).collect()
    }
}

#[async_trait]
impl Table for MemoryTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    async fn read(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        let rows = Rows::Held(Arc::new(vec![self.rows(&self.snapshot())?]));
        Ok(Arc::new(RowsProvider::new(&self.definition, rows)))
    }

    async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Ok(Arc::new(MemoryWriter {
            schema: self.definition.stored_columns().arrow(),
            definition: self.definition.clone(),
            // They were looked at when they were given.
            bounds: Bounds::of(&self.definition.settings).unwrap_or_default(),
            batches: self.batches.clone(),
            gathered: Arc::default(),
            context: context.clone(),
        }))
    }

    async fn truncate(&self, _context: &Arc<QueryContext>) -> Result<()> {
        *self.batches.write() = Arc::default();
        Ok(())
    }

    async fn drop_data(&self) -> Result<()> {
        *self.batches.write() = Arc::default();
        Ok(())
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(self.under(definition)))
    }

    /// Columns change, and how much is kept; the rest is MergeTree's.
    fn altered(
        &self,
        definition: Arc<TableDefinition>,
        _sorting: Vec<KeyExpression>,
        _partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        let settings = self.definition.settings.clone();
        let alike = TableDefinition { settings, ..definition.as_ref().clone() };
        if !self.definition.is_alike_but_for_columns(&alike) {
            return Err(self.unsupported("ALTER of keys, indexes, projections and constraints"));
        }
        Ok(Arc::new(self.under(definition)))
    }

    async fn mutate(&self, context: &Arc<QueryContext>, request: MutationRequest) -> Result<String> {
        if request.at_once {
            let name = full_name(&self.definition.database, &self.definition.name);
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("DELETE query is not supported for table {name}: ALTER TABLE … DELETE"),
            ));
        }
        let compiler = self.compiler.as_ref().ok_or_else(|| self.unsupported("UPDATE and DELETE"))?;
        let program = Program::compile(&request.changes, &self.definition, compiler.as_ref(), context)?;
        loop {
            context.check()?;
            let before = self.snapshot();
            let mut after = Vec::with_capacity(before.len());
            for batch in self.rows(&before)? {
                context.check()?;
                let batch = program.run(&batch)?;
                if batch.num_rows() > 0 {
                    after.push(Held { definition: self.definition.clone(), batch });
                }
            }
            let mut now = self.batches.write();
            // Rows that came meanwhile change too: all of it is done again.
            if Arc::ptr_eq(&now, &before) {
                *now = Arc::new(after);
                return Ok(String::new());
            }
        }
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.snapshot().iter().map(|held| held.batch.num_rows() as u64).sum())
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.snapshot().iter().map(|held| batch_bytes(&held.batch)).sum())
    }
}

/// What the lanes of one INSERT gathered, with the memory it holds of the query's account until it is the table's.
#[derive(Debug, Default)]
struct Gathered {
    batches: Vec<RecordBatch>,
    guards: Vec<MemoryGuard>,
}

#[derive(Debug)]
struct MemoryWriter {
    schema: SchemaRef,
    definition: Arc<TableDefinition>,
    bounds: Bounds,
    batches: Batches,
    gathered: Arc<Mutex<Gathered>>,
    context: Arc<QueryContext>,
}

#[async_trait]
impl TableWriter for MemoryWriter {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        Ok(Box::new(MemoryLane {
            coalescer: BatchCoalescer::new(self.schema.clone(), BATCH_ROWS),
            schema: self.schema.clone(),
            done: Gathered::default(),
            gathered: self.gathered.clone(),
            context: self.context.clone(),
        }))
    }

    /// There is nothing here that a second lane would make faster, and it would take rows out of their order.
    fn max_lanes(&self) -> usize {
        1
    }

    async fn commit(&self) -> Result<()> {
        let gathered = std::mem::take(&mut *self.gathered.lock());
        if !gathered.batches.is_empty() {
            let mut batches = self.batches.write();
            let batches = Arc::make_mut(&mut batches);
            if self.bounds.are_set() {
                let sizes: Vec<Size> = batches.iter().map(|held| Size::of(&held.batch)).collect();
                let coming = gathered.batches.iter().map(Size::of).fold(Size::default(), Size::and);
                batches.drain(..self.bounds.outdated(&sizes, coming));
            }
            let held = gathered.batches.into_iter().map(|batch| Held { definition: self.definition.clone(), batch });
            batches.extend(held);
        }
        Ok(())
    }

    async fn abort(&self) {
        *self.gathered.lock() = Gathered::default();
    }
}

struct MemoryLane {
    schema: SchemaRef,
    coalescer: BatchCoalescer,
    done: Gathered,
    gathered: Arc<Mutex<Gathered>>,
    context: Arc<QueryContext>,
}

impl MemoryLane {
    fn take_completed(&mut self) {
        while let Some(batch) = self.coalescer.next_completed_batch() {
            self.done.batches.push(batch);
        }
    }
}

#[async_trait]
impl WriteLane for MemoryLane {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        let types = |schema: &SchemaRef| schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
        if types(&batch.schema()) != types(&self.schema) {
            return Err(Error::logical(format!(
                "A block of {:?} is written to a table of {:?}",
                batch.schema(),
                self.schema
            )));
        }
        self.done.guards.push(MemoryGuard::take(&self.context.memory, batch_bytes(&batch))?);
        let batch = RecordBatch::try_new_with_options(
            self.schema.clone(),
            batch.columns().to_vec(),
            &arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows())),
        )?;
        self.coalescer.push_batch(batch)?;
        self.take_completed();
        Ok(())
    }

    async fn finish(mut self: Box<Self>) -> Result<()> {
        self.coalescer.finish_buffered_batch()?;
        self.take_completed();
        let mut gathered = self.gathered.lock();
        gathered.batches.append(&mut self.done.batches);
        gathered.guards.append(&mut self.done.guards);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, BinaryViewArray, Int32Array};
    use datafusion::prelude::{SessionConfig, SessionContext};
    use gristmill_types::{Columns, SqlType};

    use super::*;
    use crate::definition::tests::definition;

    fn table() -> (MemoryTable, Arc<QueryContext>) {
        let mut definition = definition("default", "t", "Memory");
        definition.columns = Columns::of([("a", SqlType::Int32), ("s", SqlType::String)]);
        (MemoryTable::new(Arc::new(definition)), QueryContext::background("SELECT"))
    }

    fn block(schema: &SchemaRef, values: std::ops::Range<i32>) -> RecordBatch {
        let texts: Vec<String> = values.clone().map(|value| format!("a text of number {value}")).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(values)),
            Arc::new(BinaryViewArray::from_iter_values(texts.iter().map(String::as_bytes))),
        ];
        RecordBatch::try_new(schema.clone(), columns).expect("a block")
    }

    async fn insert(table: &MemoryTable, context: &Arc<QueryContext>, values: std::ops::Range<i32>) -> Arc<dyn TableWriter> {
        let schema = table.definition().stored_columns().arrow();
        let writer = table.write(context).await.expect("opens");
        for half in [values.start..values.end / 2, values.end / 2..values.end] {
            let mut lane = writer.lane().await.expect("a lane");
            lane.write(block(&schema, half)).await.expect("written");
            lane.finish().await.expect("finished");
        }
        writer
    }

    async fn rows(table: &MemoryTable, context: &Arc<QueryContext>, query: &str) -> usize {
        let config = SessionConfig::new().with_target_partitions(3).with_batch_size(7).with_extension(context.clone());
        let session = SessionContext::new_with_config(config);
        session.register_table("t", table.read(context).await.expect("reads")).expect("registers");
        let batches = session.sql(query).await.expect("plans").collect().await.expect("runs");
        assert!(batches.iter().all(|batch| batch.num_rows() <= 7));
        batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[tokio::test]
    async fn an_insert_is_visible_when_it_is_committed_and_not_before() {
        let (table, context) = table();
        let writer = insert(&table, &context, 0..100).await;
        assert_eq!(table.total_rows(), Some(0));
        assert!(context.memory.used_bytes() > 0, "what waits is the query's");
        writer.commit().await.expect("commits");
        assert_eq!((table.total_rows(), context.memory.used_bytes()), (Some(100), 0));
        insert(&table, &context, 0..100).await.abort().await;
        assert_eq!(table.total_rows(), Some(100));
        table.truncate(&context).await.expect("truncates");
        assert_eq!((table.total_rows(), table.total_bytes()), (Some(0), Some(0)));
    }

    #[tokio::test]
    async fn reads_count_what_they_hand_out_of_the_columns_asked_for() {
        let (table, context) = table();
        insert(&table, &context, 0..100).await.commit().await.expect("commits");
        assert_eq!(rows(&table, &context, "SELECT a FROM t WHERE a >= 90").await, 10);
        let read = context.progress.snapshot();
        assert_eq!((read.read_rows, read.read_bytes), (100, 400));
        let context = QueryContext::background("SELECT");
        assert_eq!(rows(&table, &context, "SELECT s FROM t LIMIT 5").await, 5);
        assert!(context.progress.snapshot().read_rows <= 3 * 7);
    }

    #[tokio::test]
    async fn a_reader_keeps_what_it_began_with() {
        let (table, context) = table();
        insert(&table, &context, 0..10).await.commit().await.expect("commits");
        let provider = table.read(&context).await.expect("reads");
        table.truncate(&context).await.expect("truncates");
        let config = SessionConfig::new().with_extension(context.clone());
        let read = SessionContext::new_with_config(config).read_table(provider).expect("plans");
        assert_eq!(read.collect().await.expect("runs").iter().map(RecordBatch::num_rows).sum::<usize>(), 10);
    }
}
