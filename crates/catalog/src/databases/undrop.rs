//! DROP TABLE that can be taken back: for a while (`database_atomic_delay_before_drop_table_sec`) the table's data stays, and
//! UNDROP TABLE puts the table back into the catalog.
//!
//! The note that the data has no owner says until when it is kept. So a server that was killed finds the table again, and
//! removes it when its time has come, though nothing remembers it but the note.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use uuid::Uuid;

use super::errors::{NOTHING, changeable, missing, unknown_table, writable_database};
use super::tables::{give_up, put_slot, take_slot};
use super::{Databases, Slot, full_name, uninterrupted};
use crate::ddl_locks::DdlGuard;
use crate::definition::TableDefinition;
use crate::metadata_store::{Change, Key, Record};
use crate::table::Table;

/// A table that was dropped and whose data is there.
#[derive(Clone, Debug)]
pub struct DroppedTable {
    pub definition: Arc<TableDefinition>,
    /// When its data goes, in milliseconds since 1970.
    pub until_ms: u64,
    /// As it was when it was dropped, for whoever reads it still; `None`: before the last start.
    table: Option<Arc<dyn Table>>,
}

impl Databases {
    /// For how long tables that are dropped from now on may be brought back. Zero: not at all.
    pub fn set_drop_delay(&self, delay: Duration) {
        self.drop_delay_ms.store(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Where the object lies by which a dropped table is known, relative to the data path.
    pub fn dropped_path(definition: &TableDefinition) -> String {
        Key::Unowned(definition.uuid).path().to_string()
    }

    /// Tables that UNDROP may bring back, in the order in which they were dropped.
    pub fn dropped_tables(&self) -> Vec<DroppedTable> {
        self.dropped.lock().clone()
    }

    /// As `drop_table`, and the data of tables that have any is kept for a while.
    pub async fn drop_table_for_now(&self, database: &str, name: &str, if_exists: bool) -> Result<()> {
        let delay_ms = self.drop_delay_ms.load(Ordering::Relaxed);
        if delay_ms == 0 {
            return self.drop_table(database, name, if_exists).await;
        }
        let guard = self.lock_with_inner(&[(database, name)]).await;
        let found = {
            let state = self.state.read();
            // It has to be attached to be dropped.
            changeable(&state, database, name).and_then(|slot| match slot {
                Slot::Detached { .. } => Err(unknown_table(&state, database, name, NOTHING)),
                slot => Ok(slot.definition()),
            })
        };
        let definition = match found {
            Ok(definition) => definition,
            Err(error) if if_exists && missing(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut until_ms = system_env().now_ms().saturating_add(delay_ms);
        // By these the next start knows which one was dropped last: no two are the same.
        while until_ms < u64::MAX && self.dropped.lock().iter().any(|table| table.until_ms == until_ms) {
            until_ms += 1;
        }
        let (kept, others): (Vec<_>, Vec<_>) =
            self.with_inner(&definition).into_iter().partition(|definition| self.opener.keeps_data(definition));
        drop(definition);
        let mut change = Change::default();
        give_up(&mut change, &others);
        for definition in &kept {
            change.put.push(Record::Dropped((**definition).clone(), until_ms));
            change.delete.push(Key::Table(definition.database.clone(), definition.uuid));
        }
        let this = self.this()?;
        uninterrupted(async move {
            this.store.apply(change).await?;
            let (mut stopped, mut gone): (Vec<Arc<dyn Table>>, Vec<Slot>) = (Vec::new(), Vec::new());
            {
                let mut state = this.state.write();
                let mut dropped = this.dropped.lock();
                for definition in kept {
                    let slot = take_slot(&mut state, (&definition.database, &definition.name));
                    let table = match slot {
                        Some(Slot::Open(table)) => Some(table),
                        _ => None,
                    };
                    stopped.extend(table.clone());
                    dropped.push(DroppedTable { definition, until_ms, table });
                }
                gone.extend(others.iter().filter_map(|gone| take_slot(&mut state, (&gone.database, &gone.name))));
            }
            // Brought back, a table works in the background anew: not twice.
            for table in stopped {
                table.shutdown().await;
            }
            drop(guard);
            this.condemn(gone).await;
            Ok(())
        })
        .await
    }

    /// UNDROP TABLE: the last one dropped that had the name, or the one of a uuid. Errors: TABLE_ALREADY_EXISTS, UNKNOWN_TABLE,
    /// UNKNOWN_DATABASE.
    pub async fn undrop_table(&self, database: &str, name: &str, uuid: Option<Uuid>) -> Result<()> {
        let guard = self.locks.tables(&[(database, name)]).await;
        let dropped = {
            let state = self.state.read();
            if writable_database(&state, database)?.tables.contains_key(name) {
                let text = format!("Cannot undrop table, {} already exists", full_name(database, name));
                return Err(Error::new(ErrorCode::TABLE_ALREADY_EXISTS, text));
            }
            let mut dropped = self.dropped.lock();
            let is_meant = |table: &DroppedTable| {
                let definition = &table.definition;
                (definition.database.as_str(), definition.name.as_str()) == (database, name)
                    && uuid.is_none_or(|uuid| definition.uuid == uuid)
            };
            let found = dropped.iter().rposition(is_meant);
            match found {
                Some(at) => dropped.remove(at),
                None => return Err(not_dropped(database, name, uuid)),
            }
        };
        // From here on nobody else knows of it.
        let this = self.this()?;
        uninterrupted(async move {
            let brought = this.bring_back(guard, &dropped.definition).await;
            if brought.is_err() {
                this.dropped.lock().push(dropped);
                this.purge_later();
            }
            brought
        })
        .await
    }

    async fn bring_back(&self, guard: DdlGuard, definition: &Arc<TableDefinition>) -> Result<()> {
        let table = self.opener.open(definition.clone(), true).await?;
        let change =
            Change { put: vec![Record::Table((**definition).clone())], delete: vec![Key::Unowned(definition.uuid)] };
        if let Err(error) = self.store.apply(change).await {
            table.shutdown().await;
            return Err(error);
        }
        put_slot(&mut self.state.write(), (&definition.database, &definition.name), Slot::Open(table));
        drop(guard);
        Ok(())
    }

    /// What was dropped before this start.
    pub(super) async fn keep_dropped(&self, dropped: Vec<(TableDefinition, u64)>) {
        if dropped.is_empty() {
            return;
        }
        {
            let mut known = self.dropped.lock();
            known.extend(dropped.into_iter().map(|(definition, until_ms)| DroppedTable {
                definition: Arc::new(definition),
                until_ms,
                table: None,
            }));
            known.sort_by_key(|table| table.until_ms);
        }
        if self.purge_dropped().await > 0 {
            self.purge_later();
        }
    }

    /// Gives those up whose time has come; gives how many are kept.
    pub(super) async fn condemn_due(&self) -> usize {
        let now_ms = system_env().now_ms();
        let (due, kept) = {
            let mut dropped = self.dropped.lock();
            let (due, kept): (Vec<_>, Vec<_>) =
                std::mem::take(&mut *dropped).into_iter().partition(|table| table.until_ms <= now_ms);
            *dropped = kept;
            (due, dropped.len())
        };
        for DroppedTable { definition, table, .. } in due {
            match table {
                Some(table) => self.condemned.lock().push(table),
                None => self.remove_leftover(definition).await,
            }
        }
        kept
    }
}

fn not_dropped(database: &str, name: &str, uuid: Option<Uuid>) -> Error {
    let uuid = uuid.map_or_else(String::new, |uuid| format!(" ({uuid})"));
    let text = format!(
        "Table {}{uuid} is being dropped, has been dropped, or the database engine does not support UNDROP",
        full_name(database, name)
    );
    Error::new(ErrorCode::UNKNOWN_TABLE, text)
}
