//! The catalog: databases and the tables in them, and every change of that.
//!
//! Readers look at an in-memory map under a short lock and never wait for a statement that changes it. A change (DDL)
//! takes the names it concerns (`ddl_locks.rs`), checks, writes its metadata (`metadata_store.rs`, whose put decides), and
//! only then changes the map. So a crash at any moment leaves the old state or the new one. The last two steps are one
//! task that goes on when the statement's own future is dropped: a client that hangs up cannot part map and metadata.
//!
//! Data and metadata: before a table's data is begun, and in the same change in which a table leaves the catalog, the
//! store gets a note that this data has no owner. Data under such a note is removed when no statement holds the table
//! any more, or at the next start; a running query keeps reading a table that was dropped under it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::settings::nearest;
use gristmill_types::sql_type::quote_identifier;
use parking_lot::{Mutex, RwLock};
use uuid::Uuid;

use crate::ddl_locks::{DdlGuard, DdlLocks};
use crate::definition::TableDefinition;
use crate::metadata_store::{Change, Key, MetadataStore, Record};
use crate::table::Table;

/// Tables that are opened at once at start.
const OPEN_CONCURRENCY: usize = 16;
/// How often it is looked whether a dropped table is still read.
const PURGE_INTERVAL: Duration = Duration::from_millis(500);

/// Makes a table of a definition: the engines are known to who opens the catalog.
#[async_trait]
pub trait TableOpener: Send + Sync + fmt::Debug {
    /// `existing`: the data was begun before, by an earlier call with the same definition. Else it is new.
    async fn open(&self, definition: Arc<TableDefinition>, existing: bool) -> Result<Arc<dyn Table>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseInfo {
    pub name: String,
    pub uuid: Uuid,
    pub comment: String,
    /// `system` and `information_schema`: made at start, not kept, not dropped.
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
    /// DETACH: the metadata stays, nobody sees the table.
    Detached(Arc<TableDefinition>),
    /// Could not be opened at start; the others were. It can be dropped, and it is tried again when it is attached.
    Broken(Arc<TableDefinition>, Error),
}

impl Slot {
    fn definition(&self) -> Arc<TableDefinition> {
        match self {
            Slot::Open(table) => table.definition(),
            Slot::Detached(definition) | Slot::Broken(definition, _) => definition.clone(),
        }
    }
}

#[derive(Debug)]
struct Database {
    info: Arc<DatabaseInfo>,
    tables: BTreeMap<String, Slot>,
}

type State = BTreeMap<String, Database>;

pub struct Databases {
    store: MetadataStore,
    opener: Arc<dyn TableOpener>,
    state: RwLock<State>,
    locks: DdlLocks,
    /// Tables that left the catalog and whose data waits for its last reader.
    condemned: Mutex<Vec<Arc<dyn Table>>>,
    purger: Mutex<Option<Task<()>>>,
    this: Weak<Databases>,
}

impl fmt::Debug for Databases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Databases").field("names", &self.database_names()).finish_non_exhaustive()
    }
}

impl Databases {
    /// Loads the catalog, opens its tables and removes data that has no owner. At the first start makes `default`.
    pub async fn open(store: MetadataStore, opener: Arc<dyn TableOpener>) -> Result<Arc<Databases>> {
        let loaded = store.load().await?;
        let mut state: State = BTreeMap::new();
        for info in loaded.databases {
            state.insert(info.name.clone(), Database { info: Arc::new(info), tables: BTreeMap::new() });
        }
        let mut opened = futures::stream::iter(loaded.tables.into_iter().map(|definition| {
            let (definition, opener) = (Arc::new(definition), opener.clone());
            async move {
                let slot = match opener.open(definition.clone(), true).await {
                    Ok(table) => Slot::Open(table),
                    Err(error) => {
                        tracing::error!("Cannot open table {}: {error}", full_name(&definition.database, &definition.name));
                        Slot::Broken(definition.clone(), error)
                    }
                };
                (definition, slot)
            }
        }))
        .buffer_unordered(OPEN_CONCURRENCY);
        while let Some((definition, slot)) = opened.next().await {
            let database = state.get_mut(&definition.database).ok_or_else(|| {
                let name = full_name(&definition.database, &definition.name);
                Error::new(ErrorCode::CORRUPTED_DATA, format!("The metadata has table {name}, but not its database"))
            })?;
            database.tables.insert(definition.name.clone(), slot);
        }
        drop(opened);

        let databases = Arc::new_cyclic(|this| Databases {
            store,
            opener,
            state: RwLock::new(state),
            locks: DdlLocks::default(),
            condemned: Mutex::default(),
            purger: Mutex::default(),
            this: this.clone(),
        });
        if loaded.fresh {
            databases.create_database("default", true, "").await?;
        }
        for definition in loaded.unowned {
            databases.remove_leftover(Arc::new(definition)).await;
        }
        Ok(databases)
    }

