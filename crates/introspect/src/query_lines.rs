//! A query's own log: what it tells of its stages while it runs, to the client that asked for it (`send_logs_level`) and to
//! the server's log, from where `system.text_log` has it.
//!
//! A line is made only where somebody takes it: `tell!` asks both before it looks at what there is to say, and who has to
//! look something up for a line asks `QueryContext::is_told` first. A client's lines go into a queue of its connection, which
//! sends them on as they come; a query never waits for that, and where the queue is full they are left out and counted.
//!
//! Work in the background tells nothing: that of the logs themselves would bring the next line each.
//!
//! a line is led through `redact`, as it may quote conditions of the query.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::{allocations, machine, redact};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tracing::Level;

use crate::QueryContext;

/// What targets of such lines begin with, before the name of who speaks.
pub const TARGET: &str = "gristmill_query::";

/// Who tells the gear of an INSERT that is over.
pub const GEAR_SOURCE: &str = "InsertSummary";

/// Lines that wait for a connection.
const WAITING_MAX: usize = 4096;

/// A line, as a client gets it.
#[derive(Clone, Debug)]
pub struct QueryLine {
    /// Since the Unix epoch.
    pub at: Duration,
    pub thread_id: u64,
    pub level: Level,
    /// Who speaks: `Aggregator`, `SelectExecutor`, …
    pub source: &'static str,
    pub text: String,
}

/// The number of a level, as `send_logs_level` and the native protocol count: the greater, the more is told.
pub fn priority(level: Level) -> i8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG => 7,
        Level::TRACE => 8,
    }
}

/// As ClickHouse calls it.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "Error",
        Level::WARN => "Warning",
        Level::INFO => "Information",
        Level::DEBUG => "Debug",
        Level::TRACE => "Trace",
    }
}

/// The least grave lines that a value of `send_logs_level` wants, by their number.
fn wanted(send_logs_level: &str) -> i8 {
    const LEVELS: [(&str, i8); 10] = [
        ("fatal", 1),
        ("none", 0),
        ("critical", 2),
        ("error", 3),
        ("warning", 4),
        ("notice", 5),
        ("information", 6),
        ("debug", 7),
        ("trace", 8),
        ("test", 8),
    ];
    let known = LEVELS.iter().find(|(name, _)| send_logs_level.eq_ignore_ascii_case(name));
    known.map_or(0, |(_, number)| *number)
}

/// Lines on their way from a query to the connection of its client. Nothing is allocated before the first.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<QueryLine>,
    /// There was no room for them.
    left_out: u64,
    /// Nobody takes lines any more.
    is_closed: bool,
}

/// The query's end.
#[derive(Clone, Debug)]
pub struct LinesTold(Arc<Queue>);

/// The connection's end.
#[derive(Debug)]
pub struct LinesHeard(Arc<Queue>);

pub fn queue() -> (LinesTold, LinesHeard) {
    let queue = Arc::<Queue>::default();
    (LinesTold(queue.clone()), LinesHeard(queue))
}

/// Two are one where they lead to the same client.
impl PartialEq for LinesTold {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for LinesTold {}

impl LinesTold {
    fn tell(&self, line: QueryLine) {
        let mut waiting = self.0.state.lock();
        if waiting.is_closed {
            return;
        }
        if waiting.lines.len() >= WAITING_MAX {
            waiting.left_out += 1;
            return;
        }
        waiting.lines.push_back(line);
        drop(waiting);
        self.0.more.notify_one();
    }
}

impl LinesHeard {
    /// The next line, when it comes. May be given up at any time.
    pub async fn next(&mut self) -> QueryLine {
        loop {
            if let Some(line) = self.there() {
                return line;
            }
            self.0.more.notified().await;
        }
    }

    /// The next line that is there.
    pub fn there(&mut self) -> Option<QueryLine> {
        self.0.state.lock().lines.pop_front()
    }

    /// Lines that there was no room for.
    pub fn left_out(&self) -> u64 {
        self.0.state.lock().left_out
    }
}

impl Drop for LinesHeard {
    fn drop(&mut self) {
        let mut waiting = self.0.state.lock();
        waiting.is_closed = true;
        waiting.lines = VecDeque::new();
    }
}

impl QueryContext {
    /// Whether the client wants such lines.
    pub fn hears(&self, level: Level) -> bool {
        self.client.lines.is_some() && priority(level) <= wanted(&self.settings.send_logs_level)
    }

