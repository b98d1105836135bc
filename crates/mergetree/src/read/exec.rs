//! The scan as a node of the physical plan.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties};
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;

use super::filter::ScanFilter;
use super::final_scan::FinalScan;
use super::stream::{Output, ScanShared, stream};
use super::unit::{PartSelection, UnitLimits};
use crate::index::select::IndexUse;
use crate::manifest::State;
use crate::table::Core;

/// Reads chosen granules of parts. The choice (parts by name, runs of granules, columns, conditions) is the node's
/// description; the table that it is carried out on is found again by its uuid on any node that has it open.
pub struct MergeTreeScan {
    core: Arc<Core>,
    /// the version read; held so that its objects stay.
    state: Arc<State>,
    parts: Arc<Vec<PartSelection>>,
    filters: Vec<ScanFilter>,
    outputs: Vec<Output>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    /// Made when the first stream starts; all streams take from its queue.
    shared: OnceLock<Arc<ScanShared>>,
    total_marks: u64,
    indexes: Arc<Vec<IndexUse>>,
}

const FILTER_CHARACTERS_SHOWN: usize = 300;

/// Parts and granules that a scan reads, and by what it left the others out.
#[derive(Debug)]
pub struct Choice {
    pub parts: Vec<PartSelection>,
    pub total_marks: u64,
    pub indexes: Vec<IndexUse>,
}

impl MergeTreeScan {
    pub fn new(
        core: Arc<Core>,
        state: Arc<State>,
        choice: Choice,
        filters: Vec<ScanFilter>,
        (outputs, schema): (Vec<Output>, SchemaRef),
        streams: usize,
    ) -> Self {
        let Choice { parts, total_marks, indexes } = choice;
        let marks: u64 = parts.iter().map(PartSelection::marks).sum();
        let streams = streams.min(marks as usize).max(1);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(streams),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        MergeTreeScan {
            core,
            state,
            parts: Arc::new(parts),
            filters,
            outputs,
            schema,
            properties: Arc::new(properties),
            shared: OnceLock::new(),
            total_marks,
            indexes: Arc::new(indexes),
        }
    }

    /// Refuses what is known to be too much before any of it is read. (A `count()` of everything never gets here.)
    pub fn check_rows(&self, context: &QueryContext) -> Result<()> {
        let limit = context.settings.max_rows_to_read;
        let rows: u64 = self.parts.iter().map(|part| part.rows).sum();
        if limit == 0 || rows <= limit || context.settings.breaks_off_reading() {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::TOO_MANY_ROWS,
            format!(
                "Limit for rows to read (controlled by 'max_rows_to_read' setting) exceeded, max rows: {limit}, current rows: \
                 {rows}"
            ),
        ))
    }

    /// The chosen parts with their granules.
    pub fn parts(&self) -> &[PartSelection] {
        &self.parts
    }

    /// How parts and granules were chosen, step by step.
    pub fn indexes(&self) -> &[IndexUse] {
        &self.indexes
    }

    /// The lines that `EXPLAIN indexes = 1` shows of the scan.
    pub fn explain_indexes(&self) -> Vec<String> {
        let mut lines = vec![format!("ReadFromMergeTree ({})", self.core.name()), "Indexes:".to_string()];
        for index in self.indexes.iter() {
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
        lines
    }

    fn shared(&self) -> &Arc<ScanShared> {
        self.shared.get_or_init(|| {
            ScanShared::new(
                &self.core,
                &self.state,
                self.parts.clone(),
                self.filters.clone(),
                (self.outputs.clone(), self.schema.clone()),
                UnitLimits::of_query(self.properties.partitioning.partition_count()),
            )
        })
    }

    /// The same scan, not begun.
    pub fn again(&self) -> Self {
        MergeTreeScan {
            core: self.core.clone(),
            state: self.state.clone(),
            parts: self.parts.clone(),
            filters: self.filters.clone(),
            outputs: self.outputs.clone(),
            schema: self.schema.clone(),
            properties: self.properties.clone(),
            shared: OnceLock::new(),
            total_marks: self.total_marks,
            indexes: self.indexes.clone(),
        }
    }
}

/// The scan that a node of a plan is, with FINAL or without.
fn scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&MergeTreeScan> {
    let plan = plan.as_ref() as &dyn Any;
    plan.downcast_ref::<MergeTreeScan>().or_else(|| plan.downcast_ref::<FinalScan>().map(FinalScan::scan))
}

/// What `EXPLAIN indexes = 1` shows of every scan in the plan.
pub fn explain_indexes(plan: &Arc<dyn ExecutionPlan>) -> Vec<String> {
    let mut lines = scan_of(plan).map_or_else(Vec::new, MergeTreeScan::explain_indexes);
    lines.extend(plan.children().into_iter().flat_map(explain_indexes));
    lines
}

/// What a scan of a MergeTree table would read.
#[derive(Clone, Debug, PartialEq)]
pub struct TableEstimate {
    pub database: String,
    pub table: String,
    pub parts: u64,
    pub rows: u64,
    pub marks: u64,
}

/// What `EXPLAIN ESTIMATE` shows of every scan in the plan.
pub fn estimates(plan: &Arc<dyn ExecutionPlan>) -> Vec<TableEstimate> {
    let mut all: Vec<TableEstimate> = plan.children().into_iter().flat_map(estimates).collect();
    if let Some(scan) = scan_of(plan) {
        let name = scan.core.name();
        let (database, table) = name.split_once('.').unwrap_or(("", &name));
        all.push(TableEstimate {
            database: database.to_string(),
            table: table.to_string(),
            parts: scan.parts.len() as u64,
            rows: scan.parts.iter().map(|part| part.rows).sum(),
            marks: scan.parts.iter().map(PartSelection::marks).sum(),
        });
    }
    all
}

/// A set of thousands of values is not shown whole.
fn shortened(text: String) -> String {
    match text.char_indices().nth(FILTER_CHARACTERS_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl fmt::Debug for MergeTreeScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for MergeTreeScan {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks: u64 = self.parts.iter().map(PartSelection::marks).sum();
        let columns: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(
            f,
            "MergeTreeScan: table={}, parts={}/{}, granules={marks}/{}, columns=[{}]",
            self.core.name(),
            self.parts.len(),
            self.state.parts.len(),
            self.total_marks,
            columns.join(", ")
        )?;
        if !self.filters.is_empty() {
            let filters: Vec<String> = self.filters.iter().map(|filter| shortened(filter.expression.to_string())).collect();
            write!(f, ", filters=[{}]", filters.join(" AND "))?;
        }
        Ok(())
    }
}

impl ExecutionPlan for MergeTreeScan {
    fn name(&self) -> &str {
        "MergeTreeScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        for filter in &self.filters {
            if f(&filter.expression)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.again()))
    }

    fn execute(&self, _partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        self.check_rows(&context)?;
        let batches = stream(self.shared().clone(), context).map_err(DataFusionError::from);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches)))
    }

    /// Without conditions the number of rows is known exactly: `count()` needs no reading.
    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        let rows = self.parts.iter().map(|part| part.rows).sum::<u64>() as usize;
        // Streams share the rows as they go: nothing is known of one alone.
        if args.partition().is_none() {
            statistics.num_rows = if self.filters.is_empty() { Precision::Exact(rows) } else { Precision::Inexact(rows) };
        }
        Ok(Arc::new(statistics))
    }
}
