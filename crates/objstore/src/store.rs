//! The store: reading, writing and listing objects, with retries, cancellation, accounting and clear errors.
//!
//! A store is cheap to clone, and opening the same place with the same credentials gives the same one: connections and
//! the endpoint's adaptive limit are shared by all queries of the process. Requests run on the I/O runtime, one task an
//! attempt; dropping the future that waits for one ends it.
//!
//! Bytes handed out are the caller's to account for (`MemoryGuard`); what a store holds meanwhile is bounded: the ranges
//! asked for, four chunks a stream, the parts of an upload (accounted by `Upload`).
//!
//! Each file under `store/` has the methods of one kind; what they share, an operation with its retries, is here.

mod list;
mod open;
mod read;
mod stream;
mod write;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures::stream::BoxStream;
use gristmill_base::runtime::{self, Task};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, Result};
use gristmill_introspect::{Event, QueryContext, Settings};

use crate::account::{self, Class};
use crate::backend::{Backend, counted};
use crate::credentials::Credentials;
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::hedge;
use crate::location::{Location, Provider};
use crate::prices::Prices;
use crate::retry;
use crate::wire::{Call, CallLimits};

/// What is known of an object. What is `None` was not told: a name made from a pattern has no size until its first read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectInfo {
    pub key: String,
    pub size: Option<u64>,
    /// Seconds since the Unix epoch.
    pub last_modified: Option<u64>,
    /// As the store gives it, with its quotes.
    pub etag: Option<String>,
}

impl ObjectInfo {
    /// An object of which only the name is known.
    pub fn named(key: impl Into<String>) -> Self {
        ObjectInfo { key: key.into(), size: None, last_modified: None, etag: None }
    }
}

/// An object as it is read from its start to its end.
pub struct ObjectStream {
    pub info: ObjectInfo,
    pub bytes: BoxStream<'static, Result<Bytes>>,
}

/// One entry of a listing by folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListEntry {
    Object(ObjectInfo),
    /// With its trailing `/`.
    Folder(String),
}

/// What became of a write that may only create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    Created(ObjectInfo),
    AlreadyExists,
}

/// A bucket, a container, a server or a folder.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    location: Location,
    credentials: Credentials,
    backend: Arc<dyn Backend>,
    /// Without port, for prices.
    host: String,
    /// `None` for files and memory.
    endpoint: Option<Arc<Endpoint>>,
    id: u64,
}

/// One operation, for messages and for the decision to try again.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'a> {
    /// "read", "list", "write", "delete": follows "Cannot".
    pub doing: &'static str,
    pub key: &'a str,
    /// Whether doing it twice is as good as once.
    pub idempotent: bool,
    /// What its request is billed as.
    pub class: Class,
    /// A read of about so many bytes that may be sent twice where it takes too long.
    pub hedged_bytes: Option<u64>,
}

impl<'a> Operation<'a> {
    /// A request that changes nothing and is sent again where it fails, and twice where it takes too long.
    pub fn reading(doing: &'static str, key: &'a str, class: Class, bytes: u64) -> Self {
        Operation { doing, key, idempotent: true, class, hedged_bytes: Some(bytes) }
    }

    pub fn writing(doing: &'static str, key: &'a str, class: Class, idempotent: bool) -> Self {
        Operation { doing, key, idempotent, class, hedged_bytes: None }
    }
}

impl Store {
    pub fn provider(&self) -> Provider {
        self.inner.location.provider
    }

    /// Whether a request costs latency and money (anything but files and memory).
    pub fn is_remote(&self) -> bool {
        self.inner.backend.is_remote()
    }

    /// The whole name of an object, for `_path` and messages.
    pub fn display(&self, key: &str) -> String {
        self.inner.location.display(key)
    }

    /// Whether both were opened as one, and share connections.
    pub fn is_same(&self, other: &Store) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Tells stores of this process apart; one that is opened again with the same credentials is the same.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Grows with every write of this process to the endpoint.
    pub fn writes(&self) -> u64 {
        self.inner.endpoint.as_ref().map_or(0, |endpoint| endpoint.writes())
    }

    /// What its requests and bytes cost under these settings.
    pub fn prices(&self, settings: &Settings) -> Prices {
        Prices::of(&self.inner.host, &settings.object_storage_prices).unwrap_or_default()
    }

