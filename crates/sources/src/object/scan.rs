//! The scan of Parquet files: one coordinator a query, as many decoding streams as the plan has partitions.
//!
//! The coordinator keeps requests in flight; the streams never wait for a request of their own. It
//! 1. opens files, many at once: footer, then pruning by statistics, bloom filters, page index (`open`), which gives units;
//! 2. admits units in order while the bytes they want fit the budget, starts each (`Unit::start`) and fetches what it needs;
//! 3. hands units whose bytes are there to whichever stream is free.
//!
//! A stream decodes a unit until it is done or wants more bytes (late materialisation); then it gives the unit back and
//! takes another. Units that wait for their second fetch go before new ones. The budget bounds the bytes of all units
//! that are fetching, waiting to be decoded or being decoded. One rule keeps it from locking up: when nothing is at work,
//! the next unit is admitted whatever it wants. With a LIMIT files and units are asked for as it needs them (`appetite`).
//!
//! Dropping all streams ends everything: the coordinator's task is owned by the scan, and the requests by the task.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result, units};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Event, QueryContext, tell};
use gristmill_objstore::ranges::RangePolicy;
use gristmill_types::measure::batch_bytes;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::appetite::Appetite;
use super::fetch::Fetcher;
use super::files::Files;
use super::layout::Layout;
use super::parquet::open::{FileWork, open};
use super::parquet::unit::{OpenFile, PlannedUnit, Unit, UnitStep, Wanted};

/// Footers being fetched at a time.
const FILES_OPENING: usize = 256;
/// Opened files whose units wait for admission; each may hold the end of its file.
const FILES_AHEAD: usize = 256;
/// Units whose bytes are being fetched at a time.
const UNITS_FETCHING: usize = 256;

/// What the streams take.
pub enum Ready {
    Unit(Box<Held>),
    /// Rows of a file of which no column is read.
    Rows {
        file: Arc<OpenFile>,
        rows: u64,
    },
}

/// A unit and the bytes it holds; dropped, they are given back to the budget.
pub struct Held {
    pub unit: Unit,
    bytes: u64,
    guards: Vec<MemoryGuard>,
    notices: UnboundedSender<Notice>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.guards.clear();
        // The coordinator is gone when the query is over: nobody waits for bytes then.
        let _ = self.notices.send(Notice::Freed(self.bytes));
    }
}

/// What streams tell the coordinator.
enum Notice {
    Freed(u64),
    /// A unit holds so many bytes now, and no longer as many as before.
    Holds {
        before: u64,
        now: u64,
    },
    Wants(Box<Held>, Vec<Range<u64>>),
}

/// What the coordinator is to do.
pub struct ScanRequest {
    pub fetcher: Fetcher,
    pub layout: Arc<Layout>,
    pub files: Files,
    pub wanted: Arc<Wanted>,
    pub limit: Option<usize>,
}

/// The scan as its streams share it.
pub struct Scan {
    context: Arc<QueryContext>,
    ready: tokio::sync::Mutex<UnboundedReceiver<Result<Ready>>>,
    notices: UnboundedSender<Notice>,
    /// Rows that may still be given.
    remaining: AtomicUsize,
    _coordinator: Task<()>,
}

impl Scan {
    pub fn start(request: ScanRequest) -> Arc<Scan> {
        let (ready_sender, ready) = unbounded_channel();
        let (notices, notices_receiver) = unbounded_channel();
        let context = request.fetcher.context.clone();
        let remaining = AtomicUsize::new(request.limit.unwrap_or(usize::MAX));
        let coordinator = Coordinator::new(request, ready_sender, notices.clone());
        let task = Task::on(&runtime::io(), coordinator.run(notices_receiver));
        Arc::new(Scan { context, ready: tokio::sync::Mutex::new(ready), notices, remaining, _coordinator: task })
    }

