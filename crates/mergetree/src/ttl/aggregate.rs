//! `TTL … GROUP BY k SET c = agg(…)`: neighbouring rows that expired and whose keys are equal become one.
//!
//! As in ClickHouse, a *run* is what becomes one row: rows that follow one another in the order of the sorting key, of one
//! key, all expired. A row that lives ends the run. A column that is set gets its expression of aggregates over the run,
//! any other its first value that is not NULL. A run may go on in the next batch: the states of its aggregates and its
//! first values are held until then.
//!
//! The row that a run becomes has a sorting key somewhere between those of its first and its last row, except where
//! columns of the sorting key behind the GROUP BY are set, or are Nullable. Then the rows of one key of GROUP BY are held
//! back until all of them are there, and sorted.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::{concat_batches, filter_record_batch, interleave, interleave_record_batch, take_record_batch};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::GroupsAccumulatorAdapter;
use gristmill_base::Result;
use gristmill_catalog::AggregateExpression;
use gristmill_introspect::QueryContext;
use gristmill_types::Columns;

use super::Shape;
use crate::environment::MergeTreeEnvironment;
use crate::index::order::KeyOrder;
use crate::layout::{Layout, referenced_columns};
use crate::located::{self, mask};
use crate::merge::rules::detached;

#[derive(Debug)]
pub struct Aggregation {
    /// How many expressions of the primary key GROUP BY names.
    keys: usize,
    /// The column that is set, and to what.
    set: Vec<(usize, Computed)>,
    /// Whether new rows may have to be sorted.
    moves: bool,
}

#[derive(Debug)]
struct Computed {
    expression: AggregateExpression,
    places: Vec<usize>,
}

impl Aggregation {
    pub fn compile(
        keys: usize,
        set: &[(String, String)],
        declared: &Columns,
        shape: &Shape<'_>,
        environment: &MergeTreeEnvironment,
        context: &QueryContext,
    ) -> Result<Aggregation> {
        let columns = shape.columns;
        let mut computed = Vec::with_capacity(set.len());
        for (name, text) in set {
            let place = located::place(columns, name)?;
            let expression = environment.compile_aggregates(text, &columns.0[place].kind, declared, context)?;
            let places = expression.inputs.iter().map(|name| located::place(columns, name)).collect::<Result<_>>()?;
            computed.push((place, Computed { expression, places }));
        }
        let behind: Vec<usize> =
            shape.sorting.iter().flat_map(referenced_columns).filter_map(|name| columns.index_of(&name)).collect();
        let moves =
            behind.iter().any(|place| computed.iter().any(|(set, _)| set == place) || columns.0[*place].kind.is_nullable());
        Ok(Aggregation { keys, set: computed, moves })
    }

    /// Columns that get new values.
    pub fn computed(&self) -> impl Iterator<Item = usize> {
        self.set.iter().map(|(place, _)| *place)
    }
}

/// The aggregates of one column, with a group for each run of the batch under way.
struct Column {
    place: usize,
    inputs: Vec<usize>,
    expression: AggregateExpression,
    states: Vec<Box<dyn GroupsAccumulator>>,
}

impl Column {
    fn new(place: usize, computed: &Computed) -> Result<Column> {
        let states = computed.expression.aggregates.iter().map(|(aggregate, _)| {
            if aggregate.groups_accumulator_supported() {
                return Ok(aggregate.create_groups_accumulator()?);
            }
            let aggregate = aggregate.clone();
            let adapter = GroupsAccumulatorAdapter::new(move || aggregate.create_accumulator());
            Ok(Box::new(adapter) as Box<dyn GroupsAccumulator>)
        });
        let (inputs, expression) = (computed.places.clone(), computed.expression.clone());
        Ok(Column { place, inputs, states: states.collect::<Result<_>>()?, expression })
    }

    /// `rows`: those that expired; `groups`: the run of each, below `count`.
    fn update(&mut self, rows: &RecordBatch, groups: &[usize], count: usize) -> Result<()> {
        let inputs = rows.project(&self.inputs)?;
        for ((aggregate, condition), state) in self.expression.aggregates.iter().zip(&mut self.states) {
            let arguments = aggregate.expressions().into_iter();
            let arguments = arguments.map(|argument| Ok(argument.evaluate(&inputs)?.into_array(inputs.num_rows())?));
            let arguments: Vec<ArrayRef> = arguments.collect::<Result<_>>()?;
            let passed = match condition {
                Some(condition) => Some(mask(condition.evaluate(&inputs)?.into_array(inputs.num_rows())?)?),
                None => None,
            };
            state.update_batch(&arguments, groups, passed.as_ref(), count)?;
        }
        Ok(())
    }

