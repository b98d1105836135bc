//! Which rows of a unit are still wanted: in which of its granules they lie, and which of their rows they are.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, BooleanBufferBuilder, UInt64Array};
use arrow::buffer::BooleanBuffer;
use parquet::arrow::arrow_reader::RowSelection;

use super::unit::Unit;

/// Where fewer than one row of so many is wanted, a decoder is told which: it passes over the others at less cost than they
/// are decoded and filtered at. Elsewhere telling it costs more than that.
const SPARSE: usize = 64;

#[derive(Clone, Debug)]
pub struct LiveRows {
    /// Granules with a row that is wanted, ascending, as rows of the part.
    granules: Vec<(usize, Range<u64>)>,
    /// Of all rows of these granules, one after the other. `None`: all are wanted.
    wanted: Option<BooleanBuffer>,
    rows: usize,
}

impl LiveRows {
    /// The rows of a unit that are not deleted; of these `only`, as the part counts them, ascending.
    pub fn of(unit: &Unit, only: Option<&[u64]>) -> LiveRows {
        let granules = unit.granules.iter().flat_map(Clone::clone);
        let granules: Vec<_> = granules.map(|granule| (granule, unit.open.stored_rows_of(granule..granule + 1))).collect();
        let rows = granules.iter().map(|(_, rows)| (rows.end - rows.start) as usize).sum();
        let all = LiveRows { granules, wanted: None, rows };
        let deleted = unit.open.deleted.as_ref();
        if only.is_none()
            && all.granules.iter().all(|(_, rows)| deleted.is_none_or(|deleted| deleted.count(rows.clone()) == 0))
        {
            return all;
        }
        let mut wanted = BooleanBufferBuilder::new(rows);
        for (_, rows) in &all.granules {
            let start = wanted.len();
            wanted.append_n((rows.end - rows.start) as usize, only.is_none());
            let mut set = |row: u64, is_wanted: bool| wanted.set_bit(start + (row - rows.start) as usize, is_wanted);
            for &row in only.map_or(&[][..], |only| within(only, rows)) {
                set(row, true);
            }
            if let Some(deleted) = deleted {
                deleted.among(rows.clone()).for_each(|row| set(row, false));
            }
        }
        all.narrowed(&wanted.finish())
    }

    /// How many rows are wanted.
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn granules(&self) -> impl Iterator<Item = usize> + '_ {
        self.granules.iter().map(|(granule, _)| *granule)
    }

    /// Whether of some granule not all rows are wanted.
    pub fn is_narrowed(&self) -> bool {
        self.wanted.is_some()
    }

    /// Whether so few rows are wanted that a decoder is told which (`selection`).
    pub fn are_sparse(&self) -> bool {
        self.wanted.is_some() && self.rows * SPARSE < self.stored_rows()
    }

    /// How a decoder is told of the granules, to give all their rows.
    pub fn whole_granules(&self, unit: &Unit) -> RowSelection {
        unit.selection_of(&self.runs())
    }

    /// The granules in which none of the rows is set. `of_all`: a bit for each row of the granules, wanted or not.
    pub fn granules_without(&self, of_all: &BooleanBuffer) -> Vec<usize> {
        let mut at = 0;
        let is_empty = |(granule, rows): &(usize, Range<u64>)| {
            let length = (rows.end - rows.start) as usize;
            let set = of_all.slice(at, length).count_set_bits();
            at += length;
            (set == 0).then_some(*granule)
        };
        self.granules.iter().filter_map(is_empty).collect()
    }

    fn stored_rows(&self) -> usize {
        self.granules.iter().map(|(_, rows)| (rows.end - rows.start) as usize).sum()
    }

    /// Which of some rows of the granules are wanted; `None`: all.
    pub fn wanted_of(&self, rows: Range<usize>) -> Option<BooleanArray> {
        let wanted = self.wanted.as_ref()?.slice(rows.start, rows.len());
        (wanted.count_set_bits() < rows.len()).then(|| BooleanArray::from(wanted))
    }

    /// Those of the rows that passed: one bit for each that is wanted.
    pub fn narrowed(&self, passed: &BooleanBuffer) -> LiveRows {
        let of_all = match &self.wanted {
            None => passed.clone(),
            Some(wanted) => {
                let mut left = BooleanBufferBuilder::new(wanted.len());
                left.append_n(wanted.len(), false);
                for (row, at) in wanted.set_indices().enumerate() {
                    if passed.value(row) {
                        left.set_bit(at, true);
                    }
                }
                left.finish()
            }
        };
        let mut granules = Vec::with_capacity(self.granules.len());
        let mut wanted = BooleanBufferBuilder::new(of_all.len());
        let (mut rows, mut at) = (0, 0);
        for granule in &self.granules {
            let length = (granule.1.end - granule.1.start) as usize;
            let slice = of_all.slice(at, length);
            at += length;
            let left = slice.count_set_bits();
            if left > 0 {
                wanted.append_buffer(&slice);
                granules.push(granule.clone());
                rows += left;
            }
        }
        let wanted = (rows < wanted.len()).then(|| wanted.finish());
        LiveRows { granules, wanted, rows }
    }

    /// How a decoder is told of them, and whether it gives these rows alone: else it gives the granules whole.
    pub fn selection(&self, unit: &Unit) -> (RowSelection, bool) {
        match &self.wanted {
            None => (unit.selection_of(&self.runs()), true),
            Some(_) if self.are_sparse() => (unit.selection_of_rows(&self.numbers()), true),
            Some(_) => (unit.selection_of(&self.runs()), false),
        }
    }

    /// The granules as runs.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for granule in self.granules() {
            match runs.last_mut().filter(|last| last.end == granule) {
                Some(last) => last.end += 1,
                None => runs.push(granule..granule + 1),
            }
        }
        runs
    }

    /// The rows as the part counts them, ascending.
    fn numbers(&self) -> Vec<u64> {
        let all = self.granules.iter().flat_map(|(_, rows)| rows.clone());
        match &self.wanted {
            None => all.collect(),
            Some(wanted) => all.zip(wanted).filter(|(_, is_wanted)| *is_wanted).map(|(row, _)| row).collect(),
        }
    }

    /// As `numbers`, for `_part_offset`.
    pub fn offsets(&self) -> ArrayRef {
        Arc::new(UInt64Array::from(self.numbers()))
    }
}

