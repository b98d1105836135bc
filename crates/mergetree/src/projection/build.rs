//! Makes the projections of a part while the part is written: it sees the rows that the part gets, in the part's order.
//!
//! Rows are held until there are many of them (views of what the part's writer has anyway, where the part is one block),
//! then sorted and written. Where that happens more than once, each piece is an object of its own, a *run*, and the runs are
//! merged in the end. Of an aggregate projection what is held are states, one a group of each block.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array};
use arrow::compute::{concat_batches, take, take_record_batch};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::GroupsAccumulatorAdapter;
use gristmill_base::{Error, Result};
use gristmill_catalog::AggregateExpression;
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Event, QueryContext};
use gristmill_types::measure::batch_bytes;

use super::{Contents, Projection, merge, object_beside};
use crate::index::order::KeyOrder;
use crate::insert::block::traits;
use crate::insert::sort::{self, SortKey};
use crate::located::mask;
use crate::manifest::ProjectionEntry;
use crate::merge::rules;
use crate::part::v1::writer::{granule_rows, row_group_rows};
use crate::part::{PartPlan, PartWriter, Sorted, WrittenPart};
use crate::settings::TableSettings;
use crate::store::PartStore;
use crate::table::Core;

/// Bytes of rows, as values in memory, that become a run.
const RUN_BYTES: u64 = 128 << 20;
const RUN_ROWS: usize = 1 << 20;
/// Runs that are merged at once: each holds a decoded granule or more.
const RUNS_MERGED: usize = 32;

/// Which projections are made, and what for that is needed.
#[derive(Clone, Debug)]
pub struct Building {
    pub settings: Arc<TableSettings>,
    /// Where runs are merged. `None`: the part is one block, whose rows are all held.
    pub core: Option<Arc<Core>>,
    pub projections: Vec<Arc<Projection>>,
}

pub struct ProjectionsBuilder {
    context: Arc<QueryContext>,
    store: Arc<dyn PartStore>,
    settings: Arc<TableSettings>,
    core: Option<Arc<Core>>,
    /// The part's, of which projections have codec, partition and level.
    plan: PartPlan,
    pieces: Vec<Piece>,
    memory: MemoryGuard,
}

/// One projection under way.
struct Piece {
    projection: Arc<Projection>,
    held: Vec<Held>,
    rows: usize,
    bytes: u64,
    runs: Vec<WrittenPart>,
    /// Rows of the part that came so far.
    passed: u64,
}

/// Rows of a projection's columns, in the order in which they came.
struct Held {
    columns: Vec<ArrayRef>,
    /// `None`: as they are.
    order: Option<UInt32Array>,
    rows: usize,
}

impl ProjectionsBuilder {
    pub fn new(context: &Arc<QueryContext>, store: &Arc<dyn PartStore>, plan: &PartPlan, building: Building) -> Self {
        let piece = |projection| Piece { projection, held: Vec::new(), rows: 0, bytes: 0, runs: Vec::new(), passed: 0 };
        ProjectionsBuilder {
            context: context.clone(),
            store: store.clone(),
            settings: building.settings,
            core: building.core,
            plan: plan.clone(),
            pieces: building.projections.into_iter().map(piece).collect(),
            memory: MemoryGuard::empty(&context.memory),
        }
    }

    /// Takes the rows that the part gets next. Columns are the table's.
    pub async fn write(&mut self, rows: &Sorted) -> Result<()> {
        let started = self.context.env.instant();
        for at in 0..self.pieces.len() {
            self.pieces[at].take(rows)?;
            let piece = &self.pieces[at];
            if self.core.is_some() && (piece.bytes >= RUN_BYTES || piece.rows >= RUN_ROWS) {
                self.flush(at).await?;
            }
        }
        // What a block of an insert holds is accounted where the block is.
        if self.core.is_some() {
            self.memory.resize(self.pieces.iter().map(|piece| piece.bytes).sum())?;
        }
        self.note_time(started);
        Ok(())
    }

