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

    async fn write(&self, _: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Ok(Arc::new(NullWriter))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(NullTable { definition }))
    }
}

struct NullWriter;

#[async_trait]
impl TableWriter for NullWriter {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        Ok(Box::new(NullLane))
    }

    async fn commit(&self) -> Result<()> {
        Ok(())
    }

    async fn abort(&self) {}
}

struct NullLane;

#[async_trait]
impl WriteLane for NullLane {
    async fn write(&mut self, _batch: RecordBatch) -> Result<()> {
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
