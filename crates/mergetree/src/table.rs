//! A MergeTree table: what the catalog sees (`MergeTree`), and what its inserts, readers, merges and the sweeper share
//! (`Core`): the data (`TableData`) under one layout. ALTER makes a new core over the same data; whoever holds the old
//! one goes on reading and inserting by it, because parts say themselves what their columns are (`read/evolve.rs`). Only
//! what rewrites parts gives up when it comes to its commit: rows written by the old layout may lack columns that other
//! inserts filled meanwhile.

use std::any::Any;
use std::collections::HashSet;
use std::ops::Deref;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Weak};

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{
    BackgroundWork, CheckedPart, DetachedPartRow, IndexRowsRequest, KeyExpression, LedgerRow, LoadRequest, MutationRequest,
    MutationRow, OptimizeRequest, PartChoice, PartRow, PartitionChoice, ProjectionRow, StoragePlace, Table, TableDefinition,
    TableLoad, TableWriter, Transfer,
};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};
use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::environment::MergeTreeEnvironment;
use crate::gc;
use crate::index::shown;
use crate::insert::{InsertWriter, load, partition};
use crate::layout::Layout;
use crate::manifest::v1::{Operation, value};
use crate::manifest::{Change, Commit, Manifest, PartEntry, RowsChange, State};
use crate::merge::stop::Stopped;
use crate::projection::{self, Projection};
use crate::read::{FinalProvider, MergeTreeProvider, virtual_columns};
use crate::settings::TableSettings;
use crate::store::PartStore;
use crate::ttl::select::Rests;
use crate::{aside, check, freeze, merge, mutate, part_rows, places, transfer};

/// A table's data under a layout.
#[derive(Clone)]
pub struct Core {
    pub layout: Arc<Layout>,
    pub settings: Arc<TableSettings>,
    data: Arc<TableData>,
}

/// What is one per data folder, whatever the table is called and whatever its columns are.
pub struct TableData {
    pub store: Arc<dyn PartStore>,
    pub environment: Arc<MergeTreeEnvironment>,
    pub manifest: Manifest,
    pub uuid: Uuid,
    /// Of the database and the table.
    names: RwLock<(String, String)>,
    /// R-1, M-4: the states that queries read.
    pinned: Mutex<Vec<Weak<State>>>,
    /// Objects of parts that a merge or a mutation of this process works on. (A mutation may change a part's name meanwhile.)
    pub merging: Mutex<HashSet<String>>,
    /// Merges and mutations in the background that failed one after another.
    pub failures: AtomicU32,
    /// What this process knows of mutations beyond the manifest.
    pub mutating: mutate::Progress,
    /// Partitions that were merged for their TTL a short while ago.
    pub ttl_rests: Mutex<Rests>,
    /// SYSTEM STOP MERGES, and STOP TTL MERGES.
    pub stopped: Stopped,
    /// Ids of loads that run in this process.
    pub loading: Mutex<HashSet<String>>,
    /// Times at which the sweeper first saw an object without a name, by key.
    pub sweeper: gc::Sweeper,
    pub wake: Arc<Notify>,
    merge_end: Arc<Notify>,
    stop: CancellationToken,
    background: Mutex<Option<Task<()>>>,
    /// The core that the catalog has.
    newest: RwLock<Weak<Core>>,
}

impl TableData {
    /// The data under the layout that the catalog has. `None`: the table is gone.
    pub fn newest(&self) -> Option<Arc<Core>> {
        self.newest.read().upgrade()
    }
}

impl Deref for Core {
    type Target = TableData;

    fn deref(&self) -> &TableData {
        &self.data
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MergeTree({} at {})", self.name(), self.store.location(""))
    }
}

impl Core {
    pub fn name(&self) -> String {
        let (database, table) = &*self.names.read();
        format!("{database}.{table}")
    }

    /// Of the database and the table.
    pub fn names(&self) -> (String, String) {
        self.names.read().clone()
    }

    /// Whether ALTER changed the layout since: what is written by this one must not replace parts any more.
    pub fn is_outdated(&self) -> bool {
        self.newest().is_none_or(|newest| !Arc::ptr_eq(&newest.layout, &self.layout))
    }

