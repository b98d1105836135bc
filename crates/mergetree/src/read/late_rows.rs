//! `ORDER BY x LIMIT n` over many columns: only what sorts is read of all rows; the other columns are read at the end, of the
//! rows that are left. The scan below gives the columns that the order is computed from and where each row lies; above it
//! the rows are sorted as before; `LateRows` then reads the rest by their places. Projections between the scan and the sort
//! are computed of the rows that are left, too.
//!
//! Compared with a threshold that leaves out rows while the scan runs (`top_n`, which goes on to work on the columns that
//! sort), no column is read of rows that were among the best for a while only.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::{concat_batches, interleave};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type, UInt64Type};
use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PhysicalExpr, PlanProperties,
};
use futures::{StreamExt, TryStreamExt, stream};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use gristmill_introspect::memory::MemoryGuard;
use gristmill_types::measure::batch_bytes;

use super::exec::MergeTreeScan;
use super::in_order::replaced;
use super::output::Output;
use super::sort_in_order::Chain;
use super::stream::stream as scan_stream;

/// Reads columns at the end where LIMIT is not greater.
#[derive(Debug)]
pub struct LateColumns {
    pub limit_max: usize,
}

impl PhysicalOptimizerRule for LateColumns {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let late = plan.transform_down(|plan| match self.late(&plan)? {
            // What is put in is not looked into: its sort is the one that was found.
            Some(late) => Ok(Transformed::new(late, true, TreeNodeRecursion::Jump)),
            None => Ok(Transformed::no(plan)),
        })?;
        Ok(late.data)
    }

    fn name(&self) -> &str {
        "mergetree_late_columns"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl LateColumns {
    /// The same rows. `None`: this is no sort with a limit, or nothing is left to be read later.
    fn late(&self, plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
        let Some(rows) = plan.fetch().filter(|rows| *rows <= self.limit_max) else { return Ok(None) };
        let (mut between, mut below) = (Vec::new(), plan);
        if let Some(merge) = plan.downcast_ref::<SortPreservingMergeExec>() {
            below = merge.input();
            while let Some(projection) = below.downcast_ref::<ProjectionExec>() {
                between.push(below.clone());
                below = projection.input();
            }
        }
        let Some(sort) = below.downcast_ref::<SortExec>().filter(|sort| sort.fetch() == Some(rows)) else { return Ok(None) };
        // The first rows of each stream are no query's result.
        if sort.preserve_partitioning() && below.output_partitioning().partition_count() > 1 && Arc::ptr_eq(plan, below) {
            return Ok(None);
        }
        let Some(chain) = Chain::of(sort)? else { return Ok(None) };
        let computes_only = chain.operators.iter().all(|operator| operator.downcast_ref::<ProjectionExec>().is_some());
        if !computes_only || chain.scan.projection().is_some() {
            return Ok(None);
        }
        let Some(late) = late_rows(chain.scan, &chain.sorts, rows)? else { return Ok(None) };
        let late = chain.over(late)?;
        Ok(Some(between.iter().rev().try_fold(late, |input, operator| replaced(operator, input))?))
    }
}

/// The first rows of a scan in an order, with all its columns.
fn late_rows(
    scan: &MergeTreeScan,
    sorts: &[PhysicalSortExpr],
    rows: usize,
) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    let used = sorts.iter().flat_map(|sort| collect_columns(&sort.expr)).map(|column| column.index());
    let used: BTreeSet<usize> = used.collect();
    let used: Vec<usize> = used.into_iter().collect();
    if used.len() == scan.outputs().len() {
        return Ok(None);
    }
    let schema = scan.schema();
    let mut fields: Vec<_> = used.iter().map(|place| schema.fields()[*place].clone()).collect();
    fields.push(Arc::new(Field::new("part place", DataType::UInt32, false)));
    fields.push(Arc::new(Field::new("row", DataType::UInt64, false)));
    let mut outputs: Vec<Output> = used.iter().map(|place| scan.outputs()[*place].clone()).collect();
    outputs.extend([Output::PartPlace, Output::PartOffset]);
    let narrow: Arc<dyn ExecutionPlan> = Arc::new(scan.with_outputs(outputs, Arc::new(Schema::new(fields))));
    let over_narrow = |sort: &PhysicalSortExpr| -> DataFusionResult<PhysicalSortExpr> {
        let expr = sort.expr.clone().transform_down(|piece| {
            let place = piece.downcast_ref::<Column>().and_then(|column| used.binary_search(&column.index()).ok());
            Ok(match place {
                Some(place) => {
                    let name = narrow.schema().field(place).name().clone();
                    Transformed::yes(Arc::new(Column::new(&name, place)) as Arc<dyn PhysicalExpr>)
                }
                None => Transformed::no(piece),
            })
        })?;
        Ok(PhysicalSortExpr { expr: expr.data, options: sort.options })
    };
    let order = sorts.iter().map(over_narrow).collect::<DataFusionResult<Vec<_>>>()?;
    let (narrow, order) = with_keys(narrow, order)?;
    let (Some(order), Some(whole)) = (LexOrdering::new(order), LexOrdering::new(sorts.to_vec())) else { return Ok(None) };
    let streams = narrow.output_partitioning().partition_count();
    let mut first: Arc<dyn ExecutionPlan> =
        Arc::new(SortExec::new(order.clone(), narrow).with_fetch(Some(rows)).with_preserve_partitioning(true));
    if streams > 1 {
        first = Arc::new(SortPreservingMergeExec::new(order, first).with_fetch(Some(rows)));
    }
    Ok(Some(Arc::new(LateRows::new(Arc::new(scan.again()), used, whole, first))))
}

