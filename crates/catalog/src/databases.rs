//! The catalog: databases and the tables in them, and every change of that.
//!
//! Readers look at an in-memory map under a short lock and never wait for a statement that changes it. A change (DDL)
//! takes the names it concerns (`ddl_locks.rs`), checks, writes its metadata (`metadata_store.rs`, whose put decides), and
//! only then changes the map. So a crash at any moment leaves the old state or the new one. The last two steps are one
//! task that goes on when the statement's own future is dropped: a client that hangs up cannot part map and metadata.
//!
//! Data and metadata: before a table's data is begun, and in the same change in which a table leaves the catalog, the
//! store gets a note that this data has no owner. Data under such a note is removed when no statement holds the table
//! any more, or at the next start; a running query keeps reading a table that was dropped under it (`dropped`).

mod detached;
mod dropped;
mod errors;
mod moved;
mod tables;
mod undrop;
mod views;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use futures::StreamExt;
use gristmill_base::runtime::{self, Task};
use gristmill_base::spending::{Spending, Wait};
use gristmill_base::{Error, ErrorCode, Result, allocations};
use gristmill_types::sql_type::quote_identifier;
use parking_lot::{Mutex, RwLock};
use uuid::Uuid;

use self::detached::Away;
pub use self::errors::Sees;
use self::errors::{NOTHING, find_database, read_only, unknown_table};
pub use self::undrop::DroppedTable;
use crate::ddl_locks::{DdlGuard, DdlLocks};
use crate::definition::TableDefinition;
use crate::metadata_store::{Change, Key, MetadataStore, Record};
use crate::table::Table;

/// Tables that are opened at once at start.
const OPEN_CONCURRENCY: usize = 16;

/// Makes a table of a definition: the engines are known to who opens the catalog.
#[async_trait]
pub trait TableOpener: Send + Sync + fmt::Debug {
    /// `existing`: the data was begun before, by an earlier call with the same definition. Else it is new.
    async fn open(&self, definition: Arc<TableDefinition>, existing: bool) -> Result<Arc<dyn Table>>;

    /// Whether such a table has data that is removed with it, so that what cannot be opened must not be forgotten.
    fn keeps_data(&self, _definition: &TableDefinition) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseInfo {
    pub name: String,
    pub uuid: Uuid,
    pub comment: String,
    /// `system` and `information_schema`: made at start, not kept, not dropped. Tables of `system` may be kept: the logs.
    pub system: bool,
}

impl DatabaseInfo {
    /// As `system.databases` names it.
    pub fn engine(&self) -> &'static str {
        if self.system { "Memory" } else { "Atomic" }
    }
}

/// What a name in a database stands for.
#[derive(Clone, Debug)]
enum Slot {
    Open(Arc<dyn Table>),
    /// DETACH: the metadata stays, nobody sees the table. `permanently`: not after the next start either.
    Detached {
        definition: Arc<TableDefinition>,
        permanently: bool,
    },
    /// Could not be opened at start; the others were. It can be dropped, and it is tried again when it is attached.
    Broken(Arc<TableDefinition>, Error),
}

impl Slot {
    fn definition(&self) -> Arc<TableDefinition> {
        match self {
            Slot::Open(table) => table.definition(),
            Slot::Detached { definition, .. } | Slot::Broken(definition, _) => definition.clone(),
        }
    }

    /// What the store keeps of it.
    fn record(&self) -> Record {
        let definition = self.definition().as_ref().clone();
        match self {
            Slot::Detached { permanently: true, .. } => Record::Detached(definition),
            _ => Record::Table(definition),
        }
    }
}

#[derive(Debug)]
struct Database {
    info: Arc<DatabaseInfo>,
    tables: BTreeMap<String, Slot>,
    /// Those that are made anew at each start: no statement changes them.
    own: BTreeSet<String>,
    /// Why definitions of this database cannot be read: those of tables whose names nobody knows, or its own.
    damaged: Vec<Error>,
}

impl Database {
    fn new(info: DatabaseInfo) -> Database {
        Database { info: Arc::new(info), tables: BTreeMap::new(), own: BTreeSet::new(), damaged: Vec::new() }
    }

    /// One of the server's own.
    fn system(name: &str) -> Database {
        let (name, uuid) = (name.to_string(), Uuid::nil());
        Database::new(DatabaseInfo { name, uuid, comment: String::new(), system: true })
    }
}

