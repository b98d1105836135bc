//! The traits that every table engine implements.
//!
//! Reading: `Table::read` pins a snapshot for one query and gives it as a DataFusion `TableProvider`. Writing:
//! one `TableWriter` an INSERT, one `WriteLane` a thread; nothing is visible before `TableWriter::commit` (I-2).

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};
use serde::{Deserialize, Serialize};

use crate::databases::full_name;
use crate::definition::TableDefinition;
use crate::key::KeyExpression;
use crate::load::{LedgerRow, LoadRequest, TableLoad};

/// In the configuration of a session: tables are read in one stream, in the order in which they keep their rows.
pub struct ReadInOneStream;

/// Which partitions a statement is about.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionChoice {
    All,
    Id(String),
    /// The values of the partition key, of the types that `Table::partition_key` gives.
    Value(Vec<ScalarValue>),
}

/// Parts that a statement is about.
#[derive(Clone, Debug, PartialEq)]
pub enum PartChoice {
    Partition(PartitionChoice),
    /// By name.
    Part(String),
}

/// Where MOVE PARTITION sends parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoragePlace {
    pub volume: bool,
    pub name: String,
}

/// What is shown of a table's sparse index beside the keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexRowsRequest {
    /// Where the columns' data of the granules begin.
    pub with_marks: bool,
    /// The least and greatest values of the columns of the partition key.
    pub with_minmax: bool,
}

/// What CHECK TABLE found of a part.
#[derive(Clone, Debug)]
pub struct CheckedPart {
    pub name: String,
    /// `None`: it is what was written.
    pub damage: Option<Error>,
}

/// What becomes of parts that one table takes over from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Copies stand in the place of the partition's parts.
    Replace,
    /// Copies stand beside them.
    Add,
    /// They are no longer where they came from.
    Move,
}

/// What OPTIMIZE TABLE asks for.
#[derive(Clone, Debug, Default)]
pub struct OptimizeRequest {
    pub partition: Option<PartitionChoice>,
    /// Merge until each partition is one part.
    pub to_one_part: bool,
    pub deduplicate: bool,
    /// The columns that equal rows are equal in; all where none are named.
    pub deduplicate_by: Vec<String>,
    /// Rows that say that their key is deleted go too.
    pub cleanup: bool,
    /// These parts, by name, are merged to see that it can be done, and what comes out is thrown away.
    pub dry_run: Option<Vec<String>>,
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
    /// Rows of it are deleted, and lie in it yet.
    pub has_lightweight_delete: bool,
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
    /// Least and greatest value of the first Date of the partition key, in days, and of its first DateTime, in seconds.
    pub dates: (u64, u64),
    pub times: (u64, u64),
    /// Number of the last mutation that its rows went through; its first block's where there was none.
    pub data_version: u64,
    pub codec: String,
    /// When the table's TTL concerns the part's rows.
    pub ttl: PartTtlRow,
    /// Compressed and uncompressed bytes by column, in the table's order.
    pub columns: Vec<(String, u64, u64)>,
    /// The same by skip index that the table has.
    pub skip_indexes: Vec<(String, u64, u64)>,
    pub projections: Vec<ProjectionPartRow>,
}

/// A projection of a table, as `system.projections` shows it.
#[derive(Clone, Debug, Default)]
pub struct ProjectionRow {
    pub name: String,
    pub is_aggregate: bool,
    pub sorting_key: Vec<String>,
    pub query: String,
}

/// What a part has of a projection, as `system.projection_parts` shows it.
#[derive(Clone, Debug, Default)]
pub struct ProjectionPartRow {
    pub name: String,
    pub marks: u64,
    pub rows: u64,
    pub bytes_on_disk: u64,
    pub data_compressed_bytes: u64,
    pub data_uncompressed_bytes: u64,
    pub primary_key_bytes: u64,
    pub path: String,
}

