//! GROUP BY and DISTINCT of more keys than may be end while they read, not when all rows are there: of an endless table they
//! never would be.
//!
//! Each stream counts the keys that it meets by their hashes of 64 bits, of many only a part of the hashes, so that a limit far
//! away costs little; it ends where the keys of its own are surely too many. What several streams have together is counted where
//! the groups come out (`operator_limits`).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::array::{ArrayRef, RecordBatch};
use datafusion::common::hash_utils::{RandomState, create_hashes};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{HashSet, Result};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PhysicalExpr, PlanProperties};
use futures::{StreamExt, TryStreamExt};

use crate::operator_limits::Limit;

/// Hashes that are kept about; of more keys every second, fourth and so on is counted.
const HASHES_KEPT: u64 = 1 << 15;

/// Gives the rows of its input until their keys are too many.
pub struct KeysWithin {
    limit: Limit,
    keys: Vec<Arc<dyn PhysicalExpr>>,
    input: Arc<dyn ExecutionPlan>,
    /// A stream has ended for its keys, and so do the others.
    is_over: Arc<AtomicBool>,
}

impl KeysWithin {
    pub fn new(limit: Limit, keys: Vec<Arc<dyn PhysicalExpr>>, input: Arc<dyn ExecutionPlan>) -> KeysWithin {
        KeysWithin { limit, keys, input, is_over: Arc::default() }
    }
}

/// The keys of one stream.
struct Met {
    hashes: HashSet<u64>,
    /// Of a hash that is kept so many of the lowest bits are zero.
    bits: u32,
    most: u64,
}

impl Met {
    fn new(most: u64) -> Met {
        let bits = (most / HASHES_KEPT).checked_ilog2().map_or(0, |bits| bits + 1);
        Met { hashes: HashSet::default(), bits, most }
    }

    /// Takes the hashes of rows. Gives the number of keys where it is too large.
    fn add(&mut self, hashes: &[u64]) -> Option<u64> {
        let skipped = (1_u64 << self.bits) - 1;
        self.hashes.extend(hashes.iter().filter(|hash| **hash & skipped == 0));
        let met = (self.hashes.len() as u64) << self.bits;
        // An estimate is twice too large at least before it counts.
        let most = if self.bits == 0 { self.most } else { self.most.saturating_mul(2) };
        (met > most).then_some(met)
    }
}

impl fmt::Debug for KeysWithin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for KeysWithin {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeysWithin: keys={}", self.limit.rows)
    }
}

impl ExecutionPlan for KeysWithin {
    fn name(&self) -> &str {
        "KeysWithin"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for key in &self.keys {
            if f(key)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| DataFusionError::Internal("KeysWithin has one input".to_string()))?;
        Ok(Arc::new(KeysWithin::new(self.limit.clone(), self.keys.clone(), input)))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(KeysWithin::new(self.limit.clone(), self.keys.clone(), self.input.clone())))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, task)?;
        let (limit, keys, is_over) = (self.limit.clone(), self.keys.clone(), self.is_over.clone());
        let (mut met, state) = (Met::new(limit.rows), RandomState::with_seed(0));
        let rows = input
            .map(move |batch: Result<RecordBatch>| -> Result<Option<RecordBatch>> {
                let batch = batch?;
                if is_over.load(Relaxed) {
                    return Ok(None);
                }
                let keys = keys.iter().map(|key| key.evaluate(&batch)?.into_array(batch.num_rows()));
                let keys = keys.collect::<Result<Vec<ArrayRef>>>()?;
                let mut hashes = vec![0; batch.num_rows()];
                create_hashes(&keys, &state, &mut hashes)?;
                match met.add(&hashes) {
                    Some(keys) if limit.throws => Err(limit.exceeded(keys, 0).into()),
                    Some(_) => {
                        is_over.store(true, Relaxed);
                        Ok(Some(batch))
                    }
                    None => Ok(Some(batch)),
                }
            })
            .try_take_while(|batch| std::future::ready(Ok(batch.is_some())))
            .try_filter_map(|batch| std::future::ready(Ok(batch)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.input.schema(), rows)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_are_counted_exactly_and_many_by_a_part_of_them() {
        let mut few = Met::new(3);
        assert_eq!(few.add(&[1, 2, 3, 1, 2]), None);
        assert_eq!(few.add(&[3, 4]), Some(4));
        let state = RandomState::with_seed(0);
        let keys: ArrayRef = Arc::new(arrow::array::Int64Array::from_iter_values(0..1_000_000));
        let mut hashes = vec![0; keys.len()];
        create_hashes([&keys], &state, &mut hashes).expect("hashes");
        assert_eq!(Met::new(1_000_000).add(&hashes), None);
        let mut many = Met::new(100_000);
        assert_eq!(many.add(&hashes[..100_000]), None);
        assert!(many.add(&hashes).is_some());
        assert!(many.hashes.len() < 1 << 18);
    }
}
