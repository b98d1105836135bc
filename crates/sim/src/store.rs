//! The objects as one process sees them. Reads of parts take place at once: their order among others makes no difference,
//! as parts never change. Everything else waits for its turn, and may meet a fault.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::PartStore;
use gristmill_mergetree::store::{PartUpload, Put, StoredObject};

use crate::definition::Definition;
use crate::world::{Turn, World};

/// How much older than now a listing may be, in milliseconds.
const STALE_MS: u64 = 60_000;

pub struct ProcessStore {
    world: Arc<World>,
    process: u64,
}

impl ProcessStore {
    pub fn new(world: &Arc<World>, process: u64) -> Arc<ProcessStore> {
        Arc::new(ProcessStore { world: world.clone(), process })
    }

    /// Puts the next definition in the place of the newest one. It lies beside the table's objects, in a catalog.
    pub async fn put_definition(&self, next: impl FnOnce(&Definition) -> Result<Definition>) -> Result<Definition> {
        let turn = self.turn("alter", "").await;
        match turn {
            Turn::Refused | Turn::Late | Turn::Killed => Err(lost()),
            Turn::Done | Turn::Stale | Turn::Repeated | Turn::AnswerLost => {
                let definition = self.world.define(next)?;
                if turn == Turn::AnswerLost { Err(lost()) } else { Ok(definition) }
            }
        }
    }

    /// Waits for the turn of a request.
    async fn turn(&self, what: &str, key: &str) -> Turn {
        self.world.turn(self.process, format!("{what} {key}")).await
    }
}

impl std::fmt::Debug for ProcessStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ProcessStore({})", self.process)
    }
}

fn lost() -> Error {
    Error::new(ErrorCode::NETWORK_ERROR, "the connection broke")
}

fn digest(data: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish()
}

/// A conditional put that takes place.
pub(crate) async fn put(world: &Arc<World>, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
    let digest = digest(&data);
    let put = world.objects.put_if_absent(context, key, data).await?;
    if put == Put::Created {
        world.made(key, digest);
    }
    Ok(put)
}

#[async_trait]
impl PartStore for ProcessStore {
    async fn read(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.world.objects.read(context, key, ranges).await
    }

    async fn read_whole(&self, context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>> {
        match self.turn("get", key).await {
            Turn::Done | Turn::Stale | Turn::Repeated => self.world.objects.read_whole(context, key).await,
            _ => Err(lost()),
        }
    }

    async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
        match self.turn("put", key).await {
            Turn::Done | Turn::Stale => put(&self.world, context, key, data).await,
            Turn::Repeated => {
                put(&self.world, context, key, data.clone()).await?;
                put(&self.world, context, key, data).await
            }
            Turn::AnswerLost => {
                put(&self.world, context, key, data).await?;
                Err(lost())
            }
            Turn::Late => {
                self.world.put_later(key, data);
                Err(lost())
            }
            Turn::Refused | Turn::Killed => Err(lost()),
        }
    }

    async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>> {
        let inner = self.world.objects.upload(context, key).await?;
        let store = ProcessStore { world: self.world.clone(), process: self.process };
        Ok(Box::new(ProcessUpload { store, key: key.to_string(), inner }))
    }

    async fn list(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>> {
        let turn = self.turn("list", prefix).await;
        let mut listed = match turn {
            Turn::Done | Turn::Stale | Turn::Repeated => self.world.objects.list(context, prefix).await?,
            _ => return Err(lost()),
        };
        if turn == Turn::Stale {
            let seen_ms = self.world.now_ms() - self.world.chance(STALE_MS);
            listed.retain(|object| object.modified_ms <= seen_ms);
        }
        Ok(listed)
    }

    async fn delete(&self, context: &Arc<QueryContext>, key: &str) -> Result<()> {
        // What an insert that failed left is removed beside what the process does next, and there is nobody who waits for
        // it: not an event of its own, or the order of events would not be the seed's.
        let is_beside = context.query == "discard";
        let turn = match is_beside {
            true if self.world.is_alive(self.process) => Turn::Done,
            true => Turn::Killed,
            false => self.turn("delete", key).await,
        };
        match turn {
            Turn::Done | Turn::Stale | Turn::Repeated => self.world.objects.delete(context, key).await,
            Turn::AnswerLost => {
                self.world.objects.delete(context, key).await?;
                Err(lost())
            }
            _ => Err(lost()),
        }
    }

    fn location(&self, key: &str) -> String {
        self.world.objects.location(key)
    }
}

struct ProcessUpload {
    store: ProcessStore,
    key: String,
    inner: Box<dyn PartUpload>,
}

#[async_trait]
impl PartUpload for ProcessUpload {
    async fn write(&mut self, data: Bytes) -> Result<()> {
        self.inner.write(data).await
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        match self.store.turn("upload", &self.key).await {
            Turn::Done | Turn::Stale | Turn::Repeated => self.inner.finish().await,
            Turn::AnswerLost => {
                self.inner.finish().await?;
                Err(lost())
            }
            _ => Err(lost()),
        }
    }

    async fn abort(self: Box<Self>) {}
}
