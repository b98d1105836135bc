//! Which projections, columns and partitions the plan of a query reads: told to the query log; and the projections held against what
//! the query demands.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{QueryContext, Use};
use gristmill_mergetree::read::{columns_and_partitions, projections_read};

/// Notes what the plan reads. Errors: INCORRECT_DATA where `force_optimize_projection_name` names another.
pub fn note(plan: &Arc<dyn ExecutionPlan>, context: &QueryContext) -> Result<()> {
    let read = projections_read(plan);
    let forced = &context.settings.force_optimize_projection_name;
    if !forced.is_empty() && !read.iter().any(|(_, projection)| projection == forced) {
        return Err(Error::new(
            ErrorCode::INCORRECT_DATA,
            format!("Projection {forced} is specified in setting force_optimize_projection_name but not used"),
        ));
    }
    let note = |what: Use| move |name: &str| context.used.note(what, name);
    columns_and_partitions(plan, &mut note(Use::Column), &mut note(Use::Partition));
    context.projections.lock().extend(read.into_iter().map(|(table, projection)| format!("{table}.{projection}")));
    Ok(())
}
