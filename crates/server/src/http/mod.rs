//! ClickHouse's HTTP interface.
//!
//! hyper reads and writes on the I/O runtime. A query (`query`) runs as a task of the CPU runtime: it takes the body in as
//! it comes (`input`, `external`), and sends its result out (`outgoing`) through a channel of a few chunks (`answer`). The
//! task belongs to the answer: it ends when the client leaves.

mod ahead;
mod answer;
pub(crate) mod external;
mod framing;
mod half_closed;
pub mod handlers;
mod head;
pub(crate) mod input;
mod limits;
mod lines;
mod outgoing;
mod pages;
pub mod prometheus;
mod query;
pub(crate) mod request;
mod response_headers;
pub mod sessions;
mod status;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_introspect::{Event, Gauge};
use hyper::body::Incoming;
use hyper::header::CONNECTION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::core::Core;
use crate::metered::{Ended, Interface, Metered};
use ahead::{Ahead, AheadOf};
use answer::AnswerBody;
use half_closed::{AnswerOf, Line, Stream};
use handlers::{Entry, Handler, Routing, Rule};
use limits::HeadLimits;
use prometheus::Told;
use query::Peer;

/// Until the head of the only request is there, where connections are not kept.
const HEAD_LONGEST: Duration = Duration::from_secs(30);
/// Bytes of a request's head.
const HEAD_BYTES_MAX: usize = 1 << 20;

/// What a port is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    Queries,
    /// Of `<prometheus>`.
    Metrics,
}

/// Serves one socket to its end; clients may close their side of it and wait for the answer.
pub async fn serve_tcp(core: Arc<Core>, socket: TcpStream, peer: SocketAddr, port: Port) {
    let line = Line::new(socket);
    serve(core, Stream(line.clone()), Some(line), peer, port).await;
}

