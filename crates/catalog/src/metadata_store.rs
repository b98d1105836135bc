//! Where definitions of databases and tables last: one small JSON object each, in any object store.
//!
//! | Object | Holds |
//! |---|---|
//! | `metadata/v1/<database>/database.json` | a database |
//! | `metadata/v1/<database>/<uuid>.json` | a table |
//! | `metadata/v1-unowned/<uuid>.json` | a table whose data is there though no table owns it: half created, or dropped, with the time until which UNDROP may bring it back |
//! | `metadata/v1-intent/intent.json` | a change of several objects that is decided and not yet carried out |
//!
//! A change of one object is one put, and a put is atomic. A change of several (drop, exchange, rename into another
//! database, CREATE OR REPLACE) is first written down whole as the intent; that put decides it. Then the objects are
//! changed and the intent is removed. A crash in between leaves the intent, and `load` carries it out again: every step
//! of it is idempotent. No other change begins before the intent is carried out, so an old one never undoes a newer. Alternatives rejected: a single object with the whole catalog (every DDL rewrites all of it, and
//! servers that share a bucket would collide on it), and a log (needs compaction for what is a few kilobytes).
//!
//! What must last survives power loss (I-1): see `durable.rs`.

mod durable;
mod v1;

use std::path::Path as FsPath;
use std::sync::Arc;

use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use object_store::memory::InMemory;
use object_store::path::{Path, PathPart};
use object_store::{ObjectStore, ObjectStoreExt, PutMode};
use percent_encoding::percent_decode_str;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::databases::DatabaseInfo;
use crate::definition::TableDefinition;
use durable::Durable;
pub use durable::make_private;

/// Objects that are read at once when a catalog is loaded.
const LOAD_CONCURRENCY: usize = 32;
const ROOT: &str = "metadata";
const VERSION: &str = "v1";
const UNOWNED: &str = "v1-unowned";
const INTENT: &str = "v1-intent";

/// One object of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Database(DatabaseInfo),
    Table(TableDefinition),
    /// DETACH … PERMANENTLY: an object of a table, which is not opened.
    Detached(TableDefinition),
    /// Data without a table: removed when nobody reads it any more, at the latest at the next start.
    Unowned(TableDefinition),
    /// Data of a dropped table that UNDROP may bring back, until so many milliseconds since 1970.
    Dropped(TableDefinition, u64),
}

/// The name of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Database(String),
    Table(String, Uuid),
    Unowned(Uuid),
}

/// Objects to write and to remove, all or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub put: Vec<Record>,
    pub delete: Vec<Key>,
}

/// What a store holds.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Nothing was ever written here.
    pub fresh: bool,
    pub databases: Vec<DatabaseInfo>,
    pub tables: Vec<TableDefinition>,
    pub detached: Vec<TableDefinition>,
    pub unowned: Vec<TableDefinition>,
    pub dropped: Vec<(TableDefinition, u64)>,
    pub damaged: Vec<Damaged>,
}

/// An object that cannot be read, while the others can.
#[derive(Debug)]
pub struct Damaged {
    pub database: String,
    /// `None`: it is the database's own.
    pub table: Option<Uuid>,
    pub error: Error,
}

#[derive(Debug)]
pub struct MetadataStore {
    objects: Durable,
    /// A change that is decided and could not be carried out yet. Held while a change is applied.
    pending: Mutex<Option<Change>>,
}

impl Record {
    pub fn key(&self) -> Key {
        match self {
            Record::Database(database) => Key::Database(database.name.clone()),
            Record::Table(table) | Record::Detached(table) => Key::Table(table.database.clone(), table.uuid),
            Record::Unowned(table) | Record::Dropped(table, _) => Key::Unowned(table.uuid),
        }
    }
}

impl Key {
    pub(crate) fn path(&self) -> Path {
        let (folder, file) = match self {
            Key::Database(name) => (folder_of(name), "database.json".to_string()),
            Key::Table(database, uuid) => (folder_of(database), format!("{uuid}.json")),
            Key::Unowned(uuid) => (Path::from_iter([ROOT, UNOWNED]), format!("{uuid}.json")),
        };
        folder.join(file)
    }
}

/// A database's folder. `PathPart` escapes what file systems and stores cannot have in a name.
fn folder_of(database: &str) -> Path {
    Path::from_iter([PathPart::from(ROOT), PathPart::from(VERSION), PathPart::from(database)])
}

fn intent_path() -> Path {
    Path::from_iter([ROOT, INTENT, "intent.json"])
}

impl MetadataStore {
    /// Lasts as long as the value: for engines without a data path, and for tests.
    pub fn memory() -> Self {
        Self::on(Arc::new(InMemory::new()))
    }

    /// On any store that has put-if-absent.
    pub fn on(store: Arc<dyn ObjectStore>) -> Self {
        MetadataStore { objects: Durable::remote(store), pending: Mutex::default() }
    }

    /// Under a folder of this machine, which is made if missing and belongs to this process until the store is dropped.
    pub fn local(data_path: &FsPath) -> Result<Self> {
        Ok(MetadataStore { objects: Durable::local(data_path)?, pending: Mutex::default() })
    }

    /// Where a table's object lies, relative to the data path: `metadata_path` of `system.tables`.
    pub fn table_path(definition: &TableDefinition) -> String {
        Key::Table(definition.database.clone(), definition.uuid).path().to_string()
    }

