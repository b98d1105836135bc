//! The unit of work of a scan: a few granules of one row group of one part. Units lie in one queue that all streams of
//! the scan take from, so a stream that drew cheap ones takes more, and all end together.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

use crate::manifest::PartEntry;
use crate::part::OpenPart;

/// How large a unit may be.
#[derive(Clone, Copy, Debug)]
pub struct UnitLimits {
    /// Enough rows to be worth a decoder, few enough to share out evenly.
    pub granules: usize,
    /// As values in memory, about, of the columns that are read: a unit is fetched ahead as a whole.
    pub bytes: u64,
    /// How many streams share the units.
    pub streams: usize,
}

impl UnitLimits {
    pub fn of_query(streams: usize) -> Self {
        UnitLimits { granules: 64, bytes: 64 << 20, streams }
    }

    /// Of a scan with conditions: those that all rows of a unit fulfil are not computed of it, and a small unit has more such;
    /// where conditions tighten, what was begun before they did is less.
    pub fn with_conditions(self) -> Self {
        UnitLimits { granules: self.granules.min(16), ..self }
    }

    /// Granules that a unit of a part has at most, where so many are read in all, each of so many bytes.
    pub fn granules_of(&self, granule_bytes: u64, marks: u64) -> usize {
        let fair = (marks as usize).div_ceil(self.streams.max(1) * 4).max(1);
        let by_bytes = (self.bytes / granule_bytes.max(1)).max(1) as usize;
        self.granules.min(fair).min(by_bytes)
    }
}

/// What a query reads of one part.
#[derive(Clone, Debug)]
pub struct PartSelection {
    pub entry: Arc<PartEntry>,
    /// `None`: nothing had to be known of it but what the manifest says.
    pub open: Option<Arc<OpenPart>>,
    /// Ascending, apart from one another.
    pub granules: Vec<Range<usize>>,
    pub rows: u64,
    pub among: Among,
}

/// Where a part stands among those that a query reads, of which a segment has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Among {
    pub place: u64,
    /// Rows of the parts before it, deleted ones and those of granules that are not read among them.
    pub rows_before: u64,
}

impl PartSelection {
    /// All of a part.
    pub fn whole(entry: Arc<PartEntry>) -> Self {
        let granules = Vec::from([0..entry.granules as usize]);
        PartSelection { open: None, granules, rows: entry.rows, entry, among: Among::default() }
    }

    pub fn of(entry: Arc<PartEntry>, open: Arc<OpenPart>, granules: Vec<Range<usize>>) -> Self {
        let rows = granules.iter().map(|range| open.rows_of(range.clone())).sum();
        PartSelection { entry, open: Some(open), granules, rows, among: Among::default() }
    }

    /// Some of its granules.
    pub fn only(&self, granules: Vec<Range<usize>>) -> Self {
        let chosen: u64 = granules.iter().map(|range| range.len() as u64).sum();
        let rows = match &self.open {
            Some(open) => granules.iter().map(|range| open.rows_of(range.clone())).sum(),
            // About: granules of a part are alike.
            None => self.rows * chosen / self.marks().max(1),
        };
        PartSelection { entry: self.entry.clone(), open: self.open.clone(), granules, rows, among: self.among }
    }

    /// Tells each part of a query where it stands among them.
    pub fn numbered(mut parts: Vec<PartSelection>) -> Vec<PartSelection> {
        let mut rows_before = 0;
        for (place, part) in parts.iter_mut().enumerate() {
            part.among = Among { place: place as u64, rows_before };
            rows_before += part.entry.stored_rows();
        }
        parts
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

impl Unit {
    /// The unit with some of its granules only.
    pub fn with(self, granules: Vec<Range<usize>>) -> Unit {
        let rows = granules.iter().map(|range| self.open.rows_of(range.clone())).sum();
        Unit { granules, rows, ..self }
    }

    /// Granules of its row group, ascending, as rows of the row group, deleted ones among them.
    pub fn selection_of(&self, granules: &[Range<usize>]) -> RowSelection {
        self.selected(granules, |rows, selectors| selectors.push(RowSelector::select((rows.end - rows.start) as usize)))
    }

    /// Some rows of its granules, given as the part counts them, ascending.
    pub fn selection_of_rows(&self, wanted: &[u64]) -> RowSelection {
        self.selected(&self.granules, |rows, selectors| {
            let mut at = rows.start;
            for &row in &wanted[wanted.partition_point(|row| *row < rows.start)..] {
                if row >= rows.end {
                    break;
                }
                selectors.push(RowSelector::skip((row - at) as usize));
                selectors.push(RowSelector::select(1));
                at = row + 1;
            }
            selectors.push(RowSelector::skip((rows.end - at) as usize));
        })
    }

    fn selected(&self, granules: &[Range<usize>], select: impl Fn(Range<u64>, &mut Vec<RowSelector>)) -> RowSelection {
        let header = &self.open.header;
        let first = self.row_group as u64 * header.row_group_rows;
        let end = (first + header.row_group_rows).min(header.rows);
        let mut at = first;
        let mut selectors = Vec::with_capacity(granules.len() * 2 + 1);
        for range in granules {
            let rows = self.open.stored_rows_of(range.clone());
            if rows.start > at {
                selectors.push(RowSelector::skip((rows.start - at) as usize));
            }
            at = rows.end;
            select(rows, &mut selectors);
        }
        if at < end {
            selectors.push(RowSelector::skip((end - at) as usize));
        }
        RowSelection::from(selectors)
    }
}

/// Units not begun yet.
pub type Queue = Mutex<VecDeque<Unit>>;

/// Cuts selections into units, in their order. `granule_bytes`: of the columns that are read.
pub fn units(
    parts: &[(&PartSelection, Arc<OpenPart>)],
    limits: UnitLimits,
    granule_bytes: impl Fn(&OpenPart) -> u64,
) -> VecDeque<Unit> {
    let marks: u64 = parts.iter().map(|(part, _)| part.marks()).sum();
    let mut units = VecDeque::new();
    for (part, open) in parts {
        let most = limits.granules_of(granule_bytes(open), marks);
        let group = open.granules_in_row_group();
        let mut current: Vec<Range<usize>> = Vec::new();
        let mut taken = 0;
        for range in &part.granules {
            let mut start = range.start;
            while start < range.end {
                let begun = current.first().map(|first| first.start / group);
                if taken >= most || begun.is_some_and(|begun| begun != start / group) {
                    finish(part, open, group, &mut current, &mut units);
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
        finish(part, open, group, &mut current, &mut units);
    }
    units
}

fn finish(
    part: &PartSelection,
    open: &Arc<OpenPart>,
    group: usize,
    current: &mut Vec<Range<usize>>,
    units: &mut VecDeque<Unit>,
) {
    let granules = std::mem::take(current);
    let Some(first) = granules.first() else { return };
    let row_group = first.start / group;
    let rows = granules.iter().map(|range| open.rows_of(range.clone())).sum();
    units.push_back(Unit { entry: part.entry.clone(), open: open.clone(), row_group, granules, rows });
}
