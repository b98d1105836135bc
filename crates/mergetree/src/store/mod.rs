//! What the engine asks of the place where a table lies: a folder of objects, of which parts and manifest versions are
//! two kinds. An object is written once, whole, and never changed.
//!
//! `put_if_absent` is the only point of agreement between writers: of any number that put the same key exactly one
//! gets `Created`. What it made survives a loss of power when it returns; what was uploaded does when `sync` has named
//! it, which a commit does before it names it (I-1).

mod objects;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

pub use objects::ObjectFolder;

/// Bytes of an object that are copied at a time where they have to be moved.
const COPIED_PIECE_BYTES: u64 = 8 << 20;

/// What became of a conditional put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    Created,
    /// Somebody (perhaps an earlier try of ours) wrote the key before.
    Exists,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    pub key: String,
    pub size_bytes: u64,
    /// Milliseconds since the Unix epoch.
    pub modified_ms: u64,
}

/// A folder of objects. Keys are relative to it, with `/` between their parts.
#[async_trait]
pub trait PartStore: Send + Sync + Debug {
    /// The bytes of each range, in their order. FILE_DOESNT_EXIST where there is no such object.
    async fn read(&self, context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>>;

    /// As `read`, where all bytes are in this machine's memory already: nothing is waited for.
    fn read_now(&self, _context: &Arc<QueryContext>, _key: &str, _ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        None
    }

    /// A whole object; `None` where there is none.
    async fn read_whole(&self, context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>>;

    /// An error leaves open whether the object was written.
    async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put>;

    /// Opens the writing of a new object, which appears when it is finished.
    async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>>;

    /// Makes an object of one of `bytes` bytes in a folder, this one or another, without moving bytes where the store can.
    /// Uncommitted and not synced, as what was uploaded.
    async fn copy(&self, context: &Arc<QueryContext>, from: &dyn PartStore, key: &str, bytes: u64, to: &str) -> Result<()> {
        copy_bytes(self, context, from, (key, bytes), to).await
    }

    /// The folder as one of an object store.
    fn as_object_folder(&self) -> Option<&ObjectFolder> {
        None
    }

    /// Makes uploaded objects survive a loss of power.
    async fn sync(&self, _context: &Arc<QueryContext>, _keys: &[String]) -> Result<()> {
        Ok(())
    }

    /// Every object whose key begins with the prefix, in the order of keys.
    async fn list(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>>;

    /// Removes an object; one that is not there counts as removed.
    async fn delete(&self, context: &Arc<QueryContext>, key: &str) -> Result<()>;

    /// Removes every object whose key begins with the prefix.
    async fn delete_prefix(&self, context: &Arc<QueryContext>, prefix: &str) -> Result<()> {
        for object in self.list(context, prefix).await? {
            self.delete(context, &object.key).await?;
        }
        Ok(())
    }

    /// Removes the folder itself, which is empty. Only disks have such a thing.
    async fn remove_folder(&self) {}

    /// Where the object lies, for people.
    fn location(&self, key: &str) -> String;
}

/// Copies an object, of so many bytes, by reading and writing it.
async fn copy_bytes<S: PartStore + ?Sized>(
    store: &S,
    context: &Arc<QueryContext>,
    from: &dyn PartStore,
    (key, bytes): (&str, u64),
    to: &str,
) -> Result<()> {
    let mut upload = store.upload(context, to).await?;
    let moved = async {
        for begin in (0..bytes).step_by(COPIED_PIECE_BYTES as usize) {
            context.check()?;
            let range = begin..bytes.min(begin + COPIED_PIECE_BYTES);
            for piece in from.read(context, key, &[range]).await? {
                upload.write(piece).await?;
            }
        }
        Ok(())
    };
    match moved.await {
        Ok(()) => upload.finish().await,
        Err(error) => {
            upload.abort().await;
            Err(error)
        }
    }
}

#[async_trait]
pub trait PartUpload: Send {
    /// Takes the next bytes. Waits while too many are under way.
    async fn write(&mut self, data: Bytes) -> Result<()>;

    /// Makes the object appear.
    async fn finish(self: Box<Self>) -> Result<()>;

    /// Leaves nothing behind.
    async fn abort(self: Box<Self>);
}

/// Objects in memory, for temporary tables and tests.
#[derive(Debug, Default)]
pub struct MemoryStore {
    objects: Arc<Mutex<BTreeMap<String, (Bytes, u64)>>>,
    /// Objects that a disk would still have after a loss of power.
    lasting: Mutex<HashSet<String>>,
}

impl MemoryStore {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// What a disk would hold after a loss of power: of the objects, those that were synced or created as commits.
    pub fn after_power_loss(&self) -> Arc<Self> {
        let lasting = self.lasting.lock().clone();
        let objects = self.objects.lock().clone();
        let left = objects.into_iter().filter(|(key, _)| lasting.contains(key)).collect();
        Arc::new(MemoryStore { objects: Arc::new(Mutex::new(left)), lasting: Mutex::new(lasting) })
    }
}

#[async_trait]
impl PartStore for MemoryStore {
    async fn read(&self, _context: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let (data, _) = self.objects.lock().get(key).cloned().ok_or_else(|| missing(key))?;
        ranges
            .iter()
            .map(|range| {
                if range.start > range.end || range.end > data.len() as u64 {
                    return Err(Error::new(
                        ErrorCode::CANNOT_READ_ALL_DATA,
                        format!(
                            "Object {key} has {} bytes, bytes {}..{} were asked for",
                            data.len(),
                            range.start,
                            range.end
                        ),
                    ));
                }
                Ok(data.slice(range.start as usize..range.end as usize))
            })
            .collect()
    }

    async fn read_whole(&self, _context: &Arc<QueryContext>, key: &str) -> Result<Option<Bytes>> {
        Ok(self.objects.lock().get(key).map(|(data, _)| data.clone()))
    }

    async fn put_if_absent(&self, context: &Arc<QueryContext>, key: &str, data: Bytes) -> Result<Put> {
        let mut objects = self.objects.lock();
        if objects.contains_key(key) {
            return Ok(Put::Exists);
        }
        objects.insert(key.to_string(), (data, context.env.now_ms()));
        self.lasting.lock().insert(key.to_string());
        Ok(Put::Created)
    }

    async fn upload(&self, context: &Arc<QueryContext>, key: &str) -> Result<Box<dyn PartUpload>> {
        Ok(Box::new(MemoryUpload {
            objects: self.objects.clone(),
            context: context.clone(),
            key: key.to_string(),
            data: BytesMut::new(),
        }))
    }

    async fn sync(&self, _context: &Arc<QueryContext>, keys: &[String]) -> Result<()> {
        let objects = self.objects.lock();
        if let Some(key) = keys.iter().find(|key| !objects.contains_key(*key)) {
            return Err(missing(key));
        }
        self.lasting.lock().extend(keys.iter().cloned());
        Ok(())
    }

    async fn list(&self, _context: &Arc<QueryContext>, prefix: &str) -> Result<Vec<StoredObject>> {
        let objects = self.objects.lock();
        Ok(objects
            .range(prefix.to_string()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(key, (data, modified_ms))| StoredObject {
                key: key.clone(),
                size_bytes: data.len() as u64,
                modified_ms: *modified_ms,
            })
            .collect())
    }

    async fn delete(&self, _context: &Arc<QueryContext>, key: &str) -> Result<()> {
        self.objects.lock().remove(key);
        Ok(())
    }

    fn location(&self, key: &str) -> String {
        format!("memory:///{key}")
    }
}

fn missing(key: &str) -> Error {
    Error::new(ErrorCode::FILE_DOESNT_EXIST, format!("Object {key} does not exist"))
}

struct MemoryUpload {
    objects: Arc<Mutex<BTreeMap<String, (Bytes, u64)>>>,
    context: Arc<QueryContext>,
    key: String,
    data: BytesMut,
}

#[async_trait]
impl PartUpload for MemoryUpload {
    async fn write(&mut self, data: Bytes) -> Result<()> {
        self.data.extend_from_slice(&data);
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        let now = self.context.env.now_ms();
        self.objects.lock().insert(self.key, (self.data.freeze(), now));
        Ok(())
    }

    async fn abort(self: Box<Self>) {}
}
