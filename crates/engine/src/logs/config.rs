//! What a configuration says of logs; under ClickHouse's names and with its defaults, but that every log is there without being
//! named, and that rows go after 30 days.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::QueueLimits;
use gristmill_types::Column;
use gristmill_types::sql_type::quote_identifier;

/// What is said of all logs.
#[derive(Clone, Debug, Default)]
pub struct LogsConfig {
    pub logs: BTreeMap<String, LogConfig>,
    /// Names of those that are switched off.
    pub removed: BTreeSet<String>,
}

/// What is said of one; `None`: nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    pub flush_interval: Duration,
    pub limits: QueueLimits,
    pub collect_interval: Option<Duration>,
    pub partition_by: Option<String>,
    pub order_by: Option<String>,
    /// Empty: rows stay.
    pub ttl: Option<String>,
    pub settings: Option<String>,
    /// Everything from ENGINE on; the clauses above are not said beside it.
    pub engine: Option<String>,
    /// Whether addresses of `trace_log` have names and lines beside them.
    pub symbolize: bool,
}

impl Default for LogConfig {
    fn default() -> Self {
        LogConfig {
            flush_interval: Duration::from_millis(7500),
            limits: QueueLimits::default(),
            collect_interval: None,
            partition_by: None,
            order_by: None,
            ttl: None,
            settings: None,
            engine: None,
            symbolize: false,
        }
    }
}

impl LogConfig {
    /// Errors: INVALID_CONFIG_PARAMETER.
    pub fn check(&self) -> Result<()> {
        let invalid = |text: &str| Err(Error::new(ErrorCode::INVALID_CONFIG_PARAMETER, text));
        let clauses = [&self.partition_by, &self.order_by, &self.ttl, &self.settings];
        if self.engine.is_some() && clauses.iter().any(|clause| clause.is_some()) {
            return invalid(
                "<engine> says all of the table: put PARTITION BY, ORDER BY, TTL and SETTINGS into it, and leave out \
                 <partition_by>, <order_by>, <ttl> and <settings>",
            );
        }
        if self.flush_interval.is_zero() || self.collect_interval.is_some_and(|interval| interval.is_zero()) {
            return invalid("An interval of 0: give a number of milliseconds");
        }
        Ok(())
    }

    /// Everything from ENGINE on.
    fn storage(&self, source: &dyn LogSource) -> String {
        if let Some(engine) = &self.engine {
            let is_whole = engine.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("ENGINE"));
            return if is_whole { engine.clone() } else { format!("ENGINE = {engine}") };
        }
        let day = source.day();
        let partition_by = self.partition_by.clone().unwrap_or_else(|| format!("toYYYYMM({day})"));
        let order_by = self.order_by.as_deref().unwrap_or(source.order_by());
        let order_by = order_by.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(order_by);
        let ttl = self.ttl.clone().unwrap_or_else(|| format!("{day} + INTERVAL 30 DAY"));
        let mut clauses = format!("ENGINE = MergeTree PARTITION BY ({partition_by}) ORDER BY ({order_by})");
        for (word, clause) in [("TTL", ttl), ("SETTINGS", self.settings.clone().unwrap_or_default())] {
            if !clause.trim().is_empty() {
                clauses.push_str(&format!(" {word} {clause}"));
            }
        }
        clauses
    }

    /// The statement that would make the log's table.
    pub fn create_statement(&self, source: &dyn LogSource) -> String {
        let text = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
        let column = |column: &Column| {
            let comment = match column.comment.as_str() {
                "" => String::new(),
                comment => format!(" COMMENT '{}'", text(comment)),
            };
            let default = match &column.default {
                Some((kind, expression)) => format!(" {} {expression}", kind.name()),
                None => String::new(),
            };
            format!("{} {}{default}{comment}", quote_identifier(&column.name), column.kind)
        };
        let columns: Vec<String> = source.columns().iter().chain(source.aliases().iter()).map(column).collect();
        format!(
            "CREATE TABLE system.{} ({}) {} COMMENT 'A log of the server. It may be emptied or dropped at any time.'",
            quote_identifier(source.queue().name()),
            columns.join(", "),
            self.storage(source),
        )
    }
}
