//! Objects in a map, for tests and for tables that last as long as the process.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures::{StreamExt, stream};
use object_store::PutPayload;
use parking_lot::Mutex;

use super::{Backend, Fetched, Page, PageRequest, Span};
use crate::failure::{Failure, FailureKind};
use crate::store::ObjectInfo;

#[derive(Clone, Debug)]
struct Object {
    bytes: Bytes,
    etag: String,
    last_modified: u64,
}

#[derive(Debug, Default)]
pub(crate) struct MemoryBackend {
    objects: Mutex<BTreeMap<String, Object>>,
    uploads: Mutex<HashMap<String, BTreeMap<usize, Bytes>>>,
    /// Names of versions and uploads.
    counter: AtomicU64,
}

impl Object {
    fn info(&self, key: &str) -> ObjectInfo {
        ObjectInfo {
            key: key.to_string(),
            size: Some(self.bytes.len() as u64),
            last_modified: Some(self.last_modified),
            etag: Some(self.etag.clone()),
        }
    }
}

impl MemoryBackend {
    fn find(&self, key: &str) -> Result<Object, Failure> {
        self.objects.lock().get(key).cloned().ok_or_else(|| Failure::new(FailureKind::NotFound, "no such object"))
    }

    fn next(&self) -> u64 {
        self.counter.fetch_add(1, Ordering::Relaxed)
    }
}

#[async_trait]
impl Backend for MemoryBackend {
    async fn get(&self, key: &str, span: Span, etag: Option<&str>) -> Result<Fetched, Failure> {
        let object = self.find(key)?;
        if etag.is_some_and(|etag| etag != object.etag) {
            return Err(Failure::new(FailureKind::Precondition, "the ETag is another one"));
        }
        let range = span.of(object.bytes.len() as u64);
        let bytes = object.bytes.slice(range.start as usize..range.end as usize);
        Ok(Fetched { info: object.info(key), start: range.start, bytes: stream::iter([Ok(bytes)]).boxed() })
    }

    async fn head(&self, key: &str) -> Result<ObjectInfo, Failure> {
        Ok(self.find(key)?.info(key))
    }

    async fn list_page(&self, request: &PageRequest) -> Result<Page, Failure> {
        let objects = self.objects.lock();
        let after = request.token.as_ref().max(request.start_after.as_ref());
        let from = match after {
            Some(after) if *after >= request.prefix => Bound::Excluded(after.clone()),
            _ => Bound::Included(request.prefix.clone()),
        };
        let mut page = Page::default();
        let mut last = None;
        for (key, object) in objects.range((from, Bound::Unbounded)) {
            let Some(rest) = key.strip_prefix(request.prefix.as_str()) else { break };
            let group = request.delimited.then(|| rest.find('/')).flatten();
            let group = group.map(|at| format!("{}{}", request.prefix, &rest[..=at]));
            if group.is_some() && group.as_ref() == page.prefixes.last() {
                last = Some(key.clone());
                continue;
            }
            if page.objects.len() + page.prefixes.len() >= request.keys_max.max(1) {
                page.next = last;
                break;
            }
            last = Some(key.clone());
            match group {
                // The group was given on an earlier page.
                Some(group) if after.is_some_and(|after| after.starts_with(&group)) => {}
                Some(group) => page.prefixes.push(group),
                None => page.objects.push(object.info(key)),
            }
        }
        Ok(page)
    }

    async fn put(&self, key: &str, payload: PutPayload, if_absent: bool) -> Result<ObjectInfo, Failure> {
        let mut objects = self.objects.lock();
        if if_absent && objects.contains_key(key) {
            return Err(Failure::new(FailureKind::Precondition, "the object exists"));
        }
        let last_modified = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let object = Object { bytes: payload.into(), etag: format!("\"{}\"", self.next()), last_modified };
        let info = object.info(key);
        objects.insert(key.to_string(), object);
        Ok(info)
    }

    async fn copy(&self, from: &str, to: &str, _bytes: u64) -> Result<(), Failure> {
        let bytes = self.find(from)?.bytes;
        self.put(to, bytes.into(), false).await.map(|_| ())
    }

    async fn delete(&self, key: &str) -> Result<(), Failure> {
        self.objects.lock().remove(key);
        Ok(())
    }

    async fn delete_many(&self, keys: &[String]) -> Result<(), Failure> {
        let mut objects = self.objects.lock();
        keys.iter().for_each(|key| drop(objects.remove(key)));
        Ok(())
    }

    async fn upload_begin(&self, _key: &str) -> Result<String, Failure> {
        let id = self.next().to_string();
        self.uploads.lock().insert(id.clone(), BTreeMap::new());
        Ok(id)
    }

    async fn upload_part(
        &self,
        _key: &str,
        id: &str,
        index: usize,
        _offset: u64,
        payload: PutPayload,
    ) -> Result<String, Failure> {
        let mut uploads = self.uploads.lock();
        let upload = uploads.get_mut(id).ok_or_else(|| Failure::new(FailureKind::Refused, "no such upload"))?;
        upload.insert(index, payload.into());
        Ok(index.to_string())
    }

    async fn upload_finish(&self, key: &str, id: &str, _parts: Vec<String>) -> Result<ObjectInfo, Failure> {
        let parts = self.uploads.lock().remove(id).ok_or_else(|| Failure::new(FailureKind::Refused, "no such upload"))?;
        let mut whole = BytesMut::with_capacity(parts.values().map(Bytes::len).sum());
        parts.values().for_each(|part| whole.extend_from_slice(part));
        self.put(key, whole.freeze().into(), false).await
    }

    async fn upload_abort(&self, _key: &str, id: &str) -> Result<(), Failure> {
        self.uploads.lock().remove(id);
        Ok(())
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn deletes_at_once(&self) -> usize {
        1000
    }
}