type State = BTreeMap<String, Database>;

pub struct Databases {
    store: MetadataStore,
    opener: Arc<dyn TableOpener>,
    state: RwLock<State>,
    /// Databases that are detached, by name.
    detached: Mutex<BTreeMap<String, Away>>,
    locks: DdlLocks,
    /// Tables that left the catalog and whose data waits for its last reader.
    condemned: Mutex<Vec<Arc<dyn Table>>>,
    /// Tables that were dropped and may be brought back, the last one last.
    dropped: Mutex<Vec<DroppedTable>>,
    /// For how many milliseconds they may.
    drop_delay_ms: AtomicU64,
    purger: Mutex<Option<Task<()>>>,
    this: Weak<Databases>,
}

impl fmt::Debug for Databases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Databases").field("names", &self.database_names()).finish_non_exhaustive()
    }
}

/// The server's own database, where its logs are.
pub const SYSTEM: &str = "system";

/// How names of tables begin that CREATE OR REPLACE … AS SELECT fills, before they get the name that they are for.
const BEING_FILLED: &str = "_tmp_replace_";

/// What a table is called while CREATE OR REPLACE … AS SELECT fills it. One that is still called so when the server starts
/// goes.
pub fn name_while_filled(uuid: Uuid) -> String {
    format!("{BEING_FILLED}{}", uuid.simple())
}

fn is_being_filled(name: &str) -> bool {
    name.strip_prefix(BEING_FILLED).is_some_and(|rest| rest.parse::<Uuid>().is_ok())
}

/// Databases whose tables tell each user what that user may see.
pub fn is_of_each_user(database: &str) -> bool {
    database == "system" || database.eq_ignore_ascii_case("information_schema")
}

impl Databases {
    /// Loads the catalog, opens its tables and removes data that has no owner. At the first start makes `default`.
    pub async fn open(store: MetadataStore, opener: Arc<dyn TableOpener>) -> Result<Arc<Databases>> {
        let loaded = store.load().await?;
        let mut state: State = BTreeMap::new();
        for info in loaded.databases {
            state.insert(info.name.clone(), Database::new(info));
        }
        // It has no object of its own; its logs have.
        if loaded.tables.iter().chain(&loaded.detached).any(|table| table.database == SYSTEM) {
            state.entry(SYSTEM.to_string()).or_insert_with(|| Database::system(SYSTEM));
        }
        for damaged in loaded.damaged {
            tracing::error!("{}", damaged.error);
            let database = match damaged.table {
                Some(_) => state.get_mut(&damaged.database),
                None => {
                    // Its tables are there: only its comment is not known.
                    let (name, uuid) = (damaged.database.clone(), Uuid::nil());
                    let info = DatabaseInfo { name, uuid, comment: String::new(), system: false };
                    Some(state.entry(damaged.database.clone()).or_insert_with(|| Database::new(info)))
                }
            };
            if let Some(database) = database {
                database.damaged.push(damaged.error);
            }
        }
        let tables = loaded.tables.into_iter().map(|definition| (definition, false));
        let tables = tables.chain(loaded.detached.into_iter().map(|definition| (definition, true)));
        let mut opened = futures::stream::iter(tables.map(|(definition, permanently)| {
            let (definition, opener) = (Arc::new(definition), opener.clone());
            async move {
                if permanently {
                    return (definition.clone(), Slot::Detached { definition, permanently });
                }
                let slot = opened(opener, definition.clone()).await;
                (definition, slot)
            }
        }))
        .buffer_unordered(OPEN_CONCURRENCY);
        while let Some((definition, slot)) = opened.next().await {
            let database = state.get_mut(&definition.database).ok_or_else(|| {
                let name = full_name(&definition.database, &definition.name);
                Error::new(ErrorCode::CORRUPTED_DATA, format!("The metadata has table {name}, but not its database"))
            })?;
            // A name may have been given anew while the definition that has it could not be read.
            if let Some(other) = database.tables.get(&definition.name) {
                let text = format!(
                    "Table {} is defined twice, by {} and by {}; the first is read",
                    full_name(&definition.database, &definition.name),
                    MetadataStore::table_path(&other.definition()),
                    MetadataStore::table_path(&definition),
                );
                tracing::error!("{text}");
                database.damaged.push(Error::new(ErrorCode::CORRUPTED_DATA, text));
                continue;
            }
            database.tables.insert(definition.name.clone(), slot);
        }
        drop(opened);

        let databases = Arc::new_cyclic(|this| Databases {
            store,
            opener,
            state: RwLock::new(state),
            detached: Mutex::default(),
            locks: DdlLocks::default(),
            condemned: Mutex::default(),
            dropped: Mutex::default(),
            drop_delay_ms: AtomicU64::new(0),
            purger: Mutex::default(),
            this: this.clone(),
        });
        if loaded.fresh {
            databases.create_database("default", true, "").await?;
        }
        for definition in loaded.unowned {
            databases.remove_leftover(Arc::new(definition)).await;
        }
        databases.keep_dropped(loaded.dropped).await;
        for (database, table) in databases.being_filled() {
            databases.drop_table(&database, &table, true).await?;
        }
        Ok(databases)
    }

