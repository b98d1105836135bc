//! An aggregation without keys gives a row where there are none to aggregate, and so does an empty grouping set: a condition that is to
//! leave it out stands above.
//!
//! DataFusion puts conditions below an aggregation where all of their columns are keys, and so those that have none: of `SELECT * FROM
//! (SELECT sum(x) AS s, 'a' AS k FROM t) WHERE k = 'b'` it would leave the row of no rows (`PushDownFilter` of version 55; its physical
//! rule knows).

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, Optimizer, OptimizerConfig, OptimizerRule};

type Rule = Arc<dyn OptimizerRule + Send + Sync>;

/// DataFusion's rules over logical plans.
pub fn logical_rules() -> Vec<Rule> {
    let rules = Optimizer::new().rules.into_iter();
    rules.map(|rule| if rule.name() == "push_down_filter" { Arc::new(KeepAbove(rule)) as Rule } else { rule }).collect()
}

/// The rule that puts conditions down, but not below what gives rows of none.
#[derive(Debug)]
struct KeepAbove(Rule);

impl OptimizerRule for KeepAbove {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if filtered(&plan).is_some_and(gives_rows_of_none) {
            Ok(Transformed::no(plan))
        } else {
            self.0.rewrite(plan, config)
        }
    }
}

/// The aggregation right below conditions.
fn filtered(plan: &LogicalPlan) -> Option<&Aggregate> {
    let LogicalPlan::Filter(filter) = plan else { return None };
    match filter.input.as_ref() {
        LogicalPlan::Aggregate(aggregate) => Some(aggregate),
        below => filtered(below),
    }
}

fn gives_rows_of_none(aggregate: &Aggregate) -> bool {
    aggregate.group_expr.is_empty() || aggregate.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_)))
}
