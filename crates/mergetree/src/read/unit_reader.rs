//! Reads the rows of a unit that fulfil the scan's conditions, step by step: a step decodes the columns of its condition in
//! the granules that still have rows, run by run, and asks it of the rows that passed the steps before. What it decoded is
//! kept of the rows that pass, where a later step or the output wants it. The columns of the output that no step read are
//! decoded at the end.
//!
//! Granules are decoded whole and filtered, but where very few rows are wanted (`live_rows`). Parquet's own row filters
//! were used before: they turn each answer into runs of rows, join these with the runs before, and cut them at the ends of
//! batches, which took a sixth of a query whose conditions let every other row pass.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, BooleanBufferBuilder, RecordBatch, RecordBatchOptions};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{and, concat, concat_batches, filter, filter_record_batch};
use arrow::datatypes::{DataType, Field, Schema};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use super::PART_OFFSET;
use super::evolve::Projection;
use super::filter::{ScanFilter, Tally};
use super::granule_cache::GranuleCache;
use super::kept::{kept_granules, wants_kept};
use super::live_rows::LiveRows;
use super::pages::Pages;
use super::passing::Passing;
use super::unit::Unit;
use crate::store::PartStore;

/// Rows that are decoded and asked at a time: their columns lie in the processor's cache.
const STEP_ROWS: usize = 16 << 10;
/// Batches of fewer rows are put together.
const ENOUGH_ROWS: usize = 8 << 10;

/// How the units of a scan are read.
#[derive(Clone)]
pub struct Reading {
    pub context: Arc<QueryContext>,
    pub store: Arc<dyn PartStore>,
    /// Where decoded granules are looked for and kept.
    pub cache: Option<Arc<GranuleCache>>,
    /// Rows of a batch, at most.
    pub batch_rows: usize,
    /// Whether the rows' numbers in the part are wanted, behind the columns.
    pub with_offsets: bool,
}

/// A unit whose first pages are on their way.
pub struct UnitReader {
    reading: Reading,
    pub unit: Unit,
    /// The conditions, in the order of their steps, with how their columns come out of the part.
    steps: VecDeque<(ScanFilter, Projection)>,
    /// Places in the part of the columns that come out, ascending.
    roots: Vec<usize>,
    pub tally: Arc<Tally>,
    live: LiveRows,
    /// Columns by place in the part, of the live rows.
    kept: BTreeMap<usize, ArrayRef>,
    /// What is being decoded, and how many of the live rows were.
    chunks: Option<Chunks>,
    offsets: Option<ArrayRef>,
    /// Rows to be given that are too few for a batch.
    waiting: Vec<RecordBatch>,
}

impl UnitReader {
    /// Sends for the pages that are needed first. `only`: of the rows, as the part counts them, ascending.
    pub fn begin(
        reading: &Reading,
        unit: Unit,
        steps: Vec<(ScanFilter, Projection)>,
        roots: Vec<usize>,
        only: Option<&[u64]>,
        tally: Arc<Tally>,
    ) -> Result<UnitReader> {
        let live = LiveRows::of(&unit, only);
        let mut reader = UnitReader {
            reading: reading.clone(),
            unit,
            steps: steps.into(),
            roots,
            tally,
            live,
            kept: BTreeMap::new(),
            chunks: None,
            offsets: None,
            waiting: Vec::new(),
        };
        reader.chunks = reader.first_chunks()?;
        Ok(reader)
    }

