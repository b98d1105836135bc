//! Engine View: a query under a name. Whoever reads it puts the query in its place.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use crate::definition::TableDefinition;
use crate::key::KeyExpression;
use crate::table::Table;

/// The engine of tables that stand for several others.
const MERGE: &str = "Merge";

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

    /// A table of the engine Merge has columns of its own, whatever those that it reads have.
    fn altered(
        &self,
        definition: Arc<TableDefinition>,
        _sorting: Vec<KeyExpression>,
        _partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        let is_alike = self.0.is_alike_but_for_columns(&definition) && self.0.ttl == definition.ttl;
        if self.0.engine.name != MERGE || !is_alike {
            return Err(self.unsupported("ALTER of columns, keys and settings"));
        }
        self.renamed(definition)
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(View(definition)))
    }
}