/// The rows with what they are sorted by as columns behind the others, where it is computed. (DataFusion asks an expression that is
/// sorted by for its bounds, and takes its rows for unsorted where it has none, as `CASE WHEN sqrt(k) …`, by which floats are sorted.)
fn with_keys(
    rows: Arc<dyn ExecutionPlan>,
    mut order: Vec<PhysicalSortExpr>,
) -> DataFusionResult<(Arc<dyn ExecutionPlan>, Vec<PhysicalSortExpr>)> {
    if order.iter().all(|sort| sort.expr.downcast_ref::<Column>().is_some()) {
        return Ok((rows, order));
    }
    let schema = rows.schema();
    let column = |(place, field): (usize, &Arc<Field>)| {
        (Arc::new(Column::new(field.name(), place)) as Arc<dyn PhysicalExpr>, field.name().clone())
    };
    let mut outputs: Vec<_> = schema.fields().iter().enumerate().map(column).collect();
    for sort in order.iter_mut().filter(|sort| sort.expr.downcast_ref::<Column>().is_none()) {
        let (place, name) = (outputs.len(), format!("key {}", outputs.len()));
        let key: Arc<dyn PhysicalExpr> = Arc::new(Column::new(&name, place));
        outputs.push((std::mem::replace(&mut sort.expr, key), name));
    }
    Ok((Arc::new(ProjectionExec::try_new(outputs, rows)?), order))
}