    /// The column's values of the first runs, which end.
    fn finish(&mut self, runs: usize) -> Result<ArrayRef> {
        let states = self.states.iter_mut();
        let results = states.map(|state| Ok(state.evaluate(EmitTo::First(runs))?)).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(runs));
        let results = RecordBatch::try_new_with_options(self.expression.results.clone(), results, &options)?;
        Ok(self.expression.value.evaluate(&results)?.into_array(runs)?)
    }
}

pub struct AggregatedRows {
    layout: Arc<Layout>,
    order: KeyOrder,
    keys: usize,
    columns: Vec<Column>,
    /// The run that may go on: its key, and a row of its first values.
    open: Option<(Vec<u8>, RecordBatch)>,
    sorter: Option<Sorter>,
}

/// What comes out, in order.
#[derive(Clone, Copy)]
enum Item {
    Row(usize),
    Run(usize),
}

impl AggregatedRows {
    pub fn new(layout: &Arc<Layout>, aggregation: &Aggregation) -> Result<AggregatedRows> {
        let kinds: Vec<_> = layout.sorting[..aggregation.keys].iter().map(|key| (&key.kind, key.descending)).collect();
        let columns = aggregation.set.iter().map(|(place, computed)| Column::new(*place, computed));
        Ok(AggregatedRows {
            order: KeyOrder::directed(&kinds)?,
            keys: aggregation.keys,
            columns: columns.collect::<Result<_>>()?,
            open: None,
            sorter: aggregation.moves.then(|| Sorter { held: Vec::new(), key: Vec::new() }),
            layout: layout.clone(),
        })
    }

    /// `expired`: by row.
    pub fn push(&mut self, batch: &RecordBatch, expired: &BooleanArray) -> Result<RecordBatch> {
        if batch.num_rows() == 0 {
            return Ok(batch.clone());
        }
        let keys = self.layout.sorting[..self.keys].iter().map(|key| key.evaluate(batch)).collect::<Result<Vec<_>>>()?;
        let keys = self.order.rows(&keys)?;
        let key = |row: usize| keys.as_ref().map_or(&[] as &[u8], |keys| keys.row(row).data());
        // Run 0 is the open one, where there is one.
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut items: Vec<Item> = Vec::new();
        let mut groups: Vec<usize> = Vec::new();
        let mut current: Option<(usize, &[u8])> = None;
        if let Some((key, _)) = &self.open {
            runs.push(0..0);
            current = Some((0, key));
        }
        for row in 0..batch.num_rows() {
            if !expired.value(row) {
                items.extend(current.take().map(|(run, _)| Item::Run(run)));
                items.push(Item::Row(row));
                continue;
            }
            match current.filter(|(_, known)| *known == key(row)) {
                Some((run, _)) => runs[run].end = row + 1,
                None => {
                    items.extend(current.take().map(|(run, _)| Item::Run(run)));
                    current = Some((runs.len(), key(row)));
                    runs.push(row..row + 1);
                }
            }
            groups.push(runs.len() - 1);
        }
        let still_open = current.map(|(run, key)| (run, key.to_vec()));
        let closed = runs.len() - usize::from(still_open.is_some());
        let rows = filter_record_batch(batch, expired)?;
        if !groups.is_empty() {
            for column in &mut self.columns {
                column.update(&rows, &groups, runs.len())?;
            }
        }
        let firsts = self.firsts(batch, &runs)?;
        let merged = self.end_runs(&firsts, closed)?;
        let places: Vec<(usize, usize)> = items
            .iter()
            .map(|item| match item {
                Item::Row(row) => (0, *row),
                Item::Run(run) => (1, *run),
            })
            .collect();
        let out = interleave_record_batch(&[batch, &merged], &places)?;
        self.open = match still_open {
            Some((run, key)) => Some((key, detached(&firsts.slice(run, 1))?)),
            None => None,
        };
        self.sorted(out)
    }

