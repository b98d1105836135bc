//! The scan of text formats, and of everything else that is read from its start to its end.
//!
//! Objects are fetched several at a time, large ones in ranges side by side (`fetch`), decompressed, and cut at row borders
//! into parts (`cut`). Parts wait in a bounded queue for whichever stream is free, which parses them: so one file keeps all
//! cores busy, and so do many. What cannot be cut (a JSON document, an Arrow stream) is parsed where it is read.
//!
//! Bytes held are bounded: files are admitted while what they may hold fits the budget, the queue has a fixed length, and
//! all of it is on the query's memory account.
//!
//! A part does not know how many rows stand before it. Where one has a mistake, the rows of the parts before it are waited
//! for (they were taken earlier, so they are being parsed) and the part is parsed again to name the right row.

mod cut;
mod fetch;
mod file;

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use arrow::compute::filter_record_batch;
use bytes::Bytes;
use datafusion::common::Result as DataFusionResult;
use futures::stream::{BoxStream, FuturesUnordered};
use futures::{FutureExt, StreamExt};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result};
use gristmill_formats::{Compression, Format, Header, Part, RowParser, count_left_out, part_parser};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Event, QueryContext, Settings};
use gristmill_types::Columns;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use super::convert::session_timezone;
use super::fetch::Fetcher;
use super::file::SourceFile;
use super::filter::{BlockFilter, ScanFilter};
use super::layout::{Layout, Origin};
use super::scan::budget_bytes;
use super::step::ScanStep;
use file::TextFile;
use gristmill_types::measure::batch_bytes;

/// Files that are read at a time at most; how many really are depends on the budget.
const FILES_MAX: usize = 64;
/// Files that a scan with LIMIT and a condition begins with.
const FILES_WITH_LIMIT: usize = 8;
/// What a file of unknown size may hold.
const UNKNOWN_FILE_BYTES: u64 = 8 << 20;

/// What a scan wants of every file.
pub struct TextPlan {
    pub format: Format,
    pub layout: Arc<Layout>,
    /// Columns to give, as indices in the layout.
    pub output: Vec<usize>,
    pub filter: ScanFilter,
    /// Rows to give at most.
    pub limit: Option<usize>,
    /// What is told of the files' rows.
    pub step: Option<Arc<ScanStep>>,
}