    /// Whether anybody takes lines of that level: for who has to look something up first.
    pub fn is_told(&self, level: Level) -> bool {
        if self.client.interface == 0 {
            return false;
        }
        let is_logged = match level {
            Level::TRACE => tracing::enabled!(target: "gristmill_query", Level::TRACE),
            _ => tracing::enabled!(target: "gristmill_query", Level::DEBUG),
        };
        is_logged || self.hears(level)
    }
}

/// How far the query was from what the machine can do, for a client that asked (`explain_limit`), whatever `send_logs_level` is.
pub fn of_limit(context: &QueryContext) -> Vec<QueryLine> {
    let Some(report) = context.limit.get().filter(|_| context.settings.explain_limit) else { return Vec::new() };
    report.lines().into_iter().filter(|text| !text.is_empty()).map(|text| at_end(context, "limit", text)).collect()
}

/// The gear that an INSERT ran in, for a client that has a place for it in its summary.
pub fn of_gear(context: &QueryContext) -> Option<QueryLine> {
    let text = context.insert_gear_at_end().filter(|_| context.client.is_gristmill())?;
    Some(at_end(context, GEAR_SOURCE, text))
}

fn at_end(context: &QueryContext, source: &'static str, text: String) -> QueryLine {
    let (at, thread_id) = (context.env.now(), machine::thread_id());
    QueryLine { at, thread_id, level: Level::INFO, source, text }
}

/// What `tell!` does with a line that somebody takes. `log`: writes it into the server's log.
pub fn say(context: &QueryContext, level: Level, source: &'static str, text: fmt::Arguments<'_>, log: impl FnOnce(&str)) {
    // It outlives the query.
    let _nobody = allocations::enter_none();
    let text = redact::logged(&text.to_string());
    log(&text);
    if let Some(lines) = context.client.lines.as_ref().filter(|_| context.hears(level)) {
        let (at, thread_id) = (context.env.now(), machine::thread_id());
        lines.tell(QueryLine { at, thread_id, level, source, text });
    }
}

/// Tells a line of a query: `tell!(context, DEBUG, "Aggregator", "Aggregated {rows} rows")`. With `INFO as DEBUG` the client hears it
/// at the first level, and the server's log has it at the second.
#[macro_export]
macro_rules! tell {
    ($context:expr, $level:ident as $logged:ident, $source:literal, $($text:tt)+) => {{
        let context: &$crate::QueryContext = &$context;
        if context.client.interface != 0 {
            let is_logged = $crate::tracing::enabled!(
                target: concat!("gristmill_query::", $source),
                $crate::tracing::Level::$logged
            );
            if is_logged || context.hears($crate::tracing::Level::$level) {
                $crate::query_lines::say(
                    context,
                    $crate::tracing::Level::$level,
                    $source,
                    format_args!($($text)+),
                    |text| {
                        if is_logged {
                            $crate::tracing::event!(
                                target: concat!("gristmill_query::", $source),
                                $crate::tracing::Level::$logged,
                                query_id = context.query_id.as_str(),
                                "{text}"
                            );
                        }
                    },
                );
            }
        }
    }};
    ($context:expr, $level:ident, $source:literal, $($text:tt)+) => {
        $crate::tell!($context, $level as $level, $source, $($text)+)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Client, Settings};

    fn context(level: &str, lines: Option<LinesTold>) -> Arc<QueryContext> {
        let mut settings = Settings::default();
        settings.set("send_logs_level", level).expect("sets");
        let context = QueryContext::background("test").with_settings(settings);
        context.of_client(Arc::new(Client { interface: Client::TCP, lines, ..Client::default() }))
    }

    #[test]
    fn a_client_hears_what_it_asked_for() {
        let (told, mut heard) = queue();
        let asked = context("debug", Some(told.clone()));
        tell!(asked, DEBUG, "Aggregator", "{} rows", 5);
        tell!(asked, TRACE, "Aggregator", "{}", unreachable_text());
        tell!(asked, INFO as DEBUG, "executeQuery", "the end");
        let silent = context("fatal", Some(told));
        tell!(silent, ERROR as DEBUG, "executeQuery", "{}", unreachable_text());
        let lines: Vec<_> = std::iter::from_fn(|| heard.there()).map(|line| (line.level, line.source, line.text)).collect();
        assert_eq!(
            lines,
            [(Level::DEBUG, "Aggregator", "5 rows".to_string()), (Level::INFO, "executeQuery", "the end".to_string())]
        );
        assert_eq!([asked.is_told(Level::DEBUG), asked.is_told(Level::TRACE)], [true, false]);
        assert!(!context("trace", None).is_told(Level::DEBUG), "nobody listens");
    }

    fn unreachable_text() -> &'static str {
        unreachable!("nobody takes the line")
    }

    #[test]
    fn a_line_has_no_secrets() {
        let (told, mut heard) = queue();
        let asked = context("trace", Some(told));
        tell!(asked, DEBUG, "SelectExecutor", "{}", "condition: s3('http://h/x', 'a-key-id', 'a-secret-key') = 1");
        let line = heard.there().expect("a line").text;
        assert!(!line.contains("a-secret-key") && line.contains("condition"), "{line}");
    }

    #[test]
    fn who_does_not_listen_holds_nothing_up() {
        let (told, heard) = queue();
        let asked = context("trace", Some(told));
        for number in 0..WAITING_MAX + 3 {
            tell!(asked, TRACE, "Aggregator", "{number}");
        }
        assert_eq!(heard.left_out(), 3);
    }

    #[test]
    fn work_in_the_background_tells_nothing() {
        let (told, mut heard) = queue();
        let mut settings = Settings::default();
        settings.set("send_logs_level", "trace").expect("sets");
        let client = Arc::new(Client { lines: Some(told), ..Client::default() });
        let background = QueryContext::background("test").with_settings(settings).of_client(client);
        tell!(background, DEBUG, "Aggregator", "{}", unreachable_text());
        assert!(heard.there().is_none() && !background.is_told(Level::DEBUG));
    }
}
