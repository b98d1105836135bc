//! GCS: the XML API, and for servers that cannot write by it the JSON API.
//!
//! The XML API is what GCS itself is spoken to with: the parts of an upload go side by side. Emulators know less of it:
//! fake-gcs-server reads, lists and deletes by it, but takes neither a plain PUT nor a multipart upload (its
//! `insertObject` looks for `uploadType`, a parameter of the JSON API, and answers 400 "invalid uploadType"; only URLs
//! signed in their query are excepted). The first such answer is remembered, and that store writes by the JSON API then.

use std::sync::Arc;

use async_trait::async_trait;
use object_store::PutPayload;
use object_store::client::HttpClient;
use tokio::sync::OnceCell;

use super::gcs_json::JsonWrites;
use super::{Backend, CloudBackend, Fetched, Page, PageRequest, Span};
use crate::failure::Failure;
use crate::store::ObjectInfo;

#[derive(Debug)]
pub(crate) struct GcsBackend {
    cloud: CloudBackend,
    client: HttpClient,
    /// Set once the server has shown that it needs it.
    json: OnceCell<Arc<JsonWrites>>,
}

impl GcsBackend {
    pub fn new(cloud: CloudBackend, client: HttpClient) -> Self {
        GcsBackend { cloud, client, json: OnceCell::new() }
    }

    /// Writes by the JSON API, if that is why a write by the XML API failed.
    async fn instead(&self, failure: Failure) -> Result<&JsonWrites, Failure> {
        if failure.status != Some(400) || !failure.message.contains("invalid uploadType") {
            return Err(failure);
        }
        let begin = async || {
            let authorization = self.cloud.bearer().await?;
            Ok(Arc::new(JsonWrites::new(self.cloud.location(), authorization, self.client.clone())))
        };
        self.json.get_or_try_init(begin).await.map(Arc::as_ref)
    }
}

#[async_trait]
impl Backend for GcsBackend {
    async fn get(&self, key: &str, span: Span, etag: Option<&str>) -> Result<Fetched, Failure> {
        self.cloud.get(key, span, etag).await
    }

    async fn head(&self, key: &str) -> Result<ObjectInfo, Failure> {
        self.cloud.head(key).await
    }

    async fn list_page(&self, request: &PageRequest) -> Result<Page, Failure> {
        self.cloud.list_page(request).await
    }

    async fn put(&self, key: &str, payload: PutPayload, if_absent: bool) -> Result<ObjectInfo, Failure> {
        let json = match self.json.get() {
            Some(json) => json,
            None => match self.cloud.put(key, payload.clone(), if_absent).await {
                Ok(info) => return Ok(info),
                Err(failure) => self.instead(failure).await?,
            },
        };
        json.put(key, payload.into(), if_absent).await
    }

    async fn copy(&self, from: &str, to: &str, bytes: u64) -> Result<(), Failure> {
        self.cloud.copy(from, to, bytes).await
    }

    async fn delete(&self, key: &str) -> Result<(), Failure> {
        self.cloud.delete(key).await
    }

    async fn delete_many(&self, keys: &[String]) -> Result<(), Failure> {
        self.cloud.delete_many(keys).await
    }

    async fn upload_begin(&self, key: &str) -> Result<String, Failure> {
        let json = match self.json.get() {
            Some(json) => json,
            None => match self.cloud.upload_begin(key).await {
                Ok(id) => return Ok(id),
                Err(failure) => self.instead(failure).await?,
            },
        };
        json.upload_begin(key).await
    }

    async fn upload_part(
        &self,
        key: &str,
        id: &str,
        index: usize,
        offset: u64,
        payload: PutPayload,
    ) -> Result<String, Failure> {
        match self.json.get() {
            Some(json) => json.upload_part(key, id, index, offset, payload.into()).await,
            None => self.cloud.upload_part(key, id, index, offset, payload).await,
        }
    }

    async fn upload_finish(&self, key: &str, id: &str, parts: Vec<String>) -> Result<ObjectInfo, Failure> {
        match self.json.get() {
            Some(json) => json.upload_finish(key, id).await,
            None => self.cloud.upload_finish(key, id, parts).await,
        }
    }

    async fn upload_abort(&self, key: &str, id: &str) -> Result<(), Failure> {
        match self.json.get() {
            Some(json) => json.upload_abort(key, id).await,
            None => self.cloud.upload_abort(key, id).await,
        }
    }

    fn deletes_at_once(&self) -> usize {
        self.cloud.deletes_at_once()
    }
}
