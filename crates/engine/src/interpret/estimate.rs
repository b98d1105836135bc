//! EXPLAIN ESTIMATE: what a statement would take, told before it runs.
//!
//! One row a table that is read, as ClickHouse has it. Where files are read there are more columns: what is fetched of them
//! and what it costs. Of an INSERT there is a row more, for its target: the commits, blocks and parts that it would make, and
//! about how long it would take.
//!
//! Rows are counted before the filter, as nothing is read. A block becomes a part in each partition that its rows fall into;
//! which those are is not known, so parts are at least as many as told. The time follows from how fast the process wrote
//! before (`LOAD_PACE`), or else from a guess.
//!
//! Where a load leaves out files that cannot be read (`load_on_error`), each of them has a row of its own, with the error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use arrow::array::{ArrayRef, BinaryViewArray, Float64Array, UInt64Array};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use gristmill_base::{Error, Result};
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::TableSettings;
use gristmill_mergetree::insert::gear::Gear;
use gristmill_mergetree::read::TableEstimate;
use gristmill_sources::object::estimate::Estimate;
use gristmill_sql::statement::Insert;
use gristmill_types::{Column, Columns, SqlType};

use super::insert::PlannedInsert;
use super::insert_lanes::lane_count;
use super::load;
use super::load_steps::{OnError, is_of_file};
use super::{Interpreter, Outcome};

/// Bytes of values that one core sorts, encodes and writes in a second.
const CORE_PACE: u64 = 100 << 20;
/// A text, or anything else without a width of its own, about.
const TEXT_BYTES: u64 = 32;
/// Inserts of fewer bytes say more of their beginning than of their pace.
const PACE_BYTES_MIN: u64 = 64 << 20;

/// Bytes of values a second that one core wrote in inserts of this process; 0: none was large enough.
static LOAD_PACE: AtomicU64 = AtomicU64::new(0);

/// Learns from an INSERT that went well.
pub(crate) fn note_pace(context: &QueryContext) {
    let (bytes, seconds) =
        (context.counters.get(Event::MergeTreeDataWriterUncompressedBytes), context.elapsed().as_secs_f64());
    if bytes >= PACE_BYTES_MIN && seconds > 0.0 {
        LOAD_PACE.store(((bytes as f64 / seconds) as u64 / context.threads() as u64).max(1), Relaxed);
    }
}

/// One row of the answer.
#[derive(Default)]
struct Row {
    database: String,
    table: String,
    parts: u64,
    rows: u64,
    marks: u64,
    files: u64,
    row_groups: u64,
    bytes: u64,
    requests: u64,
    cost_usd: f64,
    commits: u64,
    blocks: u64,
    seconds: f64,
    /// Why a file cannot be read.
    error: String,
}

/// What the target of an INSERT gets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Writing {
    commits: u64,
    blocks: u64,
}

/// The commits of a load: of so many bytes each, and of a row group at least.
struct Steps {
    bytes: u64,
    row_groups: u64,
}

/// `steps`: where there are several commits. A lane of a commit has full blocks and a last one.
fn writing(rows: u64, bytes: u64, lanes: u64, block_rows: u64, block_bytes: u64, steps: Option<Steps>) -> Writing {
    if rows == 0 && bytes == 0 {
        return Writing { commits: 0, blocks: 0 };
    }
    let commits = steps.map_or(1, |steps| bytes.div_ceil(steps.bytes.max(1)).min(steps.row_groups).max(1));
    let full =
        |amount: u64, block: u64| if block == 0 { 1 } else { amount.div_ceil(commits * lanes).div_ceil(block).max(1) };
    let of_a_lane = full(rows, block_rows).max(full(bytes, block_bytes));
    Writing { commits, blocks: commits * lanes * of_a_lane }
}

