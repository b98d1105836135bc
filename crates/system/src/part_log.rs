//! `system.part_log`: what became of parts of MergeTree tables.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::part_log::part_log;

use crate::logs::Declared;
use crate::query_log::{DAY_SECONDS, MICROS, hostname};
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), query_id String, \
    event_type Enum8('NewPart' = 1, 'MergeParts' = 2, 'DownloadPart' = 3, 'RemovePart' = 4, 'MutatePart' = 5, \
    'MovePart' = 6, 'MergePartsStart' = 7, 'MutatePartStart' = 8), \
    merge_reason Enum8('NotAMerge' = 1, 'RegularMerge' = 2, 'TTLDeleteMerge' = 3, 'TTLRecompressMerge' = 4, \
    'TTLDropMerge' = 5), merge_algorithm Enum8('Undecided' = 0, 'Vertical' = 1, 'Horizontal' = 2), event_date Date, \
    event_time DateTime, event_time_microseconds DateTime64(6), duration_ms UInt64, database String, table String, \
    table_uuid UUID, part_name String, partition_id String, partition String, part_type String, part_storage_type String, disk_name String, \
    path_on_disk String, rows UInt64, size_in_bytes UInt64, merged_from Array(String), bytes_uncompressed UInt64, \
    read_rows UInt64, read_bytes UInt64, peak_memory_usage UInt64, error UInt16, exception String, mutation_ids Array(String), \
    ProfileEvents Map(LowCardinality(String), UInt64), projections Array(String)";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(part_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let time = entry.event_time_micros;
            let events = entry.profile_events.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            rows.push([
                (&host).into(),
                (&entry.query_id).into(),
                entry.event.name().into(),
                entry.merge_reason.into(),
                entry.merge_algorithm.into(),
                time.div_euclid(MICROS * DAY_SECONDS).into(),
                time.div_euclid(MICROS).into(),
                time.into(),
                entry.duration_ms.into(),
                (&entry.database).into(),
                (&entry.table).into(),
                Cell::Uuid(entry.table_uuid),
                (&entry.part_name).into(),
                (&entry.partition_id).into(),
                (&entry.partition).into(),
                "Wide".into(),
                "Full".into(),
                "default".into(),
                (&entry.path).into(),
                entry.rows.into(),
                entry.size_in_bytes.into(),
                entry.merged_from.clone().into(),
                entry.bytes_uncompressed.into(),
                entry.read_rows.into(),
                entry.read_bytes.into(),
                entry.peak_memory_usage.into(),
                u64::try_from(entry.error_code).unwrap_or_default().into(),
                (&entry.exception).into(),
                entry.mutation_ids.clone().into(),
                Cell::Counts(events),
                entry.projections.clone().into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
