//! Objects in memory that are read and written slowly, or not at all for a while.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_mergetree::store::{PartUpload, Put, StoredObject};
use gristmill_mergetree::{MemoryStore, PartStore};
use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};

#[derive(Debug)]
pub struct SlowStore {
    inner: Arc<MemoryStore>,
    /// What every operation takes.
    delay: Duration,
    is_open: watch::Sender<bool>,
    /// The next version that is put is there at once, and its answer comes when this is dropped.
    late: Mutex<Option<oneshot::Receiver<()>>>,
}

impl SlowStore {
    pub fn new(delay: Duration) -> Arc<Self> {
        Arc::new(SlowStore { inner: MemoryStore::new(), delay, is_open: watch::Sender::new(true), late: Mutex::default() })
    }

    /// From now on operations wait until it is opened.
    pub fn close(&self) {
        self.is_open.send_replace(false);
    }

    pub fn open(&self) {
        self.is_open.send_replace(true);
    }

    pub fn hold_answer(&self) -> oneshot::Sender<()> {
        let (sender, receiver) = oneshot::channel();
        *self.late.lock() = Some(receiver);
        sender
    }

    async fn wait(&self) {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        self.is_open.subscribe().wait_for(|is_open| *is_open).await.expect("the store is there");
    }
}

#[async_trait]
impl PartStore for SlowStore {
    async fn read(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.wait().await;
        self.inner.read(context, key, ranges).await
    }

    async fn read_whole(&self, context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>> {
        self.wait().await;
        self.inner.read_whole(context, key).await
    }

    async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
        self.wait().await;
        let answer = self.inner.put_if_absent(context, key, data).await;
        let late = self.late.lock().take();
        if let Some(late) = late {
            let _ = late.await;
        }
        answer
    }

    async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>> {
        self.wait().await;
        self.inner.upload(context, key).await
    }

    async fn list(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>> {
        self.inner.list(context, prefix).await
    }

    async fn delete(&self, context: &Arc<QueryContext>, key: &str) -> Result<()> {
        self.inner.delete(context, key).await
    }

    fn location(&self, key: &str) -> String {
        self.inner.location(key)
    }
}
