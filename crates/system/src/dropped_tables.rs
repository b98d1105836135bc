//! `system.dropped_tables`: what UNDROP TABLE may bring back.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::{Databases, Table};

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::sees_table;

const STRUCTURE: &str = "index UInt32, database String, table String, uuid UUID, engine String, \
    metadata_dropped_path String, table_dropped_time DateTime";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "dropped_tables", "SystemDroppedTables", STRUCTURE, move |context, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for (index, dropped) in databases.dropped_tables().into_iter().enumerate() {
            let definition = &dropped.definition;
            if !sees_table(context, definition) {
                continue;
            }
            rows.push([
                index.into(),
                (&definition.database).into(),
                (&definition.name).into(),
                Cell::Uuid(definition.uuid),
                definition.engine_name().into(),
                Databases::dropped_path(definition).into(),
                // As in ClickHouse, when its data goes.
                Cell::Unsigned(dropped.until_ms / 1000),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