    /// The next rows that passed all steps: the columns at the roots, and their numbers where these are wanted.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some((condition, projection)) = self.steps.pop_front() {
            self.step(&condition, &projection).await?;
        }
        if self.live.rows() == 0 {
            return Ok(None);
        }
        let roots = self.roots.clone();
        let mut chunks = self.take_chunks(&roots).await?;
        if self.reading.with_offsets && self.offsets.is_none() {
            self.offsets = Some(self.live.offsets());
        }
        let enough = ENOUGH_ROWS.min(self.reading.batch_rows);
        loop {
            let Some(chunk) = chunks.next(&self.reading, &self.unit, &self.live).await? else {
                self.chunks = Some(Chunks::nothing(Vec::new(), self.live.rows()));
                return self.joined();
            };
            let batch = self.with_offsets(self.batch(&roots, &chunk)?, &chunk)?;
            if self.waiting.is_empty() && batch.num_rows() >= enough {
                self.chunks = Some(chunks);
                return Ok(Some(batch));
            }
            self.waiting.push(batch);
            if self.waiting.iter().map(RecordBatch::num_rows).sum::<usize>() >= enough {
                self.chunks = Some(chunks);
                return self.joined();
            }
        }
    }

    fn joined(&mut self) -> Result<Option<RecordBatch>> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(first) = waiting.first() else { return Ok(None) };
        if waiting.len() == 1 {
            return Ok(Some(first.clone()));
        }
        Ok(Some(concat_batches(&first.schema(), &waiting)?))
    }

    /// Leaves the rows that fulfil a condition.
    async fn step(&mut self, condition: &ScanFilter, projection: &Projection) -> Result<()> {
        if self.live.rows() == 0 {
            self.chunks = None;
            return Ok(());
        }
        if let Some(id) = condition.id.filter(|_| self.asks_whole_granules(projection)) {
            return self.step_of_granules(condition, projection, id).await;
        }
        // A condition over columns that the part does not have has to know of the rows alone.
        let roots = projection.roots.clone();
        let mut chunks = self.take_chunks(&roots).await?;
        let later = self.wanted_later();
        let mut passed = BooleanBufferBuilder::new(self.live.rows());
        let mut left: BTreeMap<usize, Vec<ArrayRef>> = BTreeMap::new();
        while let Some(chunk) = chunks.next(&self.reading, &self.unit, &self.live).await? {
            let stored = self.batch(&roots, &chunk)?;
            let pass = condition.evaluate(projection, &stored, &self.tally)?;
            passed.append_buffer(pass.values());
            let fresh = chunk.columns.iter().map(|(root, column)| (*root, column.clone()));
            let kept = self.kept.iter().map(|(root, column)| (*root, column.slice(chunk.start, chunk.rows)));
            for (root, column) in fresh.chain(kept).filter(|(root, _)| later.contains(root)) {
                left.entry(root).or_default().push(filter(&column, &pass)?);
            }
        }
        let passed = passed.finish();
        if let (Some(passing), Some(id)) = (&self.tally.passing, condition.id)
            && passing.wants_whole_granules()
            && !self.live.is_narrowed()
        {
            passing.note_alone(id, self.live.granules_without(&passed));
        }
        self.keep(left, &passed)?;
        if let Some(passing) = &self.tally.passing {
            passing.note(self.live.granules());
        }
        Ok(())
    }

    /// Goes on with the live rows that passed, and with these columns of them.
    fn keep(&mut self, left: BTreeMap<usize, Vec<ArrayRef>>, passed: &BooleanBuffer) -> Result<()> {
        self.kept.clear();
        for (root, pieces) in left {
            let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
            self.kept.insert(root, concat(&pieces)?);
        }
        self.live = self.live.narrowed(passed);
        Ok(())
    }

    /// Whether a step is asked of all rows of its granules, so that what it says of them can be remembered: of those that a
    /// threshold left, it would say nothing. Its columns are decoded for it alone, so their pages are read whole anyway.
    fn asks_whole_granules(&self, projection: &Projection) -> bool {
        let wants = self.tally.passing.as_ref().is_some_and(Passing::wants_whole_granules);
        let is_fresh = self.chunks.is_none();
        let of_its_own = !projection.roots.is_empty() && projection.roots.iter().all(|root| !self.kept.contains_key(root));
        wants && is_fresh && of_its_own && self.live.is_narrowed()
    }

    /// As `step`, of all rows of the granules that have live ones.
    async fn step_of_granules(&mut self, condition: &ScanFilter, projection: &Projection, id: u128) -> Result<()> {
        let roots = &projection.roots;
        let mut source = match self.kept_source(roots, true).await? {
            Some(kept) => kept,
            None => {
                let Reading { context, store, batch_rows, .. } = &self.reading;
                let selection = self.live.whole_granules(&self.unit);
                let pages = Pages::start(context, store, &self.unit, roots, selection, STEP_ROWS.min(*batch_rows))?;
                Source::Pages { pages, are_live: false }
            }
        };
        let later = self.wanted_later();
        let (mut of_all, mut passed) = (BooleanBufferBuilder::new(0), BooleanBufferBuilder::new(self.live.rows()));
        let mut left: BTreeMap<usize, Vec<ArrayRef>> = BTreeMap::new();
        while let Some(stored) = source.next(&self.reading, &self.unit).await? {
            let pass = condition.evaluate(projection, &stored, &self.tally)?;
            let wanted = self.live.wanted_of(of_all.len()..of_all.len() + stored.num_rows());
            of_all.append_buffer(pass.values());
            let (pass_live, pass) = match &wanted {
                Some(wanted) => (filter(&pass, wanted)?, and(&pass, wanted)?),
                None => (Arc::new(pass.clone()) as ArrayRef, pass),
            };
            let start = passed.len();
            passed.append_buffer(pass_live.as_boolean().values());
            for (&root, column) in roots.iter().zip(stored.columns()).filter(|(root, _)| later.contains(root)) {
                left.entry(root).or_default().push(filter(column, &pass)?);
            }
            for (&root, column) in self.kept.iter().filter(|(root, _)| later.contains(root)) {
                let column = column.slice(start, pass_live.len());
                left.entry(root).or_default().push(filter(&column, pass_live.as_boolean())?);
            }
        }
        if let Some(passing) = &self.tally.passing {
            passing.note_alone(id, self.live.granules_without(&of_all.finish()));
        }
        self.keep(left, &passed.finish())
    }

    /// Places in the part of what the steps that are left and the output want.
    fn wanted_later(&self) -> BTreeSet<usize> {
        let of_steps = self.steps.iter().flat_map(|(_, projection)| projection.roots.iter());
        of_steps.chain(&self.roots).copied().collect()
    }

    /// The chunks that were begun, or those of the columns that are not kept.
    async fn take_chunks(&mut self, roots: &[usize]) -> Result<Chunks> {
        if let Some(chunks) = self.chunks.take() {
            return Ok(chunks);
        }
        let missing: Vec<usize> = roots.iter().copied().filter(|root| !self.kept.contains_key(root)).collect();
        if missing.is_empty() {
            return Ok(Chunks::nothing(missing, 0));
        }
        match self.kept_source(&missing, !self.live.are_sparse()).await? {
            Some(source) => Ok(Chunks { roots: missing, source, stored: 0, given: 0 }),
            None => self.pages(missing),
        }
    }

    /// The columns of the live granules by way of the cache, where it is used and has them or should. `wants_all`: see
    /// `wants_kept`.
    async fn kept_source(&mut self, roots: &[usize], wants_all: bool) -> Result<Option<Source>> {
        let Reading { context, store, cache: Some(cache), .. } = &self.reading else { return Ok(None) };
        let granules: Vec<usize> = self.live.granules().collect();
        if !wants_kept(context, store, cache, &self.unit, roots, &granules, wants_all) {
            return Ok(None);
        }
        Ok(Some(Source::Granules(kept_granules(context, store, cache, &self.unit, roots, &granules).await?)))
    }

    /// The chunks of the first step or, without steps, of the output.
    fn first_chunks(&self) -> Result<Option<Chunks>> {
        let roots = self.steps.front().map_or(&self.roots, |(_, projection)| &projection.roots);
        if roots.is_empty() || self.live.rows() == 0 {
            return Ok(None);
        }
        if let Reading { context, store, cache: Some(cache), .. } = &self.reading {
            let granules: Vec<usize> = self.live.granules().collect();
            if wants_kept(context, store, cache, &self.unit, roots, &granules, !self.live.are_sparse()) {
                return Ok(None);
            }
        }
        self.pages(roots.clone()).map(Some)
    }

    fn pages(&self, roots: Vec<usize>) -> Result<Chunks> {
        let Reading { context, store, batch_rows, .. } = &self.reading;
        let (selection, are_live) = self.live.selection(&self.unit);
        let batch_rows = if self.steps.is_empty() && are_live { *batch_rows } else { STEP_ROWS.min(*batch_rows) };
        let pages = Pages::start(context, store, &self.unit, &roots, selection, batch_rows)?;
        Ok(Chunks { roots, source: Source::Pages { pages, are_live }, stored: 0, given: 0 })
    }

    /// Columns of the part for the live rows of a chunk, of what it decoded and what was kept.
    fn batch(&self, roots: &[usize], chunk: &Chunk) -> Result<RecordBatch> {
        let column = |root: &usize| {
            let kept = || self.kept.get(root).map(|column| column.slice(chunk.start, chunk.rows));
            let column = chunk.columns.iter().find(|(fresh, _)| fresh == root).map(|(_, column)| column.clone());
            column.or_else(kept).ok_or_else(|| Error::logical("A column of a unit was not decoded"))
        };
        let columns = roots.iter().map(column).collect::<Result<Vec<_>>>()?;
        let fields: Vec<_> = roots.iter().map(|&root| self.unit.open.storage.field(root).clone()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(chunk.rows));
        Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
    }

    fn with_offsets(&self, batch: RecordBatch, chunk: &Chunk) -> Result<RecordBatch> {
        let Some(offsets) = &self.offsets else { return Ok(batch) };
        let mut fields: Vec<_> = batch.schema().fields().iter().cloned().collect();
        fields.push(Arc::new(Field::new(PART_OFFSET, DataType::UInt64, false)));
        let mut columns = batch.columns().to_vec();
        columns.push(offsets.slice(chunk.start, chunk.rows));
        Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
    }
}

