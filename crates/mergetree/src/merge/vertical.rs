//! The vertical way to merge wide rows: first the columns that decide which rows come out and in which order, then the
//! others, a few at a time.
//!
//! The first pass merges the leading columns (those of the sorting key, of the engine's rule, of skip indexes and of TTL)
//! with, as one more column, where each row lies: its part and its place there. What comes out of the engine's rule tells
//! for every new row which old one it is, as runs of rows of one part. The other columns are gathered by these runs: in each
//! part a column's rows keep their order, so each part is read forward.
//!
//! A Parquet row group holds all columns, so both passes go through the part one row group of the new part at a time: its
//! leading columns, then group by group of the others, encoded and sent as they come. Memory is the leading columns of some
//! granules of each part, and about `GROUP_BYTES` of others, however many columns there are and however many parts; the
//! horizontal way holds a granule of all columns of each part. (Column after column through all of the part, as in
//! ClickHouse, would leave the chunks of a row group all over the object: a reader of whole rows would send a request a
//! column.)
//!
//! Where a row group ends in the middle of a part's granule, the rest of it will be wanted by the next one: it is kept
//! decoded while all such rests take less than `REST_BYTES`, and decoded again otherwise.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, NullArray, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type};
use async_trait::async_trait;
use futures::future::try_join_all;
use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::allocations::counted_for_part;
use gristmill_base::{Error, Result};
use gristmill_introspect::Event;
use gristmill_introspect::memory::MemoryGuard;
use gristmill_types::measure::{batch_bytes, value_bytes};

use super::rows::{SortedRows, copy_columns};
use super::rules::{self, Shape, detached};
use super::sources::Sources;
use super::task::{MergeOptions, Pace, Rows};
use crate::layout::{Layout, referenced_columns};
use crate::part::v1::writer::ColumnSource;
use crate::part::{PartWriter, Sorted};
use crate::read::unit::UnitLimits;

/// Bytes (as values in memory) of gathered columns that are read at a time, about.
const GROUP_BYTES: u64 = 32 << 20;
/// Rows read for each row of a step at most, but for those of the granules at its ends.
const SPANNED_MAX: u64 = 4;
/// Bytes of granules' rests that are kept decoded.
const REST_BYTES: u64 = 128 << 20;
/// A row's position is its part in the upper bits, its place there in the lower.
const PLACE_BITS: u32 = 48;

/// Whether rows are so wide, and so many, that the vertical way is taken. `looks_at_rows`: something needs whole rows.
pub fn is_worth_it(sources: &Sources, looks_at_rows: bool) -> bool {
    let (layout, settings) = (&sources.core.layout, &sources.core.settings);
    // The engine makes new rows, or a TTL without a column has nothing to look at.
    let keeps_rows = !layout.engine.merges_rows() || layout.engine.chooses_rows();
    let (leading, ttl) = (leading(layout), layout.ttl.places());
    settings.enable_vertical_merge_algorithm
        && !looks_at_rows
        && keeps_rows
        && ttl.iter().all(|places| !places.is_empty())
        && sources.parts.len() < 1 << (u64::BITS - PLACE_BITS)
        && (layout.columns.len() - leading.len()) as u64 >= settings.vertical_merge_algorithm_min_columns_to_activate.max(1)
        && sources.rows() >= settings.vertical_merge_algorithm_min_rows_to_activate
        && sources.bytes() >= settings.vertical_merge_algorithm_min_bytes_to_activate
}

/// Places of the columns that the first pass reads, ascending.
fn leading(layout: &Layout) -> Vec<usize> {
    let of_indexes = layout.skip_indexes.iter().flat_map(|index| &index.expressions).flat_map(referenced_columns);
    let wanted = of_indexes.filter_map(|name| layout.columns.index_of(&name)).chain(layout.ttl.places().concat());
    rules::carried(layout, &wanted.collect::<Vec<_>>())
}

/// What the first pass merges.
pub struct Leading {
    pub shape: Arc<Shape>,
    pub places: Vec<usize>,
    pub rows: Vec<SortedRows>,
}