/// The least and greatest times of a part's rows by the rules of the table's TTL, in seconds since the Unix epoch. 0: there
/// is none.
#[derive(Clone, Debug, Default)]
pub struct PartTtlRow {
    /// Of DELETE without WHERE.
    pub delete: (u64, u64),
    /// Each with the rule's expression.
    pub delete_where: Vec<(String, u64, u64)>,
    pub group_by: Vec<(String, u64, u64)>,
    pub recompress: Vec<(String, u64, u64)>,
}

/// One change of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowChange {
    /// Rows that fulfil the condition go.
    Delete { condition: String },
    /// Columns of the rows that fulfil the condition get new values, computed from the row as it was.
    Update { assignments: Vec<(String, String)>, condition: String },
    /// The column is written out as it reads.
    Materialize { column: String },
    /// Parts of which rows are deleted are written anew without them.
    ApplyDeletedMask,
    /// Parts that lack the skip index of this key get it. (Formats keep this and the next apart from changes of rows.)
    #[serde(skip)]
    MaterializeIndex { key: String },
    /// Parts lose the skip index of this key.
    #[serde(skip)]
    ClearIndex { key: String },
    /// Parts that lack the projection of this name get it. (Formats keep this and the next apart, as with indexes.)
    #[serde(skip)]
    MaterializeProjection { name: String },
    /// Parts lose the projection of this name.
    #[serde(skip)]
    ClearProjection { name: String },
    /// The table's TTL is applied. (Kept by the manifest in a field of its own, which older programs leave alone.)
    #[serde(skip)]
    MaterializeTtl,
}

/// What ALTER TABLE … UPDATE, … DELETE and DELETE FROM ask for. Expressions are texts over the table's columns.
#[derive(Clone, Debug)]
pub struct MutationRequest {
    /// Applied in their order. None: the definition changed, in a way that parts need not be written anew for.
    pub changes: Vec<RowChange>,
    /// As `system.mutations` shows them, a row each.
    pub commands: Vec<String>,
    /// Of this partition alone.
    pub partition: Option<PartitionChoice>,
    /// All rows change at the same moment, before the call returns: DELETE FROM.
    pub at_once: bool,
}

/// Work of a table that SYSTEM STOP and START name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundWork {
    Merges,
    TtlMerges,
}

/// A mutation, as `system.mutations` shows it. Times are in seconds since the Unix epoch.
#[derive(Clone, Debug, Default)]
pub struct MutationRow {
    pub id: String,
    pub command: String,
    pub create_time: u64,
    pub finish_time: u64,
    pub block_number: i64,
    pub parts_to_do: Vec<String>,
    pub parts_in_progress: Vec<String>,
    /// By expressions over columns. (Else it tells of a change of the definition, or makes and removes what lies beside rows.)
    pub changes_rows: bool,
    pub is_done: bool,
    pub latest_failed_part: String,
    pub latest_fail_time: u64,
    pub latest_fail_reason: String,
    pub latest_fail_error: String,
}

/// A part that was detached, as `system.detached_parts` shows it.
#[derive(Clone, Debug, Default)]
pub struct DetachedPartRow {
    pub partition_id: String,
    pub name: String,
    pub bytes_on_disk: u64,
    pub modification_time: u64,
    pub path: String,
    pub min_block_number: i64,
    pub max_block_number: i64,
    pub level: u32,
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

    /// Whether rows may lie in the table that a later merge takes away, so that FINAL means something.
    fn supports_final(&self) -> bool {
        false
    }

    /// As `read`, with the rows that there are when everything is merged. Errors: ILLEGAL_FINAL.
    async fn read_final(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        let engine = &self.definition().engine.name;
        Err(Error::new(ErrorCode::ILLEGAL_FINAL, format!("Storage {engine} doesn't support FINAL")))
    }

    /// Whether it matters in which order rows are written: a later one may replace or take back an earlier one, or blocks of
    /// the same rows are left out.
    fn depends_on_order(&self) -> bool {
        false
    }

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

