//! `system.asynchronous_inserts`: rows that wait to be written together, one row for those that will be.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_introspect::pending_inserts;

use crate::rows::{Cell, table};

const STRUCTURE: &str = "query String, database String, table String, format String, first_update DateTime64(6), \
    total_bytes UInt64, entries.query_id Array(String), entries.bytes Array(UInt64)";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "asynchronous_inserts", "SystemAsynchronousInserts", STRUCTURE, |_, rows| {
        for pending in pending_inserts::snapshot() {
            let ids: Vec<String> = pending.entries.iter().map(|entry| entry.query_id.clone()).collect();
            let bytes = pending.entries.iter().map(|entry| entry.bytes as i64).collect();
            rows.push([
                pending.query.into(),
                pending.database.into(),
                pending.table.into(),
                pending.format.into(),
                Cell::Signed(pending.first_update.as_micros() as i64),
                pending.total_bytes.into(),
                ids.into(),
                Cell::Numbers(bytes),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
