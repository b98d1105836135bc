//! One number for how a query is carried out: its operators, in their order, and the projections that are read. Two runs of a
//! query with the same number were planned alike, however much they read.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_mergetree::read::projections_read;
use siphasher::sip::SipHasher13;

/// Never 0. Of the same plan the same in each process.
pub(crate) fn of(plan: &Arc<dyn ExecutionPlan>) -> u64 {
    let mut hasher = SipHasher13::new();
    add(plan, &mut hasher);
    for (_, projection) in projections_read(plan) {
        projection.hash(&mut hasher);
    }
    hasher.finish().max(1)
}

fn add(plan: &Arc<dyn ExecutionPlan>, hasher: &mut SipHasher13) {
    let children = plan.children();
    plan.name().hash(hasher);
    children.len().hash(hasher);
    children.into_iter().for_each(|child| add(child, hasher));
}