    pub fn finish(&mut self) -> Result<RecordBatch> {
        let last = match self.open.take() {
            Some((_, firsts)) => self.end_runs(&firsts, 1)?,
            None => RecordBatch::new_empty(self.layout.schema.clone()),
        };
        let last = self.sorted(last)?;
        match &mut self.sorter {
            Some(sorter) => Ok(concat_batches(&self.layout.schema, [&last, &sorter.finish(&self.layout)?])?),
            None => Ok(last),
        }
    }

    fn sorted(&mut self, rows: RecordBatch) -> Result<RecordBatch> {
        match &mut self.sorter {
            Some(sorter) => sorter.push(&self.layout, &self.order, self.keys, rows),
            None => Ok(rows),
        }
    }

    /// A row a run: of each column the first value that is not NULL.
    fn firsts(&self, batch: &RecordBatch, runs: &[Range<usize>]) -> Result<RecordBatch> {
        let none = batch.slice(0, 0);
        let held = self.open.as_ref().map_or(&none, |(_, firsts)| firsts);
        let columns = held.columns().iter().zip(batch.columns()).map(|(held, column)| {
            let places = runs.iter().enumerate().map(|(run, rows)| {
                let is_open = run == 0 && self.open.is_some();
                if is_open && (rows.is_empty() || held.is_valid(0)) {
                    return (0, 0);
                }
                // The open run begins where the batch does.
                let valid =
                    if column.null_count() == 0 { Some(rows.start) } else { rows.clone().find(|row| column.is_valid(*row)) };
                match valid {
                    Some(row) => (1, row),
                    None if is_open => (0, 0),
                    None => (1, rows.start),
                }
            });
            Ok(interleave(&[held.as_ref(), column.as_ref()], &places.collect::<Vec<_>>())?)
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_>>()?;
        Ok(RecordBatch::try_new(batch.schema(), columns)?)
    }

    /// The rows that the first runs become.
    fn end_runs(&mut self, firsts: &RecordBatch, runs: usize) -> Result<RecordBatch> {
        if runs == 0 {
            return Ok(firsts.slice(0, 0));
        }
        let mut columns = firsts.slice(0, runs).columns().to_vec();
        for column in &mut self.columns {
            let values = column.finish(runs)?;
            let wanted = columns[column.place].data_type();
            columns[column.place] =
                if values.data_type() == wanted { values } else { arrow::compute::cast(&values, wanted)? };
        }
        Ok(RecordBatch::try_new(firsts.schema(), columns)?)
    }
}

/// Rows of the last key of GROUP BY, in need of sorting.
struct Sorter {
    held: Vec<RecordBatch>,
    key: Vec<u8>,
}

impl Sorter {
    fn push(&mut self, layout: &Arc<Layout>, order: &KeyOrder, keys: usize, rows: RecordBatch) -> Result<RecordBatch> {
        if rows.num_rows() == 0 {
            return Ok(rows);
        }
        let columns = layout.sorting[..keys].iter().map(|key| key.evaluate(&rows)).collect::<Result<Vec<_>>>()?;
        let normalised = order.rows(&columns)?;
        let key = |row: usize| normalised.as_ref().map_or(&[] as &[u8], |keys| keys.row(row).data());
        let last = key(rows.num_rows() - 1);
        let start = (0..rows.num_rows()).rev().take_while(|row| key(*row) == last).last().unwrap_or_default();
        if start == 0 && (self.held.is_empty() || self.key == last) {
            self.key = last.to_vec();
            self.held.push(rows);
            return Ok(RecordBatch::new_empty(layout.schema.clone()));
        }
        self.held.push(rows.slice(0, start));
        let done = self.finish(layout)?;
        self.key = last.to_vec();
        self.held.push(rows.slice(start, rows.num_rows() - start));
        Ok(done)
    }

    fn finish(&mut self, layout: &Arc<Layout>) -> Result<RecordBatch> {
        let rows = concat_batches(&layout.schema, &std::mem::take(&mut self.held))?;
        let columns = layout.sorting.iter().map(|key| key.evaluate(&rows)).collect::<Result<Vec<_>>>()?;
        let Some(keys) = layout.sorting_order.rows(&columns)? else { return Ok(rows) };
        let mut places: Vec<u32> = (0..rows.num_rows() as u32).collect();
        places.sort_by(|a, b| keys.row(*a as usize).cmp(&keys.row(*b as usize)));
        Ok(take_record_batch(&rows, &UInt32Array::from(places))?)
    }
}