fn within<'a>(ascending: &'a [u64], rows: &Range<u64>) -> &'a [u64] {
    let from = ascending.partition_point(|row| *row < rows.start);
    &ascending[from..from + ascending[from..].partition_point(|row| *row < rows.end)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(granule_rows: &[u64]) -> LiveRows {
        let mut start = 0;
        let granule = |(granule, rows): (usize, &u64)| {
            start += rows;
            (granule, start - rows..start)
        };
        let granules: Vec<_> = granule_rows.iter().enumerate().map(granule).collect();
        LiveRows { granules, wanted: None, rows: start as usize }
    }

    proptest! {
        #[test]
        fn rows_that_pass_step_after_step_are_those_of_a_plain_list(
            granule_rows in prop::collection::vec(1..20_u64, 1..6),
            steps in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![true, true, false]), 120), 0..4),
            none_in in prop::option::of(0..6_usize),
        ) {
            let mut live = all(&granule_rows);
            let mut left = live.numbers();
            let granule_of = live.clone();
            let granule_of = |row: u64| granule_of.granules.iter().find(|(_, rows)| rows.contains(&row)).map(|(granule, _)| *granule);
            for step in steps {
                let passed = |(at, row): (usize, &u64)| step[at] && granule_of(*row) != none_in;
                let passed: Vec<bool> = left.iter().enumerate().map(passed).collect();
                live = live.narrowed(&BooleanBuffer::from(passed.clone()));
                left = left.into_iter().zip(passed).filter(|(_, passed)| *passed).map(|(row, _)| row).collect();
                prop_assert_eq!(live.numbers(), left.clone());
                prop_assert_eq!(live.rows(), left.len());
                let mut granules: Vec<usize> = left.iter().filter_map(|row| granule_of(*row)).collect();
                granules.dedup();
                prop_assert_eq!(live.granules().collect::<Vec<_>>(), granules);
                let stored: Vec<u64> = live.granules.iter().flat_map(|(_, rows)| rows.clone()).collect();
                for half in [0..stored.len() / 2, stored.len() / 2..stored.len()] {
                    let wanted = live.wanted_of(half.clone());
                    let said = half.clone().map(|at| wanted.as_ref().is_none_or(|wanted| wanted.value(at - half.start)));
                    let expected = half.clone().map(|at| left.contains(&stored[at]));
                    prop_assert_eq!(said.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
                }
            }
        }
    }
}