    /// The sparse index as rows: their columns, and the rows where they are wanted. Errors: BAD_ARGUMENTS.
    async fn index_rows(
        &self,
        _context: &Arc<QueryContext>,
        _request: IndexRowsRequest,
        _only_columns: bool,
    ) -> Result<(Columns, Vec<RecordBatch>)> {
        let engine = &self.definition().engine.name;
        let text = format!("Table function mergeTreeIndex expected MergeTree table, got: {engine}");
        Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
    }

    /// Reads parts whole and compares them with their checksums.
    async fn check(&self, _context: &Arc<QueryContext>, _chosen: &PartChoice) -> Result<Vec<CheckedPart>> {
        let engine = &self.definition().engine.name;
        Err(Error::new(ErrorCode::NOT_IMPLEMENTED, format!("Check query is not supported for {engine} storage")))
    }

    /// Opens the parts that nobody read yet, so that `parts` tells of their columns. What cannot be opened is left out.
    async fn open_parts(&self, _context: &Arc<QueryContext>) -> Result<()> {
        Ok(())
    }

    async fn optimize(&self, _context: &Arc<QueryContext>, _request: OptimizeRequest) -> Result<()> {
        Err(self.unsupported("OPTIMIZE"))
    }

    /// The same data under a new definition (RENAME).
    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>>;

    /// The same data under a changed definition (ALTER), with its keys over the new columns. Nothing changes before it
    /// is `adopted`.
    fn altered(
        &self,
        _definition: Arc<TableDefinition>,
        _sorting: Vec<KeyExpression>,
        _partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        Err(self.unsupported("ALTER of columns, keys and settings"))
    }

    /// Called when the catalog has decided that the table is this from now on, before any statement finds it.
    fn adopted(&self) {}

