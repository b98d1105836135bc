//! Which views hang on a table, and where the rows of a view lie.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};

use super::{Databases, Slot, full_name};
use crate::table::Table;

/// A view's target may be a view; this many lie in one another at most.
const TARGETS_MAX: usize = 32;

impl Databases {
    /// The table that keeps the rows of a table: itself, or the target of a materialized view or a buffer.
    /// Errors: those of `table`; UNKNOWN_TABLE where the target is gone.
    pub fn stored(&self, database: &str, name: &str) -> Result<Arc<dyn Table>> {
        let mut table = self.table(database, name)?;
        for _ in 0..TARGETS_MAX {
            let definition = table.definition();
            let target = definition.view_target().or_else(|| definition.engine.buffer_target());
            let Some((of, target)) = target else { return Ok(table) };
            table = self.table(&of, &target).map_err(|error| {
                let view = full_name(&definition.database, &definition.name);
                error.with_context(format!("while looking for the target of view {view}"))
            })?;
        }
        Err(Error::new(
            ErrorCode::TOO_DEEP_RECURSION,
            format!("The target of view {} is a view, and so on, more than {TARGETS_MAX} deep", full_name(database, name)),
        ))
    }

    /// The materialized views that blocks inserted into a table go through, oldest first.
    pub fn views_of(&self, database: &str, table: &str) -> Vec<Arc<dyn Table>> {
        let state = self.state.read();
        let mut views: Vec<Arc<dyn Table>> = state
            .values()
            .flat_map(|known| known.tables.values())
            .filter_map(|slot| match slot {
                Slot::Open(view) if view.definition().is_fed_by(database, table) => Some(view.clone()),
                _ => None,
            })
            .collect();
        // Their ids are made by time.
        views.sort_by_key(|view| view.definition().uuid);
        views
    }
}
