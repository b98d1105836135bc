//! The lines of the log as rows of `system.text_log`.

use std::fmt::{self, Write};

use gristmill_base::env::system_env;
use gristmill_base::machine;
use gristmill_base::redact::masking;
use gristmill_introspect::logs::text_log::{TextEntry, text_log};
use gristmill_introspect::query_lines::{TARGET, level_name};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// What writes logs tells nothing of itself into one.
const NOT_TOLD: &str = "gristmill_engine::logs";

/// A layer that makes an entry of each line.
#[derive(Debug)]
pub struct TextLog;

impl<S: Subscriber> Layer<S> for TextLog {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        if metadata.target().starts_with(NOT_TOLD) {
            return;
        }
        text_log().add(|| {
            let mut line = Line::default();
            event.record(&mut line);
            TextEntry {
                event_time_micros: system_env().now_micros(),
                thread_name: std::thread::current().name().unwrap_or_default().to_string(),
                thread_id: machine::thread_id(),
                level: level_name(*metadata.level()),
                query_id: line.query_id,
                // Lines of a query say who speaks.
                logger_name: metadata.target().strip_prefix(TARGET).unwrap_or(metadata.target()),
                message: masking::masked(line.message),
                source_file: metadata.file().unwrap_or_default(),
                source_line: metadata.line().unwrap_or_default(),
            }
        });
    }
}

/// What an event says: its message, and other fields behind it.
#[derive(Default)]
struct Line {
    message: String,
    query_id: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing into a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            "query_id" => write!(self.query_id, "{value:?}"),
            name => write!(self.message, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "query_id" => self.query_id = value.to_string(),
            _ => self.record_debug(field, &format_args!("{value}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gristmill_introspect::{Client, QueryContext};
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn lines_become_entries() {
        tracing::subscriber::with_default(tracing_subscriber::registry().with(TextLog), || {
            tracing::warn!(query_id = "abc", tables = 2, "It is {}", "late");
            tracing::error!(target: "gristmill_engine::logs::table", "of the log itself");
        });
        tracing::subscriber::with_default(tracing_subscriber::registry().with(TextLog), || {
            let client = Client { interface: Client::TCP, ..Client::default() };
            let context = QueryContext::background("test").of_client(Arc::new(client));
            gristmill_introspect::tell!(context, DEBUG, "Aggregator", "{} rows", 5);
        });
        let [entry, of_query] = &text_log().snapshot()[..] else { panic!("two entries") };
        assert_eq!((of_query.message.as_str(), of_query.level, of_query.logger_name), ("5 rows", "Debug", "Aggregator"));
        assert!(!of_query.query_id.is_empty());
        assert_eq!(
            (entry.message.as_str(), entry.query_id.as_str(), entry.level, entry.logger_name),
            ("It is late tables=2", "abc", "Warning", "gristmill::text_log::tests")
        );
        assert!(entry.source_file.ends_with("text_log.rs") && entry.thread_id > 0);
    }
}
