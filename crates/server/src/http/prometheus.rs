//! Metrics in the text format of Prometheus, under ClickHouse's names; and the port that tells them and nothing else.

use std::fmt::Write;
use std::sync::Arc;

use gristmill_base::ErrorCode;
use gristmill_base::runtime::{self, Task};
use gristmill_introspect::{Counters, Event, errors};
use gristmill_system::asynchronous_metrics;
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};

use super::answer::AnswerBody;
use super::pages;
use crate::core::Core;
use crate::known::known;

const TEXT: &str = "text/plain; version=0.0.4; charset=UTF-8";

/// `<prometheus>` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prometheus {
    /// 0: any that is free.
    pub port: u16,
    /// The only path that is answered there.
    pub endpoint: String,
    pub told: Told,
}

/// Which metrics are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub events: bool,
    pub metrics: bool,
    pub asynchronous_metrics: bool,
    pub errors: bool,
}

impl Default for Told {
    fn default() -> Self {
        Told { events: true, metrics: true, asynchronous_metrics: true, errors: true }
    }
}

/// Answers a request to the port of its own.
pub async fn respond(core: Arc<Core>, request: Request<Incoming>) -> Response<AnswerBody> {
    let path = request.uri().path();
    let told = core.prometheus.as_ref().filter(|port| port.endpoint == path).map(|port| port.told);
    match told {
        Some(told) if matches!(*request.method(), Method::GET | Method::HEAD) => metrics(core, told).await,
        _ => pages::not_found(path),
    }
}

pub async fn metrics(core: Arc<Core>, told: Told) -> Response<AnswerBody> {
    // The tables are asked for their parts: that is no work for the I/O runtime.
    let measured = Task::on(&runtime::cpu(), async move { pages::page(StatusCode::OK, TEXT, text(&core, told)) });
    measured.join().await.unwrap_or_else(|_| pages::defect())
}

/// Names of Prometheus have letters, digits and `_`: those of devices may have others.
fn of_prometheus(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

fn text(core: &Core, told: Told) -> String {
    let mut out = String::new();
    let mut add = |name: &str, kind: &str, help: &str, value: f64| {
        // A `String` takes whatever is written.
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
    };
    if told.events {
        for event in Event::ALL {
            let value = Counters::server().get(*event);
            add(&format!("ClickHouseProfileEvents_{}", event.name()), "counter", event.description(), value as f64);
        }
    }
    let known = known(&core.engine);
    if told.metrics {
        for metric in gristmill_system::metrics::all(&known) {
            add(&format!("ClickHouseMetrics_{}", metric.name), "gauge", metric.description, metric.value as f64);
        }
    }
    if told.asynchronous_metrics {
        for metric in asynchronous_metrics::measured(&known) {
            let name = format!("ClickHouseAsyncMetrics_{}", of_prometheus(&metric.name));
            add(&name, "gauge", metric.description, metric.value);
        }
    }
    if told.errors {
        // Those that did not happen, too: what begins with 1 has no increase.
        let happened = errors::all();
        for (code, name) in ErrorCode::named() {
            let count = happened.get(&code.0).map_or(0, |of_code| of_code.count);
            let help = format!("Queries that ended with {name} since the server started.");
            add(&format!("ClickHouseErrorMetric_{name}"), "counter", &help, count as f64);
        }
        let all: u64 = happened.values().map(|of_code| of_code.count).sum();
        let help = "Queries that ended with an error since the server started.";
        add("ClickHouseErrorMetric_ALL", "counter", help, all as f64);
    }
    out
}
