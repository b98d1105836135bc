//! Writes through GCS's JSON API: media uploads for what fits one request, resumable sessions for what does not.
//!
//! A session takes its bytes in order, so parts wait for their turn. All but the last piece must be whole multiples of
//! 256 KiB: what is over stays here and goes in front of the next part. A piece whose answer was lost is not sent again,
//! because a server need not tell how much of it arrived; the upload fails then.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::header::{AUTHORIZATION, CONTENT_RANGE, LOCATION};
use http::{HeaderName, HeaderValue, Method, Request};
use object_store::client::{HttpClient, HttpRequestBody, HttpResponse};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::failure::{Failure, FailureKind};
use crate::location::Location;
use crate::store::ObjectInfo;
use crate::wire::{Call, of_http_error};

/// Pieces of a session are multiples of this.
const PIECE_BYTES: usize = 256 << 10;
/// A piece that is not the last is answered with 200 and this header in place of 308, which HTTP clients follow.
const NO_REDIRECT: HeaderName = HeaderName::from_static("x-guploader-no-308");

#[derive(Debug)]
pub(crate) struct JsonWrites {
    /// `http://host:port/upload/storage/v1/b/bucket/o`
    base: String,
    authorization: Option<HeaderValue>,
    client: HttpClient,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

/// One upload: what was sent, and what waits to become a whole piece.
#[derive(Debug)]
struct Session {
    state: tokio::sync::Mutex<Sent>,
    /// Bytes taken so far: whose part begins there is next.
    taken: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Sent {
    bytes: u64,
    rest: BytesMut,
    failed: bool,
}

impl JsonWrites {
    pub fn new(location: &Location, authorization: Option<HeaderValue>, client: HttpClient) -> Self {
        let base = format!("{}/upload/storage/v1/b/{}/o", location.endpoint, location.bucket);
        JsonWrites { base, authorization, client, sessions: Mutex::default() }
    }

    async fn send(
        &self,
        method: Method,
        query: &[(&str, &str)],
        headers: &[(HeaderName, String)],
        body: Bytes,
    ) -> Result<HttpResponse, Failure> {
        let refused = |error: String| Failure::new(FailureKind::Refused, error);
        let url = url::Url::parse_with_params(&self.base, query).map_err(|error| refused(format!("not a URL: {error}")))?;
        let mut request = Request::builder().method(method).uri(url.as_str());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let mut request = request.body(HttpRequestBody::from(body)).map_err(|error| refused(error.to_string()))?;
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        let seen = || Call::current().and_then(|call| call.take_failure());
        match self.client.execute(request).await {
            Err(error) => Err(seen().unwrap_or_else(|| of_http_error(&error))),
            Ok(response) if response.status().is_success() => Ok(response),
            Ok(response) => {
                Err(seen().unwrap_or_else(|| Failure::of_answer(response.status().as_u16(), response.headers(), "")))
            }
        }
    }

    pub async fn put(&self, key: &str, bytes: Bytes, if_absent: bool) -> Result<ObjectInfo, Failure> {
        let size = bytes.len() as u64;
        let mut query = vec![("uploadType", "media"), ("name", key)];
        if if_absent {
            query.push(("ifGenerationMatch", "0"));
        }
        self.send(Method::POST, &query, &[], bytes).await?;
        Ok(written(key, size))
    }

    pub async fn upload_begin(&self, key: &str) -> Result<String, Failure> {
        let query = [("uploadType", "resumable"), ("name", key)];
        let answer = self.send(Method::POST, &query, &[], Bytes::new()).await?;
        let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let url = location.and_then(|location| url::Url::parse(location).ok());
        let id = url
            .and_then(|url| url.query_pairs().find_map(|(name, value)| (name == "upload_id").then(|| value.into_owned())));
        let id = id.ok_or_else(|| Failure::new(FailureKind::Unsupported, "the server began an upload without an id"))?;
        let session = Session { state: tokio::sync::Mutex::default(), taken: watch::Sender::new(0) };
        self.sessions.lock().insert(id.clone(), Arc::new(session));
        Ok(id)
    }

    fn session(&self, id: &str) -> Result<Arc<Session>, Failure> {
        let session = self.sessions.lock().get(id).cloned();
        session.ok_or_else(|| Failure::new(FailureKind::Refused, "no such upload"))
    }

    pub async fn upload_part(
        &self,
        key: &str,
        id: &str,
        index: usize,
        offset: u64,
        bytes: Bytes,
    ) -> Result<String, Failure> {
        let session = self.session(id)?;
        let gone = |_| Failure::new(FailureKind::Refused, "the upload ended");
        session.taken.subscribe().wait_for(|taken| *taken >= offset).await.map_err(gone)?;
        let mut sent = session.state.lock().await;
        let length = bytes.len() as u64;
        sent.rest.extend_from_slice(&bytes);
        let whole = sent.rest.len() - sent.rest.len() % PIECE_BYTES;
        let done = match whole {
            0 => Ok(()),
            whole => {
                let piece = sent.rest.split_to(whole).freeze();
                let range = format!("bytes {}-{}/*", sent.bytes, sent.bytes + whole as u64 - 1);
                sent.bytes += whole as u64;
                self.send_piece(key, id, &mut sent, range, piece).await
            }
        };
        drop(sent);
        // Whoever waits behind a failed piece is let go, to fail as well.
        session.taken.send_replace(offset + length);
        done.map(|()| index.to_string())
    }

    async fn send_piece(&self, key: &str, id: &str, sent: &mut Sent, range: String, piece: Bytes) -> Result<(), Failure> {
        let broken = |failure: Failure| Failure { kind: FailureKind::Refused, ..failure };
        if sent.failed {
            return Err(broken(Failure::new(FailureKind::Refused, "an earlier part of the upload was lost")));
        }
        // Also when the waiter goes away in the middle: it is not known then what the server has.
        sent.failed = true;
        let query = [("uploadType", "resumable"), ("name", key), ("upload_id", id)];
        let headers = [(CONTENT_RANGE, range), (NO_REDIRECT, "yes".to_string())];
        self.send(Method::PUT, &query, &headers, piece).await.map_err(broken)?;
        sent.failed = false;
        Ok(())
    }

    pub async fn upload_finish(&self, key: &str, id: &str) -> Result<ObjectInfo, Failure> {
        let session = self.session(id)?;
        let mut sent = session.state.lock().await;
        let rest = sent.rest.split().freeze();
        let total = sent.bytes + rest.len() as u64;
        let range = match rest.len() {
            0 => format!("bytes */{total}"),
            _ => format!("bytes {}-{}/{total}", sent.bytes, total - 1),
        };
        self.send_piece(key, id, &mut sent, range, rest).await?;
        self.sessions.lock().remove(id);
        Ok(written(key, total))
    }

    pub async fn upload_abort(&self, key: &str, id: &str) -> Result<(), Failure> {
        self.sessions.lock().remove(id);
        let query = [("uploadType", "resumable"), ("name", key), ("upload_id", id)];
        match self.send(Method::DELETE, &query, &[], Bytes::new()).await {
            // What GCS answers to a session that was cancelled: "client closed request".
            Err(failure) if failure.status == Some(499) || failure.kind == FailureKind::NotFound => Ok(()),
            other => other.map(drop),
        }
    }
}

/// The ETag in the answer is not the one that reads are answered with.
fn written(key: &str, size: u64) -> ObjectInfo {
    ObjectInfo { size: Some(size), ..ObjectInfo::named(key) }
}