/// Serves one connection to its end. `line`: the socket below it, where clients may close their side; else that is their leaving.
pub async fn serve(
    core: Arc<Core>,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    line: Option<Arc<Line>>,
    peer: SocketAddr,
    port: Port,
) {
    let _counted = Gauge::HTTPConnection.hold();
    let _ended = Ended::of(Event::HTTPServerConnectionsCreated, Event::HTTPServerConnectionsClosed);
    let socket = Metered::of(socket, Interface::HTTP);
    let meter = socket.meter();
    // Until a query says otherwise.
    meter.wait(core.settings.http_send_longest());
    let ahead = Ahead::default();
    let socket = AheadOf::new(socket, ahead.clone());
    let stopping = core.stopping.clone();
    let keep_alive = core.keep_alive;
    let limits = HeadLimits::of(&core);
    let from = Peer { address: peer, connection: core.connections.number(), is_secure: line.is_none() };
    let watched = line.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(meter.clone());
        if let Some(ahead) = ahead.ask(&request) {
            request.extensions_mut().insert(ahead);
        }
        let (core, ahead) = (core.clone(), ahead.clone());
        let asked = line.as_ref().map(Line::ask);
        async move {
            let is_head = request.method() == Method::HEAD;
            let (is_last, version) = (is_last(&request), request.version());
            let mut response = match port {
                Port::Queries => respond(core, request, from, &limits).await,
                Port::Metrics => prometheus::respond(core, request).await,
            };
            if ahead.answers() {
                *response.status_mut() = StatusCode::OK;
            }
            if is_last {
                head::put_keep_alive(response.headers_mut(), Duration::ZERO);
                // An answer of version 1.1 to a client of 1.0 that would keep the connection is said to keep it.
                *response.version_mut() = version;
            } else if !response.headers().contains_key(CONNECTION) {
                head::put_keep_alive(response.headers_mut(), keep_alive);
            }
            if let Some(asked) = &asked {
                asked.answers(!is_head && response.version() == Version::HTTP_11 && response.body().is_chunked());
            }
            Ok::<_, Infallible>(response.map(|body| AnswerOf { body, _asked: asked }))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(!keep_alive.is_zero())
        .half_close(watched.is_some())
        // Counts from the end of the answer before.
        .header_read_timeout(if keep_alive.is_zero() { HEAD_LONGEST } else { keep_alive })
        .max_buf_size(HEAD_BYTES_MAX)
        // With more the answer is 431, as that to longer ones.
        .max_headers(limits.fields)
        .serve_connection(TokioIo::new(socket), service);
    tokio::pin!(connection);
    let served = async {
        tokio::select! {
            ended = connection.as_mut() => ended,
            () = stopping.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    let left = async {
        match &watched {
            Some(line) => line.left().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        ended = served => {
            if let Err(error) = ended {
                tracing::debug!("HTTP connection from {peer}: {error}");
            }
        }
        () = left => tracing::debug!("HTTP connection from {peer}: the client left before its answer"),
    }
}

/// Whether the connection ends with the answer, because the client wants it so, or speaks HTTP/1.0, in which an answer without a
/// length has no other end.
fn is_last(request: &Request<Incoming>) -> bool {
    let asked = request.headers().get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let mut words = asked.flat_map(|value| value.split(','));
    request.version() == Version::HTTP_10 || words.any(|word| word.trim().eq_ignore_ascii_case("close"))
}

async fn respond(core: Arc<Core>, request: Request<Incoming>, peer: Peer, limits: &HeadLimits) -> Response<AnswerBody> {
    if let Some(text) = limits.too_long_uri(request.uri()) {
        return pages::too_long_uri(text);
    }
    if let Some(text) = limits.too_long_field(request.headers()) {
        return pages::too_long_head(text);
    }
    if request.method() == Method::OPTIONS {
        return match &core.routing.now().options {
            Some(headers) => pages::options(headers),
            None => pages::preflight(request.headers()),
        };
    }
    let page = Page::of(&request);
    let routing = core.routing.now();
    let chosen = match &routing.handlers {
        None => Some(&Entry::Defaults),
        Some(handlers) => {
            let is_default = page.is_some();
            handlers.of_request(request.method(), request.uri(), request.headers(), is_default)
        }
    };
    match (chosen, page) {
        (Some(Entry::Rule(rule)), _) => respond_by(rule.clone(), core, request, peer).await,
        (Some(Entry::Defaults), Some(page)) => respond_with(page, &routing, core, request, peer).await,
        _ => pages::not_found(request.uri().path()),
    }
}

/// What a server answers without rules.
#[derive(Clone, Copy)]
enum Page {
    Root,
    Alive,
    Metrics,
    Play,
    Dashboard,
    Merges,
    Memory,
    Binary,
    Query,
}

impl Page {
    /// `None`: there is no such page.
    fn of(request: &Request<Incoming>) -> Option<Page> {
        let has_query = || request.uri().query().is_some_and(|query| !query.is_empty());
        let is_get = matches!(*request.method(), Method::GET | Method::HEAD);
        Some(match request.uri().path() {
            "/" if is_get && !has_query() => Page::Root,
            "/ping" | "/replicas_status" if is_get => Page::Alive,
            "/metrics" if is_get => Page::Metrics,
            "/play" if is_get => Page::Play,
            "/dashboard" if is_get => Page::Dashboard,
            "/merges" if is_get => Page::Merges,
            "/jemalloc" if is_get => Page::Memory,
            "/binary" if is_get => Page::Binary,
            "/" | "/query" if is_get || request.method() == Method::POST => Page::Query,
            _ => return None,
        })
    }
}

async fn respond_with(
    page: Page,
    routing: &Routing,
    core: Arc<Core>,
    request: Request<Incoming>,
    peer: Peer,
) -> Response<AnswerBody> {
    match page {
        Page::Root => pages::root(routing.default_response.as_deref()),
        Page::Alive => pages::alive(),
        Page::Metrics => prometheus::metrics(core, Told::default()).await,
        Page::Play => pages::play(),
        Page::Dashboard => pages::dashboard(),
        Page::Merges => pages::merges(),
        Page::Memory => pages::memory(),
        Page::Binary => pages::binary(),
        Page::Query => query(core, request, peer, None).await,
    }
}

/// By a rule of the configuration.
async fn respond_by(rule: Arc<Rule>, core: Arc<Core>, request: Request<Incoming>, peer: Peer) -> Response<AnswerBody> {
    let mut response = match &rule.handler {
        // It has the headers of the rule from its beginning.
        Handler::Query { .. } => return query(core, request, peer, Some(rule)).await,
        Handler::Static { status, content } => {
            let (status, content) = (*status, content.clone());
            // Files are read where waiting for them holds nobody up.
            let read = Task::on(&runtime::cpu(), async move { content.bytes(core.engine.hints.user_files_path.as_deref()) });
            match read.join().await.and_then(|bytes| bytes) {
                Ok(bytes) => pages::of_bytes(status, bytes),
                Err(error) => return pages::failed(&error),
            }
        }
        Handler::Redirect(location) => pages::redirect(location),
        Handler::Prometheus => prometheus::metrics(core, Told::default()).await,
        Handler::Alive => pages::alive(),
        Handler::Play => pages::play(),
        Handler::Dashboard => pages::dashboard(),
        Handler::Merges => pages::merges(),
        Handler::Memory => pages::memory(),
        Handler::Binary => pages::binary(),
    };
    response_headers::put(&rule.response_headers, response.headers_mut());
    response
}

async fn query(core: Arc<Core>, request: Request<Incoming>, peer: Peer, rule: Option<Arc<Rule>>) -> Response<AnswerBody> {
    let (parts, body) = request.into_parts();
    let (responder, awaited) = answer::channel();
    let exchange = query::Exchange { core, parts, body, peer, responder, rule };
    let work = Task::on(&runtime::cpu(), query::run(exchange));
    awaited.response(work).await.unwrap_or_else(pages::defect)
}
