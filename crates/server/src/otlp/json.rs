//! Spans as OTLP's JSON: `ExportTraceServiceRequest` of opentelemetry-proto, with ids in hexadecimal and numbers of 64 bits as text.

use gristmill_introspect::opentelemetry::{SpanKind, SpanLogEntry};
use serde_json::{Value, json};

/// OTLP's number of an error; 0 says nothing.
const STATUS_ERROR: u8 = 2;

/// Who sends.
pub struct Resource {
    name: String,
}

impl Resource {
    pub fn of(name: &str) -> Resource {
        Resource { name: name.to_string() }
    }

    /// What a collector is sent.
    pub fn request(&self, spans: &[SpanLogEntry]) -> Value {
        let version = env!("CARGO_PKG_VERSION");
        json!({
            "resourceSpans": [{
                "resource": { "attributes": [
                    text("service.name", "gristmill"),
                    text("service.version", version),
                    text("host.name", &self.name),
                ] },
                "scopeSpans": [{
                    "scope": { "name": "gristmill", "version": version },
                    "spans": spans.iter().map(span).collect::<Vec<_>>(),
                }],
            }],
        })
    }
}

fn span(span: &SpanLogEntry) -> Value {
    let status = match &span.error {
        None => json!({}),
        Some(error) => json!({ "code": STATUS_ERROR, "message": error }),
    };
    let mut out = json!({
        "traceId": format!("{:032x}", span.trace_id),
        "spanId": format!("{:016x}", span.span_id),
        "name": span.operation_name,
        "kind": kind(span.kind),
        "startTimeUnixNano": nanos(span.start_time_us),
        "endTimeUnixNano": nanos(span.finish_time_us),
        "attributes": span.attribute.iter().map(|(key, value)| text(key, value)).collect::<Vec<_>>(),
        "status": status,
    });
    if span.parent_span_id != 0 {
        out["parentSpanId"] = json!(format!("{:016x}", span.parent_span_id));
    }
    if !span.tracestate.is_empty() {
        out["traceState"] = json!(span.tracestate);
    }
    out
}

/// OTLP counts from 1, and has 0 for what is not said.
fn kind(kind: SpanKind) -> u8 {
    kind as u8 + 1
}

fn nanos(micros: u64) -> String {
    (u128::from(micros) * 1000).to_string()
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_the_names_and_forms_of_otlp() {
        let spans = [SpanLogEntry {
            trace_id: 0xab,
            span_id: 0xcd,
            operation_name: "query",
            kind: SpanKind::Server,
            start_time_us: 1_700_000_000_000_001,
            finish_time_us: 1_700_000_000_000_002,
            attribute: vec![("db.statement", "SELECT 1".to_string())],
            tracestate: "a=1".to_string(),
            error: Some("Code: 62".to_string()),
            ..SpanLogEntry::default()
        }];
        let request = Resource::of("me").request(&spans);
        let span = &request["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["traceId"], "000000000000000000000000000000ab");
        assert_eq!((&span["spanId"], &span["kind"]), (&json!("00000000000000cd"), &json!(2)));
        assert_eq!(span["startTimeUnixNano"], "1700000000000001000");
        assert_eq!((&span["status"]["code"], &span["traceState"]), (&json!(2), &json!("a=1")));
        assert!(span.get("parentSpanId").is_none());
        assert_eq!(span["attributes"][0]["value"]["stringValue"], "SELECT 1");
    }
}
