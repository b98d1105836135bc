//! The unit of work of a scan: a few granules of one row group of one part. Units lie in one queue that all streams of
//! the scan take from, so a stream that drew cheap ones takes more, and all end together.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::manifest::PartEntry;
use crate::part::OpenPart;

/// Granules of a unit at most: enough rows to be worth a decoder, few enough to share out evenly.
const UNIT_GRANULES_MAX: usize = 16;
/// Bytes (as values in memory) of a unit at most, about: they are fetched ahead as a whole.
const UNIT_BYTES_MAX: u64 = 64 << 20;

/// What a query reads of one part.
#[derive(Clone, Debug)]
pub struct PartSelection {
    pub entry: Arc<PartEntry>,
    pub open: Arc<OpenPart>,
    /// Ascending, apart from one another.
    pub granules: Vec<Range<usize>>,
}

impl PartSelection {
    pub fn rows(&self) -> u64 {
        self.granules.iter().map(|range| self.open.rows_of(range.clone())).sum()
    }

    pub fn marks(&self) -> u64 {
        self.granules.iter().map(|range| range.len() as u64).sum()
    }
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub entry: Arc<PartEntry>,
    pub open: Arc<OpenPart>,
    pub row_group: usize,
    /// Ascending, within the row group.
    pub granules: Vec<Range<usize>>,
    pub rows: u64,
}

/// Units not begun yet.
pub type Queue = Mutex<VecDeque<Unit>>;

/// Cuts selections into units. `streams`: how many will share them.
pub fn units(parts: &[PartSelection], streams: usize) -> VecDeque<Unit> {
    let marks: u64 = parts.iter().map(PartSelection::marks).sum();
    let fair = (marks as usize).div_ceil(streams.max(1) * 4).max(1);
    let mut units = VecDeque::new();
    for part in parts {
        let granule_bytes = part.entry.uncompressed_bytes / part.entry.granules.max(1);
        let by_bytes = (UNIT_BYTES_MAX / granule_bytes.max(1)).max(1) as usize;
        let most = UNIT_GRANULES_MAX.min(fair).min(by_bytes);
        let group = part.open.granules_in_row_group();
        let mut current: Vec<Range<usize>> = Vec::new();
        let mut taken = 0;
        for range in &part.granules {
            let mut start = range.start;
            while start < range.end {
                let begun = current.first().map(|first| first.start / group);
                if taken >= most || begun.is_some_and(|begun| begun != start / group) {
                    finish(part, group, &mut current, &mut units);
                    taken = 0;
                }
                let end = range.end.min(start + (most - taken)).min((start / group + 1) * group);
                taken += end - start;
                match current.last_mut().filter(|last| last.end == start) {
                    Some(last) => last.end = end,
                    None => current.push(start..end),
                }
                start = end;
            }
        }
        finish(part, group, &mut current, &mut units);
    }
    units
}

fn finish(part: &PartSelection, group: usize, current: &mut Vec<Range<usize>>, units: &mut VecDeque<Unit>) {
    let granules = std::mem::take(current);
    let Some(first) = granules.first() else { return };
    let row_group = first.start / group;
    let rows = granules.iter().map(|range| part.open.rows_of(range.clone())).sum();
    units.push_back(Unit { entry: part.entry.clone(), open: part.open.clone(), row_group, granules, rows });
}