/// Live rows, run by run.
struct Chunks {
    /// What is decoded of them.
    roots: Vec<usize>,
    source: Source,
    /// Rows of the granules, and live rows, that were given.
    stored: usize,
    given: usize,
}

enum Source {
    Pages {
        pages: Pages,
        /// It gives the live rows alone, and all rows of the granules else.
        are_live: bool,
    },
    /// All rows of the granules.
    Granules(VecDeque<RecordBatch>),
    /// All that is wanted was decoded before.
    Nothing,
}

/// Some of the live rows.
struct Chunk {
    /// Among the live rows.
    start: usize,
    rows: usize,
    columns: Vec<(usize, ArrayRef)>,
}

impl Source {
    /// The next rows that are decoded or kept, live or not.
    async fn next(&mut self, reading: &Reading, unit: &Unit) -> Result<Option<RecordBatch>> {
        match self {
            Source::Pages { pages, .. } => pages.next(&reading.context, &reading.store, unit).await,
            Source::Granules(batches) => Ok(batches.pop_front()),
            Source::Nothing => Ok(None),
        }
    }
}

impl Chunks {
    /// Nothing is decoded: all rows behind the first `given` are there.
    fn nothing(roots: Vec<usize>, given: usize) -> Chunks {
        Chunks { roots, source: Source::Nothing, stored: 0, given }
    }

    async fn next(&mut self, reading: &Reading, unit: &Unit, live: &LiveRows) -> Result<Option<Chunk>> {
        loop {
            if matches!(self.source, Source::Nothing) {
                let rows = reading.batch_rows.min(live.rows() - self.given);
                let start = self.given;
                self.given += rows;
                return Ok((rows > 0).then(|| Chunk { start, rows, columns: Vec::new() }));
            }
            let Some(batch) = self.source.next(reading, unit).await? else { return Ok(None) };
            let are_live = matches!(self.source, Source::Pages { are_live: true, .. });
            let rows: Range<usize> = self.stored..self.stored + batch.num_rows();
            self.stored = rows.end;
            let wanted: Option<BooleanArray> = if are_live { None } else { live.wanted_of(rows) };
            let batch = match wanted {
                Some(wanted) => filter_record_batch(&batch, &wanted)?,
                None => batch,
            };
            if batch.num_rows() > 0 {
                let start = self.given;
                self.given += batch.num_rows();
                let columns = self.roots.iter().copied().zip(batch.columns().iter().cloned()).collect();
                return Ok(Some(Chunk { start, rows: batch.num_rows(), columns }));
            }
        }
    }
}
