//! Operators that are measured: what each of them took and gave, computed and waited for.
//!
//! When a plan is made, and no rule looks at it any more, each of its operators is wrapped (`Measured`). The wrapper is the
//! operator to all who ask: name, properties, children, metrics and concrete type (`downcast_delegate`) are those of the
//! operator within. Only its streams are others: they count rows, look at the clock before and after each poll, and open a
//! frame (`gristmill_base::operator_time`), so that the time of an operator is without that of its inputs and with that of its
//! tasks.
//!
//! The life of a stream, from its first poll to its last, falls into four parts. In a poll it computes (`elapsed`), or its
//! inputs do, which it polls (`inputs`). After a poll that gave nothing it waits for input (`pending`); after one that gave
//! rows, for somebody who wants more (`output_wait`).
//!
//! Bytes of strings are exact where somebody asked for the query's plans; else some rows stand for the others, as a look at all
//! of them is felt in queries that do little more.
//!
//! An operator that reads tables or files gets counters of its own, which the query's count as well: its requests and the bytes of their
//! answers are known from those.
//!
//! When the streams of a plan are over, or nobody wants them any more, its figures are told (`PlanRun`): to
//! `system.processors_profile_log`, and to who asked for the plans of the query (`FinishedPlans`). The query's log has a line of each
//! operator before, as soon as it is known (`told`).

mod exec;
mod figures;
mod run;
mod stream;
#[cfg(test)]
mod tests;
mod told;

use std::any::Any;
use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};
use gristmill_introspect::QueryContext;
use gristmill_introspect::tracing::Level;

use self::exec::{Measured, Measuring};
pub(crate) use self::figures::{description, figures};
pub(crate) use self::run::PlanRun;
use crate::logs::processors;

/// Whether somebody is going to ask for the figures of the query's operators.
pub(crate) fn is_wanted(context: &QueryContext) -> bool {
    context.plans.are_kept() || processors::is_wanted(context) || context.is_told(Level::DEBUG)
}

/// The plan with each operator measured, from nothing: also one that was measured before.
pub(crate) fn measured(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = match of(&plan) {
        Some(wrapper) => wrapper.inner().clone(),
        None => plan,
    };
    let children: Vec<_> = plan.children().into_iter().cloned().map(measured).collect::<Result<_>>()?;
    let plan = if children.is_empty() { plan } else { replace_children_if_necessary(plan, children)? };
    // It hands on what it gets, and yields now and then.
    if plan.is::<CooperativeExec>() {
        return Ok(plan);
    }
    Ok(Measured::around(plan, Measuring::default()))
}

/// A plan that was made of one that is measured, for another run.
pub(crate) fn again(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if is_measured(&plan) { measured(plan) } else { Ok(plan) }
}

fn is_measured(plan: &Arc<dyn ExecutionPlan>) -> bool {
    of(plan).is_some() || plan.children().into_iter().any(is_measured)
}

/// The plan in one stream; what brings its streams together is measured where they are.
pub(crate) fn in_one_stream(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    if of(&plan).is_none() || plan.properties().partitioning.partition_count() < 2 {
        return plan;
    }
    Measured::around(Arc::new(CoalescePartitionsExec::new(plan)), Measuring::default())
}

/// The wrapper that a node of a plan is.
fn of(plan: &Arc<dyn ExecutionPlan>) -> Option<&Measured> {
    // Not `dyn ExecutionPlan::downcast_ref`, which looks through it.
    (plan.as_ref() as &dyn Any).downcast_ref::<Measured>()
}