/// Puts the columns of a scan together: some come with the rows, the others are read here.
pub struct LateRows {
    /// What all columns were to be read by.
    scan: Arc<MergeTreeScan>,
    /// Places in the scan's output of the columns that come with the rows; behind them come the place of the part and the row.
    used: Vec<usize>,
    order: LexOrdering,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl LateRows {
    fn new(scan: Arc<MergeTreeScan>, used: Vec<usize>, order: LexOrdering, input: Arc<dyn ExecutionPlan>) -> LateRows {
        let properties = PlanProperties::new(
            EquivalenceProperties::new_with_orderings(scan.schema(), [order.clone()]),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        LateRows { scan, used, order, input, properties: Arc::new(properties) }
    }

    /// Places in the scan's output of the columns that are read here.
    fn late(&self) -> Vec<usize> {
        (0..self.scan.outputs().len()).filter(|place| self.used.binary_search(place).is_err()).collect()
    }

    fn reading(&self) -> Reading {
        let (late, schema) = (self.late(), self.scan.schema());
        let mut fields: Vec<_> = late.iter().map(|place| schema.fields()[*place].clone()).collect();
        fields.push(Arc::new(Field::new("row", DataType::UInt64, false)));
        let mut outputs: Vec<Output> = late.iter().map(|place| self.scan.outputs()[*place].clone()).collect();
        outputs.push(Output::PartOffset);
        let (scan, used) = (self.scan.clone(), self.used.clone());
        Reading { scan, used, late, outputs, schema: Arc::new(Schema::new(fields)) }
    }
}

/// What one execution works with.
struct Reading {
    scan: Arc<MergeTreeScan>,
    used: Vec<usize>,
    late: Vec<usize>,
    /// The late columns, then the row.
    outputs: Vec<Output>,
    schema: SchemaRef,
}

impl Reading {
    async fn complete(&self, context: &Arc<QueryContext>, first: RecordBatch) -> Result<RecordBatch> {
        if first.num_rows() == 0 {
            return Ok(RecordBatch::new_empty(self.scan.schema()));
        }
        let unexpected = || Error::logical("Rows come without their places");
        let place = self.used.len();
        let parts = first.columns().get(place).and_then(|column| column.as_primitive_opt::<UInt32Type>());
        let rows = first.columns().get(place + 1).and_then(|column| column.as_primitive_opt::<UInt64Type>());
        let (parts, rows) = (parts.ok_or_else(unexpected)?, rows.ok_or_else(unexpected)?);
        let wanted: Vec<(u32, u64)> = parts.values().iter().copied().zip(rows.values().iter().copied()).collect();
        let (batches, held) = self.fetch(context, &wanted).await?;
        let found = places(&batches)?;
        let lost = |(part, row): (u32, u64)| Error::logical(format!("Row {row} of part {part} was not read again"));
        let indices = wanted
            .iter()
            .map(|wanted| found.get(wanted).copied().ok_or_else(|| lost(*wanted)))
            .collect::<Result<Vec<_>>>()?;
        let mut columns: Vec<Option<ArrayRef>> = vec![None; self.scan.outputs().len()];
        for (place, column) in self.used.iter().zip(first.columns()) {
            columns[*place] = Some(column.clone());
        }
        for (at, place) in self.late.iter().enumerate() {
            let pieces: Vec<&dyn Array> = batches.iter().map(|(_, batch)| batch.column(at).as_ref()).collect();
            columns[*place] = Some(interleave(&pieces, &indices)?);
        }
        let columns: Option<Vec<ArrayRef>> = columns.into_iter().collect();
        let whole = RecordBatch::try_new(self.scan.schema(), columns.ok_or_else(unexpected)?)?;
        drop(held);
        Ok(whole)
    }

    /// The rows, with the place of their part; in any order.
    async fn fetch(
        &self,
        context: &Arc<QueryContext>,
        wanted: &[(u32, u64)],
    ) -> Result<(Vec<(u32, RecordBatch)>, Vec<MemoryGuard>)> {
        let mut by_part: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        wanted.iter().for_each(|(part, row)| by_part.entry(*part).or_default().push(*row));
        let threads = context.threads().max(1);
        let streams = threads.div_ceil(by_part.len().max(1));
        let mut tasks = Vec::new();
        for (place, mut rows) in by_part {
            rows.sort_unstable();
            rows.dedup();
            let part = self.scan.parts().get(place as usize);
            let part = part.ok_or_else(|| Error::logical(format!("A row of part {place}, of which there is none")))?;
            let output = (self.outputs.clone(), self.schema.clone());
            let shared = self.scan.rows_of(context, part, rows, output, streams).await?;
            for _ in 0..streams {
                let (shared, context) = (shared.clone(), context.clone());
                tasks.push(async move {
                    let memory = context.memory.clone();
                    let read = async move {
                        let mut read = Vec::new();
                        let mut batches = std::pin::pin!(scan_stream(shared, context.clone()));
                        while let Some(batch) = batches.try_next().await? {
                            let held = MemoryGuard::take(&memory, batch_bytes(&batch))?;
                            read.push((place, batch, held));
                        }
                        Ok::<_, Error>(read)
                    };
                    Task::on(&runtime::cpu(), read).join().await?
                });
            }
        }
        let read: Vec<Vec<(u32, RecordBatch, MemoryGuard)>> =
            stream::iter(tasks).buffer_unordered(threads).try_collect().await?;
        let (mut batches, mut held) = (Vec::new(), Vec::new());
        for (place, batch, guard) in read.into_iter().flatten() {
            context.read(0, batch_bytes(&batch));
            batches.push((place, batch));
            held.push(guard);
        }
        Ok((batches, held))
    }
}

/// Where each row is: its batch, and its place there.
fn places(batches: &[(u32, RecordBatch)]) -> Result<HashMap<(u32, u64), (usize, usize)>> {
    let mut found = HashMap::new();
    for (batch, (part, rows)) in batches.iter().enumerate() {
        let column = rows.columns().last().and_then(|column| column.as_primitive_opt::<UInt64Type>());
        let column = column.ok_or_else(|| Error::logical("Rows were read without their places"))?;
        found.extend(column.values().iter().enumerate().map(|(at, row)| ((*part, *row), (batch, at))));
    }
    Ok(found)
}

impl fmt::Debug for LateRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for LateRows {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.scan.schema();
        let late: Vec<&str> = self.late().iter().map(|place| schema.field(*place).name().as_str()).collect();
        write!(f, "LateRows: columns=[{}]", late.join(", "))
    }
}

impl ExecutionPlan for LateRows {
    fn name(&self) -> &str {
        "LateRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| DataFusionError::Internal("LateRows has one input".to_string()))?;
        Ok(Arc::new(LateRows::new(self.scan.clone(), self.used.clone(), self.order.clone(), input)))
    }

    fn execute(&self, _partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        let (input, reading) = (self.input.execute(0, task)?, self.reading());
        let (first_schema, schema) = (self.input.schema(), self.scan.schema());
        let rows = async move {
            let first: Vec<RecordBatch> = input.try_collect().await?;
            let first = concat_batches(&first_schema, &first)?;
            Ok::<_, DataFusionError>(reading.complete(&context, first).await?)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(rows).boxed())))
    }
}