/// One thing to read.
pub enum TextInput {
    /// With the beginning of the file, where that was read already.
    Object(Fetcher, Arc<SourceFile>, Compression, Option<Bytes>),
    /// Data that comes by itself, decompressed.
    Stream(Arc<SourceFile>, BoxStream<'static, Result<Bytes>>),
}

/// What is handed to the streams.
enum Ready {
    /// Bytes of whole rows: the part of that number of its file.
    Part { file: Arc<TextFile>, number: usize, bytes: Vec<u8>, guard: MemoryGuard },
    /// Rows that were parsed where they were read.
    Rows { file: Arc<TextFile>, batch: RecordBatch, guard: MemoryGuard },
}

/// What all tasks and streams of a scan share.
struct Shared {
    plan: TextPlan,
    context: Arc<QueryContext>,
    /// Columns that the data has, as far as the parser must know them.
    columns: Columns,
    /// Those of them that its batches carry.
    wanted: Vec<usize>,
    /// Columns of the layout that are needed, and where each is in those batches.
    needed: Vec<(usize, Option<usize>)>,
    filter: BlockFilter,
    /// Where the output's columns are among those needed.
    output: Vec<usize>,
    block_rows: usize,
    /// Files may be cut into parts.
    parallel: bool,
    budget_bytes: u64,
    /// Rows that may still be given.
    remaining: AtomicUsize,
    /// Rows that passed the filter in all files so far, those beyond the limit too.
    rows_found: AtomicUsize,
}

/// The scan as its streams share it.
pub struct TextScan {
    shared: Arc<Shared>,
    ready: tokio::sync::Mutex<Receiver<Result<Ready>>>,
    _coordinator: Task<()>,
}

impl TextScan {
    /// Begins to read. `block_rows`: rows of a block at most.
    pub fn start(
        plan: TextPlan,
        context: Arc<QueryContext>,
        inputs: BoxStream<'static, Result<TextInput>>,
        block_rows: usize,
    ) -> Result<Arc<TextScan>> {
        let settings = &context.settings;
        let columns = parsed_columns(&plan, settings);
        let mut needed = plan.filter.columns();
        needed.extend(&plan.output);
        needed.sort_unstable();
        needed.dedup();
        let filter = plan.filter.over(&plan.layout, &needed)?;
        let output = plan.output.iter().map(|index| needed.binary_search(index)).collect::<std::result::Result<_, _>>();
        let output = output.map_err(|_| Error::logical("A column was not planned"))?;
        let mut wanted = Vec::new();
        let needed = needed.into_iter().map(|index| {
            let data = plan.layout.origins[index] == Origin::Data;
            let column = data.then(|| columns.index_of(plan.layout.name(index))).flatten();
            wanted.extend(column);
            (index, column.map(|_| wanted.len() - 1))
        });
        let needed = needed.collect();
        let strict = settings.input_format_allow_errors_num == 0 && settings.input_format_allow_errors_ratio == 0.0;
        let shared = Arc::new(Shared {
            needed,
            filter,
            output,
            columns,
            wanted,
            block_rows: block_rows.max(1),
            parallel: settings.input_format_parallel_parsing && strict,
            budget_bytes: budget_bytes(&context),
            remaining: AtomicUsize::new(plan.limit.unwrap_or(usize::MAX)),
            rows_found: AtomicUsize::new(0),
            context,
            plan,
        });
        let (sender, receiver) = channel(shared.context.threads().clamp(2, 64));
        let coordinating = coordinate(shared.clone(), inputs, sender.clone());
        let coordinator = Task::on(&runtime::cpu(), async move {
            // A defect must not look like the end of the files.
            if AssertUnwindSafe(coordinating).catch_unwind().await.is_err() {
                let _ = sender.send(Err(Error::logical("A scan of files ended in its middle"))).await;
            }
        });
        Ok(Arc::new(TextScan { shared, ready: tokio::sync::Mutex::new(receiver), _coordinator: coordinator }))
    }

    /// The blocks that one stream gets; streams share the work.
    pub fn blocks(self: Arc<Self>) -> BoxStream<'static, DataFusionResult<RecordBatch>> {
        let worker = Worker { scan: self, blocks: VecDeque::new(), guards: Vec::new() };
        Box::pin(futures::stream::try_unfold(worker, |mut worker| async move {
            let block = worker.next().await?;
            Ok(block.map(|block| (block, worker)))
        }))
    }
}

/// The columns that the parser must know: all of the data's where they are told by their position, else those needed.
fn parsed_columns(plan: &TextPlan, settings: &Settings) -> Columns {
    let by_name = match plan.format {
        Format::JsonEachRow | Format::JsonStringsEachRow | Format::Json | Format::JsonStrings | Format::Tskv => true,
        Format::Parquet | Format::Arrow | Format::ArrowStream => true,
        format => format.header() != Header::None && settings.input_format_with_names_use_header,
    };
    let wanted = plan.filter.columns();
    let narrow = by_name && settings.input_format_skip_unknown_fields;
    let columns = plan.layout.columns.iter().enumerate().filter(|(index, _)| {
        let is_data = plan.layout.origins[*index] == Origin::Data;
        is_data && (!narrow || wanted.contains(index) || plan.output.contains(index))
    });
    Columns::new(columns.map(|(_, column)| column.clone()).collect())
}

