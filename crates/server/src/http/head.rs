//! The head of an answer: the headers by which clients know what came and what became of the query.

use std::time::Duration;

use gristmill_base::{Error, ErrorCode};
use gristmill_formats::{Compression, Format};
use gristmill_introspect::QueryContext;
use hyper::header::{CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::{HeaderMap, response};
use hyper::{Response, StatusCode};

use super::ahead::Ahead;
use super::lines::HeadLines;
use super::{response_headers, status};
use crate::core::{error_text, error_text_with_stack};

pub const TEXT: &str = "text/plain; charset=UTF-8";

/// Headers that pages of other sites may see.
const EXPOSED: &str = "X-ClickHouse-Query-Id,X-ClickHouse-Format,X-ClickHouse-Timezone,X-ClickHouse-Server-Display-Name,\
    X-ClickHouse-Summary,X-ClickHouse-Progress,X-ClickHouse-Logs,X-ClickHouse-Exception-Code,X-ClickHouse-Exception-Tag,\
    X-Gristmill-Insert-Gear";

/// Bytes of progress headers before they come slowly, if at all: clients take no long heads.
const PROGRESS_BYTES_MAX: usize = 8 << 10;
/// How often they come then, at most.
const PROGRESS_SLOWLY: Duration = Duration::from_secs(10);

/// What the head says of a query.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub query_id: String,
    pub timezone: String,
    pub display_name: String,
    /// 16 letters that mark an error behind bytes of a result.
    pub tag: String,
    /// Pages of other sites may read the answer.
    pub cors: bool,
    /// The connection ends with this answer.
    pub closes: bool,
    /// How long the connection waits for another request.
    pub keep_alive: Duration,
    /// Errors are told with the calls that led to them.
    pub stacktrace: bool,
    /// Of the result, where there is one.
    pub format: Option<Format>,
    /// The type of its frames, where it has any.
    pub framing: Option<&'static str>,
    pub codec: Compression,
    /// Where it is told how far the query is while it runs.
    pub ahead: Option<Ahead>,
    /// When it is told next.
    pub progress_next: Option<Duration>,
    /// Of what was told.
    pub progress_bytes: usize,
    /// How far the query was, where that could not be told before.
    pub progress: Vec<String>,
    /// What was told of the query's log until then.
    pub lines: HeadLines,
    /// Headers that the rule of the configuration wants in every answer.
    pub configured: Vec<(HeaderName, HeaderValue)>,
    /// Those that the query's settings want in a result.
    pub asked: Vec<(HeaderName, HeaderValue)>,
}

impl Head {
    /// The error as the client wants to read it.
    pub fn error_text(&self, error: &Error) -> String {
        if self.stacktrace { error_text_with_stack(error) } else { error_text(error) }
    }

    /// Tells how far the query is by a header, where its client wants to know it and it is time. The head is not sent yet.
    pub fn tell_progress(&mut self, context: &QueryContext) {
        let settings = &context.settings;
        let every = Duration::from_millis(settings.http_headers_progress_interval_ms.max(1));
        let elapsed = context.elapsed();
        if !settings.send_progress_in_http_headers || elapsed < self.progress_next.unwrap_or(every) {
            return;
        }
        let line = progress(context);
        self.progress_bytes += line.len();
        let is_much = self.progress_bytes > PROGRESS_BYTES_MAX;
        self.progress_next = Some(elapsed + if is_much { every.max(PROGRESS_SLOWLY) } else { every });
        let is_told = self.ahead.as_ref().is_some_and(|ahead| ahead.send("x-clickhouse-progress", &line));
        if !is_told && !is_much {
            self.progress.push(line);
        }
    }

