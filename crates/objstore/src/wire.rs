//! Every HTTP request on its way out, below the `object_store` clients.
//!
//! The clients take a `HttpConnector`; ours makes one that connects to what may be asked (`allowed_hosts`). A request waits for a place in the endpoint's limit, is counted
//! by what it does, and has to begin to answer within the time limit; its body has to bring something within the same
//! time each time. What the server answers in place of success is kept in the attempt's `Call`, whole enough to name the
//! cause, because the clients hand on only text. A `Call` travels as a task-local: one attempt is one task.
//!
//! A place in the limit is given back when the body has been read, or, for a stream that its consumer may let stand, as
//! soon as the answer begins: a query whose streams wait for one another must not wait for the limit as well.

use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, allocations};
use gristmill_introspect::gauges::Held;
use gristmill_introspect::{Counters, Event, Gauge, Settings};
use http::HeaderMap;
use hyper::body::{Body, Frame, SizeHint};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use parking_lot::Mutex;
use tokio::time::Sleep;
use url::Url;

use crate::account::{self, Class, Ending};
use crate::allowed_hosts::{self, RefusedName};
use crate::backend::{ClientSettings, Page, client, take_out};
use crate::blob_log::{Logged, Told};
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::limiter::{Outcome, Permit};
use crate::location::Provider;
use crate::prices::Prices;
use crate::throttle::{Rate, Waiting};

/// Hosts that a store's request is sent on to at most.
const SENT_ON_BY_STORES_MAX: usize = 10;

/// Bytes of an error's body that are kept.
const ERROR_BODY_BYTES_MAX: usize = 64 << 10;

/// What one attempt shares with the requests that it sends.
#[derive(Debug)]
pub(crate) struct Call {
    /// Whose it is.
    pub query_id: String,
    pub counters: Arc<Counters>,
    pub limits: CallLimits,
    /// Whether the body is read as fast as it comes.
    pub eager: bool,
    /// When its latest request got its place and was sent, and what it does.
    sent: Mutex<Option<(Instant, Class)>>,
    failure: Mutex<Option<Failure>>,
    /// What a page of a listing has beside that which its reader can hold.
    odd: Mutex<Page>,
}

/// What the query's settings say of its requests to one provider.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallLimits {
    /// Until the first byte, and between bytes.
    pub timeout: Duration,
    pub reads: Rate,
    pub writes: Rate,
    pub prices: Prices,
    pub told: Told,
    /// In nanodollars.
    pub cost_max: Option<u64>,
    /// How often a read of a plain server is sent on.
    pub redirects_max: u64,
}

impl CallLimits {
    /// Prices that cannot be parsed were refused when the store was opened.
    pub fn of(settings: &Settings, provider: Provider, host: &str) -> CallLimits {
        let rate = |per_second, burst| Rate { per_second, burst };
        let (reads, writes) = match provider {
            Provider::Azure => (
                rate(settings.azure_max_get_rps, settings.azure_max_get_burst),
                rate(settings.azure_max_put_rps, settings.azure_max_put_burst),
            ),
            Provider::S3 | Provider::Gcs => (
                rate(settings.s3_max_get_rps, settings.s3_max_get_burst),
                rate(settings.s3_max_put_rps, settings.s3_max_put_burst),
            ),
            Provider::Http | Provider::File => (Rate::default(), Rate::default()),
        };
        CallLimits {
            timeout: Duration::from_millis(settings.s3_request_timeout_ms.max(1)),
            reads,
            writes,
            prices: Prices::of(host, &settings.object_storage_prices).unwrap_or_default(),
            told: match (settings.enable_blob_storage_log, settings.enable_blob_storage_log_for_read_operations) {
                (false, _) => Told::Nothing,
                (true, false) => Told::Changes,
                (true, true) => Told::ChangesAndReads,
            },
            cost_max: Some(settings.max_query_cost_usd).filter(|most| *most > 0.0).map(|most| (most * 1e9) as u64),
            redirects_max: settings.max_http_get_redirects,
        }
    }
}

tokio::task_local! {
    static CALL: Arc<Call>;
}