impl Leading {
    pub fn of(sources: &Sources) -> Result<Leading> {
        let layout = &sources.core.layout;
        let places = leading(layout);
        let mut fields: Vec<Field> = places.iter().map(|place| layout.schema.field(*place).clone()).collect();
        let read = Arc::new(Schema::new(fields.clone()));
        fields.push(Field::new("position", DataType::UInt64, false));
        let schema = Arc::new(Schema::new(fields));
        let (limits, batch_rows) = (sources.limits(), sources.batch_rows(&places));
        let part = |at: usize| {
            let (mut next, schema) = ((at as u64) << PLACE_BITS, schema.clone());
            let rows = sources.read_all(at, (&places, &read), limits, batch_rows).map(move |batch| {
                let batch = batch?;
                let end = next + batch.num_rows() as u64;
                let mut columns = batch.columns().to_vec();
                columns.push(Arc::new(UInt64Array::from_iter_values(next..end)));
                next = end;
                Ok(RecordBatch::try_new(schema.clone(), columns)?)
            });
            SortedRows { least: sources.least(at), rows: rows.boxed() }
        };
        let rows = (0..sources.parts.len()).map(part).collect();
        Ok(Leading { shape: Shape::of(layout, schema, &places)?, places, rows })
    }

    /// The rows as a writer takes them: what is not leading is not there.
    pub fn sorted(shape: &Shape, places: &[usize], batch: &RecordBatch) -> Result<Sorted> {
        let absent: ArrayRef = Arc::new(NullArray::new(0));
        let mut columns = vec![absent; shape.layout.columns.len()];
        for (place, column) in places.iter().zip(batch.columns()) {
            columns[*place] = column.clone();
        }
        Ok(Sorted { columns, keys: shape.primary_values(batch)?, order: None, rows: batch.num_rows() })
    }
}

/// Rows of a part that follow one another.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    part: usize,
    rows: Range<u64>,
}

/// Which old row each new one is.
#[derive(Debug, Default)]
pub struct Runs {
    runs: Vec<Run>,
    rows: usize,
}

impl Runs {
    /// `batch`: its last column has the positions.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let positions = batch.columns().last().and_then(|column| column.as_primitive_opt::<UInt64Type>());
        let positions = positions.ok_or_else(|| Error::logical("Rows are merged without their positions"))?;
        for position in positions.values() {
            let (part, row) = ((position >> PLACE_BITS) as usize, position & ((1 << PLACE_BITS) - 1));
            match self.runs.last_mut() {
                Some(last) if last.part == part && last.rows.end == row => last.rows.end += 1,
                _ => self.runs.push(Run { part, rows: row..row + 1 }),
            }
        }
        self.rows += positions.len();
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn bytes(&self) -> u64 {
        (self.runs.capacity() * size_of::<Run>()) as u64
    }
}

/// Columns that are gathered together.
struct Group {
    places: Vec<usize>,
    schema: SchemaRef,
    row_bytes: f64,
}

/// Rows of some columns of a part, as they were decoded: the first row's place, and the rows.
type Piece = (u64, RecordBatch);

/// The second pass. One a merge: it keeps the rests of granules from row group to row group.
pub struct Gatherer<'a> {
    sources: &'a Sources,
    groups: Vec<Group>,
    lanes: usize,
    /// By part and group: what is left of its last granule.
    rests: HashMap<(usize, usize), Vec<Piece>>,
    rest_bytes: u64,
    held: MemoryGuard,
    /// Of the row group under way.
    runs: Runs,
    /// The next group, and of it the next row.
    group: usize,
    row: usize,
    /// Where that row is: its run, and its place there.
    run: (usize, u64),
    /// The columns count once.
    is_counted: bool,
}