    /// Tables whose statement did not come to its end before the last start.
    fn being_filled(&self) -> Vec<(String, String)> {
        let state = self.state.read();
        let of = |(database, tables): (&String, &Database)| {
            let names = tables.tables.keys().filter(|name| is_being_filled(name));
            names.map(|name| (database.clone(), name.clone())).collect::<Vec<_>>()
        };
        state.iter().flat_map(of).collect()
    }

    pub fn database_names(&self) -> Vec<String> {
        self.state.read().keys().cloned().collect()
    }

    /// Error: UNKNOWN_DATABASE.
    pub fn database(&self, name: &str) -> Result<Arc<DatabaseInfo>> {
        self.database_for(name, NOTHING)
    }

    /// Error: UNKNOWN_DATABASE, with the nearest name among those that whoever asks may know of.
    pub fn database_for(&self, name: &str, sees: Sees<'_>) -> Result<Arc<DatabaseInfo>> {
        let state = self.state.read();
        Ok(find_database(&state, name, sees)?.info.clone())
    }

    /// Errors: UNKNOWN_DATABASE, UNKNOWN_TABLE; or why the table could not be opened.
    pub fn table(&self, database: &str, name: &str) -> Result<Arc<dyn Table>> {
        self.table_for(database, name, NOTHING)
    }

    /// As `table`, with the nearest name among those that whoever asks may know of.
    pub fn table_for(&self, database: &str, name: &str, sees: Sees<'_>) -> Result<Arc<dyn Table>> {
        let state = self.state.read();
        match find_database(&state, database, sees)?.tables.get(name) {
            Some(Slot::Open(table)) => Ok(table.clone()),
            Some(Slot::Broken(_, error)) => {
                Err(error.clone().with_context(format!("when table {} was opened", full_name(database, name))))
            }
            Some(Slot::Detached { .. }) | None => Err(unknown_table(&state, database, name, sees)),
        }
    }

    pub fn has_table(&self, database: &str, name: &str) -> bool {
        self.table(database, name).is_ok()
    }

    /// The tables that can be read, by name.
    pub fn tables(&self, database: &str) -> Vec<Arc<dyn Table>> {
        let state = self.state.read();
        let Some(database) = state.get(database) else { return Vec::new() };
        database
            .tables
            .values()
            .filter_map(|slot| match slot {
                Slot::Open(table) => Some(table.clone()),
                Slot::Detached { .. } | Slot::Broken(..) => None,
            })
            .collect()
    }

    /// The tables that are detached, by database and name, and whether they are permanently.
    pub fn detached_tables(&self) -> Vec<(Arc<TableDefinition>, bool)> {
        let state = self.state.read();
        let slots = state.values().flat_map(|database| database.tables.values());
        let detached = slots.filter_map(|slot| match slot {
            Slot::Detached { definition, permanently } => Some((definition.clone(), *permanently)),
            Slot::Open(_) | Slot::Broken(..) => None,
        });
        detached.collect()
    }

    /// Whether a name is kept for a table that is detached.
    pub fn is_detached(&self, database: &str, name: &str) -> bool {
        let state = self.state.read();
        let slot = state.get(database).and_then(|database| database.tables.get(name));
        matches!(slot, Some(Slot::Detached { .. }))
    }

    /// Puts a table that is made anew at each start into the database its definition names, such as `system`.
    pub fn register_system(&self, table: Arc<dyn Table>) {
        let definition = table.definition();
        let mut state = self.state.write();
        let name = &definition.database;
        let database = state.entry(name.clone()).or_insert_with(|| Database::system(name));
        database.tables.insert(definition.name.clone(), Slot::Open(table));
        database.own.insert(definition.name.clone());
    }

