//! Answers that need no query: whether the server lives, what is not there, pages for people.

use bytes::Bytes;
use gristmill_base::Error;
use gristmill_functions::session::DIALECT_VERSION;
use hyper::header::{CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use hyper::http::HeaderMap;
use hyper::{Response, StatusCode};

use super::answer::AnswerBody;
use super::head::TEXT;
use super::status;
use crate::core::error_text;

const HTML: &str = "text/html; charset=UTF-8";

pub fn page(status: StatusCode, content_type: &'static str, text: String) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::whole(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// `/` without a query, `/ping`, `/replicas_status`: no table is replicated, so none is behind.
pub fn alive() -> Response<AnswerBody> {
    page(StatusCode::OK, HTML, "Ok.\n".to_string())
}

/// `/` without a query.
pub fn root(text: Option<&str>) -> Response<AnswerBody> {
    match text {
        Some(text) => page(StatusCode::OK, HTML, text.to_string()),
        None => alive(),
    }
}

/// What a rule of the configuration answers, whose headers say what it is.
pub fn of_bytes(status: StatusCode, bytes: Vec<u8>) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::whole(Bytes::from(bytes)));
    *response.status_mut() = status;
    response
}

pub fn redirect(location: &HeaderValue) -> Response<AnswerBody> {
    let mut response = page(StatusCode::FOUND, TEXT, String::new());
    response.headers_mut().insert(LOCATION, location.clone());
    response
}

/// A rule of the configuration could not answer.
pub fn failed(error: &Error) -> Response<AnswerBody> {
    let mut response = page(status::of(error.code()), TEXT, format!("{}\n", error_text(error)));
    response.headers_mut().insert("x-clickhouse-exception-code", HeaderValue::from(error.code().0));
    response
}

pub fn too_long_uri(text: String) -> Response<AnswerBody> {
    page(StatusCode::URI_TOO_LONG, TEXT, text)
}

/// A field of the request's head is too long.
pub fn too_long_head(text: String) -> Response<AnswerBody> {
    page(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, TEXT, text)
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
    program(include_str!("play.html"))
}

/// `/dashboard`: what the queries of `system.dashboards` give, drawn over time.
pub fn dashboard() -> Response<AnswerBody> {
    program(include_str!("dashboard.html"))
}

/// `/merges`: the merges and mutations that run and those that ran, and where parts are many.
pub fn merges() -> Response<AnswerBody> {
    tables(include_str!("merges.json"))
}

/// `/jemalloc`, by ClickHouse's name: what memory is taken for.
pub fn memory() -> Response<AnswerBody> {
    tables(include_str!("memory.json"))
}

/// `/binary`: what this program was built with, and which of its functions queries spend their time in.
pub fn binary() -> Response<AnswerBody> {
    tables(include_str!("binary.json"))
}

/// A page of tables, each of which is a query of `sections`.
fn tables(sections: &str) -> Response<AnswerBody> {
    program(&include_str!("tables.html").replace("PAGE", sections))
}

/// A page with a program of its own, which asks this server and no other.
fn program(text: &str) -> Response<AnswerBody> {
    let mut response = page(StatusCode::OK, HTML, text.to_string());
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

/// As `preflight`, with the headers that the configuration wants, whoever asks. The connection ends with it, as in ClickHouse.
pub fn options(headers: &[(HeaderName, HeaderValue)]) -> Response<AnswerBody> {
    let mut response = of_bytes(StatusCode::NO_CONTENT, Vec::new());
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    for (name, value) in headers {
        response.headers_mut().append(name.clone(), value.clone());
    }
    response
}
