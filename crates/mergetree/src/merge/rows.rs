//! A streaming merge of sorted parts: one cursor a part, each holding one decoded batch.
//!
//! The cursors stand in the order of their next keys. The first gives rows until the second's key comes before its next
//! one (found by doubling steps, then halving), so parts that hardly overlap cost one comparison for thousands of rows.
//! Equal keys keep the order of the parts. Rows are collected as runs and copied once, a column at a time; a run that is
//! long by itself is not copied at all. What becomes of rows of equal key is for `rules`.
//!
//! Keys are normalised (bytes whose order is theirs) before they are compared, which costs more than the comparing. So of
//! a batch only the first and the last key are at first: where the last comes before the second cursor's next key, the
//! batch is one run, and no other key of it is ever made. A part need not even be read before its turn: what the sparse
//! index says of its first key stands for it until then, so that of parts whose ranges are apart one is open at a time.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::{concat, filter_record_batch, interleave};
use arrow::row::{RowConverter, Rows, SortField};
use futures::future::try_join_all;
use futures::stream::{BoxStream, StreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::memory::{MemoryAccount, MemoryGuard};
use gristmill_types::measure::batch_bytes;
use xxhash_rust::xxh3::xxh3_128;

use super::rules::Shape;
use crate::parallel;

/// Rows on average in a run from which on runs are copied as wholes.
const LONG_RUN: usize = 32;

/// Sorted rows that are to be merged.
pub struct SortedRows {
    /// A normalised key, or the beginning of one, that no row's key comes before. Empty: nothing is known.
    pub least: Vec<u8>,
    pub rows: BoxStream<'static, Result<RecordBatch>>,
}

struct Cursor {
    stream: BoxStream<'static, Result<RecordBatch>>,
    /// Place of the current batch among the held ones.
    held: usize,
    keys: Keys,
    row: usize,
    rows: usize,
}

/// What is known of the keys of a cursor's rows from its next one on.
enum Keys {
    /// Nothing was read: no row's key comes before this.
    Unread(Vec<u8>),
    /// The key of the next row and of the batch's last.
    Ends(Vec<u8>, Vec<u8>),
    /// All of the batch; `None` where the table has no key and all rows are equal.
    All(Option<Rows>),
}

/// Rows in order.
pub struct Merged {
    pub rows: RecordBatch,
    /// By row: whether its key is not that of the row before it, in this batch or the one before. Empty where nobody asked.
    pub begins: Vec<bool>,
}

pub struct MergedRows {
    shape: Arc<Shape>,
    /// Whether it is told where keys begin, and the key of the last row.
    tells_keys: bool,
    last: Option<Vec<u8>>,
    cursors: Vec<Cursor>,
    /// Cursors with rows left, that of the least key last.
    order: Vec<usize>,
    /// Batches that the rows under way lie in.
    held: Vec<RecordBatch>,
    lanes: usize,
    uncompared: u64,
    memory: Option<MemoryGuard>,
}

impl MergedRows {
    /// Each stream gives rows of the shape, sorted by the sorting key. `lanes`: columns copied at the same time;
    /// `tells_keys`: whether to tell where keys begin.
    pub async fn open(
        shape: Arc<Shape>,
        streams: Vec<BoxStream<'static, Result<RecordBatch>>>,
        lanes: usize,
        tells_keys: bool,
    ) -> Result<MergedRows> {
        let sources = streams.into_iter().map(|rows| SortedRows { least: Vec::new(), rows }).collect();
        let mut merged = MergedRows::of_parts(shape, sources, lanes, tells_keys);
        // An error in the first rows is told at once. All are asked for at the same time: each may be a round trip.
        merged.order.clear();
        let first = try_join_all(merged.cursors.iter_mut().map(|cursor| next_batch(&mut cursor.stream))).await?;
        for (at, batch) in first.into_iter().enumerate() {
            if let Some(batch) = batch {
                merged.begin(at, batch)?;
                merged.insert(at);
            }
        }
        Ok(merged)
    }

    /// As `open`; each part is read from when its turn comes.
    pub fn of_parts(shape: Arc<Shape>, sources: Vec<SortedRows>, lanes: usize, tells_keys: bool) -> MergedRows {
        let cursor =
            |source: SortedRows| Cursor { stream: source.rows, held: 0, keys: Keys::Unread(source.least), row: 0, rows: 0 };
        let mut merged = MergedRows {
            shape,
            tells_keys,
            last: None,
            cursors: sources.into_iter().map(cursor).collect(),
            order: Vec::new(),
            held: Vec::new(),
            lanes,
            uncompared: 0,
            memory: None,
        };
        (0..merged.cursors.len()).for_each(|at| merged.insert(at));
        merged
    }

    /// Accounts for the batches that it holds.
    pub fn accounted(mut self, account: &Arc<MemoryAccount>) -> Self {
        self.memory = Some(MemoryGuard::empty(account));
        self
    }

    /// Rows given so far in runs of whole batches, whose keys were not made.
    pub fn uncompared(&self) -> u64 {
        self.uncompared
    }

    /// Reads the cursor's next batch; false where there is none.
    async fn advance(&mut self, at: usize) -> Result<bool> {
        let batch = next_batch(&mut self.cursors[at].stream).await?;
        batch.map_or(Ok(false), |batch| self.begin(at, batch).map(|()| true))
    }

    /// The cursor goes on in another batch.
    fn begin(&mut self, at: usize, batch: RecordBatch) -> Result<()> {
        let cursor = &mut self.cursors[at];
        (cursor.row, cursor.rows, cursor.held) = (0, batch.num_rows(), self.held.len());
        cursor.keys = match self.tells_keys {
            true => Keys::All(self.shape.keys(&batch)?),
            false => ends(&self.shape, &batch, 0)?,
        };
        if let Some(memory) = &mut self.memory {
            memory.resize(memory.bytes() + batch_bytes(&batch))?;
        }
        self.held.push(batch);
        Ok(())
    }

    /// The key of a row of the cursor's batch, where it is known. Without a key all rows are equal.
    fn key(&self, at: usize, row: usize) -> &[u8] {
        match &self.cursors[at].keys {
            Keys::Unread(least) => least,
            Keys::Ends(next, _) if row == self.cursors[at].row => next,
            Keys::Ends(_, last) => last,
            Keys::All(keys) => keys.as_ref().map_or(&[], |keys| keys.row(row).data()),
        }
    }

    /// What the cursors are ordered by.
    fn place(&self, at: usize) -> (&[u8], usize) {
        (self.key(at, self.cursors[at].row), at)
    }

    fn insert(&mut self, at: usize) {
        let place = self.place(at);
        let position = self.order.partition_point(|&other| self.place(other) > place);
        self.order.insert(position, at);
    }

    /// Whether all rows left of the cursor's batch come before the bound, as far as two keys tell.
    fn is_run(&self, at: usize, bound: Option<(&[u8], usize)>) -> bool {
        match (&self.cursors[at].keys, bound) {
            (Keys::Ends(..), None) => true,
            (Keys::Ends(_, last), Some(bound)) => (last.as_slice(), at) < bound,
            _ => false,
        }
    }

    /// The end of the run of the cursor's rows that come before `bound`, at most `limit`.
    fn run_end(&self, at: usize, bound: Option<(&[u8], usize)>, limit: usize) -> usize {
        let (start, end) = (self.cursors[at].row, limit.min(self.cursors[at].rows));
        let Some(bound) = bound else { return end };
        let before = |row: usize| (self.key(at, row), at) < bound;
        // The first row is known to come before.
        let (mut low, mut step) = (start + 1, 1);
        while low < end && before((low + step - 1).min(end - 1)) {
            low = (low + step).min(end);
            step *= 2;
        }
        let mut high = (low + step - 1).min(end);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The next rows in order, about `target` of them; `None` where there are no more.
    pub async fn next(&mut self, target: usize) -> Result<Option<Merged>> {
        self.keep_current()?;
        let mut begins = Vec::new();
        // Of each run: the held batch, first row, end.
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        let mut rows = 0;
        while rows < target {
            let Some(at) = self.order.pop() else { break };
            if matches!(self.cursors[at].keys, Keys::Unread(_)) {
                if self.advance(at).await? {
                    self.insert(at);
                }
                continue;
            }
            let bound = self.order.last().map(|&second| self.place(second));
            let (start, limit) = (self.cursors[at].row, target - rows);
            let is_run = self.is_run(at, bound);
            if !is_run && matches!(self.cursors[at].keys, Keys::Ends(..)) {
                let batch = &self.held[self.cursors[at].held];
                self.cursors[at].keys = Keys::All(self.shape.keys(batch)?);
                self.order.push(at);
                continue;
            }
            let end = match is_run {
                true => self.cursors[at].rows.min(start + limit),
                false => self.run_end(at, bound, start + limit),
            };
            // What is long enough goes by itself, as a slice.
            let is_long = (end - start) * 2 >= target;
            if is_long && !runs.is_empty() {
                self.order.push(at);
                break;
            }
            runs.push((self.cursors[at].held, start, end));
            rows += end - start;
            self.uncompared += if is_run { (end - start) as u64 } else { 0 };
            if self.tells_keys {
                self.mark(at, start..end, &mut begins);
            }
            self.cursors[at].row = end;
            if end < self.cursors[at].rows {
                if is_run {
                    self.cursors[at].keys = ends(&self.shape, &self.held[self.cursors[at].held], end)?;
                }
                self.insert(at);
            } else if self.advance(at).await? {
                self.insert(at);
            }
            if is_long {
                break;
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        if let [(held, start, end)] = runs[..] {
            return Ok(Some(Merged { rows: self.held[held].slice(start, end - start), begins }));
        }
        let columns = copy_columns(self.shape.schema.fields().len(), &self.held, runs, rows, self.lanes).await?;
        let rows = RecordBatch::try_new(self.shape.schema.clone(), columns)?;
        Ok(Some(Merged { rows, begins }))
    }

    /// Adds where keys begin in a run of the cursor's rows.
    fn mark(&mut self, at: usize, run: Range<usize>, begins: &mut Vec<bool>) {
        let mut last = self.last.take();
        begins.push(last.as_deref() != Some(self.key(at, run.start)));
        begins.extend((run.start + 1..run.end).map(|row| self.key(at, row - 1) != self.key(at, row)));
        let buffer = last.get_or_insert_default();
        buffer.clear();
        buffer.extend_from_slice(self.key(at, run.end - 1));
        self.last = last;
    }

    /// Lets go of batches that are used up.
    fn keep_current(&mut self) -> Result<()> {
        let mut kept = Vec::with_capacity(self.order.len());
        for &at in &self.order {
            let cursor = &mut self.cursors[at];
            if !matches!(cursor.keys, Keys::Unread(_)) {
                kept.push(self.held[cursor.held].clone());
                cursor.held = kept.len() - 1;
            }
        }
        self.held = kept;
        match &mut self.memory {
            Some(memory) => memory.resize(self.held.iter().map(batch_bytes).sum()),
            None => Ok(()),
        }
    }
}

/// Rows of batches, each a run of one of them: place of the batch, first row, end. `rows`: of all runs; `lanes`: columns
/// copied at the same time.
pub async fn copy_columns(
    columns: usize,
    batches: &[RecordBatch],
    runs: Vec<(usize, usize, usize)>,
    rows: usize,
    lanes: usize,
) -> Result<Vec<ArrayRef>> {
    if let [(batch, start, end)] = runs[..] {
        return Ok(batches[batch].slice(start, end - start).columns().to_vec());
    }
    let runs = Arc::new(runs);
    let single_rows = || -> Vec<(usize, usize)> {
        runs.iter().flat_map(|&(held, start, end)| (start..end).map(move |row| (held, row))).collect()
    };
    let places = (rows / runs.len().max(1) < LONG_RUN).then(|| Arc::new(single_rows()));
    let jobs = (0..columns).map(|column| {
        let sources: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(column).clone()).collect();
        let (runs, places) = (runs.clone(), places.clone());
        move || copy_column(&sources, &runs, places.as_ref().map(|places| places.as_slice()))
    });
    parallel::run(jobs.collect(), lanes).await
}

/// The next batch that has rows.
async fn next_batch(stream: &mut BoxStream<'static, Result<RecordBatch>>) -> Result<Option<RecordBatch>> {
    while let Some(batch) = stream.next().await.transpose()? {
        if batch.num_rows() > 0 {
            return Ok(Some(batch));
        }
    }
    Ok(None)
}

/// The keys of a row and of the batch's last.
fn ends(shape: &Shape, batch: &RecordBatch, row: usize) -> Result<Keys> {
    let key = |row: usize| -> Result<Option<Vec<u8>>> {
        Ok(shape.keys(&batch.slice(row, 1))?.map(|keys| keys.row(0).data().to_vec()))
    };
    match (key(row)?, key(batch.num_rows() - 1)?) {
        (Some(next), Some(last)) => Ok(Keys::Ends(next, last)),
        _ => Ok(Keys::All(None)),
    }
}

fn copy_column(sources: &[ArrayRef], runs: &[(usize, usize, usize)], places: Option<&[(usize, usize)]>) -> Result<ArrayRef> {
    if let Some(places) = places {
        let sources: Vec<&dyn Array> = sources.iter().map(AsRef::as_ref).collect();
        return Ok(interleave(&sources, places)?);
    }
    let pieces: Vec<ArrayRef> = runs.iter().map(|&(held, start, end)| sources[held].slice(start, end - start)).collect();
    Ok(concat(&pieces.iter().map(AsRef::as_ref).collect::<Vec<_>>())?)
}

/// Leaves out rows that equal an earlier one in chosen columns, those of the sorting key among them: so only rows since the
/// key last changed are remembered, by a hash of 128 bits.
pub struct Deduplicate {
    shape: Arc<Shape>,
    converter: RowConverter,
    compared: Arc<[usize]>,
    key: Option<Vec<u8>>,
    seen: HashSet<u128>,
}

impl Deduplicate {
    /// `compared`: places of the columns, all that the sorting key uses among them. Errors: NOT_IMPLEMENTED where a
    /// column's values cannot be compared.
    pub fn new(shape: Arc<Shape>, compared: Arc<[usize]>) -> Result<Deduplicate> {
        let fields: Vec<SortField> =
            compared.iter().map(|place| SortField::new(shape.schema.field(*place).data_type().clone())).collect();
        if !RowConverter::supports_fields(&fields) {
            return Err(Error::new(
                ErrorCode::NOT_IMPLEMENTED,
                "DEDUPLICATE is not supported for a table with columns of type Map or AggregateFunction",
            ));
        }
        Ok(Deduplicate { converter: RowConverter::new(fields)?, shape, compared, key: None, seen: HashSet::new() })
    }

    pub fn filter(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let keys = self.shape.keys(batch)?;
        let columns: Vec<ArrayRef> = self.compared.iter().map(|place| batch.column(*place).clone()).collect();
        let rows = self.converter.convert_columns(&columns)?;
        let mut keep = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let key = keys.as_ref().map_or(&[] as &[u8], |keys| keys.row(row).data());
            if self.key.as_deref() != Some(key) {
                let known = self.key.get_or_insert_default();
                known.clear();
                known.extend_from_slice(key);
                self.seen.clear();
            }
            keep.push(self.seen.insert(xxh3_128(rows.row(row).data())));
        }
        Ok(filter_record_batch(batch, &BooleanArray::from(keep))?)
    }
}
