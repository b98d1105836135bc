//! A projection that computes very many columns does so of a few rows at a time.
//!
//! A block has as many rows as is good for some columns. Thousands of computed ones of so many rows would be gigabytes, each array of
//! them too small to be asked for: the query would pass its memory limit before anything refuses it. What comes behind gathers
//! rows as it likes.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};
use futures::TryStreamExt;

use crate::in_order::is_computed_in_order;
use crate::pieces::pieces;
use crate::transparent::{Transparent, Wrapper};

/// More computed columns than that are very many.
const MANY_COLUMNS: usize = 500;
/// Bytes of the columns that a stream computes at a time: about, by those that a value takes.
const BLOCK_BYTES: usize = 32 << 20;
const VALUE_BYTES: usize = 32;
const LEAST_ROWS: usize = 256;

#[derive(Debug)]
pub struct ComputeManyColumnsOfFewRows;

impl PhysicalOptimizerRule for ComputeManyColumnsOfFewRows {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            let Some(rows) = rows_at_a_time(&plan)? else { return Ok(Transformed::no(plan)) };
            let cut = |input: &Arc<dyn ExecutionPlan>| Transparent::around(input.clone(), FewRows { rows });
            let inputs = plan.children().into_iter().map(cut).collect();
            let kept = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
            Ok(Transformed::yes(plan.replace_children(inputs, kept)?))
        })
        .data()
    }

    fn name(&self) -> &str {
        "ComputeManyColumnsOfFewRows"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// `None`: the operator is no projection, or computes no more columns than a block of rows is made for.
fn rows_at_a_time(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<usize>> {
    if plan.downcast_ref::<ProjectionExec>().is_none() && !is_computed_in_order(plan) {
        return Ok(None);
    }
    let mut computed = 0;
    plan.apply_expressions(&mut |expression| {
        computed += usize::from(!expression.is::<Column>() && !expression.is::<Literal>());
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok((computed > MANY_COLUMNS).then(|| (BLOCK_BYTES / (computed * VALUE_BYTES)).max(LEAST_ROWS)))
}

/// The rows of an operator in pieces of no more than so many.
struct FewRows {
    rows: usize,
}

impl Wrapper for FewRows {
    fn again(&self) -> Self {
        FewRows { rows: self.rows }
    }

    fn execute(
        &self,
        inner: &Arc<dyn ExecutionPlan>,
        partition: usize,
        task: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let most = self.rows;
        let rows = inner.execute(partition, task)?;
        let cut = rows.map_ok(move |batch| futures::stream::iter(pieces(batch, most).map(Ok)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(inner.schema(), cut.try_flatten())))
    }
}
