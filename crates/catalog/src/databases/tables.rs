//! Changes of tables: CREATE, DROP, RENAME, EXCHANGE, ALTER, DETACH, ATTACH.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};

use super::errors::{missing, table_exists, unknown_table, writable_database};
use super::{Databases, Slot, State, uninterrupted};
use crate::definition::TableDefinition;
use crate::metadata_store::{Change, Key, Record};
use crate::table::Table;

impl Databases {
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

    /// Changes a table's definition (ALTER). `change` makes of the table as it is the table as it is to be, or `None`
    /// where nothing is to be done; no other change of the table comes between.
    pub async fn alter_table<F>(
        &self,
        database: &str,
        name: &str,
        change: impl FnOnce(Arc<dyn Table>) -> F + Send,
    ) -> Result<()>
    where
        F: Future<Output = Result<Option<Arc<dyn Table>>>> + Send,
    {
        let guard = self.locks.tables(&[(database, name)]).await;
        let Some(table) = change(self.writable_table((database, name))?).await? else { return Ok(()) };
        let definition = table.definition();
        let change = Change { put: vec![Record::Table((*definition).clone())], delete: vec![] };
        self.commit(guard, change, move |state| {
            table.adopted();
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
        // Attached again, it works in the background anew: not twice.
        table.shutdown().await;
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

    fn writable_table(&self, (database, name): (&str, &str)) -> Result<Arc<dyn Table>> {
        writable_database(&self.state.read(), database)?;
        self.table(database, name)
    }
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
