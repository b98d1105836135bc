//! Engine Buffer: a name for another table that takes small INSERTs. Its rows lie in that table as soon as they are inserted
//! (`Databases::stored`), where ClickHouse keeps them in memory until there are many or they are old: reads see the same.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::scan::quoted::quoted;

use crate::definition::{EngineSpec, TableDefinition};
use crate::key::KeyExpression;
use crate::table::{OptimizeRequest, Table};

pub const ENGINE: &str = "Buffer";

#[derive(Debug)]
pub struct BufferTable(Arc<TableDefinition>);

impl BufferTable {
    pub fn new(definition: Arc<TableDefinition>) -> Self {
        BufferTable(definition)
    }
}

#[async_trait]
impl Table for BufferTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.0.clone()
    }

    async fn read(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        Err(Error::logical("A buffer is read through the table that its rows go to"))
    }

    /// Nothing waits to be handed over.
    async fn optimize(&self, _context: &Arc<QueryContext>, _request: OptimizeRequest) -> Result<()> {
        Ok(())
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(BufferTable(definition)))
    }

    fn altered(
        &self,
        definition: Arc<TableDefinition>,
        _sorting: Vec<KeyExpression>,
        _partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(BufferTable(definition)))
    }
}

impl EngineSpec {
    /// Database and name of the table that the rows of a buffer go to.
    pub fn buffer_target(&self) -> Option<(String, String)> {
        let ([database, name, ..], ENGINE) = (&self.arguments[..], self.name.as_str()) else { return None };
        Some((unquoted(database)?, unquoted(name)?))
    }
}

fn unquoted(literal: &str) -> Option<String> {
    let mut text = Vec::new();
    quoted(literal.as_bytes(), &mut text).ok()?;
    String::from_utf8(text).ok()
}
