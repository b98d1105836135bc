//! `system.parts` and `system.parts_columns`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use uuid::Uuid;

use crate::Known;
use crate::rows::{Cell, table, table_of_opened_parts};
use crate::tables::{every, lasting};

const PARTS: &str = "partition String, name String, uuid UUID, part_type String, part_storage_type String, active UInt8, \
    marks UInt64, rows UInt64, files UInt64, bytes_on_disk UInt64, data_compressed_bytes UInt64, \
    data_uncompressed_bytes UInt64, primary_key_size UInt64, modification_time DateTime, remove_time DateTime, \
    partition_id String, min_block_number Int64, max_block_number Int64, level UInt32, \
    primary_key_bytes_in_memory UInt64, database String, table String, engine String, disk_name String, path String, \
    bytes UInt64 ALIAS bytes_on_disk, marks_size UInt64 ALIAS marks_bytes, part_name String ALIAS name, \
    delete_ttl_info_min DateTime, delete_ttl_info_max DateTime, \
    `move_ttl_info.expression` Array(String), `move_ttl_info.min` Array(DateTime), `move_ttl_info.max` Array(DateTime), \
    `recompression_ttl_info.expression` Array(String), `recompression_ttl_info.min` Array(DateTime), \
    `recompression_ttl_info.max` Array(DateTime), `group_by_ttl_info.expression` Array(String), \
    `group_by_ttl_info.min` Array(DateTime), `group_by_ttl_info.max` Array(DateTime), \
    `rows_where_ttl_info.expression` Array(String), `rows_where_ttl_info.min` Array(DateTime), \
    `rows_where_ttl_info.max` Array(DateTime), has_lightweight_delete UInt8, \
    min_date Date, max_date Date, min_time DateTime, max_time DateTime, data_version UInt64, refcount UInt32, \
    default_compression_codec String, secondary_indices_compressed_bytes UInt64, \
    secondary_indices_uncompressed_bytes UInt64, projections Array(String), visible UInt8, removal_state String";

