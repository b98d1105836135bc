//! `null('structure')`: takes rows and forgets them, reads as empty.

use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::datasource::empty::EmptyTable;
use gristmill_base::Result;
use gristmill_catalog::{Table, TableDefinition, TableWriter, WriteLane};
use gristmill_introspect::QueryContext;

#[derive(Debug)]
pub struct NullTable {
    pub definition: Arc<TableDefinition>,
}

#[async_trait]
impl Table for NullTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    async fn read(&self, _: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        Ok(Arc::new(EmptyTable::new(self.definition.columns.arrow())))
    }

    async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Ok(Arc::new(NullWriter { context: context.clone() }))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(NullTable { definition }))
    }
}

struct NullWriter {
    context: Arc<QueryContext>,
}

#[async_trait]
impl TableWriter for NullWriter {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        Ok(Box::new(NullLane { context: self.context.clone() }))
    }

    async fn commit(&self) -> Result<()> {
        Ok(())
    }

    async fn abort(&self) {}
}

struct NullLane {
    context: Arc<QueryContext>,
}

#[async_trait]
impl WriteLane for NullLane {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.context.wrote(batch.num_rows() as u64, batch.get_array_memory_size() as u64);
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