    fn common(&self, status: StatusCode) -> response::Parts {
        let (mut parts, ()) = Response::new(()).into_parts();
        parts.status = status;
        put_keep_alive(&mut parts.headers, if self.closes { Duration::ZERO } else { self.keep_alive });
        let mut put = |name: &'static str, value: &str| {
            // An id with bytes that no header has is left out.
            if let Ok(value) = HeaderValue::from_str(value) {
                parts.headers.append(HeaderName::from_static(name), value);
            }
        };
        put("x-clickhouse-server-display-name", &self.display_name);
        put("x-clickhouse-query-id", &self.query_id);
        put("x-clickhouse-timezone", &self.timezone);
        put("x-clickhouse-exception-tag", &self.tag);
        for line in &self.progress {
            put("x-clickhouse-progress", line);
        }
        if let Some(lines) = self.lines.header() {
            put("x-clickhouse-logs", &lines);
        }
        if self.cors {
            put("access-control-allow-origin", "*");
            put("access-control-expose-headers", EXPOSED);
        }
        response_headers::put(&self.configured, &mut parts.headers);
        parts
    }

    /// Of a statement that goes well.
    pub fn success(&self, context: &QueryContext) -> response::Parts {
        let mut parts = self.common(StatusCode::OK);
        let content_type = self.framing.unwrap_or_else(|| self.format.map_or(TEXT, Format::content_type));
        parts.headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(content_type));
        if let Some(format) = self.format {
            parts.headers.insert("x-clickhouse-format", HeaderValue::from_static(format.name()));
        }
        if self.codec != Compression::None {
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(self.codec.name()));
        }
        if let Ok(value) = HeaderValue::from_str(&summary(context)) {
            parts.headers.insert("x-clickhouse-summary", value);
        }
        // Not a member of the summary: clients take those for numbers.
        if let Some(value) = context.insert_gear_at_end().and_then(|gear| HeaderValue::from_str(&gear).ok()) {
            parts.headers.insert("x-gristmill-insert-gear", value);
        }
        response_headers::put(&self.asked, &mut parts.headers);
        parts
    }

    /// Of a statement that failed and whose answer is a document of its format all the same, with the error in it.
    pub fn failure_in_format(&self, error: &Error, context: Option<&QueryContext>) -> response::Parts {
        let mut parts = self.failure(error, context);
        if let Some(format) = self.format {
            parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.content_type()));
            parts.headers.insert("x-clickhouse-format", HeaderValue::from_static(format.name()));
        }
        if let Some(framing) = self.framing {
            parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(framing));
        }
        if self.codec != Compression::None {
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(self.codec.name()));
        }
        parts
    }

    pub fn failure(&self, error: &Error, context: Option<&QueryContext>) -> response::Parts {
        let mut parts = self.common(status::of(error.code()));
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(TEXT));
        parts.headers.insert("x-clickhouse-exception-code", HeaderValue::from(error.code().0));
        if error.code() == ErrorCode::REQUIRED_PASSWORD {
            let challenge = HeaderValue::from_static("Basic realm=\"ClickHouse server HTTP API\"");
            parts.headers.insert(hyper::header::WWW_AUTHENTICATE, challenge);
        }
        if let Some(value) = context.and_then(|context| HeaderValue::from_str(&summary(context)).ok()) {
            parts.headers.insert("x-clickhouse-summary", value);
        }
        parts
    }
}

/// Tells how long the connection waits for another request; zero: it ends.
pub fn put_keep_alive(headers: &mut HeaderMap, longest: Duration) {
    if longest.is_zero() {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        headers.remove("keep-alive");
        return;
    }
    headers.insert(CONNECTION, HeaderValue::from_static("Keep-Alive"));
    if let Ok(value) = HeaderValue::from_str(&format!("timeout={}", longest.as_secs())) {
        headers.insert("keep-alive", value);
    }
}

/// How far the query is: one JSON object whose values are all strings.
fn progress(context: &QueryContext) -> String {
    object(&numbers(context, context.elapsed()))
}

/// What the query took: that of `progress`, and its time as ClickHouse tells it here alone.
fn summary(context: &QueryContext) -> String {
    let elapsed = context.elapsed();
    let mut told = numbers(context, elapsed);
    told.push(("real_time_microseconds", elapsed.as_micros() as u64));
    object(&told)
}

fn numbers(context: &QueryContext, elapsed: Duration) -> Vec<(&'static str, u64)> {
    let progress = context.progress.snapshot();
    vec![
        ("read_rows", progress.read_rows),
        ("read_bytes", progress.read_bytes),
        ("written_rows", progress.written_rows),
        ("written_bytes", progress.written_bytes),
        ("total_rows_to_read", progress.total_rows_to_read),
        ("result_rows", progress.result_rows),
        ("result_bytes", progress.result_bytes),
        ("elapsed_ns", elapsed.as_nanos() as u64),
        ("memory_usage", context.memory.peak_bytes()),
    ]
}

fn object(numbers: &[(&str, u64)]) -> String {
    let members: Vec<String> = numbers.iter().map(|(name, number)| format!("\"{name}\":\"{number}\"")).collect();
    format!("{{{}}}", members.join(","))
}
