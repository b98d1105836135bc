//! A MergeTree table: what the catalog sees (`MergeTree`), and what its inserts, readers, merges and the sweeper share
//! (`Core`).

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{
    KeyExpression, LedgerRow, LoadRequest, OptimizeRequest, PartRow, PartitionChoice, Table, TableDefinition, TableLoad,
    TableWriter,
};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};
use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::environment::MergeTreeEnvironment;
use crate::gc;
use crate::insert::{InsertWriter, load, partition};
use crate::layout::Layout;
use crate::manifest::v1::{Operation, value};
use crate::manifest::{Change, Commit, Manifest, PartEntry, State};
use crate::merge;
use crate::part::OpenPart;
use crate::read::{MergeTreeProvider, virtual_columns};
use crate::settings::TableSettings;
use crate::store::PartStore;

/// What is one per data folder, whatever the table is called.
pub struct Core {
    pub layout: Arc<Layout>,
    pub settings: Arc<TableSettings>,
    pub store: Arc<dyn PartStore>,
    pub environment: Arc<MergeTreeEnvironment>,
    pub manifest: Manifest,
    name: RwLock<String>,
    /// R-1, M-4: the states that queries read.
    pinned: Mutex<Vec<Weak<State>>>,
    /// Names of parts that a merge of this process works on.
    pub merging: Mutex<HashSet<String>>,
    /// Ids of loads that run in this process.
    pub loading: Mutex<HashSet<String>>,
    /// Times at which the sweeper first saw an object without a name, by key.
    pub sweeper: gc::Sweeper,
    wake: Arc<Notify>,
    merge_end: Arc<Notify>,
    stop: CancellationToken,
    background: Mutex<Option<Task<()>>>,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MergeTree({} at {})", self.name(), self.store.location(""))
    }
}

impl Core {
    pub fn name(&self) -> String {
        self.name.read().clone()
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

    /// A part's header, index and footer, from memory or by one read of its tail.
    pub async fn open_part(&self, context: &Arc<QueryContext>, part: &PartEntry) -> Result<Arc<OpenPart>> {
        let location = self.store.location(&part.key);
        if let Some(open) = self.environment.parts.get(&location) {
            return Ok(open);
        }
        let mut read = self.store.read(context, &part.key, &[part.tail_offset..part.bytes]).await?;
        let tail = read.pop().ok_or_else(|| Error::logical("A store returned no bytes for a range"))?;
        let open = Arc::new(OpenPart::parse(&part.key, part.bytes, tail, &self.layout)?);
        self.environment.parts.put(location, open.clone());
        Ok(open)
    }

    pub fn opened(&self, part: &PartEntry) -> Option<Arc<OpenPart>> {
        self.environment.parts.get(&self.store.location(&part.key))
    }

    /// Removes an object that no version names; what fails is left to the sweeper.
    pub async fn discard(&self, key: &str) {
        self.environment.parts.remove(&self.store.location(key));
        let context = self.environment.context("discard");
        if let Err(error) = self.store.delete(&context, key).await {
            tracing::warn!("object {} was not removed: {error}", self.store.location(key));
        }
    }
}

/// A table of the engine `MergeTree`.
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
        let layout = Layout::new(&definition, sorting, partition)?;
        for key in &layout.partition {
            if matches!(key.kind.plain(), SqlType::Float32 | SqlType::Float64) {
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
        let core = Arc::new(Core {
            layout,
            settings,
            store,
            manifest,
            name: RwLock::new(format!("{}.{}", definition.database, definition.name)),
            pinned: Mutex::default(),
            merging: Mutex::default(),
            loading: Mutex::default(),
            sweeper: gc::Sweeper::default(),
            wake: Arc::default(),
            merge_end: Arc::default(),
            stop: CancellationToken::new(),
            background: Mutex::new(None),
            environment,
        });
        if core.environment.options.background {
            let task = Task::on(
                &runtime::cpu(),
                merge::background::run(Arc::downgrade(&core), core.wake.clone(), core.stop.clone()),
            );
            *core.background.lock() = Some(task);
        }
        Ok(Arc::new(MergeTree { definition, core }))
    }

    pub fn core(&self) -> &Arc<Core> {
        &self.core
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
        let state = self.core.pin(context).await?;
        Ok(Arc::new(MergeTreeProvider::new(self.core.clone(), state, context.clone())))
    }

    async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Ok(Arc::new(InsertWriter::open(self.core.clone(), context).await?))
    }

