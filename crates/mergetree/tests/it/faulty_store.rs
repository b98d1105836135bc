//! Objects in memory whose n-th write meets a fault: the process dies, or the store's answer is an error.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::store::{PartUpload, Put, StoredObject};
use gristmill_mergetree::{MemoryStore, PartStore};
use tokio::sync::Notify;

/// What happens at the chosen write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The process dies before it.
    KilledBefore,
    /// The process dies after it, without having seen the answer.
    KilledAfter,
    /// It takes place, and the answer is an error.
    AnswerLost,
    /// It does not take place.
    Refused,
}

/// Objects in memory whose n-th write (an object put or finished, an object removed) meets a fault.
#[derive(Debug)]
pub struct FaultyStore {
    inner: Arc<MemoryStore>,
    fault: Fault,
    left: AtomicUsize,
    pub dead: Notify,
    is_dead: AtomicBool,
}

impl FaultyStore {
    pub fn new(inner: Arc<MemoryStore>, fault: Fault, write: usize) -> Arc<Self> {
        let (dead, is_dead) = (Notify::new(), false.into());
        Arc::new(FaultyStore { inner, fault, left: AtomicUsize::new(write), dead, is_dead })
    }

    /// Whether the fault was met.
    pub fn met(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    /// A dead process does nothing any more: it waits for ever.
    async fn alive(&self) {
        if self.is_dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }

    async fn die(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
        self.dead.notify_one();
        self.alive().await;
    }

    async fn write<T>(&self, operation: impl Future<Output = Result<T>>) -> Result<T> {
        self.alive().await;
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left != Ok(1) {
            return operation.await;
        }
        let lost = || Error::new(ErrorCode::NETWORK_ERROR, "the connection broke");
        match self.fault {
            Fault::KilledBefore => self.die().await,
            Fault::Refused => return Err(lost()),
            Fault::KilledAfter => {
                operation.await?;
                self.die().await;
            }
            Fault::AnswerLost => {
                operation.await?;
            }
        }
        Err(lost())
    }
}

/// What a process that meets the fault has for a store.
#[derive(Debug)]
pub struct Faulty(pub Arc<FaultyStore>);

#[async_trait]
impl PartStore for Faulty {
    async fn read(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.0.alive().await;
        self.0.inner.read(context, key, ranges).await
    }

    async fn read_whole(&self, context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>> {
        self.0.alive().await;
        self.0.inner.read_whole(context, key).await
    }

    async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
        self.0.write(self.0.inner.put_if_absent(context, key, data)).await
    }

    async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>> {
        self.0.alive().await;
        let upload = self.0.inner.upload(context, key).await?;
        Ok(Box::new(FaultyUpload { store: self.0.clone(), upload }))
    }

    async fn list(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>> {
        self.0.alive().await;
        self.0.inner.list(context, prefix).await
    }

    async fn delete(&self, context: &Arc<QueryContext>, key: &str) -> Result<()> {
        self.0.write(self.0.inner.delete(context, key)).await
    }

    fn location(&self, key: &str) -> String {
        self.0.inner.location(key)
    }
}

struct FaultyUpload {
    store: Arc<FaultyStore>,
    upload: Box<dyn PartUpload>,
}

#[async_trait]
impl PartUpload for FaultyUpload {
    async fn write(&mut self, data: Bytes) -> Result<()> {
        self.store.alive().await;
        self.upload.write(data).await
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        self.store.write(self.upload.finish()).await
    }

    async fn abort(self: Box<Self>) {}
}
