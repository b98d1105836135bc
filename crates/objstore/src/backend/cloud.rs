//! S3, GCS and Azure through the clients of the `object_store` crate, without their retries.
//!
//! Two things are learnt while running. Credentials of the environment: where nothing in it gives any, requests go out
//! unsigned, which is what public buckets need. The region: a bucket that answers "I am elsewhere" names its region, and
//! the client is made again for that one.
//!
//! Keys go to the clients as `Path`, which cannot hold every key (`a//b`, `..`): such keys are refused, not changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::{StreamExt, stream};
use gristmill_base::{Error, ErrorCode, Result};
use http::{HeaderMap, HeaderValue};
use object_store::list::PaginatedListOptions;
use object_store::multipart::PartId;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use parking_lot::RwLock;

use super::cloud_clients::{Client, ClientSettings, build, is_aws};
use super::{Backend, Fetched, Page, PageRequest, Span};
use crate::credentials::Credentials;
use crate::failure::{Failure, FailureKind};
use crate::location::{Location, Provider};
use crate::store::ObjectInfo;
use crate::wire::{Call, WireConnector};

#[derive(Debug)]
pub(crate) struct CloudBackend {
    location: Location,
    credentials: Credentials,
    headers: HeaderMap,
    settings: ClientSettings,
    connector: WireConnector,
    client: RwLock<Arc<Client>>,
    settled: tokio::sync::Mutex<Option<Settled>>,
}

/// The credentials in use: those given, or none where the environment gave none when it was asked.
#[derive(Clone, Debug)]
struct Settled {
    credentials: Credentials,
    asked: Instant,
}

/// What one request of S3 copies at most.
const COPIED_BYTES_MAX: u64 = 5 << 30;
/// The environment that gave no credentials (its service may have been slow) is asked again after so long, where a request
/// without any is denied.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(30);

impl CloudBackend {
    pub fn open(
        location: &Location,
        credentials: &Credentials,
        headers: HeaderMap,
        settings: ClientSettings,
        connector: WireConnector,
    ) -> Result<CloudBackend> {
        let client = build(location, credentials, &headers, settings, &connector, location.region.as_deref())?;
        let settled = match credentials {
            Credentials::Environment => None,
            given => Some(Settled { credentials: given.clone(), asked: Instant::now() }),
        };
        Ok(CloudBackend {
            location: location.clone(),
            credentials: credentials.clone(),
            headers,
            settings,
            connector,
            client: RwLock::new(Arc::new(client)),
            settled: tokio::sync::Mutex::new(settled),
        })
    }

    async fn settled(&self) -> Result<Credentials, Failure> {
        let mut settled = self.settled.lock().await;
        if let Some(settled) = &*settled {
            return Ok(settled.credentials.clone());
        }
        Ok(settled.insert(self.ask_environment().await?).credentials.clone())
    }

    async fn ask_environment(&self) -> Result<Settled, Failure> {
        let client = Arc::new(self.rebuild(&self.credentials, None)?);
        let (credentials, client) = match client.finds_credentials().await {
            true => (self.credentials.clone(), client),
            false => (Credentials::Anonymous, Arc::new(self.rebuild(&Credentials::Anonymous, None)?)),
        };
        *self.client.write() = client;
        Ok(Settled { credentials, asked: Instant::now() })
    }

