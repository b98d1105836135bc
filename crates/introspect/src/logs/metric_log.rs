//! `system.metric_log` and `system.asynchronous_metric_log`: how things stood, again and again.

use std::borrow::Cow;

use super::{Log, LogEntry};

#[derive(Debug)]
pub struct MetricEntry {
    pub event_time_micros: i64,
    /// What each event, in their order, grew by since the entry before.
    pub events: Vec<u64>,
    /// The metrics, in their order.
    pub metrics: Vec<i64>,
}

impl LogEntry for MetricEntry {
    fn heap_bytes(&self) -> usize {
        size_of::<u64>() * (self.events.len() + self.metrics.len())
    }
}

static METRICS: Log<MetricEntry> = Log::new("metric_log", 3_600);

pub fn metric_log() -> &'static Log<MetricEntry> {
    &METRICS
}

#[derive(Debug)]
pub struct AsyncMetricEntry {
    pub event_time_micros: i64,
    pub metric: Cow<'static, str>,
    pub value: f64,
}

impl LogEntry for AsyncMetricEntry {
    fn heap_bytes(&self) -> usize {
        if let Cow::Owned(name) = &self.metric { name.len() } else { 0 }
    }
}

static ASYNC_METRICS: Log<AsyncMetricEntry> = Log::new("asynchronous_metric_log", 10_000);

pub fn async_metric_log() -> &'static Log<AsyncMetricEntry> {
    &ASYNC_METRICS
}
