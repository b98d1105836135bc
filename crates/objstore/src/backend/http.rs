//! Plain HTTP: what `url()` reads. A key is a path with its query, sent as it was written.
//!
//! Servers differ in what they tell: a size may be missing (chunked answers), an ETag too, and ranges may be ignored. An
//! answer of 200 to a range request is taken for what it is, the whole body, and what was not asked for is skipped.
//! A server may send on to another host: the read goes there without the headers that were given for the first one, as they
//! may be secrets. (Within a host redirects keep them.)
//!
//! Nothing can be listed. Writing is one POST of the whole body, as ClickHouse does it, or a PUT where the URL is presigned.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine;
use bytes::{Bytes, BytesMut};
use futures::{StreamExt, future, stream};
use gristmill_base::redact::{self, Secret};
use gristmill_base::{Error, ErrorCode, Result};
use http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_MATCH, LAST_MODIFIED, LOCATION, RANGE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use object_store::PutPayload;
use object_store::client::{HttpClient, HttpRequest, HttpRequestBody, HttpResponse};
use parking_lot::Mutex;

use super::cloud::{same_version, strong};
use super::cloud_clients::{ClientSettings, USER_AGENT};
use super::{Backend, Fetched, Page, PageRequest, Span};
use crate::allowed_hosts::AllowedAddresses;
use crate::failure::{Failure, FailureKind};
use crate::location;
use crate::store::ObjectInfo;
use crate::wire::{Call, SentOn, of_http_error};

#[derive(Debug)]
pub(crate) struct HttpBackend {
    /// `http://host:port`
    endpoint: String,
    /// Sent with every request.
    headers: HeaderMap,
    client: HttpClient,
    /// Parts of uploads that are under way.
    uploads: Mutex<HashMap<String, BTreeMap<usize, Bytes>>>,
    counter: AtomicU64,
}

impl HttpBackend {
    pub fn new(endpoint: String, headers: HeaderMap, client: HttpClient) -> Self {
        HttpBackend { endpoint, headers, client, uploads: Mutex::default(), counter: AtomicU64::new(0) }
    }

