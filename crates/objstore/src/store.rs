//! The store: reading, writing and listing objects, with retries, cancellation, accounting and clear errors.
//!
//! A store is cheap to clone, and opening the same place with the same credentials gives the same one: connections and
//! the endpoint's adaptive limit are shared by all queries of the process. Requests run on the I/O runtime, one task an
//! attempt; dropping the future that waits for one ends it.
//!
//! Bytes handed out are the caller's to account for (`MemoryGuard`); what a store holds meanwhile is bounded: the ranges
//! asked for, four chunks a stream, the parts of an upload (accounted by `Upload`).

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use gristmill_base::redact::Secret;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{Event, QueryContext, Settings};
use object_store::client::HttpConnector;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::account::{self, Class};
use crate::backend::{
    Backend, ClientSettings, CloudBackend, Fetched, HttpBackend, LocalBackend, MemoryBackend, Page, PageRequest, Span,
    basic_auth, client_options, header_map,
};
use crate::credentials::Credentials;
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::hedge;
use crate::key_ranges;
use crate::location::{Location, Provider};
use crate::prices::Prices;
use crate::ranges::{self, RangePolicy};
use crate::retry;
use crate::upload::Upload;
use crate::wire::{Call, CallLimits, WireConnector};

/// Range requests of one call that are in flight.
const RANGES_IN_FLIGHT: usize = 64;
/// Batches of deletions in flight.
const DELETES_IN_FLIGHT: usize = 16;
/// Chunks that wait in a stream for its reader.
const CHUNKS_AHEAD: usize = 4;
/// Stores that are kept open.
const STORES_MAX: usize = 256;

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

#[derive(PartialEq, Eq, Hash)]
struct CacheKey {
    location: Location,
    credentials: Credentials,
    headers: Vec<(String, Secret)>,
    settings: ClientSettings,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

static STORES: LazyLock<Mutex<HashMap<CacheKey, Store>>> = LazyLock::new(Mutex::default);

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
    /// The store that a location lies in; its key does not matter. No request is sent yet.
    pub fn open(
        location: &Location,
        credentials: &Credentials,
        headers: &[(String, Secret)],
        settings: &Settings,
    ) -> Result<Store> {
        if location.provider == Provider::File {
            return Ok(Store::local(&location.endpoint));
        }
        Prices::of("", &settings.object_storage_prices)?;
        let key = CacheKey {
            location: location.with_key(""),
            credentials: credentials.clone(),
            headers: headers.to_vec(),
            settings: ClientSettings {
                connect_timeout_ms: settings.s3_connect_timeout_ms,
                connections_max: settings.s3_max_connections.max(1),
            },
        };
        if let Some(store) = STORES.lock().get(&key) {
            return Ok(store.clone());
        }
        let store = Self::connect(&key)?;
        let mut stores = STORES.lock();
        if stores.len() >= STORES_MAX {
            // Stores in use live on in their queries; the idle ones cost one handshake when they are wanted again.
            stores.retain(|_, store| Arc::strong_count(&store.inner) > 1);
            if stores.len() >= STORES_MAX {
                stores.clear();
            }
        }
        Ok(stores.entry(key).or_insert(store).clone())
    }

    fn connect(key: &CacheKey) -> Result<Store> {
        let location = &key.location;
        let mut headers = header_map(&key.headers)?;
        if let Some(user) = &location.basic_auth {
            headers.insert(http::header::AUTHORIZATION, basic_auth(user)?);
        }
        let host = location.endpoint.split_once("://").map_or("", |(_, rest)| rest).split('/').next().unwrap_or("");
        let host = host
            .rsplit_once(':')
            .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
            .map_or(host, |(host, _)| host);
        let requests_max = usize::try_from(key.settings.connections_max).unwrap_or(usize::MAX);
        let endpoint = Endpoint::of(&location.endpoint, requests_max);
        let connector = WireConnector { provider: location.provider, host: host.to_string(), endpoint: endpoint.clone() };
        let backend: Arc<dyn Backend> = if location.provider == Provider::Http {
            if let Credentials::Bearer(token) = &key.credentials {
                headers.extend(header_map(&[(
                    "authorization".to_string(),
                    Secret::new(format!("Bearer {}", token.reveal())),
                )])?);
            }
            let client = connector
                .connect(&client_options(key.settings, http::HeaderMap::new()))
                .map_err(|error| Error::new(ErrorCode::NETWORK_ERROR, format!("Cannot set up an HTTP client: {error}")))?;
            Arc::new(HttpBackend::new(location.endpoint.clone(), headers, client))
        } else {
            Arc::new(CloudBackend::open(location, &key.credentials, headers, key.settings, connector)?)
        };
        let (location, credentials, host) = (location.clone(), key.credentials.clone(), host.to_string());
        Ok(Store {
            inner: Arc::new(Inner { location, credentials, backend, host, endpoint: Some(endpoint), id: next_id() }),
        })
    }

