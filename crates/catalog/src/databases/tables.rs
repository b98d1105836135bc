//! Changes of tables: CREATE, DROP, RENAME, EXCHANGE, ALTER, DETACH, ATTACH.

use std::sync::Arc;

use gristmill_base::{Error, Result};

use super::errors::{
    NOTHING, changeable, check_moves, find_database, missing, name_is_taken, table_exists, unknown_table, writable_database,
};
use super::{Databases, Slot, State, uninterrupted};
use crate::ddl_locks::DdlGuard;
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
        self.create_view(definition, None, if_not_exists, or_replace).await
    }

    /// Makes a table of the server's own in its database `system`, which is kept as others are.
    pub async fn create_own_table(&self, definition: TableDefinition) -> Result<Arc<dyn Table>> {
        self.create(definition, None, (true, false), true).await
    }

    /// As `create_table`, together with the table of a materialized view's own, whose name is nobody else's.
    pub async fn create_view(
        &self,
        definition: TableDefinition,
        inner: Option<TableDefinition>,
        if_not_exists: bool,
        or_replace: bool,
    ) -> Result<Arc<dyn Table>> {
        self.create(definition, inner, (if_not_exists, or_replace), false).await
    }

    async fn create(
        &self,
        definition: TableDefinition,
        inner: Option<TableDefinition>,
        (if_not_exists, or_replace): (bool, bool),
        by_server: bool,
    ) -> Result<Arc<dyn Table>> {
        let definition = Arc::new(definition);
        let definitions: Vec<_> = [Some(definition.clone()), inner.map(Arc::new)].into_iter().flatten().collect();
        let (database, name) = (&definition.database, &definition.name);
        let guard = self.lock_with_inner(&[(database, name)]).await;
        let old = {
            let state = self.state.read();
            let found = match by_server {
                true => find_database(&state, database, NOTHING)?,
                false => writable_database(&state, database)?,
            };
            found.tables.get(name).cloned()
        };
        match &old {
            Some(Slot::Open(table)) if if_not_exists => return Ok(table.clone()),
            // What is detached is replaced by nothing: whoever put it away wants it back.
            Some(old @ Slot::Detached { .. }) => return Err(name_is_taken(old, database, name)),
            Some(_) if !or_replace => return Err(table_exists(database, name)),
            _ => {}
        }
        let this = self.this()?;
        let unowned = |definition: &Arc<TableDefinition>| Record::Unowned((**definition).clone());
        let note = Change { put: definitions.iter().map(unowned).collect(), delete: vec![] };
        uninterrupted(async move { this.store.apply(note).await }).await?;
        let made = async {
            let mut tables = Vec::with_capacity(definitions.len());
            for definition in &definitions {
                tables.push(self.opener.open(definition.clone(), false).await?);
            }
            Ok(tables)
        };
        let made = match made.await {
            Ok(tables) => tables,
            Err(error) => {
                for definition in definitions {
                    self.remove_unopened(definition).await;
                }
                return Err(error);
            }
        };
        let mut change = Change {
            put: definitions.iter().map(|definition| Record::Table((**definition).clone())).collect(),
            delete: definitions.iter().map(|definition| Key::Unowned(definition.uuid)).collect(),
        };
        let replaced: Vec<_> = old.iter().flat_map(|old| self.with_inner(&old.definition())).collect();
        give_up(&mut change, &replaced);
        drop(old);
        let table = made.first().cloned().ok_or_else(|| Error::logical("A table without a definition is made"))?;
        let committed = self.commit(guard, change, move |state| {
            let gone = replaced.iter().filter_map(|old| take_slot(state, (&old.database, &old.name))).collect();
            for table in made {
                let definition = table.definition();
                put_slot(state, (&definition.database, &definition.name), Slot::Open(table));
            }
            gone
        });
        if let Err(error) = committed.await {
            self.remove_leftovers(definitions).await;
            return Err(error);
        }
        Ok(table)
    }

    async fn remove_leftovers(&self, definitions: Vec<Arc<TableDefinition>>) {
        for definition in definitions {
            self.remove_leftover(definition).await;
        }
    }

    /// Drops a table; a materialized view goes with its own table.
    pub async fn drop_table(&self, database: &str, name: &str, if_exists: bool) -> Result<()> {
        let guard = self.lock_with_inner(&[(database, name)]).await;
        let slot = {
            let state = self.state.read();
            // It has to be attached to be dropped.
            let found = changeable(&state, database, name).and_then(|slot| match slot {
                Slot::Detached { .. } => Err(unknown_table(&state, database, name, NOTHING)),
                slot => Ok(slot),
            });
            match found {
                Ok(slot) => slot.clone(),
                Err(error) if if_exists && missing(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        };
        let definitions = self.with_inner(&slot.definition());
        drop(slot);
        let mut change = Change::default();
        give_up(&mut change, &definitions);
        self.commit(guard, change, move |state| {
            definitions.iter().filter_map(|gone| take_slot(state, (&gone.database, &gone.name))).collect()
        })
        .await
    }

    /// RENAME TABLE: names are (database, table). The table of a materialized view's own follows it to another database.
    pub async fn rename_table(&self, from: (&str, &str), to: (&str, &str)) -> Result<()> {
        let guard = self.lock_with_inner(&[from, to]).await;
        let table = self.writable_table(from)?;
        {
            let state = self.state.read();
            check_moves(&state, from.0, to.0)?;
            if find_database(&state, to.0, NOTHING)?.tables.contains_key(to.1) {
                return Err(table_exists(to.0, to.1));
            }
        }
        let mut moves = vec![(owned(from), renamed(&table, to)?)];
        if let (Some(inner), false) = (table.definition().inner_name(), from.0 == to.0) {
            let from = (from.0, inner.as_str());
            moves.push((owned(from), renamed(&self.writable_table(from)?, (to.0, &inner))?));
        }
        let mut change = Change::default();
        for (from, moved) in &moves {
            let definition = moved.definition();
            if from.0 != definition.database {
                change.delete.push(Key::Table(from.0.clone(), definition.uuid));
            }
            change.put.push(Record::Table((*definition).clone()));
        }
        self.commit(guard, change, move |state| {
            for (from, moved) in moves {
                let definition = moved.definition();
                take_slot(state, (&from.0, &from.1));
                put_slot(state, (&definition.database, &definition.name), Slot::Open(moved));
            }
            vec![]
        })
        .await
    }

    /// A table gets the name of another one of its database, which goes, at once. Where nothing has the name, as `rename_table`.
    pub async fn replace_table(&self, database: &str, from: &str, to: &str) -> Result<()> {
        let (from, to) = ((database, from), (database, to));
        let guard = self.lock_with_inner(&[from, to]).await;
        let moved = renamed(&self.writable_table(from)?, to)?;
        let old = {
            let state = self.state.read();
            writable_database(&state, database)?.tables.get(to.1).cloned()
        };
        if let Some(old @ Slot::Detached { .. }) = &old {
            return Err(name_is_taken(old, database, to.1));
        }
        let replaced: Vec<_> = old.iter().flat_map(|old| self.with_inner(&old.definition())).collect();
        drop(old);
        let mut change = Change { put: vec![Record::Table((*moved.definition()).clone())], delete: vec![] };
        give_up(&mut change, &replaced);
        let (from, to) = (owned(from), owned(to));
        self.commit(guard, change, move |state| {
            let gone = replaced.iter().filter_map(|old| take_slot(state, (&old.database, &old.name))).collect();
            take_slot(state, (&from.0, &from.1));
            put_slot(state, (&to.0, &to.1), Slot::Open(moved));
            gone
        })
        .await
    }

    /// EXCHANGE TABLES a AND b: both names change hands at once. Of a table with itself nothing does.
    pub async fn exchange_tables(&self, a: (&str, &str), b: (&str, &str)) -> Result<()> {
        if a == b {
            self.writable_table(a)?;
            return Ok(());
        }
        let guard = self.locks.tables(&[a, b]).await;
        let (table_a, table_b) = (self.writable_table(a)?, self.writable_table(b)?);
        {
            let state = self.state.read();
            check_moves(&state, a.0, b.0)?;
            check_moves(&state, b.0, a.0)?;
        }
        let has_inner = |table: &Arc<dyn Table>| table.definition().inner_name().is_some();
        if a.0 != b.0 && (has_inner(&table_a) || has_inner(&table_b)) {
            return Err(Error::not_implemented(
                "EXCHANGE TABLES of a materialized view with another database: RENAME both, one after the other",
            ));
        }
        let (at_b, at_a) = (renamed(&table_a, b)?, renamed(&table_b, a)?);
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

    /// Hides a table until it is attached; unless `permanently`, until the server starts again. Its data and metadata stay.
    pub async fn detach_table(&self, database: &str, name: &str, permanently: bool) -> Result<()> {
        let guard = self.locks.tables(&[(database, name)]).await;
        let table = self.writable_table((database, name))?;
        let (this, (database, name)) = (self.this()?, owned((database, name)));
        uninterrupted(async move {
            let slot = Slot::Detached { definition: table.definition(), permanently };
            if permanently {
                this.store.apply(Change { put: vec![slot.record()], delete: vec![] }).await?;
            }
            put_slot(&mut this.state.write(), (&database, &name), slot);
            // Attached again, it works in the background anew: not twice.
            table.shutdown().await;
            drop(guard);
            Ok(())
        })
        .await
    }

    /// Opens a detached table, or one that could not be opened at start, again.
    pub async fn attach_table(&self, database: &str, name: &str) -> Result<()> {
        let guard = self.locks.tables(&[(database, name)]).await;
        let slot = {
            let state = self.state.read();
            find_database(&state, database, NOTHING)?.tables.get(name).cloned()
        };
        let (definition, permanently) = match slot {
            Some(Slot::Detached { definition, permanently }) => (definition, permanently),
            Some(Slot::Broken(definition, _)) => (definition, false),
            Some(Slot::Open(_)) => return Err(table_exists(database, name)),
            None => return Err(unknown_table(&self.state.read(), database, name, NOTHING)),
        };
        let table = self.opener.open(definition.clone(), true).await?;
        if !permanently {
            put_slot(&mut self.state.write(), (database, name), Slot::Open(table));
            return Ok(());
        }
        let change = Change { put: vec![Record::Table((*definition).clone())], delete: vec![] };
        let (attached, (database, name)) = (table.clone(), owned((database, name)));
        let committed = self.commit(guard, change, move |state| {
            put_slot(state, (&database, &name), Slot::Open(attached));
            vec![]
        });
        if let Err(error) = committed.await {
            table.shutdown().await;
            return Err(error);
        }
        Ok(())
    }

    /// Holds names, and with each materialized view among them its own table.
    pub(super) async fn lock_with_inner(&self, names: &[(&str, &str)]) -> DdlGuard {
        loop {
            let inner = self.inner_tables(names);
            let all: Vec<_> =
                names.iter().copied().chain(inner.iter().map(|(of, name)| (of.as_str(), name.as_str()))).collect();
            let guard = self.locks.tables(&all).await;
            // Between the look and the locks, another view may have taken the name.
            if self.inner_tables(names) == inner {
                return guard;
            }
        }
    }

    fn inner_tables(&self, names: &[(&str, &str)]) -> Vec<(String, String)> {
        let state = self.state.read();
        let inner = |(database, name): &(&str, &str)| {
            let inner = state.get(*database)?.tables.get(*name)?.definition().inner_name()?;
            Some((database.to_string(), inner))
        };
        names.iter().filter_map(inner).collect()
    }

    /// The definition, and that of its own table where it is a materialized view that has one.
    pub(super) fn with_inner(&self, definition: &Arc<TableDefinition>) -> Vec<Arc<TableDefinition>> {
        let inner = definition.inner_name().and_then(|name| {
            let state = self.state.read();
            Some(state.get(&definition.database)?.tables.get(&name)?.definition())
        });
        [Some(definition.clone()), inner].into_iter().flatten().collect()
    }

    fn writable_table(&self, (database, name): (&str, &str)) -> Result<Arc<dyn Table>> {
        changeable(&self.state.read(), database, name)?;
        self.table(database, name)
    }
}

/// Tables go with the change: their data has no owner from then on.
pub(super) fn give_up(change: &mut Change, tables: &[Arc<TableDefinition>]) {
    change.put.extend(tables.iter().map(|table| Record::Unowned((**table).clone())));
    change.delete.extend(tables.iter().map(|table| Key::Table(table.database.clone(), table.uuid)));
}

fn owned((database, name): (&str, &str)) -> (String, String) {
    (database.to_string(), name.to_string())
}

/// Gives what was there.
pub(super) fn put_slot(state: &mut State, (database, name): (&str, &str), slot: Slot) -> Option<Slot> {
    // The DDL lock on the name holds the database in place.
    state.get_mut(database)?.tables.insert(name.to_string(), slot)
}

pub(super) fn take_slot(state: &mut State, (database, name): (&str, &str)) -> Option<Slot> {
    state.get_mut(database)?.tables.remove(name)
}

fn renamed(table: &Arc<dyn Table>, (database, name): (&str, &str)) -> Result<Arc<dyn Table>> {
    let mut definition = (*table.definition()).clone();
    definition.database = database.to_string();
    definition.name = name.to_string();
    table.renamed(Arc::new(definition))
}
