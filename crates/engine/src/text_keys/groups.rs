//! The groups of one stream: the number of each row's text, and an accumulator a function with a state a number.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::hash_utils::create_hashes;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::repartition::REPARTITION_RANDOM_STATE;

use super::table::{TextTable, Texts};
use crate::accumulators::Accumulators;

pub struct Groups {
    /// Of the states.
    schema: SchemaRef,
    key: Arc<dyn PhysicalExpr>,
    accumulators: Accumulators,
    table: TextTable,
    reservation: MemoryReservation,
    // Kept between batches.
    row_hashes: Vec<u64>,
    row_groups: Vec<usize>,
}

impl Groups {
    /// `partial`: reads rows into states by one key.
    pub fn new(partial: &AggregateExec, reservation: MemoryReservation) -> Result<Self> {
        let keys = partial.group_expr().input_exprs();
        Ok(Groups {
            schema: partial.schema(),
            key: keys[0].clone(),
            accumulators: Accumulators::new(partial)?,
            table: TextTable::default(),
            reservation,
            row_hashes: Vec::new(),
            row_groups: Vec::new(),
        })
    }

    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let keys = self.key.evaluate(batch)?.into_array(batch.num_rows())?;
        hash(&keys, &mut self.row_hashes)?;
        self.table.number(keys.as_binary_view(), &self.row_hashes, &mut self.row_groups);
        self.accumulators.update(batch, &self.row_groups, self.table.len())
    }

    /// Accounts for the groups. False: there is no memory for them.
    pub fn has_room(&mut self) -> bool {
        let rows = self.row_hashes.capacity() * size_of::<u64>() + self.row_groups.capacity() * size_of::<usize>();
        let bytes = self.table.bytes() + rows + self.accumulators.bytes();
        !self.table.is_full() && self.reservation.try_resize(bytes).is_ok()
    }

    /// The states so far; there are none afterwards.
    pub fn take(&mut self) -> Result<Option<RecordBatch>> {
        if self.table.len() == 0 {
            return Ok(None);
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.table.take().into_array())];
        columns.extend(self.accumulators.states()?.into_iter().flatten());
        self.reservation.free();
        Ok(Some(RecordBatch::try_new(self.schema.clone(), columns)?))
    }

    /// For merging.
    pub fn finished(mut self) -> Result<Finished> {
        let texts = self.table.take();
        let states = if texts.len() == 0 { Vec::new() } else { self.accumulators.states()? };
        Ok(Finished { schema: self.schema, texts, states, _reservation: self.reservation })
    }
}

/// The hashes by which a `RepartitionExec` deals rows to streams.
fn hash(keys: &ArrayRef, hashes: &mut Vec<u64>) -> Result<()> {
    hashes.clear();
    hashes.resize(keys.len(), 0);
    create_hashes([keys], REPARTITION_RANDOM_STATE.random_state(), hashes)?;
    Ok(())
}

/// The groups of a stream that is over.
pub struct Finished {
    /// Of the states.
    schema: SchemaRef,
    texts: Texts,
    /// By function, the columns of its state.
    states: Vec<Vec<ArrayRef>>,
    /// Held as long as they are.
    _reservation: MemoryReservation,
}

impl Finished {
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn hashes(&self) -> &[u64] {
        self.texts.hashes()
    }

    pub fn texts(&self, groups: &[u32]) -> BinaryViewArray {
        self.texts.of(groups)
    }

    /// The states, a row a group; none: there are no groups.
    pub fn into_batch(self) -> Result<Option<RecordBatch>> {
        if self.texts.len() == 0 {
            return Ok(None);
        }
        let key: ArrayRef = Arc::new(self.texts.into_array());
        let columns = std::iter::once(key).chain(self.states.into_iter().flatten()).collect();
        Ok(Some(RecordBatch::try_new(self.schema, columns)?))
    }

    pub fn states(&self, function: usize) -> &[ArrayRef] {
        &self.states[function]
    }
}
