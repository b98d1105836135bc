//! What became of parts of MergeTree tables, an entry an event, as `system.part_log` shows it.

use uuid::Uuid;

use crate::logs::{Log, LogEntry, texts_bytes};

/// Values of the `event_type` column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartEvent {
    NewPart,
    MergePartsStart,
    MergeParts,
    RemovePart,
    MutatePartStart,
    MutatePart,
}

impl PartEvent {
    pub fn name(self) -> &'static str {
        match self {
            PartEvent::NewPart => "NewPart",
            PartEvent::MergePartsStart => "MergePartsStart",
            PartEvent::MergeParts => "MergeParts",
            PartEvent::RemovePart => "RemovePart",
            PartEvent::MutatePartStart => "MutatePartStart",
            PartEvent::MutatePart => "MutatePart",
        }
    }
}

#[derive(Clone, Debug)]
pub struct PartLogEntry {
    pub event: PartEvent,
    pub event_time_micros: i64,
    pub duration_ms: u64,
    pub query_id: String,
    pub database: String,
    pub table: String,
    pub table_uuid: Uuid,
    pub part_name: String,
    pub partition_id: String,
    pub partition: String,
    pub path: String,
    pub rows: u64,
    pub size_in_bytes: u64,
    pub bytes_uncompressed: u64,
    /// As ClickHouse calls it: `NotAMerge`, `RegularMerge`, `TTLDeleteMerge`, …
    pub merge_reason: &'static str,
    /// `Undecided`, `Horizontal`, `Vertical`.
    pub merge_algorithm: &'static str,
    pub merged_from: Vec<String>,
    pub read_rows: u64,
    pub read_bytes: u64,
    pub peak_memory_usage: u64,
    /// 0: none.
    pub error_code: i32,
    pub exception: String,
    /// The mutations that the part goes through.
    pub mutation_ids: Vec<String>,
    /// That the part has, by name.
    pub projections: Vec<String>,
    pub profile_events: Vec<(&'static str, u64)>,
}

/// Entries kept in memory.
const CAPACITY: usize = 50_000;

static LOG: Log<PartLogEntry> = Log::new("part_log", CAPACITY);

pub fn part_log() -> &'static Log<PartLogEntry> {
    &LOG
}

impl LogEntry for PartLogEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.query_id, &self.database, &self.table, &self.part_name, &self.path, &self.exception])
            + texts_bytes(&self.merged_from)
            + texts_bytes(&self.mutation_ids)
            + texts_bytes(&self.projections)
            + self.profile_events.len() * size_of::<(&str, u64)>()
    }
}
