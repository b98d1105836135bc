//! The physical node of a scan of files: a plain description, and at run time one `Scan` that its partitions share.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::Schema;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::config::ConfigOptions;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::{Column, DynamicFilterPhysicalExpr};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions, SchedulingType};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt};
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_objstore::{Provider, Store};
use parking_lot::Mutex;

use super::fetch::Fetcher;
use super::files::Files;
use super::filter::ScanFilter;
use super::layout::Layout;
use super::parquet::unit::{Experience, OpenFile, UnitStep, Wanted};
use super::scan::{Held, Ready, Scan, ScanRequest};
use super::source::ObjectSource;
use super::step::ScanStep;
use super::text;
use crate::caches::SourceCaches;

/// Reads files: what to read (`source`, `files`), which columns and rows of it.
#[derive(Debug)]
pub struct ObjectScanExec {
    description: ScanDescription,
    caches: Arc<SourceCaches>,
    properties: Arc<PlanProperties>,
    running: Mutex<Running>,
    metrics: ExecutionPlanMetricsSet,
}

/// Everything that another process would need to run the same scan.
#[derive(Clone, Debug)]
pub struct ScanDescription {
    pub source: Arc<ObjectSource>,
    pub files: Files,
    pub layout: Arc<Layout>,
    /// Columns to give, as indices in the layout.
    pub projection: Vec<usize>,
    /// All of it is applied here.
    pub filter: ScanFilter,
    /// Rows to give at most, over all partitions.
    pub limit: Option<usize>,
    pub partitions: usize,
    /// Rows of all files before the filter, where footers told.
    pub rows: Option<u64>,
    /// Only these row groups of the files are read, and it is told what they gave.
    pub step: Option<Arc<ScanStep>>,
}

/// The scan of the execution under way, until every partition has taken it.
#[derive(Debug, Default)]
struct Running {
    scan: Option<Arc<SharedScan>>,
    taken: usize,
}

/// One execution, by kind of format.
pub enum SharedScan {
    Columnar(Arc<Scan>, Arc<Wanted>),
    Text(Arc<text::TextScan>),
}

impl fmt::Debug for SharedScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedScan")
    }
}

impl ObjectScanExec {
    pub fn new(description: ScanDescription, caches: Arc<SourceCaches>) -> DataFusionResult<Self> {
        let schema = Arc::new(description.layout.schema.project(&description.projection)?);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(description.partitions.max(1)),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        let (running, metrics) = (Mutex::default(), ExecutionPlanMetricsSet::new());
        Ok(ObjectScanExec { description, caches, properties: Arc::new(properties), running, metrics })
    }

    fn shared(&self, context: &Arc<QueryContext>, block_rows: usize) -> Result<Arc<SharedScan>> {
        let mut running = self.running.lock();
        let scan = match &running.scan {
            Some(scan) => scan.clone(),
            None => Arc::new(self.start(context, block_rows)?),
        };
        running.taken += 1;
        // Once all partitions have it, only their streams keep the scan alive.
        *running = if running.taken >= self.description.partitions.max(1) {
            Running::default()
        } else {
            Running { scan: Some(scan.clone()), taken: running.taken }
        };
        Ok(scan)
    }

    pub fn description(&self) -> &ScanDescription {
        &self.description
    }

    pub(super) fn fetcher(&self, context: &Arc<QueryContext>) -> Result<Fetcher> {
        let source = &self.description.source;
        Ok(Fetcher {
            store: Store::open(&source.location, &source.credentials, &source.headers, &context.settings)?,
            location: Arc::new(source.location.clone()),
            context: context.clone(),
            caches: self.caches.clone(),
        })
    }

    /// What a scan of Parquet files is asked to do, for whoever only wants to know what that takes.
    pub fn request(&self, context: &Arc<QueryContext>) -> Result<ScanRequest> {
        let wanted = self.wanted(1);
        Ok(self.request_for(self.fetcher(context)?, wanted))
    }

    fn wanted(&self, block_rows: usize) -> Arc<Wanted> {
        Arc::new(Wanted {
            output: self.description.projection.clone(),
            filter: self.description.filter.clone(),
            block_rows,
            step: self.description.step.clone(),
            experience: Experience::new(!matches!(self.description.source.location.provider, Provider::File)),
        })
    }