impl Interpreter {
    pub(super) async fn estimate_select(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Outcome> {
        let files = gristmill_sources::object::estimate::estimates(plan, &self.context, none).await?;
        answer(&reading(gristmill_mergetree::read::estimates(plan), &files), !files.is_empty(), false)
    }

    pub(super) async fn estimate_insert(&self, insert: &Insert) -> Result<Outcome> {
        let PlannedInsert { shape, rows: planned, lanes_max } = self.plan_insert(insert, None, &mut Vec::new()).await?;
        let table = &shape.root.table;
        let (context, settings) = (&self.context, &self.context.settings);
        let resumes = load::planned(insert, table, &planned.physical, context)?.is_some();
        let skips_files = resumes && OnError::of(&settings.load_on_error)? == OnError::SkipFile;
        let leaves_out: fn(&Error) -> bool = if skips_files { is_of_file } else { none };
        let files = gristmill_sources::object::estimate::estimates(&planned.physical, context, leaves_out).await?;
        let tables = gristmill_mergetree::read::estimates(&planned.physical);
        let lanes = lane_count(context, lanes_max);
        // Files that do not say have one.
        let row_groups = files.iter().map(|files| files.row_groups.max(files.files)).sum();
        let steps = resumes.then(|| Steps { bytes: load::step_bytes(settings, lanes), row_groups });
        let definition = table.definition();
        let known = files.iter().filter_map(|files| files.rows).chain(tables.iter().map(|table| table.rows)).sum();
        // Other sources tell the plan, if anybody.
        let rows = if files.is_empty() && tables.is_empty() { planned_rows(&planned.physical) } else { known };
        let bytes = match files.iter().map(|files| files.memory_bytes).sum() {
            0 => rows * row_bytes(&definition.columns),
            bytes => bytes,
        };
        // A batch goes to one lane.
        let lanes = rows.div_ceil(settings.block_rows() as u64).clamp(1, lanes as u64);
        let (block_rows, block_bytes) = (settings.min_insert_block_size_rows, settings.min_insert_block_size_bytes);
        let mut writing = writing(rows, bytes, lanes, block_rows, block_bytes, steps);
        let table_settings = TableSettings::parse(&definition.settings).unwrap_or_default();
        let granularity = table_settings.index_granularity;
        if let Some(blocks) = Gear::new(context, &table_settings, definition.columns.len()).blocks_of(bytes) {
            // Each lane of a commit has a last block, which is not full.
            writing.blocks = blocks.max(writing.commits * lanes) * u64::from(writing.blocks > 0);
        }
        let mut answered = reading(tables, &files);
        answered.push(Row {
            database: definition.database.clone(),
            table: definition.name.clone(),
            parts: writing.blocks,
            rows,
            marks: rows.div_ceil(granularity),
            bytes,
            commits: writing.commits,
            blocks: writing.blocks,
            seconds: duration(bytes, context.threads() as u64).as_secs_f64(),
            ..Row::default()
        });
        answer(&answered, true, true)
    }
}

/// Errors of files that are left out: of none.
fn none(_: &Error) -> bool {
    false
}

/// Rows of a plan, where its sources tell.
fn planned_rows(plan: &Arc<dyn ExecutionPlan>) -> u64 {
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new());
    statistics.ok().and_then(|statistics| statistics.num_rows.get_value().copied()).unwrap_or(0) as u64
}

/// A row as it lies in memory, about.
fn row_bytes(columns: &Columns) -> u64 {
    let width = |column: &Column| column.kind.arrow().primitive_width().map_or(TEXT_BYTES, |width| width as u64);
    columns.iter().map(width).sum()
}

fn duration(bytes: u64, cores: u64) -> Duration {
    let pace = match LOAD_PACE.load(Relaxed) {
        0 => CORE_PACE,
        pace => pace,
    };
    Duration::from_secs_f64(bytes as f64 / (pace * cores.max(1)) as f64)
}