    fn keeps_load_ledger(&self) -> bool {
        true
    }

    async fn begin_load(&self, context: &Arc<QueryContext>, request: &LoadRequest) -> Result<Arc<dyn TableLoad>> {
        Ok(Arc::new(load::LoadHandle(load::Load::begin(&self.core, context, request).await?)))
    }

    fn load_ledger(&self) -> Vec<LedgerRow> {
        self.core.manifest.current().ledger.rows()
    }

    async fn drop_load_ledger(&self, context: &Arc<QueryContext>, load_id: Option<&str>) -> Result<()> {
        load::forget(&self.core, context, load_id).await
    }

    async fn truncate(&self, context: &Arc<QueryContext>) -> Result<()> {
        self.remove_parts(context, |_| true).await
    }

    fn partition_key(&self) -> Option<Vec<SqlType>> {
        Some(self.core.layout.partition.iter().map(|key| key.kind.clone()).collect())
    }

    async fn drop_partitions(&self, context: &Arc<QueryContext>, partitions: &[PartitionChoice]) -> Result<()> {
        let ids = partitions.iter().map(|choice| partition::chosen_id(&self.core.layout, choice));
        // `None` among them is every partition.
        let ids: Option<HashSet<String>> = ids.collect::<Result<Option<_>>>()?;
        self.remove_parts(context, |part| ids.as_ref().is_none_or(|ids| ids.contains(&part.partition_id))).await
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
        for part in state.parts.values() {
            self.core.environment.parts.remove(&self.core.store.location(&part.key));
        }
        for prefix in ["parts/", "manifest/"] {
            self.core.store.delete_prefix(&context, prefix).await?;
        }
        self.core.store.remove_folder().await;
        Ok(())
    }

    async fn optimize(&self, context: &Arc<QueryContext>, request: OptimizeRequest) -> Result<()> {
        merge::optimize(&self.core, context, &request).await
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        *self.core.name.write() = format!("{}.{}", definition.database, definition.name);
        Ok(Arc::new(MergeTree { definition, core: self.core.clone() }))
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.core.manifest.current().rows)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.core.manifest.current().bytes)
    }

    fn parts(&self) -> Vec<PartRow> {
        let state = self.core.manifest.current();
        let live = state.parts.values().map(|part| self.part_row(part, None));
        let removed = state.removed.iter().filter(|removed| !self.core.sweeper.is_gone(&removed.part.key));
        live.chain(removed.map(|removed| self.part_row(&removed.part, Some(removed.removed_ms)))).collect()
    }

    fn data_paths(&self) -> Vec<String> {
        vec![self.core.store.location("")]
    }
}

impl MergeTree {
    fn part_row(&self, part: &PartEntry, removed_ms: Option<u64>) -> PartRow {
        let columns = self.core.opened(part).map(|open| {
            let columns = open.header.columns.iter();
            columns.map(|column| (column.name.clone(), column.compressed_bytes, column.uncompressed_bytes)).collect()
        });
        PartRow {
            partition: part.partition.clone(),
            partition_id: part.partition_id.clone(),
            name: part.name.clone(),
            active: removed_ms.is_none(),
            marks: part.granules,
            rows: part.rows,
            bytes_on_disk: part.bytes,
            data_compressed_bytes: part.tail_offset,
            data_uncompressed_bytes: part.uncompressed_bytes,
            primary_key_bytes: part.index_bytes,
            modification_time: part.created_ms / 1000,
            remove_time: removed_ms.unwrap_or_default() / 1000,
            min_block_number: part.min_block,
            max_block_number: part.max_block,
            level: part.level,
            path: self.core.store.location(&part.key),
            columns: columns.unwrap_or_default(),
        }
    }
}
