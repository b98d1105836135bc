//! Engine Null: takes every row and keeps none.

use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::Result;
use gristmill_introspect::QueryContext;

use crate::definition::TableDefinition;
use crate::key::KeyExpression;
use crate::rows_exec::Rows;
use crate::rows_table::RowsProvider;
use crate::table::{Table, TableWriter, WriteLane};

#[derive(Debug)]
pub struct NullTable(Arc<TableDefinition>);

impl NullTable {
    pub fn new(definition: Arc<TableDefinition>) -> Self {
        NullTable(definition)
    }
}

#[async_trait]
impl Table for NullTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.0.clone()
    }

    async fn read(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        Ok(Arc::new(RowsProvider::new(&self.0, Rows::Held(Arc::default()))))
    }

    async fn write(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Ok(Arc::new(Discard))
    }

    async fn truncate(&self, _context: &Arc<QueryContext>) -> Result<()> {
        Ok(())
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(NullTable(definition)))
    }

    /// Columns change; the rest is MergeTree's.
    fn altered(
        &self,
        definition: Arc<TableDefinition>,
        _sorting: Vec<KeyExpression>,
        _partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        if !self.0.is_alike_but_for_columns(&definition) || self.0.ttl != definition.ttl {
            return Err(self.unsupported("ALTER of keys, indexes, projections, constraints, TTL and settings"));
        }
        Ok(Arc::new(NullTable(definition)))
    }

    fn total_rows(&self) -> Option<u64> {
        Some(0)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(0)
    }
}

struct Discard;

#[async_trait]
impl TableWriter for Discard {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        Ok(Box::new(Discard))
    }

    async fn commit(&self) -> Result<()> {
        Ok(())
    }

    async fn abort(&self) {}
}

#[async_trait]
impl WriteLane for Discard {
    async fn write(&mut self, _batch: RecordBatch) -> Result<()> {
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
