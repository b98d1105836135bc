//! In which granules of a unit no row passed: what each step of its conditions left.

use parking_lot::Mutex;

use super::unit::Unit;

/// Granules that had rows after each of the steps that were computed.
#[derive(Debug, Default)]
pub struct Passing {
    steps: Mutex<Vec<Vec<usize>>>,
}

impl Passing {
    /// Of the next step: granules that still have rows, ascending.
    pub fn note(&self, left: impl Iterator<Item = usize>) {
        self.steps.lock().push(left.collect());
    }

    /// Granules of the unit in which no row passed the first `steps` steps. `None`: not all of these were computed.
    pub fn empty(&self, unit: &Unit, steps: usize) -> Option<Vec<usize>> {
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
