//! Sorted runs of rows in memory, and the order of all of them by ranges.
//!
//! A run is what one stream gave in a row, a quarter of a million rows: its keys lie together, and the positions of its rows are
//! ordered as they come (`gristmill_mergetree::insert::sort`). Of each run every so many keys are kept. The borders of the
//! ranges are found among those: a range is then a stretch of each run, and ranges know nothing of one another, so each is merged,
//! and its rows are put together, wherever a core is free (R. Francis, I. Mathieson, "A Benchmark Parallel Sort for
//! Shared Memory Multiprocessors", IEEE Transactions on Computers 1988, merges like this).
//!
//! Rows of equal keys are in the order of the runs, and within a run as they came: so each has a place of its own, and the
//! ranges are of equal size whatever the keys are.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::{SortOptions, concat, interleave, take};
use arrow::datatypes::{DataType, Schema};
use arrow::row::{OwnedRow, Rows};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr};
use gristmill_base::{Error, Result};
use gristmill_mergetree::index::order::KeyOrder;
use gristmill_mergetree::insert::sort::{self, SortKey};

/// Rows from one kept key to the next.
const SAMPLED_ROWS: usize = 1024;

/// By what rows are sorted.
#[derive(Debug)]
pub struct Keys {
    values: Vec<Arc<dyn PhysicalExpr>>,
    descending: Vec<bool>,
    order: KeyOrder,
}

impl Keys {
    /// `None`: the order of values of a type, or where their NULLs are to be, is not that of keys.
    pub fn of(ordering: &LexOrdering, schema: &Schema) -> Option<Keys> {
        let mut fields: Vec<(DataType, SortOptions)> = Vec::new();
        for key in ordering.iter() {
            let data_type = key.expr.data_type(schema).ok().filter(|data_type| !data_type.is_nested())?;
            let has_nulls = key.expr.nullable(schema).ok()?;
            // Where no NULL can be, it does not matter where they would be.
            let nulls_first = if has_nulls { key.options.nulls_first } else { key.options.descending };
            fields.push((data_type, SortOptions { nulls_first, ..key.options }));
        }
        let order = KeyOrder::of_options(&fields)?;
        let values = ordering.iter().map(|key| key.expr.clone()).collect();
        Some(Keys { values, descending: fields.iter().map(|(_, options)| options.descending).collect(), order })
    }

    /// The positions of rows with these keys, in order.
    fn order(&self, columns: &[ArrayRef], rows: usize) -> Result<Vec<u32>> {
        let key = SortKey { columns, descending: &self.descending, order: &self.order };
        Ok(sort::order(&key, None, rows)?.unwrap_or_else(|| (0..rows as u32).collect()))
    }

    fn normalised(&self, columns: &[ArrayRef], positions: &[u32]) -> Result<Rows> {
        let positions = UInt32Array::from(positions.to_vec());
        let taken = columns.iter().map(|column| take(column, &positions, None)).collect::<Result<Vec<_>, _>>()?;
        self.order.rows(&taken)?.ok_or_else(|| Error::logical("A sort has no key"))
    }
}

/// Rows that one stream gave, and their order.
pub struct Run {
    pub batches: Vec<RecordBatch>,
    /// Rows before each batch, and of all.
    starts: Vec<usize>,
    keys: Vec<ArrayRef>,
    sorted: Vec<u32>,
    /// The key of every so manieth row in order, from the first on.
    samples: Rows,
}

impl Run {
    pub fn sorted(batches: Vec<RecordBatch>, keys: &Keys) -> Result<Run> {
        let mut starts = vec![0];
        let mut values: Vec<Vec<ArrayRef>> = vec![Vec::with_capacity(batches.len()); keys.values.len()];
        for batch in &batches {
            starts.push(starts.last().copied().unwrap_or_default() + batch.num_rows());
            for (key, values) in keys.values.iter().zip(&mut values) {
                values.push(key.evaluate(batch)?.into_array(batch.num_rows())?);
            }
        }
        let joined = |values: Vec<ArrayRef>| concat(&values.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        let columns = values.into_iter().map(joined).collect::<Result<Vec<_>, _>>()?;
        let sorted = keys.order(&columns, starts.last().copied().unwrap_or_default())?;
        let sampled: Vec<u32> = sorted.iter().step_by(SAMPLED_ROWS).copied().collect();
        let samples = keys.normalised(&columns, &sampled)?;
        Ok(Run { batches, starts, keys: columns, sorted, samples })
    }

    pub fn rows(&self) -> usize {
        self.sorted.len()
    }

    /// Bytes that it takes beside its batches.
    pub fn own_bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(|column| column.len() * fixed_bytes(column.data_type())).sum();
        keys + self.sorted.len() * size_of::<u32>() + self.samples.size()
    }

