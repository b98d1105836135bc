//! A streaming merge of sorted parts: one cursor a part, each holding one decoded batch.
//!
//! The cursors stand in the order of their next keys. The first gives rows until the second's key comes before its next
//! one (found by doubling steps, then halving), so parts that hardly overlap cost one comparison for thousands of rows.
//! Equal keys keep the order of the parts. Rows are collected as runs and copied once, a column at a time. What becomes of
//! rows of equal key is for `rules`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::{concat, filter_record_batch, interleave};
use arrow::row::{RowConverter, Rows, SortField};
use futures::stream::{BoxStream, StreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use xxhash_rust::xxh3::xxh3_128;

use super::rules::Shape;
use crate::parallel;

/// Rows on average in a run from which on runs are copied as wholes.
const LONG_RUN: usize = 32;

struct Cursor {
    stream: BoxStream<'static, Result<RecordBatch>>,
    /// Place of the current batch among the held ones.
    held: usize,
    keys: Option<Rows>,
    row: usize,
    rows: usize,
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
        let cursors = streams.into_iter().map(|stream| Cursor { stream, held: 0, keys: None, row: 0, rows: 0 }).collect();
        let mut merged = MergedRows { shape, tells_keys, last: None, cursors, order: Vec::new(), held: Vec::new(), lanes };
        for at in 0..merged.cursors.len() {
            if merged.advance(at).await? {
                merged.insert(at);
            }
        }
        Ok(merged)
    }

    /// Reads the cursor's next batch; false where there is none.
    async fn advance(&mut self, at: usize) -> Result<bool> {
        let cursor = &mut self.cursors[at];
        while let Some(batch) = cursor.stream.next().await.transpose()? {
            if batch.num_rows() == 0 {
                continue;
            }
            cursor.keys = self.shape.keys(&batch)?;
            (cursor.row, cursor.rows, cursor.held) = (0, batch.num_rows(), self.held.len());
            self.held.push(batch);
            return Ok(true);
        }
        Ok(false)
    }

    /// The key of a row of the cursor's batch. Without a key all rows are equal.
    fn key(&self, at: usize, row: usize) -> &[u8] {
        self.cursors[at].keys.as_ref().map_or(&[], |keys| keys.row(row).data())
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
        self.keep_current();
        let mut begins = Vec::new();
        // Of each run: the held batch, first row, end.
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        let mut rows = 0;
        while rows < target {
            let Some(at) = self.order.pop() else { break };
            let bound = self.order.last().map(|&second| self.place(second));
            let start = self.cursors[at].row;
            let end = self.run_end(at, bound, start + (target - rows));
            runs.push((self.cursors[at].held, start, end));
            rows += end - start;
            if self.tells_keys {
                self.mark(at, start..end, &mut begins);
            }
            self.cursors[at].row = end;
            if end < self.cursors[at].rows || self.advance(at).await? {
                self.insert(at);
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        if let [(held, start, end)] = runs[..] {
            return Ok(Some(Merged { rows: self.held[held].slice(start, end - start), begins }));
        }
        let columns = parallel::run(self.copy_jobs(runs, rows), self.lanes).await?;
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
    fn keep_current(&mut self) {
        let mut kept = Vec::with_capacity(self.order.len());
        for &at in &self.order {
            let cursor = &mut self.cursors[at];
            kept.push(self.held[cursor.held].clone());
            cursor.held = kept.len() - 1;
        }
        self.held = kept;
    }

    /// A job a column.
    fn copy_jobs(
        &self,
        runs: Vec<(usize, usize, usize)>,
        rows: usize,
    ) -> Vec<impl FnOnce() -> Result<ArrayRef> + Send + use<>> {
        let runs = Arc::new(runs);
        let single_rows = || -> Vec<(usize, usize)> {
            runs.iter().flat_map(|&(held, start, end)| (start..end).map(move |row| (held, row))).collect()
        };
        let places = (rows / runs.len().max(1) < LONG_RUN).then(|| Arc::new(single_rows()));
        (0..self.shape.schema.fields().len())
            .map(|column| {
                let sources: Vec<ArrayRef> = self.held.iter().map(|batch| batch.column(column).clone()).collect();
                let (runs, places) = (runs.clone(), places.clone());
                move || copy_column(&sources, &runs, places.as_ref().map(|places| places.as_slice()))
            })
            .collect()
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
                self.key = Some(key.to_vec());
                self.seen.clear();
            }
            keep.push(self.seen.insert(xxh3_128(rows.row(row).data())));
        }
        Ok(filter_record_batch(batch, &BooleanArray::from(keep))?)
    }
}
