//! The logs: each is declared once, by its queue, its columns and how an entry becomes a row.
//!
//! Columns that ClickHouse has and nothing here tells are there with the default of their type (`whole`), as in the other
//! tables. Their comments are in `comments.tsv`: table (`*`: any), column, comment.

mod aliases;
mod async_insert_log;
mod async_metric_log;
mod blob_log;
mod cache_log;
mod crash_log;
mod error_log;
mod limit_log;
mod metric_log;
mod processors_log;
mod query_metric_log;
mod session_log;
mod span_log;
mod text_log;
mod threads_log;
mod trace_log;
mod views_log;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use arrow::array::RecordBatch;
use gristmill_base::{Result, runtime};
use gristmill_catalog::{LogSource, RowsTable, Table};
use gristmill_functions::session::DIALECT_VERSION;
use gristmill_introspect::logs::{Log, LogEntry, LogQueue};
use gristmill_introspect::profiler;
use gristmill_types::{Column, Columns};

use crate::query_log::{DAY_SECONDS, MICROS};
use crate::rows::{Cell, Rows};
use crate::whole::Whole;
use crate::{Known, part_log, query_log};

/// Every log.
pub fn all(known: &Known) -> Result<Vec<Arc<dyn LogSource>>> {
    let mut all = Vec::new();
    query_log::add(&mut all)?;
    threads_log::add(&mut all)?;
    views_log::add(&mut all)?;
    query_metric_log::add(&mut all)?;
    part_log::add(&mut all)?;
    text_log::add(&mut all)?;
    metric_log::add(&mut all, known)?;
    async_metric_log::add(&mut all, known)?;
    processors_log::add(&mut all)?;
    blob_log::add(&mut all)?;
    cache_log::add(&mut all)?;
    error_log::add(&mut all)?;
    limit_log::add(&mut all)?;
    session_log::add(&mut all)?;
    crash_log::add(&mut all)?;
    async_insert_log::add(&mut all)?;
    span_log::add(&mut all)?;
    trace_log::add(&mut all)?;
    Ok(all)
}

/// A table that shows what is kept of a log in memory.
pub fn in_memory(source: &Arc<dyn LogSource>) -> Arc<dyn Table> {
    let name = source.queue().name();
    let columns = Columns::new(source.columns().iter().chain(source.aliases().iter()).cloned().collect());
    let words = name.split('_').map(|word| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]));
    let engine = format!("System{}", words.collect::<String>());
    let source = source.clone();
    Arc::new(RowsTable::sync("system", name, &engine, columns, move |_| Ok(vec![source.kept()?])))
}

/// The columns of every log that tell of the server: which ClickHouse it is like, and the kind of its processor.
const OF_SERVER: &str = "clickhouse_version LowCardinality(String), system_processor LowCardinality(String)";

type Fill<T> = Box<dyn Fn(&[Arc<T>], &mut Rows) -> Result<()> + Send + Sync>;
type Collect = Box<dyn Fn() + Send + Sync>;

/// A log as it is declared.
pub struct Declared<T: 'static> {
    log: &'static Log<T>,
    told: Columns,
    whole: Whole,
    aliases: Columns,
    fill: Fill<T>,
    day: &'static str,
    order_by: &'static str,
    collect: Option<Collect>,
    collects_every: Option<Duration>,
    collects_before_flush: bool,
    collects_before_look: bool,
}

impl<T: 'static> fmt::Debug for Declared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declared").field("day", &self.day).field("order_by", &self.order_by).finish_non_exhaustive()
    }
}

impl<T: LogEntry> Declared<T> {
    /// `structure`: the columns that `fill` gives, as in `name String, value UInt64`.
    pub fn of(
        log: &'static Log<T>,
        structure: &str,
        fill: impl Fn(&[Arc<T>], &mut Rows) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::of_columns(log, gristmill_types::parse::structure(structure)?, fill)
    }

