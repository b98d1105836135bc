//! What a kind of store must do: one attempt at each operation, no retries, failures told apart.

mod cloud;
mod cloud_clients;
mod gcs;
mod gcs_json;
mod http;
mod local;
mod memory;
mod odd_keys;

use std::fmt::Debug;
use std::ops::Range;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use gristmill_introspect::Settings;
use object_store::PutPayload;

pub(crate) use cloud::CloudBackend;
pub(crate) use cloud_clients::{ClientSettings, client_options, header_map};
pub(crate) use gcs::GcsBackend;
pub(crate) use http::{HttpBackend, basic_auth, client, plain_client};
pub(crate) use local::{LocalBackend, Syncs, counted};
pub(crate) use memory::MemoryBackend;
pub(crate) use odd_keys::take_out;

use crate::failure::{Failure, FailureKind};
use crate::store::ObjectInfo;

/// The bytes of an object that a GET asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Span {
    Bounded(Range<u64>),
    From(u64),
    Suffix(u64),
}

impl Span {
    pub const WHOLE: Span = Span::From(0);

    /// The bytes it stands for in an object of `size` bytes.
    pub fn of(&self, size: u64) -> Range<u64> {
        match self {
            Span::Bounded(range) => range.start.min(size)..range.end.min(size),
            Span::From(start) => (*start).min(size)..size,
            Span::Suffix(bytes) => size.saturating_sub(*bytes)..size,
        }
    }
}

/// An answer to a GET.
pub(crate) struct Fetched {
    /// Of the whole object.
    pub info: ObjectInfo,
    /// Where the first of `bytes` lies in the object.
    pub start: u64,
    pub bytes: BoxStream<'static, Result<Bytes, Failure>>,
}

/// One page of a listing.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageRequest {
    pub prefix: String,
    /// Group what lies beyond the next `/` into prefixes.
    pub delimited: bool,
    /// Only keys after this one.
    pub start_after: Option<String>,
    pub token: Option<String>,
    pub keys_max: usize,
}

impl PageRequest {
    /// The first page of everything, as long as the settings say.
    pub fn first(settings: &Settings) -> Self {
        let keys_max = usize::try_from(settings.s3_list_object_keys_size).unwrap_or(usize::MAX).clamp(1, 1000);
        PageRequest { keys_max, ..PageRequest::default() }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Page {
    pub objects: Vec<ObjectInfo>,
    /// With their trailing `/`.
    pub prefixes: Vec<String>,
    /// `None` on the last page.
    pub next: Option<String>,
}

#[async_trait]
pub(crate) trait Backend: Send + Sync + Debug {
    /// An ETag makes the answer an error where the object is another one by now.
    async fn get(&self, key: &str, span: Span, etag: Option<&str>) -> Result<Fetched, Failure>;
    /// The ranges, where all of them are in memory: nothing is waited for.
    fn get_now(&self, _key: &str, _ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        None
    }
    async fn head(&self, key: &str) -> Result<ObjectInfo, Failure>;
    async fn list_page(&self, request: &PageRequest) -> Result<Page, Failure>;
    /// The whole listing, where the store has no pages of its own.
    fn walk(&self, _request: &PageRequest) -> Option<BoxStream<'static, Result<Page, Failure>>> {
        None
    }
    /// `if_absent`: fails with `Precondition` where the object exists.
    async fn put(&self, key: &str, payload: PutPayload, if_absent: bool) -> Result<ObjectInfo, Failure>;
    /// Puts bytes behind those that a file holds, all of them or none. Only files can grow.
    async fn append(&self, _key: &str, _bytes: Bytes) -> Result<ObjectInfo, Failure> {
        Err(Failure::new(FailureKind::Unsupported, "objects cannot be appended to"))
    }
    /// Makes an object of another without moving bytes: both are never changed after. `bytes`: its size.
    async fn copy(&self, _from: &str, _to: &str, _bytes: u64) -> Result<(), Failure> {
        Err(Failure::new(FailureKind::Unsupported, "the store copies nothing by itself"))
    }
    /// A missing object counts as deleted.
    async fn delete(&self, key: &str) -> Result<(), Failure>;
    async fn delete_many(&self, keys: &[String]) -> Result<(), Failure>;
    /// Gives the id of the upload.
    async fn upload_begin(&self, key: &str) -> Result<String, Failure>;
    /// Part `index` begins at byte `offset` of the object. Gives what `upload_finish` wants of it.
    async fn upload_part(
        &self,
        key: &str,
        id: &str,
        index: usize,
        offset: u64,
        payload: PutPayload,
    ) -> Result<String, Failure>;
    async fn upload_finish(&self, key: &str, id: &str, parts: Vec<String>) -> Result<ObjectInfo, Failure>;
    /// In place of `upload_finish`: what was uploaded goes behind what the file holds.
    async fn upload_append(&self, _key: &str, _id: &str) -> Result<ObjectInfo, Failure> {
        Err(Failure::new(FailureKind::Unsupported, "objects cannot be appended to"))
    }
    async fn upload_abort(&self, key: &str, id: &str) -> Result<(), Failure>;
    /// Makes objects that were written outlast a loss of power. Those in buckets always do.
    async fn sync(&self, _keys: &[String]) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether a suffix can be asked for without the size.
    fn reads_suffixes(&self) -> bool {
        true
    }

    /// Whether pieces of a long range are worth fetching beside each other.
    fn is_remote(&self) -> bool {
        true
    }

    /// Objects that one `delete_many` takes.
    fn deletes_at_once(&self) -> usize {
        1
    }
}
