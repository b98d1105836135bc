//! `system.blob_storage_log`: requests that changed something in object storage, and, where they are asked for, reads.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::blob_log::blob_log;

use super::{Declared, moment};
use crate::query_log::hostname;

const STRUCTURE: &str = "hostname LowCardinality(String), event_date Date, event_time DateTime, \
    event_time_microseconds DateTime64(6), event_type Enum8('Upload' = 1, 'Delete' = 2, 'MultiPartUploadCreate' = 3, \
    'MultiPartUploadWrite' = 4, 'MultiPartUploadComplete' = 5, 'MultiPartUploadAbort' = 6, 'Read' = 7), \
    query_id String, thread_id UInt64, thread_name String, bucket String, remote_path String, data_size UInt64, elapsed_microseconds UInt64, error_code Int32, \
    error String";

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(blob_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, second, micros] = moment(entry.event_time_micros);
            rows.push([
                (&host).into(),
                day,
                second,
                micros,
                entry.event.name().into(),
                (&entry.query_id).into(),
                entry.thread_id.into(),
                (&entry.thread_name).into(),
                (&entry.bucket).into(),
                (&entry.remote_path).into(),
                entry.data_size.into(),
                entry.elapsed_micros.into(),
                i64::from(entry.error_code).into(),
                (&entry.error).into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
