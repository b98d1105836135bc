//! What an aggregate function has seen of each group, and how DataFusion drives it.
//!
//! `Groups` holds the states of all groups of one aggregate. It is fed whole batches, each row with the number of its
//! group; `Grouped` makes it DataFusion's accumulator below GROUP BY, `Single` the one for a whole table or a window frame
//! that only grows, and `Recomputed` the one for frames whose start moves on.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::compute::{filter, prep_null_mask_filter};
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};
use gristmill_base::Result;
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};

pub trait Groups: Send + Sync {
    /// Makes room for so many groups (never fewer than before). New ones have seen nothing.
    fn resize(&mut self, groups: usize);

    /// Adds rows: row `i` belongs to group `groups[i]`, which there is room for.
    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()>;

    /// Takes rows back that were added before. Only called where `retracts` says so.
    fn retract(&mut self, _args: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Err(gristmill_base::Error::logical("An aggregate function cannot take rows back"))
    }

    fn retracts(&self) -> bool {
        false
    }

    /// Adds rows in the order of their groups, each of which begins as the one before it ended, unless it is `fresh`: then it has seen
    /// nothing. Group 0 stays what it is. Only called where `runs` says so.
    fn run(&mut self, _args: &[ArrayRef], _groups: &[usize], _fresh: &[bool]) -> Result<()> {
        Err(gristmill_base::Error::logical("An aggregate function cannot run through groups"))
    }

    fn runs(&self) -> bool {
        false
    }

    /// The states of the first groups, as columns that `merge` reads.
    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>>;

    /// Adds saved states: state `i` to group `groups[i]`.
    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()>;

    /// The results of the first groups. The states stay.
    fn finish(&mut self, groups: usize) -> Result<ArrayRef>;

    /// Forgets the first groups; the others move down.
    fn drop_first(&mut self, groups: usize);

    /// Memory held, in bytes. Called for every batch: must not walk through the groups.
    fn bytes(&self) -> usize;
}

/// To be asked before a state makes much at once: its bytes are told when they are there. Errors: MEMORY_LIMIT_EXCEEDED.
pub fn ask_for(bytes: usize) -> Result<()> {
    if bytes >= ASKED_FOR_BYTES { check_room(bytes) } else { Ok(()) }
}

/// To be asked before so many more values come to a list. Errors: MEMORY_LIMIT_EXCEEDED.
pub fn ask_for_more<T>(held: &Vec<T>, more: usize) -> Result<()> {
    let needed = held.len().saturating_add(more);
    if needed <= held.capacity() {
        return Ok(());
    }
    // The old buffer is there until it is copied.
    ask_for(needed.max(held.capacity().saturating_mul(2)).saturating_mul(size_of::<T>()))
}

/// Makes the states of an aggregate with no groups yet.
pub type Make = Arc<dyn Fn() -> Box<dyn Groups> + Send + Sync>;

/// The rows that a filter lets pass.
pub fn selected(args: &[ArrayRef], groups: &[usize], keep: &BooleanArray) -> Result<(Vec<ArrayRef>, Vec<usize>)> {
    let keep = if keep.null_count() > 0 { prep_null_mask_filter(keep) } else { keep.clone() };
    let args = args.iter().map(|array| Ok(filter(array, &keep)?)).collect::<Result<Vec<_>>>()?;
    let groups = groups.iter().zip(keep.values().iter()).filter(|(_, keep)| *keep).map(|(group, _)| *group).collect();
    Ok((args, groups))
}

/// The arguments alone: what rows are ordered by comes behind them.
fn leading(values: &[ArrayRef], arguments: usize) -> &[ArrayRef] {
    &values[..values.len().min(arguments)]
}

pub struct Grouped {
    groups: Box<dyn Groups>,
    known: usize,
    make: Make,
    arguments: usize,
}

impl Grouped {
    pub fn new(make: Make, arguments: usize) -> Self {
        Grouped { groups: make(), known: 0, make, arguments }
    }

    fn grow(&mut self, total: usize) {
        if total > self.known {
            self.known = total;
            self.groups.resize(total);
        }
    }

    fn forget(&mut self, emit_to: EmitTo) {
        match emit_to {
            EmitTo::All => {
                self.groups = (self.make)();
                self.known = 0;
            }
            EmitTo::First(groups) => {
                self.groups.drop_first(groups);
                self.known -= groups;
            }
        }
    }

    fn count(&self, emit_to: EmitTo) -> usize {
        match emit_to {
            EmitTo::All => self.known,
            EmitTo::First(groups) => groups,
        }
    }
}

fn update(groups: &mut dyn Groups, values: &[ArrayRef], indices: &[usize], opt_filter: Option<&BooleanArray>) -> Result<()> {
    match opt_filter {
        Some(keep) => {
            let (values, indices) = selected(values, indices, keep)?;
            if indices.is_empty() { Ok(()) } else { groups.update(&values, &indices) }
        }
        None if indices.is_empty() => Ok(()),
        None => groups.update(values, indices),
    }
}

impl GroupsAccumulator for Grouped {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> DataFusionResult<()> {
        self.grow(total_num_groups);
        Ok(update(self.groups.as_mut(), leading(values, self.arguments), group_indices, opt_filter)?)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> DataFusionResult<ArrayRef> {
        let result = self.groups.finish(self.count(emit_to))?;
        self.forget(emit_to);
        Ok(result)
    }

