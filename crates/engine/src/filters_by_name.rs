//! Filters that are put down within the physical plan find their columns by name.
//!
//! So DataFusion puts what is said of the second of two columns of one name to the first: the keys that a join has found of `t2.id`
//! are asked of `t1.id`, whose rows are left out (`FilterRemapper::try_remap` of version 55). Where any operator gives two columns
//! of one name, as a join of tables with an `id` each does, its rule is left out; all it would do is to save work.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

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
        if has_one_name_twice(&plan) { Ok(plan) } else { self.0.optimize(plan, config) }
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

fn has_one_name_twice(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let schema = plan.schema();
    let mut names = HashSet::with_capacity(schema.fields().len());
    !schema.fields().iter().all(|field| names.insert(field.name().as_str()))
        || plan.children().into_iter().any(has_one_name_twice)
}