    fn request_for(&self, fetcher: Fetcher, wanted: Arc<Wanted>) -> ScanRequest {
        let description = &self.description;
        ScanRequest {
            fetcher,
            layout: description.layout.clone(),
            files: description.files.clone(),
            wanted,
            limit: description.limit,
        }
    }

    fn start(&self, context: &Arc<QueryContext>, block_rows: usize) -> Result<SharedScan> {
        let description = &self.description;
        let source = &description.source;
        let fetcher = self.fetcher(context)?;
        // The bytes of a load are counted when it begins.
        let files = if description.step.is_some() { &[] } else { description.files.known() };
        let bytes: u64 = files.iter().filter_map(|file| file.size).sum();
        context.progress.total_bytes_to_read.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
        if source.is_parquet() {
            let wanted = self.wanted(block_rows);
            let request = self.request_for(fetcher, wanted.clone());
            return Ok(SharedScan::Columnar(Scan::start(request), wanted));
        }
        let plan = text::TextPlan {
            format: source.format,
            layout: description.layout.clone(),
            output: description.projection.clone(),
            filter: description.filter.clone(),
            limit: description.limit,
            step: description.step.clone(),
        };
        let (source, opening) = (source.clone(), description.files.opening().clone());
        let inputs = description.files.stream(context).map_ok(move |file| {
            let compression = source.compression_of(&file.key);
            let head = opening.take_head(&file);
            text::TextInput::Object(fetcher.clone(), file, compression, head)
        });
        Ok(SharedScan::Text(text::TextScan::start(plan, context.clone(), inputs.boxed(), block_rows)?))
    }
}

impl DisplayAs for ObjectScanExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description = &self.description;
        let names: Vec<&str> = description.projection.iter().map(|&index| description.layout.name(index)).collect();
        write!(
            f,
            "ObjectScanExec: {} {}, files={}, columns=[{}]",
            description.source.function,
            description.source.format.name(),
            description.files,
            names.join(", ")
        )?;
        if !description.filter.is_empty() {
            let conjuncts: Vec<String> = description.filter.conjuncts.iter().map(|c| c.expression.to_string()).collect();
            write!(f, ", filter={}", conjuncts.join(" AND "))?;
        }
        description.limit.map_or(Ok(()), |limit| write!(f, ", limit={limit}"))
    }
}

impl ExecutionPlan for ObjectScanExec {
    fn name(&self) -> &str {
        "ObjectScanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(ObjectScanExec::new(self.description.clone(), self.caches.clone())?))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        for conjunct in &self.description.filter.conjuncts {
            if f(&conjunct.expression)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        let block_rows = task.session_config().batch_size().max(1);
        let shared = self.shared(&context, block_rows)?;
        let blocks: futures::stream::BoxStream<'static, DataFusionResult<RecordBatch>> = match shared.as_ref() {
            SharedScan::Columnar(scan, wanted) => {
                let worker = Worker { scan: scan.clone(), wanted: wanted.clone(), held: None, rows: None, reading: None };
                Box::pin(futures::stream::try_unfold(worker, |mut worker| async move {
                    let block = worker.next().await?;
                    Ok(block.map(|block| (block, worker)))
                }))
            }
            SharedScan::Text(scan) => scan.clone().blocks(),
        };
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let blocks = blocks.map_ok(move |block| block.record_output(&metrics));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), blocks)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> DataFusionResult<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        if let Some(rows) = self.description.rows {
            let rows = self.description.limit.map_or(rows, |limit| rows.min(limit as u64));
            let share = args.partition().map_or(1, |_| self.description.partitions.max(1) as u64);
            statistics.num_rows = Precision::Inexact(rows.div_ceil(share) as usize);
        }
        Ok(Arc::new(statistics))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let mut description = self.description.clone();
        description.limit = match (description.limit, limit) {
            (Some(before), Some(now)) => Some(before.min(now)),
            (before, now) => before.or(now),
        };
        Some(Arc::new(ObjectScanExec::new(description, self.caches.clone()).ok()?))
    }

    fn fetch(&self) -> Option<usize> {
        self.description.limit
    }

    /// Filters that other operators narrow while the query runs. They only ever leave out rows that nobody wants, so they
    /// join the scan's own.
    fn handle_child_pushdown_result(
        &self,
        _phase: FilterPushdownPhase,
        result: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> DataFusionResult<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let mut description = self.description.clone();
        let mut answers = Vec::with_capacity(result.parent_filters.len());
        for parent in result.parent_filters {
            // A limit counts rows that passed; one that is here already was counted without this filter.
            if description.limit.is_none() && is_dynamic(&parent.filter, &self.schema())? {
                description.filter.push_dynamic(over_layout(parent.filter, &self.description)?);
                answers.push(PushedDown::Yes);
            } else {
                answers.push(PushedDown::No);
            }
        }
        let changed = answers.iter().any(|answer| matches!(answer, PushedDown::Yes));
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answers);
        if !changed {
            return Ok(propagation);
        }
        let exec: Arc<dyn ExecutionPlan> = Arc::new(ObjectScanExec::new(description, self.caches.clone())?);
        Ok(propagation.with_updated_node(exec))
    }
}

