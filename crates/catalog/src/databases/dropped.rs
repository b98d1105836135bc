//! The data of dropped tables: removed when no statement holds the table any more, or at the next start.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Result, ResultExt};

use super::{Databases, Slot, full_name};
use crate::definition::TableDefinition;
use crate::metadata_store::{Change, Key};
use crate::table::Table;

/// How often it is looked whether a dropped table is still read.
const PURGE_INTERVAL: Duration = Duration::from_millis(500);

impl Databases {
    /// Removes the data of dropped tables that nobody holds any more and that are kept no longer; gives how many are there yet.
    pub async fn purge_dropped(&self) -> usize {
        let kept = self.condemn_due().await;
        let condemned = std::mem::take(&mut *self.condemned.lock());
        // Ours is the last reference: no statement can get at the table again.
        let (free, held): (Vec<_>, Vec<_>) = condemned.into_iter().partition(|table| Arc::strong_count(table) == 1);
        let held_count = held.len();
        self.condemned.lock().extend(held);
        for table in free {
            self.remove_data(table).await;
        }
        held_count + kept
    }

    pub(super) async fn condemn(&self, slots: Vec<Slot>) {
        for slot in slots {
            match slot {
                Slot::Open(table) => self.condemned.lock().push(table),
                Slot::Detached { definition, .. } | Slot::Broken(definition, _) => self.remove_leftover(definition).await,
            }
        }
        if self.purge_dropped().await > 0 {
            self.purge_later();
        }
    }

    pub(super) fn purge_later(&self) {
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
    pub(super) async fn remove_leftover(&self, definition: Arc<TableDefinition>) {
        if let Err(error) = self.try_to_remove(&definition).await {
            let name = full_name(&definition.database, &definition.name);
            tracing::warn!("Cannot open the data left by table {name} (uuid {}): {error}", definition.uuid);
        }
    }

    /// Of a table that could not be made: mostly its definition cannot be opened, and there is no data.
    pub(super) async fn remove_unopened(&self, definition: Arc<TableDefinition>) {
        if let Err(error) = self.try_to_remove(&definition).await {
            let name = full_name(&definition.database, &definition.name);
            tracing::debug!("Nothing is known to be left by table {name} (uuid {}): {error}", definition.uuid);
        }
    }

    /// Errors: those of opening, where there may be data.
    async fn try_to_remove(&self, definition: &Arc<TableDefinition>) -> Result<()> {
        match self.opener.open(definition.clone(), true).await {
            Ok(table) => self.remove_data(table).await,
            Err(_) if !self.opener.keeps_data(definition) => self.forget_unowned(definition).await,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn forget_unowned(&self, definition: &TableDefinition) {
        let change = Change { put: vec![], delete: vec![Key::Unowned(definition.uuid)] };
        if let Err(error) = self.store.apply(change).await {
            let name = full_name(&definition.database, &definition.name);
            tracing::warn!("The note of table {name} (uuid {}) stays until the next start: {error}", definition.uuid);
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
}
