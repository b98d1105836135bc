//! A folder of a bucket, or of a local disk, through the object store layer.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::TryStreamExt;
use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_objstore::{Provider, PutOutcome, Store, Upload};

use super::{PartStore, PartUpload, Put, StoredObject, copy_bytes};

/// The objects of `store` whose keys begin with a prefix.
#[derive(Clone, Debug)]
pub struct ObjectFolder {
    store: Store,
    /// Empty, or ending in `/`.
    prefix: String,
}

impl ObjectFolder {
    pub fn new(store: Store, prefix: &str) -> Arc<Self> {
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Arc::new(ObjectFolder { store, prefix })
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }
}

#[async_trait]
impl PartStore for ObjectFolder {
    async fn read(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.store.get_ranges(context, &self.key(key), ranges, None).await
    }

    fn read_now(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        self.store.get_ranges_now(context, &self.key(key), ranges)
    }

    async fn read_whole(&self, context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>> {
        let key = self.key(key);
        match self.store.get(context, &key).await {
            Ok(data) => Ok(Some(data)),
            Err(error) if error.code() == ErrorCode::FILE_DOESNT_EXIST => Ok(None),
            // Stores word a missing object in their own ways: ask before passing the error on.
            Err(error) => match self.store.exists(context, &key).await {
                Ok(false) => Ok(None),
                _ => Err(error),
            },
        }
    }

    async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
        Ok(match self.store.put_if_absent(context, &self.key(key), data).await? {
            PutOutcome::Created(_) => Put::Created,
            PutOutcome::AlreadyExists => Put::Exists,
        })
    }

    async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>> {
        Ok(Box::new(ObjectUpload(self.store.upload(context, &self.key(key)))))
    }

    async fn copy(&self, context: &Arc<QueryContext>, from: &dyn PartStore, key: &str, bytes: u64, to: &str) -> Result<()> {
        match from.as_object_folder() {
            Some(from) if from.store.is_same(&self.store) => {
                self.store.copy(context, &from.key(key), &self.key(to), bytes).await
            }
            _ => copy_bytes(self, context, from, (key, bytes), to).await,
        }
    }

    fn as_object_folder(&self) -> Option<&ObjectFolder> {
        Some(self)
    }

    async fn sync(&self, context: &Arc<QueryContext>, keys: &[String]) -> Result<()> {
        let keys: Vec<String> = keys.iter().map(|key| self.key(key)).collect();
        self.store.sync(context, &keys).await
    }

    async fn list(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>> {
        let objects: Vec<_> = self.store.list(context, &self.key(prefix), None).try_collect().await?;
        let own = |key: &str| key.strip_prefix(&self.prefix).map(str::to_string);
        Ok(objects
            .into_iter()
            .filter_map(|object| {
                Some(StoredObject {
                    key: own(&object.key)?,
                    size_bytes: object.size.unwrap_or_default(),
                    modified_ms: object.last_modified.unwrap_or_default() * 1000,
                })
            })
            .collect())
    }

    async fn delete(&self, context: &Arc<QueryContext>, key: &str) -> Result<()> {
        self.store.delete(context, &self.key(key)).await
    }

    async fn delete_prefix(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<()> {
        let objects: Vec<_> = self.store.list(context, &self.key(prefix), None).try_collect().await?;
        let keys: Vec<String> = objects.into_iter().map(|object| object.key).collect();
        self.store.delete_many(context, &keys).await
    }

    async fn remove_folder(&self) {
        if self.store.provider() != Provider::File {
            return;
        }
        for folder in ["parts", "projections", "manifest", ""] {
            // What is not empty stays: somebody else put something there.
            if let Err(error) = tokio::fs::remove_dir(self.store.display(&self.key(folder))).await {
                tracing::debug!("folder {} was not removed: {error}", self.location(folder));
            }
        }
    }

    fn location(&self, key: &str) -> String {
        self.store.display(&self.key(key))
    }
}

struct ObjectUpload(Upload);

#[async_trait]
impl PartUpload for ObjectUpload {
    async fn write(&mut self, data: Bytes) -> Result<()> {
        self.0.write(data).await
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        self.0.finish().await.map(|_| ())
    }

    async fn abort(self: Box<Self>) {
        if let Err(error) = self.0.abort().await {
            tracing::warn!("an upload was not given up cleanly: {error}");
        }
    }
}