    fn note_time(&self, started: std::time::Instant) {
        let elapsed = self.context.env.instant().saturating_duration_since(started).as_micros() as u64;
        self.context.counters.add(Event::MergeTreeDataWriterProjectionsCalculationMicroseconds, elapsed);
    }

    /// Writes what is held of a projection as an object.
    async fn flush(&mut self, at: usize) -> Result<()> {
        let piece = &mut self.pieces[at];
        let (held, rows) = (std::mem::take(&mut piece.held), std::mem::take(&mut piece.rows));
        let bytes = std::mem::take(&mut piece.bytes);
        if rows == 0 {
            return Ok(());
        }
        let projection = piece.projection.clone();
        let layout = projection.layout.clone();
        let sorted = sorted(&projection, held)?;
        let (mut text, mut dictionaries) = (Vec::new(), Vec::new());
        for (column, array) in layout.columns.iter().zip(&sorted.columns) {
            let (is_text, pays) = traits(&column.kind, array)?;
            text.push(is_text);
            dictionaries.push(pays);
        }
        let row_bytes = bytes / (rows as u64).max(1);
        let settings = projection.settings(&self.settings);
        let granule_rows = granule_rows(row_bytes, settings.index_granularity, settings.index_granularity_bytes);
        let run = self.core.is_some().then(|| self.pieces[at].runs.len());
        let plan = PartPlan {
            key: object_beside(&self.plan.key, &projection.definition.name, run),
            granule_rows,
            row_group_rows: row_group_rows(row_bytes, granule_rows, settings.max_rows_in_row_group),
            text,
            dictionaries,
            ..self.plan.clone()
        };
        let mut writer = PartWriter::create(&self.context, &self.store, layout, plan).await?;
        // Boxed: this writes a part while a part is written.
        let written = match Box::pin(writer.write(&sorted)).await {
            Ok(()) => Box::pin(writer.finish()).await?,
            Err(error) => {
                Box::pin(writer.abort()).await;
                return Err(error);
            }
        };
        self.pieces[at].runs.push(written);
        Ok(())
    }

    /// The objects are there then, and invisible until the part's entry names them. By the projections' keys.
    pub async fn finish(mut self) -> Result<BTreeMap<String, ProjectionEntry>> {
        let made = self.make_all().await;
        if made.is_err() {
            self.abort().await;
        }
        made
    }

    async fn make_all(&mut self) -> Result<BTreeMap<String, ProjectionEntry>> {
        let started = self.context.env.instant();
        let mut made = BTreeMap::new();
        for at in 0..self.pieces.len() {
            self.flush(at).await?;
            let projection = self.pieces[at].projection.clone();
            // The oldest become one that is behind the others, so that all are merged about as often.
            while let (Some(core), true) = (&self.core, self.pieces[at].runs.len() > 1) {
                let runs: Vec<ProjectionEntry> =
                    self.pieces[at].runs.iter().take(RUNS_MERGED).map(ProjectionEntry::of).collect();
                let merged = merge::runs(core, &self.context, &projection, &self.plan, &runs).await?;
                self.pieces[at].runs.push(merged);
                let gone: Vec<WrittenPart> = self.pieces[at].runs.drain(..runs.len()).collect();
                core.discard_all(gone.iter().map(|run| run.key.as_str())).await;
            }
            if let Some(written) = self.pieces[at].runs.first() {
                made.insert(projection.key.clone(), ProjectionEntry::of(written));
            }
        }
        self.note_time(started);
        Ok(made)
    }

    /// Leaves nothing behind.
    pub async fn abort(self) {
        for run in self.pieces.iter().flat_map(|piece| &piece.runs) {
            if let Err(error) = self.store.delete(&self.context, &run.key).await {
                tracing::warn!("object {} was not removed: {error}", self.store.location(&run.key));
            }
        }
    }
}