impl Call {
    pub fn new(query_id: &str, counters: Arc<Counters>, limits: CallLimits, eager: bool) -> Arc<Call> {
        let query_id = query_id.to_string();
        Arc::new(Call {
            query_id,
            counters,
            limits,
            eager,
            sent: Mutex::new(None),
            failure: Mutex::new(None),
            odd: Mutex::default(),
        })
    }

    /// Runs an attempt whose requests belong to this call.
    pub async fn scope<F: Future>(self: Arc<Self>, attempt: F) -> F::Output {
        CALL.scope(self, attempt).await
    }

    /// The call that the running attempt belongs to.
    pub fn current() -> Option<Arc<Call>> {
        CALL.try_with(Arc::clone).ok()
    }

    /// `None` while it waits for its place.
    pub fn sent(&self) -> Option<Instant> {
        self.sent.lock().map(|(at, _)| at)
    }

    /// The last failure that a request of this call ended with.
    pub fn take_failure(&self) -> Option<Failure> {
        self.failure.lock().take()
    }

    pub fn take_odd(&self) -> Page {
        std::mem::take(&mut self.odd.lock())
    }

    fn fail(&self, failure: Failure) {
        *self.failure.lock() = Some(failure);
    }

    /// Its latest request was sent on to another host, or to another place there.
    fn redirected(&self) {
        if let Some((_, class)) = *self.sent.lock() {
            account::redirected(&self.counters, class);
        }
    }

    /// Counts what a request costs; the error where the query may not spend that much.
    fn charge(&self, class: Class) -> Result<(), Failure> {
        let price = self.limits.prices.request(class);
        let most = self.limits.cost_max.unwrap_or(u64::MAX);
        if price == 0 || self.counters.add_up_to(Event::ObjectStorageCostNanodollars, price, most) {
            return Ok(());
        }
        let (spent, most) = (self.counters.get(Event::ObjectStorageCostNanodollars) as f64 / 1e9, most as f64 / 1e9);
        Err(Failure::fatal(Error::new(
            ErrorCode::LIMIT_EXCEEDED,
            format!(
                "Limit for the price of requests exceeded: {spent:.7} USD are spent, and one more {} request would pass \
                 max_query_cost_usd = {most:.7}. Raise it, or read less: EXPLAIN ESTIMATE tells the price beforehand",
                class.name()
            ),
        )))
    }
}

/// Makes the HTTP clients of one store.
#[derive(Clone, Debug)]
pub(crate) struct WireConnector {
    pub provider: Provider,
    /// Requests to other hosts (credentials) pass uncounted and unlimited.
    pub host: String,
    pub endpoint: Arc<Endpoint>,
    pub settings: ClientSettings,
    /// Sent with every request to the host.
    pub headers: HeaderMap,
}

impl WireConnector {
    /// The wire above a client.
    pub fn over(&self, client: HttpClient) -> HttpClient {
        HttpClient::new(Wire { client, at: self.clone() })
    }

    /// Requests that go to the host; an error where its URL is none that may be asked.
    async fn execute(&self, client: &HttpClient, request: HttpRequest, is_ours: bool) -> Result<HttpResponse, HttpError> {
        let refused = |error: Error| HttpError::new(HttpErrorKind::Unknown, error);
        let url = Url::parse(&request.uri().to_string())
            .map_err(|error| HttpError::new(HttpErrorKind::Unknown, std::io::Error::other(error)))?;
        // Stores have hosts beside the one that was named and checked, and are asked for credentials elsewhere.
        if self.provider == Provider::Http {
            allowed_hosts::check_url(&url).map_err(refused)?;
        } else if is_ours {
            allowed_hosts::check_metadata(&url).map_err(refused)?;
        }
        allowed_hosts::asking(&url, client.execute(request)).await.map_err(refused)?
    }
}

impl HttpConnector for WireConnector {
    /// Of the options, which are ours, one is changed by the clients: an address of metadata is to answer within a second.
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let soon = options.get_config_value(&ClientConfigKey::ConnectTimeout).is_some_and(|longest| longest == "1s");
        let connect_timeout_ms = if soon { 1000 } else { self.settings.connect_timeout_ms };
        let followed = reqwest::redirect::Policy::custom(|attempt| {
            if attempt.previous().len() > SENT_ON_BY_STORES_MAX {
                return attempt.error("sent on too often");
            }
            match allowed_hosts::check_sent_on(attempt.url()) {
                Ok(()) => {
                    // It is asked within the request that was sent on.
                    if let Some(call) = Call::current() {
                        call.redirected();
                    }
                    attempt.follow()
                }
                Err(error) => attempt.error(error),
            }
        });
        let made = client(ClientSettings { connect_timeout_ms, ..self.settings }, followed);
        Ok(self.over(made.map_err(|error| object_store::Error::Generic { store: "HTTP", source: Box::new(error) })?))
    }
}