impl Shared {
    /// How many of so many rows may still be given, which are taken by asking.
    fn take_rows(&self, rows: usize) -> usize {
        self.rows_found.fetch_add(rows, Ordering::Relaxed);
        let before =
            self.remaining.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(rows)));
        before.unwrap_or(0).min(rows)
    }

    /// The parser of a part of a file, or of all of it.
    fn parser(&self, file: &TextFile, part: Option<Part<'_>>) -> Result<Box<dyn RowParser>> {
        let settings = &self.context.settings;
        let timezone = session_timezone(settings);
        let format = file.rows_format().unwrap_or(self.plan.format);
        part_parser(format, &self.columns, &self.wanted, settings, timezone, &file.source.path, part)
    }

    /// Counts what a parser at its end has left out; where it knows only the columns that the query asks for, it cannot tell those that
    /// nobody asks for from those that have no place. Nor can parsers that read columns and not rows.
    fn count_left_out(&self, parser: &dyn RowParser) {
        use Format as F;
        let format = self.plan.format;
        let reads_rows = !format.is_columnar_file()
            && !matches!(format, F::Native | F::Avro | F::ArrowStream)
            && !format.name().starts_with("RowBinary");
        let of_data = self.plan.layout.origins.iter().filter(|origin| **origin == Origin::Data).count();
        if reads_rows && self.columns.len() == of_data {
            count_left_out(parser, &self.context.counters);
        }
    }

    /// The rows of a batch of the parser that pass the filter, with the output's columns.
    fn block(&self, file: &TextFile, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let arrays = self
            .needed
            .iter()
            .map(|(index, parsed)| match parsed {
                Some(at) => Ok(batch.column(*at).clone()),
                None => file.repeated(*index, rows),
            })
            .collect::<Result<Vec<_>>>()?;
        let indices: Vec<usize> = self.needed.iter().map(|(index, _)| *index).collect();
        let schema = Arc::new(self.plan.layout.schema.project(&indices)?);
        let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(rows));
        let block = RecordBatch::try_new_with_options(schema, arrays, &options)?;
        if self.plan.filter.is_empty() {
            return Ok(block.project(&self.output)?);
        }
        let passing = self.filter.evaluate(&block)?;
        let block = block.project(&self.output)?;
        Ok(if passing.true_count() == rows { block } else { filter_record_batch(&block, &passing)? })
    }
}

/// Admits files while what they may hold fits the budget, and no more than the limit needs.
async fn coordinate(shared: Arc<Shared>, inputs: BoxStream<'static, Result<TextInput>>, sender: Sender<Result<Ready>>) {
    let mut inputs = inputs.peekable();
    let mut reading = FuturesUnordered::new();
    let mut held_bytes = 0u64;
    let mut files_ended = 0;
    let has_limit = shared.plan.limit.is_some();
    loop {
        let files_max = files_at_a_time(&shared, files_ended);
        // The next file is waited for only where nothing is being read; else it is taken when the listing has it.
        let mut inputs = std::pin::Pin::new(&mut inputs);
        while let Some(Some(input)) =
            if reading.is_empty() { Some(inputs.as_mut().peek().await) } else { inputs.as_mut().peek().now_or_never() }
        {
            let bytes = input.as_ref().map_or(0, |input| may_hold(input, shared.budget_bytes));
            if !reading.is_empty() && (held_bytes + bytes > shared.budget_bytes || reading.len() >= files_max) {
                break;
            }
            let Some(input) = inputs.next().await else { break };
            let input = match input {
                Ok(input) => input,
                Err(error) => {
                    let _ = sender.send(Err(error)).await;
                    return;
                }
            };
            held_bytes += bytes;
            let (all_parsed, parsed) = oneshot::channel();
            let task = Task::on(&runtime::cpu(), cut::read(shared.clone(), input, bytes, sender.clone(), all_parsed));
            reading.push(async move {
                let done = task.join().await.and_then(|done| done);
                // Whether a limit needs another file is known only when this one's rows are counted, not when they are
                // in the queue.
                if has_limit && done.is_ok() {
                    let _ = parsed.await;
                }
                (bytes, done)
            });
        }
        match reading.next().await {
            None => {
                if let Some(step) = &shared.plan.step {
                    step.has_ended();
                }
                return;
            }
            Some((bytes, Ok(()))) => {
                held_bytes -= bytes;
                files_ended += 1;
            }
            Some((_, Err(error))) => {
                let _ = sender.send(Err(error)).await;
                return;
            }
        }
        if shared.remaining.load(Ordering::Relaxed) == 0 {
            return;
        }
    }
}

/// Files that may be read side by side when so many were read to their ends.
fn files_at_a_time(shared: &Shared, files_ended: usize) -> usize {
    match shared.plan.limit {
        // One thread gets files in their order.
        _ if shared.context.threads() == 1 => 1,
        None => FILES_MAX,
        // See `Appetite`: what did not meet the limit allows twice as much.
        Some(_) if !shared.plan.filter.is_empty() => (FILES_WITH_LIMIT + files_ended).min(FILES_MAX),
        // A LIMIT without a condition is met by the first rows that there are.
        Some(_) if files_ended == 0 => 1,
        // The others are taken to be like those.
        Some(_) => {
            let mean = (shared.rows_found.load(Ordering::Relaxed) / files_ended).max(1);
            shared.remaining.load(Ordering::Relaxed).div_ceil(mean).clamp(1, FILES_MAX)
        }
    }
}

