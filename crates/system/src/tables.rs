//! `system.tables`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::create_query::{create_query_line, engine_full, key_text};
use gristmill_catalog::{Databases, Table};

use crate::Known;
use crate::rows::{Cell, table};

const STRUCTURE: &str = "database String, name String, uuid UUID, engine String, is_temporary UInt8, data_paths Array(String), \
    create_table_query String, engine_full String, as_select String, partition_key String, sorting_key String, \
    primary_key String, sampling_key String, storage_policy String, total_rows Nullable(UInt64), \
    total_bytes Nullable(UInt64), total_bytes_uncompressed Nullable(UInt64), parts Nullable(UInt64), \
    active_parts Nullable(UInt64), total_marks Nullable(UInt64), comment String, has_own_data UInt8, table String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "tables", "SystemTables", STRUCTURE, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            let parts = table.parts();
            let merge_tree = definition.engine.name.ends_with("MergeTree");
            let active = || parts.iter().filter(|part| part.active);
            let of_parts = |value: u64| if merge_tree { Cell::Unsigned(value) } else { Cell::None };
            rows.push([
                (&definition.database).into(),
                (&definition.name).into(),
                Cell::Uuid(definition.uuid),
                (&definition.engine.name).into(),
                definition.temporary.into(),
                table.data_paths().into(),
                create_query_line(&definition).into(),
                engine_full(&definition).into(),
                definition.view_query().unwrap_or_default().into(),
                definition.partition_by.as_deref().unwrap_or_default().into(),
                key_text(&definition.sorting_key()).into(),
                key_text(&definition.primary_key).into(),
                Cell::None,
                if merge_tree { "default" } else { "" }.into(),
                table.total_rows().into(),
                table.total_bytes().into(),
                of_parts(active().map(|part| part.data_uncompressed_bytes).sum()),
                of_parts(parts.len() as u64),
                of_parts(active().count() as u64),
                of_parts(active().map(|part| part.marks).sum()),
                (&definition.comment).into(),
                (merge_tree || definition.engine.name == "Memory").into(),
                (&definition.name).into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}

/// Every table of every database, by name.
pub fn every(databases: &Databases) -> Vec<Arc<dyn Table>> {
    databases.database_names().iter().flat_map(|database| databases.tables(database)).collect()
}
