//! The spans of a query: `query`, with `parse`, `plan` and `execute` (`insert` of an INSERT) in it.
//!
//! A query is traced if its client says so, or, where the client says nothing of traces, by chance
//! (`opentelemetry_start_trace_probability`). `parse` is from the text to the statement, `plan` from there to where its
//! columns are known (tables are looked up, subqueries of IN run), `execute` from there to the last row. Times are the
//! wall clock's, which spans of several machines share.

use gristmill_base::Error;
use gristmill_base::env::Env;

use crate::context::QueryContext;
use crate::opentelemetry::span_log::{self, SpanKind, SpanLogEntry};
use crate::opentelemetry::trace_context::TraceContext;

/// A query that is traced.
#[derive(Debug)]
pub struct QueryTrace {
    trace: TraceContext,
    span_id: u64,
    began_us: u64,
    parsed_us: u64,
    planned_us: Option<u64>,
}

impl QueryTrace {
    /// Whether a query is traced, and as a part of what. `asked`: what its client says. `began_us`, `parsed_us`: when its text
    /// came, and when it was read.
    pub fn begin(
        asked: Option<&TraceContext>,
        probability: f64,
        began_us: u64,
        parsed_us: u64,
        env: &dyn Env,
    ) -> Option<QueryTrace> {
        let trace = match asked {
            Some(asked) => Some(asked.clone()).filter(TraceContext::is_sampled),
            None => begins(probability, env).then(|| TraceContext::begun_here(env.uuid().as_u128())).flatten(),
        }?;
        Some(QueryTrace { trace, span_id: new_id(env), began_us, parsed_us, planned_us: None })
    }

    /// Its columns are known.
    pub fn planned(&mut self, now_us: u64) {
        self.planned_us = Some(now_us);
    }

    /// The query is over. `kind`: `Select`, `Insert`, …
    pub fn ended(self, context: &QueryContext, kind: &str, error: Option<&Error>) {
        let now_us = context.env.now_micros().max(0) as u64;
        span_log::ended(self.spans(context, kind, error, now_us));
    }

    fn spans(self, context: &QueryContext, kind: &str, error: Option<&Error>, now_us: u64) -> Vec<SpanLogEntry> {
        let env = context.env.as_ref();
        let error_text = error.map(ToString::to_string);
        let stage = |operation_name, start_time_us, finish_time_us: u64, failed: bool| SpanLogEntry {
            trace_id: self.trace.trace_id,
            span_id: new_id(env),
            parent_span_id: self.span_id,
            operation_name,
            start_time_us,
            finish_time_us: finish_time_us.max(start_time_us),
            tracestate: self.trace.tracestate.clone(),
            error: error_text.clone().filter(|_| failed),
            ..SpanLogEntry::default()
        };
        let failed = error.is_some();
        // A statement that could not be read has no kind.
        let is_parsed = !kind.is_empty();
        let mut spans = vec![stage("parse", self.began_us, self.parsed_us, failed && !is_parsed)];
        match self.planned_us {
            Some(planned) => {
                let work = if kind == "Insert" { "insert" } else { "execute" };
                spans.push(stage("plan", self.parsed_us, planned, false));
                spans.push(stage(work, planned, now_us, failed));
            }
            None if is_parsed => spans.push(stage("plan", self.parsed_us, now_us, failed)),
            None => {}
        }
        let query = SpanLogEntry {
            span_id: self.span_id,
            parent_span_id: self.trace.span_id,
            kind: SpanKind::Server,
            attribute: attributes(context, kind, error, &self.trace.tracestate),
            ..stage("query", self.began_us, now_us, failed)
        };
        spans.push(query);
        spans
    }
}

