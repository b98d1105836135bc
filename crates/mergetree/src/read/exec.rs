//! The scan as a node of the physical plan.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{ColumnStatistics, Result as DataFusionResult, ScalarValue, Statistics};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr_common::physical_expr::fmt_sql;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties};
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{QueryContext, Settings};

use super::filter::ScanFilter;
use super::final_scan::FinalScan;
use super::ordered_scan::OrderedScan;
use super::output::Output;
use super::steps::{self, StepColumns};
use super::stream::{Help, Remember, ScanShared, stream};
use super::threshold::Thresholds;
use super::top_n::RowsFirst;
use super::unit::{PartSelection, UnitLimits};
use crate::index::exact;
use crate::index::select::IndexUse;
use crate::manifest::State;
use crate::part::OpenPart;
use crate::table::Core;

/// Reads chosen granules of parts. The choice (parts by name, runs of granules, columns, conditions) is the node's
/// description; the table that it is carried out on is found again by its uuid on any node that has it open.
pub struct MergeTreeScan {
    pub(super) core: Arc<Core>,
    /// the version read; held so that its objects stay.
    state: Arc<State>,
    pub(super) parts: Arc<Vec<PartSelection>>,
    pub(super) filters: Vec<ScanFilter>,
    pub(super) outputs: Vec<Output>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    /// Made when the first stream starts; all streams take from its queue.
    shared: OnceLock<Arc<ScanShared>>,
    total_marks: u64,
    indexes: Arc<Vec<IndexUse>>,
    settings: Arc<Settings>,
    /// Conditions that tighten while the query runs.
    dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// What ORDER BY … LIMIT above wants first.
    first: OnceLock<RowsFirst>,
    /// Columns that have one value in all rows that come out.
    fixed: Arc<FixedColumns>,
    /// Where it is remembered what no row fulfilled.
    remember: Option<Remember>,
    /// Exact bounds of the output's columns, found when they are first asked for.
    bounds: OnceLock<Vec<ColumnStatistics>>,
    pub(super) metrics: ExecutionPlanMetricsSet,
}

/// Values by the names of columns.
pub type FixedColumns = BTreeMap<String, ScalarValue>;

/// Columns up to which a scan without conditions tells their bounds.
pub const BOUNDED_COLUMNS_MAX: usize = 8;
const FILTER_CHARACTERS_SHOWN: usize = 300;

/// Parts and granules that a scan reads, and by what it left the others out.
#[derive(Debug)]
pub struct Choice {
    pub parts: Vec<PartSelection>,
    pub total_parts: u64,
    pub total_marks: u64,
    pub indexes: Vec<IndexUse>,
}

impl Choice {
    pub fn marks(&self) -> u64 {
        self.parts.iter().map(PartSelection::marks).sum()
    }

    /// Parts, and granules of them.
    pub fn counts(&self) -> (u64, u64) {
        (self.parts.len() as u64, self.marks())
    }
}

