//! What a client is told beside its result: events that its query counted, and lines of its log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{
    ArrayRef, BinaryViewArray, Int8Array, Int64Array, RecordBatch, TimestampSecondArray, UInt32Array, UInt64Array,
};
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_introspect::query_lines::{QueryLine, priority};
use gristmill_types::{Columns, EnumValues, SqlType};

fn text(value: &str, rows: usize) -> ArrayRef {
    Arc::new(BinaryViewArray::from_iter_values(std::iter::repeat_n(value.as_bytes(), rows)))
}

fn seconds(now: Duration, rows: usize) -> ArrayRef {
    Arc::new(TimestampSecondArray::from(vec![now.as_secs() as i64; rows]))
}

/// A query runs on threads of all queries: its events are told in the name of the process's first one. (Clients take
/// 0 for a column that is not there.)
fn thread() -> u64 {
    u64::from(std::process::id())
}

/// One line of a query's log, as a block.
pub fn log_line(host: &str, query_id: &str, line: &QueryLine) -> Result<(Columns, RecordBatch)> {
    let columns = Columns::of([
        ("event_time", SqlType::DateTime(None)),
        ("event_time_microseconds", SqlType::UInt32),
        ("host_name", SqlType::String),
        ("query_id", SqlType::String),
        ("thread_id", SqlType::UInt64),
        ("priority", SqlType::Int8),
        ("source", SqlType::String),
        ("text", SqlType::String),
    ]);
    let arrays: Vec<ArrayRef> = vec![
        seconds(line.at, 1),
        Arc::new(UInt32Array::from(vec![line.at.subsec_micros()])),
        text(host, 1),
        text(query_id, 1),
        Arc::new(UInt64Array::from(vec![line.thread_id])),
        Arc::new(Int8Array::from(vec![priority(line.level)])),
        text(line.source, 1),
        text(&line.text, 1),
    ];
    let batch = RecordBatch::try_new(columns.arrow(), arrays)?;
    Ok((columns, batch))
}

/// Counts of a query that its client was told.
#[derive(Debug, Default)]
pub struct EventsTold(BTreeMap<&'static str, u64>);

impl EventsTold {
    /// What was counted since the last call, and the memory that is used now, as a block.
    pub fn next(&mut self, host: &str, context: &QueryContext) -> Result<(Columns, RecordBatch)> {
        let kinds = EnumValues(Arc::from([("increment".to_string(), 1), ("gauge".to_string(), 2)]));
        let columns = Columns::of([
            ("host_name", SqlType::String),
            ("current_time", SqlType::DateTime(None)),
            ("thread_id", SqlType::UInt64),
            ("type", SqlType::Enum8(kinds)),
            ("name", SqlType::String),
            ("value", SqlType::Int64),
        ]);
        let mut rows: Vec<(i8, &str, i64)> = Vec::new();
        for (event, value) in context.counters.nonzero() {
            let told = self.0.insert(event.name(), value).unwrap_or(0);
            if value > told {
                rows.push((1, event.name(), (value - told) as i64));
            }
        }
        rows.push((2, "MemoryTrackerUsage", context.memory.held_bytes() as i64));
        rows.push((2, "MemoryTrackerPeakUsage", context.memory.peak_bytes() as i64));
        let arrays: Vec<ArrayRef> = vec![
            text(host, rows.len()),
            seconds(context.env.now(), rows.len()),
            Arc::new(UInt64Array::from(vec![thread(); rows.len()])),
            Arc::new(rows.iter().map(|(kind, ..)| Some(*kind)).collect::<Int8Array>()),
            Arc::new(BinaryViewArray::from_iter_values(rows.iter().map(|(_, name, _)| name.as_bytes()))),
            Arc::new(rows.iter().map(|(.., value)| Some(*value)).collect::<Int64Array>()),
        ];
        let batch = RecordBatch::try_new(columns.arrow(), arrays)?;
        Ok((columns, batch))
    }
}

#[cfg(test)]
mod tests {
    use gristmill_introspect::Event;

    use super::*;

    #[test]
    fn an_event_is_told_once() {
        let context = QueryContext::background("test");
        context.counters.add(Event::SelectedRows, 5);
        let mut told = EventsTold::default();
        let (_, first) = told.next("h", &context).expect("a block");
        let (_, second) = told.next("h", &context).expect("a block");
        assert_eq!((first.num_rows(), second.num_rows()), (3, 2));
    }
}
