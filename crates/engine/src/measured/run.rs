//! A plan that runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_introspect::QueryContext;
use gristmill_introspect::operators::PlanFigures;
use gristmill_introspect::tracing::Level;

use super::told::tell_rest;
use super::{figures, is_measured, is_wanted};
use crate::logs::processors;

static PLANS: AtomicU64 = AtomicU64::new(0);

/// Held while the streams of a plan run. Dropped, the figures of its operators are told, also where the query failed or nobody
/// wants its rows any more.
pub(crate) struct PlanRun {
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<QueryContext>,
    begun: Instant,
}

impl PlanRun {
    /// `None`: the plan is not measured.
    pub fn begin(plan: &Arc<dyn ExecutionPlan>, context: &Arc<QueryContext>) -> Option<PlanRun> {
        if !is_wanted(context) || !is_measured(plan) {
            return None;
        }
        Some(PlanRun { plan: plan.clone(), context: context.clone(), begun: context.env.instant() })
    }
}

impl Drop for PlanRun {
    fn drop(&mut self) {
        let plan = PlanFigures {
            id: PLANS.fetch_add(1, Relaxed),
            wall: self.context.env.instant().saturating_duration_since(self.begun),
            operators: figures(&self.plan, self.context.plans.are_kept()),
        };
        if self.context.is_told(Level::DEBUG) {
            tell_rest(&self.plan, &self.context);
        }
        processors::log(&plan, &self.context);
        self.context.plans.add(plan);
    }
}
