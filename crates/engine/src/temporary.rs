//! Temporary tables: those of one session, which nobody else sees and which go with it.
//!
//! They are a catalog of their own in memory, with one database whose name no other catalog has. A name without a database
//! means a temporary table first, as in ClickHouse; statements look a table up in the catalog that its database belongs to
//! (`Interpreter::databases`). Rows of a MergeTree lie in memory, too.

use std::sync::{Arc, OnceLock};

use gristmill_base::{Result, runtime};
use gristmill_catalog::{Databases, MetadataStore};
pub use gristmill_sql::create::TEMPORARY_DATABASE;

use crate::engine::Engine;

/// The temporary tables of a session, shared by its clones.
#[derive(Clone, Default)]
pub struct TemporaryTables(Arc<Held>);

#[derive(Default)]
struct Held(OnceLock<Arc<Databases>>);

impl TemporaryTables {
    /// The catalog, which the first temporary table makes.
    pub(crate) fn known(&self) -> Option<&Arc<Databases>> {
        self.0.0.get()
    }

    /// The catalog, made if there is none yet. A session runs one statement at a time.
    pub(crate) async fn made(&self, engine: &Engine) -> Result<&Arc<Databases>> {
        if self.known().is_none() {
            let databases = Databases::open(MetadataStore::memory(), engine.opener.clone()).await?;
            databases.create_database(TEMPORARY_DATABASE, true, "").await?;
            let _ = self.0.0.set(databases);
        }
        self.known().ok_or_else(|| gristmill_base::Error::logical("A catalog that was made is not there"))
    }

    /// Whether a name without a database means one of them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.known().is_some_and(|databases| databases.has_table(TEMPORARY_DATABASE, name))
    }
}

impl Drop for Held {
    /// Ends the tables' background work; queries that still read them hold their rows.
    fn drop(&mut self) {
        let Some(databases) = self.0.take() else { return };
        runtime::io().spawn(async move {
            for table in databases.tables(TEMPORARY_DATABASE) {
                table.shutdown().await;
            }
        });
    }
}
