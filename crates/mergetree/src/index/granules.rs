//! Chooses granules of a part by its sparse index.
//!
//! The keys of the rows of granules `from..to` lie between two tuples of the index: that at the first row of `from` and
//! that at the first row of `to` (or at the part's last row). The range is asked as a whole: no row can pass, it is left
//! out; every row must pass, it is taken; else it is cut into eight and each piece is asked. So a condition on the
//! beginning of the key costs a few questions, as a binary search does, and any other condition at most one a granule.
//!
//! Tuples between two tuples are no box, but a union of few: with `(1, 5)` and `(3, 2)` they are `1 × [5, ∞)`,
//! `(1, 3) × any` and `3 × (-∞, 2]`. The condition is asked of each.

use std::ops::Range;

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use arrow::row::Rows;

use super::condition::{Condition, End, SlotValues};
use super::interval::{Dim, Mask};
use super::order::has_floats;
use super::sparse::SparseIndex;

/// Pieces that an undecided range is cut into.
const PIECES: usize = 8;

/// Granules of the part in which a row may pass, ascending, apart from one another. The condition's bases are the
/// columns of the primary key.
pub fn choose(condition: &Condition, index: &SparseIndex) -> Vec<Range<usize>> {
    if index.granules == 0 {
        return Vec::new();
    }
    if condition.is_unknown() || index.keys.is_empty() {
        return vec![0..index.granules];
    }
    let computed: Vec<Option<SlotValues>> = condition
        .slots
        .iter()
        .map(|slot| slot.function.as_ref().and(index.keys.get(slot.base)).and_then(|keys| slot.values(keys)))
        .collect();
    let slots = condition
        .slots
        .iter()
        .zip(&computed)
        .map(|(slot, computed)| match slot.function {
            None => index.columns.get(slot.base).map(Known::Keys),
            Some(_) => computed.as_ref().map(Known::Computed),
        })
        .collect();
    let mut chosen = Vec::new();
    Search::new(condition, index, slots).search(0..index.granules, &mut chosen);
    chosen
}

/// Whether every row of the granules fulfils the condition for certain. Its bases are columns of the primary key that cannot
/// be NULL, as `NOT` of NULL is not true. A condition on functions of them is never certain here.
pub fn all_pass(condition: &Condition, index: &SparseIndex, granules: &[Range<usize>]) -> bool {
    let has_functions = condition.slots.iter().any(|slot| slot.function.is_some());
    if has_functions || condition.slots.is_empty() || index.keys.is_empty() {
        return false;
    }
    let slots = condition.slots.iter().map(|slot| index.columns.get(slot.base).map(Known::Keys)).collect();
    let search = Search::new(condition, index, slots);
    let passes = |run: &Range<usize>| {
        let mut sides = vec![Side::default(); index.columns.len()];
        !search.between(run.start, run.end, 0, true, true, &mut sides).can_be_false
    };
    granules.iter().all(passes)
}

fn is_discrete(data_type: &DataType) -> bool {
    data_type.is_integer() || matches!(data_type, DataType::Date32 | DataType::Timestamp(..) | DataType::Boolean)
}

/// A slot's values by row of the index.
#[derive(Clone, Copy)]
enum Known<'a> {
    Keys(&'a Rows),
    Computed(&'a SlotValues),
}

impl<'a> Known<'a> {
    fn end(self, corner: Corner) -> End<'a> {
        let end = match self {
            Known::Keys(rows) => End::of_base(rows, corner.row),
            Known::Computed(values) => End::closed(values, corner.row),
        };
        end.with_open(corner.open)
    }
}

/// The end of a key column's values in a box: a row of the index.
#[derive(Clone, Copy)]
struct Corner {
    row: usize,
    open: bool,
}

/// A key column's values in a box; `None`: unbounded.
#[derive(Clone, Copy, Default)]
struct Side {
    low: Option<Corner>,
    high: Option<Corner>,
}

impl Side {
    fn point(row: usize) -> Side {
        let end = Some(Corner { row, open: false });
        Side { low: end, high: end }
    }
}

