//! In which granules of a unit no row passed: put together from what each step of its conditions said of the rows that it
//! saw.

use arrow::array::BooleanArray;
use parking_lot::Mutex;
use parquet::arrow::arrow_reader::RowSelection;

use super::unit::Unit;

/// What the steps over one unit said, batch by batch.
#[derive(Debug, Default)]
pub struct Passing {
    steps: Mutex<Vec<Vec<BooleanArray>>>,
}

impl Passing {
    /// `passed`: of the next rows that passed the steps before this one.
    pub fn note(&self, step: usize, passed: &BooleanArray) {
        let mut steps = self.steps.lock();
        if steps.len() <= step {
            steps.resize_with(step + 1, Vec::new);
        }
        steps[step].push(passed.clone());
    }

    /// Granules of the unit in which no row passed the first `steps` steps. `None`: not all rows were asked.
    pub fn empty(&self, unit: &Unit, steps: usize) -> Option<Vec<usize>> {
        let said = self.steps.lock();
        let mut left = unit.selection();
        for step in 0..steps {
            let rows = left.row_count();
            // Where no row is left nobody is asked.
            if rows == 0 {
                break;
            }
            let said = said.get(step)?;
            if said.iter().map(BooleanArray::len).sum::<usize>() != rows {
                return None;
            }
            left = left.and_then(&RowSelection::from_filters(said));
        }
        let granule_rows = unit.open.header.granule_rows.max(1);
        let first = unit.row_group as u64 * unit.open.header.row_group_rows;
        let mut full: Vec<usize> = Vec::new();
        let mut at = first;
        for run in left.iter() {
            let end = at + run.row_count as u64;
            if !run.skip && run.row_count > 0 {
                full.extend((at / granule_rows) as usize..=((end - 1) / granule_rows) as usize);
            }
            at = end;
        }
        // Ascending, as the runs are.
        full.dedup();
        let empty = unit.granules.iter().cloned().flatten().filter(|granule| full.binary_search(granule).is_err());
        Some(empty.collect())
    }
}
