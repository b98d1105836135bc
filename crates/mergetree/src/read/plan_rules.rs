//! Where the rules of this crate stand among DataFusion's rules of the physical plan.

use std::sync::Arc;

use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionConfig;
use gristmill_introspect::Settings;

use super::in_order::AggregateInOrder;
use super::late_rows::LateColumns;
use super::sort_in_order::SortInOrder;
use super::top_n::TopNOrder;

type Rule = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// DataFusion's rules and ours, for a query of these settings and so many threads. Changes what they read of the
/// configuration.
pub fn physical_rules(settings: &Settings, threads: usize, config: &mut SessionConfig) -> Vec<Rule> {
    let mut rules = PhysicalOptimizer::new().rules;
    if settings.optimize_read_in_order {
        // Sorts are where they are needed and know their limits; none has told its threshold yet.
        let place = rules.iter().position(|rule| rule.name() == "EnsureCooperative");
        rules.insert(place.unwrap_or(rules.len()), Arc::new(SortInOrder { threads: threads.max(1) }));
    }
    if settings.query_plan_optimize_lazy_materialization {
        let limit_max = match settings.query_plan_max_limit_for_lazy_materialization {
            0 => usize::MAX,
            limit => limit as usize,
        };
        let place = rules.iter().position(|rule| rule.name() == "EnsureCooperative");
        rules.insert(place.unwrap_or(rules.len()), Arc::new(LateColumns { limit_max }));
    }
    if settings.optimize_aggregation_in_order {
        let enforces = rules.iter().position(|rule| rule.name() == "EnsureRequirements");
        rules.insert(enforces.unwrap_or(0), Arc::new(AggregateInOrder));
        // Between the two halves of an aggregation the order is kept, too.
        config.options_mut().optimizer.prefer_existing_sort = true;
    }
    rules.push(Arc::new(TopNOrder));
    rules
}