struct Search<'a> {
    condition: &'a Condition,
    index: &'a SparseIndex,
    /// By slot; `None` where nothing is known of it.
    slots: Vec<Option<Known<'a>>>,
    /// By key column: whether values have neighbours, so that nothing lies between 1 and 2.
    discrete: Vec<bool>,
    /// By key column: whether it holds floats.
    floats: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(condition: &'a Condition, index: &'a SparseIndex, slots: Vec<Option<Known<'a>>>) -> Self {
        let discrete = index.keys.iter().map(|keys| is_discrete(keys.data_type())).collect();
        let floats = index.keys.iter().map(|keys| has_floats(keys.data_type())).collect();
        Search { condition, index, slots, discrete, floats }
    }

    fn search(&self, granules: Range<usize>, chosen: &mut Vec<Range<usize>>) {
        let mut sides = vec![Side::default(); self.index.columns.len()];
        let mask = self.between(granules.start, granules.end, 0, true, true, &mut sides);
        if !mask.can_be_true {
            return;
        }
        if !mask.can_be_false || granules.len() == 1 {
            match chosen.last_mut().filter(|last| last.end == granules.start) {
                Some(last) => last.end = granules.end,
                None => chosen.push(granules),
            }
            return;
        }
        let step = granules.len().div_ceil(PIECES);
        let mut start = granules.start;
        while start < granules.end {
            let end = (start + step).min(granules.end);
            self.search(start..end, chosen);
            start = end;
        }
    }

    fn key(&self, column: usize, row: usize) -> &[u8] {
        self.index.columns[column].row(row).data()
    }

    /// Of the tuples from the index row `low` to the row `high`, both included, where the columns before `column` are
    /// what `sides` says. Not `from_low` (`to_high`): there is no lower (upper) bound.
    fn between(
        &self,
        low: usize,
        high: usize,
        mut column: usize,
        from_low: bool,
        to_high: bool,
        sides: &mut [Side],
    ) -> Mask {
        if from_low && to_high {
            while column < sides.len() && self.key(column, low) == self.key(column, high) {
                sides[column] = Side::point(low);
                column += 1;
                if self.ends_order(column - 1, low) {
                    sides[column..].fill(Side::default());
                    return self.ask(sides);
                }
            }
        }
        if column == sides.len() || (!from_low && !to_high) {
            sides[column..].fill(Side::default());
            return self.ask(sides);
        }
        let is_last = column + 1 == sides.len();
        let end = |row: usize| Corner { row, open: !is_last };
        sides[column] = self.side(column, from_low.then_some(end(low)), to_high.then_some(end(high)));
        sides[column + 1..].fill(Side::default());
        // What lies strictly between; with both ends where there is no further column.
        let (least, greatest) = if self.index.descending[column] { (high, low) } else { (low, high) };
        let nothing_between = !is_last && from_low && to_high && self.are_neighbours(column, least, greatest);
        let mut mask = if nothing_between { Mask::NOTHING_SEEN } else { self.ask(sides) };
        if is_last {
            return mask;
        }
        for (wanted, row, from_low, to_high) in [(from_low, low, true, false), (to_high, high, false, true)] {
            if wanted && !mask.is_unknown() {
                sides[column] = Side::point(row);
                let (from_low, to_high) = if self.ends_order(column, row) { (false, false) } else { (from_low, to_high) };
                mask = mask.merge(self.between(low, high, column + 1, from_low, to_high, sides));
            }
        }
        mask
    }

    /// Whether the columns behind may be in no order where this one has the row's value: parts written when the zeroes of both
    /// signs were two keys have the rows of one behind those of the other.
    fn ends_order(&self, column: usize, row: usize) -> bool {
        let keys = &self.index.keys[column];
        self.floats[column]
            && match keys.data_type() {
                DataType::Float32 => keys.as_primitive::<Float32Type>().value(row) == 0.0,
                DataType::Float64 => keys.as_primitive::<Float64Type>().value(row) == 0.0,
                _ => true,
            }
    }

    /// Values from the first to the last in the key's order, which may be a falling one.
    fn side(&self, column: usize, first: Option<Corner>, last: Option<Corner>) -> Side {
        if self.index.descending[column] { Side { low: last, high: first } } else { Side { low: first, high: last } }
    }

    fn ask(&self, sides: &[Side]) -> Mask {
        self.condition.check(&|at| {
            let (Some(known), slot) = (self.slots[at], &self.condition.slots[at]) else { return Dim::ANY };
            let Some(side) = sides.get(slot.base) else { return Dim::ANY };
            let (low, high) = (side.low.map(|corner| known.end(corner)), side.high.map(|corner| known.end(corner)));
            // Unbounded upwards includes NULL.
            slot.range(low, high, high.is_none())
        })
    }

    fn are_neighbours(&self, column: usize, low: usize, high: usize) -> bool {
        if !self.discrete[column] {
            return false;
        }
        let (low, high) = (self.key(column, low), self.key(column, high));
        if low.len() != high.len() {
            return false;
        }
        let mut next = low.to_vec();
        for byte in next.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
        next == high
    }
}