/// Bytes that reading an input may hold beside what waits in the queue: all of a small file, half of the budget for one
/// that is large.
fn may_hold(input: &TextInput, budget_bytes: u64) -> u64 {
    match input {
        TextInput::Object(_, file, ..) => {
            file.size.unwrap_or(UNKNOWN_FILE_BYTES).clamp(64 << 10, (budget_bytes / 2).max(64 << 10))
        }
        TextInput::Stream(..) => UNKNOWN_FILE_BYTES,
    }
}

/// One stream's part in the scan.
struct Worker {
    scan: Arc<TextScan>,
    blocks: VecDeque<RecordBatch>,
    /// Memory of the blocks.
    guards: Vec<MemoryGuard>,
}

impl Worker {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(block) = self.blocks.pop_front() {
                return Ok(Some(block));
            }
            self.guards.clear();
            self.scan.shared.context.pace().await;
            if !self.scan.shared.context.may_read()? || !self.more().await? {
                return Ok(None);
            }
        }
    }

    /// Takes a piece of work and does it.
    async fn more(&mut self) -> Result<bool> {
        let scan = self.scan.clone();
        let shared = &scan.shared;
        if shared.remaining.load(Ordering::Relaxed) == 0 {
            return Ok(false);
        }
        let context = &shared.context;
        let waiting_since = context.env.instant();
        let mut ready = scan.ready.lock().await;
        let next = context.cancellable(async { ready.recv().await.transpose() }).await;
        let waited = context.env.instant().saturating_duration_since(waiting_since);
        context.counters.add(Event::IOWaitMicroseconds, waited.as_micros() as u64);
        // The first rows of a file are what LIMIT gives: while one stream parses, the others wait.
        let in_turn = shared.plan.limit.is_some().then_some(ready);
        match next? {
            None => return Ok(false),
            Some(Ready::Rows { file, batch, guard }) => {
                self.guards.push(guard);
                self.take(&file, &batch)?;
            }
            Some(Ready::Part { file, number, bytes, guard }) => {
                match self.parse(&file, &bytes, None) {
                    Ok(batches) => {
                        file.parsed(number, batches.iter().map(|batch| batch.num_rows() as u64).sum());
                        drop((bytes, guard));
                        for batch in &batches {
                            self.guards.push(MemoryGuard::take(&context.memory, batch.get_array_memory_size() as u64)?);
                            self.take(&file, batch)?;
                        }
                    }
                    Err(error) => {
                        drop(in_turn);
                        let before = context.cancellable(async { Ok(file.rows_before(number).await) }).await?;
                        return Err(match before {
                            // Another part has a mistake too, an earlier one, so that no row can be told.
                            None => error,
                            Some(rows) => self.parse(&file, &bytes, Some(rows)).err().unwrap_or(error),
                        });
                    }
                }
            }
        }
        Ok(true)
    }

    fn parse(&self, file: &TextFile, bytes: &[u8], first_row: Option<u64>) -> Result<Vec<RecordBatch>> {
        let mut parser = self.scan.shared.parser(file, Some(Part { header: &file.header(), first_row }))?;
        let mut batches = parser.push(bytes)?;
        batches.extend(parser.finish()?);
        self.scan.shared.count_left_out(parser.as_ref());
        Ok(batches)
    }

    fn take(&mut self, file: &TextFile, batch: &RecordBatch) -> Result<()> {
        let shared = &self.scan.shared;
        shared.context.read(batch.num_rows() as u64, batch_bytes(batch));
        let block = shared.block(file, batch)?;
        let rows = shared.take_rows(block.num_rows());
        if let Some(step) = &shared.plan.step {
            step.count(&file.source.key, rows as u64);
        }
        let mut from = 0;
        while from < rows {
            let length = (rows - from).min(shared.block_rows);
            self.blocks.push_back(block.slice(from, length));
            from += length;
        }
        Ok(())
    }
}
