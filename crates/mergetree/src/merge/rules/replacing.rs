//! ReplacingMergeTree: of the rows of a key the last of the greatest version stays; without versions, the last.
//!
//! A row whose `is_deleted` is 1 says that its key is deleted. It replaces older rows like any other, and is kept so that
//! it goes on doing so; it goes only where rows are shown, or cleaned up.

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch, UInt8Array};
use arrow::datatypes::UInt8Type;
use arrow::row::Rows;
use gristmill_base::{Error, ErrorCode, Result};

use super::Shape;
use super::choose::{Choice, Place};
use crate::index::order::KeyOrder;

pub struct Replacing {
    version: Option<(usize, KeyOrder)>,
    is_deleted: Option<usize>,
    drops_deleted: bool,
    versions: Option<Rows>,
    deleted: Option<UInt8Array>,
    best: Option<Best>,
}

struct Best {
    place: Place,
    is_deleted: bool,
    /// The normalised version of a row that is held.
    held_version: Vec<u8>,
}

impl Replacing {
    pub fn new(
        shape: &Arc<Shape>,
        version: Option<usize>,
        is_deleted: Option<usize>,
        drops_deleted: bool,
    ) -> Result<Replacing> {
        let order = |place: usize| -> Result<(usize, KeyOrder)> {
            Ok((shape.place(place)?, KeyOrder::new(&[&shape.layout.columns.0[place].kind])?))
        };
        Ok(Replacing {
            version: version.map(order).transpose()?,
            is_deleted: is_deleted.map(|place| shape.place(place)).transpose()?,
            drops_deleted,
            versions: None,
            deleted: None,
            best: None,
        })
    }

    fn version(&self, row: usize) -> &[u8] {
        self.versions.as_ref().map_or(&[], |versions| versions.row(row).data())
    }

    /// Whether the row replaces the best so far: equal versions do.
    fn replaces(&self, row: usize) -> bool {
        let Some(best) = &self.best else { return true };
        let known = match best.place {
            Place::Batch(other) => self.version(other),
            Place::Held(_) => &best.held_version,
        };
        self.version(row) >= known
    }
}

impl Choice for Replacing {
    fn look(&mut self, batch: &RecordBatch) -> Result<()> {
        self.versions = match &self.version {
            Some((place, order)) => order.rows(std::slice::from_ref(batch.column(*place)))?,
            None => None,
        };
        self.deleted = self.is_deleted.map(|place| batch.column(place).as_primitive::<UInt8Type>().clone());
        if let Some(wrong) = self.deleted.as_ref().and_then(|deleted| deleted.values().iter().find(|value| **value > 1)) {
            return Err(Error::new(
                ErrorCode::INCORRECT_DATA,
                format!("Incorrect data: is_deleted = {wrong} (must be 1 or 0)."),
            ));
        }
        Ok(())
    }

    fn row(&mut self, row: usize, _stay: &mut Vec<Place>) -> Result<()> {
        if self.replaces(row) {
            let is_deleted = self.deleted.as_ref().is_some_and(|deleted| deleted.value(row) == 1);
            self.best = Some(Best { place: Place::Batch(row), is_deleted, held_version: Vec::new() });
        }
        Ok(())
    }

    fn end(&mut self, stay: &mut Vec<Place>) {
        if let Some(best) = self.best.take().filter(|best| !(best.is_deleted && self.drops_deleted)) {
            stay.push(best.place);
        }
    }

    fn leave(&mut self) -> Vec<&mut Place> {
        let version = match &self.best {
            Some(Best { place: Place::Batch(row), .. }) => Some(self.version(*row).to_vec()),
            _ => None,
        };
        (self.versions, self.deleted) = (None, None);
        match &mut self.best {
            Some(best) => {
                if let Some(version) = version {
                    best.held_version = version;
                }
                vec![&mut best.place]
            }
            None => Vec::new(),
        }
    }
}