impl<'a> Gatherer<'a> {
    /// `leading`: the columns that are there already.
    pub fn new(sources: &'a Sources, leading: &[usize], row_group_rows: usize, options: &MergeOptions) -> Gatherer<'a> {
        let layout = &sources.core.layout;
        let mut groups: Vec<Group> = Vec::new();
        for place in (0..layout.columns.len()).filter(|place| !leading.contains(place)) {
            let row_bytes = sources.column_bytes(place);
            match groups.last_mut() {
                Some(last) if (last.row_bytes + row_bytes) * row_group_rows as f64 <= GROUP_BYTES as f64 => {
                    last.places.push(place);
                    last.row_bytes += row_bytes;
                }
                _ => groups.push(Group { places: vec![place], schema: Arc::new(Schema::empty()), row_bytes }),
            }
        }
        for group in &mut groups {
            let fields = group.places.iter().map(|place| layout.schema.field(*place).clone());
            group.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        }
        Gatherer {
            sources,
            groups,
            lanes: options.lanes,
            rests: HashMap::new(),
            rest_bytes: 0,
            held: MemoryGuard::empty(&sources.context.memory),
            runs: Runs::default(),
            group: 0,
            row: 0,
            run: (0, 0),
            is_counted: false,
        }
    }

    /// The rows of the next row group.
    pub fn begin(&mut self, runs: Runs) {
        self.is_counted = !self.runs.is_empty();
        self.runs = runs;
        (self.group, self.row, self.run) = (0, 0, (0, 0));
    }

    /// The runs of the next rows, about `rows` of them; fewer where much lies between them in their parts: a part is read
    /// from its first to its last row of the step, what a merge left out of it too.
    fn take_runs(&mut self, rows: usize) -> Vec<Run> {
        let mut taken: Vec<Run> = Vec::new();
        let mut left = rows as u64;
        let (mut ends, mut spanned): (HashMap<usize, u64>, u64) = (HashMap::new(), 0);
        while left > 0 {
            let Some(run) = self.runs.runs.get(self.run.0) else { break };
            let from = run.rows.start + self.run.1;
            let end = run.rows.end.min(from + left);
            spanned += end.saturating_sub(ends.get(&run.part).map_or(from, |known| *known));
            if spanned > SPANNED_MAX * rows as u64 && !taken.is_empty() {
                break;
            }
            ends.insert(run.part, end);
            taken.push(Run { part: run.part, rows: from..end });
            left -= end - from;
            self.run = if end == run.rows.end { (self.run.0 + 1, 0) } else { (self.run.0, self.run.1 + end - from) };
        }
        self.row += rows - left as usize;
        taken
    }

    /// All of the group's columns in a part's rows, from granule border to granule border.
    async fn pieces(&self, part: usize, group: usize, rows: Range<u64>, rest: Vec<Piece>) -> Result<Vec<Piece>> {
        let mut pieces: Vec<Piece> =
            rest.into_iter().filter(|(first, batch)| first + batch.num_rows() as u64 > rows.start).collect();
        let known = pieces.last().map(|(first, batch)| first + batch.num_rows() as u64);
        let from = known.unwrap_or(rows.start);
        if from >= rows.end {
            return Ok(pieces);
        }
        let granule_rows = self.sources.opened[part].header.granule_rows;
        let granules = (from / granule_rows) as usize..rows.end.div_ceil(granule_rows) as usize;
        let mut first = granules.start as u64 * granule_rows;
        // It is read at once, whatever it takes: how much was decided when the rows were.
        let limits = UnitLimits { granules: 16, bytes: u64::MAX, streams: 1 };
        let Group { places, schema, .. } = &self.groups[group];
        let mut read = self.sources.read(part, granules, (places, schema), limits, None);
        while let Some(batch) = read.try_next().await? {
            self.sources.running.read_columns(&batch);
            let rows = batch.num_rows() as u64;
            pieces.push((first, batch));
            first += rows;
        }
        Ok(pieces)
    }

    /// Keeps what comes behind the row, where there is room for it.
    fn keep_rest(&mut self, part: usize, group: usize, row: u64, pieces: Vec<Piece>) -> Result<()> {
        let mut rest = Vec::new();
        for (first, batch) in pieces {
            let used = row.saturating_sub(first).min(batch.num_rows() as u64) as usize;
            if used < batch.num_rows() {
                rest.push((first + used as u64, detached(&batch.slice(used, batch.num_rows() - used))?));
            }
        }
        let bytes: u64 = rest.iter().map(|(_, batch)| batch_bytes(batch)).sum();
        if !rest.is_empty() && self.rest_bytes + bytes <= REST_BYTES {
            self.rest_bytes += bytes;
            self.rests.insert((part, group), rest);
        }
        Ok(())
    }

    fn take_rest(&mut self, part: usize, group: usize) -> Vec<Piece> {
        let rest = self.rests.remove(&(part, group)).unwrap_or_default();
        self.rest_bytes -= rest.iter().map(|(_, batch)| batch_bytes(batch)).sum::<u64>();
        rest
    }
}

#[async_trait]
impl ColumnSource for Gatherer<'_> {
    async fn next(&mut self) -> Result<Option<(Vec<usize>, Vec<ArrayRef>)>> {
        self.sources.context.check()?;
        self.sources.core.stopped.check()?;
        let Some(group) = self.groups.get(self.group) else { return Ok(None) };
        let (at, places, schema) = (self.group, group.places.clone(), group.schema.clone());
        let most = (GROUP_BYTES as f64 / group.row_bytes) as usize;
        let runs = self.take_runs(most.max(1024).min(self.runs.rows - self.row));
        let rows = runs.iter().map(|run| (run.rows.end - run.rows.start) as usize).sum();
        if self.row == self.runs.rows {
            (self.group, self.row, self.run) = (self.group + 1, 0, (0, 0));
        }
        let mut wanted: BTreeMap<usize, Range<u64>> = BTreeMap::new();
        for run in &runs {
            let range = wanted.entry(run.part).or_insert_with(|| run.rows.start..run.rows.start);
            if run.rows.start < range.end {
                return Err(Error::logical("Rows of a part came out of a merge in another order"));
            }
            range.end = run.rows.end;
        }
        let rests: Vec<Vec<Piece>> = wanted.keys().map(|part| self.take_rest(*part, at)).collect();
        let reading = wanted.iter().zip(rests).map(|((part, rows), rest)| self.pieces(*part, at, rows.clone(), rest));
        let read: Vec<Vec<Piece>> = try_join_all(reading.collect::<Vec<_>>()).await?;
        let bytes: u64 = read.iter().flatten().map(|(_, batch)| batch_bytes(batch)).sum();
        // What was read, and the copy in the new order.
        self.held.resize(2 * bytes + self.rest_bytes + self.runs.bytes())?;
        let columns = gather(&schema, &wanted, &read, &runs, rows, self.lanes).await?;
        let running = &self.sources.running;
        running.wrote_bytes(columns.iter().map(value_bytes).sum());
        if !self.is_counted && self.row == 0 {
            running.wrote_columns(places.len() as u64);
            self.sources.context.counters.add(Event::GatheredColumns, places.len() as u64);
        }
        for ((part, rows), pieces) in wanted.iter().zip(read) {
            self.keep_rest(*part, at, rows.end, pieces)?;
        }
        Ok(Some((places, columns)))
    }
}

