//! The objects that an INSERT has begun and no version names yet.
//!
//! Parts are written by tasks of their own, and a task that is aborted goes on to its next wait: it may finish its object
//! after everybody who waited for it has gone. So an object is noted here before its first byte, every task that writes
//! holds the notes, and what is left in them when the last holder goes is removed.

use std::collections::HashSet;
use std::sync::Arc;

use gristmill_base::runtime::{self, Unfinished};
use parking_lot::Mutex;

use crate::table::Core;

pub struct Uncommitted {
    core: Arc<Core>,
    keys: Mutex<HashSet<String>>,
    /// The process does not end while an object may still have to go.
    _unfinished: Unfinished,
}

impl Uncommitted {
    pub fn new(core: Arc<Core>) -> Arc<Self> {
        Arc::new(Uncommitted { core, keys: Mutex::default(), _unfinished: Unfinished::begin() })
    }

    /// An object is about to be written.
    pub fn begin(&self, key: &str) {
        self.keys.lock().insert(key.to_string());
    }

    /// From here on only the manifest knows whether the object counts.
    pub fn leave<'a>(&self, keys: impl Iterator<Item = &'a str>) {
        let mut known = self.keys.lock();
        for key in keys {
            known.remove(key);
        }
    }

    /// Removes objects that will not be named.
    pub async fn discard_all<'a>(&self, keys: impl Iterator<Item = &'a str>) {
        let keys: Vec<&str> = keys.collect();
        self.core.discard_all(keys.iter().copied()).await;
        self.leave(keys.into_iter());
    }
}

impl Drop for Uncommitted {
    fn drop(&mut self) {
        let keys = std::mem::take(self.keys.get_mut());
        if keys.is_empty() {
            return;
        }
        // Without a runtime the process is ending: the sweeper takes them.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let core = self.core.clone();
            runtime::tidy(&runtime, async move {
                for key in keys {
                    core.discard(&key).await;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use arrow::array::{RecordBatch, UInt64Array};
    use async_trait::async_trait;
    use bytes::Bytes;
    use gristmill_base::{Error, Result};
    use gristmill_introspect::QueryContext;
    use gristmill_types::parse;

    use super::*;
    use crate::store::{MemoryStore, PartStore, PartUpload, Put, StoredObject};
    use crate::testing::{TableSpec, context};

    /// Objects in memory. A part's upload says when its object is there, and comes back when it is told to.
    #[derive(Debug)]
    struct SlowAnswers {
        objects: Arc<MemoryStore>,
        ends: Mutex<Option<(Sender<()>, Receiver<()>)>>,
    }

    struct SlowUpload(Box<dyn PartUpload>, Sender<()>, Receiver<()>);

    #[async_trait]
    impl PartUpload for SlowUpload {
        async fn write(&mut self, data: Bytes) -> Result<()> {
            self.0.write(data).await
        }

        async fn finish(self: Box<Self>) -> Result<()> {
            let SlowUpload(upload, is_there, go_on) = *self;
            upload.finish().await?;
            is_there.send(()).map_err(|_| Error::logical("nobody waits"))?;
            // Not a wait that an abort could end.
            go_on.recv().map_err(|_| Error::logical("nobody lets it go on"))
        }

        async fn abort(self: Box<Self>) {}
    }

    #[async_trait]
    impl PartStore for SlowAnswers {
        async fn read(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
            self.objects.read(context, key, ranges).await
        }

        async fn read_whole(&self, context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>> {
            self.objects.read_whole(context, key).await
        }

        async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
            self.objects.put_if_absent(context, key, data).await
        }

        async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>> {
            let upload = self.objects.upload(context, key).await?;
            Ok(match self.ends.lock().take() {
                Some((is_there, go_on)) => Box::new(SlowUpload(upload, is_there, go_on)),
                None => upload,
            })
        }

        async fn list(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>> {
            self.objects.list(context, prefix).await
        }

        async fn delete(&self, context: &Arc<QueryContext>, key: &str) -> Result<()> {
            self.objects.delete(context, key).await
        }

        fn location(&self, key: &str) -> String {
            self.objects.location(key)
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_part_that_comes_to_be_after_its_insert_failed_is_removed() {
        let (is_there, wait_for_it) = channel();
        let (let_go, go_on) = channel();
        let objects = MemoryStore::new();
        let slow = SlowAnswers { objects: objects.clone(), ends: Mutex::new(Some((is_there, go_on))) };
        let columns = parse::structure("k UInt64").expect("columns");
        let spec = TableSpec::new(columns, &["k"], &[]).expect("spec");
        let table = spec.open(Arc::new(slow)).await.expect("opens");
        // Every row is a block of its own, so that the lane goes on while the part is written.
        let context = context(&[("min_insert_block_size_rows", "1")]).expect("context");
        let writer = gristmill_catalog::Table::write(&*table, &context).await.expect("begins");
        let mut lane = writer.lane().await.expect("lane");
        let schema = table.core().layout.schema.clone();
        let row = RecordBatch::try_new(schema, vec![Arc::new(UInt64Array::from(vec![1]))]).expect("row");
        lane.write(row).await.expect("written");
        tokio::task::spawn_blocking(move || wait_for_it.recv()).await.expect("task").expect("the object is there");
        drop(lane);
        writer.abort().await;
        drop(writer);
        let_go.send(()).expect("the upload waits");
        for _ in 0..1000 {
            if objects.list(&context, "parts/").await.expect("lists").is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the part stayed");
    }
}