    /// The next piece of work; `None` when there is no more.
    pub async fn next(&self) -> Result<Option<Ready>> {
        if self.remaining.load(Ordering::Relaxed) == 0 {
            return Ok(None);
        }
        let waiting_since = self.context.env.instant();
        let next = self.context.cancellable(async { self.ready.lock().await.recv().await.transpose() }).await;
        let waited = self.context.env.instant().saturating_duration_since(waiting_since);
        self.context.counters.add(Event::IOWaitMicroseconds, waited.as_micros() as u64);
        self.context.counters.add(Event::ParquetFetchWaitTimeMicroseconds, waited.as_micros() as u64);
        next
    }

    /// Gives a unit back that wants more bytes.
    pub fn wants(&self, mut held: Box<Held>, ranges: Vec<Range<u64>>) {
        if let Some(now) = held.unit.holds_instead() {
            let mut guard = MemoryGuard::empty(&self.context.memory);
            guard.grow_anyway(now);
            held.guards = vec![guard];
            let before = std::mem::replace(&mut held.bytes, now);
            let _ = self.notices.send(Notice::Holds { before, now });
        }
        let _ = self.notices.send(Notice::Wants(held, ranges));
    }

    /// See `QueryContext::pace`.
    pub async fn pace(&self) {
        self.context.pace().await;
    }

    /// See `QueryContext::may_read`.
    pub fn may_read(&self) -> Result<bool> {
        self.context.may_read()
    }

    pub fn count(&self, rows: u64, block: &RecordBatch) {
        self.context.read(rows, batch_bytes(block));
    }

    /// How many of so many rows may still be given, which are taken by asking.
    pub fn take_rows(&self, rows: usize) -> usize {
        let before =
            self.remaining.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(rows)));
        before.unwrap_or(0).min(rows)
    }
}

/// Opens files and admits units; runs on the I/O runtime, where the requests are.
struct Coordinator {
    request: Arc<ScanRequest>,
    ready: UnboundedSender<Result<Ready>>,
    notices: UnboundedSender<Notice>,
    budget_bytes: u64,
    used_bytes: u64,
    /// Units that hold bytes, those in `wanting` included.
    holding: usize,
    planned: VecDeque<PlannedUnit>,
    /// The unit next in line, begun, with what it wants.
    prepared: Option<(Unit, Vec<Range<u64>>)>,
    wanting: VecDeque<(Box<Held>, Vec<Range<u64>>)>,
    appetite: Appetite,
    ahead: Ahead,
}

/// What was fetched ahead of those who decode, for the query's log.
#[derive(Debug, Default)]
struct Ahead {
    fetches: u64,
    bytes: u64,
    used_bytes_max: u64,
    /// Times that a unit had to wait for room in the budget.
    held_back: u64,
}

type Opening = BoxFuture<'static, Result<FileWork>>;
type Fetching = BoxFuture<'static, Result<Box<Held>>>;

/// Bytes of object data that a query may hold: what it was told, else by cores and by its memory.
pub fn budget_bytes(context: &QueryContext) -> u64 {
    let settings = &context.settings;
    if settings.object_read_memory_bytes > 0 {
        return settings.object_read_memory_bytes;
    }
    let by_cores = (context.threads() as u64 * (24 << 20)).clamp(96 << 20, 1 << 30);
    match settings.max_memory_usage {
        0 => by_cores,
        // Decoded it is several times as much, and whoever takes the rows needs his share.
        limit => by_cores.min(limit / 8),
    }
}

impl Coordinator {
    fn new(request: ScanRequest, ready: UnboundedSender<Result<Ready>>, notices: UnboundedSender<Notice>) -> Self {
        let budget_bytes = budget_bytes(&request.fetcher.context);
        let appetite = Appetite::new(request.limit, !request.wanted.filter.is_empty());
        Coordinator {
            request: Arc::new(request),
            ready,
            notices,
            budget_bytes,
            used_bytes: 0,
            holding: 0,
            planned: VecDeque::new(),
            prepared: None,
            wanting: VecDeque::new(),
            appetite,
            ahead: Ahead::default(),
        }
    }