    fn request(&self, method: Method, key: &str, body: Bytes) -> Result<HttpRequest, Failure> {
        let target = format!("{}/{key}", self.endpoint);
        // What was written with letters and signs that a request line cannot hold is encoded on the way.
        let url =
            url::Url::parse(&target).map_err(|error| Failure::new(FailureKind::Refused, format!("not a URL: {error}")))?;
        let mut request = Request::builder()
            .method(method)
            .uri(url.as_str())
            .body(HttpRequestBody::from(body))
            .map_err(|error| Failure::new(FailureKind::Refused, format!("not a URL: {error}")))?;
        *request.headers_mut() = self.headers.clone();
        Ok(request)
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let (method, body) = (request.method().clone(), request.body().clone());
        let mut at = url::Url::parse(&request.uri().to_string())
            .map_err(|error| Failure::new(FailureKind::Refused, format!("not a URL: {error}")))?;
        let mut headers = request.headers().clone();
        let mut answer = self.execute(request).await?;
        // Without a call nobody asks for rows.
        let most = Call::current().map_or(0, |call| call.limits.redirects_max);
        let mut sent_on = 0;
        while answer.status().is_redirection() {
            let Some(target) = text(answer.headers(), &LOCATION).and_then(|to| resolved(&at, to)) else { break };
            let same_host = target.origin() == at.origin();
            let is_read = matches!(method, Method::GET | Method::HEAD);
            // A body goes no further than to the host that it is for, and as what it is.
            let stays_whole = matches!(answer.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
            if !(is_read || same_host && stays_whole) {
                break;
            }
            if sent_on == most {
                return Err(Failure::fatal(too_many_redirects(most, &target)));
            }
            sent_on += 1;
            if !same_host {
                headers = [RANGE, IF_MATCH]
                    .into_iter()
                    .filter_map(|name| Some((name.clone(), headers.get(&name)?.clone())))
                    .collect();
            }
            let mut request = Request::builder()
                .method(method.clone())
                .uri(target.as_str())
                .extension(SentOn)
                .body(body.clone())
                .map_err(|error| Failure::new(FailureKind::Refused, format!("sent on to no URL: {error}")))?;
            *request.headers_mut() = headers.clone();
            answer = self.execute(request).await?;
            at = target;
        }
        if answer.status().is_redirection() {
            let to = text(answer.headers(), &LOCATION).unwrap_or("nowhere");
            return Err(Failure::new(FailureKind::Refused, format!("the server sends on to {}", redact::url(to))));
        }
        Ok(answer)
    }

    /// Sends one request; an answer is one of success or a redirect.
    async fn execute(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let answer = self.client.execute(request).await;
        let seen = || Call::current().and_then(|call| call.take_failure());
        match answer {
            Err(error) => Err(seen().unwrap_or_else(|| of_http_error(&error))),
            Ok(response) if response.status().is_success() || response.status().is_redirection() => Ok(response),
            Ok(response) => {
                Err(seen().unwrap_or_else(|| Failure::of_answer(response.status().as_u16(), response.headers(), "")))
            }
        }
    }
}

/// Where a redirect leads.
fn resolved(from: &url::Url, to: &str) -> Option<url::Url> {
    from.join(to).ok().filter(|target| matches!(target.scheme(), "http" | "https"))
}

fn too_many_redirects(most: u64, target: &url::Url) -> Error {
    let text = format!(
        "Too many redirects: {most} are followed at most, and the server sends on to {}. Raise max_http_get_redirects",
        redact::url(target.as_str())
    );
    Error::new(ErrorCode::TOO_MANY_REDIRECTS, text)
}

/// A client that follows no redirects.
pub(crate) fn plain_client(settings: ClientSettings) -> Result<HttpClient> {
    client(settings, reqwest::redirect::Policy::none())
}

/// A client that connects to what may be asked.
pub(crate) fn client(settings: ClientSettings, redirects: reqwest::redirect::Policy) -> Result<HttpClient> {
    let client = reqwest::Client::builder()
        .redirect(redirects)
        .dns_resolver(Arc::new(AllowedAddresses))
        .connect_timeout(Duration::from_millis(settings.connect_timeout_ms.max(1)))
        .pool_idle_timeout(Duration::from_secs(60))
        .pool_max_idle_per_host(usize::try_from(settings.connections_max).unwrap_or(usize::MAX))
        .http1_only()
        // What is compressed has the size that the server tells.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| Error::new(ErrorCode::NETWORK_ERROR, format!("Cannot set up an HTTP client: {error}")))?;
    Ok(HttpClient::new(client))
}

/// `user:password` as a header.
pub(crate) fn basic_auth(user: &Secret) -> Result<HeaderValue> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(user.reveal());
    let mut value = HeaderValue::try_from(format!("Basic {encoded}"))
        .map_err(|_| Error::logical("Base64 is made of characters that headers allow"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn text<'a>(headers: &'a HeaderMap, name: &http::HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// `bytes 0-99/1234` → (0, 1234)
fn content_range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let (range, size) = text(headers, &CONTENT_RANGE)?.strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split('-').next()?.parse().ok()?;
    Some((start, size.parse().ok()))
}

fn info_of(key: &str, headers: &HeaderMap, size: Option<u64>) -> ObjectInfo {
    let modified = text(headers, &LAST_MODIFIED).and_then(|text| chrono::DateTime::parse_from_rfc2822(text).ok());
    ObjectInfo {
        key: key.to_string(),
        size,
        last_modified: modified.and_then(|time| u64::try_from(time.timestamp()).ok()),
        etag: text(headers, &ETAG).map(str::to_string),
    }
}

#[async_trait]
impl Backend for HttpBackend {
    async fn get(&self, key: &str, span: Span, etag: Option<&str>) -> Result<Fetched, Failure> {
        let mut request = self.request(Method::GET, key, Bytes::new())?;
        let range = match &span {
            Span::From(0) => None,
            Span::From(start) => Some(format!("bytes={start}-")),
            Span::Bounded(range) => Some(format!("bytes={}-{}", range.start, range.end.saturating_sub(1))),
            Span::Suffix(bytes) => Some(format!("bytes=-{bytes}")),
        };
        let header = |value: &str| {
            HeaderValue::from_str(value).map_err(|error| Failure::new(FailureKind::Refused, error.to_string()))
        };
        if let Some(range) = &range {
            request.headers_mut().insert(RANGE, header(range)?);
        }
        if let Some(etag) = strong(etag) {
            request.headers_mut().insert(IF_MATCH, header(etag)?);
        }
        let response = self.send(request).await?;
        let headers = response.headers();
        same_version(etag, text(headers, &ETAG))?;
        let length: Option<u64> = text(headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
        let partial = response.status() == StatusCode::PARTIAL_CONTENT;
        let (start, size) = match content_range(headers) {
            Some((start, size)) if partial => (start, size),
            _ => (0, length),
        };
        let info = info_of(key, headers, size);
        let body = response.into_body().bytes_stream().map(|chunk| {
            chunk.map_err(|error| {
                Call::current().and_then(|call| call.take_failure()).unwrap_or_else(|| of_http_error(&error))
            })
        });
        if partial || range.is_none() {
            return Ok(Fetched { info, start, bytes: body.boxed() });
        }
        // The server ignored the range.
        let wanted = match (&span, size) {
            (Span::Bounded(range), None) => range.clone(),
            (Span::From(start), None) => *start..u64::MAX,
            (Span::Suffix(_), None) => {
                return Err(Failure::new(
                    FailureKind::Unsupported,
                    "the server neither tells the size nor answers range requests, so the end of the file cannot be read",
                ));
            }
            (span, Some(size)) => span.of(size),
        };
        let mut at = 0u64;
        let (from, to) = (wanted.start, wanted.end);
        let cut = body
            .map(move |chunk| {
                chunk.map(|chunk| {
                    let here = at;
                    at += chunk.len() as u64;
                    let clamp = |position: u64| (position.clamp(here, at) - here) as usize;
                    (chunk.slice(clamp(from)..clamp(to)), here < to)
                })
            })
            .take_while(|chunk| future::ready(chunk.as_ref().map_or(true, |(_, wanted)| *wanted)))
            .map(|chunk| chunk.map(|(bytes, _)| bytes));
        Ok(Fetched { info, start: from, bytes: cut.boxed() })
    }

    async fn head(&self, key: &str) -> Result<ObjectInfo, Failure> {
        let response = self.send(self.request(Method::HEAD, key, Bytes::new())?).await?;
        let length = text(response.headers(), &CONTENT_LENGTH).and_then(|length| length.parse().ok());
        Ok(info_of(key, response.headers(), length))
    }

    async fn list_page(&self, _request: &PageRequest) -> Result<Page, Failure> {
        Err(Failure::new(
            FailureKind::Unsupported,
            "HTTP servers cannot be asked for a listing. In a URL only {a,b} and {1..9} stand for several files",
        ))
    }

    async fn put(&self, key: &str, payload: PutPayload, if_absent: bool) -> Result<ObjectInfo, Failure> {
        if if_absent {
            return Err(Failure::new(FailureKind::Unsupported, "plain HTTP has no conditional write"));
        }
        let size = payload.content_length() as u64;
        // A presigned URL to write to is one for a PUT.
        let presigned = key.split_once('?').is_some_and(|(_, query)| location::presigned(query));
        let method = if presigned { Method::PUT } else { Method::POST };
        let response = self.send(self.request(method, key, payload.into())?).await?;
        Ok(info_of(key, response.headers(), Some(size)))
    }

    async fn delete(&self, key: &str) -> Result<(), Failure> {
        match self.send(self.request(Method::DELETE, key, Bytes::new())?).await {
            Err(failure) if failure.kind == FailureKind::NotFound => Ok(()),
            other => other.map(drop),
        }
    }

    async fn delete_many(&self, keys: &[String]) -> Result<(), Failure> {
        stream::iter(keys).fold(Ok(()), async |done, key| done.and(self.delete(key).await)).await
    }

    async fn upload_begin(&self, _key: &str) -> Result<String, Failure> {
        let id = self.counter.fetch_add(1, Ordering::Relaxed).to_string();
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
        // Kept until the server took it: the request may have to be sent again.
        let parts =
            self.uploads.lock().get(id).cloned().ok_or_else(|| Failure::new(FailureKind::Refused, "no such upload"))?;
        let mut whole = BytesMut::with_capacity(parts.values().map(Bytes::len).sum());
        parts.values().for_each(|part| whole.extend_from_slice(part));
        let info = self.put(key, whole.freeze().into(), false).await?;
        self.uploads.lock().remove(id);
        Ok(info)
    }

    async fn upload_abort(&self, _key: &str, id: &str) -> Result<(), Failure> {
        self.uploads.lock().remove(id);
        Ok(())
    }
}
