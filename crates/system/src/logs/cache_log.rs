//! `system.filesystem_cache_log`: what queries read of files in object storage, and whether a cache of this process had it.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::cache_log::cache_log;

use super::{Declared, moment};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, query_id String, \
    source_file_path String, file_segment_range Tuple(UInt64, UInt64), total_requested_range Tuple(UInt64, UInt64), \
    key String, offset UInt64, size UInt64, read_type String, read_from_cache_attempted UInt8, \
    ProfileEvents Map(LowCardinality(String), UInt64), read_buffer_id String";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(cache_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, second, _] = moment(entry.event_time_micros);
            let (start, end) = entry.range;
            // ClickHouse's ranges include their last byte.
            let range = Cell::Span(start, end.saturating_sub(1).max(start));
            rows.push([
                (&host).into(),
                day,
                second,
                (&entry.query_id).into(),
                (&entry.path).into(),
                range.clone(),
                range,
                "".into(),
                start.into(),
                end.saturating_sub(start).into(),
                if entry.is_cached { "READ_FROM_CACHE" } else { "READ_FROM_FS_BYPASSING_CACHE" }.into(),
                entry.was_attempted.into(),
                Cell::None,
                "".into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
