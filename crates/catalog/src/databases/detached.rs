//! DETACH DATABASE: nobody sees a database until it is attached again, or the server starts anew. Its metadata and its data stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::sql_type::quote_identifier;

use super::errors::{NOTHING, find_database, read_only};
use super::{Database, Databases, OPEN_CONCURRENCY, Slot, opened, uninterrupted};
use crate::definition::TableDefinition;
use crate::table::Table;

/// A database that is detached.
#[derive(Debug)]
pub(super) struct Away {
    /// With the tables alone that were detached by themselves.
    database: Database,
    /// The others.
    tables: Vec<Arc<TableDefinition>>,
}

impl Away {
    /// Beside those that have to be shut down.
    fn of(mut database: Database) -> (Away, Vec<Arc<dyn Table>>) {
        let (mut tables, mut open, mut detached) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (name, slot) in std::mem::take(&mut database.tables) {
            match slot {
                Slot::Open(table) => {
                    tables.push(table.definition());
                    open.push(table);
                }
                // Opened again, it may be whole.
                Slot::Broken(definition, _) => tables.push(definition),
                Slot::Detached { .. } => drop(detached.insert(name, slot)),
            }
        }
        database.tables = detached;
        (Away { database, tables }, open)
    }
}

fn already_exists(name: &str) -> Error {
    let text = format!("Database {} already exists", quote_identifier(name));
    Error::new(ErrorCode::DATABASE_ALREADY_EXISTS, text)
}

impl Databases {
    /// Errors: UNKNOWN_DATABASE, READONLY for the server's own.
    pub async fn detach_database(&self, name: &str, if_exists: bool) -> Result<()> {
        let guard = self.locks.database(name).await;
        {
            let state = self.state.read();
            match find_database(&state, name, NOTHING) {
                Ok(database) if database.info.system => return Err(read_only(name, "detached")),
                Ok(_) => {}
                Err(_) if if_exists => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        let (this, name) = (self.this()?, name.to_string());
        uninterrupted(async move {
            let found = this.state.write().remove(&name);
            let Some(database) = found else { return Ok(()) };
            let (away, open) = Away::of(database);
            this.detached.lock().insert(name, away);
            // Attached again, they work in the background anew: not twice.
            for table in open {
                table.shutdown().await;
            }
            drop(guard);
            Ok(())
        })
        .await
    }

    /// Brings a database back. Errors: DATABASE_ALREADY_EXISTS; UNKNOWN_DATABASE_ENGINE where none of the name is detached.
    pub async fn attach_database(&self, name: &str, if_not_exists: bool) -> Result<()> {
        let guard = self.locks.database(name).await;
        if self.state.read().contains_key(name) {
            return if if_not_exists { Ok(()) } else { Err(already_exists(name)) };
        }
        let found = self.detached.lock().remove(name);
        let Some(Away { mut database, tables }) = found else {
            let text = format!(
                "Database engine must be specified for ATTACH DATABASE query: no database {} is detached",
                quote_identifier(name)
            );
            return Err(Error::new(ErrorCode::UNKNOWN_DATABASE_ENGINE, text));
        };
        let (this, name) = (self.this()?, name.to_string());
        uninterrupted(async move {
            let opening = tables.into_iter().map(|definition| opened(this.opener.clone(), definition));
            let slots: Vec<Slot> = futures::stream::iter(opening).buffer_unordered(OPEN_CONCURRENCY).collect().await;
            database.tables.extend(slots.into_iter().map(|slot| (slot.definition().name.clone(), slot)));
            this.state.write().insert(name, database);
            drop(guard);
            Ok(())
        })
        .await
    }

    /// That no database of the name is detached. Error: DATABASE_ALREADY_EXISTS.
    pub(super) fn check_not_detached(&self, name: &str) -> Result<()> {
        if !self.detached.lock().contains_key(name) {
            return Ok(());
        }
        let name = quote_identifier(name);
        let text = format!("Database {name} already exists (detached): ATTACH DATABASE {name} brings it back");
        Err(Error::new(ErrorCode::DATABASE_ALREADY_EXISTS, text))
    }
}