    /// Carries out intents that a crash left behind and reads everything. Errors: where an intent is damaged, or an object of
    /// data without a table (nobody would know whose data it is), or where a newer program wrote one.
    pub async fn load(&self) -> Result<Loaded> {
        self.refuse_newer_layout().await?;
        let mut pending = self.pending.lock().await;
        for (path, bytes) in self.read_all(&Path::from_iter([ROOT, INTENT])).await? {
            *pending = Some(v1::read_intent(&bytes).context(|| format!("while reading {path}"))?);
        }
        self.carry_out(&mut pending).await?;
        drop(pending);

        let mut loaded = Loaded { fresh: true, ..Loaded::default() };
        for folder in [VERSION, UNOWNED] {
            for (path, bytes) in self.read_all(&Path::from_iter([ROOT, folder])).await? {
                loaded.fresh = false;
                match v1::read(&bytes, folder == UNOWNED).context(|| format!("while reading {path}")) {
                    Ok(Record::Database(database)) => loaded.databases.push(database),
                    Ok(Record::Table(table)) => loaded.tables.push(table),
                    Ok(Record::Detached(table)) => loaded.detached.push(table),
                    Ok(Record::Unowned(table)) => loaded.unowned.push(table),
                    Ok(Record::Dropped(table, until_ms)) => loaded.dropped.push((table, until_ms)),
                    Err(error) if error.code() == ErrorCode::NOT_IMPLEMENTED => return Err(error),
                    Err(error) => loaded.damaged.push(damaged(&path, error)?),
                }
            }
        }
        Ok(loaded)
    }

    /// Makes a change. When this returns, the change is decided and survives power loss; on an error nothing changed.
    pub async fn apply(&self, change: Change) -> Result<()> {
        let mut pending = self.pending.lock().await;
        self.carry_out(&mut pending).await.context(|| "while finishing an earlier change of the catalog".to_string())?;
        match (&change.put[..], &change.delete[..]) {
            ([], []) => Ok(()),
            ([record], []) => self.objects.put(&record.key().path(), v1::write(record)?, PutMode::Overwrite).await,
            ([], [key]) => self.objects.delete(&key.path()).await,
            _ => {
                self.objects.put(&intent_path(), v1::write_intent(&change)?, PutMode::Create).await?;
                *pending = Some(change);
                // The change is decided: a failure from here on delays it and does not undo it.
                if let Err(error) = self.carry_out(&mut pending).await {
                    tracing::error!("A change of the catalog is decided and will be finished later: {error}");
                }
                Ok(())
            }
        }
    }

    async fn carry_out(&self, pending: &mut Option<Change>) -> Result<()> {
        let Some(change) = pending else { return Ok(()) };
        for record in &change.put {
            self.objects.put(&record.key().path(), v1::write(record)?, PutMode::Overwrite).await?;
        }
        for key in &change.delete {
            self.objects.delete(&key.path()).await?;
        }
        self.objects.delete(&intent_path()).await?;
        *pending = None;
        Ok(())
    }

    async fn read_all(&self, prefix: &Path) -> Result<Vec<(Path, Vec<u8>)>> {
        let store = self.objects.store();
        store
            .list(Some(prefix))
            .map_err(|error| failed("list", prefix, error))
            .try_filter(|object| futures::future::ready(object.location.as_ref().ends_with(".json")))
            .map_ok(|object| async move {
                let path = object.location;
                let bytes = match store.get(&path).await {
                    Ok(object) => object.bytes().await,
                    Err(error) => Err(error),
                };
                match bytes {
                    Ok(bytes) => Ok((path, bytes.to_vec())),
                    Err(error) => Err(failed("read", &path, error)),
                }
            })
            .try_buffer_unordered(LOAD_CONCURRENCY)
            .try_collect()
            .await
    }

    /// A folder of a later layout beside ours means that a newer release worked here: to start from what v1 still says
    /// would bring back old tables.
    async fn refuse_newer_layout(&self) -> Result<()> {
        let root = Path::from(ROOT);
        let listing =
            self.objects.store().list_with_delimiter(Some(&root)).await.map_err(|error| failed("list", &root, error))?;
        for prefix in listing.common_prefixes {
            let name = prefix.filename().unwrap_or("");
            if name != VERSION && name.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok()) {
                return Err(v1::newer(name));
            }
        }
        Ok(())
    }
}

/// Errors: `error` itself where the path does not say whose object it is.
fn damaged(path: &Path, error: Error) -> Result<Damaged> {
    let parts: Vec<_> = path.parts().collect();
    let [_, version, database, file] = &parts[..] else { return Err(error) };
    if version.as_ref() != VERSION {
        return Err(error);
    }
    let database = percent_decode_str(database.as_ref()).decode_utf8_lossy().into_owned();
    let table = file.as_ref().strip_suffix(".json").and_then(|name| name.parse().ok());
    Ok(Damaged { database, table, error })
}

fn failed(what: &str, path: &Path, error: object_store::Error) -> Error {
    let code = match &error {
        object_store::Error::NotFound { .. } => ErrorCode::FILE_DOESNT_EXIST,
        object_store::Error::PermissionDenied { .. } => ErrorCode::PATH_ACCESS_DENIED,
        _ => ErrorCode::STD_EXCEPTION,
    };
    Error::new(code, format!("Cannot {what} the metadata object {path}: {error}"))
}

#[cfg(test)]
mod tests;
