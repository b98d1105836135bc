//! What the scans in a plan read, by name: for the query log.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

use super::exec::scan_of;
use super::output::Output;

/// The projections that scans in the plan read, or were narrowed by, with their tables.
pub fn projections_read(plan: &Arc<dyn ExecutionPlan>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = plan.children().into_iter().flat_map(projections_read).collect();
    if let Some(scan) = scan_of(plan) {
        let indexes = scan.indexes().iter().filter(|used| used.kind == "Projection");
        let indexes = indexes.filter_map(|used| used.index.as_ref().map(|(name, _)| name.as_str()));
        all.extend(scan.projection().into_iter().chain(indexes).map(|name| (scan.core.name(), name.to_string())));
    }
    all.sort();
    all.dedup();
    all
}

/// The columns and the partitions that scans in the plan read, each behind its table and a point.
pub fn columns_and_partitions(plan: &Arc<dyn ExecutionPlan>, column: &mut dyn FnMut(&str), partition: &mut dyn FnMut(&str)) {
    for child in plan.children() {
        columns_and_partitions(child, column, partition);
    }
    let Some(scan) = scan_of(plan) else { return };
    let table = scan.core.name();
    let of_output = |output: &Output| if let Output::Stored(place) = output { Some(*place) } else { None };
    let places = scan.outputs.iter().filter_map(of_output);
    let mut places: Vec<usize> =
        places.chain(scan.filters.iter().flat_map(|filter| filter.columns.iter().copied())).collect();
    places.sort_unstable();
    places.dedup();
    for found in places.into_iter().filter_map(|place| scan.core.layout.columns.0.get(place)) {
        column(&format!("{table}.{}", found.name));
    }
    let mut ids: Vec<&str> = scan.parts.iter().map(|part| part.entry.partition_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().for_each(|id| partition(&format!("{table}.{id}")));
}
