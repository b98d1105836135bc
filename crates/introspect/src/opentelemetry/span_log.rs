//! Spans that ended, for `system.opentelemetry_span_log`. Where spans are sent on, they wait in a queue of bounded bytes, which drops and counts what it has no room for: a collector that is away
//! costs no query anything.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::events::{Counters, Event};
use crate::logs::{Log, LogEntry};

const ROWS_MAX: usize = 10_000;

/// Values of the column `kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanKind {
    #[default]
    Internal = 0,
    Server = 1,
    Client = 2,
    Producer = 3,
    Consumer = 4,
}

impl SpanKind {
    /// As the column shows it.
    pub fn name(self) -> &'static str {
        match self {
            SpanKind::Internal => "INTERNAL",
            SpanKind::Server => "SERVER",
            SpanKind::Client => "CLIENT",
            SpanKind::Producer => "PRODUCER",
            SpanKind::Consumer => "CONSUMER",
        }
    }
}

/// A span, with the columns of `system.opentelemetry_span_log`. (`hostname` is the machine's, and `finish_date` the day of
/// `finish_time_us`.)
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanLogEntry {
    pub trace_id: u128,
    pub span_id: u64,
    /// 0: it is the first of its trace.
    pub parent_span_id: u64,
    pub operation_name: &'static str,
    pub kind: SpanKind,
    /// Since the Unix epoch.
    pub start_time_us: u64,
    pub finish_time_us: u64,
    pub attribute: Vec<(&'static str, String)>,
    /// Of the trace, for whoever sends the span on; ClickHouse has it among the attributes.
    pub tracestate: String,
    /// What went wrong; `None`: nothing.
    pub error: Option<String>,
}

impl SpanLogEntry {
    /// About what it takes in memory.
    fn bytes(&self) -> usize {
        size_of::<SpanLogEntry>() + self.heap_bytes()
    }
}

impl LogEntry for SpanLogEntry {
    fn heap_bytes(&self) -> usize {
        let texts: usize = self.attribute.iter().map(|(_, value)| value.len() + size_of::<(&str, String)>()).sum();
        texts + self.tracestate.len() + self.error.as_ref().map_or(0, String::len)
    }
}

static LOG: Log<SpanLogEntry> = Log::new("opentelemetry_span_log", ROWS_MAX);
static TO_SEND: Mutex<Option<Arc<SpanQueue>>> = Mutex::new(None);

/// The last spans.
pub fn span_log() -> &'static Log<SpanLogEntry> {
    &LOG
}

/// From now on spans go into this queue as well. (`None`: into none.)
pub fn send_by(queue: Option<Arc<SpanQueue>>) {
    *TO_SEND.lock() = queue;
}

/// Notes spans that ended.
pub(super) fn ended(spans: Vec<SpanLogEntry>) {
    let queue = TO_SEND.lock().clone();
    for span in spans {
        if let Some(queue) = &queue {
            queue.push(span.clone());
        }
        LOG.add(|| span);
    }
}

/// Spans that wait to be sent.
#[derive(Debug)]
pub struct SpanQueue {
    bytes_max: usize,
    state: Mutex<Waiting>,
    came: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    spans: VecDeque<SpanLogEntry>,
    bytes: usize,
}

impl SpanQueue {
    pub fn new(bytes_max: usize) -> SpanQueue {
        SpanQueue { bytes_max, state: Mutex::default(), came: Notify::new() }
    }

    /// Adds a span, or drops and counts it where there is no room.
    pub fn push(&self, span: SpanLogEntry) {
        let bytes = span.bytes();
        let mut state = self.state.lock();
        if state.bytes + bytes > self.bytes_max {
            Counters::server().add(Event::OpenTelemetrySpansDropped, 1);
            return;
        }
        state.bytes += bytes;
        state.spans.push_back(span);
        self.came.notify_one();
    }

    /// The oldest, as many as that at most.
    pub fn take(&self, most: usize) -> Vec<SpanLogEntry> {
        let mut state = self.state.lock();
        let count = most.min(state.spans.len());
        let taken: Vec<SpanLogEntry> = state.spans.drain(..count).collect();
        state.bytes -= taken.iter().map(SpanLogEntry::bytes).sum::<usize>();
        taken
    }

    pub fn len(&self) -> usize {
        self.state.lock().spans.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until a span came since the last time.
    pub async fn came(&self) {
        self.came.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_bounded_and_counts_what_it_drops() {
        let span = |span_id| SpanLogEntry { span_id, attribute: vec![("k", "x".repeat(100))], ..SpanLogEntry::default() };
        let queue = SpanQueue::new(3 * span(0).bytes());
        let before = Counters::server().get(Event::OpenTelemetrySpansDropped);
        (0..5).for_each(|id| queue.push(span(id)));
        assert_eq!(Counters::server().get(Event::OpenTelemetrySpansDropped) - before, 2);
        assert_eq!(queue.take(2).iter().map(|span| span.span_id).collect::<Vec<_>>(), [0, 1]);
        (5..9).for_each(|id| queue.push(span(id)));
        assert_eq!(queue.take(9).iter().map(|span| span.span_id).collect::<Vec<_>>(), [2, 5, 6]);
        assert!(queue.is_empty() && queue.state.lock().bytes == 0);
    }
}
