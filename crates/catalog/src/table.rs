//! The traits that every table engine implements.
//!
//! Reading: `Table::read` pins a snapshot for one query and gives it as a DataFusion `TableProvider`. Writing:
//! one `TableWriter` an INSERT, one `WriteLane` a thread; nothing is visible before `TableWriter::commit` (I-2).

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};

use crate::definition::TableDefinition;
use crate::load::{LedgerRow, LoadRequest, TableLoad};

/// Which partitions a statement is about.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionChoice {
    All,
    Id(String),
    /// The values of the partition key, of the types that `Table::partition_key` gives.
    Value(Vec<ScalarValue>),
}

/// What OPTIMIZE TABLE asks for.
#[derive(Clone, Debug, Default)]
pub struct OptimizeRequest {
    pub partition: Option<PartitionChoice>,
    /// Merge until each partition is one part.
    pub to_one_part: bool,
    pub deduplicate: bool,
}

/// A part, as `system.parts` shows it. Times are in seconds since the Unix epoch.
#[derive(Clone, Debug, Default)]
pub struct PartRow {
    pub partition: String,
    pub partition_id: String,
    pub name: String,
    pub active: bool,
    pub marks: u64,
    pub rows: u64,
    pub bytes_on_disk: u64,
    pub data_compressed_bytes: u64,
    pub data_uncompressed_bytes: u64,
    pub primary_key_bytes: u64,
    pub modification_time: u64,
    pub remove_time: u64,
    pub min_block_number: i64,
    pub max_block_number: i64,
    pub level: u32,
    pub path: String,
    /// Compressed and uncompressed bytes by column, in the table's order.
    pub columns: Vec<(String, u64, u64)>,
}

#[async_trait]
pub trait Table: Send + Sync + Debug {
    fn definition(&self) -> Arc<TableDefinition>;

    /// Columns that are there without being declared, such as `_path`; not part of `*`.
    fn virtual_columns(&self) -> Columns {
        Columns::default()
    }

    /// A snapshot for one query. The provider's schema is that of the declared columns (those that are stored: no
    /// ALIAS, no EPHEMERAL), then the virtual ones.
    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>>;

    /// Opens a write of full rows: every stored column, in the table's order.
    async fn write(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Err(self.unsupported("INSERT"))
    }

    /// Whether loads can be begun; see `begin_load`.
    fn keeps_load_ledger(&self) -> bool {
        false
    }

    /// Begins a run of a load that commits in steps. Errors: NOT_IMPLEMENTED where the engine keeps no ledger of loads,
    /// QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING, BAD_ARGUMENTS where the load was begun by another query.
    async fn begin_load(&self, _context: &Arc<QueryContext>, _request: &LoadRequest) -> Result<Arc<dyn TableLoad>> {
        Err(self.unsupported("load_id"))
    }

    /// What the table knows of the files that loads brought.
    fn load_ledger(&self) -> Vec<LedgerRow> {
        Vec::new()
    }

    /// Forgets a load, or all of them: its files count as new again.
    async fn drop_load_ledger(&self, _context: &Arc<QueryContext>, _load_id: Option<&str>) -> Result<()> {
        Err(self.unsupported("DROP LOAD LEDGER"))
    }

    async fn truncate(&self, _context: &Arc<QueryContext>) -> Result<()> {
        Err(self.unsupported("TRUNCATE"))
    }

    /// Removes what the table keeps; called after the table left the catalog.
    async fn drop_data(&self) -> Result<()> {
        Ok(())
    }

    /// Types of the partition key's values, none where everything is one partition. `None`: it has no partitions.
    fn partition_key(&self) -> Option<Vec<SqlType>> {
        None
    }

    /// Removes the rows of partitions, at once.
    async fn drop_partitions(&self, _context: &Arc<QueryContext>, _partitions: &[PartitionChoice]) -> Result<()> {
        Err(self.unsupported("partitions"))
    }

    async fn optimize(&self, _context: &Arc<QueryContext>, _request: OptimizeRequest) -> Result<()> {
        Err(self.unsupported("OPTIMIZE"))
    }

    /// The same data under a new definition (RENAME).
    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>>;

    /// Stops what the table does in the background, and waits until it has ended.
    async fn shutdown(&self) {}

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn total_bytes(&self) -> Option<u64> {
        None
    }

    fn parts(&self) -> Vec<PartRow> {
        Vec::new()
    }

    /// Where its data lies, for system.tables.
    fn data_paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn unsupported(&self, what: &str) -> Error {
        let engine = &self.definition().engine.name;
        Error::new(ErrorCode::NOT_IMPLEMENTED, format!("{what} is not supported by storage {engine}"))
    }
}

/// One INSERT into one table. Dropped without `commit`: everything it wrote is removed.
#[async_trait]
pub trait TableWriter: Send + Sync {
    /// A lane that writes beside the others.
    async fn lane(&self) -> Result<Box<dyn WriteLane>>;

    /// Lanes that make sense at most: 1 for a single file.
    fn max_lanes(&self) -> usize {
        usize::MAX
    }

    /// Makes what all finished lanes wrote visible, whole. Called once, after every lane finished.
    async fn commit(&self) -> Result<()>;

    /// Removes what was written; called where the INSERT failed or was cancelled.
    async fn abort(&self);
}

#[async_trait]
pub trait WriteLane: Send {
    /// Takes rows of the table's schema. Waits while too much is under way.
    async fn write(&mut self, batch: RecordBatch) -> Result<()>;

    /// Writes out what is left. The rows stay invisible until the writer commits.
    async fn finish(self: Box<Self>) -> Result<()>;
}