/// Whether a condition changes while the query runs. Those on tuples and arrays are left alone: an operator puts NULL inside of
/// them before all values, `ORDER BY` behind.
fn is_dynamic(expression: &Arc<dyn PhysicalExpr>, schema: &Schema) -> DataFusionResult<bool> {
    expression.exists(|node| {
        let Some(dynamic) = node.downcast_ref::<DynamicFilterPhysicalExpr>() else { return Ok(false) };
        Ok(dynamic.children().iter().all(|key| key.data_type(schema).is_ok_and(|data_type| !data_type.is_nested())))
    })
}

/// The expression over the layout's columns rather than over those of the node's output.
fn over_layout(expression: Arc<dyn PhysicalExpr>, description: &ScanDescription) -> DataFusionResult<Arc<dyn PhysicalExpr>> {
    let moved = expression.transform_down(|node| {
        let Some(column) = node.downcast_ref::<Column>() else {
            return Ok(Transformed::no(node));
        };
        let index = description.projection[column.index()];
        Ok(Transformed::yes(Arc::new(Column::new(description.layout.name(index), index)) as Arc<dyn PhysicalExpr>))
    })?;
    Ok(moved.data)
}

/// One partition's part in a scan of Parquet.
struct Worker {
    scan: Arc<Scan>,
    wanted: Arc<Wanted>,
    held: Option<Box<Held>>,
    /// Rows of a file of which no column is read: the columns known without, and how many are left.
    rows: Option<(RecordBatch, u64)>,
    /// The file that rows come from.
    reading: Option<Arc<OpenFile>>,
}

impl Worker {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.scan.pace().await;
            if !self.scan.may_read()? {
                return Ok(None);
            }
            if let Some(block) = self.block()? {
                let rows = self.scan.take_rows(block.num_rows());
                if let (Some(step), Some(file)) = (&self.wanted.step, &self.reading) {
                    step.count(&file.file.key, rows as u64);
                }
                return Ok((rows > 0).then(|| block.slice(0, rows)));
            }
            if self.held.is_some() {
                continue;
            }
            match self.scan.next().await? {
                None => return Ok(None),
                Some(Ready::Rows { file, rows }) => {
                    let none = RecordBatch::try_new_with_options(
                        Arc::new(arrow::datatypes::Schema::empty()),
                        Vec::new(),
                        &RecordBatchOptions::new().with_row_count(Some(self.wanted.block_rows)),
                    )?;
                    self.rows = Some((file.columns.assemble(&self.wanted.output, &none, &[])?, rows));
                    self.reading = Some(file);
                }
                Some(Ready::Unit(held)) => {
                    self.reading = Some(held.unit.file.clone());
                    self.held = Some(held);
                }
            }
        }
    }

    /// The next block of what is at hand.
    fn block(&mut self) -> Result<Option<RecordBatch>> {
        if let Some((columns, left)) = &mut self.rows {
            if *left > 0 {
                let rows = (*left).min(columns.num_rows() as u64);
                *left -= rows;
                let block = columns.slice(0, rows as usize);
                self.scan.count(rows, &block);
                return Ok(Some(block));
            }
            self.rows = None;
        }
        while let Some(held) = &mut self.held {
            // A filter may leave nothing of block after block: `next` sees it end then.
            if !self.scan.may_read()? {
                return Ok(None);
            }
            if let Some(block) = held.unit.next_block()? {
                return Ok(Some(block));
            }
            match held.unit.step()? {
                UnitStep::Blocks => {}
                UnitStep::Done => self.held = None,
                UnitStep::Needs(ranges) => {
                    if let Some(held) = self.held.take() {
                        self.scan.wants(held, ranges);
                    }
                }
            }
        }
        Ok(None)
    }
}