    fn over(location: Location, credentials: Credentials, backend: Arc<dyn Backend>) -> Store {
        Store {
            inner: Arc::new(Inner { location, credentials, backend, host: String::new(), endpoint: None, id: next_id() }),
        }
    }

    fn file_location(endpoint: String) -> Location {
        Location {
            provider: Provider::File,
            endpoint,
            bucket: String::new(),
            key: String::new(),
            region: None,
            virtual_hosted: false,
            version_id: None,
            basic_auth: None,
        }
    }

    /// Files under a folder, which need not exist yet.
    pub fn local(root: impl Into<PathBuf>) -> Store {
        let root = root.into();
        let location = Self::file_location(root.to_string_lossy().into_owned());
        Self::over(location, Credentials::Anonymous, Arc::new(LocalBackend::new(root)))
    }

    /// Objects in memory, shared by the clones of this store.
    pub fn memory() -> Store {
        Self::over(Self::file_location("memory:".to_string()), Credentials::Anonymous, Arc::new(MemoryBackend::default()))
    }

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
    async fn run_counting<T, F>(
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
            let attempt = attempt(self.backend());
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
        Call::new(ctx.counters.clone(), limits, eager)
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

    /// The bytes of one range. An ETag makes it an error where the object was replaced since.
    pub async fn get_range(
        &self,
        ctx: &Arc<QueryContext>,
        key: &str,
        range: Range<u64>,
        etag: Option<&str>,
    ) -> Result<Bytes> {
        let mut bytes = self.get_ranges(ctx, key, std::slice::from_ref(&range), etag).await?;
        Ok(bytes.pop().unwrap_or_default())
    }

    /// The bytes of each range, in the order they are asked for. Near ranges become one request, long ones several.
    pub async fn get_ranges(
        &self,
        ctx: &Arc<QueryContext>,
        key: &str,
        ranges: &[Range<u64>],
        etag: Option<&str>,
    ) -> Result<Vec<Bytes>> {
        let planned = ranges::plan(ranges, RangePolicy::of(&ctx.settings, self.is_remote()));
        let fetched: Vec<Bytes> = match planned.as_slice() {
            [] => Vec::new(),
            [one] => vec![self.fetch(ctx, key, one.clone(), etag).await?],
            many => {
                stream::iter(many.iter().cloned())
                    .map(|range| self.fetch(ctx, key, range, etag))
                    .buffered(ranges::in_flight(&ctx.settings, RANGES_IN_FLIGHT))
                    .try_collect()
                    .await?
            }
        };
        ranges::assemble(ranges, &planned, &fetched)
            .ok_or_else(|| Error::logical(format!("Ranges of {} were planned wrongly", self.display(key))))
    }

    /// One request for one range.
    async fn fetch(&self, ctx: &Arc<QueryContext>, key: &str, range: Range<u64>, etag: Option<&str>) -> Result<Bytes> {
        let operation = Operation::reading("read", key, Class::Get, range.end - range.start);
        let bytes = self
            .run(ctx, operation, |backend| {
                let (key, etag, range) = (key.to_string(), etag.map(str::to_string), range.clone());
                async move {
                    let fetched = backend.get(&key, Span::Bounded(range.clone()), etag.as_deref()).await?;
                    collect_range(fetched, range).await
                }
            })
            .await?;
        self.count_read(ctx, bytes.len() as u64);
        Ok(bytes)
    }

    /// The last `bytes` bytes, fewer where the object is shorter, and what the answer tells of the object. With the size
    /// known from a listing, or not: one request either way (two for Azure without it).
    pub async fn get_suffix(
        &self,
        ctx: &Arc<QueryContext>,
        key: &str,
        bytes: u64,
        size: Option<u64>,
    ) -> Result<(Bytes, ObjectInfo)> {
        let size = match size {
            None if !self.inner.backend.reads_suffixes() => self.head(ctx, key).await?.size,
            known => known,
        };
        let operation = Operation::reading("read", key, Class::Get, bytes);
        let span = match size {
            Some(size) => Span::Bounded(size.saturating_sub(bytes)..size),
            None => Span::Suffix(bytes),
        };
        let (bytes, info) = self
            .run(ctx, operation, |backend| {
                let (key, span) = (key.to_string(), span.clone());
                async move {
                    if matches!(&span, Span::Bounded(range) if range.is_empty()) {
                        return Ok((Bytes::new(), backend.head(&key).await?));
                    }
                    match backend.get(&key, span.clone(), None).await {
                        Ok(fetched) => {
                            let info = fetched.info.clone();
                            let bytes = match (span, info.size) {
                                (Span::Bounded(range), _) => collect_range(fetched, range).await?,
                                (span, Some(size)) => collect_range(fetched, span.of(size)).await?,
                                (_, None) => collect(fetched, 0).await?,
                            };
                            Ok((bytes, info))
                        }
                        // No suffix of an empty object can be satisfied, and some servers break where it is longer than
                        // the object: then the size is asked for first.
                        Err(failure)
                            if span == Span::Suffix(bytes)
                                && matches!(
                                    failure.kind,
                                    FailureKind::Range | FailureKind::Server | FailureKind::Broken
                                ) =>
                        {
                            let info = backend.head(&key).await?;
                            let range = span.of(info.size.ok_or(failure)?);
                            if range.is_empty() {
                                return Ok((Bytes::new(), info));
                            }
                            let fetched = backend.get(&key, Span::Bounded(range.clone()), info.etag.as_deref()).await?;
                            Ok((collect_range(fetched, range).await?, info))
                        }
                        Err(failure) => Err(failure),
                    }
                }
            })
            .await?;
        self.count_read(ctx, bytes.len() as u64);
        Ok((bytes, info))
    }

    /// The object from its start to its end. A connection that breaks is taken up again where it broke, as long as the
    /// object is still the same one.
    pub async fn get_stream(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<ObjectStream> {
        let (chunks, receiver) = mpsc::channel(CHUNKS_AHEAD);
        let (told, info) = oneshot::channel();
        let pump = pump(self.clone(), ctx.clone(), key.to_string(), told, chunks);
        let task = Task::on(&runtime::io(), pump);
        let mut bytes = received(ctx.clone(), receiver, task).boxed();
        match ctx.cancellable(async { Ok(info.await) }).await? {
            Ok(info) => Ok(ObjectStream { info, bytes }),
            // The pump ended before it knew anything: the reason is the first thing in the stream.
            Err(_) => match bytes.next().await {
                Some(Err(error)) => Err(error),
                _ => Err(Error::logical(format!("The stream of {} ended before it began", self.display(key)))),
            },
        }
    }

    /// The whole object.
    pub async fn get(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<Bytes> {
        read_whole(self.get_stream(ctx, key).await?).await
    }

    pub async fn head(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<ObjectInfo> {
        self.head_for(ctx, key).await.map_err(|(error, _)| error)
    }

    async fn head_for(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<ObjectInfo, (Error, Option<FailureKind>)> {
        let operation = Operation::reading("read", key, Class::Head, 0);
        self.run_counting(ctx, operation, |backend| {
            let key = key.to_string();
            async move { backend.head(&key).await }
        })
        .await
        .map(|(info, _)| info)
        .map_err(|(error, failed)| (error, failed.map(|(kind, _)| kind)))
    }

    pub async fn exists(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<bool> {
        match self.head_for(ctx, key).await {
            Ok(_) => Ok(true),
            Err((_, Some(FailureKind::NotFound))) => Ok(false),
            Err((error, _)) => Err(error),
        }
    }

    /// Every object whose key starts with `prefix` (any text, not only a folder), in the order of keys. With a delimiter,
    /// which can only be `/`, only those that have none after the prefix.
    pub fn list(
        &self,
        ctx: &Arc<QueryContext>,
        prefix: &str,
        delimiter: Option<&str>,
    ) -> BoxStream<'static, Result<ObjectInfo>> {
        self.list_entries(ctx, prefix, delimiter.is_some(), None)
            .try_filter_map(|entry| async move {
                Ok(match entry {
                    ListEntry::Object(info) => Some(info),
                    ListEntry::Folder(_) => None,
                })
            })
            .boxed()
    }

    /// What lies directly under a folder: `prefix` should end in `/` or be empty. Folders come after the objects of their
    /// page.
    pub fn list_folder(&self, ctx: &Arc<QueryContext>, prefix: &str) -> BoxStream<'static, Result<ListEntry>> {
        self.list_entries(ctx, prefix, true, None)
    }

    /// A listing, page by page; the next page is asked for while one is being read. `start_after`: only keys after it.
    pub fn list_entries(
        &self,
        ctx: &Arc<QueryContext>,
        prefix: &str,
        delimited: bool,
        start_after: Option<&str>,
    ) -> BoxStream<'static, Result<ListEntry>> {
        let request = PageRequest {
            prefix: prefix.to_string(),
            delimited,
            start_after: start_after.map(str::to_string),
            ..PageRequest::first(&ctx.settings)
        };
        self.pages(ctx, request)
            .map_ok(|page| {
                let objects = page.objects.into_iter().map(ListEntry::Object);
                stream::iter(objects.chain(page.prefixes.into_iter().map(ListEntry::Folder)).map(Ok))
            })
            .try_flatten()
            .boxed()
    }

    fn pages(&self, ctx: &Arc<QueryContext>, request: PageRequest) -> BoxStream<'static, Result<Page>> {
        let (store, ctx) = (self.clone(), ctx.clone());
        if let Some(pages) = self.inner.backend.walk(&request) {
            return pages
                .map(move |page| {
                    ctx.check()?;
                    let operation = Operation::reading("read", &request.prefix, Class::List, 0);
                    page.map_err(|failure| store.error(failure, operation, 1))
                })
                .boxed();
        }
        let fetch = move |request: PageRequest| {
            let (store, ctx) = (store.clone(), ctx.clone());
            async move {
                let page = store.list_page(&ctx, &request).await?;
                Ok::<_, Error>((page, request))
            }
        };
        stream::try_unfold(Listing::Begin(request), move |state| {
            let fetch = fetch.clone();
            async move {
                let (page, request) = match state {
                    Listing::Begin(request) => fetch(request).await?,
                    Listing::Ahead(task) => task.join().await??,
                    Listing::End => return Ok(None),
                };
                let next = match page.next.clone() {
                    Some(token) => {
                        let request = PageRequest { token: Some(token), ..request };
                        Listing::Ahead(Task::on(&runtime::io(), fetch(request)))
                    }
                    None => Listing::End,
                };
                Ok(Some((page, next)))
            }
        })
        .boxed()
    }

    /// One page of a listing.
    pub(crate) async fn list_page(&self, ctx: &Arc<QueryContext>, request: &PageRequest) -> Result<Page> {
        let operation = Operation::reading("list", &request.prefix, Class::List, 0);
        self.run(ctx, operation, |backend| {
            let request = request.clone();
            async move { backend.list_page(&request).await }
        })
        .await
    }

    /// Everything under a prefix, in no set order: where the store can begin a listing after any key, long ones are read in
    /// several ranges of keys at a time.
    pub fn list_unordered(&self, ctx: &Arc<QueryContext>, prefix: &str) -> BoxStream<'static, Result<ObjectInfo>> {
        if !matches!(self.provider(), Provider::S3 | Provider::Gcs) {
            return self.list(ctx, prefix, None);
        }
        key_ranges::list(self, ctx, PageRequest { prefix: prefix.to_string(), ..PageRequest::first(&ctx.settings) })
    }

    pub async fn put(&self, ctx: &Arc<QueryContext>, key: &str, bytes: Bytes) -> Result<ObjectInfo> {
        let operation = Operation::writing("write", key, Class::Put, self.provider() != Provider::Http);
        let length = bytes.len() as u64;
        let info = self
            .run(ctx, operation, |backend| {
                let (key, bytes) = (key.to_string(), bytes.clone());
                async move { backend.put(&key, bytes, false).await }
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
                async move { backend.put(&key, bytes, true).await }
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
        Upload::new(self.clone(), ctx.clone(), key.to_string())
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

enum Listing<F> {
    Begin(PageRequest),
    Ahead(Task<F>),
    End,
}

/// Puts the chunks of an answer together; fails where they are not what was asked for.
async fn collect_range(fetched: Fetched, range: Range<u64>) -> Result<Bytes, Failure> {
    let size = fetched.info.size;
    if size.is_some_and(|size| range.end > size) {
        let message = format!("bytes {}-{} of {}", range.start, range.end, size.unwrap_or_default());
        return Err(Failure::new(FailureKind::Range, message));
    }
    if fetched.start != range.start {
        return Err(Failure::new(FailureKind::Unsupported, "the server answered with another range than was asked for"));
    }
    let length = range.end - range.start;
    let bytes = collect(fetched, length as usize).await?;
    if bytes.len() as u64 != length {
        let message = format!("{} of {length} bytes came", bytes.len());
        return Err(Failure::new(FailureKind::Broken, message));
    }
    Ok(bytes)
}

async fn collect(mut fetched: Fetched, capacity: usize) -> Result<Bytes, Failure> {
    let Some(first) = fetched.bytes.try_next().await? else { return Ok(Bytes::new()) };
    if first.len() == capacity {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(capacity);
    whole.extend_from_slice(&first);
    while let Some(chunk) = fetched.bytes.try_next().await? {
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

async fn read_whole(mut stream: ObjectStream) -> Result<Bytes> {
    let Some(first) = stream.bytes.try_next().await? else { return Ok(Bytes::new()) };
    if stream.info.size == Some(first.len() as u64) {
        return Ok(first);
    }
    let mut whole = BytesMut::from(first);
    while let Some(chunk) = stream.bytes.try_next().await? {
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// What a pump has to show for itself so far.
struct Pumped {
    offset: u64,
    info: Option<ObjectInfo>,
}

/// Reads an object into a channel and takes it up again where it broke. Attempts are counted anew whenever bytes came.
async fn pump(
    store: Store,
    ctx: Arc<QueryContext>,
    key: String,
    told: oneshot::Sender<ObjectInfo>,
    chunks: mpsc::Sender<Result<Bytes>>,
) {
    let mut state = Pumped { offset: 0, info: None };
    let mut told = Some(told);
    let mut attempts = 0;
    loop {
        attempts += 1;
        let before = state.offset;
        let call = store.call(&ctx, false);
        let attempt = pump_once(&store, &ctx, &key, &mut state, &mut told, &chunks);
        let Err(failure) = call.scope(attempt).await else { return };
        if state.offset > before {
            attempts = 1;
        }
        let wait = retry::wait_after(&failure, attempts, ctx.settings.s3_retry_attempts, ctx.env.as_ref());
        let Some(wait) = wait else {
            let operation = Operation::reading("read", &key, Class::Get, 0);
            let _ = chunks.send(Err(store.error(failure, operation, attempts))).await;
            return;
        };
        store.count_retry(&ctx, Class::Get);
        tokio::time::sleep(wait).await;
    }
}

/// One GET, from where the last one broke.
async fn pump_once(
    store: &Store,
    ctx: &Arc<QueryContext>,
    key: &str,
    state: &mut Pumped,
    told: &mut Option<oneshot::Sender<ObjectInfo>>,
    chunks: &mpsc::Sender<Result<Bytes>>,
) -> Result<(), Failure> {
    let size = state.info.as_ref().and_then(|info| info.size);
    if size.is_some_and(|size| state.offset > 0 && state.offset >= size) {
        return Ok(());
    }
    let etag = state.info.as_ref().and_then(|info| info.etag.clone());
    let mut fetched = store.backend().get(key, Span::From(state.offset), etag.as_deref()).await?;
    match &state.info {
        None => {
            state.info = Some(fetched.info.clone());
            if let Some(told) = told.take() {
                let _ = told.send(fetched.info.clone());
            }
            store.count_read(ctx, 0);
        }
        // Without an ETag, the size and the time have to do.
        Some(first)
            if first.etag.is_none()
                && (first.size, first.last_modified) != (fetched.info.size, fetched.info.last_modified) =>
        {
            return Err(Failure::new(FailureKind::Precondition, "the object is another one now"));
        }
        Some(_) => {}
    }
    if fetched.start != state.offset {
        return Err(Failure::new(FailureKind::Unsupported, "the server cannot continue in the middle of the object"));
    }
    while let Some(chunk) = fetched.bytes.try_next().await? {
        state.offset += chunk.len() as u64;
        if !store.is_remote() {
            account::received(&ctx.counters, Provider::File, chunk.len() as u64);
        }
        if !chunk.is_empty() && chunks.send(Ok(chunk)).await.is_err() {
            return Ok(());
        }
    }
    match state.info.as_ref().and_then(|info| info.size) {
        Some(size) if state.offset < size => {
            Err(Failure::new(FailureKind::Broken, format!("{} of {size} bytes came", state.offset)))
        }
        _ => Ok(()),
    }
}

/// The pump's chunks, until the query is cancelled. Owns the pump: dropping the stream ends it.
fn received(
    ctx: Arc<QueryContext>,
    chunks: mpsc::Receiver<Result<Bytes>>,
    pump: Task<()>,
) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
    stream::unfold(Some((ctx, chunks, pump)), |state| async move {
        let (ctx, mut chunks, pump) = state?;
        let chunk = ctx.cancellable(async { chunks.recv().await.transpose() }).await.transpose()?;
        let left = chunk.is_ok().then_some((ctx, chunks, pump));
        Some((chunk, left))
    })
}
