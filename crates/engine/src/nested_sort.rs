//! `ORDER BY … LIMIT` by a tuple or an array sorts all rows.
//!
//! DataFusion's operator for the first rows leaves out what is not less than the last of those that it has, by an operator
//! that puts a NULL inside of a value before all others, where the sort puts it behind: rows would be lost
//! (`ORDER BY [a] LIMIT 1` gave a row whose `a` is NULL). Keys of other types are compared alike by both.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::limit::LocalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;

#[derive(Debug)]
pub struct SortNestedKeysWhole;

impl PhysicalOptimizerRule for SortNestedKeysWhole {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            Ok(match plan.downcast_ref::<SortExec>().and_then(whole) {
                Some(sorted) => Transformed::yes(sorted),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "SortNestedKeysWhole"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The first rows of the sorted whole; `None`: the operator finds them itself.
fn whole(sort: &SortExec) -> Option<Arc<dyn ExecutionPlan>> {
    let fetch = sort.fetch()?;
    let schema = sort.input().schema();
    let is_nested = sort.expr().iter().any(|key| key.expr.data_type(&schema).is_ok_and(|kind| kind.is_nested()));
    let sorted =
        || SortExec::new(sort.expr().clone(), sort.input().clone()).with_preserve_partitioning(sort.preserve_partitioning());
    is_nested.then(|| Arc::new(LocalLimitExec::new(Arc::new(sorted()), fetch)) as Arc<dyn ExecutionPlan>)
}