    /// What a query waits for that waits for this store.
    pub(crate) fn wait(&self) -> Wait {
        if self.is_remote() { Wait::Network } else { Wait::Disk }
    }

    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        self.inner.backend.clone()
    }

    /// Runs one operation until it goes well or another attempt is of no use.
    pub(crate) async fn run<T, F>(
        &self,
        ctx: &Arc<QueryContext>,
        operation: Operation<'_>,
        attempt: impl Fn(Arc<dyn Backend>) -> F,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        self.run_counting(ctx, operation, attempt).await.map(|(value, _)| value).map_err(|(error, _)| error)
    }

    /// As `run`; tells as well whether a failed attempt may have been carried out.
    pub(crate) async fn run_counting<T, F>(
        &self,
        ctx: &Arc<QueryContext>,
        operation: Operation<'_>,
        attempt: impl Fn(Arc<dyn Backend>) -> F,
    ) -> Result<(T, bool), (Error, Option<(FailureKind, bool)>)>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let early = |error: Error| (error, None);
        let _waiting = ctx.waits_for(self.wait());
        let (mut attempts, mut ambiguous) = (0, false);
        loop {
            ctx.check().map_err(early)?;
            attempts += 1;
            let failure = match self.attempt_once(ctx, operation, &attempt).await.map_err(early)? {
                Ok(value) => return Ok((value, ambiguous)),
                Err(failure) => failure,
            };
            let wait = retry::wait_after(&failure, attempts, ctx.settings.s3_retry_attempts, ctx.env.as_ref());
            let again = operation.idempotent || !failure.ambiguous();
            match wait.filter(|_| again) {
                Some(wait) => {
                    tracing::debug!(key = operation.key, attempts, kind = ?failure.kind, "trying again");
                    ambiguous |= failure.ambiguous();
                    self.count_retry(ctx, operation.class);
                    ctx.cancellable(async {
                        tokio::time::sleep(wait).await;
                        Ok(())
                    })
                    .await
                    .map_err(early)?;
                }
                None => return Err((self.error(failure.clone(), operation, attempts), Some((failure.kind, ambiguous)))),
            }
        }
    }

    /// One attempt; a read that takes too long becomes two, of which the first good answer counts.
    async fn attempt_once<T, F>(
        &self,
        ctx: &Arc<QueryContext>,
        operation: Operation<'_>,
        attempt: impl Fn(Arc<dyn Backend>) -> F,
    ) -> Result<Result<T, Failure>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let Some(endpoint) = &self.inner.endpoint else {
            let attempt = counted(ctx.counters.clone(), attempt(self.backend()));
            return ctx.cancellable(async { Ok(attempt.await) }).await;
        };
        let begin = || {
            let call = self.call(ctx, true);
            (call.clone(), Task::on(&runtime::io(), call.scope(attempt(self.backend()))))
        };
        let (call, first) = begin();
        let attempts = async {
            let Some(bytes) = operation.hedged_bytes.filter(|_| ctx.settings.object_read_hedging) else {
                return first.join().await;
            };
            let mut first = std::pin::pin!(first.join());
            tokio::select! {
                biased;
                done = &mut first => return done,
                () = hedge::worth_it(endpoint, &call, operation.class, bytes) => {}
            }
            let history = endpoint.class(operation.class);
            history.hedged.fetch_add(1, Ordering::Relaxed);
            ctx.counters.add(Event::ObjectStorageHedgedRequests, 1);
            let (_, second) = begin();
            let mut second = std::pin::pin!(second.join());
            let (done, won) = tokio::select! {
                done = &mut first => (done, false),
                done = &mut second => (done, true),
            };
            match done {
                Ok(Err(_)) if won => first.await,
                Ok(Err(_)) => second.await,
                done => {
                    history.hedges_won.fetch_add(u64::from(won), Ordering::Relaxed);
                    ctx.counters.add(Event::ObjectStorageHedgesWon, u64::from(won));
                    done
                }
            }
        };
        ctx.cancellable(attempts).await
    }

    fn call(&self, ctx: &Arc<QueryContext>, eager: bool) -> Arc<Call> {
        let limits = CallLimits::of(&ctx.settings, self.provider(), &self.inner.host);
        Call::new(&ctx.query_id, ctx.counters.clone(), limits, eager)
    }

    fn count_retry(&self, ctx: &QueryContext, class: Class) {
        if let Some(endpoint) = &self.inner.endpoint {
            endpoint.class(class).retried.fetch_add(1, Ordering::Relaxed);
            account::retried(&ctx.counters, self.provider(), class);
        }
    }

    fn error(&self, failure: Failure, operation: Operation<'_>, attempts: u32) -> Error {
        failure.into_error(&self.inner.location, &self.inner.credentials, operation.doing, operation.key, attempts)
    }

    /// What the wire does not see: files.
    fn count_read(&self, ctx: &QueryContext, bytes: u64) {
        if !self.is_remote() {
            ctx.counters.add(Event::FileOpen, 1);
            account::received(&ctx.counters, Provider::File, bytes);
        }
    }

    fn count_written(&self, ctx: &QueryContext, bytes: u64) {
        if !self.is_remote() {
            account::written(&ctx.counters, Provider::File, bytes, 0);
        }
    }
}