    async fn run(mut self, notices: UnboundedReceiver<Notice>) {
        // A defect must not look like the end of the files.
        self.tell_begin();
        let coordinated = AssertUnwindSafe(self.coordinate(notices)).catch_unwind().await;
        self.tell_end();
        if let Err(error) = coordinated.unwrap_or_else(|_| Err(Error::logical("A scan of files ended in its middle"))) {
            let _ = self.ready.send(Err(error));
        }
    }

    /// The query's log: how far it reads ahead, and what its requests are made of.
    fn tell_begin(&self) {
        let fetcher = &self.request.fetcher;
        let context = &fetcher.context;
        let policy = RangePolicy::of(&context.settings, fetcher.store.is_remote());
        let bytes = |bytes: u64| units::bytes_binary(bytes as f64);
        tell!(
            context,
            DEBUG,
            "Prefetcher",
            "Reads ahead as long as what is held fits {}, in up to {UNITS_FETCHING} fetches at once; up to {FILES_OPENING} files are opened \
             at a time; requests take up to {}, and ranges up to {} apart are asked for together",
            bytes(self.budget_bytes),
            bytes(policy.split_bytes),
            bytes(policy.gap_bytes)
        );
    }

    fn tell_end(&self) {
        let (context, ahead) = (&self.request.fetcher.context, &self.ahead);
        let bytes = |bytes: u64| units::bytes_binary(bytes as f64);
        tell!(
            context,
            DEBUG,
            "Prefetcher",
            "Fetched {} in {} fetches ahead of those who decode; held {} at most, and {} times there was no room for more",
            bytes(ahead.bytes),
            ahead.fetches,
            bytes(ahead.used_bytes_max),
            ahead.held_back
        );
    }

    async fn coordinate(&mut self, mut notices: UnboundedReceiver<Notice>) -> Result<()> {
        let request = self.request.clone();
        let mut files = request.files.stream(&request.fetcher.context);
        let mut files_left = true;
        let mut opening: FuturesUnordered<Opening> = FuturesUnordered::new();
        let mut fetching: FuturesUnordered<Fetching> = FuturesUnordered::new();
        loop {
            request.fetcher.context.check()?;
            while fetching.len() < UNITS_FETCHING
                && let Some(admitted) = self.admit()?
            {
                fetching.push(admitted);
            }
            let nothing_planned = self.planned.is_empty() && self.prepared.is_none();
            if self.appetite.is_met() && self.holding == 0 {
                return Ok(());
            }
            if !files_left && opening.is_empty() && nothing_planned && self.holding == 0 {
                if let Some(step) = &request.wanted.step {
                    step.has_ended();
                }
                return Ok(());
            }
            let has_room = opening.len() < FILES_OPENING && self.planned.len() < FILES_AHEAD;
            let opens = files_left && has_room && self.appetite.opens(opening.len(), self.planned.len());
            tokio::select! {
                // Files first, as long as there is room: requests that wait to be sent are time lost.
                biased;
                file = files.next(), if opens => match file {
                    Some(file) => opening.push(Box::pin(open(request.clone(), file?))),
                    None => files_left = false,
                },
                Some(work) = opening.next(), if !opening.is_empty() => self.opened(work?),
                Some(held) = fetching.next(), if !fetching.is_empty() => {
                    let _ = self.ready.send(Ok(Ready::Unit(held?)));
                }
                Some(notice) = notices.recv() => match notice {
                    Notice::Freed(bytes) => {
                        self.used_bytes = self.used_bytes.saturating_sub(bytes);
                        self.holding = self.holding.saturating_sub(1);
                        self.appetite.ended();
                    }
                    Notice::Holds { before, now } => self.used_bytes = self.used_bytes.saturating_sub(before) + now,
                    Notice::Wants(held, ranges) => self.wanting.push_back((held, ranges)),
                },
            }
        }
    }

