//! CollapsingMergeTree and VersionedCollapsingMergeTree: a row of sign -1 takes back one of sign 1.
//!
//! CollapsingMergeTree trusts the order of rows. Of a key with as many rows of one sign as of the other and the last one
//! positive, the first negative and the last positive row stay; with fewer positive ones, the first negative; with more,
//! the last positive; else none. So what a run of changes amounts to stays: the state that it takes back from before the
//! run, and the one that it leaves.
//!
//! VersionedCollapsingMergeTree does not: pairs of rows of equal key and version and opposite sign go, whatever their
//! order. (The version is part of its sorting key.)

use std::collections::VecDeque;

use arrow::array::{AsArray, Int8Array, RecordBatch};
use arrow::datatypes::Int8Type;
use gristmill_base::{Error, ErrorCode, Result};

use super::choose::{Choice, Place};

fn signs(batch: &RecordBatch, place: usize) -> Int8Array {
    batch.column(place).as_primitive::<Int8Type>().clone()
}

pub struct Collapsing {
    place: usize,
    /// Leave out rows that only take something back.
    positive_only: bool,
    signs: Option<Int8Array>,
    positive: u64,
    negative: u64,
    is_last_positive: bool,
    first_negative: Option<Place>,
    last_positive: Option<Place>,
    /// It was told that keys have more rows of one sign than a sequence of changes can.
    warned: bool,
}

impl Collapsing {
    pub fn new(place: usize, positive_only: bool) -> Collapsing {
        Collapsing {
            place,
            positive_only,
            signs: None,
            positive: 0,
            negative: 0,
            is_last_positive: false,
            first_negative: None,
            last_positive: None,
            warned: false,
        }
    }
}

impl Choice for Collapsing {
    fn look(&mut self, batch: &RecordBatch) -> Result<()> {
        let signs = signs(batch, self.place);
        if let Some(wrong) = signs.values().iter().find(|sign| !matches!(**sign, 1 | -1)) {
            return Err(Error::new(ErrorCode::INCORRECT_DATA, format!("Incorrect data: Sign = {wrong} (must be 1 or -1).")));
        }
        self.signs = Some(signs);
        Ok(())
    }

    fn row(&mut self, row: usize, _stay: &mut Vec<Place>) -> Result<()> {
        self.is_last_positive = self.signs.as_ref().is_some_and(|signs| signs.value(row) == 1);
        if self.is_last_positive {
            self.positive += 1;
            self.last_positive = Some(Place::Batch(row));
        } else {
            self.negative += 1;
            self.first_negative.get_or_insert(Place::Batch(row));
        }
        Ok(())
    }

    fn end(&mut self, stay: &mut Vec<Place>) {
        let (positive, negative) = (std::mem::take(&mut self.positive), std::mem::take(&mut self.negative));
        let (first_negative, last_positive) = (self.first_negative.take(), self.last_positive.take());
        if self.is_last_positive || positive != negative {
            if positive <= negative && !self.positive_only {
                stay.extend(first_negative);
            }
            if positive >= negative {
                stay.extend(last_positive);
            }
        }
        if positive.abs_diff(negative) > 1 && !self.warned {
            self.warned = true;
            tracing::warn!("a key has {positive} rows of sign 1 and {negative} of sign -1: changes were lost or repeated");
        }
    }

    fn leave(&mut self) -> Vec<&mut Place> {
        self.signs = None;
        self.first_negative.iter_mut().chain(&mut self.last_positive).collect()
    }
}

/// Rows of one key that are held back at most: the oldest of more stay without waiting for what could take them back.
const HELD_MAX: usize = 8192;

pub struct VersionedCollapsing {
    place: usize,
    signs: Option<Int8Array>,
    /// Rows that nothing has taken back yet, all of one sign.
    open: VecDeque<Place>,
    sign: i8,
}

impl VersionedCollapsing {
    pub fn new(place: usize) -> VersionedCollapsing {
        VersionedCollapsing { place, signs: None, open: VecDeque::new(), sign: 0 }
    }
}

impl Choice for VersionedCollapsing {
    fn look(&mut self, batch: &RecordBatch) -> Result<()> {
        self.signs = Some(signs(batch, self.place));
        Ok(())
    }

    fn row(&mut self, row: usize, stay: &mut Vec<Place>) -> Result<()> {
        let sign = self.signs.as_ref().map_or(0, |signs| signs.value(row));
        if !self.open.is_empty() && sign != self.sign {
            self.open.pop_back();
            return Ok(());
        }
        self.sign = sign;
        self.open.push_back(Place::Batch(row));
        if self.open.len() > HELD_MAX {
            stay.extend(self.open.pop_front());
        }
        Ok(())
    }

    fn end(&mut self, stay: &mut Vec<Place>) {
        stay.extend(self.open.drain(..));
    }

    fn leave(&mut self) -> Vec<&mut Place> {
        self.signs = None;
        self.open.iter_mut().collect()
    }
}
