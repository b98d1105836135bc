//! What a server tells of a running query beside its rows: progress, events, memory, lines of its log. It is put into the
//! query's context, where the progress bar and the summary look, whoever runs the query.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Int8Type, Int64Type, TimestampSecondType, UInt32Type, UInt64Type};
use chrono::DateTime;
use chrono_tz::Tz;
use gristmill_formats::native::Block;
use gristmill_introspect::query_lines::GEAR_SOURCE;
use gristmill_introspect::{Event, QueryContext};

use crate::packets::ProgressTold;

/// Takes the lines of a server's log.
pub type LogLines = Arc<dyn Fn(&str) + Send + Sync>;

/// Adds what was done since the last packet. Bytes in all are not taken: they are those of files, and those that are read
/// are told as they lie in memory. `sends_rows`: the rows that are read are the client's own, and counted as they
/// are read here.
pub fn progress(context: &QueryContext, told: ProgressTold, sends_rows: bool) {
    let progress = &context.progress;
    if !sends_rows {
        progress.read(told.read_rows, told.read_bytes);
        progress.total_rows_to_read.fetch_add(told.total_rows, Relaxed);
    }
    progress.wrote(told.written_rows, told.written_bytes);
}

/// Memory in use by host, now and at most.
#[derive(Debug, Default)]
pub struct Memory(HashMap<String, (u64, u64)>);

/// The column of that name, of a block whose sender may be of any version.
fn column<'a>(block: &'a Block, name: &str) -> Option<&'a ArrayRef> {
    block.columns.index_of(name).and_then(|at| block.arrays.get(at))
}

fn text(array: Option<&ArrayRef>, row: usize) -> String {
    let Some(texts) = array.and_then(|array| array.as_binary_view_opt()) else { return String::new() };
    if texts.is_null(row) { String::new() } else { String::from_utf8_lossy(texts.value(row)).into_owned() }
}

/// A whole number of any of the types that servers send.
fn number(array: Option<&ArrayRef>, row: usize) -> Option<i64> {
    let array = array?;
    None.or_else(|| array.as_primitive_opt::<Int64Type>().map(|numbers| numbers.value(row)))
        .or_else(|| array.as_primitive_opt::<UInt64Type>().map(|numbers| numbers.value(row) as i64))
        .or_else(|| array.as_primitive_opt::<UInt32Type>().map(|numbers| i64::from(numbers.value(row))))
        .or_else(|| array.as_primitive_opt::<Int8Type>().map(|numbers| i64::from(numbers.value(row))))
        .or_else(|| array.as_primitive_opt::<TimestampSecondType>().map(|numbers| numbers.value(row)))
}

impl Memory {
    /// Events that were counted since the last block, and gauges.
    pub fn events(&mut self, context: &QueryContext, block: &Block) {
        const INCREMENT: i64 = 1;
        let (host, kind) = (column(block, "host_name"), column(block, "type"));
        let (name, value) = (column(block, "name"), column(block, "value"));
        for row in 0..block.rows {
            let (event, value) = (text(name, row), number(value, row).unwrap_or(0).max(0) as u64);
            match event.as_str() {
                "MemoryTrackerUsage" => self.0.entry(text(host, row)).or_default().0 = value,
                "MemoryTrackerPeakUsage" => self.0.entry(text(host, row)).or_default().1 = value,
                _ if number(kind, row) == Some(INCREMENT) => {
                    if let Some(event) = Event::named(&event) {
                        context.counters.add(event, value);
                    }
                }
                _ => {}
            }
        }
        let (used, peak) = self
            .0
            .values()
            .fold((0u64, 0u64), |(used, peak), host| (used.saturating_add(host.0), peak.saturating_add(host.1)));
        context.memory.tell(used, peak);
    }
}

/// Takes the lines of what a server counts.
#[derive(Clone)]
pub struct EventLines {
    /// Between two looks; `None`: when a statement is over.
    pub every: Option<Duration>,
    pub show: LogLines,
}

/// What was counted of a statement and not shown yet.
pub struct Events {
    lines: EventLines,
    shown: Instant,
    /// By host and name, with the time of the last block.
    pending: BTreeMap<(String, String), Counted>,
}

struct Counted {
    value: i64,
    is_increment: bool,
    seconds: i64,
}

impl Events {
    pub fn of(lines: EventLines) -> Events {
        Events { lines, shown: Instant::now(), pending: BTreeMap::new() }
    }

    /// Adds a block of the server's, and shows what is there where it is time. The zone is that of the times shown.
    pub fn add(&mut self, block: &Block, timezone: Tz) {
        const INCREMENT: i64 = 1;
        let of = |name: &str| column(block, name);
        let (hosts, kinds, times) = (of("host_name"), of("type"), of("current_time"));
        let (names, values) = (of("name"), of("value"));
        for row in 0..block.rows {
            let is_increment = number(kinds, row) == Some(INCREMENT);
            let (value, seconds) = (number(values, row).unwrap_or(0), number(times, row).unwrap_or(0));
            let known = self.pending.entry((text(hosts, row), text(names, row)));
            let counted = known.or_insert(Counted { value: 0, is_increment, seconds });
            counted.value = if is_increment { counted.value.saturating_add(value) } else { value };
            counted.seconds = seconds;
        }
        if self.lines.every.is_some_and(|every| self.shown.elapsed() >= every) {
            self.show(timezone);
        }
    }

    /// Shows what was counted since the last time.
    pub fn show(&mut self, timezone: Tz) {
        self.shown = Instant::now();
        for ((host, name), counted) in std::mem::take(&mut self.pending) {
            let when = DateTime::from_timestamp(counted.seconds, 0)
                .map(|when| when.with_timezone(&timezone).format("%Y.%m.%d %H:%M:%S").to_string())
                .unwrap_or_default();
            let kind = if counted.is_increment { "increment" } else { "gauge" };
            // Counts of all threads are added up.
            (self.lines.show)(&format!("[{host}] {when} [ 0 ] {name}: {} ({kind})", counted.value));
        }
    }
}

/// The gear that an INSERT ran in, where a block of the log is what the server says of it at its end.
pub fn insert_gear(block: &Block) -> Option<String> {
    let is_gear = block.rows == 1 && text(column(block, "source"), 0) == GEAR_SOURCE;
    is_gear.then(|| text(column(block, "text"), 0))
}

/// The lines of a block of the log, as clickhouse-client shows them.
pub fn log(block: &Block, timezone: Tz) -> Vec<String> {
    const PRIORITIES: [&str; 9] = ["", "Fatal", "Critical", "Error", "Warning", "Notice", "Information", "Debug", "Trace"];
    let of = |name: &str| column(block, name);
    let line = |row: usize| {
        let seconds = number(of("event_time"), row).unwrap_or(0);
        let micros = number(of("event_time_microseconds"), row).unwrap_or(0).clamp(0, 999_999);
        let when = DateTime::from_timestamp(seconds, 0)
            .map(|when| when.with_timezone(&timezone).format("%Y.%m.%d %H:%M:%S").to_string())
            .unwrap_or_default();
        let priority =
            number(of("priority"), row).and_then(|at| PRIORITIES.get(usize::try_from(at).ok()?)).unwrap_or(&"Test");
        let (host, thread) = (text(of("host_name"), row), number(of("thread_id"), row).unwrap_or(0));
        let (query_id, source) = (text(of("query_id"), row), text(of("source"), row));
        let said = text(of("text"), row);
        format!("[{host}] {when}.{micros:06} [ {thread} ] {{{query_id}}} <{priority}> {source}: {said}")
    };
    (0..block.rows).map(line).collect()
}
