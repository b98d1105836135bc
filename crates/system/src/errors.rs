//! `system.errors`: how often each error ended a query, by the entries that the query log still has.

use std::collections::BTreeMap;
use std::sync::Arc;

use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::Table;
use gristmill_introspect::query_log::{QueryLogEntry, query_log};

use crate::rows::table;

const STRUCTURE: &str = "name String, code Int32, value UInt64, last_error_time DateTime, last_error_message String, \
    query_id String, remote UInt8";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "errors", "SystemErrors", STRUCTURE, |_, rows| {
        let mut errors: BTreeMap<i32, (u64, Arc<QueryLogEntry>)> = BTreeMap::new();
        for entry in query_log().snapshot().into_iter().filter(|entry| entry.exception_code != 0) {
            let known = errors.entry(entry.exception_code).or_insert_with(|| (0, entry.clone()));
            *known = (known.0 + 1, entry);
        }
        for (code, (count, last)) in errors {
            rows.push([
                ErrorCode(code).name().into(),
                i64::from(code).into(),
                count.into(),
                last.event_time_micros.div_euclid(1_000_000).into(),
                (&last.exception).into(),
                (&last.query_id).into(),
                false.into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
