//! Window functions by whole columns.
//!
//! DataFusion finds the frame of each row, takes slices of the arguments, and makes a value of its own of each result: hundreds of
//! nanoseconds a row, whatever the function. The rule puts one operator in the place of its two where rows come sorted by PARTITION BY and
//! ORDER BY, and the functions and frames are of those that people write most ([`functions`]): ranks, neighbours, the first and the last
//! value, and aggregates over all of the partition, over what is before, or over a few rows around. The operator finds where
//! partitions and rows that sort alike begin, by columns ([`chunk`]), and computes all frames of a stretch at once.

mod chunk;
mod exec;
mod functions;
mod ranks;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

pub use exec::VectorizedWindow;

#[derive(Debug)]
pub struct ComputeWindowsByColumns;

impl PhysicalOptimizerRule for ComputeWindowsByColumns {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            Ok(match VectorizedWindow::of(&plan) {
                Some(window) => Transformed::yes(Arc::new(window) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "ComputeWindowsByColumns"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
