//! What becomes of rows of equal sorting key: the rules of the engines, for merges, for inserted blocks and for FINAL.
//!
//! Rows come in the order of the key, batch after batch, with where keys begin. There are two kinds of rules. `choose`:
//! some of the rows stay as they are (Replacing, Collapsing, VersionedCollapsing). `fold`: the rows of a key become one
//! with new values (Summing, Aggregating, Coalescing). A key may go on in the next batch, so a rule holds what it made of the last key
//! back: a few rows, whatever the number of rows of the key.
//!
//! Applying a rule to some of the rows of a key, and then to the result with the others, gives what applying it to all
//! of them gives. That is why parts may be merged in any order, and FINAL shows what the last merge would leave.

pub mod choose;
pub mod collapsing;
pub mod fold;
pub mod nested_maps;
pub mod replacing;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array, make_array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use arrow::row::Rows;
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::{Error, Result};

use crate::engine::MergingEngine;
use crate::layout::{Layout, referenced_columns};
use choose::Choosing;
use collapsing::{Collapsing, VersionedCollapsing};
use fold::{FoldingRows, NonZeroRows};
use replacing::Replacing;

/// Rows that are merged: which columns they carry, and their sorting key.
#[derive(Debug)]
pub struct Shape {
    pub layout: Arc<Layout>,
    pub schema: SchemaRef,
    keys: Vec<Arc<dyn PhysicalExpr>>,
    /// By stored column: its place in the rows.
    places: Vec<Option<usize>>,
}

impl Shape {
    /// All stored columns.
    pub fn whole(layout: &Arc<Layout>) -> Result<Arc<Shape>> {
        let all: Vec<usize> = (0..layout.columns.len()).collect();
        Self::of(layout, layout.schema.clone(), &all)
    }

    /// Rows that begin with the columns `stored`, those of the sorting key among them; others may follow.
    pub fn of(layout: &Arc<Layout>, schema: SchemaRef, stored: &[usize]) -> Result<Arc<Shape>> {
        let mut places = vec![None; layout.columns.len()];
        for (at, &place) in stored.iter().enumerate() {
            places[place] = Some(at);
        }
        let keys = layout.sorting.iter().map(|key| Ok(reassign_expr_columns(key.physical.clone(), &schema)?));
        Ok(Arc::new(Shape { keys: keys.collect::<Result<_>>()?, layout: layout.clone(), schema, places }))
    }

    /// The normalised sorting key of each row; `None` where the table has no key and all rows are equal.
    pub fn keys(&self, batch: &RecordBatch) -> Result<Option<Rows>> {
        self.layout.sorting_order.rows(&self.key_columns(batch, self.keys.len())?)
    }

    /// The normalised primary key of each row.
    pub fn primary_keys(&self, batch: &RecordBatch) -> Result<Option<Rows>> {
        self.layout.primary_order.rows(&self.primary_values(batch)?)
    }

    /// The values of the primary key of each row.
    pub fn primary_values(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        self.key_columns(batch, self.layout.primary_key_length)
    }

    fn key_columns(&self, batch: &RecordBatch, keys: usize) -> Result<Vec<ArrayRef>> {
        self.keys[..keys].iter().map(|key| Ok(key.evaluate(batch)?.into_array(batch.num_rows())?)).collect()
    }

    /// Where the rows carry a stored column.
    pub fn place(&self, stored: usize) -> Result<usize> {
        self.places[stored]
            .ok_or_else(|| Error::logical(format!("Rows are merged without column {}", self.layout.columns.0[stored].name)))
    }

    /// As `place`, `None` where they do not.
    pub fn find(&self, stored: usize) -> Option<usize> {
        self.places[stored]
    }
}

/// What rows are merged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be kept, and merged with others later.
    Keep,
    /// To be kept, and nothing older lies elsewhere: rows that say that a key is deleted go too.
    Cleanup,
    /// To be shown: what only says that a key is deleted is left out.
    Show,
}

/// What an engine makes of rows of equal key.
pub trait Rule: Send {
    /// Takes rows, at least one, that follow those of earlier calls. `begins[i]`: the key of row `i` is not that of the row
    /// before it. Gives rows that no later row can change.
    fn push(&mut self, batch: &RecordBatch, begins: &[bool]) -> Result<RecordBatch>;

    /// The rows that are left, after the last call of `push`.
    fn finish(&mut self) -> Result<RecordBatch>;
}

