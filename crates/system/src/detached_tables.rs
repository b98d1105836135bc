//! `system.detached_tables`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_catalog::metadata_store::MetadataStore;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::sees_table;

const STRUCTURE: &str = "database String, table String, uuid UUID, metadata_path String, is_permanently UInt8";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "detached_tables", "SystemDetachedTables", STRUCTURE, move |context, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for (definition, permanently) in databases.detached_tables() {
            if !sees_table(context, &definition) {
                continue;
            }
            rows.push([
                (&definition.database).into(),
                (&definition.name).into(),
                Cell::Uuid(definition.uuid),
                MetadataStore::table_path(&definition).into(),
                permanently.into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