/// Marks a request to another host that a server sent it on to: it counts as one to the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentOn;

#[derive(Debug)]
struct Wire {
    client: HttpClient,
    at: WireConnector,
}

impl Wire {
    fn is_ours(&self, request: &HttpRequest) -> bool {
        if request.extensions().get::<SentOn>().is_some() {
            return true;
        }
        let host = request.uri().host().unwrap_or("").to_ascii_lowercase();
        let own = self.at.host.to_ascii_lowercase();
        host == own || host.strip_suffix(own.as_str()).is_some_and(|bucket| bucket.ends_with('.'))
    }

    /// Waits until the rates that the user set allow another request.
    async fn wait_for_rate(&self, call: &Call, class: Class) {
        let (throttle, rate) = match class.reads() {
            true => (&self.at.endpoint.read_throttle, call.limits.reads),
            false => (&self.at.endpoint.write_throttle, call.limits.writes),
        };
        if rate.per_second == 0 {
            return;
        }
        let wait = throttle.take(rate, Instant::now());
        account::throttled(&call.counters, self.at.provider, class, wait);
        if !wait.is_zero() {
            let _waiting = Gauge::ObjectStorageWaiting.hold();
            // Whoever gives up while it waits leaves no debt to those behind it.
            let waiting = Waiting::of(throttle);
            tokio::time::sleep(wait).await;
            waiting.sent();
        }
    }
}

#[async_trait]
impl HttpService for Wire {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_ours = self.is_ours(&request);
        let mut request = request;
        if is_ours && request.extensions().get::<SentOn>().is_none() {
            for (name, value) in &self.at.headers {
                request.headers_mut().entry(name).or_insert_with(|| value.clone());
            }
        }
        let Some(call) = Call::current().filter(|_| is_ours) else {
            let limit = Duration::from_secs(10);
            return tokio::time::timeout(limit, self.at.execute(&self.client, request, is_ours))
                .await
                .unwrap_or_else(|_| Err(timed_out(limit)));
        };
        let provider = self.at.provider;
        let copies =
            request.headers().contains_key("x-amz-copy-source") || request.headers().contains_key("x-goog-copy-source");
        let class = Class::of(provider, request.method(), request.uri().query().unwrap_or(""), copies);
        self.wait_for_rate(&call, class).await;
        let endpoint = &self.at.endpoint;
        let waiting = Gauge::ObjectStorageWaiting.hold();
        let permit = endpoint.limiter.acquire().await;
        drop(waiting);
        // Now and not before: a second request that is no longer needed ends while it waits, and costs nothing.
        if let Err(failure) = call.charge(class) {
            call.fail(failure);
            return Err(HttpError::new(HttpErrorKind::Unknown, std::io::Error::other("max_query_cost_usd")));
        }
        let sent_bytes = request.body().content_length() as u64;
        let logged = Logged::of(class, &request, (provider, &self.at.host), &call);
        account::sent(&call.counters, provider, class);
        endpoint.sent(class);
        let in_flight = account::in_flight(provider).map(Gauge::hold);
        let start = Instant::now();
        *call.sent.lock() = Some((start, class));
        // Uploading the request's own body is part of the wait: a slow line gets a second more for each 256 KiB.
        let patience = call.limits.timeout + Duration::from_secs(sent_bytes >> 18);
        let answer = match tokio::time::timeout(patience, self.at.execute(&self.client, request, is_ours)).await {
            Ok(answer) => answer,
            Err(_) => Err(timed_out(patience)),
        };
        let micros = start.elapsed().as_micros() as u64;
        match answer {
            Err(error) => {
                let failure = of_http_error(&error);
                if failure.kind == FailureKind::Dns {
                    call.counters.add(Event::DNSError, 1);
                }
                logged.answered(micros, Some((0, &failure)));
                permit.done(if failure.kind == FailureKind::Timeout { Outcome::Overloaded } else { Outcome::Well });
                account::answered(&call.counters, provider, class, micros, Ending::Failed);
                endpoint.answered(class, micros, Ending::Failed);
                call.fail(failure);
                Err(error)
            }
            // Where a plain server sends on to, its backend goes.
            Ok(response)
                if response.status().is_success() || provider == Provider::Http && response.status().is_redirection() =>
            {
                account::answered(&call.counters, provider, class, micros, Ending::Answered);
                endpoint.answered(class, micros, Ending::Answered);
                let reading = logged.is_read();
                let logged = if reading {
                    Some(logged)
                } else {
                    logged.answered(micros, None);
                    None
                };
                if sent_bytes > 0 && matches!(class, Class::Put | Class::UploadPart) {
                    account::written(&call.counters, provider, sent_bytes, micros);
                    endpoint.class(class).bytes.fetch_add(sent_bytes, Ordering::Relaxed);
                }
                let begun = BodyBegun { class, sent: start, in_flight, logged };
                let response = metered(response, call.clone(), permit, &self.at, begun);
                if class != Class::List {
                    return Ok(response);
                }
                let (parts, body) = response.into_parts();
                let (rest, odd) = take_out(body.bytes().await?);
                *call.odd.lock() = odd;
                Ok(HttpResponse::from_parts(parts, rest.into()))
            }
            Ok(response) => {
                let (parts, body) = response.into_parts();
                let body = error_body(body, call.limits.timeout).await;
                let failure = Failure::of_answer(parts.status.as_u16(), &parts.headers, &String::from_utf8_lossy(&body));
                logged.answered(micros, Some((parts.status.as_u16(), &failure)));
                let throttled = failure.kind == FailureKind::Throttled;
                permit.done(if throttled { Outcome::Overloaded } else { Outcome::Well });
                let ending = if throttled { Ending::Throttled } else { Ending::Failed };
                account::answered(&call.counters, provider, class, micros, ending);
                endpoint.answered(class, micros, ending);
                call.fail(failure);
                Ok(HttpResponse::from_parts(parts, body.into()))
            }
        }
    }
}

