//! The limit of a sort stays above what needs all rows.
//!
//! Where the streams below an operator are in the order that a sort above it asks for, DataFusion takes the sort out and
//! merges the streams instead of gathering them as they come. It hands the sort's limit to that merge, whatever stands in
//! between: a window then counts the rows of the limit and not those of its input (`SELECT number, count() OVER () FROM
//! numbers(10000000) ORDER BY number LIMIT 3` said 3). So here, before that rule, the limit becomes an operator of its own
//! above the sort. Where the sort stays, a later rule gives the limit back to it.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{Distribution, ExecutionPlan};

#[derive(Debug)]
pub struct LimitAboveWhole;

impl PhysicalOptimizerRule for LimitAboveWhole {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            Ok(match plan.downcast_ref::<SortExec>().and_then(limited) {
                Some(limited) => Transformed::yes(limited),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "LimitAboveWhole"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The sort with its limit above it; `None`: there is none, or nothing below is in its way.
fn limited(sort: &SortExec) -> Option<Arc<dyn ExecutionPlan>> {
    let fetch = sort.fetch()?;
    if sort.preserve_partitioning() || !needs_whole(sort.input()) {
        return None;
    }
    let sorted = SortExec::new(sort.expr().clone(), sort.input().clone());
    Some(Arc::new(GlobalLimitExec::new(Arc::new(sorted), 0, Some(fetch))))
}

/// Whether an operator wants all rows in one stream and hands them on in their order, with nothing above it that breaks it.
///
/// A limit is none: a sort that has no limit any more would be moved below it, and an OFFSET leave out other rows.
fn needs_whole(plan: &Arc<dyn ExecutionPlan>) -> bool {
    if plan.downcast_ref::<GlobalLimitExec>().is_some() {
        return false;
    }
    let distributions = plan.input_distribution_requirements().into_per_child();
    let inputs = plan.children().into_iter().zip(plan.maintains_input_order()).zip(distributions);
    let mut kept = inputs.filter(|((_, keeps_order), _)| *keeps_order);
    kept.any(|((input, _), wanted)| matches!(wanted, Distribution::SinglePartition) || needs_whole(input))
}