    /// The batch of a row, and its place in it.
    fn place(&self, row: u32) -> (usize, usize) {
        let row = row as usize;
        let batch = self.starts.partition_point(|start| *start <= row) - 1;
        (batch, row - self.starts[batch])
    }

    /// Of the rows in order, how many come before a row of this key: of those that equal it, `with_equal` says.
    fn before(&self, key: &OwnedRow, with_equal: bool, keys: &Keys) -> Result<usize> {
        let is_before = |other: arrow::row::Row<'_>| if with_equal { other <= key.row() } else { other < key.row() };
        let (mut least, mut greatest) = (0, self.samples.num_rows());
        while least < greatest {
            let middle = usize::midpoint(least, greatest);
            if is_before(self.samples.row(middle)) { least = middle + 1 } else { greatest = middle }
        }
        // The border lies behind the last sample that is before.
        let Some(last) = least.checked_sub(1) else { return Ok(0) };
        let (mut from, mut to) = (last * SAMPLED_ROWS + 1, (least * SAMPLED_ROWS).min(self.rows()));
        while from < to {
            let middle = usize::midpoint(from, to);
            let row = keys.normalised(&self.keys, &self.sorted[middle..=middle])?;
            if is_before(row.row(0)) { from = middle + 1 } else { to = middle }
        }
        Ok(from)
    }
}

/// Bytes of a value, what it may have elsewhere left out: that is the batch's.
fn fixed_bytes(data_type: &DataType) -> usize {
    data_type.primitive_width().unwrap_or(16)
}

/// A stretch of the order of all runs: of each run the rows in its order from .. to.
pub type Stretch = Vec<Range<usize>>;

/// The order of all runs in stretches of about so many rows.
pub fn stretches(runs: &[Run], keys: &Keys, rows: usize) -> Result<Vec<Stretch>> {
    let mut samples: Vec<(OwnedRow, usize, usize)> = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        samples.extend(run.samples.iter().enumerate().map(|(at, key)| (key.owned(), number, at * SAMPLED_ROWS)));
    }
    samples.sort_unstable();
    let step = rows.div_ceil(SAMPLED_ROWS).max(1);
    let mut from: Vec<usize> = vec![0; runs.len()];
    let mut found = Vec::with_capacity(samples.len() / step + 1);
    for (key, of, position) in samples.iter().skip(step).step_by(step) {
        let mut to = Vec::with_capacity(runs.len());
        for (number, run) in runs.iter().enumerate() {
            to.push(if number == *of { *position } else { run.before(key, number < *of, keys)? });
        }
        found.push(from.iter().zip(&to).map(|(from, to)| *from..*to).collect());
        from = to;
    }
    found.push(from.iter().zip(runs).map(|(from, run)| *from..run.rows()).collect());
    Ok(found)
}

/// The rows of a stretch in order, in batches.
pub fn merged(
    runs: &[Run],
    keys: &Keys,
    stretch: &Stretch,
    schema: &Arc<Schema>,
    batch_rows: usize,
) -> Result<Vec<RecordBatch>> {
    let rows: Vec<(usize, usize)> = (stretch.iter().zip(runs).enumerate())
        .flat_map(|(number, (range, run))| run.sorted[range.clone()].iter().map(move |row| (number, *row as usize)))
        .collect();
    let order = match stretch.iter().filter(|range| !range.is_empty()).count() {
        0 | 1 => None,
        _ => {
            let column = |at: usize| {
                let columns: Vec<_> = runs.iter().map(|run| run.keys[at].as_ref()).collect();
                interleave(&columns, &rows)
            };
            let columns = (0..keys.values.len()).map(column).collect::<Result<Vec<_>, _>>()?;
            Some(keys.order(&columns, rows.len())?)
        }
    };
    let first_batches: Vec<usize> = runs
        .iter()
        .scan(0, |before, run| {
            *before += run.batches.len();
            Some(*before - run.batches.len())
        })
        .collect();
    let places: Vec<(usize, usize)> = (0..rows.len())
        .map(|at| {
            let (run, row) = rows[order.as_ref().map_or(at, |order| order[at] as usize)];
            let (batch, row) = runs[run].place(row as u32);
            (first_batches[run] + batch, row)
        })
        .collect();
    let columns: Vec<Vec<_>> = (0..schema.fields().len())
        .map(|at| runs.iter().flat_map(|run| &run.batches).map(|batch| batch.column(at).as_ref()).collect())
        .collect();
    let batch = |places: &[(usize, usize)]| -> Result<RecordBatch> {
        let columns = columns.iter().map(|column| interleave(column, places)).collect::<Result<Vec<_>, _>>()?;
        let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(places.len()));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
    };
    places.chunks(batch_rows.max(1)).map(batch).collect()
}
