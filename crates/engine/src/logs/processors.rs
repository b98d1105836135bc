//! `system.processors_profile_log`: what the operators of a plan counted, written down when its streams are at their end.
//!
//! The operators count anyway, so that this costs a walk over the plan and a line of text for each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use gristmill_base::redact;
use gristmill_introspect::QueryContext;
use gristmill_introspect::logs::processors_log::{ProcessorEntry, processors_log};

/// Of the description of an operator.
const DESCRIPTION_BYTES_MAX: usize = 1024;

static PLANS: AtomicU64 = AtomicU64::new(0);

/// Writes down what the operators of a plan did.
pub fn log(plan: &Arc<dyn ExecutionPlan>, context: &QueryContext) {
    if context.settings.log_processors_profiles && context.settings.log_queries && processors_log().is_on() {
        let plan_id = PLANS.fetch_add(1, Ordering::Relaxed);
        let walk = Walk { plan_id, event_time_micros: context.env.now_micros(), query_id: &context.query_id };
        walk.down(plan, None, &mut 0);
    }
}

struct Walk<'a> {
    plan_id: u64,
    event_time_micros: i64,
    query_id: &'a str,
}

impl Walk<'_> {
    /// `next`: the number of the next operator.
    fn down(&self, plan: &Arc<dyn ExecutionPlan>, parent_id: Option<u64>, next: &mut u64) {
        let id = *next;
        *next += 1;
        let rows_of = |plan: &Arc<dyn ExecutionPlan>| plan.metrics().and_then(|metrics| metrics.output_rows()).unwrap_or(0);
        processors_log().add(|| {
            let metrics = plan.metrics();
            let sum = |name: &str| metrics.as_ref().and_then(|metrics| metrics.sum_by_name(name));
            let elapsed_nanos = metrics.as_ref().and_then(|metrics| metrics.elapsed_compute()).unwrap_or(0);
            ProcessorEntry {
                event_time_micros: self.event_time_micros,
                id,
                parent_id,
                plan_id: self.plan_id,
                name: plan.name().to_string(),
                description: description(plan),
                query_id: self.query_id.to_string(),
                elapsed_micros: (elapsed_nanos / 1000) as u64,
                input_rows: plan.children().into_iter().map(|child| rows_of(child) as u64).sum(),
                output_rows: rows_of(plan) as u64,
                output_bytes: sum("output_bytes").map_or(0, |value| value.as_usize() as u64),
            }
        });
        for child in plan.children() {
            self.down(child, Some(id), next);
        }
    }
}

/// As EXPLAIN shows it, without secrets, cut at the border of a character.
fn description(plan: &Arc<dyn ExecutionPlan>) -> String {
    let text = redact::statement(DisplayableExecutionPlan::new(plan.as_ref()).one_line().to_string().trim_end());
    text[..text.floor_char_boundary(DESCRIPTION_BYTES_MAX)].to_string()
}