const PARTS_COLUMNS: &str = "partition String, name String, part_type String, active UInt8, marks UInt64, rows UInt64, \
    bytes_on_disk UInt64, data_compressed_bytes UInt64, data_uncompressed_bytes UInt64, modification_time DateTime, \
    partition_id String, min_block_number Int64, max_block_number Int64, level UInt32, database String, table String, \
    engine String, path String, column String, type String, column_position UInt64, column_bytes_on_disk UInt64, \
    column_data_compressed_bytes UInt64, column_data_uncompressed_bytes UInt64, remove_time DateTime, refcount UInt32, \
    min_date Date, max_date Date, min_time DateTime, max_time DateTime, data_version UInt64, disk_name String, \
    primary_key_bytes_in_memory UInt64, default_kind String, default_expression String, \
    bytes UInt64 ALIAS bytes_on_disk, marks_size UInt64 ALIAS marks_bytes, part_name String ALIAS name";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "parts", "SystemParts", PARTS, move |context, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in lasting(&databases, context) {
            let definition = table.definition();
            for part in table.parts() {
                let of_indexes = |bytes: fn(&(String, u64, u64)) -> u64| part.skip_indexes.iter().map(bytes).sum::<u64>();
                let (compressed, uncompressed) = (of_indexes(|index| index.1), of_indexes(|index| index.2));
                let projections = part.projections.iter().map(|projection| projection.name.clone()).collect();
                rows.push([
                    part.partition.into(),
                    part.name.into(),
                    Cell::Uuid(Uuid::nil()),
                    "Wide".into(),
                    "Full".into(),
                    part.active.into(),
                    part.marks.into(),
                    part.rows.into(),
                    1_u64.into(),
                    part.bytes_on_disk.into(),
                    part.data_compressed_bytes.into(),
                    part.data_uncompressed_bytes.into(),
                    part.primary_key_bytes.into(),
                    part.modification_time.into(),
                    part.remove_time.into(),
                    part.partition_id.into(),
                    part.min_block_number.into(),
                    part.max_block_number.into(),
                    u64::from(part.level).into(),
                    part.primary_key_bytes.into(),
                    (&definition.database).into(),
                    (&definition.name).into(),
                    (&definition.engine.name).into(),
                    gristmill_mergetree::read::ONLY_DISK.into(),
                    part.path.into(),
                    part.ttl.delete.0.into(),
                    part.ttl.delete.1.into(),
                    Cell::None,
                    Cell::None,
                    Cell::None,
                    expressions(&part.ttl.recompress),
                    times(&part.ttl.recompress, |rule| rule.1),
                    times(&part.ttl.recompress, |rule| rule.2),
                    expressions(&part.ttl.group_by),
                    times(&part.ttl.group_by, |rule| rule.1),
                    times(&part.ttl.group_by, |rule| rule.2),
                    expressions(&part.ttl.delete_where),
                    times(&part.ttl.delete_where, |rule| rule.1),
                    times(&part.ttl.delete_where, |rule| rule.2),
                    part.has_lightweight_delete.into(),
                    part.dates.0.into(),
                    part.dates.1.into(),
                    part.times.0.into(),
                    part.times.1.into(),
                    part.data_version.into(),
                    1_u64.into(),
                    part.codec.into(),
                    compressed.into(),
                    uncompressed.into(),
                    Cell::Texts(projections),
                    part.active.into(),
                    "Cleanup thread hasn't seen this part yet".into(),
                ])?;
            }
        }
        Ok(())
    })?);
    let databases = known.databases.clone();
    let opened = databases.clone();
    all.push(table_of_opened_parts("parts_columns", "SystemPartsColumns", PARTS_COLUMNS, opened, move |rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            for part in table.parts() {
                for (i, (column, compressed, uncompressed)) in part.columns.iter().enumerate() {
                    let declared = definition.columns.get(column);
                    let kind = declared.map(|column| column.kind.to_string());
                    let (default_kind, default) = match declared.and_then(|column| column.default.as_ref()) {
                        Some((kind, expression)) => (kind.name(), expression.as_str()),
                        None => ("", ""),
                    };
                    rows.push([
                        (&part.partition).into(),
                        (&part.name).into(),
                        "Wide".into(),
                        part.active.into(),
                        part.marks.into(),
                        part.rows.into(),
                        part.bytes_on_disk.into(),
                        part.data_compressed_bytes.into(),
                        part.data_uncompressed_bytes.into(),
                        part.modification_time.into(),
                        (&part.partition_id).into(),
                        part.min_block_number.into(),
                        part.max_block_number.into(),
                        u64::from(part.level).into(),
                        (&definition.database).into(),
                        (&definition.name).into(),
                        (&definition.engine.name).into(),
                        (&part.path).into(),
                        column.into(),
                        kind.into(),
                        (i + 1).into(),
                        (*compressed).into(),
                        (*compressed).into(),
                        (*uncompressed).into(),
                        part.remove_time.into(),
                        1_u64.into(),
                        part.dates.0.into(),
                        part.dates.1.into(),
                        part.times.0.into(),
                        part.times.1.into(),
                        part.data_version.into(),
                        gristmill_mergetree::read::ONLY_DISK.into(),
                        part.primary_key_bytes.into(),
                        default_kind.into(),
                        default.into(),
                    ])?;
                }
            }
        }
        Ok(())
    })?);
    Ok(())
}

fn expressions(rules: &[(String, u64, u64)]) -> Cell {
    Cell::Texts(rules.iter().map(|rule| rule.0.clone()).collect())
}

fn times(rules: &[(String, u64, u64)], time: impl Fn(&(String, u64, u64)) -> u64) -> Cell {
    Cell::Numbers(rules.iter().map(|rule| time(rule) as i64).collect())
}
