//! The background job `otlp`: sends spans to an OpenTelemetry collector over HTTP, as OTLP in JSON.
//!
//! Spans wait in a queue of bounded bytes (`gristmill_introspect::opentelemetry::span_log`). The job takes them in batches, a moment
//! after the first came or when a batch is full. A batch that the collector does not take is sent again a few times, each
//! later than the last; then it is dropped and counted (`OpenTelemetrySpansDropped`), and so is what the queue has no
//! room for meanwhile. Queries never wait for a collector.

mod json;

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::env::Env;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result, redact};
use gristmill_introspect::opentelemetry::SpanLogEntry;
use gristmill_introspect::opentelemetry::span_log::{SpanQueue, send_by};
use gristmill_introspect::{Counters, Event};
use reqwest::{StatusCode, Url};
use tokio_util::sync::CancellationToken;

use self::json::Resource;

/// Where collectors take traces.
const PATH: &str = "/v1/traces";
const QUEUE_BYTES_MAX: usize = 16 << 20;
const BATCH_SPANS_MAX: usize = 1000;
/// For more spans to come.
const BATCH_WAIT: Duration = Duration::from_millis(500);
const REQUEST_LONGEST: Duration = Duration::from_secs(10);
/// Between tries; there is one more than these.
const PAUSES: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8)];
/// For what is left when the server ends.
const LAST_LONGEST: Duration = Duration::from_secs(3);

/// Sends spans until it is told to end.
pub struct Exporter {
    job: Task<()>,
    ending: CancellationToken,
}

impl Exporter {
    /// From now on spans are sent to the collector of that address, such as `http://localhost:4318`. `name`: what this
    /// server is called. Error: BAD_ARGUMENTS where the address is none.
    pub fn start(endpoint: &str, name: &str, env: Arc<dyn Env>) -> Result<Exporter> {
        let url = traces_url(endpoint)?;
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(REQUEST_LONGEST)
            .http1_only()
            .build()
            .map_err(|error| Error::new(ErrorCode::NETWORK_ERROR, format!("Cannot set up an HTTP client: {error}")))?;
        let queue = Arc::new(SpanQueue::new(QUEUE_BYTES_MAX));
        send_by(Some(queue.clone()));
        let ending = CancellationToken::new();
        let sender = Sender { url, http, queue, env, resource: Resource::of(name), ending: ending.clone(), is_away: false };
        Ok(Exporter { job: Task::on(&runtime::io(), sender.run()), ending })
    }

    /// Sends what is left, for a moment.
    pub async fn end(self) {
        send_by(None);
        self.ending.cancel();
        // A job that panicked has sent what it could.
        let _ = self.job.join().await;
    }
}

fn traces_url(endpoint: &str) -> Result<Url> {
    let bad = |why: &str| {
        let text = format!("'{}' is no address of an OpenTelemetry collector: {why}", redact::url(endpoint));
        Error::new(ErrorCode::BAD_ARGUMENTS, text)
    };
    let mut url = Url::parse(endpoint).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it begins with http:// or https://"));
    }
    if !url.path().ends_with(PATH) {
        url.set_path(&format!("{}{PATH}", url.path().trim_end_matches('/')));
    }
    Ok(url)
}

struct Sender {
    url: Url,
    http: reqwest::Client,
    queue: Arc<SpanQueue>,
    env: Arc<dyn Env>,
    resource: Resource,
    ending: CancellationToken,
    /// Whether the last try failed: that is told once.
    is_away: bool,
}

/// Why a batch was not taken.
struct Refused {
    why: String,
    /// Whether it may be taken later.
    is_for_now: bool,
}

impl Sender {
    async fn run(mut self) {
        loop {
            tokio::select! {
                () = self.ending.cancelled() => break,
                () = self.queue.came() => {}
            }
            if self.queue.len() < BATCH_SPANS_MAX {
                tokio::select! {
                    () = self.ending.cancelled() => break,
                    () = self.env.sleep(BATCH_WAIT) => {}
                }
            }
            while !self.queue.is_empty() && !self.ending.is_cancelled() {
                let batch = self.queue.take(BATCH_SPANS_MAX);
                self.send(batch).await;
            }
        }
        let all = async {
            while !self.queue.is_empty() {
                let batch = self.queue.take(BATCH_SPANS_MAX);
                self.send(batch).await;
            }
        };
        let _ = tokio::time::timeout(LAST_LONGEST, all).await;
    }

    /// Sends a batch, again where it may help.
    async fn send(&mut self, batch: Vec<SpanLogEntry>) {
        let count = batch.len() as u64;
        let body = bytes::Bytes::from(self.resource.request(&batch).to_string());
        let mut pauses = PAUSES.iter();
        let refused = loop {
            match self.try_to_send(body.clone()).await {
                Ok(()) => {
                    Counters::server().add(Event::OpenTelemetrySpansSent, count);
                    if std::mem::take(&mut self.is_away) {
                        tracing::info!("The OpenTelemetry collector takes spans again");
                    }
                    return;
                }
                Err(refused) => match pauses.next() {
                    Some(pause) if refused.is_for_now && !self.ending.is_cancelled() => {
                        tokio::select! {
                            () = self.ending.cancelled() => {}
                            () = self.env.sleep(*pause) => {}
                        }
                    }
                    _ => break refused,
                },
            }
        };
        Counters::server().add(Event::OpenTelemetrySpansDropped, count);
        if !std::mem::replace(&mut self.is_away, true) {
            tracing::warn!("The OpenTelemetry collector took no spans, which are dropped until it does: {}", refused.why);
        }
    }

    async fn try_to_send(&self, body: bytes::Bytes) -> Result<(), Refused> {
        let request = self.http.post(self.url.clone()).header("content-type", "application/json").body(body);
        match request.send().await {
            // The address may hold a password.
            Err(error) => Err(Refused { why: causes(error.without_url()), is_for_now: true }),
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => {
                let status = answer.status();
                let is_for_now = matches!(
                    status,
                    StatusCode::TOO_MANY_REQUESTS
                        | StatusCode::BAD_GATEWAY
                        | StatusCode::SERVICE_UNAVAILABLE
                        | StatusCode::GATEWAY_TIMEOUT
                );
                Err(Refused { why: format!("it answered {status}"), is_for_now })
            }
        }
    }
}

/// An error with those that led to it.
fn causes(error: reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_the_traces_of_a_collector() {
        let url = |text: &str| traces_url(text).map(|url| url.to_string());
        assert_eq!(url("http://localhost:4318").expect("an address"), "http://localhost:4318/v1/traces");
        assert_eq!(url("https://c.example/otlp/").expect("an address"), "https://c.example/otlp/v1/traces");
        assert_eq!(url("http://c.example/v1/traces").expect("an address"), "http://c.example/v1/traces");
        let error = url("ftp://me:secret@c.example").expect_err("not HTTP");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(url("localhost").is_err());
    }
}
