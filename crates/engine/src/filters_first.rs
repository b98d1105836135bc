//! Columns are computed behind the filter: for the rows that are left alone, of which none fails that is not wanted.
//!
//! DataFusion moves a projection below a filter wherever it leaves columns out, expressions and all. The rule moves those that
//! compute back; a projection that only names columns may stay.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;

#[derive(Debug)]
pub struct FilterBeforeComputing;

impl PhysicalOptimizerRule for FilterBeforeComputing {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|plan| match swapped(&plan)? {
            Some(projection) => Ok(Transformed::yes(projection)),
            None => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "FilterBeforeComputing"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The projection over the filter, where it is below it, computes, and is not asked for by the condition.
fn swapped(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(filter) = plan.downcast_ref::<FilterExec>() else { return Ok(None) };
    let Some(projection) = filter.input().downcast_ref::<ProjectionExec>() else { return Ok(None) };
    let is_column = |expr: &Arc<dyn PhysicalExpr>| expr.is::<Column>();
    let exprs = projection.expr();
    let computes = exprs.iter().any(|projected| !is_column(&projected.expr) && !projected.expr.is::<Literal>());
    let needed = collect_columns(filter.predicate());
    let asks_for_columns = needed.iter().all(|column| exprs.get(column.index()).is_some_and(|one| is_column(&one.expr)));
    // One that counts rows counts those that come to it.
    let mut is_volatile = false;
    for projected in exprs {
        projected.expr.apply(|expr| {
            is_volatile |= expr.is_volatile_node();
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    if !computes || !asks_for_columns || is_volatile || filter.projection().is_some() || filter.fetch().is_some() {
        return Ok(None);
    }
    let Some(predicate) = update_expr(filter.predicate(), exprs, true)? else { return Ok(None) };
    let builder = FilterExecBuilder::from(filter).with_predicate(predicate).with_input(projection.input().clone());
    let below: Arc<dyn ExecutionPlan> = Arc::new(builder.build()?);
    Ok(Some(Arc::new(ProjectionExec::try_new(exprs.to_vec(), below)?)))
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use datafusion::execution::SessionStateBuilder;
    use datafusion::physical_plan::displayable;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    fn session(rule: bool) -> SessionContext {
        let config = SessionConfig::new().with_target_partitions(1);
        let mut builder = SessionStateBuilder::new().with_config(config).with_default_features();
        if rule {
            builder = builder.with_physical_optimizer_rule(Arc::new(FilterBeforeComputing));
        }
        let session = SessionContext::new_with_state(builder.build());
        let column = |values: [i64; 3]| -> ArrayRef { Arc::new(Int64Array::from(values.to_vec())) };
        let columns = [("a", column([0, 1, 2])), ("b", column([5, 6, 7])), ("c", column([8, 9, 0]))];
        let batch = RecordBatch::try_from_iter(columns).expect("a batch");
        session.register_batch("t", batch).expect("registered");
        session
    }

    #[tokio::test]
    async fn rows_that_are_left_out_are_not_computed() {
        let query = "SELECT a, 10 / a AS q FROM t WHERE a > 0 ORDER BY a";
        let plan = session(true).sql(query).await.expect("a query").create_physical_plan().await.expect("a plan");
        let shown = displayable(plan.as_ref()).indent(false).to_string();
        let at = |name: &str| shown.find(name).unwrap_or_else(|| panic!("{name} in {shown}"));
        assert!(at("10 / a") < at("FilterExec"), "{shown}");
        let rows = session(true).sql(query).await.expect("a query").collect().await.expect("no row is divided by zero");
        assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
    }

    #[tokio::test]
    async fn what_only_names_columns_or_is_asked_for_stays() {
        for query in ["SELECT b FROM t WHERE a > 0", "SELECT s FROM (SELECT a, b + c AS s, b FROM t) WHERE s > 10 OR b > 6"]
        {
            let shown = |plan: Arc<dyn ExecutionPlan>| displayable(plan.as_ref()).indent(false).to_string();
            let without = session(false).sql(query).await.expect("a query").create_physical_plan().await.expect("a plan");
            let with = session(true).sql(query).await.expect("a query").create_physical_plan().await.expect("a plan");
            assert_eq!(shown(with), shown(without), "{query}");
        }
    }
}
