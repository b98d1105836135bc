//! `system.query_condition_cache`: what is remembered of conditions that no row of a granule fulfils.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::{Cell, table};

const STRUCTURE: &str = "key_hash UInt128, entry_size UInt64, matching_marks String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let mergetree = known.mergetree.clone();
    all.push(table("system", "query_condition_cache", "SystemQueryConditionCache", STRUCTURE, move |_, rows| {
        for row in mergetree.conditions.rows() {
            rows.push([Cell::Wide(row.key_hash), row.entry_size.into(), row.matching_marks.into()])?;
        }
        Ok(())
    })?);
    Ok(())
}
