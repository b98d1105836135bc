//! `system.merges`: merges and mutations of parts under way.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_mergetree::manifest::PartEntry;
use gristmill_mergetree::merge::list::Reason;

use crate::Known;
use crate::rows::{Cell, table};

const STRUCTURE: &str = "database String, table String, elapsed Float64, progress Float64, num_parts UInt64, \
    source_part_names Array(String), result_part_name String, source_part_paths Array(String), result_part_path String, \
    partition_id String, partition String, is_mutation UInt8, total_size_bytes_compressed UInt64, \
    total_size_bytes_uncompressed UInt64, total_size_marks UInt64, bytes_read_uncompressed UInt64, rows_read UInt64, \
    bytes_written_uncompressed UInt64, rows_written UInt64, columns_written UInt64, memory_usage UInt64, \
    thread_id UInt64, merge_type String, merge_algorithm String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let environment = known.mergetree.clone();
    all.push(table("system", "merges", "SystemMerges", STRUCTURE, move |_, rows| {
        for merge in environment.merges.snapshot() {
            let total = |of: fn(&PartEntry) -> u64| merge.parts.iter().map(|part| of(part)).sum::<u64>();
            let is_mutation = merge.reason == Reason::Mutation;
            let algorithm = if is_mutation { "" } else { "Undecided" };
            rows.push([
                (&merge.database).into(),
                (&merge.table).into(),
                Cell::Float(merge.elapsed().as_secs_f64()),
                Cell::Float(merge.progress()),
                merge.parts.len().into(),
                Cell::Texts(merge.parts.iter().map(|part| part.name.clone()).collect()),
                (&merge.result).into(),
                Cell::Texts(merge.paths.clone()),
                merge.result_path().into(),
                merge.parts.first().map(|part| &part.partition_id).into(),
                merge.parts.first().map(|part| &part.partition).into(),
                is_mutation.into(),
                total(|part| part.bytes).into(),
                total(|part| part.uncompressed_bytes).into(),
                total(|part| part.granules).into(),
                merge.bytes_read().into(),
                merge.rows_read().into(),
                merge.bytes_written().into(),
                merge.rows_written().into(),
                merge.columns_written().into(),
                merge.context.memory.held_bytes().into(),
                // Its tasks share the threads of the process.
                0_u64.into(),
                merge.reason.merge_type().into(),
                merge.algorithm().map_or(algorithm, |algorithm| algorithm.name()).into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
