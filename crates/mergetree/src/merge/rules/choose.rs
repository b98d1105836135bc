//! Rules by which some rows of a key stay and the others go.
//!
//! A choice names rows by where they lie: in the batch under way, or among those held of earlier batches. At the end of a
//! batch the rows that the key under way may still need are copied out of it. What stays is copied once, and not at all
//! where it is one piece of the batch.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::{concat_batches, interleave_record_batch};
use arrow::datatypes::SchemaRef;
use gristmill_base::Result;

use super::{Rule, Shape, detached};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Held(usize),
    Batch(usize),
}

/// What a rule decides of single rows. A key is one after another: rows, then `end`.
pub trait Choice: Send {
    /// The next batch: the columns that decide.
    fn look(&mut self, batch: &RecordBatch) -> Result<()>;

    /// The next row of the batch, of the key under way. Rows that are known to stay go into `stay`.
    fn row(&mut self, row: usize, stay: &mut Vec<Place>) -> Result<()>;

    /// The key is over: its rows that stay, in their order.
    fn end(&mut self, stay: &mut Vec<Place>);

    /// The batch goes: the places of the rows that the key under way may still need, to be changed to where they are
    /// held.
    fn leave(&mut self) -> Vec<&mut Place>;
}

pub struct Choosing<C> {
    choice: C,
    schema: SchemaRef,
    held: RecordBatch,
    has_key: bool,
}

impl<C: Choice> Choosing<C> {
    pub fn new(shape: &Arc<Shape>, choice: C) -> Self {
        let schema = shape.schema.clone();
        Choosing { choice, held: RecordBatch::new_empty(schema.clone()), schema, has_key: false }
    }
}

impl<C: Choice> Rule for Choosing<C> {
    fn push(&mut self, batch: &RecordBatch, begins: &[bool]) -> Result<RecordBatch> {
        self.choice.look(batch)?;
        let mut stay = Vec::with_capacity(batch.num_rows());
        for (row, begins) in begins.iter().enumerate() {
            if *begins && self.has_key {
                self.choice.end(&mut stay);
            }
            self.has_key = true;
            self.choice.row(row, &mut stay)?;
        }
        let chosen = gather(&self.held, batch, &stay)?;
        let needed = self.choice.leave();
        let places: Vec<Place> = needed.iter().map(|place| **place).collect();
        for (at, place) in needed.into_iter().enumerate() {
            *place = Place::Held(at);
        }
        self.held = detached(&gather(&self.held, batch, &places)?)?;
        Ok(chosen)
    }

    fn finish(&mut self) -> Result<RecordBatch> {
        let mut stay = Vec::new();
        if std::mem::take(&mut self.has_key) {
            self.choice.end(&mut stay);
        }
        gather(&self.held, &RecordBatch::new_empty(self.schema.clone()), &stay)
    }
}

/// Rows on average in a run from which on runs are copied as wholes.
const LONG_RUN: usize = 16;

/// The rows at the places, in that order.
pub fn gather(held: &RecordBatch, batch: &RecordBatch, places: &[Place]) -> Result<RecordBatch> {
    let runs = runs(places);
    match runs[..] {
        [] => return Ok(batch.slice(0, 0)),
        [(Place::Batch(start), rows)] => return Ok(batch.slice(start, rows)),
        _ => {}
    }
    if places.len() / runs.len() >= LONG_RUN {
        let pieces: Vec<RecordBatch> = runs
            .into_iter()
            .map(|(place, rows)| match place {
                Place::Held(start) => held.slice(start, rows),
                Place::Batch(start) => batch.slice(start, rows),
            })
            .collect();
        return Ok(concat_batches(batch.schema_ref(), &pieces)?);
    }
    let places: Vec<(usize, usize)> = places
        .iter()
        .map(|place| match place {
            Place::Held(row) => (0, *row),
            Place::Batch(row) => (1, *row),
        })
        .collect();
    Ok(interleave_record_batch(&[held, batch], &places)?)
}

/// Rows that follow one another: where they begin, and how many there are.
fn runs(places: &[Place]) -> Vec<(Place, usize)> {
    let mut runs: Vec<(Place, usize)> = Vec::new();
    for &place in places {
        match (runs.last_mut(), place) {
            (Some((Place::Held(first), rows)), Place::Held(row)) if *first + *rows == row => *rows += 1,
            (Some((Place::Batch(first), rows)), Place::Batch(row)) if *first + *rows == row => *rows += 1,
            _ => runs.push((place, 1)),
        }
    }
    runs
}
