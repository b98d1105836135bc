//! Writing and deleting whole objects; `upload` has streamed writes.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use object_store::PutPayload;

use super::read::read_whole;
use super::{ObjectInfo, Operation, PutOutcome, Store};
use crate::account::Class;
use crate::failure::FailureKind;
use crate::location::Provider;
use crate::upload::Upload;

/// Bytes that are read at a time where an object is copied by reading it.
const COPIED_PIECE_BYTES: u64 = 16 << 20;
/// Batches of deletions in flight.
const DELETES_IN_FLIGHT: usize = 16;

impl Store {
    pub async fn put(&self, ctx: &Arc<QueryContext>, key: &str, payload: impl Into<PutPayload>) -> Result<ObjectInfo> {
        let payload = payload.into();
        let operation = Operation::writing("write", key, Class::Put, self.provider() != Provider::Http);
        let length = payload.content_length() as u64;
        let info = self
            .run(ctx, operation, |backend| {
                let (key, payload) = (key.to_string(), payload.clone());
                async move { backend.put(&key, payload, false).await }
            })
            .await?;
        self.count_written(ctx, length);
        Ok(info)
    }

    /// Writes an object that must not exist yet: of several writers at once, one creates it.
    ///
    /// Where an attempt was lost on the way, the next may find the object made by it. Then the object is read: if it holds
    /// exactly these bytes, this call counts as its creator. Writers that race must therefore write different bytes, for
    /// example a random id, as a manifest does.
    pub async fn put_if_absent(&self, ctx: &Arc<QueryContext>, key: &str, bytes: Bytes) -> Result<PutOutcome> {
        let operation = Operation::writing("write", key, Class::Put, true);
        let length = bytes.len() as u64;
        let outcome = self
            .run_counting(ctx, operation, |backend| {
                let (key, bytes) = (key.to_string(), bytes.clone());
                async move { backend.put(&key, bytes.into(), true).await }
            })
            .await;
        match outcome {
            Ok((info, _)) => {
                self.count_written(ctx, length);
                Ok(PutOutcome::Created(info))
            }
            Err((_, Some((FailureKind::Precondition, false)))) => Ok(PutOutcome::AlreadyExists),
            Err((_, Some((FailureKind::Precondition, true)))) => {
                let stream = self.get_stream(ctx, key).await?;
                let info = stream.info.clone();
                let there = read_whole(stream).await?;
                Ok(if there == bytes { PutOutcome::Created(info) } else { PutOutcome::AlreadyExists })
            }
            Err((error, _)) => Err(error),
        }
    }

    /// Begins a streamed write. The object appears, whole, when `finish` is done.
    pub fn upload(&self, ctx: &Arc<QueryContext>, key: &str) -> Upload {
        Upload::new(self.clone(), ctx.clone(), key.to_string(), false)
    }

    /// As `upload`, of what goes behind the bytes that a file holds: all of it when `finish` is done, nothing before.
    pub fn append(&self, ctx: &Arc<QueryContext>, key: &str) -> Upload {
        Upload::new(self.clone(), ctx.clone(), key.to_string(), true)
    }

    pub(crate) async fn append_bytes(&self, ctx: &Arc<QueryContext>, key: &str, bytes: Bytes) -> Result<ObjectInfo> {
        let operation = Operation::writing("write", key, Class::Put, false);
        let length = bytes.len() as u64;
        let info = self
            .run(ctx, operation, |backend| {
                let (key, bytes) = (key.to_string(), bytes.clone());
                async move { backend.append(&key, bytes).await }
            })
            .await?;
        self.count_written(ctx, length);
        Ok(info)
    }

    /// Makes an object of another of `bytes` bytes: by a second name on a disk, by the server where it can, otherwise by
    /// reading and writing. Objects that are copied so must never be changed.
    pub async fn copy(&self, ctx: &Arc<QueryContext>, from: &str, to: &str, bytes: u64) -> Result<()> {
        let operation = Operation::writing("copy", from, Class::Copy, true);
        let copied = self.run_counting(ctx, operation, |backend| {
            let (from, to) = (from.to_string(), to.to_string());
            async move { backend.copy(&from, &to, bytes).await }
        });
        match copied.await {
            Ok(_) => return Ok(()),
            Err((error, Some((kind, _)))) if !matches!(kind, FailureKind::Unsupported | FailureKind::Refused) => {
                return Err(error);
            }
            Err((error, None)) => return Err(error),
            Err(_) => {}
        }
        let mut upload = self.upload(ctx, to);
        let moved = async {
            let mut at = 0;
            while at < bytes {
                let end = bytes.min(at + COPIED_PIECE_BYTES);
                upload.write(self.get_range(ctx, from, at..end, None).await?).await?;
                at = end;
            }
            Ok(())
        };
        match moved.await {
            Ok(()) => upload.finish().await.map(|_| ()),
            Err(error) => {
                if let Err(left) = upload.abort().await {
                    tracing::warn!("a copy was not given up cleanly: {left}");
                }
                Err(error)
            }
        }
    }

    /// Makes objects outlast a loss of power: needed only of a store that syncs when told. Not tried again: after a sync
    /// that failed, the next one knows nothing of the bytes that were lost.
    pub async fn sync(&self, ctx: &Arc<QueryContext>, keys: &[String]) -> Result<()> {
        let operation = Operation::writing("sync", keys.first().map_or("", String::as_str), Class::Put, false);
        self.run(ctx, operation, |backend| {
            let keys = keys.to_vec();
            async move { backend.sync(&keys).await }
        })
        .await
    }

    /// A missing object counts as deleted.
    pub async fn delete(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<()> {
        let operation = Operation::writing("delete", key, Class::Delete, true);
        self.run(ctx, operation, |backend| {
            let key = key.to_string();
            async move { backend.delete(&key).await }
        })
        .await
    }

    /// As many a request as the store takes. Objects that are missing count as deleted.
    pub async fn delete_many(&self, ctx: &Arc<QueryContext>, keys: &[String]) -> Result<()> {
        stream::iter(keys.chunks(self.inner.backend.deletes_at_once()).map(<[String]>::to_vec))
            .map(|batch| async move {
                let first = batch.first().map_or("", String::as_str);
                let operation = Operation::writing("delete", first, Class::Delete, true);
                self.run(ctx, operation, |backend| {
                    let batch = batch.clone();
                    async move { backend.delete_many(&batch).await }
                })
                .await
            })
            .buffer_unordered(DELETES_IN_FLIGHT)
            .try_collect()
            .await
    }
}