/// A row a table, then one a source of files, then one a file that cannot be read.
fn reading(scans: Vec<TableEstimate>, files: &[Estimate]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for scan in scans {
        match rows.iter_mut().find(|row| (&row.database, &row.table) == (&scan.database, &scan.table)) {
            Some(known) => {
                known.parts += scan.parts;
                known.rows += scan.rows;
                known.marks += scan.marks;
            }
            None => rows.push(Row {
                database: scan.database,
                table: scan.table,
                parts: scan.parts,
                rows: scan.rows,
                marks: scan.marks,
                ..Row::default()
            }),
        }
    }
    rows.extend(files.iter().map(|files| Row {
        database: files.function.clone(),
        table: files.place.clone(),
        rows: files.rows.unwrap_or(0),
        files: files.files,
        row_groups: files.row_groups,
        bytes: files.bytes,
        requests: files.requests,
        cost_usd: files.cost_usd,
        ..Row::default()
    }));
    let failed = files.iter().flat_map(|files| files.failed.iter().map(move |failed| (files, failed)));
    rows.extend(failed.map(|(files, (path, error))| Row {
        database: files.function.clone(),
        table: path.clone(),
        error: error.clone(),
        ..Row::default()
    }));
    rows
}

fn answer(rows: &[Row], with_files: bool, with_target: bool) -> Result<Outcome> {
    let texts = |of: fn(&Row) -> &str| -> ArrayRef {
        Arc::new(BinaryViewArray::from_iter_values(rows.iter().map(|row| of(row).as_bytes())))
    };
    let counts = |of: fn(&Row) -> u64| -> ArrayRef { Arc::new(UInt64Array::from_iter_values(rows.iter().map(of))) };
    let floats = |of: fn(&Row) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(rows.iter().map(of))) };
    let mut columns = vec![
        ("database", SqlType::String, texts(|row| &row.database)),
        ("table", SqlType::String, texts(|row| &row.table)),
        ("parts", SqlType::UInt64, counts(|row| row.parts)),
        ("rows", SqlType::UInt64, counts(|row| row.rows)),
        ("marks", SqlType::UInt64, counts(|row| row.marks)),
    ];
    if with_files {
        columns.extend([
            ("files", SqlType::UInt64, counts(|row| row.files)),
            ("row_groups", SqlType::UInt64, counts(|row| row.row_groups)),
            ("bytes", SqlType::UInt64, counts(|row| row.bytes)),
            ("requests", SqlType::UInt64, counts(|row| row.requests)),
            ("cost_usd", SqlType::Float64, floats(|row| row.cost_usd)),
        ]);
    }
    if with_target {
        columns.extend([
            ("commits", SqlType::UInt64, counts(|row| row.commits)),
            ("blocks", SqlType::UInt64, counts(|row| row.blocks)),
            ("seconds", SqlType::Float64, floats(|row| row.seconds)),
        ]);
    }
    if rows.iter().any(|row| !row.error.is_empty()) {
        columns.push(("error", SqlType::String, texts(|row| &row.error)));
    }
    let arrays = columns.iter().map(|(_, _, array)| array.clone()).collect();
    Outcome::rows(Columns::of(columns.into_iter().map(|(name, kind, _)| (name, kind))), arrays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_commits_and_block_sizes_say_how_many_blocks_there_are() {
        assert_eq!(writing(10, 1_000, 2, 100, 0, None), Writing { commits: 1, blocks: 2 }, "a block a lane");
        assert_eq!(writing(1_000, 1_000, 2, 100, 0, None), Writing { commits: 1, blocks: 10 });
        assert_eq!(writing(1_000, 8_000, 2, 100, 200, None), Writing { commits: 1, blocks: 40 }, "bytes come first");
        let steps = |bytes, row_groups| Some(Steps { bytes, row_groups });
        assert_eq!(writing(1_000, 8_000, 2, 0, 500, steps(4_000, 10)), Writing { commits: 2, blocks: 16 });
        assert_eq!(writing(1_000, 8_000, 2, 0, 500, steps(1, 4)), Writing { commits: 4, blocks: 16 }, "a row group each");
        assert_eq!(writing(0, 0, 2, 100, 100, steps(1, 0)), Writing { commits: 0, blocks: 0 });
    }
}