    /// Whether there are others than those used now, perhaps because the environment has some by now.
    async fn finds_others(&self, used: &Credentials) -> Result<bool, Failure> {
        let mut settled = self.settled.lock().await;
        if settled.as_ref().is_some_and(|settled| settled.credentials != *used) {
            return Ok(true);
        }
        let is_due = settled.as_ref().is_some_and(|settled| {
            let gave_none = settled.credentials == Credentials::Anonymous && self.credentials == Credentials::Environment;
            gave_none && settled.asked.elapsed() >= ASKED_AGAIN_AFTER
        });
        if !is_due {
            return Ok(false);
        }
        Ok(settled.insert(self.ask_environment().await?).credentials != Credentials::Anonymous)
    }

    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The header that GCS is asked with; `None`: without one.
    pub async fn bearer(&self) -> Result<Option<HeaderValue>, Failure> {
        self.settled().await?;
        let client = self.client.read().clone();
        let Client::Gcs(client) = client.as_ref() else { return Ok(None) };
        let credential = client.credentials().get_credential().await.map_err(|error| failure_of(&error))?;
        if credential.bearer.is_empty() {
            return Ok(None);
        }
        let unusable = |_| Failure::new(FailureKind::Refused, "the token has characters that headers do not allow");
        let mut value = HeaderValue::try_from(format!("Bearer {}", credential.bearer)).map_err(unusable)?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    fn rebuild(&self, credentials: &Credentials, region: Option<&str>) -> Result<Client, Failure> {
        let region = region.or(self.location.region.as_deref());
        build(&self.location, credentials, &self.headers, self.settings, &self.connector, region).map_err(Failure::fatal)
    }

    /// Runs one operation; follows a bucket to its region.
    async fn run<T, F>(&self, operation: impl Fn(Arc<Client>) -> F + Send) -> Result<T, Failure>
    where
        F: Future<Output = object_store::Result<T>> + Send,
    {
        let credentials = self.settled().await?;
        let client = self.client.read().clone();
        let failure = match operation(client).await {
            Ok(value) => return Ok(value),
            Err(error) => failure_of(&error),
        };
        if failure.kind == FailureKind::Denied && self.finds_others(&credentials).await? {
            let client = self.client.read().clone();
            return operation(client).await.map_err(|error| failure_of(&error));
        }
        let followed = match (&failure.region, failure.kind, self.location.provider) {
            (Some(region), FailureKind::Redirect, Provider::S3) if is_aws(&self.location.endpoint) => region,
            _ => return Err(failure),
        };
        let client = Arc::new(self.rebuild(&credentials, Some(followed))?);
        *self.client.write() = client.clone();
        operation(client).await.map_err(|error| failure_of(&error))
    }

    fn path(&self, key: &str) -> Result<Path, Failure> {
        match Path::parse(key) {
            Ok(path) if path.as_ref() == key => Ok(path),
            _ => Err(Failure::fatal(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "The key of {} cannot be used: keys that begin or end with '/', or have an empty segment, '.' or '..' \
                     between slashes, or control characters, are not supported",
                    self.location.display(key)
                ),
            ))),
        }
    }
}

/// What an error of the clients means: what the wire saw, or what its variant says.
fn failure_of(error: &object_store::Error) -> Failure {
    use object_store::Error as E;
    let seen = Call::current().and_then(|call| call.take_failure());
    let kind = match error {
        E::AlreadyExists { .. } => FailureKind::Precondition,
        E::NotFound { .. } => FailureKind::NotFound,
        E::Precondition { .. } | E::NotModified { .. } => FailureKind::Precondition,
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => FailureKind::Denied,
        E::NotSupported { .. } | E::NotImplemented { .. } => FailureKind::Unsupported,
        _ => FailureKind::Refused,
    };
    seen.unwrap_or_else(|| {
        let text = error.to_string();
        // S3 begins to answer before an upload is put together, and then tells with 200 that it was not.
        match text.contains("<Error>") {
            true => Failure::of_answer(200, &HeaderMap::new(), &text),
            false => Failure::new(kind, text.chars().take(500).collect::<String>()),
        }
    })
}

fn info_of(meta: ObjectMeta) -> ObjectInfo {
    ObjectInfo {
        key: meta.location.into(),
        size: Some(meta.size),
        last_modified: u64::try_from(meta.last_modified.timestamp()).ok(),
        etag: meta.e_tag,
    }
}

/// A weak ETag may not be used in If-Match.
pub(crate) fn strong(etag: Option<&str>) -> Option<&str> {
    etag.filter(|etag| !etag.starts_with("W/"))
}

