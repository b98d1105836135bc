//! `system.projections` and `system.projection_parts`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const PROJECTIONS: &str = "database String, table String, name String, type Enum8('Normal' = 0, 'Aggregate' = 1), \
    sorting_key Array(String), query String, settings Map(String, String)";

const PARTS: &str = "partition String, name String, part_type String, parent_name String, parent_part_type String, \
    active UInt8, marks UInt64, rows UInt64, bytes_on_disk UInt64, data_compressed_bytes UInt64, \
    data_uncompressed_bytes UInt64, parent_marks UInt64, parent_rows UInt64, parent_bytes_on_disk UInt64, \
    modification_time DateTime, remove_time DateTime, partition_id String, min_block_number Int64, max_block_number Int64, \
    level UInt32, primary_key_bytes_in_memory UInt64, database String, table String, engine String, path String, \
    files UInt64, parent_data_compressed_bytes UInt64, parent_data_uncompressed_bytes UInt64, refcount UInt32, min_date Date, \
    max_date Date, min_time DateTime, max_time DateTime, data_version UInt64, disk_name String, \
    default_compression_codec String, \
    bytes UInt64 ALIAS bytes_on_disk, marks_size UInt64 ALIAS marks_bytes, part_name String ALIAS name";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "projections", "SystemProjections", PROJECTIONS, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            for projection in table.projections() {
                rows.push([
                    (&definition.database).into(),
                    (&definition.name).into(),
                    (&projection.name).into(),
                    if projection.is_aggregate { "Aggregate" } else { "Normal" }.into(),
                    projection.sorting_key.clone().into(),
                    (&projection.query).into(),
                    Cell::Pairs(Vec::new()),
                ])?;
            }
        }
        Ok(())
    })?);
    let databases = known.databases.clone();
    all.push(table("system", "projection_parts", "SystemProjectionParts", PARTS, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            if definition.projections.is_empty() {
                continue;
            }
            for part in table.parts() {
                for data in &part.projections {
                    rows.push([
                        (&part.partition).into(),
                        (&data.name).into(),
                        "Wide".into(),
                        (&part.name).into(),
                        "Wide".into(),
                        part.active.into(),
                        data.marks.into(),
                        data.rows.into(),
                        data.bytes_on_disk.into(),
                        data.data_compressed_bytes.into(),
                        data.data_uncompressed_bytes.into(),
                        part.marks.into(),
                        part.rows.into(),
                        part.bytes_on_disk.into(),
                        part.modification_time.into(),
                        part.remove_time.into(),
                        (&part.partition_id).into(),
                        part.min_block_number.into(),
                        part.max_block_number.into(),
                        u64::from(part.level).into(),
                        data.primary_key_bytes.into(),
                        (&definition.database).into(),
                        (&definition.name).into(),
                        (&definition.engine.name).into(),
                        (&data.path).into(),
                        1_u64.into(),
                        part.data_compressed_bytes.into(),
                        part.data_uncompressed_bytes.into(),
                        1_u64.into(),
                        part.dates.0.into(),
                        part.dates.1.into(),
                        part.times.0.into(),
                        part.times.1.into(),
                        part.data_version.into(),
                        gristmill_mergetree::read::ONLY_DISK.into(),
                        (&part.codec).into(),
                    ])?;
                }
            }
        }
        Ok(())
    })?);
    Ok(())
}
