//! GROUP BY where nearly each row is a group of its own: rows are parted by the hash of their keys as they are read, and each part is
//! grouped once.
//!
//! DataFusion groups each stream first, finds out that this leaves nearly as many states as there were rows, and from then on makes a
//! state of each row, which is wider than the row, deals the states to streams, and merges them: each row is copied three
//! times before it meets its group. The rule puts one operator in the place of all that. It looks at the first rows of a stream;
//! where their keys repeat, the operators that it stands for go on with them ([`exec`]).

mod exec;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode, Partitioning};

use self::exec::PartedAggregate;
use crate::bucketed_groups::BucketedAggregate;

#[derive(Debug)]
pub struct GroupManyByParts;

impl PhysicalOptimizerRule for GroupManyByParts {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| match parted(&plan)? {
            Some(operator) => Ok(Transformed::yes(Arc::new(operator) as Arc<dyn ExecutionPlan>)),
            None => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "GroupManyByParts"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The operator that stands for an aggregation in two steps with an exchange between them.
fn parted(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<PartedAggregate>> {
    if !plan.is::<BucketedAggregate>() {
        return Ok(None);
    }
    let [exchange] = plan.children()[..] else { return Ok(None) };
    let Some(dealt) = exchange.downcast_ref::<RepartitionExec>() else { return Ok(None) };
    let Some(partial) = dealt.input().downcast_ref::<AggregateExec>() else { return Ok(None) };
    let fits = *partial.mode() == AggregateMode::Partial
        && matches!(dealt.partitioning(), Partitioning::Hash(..))
        && !dealt.preserve_order()
        && partial.group_expr().is_single()
        && !partial.group_expr().is_empty()
        && partial.limit_options().is_none()
        && *partial.input_order_mode() == InputOrderMode::Linear;
    if !fits {
        return Ok(None);
    }
    PartedAggregate::of(plan.clone(), exchange.clone(), partial)
}

#[cfg(test)]
mod tests;