    fn state(&mut self, emit_to: EmitTo) -> DataFusionResult<Vec<ArrayRef>> {
        let states = self.groups.save(self.count(emit_to))?;
        self.forget(emit_to);
        Ok(states)
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total: usize) -> DataFusionResult<()> {
        self.grow(total);
        Ok(self.groups.merge(values, group_indices)?)
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> DataFusionResult<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, |array| array.len());
        let mut groups = (self.make)();
        groups.resize(rows);
        let indices: Vec<usize> = (0..rows).collect();
        update(groups.as_mut(), leading(values, self.arguments), &indices, opt_filter)?;
        Ok(groups.save(rows)?)
    }

    fn size(&self) -> usize {
        self.groups.bytes()
    }
}

/// One group: all rows.
pub struct Single {
    groups: Box<dyn Groups>,
    zeroes: Vec<usize>,
    arguments: usize,
}

impl Single {
    pub fn new(make: &Make, arguments: usize) -> Self {
        let mut groups = make();
        groups.resize(1);
        Single { groups, zeroes: Vec::new(), arguments }
    }

    fn rows(&mut self, values: &[ArrayRef]) -> usize {
        let rows = values.first().map_or(0, |array| array.len());
        if self.zeroes.len() < rows {
            self.zeroes.resize(rows, 0);
        }
        rows
    }

    /// What was made of a large state is there beside it, and nobody else asks whether there is room for both. Errors:
    /// MEMORY_LIMIT_EXCEEDED.
    fn check_made(&self) -> Result<()> {
        if self.groups.bytes() >= ASKED_FOR_BYTES { check_room(0) } else { Ok(()) }
    }
}

impl fmt::Debug for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Single")
    }
}

impl Accumulator for Single {
    fn update_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        let rows = self.rows(values);
        if rows > 0 {
            self.groups.update(leading(values, self.arguments), &self.zeroes[..rows])?;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> DataFusionResult<ScalarValue> {
        let result = self.groups.finish(1)?;
        self.check_made()?;
        ScalarValue::try_from_array(&result, 0)
    }

    fn size(&self) -> usize {
        self.groups.bytes() + self.zeroes.capacity() * size_of::<usize>()
    }

    fn state(&mut self) -> DataFusionResult<Vec<ScalarValue>> {
        let states = self.groups.save(1)?;
        self.check_made()?;
        states.iter().map(|array| ScalarValue::try_from_array(array, 0)).collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> DataFusionResult<()> {
        let rows = self.rows(states);
        Ok(self.groups.merge(states, &self.zeroes[..rows])?)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        let rows = self.rows(values);
        Ok(self.groups.retract(values, &self.zeroes[..rows])?)
    }

    fn supports_retract_batch(&self) -> bool {
        self.groups.retracts()
    }
}

/// Keeps the rows of the frame and computes anew when asked: for functions that cannot take rows back.
pub struct Recomputed {
    make: Make,
    rows: VecDeque<Vec<ArrayRef>>,
}

impl Recomputed {
    pub fn new(make: Make) -> Self {
        Recomputed { make, rows: VecDeque::new() }
    }
}

impl fmt::Debug for Recomputed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recomputed")
    }
}

impl Accumulator for Recomputed {
    fn update_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        if values.first().is_some_and(|array| !array.is_empty()) {
            self.rows.push_back(values.to_vec());
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        let mut left = values.first().map_or(0, |array| array.len());
        while left > 0 {
            let Some(front) = self.rows.front_mut() else { break };
            let len = front.first().map_or(0, |array| array.len());
            if len <= left {
                left -= len;
                self.rows.pop_front();
            } else {
                for array in front.iter_mut() {
                    *array = array.slice(left, len - left);
                }
                left = 0;
            }
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> DataFusionResult<ScalarValue> {
        let mut single = Single::new(&self.make, usize::MAX);
        for values in &self.rows {
            single.update_batch(values)?;
        }
        single.evaluate()
    }

    fn size(&self) -> usize {
        self.rows.iter().flatten().map(|array| array.get_array_memory_size()).sum()
    }

    fn state(&mut self) -> DataFusionResult<Vec<ScalarValue>> {
        let mut single = Single::new(&self.make, usize::MAX);
        for values in &self.rows {
            single.update_batch(values)?;
        }
        single.state()
    }

    fn merge_batch(&mut self, _states: &[ArrayRef]) -> DataFusionResult<()> {
        Err(gristmill_base::Error::logical("States are not merged within a window frame").into())
    }
}

/// DataFusion's own accumulator for moving frames, with the default in place of its NULL over no rows.
#[derive(Debug)]
pub struct Defaulted {
    pub inner: Box<dyn Accumulator>,
    pub default: ScalarValue,
}

impl Accumulator for Defaulted {
    fn update_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        self.inner.update_batch(values)
    }

    fn evaluate(&mut self) -> DataFusionResult<ScalarValue> {
        let value = self.inner.evaluate()?;
        Ok(if value.is_null() { self.default.clone() } else { value })
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn state(&mut self) -> DataFusionResult<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> DataFusionResult<()> {
        self.inner.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        self.inner.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}
