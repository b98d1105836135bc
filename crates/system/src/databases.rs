//! `system.databases`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::visible_databases;

const STRUCTURE: &str = "name String, engine String, data_path String, metadata_path String, uuid UUID, engine_full String, \
    comment String, is_external UInt8, database String ALIAS name";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let (databases, path) = (known.databases.clone(), known.data_path.clone());
    all.push(table("system", "databases", "SystemDatabases", STRUCTURE, move |context, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for name in visible_databases(&databases, context) {
            // One that was dropped since has no row.
            let Ok(info) = databases.database(&name) else { continue };
            rows.push([
                (&name).into(),
                info.engine().into(),
                path.join("store").display().to_string().into(),
                path.join("metadata").display().to_string().into(),
                Cell::Uuid(info.uuid),
                info.engine().into(),
                (&info.comment).into(),
                false.into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
