//! RENAME DATABASE: all tables of a database get another one, at once.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::sql_type::quote_identifier;

use super::errors::{NOTHING, find_database, read_only};
use super::{Database, DatabaseInfo, Databases, Slot};
use crate::definition::TableDefinition;
use crate::metadata_store::{Change, Key, Record};

impl Databases {
    /// Gives a database another name. What names its tables elsewhere (queries of views, Buffer, Merge) keeps the old one. Errors:
    /// UNKNOWN_DATABASE, DATABASE_ALREADY_EXISTS, READONLY for the server's own, BAD_ARGUMENTS for a name of nothing.
    pub async fn rename_database(&self, from: &str, to: &str, if_exists: bool) -> Result<()> {
        if to.is_empty() {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "A database needs a name that is not empty"));
        }
        let guard = self.locks.databases(&[from, to]).await;
        self.check_not_detached(to)?;
        let (info, slots, own) = {
            let state = self.state.read();
            let database = match find_database(&state, from, NOTHING) {
                Ok(database) => database,
                Err(_) if if_exists => return Ok(()),
                Err(error) => return Err(error),
            };
            if database.info.system {
                return Err(read_only(from, "renamed"));
            }
            if state.contains_key(to) {
                let text = format!("Database {} already exists", quote_identifier(to));
                return Err(Error::new(ErrorCode::DATABASE_ALREADY_EXISTS, text));
            }
            // What cannot be read cannot be written under another name.
            if let Some(error) = database.damaged.first() {
                return Err(error.clone().with_context(format!("when database {} was renamed", quote_identifier(from))));
            }
            let slots: Vec<Slot> = database.tables.values().cloned().collect();
            (database.info.as_ref().clone(), slots, database.own.clone())
        };
        let info = DatabaseInfo { name: to.to_string(), ..info };
        let moved = slots.iter().map(|slot| in_database(slot, to)).collect::<Result<Vec<_>>>()?;
        let mut change = Change { put: vec![Record::Database(info.clone())], delete: vec![Key::Database(from.to_string())] };
        for slot in &moved {
            let definition = slot.definition();
            change.delete.push(Key::Table(from.to_string(), definition.uuid));
            change.put.push(slot.record());
        }
        let from = from.to_string();
        self.commit(guard, change, move |state| {
            state.remove(&from);
            let tables = moved.into_iter().map(|slot| (slot.definition().name.clone(), slot)).collect();
            state.insert(info.name.clone(), Database { tables, own, ..Database::new(info) });
            vec![]
        })
        .await
    }
}

fn in_database(slot: &Slot, database: &str) -> Result<Slot> {
    let definition = Arc::new(TableDefinition { database: database.to_string(), ..slot.definition().as_ref().clone() });
    Ok(match slot {
        Slot::Open(table) => Slot::Open(table.renamed(definition)?),
        Slot::Detached { permanently, .. } => Slot::Detached { definition, permanently: *permanently },
        Slot::Broken(_, error) => Slot::Broken(definition, error.clone()),
    })
}
