//! Parquet files that are opened before the scan asks for them.
//!
//! The structure of a source comes from one of its files, and nothing can be planned before it is known: a round trip
//! during which the line is idle. So the footers of the files that the scan is going to open first are asked for beside it.
//! And what was read of the file that gave the structure is handed on, so that nothing is read twice: a file that was named
//! and not listed has no ETag until then, by which its footer could be found again.
//!
//! A head start is of use only where every file is going to be opened: not where conditions on paths leave files out.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use gristmill_base::Result;
use gristmill_base::runtime::{self, Task};
use parking_lot::Mutex;

use super::fetch::{Fetcher, Opened};
use super::file::SourceFile;

/// Files that are opened ahead at most: as many as a scan opens at a time.
const FILES_AHEAD_MAX: usize = 256;

/// Bytes that are kept of files that were looked at for their structure (every one of them with `union`): what is beyond is
/// read again.
const KEPT_BYTES_MAX: u64 = 64 << 20;

#[derive(Default)]
pub struct Opening {
    by_key: Mutex<HashMap<String, BoxFuture<'static, Result<Opened>>>>,
    /// Of text formats: the beginning of a file, as it lies there.
    heads: Mutex<HashMap<String, Bytes>>,
    kept_bytes: AtomicU64,
}

impl Opening {
    /// Begins to open files.
    pub fn begin(&self, fetcher: &Fetcher, files: &[Arc<SourceFile>]) {
        let mut by_key = self.by_key.lock();
        for file in files.iter().take(FILES_AHEAD_MAX) {
            let (fetcher, wanted) = (fetcher.clone(), file.clone());
            let task = Task::on(&runtime::io(), async move { fetcher.footer(&wanted).await });
            by_key.insert(file.key.clone(), async move { task.join().await? }.boxed());
        }
    }

    /// Keeps what was read of a file.
    pub fn keep(&self, file: &SourceFile, opened: Opened) {
        let whole = opened.footer.whole.as_ref().map_or(0, |whole| whole.len() as u64);
        if !self.has_room(opened.footer.memory_bytes + whole) {
            return;
        }
        self.by_key.lock().insert(file.key.clone(), std::future::ready(Ok(opened)).boxed());
    }

    /// Keeps the beginning of a file.
    pub fn keep_head(&self, file: &SourceFile, head: Bytes) {
        if !self.has_room(head.len() as u64) {
            return;
        }
        self.heads.lock().insert(file.key.clone(), head);
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.kept_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= KEPT_BYTES_MAX
    }

    /// The beginning of a file, where it was read before.
    pub fn take_head(&self, file: &SourceFile) -> Option<Bytes> {
        self.heads.lock().remove(&file.key)
    }

    /// The footer of a file: the one that is at hand or on its way, for whoever asks first.
    pub async fn footer(&self, fetcher: &Fetcher, file: &Arc<SourceFile>) -> Result<Opened> {
        let begun = self.by_key.lock().remove(&file.key);
        match begun {
            Some(opened) => fetcher.context.cancellable(opened).await,
            None => fetcher.footer(file).await,
        }
    }
}
