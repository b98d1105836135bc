//! `system.load_ledger`: the files that loads with a `load_id` brought into tables, or could not bring.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::table;
use crate::tables::every;

const LEDGER: &str = "database String, table String, load_id String, file String, etag String, \
    state LowCardinality(String), row_groups_done UInt64, row_groups UInt64, rows UInt64, time DateTime, error String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "load_ledger", "SystemLoadLedger", LEDGER, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            for row in table.load_ledger() {
                let progress = row.progress;
                rows.push([
                    (&definition.database).into(),
                    (&definition.name).into(),
                    row.load_id.into(),
                    row.path.into(),
                    (&progress.version).into(),
                    progress.state().into(),
                    u64::from(progress.done.count()).into(),
                    u64::from(progress.groups_total).into(),
                    progress.rows.into(),
                    (progress.time_ms / 1000).into(),
                    progress.error.unwrap_or_default().into(),
                ])?;
            }
        }
        Ok(())
    })?);
    Ok(())
}