    /// Changes rows that are there: now, where the request says so; else the change has begun for good when this
    /// returns, and its id is given.
    async fn mutate(&self, _context: &Arc<QueryContext>, request: MutationRequest) -> Result<String> {
        if request.at_once {
            let definition = self.definition();
            let name = full_name(&definition.database, &definition.name);
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("DELETE query is not supported for table {name}")));
        }
        Err(self.unsupported("Mutations (UPDATE and DELETE)"))
    }

    /// Stops background work, or lets it run again. Not for longer than the process lives.
    fn set_background(&self, _work: BackgroundWork, _runs: bool) -> Result<()> {
        Err(self.unsupported("Stopping of merges"))
    }

    /// Waits until a mutation is carried out. Errors: UNFINISHED where it failed or was killed.
    async fn finish_mutation(&self, _context: &Arc<QueryContext>, _id: &str) -> Result<()> {
        Ok(())
    }

    /// Unfinished mutations and the last ones that finished, oldest first.
    fn mutations(&self) -> Vec<MutationRow> {
        Vec::new()
    }

    /// Ends a mutation where it stands. False: there is none of this id that is not done.
    async fn kill_mutation(&self, _context: &Arc<QueryContext>, _id: &str) -> Result<bool> {
        Ok(false)
    }

    /// Takes parts out of the table and keeps them. `part`: that one alone, by its name.
    async fn detach(&self, _context: &Arc<QueryContext>, _chosen: &PartChoice) -> Result<()> {
        Err(self.unsupported("partitions"))
    }

    /// Puts detached parts back.
    async fn attach(&self, _context: &Arc<QueryContext>, _chosen: &PartChoice) -> Result<()> {
        Err(self.unsupported("partitions"))
    }

    /// Removes parts: those of the table, or detached ones.
    async fn drop_parts(&self, _context: &Arc<QueryContext>, _chosen: &PartChoice, _detached: bool) -> Result<()> {
        Err(self.unsupported("partitions"))
    }

    /// That parts that are chosen by name are there: of the table, or of the detached ones. Errors: NO_SUCH_DATA_PART,
    /// BAD_DATA_PART_NAME.
    async fn check_parts(&self, _context: &Arc<QueryContext>, _chosen: &PartChoice, _detached: bool) -> Result<()> {
        Ok(())
    }

    /// That parts of the other table can become parts of this one. Errors: INCOMPATIBLE_COLUMNS, BAD_ARGUMENTS.
    fn check_takes(&self, _from: &dyn Table) -> Result<()> {
        Ok(())
    }

    /// That the table may be changed. Errors: TABLE_IS_PERMANENTLY_READ_ONLY.
    fn check_writable(&self) -> Result<()> {
        Ok(())
    }

    /// Takes over parts of another table of the same engine.
    async fn take_partition(
        &self,
        _context: &Arc<QueryContext>,
        _from: &dyn Table,
        _partition: &PartitionChoice,
        _transfer: Transfer,
    ) -> Result<()> {
        Err(self.unsupported("partitions"))
    }

    /// What other tables of the engine have to know of this one.
    fn engine_data(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Copies parts as they are now to a place beside the table's data; gives the copy's name.
    async fn freeze(
        &self,
        _context: &Arc<QueryContext>,
        _partition: &PartitionChoice,
        _name: Option<&str>,
    ) -> Result<String> {
        Err(self.unsupported("FREEZE"))
    }

    /// Removes such a copy, or what it has of a partition.
    async fn unfreeze(&self, _context: &Arc<QueryContext>, _partition: &PartitionChoice, _name: &str) -> Result<()> {
        Err(self.unsupported("UNFREEZE"))
    }

    /// Sends parts to a disk or volume. Errors: UNKNOWN_DISK, UNKNOWN_VOLUME, NO_SUCH_DATA_PART.
    async fn move_parts(&self, _context: &Arc<QueryContext>, _chosen: &PartChoice, _to: &StoragePlace) -> Result<()> {
        Err(self.unsupported("partitions"))
    }

    fn detached_parts(&self) -> Vec<DetachedPartRow> {
        Vec::new()
    }

    /// Stops what the table does in the background, and waits until it has ended.
    async fn shutdown(&self) {}

    fn total_rows(&self) -> Option<u64> {
        None
    }

    fn total_bytes(&self) -> Option<u64> {
        None
    }

    /// The id of a partition. `None`: all of them. Error: NOT_IMPLEMENTED.
    fn partition_id(&self, _partition: &PartitionChoice) -> Result<Option<String>> {
        Err(self.unsupported("partitions"))
    }

    /// Bytes of the parts that are chosen, of those that the table reads. Error: NO_SUCH_DATA_PART.
    fn bytes_of(&self, _chosen: &PartChoice) -> Result<u64> {
        Ok(0)
    }

    fn parts(&self) -> Vec<PartRow> {
        Vec::new()
    }

    fn projections(&self) -> Vec<ProjectionRow> {
        Vec::new()
    }

    /// Where its data lies, for system.tables.
    fn data_paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn unsupported(&self, what: &str) -> Error {
        let definition = self.definition();
        let engine = definition.engine_name();
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

    /// Lanes that should work now. Asked again and again; `None`: whatever began with stays.
    fn lanes(&self) -> Option<usize> {
        None
    }

    /// Does what is left to do before the commit and may fail, such as what other tables get of the rows.
    async fn settle(&self) -> Result<()> {
        Ok(())
    }

    /// Makes what all finished lanes wrote visible, whole. Called once, after every lane finished.
    async fn commit(&self) -> Result<()>;

    /// As `commit`, and only if no insert of this id was committed before, where the table can tell. For an id that follows
    /// from the rows, and so is known only when they are written.
    async fn commit_once(&self, _id: &str) -> Result<()> {
        self.commit().await
    }

    /// Removes what was written; called where the INSERT failed or was cancelled.
    async fn abort(&self);
}

#[async_trait]
pub trait WriteLane: Send {
    /// Takes rows of the table's schema. Waits while too much is under way.
    async fn write(&mut self, batch: RecordBatch) -> Result<()>;

    /// Whether rows that it took before are being written while it waits for more.
    fn is_writing(&self) -> bool {
        false
    }

    /// Writes out what is left. The rows stay invisible until the writer commits.
    async fn finish(self: Box<Self>) -> Result<()>;
}
