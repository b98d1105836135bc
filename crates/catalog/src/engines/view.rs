//! Engine View: a query under a name. Whoever reads it puts the query in its place.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use crate::definition::TableDefinition;
use crate::table::Table;

#[derive(Debug)]
pub struct View(Arc<TableDefinition>);

impl View {
    pub fn new(definition: Arc<TableDefinition>) -> Self {
        View(definition)
    }
}

#[async_trait]
impl Table for View {
    fn definition(&self) -> Arc<TableDefinition> {
        self.0.clone()
    }

    async fn read(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        Err(Error::logical("A view is read through its query"))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(View(definition)))
    }
}
