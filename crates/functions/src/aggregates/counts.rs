//! `count`, and the aggregate over nothing but NULL.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, NullArray, UInt64Array};
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::few_groups::add_up;
use super::frames::run_through;
use super::groups::Groups;
use super::{NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate(
        "count",
        family(NullRule::Default, |call| {
            call.arity(0..=1)?;
            let mut plan = Plan::new(SqlType::UInt64, call.kinds.clone(), vec![DataType::UInt64], Count::default);
            plan.native_statistics = Some(datafusion::functions_aggregate::count::count_udaf());
            Ok(plan)
        }),
    );
    registry.any_case("count");
}

#[derive(Default)]
pub struct Count {
    counts: Vec<u64>,
}

impl Groups for Count {
    fn resize(&mut self, groups: usize) {
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, _args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        if let [count] = &mut self.counts[..] {
            *count += groups.len() as u64;
            return Ok(());
        }
        add_up(&mut self.counts, 0, groups, |count, _| count + 1, |one, other| one + other);
        Ok(())
    }

    fn run(&mut self, _args: &[ArrayRef], groups: &[usize], fresh: &[bool]) -> Result<()> {
        run_through(&mut self.counts, 0, groups, fresh, |count, _| count + 1);
        Ok(())
    }

    fn runs(&self) -> bool {
        true
    }

    fn retract(&mut self, _args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for group in groups {
            self.counts[*group] = self.counts[*group].saturating_sub(1);
        }
        Ok(())
    }

    fn retracts(&self) -> bool {
        true
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.finish(groups)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (group, count) in groups.iter().zip(states[0].as_primitive::<UInt64Type>().values()) {
            self.counts[*group] += count;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        Ok(Arc::new(UInt64Array::from(self.counts[..groups].to_vec())))
    }

    fn drop_first(&mut self, groups: usize) {
        self.counts.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.counts.capacity() * 8
    }
}

/// The aggregate of an argument that is the literal NULL: NULL.
pub struct Nothing;

impl Groups for Nothing {
    fn resize(&mut self, _groups: usize) {}

    fn update(&mut self, _args: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Ok(())
    }

    fn run(&mut self, _args: &[ArrayRef], _groups: &[usize], _fresh: &[bool]) -> Result<()> {
        Ok(())
    }

    fn runs(&self) -> bool {
        true
    }

    fn retract(&mut self, _args: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Ok(())
    }

    fn retracts(&self) -> bool {
        true
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.finish(groups)?])
    }

    fn merge(&mut self, _states: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        Ok(Arc::new(NullArray::new(groups)))
    }

    fn drop_first(&mut self, _groups: usize) {}

    fn bytes(&self) -> usize {
        0
    }
}