    /// The same data as that of a projection: what reads and merges its parts.
    pub fn of_projection(&self, projection: &Projection) -> Arc<Core> {
        let settings = projection.settings(&self.settings);
        Arc::new(Core { layout: projection.layout.clone(), settings, ..Core::clone(self) })
    }

    pub fn wake_merger(&self) {
        self.wake.notify_one();
    }

    /// Waits for the end of any merge of this process from the call on.
    pub fn merge_end(&self) -> impl Future<Output = ()> + Send + 'static {
        self.merge_end.clone().notified_owned()
    }

    pub fn merge_ended(&self) {
        self.merge_end.notify_waiters();
    }

    /// the newest state, kept from the sweeper as long as somebody holds it.
    pub async fn pin(&self, context: &Arc<QueryContext>) -> Result<Arc<State>> {
        loop {
            let state = self.manifest.refresh(context).await?;
            {
                let mut pinned = self.pinned.lock();
                pinned.retain(|state| state.strong_count() > 0);
                pinned.push(Arc::downgrade(&state));
            }
            // What a commit between the two took out may be swept already; from now on it is seen that it is read.
            if self.manifest.current().version == state.version {
                return Ok(state);
            }
        }
    }

    /// The states that queries read.
    pub fn pinned_states(&self) -> Vec<Arc<State>> {
        self.pinned.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// M-4: whether a query still reads a state that names the part.
    pub fn is_pinned(&self, part: &PartEntry) -> bool {
        let place = (Arc::from(part.partition_id.as_str()), part.min_block);
        let names = |state: &Arc<State>| state.parts.get(&place).is_some_and(|known| known.key == part.key);
        self.pinned_states().iter().any(names)
    }
}

/// A table of an engine of the family.
#[derive(Debug)]
pub struct MergeTree {
    definition: Arc<TableDefinition>,
    core: Arc<Core>,
}

