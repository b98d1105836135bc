//! Where the rules of this crate stand among DataFusion's rules of the physical plan.

use std::sync::Arc;

use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionConfig;
use gristmill_introspect::Settings;

use super::in_order::AggregateInOrder;
use super::top_n::TopNOrder;

type Rule = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// DataFusion's rules and ours, for a query of these settings. Changes what they read of the configuration.
pub fn physical_rules(settings: &Settings, config: &mut SessionConfig) -> Vec<Rule> {
    let mut rules = PhysicalOptimizer::new().rules;
    if settings.optimize_aggregation_in_order {
        let enforces = rules.iter().position(|rule| rule.name() == "EnsureRequirements");
        rules.insert(enforces.unwrap_or(0), Arc::new(AggregateInOrder));
        // Between the two halves of an aggregation the order is kept, too.
        config.options_mut().optimizer.prefer_existing_sort = true;
    }
    rules.push(Arc::new(TopNOrder));
    rules
}
