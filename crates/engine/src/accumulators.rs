//! The accumulators of an aggregation's functions, for operators that number the groups themselves.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, RecordBatch};
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, aggregate_expressions, evaluate_many};

/// A state a group of each function, with what the function is given of a row.
pub struct Accumulators {
    arguments: Vec<Vec<Arc<dyn PhysicalExpr>>>,
    filters: Vec<Option<Arc<dyn PhysicalExpr>>>,
    each: Vec<Box<dyn GroupsAccumulator>>,
}

impl Accumulators {
    /// Of an aggregation that reads rows.
    pub fn new(aggregate: &AggregateExec) -> Result<Accumulators> {
        let functions = aggregate.aggr_expr();
        Ok(Accumulators {
            arguments: aggregate_expressions(functions, aggregate.mode(), aggregate.group_expr().expr().len())?,
            filters: aggregate.filter_expr().to_vec(),
            each: functions.iter().map(|function| function.create_groups_accumulator()).collect::<Result<_>>()?,
        })
    }

    /// `row_groups`: the group of each row, of `count` that there are.
    pub fn update(&mut self, batch: &RecordBatch, row_groups: &[usize], count: usize) -> Result<()> {
        let arguments = evaluate_many(&self.arguments, batch)?;
        for ((accumulator, arguments), filter) in self.each.iter_mut().zip(&arguments).zip(&self.filters) {
            let filter = filter.as_ref().map(|filter| filter.evaluate(batch)?.into_array(batch.num_rows())).transpose()?;
            let filter: Option<&BooleanArray> = filter.as_ref().map(|filter| filter.as_boolean());
            accumulator.update_batch(arguments, row_groups, filter, count)?;
        }
        Ok(())
    }

    pub fn bytes(&self) -> usize {
        self.each.iter().map(|accumulator| accumulator.size()).sum()
    }

    /// The states of all groups, by function; there are none afterwards.
    pub fn states(&mut self) -> Result<Vec<Vec<ArrayRef>>> {
        self.each.iter_mut().map(|accumulator| accumulator.state(EmitTo::All)).collect()
    }

    /// The results of all groups; there are none afterwards.
    pub fn results(&mut self) -> Result<Vec<ArrayRef>> {
        self.each.iter_mut().map(|accumulator| accumulator.evaluate(EmitTo::All)).collect()
    }
}