/// The columns in the order of the runs. `read`: the pieces of each part in `wanted`.
async fn gather(
    schema: &SchemaRef,
    wanted: &BTreeMap<usize, Range<u64>>,
    read: &[Vec<Piece>],
    runs: &[Run],
    rows: usize,
    lanes: usize,
) -> Result<Vec<ArrayRef>> {
    let mut held: Vec<RecordBatch> = Vec::new();
    // By part: its pieces among the held ones, and the one that its next row lies in.
    let mut pieces: HashMap<usize, (Vec<(usize, u64)>, usize)> = HashMap::new();
    for (part, read) in wanted.keys().zip(read) {
        let places = read.iter().enumerate().map(|(at, (first, _))| (held.len() + at, *first)).collect();
        pieces.insert(*part, (places, 0));
        held.extend(read.iter().map(|(_, batch)| batch.clone()));
    }
    let missing = || Error::logical("A row that a merge chose was not read");
    let mut taken: Vec<(usize, usize, usize)> = Vec::with_capacity(runs.len());
    for run in runs {
        let (places, next) = pieces.get_mut(&run.part).ok_or_else(missing)?;
        let mut from = run.rows.start;
        while from < run.rows.end {
            let (at, first) = *places.get(*next).ok_or_else(missing)?;
            let end = first + held[at].num_rows() as u64;
            if from >= end {
                *next += 1;
                continue;
            }
            let to = run.rows.end.min(end);
            taken.push((at, from.checked_sub(first).ok_or_else(missing)? as usize, (to - first) as usize));
            from = to;
        }
    }
    copy_columns(schema.fields().len(), &held, taken, rows, lanes).await
}

/// The first pass, then the second, for one row group after another.
pub async fn copy(
    rows: &mut Rows,
    writer: &mut PartWriter,
    sources: &Sources,
    (leading, shape): (&[usize], &Shape),
    pace: &mut Pace<'_>,
) -> Result<()> {
    let mut gatherer = Gatherer::new(sources, leading, writer.room(), pace.options);
    let mut pending: Option<RecordBatch> = None;
    loop {
        let mut runs = Runs::default();
        while writer.room() > 0 {
            let next = match pending.take() {
                Some(batch) => Some(batch),
                None => rows.next(pace.block_rows).await?,
            };
            let Some(batch) = next else { break };
            let taken = batch.num_rows().min(writer.room());
            if taken < batch.num_rows() {
                pending = Some(batch.slice(taken, batch.num_rows() - taken));
            }
            if taken > 0 {
                let batch = batch.slice(0, taken);
                runs.push(&batch)?;
                writer.write_leading(&Leading::sorted(shape, leading, &batch)?, leading).await?;
                pace.step().await?;
            }
        }
        if runs.is_empty() {
            return Ok(());
        }
        let (rows, begun) = (runs.rows as u64, sources.context.env.instant());
        gatherer.begin(runs);
        counted_for_part(pace.gathering.clone(), writer.end_row_group_with(&mut gatherer)).await?;
        sources.running.wrote_rows(rows);
        pace.gathered(begun);
        pace.step().await?;
    }
}
