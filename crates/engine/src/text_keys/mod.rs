//! GROUP BY of one text: a hash table made for texts, and a merge that exchanges no rows.
//!
//! DataFusion groups each stream, deals the states to streams by the hash of the key, which copies the texts, and groups again by
//! another table of its own. Its tables wait for memory with every row. The rule puts one operator in the place of the three
//! ([`exec`]): tables that send for memory ahead ([`table`]), and states that stay where they are until they are merged in buckets
//! that fit into the cache ([`merge`]), as ClickHouse's two-level tables do.

mod exec;
mod groups;
mod merge;
mod outcome;
mod table;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode, Partitioning};

use self::exec::TextKeyAggregate;

#[derive(Debug)]
pub struct GroupByText;

impl PhysicalOptimizerRule for GroupByText {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| match by_text(&plan)? {
            Some(operator) => Ok(Transformed::yes(Arc::new(operator) as Arc<dyn ExecutionPlan>)),
            None => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "GroupByText"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The operator that stands for an aggregation in two steps with an exchange between them.
fn by_text(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<TextKeyAggregate>> {
    let Some(last) = plan.downcast_ref::<AggregateExec>() else { return Ok(None) };
    let Some(exchange) = last.input().downcast_ref::<RepartitionExec>() else { return Ok(None) };
    let Some(partial) = exchange.input().downcast_ref::<AggregateExec>() else { return Ok(None) };
    let is_plain = |aggregate: &AggregateExec| {
        aggregate.group_expr().is_single()
            && aggregate.limit_options().is_none()
            && *aggregate.input_order_mode() == InputOrderMode::Linear
    };
    let keys = partial.group_expr().input_exprs();
    let fits = *last.mode() == AggregateMode::FinalPartitioned
        && *partial.mode() == AggregateMode::Partial
        && matches!(exchange.partitioning(), Partitioning::Hash(..))
        && !exchange.preserve_order()
        && is_plain(last)
        && is_plain(partial)
        && keys.len() == 1
        && partial.aggr_expr().iter().all(|function| function.groups_accumulator_supported());
    if !fits || keys[0].data_type(&partial.input().schema())? != DataType::BinaryView {
        return Ok(None);
    }
    Ok(Some(TextKeyAggregate::new(last.clone(), last.input().clone(), partial.clone())))
}

#[cfg(test)]
mod tests;