impl Piece {
    fn take(&mut self, rows: &Sorted) -> Result<()> {
        let columns: Vec<ArrayRef> = self.projection.inputs.iter().map(|at| rows.columns[*at].clone()).collect();
        let first = self.passed;
        self.passed += rows.rows as u64;
        let (held, bytes) = match &self.projection.contents {
            Contents::Normal if self.projection.has_offsets => {
                let mut columns = in_part_order(columns, rows)?;
                let offsets = UInt64Array::from_iter_values(first..self.passed);
                let bytes = batch_bytes(&batch(&self.projection, columns.clone(), rows.rows)?);
                let bytes = bytes + 8 * rows.rows as u64;
                columns.push(Arc::new(offsets));
                (Held { columns, order: None, rows: rows.rows }, bytes)
            }
            Contents::Normal => {
                let all = columns.first().map_or(rows.rows, |column| column.len());
                let bytes = batch_bytes(&batch(&self.projection, columns.clone(), all)?);
                // Of a block's rows the part may have some.
                let bytes = bytes * rows.rows as u64 / (all as u64).max(1);
                (Held { columns, order: rows.order.clone(), rows: rows.rows }, bytes)
            }
            Contents::Aggregate { aggregates, .. } => {
                let columns = in_part_order(columns, rows)?;
                let input = batch(&self.projection, columns, rows.rows)?;
                let states = aggregates.iter().map(|aggregate| &aggregate.state);
                let grouped = grouped(&self.projection, &input, states)?;
                let bytes = batch_bytes(&grouped);
                (Held { columns: grouped.columns().to_vec(), order: None, rows: grouped.num_rows() }, bytes)
            }
        };
        self.rows += held.rows;
        self.bytes += bytes;
        self.held.push(held);
        Ok(())
    }
}

fn in_part_order(columns: Vec<ArrayRef>, rows: &Sorted) -> Result<Vec<ArrayRef>> {
    match &rows.order {
        Some(order) => columns.iter().map(|column| Ok(take(column, order, None)?)).collect(),
        None => Ok(columns),
    }
}

fn batch(projection: &Projection, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(projection.input_schema().clone(), columns, &options)?)
}

/// What is held, in the projection's order.
fn sorted(projection: &Projection, mut held: Vec<Held>) -> Result<Sorted> {
    let layout = &projection.layout;
    let schema = layout.schema.clone();
    if held.len() > 1 {
        let batches = held.into_iter().map(|held| {
            let options =
                RecordBatchOptions::new().with_row_count(Some(held.columns.first().map_or(held.rows, |c| c.len())));
            let rows = RecordBatch::try_new_with_options(schema.clone(), held.columns, &options)?;
            Ok(match &held.order {
                Some(order) => take_record_batch(&rows, order)?,
                None => rows,
            })
        });
        let all = concat_batches(&schema, &batches.collect::<Result<Vec<_>>>()?)?;
        held = vec![Held { columns: all.columns().to_vec(), order: None, rows: all.num_rows() }];
    }
    let Some(Held { columns, order, rows }) = held.pop() else { return Err(Error::logical("A projection of no rows")) };
    let options = RecordBatchOptions::new().with_row_count(Some(columns.first().map_or(rows, |column| column.len())));
    let all = RecordBatch::try_new_with_options(schema, columns, &options)?;
    let mut keys = layout.sorting.iter().map(|key| key.evaluate(&all)).collect::<Result<Vec<_>>>()?;
    let descending = vec![false; keys.len()];
    let sorting = SortKey { columns: &keys, descending: &descending, order: &layout.sorting_order };
    let subset = order.as_ref().map(|order| order.values().as_ref());
    let order = sort::order(&sorting, subset, rows)?.map(UInt32Array::from);
    if !projection.is_aggregate() {
        keys.truncate(layout.primary_key_length);
        return Ok(Sorted { columns: all.columns().to_vec(), keys, order, rows });
    }
    // Groups of several blocks become one.
    let all = match &order {
        Some(order) => take_record_batch(&all, order)?,
        None => all,
    };
    let folded = rules::apply(layout, &all)?;
    let keys = layout.primary().iter().map(|key| key.evaluate(&folded)).collect::<Result<Vec<_>>>()?;
    Ok(Sorted { columns: folded.columns().to_vec(), keys, order: None, rows: folded.num_rows() })
}

