//! From a logical plan to rows: the session state that DataFusion plans with, and the streams that compute.
//!
//! Streams compute on the CPU runtime and hand batches over through a channel of two, so that whoever reads them (a
//! socket, a terminal) never computes, and a slow reader holds the query back.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SendableRecordBatchStream, SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionConfig;
use futures::StreamExt;
use gristmill_base::Result;
use gristmill_base::runtime::{self, Task};
use gristmill_base::spending::Wait;
use gristmill_catalog::ReadInOneStream;
use gristmill_introspect::memory::QueryMemoryPool;
use gristmill_introspect::{QueryContext, Settings};
use gristmill_mergetree::read::{physical_rules, read_states};

use crate::above_keyless::logical_rules;
use crate::array_join::JoinArraysByPieces;
use crate::bucketed_groups::GroupInBuckets;
use crate::engine::Engine;
use crate::filters_by_name::seeing_names;
use crate::filters_first::FilterBeforeComputing;
use crate::group_limit::LimitGroups;
use crate::in_order::KeepOrderOfOneStream;
use crate::kept_limits::keeping_limits;
use crate::lost_constants::ForgetLostConstants;
use crate::measured::{self, PlanRun};
use crate::narrow_keys::GroupNarrowKeysByArray;
use crate::nested_sort::SortNestedKeysWhole;
use crate::one_stream;
use crate::operator_limits::KeepToLimits;
use crate::parallel_sort::SortInParallel;
use crate::parted_groups::GroupManyByParts;
use crate::probe_side::ProbeSideBySide;
use crate::sort_limits::LimitAboveWhole;
use crate::spill::SpillFiles;
use crate::spill_sooner::SpillSooner;
use crate::text_keys::GroupByText;
use crate::wide_projections::ComputeManyColumnsOfFewRows;
use crate::windows::ComputeWindowsByColumns;

