//! The rows that an inner LIMIT chooses stay the same, whatever is done with them above.
//!
//! DataFusion's limit hands on the order of its input, and so what makes sorts take its word for it: a sort above a limit is
//! taken out where the rows have its order already, and its own limit becomes one with the inner limit, or is moved below it
//! where it asks for more than that order. `SELECT * FROM (SELECT * FROM numbers(10000000) LIMIT 5000000, 100000) ORDER BY
//! number LIMIT 3` then had no rows, and a window by `k, v` over the rows of `ORDER BY k LIMIT 1000, 5000` was given the first.
//!
//! So while sorts are placed, a limit that has more above it than columns stands in the plan as an operator whose rows have no
//! order and that asks for the order that the sort below it gives. Sorts above stay above, and those below stay below. Behind
//! that rule it is a limit again, so that what shortens scans sees it. What it costs is a sort of the rows of a limit that may
//! have been sorted.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, OrderingRequirements};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::output_requirements::OutputRequirementExec;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements,
    PhysicalExpr, PlanProperties, Statistics,
};

type Rule = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// DataFusion's, that places sorts.
const PLACES_SORTS: &str = "EnsureRequirements";

/// The rules, with inner limits kept in their places while sorts are placed.
pub fn keeping_limits(rules: Vec<Rule>) -> Vec<Rule> {
    let is_meant = |rule: &Rule| rule.name() == PLACES_SORTS;
    rules.into_iter().map(|rule| if is_meant(&rule) { Arc::new(KeepsLimits(rule)) as Rule } else { rule }).collect()
}

#[derive(Debug)]
struct KeepsLimits(Rule);

impl PhysicalOptimizerRule for KeepsLimits {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let placed = self.0.optimize(kept(plan, false)?, config)?;
        placed.transform_up(|plan| Ok(given_back(plan))).data()
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// The plan with its inner limits kept. `is_inner`: something above it may ask for an order, or have a limit of its own.
fn kept(plan: Arc<dyn ExecutionPlan>, is_inner: bool) -> Result<Arc<dyn ExecutionPlan>> {
    let only_shows = plan.downcast_ref::<ProjectionExec>().is_some()
        || plan.downcast_ref::<OutputRequirementExec>().is_some()
        || plan.downcast_ref::<GlobalLimitExec>().is_some();
    let of_children = is_inner || !only_shows;
    let plan = plan.map_children(|child| Ok(Transformed::yes(kept(child, of_children)?))).data()?;
    Ok(match plan.downcast_ref::<GlobalLimitExec>() {
        Some(limit) if is_inner => Arc::new(KeptLimit::new(limit.clone())),
        _ => plan,
    })
}

fn given_back(plan: Arc<dyn ExecutionPlan>) -> Transformed<Arc<dyn ExecutionPlan>> {
    match plan.downcast_ref::<KeptLimit>() {
        Some(kept) => Transformed::yes(Arc::new(kept.limit.clone()) as Arc<dyn ExecutionPlan>),
        None => Transformed::no(plan),
    }
}

/// A limit whose rows have no order for those above.
struct KeptLimit {
    limit: GlobalLimitExec,
    properties: Arc<PlanProperties>,
}

impl KeptLimit {
    fn new(limit: GlobalLimitExec) -> KeptLimit {
        let unordered = EquivalenceProperties::new(limit.schema());
        let properties = limit.properties().as_ref().clone().with_eq_properties(unordered);
        KeptLimit { limit, properties: Arc::new(properties) }
    }
}

/// Whether the order of the rows is made by a sort, and not only found.
fn is_sorted(plan: &Arc<dyn ExecutionPlan>) -> bool {
    match (plan.downcast_ref::<SortExec>(), plan.children().as_slice(), plan.maintains_input_order().as_slice()) {
        (Some(_), _, _) => true,
        (None, [input], [true]) => is_sorted(input),
        _ => false,
    }
}

impl fmt::Debug for KeptLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for KeptLimit {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeptLimit: skip={}, fetch={:?}", self.limit.skip(), self.limit.fetch())
    }
}

impl ExecutionPlan for KeptLimit {
    fn name(&self) -> &str {
        "KeptLimit"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![self.limit.input()]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let input = self.limit.input();
        vec![input.output_ordering().filter(|_| is_sorted(input)).cloned().map(OrderingRequirements::from)]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return datafusion::common::internal_err!("KeptLimit has one input");
        };
        let (skip, fetch) = (self.limit.skip(), self.limit.fetch());
        Ok(Arc::new(KeptLimit::new(GlobalLimitExec::new(input.clone(), skip, fetch))))
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.limit.child_stats_requests(partition)
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.limit.statistics_from_inputs(inputs, args)
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.limit.execute(partition, task)
    }
}
