//! Rows of one stream stay in their order, and are computed by all cores nevertheless.
//!
//! Where one stream comes in (a file, `numbers()`, the data of an INSERT) and an expression is computed, DataFusion deals its
//! batches out to several streams, and takes from whichever is ready: rows of a file come in another order than they have in
//! it. ClickHouse and DuckDB keep that order. Where it can be seen, from the top of the plan down to such a dealing, the
//! dealing and the projections and filters above it become one operator: batches are computed side by side, as many at a time
//! as there are streams, and handed on in the order they came in. The branches of a UNION ALL that are small come out as they
//! are written (`in_turn`). Below a sort or an aggregation, which make an order of
//! their own, nothing changes.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, assert_eq_or_internal_err};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_expr::projection::Projector;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::{FilterExec, batch_filter};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PhysicalExpr, PlanProperties, ReplaceChildrenOptions,
};
use futures::{Stream, StreamExt, TryStreamExt};
use gristmill_base::runtime::{self, Task};

use crate::in_turn::{self, InTurnExec};
use crate::places::PlacesExec;

#[derive(Debug)]
pub struct KeepOrderOfOneStream;

impl PhysicalOptimizerRule for KeepOrderOfOneStream {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = in_order(&plan)?.unwrap_or(plan);
        // Below what goes by the places of rows an order is seen too, wherever it stands.
        let ordered = plan.transform_down(|plan| {
            let [input] = plan.children()[..] else { return Ok(Transformed::no(plan)) };
            if plan.downcast_ref::<PlacesExec>().is_none() {
                return Ok(Transformed::no(plan));
            }
            Ok(match in_order(input)? {
                Some(input) => Transformed::yes(over(&plan, input)?),
                None => Transformed::no(plan),
            })
        })?;
        Ok(ordered.data)
    }

    fn name(&self) -> &str {
        "KeepOrderOfOneStream"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The plan with its rows in the order of the one stream that they come from. `None`: they come from several, or something
/// above gives them an order.
fn in_order(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (operators, below) = row_by_row(plan);
    if let Some(dealt) = below.downcast_ref::<RepartitionExec>() {
        let Partitioning::RoundRobinBatch(streams) = dealt.partitioning() else { return Ok(None) };
        let input = dealt.input();
        if input.output_partitioning().partition_count() != 1 {
            return Ok(None);
        }
        return Ok(Some(match operators.is_empty() {
            true => input.clone(),
            false => Arc::new(RowsInOrder::new(operators, *streams, input.clone())),
        }));
    }
    if let Some(union) = below.downcast_ref::<UnionExec>()
        && plan.output_partitioning().partition_count() != 1
        && in_turn::is_small(union)?
    {
        let branches: Arc<dyn ExecutionPlan> = Arc::new(InTurnExec::new(below.clone()));
        return operators.into_iter().try_fold(branches, |input, operator| over(&operator, input)).map(Some);
    }
    let passes = plan.downcast_ref::<ProjectionExec>().is_some()
        || plan.downcast_ref::<FilterExec>().is_some()
        || plan.downcast_ref::<CoalescePartitionsExec>().is_some()
        || plan.downcast_ref::<CooperativeExec>().is_some()
        || plan.downcast_ref::<PlacesExec>().is_some()
        || plan.downcast_ref::<WindowAggExec>().is_some()
        || plan.downcast_ref::<BoundedWindowAggExec>().is_some()
        || plan.downcast_ref::<GlobalLimitExec>().is_some()
        || plan.downcast_ref::<LocalLimitExec>().is_some();
    let [input] = plan.children()[..] else { return Ok(None) };
    if !passes {
        return Ok(None);
    }
    in_order(input)?.map(|input| over(plan, input)).transpose()
}

fn over(plan: &Arc<dyn ExecutionPlan>, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.clone().replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The projections and filters at the top of a plan, the lowest first, and what is below them.
fn row_by_row(plan: &Arc<dyn ExecutionPlan>) -> (Vec<Arc<dyn ExecutionPlan>>, Arc<dyn ExecutionPlan>) {
    let (mut operators, mut below) = (Vec::new(), plan.clone());
    loop {
        let next = match below.downcast_ref::<FilterExec>().filter(|filter| filter.fetch().is_none()) {
            Some(filter) => filter.input().clone(),
            None => match below.downcast_ref::<ProjectionExec>() {
                Some(projection) => projection.input().clone(),
                None => break,
            },
        };
        operators.push(std::mem::replace(&mut below, next));
    }
    operators.reverse();
    (operators, below)
}

/// What is done to each batch.
enum Step {
    Project(Projector),
    /// The rows for which the expression is true, and which of their columns.
    Filter(Arc<dyn PhysicalExpr>, Option<Vec<usize>>),
}

impl Step {
    fn of(operator: &Arc<dyn ExecutionPlan>) -> Result<Step> {
        if let Some(projection) = operator.downcast_ref::<ProjectionExec>() {
            let schema = projection.input().schema();
            let projected = projection.schema();
            let projector = projection.projection_expr().make_projector_with_schema_metadata(&schema, &projected)?;
            return Ok(Step::Project(projector));
        }
        let filter = operator.downcast_ref::<FilterExec>();
        let filter = filter.ok_or_else(|| DataFusionError::Internal(format!("{} is no filter", operator.name())))?;
        let columns = filter.projection().as_ref().map(|columns| columns.to_vec());
        Ok(Step::Filter(filter.predicate().clone(), columns))
    }

    fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        match self {
            Step::Project(projector) => projector.project_batch(batch),
            Step::Filter(condition, columns) => {
                let left = batch_filter(batch, condition)?;
                Ok(match columns {
                    Some(columns) => left.project(columns)?,
                    None => left,
                })
            }
        }
    }
}

/// Whether the operator computes projections side by side (`RowsInOrder`).
pub fn is_computed_in_order(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.downcast_ref::<RowsInOrder>().is_some()
}

/// Computes the batches of one stream side by side, and gives them in the order of their coming.
struct RowsInOrder {
    /// Projections and filters, the lowest first.
    operators: Vec<Arc<dyn ExecutionPlan>>,
    streams: usize,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl RowsInOrder {
    fn new(operators: Vec<Arc<dyn ExecutionPlan>>, streams: usize, input: Arc<dyn ExecutionPlan>) -> RowsInOrder {
        let schema = operators.last().map_or_else(|| input.schema(), |last| last.schema());
        let below = input.properties();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            below.emission_type,
            below.boundedness,
        );
        RowsInOrder { operators, streams, input, properties: Arc::new(properties), metrics: ExecutionPlanMetricsSet::new() }
    }

    fn filters(&self) -> bool {
        self.operators.iter().any(|operator| operator.downcast_ref::<FilterExec>().is_some())
    }
}

impl fmt::Debug for RowsInOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for RowsInOrder {
    fn fmt_as(&self, t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowsInOrder: at_a_time={}", self.streams)?;
        for operator in self.operators.iter().rev() {
            write!(f, ", ")?;
            operator.fmt_as(t, f)?;
        }
        Ok(())
    }
}

impl ExecutionPlan for RowsInOrder {
    fn name(&self) -> &str {
        "RowsInOrder"
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

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for operator in &self.operators {
            if operator.apply_expressions(f)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| DataFusionError::Internal("RowsInOrder has one input".to_string()))?;
        Ok(Arc::new(RowsInOrder::new(self.operators.clone(), self.streams, input)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        assert_eq_or_internal_err!(partition, 0, "RowsInOrder has one stream");
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let steps = Arc::new(self.operators.iter().map(Step::of).collect::<Result<Vec<Step>>>()?);
        let target = task.session_config().batch_size();
        let computed = self.input.execute(0, task)?.map(move |batch| {
            let steps = steps.clone();
            async move {
                let batch = batch?;
                let compute = async move { steps.iter().try_fold(batch, |batch, step| step.apply(&batch)) };
                Task::on(&runtime::cpu(), compute).join().await?
            }
        });
        let rows = computed.buffered(self.streams.max(1));
        let schema = self.schema();
        let rows = match self.filters() {
            true => coalesced(rows, BatchCoalescer::new(schema.clone(), target)).boxed(),
            false => rows.boxed(),
        };
        let rows = rows.map(move |batch: Result<RecordBatch>| Ok(batch?.record_output(&metrics)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// The same rows in batches of the coalescer's size: a filter leaves few of each.
fn coalesced(
    rows: impl Stream<Item = Result<RecordBatch>> + Send + 'static,
    coalescer: BatchCoalescer,
) -> impl Stream<Item = Result<RecordBatch>> + Send {
    let state = (Box::pin(rows), coalescer, false);
    futures::stream::try_unfold(state, |(mut rows, mut coalescer, mut ended)| async move {
        loop {
            if let Some(batch) = coalescer.next_completed_batch() {
                return Ok(Some((batch, (rows, coalescer, ended))));
            }
            if ended {
                return Ok(None);
            }
            match rows.try_next().await? {
                Some(batch) => coalescer.push_batch(batch)?,
                None => {
                    coalescer.finish_buffered_batch()?;
                    ended = true;
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
    use datafusion::catalog::streaming::StreamingTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::physical_plan::displayable;
    use datafusion::physical_plan::streaming::PartitionStream;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    const BATCHES: i64 = 200;
    const BATCH_ROWS: i64 = 100;

    /// A stream of many batches, which count up.
    #[derive(Debug)]
    struct CountsUp(SchemaRef);

    impl PartitionStream for CountsUp {
        fn schema(&self) -> &SchemaRef {
            &self.0
        }

        fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
            let schema = self.0.clone();
            let batch = move |batch: i64| {
                let rows = Int64Array::from_iter_values(batch * BATCH_ROWS..(batch + 1) * BATCH_ROWS);
                Ok(RecordBatch::try_new(schema.clone(), vec![Arc::new(rows)])?)
            };
            let batches = futures::stream::iter((0..BATCHES).map(batch));
            Box::pin(RecordBatchStreamAdapter::new(self.0.clone(), batches))
        }
    }

    fn session() -> SessionContext {
        let config = SessionConfig::new().with_target_partitions(4).with_batch_size(BATCH_ROWS as usize);
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let state = builder.with_physical_optimizer_rule(Arc::new(KeepOrderOfOneStream)).build();
        let session = SessionContext::new_with_state(state);
        let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
        let table = StreamingTable::try_new(schema.clone(), vec![Arc::new(CountsUp(schema))]).expect("a table");
        session.register_table("t", Arc::new(table)).expect("registered");
        session
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn rows_of_one_stream_keep_their_order() {
        let session = session();
        for (query, rows) in [
            ("SELECT n, concat('x', n) FROM t", BATCHES * BATCH_ROWS),
            ("SELECT n * 2 AS m, n FROM t WHERE n % 7 = 3", 2857),
            ("SELECT m + 1 FROM (SELECT n + 1 AS m FROM t) WHERE m % 2 = 0 AND sqrt(m) > 0", 10_000),
        ] {
            let frame = session.sql(query).await.expect("a query");
            let plan = frame.clone().create_physical_plan().await.expect("a plan");
            let shown = displayable(plan.as_ref()).indent(false).to_string();
            assert!(shown.contains("RowsInOrder") && !shown.contains("RoundRobin"), "{query}: {shown}");
            let batches = frame.collect().await.expect("rows");
            let column = |batch: &RecordBatch| batch.column(0).as_primitive::<Int64Type>().values().to_vec();
            let seen: Vec<i64> = batches.iter().flat_map(column).collect();
            assert_eq!(seen.len() as i64, rows, "{query}");
            assert!(seen.is_sorted(), "{query}");
        }
    }

    #[tokio::test]
    async fn what_has_an_order_of_its_own_is_dealt_out() {
        let session = session();
        for query in ["SELECT sqrt(n) AS root FROM t ORDER BY root", "SELECT n % 10 AS k, count(*) FROM t GROUP BY k"] {
            let plan = session.sql(query).await.expect("a query").create_physical_plan().await.expect("a plan");
            let shown = displayable(plan.as_ref()).indent(false).to_string();
            assert!(!shown.contains("RowsInOrder"), "{query}: {shown}");
        }
    }

    #[tokio::test]
    async fn an_error_in_a_row_ends_the_query() {
        let rows = session().sql("SELECT n / (n - 150) FROM t").await.expect("a query").collect().await;
        assert!(rows.expect_err("150 is among them").to_string().contains("Divide by zero"));
    }
}
