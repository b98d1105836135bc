//! `system.errors`: how often each error ended a query.

use std::sync::Arc;

use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::Table;
use gristmill_introspect::errors;

use crate::rows::{Cell, table};

const STRUCTURE: &str = "name String, code Int32, value UInt64, last_error_time DateTime, last_error_message String, \
    last_error_trace Array(UInt64), query_id String, remote UInt8";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "errors", "SystemErrors", STRUCTURE, |_, rows| {
        for (code, of_code) in errors::all() {
            rows.push([
                ErrorCode(code).name().into(),
                i64::from(code).into(),
                of_code.count.into(),
                of_code.last_time_micros.div_euclid(1_000_000).into(),
                of_code.last_message.into(),
                Cell::Numbers(of_code.last_trace.iter().map(|address| *address as i64).collect()),
                of_code.last_query_id.into(),
                false.into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