impl MergeTreeScan {
    pub fn new(
        core: Arc<Core>,
        state: Arc<State>,
        choice: Choice,
        filters: Vec<ScanFilter>,
        (outputs, schema): (Vec<Output>, SchemaRef),
        streams: usize,
        settings: Arc<Settings>,
    ) -> Self {
        let Choice { parts, total_marks, indexes, .. } = choice;
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
            settings,
            dynamic: Vec::new(),
            first: OnceLock::new(),
            fixed: Arc::default(),
            remember: None,
            bounds: OnceLock::new(),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// With what the conditions say of single columns.
    pub fn with_fixed(self, fixed: FixedColumns) -> Self {
        MergeTreeScan { fixed: Arc::new(fixed), ..self }
    }

    /// A scan that remembers what it did not find.
    pub fn with_memory(self, remember: Option<Remember>) -> Self {
        MergeTreeScan { remember, ..self }
    }

    pub fn fixed(&self) -> &FixedColumns {
        &self.fixed
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Whether the scan itself leaves rows out.
    pub fn filters_rows(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Says which rows are wanted first.
    pub fn want_first(&self, first: RowsFirst) {
        if self.settings.optimize_read_in_order {
            let _ = self.first.set(first);
        }
    }

    /// Refuses what is known to be too much before any of it is read. (A `count()` of everything never gets here.)
    pub fn check_rows(&self, context: &QueryContext) -> Result<()> {
        let rows: u64 = self.parts.iter().map(|part| part.rows).sum();
        // Where reading breaks off it does so when it is there.
        context.may_read_beyond(rows, 0)?;
        Ok(())
    }

    /// Of what the indexes left, so that it is asked where rows are read. Errors: TOO_MANY_PARTITIONS.
    pub fn check_partitions(&self, context: &QueryContext) -> Result<()> {
        let most = match context.settings.max_partitions_to_read {
            -1 => self.core.settings.max_partitions_to_read,
            most => most,
        };
        if most <= 0 {
            return Ok(());
        }
        let partitions: HashSet<&str> = self.parts.iter().map(|part| part.entry.partition_id.as_str()).collect();
        if partitions.len() as u64 <= most.unsigned_abs() {
            return Ok(());
        }
        let text = format!("Too many partitions to read. Current {}, max {most}.", partitions.len());
        Err(Error::new(ErrorCode::TOO_MANY_PARTITIONS, text)
            .with_context("choose fewer of them in WHERE, or raise max_partitions_to_read"))
    }

    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Reads some of it by one stream, in the order of the part; `streams` are read at the same time. `rows`: how many of
    /// it are wanted.
    pub fn shared_of(&self, part: PartSelection, streams: usize, rows: Option<usize>) -> Arc<ScanShared> {
        let limits = UnitLimits::of_query(1);
        let limits = UnitLimits { bytes: (limits.bytes / streams.max(1) as u64).max(1), ..limits };
        let output = (self.outputs.clone(), self.schema.clone());
        let granules = self.keeps_granules().then(|| self.core.environment.granules.clone());
        let rows = rows.filter(|_| !self.filters_rows());
        let help = Help { granules, rows, remember: self.remember.clone(), ..Help::default() };
        let parts = Arc::new(vec![part]);
        ScanShared::of_query(&self.core, &self.state, parts, self.filters.clone(), output, limits, help)
    }

    /// The same scan, not begun, with other columns.
    pub(super) fn with_outputs(&self, outputs: Vec<Output>, schema: SchemaRef) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            self.properties.partitioning.clone(),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        MergeTreeScan { outputs, schema, properties: Arc::new(properties), bounds: OnceLock::new(), ..self.again() }
    }

    /// Some rows of one of the parts, as the part counts them, ascending, with other columns.
    pub(super) async fn rows_of(
        &self,
        context: &Arc<QueryContext>,
        part: &PartSelection,
        rows: Vec<u64>,
        output: (Vec<Output>, SchemaRef),
        streams: usize,
    ) -> Result<Arc<ScanShared>> {
        let open = match &part.open {
            Some(open) => open.clone(),
            None => context.cancellable(self.core.open_part(context, &part.entry)).await?,
        };
        let mut granules: Vec<Range<usize>> = Vec::new();
        for row in &rows {
            let granule = open.granule_of(*row);
            match granules.last_mut() {
                Some(last) if granule < last.end => {}
                Some(last) if granule == last.end => last.end += 1,
                _ => granules.push(granule..granule + 1),
            }
        }
        let part = PartSelection { among: part.among, ..PartSelection::of(part.entry.clone(), open, granules) };
        Ok(ScanShared::of_rows(&self.core, &self.state, part, rows, output, UnitLimits::of_query(streams)))
    }

    /// The projection of the table whose data is read in its place.
    pub fn projection(&self) -> Option<&str> {
        self.core.layout.of_projection.as_deref()
    }

    /// The chosen parts with their granules.
    pub fn parts(&self) -> &[PartSelection] {
        &self.parts
    }

    /// Of the table, in the version that is read.
    pub fn parts_total(&self) -> u64 {
        self.state.parts.len() as u64
    }

    pub fn total_marks(&self) -> u64 {
        self.total_marks
    }

    /// How parts and granules were chosen, step by step.
    pub fn indexes(&self) -> &[IndexUse] {
        &self.indexes
    }

    /// The table, with its database.
    pub fn table_name(&self) -> String {
        self.core.name()
    }

    /// The order in which an ORDER BY … LIMIT above has it read.
    pub(super) fn first_read_type(&self) -> Option<String> {
        let first = self.first.get()?;
        let direction = if first.descending { "DESC" } else { "ASC" };
        Some(format!("InOrder ({} {direction}, {} rows first)", first.expr, first.rows))
    }

    /// The conditions in the order in which the first part begins to be read with them.
    pub(super) fn prewhere(&self) -> Vec<String> {
        let open = self.parts.iter().find_map(|part| part.open.as_ref());
        let places = open.and_then(|open| steps_of(&self.filters, open, &self.core));
        let places = places.unwrap_or_else(|| (0..self.filters.len()).collect());
        places.into_iter().map(|place| shortened(readable(&self.filters[place].expression))).collect()
    }

    /// Whether every row of the parts comes out.
    fn gives_all_rows(&self) -> bool {
        self.filters.is_empty() && self.dynamic.is_empty()
    }

    /// What is known of the values of the output's columns.
    fn column_statistics(&self) -> &[ColumnStatistics] {
        self.bounds.get_or_init(|| {
            let open: Option<Vec<_>> = self.parts.iter().map(|part| part.open.as_ref()).collect();
            // Of a part that is read in pieces the footer knows more than comes out.
            let whole = self.parts.iter().all(|part| part.marks() == part.entry.granules);
            let open = open.filter(|open| whole && !open.is_empty() && self.outputs.len() <= BOUNDED_COLUMNS_MAX);
            let bounds = |output: &Output| match (output, &open) {
                (Output::Stored(place), Some(open)) => exact::bounds(open, &self.core.layout, *place),
                _ => None,
            };
            let statistics = |output| match bounds(output) {
                Some((least, greatest)) => ColumnStatistics::new_unknown()
                    .with_null_count(Precision::Exact(0))
                    .with_min_value(Precision::Exact(least))
                    .with_max_value(Precision::Exact(greatest)),
                None => ColumnStatistics::new_unknown(),
            };
            self.outputs.iter().map(statistics).collect()
        })
    }

    /// Whether decoded granules are kept; what of them fits is asked when the parts are open (`ScanShared::fits_in_cache`).
    fn keeps_granules(&self) -> bool {
        let rows: u64 = self.parts.iter().map(|part| part.rows).sum();
        let most = self.settings.merge_tree_max_rows_to_use_cache;
        self.settings.use_uncompressed_cache && !self.core.environment.granules.is_off() && (most == 0 || rows <= most)
    }

    fn shared(&self) -> &Arc<ScanShared> {
        self.shared.get_or_init(|| {
            let layout = &self.core.layout;
            let thresholds = || Thresholds::new(self.dynamic.clone(), layout.clone());
            let help = Help {
                // They only help: an error is none.
                thresholds: (!self.dynamic.is_empty()).then(thresholds).and_then(Result::ok),
                first: self.first.get().cloned(),
                granules: self.keeps_granules().then(|| self.core.environment.granules.clone()),
                rows: None,
                remember: self.remember.clone(),
                only: None,
            };
            ScanShared::of_query(
                &self.core,
                &self.state,
                self.parts.clone(),
                self.filters.clone(),
                (self.outputs.clone(), self.schema.clone()),
                UnitLimits::of_query(self.properties.partitioning.partition_count()),
                help,
            )
        })
    }

    /// The same scan, not begun, with no condition but those of the query.
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
            settings: self.settings.clone(),
            dynamic: Vec::new(),
            first: self.first.clone(),
            fixed: self.fixed.clone(),
            remember: self.remember.clone(),
            bounds: self.bounds.clone(),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }
}

/// The places of the conditions in the order of their steps over a part. `None`: the part has not all their columns as the
/// table has them.
fn steps_of(filters: &[ScanFilter], open: &OpenPart, core: &Core) -> Option<Vec<usize>> {
    let found = open.find_columns(&core.layout);
    let stored = |place: &usize| found.columns[*place].place();
    let roots = filters.iter().map(|filter| filter.columns.iter().map(stored).collect::<Option<Vec<_>>>());
    let roots = roots.collect::<Option<Vec<_>>>()?;
    let steps: Vec<_> = filters.iter().zip(&roots).map(|(filter, roots)| StepColumns { filter, roots }).collect();
    Some(steps::order(&steps, &open.header.columns, open.header.rows))
}

/// The scan that a node of a plan is, with FINAL or without.
pub(super) fn scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&MergeTreeScan> {
    let merged = || plan.downcast_ref::<FinalScan>().map(FinalScan::scan);
    let ordered = || plan.downcast_ref::<OrderedScan>().map(OrderedScan::scan);
    plan.downcast_ref::<MergeTreeScan>().or_else(merged).or_else(ordered)
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

/// An expression for people: strings, which are bytes here, as text.
fn readable(expr: &Arc<dyn PhysicalExpr>) -> String {
    let quoted = expr.clone().transform_up(|piece| {
        let value = piece.downcast_ref::<Literal>().map(Literal::value);
        let Some(ScalarValue::BinaryView(Some(bytes))) = value else { return Ok(Transformed::no(piece)) };
        let text = format!("'{}'", String::from_utf8_lossy(bytes));
        Ok(Transformed::yes(Arc::new(Literal::new(ScalarValue::from(text)))))
    });
    quoted.map_or_else(|_| expr.to_string(), |quoted| fmt_sql(quoted.data.as_ref()).to_string())
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
        if let Some(projection) = self.projection() {
            write!(f, ", projection={projection}")?;
        }
        if !self.filters.is_empty() {
            let filters: Vec<String> = self.filters.iter().map(|filter| shortened(readable(&filter.expression))).collect();
            write!(f, ", prewhere=[{}]", filters.join(" AND "))?;
        }
        if let Some(first) = self.first.get() {
            write!(f, ", first={} {}", first.expr, if first.descending { "DESC" } else { "ASC" })?;
        }
        if !self.dynamic.is_empty() {
            let dynamic: Vec<String> = self.dynamic.iter().map(|expr| shortened(expr.to_string())).collect();
            write!(f, ", tightens=[{}]", dynamic.join(" AND "))?;
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
        for expression in self.filters.iter().map(|filter| &filter.expression).chain(&self.dynamic) {
            if f(expression)? == TreeNodeRecursion::Stop {
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

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        self.check_partitions(&context)?;
        self.check_rows(&context)?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batches = stream(self.shared().clone(), context).map_err(DataFusionError::from);
        let batches = batches.map_ok(move |batch| batch.record_output(&metrics));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    /// Takes conditions that tighten while the query runs; whoever made them still sees every row that counts.
    fn handle_child_pushdown_result(
        &self,
        phase: FilterPushdownPhase,
        result: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> DataFusionResult<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let usable = result.parent_filters.iter().map(|parent| &parent.filter);
        let usable = usable.filter(|filter| Thresholds::is_usable(filter, &self.core.layout));
        let dynamic: Vec<_> = self.dynamic.iter().chain(usable).cloned().collect();
        let answers = vec![PushedDown::No; result.parent_filters.len()];
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answers);
        let takes = phase == FilterPushdownPhase::Post && self.settings.use_top_k_dynamic_filtering;
        if !takes || dynamic.len() == self.dynamic.len() {
            return Ok(propagation);
        }
        Ok(propagation.with_updated_node(Arc::new(MergeTreeScan { dynamic, ..self.again() })))
    }

    /// Without conditions the number of rows is known exactly: `count()` needs no reading. Nor do `min` and `max`, where the
    /// parts were opened and their footers know.
    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        let rows = self.parts.iter().map(|part| part.rows).sum::<u64>() as usize;
        // Streams share the rows as they go: nothing is known of one alone.
        if args.partition().is_none() {
            let is_exact = self.gives_all_rows() && self.settings.optimize_trivial_count_query;
            statistics.num_rows = if is_exact { Precision::Exact(rows) } else { Precision::Inexact(rows) };
            if self.gives_all_rows() && self.settings.optimize_use_implicit_projections {
                statistics.column_statistics = self.column_statistics().to_vec();
            }
        }
        Ok(Arc::new(statistics))
    }
}
