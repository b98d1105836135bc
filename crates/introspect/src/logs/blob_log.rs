//! `system.blob_storage_log`: requests that changed something in object storage, and, where they are asked for, reads.

use super::{Log, LogEntry, texts_bytes};

/// Values of the `event_type` column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobEvent {
    Upload,
    Delete,
    MultiPartUploadCreate,
    MultiPartUploadWrite,
    MultiPartUploadComplete,
    MultiPartUploadAbort,
    Read,
}

impl BlobEvent {
    pub fn name(self) -> &'static str {
        match self {
            BlobEvent::Upload => "Upload",
            BlobEvent::Delete => "Delete",
            BlobEvent::MultiPartUploadCreate => "MultiPartUploadCreate",
            BlobEvent::MultiPartUploadWrite => "MultiPartUploadWrite",
            BlobEvent::MultiPartUploadComplete => "MultiPartUploadComplete",
            BlobEvent::MultiPartUploadAbort => "MultiPartUploadAbort",
            BlobEvent::Read => "Read",
        }
    }
}

#[derive(Debug)]
pub struct BlobEntry {
    pub event: BlobEvent,
    pub event_time_micros: i64,
    pub elapsed_micros: u64,
    pub query_id: String,
    /// Of the thread that had the answer.
    pub thread_id: u64,
    pub thread_name: String,
    pub bucket: String,
    pub remote_path: String,
    pub data_size: u64,
    /// 0: none.
    pub error_code: i32,
    pub error: String,
}

impl LogEntry for BlobEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.query_id, &self.thread_name, &self.bucket, &self.remote_path, &self.error])
    }
}

static LOG: Log<BlobEntry> = Log::new("blob_storage_log", 10_000);

pub fn blob_log() -> &'static Log<BlobEntry> {
    &LOG
}
