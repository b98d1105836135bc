//! `max_recursive_cte_evaluation_depth`: how often the recursive part of a common table expression may be run.
//!
//! The operator of a recursion runs that part once a turn; around it stands one that counts the turns, of the whole query, and
//! refuses the one that is too many.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PhysicalExpr, PlanProperties,
    ReplaceChildrenOptions,
};
use gristmill_base::{Error, ErrorCode};

/// The plan with its turns counted, where it is a recursion.
pub(crate) fn counted(plan: &Arc<dyn ExecutionPlan>, most: u64) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(recursion) = plan.downcast_ref::<RecursiveQueryExec>() else { return Ok(None) };
    // Behind the mark stands what tells it from others of the same name.
    let name = recursion.name().split('#').next().unwrap_or_default();
    let turns =
        CountedTurns { name: Arc::from(name), most, input: recursion.recursive_term().clone(), turns: Arc::default() };
    let children = vec![recursion.static_term().clone(), Arc::new(turns) as Arc<dyn ExecutionPlan>];
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    plan.clone().replace_children(children, options).map(Some)
}

/// The recursive part.
struct CountedTurns {
    /// Of the common table expression.
    name: Arc<str>,
    most: u64,
    input: Arc<dyn ExecutionPlan>,
    turns: Arc<AtomicU64>,
}

impl fmt::Debug for CountedTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for CountedTurns {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountedTurns: {}, most={}", self.name, self.most)
    }
}

impl ExecutionPlan for CountedTurns {
    fn name(&self) -> &str {
        "CountedTurns"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    /// Between turns what is below is made anew; the count goes on.
    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| DataFusionError::Internal("CountedTurns has one input".to_string()))?;
        Ok(Arc::new(CountedTurns { name: self.name.clone(), most: self.most, input, turns: self.turns.clone() }))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if self.turns.fetch_add(1, Relaxed) >= self.most {
            let text = format!(
                "Maximum recursive CTE evaluation depth ({}) exceeded, during evaluation of {}. Consider raising \
                 max_recursive_cte_evaluation_depth setting",
                self.most, self.name
            );
            return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text).into());
        }
        self.input.execute(partition, task)
    }
}