/// The rule of the table's engine; `None`: it keeps all rows.
pub fn rule(shape: &Arc<Shape>, purpose: Purpose) -> Result<Option<Box<dyn Rule>>> {
    let rule: Box<dyn Rule> = match &shape.layout.engine {
        MergingEngine::Ordinary | MergingEngine::Keyless => return Ok(None),
        MergingEngine::Replacing { version, is_deleted } => {
            let choice = Replacing::new(shape, *version, *is_deleted, purpose != Purpose::Keep)?;
            Box::new(Choosing::new(shape, choice))
        }
        MergingEngine::Collapsing { sign } => {
            Box::new(Choosing::new(shape, Collapsing::new(shape.place(*sign)?, purpose == Purpose::Show)))
        }
        MergingEngine::VersionedCollapsing { sign } => {
            Box::new(Choosing::new(shape, VersionedCollapsing::new(shape.place(*sign)?)))
        }
        MergingEngine::Summing(folding) | MergingEngine::Aggregating(folding) | MergingEngine::Coalescing(folding) => {
            Box::new(FoldingRows::new(shape, folding)?)
        }
        MergingEngine::NonZero(folding) => Box::new(NonZeroRows::new(shape, folding)?),
    };
    Ok(Some(rule))
}

/// The stored columns that rows carry, ascending, when `wanted` of them are to come out: with them go those of the sorting
/// key and those that the engine's rule looks at.
pub fn carried(layout: &Layout, wanted: &[usize]) -> Vec<usize> {
    let keys = layout.sorting.iter().flat_map(referenced_columns).filter_map(|name| layout.columns.index_of(&name));
    let mut stored: Vec<usize> = keys.chain(wanted.iter().copied()).chain(layout.engine.needed(wanted)).collect();
    if stored.is_empty() {
        // Rows without a column cannot be told apart from none.
        stored.push(0);
    }
    stored.sort_unstable();
    stored.dedup();
    stored
}

/// What the table's rule makes of a block whose rows are all there, in the order of the key.
pub fn apply(layout: &Arc<Layout>, block: &RecordBatch) -> Result<RecordBatch> {
    of_block(&Shape::whole(layout)?, block)
}

/// The positions of the rows that stay of a block, in the order of the key; `None` where the engine's rule makes new rows.
/// `order`: the positions to take the block's rows in. Only the columns that decide are looked at.
pub fn chosen(
    layout: &Arc<Layout>,
    columns: &[ArrayRef],
    order: Option<&UInt32Array>,
    rows: usize,
) -> Result<Option<UInt32Array>> {
    if !layout.engine.chooses_rows() {
        return Ok(None);
    }
    let stored = carried(layout, &[]);
    let mut fields: Vec<Field> = stored.iter().map(|place| layout.schema.field(*place).clone()).collect();
    fields.push(Field::new("position", DataType::UInt32, false));
    let mut deciding = Vec::with_capacity(fields.len());
    for place in &stored {
        deciding.push(match order {
            Some(order) => arrow::compute::take(&columns[*place], order, None)?,
            None => columns[*place].clone(),
        });
    }
    let positions = order.cloned().unwrap_or_else(|| UInt32Array::from_iter_values(0..rows as u32));
    deciding.push(Arc::new(positions));
    let shape = Shape::of(layout, Arc::new(Schema::new(fields)), &stored)?;
    let left = of_block(&shape, &RecordBatch::try_new(shape.schema.clone(), deciding)?)?;
    Ok(Some(left.column(stored.len()).as_primitive::<UInt32Type>().clone()))
}

fn of_block(shape: &Arc<Shape>, block: &RecordBatch) -> Result<RecordBatch> {
    let Some(mut rule) = rule(shape, Purpose::Keep)? else { return Ok(block.clone()) };
    if block.num_rows() == 0 {
        return Ok(block.clone());
    }
    let keys = shape.keys(block)?;
    let is_same = |row: usize| keys.as_ref().is_none_or(|keys| keys.row(row - 1) == keys.row(row));
    let begins: Vec<bool> = (0..block.num_rows()).map(|row| row == 0 || !is_same(row)).collect();
    let (decided, rest) = (rule.push(block, &begins)?, rule.finish()?);
    Ok(arrow::compute::concat_batches(&shape.schema, [&decided, &rest])?)
}

/// A copy of a few rows that keeps nothing else alive: views of strings would hold on to the blocks that they came in.
pub(crate) fn detached(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(detached_array).collect::<Result<Vec<_>>>()?;
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

fn detached_array(array: &ArrayRef) -> Result<ArrayRef> {
    if let Some(views) = array.as_binary_view_opt() {
        return Ok(Arc::new(views.gc()));
    }
    if !matches!(array.data_type(), DataType::List(_) | DataType::Struct(_) | DataType::Map(..)) {
        // `concat` copies.
        return Ok(arrow::compute::concat(&[array.as_ref(), &array.slice(0, 0)])?);
    }
    let whole = arrow::compute::concat(&[array.as_ref(), &array.slice(0, 0)])?;
    let data = whole.to_data();
    let children = data.child_data().iter().map(|child| Ok(detached_array(&make_array(child.clone()))?.to_data()));
    let children = children.collect::<Result<Vec<_>>>()?;
    Ok(make_array(data.into_builder().child_data(children).build()?))
}
