//! `system.mutations` and `system.detached_parts`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const MUTATIONS: &str = "database String, table String, mutation_id String, command String, create_time DateTime, \
    finish_time DateTime, `block_numbers.partition_id` Array(String), `block_numbers.number` Array(Int64), \
    parts_in_progress_names Array(String), parts_to_do_names Array(String), parts_to_do Int64, is_done UInt8, \
    is_killed UInt8, latest_failed_part String, latest_fail_time DateTime, latest_fail_reason String, \
    latest_fail_error_code_name String";

const DETACHED: &str = "database String, table String, partition_id Nullable(String), name String, bytes_on_disk UInt64, \
    modification_time DateTime, disk String, path String, reason Nullable(String), min_block_number Nullable(Int64), \
    max_block_number Nullable(Int64), level Nullable(UInt32)";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "mutations", "SystemMutations", MUTATIONS, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            for mutation in table.mutations() {
                rows.push([
                    (&definition.database).into(),
                    (&definition.name).into(),
                    mutation.id.into(),
                    mutation.command.into(),
                    mutation.create_time.into(),
                    mutation.finish_time.into(),
                    // Blocks are numbered throughout the table.
                    vec![String::new()].into(),
                    Cell::Numbers(vec![mutation.block_number]),
                    mutation.parts_in_progress.into(),
                    mutation.parts_to_do.clone().into(),
                    (mutation.parts_to_do.len() as i64).into(),
                    mutation.is_done.into(),
                    // One that is killed is not told of any more.
                    false.into(),
                    mutation.latest_failed_part.into(),
                    mutation.latest_fail_time.into(),
                    mutation.latest_fail_reason.into(),
                    mutation.latest_fail_error.into(),
                ])?;
            }
        }
        Ok(())
    })?);
    let databases = known.databases.clone();
    all.push(table("system", "detached_parts", "SystemDetachedParts", DETACHED, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            for part in table.detached_parts() {
                rows.push([
                    (&definition.database).into(),
                    (&definition.name).into(),
                    part.partition_id.into(),
                    part.name.into(),
                    part.bytes_on_disk.into(),
                    part.modification_time.into(),
                    "default".into(),
                    part.path.into(),
                    "".into(),
                    part.min_block_number.into(),
                    part.max_block_number.into(),
                    u64::from(part.level).into(),
                ])?;
            }
        }
        Ok(())
    })?);
    Ok(())
}
