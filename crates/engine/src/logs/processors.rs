//! `system.processors_profile_log`: what the operators of a plan counted, written down when its streams are at their end.

use std::time::Duration;

use gristmill_introspect::QueryContext;
use gristmill_introspect::logs::processors_log::{ProcessorEntry, processors_log};
use gristmill_introspect::operators::PlanFigures;

pub fn is_wanted(context: &QueryContext) -> bool {
    context.settings.log_processors_profiles && context.settings.log_queries && processors_log().is_on()
}

/// Writes down what the operators of a plan did.
pub fn log(plan: &PlanFigures, context: &QueryContext) {
    if !is_wanted(context) {
        return;
    }
    let event_time_micros = context.env.now_micros();
    let micros = |time: Duration| time.as_micros() as u64;
    for (id, operator) in plan.operators.iter().enumerate() {
        processors_log().add(|| {
            let output = operator.output();
            ProcessorEntry {
                event_time_micros,
                id: id as u64,
                parent_id: operator.parent.map(|parent| parent as u64),
                plan_id: plan.id,
                name: operator.name.clone(),
                description: operator.description.clone(),
                query_id: context.query_id.clone(),
                elapsed_micros: micros(operator.elapsed()),
                input_wait_micros: micros(operator.input_wait()),
                output_wait_micros: micros(operator.output_wait()),
                input_rows: operator.input.rows,
                input_bytes: operator.input.bytes,
                output_rows: output.rows,
                output_bytes: output.bytes,
            }
        });
    }
}