fn timed_out(limit: Duration) -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, std::io::Error::other(format!("no answer within {} ms", limit.as_millis())))
}

/// The start of an error's body; what does not come in time is left out.
async fn error_body(body: HttpResponseBody, limit: Duration) -> Bytes {
    use futures::StreamExt;
    let mut stream = body.bytes_stream();
    let mut out = Vec::new();
    let read = async {
        while let Some(Ok(chunk)) = stream.next().await {
            out.extend_from_slice(&chunk);
            if out.len() > ERROR_BODY_BYTES_MAX {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(limit, read).await;
    out.truncate(ERROR_BODY_BYTES_MAX);
    out.into()
}

/// What a failed connection or transfer means, from the chain of its causes.
pub(crate) fn of_http_error(error: &HttpError) -> Failure {
    let mut causes = Vec::new();
    let mut dns = false;
    let mut current: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(cause) = current {
        if let Some(refused) = cause.downcast_ref::<RefusedName>() {
            return Failure::fatal(refused.error());
        }
        if let Some(refused) = cause.downcast_ref::<Error>() {
            return Failure::fatal(refused.clone());
        }
        let text = cause.to_string();
        dns |= text.contains("dns error") || text.contains("failed to lookup address");
        if causes.last().is_none_or(|last: &String| !last.contains(&text)) {
            causes.push(text);
        }
        current = cause.source();
    }
    let kind = match error.kind() {
        _ if dns => FailureKind::Dns,
        HttpErrorKind::Timeout => FailureKind::Timeout,
        HttpErrorKind::Connect => FailureKind::Connect,
        _ => FailureKind::Broken,
    };
    Failure::new(kind, causes.join(": "))
}

/// What its request was, for a body that is to come.
struct BodyBegun {
    class: Class,
    sent: Instant,
    in_flight: Option<Held>,
    logged: Option<Logged>,
}

fn metered(
    response: HttpResponse,
    call: Arc<Call>,
    permit: Permit,
    at: &WireConnector,
    BodyBegun { class, sent, in_flight, logged }: BodyBegun,
) -> HttpResponse {
    let (parts, body) = response.into_parts();
    let permit = if call.eager {
        Some(permit)
    } else {
        permit.done(Outcome::Well);
        None
    };
    let body = MeteredBody {
        idle: Box::pin(tokio::time::sleep(call.limits.timeout)),
        waiting: false,
        inner: body,
        call,
        permit,
        provider: at.provider,
        endpoint: at.endpoint.clone(),
        class,
        sent,
        began: Instant::now(),
        bytes: 0,
        logged,
        _in_flight: (in_flight, (class == Class::Get).then(|| Gauge::RemoteRead.hold())),
    };
    HttpResponse::from_parts(parts, HttpResponseBody::new(body))
}

/// A body that is counted as it comes, fails when nothing comes, and holds its request's place in the limit.
struct MeteredBody {
    inner: HttpResponseBody,
    call: Arc<Call>,
    permit: Option<Permit>,
    provider: Provider,
    endpoint: Arc<Endpoint>,
    class: Class,
    sent: Instant,
    /// When the answer began.
    began: Instant,
    bytes: u64,
    /// Of a read that is to be told.
    logged: Option<Logged>,
    /// As a request, and as a read.
    _in_flight: (Option<Held>, Option<Held>),
    idle: Pin<Box<Sleep>>,
    /// Whether the network, not the reader, is who is waited for.
    waiting: bool,
}

impl MeteredBody {
    fn end(&mut self, outcome: Outcome) {
        if let Some(permit) = self.permit.take() {
            permit.done_with(outcome, self.bytes);
        }
    }

    /// It broke.
    fn failed(&mut self, failure: Failure, outcome: Outcome) {
        if self.class == Class::Get {
            account::read_broke(&self.call.counters, self.provider);
        }
        self.tell(Some(&failure));
        self.call.fail(failure);
        self.end(outcome);
    }

    fn tell(&mut self, failed: Option<&Failure>) {
        if let Some(logged) = self.logged.take() {
            logged.came(self.bytes, self.sent.elapsed().as_micros() as u64, failed);
        }
    }

    fn count(&mut self, bytes: u64) {
        self.bytes += bytes;
        if self.class == Class::Get {
            account::received(&self.call.counters, self.provider, bytes);
            self.call.counters.add(Event::ObjectStorageCostNanodollars, self.call.limits.prices.bytes_read(bytes));
        }
    }
}

impl Body for MeteredBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let this = &mut *self;
        match Pin::new(&mut this.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                this.waiting = false;
                if let Some(data) = frame.data_ref() {
                    this.count(data.len() as u64);
                }
                // The connection allocated it, for no query; whoever reads it holds it.
                Poll::Ready(Some(Ok(frame.map_data(allocations::adopted))))
            }
            Poll::Ready(Some(Err(error))) => {
                this.failed(of_http_error(&error), Outcome::Well);
                Poll::Ready(Some(Err(error)))
            }
            Poll::Ready(None) => {
                if this.call.eager {
                    this.endpoint.body_came(this.bytes, this.began.elapsed().as_micros() as u64);
                }
                this.end(Outcome::Well);
                Poll::Ready(None)
            }
            Poll::Pending => {
                if !this.waiting {
                    this.waiting = true;
                    this.idle.as_mut().reset(tokio::time::Instant::now() + this.call.limits.timeout);
                }
                if this.idle.as_mut().poll(cx).is_ready() {
                    this.waiting = false;
                    let text =
                        format!("no byte for {} ms in the middle of the answer", this.call.limits.timeout.as_millis());
                    this.failed(Failure::new(FailureKind::Timeout, text), Outcome::Overloaded);
                    return Poll::Ready(Some(Err(timed_out(this.call.limits.timeout))));
                }
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for MeteredBody {
    fn drop(&mut self) {
        if self.class.reads() {
            self.endpoint.class(self.class).bytes.fetch_add(self.bytes, Ordering::Relaxed);
        }
        if self.class == Class::Get && matches!(self.provider, Provider::S3 | Provider::Gcs | Provider::Azure) {
            let micros = self.sent.elapsed().as_micros() as u64;
            account::read_ended(&self.call.counters, self.provider, micros);
        }
        self.tell(None);
    }
}