/// A row a group: its key, and the states of the aggregates. In the order of keys.
fn grouped<'a>(
    projection: &Projection,
    input: &RecordBatch,
    states: impl Iterator<Item = &'a AggregateExpression>,
) -> Result<RecordBatch> {
    let rows = input.num_rows();
    let keys = projection.keys.iter().map(|key| key.evaluate(input)).collect::<Result<Vec<_>>>()?;
    let order: &KeyOrder = &projection.layout.sorting_order;
    let descending = vec![false; keys.len()];
    let sorting = SortKey { columns: &keys, descending: &descending, order };
    let positions = sort::order(&sorting, None, rows)?.unwrap_or_else(|| (0..rows as u32).collect());
    let normalised = order.rows(&keys)?;
    let is_same = |a: u32, b: u32| normalised.as_ref().is_none_or(|keys| keys.row(a as usize) == keys.row(b as usize));
    let mut groups = vec![0_usize; rows];
    let mut firsts: Vec<u32> = Vec::new();
    for (at, &row) in positions.iter().enumerate() {
        if at == 0 || !is_same(positions[at - 1], row) {
            firsts.push(row);
        }
        groups[row as usize] = firsts.len() - 1;
    }
    let count = firsts.len();
    let firsts = UInt32Array::from(firsts);
    let mut columns: Vec<ArrayRef> = keys.iter().map(|key| Ok(take(key, &firsts, None)?)).collect::<Result<_>>()?;
    for state in states {
        columns.push(state_column(state, input, &groups, count)?);
    }
    for (column, field) in columns.iter_mut().zip(projection.schema().fields()) {
        if column.data_type() != field.data_type() {
            *column = arrow::compute::cast(column, field.data_type())?;
        }
    }
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    Ok(RecordBatch::try_new_with_options(projection.schema().clone(), columns, &options)?)
}

fn state_column(state: &AggregateExpression, input: &RecordBatch, groups: &[usize], count: usize) -> Result<ArrayRef> {
    let places = state.inputs.iter().map(|name| Ok(input.schema().index_of(name)?)).collect::<Result<Vec<_>>>()?;
    let inputs = input.project(&places)?;
    let mut results = Vec::with_capacity(state.aggregates.len());
    for (aggregate, condition) in &state.aggregates {
        let mut accumulator: Box<dyn GroupsAccumulator> = match aggregate.groups_accumulator_supported() {
            true => aggregate.create_groups_accumulator()?,
            false => {
                let aggregate = aggregate.clone();
                Box::new(GroupsAccumulatorAdapter::new(move || aggregate.create_accumulator()))
            }
        };
        let arguments = aggregate.expressions().into_iter();
        let arguments = arguments.map(|argument| Ok(argument.evaluate(&inputs)?.into_array(inputs.num_rows())?));
        let arguments: Vec<ArrayRef> = arguments.collect::<Result<_>>()?;
        let passed = match condition {
            Some(condition) => Some(mask(condition.evaluate(&inputs)?.into_array(inputs.num_rows())?)?),
            None => None,
        };
        accumulator.update_batch(&arguments, groups, passed.as_ref(), count)?;
        results.push(accumulator.evaluate(EmitTo::All)?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let results = RecordBatch::try_new_with_options(state.results.clone(), results, &options)?;
    Ok(state.value.evaluate(&results)?.into_array(count)?)
}
