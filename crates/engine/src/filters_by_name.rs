//! Filters that are put down within the physical plan find their columns by name.
//!
//! So DataFusion puts what is said of the second of two columns of one name to the first: the keys that a join has found of `t2.id`
//! are asked of `t1.id`, whose rows are left out (`FilterRemapper::try_remap` of version 55). Where any operator gives two columns
//! of one name, as a join of tables with an `id` each does, its rule is left out; all it would do is to save work.
//!
//! A semi join has the columns of one side, and what is said of its keys is put to the other side too, where another column may have
//! the key's name: `a.k` of `ON a.k = b.j AND a.x > b.k` is not `b.k`.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::{JoinType, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::HashJoinExec;

type Rule = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// The rules, of which those that put filters down see to the names.
pub fn seeing_names(rules: Vec<Rule>) -> Vec<Rule> {
    let is_meant = |rule: &Rule| rule.name().starts_with("FilterPushdown");
    rules.into_iter().map(|rule| if is_meant(&rule) { Arc::new(SeesNames(rule)) as Rule } else { rule }).collect()
}

#[derive(Debug)]
struct SeesNames(Rule);

impl PhysicalOptimizerRule for SeesNames {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if mistakes_names(&plan) { Ok(plan) } else { self.0.optimize(plan, config) }
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

fn mistakes_names(plan: &Arc<dyn ExecutionPlan>) -> bool {
    has_one_name_twice(plan) || has_name_of_key(plan) || plan.children().into_iter().any(mistakes_names)
}

fn has_one_name_twice(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let schema = plan.schema();
    let mut names = HashSet::with_capacity(schema.fields().len());
    !schema.fields().iter().all(|field| names.insert(field.name().as_str()))
}

/// Whether a semi join has a column on the side that is not shown that is called as a key of the other, and is not that key's pair.
fn has_name_of_key(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let Some(join) = plan.downcast_ref::<HashJoinExec>() else { return false };
    let hidden = match join.join_type() {
        JoinType::LeftSemi => join.right(),
        JoinType::RightSemi => join.left(),
        _ => return false,
    };
    let (schema, shows_left) = (hidden.schema(), *join.join_type() == JoinType::LeftSemi);
    let pairs = || join.on().iter().map(move |(left, right)| if shows_left { (left, right) } else { (right, left) });
    let column = |key: &Arc<dyn PhysicalExpr>| key.downcast_ref::<Column>().cloned();
    pairs().filter_map(|(key, _)| column(key)).any(|key| {
        let is_pair = |place: usize| {
            pairs().any(|(shown, other)| {
                column(shown).as_ref() == Some(&key) && column(other).is_some_and(|other| other.index() == place)
            })
        };
        schema.index_of(key.name()).is_ok_and(|place| !is_pair(place))
    })
}