    pub fn of_columns(
        log: &'static Log<T>,
        told: Columns,
        fill: impl Fn(&[Arc<T>], &mut Rows) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Self> {
        let of_server = gristmill_types::parse::structure(OF_SERVER)?;
        let told = Columns::new(told.iter().chain(of_server.iter()).cloned().collect());
        let mut whole = Whole::of("system", log.name(), &told)?;
        let commented = |column: &Column| {
            let mut column = column.clone();
            if column.comment.is_empty() {
                column.comment = comment(log.name(), &column.name).to_string();
            }
            column
        };
        whole.columns = Columns::new(whole.columns.iter().map(commented).collect());
        let (day, order_by, fill) = ("event_date", "event_date, event_time", Box::new(fill));
        Ok(Declared {
            log,
            told,
            whole,
            aliases: aliases::of(log.name())?,
            fill,
            day,
            order_by,
            collect: None,
            collects_every: None,
            collects_before_flush: false,
            collects_before_look: false,
        })
    }

    /// With another column of the day, and another sorting key.
    pub fn by(self, day: &'static str, order_by: &'static str) -> Self {
        Declared { day, order_by, ..self }
    }

    /// With entries that `collect` makes now and again.
    pub fn collecting(self, every: Duration, collect: impl Fn() + Send + Sync + 'static) -> Self {
        Declared { collect: Some(Box::new(collect)), collects_every: Some(every), ..self }
    }

    /// With entries that come by themselves, but late: a flush, or whoever looks, has them come.
    pub fn completed_by(self, collect: impl Fn() + Send + Sync + 'static) -> Self {
        let collect: Option<Collect> = Some(Box::new(collect));
        Declared { collect, collects_before_flush: true, collects_before_look: true, ..self }
    }

    /// With entries that a flush has to ask for.
    pub fn before_flush(self) -> Self {
        Declared { collects_before_flush: true, ..self }
    }

    fn rows(&self, entries: &[Arc<T>]) -> Result<RecordBatch> {
        let mut rows = Rows::ending_with(&self.told, vec![DIALECT_VERSION.into(), std::env::consts::ARCH.into()]);
        (self.fill)(entries, &mut rows)?;
        self.whole.rows(&rows.finish()?)
    }
}

impl<T: LogEntry> LogSource for Declared<T> {
    fn queue(&self) -> &'static dyn LogQueue {
        self.log
    }

    fn columns(&self) -> &Columns {
        &self.whole.columns
    }

    fn aliases(&self) -> &Columns {
        &self.aliases
    }

    fn day(&self) -> &'static str {
        self.day
    }

    fn order_by(&self) -> &'static str {
        self.order_by
    }

    fn collects_every(&self) -> Option<Duration> {
        self.collects_every
    }

    fn collect(&self) {
        if let Some(collect) = self.collect.as_ref().filter(|_| self.log.is_on()) {
            collect();
        }
    }

    fn collects_before_flush(&self) -> bool {
        self.collects_before_flush
    }

    fn take(&self, rows_max: usize) -> Result<Option<RecordBatch>> {
        let entries = self.log.take(rows_max);
        if entries.is_empty() { Ok(None) } else { self.rows(&entries).map(Some) }
    }

    fn kept(&self) -> Result<RecordBatch> {
        if self.collects_before_look {
            self.collect();
        }
        self.rows(&self.log.snapshot())
    }
}

static COMMENTS: LazyLock<HashMap<(&str, &str), &str>> = LazyLock::new(|| {
    let of_line = |line: &'static str| {
        let mut fields = line.splitn(3, '\t');
        Some(((fields.next()?, fields.next()?), fields.next()?))
    };
    include_str!("comments.tsv").lines().filter_map(of_line).collect()
});

fn comment(table: &str, column: &str) -> &'static str {
    COMMENTS.get(&(table, column)).or_else(|| COMMENTS.get(&("*", column))).copied().unwrap_or_default()
}

/// Stacks of errors as texts; those without an error are empty.
pub fn stack_texts<'a>(stacks: impl Iterator<Item = &'a [u64]>) -> Vec<String> {
    let stacks: Vec<&[u64]> = stacks.collect();
    if stacks.iter().all(|stack| stack.is_empty()) {
        return vec![String::new(); stacks.len()];
    }
    // The first names make the whole table of symbols be read.
    runtime::aside(|| stacks.into_iter().map(profiler::stack_text).collect())
}

/// Day, second and microsecond of a moment.
fn moment(micros: i64) -> [Cell; 3] {
    [day(micros), second(micros), micros.into()]
}

fn day(micros: i64) -> Cell {
    micros.div_euclid(MICROS * DAY_SECONDS).into()
}

fn second(micros: i64) -> Cell {
    micros.div_euclid(MICROS).into()
}

/// What events are called as columns, with their descriptions.
fn event_columns() -> impl Iterator<Item = Column> {
    gristmill_introspect::Event::ALL.iter().map(|event| {
        let mut column = Column::new(format!("ProfileEvent_{}", event.name()), gristmill_types::SqlType::UInt64);
        column.comment = event.description().to_string();
        column
    })
}
