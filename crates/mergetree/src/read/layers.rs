//! Cuts what FINAL reads into layers: ranges of the primary key that are merged each by itself, so that several threads
//! merge one table. All rows of a sorting key lie in one layer, since the primary key is a prefix of it.
//!
//! The borders are keys at which granules begin, chosen so that about as many granules begin in each layer. A granule
//! that a border cuts is read for both sides, each of which leaves out the other's rows. Parts whose ranges of keys do not
//! meet mostly fall into different layers: what is alone there is compared with nothing.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::row::Rows;
use gristmill_base::{Error, Result};

use super::unit::PartSelection;
use crate::layout::Layout;
use crate::merge::rules::Shape;

/// Granules that a layer has at least: below, cutting costs more than it gains.
const GRANULES_MIN: usize = 8;

/// The parts of one layer, and its range of normalised primary keys.
#[derive(Clone, Debug)]
pub struct Layer {
    /// In the order in which their rows were written.
    pub parts: Vec<PartSelection>,
    /// Its least key; `None`: from the first row on.
    from: Option<Arc<[u8]>>,
    /// The least key of the next layer; `None`: to the last row.
    to: Option<Arc<[u8]>>,
}

impl Layer {
    /// The rows, which are in the order of the key, that lie in the layer.
    pub fn within(&self, shape: &Shape, batch: RecordBatch) -> Result<RecordBatch> {
        if (self.from.is_none() && self.to.is_none()) || batch.num_rows() == 0 {
            return Ok(batch);
        }
        // Most batches lie in the layer as wholes, which their first and last rows tell.
        if self.holds(shape, &batch, 0)? && self.holds(shape, &batch, batch.num_rows() - 1)? {
            return Ok(batch);
        }
        let Some(keys) = shape.primary_keys(&batch)? else { return Ok(batch) };
        let before = |bound: &[u8]| first_row(batch.num_rows(), |row| keys.row(row).data() >= bound);
        let start = self.from.as_deref().map_or(0, before);
        let end = self.to.as_deref().map_or(batch.num_rows(), before);
        Ok(batch.slice(start, end.saturating_sub(start)))
    }
}

impl Layer {
    fn holds(&self, shape: &Shape, batch: &RecordBatch, row: usize) -> Result<bool> {
        let Some(keys) = shape.primary_keys(&batch.slice(row, 1))? else { return Ok(true) };
        let key = keys.row(0).data();
        Ok(self.from.as_deref().is_none_or(|from| from <= key) && self.to.as_deref().is_none_or(|to| key < to))
    }
}

/// The first row of which a condition that stays true holds.
fn first_row(rows: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// At most `wanted` layers of the parts, which are open.
pub fn layers(layout: &Layout, parts: &[PartSelection], wanted: usize) -> Result<Vec<Layer>> {
    let whole = || vec![Layer { parts: parts.to_vec(), from: None, to: None }];
    let granules: usize = parts.iter().map(|part| part.marks() as usize).sum();
    let wanted = wanted.min(granules / GRANULES_MIN);
    if wanted < 2 || layout.primary_key_length == 0 {
        return Ok(whole());
    }
    let mut keys: Vec<Rows> = Vec::with_capacity(parts.len());
    for part in parts {
        let open = part.open.as_ref().ok_or_else(|| Error::logical("FINAL reads a part that is not open"))?;
        match layout.primary_order.rows(&open.index.keys)? {
            Some(rows) if rows.num_rows() == open.granules() + 1 => keys.push(rows),
            _ => return Ok(whole()),
        }
    }
    let borders = borders(parts, &keys, wanted);
    let mut layers = Vec::with_capacity(borders.len() + 1);
    for at in 0..=borders.len() {
        let from = at.checked_sub(1).and_then(|before| borders.get(before));
        let to = borders.get(at);
        let mut chosen = Vec::new();
        for (part, keys) in parts.iter().zip(&keys) {
            let granules = granules_within(part, keys, from.map(AsRef::as_ref), to.map(AsRef::as_ref));
            if let Some(open) = part.open.as_ref().filter(|_| !granules.is_empty()) {
                chosen.push(PartSelection::of(part.entry.clone(), open.clone(), granules));
            }
        }
        if !chosen.is_empty() {
            layers.push(Layer { parts: chosen, from: from.cloned(), to: to.cloned() });
        }
    }
    Ok(layers)
}

/// Ascending keys, each greater than the least: one fewer than layers.
fn borders(parts: &[PartSelection], keys: &[Rows], wanted: usize) -> Vec<Arc<[u8]>> {
    let mut starts: Vec<&[u8]> = Vec::new();
    for (part, keys) in parts.iter().zip(keys) {
        starts.extend(part.granules.iter().flat_map(Clone::clone).map(|granule| keys.row(granule).data()));
    }
    starts.sort_unstable();
    let mut borders: Vec<Arc<[u8]>> = Vec::new();
    for at in 1..wanted {
        let key = starts[at * starts.len() / wanted];
        let last = borders.last().map_or(starts[0], |last| last.as_ref());
        if key > last {
            borders.push(Arc::from(key));
        }
    }
    borders
}

/// The part's granules that may hold a key of the range. A granule ends with, at most, the key that the next begins with.
fn granules_within(part: &PartSelection, keys: &Rows, from: Option<&[u8]>, to: Option<&[u8]>) -> Vec<Range<usize>> {
    let mut chosen: Vec<Range<usize>> = Vec::new();
    for granule in part.granules.iter().flat_map(Clone::clone) {
        let begins_before = to.is_none_or(|to| keys.row(granule).data() < to);
        let ends_after = from.is_none_or(|from| keys.row(granule + 1).data() >= from);
        if !begins_before || !ends_after {
            continue;
        }
        match chosen.last_mut().filter(|last| last.end == granule) {
            Some(last) => last.end += 1,
            None => chosen.push(granule..granule + 1),
        }
    }
    chosen
}
