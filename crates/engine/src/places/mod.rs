//! The operators of `PlacesNode`: rows in their order are numbered, limited by key, or cut out by where they stand among all.
//!
//! Each takes one stream, in the order that what is below gives it: a sort beneath stays, and nothing is dealt out to several
//! streams on the way (see `in_order`). A slice that counts from the last row keeps no more than the rows that may be of it; one
//! that takes a part of all keeps all until it knows how many there are.

mod counted;
mod kept;
mod slice;
mod ties;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering, OrderingRequirements};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties, Partitioning, PhysicalExpr,
    PlanProperties,
};
use futures::StreamExt;
use gristmill_base::Error;
use gristmill_sql::lower::places::{Place, Places, PlacesNode};

use kept::Kept;
use slice::Slice;
use ties::Ties;

#[derive(Clone, Debug)]
pub struct PlacesExec {
    input: Arc<dyn ExecutionPlan>,
    places: Places,
    schema: SchemaRef,
    /// Columns that are compared.
    keys: Vec<usize>,
    /// The order that the rows came in when the operator was planned, which is to stay.
    ordering: Option<LexOrdering>,
    properties: Arc<PlanProperties>,
    /// Rows that came to a limit for which they are counted.
    came: Arc<AtomicU64>,
    metrics: ExecutionPlanMetricsSet,
}

impl PlacesExec {
    /// Errors: a column that is compared is not there.
    pub fn of(node: &PlacesNode, input: Arc<dyn ExecutionPlan>) -> Result<PlacesExec> {
        let fields = node.input.schema();
        let names = match &node.places {
            Places::Kept { keys, .. } => &keys[..],
            Places::Sliced { ties: Some(keys), .. } => &keys[..],
            _ => &[],
        };
        let place = |name: &String| {
            let found = fields.fields().iter().position(|field| field.name() == name);
            found.ok_or_else(|| Error::logical(format!("The plan has no column {name} that LIMIT compares")))
        };
        let keys = names.iter().map(|name| Ok(place(name)?)).collect::<Result<_>>()?;
        let ordering = input.output_ordering().cloned();
        Ok(PlacesExec::new(input, node.places.clone(), Arc::new(node.schema.as_arrow().clone()), keys, ordering))
    }

    fn new(
        input: Arc<dyn ExecutionPlan>,
        places: Places,
        schema: SchemaRef,
        keys: Vec<usize>,
        ordering: Option<LexOrdering>,
    ) -> PlacesExec {
        // Columns of the input keep their places, and rows their order.
        let orderings = input.output_ordering().cloned().into_iter().collect::<Vec<_>>();
        let equivalences = EquivalenceProperties::new_with_orderings(schema.clone(), orderings);
        let emission = match places {
            Places::Sliced { .. } if first_with_ties(&places).is_none() => EmissionType::Final,
            _ => EmissionType::Incremental,
        };
        let properties =
            PlanProperties::new(equivalences, Partitioning::UnknownPartitioning(1), emission, Boundedness::Bounded);
        PlacesExec {
            input,
            places,
            schema,
            keys,
            ordering,
            properties: Arc::new(properties),
            came: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// Rows that came to it so far, where it is a limit for which they are counted.
    pub fn rows_counted(&self) -> Option<u64> {
        matches!(self.places, Places::Counted { .. }).then(|| self.came.load(Relaxed))
    }

    fn rows(&self, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(0, task.clone())?;
        let schema = self.schema.clone();
        let reservation = MemoryConsumer::new(self.name()).register(task.memory_pool());
        match &self.places {
            Places::Numbered(_) => {
                let mut sofar = 0;
                let rows = input.map(move |batch| numbered(&batch?, &mut sofar, schema.clone()));
                Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), rows)))
            }
            Places::Kept { skip, rows, .. } => {
                let mut kept = Kept::new(&schema, self.keys.clone(), *skip as u64, *rows as u64, reservation)?;
                let rows = input.map(move |batch| kept.of(&batch?));
                let rows = rows.filter(|batch| {
                    let is_wanted = !matches!(batch, Ok(batch) if batch.num_rows() == 0);
                    futures::future::ready(is_wanted)
                });
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
            }
            // Both counts are from the first row on: nothing is to be waited for.
            places if let Some((skip, rows)) = first_with_ties(places) => {
                let rows = Ties::new(&schema, self.keys.clone(), skip, rows)?.of(input);
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
            }
            Places::Counted { skip, rows } => {
                let rows = counted::limited(input, *skip, *rows, self.came.clone());
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
            }
            Places::Sliced { skip, rows, ties } => {
                let keys = ties.as_ref().map(|_| self.keys.clone());
                let slice = Slice::new(*skip, *rows, keys, reservation);
                let rows = futures::stream::once(slice.of(input)).flat_map(|given| match given {
                    Ok(batches) => futures::stream::iter(batches.into_iter().map(Ok)).left_stream(),
                    Err(error) => futures::stream::iter([Err(error)]).right_stream(),
                });
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
            }
        }
    }
}

impl DisplayAs for PlacesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.places)
    }
}

impl ExecutionPlan for PlacesExec {
    fn name(&self) -> &str {
        match self.places {
            Places::Numbered(_) => "RowNumbersExec",
            Places::Kept { .. } => "LimitByExec",
            Places::Sliced { .. } => "SliceExec",
            Places::Counted { .. } => "CountedLimitExec",
        }
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.ordering.clone().map(OrderingRequirements::from)]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        let (places, schema) = (self.places.clone(), self.schema.clone());
        Ok(Arc::new(PlacesExec::new(input, places, schema, self.keys.clone(), self.ordering.clone())))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let rows = self.rows(task)?;
        let rows = rows.map(move |batch: Result<RecordBatch>| batch.map(|batch| batch.record_output(&metrics)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// OFFSET and LIMIT of a slice with ties that counts from the first row on.
fn first_with_ties(places: &Places) -> Option<(usize, usize)> {
    match places {
        Places::Sliced { skip: Place::First(skip), rows: Some(Place::First(rows)), ties: Some(_) } => Some((*skip, *rows)),
        _ => None,
    }
}

/// A batch with the number of each row behind its columns; `sofar` rows came before.
fn numbered(batch: &RecordBatch, sofar: &mut u64, schema: SchemaRef) -> Result<RecordBatch> {
    let first = *sofar + 1;
    *sofar += batch.num_rows() as u64;
    let mut columns = batch.columns().to_vec();
    columns.push(Arc::new(UInt64Array::from_iter_values(first..=*sofar)));
    Ok(RecordBatch::try_new(schema, columns)?)
}
