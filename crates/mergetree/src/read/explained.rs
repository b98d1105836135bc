//! What EXPLAIN tells of scans: by what they left parts and granules out, and how they read the rest.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

use super::exec::scan_of;
use super::ordered_scan::OrderedScan;
use crate::index::select::IndexUse;

/// How a scan reads its table.
#[derive(Debug)]
pub struct ScanExplained {
    /// The table, with its database.
    pub table: String,
    /// The projection of it that is read in its place.
    pub projection: Option<String>,
    /// How parts and granules were chosen, step by step.
    pub indexes: Vec<IndexUse>,
    /// Orders in which rows are read.
    pub read_types: Vec<String>,
    /// The conditions in the order in which the first part begins to be read with them.
    pub prewhere: Vec<String>,
}

/// Of a node of a plan that is a scan of a MergeTree table.
pub fn explained(plan: &Arc<dyn ExecutionPlan>) -> Option<ScanExplained> {
    let scan = scan_of(plan)?;
    let ordered = plan.downcast_ref::<OrderedScan>().map(|ordered| ordered.read_type().to_string());
    Some(ScanExplained {
        table: scan.table_name(),
        projection: scan.projection().map(str::to_string),
        indexes: scan.indexes().to_vec(),
        read_types: ordered.into_iter().chain(scan.first_read_type()).collect(),
        prewhere: scan.prewhere(),
    })
}

/// The lines that `EXPLAIN indexes = 1` shows of every scan in the plan.
pub fn explain_indexes(plan: &Arc<dyn ExecutionPlan>) -> Vec<String> {
    let mut lines = explained(plan).map_or_else(Vec::new, |scan| scan.lines());
    lines.extend(plan.children().into_iter().flat_map(explain_indexes));
    lines
}

impl ScanExplained {
    pub fn lines(&self) -> Vec<String> {
        let read = self.projection.as_ref().unwrap_or(&self.table);
        let mut lines = vec![format!("ReadFromMergeTree ({read})"), "Indexes:".to_string()];
        for index in &self.indexes {
            lines.push(format!("  {}", index.kind));
            if !index.keys.is_empty() {
                lines.push("    Keys:".to_string());
                lines.extend(index.keys.iter().map(|key| format!("      {key}")));
            }
            if let Some((name, description)) = &index.index {
                lines.push(format!("    Name: {name}"));
                lines.push(format!("    Description: {description}"));
            }
            lines.extend(index.condition.iter().map(|condition| format!("    Condition: {condition}")));
            lines.push(format!("    Parts: {}/{}", index.parts.0, index.parts.1));
            lines.push(format!("    Granules: {}/{}", index.granules.0, index.granules.1));
        }
        lines.extend(self.read_types.iter().map(|read_type| format!("Read type: {read_type}")));
        if !self.prewhere.is_empty() {
            lines.push("Prewhere".to_string());
            lines.extend(self.prewhere.iter().map(|step| format!("  Prewhere filter column: {step}")));
        }
        if let Some(projection) = &self.projection {
            lines.push("Projections:".to_string());
            lines.push(format!("  Name: {projection}"));
            lines.push(format!("  Table: {}", self.table));
        }
        lines
    }
}