/// Whether the query aggregates, sorts and joins nothing, and its groups are not to go to disk.
fn keeps_groups_in_memory(settings: &Settings, plan: &LogicalPlan) -> bool {
    if settings.max_bytes_before_external_group_by > 0 || settings.max_bytes_ratio_before_external_group_by > 0.0 {
        return false;
    }
    let mut others = false;
    let walked = plan.apply_with_subqueries(|plan| {
        others |= matches!(plan, LogicalPlan::Sort(_) | LogicalPlan::Join(_) | LogicalPlan::Window(_));
        Ok(if others { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    walked.is_ok() && !others
}

/// How DataFusion plans and runs one query.
pub fn session_state(engine: &Engine, context: &Arc<QueryContext>, plan: &LogicalPlan) -> Result<SessionState> {
    let settings = &context.settings;
    let streams = one_stream::wanted(plan);
    let mut config = SessionConfig::new()
        .with_target_partitions(if streams.are_operators_in_one() { 1 } else { context.threads() })
        .with_batch_size(settings.block_rows())
        .with_information_schema(false)
        .with_create_default_catalog_and_schema(false)
        .with_extension(context.clone());
    if streams.are_scans_in_one() {
        config.set_extension(Arc::new(ReadInOneStream));
    }
    let options = config.options_mut();
    options.execution.time_zone = None;
    options.execution.parquet.pushdown_filters = true;
    // Wide rows in a sort or an aggregation: a spill must be able to begin while memory is left.
    options.execution.sort_spill_reservation_bytes =
        if settings.max_memory_usage > 0 { ((settings.max_memory_usage / 20) as usize).min(10 << 20) } else { 10 << 20 };
    options.optimizer.enable_round_robin_repartition = true;
    // A rewritten expression may be known to have no NULL where the union above it still says that there might be some.
    options.execution.skip_physical_aggregate_schema_check = true;
    // It asks the aggregates of the first rows for a bound; ours give a default where they have seen none.
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    let mode = if keeps_groups_in_memory(settings, plan) {
        DiskManagerMode::Disabled
    } else {
        DiskManagerMode::Custom(Arc::new(SpillFiles::under(engine.data_path.join("tmp"), context.clone())))
    };
    let disk = DiskManagerBuilder::default().with_mode(mode);
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(QueryMemoryPool::of(context.memory.clone())))
        .with_disk_manager_builder(disk)
        .build_arc()?;
    let mut rules = keeping_limits(seeing_names(physical_rules(settings, context.threads(), &mut config)));
    // Before all that ask what is constant.
    rules.insert(0, Arc::new(ForgetLostConstants));
    // Before what merges streams in the place of a sort.
    rules.insert(1, Arc::new(LimitAboveWhole));
    rules.push(Arc::new(FilterBeforeComputing));
    // Behind the rules that may give an aggregation an order.
    if settings.optimize_trivial_group_by_limit_query {
        rules.push(Arc::new(LimitGroups));
    }
    if let Some(limits) = KeepToLimits::of(settings, plan) {
        rules.push(Arc::new(limits));
    }
    let sooner = SpillSooner::of(settings, context.memory.limit_bytes())?;
    rules.push(Arc::new(GroupNarrowKeysByArray));
    if !sooner.as_ref().is_some_and(SpillSooner::spills_groups) {
        rules.push(Arc::new(GroupByText));
    }
    rules.push(Arc::new(GroupInBuckets::default()));
    if !sooner.as_ref().is_some_and(SpillSooner::spills_groups) {
        rules.push(Arc::new(GroupManyByParts));
    }
    rules.push(Arc::new(KeepOrderOfOneStream));
    // Behind those that look for a sort with a limit.
    rules.push(Arc::new(SortNestedKeysWhole));
    if !sooner.as_ref().is_some_and(SpillSooner::spills_sorts) {
        rules.push(Arc::new(SortInParallel::default()));
    }
    rules.push(Arc::new(ComputeWindowsByColumns));
    rules.push(Arc::new(ProbeSideBySide));
    rules.push(Arc::new(ComputeManyColumnsOfFewRows));
    rules.push(Arc::new(JoinArraysByPieces));
    // Behind those that choose operators.
    if let Some(sooner) = sooner {
        rules.push(Arc::new(sooner));
    }
    // None of DataFusion's functions, formats and catalogues: lowering leaves no name for it to look up, and to fill its tables anew
    // was a twentieth of a small query.
    let builder =
        SessionStateBuilder::new().with_session_id(context.query_id.clone()).with_config(config).with_runtime_env(runtime);
    let builder = builder.with_query_planner(Arc::new(crate::fill::Planner)).with_optimizer_rules(logical_rules());
    Ok(builder.with_physical_optimizer_rules(rules).build())
}

/// The operators are measured where somebody is going to ask.
pub async fn physical_plan(
    state: &SessionState,
    plan: &LogicalPlan,
    context: &QueryContext,
) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = state.create_physical_plan(plan).await?;
    Ok(if measured::is_wanted(context) { measured::measured(plan)? } else { plan })
}

/// Runs a plan on the CPU runtime; batches arrive in the plan's order where it has one.
pub fn run(
    state: &SessionState,
    plan: Arc<dyn ExecutionPlan>,
    context: &Arc<QueryContext>,
) -> Result<SendableRecordBatchStream> {
    let schema = plan.schema();
    let task_context = state.task_ctx();
    let plan = measured::in_one_stream(plan);
    let running = PlanRun::begin(&plan, context);
    let (sender, receiver) = tokio::sync::mpsc::channel::<datafusion::error::Result<RecordBatch>>(2);
    let (cancel, context) = (context.cancel.clone(), context.clone());
    let task = Task::on(&runtime::cpu(), async move {
        let mut running = running;
        let mut stream = match execute_stream(plan, task_context) {
            Ok(stream) => stream,
            Err(error) => {
                let _ = sender.send(Err(error)).await;
                return;
            }
        };
        loop {
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                next = stream.next() => next,
            };
            match next {
                Some(batch) => {
                    let failed = batch.is_err();
                    if failed {
                        running.take();
                    }
                    let waiting = context.waits_for(Wait::Client);
                    if sender.send(batch).await.is_err() || failed {
                        return;
                    }
                    drop(waiting);
                }
                None => {
                    // Told before the reader hears that there is no more.
                    running.take();
                    if cancel.is_cancelled() {
                        let error = gristmill_base::Error::new(
                            gristmill_base::ErrorCode::QUERY_WAS_CANCELLED,
                            "Query was cancelled",
                        );
                        let _ = sender.send(Err(error.into())).await;
                    }
                    return;
                }
            }
        }
    });
    Ok(received(schema, receiver, task))
}

fn received(
    schema: SchemaRef,
    receiver: tokio::sync::mpsc::Receiver<datafusion::error::Result<RecordBatch>>,
    task: Task<()>,
) -> SendableRecordBatchStream {
    let stream = futures::stream::unfold((receiver, Some(task)), |(mut receiver, mut task)| async move {
        match receiver.recv().await {
            Some(batch) => Some((batch, (receiver, task))),
            None => {
                // The channel closes when the task ends: by its last row, or by a panic, which must not look like the end.
                let ended = task.take()?.join().await;
                ended.err().map(|error| (Err(error.into()), (receiver, None)))
            }
        }
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, stream))
}

/// What is read of a plan that is read to its end.
#[derive(Clone, Copy)]
pub struct Most {
    pub rows: usize,
    pub bytes: usize,
}

impl Most {
    pub const ONE_ROW: Most = Most { rows: 1, bytes: usize::MAX };
}

/// Reads a plan to its end. Refuses more than `most`: gives `None` then.
pub async fn collect_up_to(
    state: &SessionState,
    plan: &LogicalPlan,
    context: &Arc<QueryContext>,
    most: Most,
) -> Result<Option<Vec<RecordBatch>>> {
    let plan = read_states(plan.clone()).await?;
    let physical = physical_plan(state, &plan, context).await?;
    let mut stream = run(state, physical, context)?;
    let mut batches = Vec::new();
    let (mut rows, mut bytes) = (0, 0);
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        rows += batch.num_rows();
        bytes += batch.get_array_memory_size();
        if rows > most.rows || bytes > most.bytes {
            return Ok(None);
        }
        batches.push(batch);
    }
    Ok(Some(batches))
}