impl MergeTree {
    /// Opens the table that lies in the store, or makes a new one where nothing does. `sorting`: ORDER BY, whose first
    /// `definition.primary_key.len()` expressions are the primary key. Errors: BAD_ARGUMENTS, UNKNOWN_SETTING,
    /// CORRUPTED_DATA.
    pub async fn open(
        definition: Arc<TableDefinition>,
        sorting: Vec<KeyExpression>,
        partition: Option<Vec<KeyExpression>>,
        store: Arc<dyn PartStore>,
        environment: Arc<MergeTreeEnvironment>,
    ) -> Result<Arc<MergeTree>> {
        let settings = Arc::new(TableSettings::parse(&definition.settings)?);
        let layout = Layout::new(&definition, sorting, partition, &environment)?;
        projection::check(&definition, &layout, &settings)?;
        for key in &layout.partition {
            if key.kind.is_float() {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("Floating point partition key is not supported: {}", key.text),
                ));
            }
        }
        let partition_kinds = layout.partition.iter().map(|key| &key.kind);
        for kind in partition_kinds.chain(layout.partition_columns.iter().map(|&at| &layout.columns.0[at].kind)) {
            if !value::is_supported(&kind.arrow()) {
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("A {kind} cannot be part of a partition key")));
            }
        }
        let context = environment.context("open table");
        let window = settings.non_replicated_deduplication_window as usize;
        let manifest = Manifest::open(&context, store.clone(), environment.options.shared, window).await?;
        let data = Arc::new(TableData {
            store,
            manifest,
            uuid: definition.uuid,
            names: RwLock::new((definition.database.clone(), definition.name.clone())),
            pinned: Mutex::default(),
            failures: AtomicU32::new(0),
            merging: Mutex::default(),
            mutating: mutate::Progress::default(),
            ttl_rests: Mutex::default(),
            stopped: Stopped::default(),
            loading: Mutex::default(),
            sweeper: gc::Sweeper::default(),
            wake: Arc::default(),
            merge_end: Arc::default(),
            stop: CancellationToken::new(),
            background: Mutex::new(None),
            newest: RwLock::new(Weak::new()),
            environment,
        });
        let core = Arc::new(Core { layout, settings, data });
        *core.newest.write() = Arc::downgrade(&core);
        if core.environment.options.background {
            let task = Task::on(
                &runtime::cpu(),
                merge::background::run(Arc::downgrade(&core.data), core.wake.clone(), core.stop.clone()),
            );
            *core.background.lock() = Some(task);
        }
        Ok(Arc::new(MergeTree { definition, core }))
    }

    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// The same data under a changed definition. It is the table's only when it is `adopted`.
    pub fn under(
        &self,
        definition: Arc<TableDefinition>,
        sorting: Vec<KeyExpression>,
        partition: Option<Vec<KeyExpression>>,
    ) -> Result<MergeTree> {
        let old = &self.definition;
        let is_same = old.columns == definition.columns
            && old.column_keys == definition.column_keys
            && old.order_by == definition.order_by
            && old.skip_indexes == definition.skip_indexes
            && old.projections == definition.projections
            && old.ttl == definition.ttl;
        let layout = match is_same {
            true => self.core.layout.clone(),
            false => Layout::new(&definition, sorting, partition, &self.core.environment)?,
        };
        let names = |layout: &Layout| -> Vec<String> {
            layout.partition_columns.iter().map(|&place| layout.columns.0[place].name.clone()).collect()
        };
        if names(&layout) != names(&self.core.layout) {
            // The manifest keeps their ranges in that order.
            return Err(Error::not_implemented("Changing the order of the columns of the partition key"));
        }
        let settings = Arc::new(TableSettings::parse(&definition.settings)?);
        projection::check(&definition, &layout, &settings)?;
        self.core.manifest.keep_block_hashes(settings.non_replicated_deduplication_window as usize);
        let core = Arc::new(Core { layout, settings, ..Core::clone(&self.core) });
        Ok(MergeTree { definition, core })
    }

    /// Commits a version without the parts that are chosen. Their objects go when no query reads them any more.
    async fn remove_parts(
        &self,
        context: &Arc<QueryContext>,
        chosen: impl Fn(&PartEntry) -> bool + Send + Sync,
    ) -> Result<()> {
        let outcome = self
            .core
            .manifest
            .commit(context, |state| {
                let removed: Vec<String> =
                    state.parts.values().filter(|part| chosen(part)).map(|part| part.name.clone()).collect();
                // A table that is emptied knows nothing of the files it was loaded from: the same load brings them again.
                let ledger = (removed.len() == state.parts.len()).then(|| load::forgotten(state, None)).flatten();
                Ok((!removed.is_empty() || ledger.is_some()).then(|| Change {
                    operation: Operation::Truncate,
                    added: Vec::new(),
                    removed,
                    insert_id: None,
                    block_hashes: Vec::new(),
                    ledger,
                    keeps_rows: false,
                    rows: RowsChange::default(),
                }))
            })
            .await?;
        match outcome {
            Commit::Unknown(error) => Err(error),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Table for MergeTree {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    fn virtual_columns(&self) -> Columns {
        virtual_columns(&self.core.layout)
    }

    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        mutate::before_reading(&self.core, context).await?;
        let state = self.core.pin(context).await?;
        Ok(Arc::new(MergeTreeProvider::new(self.core.clone(), state, context.clone())))
    }

    fn supports_final(&self) -> bool {
        self.core.layout.engine.merges_rows()
    }

    fn depends_on_order(&self) -> bool {
        // A block is known again by its rows: those of the same INSERT have to be cut alike.
        self.core.layout.engine.depends_on_order() || self.core.settings.non_replicated_deduplication_window > 0
    }

    async fn read_final(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        if !self.supports_final() {
            let engine = &self.definition.engine.name;
            return Err(Error::new(ErrorCode::ILLEGAL_FINAL, format!("Storage {engine} doesn't support FINAL")));
        }
        if self.core.layout.engine.is_keyless() {
            return self.read(context).await;
        }
        mutate::before_reading(&self.core, context).await?;
        let state = self.core.pin(context).await?;
        Ok(Arc::new(FinalProvider::new(self.core.clone(), state, context.clone())?))
    }

    async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        self.core.check_writable()?;
        Ok(Arc::new(InsertWriter::open(self.core.clone(), context).await?))
    }

    fn keeps_load_ledger(&self) -> bool {
        true
    }

    async fn begin_load(&self, context: &Arc<QueryContext>, request: &LoadRequest) -> Result<Arc<dyn TableLoad>> {
        self.core.check_writable()?;
        Ok(Arc::new(load::LoadHandle(load::Load::begin(&self.core, context, request).await?)))
    }

    fn load_ledger(&self) -> Vec<LedgerRow> {
        self.core.manifest.current().ledger.rows()
    }

    async fn drop_load_ledger(&self, context: &Arc<QueryContext>, load_id: Option<&str>) -> Result<()> {
        load::forget(&self.core, context, load_id).await
    }

    async fn truncate(&self, context: &Arc<QueryContext>) -> Result<()> {
        self.core.check_writable()?;
        self.remove_parts(context, |_| true).await
    }

    fn partition_key(&self) -> Option<Vec<SqlType>> {
        Some(self.core.layout.partition.iter().map(|key| key.kind.clone()).collect())
    }

    async fn drop_partitions(&self, context: &Arc<QueryContext>, partitions: &[PartitionChoice]) -> Result<()> {
        self.core.check_writable()?;
        let ids = partitions.iter().map(|choice| partition::chosen_id(&self.core.layout, choice));
        // `None` among them is every partition.
        let ids: Option<HashSet<String>> = ids.collect::<Result<Option<_>>>()?;
        self.remove_parts(context, |part| ids.as_ref().is_none_or(|ids| ids.contains(&part.partition_id))).await
    }

    async fn detach(&self, context: &Arc<QueryContext>, chosen: &PartChoice) -> Result<()> {
        self.core.check_writable()?;
        aside::detach(&self.core, context, chosen).await
    }

    async fn attach(&self, context: &Arc<QueryContext>, chosen: &PartChoice) -> Result<()> {
        self.core.check_writable()?;
        aside::attach(&self.core, context, chosen).await
    }

    async fn drop_parts(&self, context: &Arc<QueryContext>, chosen: &PartChoice, detached: bool) -> Result<()> {
        self.core.check_writable()?;
        aside::drop(&self.core, context, chosen, detached).await
    }

    async fn take_partition(
        &self,
        context: &Arc<QueryContext>,
        from: &dyn Table,
        partition: &PartitionChoice,
        transfer: Transfer,
    ) -> Result<()> {
        let Some(from) = from.engine_data().and_then(|data| data.downcast::<Core>().ok()) else {
            return Err(from.unsupported("Taking parts out for another table"));
        };
        self.core.check_writable()?;
        if transfer == Transfer::Move {
            from.check_writable()?;
        }
        if transfer != Transfer::Replace {
            self.core.check_size(&self.core.manifest.current())?;
        }
        transfer::transfer(&self.core, &from, context, partition, transfer).await
    }

    async fn check_parts(&self, context: &Arc<QueryContext>, chosen: &PartChoice, detached: bool) -> Result<()> {
        aside::check(&self.core, context, chosen, detached).await
    }

    fn check_takes(&self, from: &dyn Table) -> Result<()> {
        match from.engine_data().and_then(|data| data.downcast::<Core>().ok()) {
            Some(from) => transfer::check_alike(&self.core.layout, &from.layout),
            None => Err(from.unsupported("Taking parts out for another table")),
        }
    }

    fn check_writable(&self) -> Result<()> {
        self.core.check_writable()
    }

    fn engine_data(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(self.core.clone())
    }

    async fn freeze(&self, context: &Arc<QueryContext>, partition: &PartitionChoice, name: Option<&str>) -> Result<String> {
        freeze::freeze(&self.core, context, partition, name).await
    }

    async fn index_rows(
        &self,
        context: &Arc<QueryContext>,
        request: IndexRowsRequest,
        only_columns: bool,
    ) -> Result<(Columns, Vec<RecordBatch>)> {
        let columns = shown::columns(&self.core.layout, request);
        let rows = if only_columns { Vec::new() } else { shown::rows(&self.core, context, request).await? };
        Ok((columns, rows))
    }

    async fn check(&self, context: &Arc<QueryContext>, chosen: &PartChoice) -> Result<Vec<CheckedPart>> {
        check::check(&self.core, context, chosen).await
    }

    async fn unfreeze(&self, context: &Arc<QueryContext>, partition: &PartitionChoice, name: &str) -> Result<()> {
        freeze::unfreeze(&self.core, context, partition, name).await
    }

    async fn move_parts(&self, _context: &Arc<QueryContext>, chosen: &PartChoice, to: &StoragePlace) -> Result<()> {
        places::move_parts(&self.core, chosen, to)
    }

    fn detached_parts(&self) -> Vec<DetachedPartRow> {
        aside::rows(&self.core)
    }

    async fn shutdown(&self) {
        self.core.stop.cancel();
        let task = self.core.background.lock().take();
        if let Some(task) = task
            && let Err(error) = task.join().await
        {
            tracing::warn!("the background job of {} ended badly: {error}", self.core.name());
        }
    }

    async fn drop_data(&self) -> Result<()> {
        self.shutdown().await;
        let context = self.core.environment.context("drop table");
        // Parts first: a folder with a manifest but without its parts is never taken for a table of no rows.
        let state = self.core.manifest.current();
        for part in state.parts.values().chain(&state.detached) {
            for object in part.objects() {
                self.core.environment.parts.remove(&self.core.store.location(object));
            }
        }
        for prefix in ["parts/", projection::FOLDER, "manifest/"] {
            self.core.store.delete_prefix(&context, prefix).await?;
        }
        self.core.store.remove_folder().await;
        Ok(())
    }

    async fn optimize(&self, context: &Arc<QueryContext>, request: OptimizeRequest) -> Result<()> {
        self.core.check_writable()?;
        merge::optimize(&self.core, context, &request).await
    }

    fn altered(
        &self,
        definition: Arc<TableDefinition>,
        sorting: Vec<KeyExpression>,
        partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(self.under(definition, sorting, partition)?))
    }

    fn adopted(&self) {
        *self.core.newest.write() = Arc::downgrade(&self.core);
        self.core.wake_merger();
    }

    async fn mutate(&self, context: &Arc<QueryContext>, request: MutationRequest) -> Result<String> {
        self.core.check_writable()?;
        mutate::begin(&self.core, context, request).await
    }

    async fn finish_mutation(&self, context: &Arc<QueryContext>, id: &str) -> Result<()> {
        mutate::finish(&self.core, context, id).await
    }

    fn set_background(&self, work: BackgroundWork, runs: bool) -> Result<()> {
        merge::stop::set(&self.core, work, runs);
        Ok(())
    }

    fn mutations(&self) -> Vec<MutationRow> {
        mutate::rows(&self.core)
    }

    async fn kill_mutation(&self, context: &Arc<QueryContext>, id: &str) -> Result<bool> {
        mutate::kill(&self.core, context, id).await
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        *self.core.names.write() = (definition.database.clone(), definition.name.clone());
        Ok(Arc::new(MergeTree { definition, core: self.core.clone() }))
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.core.manifest.current().rows)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.core.manifest.current().bytes)
    }

    fn partition_id(&self, partition: &PartitionChoice) -> Result<Option<String>> {
        partition::chosen_id(&self.core.layout, partition)
    }

    fn bytes_of(&self, chosen: &PartChoice) -> Result<u64> {
        aside::bytes_of(&self.core, chosen)
    }

    async fn open_parts(&self, context: &Arc<QueryContext>) -> Result<()> {
        part_rows::open(&self.core, context).await
    }

    fn parts(&self) -> Vec<PartRow> {
        part_rows::all(&self.core)
    }

    fn projections(&self) -> Vec<ProjectionRow> {
        let row = |projection: &Arc<Projection>| ProjectionRow {
            name: projection.definition.name.clone(),
            is_aggregate: projection.is_aggregate(),
            sorting_key: projection.layout.sorting.iter().map(|key| projection::column_name(key).to_string()).collect(),
            query: projection.definition.shown(),
        };
        self.core.layout.projections.iter().map(row).collect()
    }

    fn data_paths(&self) -> Vec<String> {
        vec![self.core.store.location("")]
    }
}