pub(crate) fn same_version(asked: Option<&str>, got: Option<&str>) -> Result<(), Failure> {
    match (asked, got) {
        (Some(asked), Some(got)) if asked.trim_matches('"') != got.trim_matches('"') => {
            Err(Failure::new(FailureKind::Precondition, "the ETag is another one"))
        }
        _ => Ok(()),
    }
}

#[async_trait]
impl Backend for CloudBackend {
    async fn get(&self, key: &str, span: Span, etag: Option<&str>) -> Result<Fetched, Failure> {
        let path = self.path(key)?;
        let range = match span {
            Span::WHOLE => None,
            Span::Bounded(range) => Some(GetRange::Bounded(range)),
            Span::From(start) => Some(GetRange::Offset(start)),
            Span::Suffix(bytes) => Some(GetRange::Suffix(bytes)),
        };
        let result = self
            .run(|client| {
                let options = GetOptions {
                    range: range.clone(),
                    if_match: strong(etag).map(str::to_string),
                    version: self.location.version_id.clone(),
                    ..GetOptions::default()
                };
                let path = path.clone();
                async move { client.store().get_opts(&path, options).await }
            })
            .await?;
        same_version(etag, result.meta.e_tag.as_deref())?;
        let (info, start) = (info_of(result.meta.clone()), result.range.start);
        let bytes = result.into_stream().map(|chunk| chunk.map_err(|error| failure_of(&error)));
        Ok(Fetched { info, start, bytes: bytes.boxed() })
    }

    async fn head(&self, key: &str) -> Result<ObjectInfo, Failure> {
        let path = self.path(key)?;
        let options = GetOptions { head: true, version: self.location.version_id.clone(), ..GetOptions::default() };
        let result = self
            .run(|client| {
                let (path, options) = (path.clone(), options.clone());
                async move { client.store().get_opts(&path, options).await }
            })
            .await?;
        Ok(info_of(result.meta))
    }

    async fn list_page(&self, request: &PageRequest) -> Result<Page, Failure> {
        let listed = self
            .run(|client| {
                let options = PaginatedListOptions {
                    offset: request.start_after.clone().filter(|_| request.token.is_none()),
                    delimiter: request.delimited.then_some("/".into()),
                    max_keys: Some(request.keys_max),
                    page_token: request.token.clone(),
                    ..PaginatedListOptions::default()
                };
                let prefix = Some(request.prefix.clone()).filter(|prefix| !prefix.is_empty());
                async move { client.store().list_paginated(prefix.as_deref(), options).await }
            })
            .await?;
        let mut page = Page {
            objects: listed.result.objects.into_iter().map(info_of).collect(),
            prefixes: listed.result.common_prefixes.into_iter().map(|prefix| format!("{prefix}/")).collect(),
            next: listed.page_token,
        };
        let odd = Call::current().map(|call| call.take_odd()).unwrap_or_default();
        if !odd.objects.is_empty() || !odd.prefixes.is_empty() {
            page.objects.extend(odd.objects);
            page.objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
            page.prefixes.extend(odd.prefixes);
            page.prefixes.sort_unstable();
        }
        Ok(page)
    }

    async fn put(&self, key: &str, payload: PutPayload, if_absent: bool) -> Result<ObjectInfo, Failure> {
        let path = self.path(key)?;
        let size = payload.content_length() as u64;
        let mode = if if_absent { PutMode::Create } else { PutMode::Overwrite };
        let result = self
            .run(|client| {
                let (path, payload) = (path.clone(), payload.clone());
                let options = PutOptions { mode: mode.clone(), ..PutOptions::default() };
                async move { client.store().put_opts(&path, payload, options).await }
            })
            .await?;
        Ok(ObjectInfo { key: key.to_string(), size: Some(size), last_modified: None, etag: result.e_tag })
    }