    pub fn database_names(&self) -> Vec<String> {
        self.state.read().keys().cloned().collect()
    }

    /// Errors: UNKNOWN_DATABASE, with the nearest name.
    pub fn database(&self, name: &str) -> Result<Arc<DatabaseInfo>> {
        let state = self.state.read();
        Ok(find_database(&state, name)?.info.clone())
    }

    /// Errors: UNKNOWN_DATABASE, UNKNOWN_TABLE, with the nearest name; or why the table could not be opened.
    pub fn table(&self, database: &str, name: &str) -> Result<Arc<dyn Table>> {
        let state = self.state.read();
        match find_database(&state, database)?.tables.get(name) {
            Some(Slot::Open(table)) => Ok(table.clone()),
            Some(Slot::Broken(_, error)) => {
                Err(error.clone().with_context(format!("when table {} was opened", full_name(database, name))))
            }
            Some(Slot::Detached(_)) | None => Err(unknown_table(&state, database, name)),
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
                Slot::Detached(_) | Slot::Broken(..) => None,
            })
            .collect()
    }

    /// Puts a table that is made anew at each start into the database its definition names, such as `system`.
    pub fn register_system(&self, table: Arc<dyn Table>) {
        let definition = table.definition();
        let mut state = self.state.write();
        let database = state.entry(definition.database.clone()).or_insert_with(|| Database {
            info: Arc::new(DatabaseInfo {
                name: definition.database.clone(),
                uuid: Uuid::nil(),
                comment: String::new(),
                system: true,
            }),
            tables: BTreeMap::new(),
        });
        database.tables.insert(definition.name.clone(), Slot::Open(table));
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
        let info =
            DatabaseInfo { name: name.to_string(), uuid: Uuid::new_v4(), comment: comment.to_string(), system: false };
        let change = Change { put: vec![Record::Database(info.clone())], delete: vec![] };
        self.commit(guard, change, move |state| {
            state.insert(info.name.clone(), Database { info: Arc::new(info), tables: BTreeMap::new() });
            vec![]
        })
        .await
    }

    /// Drops a database with all its tables.
    pub async fn drop_database(&self, name: &str, if_exists: bool) -> Result<()> {
        let guard = self.locks.database(name).await;
        let slots: Vec<Slot> = {
            let state = self.state.read();
            let database = match find_database(&state, name) {
                Ok(database) => database,
                Err(_) if if_exists => return Ok(()),
                Err(error) => return Err(error),
            };
            if database.info.system {
                return Err(read_only(name, "dropped"));
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

    /// Makes a table and gives it; with `if_not_exists` the one that is there. `or_replace` puts it in the place of the
    /// one that is there, at once.
    pub async fn create_table(
        &self,
        definition: TableDefinition,
        if_not_exists: bool,
        or_replace: bool,
    ) -> Result<Arc<dyn Table>> {
        let definition = Arc::new(definition);
        let (database, name) = (&definition.database, &definition.name);
        let guard = self.locks.tables(&[(database, name)]).await;
        let old = {
            let state = self.state.read();
            let database = writable_database(&state, database)?;
            database.tables.get(name).cloned()
        };
        match &old {
            Some(Slot::Open(table)) if if_not_exists => return Ok(table.clone()),
            Some(_) if !or_replace => return Err(table_exists(database, name)),
            _ => {}
        }
        let this = self.this()?;
        let note = Change { put: vec![Record::Unowned((*definition).clone())], delete: vec![] };
        uninterrupted(async move { this.store.apply(note).await }).await?;
        let table = match self.opener.open(definition.clone(), false).await {
            Ok(table) => table,
            Err(error) => {
                self.remove_leftover(definition).await;
                return Err(error);
            }
        };
        let mut change =
            Change { put: vec![Record::Table((*definition).clone())], delete: vec![Key::Unowned(definition.uuid)] };
        if let Some(old) = &old {
            let old = old.definition();
            change.put.push(Record::Unowned((*old).clone()));
            change.delete.push(Key::Table(database.clone(), old.uuid));
        }
        drop(old);
        let (made, place) = (table.clone(), definition.clone());
        let committed = self.commit(guard, change, move |state| {
            put_slot(state, (&place.database, &place.name), Slot::Open(made)).into_iter().collect()
        });
        if let Err(error) = committed.await {
            self.remove_leftover(definition).await;
            return Err(error);
        }
        Ok(table)
    }

    pub async fn drop_table(&self, database: &str, name: &str, if_exists: bool) -> Result<()> {
        let guard = self.locks.tables(&[(database, name)]).await;
        let slot = {
            let state = self.state.read();
            let found = writable_database(&state, database)
                .and_then(|found| found.tables.get(name).ok_or_else(|| unknown_table(&state, database, name)));
            match found {
                Ok(slot) => slot.clone(),
                Err(error) if if_exists && missing(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        };
        let definition = slot.definition();
        let change = Change {
            put: vec![Record::Unowned((*definition).clone())],
            delete: vec![Key::Table(database.to_string(), definition.uuid)],
        };
        drop(slot);
        self.commit(guard, change, move |state| {
            take_slot(state, (&definition.database, &definition.name)).into_iter().collect()
        })
        .await
    }

    /// RENAME TABLE: names are (database, table).
    pub async fn rename_table(&self, from: (&str, &str), to: (&str, &str)) -> Result<()> {
        let guard = self.locks.tables(&[from, to]).await;
        let table = self.writable_table(from)?;
        {
            let state = self.state.read();
            if writable_database(&state, to.0)?.tables.contains_key(to.1) {
                return Err(table_exists(to.0, to.1));
            }
        }
        let moved = renamed(&table, to)?;
        let definition = moved.definition();
        let delete = match from.0 == to.0 {
            true => vec![],
            false => vec![Key::Table(from.0.to_string(), definition.uuid)],
        };
        let change = Change { put: vec![Record::Table((*definition).clone())], delete };
        let from = owned(from);
        self.commit(guard, change, move |state| {
            take_slot(state, (&from.0, &from.1));
            put_slot(state, (&definition.database, &definition.name), Slot::Open(moved));
            vec![]
        })
        .await
    }

    /// EXCHANGE TABLES a AND b: both names change hands at once.
    pub async fn exchange_tables(&self, a: (&str, &str), b: (&str, &str)) -> Result<()> {
        if a == b {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "EXCHANGE TABLES needs two different tables"));
        }
        let guard = self.locks.tables(&[a, b]).await;
        let (at_b, at_a) = (renamed(&self.writable_table(a)?, b)?, renamed(&self.writable_table(b)?, a)?);
        let mut change = Change::default();
        for (table, old_database) in [(&at_b, a.0), (&at_a, b.0)] {
            let definition = table.definition();
            if definition.database != old_database {
                change.delete.push(Key::Table(old_database.to_string(), definition.uuid));
            }
            change.put.push(Record::Table((*definition).clone()));
        }
        let (a, b) = (owned(a), owned(b));
        self.commit(guard, change, move |state| {
            put_slot(state, (&a.0, &a.1), Slot::Open(at_a));
            put_slot(state, (&b.0, &b.1), Slot::Open(at_b));
            vec![]
        })
        .await
    }

    /// Puts a table with a changed definition (ALTER) in the place of the one of the same uuid.
    pub async fn alter_table(&self, table: Arc<dyn Table>) -> Result<()> {
        let definition = table.definition();
        let name = (definition.database.as_str(), definition.name.as_str());
        let guard = self.locks.tables(&[name]).await;
        let current = self.writable_table(name)?.definition().uuid;
        if current != definition.uuid {
            return Err(Error::new(
                ErrorCode::UNKNOWN_TABLE,
                format!("Table {} was replaced while it was altered: try again", full_name(name.0, name.1)),
            ));
        }
        let change = Change { put: vec![Record::Table((*definition).clone())], delete: vec![] };
        self.commit(guard, change, move |state| {
            put_slot(state, (&definition.database, &definition.name), Slot::Open(table));
            vec![]
        })
        .await
    }

    /// Hides a table until it is attached or the server starts again. Its data and metadata stay.
    pub async fn detach_table(&self, database: &str, name: &str) -> Result<()> {
        let _guard = self.locks.tables(&[(database, name)]).await;
        let table = self.writable_table((database, name))?;
        put_slot(&mut self.state.write(), (database, name), Slot::Detached(table.definition()));
        Ok(())
    }

    /// Opens a detached table, or one that could not be opened at start, again.
    pub async fn attach_table(&self, database: &str, name: &str) -> Result<()> {
        let _guard = self.locks.tables(&[(database, name)]).await;
        let slot = {
            let state = self.state.read();
            writable_database(&state, database)?.tables.get(name).cloned()
        };
        let definition = match slot {
            Some(Slot::Detached(definition) | Slot::Broken(definition, _)) => definition,
            Some(Slot::Open(_)) => return Err(table_exists(database, name)),
            None => return Err(unknown_table(&self.state.read(), database, name)),
        };
        let table = self.opener.open(definition, true).await?;
        put_slot(&mut self.state.write(), (database, name), Slot::Open(table));
        Ok(())
    }

    /// Removes the data of dropped tables that nobody holds any more; gives how many are still held.
    pub async fn purge_dropped(&self) -> usize {
        let condemned = std::mem::take(&mut *self.condemned.lock());
        // Ours is the last reference: no statement can get at the table again.
        let (free, held): (Vec<_>, Vec<_>) = condemned.into_iter().partition(|table| Arc::strong_count(table) == 1);
        let held_count = held.len();
        self.condemned.lock().extend(held);
        for table in free {
            self.remove_data(table).await;
        }
        held_count
    }

    async fn condemn(&self, slots: Vec<Slot>) {
        for slot in slots {
            match slot {
                Slot::Open(table) => self.condemned.lock().push(table),
                Slot::Detached(definition) | Slot::Broken(definition, _) => self.remove_leftover(definition).await,
            }
        }
        if self.purge_dropped().await > 0 {
            self.purge_later();
        }
    }

    fn purge_later(&self) {
        let mut purger = self.purger.lock();
        if purger.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        let this = self.this.clone();
        *purger = Some(Task::on(&runtime::io(), async move {
            loop {
                tokio::time::sleep(PURGE_INTERVAL).await;
                let Some(databases) = this.upgrade() else { return };
                if databases.purge_dropped().await == 0 {
                    return;
                }
            }
        }));
    }

    /// Removes data by its definition alone. What fails is tried again at the next start.
    async fn remove_leftover(&self, definition: Arc<TableDefinition>) {
        match self.opener.open(definition.clone(), true).await {
            Ok(table) => self.remove_data(table).await,
            Err(error) => {
                let name = full_name(&definition.database, &definition.name);
                tracing::warn!("Cannot open the data left by table {name} (uuid {}): {error}", definition.uuid);
            }
        }
    }

    async fn remove_data(&self, table: Arc<dyn Table>) {
        let definition = table.definition();
        let result = async {
            table.drop_data().await.context(|| "while removing its data".to_string())?;
            self.store.apply(Change { put: vec![], delete: vec![Key::Unowned(definition.uuid)] }).await
        };
        if let Err(error) = result.await {
            let name = full_name(&definition.database, &definition.name);
            tracing::warn!(
                "Data of the dropped table {name} (uuid {}) stays until the next start: {error}",
                definition.uuid
            );
        }
    }

    fn writable_table(&self, (database, name): (&str, &str)) -> Result<Arc<dyn Table>> {
        writable_database(&self.state.read(), database)?;
        self.table(database, name)
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

/// Runs on when the caller is dropped. The only tasks without an owner: each is a few small writes long.
async fn uninterrupted(work: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
    let done = runtime::io().spawn(work).await;
    done.unwrap_or_else(|error| Err(Error::logical(format!("A change of the catalog panicked: {error}"))))
}

fn owned((database, name): (&str, &str)) -> (String, String) {
    (database.to_string(), name.to_string())
}

/// Gives what was there.
fn put_slot(state: &mut State, (database, name): (&str, &str), slot: Slot) -> Option<Slot> {
    // The DDL lock on the name holds the database in place.
    state.get_mut(database)?.tables.insert(name.to_string(), slot)
}

fn take_slot(state: &mut State, (database, name): (&str, &str)) -> Option<Slot> {
    state.get_mut(database)?.tables.remove(name)
}

fn renamed(table: &Arc<dyn Table>, (database, name): (&str, &str)) -> Result<Arc<dyn Table>> {
    let mut definition = (*table.definition()).clone();
    definition.database = database.to_string();
    definition.name = name.to_string();
    table.renamed(Arc::new(definition))
}

/// `database.table`, quoted where it must be.
pub fn full_name(database: &str, name: &str) -> String {
    format!("{}.{}", quote_identifier(database), quote_identifier(name))
}

fn missing(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::UNKNOWN_TABLE | ErrorCode::UNKNOWN_DATABASE)
}

fn find_database<'a>(state: &'a State, name: &str) -> Result<&'a Database> {
    state.get(name).ok_or_else(|| {
        let near = nearest(name, state.keys().map(String::as_str));
        let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant {}?", quote_identifier(near)));
        Error::new(ErrorCode::UNKNOWN_DATABASE, format!("Database {} does not exist{hint}", quote_identifier(name)))
    })
}

fn writable_database<'a>(state: &'a State, name: &str) -> Result<&'a Database> {
    let database = find_database(state, name)?;
    if database.info.system { Err(read_only(name, "changed")) } else { Ok(database) }
}

fn read_only(database: &str, what: &str) -> Error {
    Error::new(
        ErrorCode::READONLY,
        format!("Database {} is the server's own and cannot be {what}", quote_identifier(database)),
    )
}

fn table_exists(database: &str, name: &str) -> Error {
    Error::new(ErrorCode::TABLE_ALREADY_EXISTS, format!("Table {} already exists", full_name(database, name)))
}

/// Names the nearest table of the same database, else a table of that very name elsewhere.
fn unknown_table(state: &State, database: &str, name: &str) -> Error {
    let here = state
        .get(database)
        .and_then(|found| nearest(name, found.tables.keys().map(String::as_str)).map(|near| full_name(database, near)));
    let near = here.filter(|near| *near != full_name(database, name)).or_else(|| {
        state.iter().find(|(_, other)| other.tables.contains_key(name)).map(|(other, _)| full_name(other, name))
    });
    let hint = near
        .filter(|near| *near != full_name(database, name))
        .map_or_else(String::new, |near| format!(". Maybe you meant {near}?"));
    Error::new(ErrorCode::UNKNOWN_TABLE, format!("Table {} does not exist{hint}", full_name(database, name)))
}

#[cfg(test)]
mod tests;
