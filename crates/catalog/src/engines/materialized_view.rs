//! Engine MaterializedView: keeps nothing. Its rows lie in its target (`Databases::stored`); whoever inserts into its source
//! runs its query.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use crate::definition::TableDefinition;
use crate::table::Table;

#[derive(Debug)]
pub struct MaterializedViewTable(Arc<TableDefinition>);

impl MaterializedViewTable {
    pub fn new(definition: Arc<TableDefinition>) -> Self {
        MaterializedViewTable(definition)
    }
}

#[async_trait]
impl Table for MaterializedViewTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.0.clone()
    }

    async fn read(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        Err(Error::logical("A materialized view is read through its target"))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(MaterializedViewTable(definition)))
    }
}