    /// As `register_system`, unless a table of that name is kept there.
    pub fn register_system_unless_kept(&self, table: Arc<dyn Table>) {
        let definition = table.definition();
        let is_kept = {
            let state = self.state.read();
            state.get(&definition.database).is_some_and(|database| database.tables.contains_key(&definition.name))
        };
        if !is_kept {
            self.register_system(table);
        }
    }

    pub async fn create_database(&self, name: &str, if_not_exists: bool, comment: &str) -> Result<()> {
        if name.is_empty() {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "A database needs a name that is not empty"));
        }
        let guard = self.locks.database(name).await;
        if self.state.read().contains_key(name) {
            return match if_not_exists {
                true => Ok(()),
                false => Err(Error::new(
                    ErrorCode::DATABASE_ALREADY_EXISTS,
                    format!("Database {} already exists", quote_identifier(name)),
                )),
            };
        }
        self.check_not_detached(name)?;
        let info =
            DatabaseInfo { name: name.to_string(), uuid: Uuid::new_v4(), comment: comment.to_string(), system: false };
        let change = Change { put: vec![Record::Database(info.clone())], delete: vec![] };
        self.commit(guard, change, move |state| {
            state.insert(info.name.clone(), Database::new(info));
            vec![]
        })
        .await
    }

    /// Drops a database with all its tables.
    pub async fn drop_database(&self, name: &str, if_exists: bool) -> Result<()> {
        let guard = self.locks.database(name).await;
        let slots: Vec<Slot> = {
            let state = self.state.read();
            let database = match find_database(&state, name, NOTHING) {
                Ok(database) => database,
                Err(_) if if_exists => return Ok(()),
                Err(error) => return Err(error),
            };
            if database.info.system {
                return Err(read_only(name, "dropped"));
            }
            // The data of a table that cannot be named would stay for ever.
            if let Some(error) = database.damaged.first() {
                return Err(error.clone().with_context(format!("when database {} was dropped", quote_identifier(name))));
            }
            database.tables.values().cloned().collect()
        };
        let definitions: Vec<_> = slots.iter().map(Slot::definition).collect();
        let change = Change {
            put: definitions.iter().map(|definition| Record::Unowned((**definition).clone())).collect(),
            delete: definitions
                .iter()
                .map(|definition| Key::Table(name.to_string(), definition.uuid))
                .chain([Key::Database(name.to_string())])
                .collect(),
        };
        let name = name.to_string();
        self.commit(guard, change, move |state| {
            state.remove(&name);
            slots
        })
        .await
    }

    /// Decides a change in the store, then in the map by `then`, which gives what left the catalog. Runs to its end once
    /// begun, holding the names.
    async fn commit(
        &self,
        guard: DdlGuard,
        change: Change,
        then: impl FnOnce(&mut State) -> Vec<Slot> + Send + 'static,
    ) -> Result<()> {
        let this = self.this()?;
        uninterrupted(async move {
            this.store.apply(change).await?;
            let gone = then(&mut this.state.write());
            drop(guard);
            this.condemn(gone).await;
            Ok(())
        })
        .await
    }

    fn this(&self) -> Result<Arc<Databases>> {
        self.this.upgrade().ok_or_else(|| Error::logical("The catalog is used while it is dropped"))
    }
}

/// What a name stands for whose table is there already.
async fn opened(opener: Arc<dyn TableOpener>, definition: Arc<TableDefinition>) -> Slot {
    match opener.open(definition.clone(), true).await {
        Ok(table) => Slot::Open(table),
        Err(error) => {
            tracing::error!("Cannot open table {}: {error}", full_name(&definition.database, &definition.name));
            Slot::Broken(definition, error)
        }
    }
}

/// Runs on when the caller is dropped. The only tasks without an owner: each is a few small writes long.
async fn uninterrupted(work: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
    // A server's catalog is on its disk.
    let waiting = allocations::current().map(|tally| Spending::waiting(&tally, Wait::Disk));
    let done = runtime::io().spawn(work).await;
    drop(waiting);
    done.unwrap_or_else(|error| Err(Error::logical(format!("A change of the catalog panicked: {error}"))))
}

/// `database.table`, quoted where it must be.
pub fn full_name(database: &str, name: &str) -> String {
    format!("{}.{}", quote_identifier(database), quote_identifier(name))
}

#[cfg(test)]
mod tests;
