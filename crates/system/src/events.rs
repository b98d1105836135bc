//! `system.events`: what happened since the process started.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_introspect::Counters;

use crate::rows::table;

const STRUCTURE: &str = "event String, value UInt64, description String, name String ALIAS event";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "events", "SystemEvents", STRUCTURE, |_, rows| {
        for (event, value) in Counters::server().nonzero() {
            rows.push([event.name().into(), value.into(), event.description().into()])?;
        }
        Ok(())
    })?);
    Ok(())
}