    /// By the server, where its answer means that the copy is there: Azure's only says that it began one.
    async fn copy(&self, from: &str, to: &str, bytes: u64) -> Result<(), Failure> {
        if self.location.provider == Provider::Azure || bytes > COPIED_BYTES_MAX {
            return Err(Failure::new(FailureKind::Unsupported, "the store copies no such object by itself"));
        }
        let (source, target) = (self.path(from)?, self.path(to)?);
        self.run(|client| {
            let (source, target) = (source.clone(), target.clone());
            async move { client.store().copy(&source, &target).await }
        })
        .await?;
        // Some servers answer 200 and fail after.
        match self.head(to).await?.size {
            Some(size) if size != bytes => {
                Err(Failure::new(FailureKind::Unsupported, format!("the copy has {size} bytes and not {bytes}")))
            }
            _ => Ok(()),
        }
    }

    async fn delete(&self, key: &str) -> Result<(), Failure> {
        let path = self.path(key)?;
        let deleted = self
            .run(|client| {
                let path = path.clone();
                async move { client.store().delete(&path).await }
            })
            .await;
        match deleted {
            Err(failure) if failure.kind == FailureKind::NotFound => Ok(()),
            other => other,
        }
    }

    async fn delete_many(&self, keys: &[String]) -> Result<(), Failure> {
        if let [key] = keys {
            return self.delete(key).await;
        }
        let paths = keys.iter().map(|key| self.path(key)).collect::<Result<Vec<_>, _>>()?;
        self.run(|client| {
            let paths = paths.clone();
            async move {
                let mut deleted = client.store().delete_stream(stream::iter(paths.into_iter().map(Ok)).boxed());
                while let Some(result) = deleted.next().await {
                    match result {
                        Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            }
        })
        .await
    }

    async fn upload_begin(&self, key: &str) -> Result<String, Failure> {
        let path = self.path(key)?;
        self.run(|client| {
            let path = path.clone();
            async move { client.store().create_multipart(&path).await }
        })
        .await
    }

    async fn upload_part(
        &self,
        key: &str,
        id: &str,
        index: usize,
        _offset: u64,
        payload: PutPayload,
    ) -> Result<String, Failure> {
        let path = self.path(key)?;
        let part = self
            .run(|client| {
                let (path, id, payload) = (path.clone(), id.to_string(), payload.clone());
                async move { client.store().put_part(&path, &id, index, payload).await }
            })
            .await?;
        Ok(part.content_id)
    }

    async fn upload_finish(&self, key: &str, id: &str, parts: Vec<String>) -> Result<ObjectInfo, Failure> {
        let path = self.path(key)?;
        let result = self
            .run(|client| {
                let (path, id) = (path.clone(), id.to_string());
                let parts = parts.iter().map(|part| PartId { content_id: part.clone() }).collect();
                async move { client.store().complete_multipart(&path, &id, parts).await }
            })
            .await?;
        Ok(ObjectInfo { key: key.to_string(), size: None, last_modified: None, etag: result.e_tag })
    }

    async fn upload_abort(&self, key: &str, id: &str) -> Result<(), Failure> {
        let path = self.path(key)?;
        self.run(|client| {
            let (path, id) = (path.clone(), id.to_string());
            async move { client.store().abort_multipart(&path, &id).await }
        })
        .await
    }

    fn reads_suffixes(&self) -> bool {
        self.location.provider != Provider::Azure
    }

    fn deletes_at_once(&self) -> usize {
        match *self.client.read().as_ref() {
            Client::S3(_) if self.location.provider == Provider::S3 => 1000,
            Client::Azure(_) => 256,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_within_an_answer_of_success_is_what_it_says() {
        let body = "<?xml version=\"1.0\"?><Error><Code>InternalError</Code><Message>Try again</Message></Error>";
        let error = object_store::Error::Generic { store: "S3", source: body.into() };
        let failure = failure_of(&error);
        assert!(failure.retryable() && failure.ambiguous(), "{failure:?}");
    }
}
