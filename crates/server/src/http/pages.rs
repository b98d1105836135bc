//! Answers that need no query: whether the server lives, its metrics, what is not there.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use gristmill_base::Error;
use gristmill_functions::session::DIALECT_VERSION;
use gristmill_introspect::{Counters, Event, processes};
use gristmill_system::asynchronous_metrics;
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use hyper::http::HeaderMap;
use hyper::{Response, StatusCode};

use super::answer::AnswerBody;
use super::head::TEXT;
use crate::core::{Core, error_text};

fn page(status: StatusCode, content_type: &'static str, text: String) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::whole(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// `/` without a query, `/ping`, `/replicas_status`: no table is replicated, so none is behind.
pub fn alive() -> Response<AnswerBody> {
    page(StatusCode::OK, "text/html; charset=UTF-8", "Ok.\n".to_string())
}

pub fn not_found(path: &str) -> Response<AnswerBody> {
    let text = format!(
        "There is no handle {path}\n\nUse / or /ping for health checks.\nOr /replicas_status for more sophisticated health \
         checks.\n\nSend queries from your program with POST method or GET /?query=...\n\nVersion {DIALECT_VERSION}\n"
    );
    page(StatusCode::NOT_FOUND, TEXT, text)
}

/// `/play`: a page to type queries into and look at their results.
pub fn play() -> Response<AnswerBody> {
    let mut response = page(StatusCode::OK, "text/html; charset=UTF-8", include_str!("play.html").to_string());
    let policy = HeaderValue::from_static(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'",
    );
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// The work behind an answer ended by a defect.
pub fn defect() -> Response<AnswerBody> {
    let error = Error::logical("The query ended without an answer");
    let mut response = page(StatusCode::INTERNAL_SERVER_ERROR, TEXT, format!("{}\n", error_text(&error)));
    response.headers_mut().insert("x-clickhouse-exception-code", HeaderValue::from(error.code().0));
    response
}

/// What a browser asks before it lets a page of another site send a query.
pub fn preflight(headers: &HeaderMap) -> Response<AnswerBody> {
    let mut response = page(StatusCode::NO_CONTENT, TEXT, String::new());
    if headers.contains_key("origin") {
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            (
                "access-control-allow-headers",
                "origin, x-requested-with, x-clickhouse-format, x-clickhouse-user, x-clickhouse-key, Authorization",
            ),
            ("access-control-allow-methods", "POST, GET, OPTIONS"),
            ("access-control-max-age", "86400"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

/// In the text format of Prometheus, under ClickHouse's names.
pub fn metrics(core: &Core) -> Response<AnswerBody> {
    let mut out = String::new();
    let mut add = |name: &str, kind: &str, help: &str, value: f64| {
        // A `String` takes whatever is written.
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
    };
    for event in Event::ALL {
        let value = Counters::server().get(*event);
        add(&format!("ClickHouseProfileEvents_{}", event.name()), "counter", event.description(), value as f64);
    }
    let running = processes::snapshot();
    let memory: u64 = running.iter().map(|query| query.memory.used_bytes()).sum();
    let connections = &core.connections;
    for (name, help, value) in [
        ("Query", "Number of executing queries", running.len() as u64),
        ("MemoryTracking", "Bytes of memory that the running queries account for", memory),
        ("TCPConnection", "Number of connections of the native protocol", connections.native.load(Ordering::Relaxed) as u64),
        ("HTTPConnection", "Number of connections to the HTTP server", connections.http.load(Ordering::Relaxed) as u64),
    ] {
        add(&format!("ClickHouseMetrics_{name}"), "gauge", help, value as f64);
    }
    for metric in asynchronous_metrics::measured(&core.engine.databases, &core.engine.data_path) {
        add(&format!("ClickHouseAsyncMetrics_{}", metric.name), "gauge", metric.description, metric.value);
    }
    page(StatusCode::OK, "text/plain; version=0.0.4; charset=UTF-8", out)
}
