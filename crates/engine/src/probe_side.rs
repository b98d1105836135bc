//! The streams of a join begin to probe side by side.
//!
//! Where the build side of a join is collected once for all of its streams, they wait for it together. The stream that is polled
//! when it is complete goes on to probe at once; the one that it woke last waits on the same thread until that stream waits for
//! something (`runtime::give_way`), which for rows that lie in memory is when it has probed them all. So each stream gives way
//! once, before it looks at the other side.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ExecutionPlanProperties, ReplaceChildrenOptions};
use futures::FutureExt;
use gristmill_base::runtime;

use crate::transparent::{Transparent, Wrapper};

#[derive(Debug)]
pub struct ProbeSideBySide;

impl PhysicalOptimizerRule for ProbeSideBySide {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            if !waits_for_one_build(&plan) {
                return Ok(Transformed::no(plan));
            }
            let mut children: Vec<_> = plan.children().into_iter().cloned().collect();
            match children.pop() {
                Some(probe) => children.push(Transparent::around(probe, ProbeSide)),
                None => return Ok(Transformed::no(plan)),
            }
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
            Ok(Transformed::yes(plan.replace_children(children, options)?))
        })
        .data()
    }

    fn name(&self) -> &str {
        "ProbeSideBySide"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether it is a join of which several streams wait for one build side, its first child.
fn waits_for_one_build(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let hashes = plan.downcast_ref::<HashJoinExec>().map(|join| *join.partition_mode() == PartitionMode::CollectLeft);
    let is_one = hashes.unwrap_or(plan.is::<NestedLoopJoinExec>() || plan.is::<CrossJoinExec>());
    is_one && plan.output_partitioning().partition_count() > 1
}

/// Around the probe side of a join.
struct ProbeSide;

impl Wrapper for ProbeSide {
    fn again(&self) -> Self {
        ProbeSide
    }

    fn execute(
        &self,
        inner: &Arc<dyn ExecutionPlan>,
        partition: usize,
        task: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = inner.execute(partition, task)?;
        let schema = rows.schema();
        let beside = async move {
            runtime::give_way().await;
            rows
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, beside.flatten_stream())))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use arrow::array::{AsArray, Int64Array, RecordBatch};
    use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
    use datafusion::catalog::streaming::StreamingTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::physical_plan::streaming::PartitionStream;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
    }

    fn one_row() -> RecordBatch {
        RecordBatch::try_new(schema(), vec![Arc::new(Int64Array::from(vec![1]))]).expect("a batch")
    }

    /// The build side: its row comes when all who want it wait.
    #[derive(Debug)]
    struct Late(SchemaRef);

    impl PartitionStream for Late {
        fn schema(&self) -> &SchemaRef {
            &self.0
        }

        fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
            let row = async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(one_row())
            };
            Box::pin(RecordBatchStreamAdapter::new(schema(), futures::stream::once(row)))
        }
    }

    /// A stream of the probe side: it computes, without a wait, until so many others do, or gives up.
    #[derive(Debug)]
    struct Together {
        schema: SchemaRef,
        began: Arc<AtomicUsize>,
        met: Arc<AtomicUsize>,
        streams: usize,
    }

    impl PartitionStream for Together {
        fn schema(&self) -> &SchemaRef {
            &self.schema
        }

        fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
            let (began, met, streams) = (self.began.clone(), self.met.clone(), self.streams);
            let row = async move {
                began.fetch_add(1, Ordering::SeqCst);
                let until = Instant::now() + Duration::from_secs(10);
                while began.load(Ordering::SeqCst) < streams && Instant::now() < until {
                    std::hint::spin_loop();
                }
                met.fetch_add(usize::from(began.load(Ordering::SeqCst) == streams), Ordering::SeqCst);
                Ok(one_row())
            };
            Box::pin(RecordBatchStreamAdapter::new(schema(), futures::stream::once(row)))
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn streams_of_a_join_probe_at_the_same_time() {
        let mut config = SessionConfig::new().with_target_partitions(2);
        // One row each: nothing is worth to be dealt out anew.
        config.options_mut().optimizer.repartition_joins = false;
        config.options_mut().optimizer.enable_round_robin_repartition = false;
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_default_features()
            .with_physical_optimizer_rule(Arc::new(ProbeSideBySide))
            .build();
        let session = SessionContext::new_with_state(state);
        let met = Arc::new(AtomicUsize::new(0));
        let began = Arc::new(AtomicUsize::new(0));
        let stream = || -> Arc<dyn PartitionStream> {
            Arc::new(Together { schema: schema(), began: began.clone(), met: met.clone(), streams: 2 })
        };
        let build = StreamingTable::try_new(schema(), vec![Arc::new(Late(schema()))]).expect("a table");
        let probe = StreamingTable::try_new(schema(), vec![stream(), stream()]).expect("a table");
        session.register_table("build", Arc::new(build)).expect("registered");
        session.register_table("probe", Arc::new(probe)).expect("registered");
        let frame = session.sql("SELECT count(*) FROM build JOIN probe ON build.n = probe.n").await.expect("a query");
        // On the workers, as queries run: the thread of a test is none of them.
        let rows = tokio::spawn(frame.collect()).await.expect("no panic").expect("rows");
        assert_eq!(rows[0].column(0).as_primitive::<Int64Type>().value(0), 2);
        assert_eq!(met.load(Ordering::SeqCst), 2, "one stream waited until the other had probed");
    }
}
