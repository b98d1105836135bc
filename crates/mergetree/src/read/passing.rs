//! In which granules of a unit no row passed: what each step of its conditions left. Where one of the steps is no condition
//! of the query but a threshold that tightens meanwhile, what is left after it says nothing of the conditions behind it:
//! these are asked of all rows of the granules that they decode anyway, and what they say alone is noted.

use parking_lot::Mutex;

use super::unit::Unit;

#[derive(Debug, Default)]
pub struct Passing {
    /// A threshold may be among the steps.
    has_thresholds: bool,
    /// Granules that had rows after each of the steps that were computed.
    steps: Mutex<Vec<Vec<usize>>>,
    /// Granules in which no row fulfils a condition, by what the cache of conditions knows it.
    alone: Mutex<Vec<(u128, Vec<usize>)>>,
}

impl Passing {
    pub fn new(has_thresholds: bool) -> Passing {
        Passing { has_thresholds, ..Passing::default() }
    }

    /// Whether conditions are to be asked of whole granules.
    pub fn wants_whole_granules(&self) -> bool {
        self.has_thresholds
    }

    /// No row of these granules fulfils the condition.
    pub fn note_alone(&self, condition: u128, empty: Vec<usize>) {
        self.alone.lock().push((condition, empty));
    }

    /// What was noted of conditions alone.
    pub fn of_each(&self) -> Vec<(u128, Vec<usize>)> {
        std::mem::take(&mut self.alone.lock())
    }

    /// Of the next step: granules that still have rows, ascending.
    pub fn note(&self, left: impl Iterator<Item = usize>) {
        self.steps.lock().push(left.collect());
    }

    /// Granules of the unit in which no row passed the first `steps` steps. `None`: not all of these were computed.
    pub fn empty(&self, unit: &Unit, steps: usize) -> Option<Vec<usize>> {
        if self.has_thresholds {
            return None;
        }
        let left = self.steps.lock();
        let left = match left.get(steps.checked_sub(1)?) {
            Some(left) => left,
            // Where no row is left nothing is computed any more.
            None => left.last().filter(|left| left.is_empty())?,
        };
        let empty = unit.granules.iter().cloned().flatten().filter(|granule| left.binary_search(granule).is_err());
        Some(empty.collect())
    }
}