/// As ClickHouse calls them.
fn attributes(context: &QueryContext, kind: &str, error: Option<&Error>, tracestate: &str) -> Vec<(&'static str, String)> {
    let progress = context.progress.snapshot();
    let status = if error.is_some() { "ExceptionWhileProcessing" } else { "QueryFinish" };
    let mut all = vec![
        ("db.statement", context.query.clone()),
        ("db.system", "gristmill".to_string()),
        ("db.user", context.user.clone()),
        ("db.namespace", context.database.clone()),
        ("clickhouse.query_id", context.query_id.clone()),
        ("clickhouse.query_kind", kind.to_string()),
        ("clickhouse.query_status", status.to_string()),
    ];
    for (name, number) in [
        ("clickhouse.read_rows", progress.read_rows),
        ("clickhouse.read_bytes", progress.read_bytes),
        ("clickhouse.written_rows", progress.written_rows),
        ("clickhouse.written_bytes", progress.written_bytes),
        ("clickhouse.result_rows", progress.result_rows),
        ("clickhouse.memory_usage", context.memory.peak_bytes()),
    ] {
        all.push((name, number.to_string()));
    }
    if !tracestate.is_empty() {
        all.push(("clickhouse.tracestate", tracestate.to_string()));
    }
    if let Some(error) = error {
        all.push(("clickhouse.exception_code", error.code().0.to_string()));
        all.push(("clickhouse.exception", error.to_string()));
    }
    all
}

/// Whether chance begins a trace.
fn begins(probability: f64, env: &dyn Env) -> bool {
    // The upper 53 bits are a fair number from 0 up to 1.
    probability > 0.0 && ((env.random_u64() >> 11) as f64) * (-53f64).exp2() < probability
}

/// An id, which is never 0.
fn new_id(env: &dyn Env) -> u64 {
    env.random_u64().max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gristmill_base::ErrorCode;
    use gristmill_base::env::{SystemEnv, system_env};

    use super::*;
    use crate::settings::Settings;

    fn asked(flags: u8) -> TraceContext {
        TraceContext::of_ids(7, 5, "v=1", flags).expect("a trace")
    }

    #[test]
    fn who_is_asked_decides_and_else_chance() {
        let begin =
            |asked: Option<&TraceContext>, probability| QueryTrace::begin(asked, probability, 1, 2, &SystemEnv).is_some();
        assert!(begin(Some(&asked(1)), 0.0) && !begin(Some(&asked(0)), 1.0));
        assert!(begin(None, 1.0) && !begin(None, 0.0));
        let some = (0..10_000).filter(|_| begin(None, 0.25)).count();
        assert!((2_000..3_000).contains(&some), "{some} of 10000");
    }

    #[test]
    fn stages_are_parts_of_the_query_and_follow_one_another() {
        let context = QueryContext::new("SELECT 1", "q", "me", "db", Arc::new(Settings::default()), system_env());
        let mut trace = QueryTrace::begin(Some(&asked(1)), 0.0, 10, 20, &SystemEnv).expect("traced");
        trace.planned(30);
        let spans = trace.spans(&context, "Select", None, 40);
        let shown: Vec<_> =
            spans.iter().map(|span| (span.operation_name, span.start_time_us, span.finish_time_us)).collect();
        assert_eq!(shown, [("parse", 10, 20), ("plan", 20, 30), ("execute", 30, 40), ("query", 10, 40)]);
        let query = spans.last().expect("the query");
        assert_eq!((query.trace_id, query.parent_span_id, query.kind), (7, 5, SpanKind::Server));
        assert!(spans[..3].iter().all(|span| span.parent_span_id == query.span_id && span.span_id != query.span_id));
        assert!(query.attribute.contains(&("clickhouse.query_id", "q".to_string())));
    }

    #[test]
    fn an_error_is_told_where_it_happened() {
        let context = QueryContext::new("SELEC", "q", "me", "db", Arc::new(Settings::default()), system_env());
        let error = Error::new(ErrorCode::SYNTAX_ERROR, "no");
        let trace = QueryTrace::begin(Some(&asked(1)), 0.0, 10, 20, &SystemEnv).expect("traced");
        let spans = trace.spans(&context, "", Some(&error), 40);
        let failed: Vec<_> = spans.iter().filter(|span| span.error.is_some()).map(|span| span.operation_name).collect();
        assert_eq!(failed, ["parse", "query"]);
        assert!(spans[1].attribute.contains(&("clickhouse.exception_code", "62".to_string())));
    }
}