    fn opened(&mut self, work: FileWork) {
        let progress = &self.request.fetcher.context.progress;
        match work {
            FileWork::Units(units) => {
                let rows: u64 = units.iter().map(PlannedUnit::rows).sum();
                self.appetite.opened(rows, units.len());
                progress.total_rows_to_read.fetch_add(rows, Ordering::Relaxed);
                self.planned.extend(units);
            }
            FileWork::Rows(file, rows) => {
                progress.total_rows_to_read.fetch_add(rows, Ordering::Relaxed);
                self.appetite.opened(rows, 1);
                self.appetite.began(rows);
                self.appetite.ended();
                let _ = self.ready.send(Ok(Ready::Rows { file, rows }));
            }
        }
    }

    /// The next fetch that there is room for.
    fn admit(&mut self) -> Result<Option<Fetching>> {
        if let Some((_, ranges)) = self.wanting.front() {
            let bytes = total(ranges);
            // The unit at the front counts as waiting, so it is not among those at work.
            let Some(guard) = self.room(bytes)? else {
                return Ok(None);
            };
            let Some((mut held, ranges)) = self.wanting.pop_front() else {
                return Ok(None);
            };
            held.bytes += bytes;
            held.guards.push(guard);
            return Ok(Some(self.fetch(held, ranges)));
        }
        if self.prepared.is_none() {
            self.prepared = self.prepare()?;
        }
        let Some((unit, ranges)) = &self.prepared else {
            return Ok(None);
        };
        let bytes = total(ranges) + unit.waiting_bytes();
        let Some(guard) = self.room(bytes)? else {
            return Ok(None);
        };
        let Some((unit, ranges)) = self.prepared.take() else {
            return Ok(None);
        };
        self.holding += 1;
        let held = Box::new(Held { unit, bytes, guards: vec![guard], notices: self.notices.clone() });
        Ok(Some(self.fetch(held, ranges)))
    }

    fn prepare(&mut self) -> Result<Option<(Unit, Vec<Range<u64>>)>> {
        let request = &self.request;
        while self.appetite.begins()
            && let Some(planned) = self.planned.pop_front()
        {
            self.appetite.began(planned.rows());
            let mut unit = Unit::start(planned, &request.wanted, &request.fetcher.context)?;
            match unit.step()? {
                UnitStep::Needs(ranges) => return Ok(Some((unit, ranges))),
                UnitStep::Blocks => return Ok(Some((unit, Vec::new()))),
                UnitStep::Done => self.appetite.ended(),
            }
        }
        Ok(None)
    }

    /// Takes bytes from the budget and the query's memory. `None`: wait until others gave theirs back.
    fn room(&mut self, bytes: u64) -> Result<Option<MemoryGuard>> {
        let others_work = self.holding > self.wanting.len();
        if others_work && self.used_bytes + bytes > self.budget_bytes {
            self.ahead.held_back += 1;
            return Ok(None);
        }
        match MemoryGuard::take(&self.request.fetcher.context.memory, bytes) {
            Ok(guard) => {
                self.used_bytes += bytes;
                self.ahead.used_bytes_max = self.ahead.used_bytes_max.max(self.used_bytes);
                Ok(Some(guard))
            }
            Err(_) if others_work => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn fetch(&mut self, mut held: Box<Held>, ranges: Vec<Range<u64>>) -> Fetching {
        let request = self.request.clone();
        self.ahead.fetches += u64::from(!ranges.is_empty());
        self.ahead.bytes += total(&ranges);
        tell!(
            request.fetcher.context,
            TRACE,
            "Prefetcher",
            "Fetches {} ranges, {}, of {}; {} of {} are held then, by {} units",
            ranges.len(),
            units::bytes_binary(total(&ranges) as f64),
            held.unit.file.file.path,
            units::bytes_binary(self.used_bytes as f64),
            units::bytes_binary(self.budget_bytes as f64),
            self.holding
        );
        Box::pin(async move {
            if !ranges.is_empty() {
                let file = held.unit.file.clone();
                let pieces = request.fetcher.ranges(&file.file, file.tail.as_ref(), &ranges).await?;
                held.unit.push(ranges, pieces)?;
            }
            Ok(held)
        })
    }
}

fn total(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}
