//! What the log of a query has of its scans before they begin: by what parts and granules were left out, how many are read,
//! and which conditions are computed first. The numbers are those of EXPLAIN.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::units;
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{QueryContext, tell};

use super::exec::scan_of;
use super::explained::{ScanExplained, explained};
use super::unit::PartSelection;
use crate::index::select::IndexUse;

/// Tells of every scan of the plan, where anybody listens.
pub fn tell_reads(plan: &Arc<dyn ExecutionPlan>, context: &QueryContext) {
    if context.is_told(Level::DEBUG) {
        tell_each(plan, context);
    }
}

fn tell_each(plan: &Arc<dyn ExecutionPlan>, context: &QueryContext) {
    if let (Some(scan), Some(shown)) = (scan_of(plan), explained(plan)) {
        let parts = scan.parts();
        let sum = |of: fn(&PartSelection) -> u64| parts.iter().map(of).sum::<u64>();
        let (marks, rows) = (sum(PartSelection::marks), sum(|part| part.rows));
        let table = &shown.table;
        for index in &shown.indexes {
            if let Some(condition) = index.condition.as_ref().filter(|condition| condition.as_str() != "true") {
                tell!(context, DEBUG, "SelectExecutor", "{table}: {} condition: {condition}", title(index));
            }
        }
        tell!(
            context,
            DEBUG,
            "SelectExecutor",
            "{table}: {}",
            selected(&shown, parts.len() as u64, scan.parts_total(), marks, scan.total_marks())
        );
        for index in shown.indexes.iter().filter(|index| !matches!(index.kind, "Min-Max" | "Partition" | "PrimaryKey")) {
            let dropped = index.granules.1.saturating_sub(index.granules.0);
            tell!(
                context,
                DEBUG,
                "SelectExecutor",
                "{table}: {} has dropped {dropped}/{} granules",
                title(index),
                index.granules.1
            );
        }
        if let Some(projection) = &shown.projection {
            tell!(context, DEBUG, "SelectExecutor", "{table}: the projection {projection} is read in its place");
        }
        if !shown.prewhere.is_empty() {
            let steps = shown.prewhere.join(", then ");
            tell!(context, DEBUG, "MergeTreeWhereOptimizer", "{table}: moved to PREWHERE: {steps}");
        }
        let ranges: u64 = sum(|part| part.granules.len() as u64);
        let streams = plan.properties().partitioning.partition_count();
        tell!(
            context,
            DEBUG,
            "SelectExecutor",
            "{table}: Reading approx. {rows} rows with {streams} streams: {marks} marks from {ranges} ranges of parts of {} ({} uncompressed)",
            units::bytes_binary(sum(|part| part.entry.bytes) as f64),
            units::bytes_binary(sum(|part| part.entry.uncompressed_bytes) as f64)
        );
        let columns: Vec<String> = scan.schema().fields().iter().map(|field| field.name().clone()).collect();
        let order: Vec<&str> = shown.read_types.iter().map(String::as_str).collect();
        tell!(context, TRACE, "SelectExecutor", "{table}: columns: {}; order: {}", columns.join(", "), or_any(&order));
        return;
    }
    plan.children().into_iter().for_each(|child| tell_each(child, context));
}

fn or_any(order: &[&str]) -> String {
    if order.is_empty() { "any".to_string() } else { order.join(", ") }
}

/// `Index `a``, `The primary key`, …
fn title(index: &IndexUse) -> String {
    match (&index.index, index.kind) {
        (Some((name, _)), _) => format!("Index `{name}`"),
        (None, "Min-Max") => "Min-max index".to_string(),
        (None, "Partition") => "Partition key".to_string(),
        (None, "PrimaryKey") => "Primary key".to_string(),
        (None, "Statistics") => "Column bounds".to_string(),
        (None, "QueryConditionCache") => "Query condition cache".to_string(),
        (None, kind) => kind.to_string(),
    }
}

/// As ClickHouse says it.
fn selected(shown: &ScanExplained, parts: u64, parts_total: u64, marks: u64, marks_total: u64) -> String {
    let of = |kind: &str| shown.indexes.iter().rfind(|index| index.kind == kind);
    let by_partition = of("Partition").or(of("Min-Max")).map_or(parts_total, |index| index.parts.0);
    let (parts_by_key, marks_by_key) = of("PrimaryKey").map_or((parts, marks), |key| (key.parts.0, key.granules.0));
    format!(
        "Selected {by_partition}/{parts_total} parts by partition key, {parts_by_key} parts by primary key, \
         {marks_by_key}/{marks_total} marks by primary key, {marks} marks to read from {parts} parts"
    )
}
