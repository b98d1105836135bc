//! OpenTelemetry: what a query is a part of, and the spans that tell of it.
//!
//! `trace_context` reads where a query's trace comes from: the headers of W3C over HTTP, the client info of the native
//! protocol. `query_trace` times the stages of a query and makes spans of them. `span_log` keeps the spans: in memory for
//! whoever shows them, and in a queue of bounded bytes for whoever sends them on.

pub mod query_trace;
pub mod span_log;
pub mod trace_context;

pub use query_trace::QueryTrace;
pub use span_log::{SpanKind, SpanLogEntry, span_log};
pub use trace_context::TraceContext;
